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
import com.google.common.collect.TreeMultiset;
import io.airlift.log.Logger;
import io.freshet.FreshetQueryRunner;
import io.freshet.ViewOracle;
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.QueryRunner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import java.util.Optional;

import static java.lang.Integer.getInteger;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.TestInstance.Lifecycle.PER_CLASS;

/**
 * Random views over one table, random changes of the table, refreshes in between: after each refresh a view holds what its SQL
 * gives on the snapshots that it recorded, and a reader who accepts no staleness gets what the SQL gives now.
 * <p>
 * A failure prints the seed and a short script. {@code -Dfreshet.test.seed=…} repeats one; {@code -Dfreshet.test.scripts=…} and
 * {@code -Dfreshet.test.rounds=…} make the search longer.
 */
@TestInstance(PER_CLASS)
final class TestRandomSingleTable
        extends AbstractTestQueryFramework
{
    private static final Logger log = Logger.get(TestRandomSingleTable.class);

    private static final int VIEWS = 4;
    private static final int SHRINK_ATTEMPTS = 100;

    private int runs;

    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return FreshetQueryRunner.builder()
                .setWorkerCount(0)
                .addCatalogProperty("iceberg.expire-snapshots.min-retention", "0s")
                .build();
    }

    @Test
    void testRefreshesAreExact()
    {
        long seed = Long.getLong("freshet.test.seed", 1);
        int scripts = getInteger("freshet.test.scripts", 4);
        int rounds = getInteger("freshet.test.rounds", 5);
        Multiset<String> outcomes = TreeMultiset.create();
        for (int i = 0; i < scripts; i++) {
            outcomes.addAll(check(Script.random(seed + i, VIEWS, rounds)));
        }
        log.info("%s scripts: %s", scripts, outcomes);
        assertThat(outcomes.elementSet()).anyMatch(outcome -> outcome.startsWith("APPEND_ONLY")).anyMatch(outcome -> outcome.startsWith("AGGREGATE_MERGE"));
    }

    private Multiset<String> check(Script script)
    {
        ScriptRunner runner = runner(script);
        Optional<String> failure = runner.run();
        if (failure.isEmpty()) {
            log.info("Seed %s: %s", script.seed(), runner.outcomes());
            return runner.outcomes();
        }
        log.info("Seed %s failed, looking for a shorter script: %s", script.seed(), failure.get());
        Script shrunk = script.shrink(candidate -> runner(candidate).run().isPresent(), SHRINK_ATTEMPTS);
        ScriptRunner last = runner(shrunk);
        Optional<String> shrunkFailure = last.run();
        throw new AssertionError("%s%nRepeat with -Dfreshet.test.seed=%s. Shortened to:%n%s;%n-- %s".formatted(
                failure.get(),
                script.seed(),
                String.join(";%n".formatted(), last.statements()),
                shrunkFailure.orElse("fails no more: not deterministic")));
    }

    private ScriptRunner runner(Script script)
    {
        runs++;
        return new ScriptRunner(getQueryRunner(), new ViewOracle(getQueryRunner()), script, "random" + runs);
    }
}
