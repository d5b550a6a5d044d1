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

import io.freshet.engine.RefreshTrial.Delta;
import io.freshet.engine.mini.MiniFailure;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import static io.freshet.engine.TestRefreshLaws.VIEWS;
import static io.freshet.engine.TestRefreshLaws.bags;
import static io.freshet.engine.TestRefreshLaws.randomRows;
import static java.util.Arrays.asList;
import static java.util.Collections.nCopies;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The laws of refreshes whose delta takes rows away: the result is that of a recompute, rows that are added and removed again leave
 * nothing, and of independent changes the order does not matter.
 */
final class TestRetractionLaws
{
    private static final Set<Strategy> ADDITIONS = Set.of(Strategy.APPEND_ONLY, Strategy.AGGREGATE_MERGE, Strategy.GROUP_RECOMPUTE);

    private static final RefreshFixture SUBTRACTABLE = RefreshFixture.aggregate(
            "SELECT k, count(*) n, count(x) c, sum(x) s, avg(p) a, sum(p) t, avg(x) ax, count_if(x > 1) i, bool_and(x > 1) ba, bool_or(x > 1) bo FROM facts GROUP BY k",
            List.of("k", "n", "c", "s", "a", "t", "ax", "i", "ba", "bo"),
            List.of("varchar", "integer", "integer", "decimal(10,2)", "decimal(10,2)", "bigint", "boolean", "boolean", "boolean"),
            List.of("varchar", "bigint", "bigint", "bigint", "decimal(10,2)", "decimal(38,2)", "double", "bigint", "boolean", "boolean"));

    private static final RefreshFixture SUBTRACTABLE_GLOBAL = RefreshFixture.aggregate(
            "SELECT count(*) n, count(x) c, sum(x) s, avg(p) a, count_if(x > 1) i, bool_and(x > 1) ba, bool_or(x > 1) bo FROM facts",
            List.of("n", "c", "s", "a", "i", "ba", "bo"),
            List.of("integer", "integer", "decimal(10,2)", "boolean", "boolean", "boolean"),
            List.of("bigint", "bigint", "bigint", "decimal(10,2)", "bigint", "boolean", "boolean"));

    private static final RefreshFixture FILTERED = RefreshFixture.aggregate(
            "SELECT k, sum(x) FILTER (WHERE f) s, count(*) FILTER (WHERE x > 1) n, count_if(f) FILTER (WHERE x > 1) i, 10 / count(*) r FROM facts GROUP BY k HAVING count(*) > 1",
            List.of("k", "s", "n", "i", "r"),
            List.of("varchar", "integer", "boolean"),
            List.of("varchar", "bigint", "bigint", "bigint", "bigint"));

    private static final RefreshFixture WHOLE_GROUPS = RefreshFixture.aggregate(
            "SELECT k, count(DISTINCT x) dx, sum(DISTINCT x) sx, array_agg(x ORDER BY x) ax, max_by(x, x) m, var_pop(x) v, min(DISTINCT x) lo, count(*) n, sum(x) FILTER (WHERE f) + 1 s"
                    + " FROM facts GROUP BY k",
            List.of("k", "dx", "sx", "ax", "m", "v", "lo", "n", "s"),
            List.of("varchar", "integer", "integer"),
            List.of("varchar", "bigint", "bigint", "array(integer)", "integer", "double", "integer", "bigint", "bigint"));

    private static final RefreshFixture WHOLE_HIDDEN_GROUPS = RefreshFixture.aggregate(
            "SELECT count(DISTINCT y.x) n, 10 / count(*) r FROM (SELECT k, x, d FROM facts WHERE x > 0 UNION ALL SELECT k, x, d FROM more) y GROUP BY y.k, y.d, y.x % 2 HAVING count(DISTINCT y.x) > 0",
            List.of("n", "r"),
            List.of("varchar", "double", "integer"),
            List.of("bigint", "bigint"));

