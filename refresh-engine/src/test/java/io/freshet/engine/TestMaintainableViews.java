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
package io.freshet.engine;

import io.freshet.engine.algebra.AggregateBlock;
import io.freshet.engine.algebra.Expand;
import io.freshet.engine.algebra.LinearBlock;
import io.freshet.engine.algebra.WindowBlock;
import org.junit.jupiter.api.Test;

import java.util.List;

import static io.freshet.engine.ViewFixture.maintainable;
import static org.assertj.core.api.Assertions.assertThat;

final class TestMaintainableViews
{
    @Test
    void testLinear()
    {
        linear("SELECT a, b FROM t");
        linear("SELECT a AS x, a + b, 'k' FROM t");
        linear("SELECT * FROM t");
        linear("SELECT t.* FROM t");
        linear("SELECT x.* FROM t AS x (p, q, r, s)");
        linear("TABLE t");
        linear("SELECT a FROM t WHERE a >= 12 AND b = 1");
        linear("SELECT a FROM s.t");
        linear("SELECT lake.s.t.a FROM lake.s.t");
        linear("SELECT s.t.a, t.b FROM lake.s.t");
        linear("SELECT A FROM T");
        linear("SELECT x.p FROM t x (p, q, r, s)");
        linear("SELECT p FROM (SELECT a + 1 AS p, b FROM t WHERE b > 0) WHERE p > 2");
        linear("SELECT p FROM (SELECT a + 1, b FROM t) AS x (p, q)");
        linear("SELECT y.p FROM ((SELECT a FROM t)) AS y (p)");
        linear("SELECT a FROM t ORDER BY a");
        linear("SELECT a FROM t ORDER BY b, lower(c) DESC");
        linear("SELECT a FROM (SELECT a FROM t ORDER BY 1)");
    }

    @Test
    void testWindows()
    {
        for (String sql : List.of(
                "SELECT a, row_number() OVER (PARTITION BY c ORDER BY a DESC NULLS LAST) FROM t",
                "SELECT sum(a) OVER (PARTITION BY c ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t",
                "SELECT CAST(lag(a, 1) IGNORE NULLS OVER (PARTITION BY c, b ORDER BY a) AS varchar) || c, rank() OVER (PARTITION BY b, c ORDER BY a) FROM t",
                "SELECT * FROM (SELECT a, row_number() OVER (PARTITION BY c % 2 ORDER BY a) n FROM (SELECT a, b AS c FROM t)) WHERE n < 3")) {
            assertThat(ViewFixture.maintainable(sql, names(sql))).as(sql).isInstanceOf(WindowBlock.class);
        }
        WindowBlock block = (WindowBlock) ViewFixture.maintainable("SELECT rank() OVER (PARTITION BY c, b ORDER BY a) FROM t");
        assertThat(block.keys()).hasSize(2);
        assertThat(block.input().columns()).containsExactly("a", "b", "c");
    }

    private static String[] names(String sql)
    {
        return sql.startsWith("SELECT sum") ? new String[] {"p"} : new String[] {"p", "q"};
    }

    @Test
    void testNamedQueries()
    {
        linear("WITH x AS (SELECT a FROM t) SELECT a FROM x");
        linear("WITH x (p, q) AS (SELECT a, b FROM t), y AS (SELECT p FROM x WHERE q > 0) SELECT p FROM y");
        linear("WITH t AS (SELECT x AS a FROM u) SELECT a FROM t");
        linear("WITH x AS (SELECT a FROM t) SELECT a FROM (WITH x AS (SELECT b FROM t) SELECT b AS a FROM x)");
        linear("WITH x AS (SELECT a FROM t) SELECT a FROM x UNION ALL SELECT a + 1 FROM x");
        linear("WITH unused AS (SELECT array_agg(a) q FROM t) SELECT a FROM t");
    }

    @Test
    void testUnionAll()
    {
        linear("SELECT a FROM t UNION ALL SELECT a FROM u");
        linear("SELECT a FROM t UNION ALL SELECT b FROM t UNION ALL SELECT a FROM u");
        linear("SELECT a + 1 FROM (SELECT a FROM t UNION ALL SELECT a FROM u)");
        linear("(SELECT a FROM t) UNION ALL (SELECT a FROM u)");
        linear("SELECT a, x FROM u UNION ALL TABLE u", "p", "q");
        linear("SELECT z.k FROM (SELECT a FROM t UNION ALL (SELECT a FROM u UNION ALL SELECT b FROM t)) AS z (k)");
    }

