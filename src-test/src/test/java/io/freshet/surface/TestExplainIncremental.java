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

import java.util.Arrays;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

final class TestExplainIncremental
        extends AbstractTestQueryFramework
{
    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return FreshetQueryRunner.builder().build();
    }

    private List<List<Object>> explain(String query, String filter)
    {
        return computeActual("SELECT operator, under_inserts, under_deletes FROM TABLE(system.explain_incremental('%s', 's')) WHERE %s".formatted(query.replace("'", "''"), filter)).getMaterializedRows().stream()
                .map(MaterializedRow::getFields)
                .toList();
    }

    private static List<Object> row(Object... values)
    {
        return Arrays.asList(values);
    }

    @Test
    void testSaysWhatTheViewThenDoes()
    {
        assertUpdate("CREATE TABLE planned (k varchar, v bigint)");
        assertUpdate("INSERT INTO planned VALUES ('a', 1), ('a', 2), ('b', 3)", 3);
        for (String query : List.of(
                "SELECT k, v FROM planned WHERE v > 0",
                "SELECT k, sum(v) s, count(*) c FROM planned GROUP BY k",
                "SELECT k, array_agg(v ORDER BY v) a FROM planned GROUP BY k",
                "SELECT DISTINCT k FROM planned",
                "SELECT k, row_number() OVER (PARTITION BY k ORDER BY v) n FROM planned")) {
            List<Object> view = explain(query, "operator = 'view'").getFirst();
            assertUpdate("CREATE MATERIALIZED VIEW mv_planned AS " + query);
            assertUpdate("INSERT INTO planned VALUES ('a', 7)", 1);
            assertUpdate("REFRESH MATERIALIZED VIEW mv_planned");
            assertThat(lastStrategy()).describedAs("after an insert: %s", query).isEqualTo(view.get(1));
            assertUpdate("DELETE FROM planned WHERE v = 7", 1);
            assertUpdate("REFRESH MATERIALIZED VIEW mv_planned");
            assertThat(lastStrategy()).describedAs("after a delete: %s", query).isEqualTo(view.get(2));
            assertUpdate("DROP MATERIALIZED VIEW mv_planned");
        }
    }

    private Object lastStrategy()
    {
        return computeScalar("SELECT strategy FROM system.materialized_view_refreshes WHERE view_name = 'mv_planned' ORDER BY started_at DESC LIMIT 1");
    }

    @Test
    void testReasonWhyNot()
    {
        assertUpdate("CREATE TABLE limited (k varchar, v bigint)");
        assertThat(explain("SELECT k FROM limited LIMIT 5", "operator = 'view'")).containsExactly(row("view", "LIMIT", "LIMIT"));
        assertQuery("SELECT count(*) FROM TABLE(system.explain_incremental('SELECT k, random() r FROM s.limited')) WHERE operator = 'view' AND under_inserts NOT IN ('APPEND_ONLY', 'ROW_DELTA')", "VALUES 1");
    }

    @Test
    void testBadQueries()
    {
        assertQueryFails("SELECT * FROM TABLE(system.explain_incremental('SELECT FROM'))", "explain_incremental: the query cannot be parsed: .* \\(line 1:8\\)");
        assertQueryFails("SELECT * FROM TABLE(system.explain_incremental('  '))", "explain_incremental: argument query must be the text of a query");
        assertQueryFails("SELECT * FROM TABLE(system.explain_incremental('SELECT * FROM s.nowhere'))", ".*'lake.s.nowhere' does not exist.*");
        assertQueryFails("SELECT * FROM TABLE(system.explain_incremental('SELECT nothing FROM limited_columns', 's'))", ".*(does not exist|cannot be resolved).*");
    }
}
