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

import com.google.common.collect.ImmutableList;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import java.util.stream.Stream;

import static com.google.common.collect.ImmutableList.toImmutableList;

/**
 * A table, views over it, and what happens to them. The same seed gives the same script.
 *
 * @param tableProperties of the CREATE TABLE statement
 * @param viewSeeds from each, a query follows
 */
record Script(long seed, String tableProperties, List<Long> viewSeeds, List<Change> changes)
{
    Script
    {
        viewSeeds = ImmutableList.copyOf(viewSeeds);
        changes = ImmutableList.copyOf(changes);
    }

    static Script random(long seed, int views, int rounds)
    {
        return random(seed, views, rounds, 4);
    }

    /** @param changesPerRound at most; the tables see at least one */
    static Script random(long seed, int views, int rounds, int changesPerRound)
    {
        Random random = new Random(seed);
        String properties = "format_version = %s%s".formatted(
                random.nextInt(2, 4),
                RandomValues.pick(random, List.of("", "", ", partitioning = ARRAY['s']", ", partitioning = ARRAY['bucket(i, 3)', 'month(dt)']", ", format = 'ORC'", ", partitioning = ARRAY['b', 'truncate(l, 2)']")));
        List<Long> viewSeeds = Stream.generate(random::nextLong).limit(views).toList();
        List<Change> changes = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            for (int i = random.nextInt(1, changesPerRound + 1); i > 0; i--) {
                changes.add(Change.random(random));
            }
            changes.add(new Change(Change.Kind.REFRESH, random.nextLong()));
        }
        return new Script(seed, properties, viewSeeds, changes);
    }

    /**
     * A smaller script that fails too: steps and views are taken out, many at a time first, as long as that is so.
     *
     * @param attempts how many scripts to try at most
     */
    Script shrink(Predicate<Script> fails, int attempts)
    {
        Script smallest = this;
        int left = attempts;
        for (int view = viewSeeds.size() - 1; view >= 0 && viewSeeds.size() > 1; view--) {
            Script candidate = new Script(seed, tableProperties, List.of(viewSeeds.get(view)), changes);
            left--;
            if (fails.test(candidate)) {
                smallest = candidate;
                break;
            }
        }
        for (int length = Math.max(1, changes.size() / 2); length > 0; length /= 2) {
            for (int start = smallest.changes.size() - length; start >= 0 && left > 0; start -= length) {
                Script candidate = smallest.without(start, length);
                left--;
                if (fails.test(candidate)) {
                    smallest = candidate;
                }
            }
        }
        return smallest;
    }

    private Script without(int start, int length)
    {
        return new Script(seed, tableProperties, viewSeeds, Stream.concat(
                        changes.stream().limit(start),
                        changes.stream().skip(start + length))
                .collect(toImmutableList()));
    }
}
