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

import com.google.common.collect.ImmutableList;
import io.freshet.engine.RefreshTrial.Delta;
import org.junit.jupiter.api.Test;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import static java.util.Arrays.asList;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Delta = recompute, for views over several tables that change at once, by rows that come and rows that go.
 */
final class TestJoinLaws
{
    static final List<RefreshFixture> VIEWS = ImmutableList.of(
            rows("SELECT a.x, b.x FROM facts a JOIN more b ON a.k = b.k", "integer", "integer"),
            rows("SELECT a.x, b.p FROM facts a, more b WHERE a.k = b.k AND a.x < b.x AND b.f", "integer", "decimal(10,2)"),
            rows("SELECT a.k, b.x FROM facts a CROSS JOIN more b", "varchar", "integer"),
            rows("SELECT k, a.x, b.x y FROM facts a JOIN more b USING (k)", "varchar", "integer", "integer"),
            rows("SELECT a.x, b.x, c.x FROM facts a JOIN more b ON a.k = b.k JOIN facts c ON b.x = c.x", "integer", "integer", "integer"),
            rows("SELECT a.x, b.x, c.k FROM facts a, more b, more c WHERE a.k = c.k AND c.x = b.x AND (a.f OR b.f)", "integer", "integer", "varchar"),
            rows("SELECT s.y, m.k FROM (SELECT a.x + b.x y, a.k FROM facts a JOIN facts b ON a.k = b.k WHERE a.x > 0) s JOIN more m ON s.k = m.k", "integer", "varchar"),
            rows("WITH q AS (SELECT k, x FROM facts WHERE f) SELECT a.x, b.x FROM q a JOIN q b ON a.k = b.k", "integer", "integer"),
            rows("SELECT a.x FROM facts a JOIN more b ON a.k = b.k UNION ALL SELECT x FROM more", "integer"),
            rows("SELECT u.x, b.x FROM (SELECT k, x FROM facts UNION ALL SELECT k, x FROM more) u JOIN more b ON u.k = b.k", "integer", "integer"),
            rows("SELECT a.d, b.d FROM facts a JOIN more b ON a.d = b.d", "double", "double"),
            rows("SELECT a.x, b.x FROM facts a JOIN more b ON (a.k = b.k AND a.x > 1) OR (a.k = b.k AND b.f)", "integer", "integer"),
            RefreshFixture.aggregate("SELECT a.k, count(*) n, sum(b.x) s FROM facts a JOIN more b ON a.k = b.k GROUP BY a.k HAVING count(*) > 1",
                    List.of("k", "n", "s"), List.of("varchar", "integer"), List.of("varchar", "bigint", "bigint")),
            RefreshFixture.aggregate("SELECT b.f, min(a.x) lo, max(b.x) hi FROM facts a, more b WHERE a.k = b.k GROUP BY b.f",
                    List.of("f", "lo", "hi"), List.of("boolean", "integer", "integer"), List.of("boolean", "integer", "integer")),
            RefreshFixture.aggregate("SELECT count(*) n FROM facts a JOIN more b ON a.x < b.x",
                    List.of("n"), List.of(), List.of("bigint")),
            RefreshFixture.aggregate("SELECT DISTINCT a.k, c.f FROM facts a JOIN facts b ON a.x = b.x JOIN more c ON b.k = c.k",
                    List.of("k", "f"), List.of("varchar", "boolean"), List.of("varchar", "boolean")),
            rows("SELECT a.x, b.x FROM facts a LEFT JOIN more b ON a.k = b.k", "integer", "integer"),
            rows("SELECT a.x, b.x FROM facts a LEFT JOIN more b ON a.k = b.k AND a.x < b.x AND b.f AND a.f", "integer", "integer"),
            rows("SELECT a.x, b.x FROM facts a RIGHT JOIN more b ON a.k = b.k WHERE b.x > 0", "integer", "integer"),
            rows("SELECT k, a.x, b.x y FROM facts a FULL JOIN more b USING (k)", "varchar", "integer", "integer"),
            rows("SELECT a.x, b.x FROM facts a FULL JOIN more b ON a.k = b.k AND a.x <> b.x", "integer", "integer"),
            rows("SELECT a.x, b.x, c.x FROM facts a LEFT JOIN more b ON a.k = b.k JOIN more c ON c.x = a.x", "integer", "integer", "integer"),
            rows("SELECT a.x, b.x, c.x FROM facts a JOIN facts b ON a.k = b.k LEFT JOIN more c ON c.x = b.x", "integer", "integer", "integer"),
            rows("SELECT a.x, b.x, c.x FROM facts a LEFT JOIN (more b LEFT JOIN facts c ON b.x = c.x) ON a.k = b.k", "integer", "integer", "integer"),
            rows("SELECT a.x FROM facts a WHERE EXISTS (SELECT 1 FROM more b WHERE b.k = a.k)", "integer"),
            rows("SELECT a.x FROM facts a WHERE a.f AND EXISTS (SELECT * FROM more b WHERE b.k = a.k AND b.x <> a.x AND b.f)", "integer"),
            rows("SELECT a.x FROM facts a WHERE NOT EXISTS (SELECT 1 FROM more b WHERE b.k = a.k AND b.x > 1)", "integer"),
            rows("SELECT a.x FROM facts a WHERE NOT EXISTS (SELECT 1 FROM more b WHERE b.k = a.k AND b.x < a.x AND a.f)", "integer"),
            rows("SELECT a.x, b.x FROM facts a JOIN more b ON a.k = b.k WHERE a.x IN (SELECT x FROM more WHERE f) AND NOT EXISTS (SELECT 1 FROM facts c WHERE c.x = b.x AND c.k <> a.k)", "integer", "integer"),
            rows("SELECT x FROM facts WHERE x IS NOT NULL AND x NOT IN (SELECT m.x FROM more m WHERE m.x IS NOT NULL AND f)", "integer"),
            rows("SELECT x FROM facts a WHERE k IN (SELECT k FROM more GROUP BY k HAVING count(*) > 1)", "integer"),
            rows("SELECT a.x FROM facts a WHERE a.x > (SELECT min(b.x) FROM more b WHERE b.k = a.k AND b.f)", "integer"),
            rows("SELECT a.x, b.x FROM facts a JOIN more b ON a.k = b.k WHERE (SELECT sum(c.x) - 1 FROM more c WHERE c.k = a.k) >= b.x", "integer", "integer"),
            rows("SELECT x FROM facts WHERE f AND x >= (SELECT max(x) FROM more)", "integer"),
            rows("SELECT x FROM facts WHERE x > (SELECT count(*) FROM more)", "integer"),
            rows("SELECT a.x, g.n FROM facts a JOIN (SELECT k, count(*) n, sum(x) s FROM more WHERE f GROUP BY k) g ON a.k = g.k", "integer", "bigint"),
            rows("SELECT g.x, h.s FROM facts g FULL JOIN (SELECT k, sum(x) s FROM more GROUP BY k HAVING count(*) > 1) h ON g.k = h.k", "integer", "bigint"),
            rows("SELECT DISTINCT a.n + 1 FROM (SELECT count(*) n FROM facts GROUP BY x) a WHERE a.n > 0 UNION ALL SELECT count(*) FROM more GROUP BY k", "bigint"),
            rows("SELECT f.x, t.c FROM facts f CROSS JOIN (SELECT count(*) c FROM more) t", "integer", "bigint"),
            rows("SELECT w.x FROM (SELECT x, k, rank() OVER (PARTITION BY k ORDER BY x) r FROM facts) w JOIN more m ON m.k = w.k WHERE w.r = 1", "integer"),
            rows("SELECT q.k FROM (SELECT DISTINCT k, d FROM facts) q JOIN (SELECT DISTINCT k FROM more) m ON q.k = m.k", "varchar"),
            rows("SELECT q.n FROM (SELECT d, count(*) n FROM facts GROUP BY d) q JOIN more m ON m.x = q.n", "bigint"),
            RefreshFixture.aggregate("SELECT g.n, count(*) c, sum(g.s) s FROM (SELECT k, count(*) n, sum(x) s FROM facts GROUP BY k) g GROUP BY g.n",
                    List.of("n", "c", "s"), List.of("bigint", "bigint"), List.of("bigint", "bigint", "bigint")),
            RefreshFixture.aggregate("SELECT a.k, count(*) n, count(b.x) c, sum(b.x) s FROM facts a LEFT JOIN more b ON a.k = b.k GROUP BY a.k",
                    List.of("k", "n", "c", "s"), List.of("varchar", "integer", "integer"), List.of("varchar", "bigint", "bigint", "bigint")),
            RefreshFixture.aggregate("SELECT b.f, max(a.x) m FROM facts a FULL JOIN more b ON a.k = b.k GROUP BY b.f",
                    List.of("f", "m"), List.of("boolean", "integer"), List.of("boolean", "integer")),
            RefreshFixture.aggregate("SELECT count(*) n FROM facts a WHERE NOT EXISTS (SELECT 1 FROM more b WHERE b.k = a.k)",
                    List.of("n"), List.of(), List.of("bigint")),
            RefreshFixture.aggregate("SELECT DISTINCT count(*) n FROM facts GROUP BY k",
                    List.of("n"), List.of("bigint"), List.of("bigint")),
            RefreshFixture.windows("SELECT g.k, sum(g.n) OVER (PARTITION BY g.n) s FROM (SELECT k, count(*) n FROM facts GROUP BY k) g",
                    List.of("k", "s"), List.of("bigint"), List.of("varchar", "bigint")),
            RefreshFixture.windows("SELECT a.x, sum(b.x) OVER (PARTITION BY a.k) s FROM facts a JOIN more b ON a.k = b.k",
                    List.of("x", "s"), List.of("varchar"), List.of("integer", "bigint")));

