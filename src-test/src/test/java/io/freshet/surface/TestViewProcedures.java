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

import io.freshet.FreshetQueryRunner;
import io.freshet.spi.FreshetErrorCode;
import io.trino.spi.ErrorCodeSupplier;
import io.trino.spi.StandardErrorCode;
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.QueryRunner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import static io.trino.testing.TestingAccessControlManager.TestingPrivilegeType.REFRESH_MATERIALIZED_VIEW;
import static io.trino.testing.TestingAccessControlManager.privilege;
import static io.trino.testing.assertions.Assert.assertEventually;
import static io.trino.testing.assertions.TrinoExceptionAssert.assertTrinoExceptionThrownBy;
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