    private static final RefreshFixture EXTREMES = RefreshFixture.aggregate(
            "SELECT k, min(x) lo, max(x) hi, avg(x) a, sum(d) s FROM facts GROUP BY k",
            List.of("k", "lo", "hi", "a", "s"),
            List.of("varchar", "integer", "integer", "integer", "double"),
            List.of("varchar", "integer", "integer", "double", "double"));

    private static final RefreshFixture ROLLUP = RefreshFixture.aggregate(
            "SELECT k, f, count(*) n, sum(x) s, avg(p) a, count(k) c FROM facts WHERE x < 3 GROUP BY ROLLUP (k, f)",
            List.of("k", "f", "n", "s", "a", "c"),
            List.of("varchar", "boolean", "integer", "integer", "decimal(10,2)", "varchar"),
            List.of("varchar", "boolean", "bigint", "bigint", "decimal(10,2)", "bigint"));

    private static final RefreshFixture GROUPING_SETS = RefreshFixture.aggregate(
            "SELECT x % 2 m, coalesce(k, 'all') kk, sum(x) s, count(*) n FROM facts GROUP BY x % 2, GROUPING SETS ((k), (d, k), (d)) HAVING count(*) > 1",
            List.of("m", "kk", "s", "n"),
            List.of("integer", "varchar", "double", "integer", "integer"),
            List.of("integer", "varchar", "bigint", "bigint"));

    private static final RefreshFixture WHOLE_GROUPING_SETS = RefreshFixture.aggregate(
            "SELECT k, f, count(DISTINCT x) n, max(x) m FROM facts GROUP BY GROUPING SETS ((k), (f), (k))",
            List.of("k", "f", "n", "m"),
            List.of("varchar", "boolean", "integer", "integer"),
            List.of("varchar", "boolean", "bigint", "integer"));

    private static final RefreshFixture ROWS = RefreshFixture.linear("SELECT k, x, d FROM facts", "varchar", "integer", "double");

    private static final RefreshFixture PROJECTED_ROWS = RefreshFixture.linear("SELECT x % 2, d FROM facts UNION ALL SELECT x, d FROM more WHERE f", "integer", "double");

    private static final RefreshFixture WINDOWS = RefreshFixture.windows(
            "SELECT k, x, row_number() OVER (PARTITION BY k ORDER BY x) n, sum(x) OVER (PARTITION BY k, f) + 1 s FROM facts",
            List.of("k", "x", "n", "s"),
            List.of("varchar"),
            List.of("varchar", "integer", "bigint", "bigint"));

    private static final RefreshFixture FILTERED_WINDOWS = RefreshFixture.windows(
            "SELECT z.x, 10 / (z.n + 1) r FROM (SELECT x, count(*) OVER (PARTITION BY y.d, y.k) n, row_number() OVER (PARTITION BY y.d ORDER BY y.x) m"
                    + " FROM (SELECT k, x, d FROM facts WHERE x > 0 UNION ALL SELECT k, x, d FROM more) y WHERE y.x < 3) z WHERE z.m <= 2",
            List.of("x", "r"),
            List.of("double"),
            List.of("integer", "bigint"));

    @Test
    void testRandom()
    {
        for (RefreshFixture view : views()) {
            for (long seed = 1; seed <= 25; seed++) {
                run(view, seed, true);
                run(view, seed, false);
            }
        }
    }

    private static List<RefreshFixture> views()
    {
        List<RefreshFixture> views = new ArrayList<>(VIEWS);
        views.addAll(List.of(SUBTRACTABLE, SUBTRACTABLE_GLOBAL, FILTERED, WHOLE_GROUPS, WHOLE_HIDDEN_GROUPS, ROLLUP, GROUPING_SETS, WHOLE_GROUPING_SETS, EXTREMES, ROWS, PROJECTED_ROWS, WINDOWS, FILTERED_WINDOWS));
        return views;
    }

