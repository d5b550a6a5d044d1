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

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.IntFunction;

import static java.lang.Integer.getInteger;

/**
 * Runs scripts, and makes those that fail shorter.
 */
final class ScriptSearch
{
    private static final Logger log = Logger.get(ScriptSearch.class);

    private static final int SHRINK_ATTEMPTS = 100;

    private final BiFunction<Script, String, AbstractScriptRunner> runners;
    private final Multiset<String> outcomes = TreeMultiset.create();
    private final List<String> failures = new ArrayList<>();
    private int runs;

    /** @param runners from a script, and a prefix for the names of its tables and views */
    ScriptSearch(BiFunction<Script, String, AbstractScriptRunner> runners)
    {
        this.runners = runners;
    }

    Multiset<String> outcomes()
    {
        return outcomes;
    }

    List<String> failures()
    {
        return failures;
    }

    void run(int count, IntFunction<Script> scripts)
    {
        for (int i = 0; i < count; i++) {
            outcomes.addAll(check(scripts.apply(i)));
            if (i % 10 == 9) {
                log.info("%s scripts: %s", i + 1, outcomes);
            }
        }
        log.info("%s scripts: %s", count, outcomes);
    }

    private Multiset<String> check(Script script)
    {
        AbstractScriptRunner runner = runner(script);
        Optional<String> failure = runner.run();
        if (failure.isEmpty()) {
            log.info("Seed %s: %s", script.seed(), runner.outcomes());
            return runner.outcomes();
        }
        log.warn("Seed %s failed, looking for a shorter script: %s", script.seed(), failure.get());
        Script shrunk = script.shrink(candidate -> runner(candidate).run().isPresent(), getInteger("freshet.test.shrink", SHRINK_ATTEMPTS));
        AbstractScriptRunner last = runner(shrunk);
        Optional<String> shrunkFailure = last.run();
        String report = "%s%nRepeat with -Dfreshet.test.seed=%s. Shortened to:%n%s;%n-- %s".formatted(
                failure.get(),
                script.seed(),
                String.join(";%n".formatted(), last.statements()),
                shrunkFailure.orElse("fails no more: not deterministic"));
        log.error("%s", report);
        failures.add(report);
        return runner.outcomes();
    }

    private AbstractScriptRunner runner(Script script)
    {
        runs++;
        return runners.apply(script, "random" + runs);
    }
}
