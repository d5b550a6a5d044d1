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
package io.freshet.cases;

import io.freshet.engine.ApplyMethod;
import io.freshet.spi.refresh.RefreshRecord;
import io.trino.spi.connector.SchemaTableName;
import io.trino.testing.QueryRunner;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Schema;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

import static io.freshet.FreshetQueryRunner.SCHEMA;
import static org.apache.iceberg.types.Types.NestedField.optional;
import static org.assertj.core.api.Assertions.assertThat;

/** Rows are taken away from views on several nodes, group by group at their addresses wherever that is exact. */
final class TestRetractionCases
        extends AbstractCases
{
    /** Format versions of the views where both would take long; the random tests have both. */
    private static final int[] FORMATS = Boolean.getBoolean("freshet.test.all-formats") ? new int[] {2, 3} : new int[] {3};

    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return builder()
                .setWorkerCount(2)
                .addCatalogProperty("freshet.refresh.apply", ApplyMethod.MERGE.name())
                .build();
    }

    @Test
    void testGroupsEmptyAndComeBack()
    {
        for (int format : FORMATS) {
            String table = "comeback_t" + format;
            execute("CREATE TABLE %s (k double, j varchar, v integer) WITH (format_version = %s)".formatted(table, format));
            execute("INSERT INTO %s VALUES (nan(), 'a', 1), (nan(), NULL, 2), (NULL, NULL, 3), (0e0, 'a', 4), (-0e0, 'a', 5), (1, 'a', 6), (infinity(), '', 7)".formatted(table));
            String merged = "SELECT k, j, count(*) c, count(v) n, sum(v) s, avg(v) a FROM %s GROUP BY k, j".formatted(table);
            List<CaseView> views = List.of(
                    view("comeback_m" + format, "WITH (format_version = %s)".formatted(format), merged),
                    view("comeback_h" + format, "WITH (format_version = %s)".formatted(format), merged + " HAVING count(*) = 1"),
                    view("comeback_r" + format, "WITH (format_version = %s)".formatted(format), "SELECT k, j, count(DISTINCT v) c, max(v) m FROM %s GROUP BY k, j".formatted(table)),
                    view("comeback_w" + format, "WITH (format_version = %s)".formatted(format), "SELECT k, j, v, row_number() OVER (PARTITION BY k, j ORDER BY v) rn FROM %s".formatted(table)),
                    view("comeback_d" + format, "WITH (format_version = %s)".formatted(format), "SELECT DISTINCT k FROM %s".formatted(table)),
                    view("comeback_l" + format, "WITH (format_version = %s)".formatted(format), "SELECT k, j FROM %s".formatted(table)));
            List<String> strategies = List.of("AGGREGATE_MERGE", "AGGREGATE_MERGE", "GROUP_RECOMPUTE", "GROUP_RECOMPUTE", "AGGREGATE_MERGE", "ROW_DELTA");
            String first = "DELETE FROM %s WHERE is_nan(k) OR k = 0 OR k IS NULL".formatted(table);
            String back = "INSERT INTO %s VALUES (nan(), 'a', 10), (NULL, NULL, 11), (-0e0, 'a', 12), (nan(), NULL, NULL)".formatted(table);
            String twice = "INSERT INTO %s SELECT k, j, v FROM %s".formatted(table, table);
            String half = "DELETE FROM %s WHERE v %% 2 = 0 OR v IS NULL".formatted(table);
            String moved = "UPDATE %s SET k = if(is_nan(k), 0e0, nan()), j = if(j IS NULL, 'a') WHERE k IS NOT NULL".formatted(table);
            String all = "DELETE FROM %s WHERE true".formatted(table);
            for (List<String> changes : List.of(
                    List.of(first),
                    List.of(back, twice),
                    List.of(half),
                    List.of(moved, twice, half, first, back),
                    List.of(all),
                    List.of(back, twice, half, moved))) {
                changes.forEach(this::execute);
                for (int i = 0; i < views.size(); i++) {
                    boolean onlyAdded = changes.stream().allMatch(sql -> sql.startsWith("INSERT"));
                    views.get(i).refresh(onlyAdded && i == 5 ? "APPEND_ONLY" : strategies.get(i));
                }
            }
        }
    }

    @Test
    void testSomeOfManyEqualRows()
    {
        for (int format : new int[] {2, 3}) {
            String table = "many_t" + format;
            execute("CREATE TABLE %s (k varchar, x double, id integer) WITH (format_version = %s)".formatted(table, format));
            for (int file = 0; file < 3; file++) {
                execute("INSERT INTO %s SELECT 'a', nan(), a * 10000 + b FROM UNNEST(sequence(%s, %s)) t(a) CROSS JOIN UNNEST(sequence(0, 9999)) u(b)".formatted(table, 2 * file, 2 * file + 1));
            }
            execute("INSERT INTO %s VALUES (NULL, 0e0, -1), (NULL, -0e0, -2), (NULL, -0e0, -3), (NULL, NULL, -4)".formatted(table));
            CaseView view = view("many" + format, "WITH (format_version = %s)".formatted(format), "SELECT k, x FROM " + table);
            execute("DELETE FROM %s WHERE id BETWEEN 5000 AND 17344 OR id = -3".formatted(table));
            view.refresh("ROW_DELTA");
            assertRows("SELECT k, count(*) FROM many%s GROUP BY k".formatted(format), "VALUES ('a', BIGINT '47655'), (NULL, 3)");
            assertRows("SELECT count(*) FROM many%s WHERE x = 0 AND 1 / x < 0".formatted(format), "VALUES BIGINT '1'");
            execute("UPDATE %s SET k = 'b' WHERE id >= 59999".formatted(table));
            execute("INSERT INTO %s SELECT 'a', nan(), a * 10000 + b FROM UNNEST(sequence(1, 3)) t(a) CROSS JOIN UNNEST(sequence(0, 9999)) u(b)".formatted(table));
            execute("DELETE FROM %s WHERE id = 1".formatted(table));
            view.refresh("ROW_DELTA");
            assertRows("SELECT k, count(*) FROM many%s GROUP BY k".formatted(format), "VALUES ('a', BIGINT '77653'), ('b', 1), (NULL, 3)");
            execute("DELETE FROM %s WHERE id >= 0 AND id <> 20000".formatted(table));
            view.refresh("ROW_DELTA");
            assertRows("SELECT k, count(*) FROM many%s GROUP BY k".formatted(format), "VALUES ('a', BIGINT '2'), (NULL, 3)");
        }
    }

    @Test
    void testRowsThatComeBackAsTheyWere()
    {
        execute("CREATE TABLE same_t (k varchar, v integer)");
        execute("INSERT INTO same_t VALUES ('a', 1), ('a', 1), ('b', 2), (NULL, 3)");
        CaseView rows = view("same_rows", "SELECT k, v FROM same_t");
        CaseView groups = view("same_groups", "SELECT k, sum(v) s, count(*) c FROM same_t GROUP BY k");
        CaseView recomputed = view("same_recomputed", "SELECT k, array_agg(v ORDER BY v) a FROM same_t GROUP BY k");
        executeAll("DELETE FROM same_t WHERE v = 1", "INSERT INTO same_t VALUES ('a', 1), ('a', 1)", "UPDATE same_t SET v = 4 WHERE v = 3", "UPDATE same_t SET v = 3 WHERE v = 4");
        rows.refresh("ROW_DELTA").rows("('a', 1), ('a', 1), ('b', 2), (NULL, 3)").fresh();
        groups.refresh("AGGREGATE_MERGE").rows("('a', 2, 2), ('b', 2, 1), (NULL, 3, 1)").fresh();
        recomputed.refresh("GROUP_RECOMPUTE").rows("('a', ARRAY[1, 1]), ('b', ARRAY[2]), (NULL, ARRAY[3])").fresh();
        rows.refreshNothing();
        groups.refreshNothing();
        recomputed.refreshNothing();
    }

    @Test
    void testNewCommitsAfterARollback()
    {
        execute("CREATE TABLE rolled_t (k varchar, v integer)");
        execute("INSERT INTO rolled_t VALUES ('a', 1), ('b', 2)");
        CaseView rows = view("rolled_rows", "SELECT k, v FROM rolled_t");
        CaseView groups = view("rolled_groups", "SELECT k, sum(v) s FROM rolled_t GROUP BY k");
        long first = snapshotOf("rolled_t");
        execute("INSERT INTO rolled_t VALUES ('c', 3)");
        rows.refresh("APPEND_ONLY");
        groups.refresh("AGGREGATE_MERGE");
        executeAll("ALTER TABLE rolled_t EXECUTE rollback_to_snapshot(%s)".formatted(first), "INSERT INTO rolled_t VALUES ('d', 4)", "DELETE FROM rolled_t WHERE k = 'a'");
        // the state that the views know is there still, so it has a difference to the new one
        rows.refresh("ROW_DELTA").rows("('b', 2), ('d', 4)");
        groups.refresh("AGGREGATE_MERGE").rows("('b', 2), ('d', 4)");
        executeAll("DELETE FROM rolled_t WHERE k = 'b'", "INSERT INTO rolled_t VALUES ('c', 3)");
        rows.refresh("ROW_DELTA").rows("('c', 3), ('d', 4)");
        groups.refresh("AGGREGATE_MERGE").rows("('c', 3), ('d', 4)");
    }

    @Test
    void testChangesOfATableThatWasNeverWritten()
    {
        sources().createWithoutSnapshot("never_t", new Schema(optional(1, "k", Types.StringType.get()), optional(2, "v", Types.IntegerType.get())));
        CaseView rows = view("never_rows", "SELECT k, v FROM never_t");
        CaseView groups = view("never_groups", "SELECT k, sum(v) s FROM never_t GROUP BY k");
        CaseView recomputed = view("never_recomputed", "SELECT k, max(v) m FROM never_t GROUP BY k");
        executeAll("INSERT INTO never_t VALUES ('a', 1), (NULL, 2), ('a', 1)", "DELETE FROM never_t WHERE v = 2", "UPDATE never_t SET k = NULL WHERE v = 1", "INSERT INTO never_t VALUES ('b', 3)");
        rows.refresh("ROW_DELTA").rows("(NULL, 1), (NULL, 1), ('b', 3)");
        groups.refresh("AGGREGATE_MERGE").rows("(NULL, 2), ('b', 3)");
        recomputed.refresh("GROUP_RECOMPUTE").rows("(NULL, 1), ('b', 3)");
    }

    @Test
    void testOverflowOfTheChangeOnly()
    {
        execute("CREATE TABLE overflow_t (k integer, v bigint)");
        execute("INSERT INTO overflow_t VALUES (1, -10), (1, -5), (2, 1)");
        CaseView view = view("overflow", "SELECT k, sum(v) s FROM overflow_t GROUP BY k");
        executeAll("DELETE FROM overflow_t WHERE v = -5", "INSERT INTO overflow_t VALUES (1, 9223372036854775807)");
        view.refreshInFull("DELTA_FAILED").rows("(1, 9223372036854775797), (2, 1)");
        execute("DELETE FROM overflow_t WHERE v > 1");
        view.refresh("AGGREGATE_MERGE").rows("(1, BIGINT '-10'), (2, 1)");
    }

    @Test
    void testPartitionedAndSortedViews()
    {
        for (int format : FORMATS) {
            execute("CREATE OR REPLACE TABLE laid_t (k varchar, day date, v integer, id integer)");
            execute("INSERT INTO laid_t SELECT CAST(n % 7 AS varchar), DATE '2026-01-01' + n % 3 * INTERVAL '1' DAY, n % 11, n FROM UNNEST(sequence(1, 2000)) t(n)");
            execute("INSERT INTO laid_t VALUES (NULL, NULL, 1, 0), (NULL, DATE '2026-01-01', NULL, 0)");
            String layout = "WITH (format_version = %s, partitioning = ARRAY['day', 'bucket(k, 3)'], sorted_by = ARRAY['%%s DESC'])".formatted(format);
            CaseView rows = view("laid_rows" + format, layout.formatted("v"), "SELECT k, day, v FROM laid_t");
            CaseView groups = view("laid_groups" + format, layout.formatted("c"), "SELECT k, day, count(*) c, sum(v) s FROM laid_t GROUP BY k, day HAVING count(*) > 1");
            CaseView recomputed = view("laid_recomputed" + format, layout.formatted("m"), "SELECT k, day, max(v) m, count(DISTINCT v) c FROM laid_t GROUP BY k, day");
            CaseView windows = view("laid_windows" + format, layout.formatted("v"), "SELECT k, day, v, rank() OVER (PARTITION BY k ORDER BY id) r FROM laid_t");
            for (String change : List.of(
                    "DELETE FROM laid_t WHERE id % 5 = 0 OR k = '3'",
                    "UPDATE laid_t SET day = day + INTERVAL '1' DAY, k = if(k = '2', NULL, k) WHERE id % 3 = 1",
                    "MERGE INTO laid_t t USING (SELECT DISTINCT id FROM laid_t) s ON t.id = s.id AND t.id % 4 = 1 WHEN MATCHED AND t.v > 5 THEN DELETE WHEN MATCHED THEN UPDATE SET v = 20 WHEN NOT MATCHED THEN INSERT VALUES ('n', DATE '2026-02-01', s.id % 3, -s.id)")) {
                execute(change);
                rows.refresh("ROW_DELTA");
                groups.refresh("AGGREGATE_MERGE");
                recomputed.refresh("GROUP_RECOMPUTE");
                windows.refresh("GROUP_RECOMPUTE");
            }
        }
    }

    @Test
    void testWritersOnSeveralNodesDeleteRowsOfOneFile()
            throws IOException
    {
        execute("CREATE TABLE writers_t (k bigint, v bigint, id bigint)");
        execute("INSERT INTO writers_t SELECT custkey % 50000, nationkey, custkey FROM tpch.sf1.customer");
        for (int format : FORMATS) {
            CaseView groups = view("writers_groups" + format, "WITH (format_version = %s)".formatted(format), "SELECT k, sum(v) s, count(*) c FROM writers_t GROUP BY k");
            CaseView recomputed = view("writers_recomputed" + format, "WITH (format_version = %s)".formatted(format), "SELECT k, max(v) m, count(DISTINCT v) c FROM writers_t GROUP BY k");
            CaseView rows = view("writers_rows" + format, "WITH (format_version = %s)".formatted(format), "SELECT k, v FROM writers_t");
            for (int i = 0; i < 3; i++) {
                execute("DELETE FROM writers_t WHERE id %% 211 = %s".formatted(i + 3 * format));
                execute("UPDATE writers_t SET v = v + 1, k = k + if(id %% 2 = 0, 7, 0) WHERE id %% 157 = %s".formatted(i + 3 * format));
                groups.refresh("AGGREGATE_MERGE");
                recomputed.refresh("GROUP_RECOMPUTE");
                rows.refresh("ROW_DELTA");
            }
            if (format == 3) {
                for (CaseView view : List.of(groups, recomputed, rows)) {
                    assertAtMostOneDeletionVectorPerFile(view.name());
                }
            }
        }
    }

    private void assertAtMostOneDeletionVectorPerFile(String view)
            throws IOException
    {
        boolean any = false;
        try (CloseableIterable<FileScanTask> tasks = oracle().view(new SchemaTableName(SCHEMA, view)).backingTable().newScan().planFiles()) {
            for (FileScanTask task : tasks) {
                assertThat(task.deletes().stream().map(DeleteFile::location)).hasSizeLessThanOrEqualTo(1);
                any |= !task.deletes().isEmpty();
            }
        }
        assertThat(any).describedAs("deletes in " + view).isTrue();
    }

    @Test
    void testChangesAndRefreshesAtTheSameTime()
            throws Exception
    {
        execute("CREATE TABLE busy_t (k integer, v integer, id integer)");
        execute("INSERT INTO busy_t SELECT n % 50, n % 13, n FROM UNNEST(sequence(1, 3000)) t(n)");
        List<String> views = List.of("busy_groups", "busy_rows", "busy_recomputed");
        view("busy_groups", "SELECT k, sum(v) s, count(*) c FROM busy_t GROUP BY k HAVING count(*) <> 50");
        view("busy_rows", "SELECT k, v FROM busy_t");
        view("busy_recomputed", "SELECT k, max(v) m FROM busy_t GROUP BY k");
        AtomicBoolean done = new AtomicBoolean();
        try (ExecutorService executor = Executors.newFixedThreadPool(3)) {
            List<Future<?>> refreshers = List.of(executor.submit(() -> refreshUntil(done, views)), executor.submit(() -> refreshUntil(done, views.reversed())));
            try {
                for (int i = 0; i < 12; i++) {
                    execute(switch (i % 4) {
                        case 0 -> "DELETE FROM busy_t WHERE id %% 17 = %s".formatted(i);
                        case 1 -> "UPDATE busy_t SET k = (k + 1) %% 60, v = v + 1 WHERE id %% 19 = %s".formatted(i);
                        case 2 -> "INSERT INTO busy_t SELECT k, v, id + 1 FROM busy_t WHERE id %% 23 = %s".formatted(i);
                        default -> "ALTER TABLE busy_t EXECUTE optimize";
                    });
                }
            }
            finally {
                done.set(true);
            }
            for (Future<?> refresher : refreshers) {
                refresher.get();
            }
        }
        for (String view : views) {
            execute("REFRESH MATERIALIZED VIEW " + view);
            oracle().assertExact(view);
            assertThat(oracle().history(view).stream().skip(1).flatMap((RefreshRecord record) -> record.strategy().stream()))
                    .describedAs("refreshes of " + view)
                    .doesNotContain("FULL_REFRESH")
                    .hasSizeGreaterThan(2);
        }
    }

    private void refreshUntil(AtomicBoolean done, List<String> views)
    {
        while (!done.get()) {
            views.forEach(view -> execute("REFRESH MATERIALIZED VIEW " + view));
        }
    }
}
