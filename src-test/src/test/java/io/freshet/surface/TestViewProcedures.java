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
package io.freshet.surface;

import com.google.common.collect.ImmutableList;
import com.google.inject.Injector;
import io.freshet.FreshetQueryRunner;
import io.freshet.ViewOracle;
import io.freshet.spi.FreshetConnector;
import io.freshet.spi.FreshetErrorCode;
import io.freshet.spi.catalog.FreshetCatalogFactory;
import io.freshet.spi.refresh.BackgroundSessions;
import io.freshet.spi.refresh.Dependents;
import io.freshet.spi.refresh.RefreshPlanning;
import io.freshet.spi.refresh.RefreshState;
import io.freshet.spi.view.ViewSwap;
import io.freshet.spi.view.ViewSwap.Step;
import io.opentelemetry.api.common.AttributeKey;
import io.trino.spi.ErrorCodeSupplier;
import io.trino.spi.StandardErrorCode;
import io.trino.spi.TrinoException;
import io.trino.spi.catalog.CatalogName;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.security.ConnectorIdentity;
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.QueryRunner;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.OverwriteFiles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;

import javax.management.ObjectName;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

import static io.trino.testing.TestingAccessControlManager.TestingPrivilegeType.REFRESH_MATERIALIZED_VIEW;
import static io.trino.testing.TestingAccessControlManager.TestingPrivilegeType.RENAME_MATERIALIZED_VIEW;
import static io.trino.testing.TestingAccessControlManager.privilege;
import static io.trino.testing.assertions.Assert.assertEventually;
import static io.trino.testing.assertions.TrinoExceptionAssert.assertTrinoExceptionThrownBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.TestInstance.Lifecycle.PER_CLASS;
import static org.junit.jupiter.api.parallel.ExecutionMode.SAME_THREAD;