    private static RefreshFixture rows(String sql, String... types)
    {
        return RefreshFixture.linear(sql, types);
    }

    @Test
    void testRandomAppends()
    {
        for (int view = 0; view < VIEWS.size(); view++) {
            for (long seed = 1; seed <= 3; seed++) {
                Random random = new Random(seed);
                RefreshTrial trial = new RefreshTrial(VIEWS.get(view), false, "appends(%s, %s)".formatted(view, seed));
                trial.build(randomRows(random), randomRows(random));
                for (int step = 0; step < 3; step++) {
                    trial.append(randomRows(random), random.nextBoolean() ? randomRows(random) : List.of());
                    assertThat(trial.lastPlan().strategy()).as("%s", trial.lastPlan()).isNotEqualTo(Strategy.FULL_REFRESH);
                }
            }
        }
    }

    @Test
    void testRandomChanges()
    {
        for (int view = 0; view < VIEWS.size(); view++) {
            for (long seed = 1; seed <= 6; seed++) {
                changes(view, seed);
            }
        }
    }

    private static void changes(int view, long seed)
    {
        Random random = new Random(seed);
        RefreshTrial trial = new RefreshTrial(VIEWS.get(view), random.nextBoolean(), "changes(%s, %s)".formatted(view, seed));
        trial.build(randomRows(random), randomRows(random));
        for (int step = 0; step < 4; step++) {
            Delta ofFacts = random.nextInt(4) == 0 ? Delta.added(List.of()) : randomDelta(random, trial.facts());
            Delta ofMore = random.nextInt(3) == 0 ? Delta.added(List.of()) : randomDelta(random, trial.more());
            trial.refresh(ofFacts, ofMore);
            assertThat(trial.lastPlan().strategy()).as("%s", trial.lastPlan()).isNotEqualTo(Strategy.FULL_REFRESH);
        }
    }

