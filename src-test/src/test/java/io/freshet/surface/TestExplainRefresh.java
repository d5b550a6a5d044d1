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
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.MaterializedRow;
import io.trino.testing.QueryRunner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import java.util.Arrays;
import java.util.List;

import static io.trino.testing.TestingAccessControlManager.TestingPrivilegeType.REFRESH_MATERIALIZED_VIEW;
import static io.trino.testing.TestingAccessControlManager.privilege;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.TestInstance.Lifecycle.PER_CLASS;

@TestInstance(PER_CLASS)
final class TestExplainRefresh
        extends AbstractTestQueryFramework
{
    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return FreshetQueryRunner.builder().build();
    }

    private List<List<Object>> explain(String arguments, String columns, String filter)
    {
        return computeActual("SELECT %s FROM TABLE(system.explain_refresh(%s)) WHERE %s".formatted(columns, arguments, filter)).getMaterializedRows().stream()
                .map(MaterializedRow::getFields)
                .toList();
    }

    private static List<Object> row(Object... values)
    {
        return Arrays.asList(values);
    }

    @Test
    void testIncremental()
    {
        assertUpdate("CREATE TABLE ex (k varchar, v bigint)");
        assertUpdate("INSERT INTO ex VALUES ('a', 1), ('b', 2)", 2);
        assertUpdate("CREATE MATERIALIZED VIEW mv_ex WITH (refresh_mode = 'FULL') AS SELECT k, sum(v) s FROM ex GROUP BY k");
        String decision = "item IN ('mode', 'strategy', 'apply', 'reason', 'position')";
        assertThat(explain("'s', 'mv_ex'", "item, value, detail", decision)).containsExactly(
                row("mode", "AUTO", "The view itself declares FULL"),
                row("strategy", "NO_OP", null),
                row("apply", "NONE", "Nothing is written"),
                row("reason", "NONE", "no source has changed"));
        assertThat(explain("'s', 'mv_ex'", "name, value, added_rows, from_snapshot_id = to_snapshot_id", "item = 'source'"))
                .containsExactly(row("lake.s.ex", "UNCHANGED", 0L, true));

        assertUpdate("INSERT INTO ex VALUES ('b', 3), ('c', 4), ('d', 5)", 3);
        assertThat(explain("'s', 'mv_ex', 'INCREMENTAL'", "item, value", decision)).containsExactly(
                row("mode", "INCREMENTAL"),
                row("strategy", "AGGREGATE_MERGE"),
                row("apply", "REWRITE"),
                row("reason", "NONE"));
        assertThat(explain("schema_name => 's', view_name => 'mv_ex'", "name, value, detail LIKE 'whole table: 5 rows, %', added_rows, bytes > 0, from_snapshot_id < 0 OR from_snapshot_id <> to_snapshot_id", "item = 'source'"))
                .containsExactly(row("lake.s.ex", "APPENDED", true, 3L, true, true));
        assertThat(explain("'s', 'mv_ex', 'INCREMENTAL'", "name, value, detail, bytes > 0", "item = 'estimate'")).containsExactly(
                row("AGGREGATE_MERGE", "MERGE", null, true),
                row("AGGREGATE_MERGE", "REWRITE", "chosen", true),
                row("FULL_REFRESH", "OVERWRITE", null, true));
        assertThat((String) explain("'s', 'mv_ex', 'INCREMENTAL'", "value", "item = 'statement'").getFirst().getFirst())
                .startsWith("INSERT INTO \"lake\".\"s\".\"__mv_mv_ex\"")
                .contains("table_delta");

        // nothing was done
        assertQuery("SELECT count(*) FROM system.materialized_view_refreshes WHERE view_name = 'mv_ex'", "VALUES 1");
        assertThat(explain("'s', 'mv_ex', 'FULL'", "item, value", decision)).containsExactly(
                row("mode", "FULL"),
                row("strategy", "FULL_REFRESH"),
                row("apply", "OVERWRITE"),
                row("reason", "MODE_FULL"));
        assertUpdate("DROP MATERIALIZED VIEW mv_ex");
    }

    @Test
    void testRefused()
    {
        assertUpdate("CREATE TABLE refused (k varchar, v bigint)");
        assertUpdate("CREATE MATERIALIZED VIEW mv_refused AS SELECT array_agg(v) s FROM refused");
        assertUpdate("INSERT INTO refused VALUES ('a', 1)", 1);
        assertThat(explain("'s', 'mv_refused', 'INCREMENTAL'", "item, value, detail", "item IN ('strategy', 'statement', 'apply', 'estimate')"))
                .containsExactly(row("strategy", "REFUSED", "Materialized view lake.s.mv_refused cannot be refreshed incrementally"));
        assertThat(explain("'s', 'mv_refused', 'INCREMENTAL'", "value, detail LIKE '%array_agg at %'", "item = 'reason'")).containsExactly(row("NON_MERGEABLE_AGGREGATE", true));
        assertThat(explain("'s', 'mv_refused'", "regexp_like(value, '^\\d+:\\d+$')", "item = 'position'")).containsExactly(row(true));
        assertThat(explain("'s', 'mv_refused'", "value", "item = 'strategy'")).containsExactly(row("FULL_REFRESH"));
        assertUpdate("DROP MATERIALIZED VIEW mv_refused");
    }

    @Test
    void testSources()
    {
        assertUpdate("CREATE TABLE src (k bigint, v bigint)");
        assertUpdate("INSERT INTO src VALUES (1, 1)", 1);
        long snapshot = versionOf("src");
        assertUpdate("CREATE TABLE src2 (k bigint)");
        assertUpdate("CREATE MATERIALIZED VIEW mv_src AS SELECT k FROM src UNION ALL SELECT regionkey FROM tpch.tiny.region UNION ALL SELECT k FROM src2 FOR VERSION AS OF " + versionOf("src2"));
        assertUpdate("DELETE FROM src WHERE k = 1", 1);
        assertThat(explain("'s', 'mv_src'", "name, value, detail", "item = 'source' ORDER BY 1")).satisfiesExactly(
                row -> assertThat(row.subList(0, 2)).isEqualTo(row("lake.s.src", "ROWS_CHANGED")),
                row -> assertThat(row.subList(0, 2)).isEqualTo(row("lake.s.src2", "FIXED")),
                row -> assertThat(row).isEqualTo(row("tpch.tiny.region", "UNKNOWN", "Changes of tables outside of this catalog are not seen")));
        assertThat(explain("'s', 'mv_src'", "from_snapshot_id", "name = 'lake.s.src'")).containsExactly(row(snapshot));
        assertUpdate("DROP MATERIALIZED VIEW mv_src");
    }

    private long versionOf(String table)
    {
        return (long) computeActual("SELECT max_by(snapshot_id, committed_at) FROM \"%s$snapshots\"".formatted(table)).getOnlyValue();
    }

    @Test
    void testArguments()
    {
        assertQueryFails("SELECT * FROM TABLE(system.explain_refresh('s', 'no_such_view'))", ".*Materialized View 's.no_such_view' not found");
        assertQueryFails("SELECT * FROM TABLE(system.explain_refresh(NULL, 'x'))", ".*Argument schema_name must have a value");
        assertQueryFails("SELECT * FROM TABLE(system.explain_refresh('s', ''))", ".*Argument view_name must have a value");
        assertQueryFails("SELECT * FROM TABLE(system.explain_refresh('s', 'x', 'NEVER'))", ".*Invalid value for mode: 'NEVER'. Valid values are AUTO, INCREMENTAL, FULL");
    }

    @Test
    void testAccess()
    {
        assertUpdate("CREATE TABLE acc (v bigint)");
        assertUpdate("CREATE MATERIALIZED VIEW mv_acc AS SELECT v FROM acc");
        assertAccessDenied("SELECT * FROM TABLE(system.explain_refresh('s', 'mv_acc'))", "Cannot refresh materialized view lake.s.mv_acc", privilege("mv_acc", REFRESH_MATERIALIZED_VIEW));
        assertThat((String) computeActual("EXPLAIN SELECT * FROM TABLE(system.explain_refresh('s', 'mv_acc'))").getOnlyValue()).contains("explain_refresh");
        assertUpdate("DROP MATERIALIZED VIEW mv_acc");
    }
}
