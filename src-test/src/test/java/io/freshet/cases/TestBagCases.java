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

/** Cases of kind "bag-set": MV-069 to MV-077. */
final class TestBagCases
        extends AbstractCases
{
    @Test
    void testMv069ProjectionKeepsDuplicates()
    {
        execute("CREATE TABLE mv069_t (id integer, v integer)");
        execute("INSERT INTO mv069_t VALUES (1, 5), (2, 5), (3, 5)");
        CaseView view = view("mv069", "SELECT v FROM mv069_t WHERE v > 1").rows("5, 5, 5");
        execute("DELETE FROM mv069_t WHERE id = 2");
        view.refresh("ROW_DELTA").rows("5, 5");
        execute("INSERT INTO mv069_t VALUES (4, 5)");
        view.refresh("APPEND_ONLY").rows("5, 5, 5");
        execute("INSERT INTO mv069_t VALUES (5, 5), (6, 5), (7, 1)");
        view.refresh("APPEND_ONLY").rows("5, 5, 5, 5, 5");
    }

    @Test
    void testMv070Distinct()
    {
        execute("CREATE TABLE mv070_t (id integer, k varchar)");
        execute("INSERT INTO mv070_t VALUES (1, 'x'), (2, 'x'), (3, 'y')");
        CaseView distinct = view("mv070", "SELECT DISTINCT k FROM mv070_t").rows("'x', 'y'");
        CaseView grouped = view("mv070g", "SELECT k FROM mv070_t GROUP BY k").rows("'x', 'y'");
        execute("INSERT INTO mv070_t VALUES (4, 'x')");
        distinct.refresh("AGGREGATE_MERGE").rows("'x', 'y'");
        grouped.refresh("AGGREGATE_MERGE").rows("'x', 'y'");
        execute("DELETE FROM mv070_t WHERE id IN (1, 2)");
        distinct.refresh("AGGREGATE_MERGE").rows("'x', 'y'");
        grouped.refresh("AGGREGATE_MERGE").rows("'x', 'y'");
        execute("DELETE FROM mv070_t WHERE id = 4");
        distinct.refresh("AGGREGATE_MERGE").rows("'y'");
        grouped.refresh("AGGREGATE_MERGE").rows("'y'");
        execute("INSERT INTO mv070_t VALUES (5, NULL), (6, NULL), (7, 'x')");
        distinct.refresh("AGGREGATE_MERGE").rows("'x', 'y', NULL");
        execute("INSERT INTO mv070_t VALUES (8, NULL)");
        distinct.refresh("AGGREGATE_MERGE").rows("'x', 'y', NULL");
        grouped.refresh("AGGREGATE_MERGE").rows("'x', 'y', NULL");
    }

    @Test
    void testMv073SetOperations()
    {
        execute("CREATE TABLE mv073_a (v integer)");
        execute("CREATE TABLE mv073_b (id integer, v integer)");
        execute("INSERT INTO mv073_a VALUES 1, 1, 2, NULL");
        execute("INSERT INTO mv073_b VALUES (1, 1), (2, NULL)");
        CaseView except = view("mv073", "SELECT v FROM mv073_a EXCEPT SELECT v FROM mv073_b").rows("2");
        CaseView exceptAll = view("mv073ea", "SELECT v FROM mv073_a EXCEPT ALL SELECT v FROM mv073_b").rows("1, 2");
        CaseView intersectAll = view("mv073ia", "SELECT v FROM mv073_a INTERSECT ALL SELECT v FROM mv073_b").rows("1, NULL");
        execute("DELETE FROM mv073_b WHERE id = 1");
        except.refreshInFull("SET_OPERATION").rows("1, 2");
        exceptAll.refreshInFull("SET_OPERATION").rows("1, 1, 2");
        intersectAll.refreshInFull("SET_OPERATION").rows("CAST(NULL AS integer)");
    }

    @Test
    void testMv074UnionAndUnionAll()
    {
        execute("CREATE TABLE mv074_a (v integer)");
        execute("CREATE TABLE mv074_b (v integer)");
        execute("INSERT INTO mv074_a VALUES 1");
        execute("INSERT INTO mv074_b VALUES 1");
        CaseView union = view("mv074", "SELECT v FROM mv074_a UNION SELECT v FROM mv074_b").rows("1");
        CaseView all = view("mv074a", "SELECT v FROM mv074_a UNION ALL SELECT v FROM mv074_b").rows("1, 1");
        execute("DELETE FROM mv074_a");
        union.refresh("AGGREGATE_MERGE").rows("1");
        all.refresh("ROW_DELTA").rows("1");
        execute("DELETE FROM mv074_b");
        union.refresh("AGGREGATE_MERGE").noRows();
        all.refresh("ROW_DELTA").noRows();
        // both branches gain the same value in one range, then in two
        execute("INSERT INTO mv074_a VALUES 1, 2");
        execute("INSERT INTO mv074_b VALUES 1");
        union.refresh("AGGREGATE_MERGE").rows("1, 2");
        all.refresh("APPEND_ONLY").rows("1, 1, 2");
        execute("INSERT INTO mv074_b VALUES 2");
        union.refresh("AGGREGATE_MERGE").rows("1, 2");
        all.refresh("APPEND_ONLY").rows("1, 1, 2, 2");
        union.refreshNothing();
        all.refreshNothing();
    }

    @Test
    void testUnionAllOfOneTableWithItself()
    {
        execute("CREATE TABLE union_self_t (k varchar, v integer)");
        execute("INSERT INTO union_self_t VALUES ('a', 1), ('b', 2)");
        CaseView rows = view("union_self", "SELECT k, v FROM union_self_t UNION ALL SELECT k, -v FROM union_self_t WHERE v > 1 UNION ALL SELECT upper(k), v FROM union_self_t");
        CaseView groups = view("union_self_g", "SELECT k, sum(v) s, count(*) c FROM (SELECT k, v FROM union_self_t UNION ALL SELECT k, 10 * v FROM union_self_t) GROUP BY k");
        execute("INSERT INTO union_self_t VALUES ('a', 3)");
        rows.refresh("APPEND_ONLY").rows("('a', 1), ('b', 2), ('b', -2), ('A', 1), ('B', 2), ('a', 3), ('a', -3), ('A', 3)");
        groups.refresh("AGGREGATE_MERGE").rows("('a', 44, 4), ('b', 22, 2)");
        execute("DELETE FROM union_self_t WHERE v = 1");
        rows.refresh("ROW_DELTA").rows("('b', 2), ('b', -2), ('B', 2), ('a', 3), ('a', -3), ('A', 3)");
        groups.refresh("AGGREGATE_MERGE").rows("('a', 33, 2), ('b', 22, 2)");
    }

    @Test
    void testUnionAllOfDifferentTypes()
    {
        execute("CREATE TABLE union_types_a (v integer, s varchar)");
        execute("CREATE TABLE union_types_b (v decimal(5, 2), s varchar)");
        execute("INSERT INTO union_types_a VALUES (1, 'x')");
        execute("INSERT INTO union_types_b VALUES (1.25, 'yy')");
        CaseView rows = view("union_types", "SELECT v, s FROM union_types_a UNION ALL SELECT v, s FROM union_types_b");
        CaseView groups = view("union_types_g", "SELECT v, count(*) c FROM (SELECT v FROM union_types_a UNION ALL SELECT v FROM union_types_b) GROUP BY v");
        rows.rows("(DECIMAL '1.00', 'x'), (1.25, 'yy')");
        // one branch alone changes
        execute("INSERT INTO union_types_a VALUES (7, 'x')");
        rows.refresh("APPEND_ONLY").rows("(DECIMAL '1.00', 'x'), (1.25, 'yy'), (7, 'x')");
        groups.refresh("AGGREGATE_MERGE").rows("(DECIMAL '1.00', 1), (1.25, 1), (7, 1)");
        execute("INSERT INTO union_types_b VALUES (7, 'z')");
        rows.refresh("APPEND_ONLY").rows("(DECIMAL '1.00', 'x'), (1.25, 'yy'), (7, 'x'), (7, 'z')");
        groups.refresh("AGGREGATE_MERGE").rows("(DECIMAL '1.00', 1), (1.25, 1), (7, 2)");
    }

    @Test
    void testMv075ThresholdFromASubquery()
    {
        execute("CREATE TABLE mv075_a (v integer)");
        execute("CREATE TABLE mv075_b (v integer)");
        execute("INSERT INTO mv075_a VALUES 40, 9");
        execute("INSERT INTO mv075_b VALUES 5");
        CaseView view = view("mv075", "SELECT v FROM mv075_a WHERE v > (SELECT sum(v) FROM mv075_b)").rows("40, 9");
        execute("INSERT INTO mv075_b VALUES 10");
        view.refresh("ROW_DELTA").rows("40");
        execute("DELETE FROM mv075_b");
        view.refresh("ROW_DELTA").noRows();
        execute("INSERT INTO mv075_b VALUES 1");
        view.refresh("ROW_DELTA").rows("40, 9");
    }

    @Test
    void testMv076OrderByWithLimit()
    {
        execute("CREATE TABLE mv076_t (v integer)");
        execute("INSERT INTO mv076_t VALUES 1, 2, 3");
        CaseView view = view("mv076", "SELECT v FROM mv076_t ORDER BY v LIMIT 2").rows("1, 2");
        execute("DELETE FROM mv076_t WHERE v = 1");
        view.refreshInFull("LIMIT").rows("2, 3");
        execute("INSERT INTO mv076_t VALUES 0");
        view.refreshInFull("LIMIT").rows("0, 2");
    }

    @Test
    void testMv077WindowFunction()
    {
        execute("CREATE TABLE mv077_t (id integer, g varchar)");
        execute("INSERT INTO mv077_t VALUES (2, 'g'), (3, 'g'), (5, 'h')");
        CaseView view = view("mv077", "SELECT id, row_number() OVER (PARTITION BY g ORDER BY id) rn FROM mv077_t").rows("(2, 1), (3, 2), (5, 1)");
        execute("INSERT INTO mv077_t VALUES (1, 'g')");
        view.refresh("GROUP_RECOMPUTE").rows("(1, 1), (2, 2), (3, 3), (5, 1)");
        execute("DELETE FROM mv077_t WHERE id = 2");
        view.refresh("GROUP_RECOMPUTE").rows("(1, 1), (3, 2), (5, 1)");
    }
}