    @Test
    void testInsertThenRetract()
    {
        for (int view = 0; view < VIEWS.size(); view++) {
            Random random = new Random(view);
            RefreshTrial trial = new RefreshTrial(VIEWS.get(view), false, "retract(%s)".formatted(view));
            trial.build(randomRows(random), randomRows(random));
            var stored = trial.stored();
            List<List<Object>> facts = randomRows(random);
            List<List<Object>> more = randomRows(random);
            trial.refresh(new Delta(facts, List.of()), new Delta(more, List.of()));
            trial.refresh(new Delta(List.of(), facts), new Delta(List.of(), more));
            assertThat(trial.stored()).as("%s", VIEWS.get(view).view().text().sql()).isEqualTo(stored);
        }
    }

    /** Each mention of a delta is a scan of its own for the engine. */
    @Test
    void testBudget()
    {
        RefreshFixture view = rows(
                "SELECT g.n, h.s FROM (SELECT k, count(*) n FROM facts GROUP BY k) g FULL JOIN (SELECT k, sum(x) s FROM more GROUP BY k HAVING count(*) > 1) h ON g.k = h.k",
                "bigint",
                "bigint").size("facts", 100, 1_000).size("more", 100, 1_000);
        assertThat(view.rowsChanged("facts").planned().strategy()).isEqualTo(Strategy.ROW_DELTA);
        RefreshFixture both = view.rowsChanged("facts").rowsChanged("more");
        assertThat(both.planned().strategy()).isEqualTo(Strategy.FULL_REFRESH);
        assertThat(both.planned().reason().code()).isEqualTo("PROGRAM_TOO_LARGE");
        assertThat(both.mode(RefreshMode.INCREMENTAL).refused().reason().code()).isEqualTo("PROGRAM_TOO_LARGE");
    }

    private static Delta randomDelta(Random random, List<List<Object>> rows)
    {
        List<List<Object>> left = new ArrayList<>(rows);
        List<List<Object>> removed = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0 && !left.isEmpty(); i--) {
            removed.add(left.remove(random.nextInt(left.size())));
        }
        return new Delta(random.nextBoolean() ? randomRows(random) : List.of(), removed);
    }

    /** Few values, so that much matches. */
    private static List<List<Object>> randomRows(Random random)
    {
        List<List<Object>> rows = new ArrayList<>();
        int count = random.nextInt(5);
        for (int i = 0; i < count; i++) {
            rows.add(asList(
                    pick(random, null, "a", "b", "b"),
                    pick(random, null, 1L, 2L),
                    pick(random, null, new BigDecimal("1.00"), new BigDecimal("1.01")),
                    pick(random, null, 0.0, -0.0, 1.5, Double.NaN),
                    pick(random, null, true, false)));
        }
        return rows;
    }

    private static Object pick(Random random, Object... values)
    {
        return values[random.nextInt(values.length)];
    }
}
