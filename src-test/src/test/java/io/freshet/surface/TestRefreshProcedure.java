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

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import static io.trino.testing.TestingAccessControlManager.TestingPrivilegeType.REFRESH_MATERIALIZED_VIEW;
import static io.trino.testing.TestingAccessControlManager.privilege;
import static io.trino.testing.assertions.Assert.assertEventually;
import static io.trino.testing.assertions.TrinoExceptionAssert.assertTrinoExceptionThrownBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.TestInstance.Lifecycle.PER_CLASS;

@TestInstance(PER_CLASS)
final class TestRefreshProcedure
        extends AbstractTestQueryFramework
{
    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return FreshetQueryRunner.builder().build();
    }

    private void assertFails(String call, ErrorCodeSupplier code, String message)
    {
        assertTrinoExceptionThrownBy(() -> computeActual("CALL system.refresh_materialized_view(" + call + ")"))
                .hasErrorCode(code)
                .hasMessage(message);
    }

    private Object lastRefresh(String view)
    {
        return computeActual("SELECT max_by(mode || ' ' || strategy || ' ' || trigger, started_at) FROM system.materialized_view_refreshes WHERE view_name = '%s'".formatted(view)).getOnlyValue();
    }

    @Test
    void testModes()
    {
        assertUpdate("CREATE TABLE modes (k varchar, v bigint)");
        assertUpdate("CREATE MATERIALIZED VIEW mv_modes WITH (refresh_mode = 'FULL') AS SELECT k, sum(v) s FROM modes GROUP BY k");
        assertUpdate("INSERT INTO modes VALUES ('a', 1)", 1);
        assertUpdate("CALL system.refresh_materialized_view('s', 'mv_modes', 'INCREMENTAL')");
        assertQuery("SELECT * FROM mv_modes", "VALUES ('a', 1)");
        assertThat(lastRefresh("mv_modes")).isEqualTo("INCREMENTAL AGGREGATE_MERGE MANUAL");

        assertUpdate("CALL system.refresh_materialized_view(schema_name => 's', view_name => 'mv_modes', mode => 'auto')");
        assertThat(lastRefresh("mv_modes")).isEqualTo("AUTO NO_OP MANUAL");
        assertUpdate("CALL system.refresh_materialized_view('s', 'mv_modes')");
        assertThat(lastRefresh("mv_modes")).isEqualTo("FULL FULL_REFRESH MANUAL");
        assertUpdate("CALL system.refresh_materialized_view('s', 'mv_modes', NULL)");
        assertThat(lastRefresh("mv_modes")).isEqualTo("FULL FULL_REFRESH MANUAL");
        assertUpdate("DROP MATERIALIZED VIEW mv_modes");
    }

    @Test
    void testArguments()
    {
        assertFails("NULL, 'x'", StandardErrorCode.INVALID_PROCEDURE_ARGUMENT, "Argument schema_name must have a value");
        assertFails("'s', ''", StandardErrorCode.INVALID_PROCEDURE_ARGUMENT, "Argument view_name must have a value");
        assertFails("'s', 'x', 'SOMETIMES'", StandardErrorCode.INVALID_PROCEDURE_ARGUMENT, "Invalid value for mode: 'SOMETIMES'. Valid values are AUTO, INCREMENTAL, FULL");
        assertFails("'s', 'no_such_view'", StandardErrorCode.NOT_FOUND, "Materialized View 's.no_such_view' not found");
        assertFails("'no_such_schema', 'x'", StandardErrorCode.NOT_FOUND, "Materialized View 'no_such_schema.x' not found");
        assertUpdate("CREATE TABLE plain (v bigint)");
        assertFails("'s', 'plain'", StandardErrorCode.NOT_FOUND, "Materialized View 's.plain' not found");
    }

    @Test
    void testErrorsOfTheRefresh()
    {
        assertUpdate("CREATE TABLE errs (k varchar, v bigint)");
        assertUpdate("INSERT INTO errs VALUES ('a', 1)", 1);
        assertUpdate("CREATE MATERIALIZED VIEW mv_errs AS SELECT array_agg(10 / v) s FROM errs");
        assertUpdate("INSERT INTO errs VALUES ('a', 0)", 1);
        assertTrinoExceptionThrownBy(() -> computeActual("CALL system.refresh_materialized_view('s', 'mv_errs', 'INCREMENTAL')"))
                .hasErrorCode(FreshetErrorCode.MATERIALIZED_VIEW_NOT_INCREMENTAL)
                .hasMessageMatching("Materialized view lake\\.s\\.mv_errs cannot be refreshed incrementally: .*array_agg.*\\(NON_MERGEABLE_AGGREGATE\\)");
        assertFails("'s', 'mv_errs'", FreshetErrorCode.REFRESH_FAILED, "Division by zero");
        assertTrinoExceptionThrownBy(() -> computeActual("REFRESH MATERIALIZED VIEW mv_errs"))
                .hasErrorCode(FreshetErrorCode.REFRESH_FAILED)
                .hasMessage("Division by zero");
        assertUpdate("DROP MATERIALIZED VIEW mv_errs");
    }

    @Test
    void testCancel()
            throws Exception
    {
        assertUpdate("CREATE MATERIALIZED VIEW mv_slow WITH (build = 'DEFERRED') AS SELECT count(DISTINCT comment) c FROM tpch.sf10000.lineitem");
        try (ExecutorService executor = Executors.newSingleThreadExecutor()) {
            Future<?> call = executor.submit(() -> computeActual("CALL system.refresh_materialized_view('s', 'mv_slow')"));
            assertEventually(() -> assertQuery("SELECT count(*) FROM system.runtime.queries WHERE source = 'freshet' AND state = 'RUNNING'", "VALUES 1"));
            String queryId = (String) computeActual("SELECT query_id FROM system.runtime.queries WHERE query LIKE 'CALL system.refresh%mv_slow%'").getOnlyValue();
            assertUpdate("CALL system.runtime.kill_query('%s')".formatted(queryId));
            assertThatThrownBy(call::get).hasStackTraceContaining("Query killed");
            assertEventually(() -> assertQuery("SELECT count(*) FROM system.runtime.queries WHERE source = 'freshet' AND state = 'RUNNING'", "VALUES 0"));
            assertEventually(() -> assertQuery("SELECT status FROM lake.system.materialized_view_refreshes WHERE view_name = 'mv_slow'", "VALUES 'CANCELLED'"));
        }
        assertUpdate("DROP MATERIALIZED VIEW mv_slow");
    }

    @Test
    void testAccess()
    {
        assertUpdate("CREATE TABLE acc (v bigint)");
        assertUpdate("CREATE MATERIALIZED VIEW mv_acc AS SELECT v FROM acc");
        assertAccessDenied("CALL system.refresh_materialized_view('s', 'mv_acc')", "Cannot refresh materialized view lake.s.mv_acc", privilege("mv_acc", REFRESH_MATERIALIZED_VIEW));
        assertUpdate("DROP MATERIALIZED VIEW mv_acc");
    }
}
