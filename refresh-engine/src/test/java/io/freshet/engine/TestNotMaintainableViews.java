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

import org.junit.jupiter.api.Test;

import static io.freshet.engine.ViewFixture.compile;
import static io.freshet.engine.ViewFixture.notMaintainable;
import static org.assertj.core.api.Assertions.assertThat;

final class TestNotMaintainableViews
{
    @Test
    void testAggregates()
    {
        notMaintainable("SELECT\n  count(*),\n           array_agg(a) FROM t")
                .because(RefusalCode.NON_MERGEABLE_AGGREGATE, 3, 12)
                .saying("array_agg at 3:12 without GROUP BY needs all rows");
        notMaintainable("SELECT approx_distinct(a) FROM t").because(RefusalCode.NON_MERGEABLE_AGGREGATE, 1, 8);
        notMaintainable("SELECT max_by(a, b) FROM t").because(RefusalCode.NON_MERGEABLE_AGGREGATE, 1, 8);
        notMaintainable("SELECT min(a, 2) FROM t").because(RefusalCode.NON_MERGEABLE_AGGREGATE, 1, 8);
        notMaintainable("SELECT arbitrary(a) FROM t").because(RefusalCode.NON_MERGEABLE_AGGREGATE, 1, 8);
        notMaintainable("SELECT count(DISTINCT a) FROM t").because(RefusalCode.DISTINCT_AGGREGATE, 1, 8);
        notMaintainable("SELECT sum(DISTINCT a) FROM t GROUP BY ()").because(RefusalCode.DISTINCT_AGGREGATE, 1, 8);
        notMaintainable("SELECT sum(a ORDER BY b) FROM t").because(RefusalCode.ORDERED_AGGREGATE, 1, 8);
        notMaintainable("SELECT listagg(c, ',') WITHIN GROUP (ORDER BY c) FROM t").because(RefusalCode.NON_MERGEABLE_AGGREGATE, 1, 8);
        notMaintainable("SELECT a, count(*) FROM t GROUP BY c").because(RefusalCode.UNSUPPORTED_SYNTAX, 1, 8);
        notMaintainable("SELECT c, count(*) FROM t GROUP BY 3").because(RefusalCode.UNSUPPORTED_SYNTAX, 1, 36);
    }

    @Test
    void testGrouping()
    {
        notMaintainable("SELECT c, count(DISTINCT a) FROM t GROUP BY ROLLUP (c)").because(RefusalCode.GROUPING_SETS, 1, 11);
        notMaintainable("SELECT grouping(a) FROM t GROUP BY c").because(RefusalCode.GROUPING_SETS, 1, 8);
        notMaintainable("SELECT count(*) FROM t GROUP BY CUBE (a, b, c, a, b, c, a)").because(RefusalCode.PROGRAM_TOO_LARGE, 1, 33);
        notMaintainable("SELECT sum(n) FROM (SELECT sum(d) n FROM t GROUP BY c)").because(RefusalCode.NESTED_AGGREGATION, 1, 28);
        notMaintainable("SELECT sum(n) FROM (SELECT avg(a) n FROM t GROUP BY c)").because(RefusalCode.NESTED_AGGREGATION, 1, 28);
        notMaintainable("SELECT count(*) FROM (SELECT array_agg(a) a FROM t GROUP BY c)").because(RefusalCode.NESTED_AGGREGATION, 1, 30);
        notMaintainable("SELECT c, max_by(a, b) FROM t GROUP BY c UNION ALL SELECT c, a FROM t").because(RefusalCode.NESTED_AGGREGATION, 1, 11);
    }

