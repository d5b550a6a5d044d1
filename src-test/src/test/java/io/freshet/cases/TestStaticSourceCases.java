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

import org.junit.jupiter.api.Test;

import static io.trino.spi.StandardErrorCode.INVALID_MATERIALIZED_VIEW_PROPERTY;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static org.assertj.core.api.Assertions.assertThat;

/** Tables of other catalogs, declared static and not. */
final class TestStaticSourceCases
        extends AbstractCases
{
    @Test
    void testForeignSourceIsReadInFull()
    {
        execute("CREATE TABLE foreign_t (k bigint, name varchar)");
        CaseView view = view("foreign_v", "SELECT k, name FROM foreign_t UNION ALL SELECT regionkey, name FROM tpch.tiny.region WHERE regionkey < 2")
                .rows("(BIGINT '0', VARCHAR 'AFRICA'), (1, 'AMERICA')")
                .notFresh();
        execute("INSERT INTO foreign_t VALUES (10, 'here')");
        view.refreshInFull("FOREIGN_SOURCE").rows("(BIGINT '0', VARCHAR 'AFRICA'), (1, 'AMERICA'), (10, 'here')");
    }

    @Test
    void testStaticSource()
    {
        execute("CREATE TABLE static_t (k bigint, name varchar)");
        CaseView view = view(
                "static_v",
                "WITH (static_sources = ARRAY['tpch.tiny.region'])",
                "SELECT k, name FROM static_t UNION ALL SELECT regionkey, name FROM tpch.tiny.region WHERE regionkey < 2")
                .rows("(BIGINT '0', VARCHAR 'AFRICA'), (1, 'AMERICA')")
                .fresh();
        view.refreshNothing();
        execute("INSERT INTO static_t VALUES (10, 'here'), (11, 'there')");
        view.stale();
        view.refresh("APPEND_ONLY").rows("(BIGINT '0', VARCHAR 'AFRICA'), (1, 'AMERICA'), (10, 'here'), (11, 'there')").fresh();
        execute("DELETE FROM static_t WHERE k = 10");
        view.refresh("ROW_DELTA").rows("(BIGINT '0', VARCHAR 'AFRICA'), (1, 'AMERICA'), (11, 'there')").fresh();
        assertRows(
                "SELECT value, detail FROM TABLE(system.explain_refresh('s', 'static_v')) WHERE item = 'source' AND name = 'tpch.tiny.region'",
                "VALUES (VARCHAR 'UNCHANGED', VARCHAR 'The view declares it static')");
        assertThat((String) computeScalar("SHOW CREATE MATERIALIZED VIEW static_v")).contains("static_sources = ARRAY['tpch.tiny.region']");
    }

    @Test
    void testJoinWithAStaticSource()
    {
        execute("CREATE TABLE joined_t (k bigint, v integer)");
        execute("INSERT INTO joined_t VALUES (0, 1), (7, 2)");
        String clauses = "WITH (static_sources = ARRAY['tpch.tiny.region'])";
        CaseView inner = view("joined_i", clauses, "SELECT t.v, r.name FROM joined_t t JOIN tpch.tiny.region r ON t.k = r.regionkey").rows("(1, VARCHAR 'AFRICA')");
        CaseView left = view("joined_l", clauses, "SELECT r.name, count(t.k) n FROM tpch.tiny.region r LEFT JOIN joined_t t ON t.k = r.regionkey GROUP BY r.name");
        execute("INSERT INTO joined_t VALUES (1, 3), (NULL, 4)");
        inner.refresh("APPEND_ONLY").rows("(1, VARCHAR 'AFRICA'), (3, 'AMERICA')").fresh();
        left.refresh("AGGREGATE_MERGE").fresh();
        execute("DELETE FROM joined_t WHERE k = 0");
        inner.refresh("ROW_DELTA").rows("(3, VARCHAR 'AMERICA')");
        left.refresh("AGGREGATE_MERGE").rows("(VARCHAR 'AFRICA', BIGINT '0'), ('AMERICA', 1), ('ASIA', 0), ('EUROPE', 0), ('MIDDLE EAST', 0)");
    }

    @Test
    void testStarOverAStaticSource()
    {
        execute("CREATE TABLE starred_t (k bigint, name varchar, c varchar)");
        CaseView view = view(
                "starred_v",
                "WITH (static_sources = ARRAY['TPCH.tiny.\"region\"'])",
                "SELECT k, count(*) n FROM (SELECT * FROM starred_t UNION ALL SELECT * FROM tpch.tiny.region) GROUP BY k");
        execute("INSERT INTO starred_t VALUES (1, 'here', ''), (11, 'there', '')");
        view.refresh("AGGREGATE_MERGE").rows("(BIGINT '0', BIGINT '1'), (1, 2), (2, 1), (3, 1), (4, 1), (11, 1)");
    }

    @Test
    void testInvalidDeclarations()
    {
        execute("CREATE TABLE invalid_t (k bigint, name varchar)");
        String query = "SELECT k, name FROM invalid_t UNION ALL SELECT regionkey, name FROM tpch.tiny.region";
        assertRefused("tpch.tiny.nation", query, "'tpch.tiny.nation' is not among the sources of materialized view 'lake.s.invalid_v': lake.s.invalid_t, tpch.tiny.region");
        assertRefused("region", query, "'region' is not among the sources");
        assertRefused("invalid_t", query, "changes of 'lake.s.invalid_t' are followed");
        assertRefused("lake.s.invalid_t", query, "changes of 'lake.s.invalid_t' are followed");
        assertRefused("a.b.c.d", query, "'a.b.c.d' is not the name of a table");
        assertRefused("1 + 1", query, "'1 + 1' is not the name of a table");
        assertRefused("", query, "'' is not the name of a table");
        execute("CREATE MATERIALIZED VIEW invalid_v AS " + query);
        assertThat(query("ALTER MATERIALIZED VIEW invalid_v SET PROPERTIES static_sources = ARRAY['tpch.tiny.region']")).failure()
                .hasErrorCode(NOT_SUPPORTED)
                .hasMessageContaining("Use CREATE OR REPLACE MATERIALIZED VIEW");
    }

    private void assertRefused(String source, String query, String message)
    {
        assertThat(query("CREATE MATERIALIZED VIEW invalid_v WITH (static_sources = ARRAY['%s']) AS %s".formatted(source, query))).failure()
                .hasErrorCode(INVALID_MATERIALIZED_VIEW_PROPERTY)
                .hasMessageContaining("Invalid value for static_sources: " + message);
        assertThat(computeActual("SHOW TABLES LIKE 'invalid\\_v' ESCAPE '\\'").getRowCount()).isZero();
    }
}
