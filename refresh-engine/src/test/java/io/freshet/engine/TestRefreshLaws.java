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
import com.google.common.collect.ImmutableSet;
import org.junit.jupiter.api.Test;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Arrays.asList;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Delta = recompute: after each refresh by the rendered statements, the visible rows of the backing table are the bag that the
 * view's own SQL gives on all rows of its sources.
 */
final class TestRefreshLaws
{
    static final RefreshFixture ALL_AGGREGATES = RefreshFixture.aggregate(
            "SELECT k, count(*) n, count(x) c, sum(x) s, avg(x) a, min(x) lo, max(x) hi, count_if(x > 1) i, bool_and(x > 1) ba, bool_or(x > 1) bo FROM facts GROUP BY k",
            List.of("k", "n", "c", "s", "a", "lo", "hi", "i", "ba", "bo"),
            List.of("varchar", "integer", "integer", "integer", "integer", "integer", "boolean", "boolean", "boolean"),
            List.of("varchar", "bigint", "bigint", "bigint", "double", "integer", "integer", "bigint", "boolean", "boolean"));

    static final RefreshFixture GLOBAL = RefreshFixture.aggregate(
            "SELECT count(*) n, count(x) c, sum(x) s, avg(x) a, min(x) lo, max(x) hi, count_if(x > 1) i, bool_and(x > 1) ba, bool_or(x > 1) bo FROM facts",
            List.of("n", "c", "s", "a", "lo", "hi", "i", "ba", "bo"),
            List.of("integer", "integer", "integer", "integer", "integer", "boolean", "boolean", "boolean"),
            List.of("bigint", "bigint", "bigint", "double", "integer", "integer", "bigint", "boolean", "boolean"));

    static final List<RefreshFixture> VIEWS = ImmutableList.of(
            ALL_AGGREGATES,
            GLOBAL,
            RefreshFixture.linear("SELECT x, upper(k) FROM facts WHERE x > 1", "integer", "varchar"),
            RefreshFixture.linear("SELECT x + 1 FROM facts UNION ALL SELECT x FROM more WHERE f", "integer"),
            RefreshFixture.linear("WITH q AS (SELECT k, x + 1 y FROM facts WHERE f) SELECT q.y FROM q WHERE y > 2 UNION ALL SELECT x FROM facts", "integer"),
            RefreshFixture.aggregate("SELECT 'all' g, max(d) m, min(d) l, sum(d) s FROM facts GROUP BY 1",
                    List.of("g", "m", "l", "s"), List.of("varchar(3)", "double", "double", "double"), List.of("varchar(3)", "double", "double", "double")),
            RefreshFixture.aggregate("SELECT d, count(*) n FROM facts GROUP BY d",
                    List.of("d", "n"), List.of("double"), List.of("double", "bigint")),
            RefreshFixture.aggregate("SELECT x % 2 q, k, avg(p) a, sum(p) s, max(p) m FROM facts GROUP BY 2, 1",
                    List.of("q", "k", "a", "s", "m"),
                    List.of("varchar", "integer", "decimal(10,2)", "decimal(10,2)", "decimal(10,2)"),
                    List.of("integer", "varchar", "decimal(10,2)", "decimal(38,2)", "decimal(10,2)")),
            RefreshFixture.aggregate("SELECT sum(x) s FROM facts GROUP BY k, f",
                    List.of("s"), List.of("varchar", "boolean", "integer"), List.of("bigint")),
            RefreshFixture.aggregate("SELECT k, 10 / (count(*) - 1) r, count(*) n FROM facts GROUP BY k HAVING count(*) > 1",
                    List.of("k", "r", "n"), List.of("varchar"), List.of("varchar", "bigint", "bigint")),
            RefreshFixture.aggregate("SELECT sum(x) s, count(*) n FROM facts HAVING sum(x) > 3",
                    List.of("s", "n"), List.of("integer"), List.of("bigint", "bigint")),
            RefreshFixture.aggregate("SELECT z.k, z.s / z.n r FROM (SELECT k, sum(x) s, count(*) n FROM facts GROUP BY k HAVING count(*) > 1) z WHERE 10 / (z.n - 1) > 2",
                    List.of("k", "r"), List.of("varchar", "integer"), List.of("varchar", "bigint")),
            RefreshFixture.aggregate("SELECT k, count(*) FILTER (WHERE f) n, sum(x) FILTER (WHERE f) s, avg(x) FILTER (WHERE x > 1) a, bool_or(f) FILTER (WHERE x > 1) b FROM facts GROUP BY k",
                    List.of("k", "n", "s", "a", "b"),
                    List.of("varchar", "integer", "integer", "boolean"),
                    List.of("varchar", "bigint", "bigint", "double", "boolean")),
            RefreshFixture.aggregate("SELECT k, sum(x) + 1 s, coalesce(max(x), 0) * 2 m, max(x) lone FROM facts WHERE f OR x > 1 GROUP BY k",
                    List.of("k", "s", "m", "lone"), List.of("varchar", "integer", "integer"), List.of("varchar", "bigint", "integer", "integer")),
            RefreshFixture.aggregate("SELECT DISTINCT k, f FROM facts",
                    List.of("k", "f"), List.of("varchar", "boolean"), List.of("varchar", "boolean")),
            RefreshFixture.aggregate("SELECT k FROM facts GROUP BY k",
                    List.of("k"), List.of("varchar"), List.of("varchar")),
            RefreshFixture.aggregate("SELECT x FROM facts UNION SELECT x FROM more",
                    List.of("x"), List.of("integer"), List.of("integer")),
            RefreshFixture.aggregate("SELECT y.k, count(*) n, sum(y.x) s FROM (SELECT k, x FROM facts UNION ALL SELECT k, x FROM more WHERE f) y GROUP BY y.k",
                    List.of("k", "n", "s"), List.of("varchar", "integer"), List.of("varchar", "bigint", "bigint")));

