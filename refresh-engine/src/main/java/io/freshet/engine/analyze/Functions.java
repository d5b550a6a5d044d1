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
package io.freshet.engine.analyze;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.io.Resources;
import io.freshet.engine.RefusalCode;
import io.freshet.engine.algebra.AggregateFunction;
import io.trino.sql.tree.FunctionCall;
import io.trino.sql.tree.QualifiedName;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * What is known of functions by name. A function that is on no list is unknown, and unknown means no.
 */
final class Functions
{
    private static final Set<String> SCALARS = load("deterministic-functions.txt");
    private static final Set<String> AGGREGATES = load("aggregate-functions.txt");
    private static final Set<String> WINDOWS = load("window-functions.txt");

    private static final Map<String, AggregateFunction> MERGEABLE = ImmutableMap.<String, AggregateFunction>builder()
            .put("count", AggregateFunction.COUNT)
            .put("count_if", AggregateFunction.COUNT_IF)
            .put("sum", AggregateFunction.SUM)
            .put("avg", AggregateFunction.AVG)
            .put("min", AggregateFunction.MIN)
            .put("max", AggregateFunction.MAX)
            .put("bool_and", AggregateFunction.BOOL_AND)
            .put("every", AggregateFunction.BOOL_AND)
            .put("bool_or", AggregateFunction.BOOL_OR)
            .buildOrThrow();

    private static final Map<String, RefusalCode> VOLATILE = ImmutableMap.<String, RefusalCode>builder()
            .put("rand", RefusalCode.NONDETERMINISTIC_FUNCTION)
            .put("random", RefusalCode.NONDETERMINISTIC_FUNCTION)
            .put("shuffle", RefusalCode.NONDETERMINISTIC_FUNCTION)
            .put("uuid", RefusalCode.NONDETERMINISTIC_FUNCTION)
            .put("now", RefusalCode.TIME_DEPENDENT_FUNCTION)
            .put("current_date", RefusalCode.TIME_DEPENDENT_FUNCTION)
            .put("current_groups", RefusalCode.SESSION_DEPENDENT_FUNCTION)
            .put("version", RefusalCode.SESSION_DEPENDENT_FUNCTION)
            .buildOrThrow();

    private Functions() {}

    /** Why the value of a call depends on more than its arguments; empty if it does not. */
    static Optional<RefusalCode> volatility(QualifiedName name)
    {
        if (name.getPrefix().isPresent()) {
            return Optional.of(RefusalCode.UNKNOWN_FUNCTION);
        }
        String function = name.getSuffix();
        if (VOLATILE.containsKey(function)) {
            return Optional.of(VOLATILE.get(function));
        }
        if (SCALARS.contains(function) || AGGREGATES.contains(function) || WINDOWS.contains(function)) {
            return Optional.empty();
        }
        return Optional.of(RefusalCode.UNKNOWN_FUNCTION);
    }

    static boolean isAggregate(FunctionCall call)
    {
        return call.getWindow().isEmpty() && call.getName().getPrefix().isEmpty() && AGGREGATES.contains(call.getName().getSuffix());
    }

    static Optional<AggregateFunction> mergeable(String name)
    {
        return Optional.ofNullable(MERGEABLE.get(name));
    }

    private static Set<String> load(String resource)
    {
        try {
            List<String> lines = Resources.readLines(Resources.getResource(Functions.class, "/io/freshet/engine/" + resource), UTF_8);
            return lines.stream()
                    .map(String::trim)
                    .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                    .collect(toImmutableSet());
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** All names on the lists, for tests. */
    static Set<String> knownNames()
    {
        return ImmutableSet.<String>builder().addAll(SCALARS).addAll(AGGREGATES).addAll(WINDOWS).build();
    }
}
