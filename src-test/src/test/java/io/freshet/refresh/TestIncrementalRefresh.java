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
package io.freshet.refresh;

import io.freshet.FreshetQueryRunner;
import io.freshet.ViewOracle;
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.QueryRunner;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.TestInstance.Lifecycle.PER_CLASS;

/** Each strategy, for views and sources of every kind that it is meant for. */
@TestInstance(PER_CLASS)
final class TestIncrementalRefresh
        extends AbstractTestQueryFramework
{
    private ViewOracle oracle;

    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return FreshetQueryRunner.builder().build();
    }

    @BeforeAll
    void createOracle()
    {
        oracle = new ViewOracle(getQueryRunner());
    }

    private void assertRefresh(String view, String strategy, String reason)
    {
        assertUpdate("REFRESH MATERIALIZED VIEW " + view);
        assertThat(oracle.lastRefresh(view).strategy()).describedAs("strategy").hasValue(strategy);
        assertThat(oracle.lastRefresh(view).reason()).describedAs("reason").hasValue(reason);
        oracle.assertExact(view);
    }

    @Test
    void testAppendOnly()
    {
        assertUpdate("CREATE TABLE a1 (k varchar, v bigint)");
        assertUpdate("INSERT INTO a1 VALUES ('a', 1), ('b', 2), (NULL, 3)", 3);
        assertUpdate("CREATE MATERIALIZED VIEW mv_a1 AS SELECT k, v * 2 AS w, v > 1 AS big FROM a1 WHERE v <> 2");
        oracle.assertExact("mv_a1");
        assertUpdate("INSERT INTO a1 VALUES ('a', 1), ('c', 2), (NULL, 30)", 3);
        assertRefresh("mv_a1", "APPEND_ONLY", "NONE");
        assertRefresh("mv_a1", "NO_OP", "NONE");
        assertUpdate("DELETE FROM a1 WHERE v = 1", 2);
        assertRefresh("mv_a1", "ROW_DELTA", "NONE");
        assertUpdate("INSERT INTO a1 VALUES ('d', 7)", 1);
        assertRefresh("mv_a1", "APPEND_ONLY", "NONE");
        assertUpdate("ALTER TABLE a1 EXECUTE optimize");
        assertRefresh("mv_a1", "NO_OP", "SOURCE_REORGANIZED");
    }

    @Test
    void testUnionAll()
    {
        assertUpdate("CREATE TABLE u1 (k varchar, v bigint)");
        assertUpdate("CREATE TABLE u2 (k varchar, v integer)");
        assertUpdate("CREATE MATERIALIZED VIEW mv_u AS SELECT k, v FROM u1 UNION ALL SELECT upper(k), v FROM u2 WHERE v > 0 UNION ALL SELECT 'x', v + 1 FROM u1");
        assertUpdate("INSERT INTO u1 VALUES ('a', 1)", 1);
        assertRefresh("mv_u", "APPEND_ONLY", "NONE");
        assertUpdate("INSERT INTO u1 VALUES ('a', 1), ('b', 2)", 2);
        assertUpdate("INSERT INTO u2 VALUES ('a', 1), ('b', -2)", 2);
        assertRefresh("mv_u", "APPEND_ONLY", "NONE");
    }

    @Test
    void testAggregates()
    {
        assertUpdate("CREATE TABLE g1 (k varchar, j integer, i integer, b bigint, d decimal(12, 2), r real, x double, t timestamp(6), dt date, f boolean)");
        assertUpdate("CREATE MATERIALIZED VIEW mv_g1 AS SELECT k, j, count(*) c, count(i) ci, sum(i) si, sum(b) sb, sum(d) sd, sum(r) sr, sum(x) sx, " +
                "avg(i) ai, avg(b) ab, avg(d) ad, avg(r) ar, avg(x) ax, min(d) mid, max(d) mxd, min(x) mix, max(x) mxx, min(t) mit, max(dt) mdt, min(k) mik, " +
                "count_if(f) cf, bool_and(f) ba, bool_or(f) bo, sum(i) FILTER (WHERE f) sif, sum(b) / nullif(count(i), 0) + 1 e FROM g1 GROUP BY k, j");
        oracle.assertExact("mv_g1");
        assertUpdate("INSERT INTO g1 VALUES " +
                "('a', 1, 1, 10, 1.25, REAL '1.5', 2.5, TIMESTAMP '2026-01-01 00:00:00', DATE '2026-01-01', true), " +
                "('a', 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), " +
                "(NULL, NULL, 5, 5, 5.00, REAL '5', 5, TIMESTAMP '2026-01-01 00:00:00', DATE '2026-01-01', false)", 3);
        assertRefresh("mv_g1", "AGGREGATE_MERGE", "NONE");
        assertUpdate("INSERT INTO g1 VALUES " +
                "('a', 1, 7, -10, 1.26, REAL '-1.5', nan(), TIMESTAMP '2025-01-01 00:00:00', DATE '2027-01-01', false), " +
                "('b', NULL, 2, 3, 0.01, REAL '0', infinity(), NULL, NULL, true), " +
                "(NULL, NULL, 6, NULL, 5.01, NULL, 5, TIMESTAMP '2026-01-01 00:00:00.000001', DATE '2026-01-01', true), " +
                "(NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)", 4);
        assertRefresh("mv_g1", "AGGREGATE_MERGE", "NONE");
    }

    @Test
    void testGlobalAggregate()
    {
        assertUpdate("CREATE TABLE gg (v bigint)");
        assertUpdate("CREATE MATERIALIZED VIEW mv_gg AS SELECT count(*) c, sum(v) s, max(v) m FROM gg");
        oracle.assertExact("mv_gg");
        assertUpdate("INSERT INTO gg VALUES 1", 1);
        assertRefresh("mv_gg", "AGGREGATE_MERGE", "NONE");
        assertUpdate("DELETE FROM gg", 1);
        assertRefresh("mv_gg", "FULL_REFRESH", "STATE_NOT_SUBTRACTABLE");
        assertQuery("SELECT * FROM mv_gg", "VALUES (0, NULL, NULL)");
        assertUpdate("INSERT INTO gg VALUES 4", 1);
        assertRefresh("mv_gg", "AGGREGATE_MERGE", "NONE");
    }

    @Test
    void testGroupingSets()
    {
        assertUpdate("CREATE TABLE gs (a varchar, b integer, v bigint, d decimal(10, 2))");
        assertUpdate("CREATE MATERIALIZED VIEW mv_rollup AS SELECT a, b, grouping(a, b) g, count(*) n, sum(v) s, avg(d) m FROM gs WHERE v <> 13 GROUP BY ROLLUP (a, b)");
        assertUpdate("CREATE MATERIALIZED VIEW mv_cube AS SELECT coalesce(a, 'all') k, b % 2 h, sum(d) s FROM gs GROUP BY b % 2, CUBE (a, v) HAVING count(*) > 1");
        assertUpdate("CREATE MATERIALIZED VIEW mv_sets AS SELECT a, b, count(DISTINCT v) n, max(v) m FROM gs GROUP BY GROUPING SETS ((a), (b), (a))");
        assertQuery("SELECT * FROM mv_rollup", "VALUES (NULL, NULL, 3, 0, NULL, NULL)");
        assertUpdate("INSERT INTO gs VALUES ('x', 1, 10, 1.5), ('x', NULL, 20, 2.5), (NULL, 1, NULL, NULL), ('y', 2, 13, 1)", 4);
        assertGroupingSets("AGGREGATE_MERGE");
        assertUpdate("INSERT INTO gs VALUES ('x', 1, 11, 0.5), ('z', 4, 20, 2.5), (NULL, NULL, 5, NULL), (NULL, 1, 6, 6)", 4);
        assertGroupingSets("AGGREGATE_MERGE");
        assertUpdate("DELETE FROM gs WHERE a = 'z' OR v = 10", 2);
        assertGroupingSets("AGGREGATE_MERGE");
        assertUpdate("UPDATE gs SET a = 'x', d = 9 WHERE a IS NULL", 3);
        assertGroupingSets("AGGREGATE_MERGE");
        assertUpdate("DELETE FROM gs", 6);
        assertGroupingSets("AGGREGATE_MERGE");
        assertQuery("SELECT * FROM mv_rollup", "VALUES (NULL, NULL, 3, 0, NULL, NULL)");
        assertUpdate("INSERT INTO gs VALUES ('x', 1, 10, 1.5)", 1);
        assertGroupingSets("AGGREGATE_MERGE");
    }

    private void assertGroupingSets(String strategy)
    {
        assertRefresh("mv_rollup", strategy, "NONE");
        assertRefresh("mv_cube", strategy, "NONE");
        assertRefresh("mv_sets", "GROUP_RECOMPUTE", "NONE");
    }

    @Test
    void testHaving()
    {
        assertUpdate("CREATE TABLE h1 (id bigint, k varchar)");
        assertUpdate("INSERT INTO h1 VALUES (1, 'a')", 1);
        assertUpdate("CREATE MATERIALIZED VIEW mv_h1 AS SELECT k, count(*) c FROM h1 GROUP BY k HAVING count(*) >= 2");
        assertQueryReturnsEmptyResult("SELECT * FROM mv_h1");
        assertUpdate("INSERT INTO h1 VALUES (2, 'a'), (3, 'b')", 2);
        assertRefresh("mv_h1", "AGGREGATE_MERGE", "NONE");
        assertQuery("SELECT * FROM mv_h1", "VALUES ('a', 2)");
        assertQuery("SELECT count(*) FROM mv_h1", "VALUES 1");
        assertUpdate("INSERT INTO h1 VALUES (4, 'b')", 1);
        assertRefresh("mv_h1", "AGGREGATE_MERGE", "NONE");
        assertQuery("SELECT * FROM mv_h1", "VALUES ('a', 2), ('b', 2)");
    }

    @Test
    void testMergeIntoLargeView()
    {
        assertUpdate("CREATE TABLE big AS SELECT orderkey AS k, totalprice AS p, CAST(totalprice AS decimal(18, 2)) AS d FROM tpch.sf1.orders LIMIT 150000", 150000);
        assertUpdate("CREATE MATERIALIZED VIEW mv_big AS SELECT k, count(*) c, sum(d) s, max(p) m FROM big GROUP BY k");
        computeActual("INSERT INTO big SELECT k, p + 1, d + 1 FROM big WHERE k % 1000 = 1");
        assertUpdate("INSERT INTO big VALUES (NULL, 1, 1), (-5, 2, 2)", 2);
        assertRefresh("mv_big", "AGGREGATE_MERGE", "NONE");
        assertUpdate("INSERT INTO big VALUES (NULL, 1, 1), (-5, 2, 2)", 2);
        assertRefresh("mv_big", "AGGREGATE_MERGE", "NONE");
        assertUpdate("INSERT INTO big VALUES (-6, 1, 1), (-5, 2, 2)", 2);
        assertRefresh("mv_big", "AGGREGATE_MERGE", "NONE");
        for (int i = 2; i < 5; i++) {
            // the same data file loses rows again and again
            computeActual("INSERT INTO big SELECT k, p + 1, d + 1 FROM big WHERE k % 1000 = " + i);
            assertRefresh("mv_big", "AGGREGATE_MERGE", "NONE");
        }
    }
}