    private static void run(RefreshFixture view, long seed, boolean rewrite)
    {
        Random random = new Random(seed);
        RefreshTrial trial = new RefreshTrial(view, rewrite, "seed %s, rewrite %s".formatted(seed, rewrite));
        trial.build(randomRows(random), randomRows(random));
        for (int step = 0; step < 5; step++) {
            trial.refresh(randomDelta(random, trial.facts()), random.nextInt(3) == 0 ? randomDelta(random, trial.more()) : Delta.added(List.of()));
        }
    }

    /** Some rows of the table go, new ones come, and some come and go. */
    private static Delta randomDelta(Random random, List<List<Object>> table)
    {
        List<List<Object>> added = randomRows(random);
        List<List<Object>> removed = new ArrayList<>();
        double share = random.nextInt(4) / 3.0;
        table.stream().filter(_ -> random.nextDouble() < share).forEach(removed::add);
        randomRows(random).stream().limit(2).forEach(row -> {
            added.add(row);
            removed.add(row);
        });
        return new Delta(added, removed);
    }

    /** All bags of up to two rows over a small domain, and all parts of them that can go while another bag comes. */
    @Test
    void testCompletely()
    {
        for (boolean rewrite : List.of(true, false)) {
            completely(SUBTRACTABLE, rewrite, Strategy.AGGREGATE_MERGE);
            completely(SUBTRACTABLE_GLOBAL, rewrite, Strategy.AGGREGATE_MERGE);
        }
        completely(WHOLE_GROUPS, false, Strategy.GROUP_RECOMPUTE);
        completely(EXTREMES, false, Strategy.GROUP_RECOMPUTE);
        completely(ROWS, false, Strategy.ROW_DELTA);
        completely(WINDOWS, false, Strategy.GROUP_RECOMPUTE);
    }

    private static void completely(RefreshFixture view, boolean rewrite, Strategy strategy)
    {
        List<List<List<Object>>> bags = bags(domain());
        for (List<List<Object>> before : bags) {
            for (List<List<Object>> removed : parts(before)) {
                for (List<List<Object>> added : bags) {
                    RefreshTrial trial = new RefreshTrial(view, rewrite, "%s less %s plus %s".formatted(before, removed, added));
                    trial.build(before, List.of());
                    trial.refresh(new Delta(added, removed), Delta.added(List.of()));
                    assertThat(trial.lastPlan().strategy()).isIn(removed.isEmpty() ? ADDITIONS : Set.of(strategy));
                }
            }
        }
    }

    private static List<List<Object>> domain()
    {
        List<List<Object>> domain = new ArrayList<>();
        for (Object key : asList(null, "a")) {
            for (Object value : asList(null, 1L, 2L)) {
                domain.add(asList(key, value, null, null, null));
            }
        }
        return domain;
    }

    private static List<List<List<Object>>> parts(List<List<Object>> bag)
    {
        List<List<List<Object>>> parts = new ArrayList<>();
        for (int selection = 0; selection < 1 << bag.size(); selection++) {
            List<List<Object>> part = new ArrayList<>();
            for (int i = 0; i < bag.size(); i++) {
                if ((selection & 1 << i) != 0) {
                    part.add(bag.get(i));
                }
            }
            parts.add(part);
        }
        return parts;
    }

    @Test
    void testInsertThenRetractIsNothing()
    {
        for (RefreshFixture view : views()) {
            for (boolean rewrite : List.of(true, false)) {
                for (long seed = 1; seed <= 10; seed++) {
                    Random random = new Random(seed);
                    RefreshTrial trial = new RefreshTrial(view, rewrite, "seed %s, rewrite %s".formatted(seed, rewrite));
                    trial.build(randomRows(random), randomRows(random));
                    Map<List<Object>, Long> before = trial.stored();
                    List<List<Object>> rows = randomRows(random);
                    List<List<Object>> moreRows = randomRows(random);
                    trial.refresh(Delta.added(rows), Delta.added(moreRows));
                    trial.refresh(new Delta(List.of(), rows), new Delta(List.of(), moreRows));
                    assertThat(trial.stored()).isEqualTo(before);
                    trial.refresh(new Delta(rows, rows), new Delta(moreRows, moreRows));
                    assertThat(trial.stored()).isEqualTo(before);
                }
            }
        }
    }

