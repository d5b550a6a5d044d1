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
package io.freshet.scan;

import io.airlift.log.Logger;
import io.freshet.FreshetQueryRunner;
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.QueryRunner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import java.util.List;
import java.util.Random;

import static java.lang.Integer.getInteger;
import static org.junit.jupiter.api.TestInstance.Lifecycle.PER_CLASS;

/**
 * Random commits of all kinds, then {@code table_delta} between all pairs of snapshots against reads of both.
 * <p>
 * A failure prints the seed and the script. {@code -Dfreshet.test.seed=…} repeats one; {@code -Dfreshet.test.scripts=…} and
 * {@code -Dfreshet.test.rounds=…} make the search longer.
 */
@TestInstance(PER_CLASS)
final class TestRandomDeltas
        extends AbstractTestQueryFramework
{
    private static final Logger log = Logger.get(TestRandomDeltas.class);

    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return FreshetQueryRunner.builder().setWorkerCount(1).build();
    }

    @Test
    void testDeltasAreExact()
    {
        long seed = Long.getLong("freshet.test.seed", 1);
        int scripts = getInteger("freshet.test.scripts", 8);
        int rounds = getInteger("freshet.test.rounds", 7);
        for (int script = 0; script < scripts; script++) {
            check(seed + script, rounds);
        }
    }

    private void check(long seed, int rounds)
    {
        Random random = new Random(seed);
        DeltaOracle oracle = new DeltaOracle(getQueryRunner());
        RandomCommits commits = new RandomCommits(getDistributedQueryRunner(), "random_" + seed, (int) seed, random);
        try {
            for (int round = 0; round < rounds; round++) {
                commits.next();
            }
            List<Long> snapshots = oracle.snapshots(commits.table());
            String columns = String.join(", ", commits.columns());
            oracle.assertPairs("all rows", commits.table(), columns, "true", snapshots, commits.schemaChanged());
            oracle.assertNeighbors("some rows", commits.table(), columns, commits.randomPredicate(), snapshots, commits.schemaChanged());
            oracle.assertNeighbors("some columns", commits.table(), commits.columns().getLast(), commits.randomPredicate(), snapshots, commits.schemaChanged());
        }
        catch (Throwable e) {
            throw new AssertionError("Repeat with -Dfreshet.test.seed=%s -Dfreshet.test.rounds=%s. Script:%n%s".formatted(seed, rounds, String.join(";%n".formatted(), commits.log())), e);
        }
        log.info("Seed %s: %s", seed, commits.log());
        computeActual("DROP TABLE s." + commits.table());
    }
}
