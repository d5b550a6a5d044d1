/*
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.freshet.scan;

import io.trino.Session;
import io.trino.testing.MaterializedResult;
import io.trino.testing.MaterializedRow;
import io.trino.testing.QueryRunner;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

/** Compares {@code table_delta} with the difference of two reads of the table, as multisets. */
final class DeltaOracle
{
    private final QueryRunner queryRunner;
    private final Session session;

    DeltaOracle(QueryRunner queryRunner)
    {
        this(queryRunner, queryRunner.getDefaultSession());
    }

    DeltaOracle(QueryRunner queryRunner, Session session)
    {
        this.queryRunner = requireNonNull(queryRunner, "queryRunner is null");
        this.session = requireNonNull(session, "session is null");
    }

    long currentSnapshot(String table)
    {
        return (long) queryRunner.execute(session, "SELECT snapshot_id FROM s.\"%s$refs\" WHERE name = 'main'".formatted(table)).getOnlyValue();
    }

    List<Long> snapshots(String table)
    {
        return queryRunner.execute(session, "SELECT snapshot_id FROM s.\"%s$snapshots\" ORDER BY committed_at, snapshot_id".formatted(table))
                .getOnlyColumn()
                .map(Long.class::cast)
                .toList();
    }

    static String delta(String table, Long from, long to)
    {
        return "TABLE(lake.system.table_delta('s', '%s', %s, %s))".formatted(table, from, to);
    }

    /** Both ways between all snapshots, and from nothing. */
    void assertAllPairs(String description, String table, String columns)
    {
        assertPairs(description, table, columns, "true", snapshots(table), false);
    }

    /**
     * @param currentSchema whether the columns are those of the table as it is now: then states are read as differences from
     *         nothing, since time travel gives the columns of then
     */
    void assertPairs(String description, String table, String columns, String predicate, List<Long> snapshots, boolean currentSchema)
    {
        assertPairs(description, table, columns, predicate, snapshots, currentSchema, (_, _) -> true);
    }

    /** Both ways from each snapshot to the next, and from the first to the last. */
    void assertNeighbors(String description, String table, String columns, String predicate, List<Long> snapshots, boolean currentSchema)
    {
        assertPairs(
                description,
                table,
                columns,
                predicate,
                snapshots,
                currentSchema,
                (from, to) -> Math.abs(from - to) == 1 || Math.abs(from - to) == snapshots.size() - 1);
    }

    private void assertPairs(
            String description,
            String table,
            String columns,
            String predicate,
            List<Long> snapshots,
            boolean currentSchema,
            BiPredicate<Integer, Integer> wanted)
    {
        List<Map<List<Object>, Long>> states = snapshots.stream()
                .map(snapshot -> currentSchema
                        ? net("SELECT %s, weight FROM %s WHERE %s".formatted(columns, delta(table, null, snapshot), predicate))
                        : state(table, columns, predicate, snapshot))
                .toList();
        for (int from = 0; from < snapshots.size(); from++) {
            for (int to = 0; to < snapshots.size(); to++) {
                if (wanted.test(from, to)) {
                    String sql = "SELECT %s, weight FROM %s WHERE %s".formatted(columns, delta(table, snapshots.get(from), snapshots.get(to)), predicate);
                    assertThat(net(sql))
                            .describedAs("%s: from %s to %s of %s: %s", description, from, to, snapshots, sql)
                            .isEqualTo(difference(states.get(to), states.get(from)));
                }
            }
        }
    }

    void assertDelta(String description, String table, String columns, String predicate, long from, long to)
    {
        String sql = "SELECT %s, weight FROM %s WHERE %s".formatted(columns, delta(table, from, to), predicate);
        assertThat(net(sql))
                .describedAs("%s: %s", description, sql)
                .isEqualTo(difference(state(table, columns, predicate, to), state(table, columns, predicate, from)));
    }

    /** How many rows come in and go out, those that cancel each other included. */
    Map<Long, Long> weights(String table, long from, long to)
    {
        Map<Long, Long> counts = new HashMap<>();
        for (MaterializedRow row : queryRunner.execute(session, "SELECT CAST(weight AS bigint), count(*) FROM %s GROUP BY 1".formatted(delta(table, from, to)))) {
            counts.put((Long) row.getField(0), (Long) row.getField(1));
        }
        return counts;
    }

    private Map<List<Object>, Long> state(String table, String columns, String predicate, long snapshot)
    {
        Map<List<Object>, Long> bag = new HashMap<>();
        for (MaterializedRow row : queryRunner.execute(session, "SELECT %s FROM s.%s FOR VERSION AS OF %s WHERE %s".formatted(columns, table, snapshot, predicate))) {
            bag.merge(row.getFields(), 1L, Long::sum);
        }
        return bag;
    }

    private Map<List<Object>, Long> net(String sql)
    {
        MaterializedResult result = queryRunner.execute(session, sql);
        Map<List<Object>, Long> bag = new HashMap<>();
        for (MaterializedRow row : result) {
            List<Object> values = new ArrayList<>(row.getFields());
            long weight = ((Number) values.removeLast()).longValue();
            assertThat(weight).isIn(-1L, 1L);
            bag.merge(values, weight, Long::sum);
        }
        bag.values().removeIf(weight -> weight == 0);
        return bag;
    }

    private static Map<List<Object>, Long> difference(Map<List<Object>, Long> left, Map<List<Object>, Long> right)
    {
        Map<List<Object>, Long> difference = new HashMap<>(left);
        right.forEach((row, count) -> difference.merge(row, -count, Long::sum));
        difference.values().removeIf(weight -> weight == 0);
        return difference;
    }
}
