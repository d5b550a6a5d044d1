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

import io.freshet.spi.refresh.RefreshRecord;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.Snapshot;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Cases of kind "lifecycle": MV-105 to MV-118. */
final class TestLifecycleCases
        extends AbstractCases
{
    @Test
    void testMv105ReadersNeverMeetAHalfFilledView()
            throws Exception
    {
        execute("CREATE TABLE mv105_t AS SELECT orderkey v FROM tpch.tiny.orders");
        execute("CREATE MATERIALIZED VIEW mv105 AS SELECT v FROM mv105_t");
        AtomicBoolean done = new AtomicBoolean();
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> reader = executor.submit(() -> {
                while (!done.get()) {
                    assertThat(computeScalar("SELECT count(*) FROM mv105")).isEqualTo(15000L);
                }
            });
            for (int i = 0; i < 5; i++) {
                getQueryRunner().execute(withMode("FULL"), "REFRESH MATERIALIZED VIEW mv105");
            }
            execute("CREATE OR REPLACE MATERIALIZED VIEW mv105 AS SELECT v + 1 AS v FROM mv105_t");
            done.set(true);
            reader.get();
        }
        assertNoStrayFiles("mv105");
    }

    @Test
    void testMv106ExplainHasNoEffect()
    {
        execute("CREATE TABLE mv106_t (v integer)");
        execute("INSERT INTO mv106_t VALUES 1");
        CaseView view = view("mv106", "SELECT v FROM mv106_t");
        execute("INSERT INTO mv106_t VALUES 2");
        long before = view.backingSnapshot();
        execute("EXPLAIN REFRESH MATERIALIZED VIEW mv106");
        execute("EXPLAIN (TYPE DISTRIBUTED) REFRESH MATERIALIZED VIEW mv106");
        execute("EXPLAIN (TYPE VALIDATE) REFRESH MATERIALIZED VIEW mv106");
        execute("SELECT * FROM TABLE(lake.system.explain_refresh('s', 'mv106'))");
        assertThat(view.backingSnapshot()).isEqualTo(before);
        view.rows("1").stale();
        view.refresh("APPEND_ONLY").rows("1, 2");
    }

    @Test
    void testMv108ManySmallRefreshes()
    {
        execute("CREATE TABLE mv108_t (k integer)");
        execute("CREATE MATERIALIZED VIEW mv108 AS SELECT k, count(*) c FROM mv108_t GROUP BY k");
        for (int i = 0; i < 30; i++) {
            execute("INSERT INTO mv108_t VALUES " + i % 3);
            execute("REFRESH MATERIALIZED VIEW mv108");
        }
        oracle().assertExact("mv108");
        assertRows("SELECT * FROM mv108", "VALUES (0, BIGINT '10'), (1, 10), (2, 10)");
        assertThat(sources().dataFiles("__mv_mv108")).hasSize(1);
        assertThat(oracle().history("mv108")).hasSizeGreaterThanOrEqualTo(30);
    }

    @Test
    void testMv109BackingTableIsRemovedFromOutside()
    {
        execute("CREATE TABLE mv109_t (v integer)");
        execute("INSERT INTO mv109_t VALUES 1");
        CaseView view = view("mv109", "SELECT v FROM mv109_t");
        sources().drop("__mv_mv109");
        assertThatThrownBy(() -> execute("SELECT * FROM mv109")).hasMessageContaining("does not exist");
        assertThatThrownBy(() -> execute("REFRESH MATERIALIZED VIEW mv109")).hasMessageContaining("does not exist");
        execute("DROP MATERIALIZED VIEW IF EXISTS mv109");
        execute("CREATE MATERIALIZED VIEW mv109 AS SELECT v FROM mv109_t");
        assertRows("SELECT * FROM mv109", "VALUES 1");

        // its files alone
        dataFiles(view.twin()).forEach(TestLifecycleCases::delete);
        assertThatThrownBy(() -> execute("SELECT * FROM mv109_full"));
        getQueryRunner().execute(withMode("FULL"), "REFRESH MATERIALIZED VIEW mv109_full");
        oracle().assertExact("mv109_full");
        dataFiles(view.twin()).forEach(TestLifecycleCases::delete);
        execute("DROP MATERIALIZED VIEW mv109_full");
    }

    @Test
    void testMv110NothingIsLeft()
    {
        execute("CREATE SCHEMA mv110_s");
        execute("CREATE TABLE mv110_s.t (k integer, v integer)");
        execute("INSERT INTO mv110_s.t VALUES (1, 2), (3, 4)");
        execute("CREATE MATERIALIZED VIEW mv110_s.mv AS SELECT k, sum(v) s FROM mv110_s.t GROUP BY k");
        execute("INSERT INTO mv110_s.t VALUES (1, 2), (3, 4)");
        execute("REFRESH MATERIALIZED VIEW mv110_s.mv");
        execute("DROP MATERIALIZED VIEW mv110_s.mv");
        assertThat(files("mv110_s")).allMatch(file -> file.toString().contains("/t-"));
        for (String statement : List.of(
                "CREATE MATERIALIZED VIEW mv110_s.mv WITH (partitioning = ARRAY['nosuch']) AS SELECT k FROM mv110_s.t",
                "CREATE MATERIALIZED VIEW mv110_s.mv WITH (sorted_by = ARRAY['v']) AS SELECT k FROM mv110_s.t",
                "CREATE MATERIALIZED VIEW mv110_s.mv AS SELECT k, v / (v - 2) x FROM mv110_s.t",
                "CREATE MATERIALIZED VIEW mv110_s.mv AS SELECT k, sum(v / (v - 2)) x FROM mv110_s.t GROUP BY k",
                "CREATE MATERIALIZED VIEW mv110_s.mv AS SELECT k, INTERVAL '1' DAY x FROM mv110_s.t",
                "CREATE MATERIALIZED VIEW mv110_s.mv WITH (storage_schema = 's') AS SELECT k FROM mv110_s.t",
                "CREATE MATERIALIZED VIEW mv110_s.mv WITH (build = 'SOON') AS SELECT k FROM mv110_s.t",
                "CREATE MATERIALIZED VIEW mv110_s.mv AS SELECT nosuch FROM mv110_s.t")) {
            assertThatThrownBy(() -> execute(statement)).describedAs(statement);
            assertThat(files("mv110_s")).describedAs(statement).allMatch(file -> file.toString().contains("/t-"));
            assertRows("SELECT table_name FROM information_schema.tables WHERE table_schema = 'mv110_s'", "VALUES 't'");
        }
        // a failed replacement leaves the former view
        execute("CREATE MATERIALIZED VIEW mv110_s.mv AS SELECT k FROM mv110_s.t");
        assertThatThrownBy(() -> execute("CREATE OR REPLACE MATERIALIZED VIEW mv110_s.mv AS SELECT k, v / (v - 2) x FROM mv110_s.t"));
        assertRows("SELECT * FROM mv110_s.mv", "VALUES 1, 3, 1, 3");
        executeAll("DROP MATERIALIZED VIEW mv110_s.mv", "DROP TABLE mv110_s.t", "DROP SCHEMA mv110_s");
        assertThat(files("mv110_s")).isEmpty();
    }

    @Test
    void testMv111Rename()
    {
        execute("CREATE TABLE mv111_t (v integer)");
        execute("INSERT INTO mv111_t VALUES 1");
        execute("CREATE SCHEMA mv111_s");
        execute("CREATE MATERIALIZED VIEW mv111 AS SELECT v FROM mv111_t");
        execute("ALTER MATERIALIZED VIEW mv111 RENAME TO mv111_b");
        execute("INSERT INTO mv111_t VALUES 2");
        execute("REFRESH MATERIALIZED VIEW mv111_b");
        assertThat(oracle().lastRefresh("mv111_b").strategy()).hasValue("APPEND_ONLY");
        oracle().assertExact("mv111_b");
        assertRows("SELECT * FROM mv111_b", "VALUES 1, 2");
        execute("CREATE MATERIALIZED VIEW mv111 AS SELECT v + 10 v FROM mv111_t");
        assertRows("SELECT * FROM mv111", "VALUES 11, 12");
        assertThat(oracle().history("mv111")).hasSize(1);
        assertThatThrownBy(() -> execute("ALTER MATERIALIZED VIEW mv111 RENAME TO mv111_b")).hasMessageContaining("exists");

        assertThatThrownBy(() -> execute("ALTER MATERIALIZED VIEW mv111_b RENAME TO mv111_s.mv111_b")).hasMessageContaining("across schemas is not supported");
        execute("INSERT INTO mv111_t VALUES 3");
        execute("REFRESH MATERIALIZED VIEW mv111_b");
        assertRows("SELECT * FROM mv111_b", "VALUES 1, 2, 3");
        execute("DROP SCHEMA mv111_s");
    }

    @Test
    void testMv113ListingWhileViewsComeAndGo()
            throws Exception
    {
        execute("CREATE TABLE mv113_t (v integer)");
        AtomicBoolean done = new AtomicBoolean();
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> lister = executor.submit(() -> {
                while (!done.get()) {
                    computeActual("SELECT * FROM system.metadata.materialized_views WHERE catalog_name = 'lake'");
                    computeActual("SELECT * FROM information_schema.tables WHERE table_schema = 's'");
                    computeActual("SELECT * FROM information_schema.columns WHERE table_schema = 's'");
                    computeActual("SELECT * FROM lake.system.materialized_views");
                }
            });
            for (int round = 0; round < 2; round++) {
                for (int i = 0; i < 5; i++) {
                    execute("CREATE MATERIALIZED VIEW mv113_%s AS SELECT v FROM mv113_t".formatted(i));
                }
                for (int i = 0; i < 5; i++) {
                    execute("DROP MATERIALIZED VIEW mv113_%s".formatted(i));
                }
            }
            done.set(true);
            lister.get();
        }
        assertNoRows("SELECT * FROM information_schema.tables WHERE table_schema = 's' AND table_name LIKE 'mv113/_%' ESCAPE '/' AND table_name <> 'mv113_t'");
    }

    @Test
    void testMv116PartitioningAndSorting()
    {
        execute("CREATE TABLE mv116_t (k integer, d date, v integer)");
        execute("INSERT INTO mv116_t VALUES (1, DATE '2026-01-05', 2)");
        CaseView view = view("mv116", "WITH (partitioning = ARRAY['month(m)', 'bucket(k, 4)'], sorted_by = ARRAY['s'])",
                "SELECT k, date_trunc('month', d) m, sum(v) s FROM mv116_t GROUP BY 1, 2");
        execute("UPDATE mv116_t SET v = 3");
        view.refresh("AGGREGATE_MERGE").rows("(1, DATE '2026-01-01', 3)");
        execute("INSERT INTO mv116_t VALUES (1, DATE '2026-01-06', 4), (2, DATE '2026-02-06', 5), (NULL, NULL, NULL)");
        view.refresh("AGGREGATE_MERGE").rows("(1, DATE '2026-01-01', 7), (2, DATE '2026-02-01', 5), (NULL, NULL, NULL)");
        assertThat((String) computeScalar("SHOW CREATE MATERIALIZED VIEW mv116"))
                .contains("partitioning = ARRAY['month(m)','bucket(k, 4)']")
                .contains("sorted_by = ARRAY['s']");
        assertThatThrownBy(() -> execute("CREATE MATERIALIZED VIEW mv116_bad WITH (partitioning = ARRAY['month(d)']) AS SELECT k, sum(v) s FROM mv116_t GROUP BY 1"));
        assertThatThrownBy(() -> execute("SELECT * FROM mv116_bad")).hasMessageContaining("does not exist");
    }

    @Test
    void testHavingWithPartitioning()
    {
        execute("CREATE TABLE having_p_t (k integer, v integer)");
        execute("INSERT INTO having_p_t VALUES (1, 1), (2, 2), (2, 2)");
        CaseView view = view("having_p", "WITH (partitioning = ARRAY['k'])", "SELECT k, count(*) c FROM having_p_t GROUP BY k HAVING count(*) > 1").rows("(2, 2)");
        execute("ALTER MATERIALIZED VIEW having_p SET PROPERTIES partitioning = ARRAY['bucket(c, 2)']");
        view.refreshNothing().rows("(2, 2)");
        execute("INSERT INTO having_p_t VALUES (1, 1), (3, 3)");
        view.refresh("AGGREGATE_MERGE").rows("(1, 2), (2, 2)");
        execute("ALTER MATERIALIZED VIEW having_p SET PROPERTIES partitioning = DEFAULT");
        view.refreshNothing().rows("(1, 2), (2, 2)");
        execute("INSERT INTO having_p_t VALUES (3, 3)");
        view.refresh("AGGREGATE_MERGE").rows("(1, 2), (2, 2), (3, 2)");
    }

    @Test
    void testMv117OneDayOfMany()
    {
        execute("CREATE TABLE mv117_t (d date, v integer)");
        execute("INSERT INTO mv117_t SELECT date_add('day', x, DATE '2026-01-01'), x FROM UNNEST(sequence(1, 100)) a(x)");
        CaseView view = view("mv117", "WITH (partitioning = ARRAY['day(d)'])", "SELECT d, sum(v) s FROM mv117_t GROUP BY d");
        execute("INSERT INTO mv117_t VALUES (DATE '2026-01-11', 1000)");
        view.refresh("AGGREGATE_MERGE");
        assertRows("SELECT count(*), sum(s), max(s) FROM mv117", "VALUES (BIGINT '100', BIGINT '6050', BIGINT '1010')");
    }

    @Test
    void testMv118KindAndReasonCanBeSeen()
    {
        execute("CREATE TABLE mv118_t AS SELECT custkey k, totalprice v FROM tpch.tiny.orders");
        CaseView view = view("mv118", "SELECT k, count(*) c, max(v) m FROM mv118_t GROUP BY k");
        execute("DELETE FROM mv118_t WHERE k = 1");
        view.refresh("GROUP_RECOMPUTE");
        RefreshRecord record = oracle().lastRefresh("mv118");
        assertRows("SELECT strategy, reason, status FROM lake.system.materialized_view_refreshes WHERE view_name = 'mv118' AND refresh_id = '%s'".formatted(record.refreshId()),
                "VALUES ('GROUP_RECOMPUTE', 'NONE', 'SUCCEEDED')");
        CaseView timed = view("mv118n", "SELECT k, count(*) c, max(now()) n FROM mv118_t GROUP BY k").notDeterministic();
        timed.refreshInFull("TIME_DEPENDENT_FUNCTION");
    }

    /** Every data file in the view's folder belongs to one of its snapshots. */
    private void assertNoStrayFiles(String view)
    {
        BaseTable table = sources().load("__mv_" + view);
        Set<String> known = new HashSet<>();
        for (Snapshot snapshot : table.snapshots()) {
            for (DataFile file : snapshot.addedDataFiles(table.io())) {
                known.add(Path.of(file.location()).getFileName().toString());
            }
        }
        assertThat(dataFiles(view)).allMatch(file -> known.contains(file.getFileName().toString()));
    }

    private List<Path> dataFiles(String view)
    {
        return files("").stream()
                .filter(file -> file.toString().contains("/__mv_" + view + "-") && file.toString().contains("/data/"))
                .collect(toImmutableList());
    }

    private List<Path> files(String folder)
    {
        Path root = getDistributedQueryRunner().getCoordinator().getBaseDataDir().resolve("lake/files/warehouse").resolve(folder);
        if (!Files.exists(root)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(Files::isRegularFile).collect(toImmutableList());
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path file)
    {
        try {
            Files.delete(file);
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
