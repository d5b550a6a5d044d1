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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Cases of kind "definition": MV-090 to MV-101, and definitions whose meaning changes from outside. */
final class TestDefinitionCases
        extends AbstractCases
{
    @Test
    void testMv090NondeterministicFunctions()
            throws Exception
    {
        execute("CREATE TABLE mv090_t (v integer)");
        execute("INSERT INTO mv090_t VALUES 1, 2");
        CaseView view = view("mv090", "SELECT v, now() AS loaded FROM mv090_t").notDeterministic();
        Object first = computeScalar("SELECT DISTINCT CAST(loaded AS varchar) FROM mv090");
        Thread.sleep(2);
        execute("INSERT INTO mv090_t VALUES 3");
        view.refreshInFull("TIME_DEPENDENT_FUNCTION");
        assertRows("SELECT v FROM mv090", "VALUES 1, 2, 3");
        assertThat(computeScalar("SELECT DISTINCT CAST(loaded AS varchar) FROM mv090")).isNotEqualTo(first);
        // even if no source changed
        view.refreshInFull("TIME_DEPENDENT_FUNCTION");

        for (String expression : new String[] {"random()", "CAST(uuid() AS varchar)", "rand(5)", "shuffle(ARRAY[1, 2, 3])"}) {
            CaseView random = view("mv090r", "SELECT v, %s x FROM mv090_t WHERE v > 0".formatted(expression)).notDeterministic();
            random.refreshInFull("NONDETERMINISTIC_FUNCTION");
            executeAll("DROP MATERIALIZED VIEW mv090r", "DROP MATERIALIZED VIEW mv090r_full");
        }
        for (String expression : new String[] {"current_date", "localtimestamp", "current_time", "CAST(CAST(v AS varchar) || ':00' AS varchar) || CAST(current_timestamp AS varchar)"}) {
            CaseView timed = view("mv090c", "SELECT v, CAST(%s AS varchar) x FROM mv090_t".formatted(expression)).notDeterministic();
            timed.refreshInFull("TIME_DEPENDENT_FUNCTION");
            executeAll("DROP MATERIALIZED VIEW mv090c", "DROP MATERIALIZED VIEW mv090c_full");
        }
        CaseView user = view("mv090u", "SELECT v FROM mv090_t WHERE current_user <> 'x'");
        user.refreshInFull("SESSION_DEPENDENT_FUNCTION");
    }

    @Test
    void testMv091SlidingWindow()
            throws Exception
    {
        execute("CREATE TABLE mv091_t (d timestamp(6) with time zone)");
        execute("INSERT INTO mv091_t VALUES current_timestamp(6)");
        execute("CREATE MATERIALIZED VIEW mv091 GRACE PERIOD INTERVAL '1' SECOND AS SELECT d, current_timestamp ts FROM mv091_t WHERE d > current_timestamp - INTERVAL '3' SECOND");
        assertThat(freshness("mv091")).isNotEqualTo("FRESH");
        Thread.sleep(3_500);
        assertNoRows("SELECT * FROM mv091");
        execute("REFRESH MATERIALIZED VIEW mv091");
        assertThat(oracle().lastRefresh("mv091").strategy()).hasValue("FULL_REFRESH");
        assertNoRows("SELECT * FROM mv091");
        execute("INSERT INTO mv091_t VALUES current_timestamp(6) + INTERVAL '1' HOUR");
        execute("REFRESH MATERIALIZED VIEW mv091");
        Thread.sleep(1_500);
        assertRows("SELECT ts > current_timestamp - INTERVAL '1' SECOND FROM mv091", "VALUES true");
    }

    @Test
    void testMv095ViewOverAView()
    {
        execute("CREATE TABLE mv095_t (k integer, v bigint)");
        execute("INSERT INTO mv095_t VALUES (1, 3), (2, 5)");
        CaseView inner = view("mv095i", "GRACE PERIOD INTERVAL '1' DAY", "SELECT k, v FROM mv095_t");
        CaseView outer = view("mv095o", "SELECT k, count(*) c, sum(v) s FROM mv095i GROUP BY k");
        outer.refreshNothing();
        execute("INSERT INTO mv095_t VALUES (2, 8), (6, 1)");
        outer.refreshNothing().rows("(1, 1, 3), (2, 1, 5)");
        inner.refresh("APPEND_ONLY");
        outer.stale();
        outer.refresh("AGGREGATE_MERGE").rows("(1, 1, 3), (2, 2, 13), (6, 1, 1)");
        inner.fresh();
        outer.fresh();
    }

    @Test
    void testViewOverAViewWithHiddenGroups()
    {
        execute("CREATE TABLE over_hidden_t (k integer, v bigint)");
        execute("INSERT INTO over_hidden_t VALUES (1, 1), (1, 2), (2, 5)");
        execute("CREATE MATERIALIZED VIEW over_hidden_i AS SELECT k, count(*) c, sum(v) s FROM over_hidden_t GROUP BY k HAVING count(*) > 1");
        CaseView outer = view("over_hidden_o", "SELECT count(*) n, sum(s) s FROM over_hidden_i").rows("(1, 3)");
        execute("INSERT INTO over_hidden_t VALUES (2, 6), (3, 1)");
        execute("REFRESH MATERIALIZED VIEW over_hidden_i");
        outer.refresh("AGGREGATE_MERGE").rows("(2, 14)");
    }

    @Test
    void testMv097CommentsAndProperties()
    {
        execute("CREATE TABLE mv097_t (v integer)");
        execute("INSERT INTO mv097_t VALUES 1");
        CaseView view = view("mv097", "SELECT v FROM mv097_t");
        execute("COMMENT ON COLUMN mv097.v IS 'x'");
        view.fresh();
        view.refreshNothing();
        execute("ALTER MATERIALIZED VIEW mv097 SET PROPERTIES refresh_mode = 'INCREMENTAL'");
        view.fresh();
        view.refreshNothing();
        execute("ALTER MATERIALIZED VIEW mv097 SET PROPERTIES partitioning = ARRAY['v']");
        view.fresh();
        view.refreshNothing().rows("(1)");
        execute("INSERT INTO mv097_t VALUES 2");
        view.refresh("APPEND_ONLY").rows("1, 2");
        execute("COMMENT ON COLUMN mv097_t.v IS 'of the source'");
        view.refreshNothing().fresh();
    }

    @Test
    void testMv099TableFunction()
    {
        execute("CREATE TABLE mv099_t (v integer)");
        execute("INSERT INTO mv099_t VALUES 2");
        CaseView view = view("mv099", "GRACE PERIOD INTERVAL '1' HOUR", "SELECT s.sequential_number n, t.v FROM TABLE(sequence(1, 3)) s CROSS JOIN mv099_t t")
                .rows("(1, 2), (2, 2), (3, 2)");
        execute("INSERT INTO mv099_t VALUES 5");
        view.rows("(1, 2), (2, 2), (3, 2)");
        view.refreshInFull("TABLE_FUNCTION").rows("(1, 2), (2, 2), (3, 2), (1, 5), (2, 5), (3, 5)");
    }

    @Test
    void testMv100NamesThatDifferByCaseOnly()
    {
        execute("CREATE TABLE mv100_t (a integer, b integer)");
        assertThatThrownBy(() -> execute("CREATE MATERIALIZED VIEW mv100 AS SELECT a AS \"K\", b AS \"k\" FROM mv100_t"))
                .hasMessageMatching("(?si).*(duplicate|specified more than once|two columns).*");
        for (String name : new String[] {"__mv_count", "__MV_x", "__mv_visible"}) {
            assertThatThrownBy(() -> execute("CREATE MATERIALIZED VIEW mv100 AS SELECT a AS \"%s\", count(*) c FROM mv100_t GROUP BY a".formatted(name)))
                    .hasMessageContaining("reserved");
        }
        assertNoRows("SELECT * FROM system.metadata.materialized_views WHERE catalog_name = 'lake' AND name = 'mv100'");
        execute("CREATE MATERIALIZED VIEW mv100 AS SELECT a, b FROM mv100_t");
    }

    @Test
    void testMv101UpperCaseNames()
    {
        execute("CREATE TABLE mv101_t (region varchar, v integer)");
        execute("INSERT INTO mv101_t VALUES ('n', 1)");
        CaseView view = view("mv101", "WITH (partitioning = ARRAY['region'])", "SELECT region AS \"Region\", count(*) AS \"N\" FROM mv101_t GROUP BY region");
        execute("INSERT INTO mv101_t VALUES ('n', 2), ('s', 3)");
        view.refresh("AGGREGATE_MERGE").rows("('n', 2), ('s', 1)");
        execute("COMMENT ON COLUMN mv101.region IS 'x'");
        assertRows("SELECT comment FROM information_schema.columns WHERE table_name = 'mv101' AND column_name = 'region' UNION ALL SELECT 'y'", "VALUES 'x', 'y'");

        // mixed case in the table's own schema, as Spark writes it
        execute("CREATE TABLE mv101_s (region varchar, amount integer)");
        sources().load("mv101_s").updateSchema().renameColumn("region", "ReGion").renameColumn("amount", "AMOUNT").commit();
        execute("INSERT INTO mv101_s VALUES ('n', 1)");
        CaseView mixed = view("mv101m", "SELECT Region, sum(Amount) \"S\" FROM mv101_s GROUP BY REGION");
        CaseView rows = view("mv101r", "SELECT * FROM mv101_s WHERE amount > 0");
        execute("INSERT INTO mv101_s VALUES ('n', 2), (NULL, 3)");
        mixed.refresh("AGGREGATE_MERGE").rows("('n', 3), (NULL, 3)");
        rows.refresh("APPEND_ONLY").rows("('n', 1), ('n', 2), (NULL, 3)");
    }

    @Test
    void testLogicalViewIsReplaced()
    {
        execute("CREATE TABLE logical_t (v integer)");
        execute("INSERT INTO logical_t VALUES 1, 2");
        execute("CREATE VIEW logical_v AS SELECT v FROM logical_t");
        CaseView view = view("logical", "SELECT v FROM logical_v").rows("1, 2");
        view.refreshNothing();
        execute("CREATE OR REPLACE VIEW logical_v AS SELECT v + 100 AS v FROM logical_t");
        // no table has a new snapshot; the definition means something else all the same
        execute("REFRESH MATERIALIZED VIEW logical");
        assertRows("SELECT * FROM logical", "VALUES 101, 102");
    }

    @Test
    void testLogicalViewIsReplacedAndTheMaterializedViewIsNotFresh()
    {
        execute("CREATE TABLE logical_f_t (v integer)");
        execute("INSERT INTO logical_f_t VALUES 1, 2");
        execute("CREATE VIEW logical_f_v AS SELECT v FROM logical_f_t");
        execute("CREATE MATERIALIZED VIEW logical_f GRACE PERIOD INTERVAL '0' SECOND AS SELECT v FROM logical_f_v");
        execute("CREATE OR REPLACE VIEW logical_f_v AS SELECT v + 100 AS v FROM logical_f_t");
        assertRows("SELECT * FROM logical_f", "VALUES 101, 102");
    }

    @Test
    void testHiddenColumnsChangeByCompaction()
    {
        for (String column : new String[] {"$path", "$file_modified_time"}) {
            execute("CREATE TABLE hidden_column_t (v integer)");
            execute("INSERT INTO hidden_column_t VALUES 1");
            execute("INSERT INTO hidden_column_t VALUES 2");
            String query = "SELECT v, CAST(\"%s\" AS varchar) p FROM hidden_column_t".formatted(column);
            execute("CREATE MATERIALIZED VIEW hidden_column GRACE PERIOD INTERVAL '0' SECOND AS " + query);
            execute("ALTER TABLE hidden_column_t EXECUTE optimize");
            assertRows("SELECT * FROM hidden_column", query);
            execute("REFRESH MATERIALIZED VIEW hidden_column");
            oracle().assertExact("hidden_column");
            assertRows("SELECT * FROM hidden_column", query);
            executeAll("DROP MATERIALIZED VIEW hidden_column", "DROP TABLE hidden_column_t");
        }
    }

    @Test
    void testColumnNamedWeight()
    {
        execute("CREATE TABLE weight_t (weight integer, \"$x\" integer)");
        execute("INSERT INTO weight_t VALUES (1, 2)");
        CaseView view = view("weight_v", "SELECT weight, \"$x\" x FROM weight_t");
        execute("INSERT INTO weight_t VALUES (3, 4)");
        view.refresh("APPEND_ONLY").rows("(1, 2), (3, 4)");
    }

    @Test
    void testNamesThatNeedQuoting()
    {
        execute("CREATE TABLE \"odd \"\"t.name\" (\"a b\" integer, \"c\"\"d\" varchar, \"select\" bigint)");
        execute("INSERT INTO \"odd \"\"t.name\" VALUES (1, 'it''s', 5)");
        CaseView rows = view("odd_rows", "SELECT \"a b\", \"c\"\"d\", \"select\" AS \"fr om\" FROM \"odd \"\"t.name\" WHERE \"c\"\"d\" <> '''' OR \"select\" IS NULL");
        CaseView groups = view("odd_groups", "SELECT \"c\"\"d\" || ' \"x\" ''y''' AS \"k\"\"1\", sum(\"select\") \"group\", max(\"a b\") \"order by\" FROM \"odd \"\"t.name\" GROUP BY \"c\"\"d\"");
        execute("INSERT INTO \"odd \"\"t.name\" VALUES (2, 'it''s', 6), (3, '''', 7), (4, NULL, NULL)");
        rows.refresh("APPEND_ONLY").rows("(1, 'it''s', 5), (2, 'it''s', 6), (4, NULL, NULL)");
        groups.refresh("AGGREGATE_MERGE").rows("('it''s \"x\" ''y''', 11, 2), (''' \"x\" ''y''', 7, 3), (NULL, NULL, 4)");
    }
}