    @Test
    void testRelations()
    {
        notMaintainable("SELECT c FROM t NATURAL JOIN u").because(RefusalCode.JOIN, 1, 15);
        notMaintainable("SELECT u.x FROM t LEFT JOIN u ON t.a < u.a").because(RefusalCode.NON_EQUI_OUTER_JOIN, 1, 29);
        notMaintainable("SELECT tag FROM sales CROSS JOIN UNNEST(tags) AS x (tag)").because(RefusalCode.UNNEST, 1, 34);
        notMaintainable("SELECT x FROM UNNEST(ARRAY[1]) AS y (x)").because(RefusalCode.UNNEST, 1, 15);
        notMaintainable("SELECT 1").because(RefusalCode.NO_SOURCE, 1, 1);
        notMaintainable("VALUES 1").because(RefusalCode.VALUES, 1, 1);
        notMaintainable("SELECT a FROM t UNION ALL VALUES 1").because(RefusalCode.VALUES, 1, 27);
        notMaintainable("SELECT x FROM (VALUES 1) AS y (x)").because(RefusalCode.VALUES, 1, 16);
        notMaintainable("SELECT a FROM missing").because(RefusalCode.MISSING_SOURCE, 1, 15);
        notMaintainable("SELECT a FROM other.s.f").because(RefusalCode.FOREIGN_SOURCE, 1, 15);
        notMaintainable("SELECT a FROM v").because(RefusalCode.LOGICAL_VIEW_SOURCE, 1, 15);
        notMaintainable("SELECT content FROM \"t$files\"").because(RefusalCode.METADATA_TABLE_SOURCE, 1, 21);
        notMaintainable("SELECT a FROM t FOR VERSION AS OF 7").because(RefusalCode.TIME_TRAVEL_SOURCE, 1, 15);
        notMaintainable("SELECT a FROM t FOR TIMESTAMP AS OF TIMESTAMP '2026-01-01 00:00:00'").because(RefusalCode.TIME_TRAVEL_SOURCE, 1, 15);
        notMaintainable("SELECT n FROM TABLE(sequence(1, 3)) AS x (n)").because(RefusalCode.TABLE_FUNCTION, 1, 21);
        notMaintainable("SELECT a FROM t TABLESAMPLE BERNOULLI (10)").because(RefusalCode.NONDETERMINISTIC_FUNCTION, 1, 15);
        notMaintainable("WITH RECURSIVE x (n) AS (SELECT a FROM t UNION ALL SELECT n + 1 FROM x WHERE n < 5) SELECT n FROM x")
                .because(RefusalCode.RECURSIVE_QUERY, 1, 1);
    }

    @Test
    void testSetOperations()
    {
        notMaintainable("SELECT a FROM t INTERSECT SELECT a FROM u").because(RefusalCode.SET_OPERATION, 1, 17);
        notMaintainable("SELECT a FROM t EXCEPT ALL SELECT a FROM u").because(RefusalCode.SET_OPERATION, 1, 17);
        notMaintainable("SELECT a FROM t UNION SELECT b FROM t UNION ALL SELECT a FROM u").because(RefusalCode.SET_OPERATION, 1, 17);
        notMaintainable("SELECT a FROM t UNION ALL (SELECT b FROM t EXCEPT SELECT a FROM u)").because(RefusalCode.SET_OPERATION, 1, 44);
    }

    @Test
    void testPresentation()
    {
        notMaintainable("SELECT a FROM t LIMIT 5").because(RefusalCode.LIMIT, 1, 17);
        notMaintainable("SELECT a FROM t ORDER BY a LIMIT 2").because(RefusalCode.LIMIT, 1, 28);
        notMaintainable("SELECT a FROM t OFFSET 2 ROWS").because(RefusalCode.LIMIT, 1, 17);
        notMaintainable("SELECT a FROM t FETCH FIRST 2 ROWS ONLY").because(RefusalCode.LIMIT, 1, 17);
        notMaintainable("SELECT a FROM (SELECT a FROM t LIMIT 3)").because(RefusalCode.LIMIT, 1, 32);
        notMaintainable("SELECT 1 FROM t ORDER BY count(*)").because(RefusalCode.ORDER_BY, 1, 17);
    }

