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
package io.freshet.differential;

import io.freshet.ViewOracle;
import io.trino.testing.MaterializedResult;
import io.trino.testing.QueryRunner;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

import static io.freshet.differential.RandomValues.pick;
import static java.util.stream.Collectors.joining;

/**
 * A script on two to four tables of few values each, so that rows meet: some keys are frequent, some NULL, and rows come twice.
 */
final class JoinScriptRunner
        extends AbstractScriptRunner
{
    private final List<String> tables;

    JoinScriptRunner(QueryRunner queryRunner, ViewOracle oracle, Script script, String name)
    {
        super(queryRunner, oracle, script, name);
        this.tables = IntStream.range(0, new Random(script.seed()).nextInt(2, 5)).mapToObj(i -> name + "_t" + i).toList();
    }

    @Override
    List<String> tables()
    {
        return tables;
    }

    @Override
    void createTables()
    {
        Random random = new Random(script().seed());
        for (String table : tables) {
            execute("CREATE TABLE %s (%s) WITH (format_version = %s%s)".formatted(
                    table,
                    String.join(", ", RandomJoins.COLUMNS),
                    random.nextInt(2, 4),
                    pick(random, List.of("", "", ", partitioning = ARRAY['k']", ", partitioning = ARRAY['bucket(id, 2)', 'g']", ", format = 'ORC'"))));
            execute("INSERT INTO %s VALUES %s".formatted(table, rows(random, random.nextInt(1, 25))));
        }
    }

    @Override
    String query(Random random, Map<String, String> views)
    {
        return new RandomJoins(random, tables, views).query();
    }

    @Override
    Optional<String> sql(Change.Kind kind, Random random)
    {
        String table = pick(random, tables);
        return switch (kind) {
            case INSERT -> Optional.of("INSERT INTO %s VALUES %s".formatted(table, rows(random, random.nextInt(1, 6))));
            case INSERT_COPIES -> Optional.of("INSERT INTO %s SELECT * FROM %s WHERE %s".formatted(table, pick(random, tables), isSome(random)));
            case RESTORE -> snapshot(random, table).map(snapshot -> "INSERT INTO %s SELECT * FROM %s FOR VERSION AS OF %s WHERE %s".formatted(table, table, snapshot, isSome(random)));
            case DELETE -> Optional.of("DELETE FROM %s WHERE %s".formatted(table, isSome(random)));
            case UPDATE -> {
                String column = pick(random, List.of("k", "j", "g", "v", "b"));
                yield Optional.of("UPDATE %s SET %s = %s WHERE %s".formatted(table, column, literal(random, column), isSome(random)));
            }
            case MERGE -> Optional.of(("MERGE INTO %s t USING (SELECT k, max(v) AS v FROM %s GROUP BY k) n ON t.k = n.k " +
                    "WHEN MATCHED AND n.v > 5 THEN DELETE WHEN MATCHED AND t.j = 1 THEN UPDATE SET v = n.v, g = 'm' WHEN NOT MATCHED THEN INSERT (id, k, v) VALUES (9, n.k, n.v)")
                    .formatted(table, pick(random, tables)));
            case TRUNCATE -> Optional.of("DELETE FROM " + table);
            case OPTIMIZE -> Optional.of("ALTER TABLE %s EXECUTE optimize".formatted(table));
            case OPTIMIZE_MANIFESTS -> Optional.of("ALTER TABLE %s EXECUTE optimize_manifests".formatted(table));
            case ROLLBACK -> snapshot(random, table).map(snapshot -> "ALTER TABLE %s EXECUTE rollback_to_snapshot(%s)".formatted(table, snapshot));
            case EXPIRE -> Optional.of("ALTER TABLE %s EXECUTE expire_snapshots(retention_threshold => '0s')".formatted(table));
            case PARTITIONING -> Optional.of("ALTER TABLE %s SET PROPERTIES partitioning = %s".formatted(table, pick(random, List.of("ARRAY[]", "ARRAY['k']", "ARRAY['bucket(id, 3)']", "ARRAY['b', 'g']"))));
            case FORMAT_VERSION -> Optional.of("ALTER TABLE %s SET PROPERTIES format_version = 3".formatted(table));
            // what a change of the schema means does not depend on how many tables there are
            case ADD_COLUMN, DROP_COLUMN, RENAME_COLUMN, RETYPE_COLUMN, REPLACE_TABLE, RECREATE_TABLE -> Optional.empty();
            case REFRESH, READ -> throw new IllegalArgumentException("Does not change a table: " + kind);
        };
    }

    private static String rows(Random random, int count)
    {
        return IntStream.range(0, count)
                .mapToObj(_ -> RandomJoins.COLUMNS.stream()
                        .map(definition -> literal(random, definition.substring(0, definition.indexOf(' '))))
                        .collect(joining(", ", "(", ")")))
                .collect(joining(", "));
    }

    private static String literal(Random random, String column)
    {
        boolean absent = random.nextInt(7) == 0;
        return switch (column) {
            case "id" -> "BIGINT '%s'".formatted(random.nextInt(20));
            // half of all rows have one key
            case "k", "j" -> absent ? "NULL" : random.nextInt(3) == 0 ? "1" : Integer.toString(random.nextInt(7));
            case "g" -> absent ? "NULL" : pick(random, List.of("'a'", "'b'", "'A'", "''"));
            case "v" -> absent ? "NULL" : Integer.toString(random.nextInt(-2, 8));
            case "d" -> absent ? "NULL" : pick(random, List.of("0.00", "1.25", "-1.25", "9.99"));
            case "b" -> absent ? "NULL" : Boolean.toString(random.nextBoolean());
            default -> throw new IllegalArgumentException(column);
        };
    }

    private static String isSome(Random random)
    {
        String column = pick(random, List.of("id", "k", "k", "j", "g", "v"));
        return "%s IS NOT DISTINCT FROM %s".formatted(column, literal(random, column)) + (random.nextInt(3) == 0 ? " AND id % 2 = 0" : "");
    }

    private Optional<Object> snapshot(Random random, String table)
    {
        MaterializedResult snapshots = queryRunner().execute("SELECT snapshot_id FROM \"%s$snapshots\" ORDER BY committed_at".formatted(table));
        return snapshots.getRowCount() == 0 ? Optional.empty() : Optional.of(pick(random, snapshots.getMaterializedRows()).getField(0));
    }
}