    @Test
    void testExpressions()
    {
        linear("SELECT CASE WHEN a > 1 THEN 'x' ELSE c END, CASE a WHEN 1 THEN 2 END FROM t");
        linear("SELECT coalesce(a, b), nullif(a, b), if(a > 1, 2, 3), try(a / b) FROM t");
        linear("SELECT CAST(a AS varchar(10)), TRY_CAST(c AS bigint), CAST(ts AS timestamp(3)) FROM sales, t".replace("sales, t", "(SELECT qty a, region c, ts FROM sales)"));
        linear("SELECT a BETWEEN 1 AND 2, a IN (1, 2), a NOT IN (3), c LIKE 'x%' ESCAPE '!', a IS NULL, a IS DISTINCT FROM b FROM t");
        linear("SELECT a IS NOT NULL, (a > 1) IS TRUE, NOT (a = b OR a <> b) FROM t");
        linear("SELECT ARRAY[a, b], ROW(a, b), ARRAY[a][1], map(ARRAY['x'], ARRAY[a]) FROM t");
        linear("SELECT EXTRACT(YEAR FROM day), date_trunc('month', day), ts AT TIME ZONE 'UTC', tz AT LOCAL FROM sales");
        linear("SELECT format('%s', a), trim(BOTH 'x' FROM c), substring(c, 1, 2), position('x' IN c) FROM t");
        linear("SELECT INTERVAL '1' DAY + day, DATE '2020-01-01', X'65', 1.5, 1e0, -qty, date(from_unixtime(price)) FROM sales");
        linear("SELECT transform(tags, x -> upper(x)), filter(tags, region -> region <> 'x'), reduce(tags, 0, (s, x) -> s + 1, s -> s) FROM sales");
        linear("SELECT json_value(c, 'strict $.a'), json_exists(c, 'lax $.b') FROM t");
    }

    @Test
    void testRowsAndNames()
    {
        linear("SELECT info.x FROM sales");
        linear("SELECT sales.info.x, s.sales.info.region FROM lake.s.sales");
        linear("SELECT info.x FROM (SELECT info FROM sales) info");
        linear("SELECT x.info.x FROM sales AS x");
        linear("SELECT transform(tags, info -> info || region) FROM sales");
        linear("SELECT transform(ARRAY[info], i -> i.x) FROM sales");
        linear("SELECT \"group\", \"select.x\" FROM \"mixed \"\"q.n\u00e4me\"\"\"");
        linear("SELECT m.\"\u00dc\" FROM \"Mixed \"\"Q.N\u00e4me\"\"\" AS m");
    }

    @Test
    void testAggregates()
    {
        aggregate("SELECT c, count(*) FROM t GROUP BY c");
        aggregate("SELECT c, count(a), sum(a), avg(a), min(a), max(a) FROM t GROUP BY c");
        aggregate("SELECT c, count_if(a > 1), bool_and(a > 1), every(a > 2), bool_or(b > 1) FROM t GROUP BY c");
        aggregate("SELECT c, count(*) FILTER (WHERE a > 1), sum(b) FILTER (WHERE a > 1) FROM t GROUP BY c");
        aggregate("SELECT c, sum(a) / count(*) + 1, coalesce(max(b), 0) FROM t GROUP BY c");
        aggregate("SELECT count(*) FROM t");
        aggregate("SELECT count(*), 'x' FROM t GROUP BY ()");
        aggregate("SELECT sum(a) FROM t WHERE b > 1");
        aggregate("SELECT 1 FROM t HAVING count(*) > 1");
        aggregate("SELECT sum(a) FROM t GROUP BY c");
        aggregate("SELECT c FROM t GROUP BY c");
        aggregate("SELECT count(*) FROM (SELECT a FROM t UNION ALL SELECT a FROM u)");
        aggregate("SELECT p, count(*) FROM (SELECT a + 1 p FROM t) GROUP BY p");
        aggregate("SELECT c, count(*) n FROM t GROUP BY c ORDER BY count(*) DESC");
    }