/** What an operator does to single views. */
@TestInstance(PER_CLASS)
@Execution(SAME_THREAD)
final class TestViewProcedures
        extends AbstractTestQueryFramework
{
    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return FreshetQueryRunner.builder()
                .setWorkerCount(0)
                .addCatalogProperty("iceberg.expire-snapshots.min-retention", "0s")
                .build();
    }

    private void assertFails(String sql, ErrorCodeSupplier code, String message)
    {
        assertTrinoExceptionThrownBy(() -> computeActual(sql))
                .hasErrorCode(code)
                .hasMessageContaining(message);
    }

    private void assertRefreshesRun(int count)
    {
        assertEventually(() -> assertQuery("SELECT count(*) FROM system.runtime.queries WHERE source = 'freshet' AND state = 'RUNNING'", "VALUES " + count));
    }

    /** What is wrong with the names of views is said in the same way by all procedures. */
    private void assertChecksArguments(String procedure, String otherArguments)
    {
        assertUpdate("CREATE TABLE IF NOT EXISTS plain (v bigint)");
        String call = "CALL lake.system." + procedure;
        assertFails(call + "(NULL, 'x'" + otherArguments + ")", StandardErrorCode.INVALID_PROCEDURE_ARGUMENT, "Argument schema_name must have a value");
        assertFails(call + "('s', ''" + otherArguments + ")", StandardErrorCode.INVALID_PROCEDURE_ARGUMENT, "Argument view_name must have a value");
        assertFails(call + "('s', 'no_such_view'" + otherArguments + ")", StandardErrorCode.NOT_FOUND, "Materialized View 's.no_such_view' not found");
        assertFails(call + "('no_such_schema', 'x'" + otherArguments + ")", StandardErrorCode.NOT_FOUND, "Materialized View 'no_such_schema.x' not found");
        assertFails(call + "('s', 'plain'" + otherArguments + ")", StandardErrorCode.NOT_FOUND, "Materialized View 's.plain' not found");
    }

    @Test
    void testCancelArguments()
    {
        assertChecksArguments("cancel_refresh", "");
        assertUpdate("CREATE MATERIALIZED VIEW idle AS SELECT v FROM plain");
        assertFails("CALL lake.system.cancel_refresh('s', 'idle')", StandardErrorCode.NOT_FOUND, "No refresh of materialized view 'lake.s.idle' runs or waits");
        assertAccessDenied("CALL lake.system.cancel_refresh('s', 'idle')", "Cannot refresh materialized view lake.s.idle", privilege("idle", REFRESH_MATERIALIZED_VIEW));
        assertUpdate("DROP MATERIALIZED VIEW idle");
    }

    @Test
    void testCancel()
            throws Exception
    {
        assertUpdate("CREATE MATERIALIZED VIEW slow WITH (build = 'DEFERRED') AS SELECT count(DISTINCT comment) c FROM tpch.sf10000.lineitem");
        try (ExecutorService executor = Executors.newFixedThreadPool(3)) {
            Future<?> running = executor.submit(() -> computeActual("REFRESH MATERIALIZED VIEW slow"));
            assertRefreshesRun(1);
            Future<?> waiting = executor.submit(() -> computeActual("CALL lake.system.refresh_materialized_view('s', 'slow')"));
            Future<?> other = executor.submit(() -> computeActual("CALL lake.system.refresh_materialized_view('s', 'slow', 'FULL')"));
            assertEventually(() -> assertQuery("SELECT count(*) FROM system.runtime.queries WHERE query LIKE 'CALL lake.system.refresh%slow%' AND state = 'RUNNING'", "VALUES 2"));

            assertUpdate("CALL lake.system.cancel_refresh('s', 'slow')");
            assertTrinoExceptionThrownBy(() -> get(running)).hasErrorCode(FreshetErrorCode.REFRESH_CANCELLED).hasMessage("The refresh was cancelled");
            assertTrinoExceptionThrownBy(() -> get(waiting)).hasErrorCode(FreshetErrorCode.REFRESH_CANCELLED).hasMessage("The refresh was cancelled before it began");
            assertTrinoExceptionThrownBy(() -> get(other)).hasErrorCode(FreshetErrorCode.REFRESH_CANCELLED);
        }
        assertRefreshesRun(0);
        assertQuery("SELECT status, count(*) FROM lake.system.materialized_view_refreshes WHERE view_name = 'slow' GROUP BY 1", "VALUES ('CANCELLED', 3)");
        assertQuery("SELECT state, row_count FROM lake.system.materialized_views WHERE view_name = 'slow'", "VALUES ('NOT_BUILT', 0)");
        assertFails("CALL lake.system.cancel_refresh('s', 'slow')", StandardErrorCode.NOT_FOUND, "No refresh");
        assertUpdate("DROP MATERIALIZED VIEW slow");
    }

    private void assertVerified(String view)
    {
        assertUpdate("CALL lake.system.verify_materialized_view('s', '%s')".formatted(view));
    }

    private void assertDiverged(String view, String message)
    {
        assertFails("CALL lake.system.verify_materialized_view('s', '%s')".formatted(view), FreshetErrorCode.MATERIALIZED_VIEW_DIVERGED, "Materialized view 'lake.s.%s' has %s".formatted(view, message));
    }

    private BaseTable backingTable(String view)
    {
        return new ViewOracle(getQueryRunner()).view(new SchemaTableName("s", view)).backingTable();
    }

    /** Puts other files into the backing table, as if they were what the last refresh wrote. */
    private void corrupt(String view, boolean dropOwnFiles, List<DataFile> otherFiles)
    {
        BaseTable table = backingTable(view);
        OverwriteFiles overwrite = table.newOverwrite();
        if (dropOwnFiles) {
            files(table).forEach(overwrite::deleteFile);
        }
        otherFiles.forEach(overwrite::addFile);
        overwrite.set(RefreshState.SUMMARY_KEY, table.currentSnapshot().summary().get(RefreshState.SUMMARY_KEY));
        overwrite.commit();
    }

    private static List<DataFile> files(BaseTable table)
    {
        return ImmutableList.copyOf(table.currentSnapshot().addedDataFiles(table.io()));
    }

    @Test
    void testVerifyArguments()
    {
        assertChecksArguments("verify_materialized_view", "");
        assertUpdate("CREATE MATERIALIZED VIEW args AS SELECT sum(v) s FROM plain");
        assertFails("CALL lake.system.verify_materialized_view('s', 'args', NULL)", StandardErrorCode.INVALID_PROCEDURE_ARGUMENT, "repair must have a value");
        for (String percent : List.of("0", "-1", "100.1", "nan()", "NULL")) {
            assertFails("CALL lake.system.verify_materialized_view('s', 'args', false, %s)".formatted(percent), StandardErrorCode.INVALID_PROCEDURE_ARGUMENT, "Argument sample_percent must be above 0");
        }
        assertFails("CALL lake.system.verify_materialized_view('s', 'args', false, 50)", StandardErrorCode.INVALID_PROCEDURE_ARGUMENT, "'lake.s.args' cannot be sampled");
        assertAccessDenied("CALL lake.system.verify_materialized_view('s', 'args')", "Cannot refresh materialized view lake.s.args", privilege("args", REFRESH_MATERIALIZED_VIEW));
        assertUpdate("DROP MATERIALIZED VIEW args");
    }

    @Test
    void testVerifyAndRepair()
    {
        assertUpdate("CREATE TABLE orders (k varchar, d double, n bigint)");
        assertUpdate("INSERT INTO orders VALUES ('a', 1e0, 1), ('a', nan(), 1), ('a', nan(), 1), (NULL, NULL, NULL), (NULL, NULL, NULL), ('b', 0e0, 2)", 6);
        assertUpdate("CREATE MATERIALIZED VIEW bag AS SELECT k, d FROM orders");
        assertUpdate("CREATE MATERIALIZED VIEW grouped AS SELECT k, sum(n) s, sum(d) f FROM orders GROUP BY k HAVING count(*) > 1");
        assertUpdate("CREATE MATERIALIZED VIEW upper AS SELECT count(*) c, sum(s) s FROM grouped");
        assertUpdate("CREATE MATERIALIZED VIEW inline AS WITH FUNCTION twice(x bigint) RETURNS bigint RETURN x * 2 SELECT twice(n) n FROM orders");
        List<String> views = List.of("bag", "grouped", "upper", "inline");
        views.forEach(this::assertVerified);
        // behind, but what it was
        assertUpdate("INSERT INTO orders VALUES ('b', 1e0, 3)", 1);
        assertUpdate("DELETE FROM orders WHERE k = 'a'", 3);
        views.forEach(this::assertVerified);
        views.forEach(view -> assertUpdate("REFRESH MATERIALIZED VIEW " + view));
        views.forEach(this::assertVerified);

        corrupt("bag", false, files(backingTable("bag")));
        assertTrinoExceptionThrownBy(() -> computeActual("CALL lake.system.verify_materialized_view('s', 'bag')"))
                .hasErrorCode(FreshetErrorCode.MATERIALIZED_VIEW_DIVERGED)
                .hasMessageMatching("Materialized view 'lake\\.s\\.bag' has ([1-4]) wrong rows: \\1 stored that should not be, 0 missing\\. Repair it with CALL lake\\.system\\.verify_materialized_view\\(schema_name => 's', view_name => 'bag', repair => true\\)");
        assertUpdate("CALL lake.system.verify_materialized_view(schema_name => 's', view_name => 'bag', repair => true)");
        assertVerified("bag");
        assertQuery("SELECT strategy, mode, status FROM lake.system.materialized_view_refreshes WHERE view_name = 'bag' AND reason = 'DIVERGED' AND reason_detail LIKE '% wrong rows: % stored that should not be, 0 missing'", "VALUES ('FULL_REFRESH', 'FULL', 'SUCCEEDED')");
        assertUpdate("CALL lake.system.verify_materialized_view('s', 'bag', true, 100)");
        assertQuery("SELECT count(*) FROM lake.system.materialized_view_refreshes WHERE view_name = 'bag' AND reason = 'DIVERGED'", "VALUES 1");

        corrupt("inline", true, ImmutableList.of());
        assertDiverged("inline", "4 wrong rows: 0 stored that should not be, 4 missing (they may be right as well: inline function at 2:4 is not known to be deterministic (UNKNOWN_FUNCTION))");
    }

    @Test
    void testVerifyTolerance()
    {
        assertUpdate("CREATE TABLE measures (k bigint, d double, r real)");
        assertUpdate("INSERT INTO measures VALUES (1, 0.1e0, REAL '0.1'), (1, 0.2e0, REAL '0.2'), (2, nan(), NULL)", 3);
        String query = "SELECT k, sum(d) * %s s, sum(r) r FROM measures GROUP BY k";
        assertUpdate("CREATE MATERIALIZED VIEW sums AS " + query.formatted("1e0"));
        assertUpdate("CREATE MATERIALIZED VIEW near AS " + query.formatted("(1e0 + 1e-13)"));
        assertUpdate("CREATE MATERIALIZED VIEW far AS " + query.formatted("(1e0 + 1e-6)"));
        assertUpdate("CREATE MATERIALIZED VIEW copies AS SELECT k, d s, r FROM measures");
        assertUpdate("CREATE MATERIALIZED VIEW copies_near AS SELECT k, d * (1e0 + 1e-13) s, r FROM measures");
        corrupt("sums", true, files(backingTable("near")));
        assertQuery("SELECT count(*) FROM sums WHERE s <> 0.1e0 + 0.2e0 AND k = 1", "VALUES 1");
        assertVerified("sums");
        corrupt("sums", true, files(backingTable("far")));
        assertDiverged("sums", "2 wrong rows: 1 stored that should not be, 1 missing");
        // values that are only copied are exact
        corrupt("copies", true, files(backingTable("copies_near")));
        assertDiverged("copies", "4 wrong rows");
    }

    @Test
    void testVerifySample()
    {
        assertUpdate("CREATE TABLE sampled (k bigint, v bigint)");
        assertUpdate("INSERT INTO sampled SELECT nullif(n, 1), n FROM UNNEST(sequence(1, 400)) t (n)", 400);
        assertUpdate("CREATE MATERIALIZED VIEW groups AS SELECT k, sum(v) s FROM sampled GROUP BY k");
        for (String percent : List.of("0.001", "50", "100")) {
            assertUpdate("CALL lake.system.verify_materialized_view('s', 'groups', false, %s)".formatted(percent));
        }
        corrupt("groups", true, ImmutableList.of());
        assertFails("CALL lake.system.verify_materialized_view('s', 'groups', false, 50)", FreshetErrorCode.MATERIALIZED_VIEW_DIVERGED, "in a sample of 50.0 % of them");
        assertDiverged("groups", "400 wrong rows: 0 stored that should not be, 400 missing");
        assertUpdate("CALL lake.system.verify_materialized_view('s', 'groups', true, 50)");
        assertVerified("groups");
    }

    @Test
    void testNotVerifiable()
    {
        assertUpdate("CREATE TABLE expired (v bigint)");
        assertUpdate("INSERT INTO expired VALUES 1", 1);
        assertUpdate("CREATE MATERIALIZED VIEW mv_expired AS SELECT v FROM expired");
        assertUpdate("DELETE FROM expired", 1);
        assertUpdate("ALTER TABLE expired EXECUTE expire_snapshots(retention_threshold => '0s')");
        assertNotVerifiable("mv_expired", "source lake.s.expired cannot be read as it was at snapshot");
        assertUpdate("CREATE MATERIALIZED VIEW unbuilt WITH (build = 'DEFERRED') AS SELECT v FROM expired");
        assertNotVerifiable("unbuilt", "the view was never filled");
        assertUpdate("CREATE MATERIALIZED VIEW chance AS SELECT v, random() r FROM expired");
        assertNotVerifiable("chance", "its query gives other rows each time: ");
        assertUpdate("CREATE MATERIALIZED VIEW abroad AS SELECT name FROM tpch.tiny.nation");
        assertNotVerifiable("abroad", "it reads tables whose earlier rows cannot be read again");
        for (String view : List.of("mv_expired", "unbuilt", "chance", "abroad")) {
            assertUpdate("DROP MATERIALIZED VIEW " + view);
        }
    }

    private void assertNotVerifiable(String view, String message)
    {
        assertFails("CALL lake.system.verify_materialized_view('s', '%s')".formatted(view), FreshetErrorCode.MATERIALIZED_VIEW_NOT_VERIFIABLE, "The rows of materialized view 'lake.s.%s' have nothing to be compared with: %s".formatted(view, message));
    }

    @Test
    void testSwapArguments()
    {
        assertChecksArguments("swap_materialized_views", ", 'other'");
        assertUpdate("CREATE MATERIALIZED VIEW left_view AS SELECT v FROM plain");
        assertUpdate("CREATE MATERIALIZED VIEW reader AS SELECT l.v FROM left_view l, plain p");
        assertFails("CALL lake.system.swap_materialized_views('s', 'left_view', NULL)", StandardErrorCode.INVALID_PROCEDURE_ARGUMENT, "Argument other_view_name must have a value");
        assertFails("CALL lake.system.swap_materialized_views('s', 'left_view', 'no_such_view')", StandardErrorCode.NOT_FOUND, "Materialized View 's.no_such_view' not found");
        assertFails("CALL lake.system.swap_materialized_views('s', 'left_view', 'LEFT_VIEW')", StandardErrorCode.INVALID_PROCEDURE_ARGUMENT, "must name two views");
        for (String names : List.of("'left_view', 'reader'", "'reader', 'left_view'")) {
            assertFails("CALL lake.system.swap_materialized_views('s', %s)".formatted(names), StandardErrorCode.NOT_SUPPORTED, "Materialized views 'lake.s.reader' and 'lake.s.left_view' cannot be exchanged, since the first reads the second");
        }
        assertAccessDenied("CALL lake.system.swap_materialized_views('s', 'left_view', 'reader')", "Cannot rename materialized view from lake.s.left_view to lake.s.reader", privilege("left_view", RENAME_MATERIALIZED_VIEW));
        assertUpdate("DROP MATERIALIZED VIEW reader");
        assertUpdate("DROP MATERIALIZED VIEW left_view");
    }

    @Test
    void testSwap()
    {
        assertUpdate("CREATE TABLE swapped (v bigint)");
        assertUpdate("INSERT INTO swapped VALUES 1, 2", 2);
        assertUpdate("CREATE MATERIALIZED VIEW blue COMMENT 'blue' AS SELECT sum(v) s FROM swapped");
        assertUpdate("CREATE MATERIALIZED VIEW green COMMENT 'green' AS SELECT max(v) m, count(*) c FROM swapped");
        assertSwapped(false);
        assertUpdate("CALL lake.system.swap_materialized_views('s', 'blue', 'green')");
        assertSwapped(true);
        assertThat((String) computeActual("SHOW CREATE MATERIALIZED VIEW blue").getOnlyValue()).contains("COMMENT 'green'");
        assertUpdate("INSERT INTO swapped VALUES 2", 1);
        assertUpdate("REFRESH MATERIALIZED VIEW blue");
        assertQuery("SELECT m, c FROM blue", "VALUES (2, 3)");
        assertQuery("SELECT max_by(strategy, started_at) FROM lake.system.materialized_view_refreshes WHERE view_name = 'blue'", "VALUES 'AGGREGATE_MERGE'");
        assertUpdate("CALL lake.system.swap_materialized_views('s', 'blue', 'green')");
        assertUpdate("REFRESH MATERIALIZED VIEW blue");
        assertSwapped(false);

        // the server dies after a step: what comes next finds two whole views
        for (Step step : Step.values()) {
            assertThatThrownBy(() -> swap(dieAfter(step))).isInstanceOf(Death.class);
            // repairs, as it lists the views
            assertQuery("SELECT view_name, state FROM lake.system.materialized_views WHERE view_name IN ('blue', 'green') OR view_name LIKE '%swap'", "VALUES ('blue', 'NORMAL'), ('green', 'NORMAL')");
            boolean completed = step == Step.SECOND_RENAMED || step == Step.FIRST_RENAMED;
            assertSwapped(completed);
            if (completed) {
                assertUpdate("CALL lake.system.swap_materialized_views('s', 'green', 'blue')");
                assertSwapped(false);
            }
        }
        // a step fails
        for (Step step : Step.values()) {
            try {
                swap(failAfter(step));
                assertThat(step).isIn(Step.SECOND_RENAMED, Step.FIRST_RENAMED);
                assertSwapped(true);
                assertUpdate("CALL lake.system.swap_materialized_views('s', 'blue', 'green')");
            }
            catch (TrinoException e) {
                assertThat(step).isIn(Step.INTENT_RECORDED, Step.FIRST_MOVED_ASIDE);
                assertThat(e).hasMessage("Materialized views 'lake.s.blue' and 'lake.s.green' could not be exchanged: no answer. They are what they were");
            }
            assertSwapped(false);
        }
        assertUpdate("DROP MATERIALIZED VIEW blue");
        assertUpdate("DROP MATERIALIZED VIEW green");
        assertUpdate("DROP TABLE swapped");
    }

    private void assertSwapped(boolean swapped)
    {
        String rows = "(SELECT count(*) c, sum(v) s FROM swapped)";
        assertThat(computeActual("SELECT s FROM " + (swapped ? "green" : "blue")).getOnlyValue()).isEqualTo(computeActual("SELECT s FROM " + rows).getOnlyValue());
        assertThat(computeActual("SELECT c FROM " + (swapped ? "blue" : "green")).getOnlyValue()).isEqualTo(computeActual("SELECT c FROM " + rows).getOnlyValue());
    }

    /** Not an exception that anybody catches. */
    private static final class Death
            extends Error {}

    private static Consumer<Step> dieAfter(Step step)
    {
        return after -> {
            if (after == step) {
                throw new Death();
            }
        };
    }

    private static Consumer<Step> failAfter(Step step)
    {
        return after -> {
            if (after == step) {
                throw new IllegalStateException("no answer");
            }
        };
    }

    private void swap(Consumer<Step> listener)
    {
        Injector injector = ((FreshetConnector) getDistributedQueryRunner().getCoordinator().getConnector("lake")).getInjector();
        ViewOracle oracle = new ViewOracle(getQueryRunner());
        new ViewSwap(
                injector.getInstance(CatalogName.class),
                injector.getInstance(FreshetCatalogFactory.class),
                injector.getInstance(BackgroundSessions.class),
                injector.getInstance(RefreshPlanning.class),
                injector.getInstance(Dependents.class),
                listener)
                .swap(ConnectorIdentity.ofUser("user"), oracle.view(new SchemaTableName("s", "blue")), oracle.view(new SchemaTableName("s", "green")));
    }

    @Test
    void testProgressAndMetrics()
            throws Exception
    {
        assertUpdate("CREATE MATERIALIZED VIEW watched WITH (build = 'DEFERRED') AS SELECT count(DISTINCT comment) c FROM tpch.sf10000.lineitem");
        try (ExecutorService executor = Executors.newSingleThreadExecutor()) {
            Future<?> running = executor.submit(() -> computeActual("REFRESH MATERIALIZED VIEW watched"));
            String refreshes = "FROM lake.system.materialized_view_refreshes WHERE view_name = 'watched'";
            assertEventually(() -> assertQuery(
                    "SELECT status, strategy, \"trigger\", finished_at IS NULL, duration_ms > 0, progress_percent BETWEEN 0 AND 100, progress_rows > 0, cardinality(query_ids), error IS NULL " + refreshes,
                    "VALUES ('RUNNING', 'FULL_REFRESH', 'MANUAL', true, true, true, true, 1, true)"));
            assertThat(attribute("io.freshet.spi.refresh:type=RefreshQueue", "Running")).isEqualTo(1);
            assertQuery("SELECT last_error IS NULL, last_refresh_at IS NULL FROM lake.system.materialized_views WHERE view_name = 'watched'", "VALUES (true, true)");
            assertUpdate("CALL lake.system.cancel_refresh('s', 'watched')");
            assertTrinoExceptionThrownBy(() -> get(running)).hasErrorCode(FreshetErrorCode.REFRESH_CANCELLED);
            assertQuery("SELECT status, progress_percent IS NULL " + refreshes, "VALUES ('CANCELLED', true)");
        }
        assertUpdate("DROP MATERIALIZED VIEW watched");
        assertThat(attribute("io.freshet:type=RefreshMetrics", "Cancelled")).isPositive();

        String merges = "io.freshet:type=RefreshMetrics.AGGREGATE_MERGE";
        long merged = attribute(merges, "Succeeded");
        long rows = attribute(merges, "RowsInserted");
        assertUpdate("CREATE TABLE counted (k bigint, v bigint)");
        assertUpdate("CREATE MATERIALIZED VIEW mv_counted AS SELECT k, sum(v) s FROM counted GROUP BY k");
        assertUpdate("INSERT INTO counted VALUES (1, 1), (2, 1)", 2);
        assertUpdate("REFRESH MATERIALIZED VIEW mv_counted");
        assertThat(attribute(merges, "Succeeded")).isEqualTo(merged + 1);
        assertThat(attribute(merges, "RowsInserted")).isEqualTo(rows + 2);
        assertThat(attribute("io.freshet:type=RefreshMetrics", "Time.AllTime.Count")).isPositive();
        assertThat(getDistributedQueryRunner().getSpans())
                .anySatisfy(span -> {
                    assertThat(span.getName()).isEqualTo("freshet.refresh");
                    assertThat(span.getAttributes().get(AttributeKey.stringKey("freshet.view"))).isEqualTo("lake.s.mv_counted");
                    assertThat(span.getAttributes().get(AttributeKey.stringKey("freshet.strategy"))).isEqualTo("AGGREGATE_MERGE");
                    assertThat(span.getAttributes().get(AttributeKey.stringKey("freshet.reason"))).isEqualTo("NONE");
                    assertThat(span.getAttributes().get(AttributeKey.stringKey("freshet.status"))).isEqualTo("SUCCEEDED");
                });
    }

    private static long attribute(String bean, String attribute)
            throws Exception
    {
        return ((Number) ManagementFactory.getPlatformMBeanServer().getAttribute(new ObjectName(bean + ",name=lake"), attribute)).longValue();
    }

    private static Object get(Future<?> future)
            throws Throwable
    {
        try {
            return future.get();
        }
        catch (java.util.concurrent.ExecutionException e) {
            throw e.getCause();
        }
    }
}
