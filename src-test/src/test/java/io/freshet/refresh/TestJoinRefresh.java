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
import org.intellij.lang.annotations.Language;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import java.util.LinkedHashMap;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.TestInstance.Lifecycle.PER_CLASS;

/** Views over several tables, through changes of each of them and of all at once. */
@TestInstance(PER_CLASS)
final class TestJoinRefresh
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

    /** Views over the same tables, with what their refreshes do when rows were only added, and when rows were removed too. */
    private final class Scenario
    {
        private final String prefix;
        private final Map<String, String[]> views = new LinkedHashMap<>();

        private Scenario(String prefix)
        {
            this.prefix = prefix;
            execute("CREATE TABLE %s_c (id integer, name varchar, nation varchar)".formatted(prefix));
            execute("CREATE TABLE %s_o (id integer, cust integer, price decimal(10, 2))".formatted(prefix));
            execute("CREATE TABLE %s_l (ord integer, part varchar, qty integer)".formatted(prefix));
            change("INSERT INTO $c VALUES (1, 'ann', 'x'), (2, 'bob', NULL), (NULL, 'nil', 'x'), (3, 'cy', 'y')");
            change("INSERT INTO $o VALUES (10, 1, 5), (11, 1, 7), (12, 2, 1), (13, NULL, 3), (NULL, 3, 9), (15, 99, 2)");
            change("INSERT INTO $l VALUES (10, 'p', 1), (10, 'p', 1), (11, 'q', NULL), (12, 'p', 4), (NULL, 'q', 2), (77, 'r', 1)");
        }

        private void change(String sql)
        {
            execute(sql.replace("$", prefix + "_"));
        }

        private Scenario view(String name, String added, String removed, @Language("SQL") String sql)
        {
            String view = prefix + "_" + name;
            execute("CREATE MATERIALIZED VIEW %s AS %s".formatted(view, sql.replace("$", prefix + "_")));
            oracle.assertExact(view);
            views.put(view, new String[] {added, removed});
            return this;
        }

        /** A view that does not read a changed table is left alone; one of whose tables only the one changed that adds rows has rows added. */
        private void added()
        {
            views.forEach((view, strategies) -> refresh(view, strategies[0], "NO_OP", strategies[0].equals("ROW_DELTA") ? "APPEND_ONLY" : "NO_OP"));
        }

        private void removed()
        {
            views.forEach((view, strategies) -> refresh(view, strategies[1], strategies[0], "NO_OP", strategies[1].equals("ROW_DELTA") ? "APPEND_ONLY" : "NO_OP"));
        }

        private void refresh(String view, String... strategies)
        {
            execute("REFRESH MATERIALIZED VIEW " + view);
            assertThat(oracle.lastRefresh(view).strategy().orElseThrow()).describedAs("%s: %s", view, oracle.lastRefresh(view)).isIn((Object[]) strategies);
            oracle.assertExact(view);
        }

        /** Each side alone, both at once, in both directions. */
        private void run()
        {
            change("INSERT INTO $c VALUES (4, 'dan', 'y'), (1, 'ann', 'x'), (NULL, 'no', NULL)");
            added();
            change("INSERT INTO $o VALUES (16, 4, 1), (10, 2, 8), (17, NULL, 8)");
            added();
            change("INSERT INTO $l VALUES (16, 'p', 3), (13, 'r', 2), (NULL, 'r', 1)");
            added();
            change("INSERT INTO $c VALUES (99, 'eve', 'z')");
            change("INSERT INTO $o VALUES (18, 99, 6)");
            change("INSERT INTO $l VALUES (18, 'q', 6), (15, 'p', 2)");
            added();
            change("DELETE FROM $c WHERE name = 'cy' OR name = 'nil'");
            removed();
            change("UPDATE $o SET cust = 1 WHERE id = 12 OR id IS NULL");
            removed();
            change("DELETE FROM $l WHERE part = 'q'");
            removed();
            change("UPDATE $c SET id = 2, nation = 'x' WHERE name = 'ann'");
            change("DELETE FROM $o WHERE cust = 99");
            change("INSERT INTO $o VALUES (19, 2, 4)");
            change("UPDATE $l SET ord = 19 WHERE part = 'r'");
            removed();
        }
    }

    private void execute(String sql)
    {
        getQueryRunner().execute(sql);
    }

    @Test
    void testInnerJoins()
    {
        new Scenario("inner")
                .view("two", "APPEND_ONLY", "ROW_DELTA", "SELECT o.id, c.name, o.price FROM $o o JOIN $c c ON o.cust = c.id")
                .view("three", "APPEND_ONLY", "ROW_DELTA", "SELECT c.nation, o.id, l.part, l.qty * o.price AS p FROM $c c, $o o, $l l WHERE c.id = o.cust AND l.ord = o.id AND o.price > 1")
                .view("using", "APPEND_ONLY", "ROW_DELTA", "SELECT * FROM $c JOIN $o USING (id)")
                .view("self", "APPEND_ONLY", "ROW_DELTA", "SELECT a.id a, b.id b FROM $o a JOIN $o b ON a.cust = b.cust AND a.id < b.id")
                .view("range", "APPEND_ONLY", "ROW_DELTA", "SELECT c.name, o.id FROM $c c JOIN $o o ON c.id < o.cust AND o.price > 5")
                .view("named", "APPEND_ONLY", "ROW_DELTA", "WITH q AS (SELECT o.id, c.name FROM $o o JOIN $c c ON o.cust = c.id) SELECT q.name, l.part FROM q JOIN $l l ON l.ord = q.id UNION ALL SELECT name, nation FROM $c")
                .view("sums", "AGGREGATE_MERGE", "AGGREGATE_MERGE", "SELECT c.nation, count(*) n, sum(l.qty) q, sum(o.price) p FROM $c c JOIN $o o ON c.id = o.cust JOIN $l l ON l.ord = o.id GROUP BY c.nation HAVING count(*) > 1")
                .view("least", "AGGREGATE_MERGE", "GROUP_RECOMPUTE", "SELECT c.nation, min(o.price) lo, max(l.qty) hi FROM $c c JOIN $o o ON c.id = o.cust JOIN $l l ON l.ord = o.id GROUP BY c.nation")
                .view("ranked", "GROUP_RECOMPUTE", "GROUP_RECOMPUTE", "SELECT c.nation, o.id, rank() OVER (PARTITION BY c.nation ORDER BY o.price) r FROM $c c JOIN $o o ON c.id = o.cust")
                .run();
    }

    @Test
    void testOuterJoins()
    {
        new Scenario("outer")
                .view("left", "ROW_DELTA", "ROW_DELTA", "SELECT c.name, o.id, o.price FROM $c c LEFT JOIN $o o ON o.cust = c.id AND o.price > 1")
                .view("right", "ROW_DELTA", "ROW_DELTA", "SELECT o.id, l.part, l.qty FROM $o o RIGHT JOIN $l l ON l.ord = o.id")
                .view("full", "ROW_DELTA", "ROW_DELTA", "SELECT id, c.name, o.price FROM $c c FULL JOIN $o o USING (id)")
                .view("chain", "ROW_DELTA", "ROW_DELTA", "SELECT c.name, o.id, l.part FROM $c c LEFT JOIN ($o o JOIN $l l ON l.ord = o.id) ON c.id = o.cust")
                .view("counts", "AGGREGATE_MERGE", "AGGREGATE_MERGE", "SELECT c.nation, count(*) n, count(o.id) o, sum(o.price) p FROM $c c LEFT JOIN $o o ON c.id = o.cust GROUP BY c.nation")
                .run();
    }

    @Test
    void testSemiJoins()
    {
        new Scenario("semi")
                .view("in", "ROW_DELTA", "ROW_DELTA", "SELECT name FROM $c WHERE id IN (SELECT cust FROM $o WHERE price > 1)")
                .view("exists", "ROW_DELTA", "ROW_DELTA", "SELECT c.name, o.id FROM $c c JOIN $o o ON c.id = o.cust WHERE EXISTS (SELECT * FROM $l l WHERE l.ord = o.id AND l.qty < o.price)")
                .view("missing", "ROW_DELTA", "ROW_DELTA", "SELECT o.id, o.price FROM $o o WHERE NOT EXISTS (SELECT 1 FROM $l l WHERE l.ord = o.id AND l.part <> 'r')")
                .view("other", "ROW_DELTA", "ROW_DELTA", "SELECT a.id, a.cust FROM $o a WHERE NOT EXISTS (SELECT 1 FROM $o b WHERE b.cust = a.cust AND b.id <> a.id)")
                .view("notin", "ROW_DELTA", "ROW_DELTA", "SELECT name FROM $c WHERE id IS NOT NULL AND id NOT IN (SELECT cust FROM $o WHERE cust IS NOT NULL)")
                .run();
    }

    @Test
    void testQueriesBelowQueries()
    {
        new Scenario("nested")
                .view("totals", "ROW_DELTA", "ROW_DELTA", "SELECT c.name, t.n, t.p FROM $c c JOIN (SELECT cust, count(*) n, sum(price) p FROM $o GROUP BY cust) t ON t.cust = c.id")
                .view("sizes", "AGGREGATE_MERGE", "AGGREGATE_MERGE", "SELECT n, count(*) custs FROM (SELECT c.id, count(o.id) n FROM $c c LEFT JOIN $o o ON c.id = o.cust GROUP BY c.id) GROUP BY n")
                .view("large", "ROW_DELTA", "ROW_DELTA", "SELECT o.id, c.name FROM $o o JOIN $c c ON o.cust = c.id WHERE o.id IN (SELECT ord FROM $l GROUP BY ord HAVING sum(qty) > 2)")
                .view("above", "ROW_DELTA", "ROW_DELTA", "SELECT o.id, o.price FROM $o o WHERE o.price > (SELECT avg(p.price) FROM $o p WHERE p.cust = o.cust)")
                .view("firsts", "ROW_DELTA", "ROW_DELTA", "SELECT c.name, f.id FROM $c c JOIN (SELECT id, cust, rank() OVER (PARTITION BY cust ORDER BY price) r FROM $o) f ON c.id = f.cust WHERE f.r = 1")
                .view("distinct", "ROW_DELTA", "ROW_DELTA", "SELECT d.part, o.price FROM (SELECT DISTINCT ord, part FROM $l) d JOIN $o o ON d.ord = o.id UNION ALL SELECT nation, count(*) FROM $c GROUP BY nation")
                .run();
    }
}
