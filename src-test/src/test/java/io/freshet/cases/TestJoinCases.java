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

/** Cases of kind "join": MV-059 to MV-068. */
final class TestJoinCases
        extends AbstractCases
{
    @Test
    void testMv059BothSidesChanged()
    {
        execute("CREATE TABLE mv059_a (k integer)");
        execute("CREATE TABLE mv059_b (k integer, y bigint)");
        execute("INSERT INTO mv059_a VALUES 1, 2");
        execute("INSERT INTO mv059_b VALUES (1, 10)");
        CaseView view = view("mv059", "SELECT a.k, count(*) c, sum(b.y) s FROM mv059_a a JOIN mv059_b b ON a.k = b.k GROUP BY a.k").rows("(1, 1, 10)");
        execute("INSERT INTO mv059_a VALUES 1");
        execute("INSERT INTO mv059_b VALUES (1, 20), (2, 5)");
        view.refresh("AGGREGATE_MERGE").rows("(1, 4, 60), (2, 1, 5)");
    }

    @Test
    void testMv060DeleteOnOneSideInsertOnTheOther()
    {
        execute("CREATE TABLE mv060_a (k integer)");
        execute("CREATE TABLE mv060_b (k integer, y bigint)");
        execute("INSERT INTO mv060_a VALUES 1, 2");
        execute("INSERT INTO mv060_b VALUES (1, 10), (2, 20)");
        CaseView view = view("mv060", "SELECT a.k, b.y FROM mv060_a a JOIN mv060_b b ON a.k = b.k");
        execute("DELETE FROM mv060_a WHERE k = 1");
        execute("INSERT INTO mv060_b VALUES (1, 11), (2, 21)");
        view.refresh("ROW_DELTA").rows("(2, 20), (2, 21)");
    }

    @Test
    void testMv061TwoDeletesOfOneKey()
    {
        execute("CREATE TABLE mv061_a (k integer)");
        execute("CREATE TABLE mv061_b (k integer, y bigint)");
        execute("INSERT INTO mv061_a VALUES 1, 2");
        execute("INSERT INTO mv061_b VALUES (1, 10), (2, 20)");
        CaseView view = view("mv061", "SELECT a.k, b.y FROM mv061_a a JOIN mv061_b b ON a.k = b.k");
        execute("DELETE FROM mv061_a WHERE k = 1");
        view.refresh("ROW_DELTA").rows("(2, 20)");
        execute("DELETE FROM mv061_b WHERE k = 1");
        view.refresh("ROW_DELTA").rows("(2, 20)");
        execute("INSERT INTO mv061_a VALUES 1");
        view.refresh("APPEND_ONLY").rows("(2, 20)");
        execute("INSERT INTO mv061_b VALUES (1, 12)");
        view.refresh("APPEND_ONLY").rows("(1, 12), (2, 20)");
    }

    @Test
    void testMv062ChangeOfTheSecondTable()
    {
        execute("CREATE TABLE mv062_a (k integer)");
        execute("CREATE TABLE mv062_b (k integer)");
        execute("INSERT INTO mv062_a VALUES 1, 1");
        CaseView view = view("mv062", "SELECT a.k, count(*) c FROM mv062_a a JOIN mv062_b b ON a.k = b.k GROUP BY a.k").noRows();
        view.refreshNothing().fresh();
        execute("INSERT INTO mv062_b VALUES 1");
        view.stale();
        view.refresh("AGGREGATE_MERGE").rows("(1, 2)").fresh();
        execute("DELETE FROM mv062_b WHERE k = 1");
        view.stale();
        view.refresh("AGGREGATE_MERGE").noRows();
    }

    @Test
    void testMv063SelfJoin()
    {
        execute("CREATE TABLE mv063_t (id integer, g varchar, v integer)");
        execute("INSERT INTO mv063_t VALUES (1, 'g', 10)");
        CaseView view = view("mv063", "SELECT x.v a, y.v b FROM mv063_t x JOIN mv063_t y ON x.g = y.g").rows("(10, 10)");
        execute("INSERT INTO mv063_t VALUES (2, 'g', 20)");
        view.refresh("APPEND_ONLY").rows("(10, 10), (10, 20), (20, 10), (20, 20)");
        execute("UPDATE mv063_t SET v = 30 WHERE id = 2");
        view.refresh("ROW_DELTA").rows("(10, 10), (10, 30), (30, 10), (30, 30)");
        execute("DELETE FROM mv063_t WHERE id = 1");
        view.refresh("ROW_DELTA").rows("(30, 30)");
    }

    @Test
    void testMv064LeftJoin()
    {
        execute("CREATE TABLE mv064_l (k integer)");
        execute("CREATE TABLE mv064_r (id integer, k integer, y integer)");
        execute("INSERT INTO mv064_l VALUES 1, 2");
        CaseView view = view("mv064", "SELECT l.k, r.y FROM mv064_l l LEFT JOIN mv064_r r ON l.k = r.k").rows("(1, CAST(NULL AS integer)), (2, NULL)");
        execute("INSERT INTO mv064_r VALUES (1, 1, 10), (2, 1, 11)");
        view.refresh("ROW_DELTA").rows("(1, 10), (1, 11), (2, NULL)");
        execute("DELETE FROM mv064_r WHERE id = 1");
        view.refresh("ROW_DELTA").rows("(1, 11), (2, NULL)");
        execute("DELETE FROM mv064_r WHERE id = 2");
        view.refresh("ROW_DELTA").rows("(1, CAST(NULL AS integer)), (2, NULL)");
    }

    @Test
    void testMv066CountsOverALeftJoin()
    {
        execute("CREATE TABLE mv066_l (k integer)");
        execute("CREATE TABLE mv066_r (k integer, y integer)");
        execute("INSERT INTO mv066_l VALUES 1, 2");
        execute("INSERT INTO mv066_r VALUES (1, NULL)");
        CaseView view = view("mv066", "SELECT l.k, count(*) c, count(r.y) cy, sum(2) s2 FROM mv066_l l LEFT JOIN mv066_r r ON l.k = r.k GROUP BY l.k")
                .rows("(1, 1, 0, 2), (2, 1, 0, 2)");
        execute("INSERT INTO mv066_r VALUES (2, 7), (2, 8)");
        view.refresh("AGGREGATE_MERGE").rows("(1, 1, 0, 2), (2, 2, 2, 4)");
        execute("DELETE FROM mv066_r WHERE k = 2");
        view.refresh("AGGREGATE_MERGE").rows("(1, 1, 0, 2), (2, 1, 0, 2)");
    }

    @Test
    void testMv067NullJoinKeys()
    {
        execute("CREATE TABLE mv067_a (k integer)");
        execute("CREATE TABLE mv067_b (k integer, y integer)");
        execute("INSERT INTO mv067_a VALUES NULL, 1");
        execute("INSERT INTO mv067_b VALUES (1, 10)");
        CaseView left = view("mv067", "SELECT a.k, b.y FROM mv067_a a LEFT JOIN mv067_b b ON a.k = b.k").rows("(NULL, NULL), (1, 10)");
        CaseView same = view("mv067n", "SELECT a.k, b.y FROM mv067_a a JOIN mv067_b b ON a.k IS NOT DISTINCT FROM b.k").rows("(1, 10)");
        execute("INSERT INTO mv067_b VALUES (NULL, 20)");
        left.refresh("ROW_DELTA").rows("(NULL, NULL), (1, 10)");
        same.refresh("APPEND_ONLY").rows("(1, 10), (NULL, 20)");
    }

    @Test
    void testMv068FullJoinOfGlobalAggregates()
    {
        execute("CREATE TABLE mv068_t (id integer, k varchar, amt bigint)");
        execute("INSERT INTO mv068_t VALUES (1, 'z', 30), (2, 'z', 70)");
        CaseView view = view("mv068", "SELECT coalesce(a.k, b.k) k, a.amt a1, b.amt a2 " +
                "FROM (SELECT max(k) k, sum(amt) amt FROM mv068_t WHERE id = 1) a FULL JOIN (SELECT max(k) k, sum(amt) amt FROM mv068_t WHERE id = 2) b ON a.k = b.k")
                .rows("('z', 30, 70)");
        execute("DELETE FROM mv068_t WHERE id = 2");
        view.refresh("ROW_DELTA").rows("('z', 30, NULL), (NULL, NULL, CAST(NULL AS integer))");
    }

    @Test
    void testStarOverJoins()
    {
        execute("CREATE TABLE star_a (x integer, k integer)");
        execute("CREATE TABLE star_b (k integer, x varchar)");
        execute("INSERT INTO star_a VALUES (1, 10), (2, 20)");
        execute("INSERT INTO star_b VALUES (10, 'ten'), (30, 'thirty')");
        CaseView using = view("star_using", "SELECT * FROM (SELECT x AS ax, k FROM star_a) a JOIN star_b b USING (k)").rows("(10, 1, 'ten')");
        CaseView on = view("star_on", "SELECT a.*, b.x AS name FROM star_a a JOIN star_b b ON a.k = b.k").rows("(1, 10, 'ten')");
        execute("ALTER TABLE star_a ADD COLUMN later integer");
        execute("ALTER TABLE star_b ADD COLUMN later2 integer");
        execute("INSERT INTO star_a VALUES (3, 30, 300)");
        on.refresh("APPEND_ONLY").rows("(1, 10, 'ten'), (3, 30, 'thirty')");
        execute("ALTER TABLE star_b DROP COLUMN later2");
        using.refresh("APPEND_ONLY").rows("(10, 1, 'ten'), (30, 3, 'thirty')");
    }

    @Test
    void testMv010TwoSourcesWrittenInTurn()
            throws Exception
    {
        execute("CREATE TABLE mv010_o (id bigint)");
        execute("CREATE TABLE mv010_l (id bigint, amt bigint)");
        execute("INSERT INTO mv010_o VALUES 0");
        execute("INSERT INTO mv010_l VALUES (0, 1)");
        CaseView view = view("mv010", "SELECT o.id, sum(l.amt) s FROM mv010_o o JOIN mv010_l l ON o.id = l.id GROUP BY o.id");
        try (var executor = java.util.concurrent.Executors.newVirtualThreadPerTaskExecutor()) {
            var writer = executor.submit(() -> {
                for (int id = 1; id <= 10; id++) {
                    getQueryRunner().execute("INSERT INTO mv010_o VALUES " + id);
                    getQueryRunner().execute("INSERT INTO mv010_l VALUES (%s, %s)".formatted(id, id));
                }
            });
            do {
                execute("REFRESH MATERIALIZED VIEW mv010");
                // on the very pair of snapshots that the refresh recorded
                oracle().assertExact("mv010");
            }
            while (!writer.isDone());
            writer.get();
        }
        execute("REFRESH MATERIALIZED VIEW mv010");
        oracle().assertExact("mv010");
        assertRows("SELECT count(*), sum(s) FROM mv010", "VALUES (11, BIGINT '56')");
        view.fresh();
    }
}
