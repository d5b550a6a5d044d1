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

import io.freshet.FreshetQueryRunner;
import io.freshet.tpch.TpchRun.Outcome;
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.QueryRunner;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static java.lang.Integer.getInteger;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The queries of TPC-H as views, through its refresh streams and through changes of the dimensions: each is exact after each step, and
 * is refreshed as it was when this was written. {@code -Dfreshet.test.tpch-orders=60000} for all of scale 0.01.
 */
final class TestTpch
        extends AbstractTestQueryFramework
{
    /** After new orders, after orders went, after all dimensions changed. */
    private static final String STRATEGIES = """
            """;

    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return FreshetQueryRunner.builder().setWorkerCount(0).build();
    }

    @Test
    void testRefreshStreams()
    {
        TpchDatabase database = new TpchDatabase(getDistributedQueryRunner(), getInteger("freshet.test.tpch-orders", 12_000));
        database.create();
        TpchRun run = new TpchRun(getDistributedQueryRunner(), TpchQueries.QUERIES);
        run.create("");
        List<Map<String, Outcome>> steps = new ArrayList<>();
        database.insertOrders(1);
        steps.add(run.refresh());
        database.deleteOrders(1);
        steps.add(run.refresh());
        // everything at once
        database.insertOrders(2);
        database.deleteOrders(2);
        database.updateDimensions(1);
        database.updateNations();
        steps.add(run.refresh());
        String strategies = TpchQueries.QUERIES.keySet().stream()
                .map(view -> view + ": " + steps.stream().map(step -> step.get(view).toString()).collect(joining(", ")) + "\n")
                .collect(joining());
        assertThat(strategies).isEqualTo(STRATEGIES);
    }
}
