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

import io.freshet.FreshetQueryRunner;
import io.freshet.ViewOracle;
import io.freshet.spi.refresh.RefreshRecord;
import io.freshet.spi.refresh.RefreshState;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.QueryRunner;
import org.apache.iceberg.BaseTable;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import static org.apache.iceberg.expressions.Expressions.alwaysTrue;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Cases of kind "bookmark": MV-001 to MV-012 (MV-010 is among the joins). */
final class TestBookmarkCases
        extends AbstractCases
{
    private final RefreshInterceptor interceptor = new RefreshInterceptor();

    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return builder()
                .setEventListener(interceptor.eventListener())
                .setSystemAccessControl(interceptor.accessControl())
                .build();
    }

    @Test
    void testMv001TwoSessionsOfOneCluster()
            throws Exception
    {
        execute("CREATE TABLE mv001_t (v integer)");
        execute("INSERT INTO mv001_t VALUES 3");
        CaseView view = view("mv001", "SELECT v FROM mv001_t");
        execute("INSERT INTO mv001_t VALUES 5");
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> refreshes = List.of(
                    executor.submit(() -> execute("REFRESH MATERIALIZED VIEW mv001")),
                    executor.submit(() -> execute("REFRESH MATERIALIZED VIEW mv001")),
                    executor.submit(() -> execute("REFRESH MATERIALIZED VIEW mv001")));
            for (Future<?> refresh : refreshes) {
                refresh.get();
            }
        }
        view.refreshNothing().rows("3, 5").fresh();
        assertThat(oracle().lastRefresh("mv001").sourceSnapshots()).containsValue(Optional.of(snapshotOf("mv001_t")));
    }

    @Test
    void testMv001TwoClusters()
            throws Exception
    {
        execute("CREATE TABLE mv001_c (k integer, v integer)");
        execute("INSERT INTO mv001_c VALUES (1, 3)");
        List<CaseView> views = List.of(
                view("mv001_rows", "SELECT k, v FROM mv001_c"),
                view("mv001_groups", "SELECT k, count(*) c, sum(v) s FROM mv001_c GROUP BY k"));
        try (DistributedQueryRunner other = otherCluster()) {
            for (CaseView view : views) {
                execute("INSERT INTO mv001_c VALUES (1, 5)");
                for (boolean analyzed : new boolean[] {false, true}) {
                    // both have planned; the other commits first
                    Runnable refreshElsewhere = () -> other.execute("REFRESH MATERIALIZED VIEW " + view.name());
                    if (analyzed) {
                        interceptor.afterAnalysis(refreshElsewhere);
                    }
                    else {
                        interceptor.afterPlanning(refreshElsewhere);
                    }
                    assertThatThrownBy(() -> execute("REFRESH MATERIALIZED VIEW " + view.name()))
                            .hasMessageContaining("was changed by another refresh at the same time; nothing was written");
                    assertThat(interceptor.isPending()).isFalse();
                    assertThat(oracle().lastRefresh(view.name()).status()).isEqualTo(RefreshRecord.Status.CONFLICT);
                    oracle().assertExact(view.name());
                    execute("INSERT INTO mv001_c VALUES (2, 7)");
                }
                other.execute("REFRESH MATERIALIZED VIEW " + view.name());
                view.refreshNothing().fresh();
                new ViewOracle(other).assertExact(view.name());
            }
            assertRows("SELECT k, count(*) FROM mv001_rows GROUP BY k", "VALUES (1, BIGINT '2'), (2, 2)");
            assertRows("SELECT * FROM mv001_groups", "VALUES (1, BIGINT '3', BIGINT '13'), (2, 4, 28)");
        }
    }

    /** Another server on the same catalog and files. */
    private DistributedQueryRunner otherCluster()
            throws Exception
    {
        Path data = getDistributedQueryRunner().getCoordinator().getBaseDataDir().resolve("lake");
        return FreshetQueryRunner.builder()
                .setWorkerCount(0)
                .addCatalogProperty("local.location", data.resolve("files").toString())
                .addCatalogProperty("iceberg.jdbc-catalog.connection-url", "jdbc:sqlite:" + data.resolve("catalog.db"))
                .build();
    }

    @Test
    void testMv001SameViewCreatedTwice()
            throws Exception
    {
        execute("CREATE TABLE mv001_n (v integer)");
        execute("INSERT INTO mv001_n VALUES 3");
        try (DistributedQueryRunner other = otherCluster()) {
            interceptor.afterPlanning(() -> other.execute("CREATE MATERIALIZED VIEW mv001_new AS SELECT v + 1 AS v FROM mv001_n"));
            assertThatThrownBy(() -> execute("CREATE MATERIALIZED VIEW mv001_new AS SELECT v FROM mv001_n"));
            assertThat(interceptor.isPending()).isFalse();
            // the winner's rows are untouched by the loser's cleaning up
            assertRows("SELECT * FROM mv001_new", "VALUES 4");
            execute("REFRESH MATERIALIZED VIEW mv001_new");
            oracle().assertExact("mv001_new");
        }
    }

    @Test
    void testMv002RowsThatArriveBetweenPlanningAndReading()
    {
        execute("CREATE TABLE mv002_t (k integer, v integer)");
        execute("INSERT INTO mv002_t VALUES (1, 1)");
        List<CaseView> views = List.of(
                view("mv002", "SELECT v FROM mv002_t"),
                view("mv002_u", "SELECT v FROM mv002_t UNION ALL SELECT -v FROM mv002_t"),
                view("mv002_g", "SELECT k, sum(v) s, count(*) c FROM mv002_t GROUP BY k"),
                view("mv002_f", "SELECT v, row_number() OVER (ORDER BY v) n FROM mv002_t"));
        int value = 2;
        for (CaseView view : views) {
            for (boolean analyzed : new boolean[] {false, true}) {
                execute("INSERT INTO mv002_t VALUES (1, %s)".formatted(value++));
                String late = "INSERT INTO mv002_t VALUES (1, %s)".formatted(value++);
                if (analyzed) {
                    interceptor.afterAnalysis(() -> execute(late));
                }
                else {
                    interceptor.afterPlanning(() -> execute(late));
                }
                execute("REFRESH MATERIALIZED VIEW " + view.name());
                assertThat(interceptor.isPending()).isFalse();
                // exactly the rows of the snapshots that were recorded
                oracle().assertExact(view.name());
                view.stale();
                execute("REFRESH MATERIALIZED VIEW " + view.name());
                oracle().assertExact(view.name());
                view.fresh();
            }
        }
        assertRows("SELECT count(*), count(DISTINCT v) FROM mv002", "SELECT count(*), count(*) FROM mv002_t WHERE v <= 5");
        view("mv002_last", "SELECT v FROM mv002_t").refreshNothing();
        for (CaseView view : views) {
            execute("REFRESH MATERIALIZED VIEW " + view.name());
            oracle().assertExact(view.name());
        }
        assertRows("SELECT count(*), count(DISTINCT v) FROM mv002", "SELECT count(*), count(*) FROM mv002_t");
        assertRows("SELECT s, c FROM mv002_g", "SELECT sum(v), count(*) FROM mv002_t");
    }

    @Test
    void testMv003ChangesDuringARefreshAreNotSkipped()
    {
        execute("CREATE TABLE mv003_t (v integer)");
        execute("INSERT INTO mv003_t VALUES 1");
        CaseView view = view("mv003", "SELECT count(*) c, sum(v) s FROM mv003_t");
        execute("INSERT INTO mv003_t VALUES 2");
        interceptor.afterAnalysis(() -> execute("INSERT INTO mv003_t VALUES 4"));
        execute("REFRESH MATERIALIZED VIEW mv003");
        assertRows("SELECT * FROM mv003", "VALUES (BIGINT '2', BIGINT '3')");
        view.refresh("AGGREGATE_MERGE").rows("(3, 7)");
        view.refreshNothing().rows("(3, 7)");
    }

    @Test
    void testMv003DeletesAndReplacementsDuringARefresh()
    {
        execute("CREATE TABLE mv003_d (v integer)");
        execute("INSERT INTO mv003_d VALUES 1, 2");
        CaseView view = view("mv003d", "SELECT count(*) c, sum(v) s FROM mv003_d");
        for (String change : new String[] {"DELETE FROM mv003_d WHERE v = 1", "ALTER TABLE mv003_d EXECUTE optimize", "TRUNCATE TABLE mv003_d", "ALTER TABLE mv003_d ADD COLUMN w integer"}) {
            for (boolean analyzed : new boolean[] {false, true}) {
                execute("INSERT INTO mv003_d (v) VALUES 1, 8");
                if (analyzed) {
                    interceptor.afterAnalysis(() -> execute(change));
                }
                else {
                    interceptor.afterPlanning(() -> execute(change));
                }
                execute("REFRESH MATERIALIZED VIEW mv003d");
                assertThat(interceptor.isPending()).isFalse();
                oracle().assertExact("mv003d");
                execute("REFRESH MATERIALIZED VIEW mv003d");
                oracle().assertExact("mv003d");
                view.fresh();
                execute("ALTER TABLE mv003_d DROP COLUMN IF EXISTS w");
            }
        }
    }

    @Test
    void testSourceIsRecreatedDuringARefresh()
    {
        execute("CREATE TABLE again_t (v integer)");
        execute("INSERT INTO again_t VALUES 1");
        CaseView view = view("again", "SELECT v FROM again_t");
        execute("INSERT INTO again_t VALUES 2");
        long before = view.backingSnapshot();
        interceptor.afterPlanning(() -> executeAll("DROP TABLE again_t", "CREATE TABLE again_t AS SELECT 7 AS v"));
        assertThatThrownBy(() -> execute("REFRESH MATERIALIZED VIEW again"))
                .hasMessageContaining("was dropped and created again");
        assertThat(view.backingSnapshot()).isEqualTo(before);
        view.refreshInFull("SOURCE_RECREATED").rows("7");

        // already analyzed: the former table is read if its files are still there; if not, the new one by a second attempt
        execute("INSERT INTO again_t VALUES 8");
        interceptor.afterAnalysis(() -> executeAll("DROP TABLE again_t", "CREATE TABLE again_t AS SELECT 9 AS v"));
        execute("REFRESH MATERIALIZED VIEW again");
        assertThat(interceptor.isPending()).isFalse();
        oracle().assertExact("again");
        execute("REFRESH MATERIALIZED VIEW again");
        oracle().assertExact("again");
        assertRows("SELECT * FROM again", "VALUES 9");
        view.fresh();
    }

    @Test
    void testSnapshotExpiresDuringARefresh()
    {
        execute("CREATE TABLE expires_t (v integer)");
        execute("INSERT INTO expires_t VALUES 1");
        CaseView view = view("expires", "SELECT v FROM expires_t");
        execute("INSERT INTO expires_t VALUES 2");
        interceptor.afterPlanning(() -> executeAll("INSERT INTO expires_t VALUES 3", "ALTER TABLE expires_t EXECUTE expire_snapshots(retention_threshold => '0s')"));
        assertThatThrownBy(() -> execute("REFRESH MATERIALIZED VIEW expires"))
                .hasMessageContaining("expired");
        view.rows("1");
        view.refreshInFull("SOURCE_SNAPSHOT_EXPIRED").rows("1, 2, 3");
    }

    @Test
    void testMv004PositionAdvances()
    {
        execute("CREATE TABLE mv004_t (k integer, v integer)");
        execute("INSERT INTO mv004_t VALUES (7, 1), (8, 2)");
        CaseView view = view("mv004", "SELECT k, v FROM mv004_t");
        view.refreshNothing().rows("(7, 1), (8, 2)");
        execute("INSERT INTO mv004_t VALUES (9, 4)");
        view.refresh("APPEND_ONLY").rows("(7, 1), (8, 2), (9, 4)");
        execute("INSERT INTO mv004_t VALUES (11, 3), (12, 8)");
        view.refresh("APPEND_ONLY").rows("(7, 1), (8, 2), (9, 4), (11, 3), (12, 8)");
        execute("INSERT INTO mv004_t VALUES (13, 5)");
        view.refresh("APPEND_ONLY").rows("(7, 1), (8, 2), (9, 4), (11, 3), (12, 8), (13, 5)");
        execute("INSERT INTO mv004_t VALUES (14, 6), (15, 9)");
        view.refresh("APPEND_ONLY").rows("(7, 1), (8, 2), (9, 4), (11, 3), (12, 8), (13, 5), (14, 6), (15, 9)");
        int files = sources().dataFiles("__mv_mv004").size();
        view.refreshNothing();
        assertThat(sources().dataFiles("__mv_mv004")).hasSize(files);
    }

    @Test
    void testMv005ForeignCommitsOnTheBackingTable()
    {
        execute("CREATE TABLE mv005_t (v integer)");
        execute("INSERT INTO mv005_t VALUES 1");
        CaseView view = view("mv005", "SELECT v FROM mv005_t");
        BaseTable backing = sources().load("__mv_mv005");
        backing.rewriteManifests().clusterBy(_ -> "all").commit();
        assertThat(backing.currentSnapshot().summary()).doesNotContainKey(RefreshState.SUMMARY_KEY);
        view.fresh();
        execute("INSERT INTO mv005_t VALUES 2");
        view.refresh("APPEND_ONLY").rows("1, 2");

        // nobody knows what such a commit did
        backing = sources().load("__mv_mv005");
        backing.newFastAppend().commit();
        view.stale();
        execute("INSERT INTO mv005_t VALUES 3");
        view.refreshInFull("STATE_LOST").rows("1, 2, 3");
        backing = sources().load("__mv_mv005");
        backing.newDelete().deleteFromRowFilter(alwaysTrue()).commit();
        assertRows("SELECT * FROM mv005", "VALUES 1, 2, 3");
        view.refreshInFull("STATE_LOST").rows("1, 2, 3");
    }

    @Test
    void testMv005BackingTableIsRolledBack()
    {
        execute("CREATE TABLE mv005_r (v integer)");
        execute("INSERT INTO mv005_r VALUES 1");
        CaseView view = view("mv005r", "SELECT v FROM mv005_r");
        long first = view.backingSnapshot();
        execute("INSERT INTO mv005_r VALUES 2");
        view.refresh("APPEND_ONLY").rows("1, 2");
        sources().load("__mv_mv005r").manageSnapshots().rollbackTo(first).commit();
        // the bookmarks go back with the rows
        view.stale();
        assertThat(computeActual("SELECT * FROM mv005r").getRowCount()).isEqualTo(1);
        view.refresh("APPEND_ONLY").rows("1, 2");
        view.refreshNothing();
    }

    @Test
    void testMv007SourceIsMadeAgain()
    {
        execute("CREATE TABLE mv007_t (v integer)");
        execute("INSERT INTO mv007_t VALUES 1, 2");
        CaseView view = view("mv007", "SELECT v FROM mv007_t");
        executeAll("DROP TABLE mv007_t", "CREATE TABLE mv007_t (v integer)", "INSERT INTO mv007_t VALUES 7");
        view.stale();
        // not even with unlimited grace
        assertRows("SELECT * FROM mv007", "VALUES 7");
        view.refreshInFull("SOURCE_RECREATED").rows("7");
        executeAll("ALTER TABLE mv007_t RENAME TO mv007_old", "CREATE TABLE mv007_t (v integer)", "INSERT INTO mv007_t VALUES 8");
        view.stale();
        view.refreshInFull("SOURCE_RECREATED").rows("8");
        // and back: the former table with its former snapshot is not the one of the bookmark
        executeAll("DROP TABLE mv007_t", "ALTER TABLE mv007_old RENAME TO mv007_t");
        view.stale();
        view.refreshInFull("SOURCE_RECREATED").rows("7");
        // made again and still empty
        executeAll("DROP TABLE mv007_t", "CREATE TABLE mv007_t (v integer)");
        view.stale();
        view.refreshInFull("SOURCE_RECREATED").noRows();
    }

    @Test
    void testMv008SourceIsReplaced()
    {
        execute("CREATE TABLE mv008_t (v integer)");
        execute("INSERT INTO mv008_t VALUES 1, 2");
        CaseView view = view("mv008", "SELECT v FROM mv008_t");
        CaseView sum = view("mv008s", "SELECT sum(v) s FROM mv008_t");
        execute("CREATE OR REPLACE TABLE mv008_t AS SELECT 9 AS v");
        view.stale();
        view.refreshInFull("SOURCE_REPLACED").rows("9");
        sum.refreshInFull("SOURCE_REPLACED").rows("9");
        execute("INSERT INTO mv008_t VALUES 10");
        view.refresh("APPEND_ONLY").rows("9, 10");
        sum.refresh("AGGREGATE_MERGE").rows("19");
        // replaced by an empty table
        execute("CREATE OR REPLACE TABLE mv008_t (v integer)");
        view.refreshInFull("SOURCE_REPLACED").noRows();
    }

    @Test
    void testMv011FirstUse()
    {
        execute("CREATE TABLE mv011_t (v integer)");
        execute("INSERT INTO mv011_t VALUES 1, 2");
        CaseView view = view("mv011", "WITH (build = 'DEFERRED')", "SELECT v FROM mv011_t");
        assertRows("SELECT * FROM mv011", "VALUES 1, 2");
        execute("INSERT INTO mv011_t VALUES 3");
        assertRows("SELECT * FROM mv011", "VALUES 1, 2, 3");
        view.refreshInFull("NOT_BUILT").rows("1, 2, 3");
        execute("INSERT INTO mv011_t VALUES 4");
        view.refresh("APPEND_ONLY").rows("1, 2, 3, 4");
    }

    @Test
    void testMv012UnknownVersions()
    {
        execute("CREATE TABLE mv012_t (k varchar, v integer)");
        execute("INSERT INTO mv012_t VALUES ('a', 1)");
        CaseView view = view("mv012", "SELECT k, avg(v) s FROM mv012_t GROUP BY k");

        // bookmarks that cannot be read
        BaseTable backing = sources().load("__mv_mv012");
        backing.newFastAppend().set(RefreshState.SUMMARY_KEY, "{\"from-a-later\": \"version\"}").commit();
        execute("INSERT INTO mv012_t VALUES ('a', 2)");
        view.stale();
        view.refreshInFull("STATE_LOST").rows("('a', 1.5e0)");

        // a layout of states that is not known
        setDefinition("mv012", "\"layout\":\\{\"version\":\\d+", "\"layout\":{\"version\":99");
        execute("INSERT INTO mv012_t VALUES ('a', 6)");
        execute("REFRESH MATERIALIZED VIEW mv012");
        assertThat(oracle().lastRefresh("mv012").strategy()).hasValue("FULL_REFRESH");
        oracle().assertExact("mv012");
        assertRows("SELECT * FROM mv012", "VALUES (VARCHAR 'a', 3e0)");

        // a definition that is not known
        setDefinition("mv012", "\"formatVersion\":1", "\"formatVersion\":99");
        for (String statement : new String[] {"REFRESH MATERIALIZED VIEW mv012", "SELECT * FROM mv012"}) {
            assertThatThrownBy(() -> execute(statement)).describedAs(statement).hasMessageContaining("was written in format 99");
        }
        execute("DROP MATERIALIZED VIEW mv012");
        assertNoRows("SELECT * FROM system.metadata.materialized_views WHERE catalog_name = 'lake' AND name = 'mv012'");
    }

    private void setDefinition(String view, String regex, String replacement)
    {
        BaseTable backing = sources().load("__mv_" + view);
        String definition = backing.properties().get("freshet.view");
        String changed = definition.replaceFirst(regex, replacement);
        assertThat(changed).isNotEqualTo(definition);
        backing.updateProperties().set("freshet.view", changed).commit();
    }
}
