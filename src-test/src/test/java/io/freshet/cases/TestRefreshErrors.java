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

import com.google.common.collect.ImmutableMap;
import io.freshet.FreshetQueryRunner;
import io.freshet.ViewOracle;
import io.freshet.spi.FreshetErrorCode;
import io.freshet.spi.refresh.RefreshRecord;
import io.trino.Session;
import io.trino.execution.QueryState;
import io.trino.server.BasicQueryInfo;
import io.trino.spi.ErrorCodeSupplier;
import io.trino.spi.QueryId;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.QueryFailedException;
import io.trino.testing.QueryRunner;
import org.intellij.lang.annotations.Language;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;

import static io.freshet.FreshetQueryRunner.CATALOG;
import static io.freshet.spi.FreshetErrorCode.MATERIALIZED_VIEW_NOT_INCREMENTAL;
import static io.freshet.spi.FreshetErrorCode.REFRESH_FAILED;
import static io.freshet.spi.FreshetErrorCode.REFRESH_NOT_PERMITTED;
import static io.freshet.spi.FreshetErrorCode.REFRESH_QUEUED_TOO_LONG;
import static io.trino.spi.StandardErrorCode.INVALID_MATERIALIZED_VIEW_PROPERTY;
import static io.trino.spi.StandardErrorCode.INVALID_SESSION_PROPERTY;
import static io.trino.spi.StandardErrorCode.NOT_FOUND;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.spi.StandardErrorCode.TABLE_NOT_FOUND;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** What goes wrong has a code and a message that says what to do, and leaves the view as it was. */
final class TestRefreshErrors
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

    private void assertFails(@Language("SQL") String sql, ErrorCodeSupplier code, String message)
    {
        assertFails(getSession(), sql, code, message);
    }

    private void assertFails(Session session, @Language("SQL") String sql, ErrorCodeSupplier code, String message)
    {
        assertFails(getDistributedQueryRunner(), session, sql, code, message);
    }

    private static void assertFails(DistributedQueryRunner queryRunner, Session session, @Language("SQL") String sql, ErrorCodeSupplier code, String message)
    {
        QueryFailedException failure = catchThrowableOfType(QueryFailedException.class, () -> queryRunner.execute(session, sql));
        assertThat(failure).describedAs(sql).isNotNull();
        assertThat(failure).hasMessageMatching("(?s).*" + message + ".*");
        assertThat(queryRunner.getCoordinator().getDispatchManager().getQueryInfo(failure.getQueryId()).getErrorCode()).describedAs(sql + ": " + failure.getMessage()).isEqualTo(code.toErrorCode());
    }

    @Test
    void testUnknownView()
    {
        assertFails("REFRESH MATERIALIZED VIEW nosuch", TABLE_NOT_FOUND, "Materialized view 'lake.s.nosuch' does not exist");
        assertFails("REFRESH MATERIALIZED VIEW nosuchschema.v", TABLE_NOT_FOUND, "does not exist");
        assertFails("CALL lake.system.refresh_materialized_view('s', 'nosuch')", NOT_FOUND, "nosuch");
        execute("CREATE TABLE unknown_t (v integer)");
        assertFails("REFRESH MATERIALIZED VIEW unknown_t", TABLE_NOT_FOUND, "does not exist");
    }

    @Test
    void testIncrementalIsRefusedWithReasonAndPlace()
    {
        execute("CREATE TABLE refused_t (k integer, v integer)");
        execute("INSERT INTO refused_t VALUES (1, 1)");
        CaseView view = view("refused", "SELECT count(*) c, array_agg(v) a FROM refused_t");
        CaseView sum = view("refused_s", "SELECT max(v) s FROM refused_t");
        execute("UPDATE refused_t SET v = 2");
        long before = view.backingSnapshot();
        assertFails(withMode("INCREMENTAL"), "REFRESH MATERIALIZED VIEW refused", MATERIALIZED_VIEW_NOT_INCREMENTAL,
                "Materialized view lake.s.refused cannot be refreshed incrementally: array_agg at 3:3 .* \\(NON_MERGEABLE_AGGREGATE\\)");
        assertFails("CALL lake.system.refresh_materialized_view('s', 'refused', 'INCREMENTAL')", MATERIALIZED_VIEW_NOT_INCREMENTAL, "NON_MERGEABLE_AGGREGATE");
        assertFails(withMode("INCREMENTAL"), "REFRESH MATERIALIZED VIEW refused_s", MATERIALIZED_VIEW_NOT_INCREMENTAL, "lake.s.refused_s cannot be refreshed incrementally: rows were removed, .* \\(STATE_NOT_SUBTRACTABLE\\)");
        assertThat(view.backingSnapshot()).isEqualTo(before);
        assertThat(oracle().lastRefresh("refused").status()).isEqualTo(RefreshRecord.Status.FAILED);
        execute("ALTER MATERIALIZED VIEW refused SET PROPERTIES refresh_mode = 'INCREMENTAL'");
        assertFails("REFRESH MATERIALIZED VIEW refused", MATERIALIZED_VIEW_NOT_INCREMENTAL, "array_agg");
        // the session's mode wins over the view's
        getQueryRunner().execute(withMode("FULL"), "REFRESH MATERIALIZED VIEW refused");
        oracle().assertExact("refused");
        sum.refreshInFull("STATE_NOT_SUBTRACTABLE").rows("2");
    }

    @Test
    void testBadPropertyValues()
    {
        execute("CREATE TABLE properties_t (v integer)");
        execute("CREATE MATERIALIZED VIEW properties AS SELECT v FROM properties_t");
        assertFails("CREATE MATERIALIZED VIEW properties2 WITH (refresh_mode = 'FAST') AS SELECT v FROM properties_t", INVALID_MATERIALIZED_VIEW_PROPERTY, "Valid values are AUTO, INCREMENTAL, FULL");
        assertFails("CREATE MATERIALIZED VIEW properties2 WITH (build = 'LATER') AS SELECT v FROM properties_t", INVALID_MATERIALIZED_VIEW_PROPERTY, "Valid values are IMMEDIATE, DEFERRED");
        assertFails("CREATE MATERIALIZED VIEW properties2 WITH (format_version = 4) AS SELECT v FROM properties_t", INVALID_MATERIALIZED_VIEW_PROPERTY, "format_version");
        assertFails("ALTER MATERIALIZED VIEW properties SET PROPERTIES refresh_mode = 'FAST'", INVALID_MATERIALIZED_VIEW_PROPERTY, "Valid values are AUTO, INCREMENTAL, FULL");
        assertFails("ALTER MATERIALIZED VIEW properties SET PROPERTIES build = 'DEFERRED'", NOT_SUPPORTED, "only when a materialized view is created");
        assertFails("ALTER MATERIALIZED VIEW properties SET PROPERTIES nosuch = 1", INVALID_MATERIALIZED_VIEW_PROPERTY, "nosuch");
        assertFails(withMode("FAST"), "REFRESH MATERIALIZED VIEW properties", INVALID_SESSION_PROPERTY, "Valid values are AUTO, INCREMENTAL, FULL");
        assertFails("SET SESSION lake.refresh_mode = 'FAST'", INVALID_SESSION_PROPERTY, "Valid values are AUTO, INCREMENTAL, FULL");
        getQueryRunner().execute(withMode("incremental"), "REFRESH MATERIALIZED VIEW properties");
        assertRows("SELECT count(*) FROM system.metadata.materialized_views WHERE catalog_name = 'lake' AND name = 'properties2'", "VALUES BIGINT '0'");
    }

    @Test
    void testFailureOfTheQueryIsPassedOn()
    {
        execute("CREATE TABLE fails_t (k integer, v integer)");
        execute("INSERT INTO fails_t VALUES (1, 1)");
        CaseView rows = view("fails", "SELECT k, 10 / v q FROM fails_t");
        CaseView groups = view("fails_g", "SELECT k, sum(10 / v) q FROM fails_t GROUP BY k");
        CaseView above = view("fails_a", "SELECT k, 10 / sum(v) q FROM fails_t GROUP BY k");
        CaseView window = view("fails_w", "SELECT k, 10 / min(v) OVER () q FROM fails_t");
        execute("INSERT INTO fails_t VALUES (2, 0)");
        for (CaseView view : List.of(rows, groups, above, window)) {
            view.refreshFails("Division by zero").rows("(1, 10)").stale();
            assertFails("REFRESH MATERIALIZED VIEW " + view.name(), REFRESH_FAILED, "Division by zero");
            assertThat(oracle().lastRefresh(view.name()).error().orElseThrow()).contains("Division by zero");
        }
        // what HAVING hides is not evaluated, now or later
        CaseView having = view("fails_h", "SELECT k, 10 / sum(v) q FROM fails_t GROUP BY k HAVING sum(v) <> 0").rows("(1, 10)");
        execute("INSERT INTO fails_t VALUES (3, 0), (1, 1)");
        having.refresh("AGGREGATE_MERGE").rows("(1, 5)");
        // the cause goes away
        execute("DELETE FROM fails_t WHERE v = 0");
        rows.refresh("ROW_DELTA").rows("(1, 10), (1, 10)");
        above.refresh("AGGREGATE_MERGE").rows("(1, 5)");
    }

    @Test
    void testExplicitTransaction()
    {
        execute("CREATE TABLE transaction_t (v integer)");
        execute("CREATE MATERIALIZED VIEW in_transaction AS SELECT v FROM transaction_t");
        execute("INSERT INTO transaction_t VALUES 1");
        assertThat(catchThrowableOfType(RuntimeException.class, () -> inTransaction(session -> getQueryRunner().execute(session, "REFRESH MATERIALIZED VIEW in_transaction"))))
                .hasMessageContaining("Catalog only supports writes using autocommit: lake");
        assertNoRows("SELECT * FROM in_transaction");
    }

    @Test
    void testServerCannotBeReached()
            throws Exception
    {
        try (DistributedQueryRunner queryRunner = FreshetQueryRunner.builder()
                .setWorkerCount(0)
                .addCatalogProperty("freshet.refresh.jdbc-url", "jdbc:trino://localhost:1")
                .build()) {
            queryRunner.execute("CREATE TABLE t (v integer)");
            assertFails(queryRunner, queryRunner.getDefaultSession(), "CREATE MATERIALIZED VIEW mv AS SELECT v FROM t", REFRESH_NOT_PERMITTED, "Check freshet.refresh.jdbc-url");
            assertThat(queryRunner.execute("SELECT * FROM system.metadata.materialized_views WHERE catalog_name = 'lake'").getRowCount()).isZero();
            assertThat(queryRunner.execute("SHOW TABLES").getOnlyValue()).isEqualTo("t");
        }
    }

    @Test
    void testWithoutTheIcebergPlugin()
            throws Exception
    {
        try (DistributedQueryRunner queryRunner = FreshetQueryRunner.builder().withoutIcebergPlugin().setWorkerCount(0).build()) {
            Session session = Session.builder(queryRunner.getDefaultSession()).setCatalogSessionProperty(CATALOG, "collect_extended_statistics_on_write", "false").build();
            queryRunner.execute(session, "CREATE TABLE t AS SELECT 1 AS k, 2 AS v");
            // what reads and writes views needs no function of the other plugin
            queryRunner.execute("CREATE MATERIALIZED VIEW mv AS SELECT k, sum(v) s FROM t GROUP BY k");
            queryRunner.execute(session, "INSERT INTO t VALUES (1, 3)");
            queryRunner.execute("REFRESH MATERIALIZED VIEW mv");
            new ViewOracle(queryRunner).assertExact("mv");
            assertThat(queryRunner.execute("SELECT s FROM mv").getOnlyValue()).isEqualTo(5L);
        }
    }

    @Test
    void testStuckInTheQueue()
            throws Exception
    {
        try (DistributedQueryRunner queryRunner = FreshetQueryRunner.builder()
                .setWorkerCount(0)
                .addCatalogProperty("freshet.refresh.max-queued-time", "1s")
                .setAdditionalSetup(runner -> runner.installPlugin(new QueueForRefreshes.Plugin()))
                .build()) {
            queryRunner.execute("CREATE TABLE t (v integer)");
            queryRunner.execute("CREATE MATERIALIZED VIEW mv WITH (build = 'DEFERRED') AS SELECT v FROM t");
            queryRunner.getCoordinator().getResourceGroupManager().orElseThrow().setConfigurationManager(QueueForRefreshes.NAME, ImmutableMap.of());
            assertFails(queryRunner, queryRunner.getDefaultSession(), "REFRESH MATERIALIZED VIEW mv", REFRESH_QUEUED_TOO_LONG, "Give statements with source 'freshet' a resource group of their own, or raise freshet.refresh.max-queued-time");
            assertFails(queryRunner, queryRunner.getDefaultSession(), "CREATE MATERIALIZED VIEW mv2 AS SELECT v FROM t", REFRESH_QUEUED_TOO_LONG, "resource group");
            assertThat(queryRunner.getCoordinator().getDispatchManager().getQueries()).noneMatch(query -> query.getState() == QueryState.QUEUED);
            assertThat(queryRunner.execute("SHOW TABLES").getMaterializedRows()).hasSize(2);
        }
    }

    @Test
    void testCancelledRefreshLeavesTheFormerContent()
            throws Exception
    {
        execute("CREATE TABLE cancelled_t (k integer, v integer)");
        execute("INSERT INTO cancelled_t VALUES (1, 1)");
        for (boolean analyzed : new boolean[] {false, true}) {
            CaseView view = view("cancelled_" + analyzed, "SELECT k, sum(v) s FROM cancelled_t GROUP BY k");
            execute("INSERT INTO cancelled_t VALUES (1, 1)");
            long before = view.backingSnapshot();
            cancelInside("REFRESH MATERIALIZED VIEW " + view.name(), analyzed);
            waitUntil(() -> oracle().lastRefresh(view.name()).status() == RefreshRecord.Status.CANCELLED);
            assertThat(view.backingSnapshot()).isEqualTo(before);
            view.refresh("AGGREGATE_MERGE");
        }
    }

    @Test
    void testCancelledCreationLeavesNothing()
            throws Exception
    {
        execute("CREATE TABLE cancelled_c (v integer)");
        execute("INSERT INTO cancelled_c VALUES 1");
        for (boolean analyzed : new boolean[] {false, true}) {
            cancelInside("CREATE MATERIALIZED VIEW cancelled_new AS SELECT v FROM cancelled_c", analyzed);
            assertRows("SELECT count(*) FROM information_schema.tables WHERE table_name LIKE '%cancelled_new'", "VALUES BIGINT '0'");
        }
        execute("CREATE MATERIALIZED VIEW cancelled_new AS SELECT v FROM cancelled_c");
        for (boolean analyzed : new boolean[] {false, true}) {
            cancelInside("CREATE OR REPLACE MATERIALIZED VIEW cancelled_new AS SELECT v + 1 AS v FROM cancelled_c", analyzed);
            assertRows("SELECT * FROM cancelled_new", "VALUES 1");
            oracle().assertExact("cancelled_new");
        }
    }

    /** Starts the statement, and kills it when its own statement is at the given point. */
    private void cancelInside(@Language("SQL") String sql, boolean analyzed)
            throws Exception
    {
        CountDownLatch reached = new CountDownLatch(1);
        CountDownLatch killed = new CountDownLatch(1);
        Runnable pause = () -> {
            reached.countDown();
            await(killed);
        };
        if (analyzed) {
            interceptor.afterAnalysis(pause);
        }
        else {
            interceptor.afterPlanning(pause);
        }
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> statement = executor.submit(() -> execute(sql));
            await(reached);
            kill(sql);
            assertThat(catchThrowableOfType(Exception.class, statement::get)).isNotNull();
            // the inner statement is told before it goes on
            waitUntil(() -> running("freshet").isEmpty());
            killed.countDown();
        }
    }

    @Test
    void testCancelledWhileItCommits()
            throws Exception
    {
        execute("CREATE TABLE late_t (v integer)");
        execute("INSERT INTO late_t VALUES 1");
        CaseView view = view("late", "SELECT v FROM late_t");
        execute("INSERT INTO late_t VALUES 2");
        cancelInTheCommit("REFRESH MATERIALIZED VIEW late");
        // either outcome is right; a mixture is not
        oracle().assertExact("late");
        execute("REFRESH MATERIALIZED VIEW late");
        assertRows("SELECT * FROM late", "VALUES 1, 2");
        view.fresh();
    }

    @Test
    void testCreationIsCancelledWhileItCommits()
            throws Exception
    {
        execute("CREATE TABLE late_c (v integer)");
        execute("INSERT INTO late_c VALUES 1");
        cancelInTheCommit("CREATE MATERIALIZED VIEW late_new AS SELECT v FROM late_c");
        Optional<Object> view = computeActual("SELECT 1 FROM system.metadata.materialized_views WHERE catalog_name = 'lake' AND name = 'late_new'").getMaterializedRows().stream().findFirst().map(row -> row.getField(0));
        if (view.isPresent()) {
            // it was created after all: then whole
            assertRows("SELECT * FROM late_new", "VALUES 1");
            oracle().assertExact("late_new");
        }
        execute("CREATE OR REPLACE MATERIALIZED VIEW late_new AS SELECT v FROM late_c");
        oracle().assertExact("late_new");
    }

    /** Starts the statement, holds up the catalog when the inner statement is about to commit, and kills the outer one meanwhile. */
    private void cancelInTheCommit(@Language("SQL") String sql)
            throws Exception
    {
        Path database = getDistributedQueryRunner().getCoordinator().getBaseDataDir().resolve("lake/catalog.db");
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + database);
                ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            interceptor.afterAnalysis(() -> run(connection, "BEGIN IMMEDIATE"));
            Future<?> statement = executor.submit(() -> execute(sql));
            waitUntil(() -> running("freshet").stream().anyMatch(query -> query.getState() == QueryState.FINISHING || query.getQueryStats().getCompletedDrivers() > 0));
            SECONDS.sleep(1);
            kill(sql);
            assertThat(catchThrowableOfType(Exception.class, statement::get)).isNotNull();
            run(connection, "ROLLBACK");
            SECONDS.sleep(4);
        }
    }

    private static void run(Connection connection, String sql)
    {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
        catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void testManyRefreshesAtOnceCoalesce()
            throws Exception
    {
        execute("CREATE TABLE many_t (v integer)");
        execute("CREATE MATERIALIZED VIEW many AS SELECT v FROM many_t");
        execute("INSERT INTO many_t VALUES 1");
        int before = oracle().history("many").size();
        CountDownLatch reached = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        interceptor.afterPlanning(() -> {
            reached.countDown();
            await(goOn);
        });
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> refreshes = new ArrayList<>();
            refreshes.add(executor.submit(() -> execute("REFRESH MATERIALIZED VIEW many")));
            await(reached);
            // comes too late for the one that runs, and must be in the one that waits
            execute("INSERT INTO many_t VALUES 2");
            for (int i = 0; i < 8; i++) {
                refreshes.add(executor.submit(() -> execute("REFRESH MATERIALIZED VIEW many")));
            }
            waitUntil(() -> running("").stream().filter(query -> query.getQuery().startsWith("REFRESH") && query.getState() == QueryState.RUNNING).count() == 9);
            goOn.countDown();
            for (Future<?> refresh : refreshes) {
                refresh.get();
            }
        }
        assertThat(oracle().history("many")).hasSize(before + 2);
        oracle().assertExact("many");
        assertRows("SELECT * FROM many", "VALUES 1, 2");
    }

    private List<BasicQueryInfo> running(String source)
    {
        return getDistributedQueryRunner().getCoordinator().getDispatchManager().getQueries().stream()
                .filter(query -> !query.getState().isDone())
                .filter(query -> source.isEmpty() || query.getSession().getSource().equals(Optional.of(source)))
                .toList();
    }

    private void kill(String sql)
    {
        QueryId queryId = running("").stream()
                .filter(query -> query.getQuery().equals(sql))
                .findFirst()
                .orElseThrow()
                .getQueryId();
        getDistributedQueryRunner().getCoordinator().getDispatchManager().cancelQuery(queryId);
    }

    private static void waitUntil(BooleanSupplier condition)
    {
        long end = System.nanoTime() + SECONDS.toNanos(60);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).describedAs("time is up").isLessThan(end);
            try {
                Thread.sleep(20);
            }
            catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static void await(CountDownLatch latch)
    {
        try {
            assertThat(latch.await(60, SECONDS)).isTrue();
        }
        catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void testCodesDoNotMeetThoseOfTheEngine()
    {
        for (FreshetErrorCode code : FreshetErrorCode.values()) {
            assertThat(code.toErrorCode().getCode()).isGreaterThan(0x0500_0000);
        }
    }
}
