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
package io.freshet.differential;

import com.google.common.collect.Multiset;
import io.freshet.FreshetQueryRunner;
import io.freshet.ViewOracle;
import io.freshet.engine.ApplyMethod;
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.QueryRunner;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import static java.lang.Integer.getInteger;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.TestInstance.Lifecycle.PER_CLASS;

/**
 * Random views over several tables and over each other, random changes of all tables, refreshes in between: after each refresh a
 * view holds what its SQL gives on the snapshots that it recorded, and a reader who accepts no staleness gets what the SQL gives now.
 * <p>
 * A failure prints the seed and a short script. {@code -Dfreshet.test.seed=…} repeats one; {@code -Dfreshet.test.join-scripts=…},
 * {@code -Dfreshet.test.rounds=…} and {@code -Dfreshet.test.views=…} make the search longer.
 */
@TestInstance(PER_CLASS)
final class TestRandomJoins
        extends AbstractTestQueryFramework
{
    /** Of the refreshes that were free to choose and had something to do. */
    private static final double INCREMENTAL_SHARE = 0.5;

    /** So many that most views have something to do. */
    private static final int CHANGES_PER_ROUND = 8;

    private DistributedQueryRunner merging;

    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return builder().setWorkerCount(0).build();
    }

    @BeforeAll
    void createMerging()
            throws Exception
    {
        merging = closeAfterClass(builder()
                .setWorkerCount(0)
                .addCatalogProperty("freshet.refresh.apply", ApplyMethod.MERGE.name())
                .build());
    }

    private static FreshetQueryRunner.Builder builder()
    {
        return FreshetQueryRunner.builder().addCatalogProperty("iceberg.expire-snapshots.min-retention", "0s");
    }

    @Test
    void testRefreshesAreExact()
    {
        long seed = Long.getLong("freshet.test.seed", 1);
        int scripts = getInteger("freshet.test.join-scripts", 4);
        int rounds = getInteger("freshet.test.rounds", 4);
        int views = getInteger("freshet.test.views", 6);
        ScriptSearch search = new ScriptSearch(this::runner);
        search.run(scripts, i -> Script.random(seed + i, views, rounds, CHANGES_PER_ROUND));
        assertThat(search.failures()).isEmpty();
        Multiset<String> outcomes = search.outcomes();
        long incremental = count(outcomes, "APPEND_ONLY") + count(outcomes, "ROW_DELTA") + count(outcomes, "AGGREGATE_MERGE") + count(outcomes, "GROUP_RECOMPUTE");
        long full = count(outcomes, "FULL_REFRESH") - count(outcomes, "FULL_REFRESH MODE_FULL") - count(outcomes, "FULL_REFRESH NOT_BUILT");
        if (scripts > 3) {
            assertThat(incremental).describedAs("incremental refreshes in %s", outcomes).isGreaterThan((long) ((incremental + full) * INCREMENTAL_SHARE));
        }
    }

    private static long count(Multiset<String> outcomes, String prefix)
    {
        return outcomes.stream().filter(outcome -> outcome.startsWith(prefix)).count();
    }

    private AbstractScriptRunner runner(Script script, String name)
    {
        DistributedQueryRunner queryRunner = script.seed() % 2 == 0 ? merging : getDistributedQueryRunner();
        return new JoinScriptRunner(queryRunner, new ViewOracle(queryRunner), script, name);
    }
}
