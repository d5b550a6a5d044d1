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
 * Random views over one table, random changes of the table, refreshes in between: after each refresh a view holds what its SQL
 * gives on the snapshots that it recorded, and a reader who accepts no staleness gets what the SQL gives now.
 * <p>
 * Scripts of even seeds run where merged groups are written row by row at their addresses, the others where they are rewritten.
 * A failure prints the seed and a short script. {@code -Dfreshet.test.seed=…} repeats one; {@code -Dfreshet.test.scripts=…},
 * {@code -Dfreshet.test.rounds=…} and {@code -Dfreshet.test.views=…} make the search longer.
 */
@TestInstance(PER_CLASS)
final class TestRandomSingleTable
        extends AbstractTestQueryFramework
{
    private DistributedQueryRunner merging;

    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return builder().setWorkerCount(0).build();
    }

    /** Where views are so small, merged groups are written as a whole anew; here never, if that can be helped. */
    @BeforeAll
    void createMerging()
            throws Exception
    {
        merging = closeAfterClass(builder()
                .setWorkerCount(1)
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
        int scripts = getInteger("freshet.test.scripts", 4);
        int rounds = getInteger("freshet.test.rounds", 5);
        int views = getInteger("freshet.test.views", 4);
        ScriptSearch search = new ScriptSearch(this::runner);
        search.run(scripts, i -> Script.random(seed + i, views, rounds));
        assertThat(search.failures()).isEmpty();
        if (scripts > 3) {
            assertThat(search.outcomes().stream().map(outcome -> outcome.split(" ")[0]).distinct())
                    .contains("APPEND_ONLY", "ROW_DELTA", "AGGREGATE_MERGE", "GROUP_RECOMPUTE");
        }
    }

    private AbstractScriptRunner runner(Script script, String name)
    {
        DistributedQueryRunner queryRunner = script.seed() % 2 == 0 ? merging : getDistributedQueryRunner();
        return new ScriptRunner(queryRunner, new ViewOracle(queryRunner), script, name);
    }
}