    @Test
    void testIndependentChangesCommute()
    {
        for (RefreshFixture view : views()) {
            for (boolean rewrite : List.of(true, false)) {
                for (long seed = 1; seed <= 10; seed++) {
                    Random random = new Random(seed);
                    List<List<Object>> rows = randomRows(random);
                    List<List<Object>> kept = randomRows(random);
                    Delta first = new Delta(randomRows(random), rows);
                    Delta second = new Delta(randomRows(random), kept);
                    List<List<Object>> start = new ArrayList<>(rows);
                    start.addAll(kept);
                    List<Map<List<Object>, Long>> outcomes = new ArrayList<>();
                    for (List<Delta> order : List.of(List.of(first, second), List.of(second, first))) {
                        RefreshTrial trial = new RefreshTrial(view, rewrite, "seed %s, rewrite %s, %s".formatted(seed, rewrite, order));
                        trial.build(start, List.of());
                        order.forEach(delta -> trial.refresh(delta, Delta.added(List.of())));
                        outcomes.add(trial.stored());
                    }
                    assertThat(outcomes.getFirst()).isEqualTo(outcomes.getLast());
                }
            }
        }
    }

    /** Every pair of bags of floating point values, which have two zeros and a value that is not equal to itself. */
    @Test
    void testRowsOfFloatingPointCompletely()
    {
        List<List<Object>> domain = asList(null, Double.NaN, 0.0, -0.0, 1.5).stream()
                .map(value -> asList((Object) "a", null, null, value, null))
                .toList();
        RefreshFixture view = RefreshFixture.linear("SELECT d FROM facts", "double");
        for (List<List<Object>> before : bags(domain)) {
            for (List<List<Object>> removed : parts(before)) {
                for (List<List<Object>> added : bags(domain)) {
                    RefreshTrial trial = new RefreshTrial(view, false, "%s less %s plus %s".formatted(before, removed, added));
                    trial.build(before, List.of());
                    trial.refresh(new Delta(added, removed), Delta.added(List.of()));
                    assertThat(trial.lastPlan().strategy()).isEqualTo(removed.isEmpty() ? Strategy.APPEND_ONLY : Strategy.ROW_DELTA);
                }
            }
        }
    }

    /** More equal rows than the engine puts into one sequence. */
    @Test
    void testManyCopies()
    {
        List<Object> row = asList("a", 1L, null, 0.0, null);
        List<Object> other = asList("b", 1L, null, 0.0, null);
        RefreshTrial trial = new RefreshTrial(ROWS, false, "many copies");
        trial.build(List.of(other), List.of());
        trial.refresh(new Delta(nCopies(20_001, row), List.of(other)), Delta.added(List.of()));
        assertThat(trial.stored()).isEqualTo(Map.of(asList("a", 1L, List.of("double", 0.0)), 20_001L));
    }

    /** Rows go that never were: the stored state is wrong, and nothing may be built on it. */
    @Test
    void testWrongStateIsNoticed()
    {
        List<Object> row = asList("a", 1L, null, null, true);
        List<Object> other = asList("b", 1L, null, null, true);
        for (RefreshFixture view : List.of(SUBTRACTABLE, SUBTRACTABLE_GLOBAL, ROWS)) {
            for (boolean rewrite : List.of(true, false)) {
                for (List<List<Object>> gone : List.of(List.of(row, row), List.of(other, other))) {
                    RefreshTrial trial = new RefreshTrial(view, rewrite, "rows that were not there");
                    trial.build(List.of(row), List.of());
                    Map<List<Object>, Long> before = trial.stored();
                    assertThatThrownBy(() -> trial.refreshWithoutChange(new Delta(List.of(), gone), Delta.added(List.of())))
                            .isInstanceOf(MiniFailure.class);
                    assertThat(trial.stored()).isEqualTo(before);
                }
            }
        }
    }
}
