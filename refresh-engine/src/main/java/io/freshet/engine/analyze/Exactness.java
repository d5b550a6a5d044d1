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
import io.freshet.engine.Refusal;
import io.freshet.engine.RefusalCode;
import io.freshet.engine.StorageTypes;
import io.freshet.engine.algebra.AggregateBlock;
import io.freshet.engine.algebra.AggregateCall;
import io.freshet.engine.algebra.WindowBlock;
import io.trino.sql.tree.FunctionCall;
import io.trino.sql.tree.WindowFrame;
import io.trino.sql.tree.WindowSpecification;

import java.util.Optional;
import java.util.Set;

import static io.freshet.engine.analyze.RefusedException.refused;
import static java.util.Locale.ENGLISH;

/**
 * Whether the result of an aggregation or of window functions is exactly determined by the multiset of its rows. The delta of one that
 * another query reads takes away what it gave before, computed anew. So it must give the same again: a floating point sum may
 * differ with the order of its rows, and array_agg may give any order.
 */
final class Exactness
{
    /** Whatever their arguments. */
    private static final Set<String> EXACT = ImmutableSet.of(
            "count", "count_if", "min", "max", "bool_and", "bool_or", "every", "bitwise_and_agg", "bitwise_or_agg", "checksum");
    private static final Set<String> EXACT_WINDOWS = ImmutableSet.of("rank", "dense_rank");

    private Exactness() {}

    static void check(AggregateBlock block)
    {
        if (!block.emptySets().isEmpty()) {
            throw new RefusedException(new Refusal(RefusalCode.GROUPING_SETS, "a grouping set without columns is not maintained below another query", 0, 0));
        }
        for (AggregateCall call : block.aggregates()) {
            if (!isExact(call.call(), new ColumnTypes(block.input(), block.inputAlias()))) {
                throw refused(
                        RefusalCode.NESTED_AGGREGATION,
                        call.call(),
                        call.call().getName().toString(),
                        "is not maintained below another query, as its result is not exactly determined by its rows");
            }
        }
    }

    static void check(WindowBlock block)
    {
        for (FunctionCall window : block.windows()) {
            boolean exact = EXACT_WINDOWS.contains(name(window))
                    || isPeerwise(window) && isExact(window, new ColumnTypes(block.input(), block.inputAlias()));
            if (!exact) {
                throw refused(
                        RefusalCode.WINDOW_FUNCTION,
                        window,
                        window.getName().toString(),
                        "is not maintained below another query, as its result is not exactly determined by its rows");
            }
        }
    }

    private static boolean isExact(FunctionCall call, ColumnTypes types)
    {
        String name = name(call);
        int arguments = call.argumentValues().size();
        if (name.equals("sum") || name.equals("avg")) {
            Optional<String> type = types.of(call.argumentValues().getFirst());
            return type.filter(known -> StorageTypes.decimalScale(known).isPresent() || name.equals("sum") && StorageTypes.isInteger(known)).isPresent();
        }
        return EXACT.contains(name) && arguments <= 1;
    }

    /** Whether rows that the order does not tell apart see the same rows. */
    private static boolean isPeerwise(FunctionCall call)
    {
        WindowSpecification window = (WindowSpecification) call.getWindow().orElseThrow();
        return window.getFrame()
                .map(frame -> frame.getType() != WindowFrame.Type.ROWS && frame.getMeasures().isEmpty())
                .orElse(true);
    }

    private static String name(FunctionCall call)
    {
        return call.getName().getSuffix().toLowerCase(ENGLISH);
    }
}