    @Test
    void testRandom()
    {
        for (int view = 0; view < VIEWS.size(); view++) {
            for (long seed = 1; seed <= 25; seed++) {
                run(view, seed, true);
                run(view, seed, false);
            }
        }
    }

    private static void run(int view, long seed, boolean rewrite)
    {
        Random random = new Random(seed);
        RefreshTrial trial = new RefreshTrial(VIEWS.get(view), rewrite, "run(%s, %s, %s)".formatted(view, seed, rewrite));
        trial.build(randomRows(random), randomRows(random));
        for (int step = 0; step < 4; step++) {
            trial.append(randomRows(random), random.nextInt(3) == 0 ? randomRows(random) : List.of());
        }
    }

    /** All pairs of bags of up to two rows over a small domain. */
    @Test
    void testEveryAggregateCompletely()
    {
        List<List<Object>> domain = new ArrayList<>();
        for (Object key : asList(null, "a")) {
            for (Object value : asList(null, 1L, 2L)) {
                domain.add(asList(key, value, null, null, null));
            }
        }
        List<List<List<Object>>> bags = bags(domain);
        assertThat(bags).hasSize(28);
        for (RefreshFixture view : List.of(ALL_AGGREGATES, GLOBAL)) {
            for (boolean rewrite : List.of(true, false)) {
                for (List<List<Object>> before : bags) {
                    for (List<List<Object>> added : bags) {
                        RefreshTrial trial = new RefreshTrial(view, rewrite, before + " then " + added);
                        trial.build(before, List.of());
                        trial.append(added, List.of());
                    }
                }
            }
        }
    }

    /** Keys and values that are not equal to themselves, or equal to what they are not. */
    @Test
    void testFloatingPointCompletely()
    {
        RefreshFixture view = RefreshFixture.aggregate(
                "SELECT d, count(*) n, min(d) lo, max(d) hi, sum(d) s FROM facts GROUP BY d",
                List.of("d", "n", "lo", "hi", "s"),
                List.of("double", "double", "double", "double"),
                List.of("double", "bigint", "double", "double", "double"));
        RefreshFixture global = RefreshFixture.aggregate(
                "SELECT min(d) lo, max(d) hi, sum(d) s, avg(d) a FROM facts",
                List.of("lo", "hi", "s", "a"),
                List.of("double", "double", "double", "double"),
                List.of("double", "double", "double", "double"));
        RefreshFixture byKey = RefreshFixture.aggregate(
                "SELECT k, min(d) lo, max(d) hi, sum(d) s, avg(d) a FROM facts GROUP BY k",
                List.of("k", "lo", "hi", "s", "a"),
                List.of("varchar", "double", "double", "double", "double"),
                List.of("varchar", "double", "double", "double", "double"));
        List<List<Object>> domain = asList(null, Double.NaN, 0.0, -0.0, 1.5, Double.POSITIVE_INFINITY).stream()
                .map(value -> asList((Object) "a", null, null, value, null))
                .toList();
        for (RefreshFixture fixture : List.of(view, global, byKey)) {
            for (boolean rewrite : List.of(true, false)) {
                for (List<List<Object>> before : bags(domain)) {
                    for (List<List<Object>> added : bags(domain)) {
                        RefreshTrial trial = new RefreshTrial(fixture, rewrite, before + " then " + added);
                        trial.build(before, List.of());
                        trial.append(added, List.of());
                    }
                }
            }
        }
    }

    static List<List<List<Object>>> bags(List<List<Object>> domain)
    {
        List<List<List<Object>>> bags = new ArrayList<>();
        bags.add(List.of());
        for (int i = 0; i < domain.size(); i++) {
            bags.add(List.of(domain.get(i)));
            for (int j = i; j < domain.size(); j++) {
                bags.add(List.of(domain.get(i), domain.get(j)));
            }
        }
        return bags;
    }

    static List<List<Object>> randomRows(Random random)
    {
        List<List<Object>> rows = new ArrayList<>();
        int count = random.nextInt(6);
        for (int i = 0; i < count; i++) {
            rows.add(asList(
                    pick(random, null, "a", "b", "A", ""),
                    pick(random, null, 1L, 2L, 3L, -4L, 0L),
                    pick(random, null, new BigDecimal("1.00"), new BigDecimal("1.01"), new BigDecimal("-7.35")),
                    pick(random, null, 0.0, -0.0, 1.5, -2.25, Double.NaN, Double.POSITIVE_INFINITY),
                    pick(random, null, true, false)));
        }
        return rows;
    }

    private static Object pick(Random random, Object... values)
    {
        return values[random.nextInt(values.length)];
    }

    @Test
    void testFixtureCoversEveryMergeableAggregate()
    {
        List<String> used = VIEWS.stream()
                .flatMap(view -> view.layout().orElseThrow().aggregates().stream())
                .map(aggregate -> aggregate.finish().name())
                .distinct()
                .collect(toImmutableList());
        assertThat(used).contains("STATE", "AVERAGE_DOUBLE", "AVERAGE_DECIMAL", "ALL_TRUE", "ANY_TRUE");
        assertThat(ImmutableSet.copyOf(MergeKind.values())).hasSize(4);
    }
}