    @Test
    void testKeys()
    {
        aggregate("SELECT c, count(*) FROM t GROUP BY 1");
        aggregate("SELECT 'all' g, count(*) c FROM t GROUP BY 1");
        aggregate("SELECT a % 2 p, c, count(*) FROM t GROUP BY 2, 1");
        aggregate("SELECT a + 1, count(*) FROM t GROUP BY a + 1");
        aggregate("SELECT (a + 1) * 2, count(*) FROM t GROUP BY a + 1");
        aggregate("SELECT t.c, count(*) FROM t GROUP BY c");
        aggregate("SELECT C, count(*) FROM t GROUP BY T.c");
        aggregate("SELECT x.c || 'x', count(*) FROM t x GROUP BY c");
        aggregate("SELECT c, a, count(*) FROM t GROUP BY (c, a)");
        aggregate("SELECT c, count(*) FROM t GROUP BY c, c");
        aggregate("SELECT c, count(*) FROM t GROUP BY c, ()");
        aggregate("SELECT c, count(*) FROM t GROUP BY AUTO");
        aggregate("SELECT date_trunc('month', day) m, sum(qty) s FROM sales GROUP BY 1");
        aggregate("SELECT info.x, count(*) FROM sales GROUP BY info.x");
        aggregate("SELECT info.x + 1, count(*) FROM sales GROUP BY info");
        aggregate("SELECT transform(tags, x -> x || region), count(*) FROM sales GROUP BY tags, region");
    }

    @Test
    void testGroupingSets()
    {
        aggregate("SELECT c, count(*) FROM t GROUP BY ROLLUP (c)");
        aggregate("SELECT c, a, count(*) FROM t GROUP BY CUBE (c, a)", "c", "a", "n");
        aggregate("SELECT c, a, count(DISTINCT b) FROM t GROUP BY GROUPING SETS ((c), (a))", "c", "a", "n");
        aggregate("SELECT a + 1, c, grouping(c, b), sum(b) FROM t GROUP BY a + 1, ROLLUP (c, b) HAVING grouping(c) = 0", "a", "c", "g", "s");
        aggregate("SELECT c, grouping(c) FROM t GROUP BY c");
        AggregateBlock block = (AggregateBlock) maintainable("SELECT count(*) FROM t GROUP BY DISTINCT ROLLUP ((c, a), b), CUBE (c)");
        assertThat(block.input()).isInstanceOfSatisfying(Expand.class, expand -> assertThat(expand.copies()).isEqualTo(4));
        assertThat(block.keys()).hasSize(4);
        assertThat(block.emptySets()).containsExactly(3);
    }

    @Test
    void testHaving()
    {
        aggregate("SELECT c, count(*) FROM t GROUP BY c HAVING count(*) >= 2");
        aggregate("SELECT c FROM t GROUP BY c HAVING sum(a) > 10 AND c <> 'x'");
        aggregate("SELECT k, n FROM (SELECT c k, count(*) n FROM t GROUP BY c) WHERE n > 1");
        aggregate("WITH g AS (SELECT c k, sum(a) s, count(*) n FROM t GROUP BY c) SELECT k, s / n FROM g");
        aggregate("SELECT k FROM (SELECT c k, count(*) n FROM t GROUP BY c HAVING count(*) > 1) x WHERE 10 / (x.n - 1) > 2");
    }

    @Test
    void testDistinct()
    {
        aggregate("SELECT DISTINCT c FROM t");
        aggregate("SELECT DISTINCT a + b, c FROM t WHERE a > 1");
        aggregate("SELECT DISTINCT a, a FROM t");
        aggregate("SELECT DISTINCT c, count(*) FROM t GROUP BY c");
        aggregate("SELECT DISTINCT count(*) FROM t");
        aggregate("SELECT a FROM t UNION SELECT a FROM u");
        aggregate("SELECT a FROM t UNION ALL SELECT b FROM t UNION SELECT a FROM u");
        aggregate("SELECT a FROM t UNION SELECT b FROM t UNION SELECT a FROM u");
        aggregate("SELECT x.v + 1 FROM (SELECT a v FROM t UNION SELECT a FROM u) x");
    }

    private static void linear(String sql, String... names)
    {
        assertThat(maintainable(sql, names)).as(sql).isInstanceOf(LinearBlock.class);
    }

    private static void aggregate(String sql, String... names)
    {
        assertThat(maintainable(sql, names)).as(sql).isInstanceOf(AggregateBlock.class);
    }
}
