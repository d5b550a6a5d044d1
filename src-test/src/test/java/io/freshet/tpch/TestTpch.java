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
package io.freshet.tpch;

import com.google.common.collect.ImmutableList;
import io.airlift.log.Logger;
import io.freshet.FreshetQueryRunner;
import io.freshet.tpch.ViewRun.Outcome;
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.QueryRunner;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.lang.Integer.getInteger;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The queries of TPC-H, and others in the manner of TPC-DS, as views: each is exact after every change, and those that were
 * incremental when this was written still are. {@code -Dfreshet.test.tpch-orders=60000} for all of scale 0.01.
 */
final class TestTpch
        extends AbstractTestQueryFramework
{
    private static final Logger log = Logger.get(TestTpch.class);

    /** Refreshed in full after some change or other. All others never are. */
    private static final Set<String> TPCH_IN_FULL = Set.of("q2", "q8", "q11", "q15", "q16", "q17", "q20", "q22");
    private static final Set<String> STAR_IN_FULL = Set.of("s46", "s98");

    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return FreshetQueryRunner.builder().setWorkerCount(0).build();
    }

    @Test
    void testTpch()
    {
        TpchDatabase database = new TpchDatabase(getDistributedQueryRunner(), "tiny", getInteger("freshet.test.tpch-orders", 12_000));
        database.create();
        ViewRun run = new ViewRun(getDistributedQueryRunner(), "s", TpchQueries.QUERIES);
        run.create();
        List<Map<String, Outcome>> steps = new ArrayList<>();
        database.insertOrders(1);
        steps.add(run.refresh());
        database.deleteOrders(1);
        steps.add(run.refresh());
        database.insertOrders(2);
        database.deleteOrders(2);
        database.updateDimensions(1);
        database.updateNations();
        steps.add(run.refresh());
        log.info("%s", strategies(TpchQueries.QUERIES.keySet(), steps));
        assertThat(inFull(steps)).isSubsetOf(TPCH_IN_FULL);
    }

    @Test
    void testStarJoins()
    {
        getQueryRunner().execute("CREATE SCHEMA lake.star");
        StarDatabase database = new StarDatabase(getQueryRunner(), "star");
        database.create();
        Map<String, String> queries = starQueries();
        ViewRun run = new ViewRun(getDistributedQueryRunner(), "star", queries);
        run.create();
        List<Map<String, Outcome>> steps = new ArrayList<>();
        database.insertSales(1);
        steps.add(run.refresh());
        database.deleteSales(1);
        steps.add(run.refresh());
        database.insertSales(2);
        database.deleteSales(2);
        database.updateDimensions(2);
        steps.add(run.refresh());
        log.info("%s", strategies(queries.keySet(), steps));
        assertThat(inFull(steps)).isSubsetOf(STAR_IN_FULL);
    }

    /** Every third one; all with {@code -Dfreshet.test.star-step=1}. */
    private static Map<String, String> starQueries()
    {
        int step = getInteger("freshet.test.star-step", 3);
        List<String> names = ImmutableList.copyOf(StarQueries.QUERIES.keySet());
        return IntStream.range(0, names.size())
                .filter(i -> i % step == 0)
                .mapToObj(names::get)
                .collect(toImmutableMap(name -> name, StarQueries.QUERIES::get));
    }

    private static Set<String> inFull(List<Map<String, Outcome>> steps)
    {
        return steps.stream()
                .flatMap(step -> step.entrySet().stream())
                .filter(entry -> entry.getValue().strategy().startsWith("FULL_REFRESH"))
                .map(Map.Entry::getKey)
                .collect(toImmutableSet());
    }

    private static String strategies(Set<String> views, List<Map<String, Outcome>> steps)
    {
        return views.stream()
                .map(view -> view + ": " + steps.stream().map(step -> step.get(view).toString()).collect(joining(", ")) + "\n")
                .collect(joining());
    }
}
