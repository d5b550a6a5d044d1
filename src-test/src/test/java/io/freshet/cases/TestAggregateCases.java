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

/** Cases of kind "aggregate": MV-038 to MV-053. */
final class TestAggregateCases
        extends AbstractCases
{
    @Test
    void testMv038SumOfNothingIsNull()
    {
        execute("CREATE TABLE mv038_t (k integer, v bigint)");
        execute("INSERT INTO mv038_t VALUES (6, 8), (6, NULL)");
        CaseView view = view("mv038", "SELECT k, count(*) c, count(v) cv, sum(v) s, avg(v) a, min(v) mn, max(v) mx FROM mv038_t GROUP BY k")
                .rows("(6, 2, 1, 8, 8e0, 8, 8)");
        execute("DELETE FROM mv038_t WHERE v = 8");
        view.refresh("GROUP_RECOMPUTE")
                .rows("(6, BIGINT '1', BIGINT '0', CAST(NULL AS bigint), CAST(NULL AS double), CAST(NULL AS bigint), CAST(NULL AS bigint))");
        execute("INSERT INTO mv038_t VALUES (6, NULL), (7, NULL)");
        view.refresh("AGGREGATE_MERGE")
                .rows("(6, 2, 0, NULL, CAST(NULL AS double), NULL, NULL), (7, 1, 0, NULL, NULL, NULL, NULL)");
        execute("INSERT INTO mv038_t VALUES (7, -3)");
        view.refresh("AGGREGATE_MERGE")
                .rows("(6, 2, 0, NULL, CAST(NULL AS double), NULL, NULL), (7, 2, 1, -3, -3e0, -3, -3)");
    }

    @Test
    void testMv039CountOfColumn()
    {
        execute("CREATE TABLE mv039_t (k integer, v bigint)");
        execute("INSERT INTO mv039_t VALUES (1, NULL), (1, 5)");
        CaseView view = view("mv039", "SELECT k, count(*) c, count(v) cv FROM mv039_t GROUP BY k")
                .rows("(1, 2, 1)");
        execute("INSERT INTO mv039_t VALUES (1, NULL), (1, 6)");
        view.refresh("AGGREGATE_MERGE").rows("(1, 4, 2)");
        execute("DELETE FROM mv039_t WHERE v IS NULL");
        view.refresh("AGGREGATE_MERGE").rows("(1, 2, 2)");
    }

    @Test
    void testMv040EmptiedGroupComesBack()
    {
        execute("CREATE TABLE mv040_t (id bigint, k varchar)");
        execute("INSERT INTO mv040_t VALUES (1, 'm'), (2, 'm'), (3, 'n')");
        CaseView view = view("mv040", "SELECT k, count(*) c, max(id) x FROM mv040_t GROUP BY k")
                .rows("('m', 2, 2), ('n', 1, 3)");
        execute("DELETE FROM mv040_t WHERE id = 1");
        view.refresh("GROUP_RECOMPUTE").rows("('m', 1, 2), ('n', 1, 3)");
        execute("DELETE FROM mv040_t WHERE id = 2");
        view.refresh("GROUP_RECOMPUTE").rows("('n', 1, 3)");
        execute("INSERT INTO mv040_t VALUES (9, 'm')");
        view.refresh("AGGREGATE_MERGE").rows("('m', 1, 9), ('n', 1, 3)");
    }

    @Test
    void testMv041GlobalAggregateKeepsItsRow()
    {
        execute("CREATE TABLE mv041_t (v bigint)");
        execute("INSERT INTO mv041_t VALUES 1");
        CaseView view = view("mv041", "SELECT count(*) c, sum(v) s, max(v) m FROM mv041_t");
        CaseView empty = view("mv041_empty", "SELECT count(*) c, sum(v) s, max(v) m FROM mv041_t GROUP BY ()");
        view.rows("(1, 1, 1)");
        empty.rows("(1, 1, 1)");
        execute("DELETE FROM mv041_t");
        view.refreshInFull("STATE_NOT_SUBTRACTABLE").rows("(0, CAST(NULL AS bigint), CAST(NULL AS bigint))");
        empty.refreshInFull("STATE_NOT_SUBTRACTABLE").rows("(0, CAST(NULL AS bigint), CAST(NULL AS bigint))");
        view.refreshNothing();
        execute("INSERT INTO mv041_t VALUES 4");
        view.refresh("AGGREGATE_MERGE").rows("(1, 4, 4)");
        empty.refresh("AGGREGATE_MERGE").rows("(1, 4, 4)");
    }

    @Test
    void testMv042LargeDoublesSwallowSmallOnes()
    {
        execute("CREATE TABLE mv042_t (id integer, k integer, v double)");
        execute("INSERT INTO mv042_t VALUES (1, 1, 1e16), (2, 1, 1)");
        CaseView view = view("mv042", "SELECT k, sum(v) s, avg(v) a FROM mv042_t GROUP BY k");
        execute("DELETE FROM mv042_t WHERE id = 1");
        view.refresh("GROUP_RECOMPUTE").rows("(1, 1e0, 1e0)");
        execute("DELETE FROM mv042_t WHERE id = 2");
        view.refresh("GROUP_RECOMPUTE").noRows();
    }

    @Test
    void testMv044NanAndInfinityLeaveTheSum()
    {
        execute("CREATE TABLE mv044_t (id integer, k integer, v double)");
        execute("INSERT INTO mv044_t VALUES (1, 1, nan()), (2, 1, 2), (3, 2, infinity()), (4, 2, 5)");
        CaseView view = view("mv044", "SELECT k, sum(v) s FROM mv044_t GROUP BY k")
                .rows("(1, nan()), (2, infinity())");
        execute("INSERT INTO mv044_t VALUES (5, 2, -infinity()), (6, 3, nan())");
        view.refresh("AGGREGATE_MERGE").rows("(1, nan()), (2, nan()), (3, nan())");
        execute("DELETE FROM mv044_t WHERE id IN (1, 3, 5, 6)");
        view.refresh("GROUP_RECOMPUTE").rows("(1, 2e0), (2, 5e0)");
    }

    @Test
    void testMv045AverageIsNotRebuiltFromTheAverage()
    {
        execute("CREATE TABLE mv045_t (k integer, v decimal(10, 2))");
        execute("INSERT INTO mv045_t VALUES (1, 1.00), (1, 1.00), (1, 1.01)");
        CaseView view = view("mv045", "SELECT k, avg(v) a FROM mv045_t GROUP BY k").rows("(1, 1.00)");
        execute("INSERT INTO mv045_t VALUES (1, 1.01), (1, 1.01)");
        view.refresh("AGGREGATE_MERGE").rows("(1, 1.01)");
        assertRows("SELECT DISTINCT typeof(a) FROM mv045", "VALUES 'decimal(10,2)'");
        // halves are rounded away from zero, as avg itself does
        execute("INSERT INTO mv045_t VALUES (2, -1.00), (2, -1.01), (3, 1.00)");
        view.refresh("AGGREGATE_MERGE").rows("(1, 1.01), (2, -1.01), (3, 1.00)");
        execute("INSERT INTO mv045_t VALUES (3, 1.01)");
        view.refresh("AGGREGATE_MERGE").rows("(1, 1.01), (2, -1.01), (3, 1.01)");
    }

    @Test
    void testMv046AverageOfDecimalAfterTheFirstMerge()
    {
        execute("CREATE TABLE mv046_t (k varchar, v decimal(12, 3))");
        execute("INSERT INTO mv046_t VALUES ('p', 1.250), ('p', 2.750), ('q', 7.000)");
        CaseView view = view("mv046", "SELECT k, avg(v) a FROM mv046_t GROUP BY k").rows("('p', 2.000), ('q', 7.000)");
        execute("INSERT INTO mv046_t VALUES ('p', 8.000), ('q', 9.000)");
        view.refresh("AGGREGATE_MERGE").rows("('p', 4.000), ('q', 8.000)");

        execute("CREATE TABLE mv046_wide (k varchar, v decimal(38, 10))");
        execute("INSERT INTO mv046_wide VALUES ('p', 1.25), ('p', 2.75), ('q', 7), ('r', DECIMAL '6000000000000000000000000000.0000000000')");
        CaseView wide = view("mv046w", "SELECT k, avg(v) a FROM mv046_wide GROUP BY k");
        execute("INSERT INTO mv046_wide VALUES ('p', 8), ('q', 9)");
        wide.refresh("AGGREGATE_MERGE")
                .rows("('p', CAST(4 AS decimal(38, 10))), ('q', CAST(8 AS decimal(38, 10))), ('r', DECIMAL '6000000000000000000000000000.0000000000')");
        // the sum is beyond every decimal, the average is not; avg itself can do it
        execute("INSERT INTO mv046_wide VALUES ('r', DECIMAL '6000000000000000000000000000.0000000000')");
        wide.refreshInFull("STATE_FAILED")
                .rows("('p', CAST(4 AS decimal(38, 10))), ('q', CAST(8 AS decimal(38, 10))), ('r', DECIMAL '6000000000000000000000000000.0000000000')");
        execute("INSERT INTO mv046_wide VALUES ('q', 11)");
        execute("DELETE FROM mv046_wide WHERE k = 'r'");
        wide.refresh("FULL_REFRESH", "STATE_LOST")
                .rows("('p', CAST(4 AS decimal(38, 10))), ('q', CAST(9 AS decimal(38, 10)))");
    }

    @Test
    void testMv048DistinctInsideAnAggregate()
    {
        execute("CREATE TABLE mv048_t (id integer, k varchar, n bigint)");
        execute("INSERT INTO mv048_t VALUES (1, 'a', 4), (2, 'a', 6), (3, 'a', 9)");
        CaseView view = view("mv048", "SELECT k, count(DISTINCT n) cd, sum(DISTINCT n) sd FROM mv048_t GROUP BY k").rows("('a', 3, 19)");
        execute("INSERT INTO mv048_t VALUES (4, 'a', 4), (5, 'a', 11)");
        view.refresh("GROUP_RECOMPUTE").rows("('a', 4, 30)");
        execute("DELETE FROM mv048_t WHERE id = 1");
        view.refresh("GROUP_RECOMPUTE").rows("('a', 4, 30)");
        execute("DELETE FROM mv048_t WHERE id = 4");
        view.refresh("GROUP_RECOMPUTE").rows("('a', 3, 26)");
    }

    @Test
    void testMv049DeletedExtreme()
    {
        execute("CREATE TABLE mv049_t (id integer, k varchar, v bigint)");
        execute("INSERT INTO mv049_t VALUES (1, NULL, 3), (2, NULL, 9), (3, 'a', 1)");
        CaseView view = view("mv049", "SELECT k, min(v) mn, max(v) mx FROM mv049_t GROUP BY k").rows("(NULL, 3, 9), ('a', 1, 1)");
        execute("DELETE FROM mv049_t WHERE id = 2");
        view.refresh("GROUP_RECOMPUTE").rows("(NULL, 3, 3), ('a', 1, 1)");
        execute("UPDATE mv049_t SET v = 5 WHERE id = 3");
        view.refresh("GROUP_RECOMPUTE").rows("(NULL, 3, 3), ('a', 5, 5)");
        execute("INSERT INTO mv049_t VALUES (4, NULL, 1), (5, 'a', 7), (6, 'b', NULL)");
        view.refresh("AGGREGATE_MERGE").rows("(NULL, 1, 3), ('a', 5, 7), ('b', NULL, NULL)");
    }

    @Test
    void testMv050HavingIsCrossedBothWays()
    {
        execute("CREATE TABLE mv050_t (id integer, k varchar)");
        execute("INSERT INTO mv050_t VALUES (1, 'a')");
        CaseView view = view("mv050", "SELECT k, count(*) c FROM mv050_t GROUP BY k HAVING count(*) >= 2").noRows();
        execute("INSERT INTO mv050_t VALUES (2, 'a')");
        view.refresh("AGGREGATE_MERGE").rows("('a', 2)");
        execute("DELETE FROM mv050_t WHERE id = 1");
        view.refresh("AGGREGATE_MERGE").noRows();
        execute("INSERT INTO mv050_t VALUES (3, 'a'), (4, 'a')");
        view.refresh("AGGREGATE_MERGE").rows("('a', 3)");

        // a group may also leave by gaining rows, and hidden rows are not counted
        CaseView small = view("mv050s", "SELECT k, count(*) c, sum(id) s FROM mv050_t GROUP BY k HAVING sum(id) < 10").rows("('a', 3, 9)");
        execute("INSERT INTO mv050_t VALUES (5, 'a'), (6, 'b')");
        small.refresh("AGGREGATE_MERGE").rows("('b', 1, 6)");
        assertRows("SELECT count(*), min(c), max(s) FROM mv050s", "VALUES (1, 1, 6)");
        execute("INSERT INTO mv050_t VALUES (-9, 'a')");
        small.refresh("AGGREGATE_MERGE").rows("('a', 5, 5), ('b', 1, 6)");
        assertRows("SELECT count(*) FROM mv050s WHERE k = 'a'", "VALUES 1");
    }

    @Test
    void testMv051AggregatesThatDependOnOrder()
    {
        execute("CREATE TABLE mv051_t (id integer, g varchar, name varchar, score integer)");
        execute("INSERT INTO mv051_t VALUES (1, 'g', 'a', 1), (2, 'g', 'b', 9)");
        CaseView view = view("mv051", "SELECT g, max_by(name, score) top, array_agg(name ORDER BY score) names FROM mv051_t GROUP BY g")
                .rows("('g', 'b', ARRAY['a', 'b'])");
        execute("DELETE FROM mv051_t WHERE id = 2");
        view.refresh("GROUP_RECOMPUTE").rows("('g', 'a', ARRAY['a'])");
        execute("INSERT INTO mv051_t VALUES (3, 'g', 'c', 0)");
        view.refresh("GROUP_RECOMPUTE").rows("('g', 'a', ARRAY['c', 'a'])");
    }

    @Test
    void testMv052SumFailsInsteadOfWrapping()
    {
        execute("CREATE TABLE mv052_t (id integer, v bigint)");
        execute("INSERT INTO mv052_t VALUES (1, 9223372036854775807)");
        CaseView view = view("mv052", "SELECT sum(v) s FROM mv052_t").rows("9223372036854775807");
        execute("INSERT INTO mv052_t VALUES (2, 1)");
        view.refreshFails("bigint addition overflow").rows("9223372036854775807").stale();
        execute("DELETE FROM mv052_t WHERE id = 2");
        view.refresh("AGGREGATE_MERGE").rows("9223372036854775807");

        execute("CREATE TABLE mv052_d (id integer, v decimal(38, 0))");
        execute("INSERT INTO mv052_d VALUES (1, DECIMAL '99999999999999999999999999999999999999')");
        CaseView decimal = view("mv052d", "SELECT id % 2 g, sum(v) s FROM mv052_d GROUP BY 1");
        execute("INSERT INTO mv052_d VALUES (3, 1)");
        decimal.refreshFails("[Dd]ecimal overflow").rows("(1, DECIMAL '99999999999999999999999999999999999999')");
        execute("DELETE FROM mv052_d WHERE id = 3");
        decimal.refresh("AGGREGATE_MERGE").rows("(1, DECIMAL '99999999999999999999999999999999999999')");
    }

    @Test
    void testMv053PositionalGroupBy()
    {
        execute("CREATE TABLE mv053_t (k varchar, v integer)");
        execute("INSERT INTO mv053_t VALUES ('a', 1), ('a', 2)");
        CaseView first = view("mv053", "SELECT k, count(*) c FROM mv053_t GROUP BY 1");
        CaseView constant = view("mv053b", "SELECT 'all' g, count(*) c FROM mv053_t GROUP BY 1");
        CaseView swapped = view("mv053c", "SELECT v % 2 p, k, count(*) c FROM mv053_t GROUP BY 2, 1");
        execute("INSERT INTO mv053_t VALUES ('a', 3), ('b', 4)");
        first.refresh("AGGREGATE_MERGE").rows("('a', 3), ('b', 1)");
        constant.refresh("AGGREGATE_MERGE").rows("('all', 4)");
        swapped.refresh("AGGREGATE_MERGE").rows("(1, 'a', 2), (0, 'a', 1), (0, 'b', 1)");
        execute("DELETE FROM mv053_t");
        first.refresh("AGGREGATE_MERGE").noRows();
        constant.refresh("AGGREGATE_MERGE").noRows();
    }

    @Test
    void testKeysThatAreNotSelected()
    {
        execute("CREATE TABLE hidden_keys_t (k double, j varchar, v bigint)");
        execute("INSERT INTO hidden_keys_t VALUES (nan(), 'x', 1), (NULL, 'x', 2), (0e0, NULL, 4)");
        CaseView view = view("hidden_keys", "SELECT sum(v) s, j || '!' e FROM hidden_keys_t GROUP BY k, j")
                .rows("(1, 'x!'), (2, 'x!'), (4, NULL)");
        execute("INSERT INTO hidden_keys_t VALUES (nan(), 'x', 8), (NULL, 'x', 16), (-0e0, NULL, 32), (1e0, 'x', 64)");
        view.refresh("AGGREGATE_MERGE").rows("(9, 'x!'), (18, 'x!'), (36, NULL), (64, 'x!')");
    }

    @Test
    void testExpressionsOverAggregates()
    {
        execute("CREATE TABLE over_t (k integer, v decimal(10, 2), f boolean)");
        execute("INSERT INTO over_t VALUES (1, 1.50, true), (1, NULL, NULL), (2, 3.25, false)");
        CaseView view = view("over_aggregates", "SELECT CASE WHEN count(v) > 1 THEN 'many' ELSE 'few' END e, max(v) - min(v) d, " +
                "CAST(sum(v) / count(*) AS double) q, coalesce(bool_and(f), false) b, k + 1 k1, count_if(f) FILTER (WHERE v > 1) i FROM over_t GROUP BY k")
                .rows("('few', 0.00, 0.75e0, true, 2, 1), ('few', 0.00, 3.25e0, false, 3, 0)");
        execute("INSERT INTO over_t VALUES (1, 4.00, true), (2, NULL, true), (3, NULL, NULL)");
        view.refresh("AGGREGATE_MERGE");
    }
}