    @Test
    void testExpressions()
    {
        notMaintainable("SELECT t.a FROM t LEFT JOIN u USING (a)").because(RefusalCode.AMBIGUOUS_NAME, 1, 8);
        notMaintainable("SELECT a FROM t WHERE a IN (SELECT a FROM u) OR b > 1").because(RefusalCode.SUBQUERY, 1, 25);
        notMaintainable("SELECT a FROM t WHERE a NOT IN (SELECT a FROM u)").because(RefusalCode.NULLABLE_NOT_IN, 1, 23);
        notMaintainable("SELECT k FROM strict WHERE k NOT IN (SELECT v FROM strict)").because(RefusalCode.NULLABLE_NOT_IN, 1, 38);
        notMaintainable("SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a > t.a)").because(RefusalCode.SUBQUERY, 1, 31);
        notMaintainable("SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u)").because(RefusalCode.SUBQUERY, 1, 31);
        notMaintainable("SELECT a FROM t WHERE EXISTS (SELECT count(*) FROM u WHERE u.a = t.a)").because(RefusalCode.SUBQUERY, 1, 31);
        notMaintainable("SELECT a FROM t WHERE (a, b) IN (SELECT a, a FROM u)").because(RefusalCode.SUBQUERY, 1, 23);
        notMaintainable("SELECT a FROM t WHERE a > ALL (SELECT a FROM u)").because(RefusalCode.SUBQUERY, 1, 25);
        notMaintainable("SELECT a FROM t WHERE a > (SELECT count(*) FROM u WHERE u.a = t.a)").because(RefusalCode.SUBQUERY, 1, 28);
        notMaintainable("SELECT a FROM t WHERE a > (SELECT coalesce(max(u.a), 0) FROM u WHERE u.a = t.a)").because(RefusalCode.SUBQUERY, 1, 28);
        notMaintainable("SELECT a FROM t WHERE a > (SELECT max(u.a) FROM u WHERE u.a < t.a)").because(RefusalCode.SUBQUERY, 1, 28);
        notMaintainable("SELECT a FROM t WHERE a = (SELECT a FROM u)").because(RefusalCode.SUBQUERY, 1, 28);
        notMaintainable("SELECT a, (SELECT max(a) FROM u) FROM t").because(RefusalCode.SUBQUERY, 1, 11);
        notMaintainable("SELECT a, row_number() OVER (ORDER BY a) FROM t").because(RefusalCode.WINDOW_FUNCTION, 1, 11);
        notMaintainable("SELECT sum(a) OVER (PARTITION BY c), sum(b) OVER (PARTITION BY a) FROM t").because(RefusalCode.WINDOW_FUNCTION, 1, 38);
        notMaintainable("SELECT sum(sum(a)) OVER (PARTITION BY c) FROM t GROUP BY c").because(RefusalCode.WINDOW_FUNCTION, 1, 8);
        notMaintainable("SELECT DISTINCT row_number() OVER (PARTITION BY c ORDER BY a) FROM t").because(RefusalCode.WINDOW_FUNCTION, 1, 17);
        notMaintainable("SELECT c, max(n) FROM (SELECT c, sum(d) OVER (PARTITION BY c) n FROM t) GROUP BY c").because(RefusalCode.WINDOW_FUNCTION, 1, 34);
        notMaintainable("SELECT a FROM t UNION ALL SELECT sum(a) OVER (PARTITION BY c ORDER BY b ROWS UNBOUNDED PRECEDING) FROM t").because(RefusalCode.WINDOW_FUNCTION, 1, 34);
        notMaintainable("SELECT a + row_number() OVER (PARTITION BY random() ORDER BY a) FROM t").because(RefusalCode.NONDETERMINISTIC_FUNCTION, 1, 44);
        notMaintainable("SELECT sum(a) OVER w FROM t WINDOW w AS (PARTITION BY c)").because(RefusalCode.WINDOW_FUNCTION, 1, 36);
        notMaintainable("SELECT \"$path\" FROM t").because(RefusalCode.HIDDEN_COLUMN, 1, 8);
        notMaintainable("SELECT t.\"$path\" FROM t").because(RefusalCode.HIDDEN_COLUMN, 1, 8);
        notMaintainable("SELECT nowhere FROM t").because(RefusalCode.AMBIGUOUS_NAME, 1, 8);
        notMaintainable("SELECT x.a FROM t").because(RefusalCode.AMBIGUOUS_NAME, 1, 8);
        notMaintainable("SELECT p FROM (SELECT a p, b p FROM t)").because(RefusalCode.AMBIGUOUS_NAME, 1, 8);
        notMaintainable("SELECT s.t.a FROM t").because(RefusalCode.AMBIGUOUS_NAME, 1, 8);
    }

