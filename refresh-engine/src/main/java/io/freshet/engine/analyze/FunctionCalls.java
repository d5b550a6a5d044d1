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

import com.google.common.collect.ImmutableSet;
import io.freshet.engine.RefusalCode;
import io.freshet.engine.algebra.AggregateCall;
import io.freshet.engine.algebra.AggregateFunction;
import io.trino.sql.tree.FunctionCall;
import io.trino.sql.tree.WindowSpecification;

import java.util.Optional;
import java.util.Set;

import static io.freshet.engine.analyze.RefusedException.refused;

/**
 * Which function calls are maintained.
 */
final class FunctionCalls
{
    /** To these it is all the same whether a value comes once or several times. */
    private static final Set<AggregateFunction> IDEMPOTENT = ImmutableSet.of(
            AggregateFunction.MIN,
            AggregateFunction.MAX,
            AggregateFunction.BOOL_AND,
            AggregateFunction.BOOL_OR);

    private FunctionCalls() {}

    /** Refuses a call that is neither a deterministic scalar function nor an aggregate. */
    static void check(FunctionCall call)
    {
        String name = call.getName().toString();
        if (call.getWindow().isPresent()) {
            throw refused(RefusalCode.WINDOW_FUNCTION, call, name, "is a window function in a place where it is not maintained");
        }
        Functions.volatility(call.getName()).ifPresent(code -> {
            throw refused(code, call, name, explain(code));
        });
        if (call.getProcessingMode().isPresent() || call.hasNamedArguments()) {
            throw refused(RefusalCode.UNSUPPORTED_SYNTAX, call, name, "is called in a way that is not maintained");
        }
        if (Functions.isAggregate(call)) {
            return;
        }
        if (call.isDistinct() || call.getFilter().isPresent() || call.getOrderBy().isPresent() || call.getNullTreatment().isPresent()) {
            throw refused(RefusalCode.UNSUPPORTED_SYNTAX, call, name, "is called in a way that is not maintained");
        }
    }

    /** Refuses a window function whose partitions are not told by keys. */
    static void checkWindow(FunctionCall call)
    {
        String name = call.getName().toString();
        Functions.volatility(call.getName()).ifPresent(code -> {
            throw refused(code, call, name, explain(code));
        });
        if (call.getProcessingMode().isPresent() || call.hasNamedArguments()) {
            throw refused(RefusalCode.UNSUPPORTED_SYNTAX, call, name, "is called in a way that is not maintained");
        }
        if (!(call.getWindow().orElseThrow() instanceof WindowSpecification window) || window.getExistingWindowName().isPresent()) {
            throw refused(RefusalCode.WINDOW_FUNCTION, call, name, "over a named window is not maintained");
        }
        boolean recognizesPattern = window.getFrame()
                .map(frame -> frame.getPattern().isPresent() || !frame.getMeasures().isEmpty() || !frame.getVariableDefinitions().isEmpty())
                .orElse(false);
        if (recognizesPattern) {
            throw refused(RefusalCode.WINDOW_FUNCTION, call, name, "over a row pattern is not maintained");
        }
        if (window.getPartitionBy().isEmpty()) {
            throw refused(RefusalCode.WINDOW_FUNCTION, call, name, "without PARTITION BY needs all rows");
        }
    }

    /** How an aggregate is kept up: by a state of its own, if that merges, or from all rows of its group. */
    static AggregateFunction aggregate(FunctionCall call)
    {
        Optional<AggregateFunction> function = Functions.mergeable(call.getName().getSuffix());
        boolean plain = call.getOrderBy().isEmpty() && call.getNullTreatment().isEmpty() && call.getArguments().size() <= 1;
        if (function.isEmpty() || !plain || (call.isDistinct() && !IDEMPOTENT.contains(function.get()))) {
            return AggregateFunction.WHOLE_GROUP;
        }
        boolean countsRows = function.get() == AggregateFunction.COUNT && call.getArguments().isEmpty();
        return countsRows ? AggregateFunction.COUNT_ALL : function.get();
    }

    /** Refuses an aggregate without groups whose only group would be the whole input. */
    static void refuseWithoutGroups(AggregateCall aggregate)
    {
        FunctionCall call = aggregate.call();
        if (aggregate.function() != AggregateFunction.WHOLE_GROUP) {
            return;
        }
        String name = call.getName().toString();
        if (Functions.mergeable(name).isEmpty()) {
            throw refused(RefusalCode.NON_MERGEABLE_AGGREGATE, call, name, "without GROUP BY needs all rows");
        }
        if (call.isDistinct()) {
            throw refused(RefusalCode.DISTINCT_AGGREGATE, call, name, "over distinct values without GROUP BY needs all rows");
        }
        if (call.getOrderBy().isPresent() || call.getNullTreatment().isPresent()) {
            throw refused(RefusalCode.ORDERED_AGGREGATE, call, name, "with an order or a null treatment without GROUP BY needs all rows");
        }
        throw refused(RefusalCode.NON_MERGEABLE_AGGREGATE, call, name, "with several arguments without GROUP BY needs all rows");
    }

    static String explain(RefusalCode code)
    {
        if (code == RefusalCode.TIME_DEPENDENT_FUNCTION) {
            return "depends on the time of the refresh";
        }
        if (code == RefusalCode.SESSION_DEPENDENT_FUNCTION) {
            return "depends on the session";
        }
        if (code == RefusalCode.NONDETERMINISTIC_FUNCTION) {
            return "gives another result at each call";
        }
        return "is not known to be deterministic";
    }

    static Optional<RefusalCode> volatility(FunctionCall call)
    {
        return Functions.volatility(call.getName());
    }
}