    @Test
    void testFunctions()
    {
        notMaintainable("SELECT a, now() FROM t").because(RefusalCode.TIME_DEPENDENT_FUNCTION, 1, 11);
        notMaintainable("SELECT a FROM t WHERE current_date > DATE '2020-01-01'").because(RefusalCode.TIME_DEPENDENT_FUNCTION, 1, 23);
        notMaintainable("SELECT a, localtimestamp FROM t").because(RefusalCode.TIME_DEPENDENT_FUNCTION, 1, 11);
        notMaintainable("SELECT current_timestamp(3) FROM t").because(RefusalCode.TIME_DEPENDENT_FUNCTION, 1, 8);
        notMaintainable("SELECT a, random() FROM t").because(RefusalCode.NONDETERMINISTIC_FUNCTION, 1, 11);
        notMaintainable("SELECT uuid() FROM t").because(RefusalCode.NONDETERMINISTIC_FUNCTION, 1, 8);
        notMaintainable("SELECT shuffle(ARRAY[a]) FROM t").because(RefusalCode.NONDETERMINISTIC_FUNCTION, 1, 8);
        notMaintainable("SELECT current_user FROM t").because(RefusalCode.SESSION_DEPENDENT_FUNCTION, 1, 8);
        notMaintainable("SELECT current_catalog FROM t").because(RefusalCode.SESSION_DEPENDENT_FUNCTION, 1, 8);
        notMaintainable("SELECT my_function(a) FROM t").because(RefusalCode.UNKNOWN_FUNCTION, 1, 8);
        notMaintainable("SELECT lake.s.lower(c) FROM t").because(RefusalCode.UNKNOWN_FUNCTION, 1, 8);
        notMaintainable("SELECT CAST(tm AS timestamp(3)) FROM sales").because(RefusalCode.TIME_DEPENDENT_FUNCTION, 1, 8);
        notMaintainable("SELECT CAST(x.p AS timestamp(3) with time zone) FROM (SELECT coalesce(tm, TIME '10:00:00') p FROM sales) x")
                .because(RefusalCode.TIME_DEPENDENT_FUNCTION, 1, 8);
        notMaintainable("SELECT CAST(CAST(c AS time) AS timestamp) FROM t").because(RefusalCode.TIME_DEPENDENT_FUNCTION, 1, 8);
        notMaintainable("SELECT tm AT TIME ZONE 'UTC' FROM sales").because(RefusalCode.TIME_DEPENDENT_FUNCTION, 1, 11);
    }

    @Test
    void testUnparsable()
    {
        CompiledView view = compile("SELECT FROM WHERE");
        assertThat(view.maintenance()).isInstanceOf(Maintenance.NotMaintained.class);
        assertThat(((Maintenance.NotMaintained) view.maintenance()).refusal().code()).isEqualTo(RefusalCode.UNPARSABLE);
        assertThat(view.volatility()).isInstanceOf(Volatility.Volatile.class);
        assertThat(view.expandedSql()).isEqualTo("SELECT FROM WHERE");
        assertThat(compile("DROP TABLE t").maintenance()).isInstanceOf(Maintenance.NotMaintained.class);
    }

    @Test
    void testInlineFunction()
    {
        notMaintainable("WITH FUNCTION f(x integer) RETURNS integer RETURN x + 1 SELECT f(a) FROM t")
                .because(RefusalCode.UNSUPPORTED_SYNTAX, 1, 1);
    }
}
