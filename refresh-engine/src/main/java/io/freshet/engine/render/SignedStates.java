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
package io.freshet.engine.render;

import io.freshet.engine.StateLayout;
import io.trino.sql.parser.SqlParser;
import io.trino.sql.tree.FunctionCall;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import static io.freshet.engine.SqlNames.literal;
import static io.trino.sql.ExpressionFormatter.formatExpression;

/**
 * States of rows with weights, and their merge. Law: the state of A - B is the state of A less that of B, for multisets A that hold
 * B. So only states that are counts, and sums that are exact, have this form. The sum of no value is NULL, which a difference
 * cannot tell from zero: the count of values beside it does.
 */
public final class SignedStates
{
    private static final SqlParser PARSER = new SqlParser();

    private SignedStates() {}

    /** Whether rows can be taken away from all states. */
    public static boolean areSubtractable(StateLayout layout)
    {
        return IntStream.range(0, layout.states().size()).allMatch(index -> isSubtractable(layout, index));
    }

    /** Whether rows can be taken away from a state. */
    public static boolean isSubtractable(StateLayout layout, int index)
    {
        StateLayout.State state = layout.states().get(index);
        return switch (state.merge()) {
            case COUNT -> true;
            case SUM -> !state.type().equals("double") && countOf(layout, index).isPresent();
            case MIN, MAX -> false;
        };
    }

    /** The position of the count of values beside a sum. */
    private static Optional<Integer> countOf(StateLayout layout, int sum)
    {
        return layout.aggregates().stream()
                .map(StateLayout.Aggregate::states)
                .filter(states -> states.size() > 1 && states.getFirst() == sum)
                .map(List::getLast)
                .findFirst();
    }

    /** The state of the rows that were added less that of the rows that were removed; never NULL. */
    static String render(StateLayout.State state, String weight)
    {
        FunctionCall call = (FunctionCall) PARSER.createExpression(state.expression());
        Optional<String> argument = call.argumentValues().stream().findFirst().map(value -> formatExpression(value));
        Optional<String> filter = call.getFilter().map(value -> formatExpression(value));
        return switch (call.getName().toString()) {
            case "count" -> weights(weight, argument.map(value -> "(" + value + ") IS NOT NULL"), filter);
            case "count_if" -> weights(weight, argument, filter);
            case "sum" -> side(state, argument.orElseThrow(), filter, weight + " > 0") + " - " + side(state, argument.orElseThrow(), filter, weight + " < 0");
            default -> throw new IllegalStateException("rows cannot be taken away from " + state.expression());
        };
    }

    private static String weights(String weight, Optional<String> condition, Optional<String> filter)
    {
        List<String> conditions = new ArrayList<>();
        condition.ifPresent(conditions::add);
        filter.ifPresent(conditions::add);
        return "coalesce(sum(" + weight + ")" + filter(conditions) + ", 0)";
    }

    private static String side(StateLayout.State state, String argument, Optional<String> filter, String sign)
    {
        List<String> conditions = new ArrayList<>();
        conditions.add(sign);
        filter.ifPresent(conditions::add);
        return "coalesce(sum(" + argument + ")" + filter(conditions) + ", " + zero(state) + ")";
    }

    private static String filter(List<String> conditions)
    {
        return conditions.isEmpty() ? "" : " FILTER (WHERE (" + String.join(") AND (", conditions) + "))";
    }

    private static String zero(StateLayout.State state)
    {
        return "CAST(0 AS " + state.type() + ")";
    }

    /** The merge of a stored state with a signed one, as a scalar function. The stored ones are NULL if there are none. */
    static String pair(StateLayout layout, int index, List<String> stored, List<String> signed)
    {
        StateLayout.State state = layout.states().get(index);
        return switch (state.merge()) {
            case COUNT -> checked(count(stored.get(index), signed.get(index)));
            case SUM -> {
                int count = countOf(layout, index).orElseThrow();
                yield "if(" + count(stored.get(count), signed.get(count)) + " = 0, NULL, "
                        + "coalesce(" + stored.get(index) + ", " + zero(state) + ") + " + signed.get(index) + ")";
            }
            case MIN, MAX -> throw new IllegalStateException("rows cannot be taken away from " + state.expression());
        };
    }

    private static String count(String stored, String signed)
    {
        return "coalesce(" + stored + ", 0) + " + signed;
    }

    /** The merge of stored and signed states, as an aggregation. */
    static String aggregate(StateLayout layout, int index, List<String> states)
    {
        return switch (layout.states().get(index).merge()) {
            case COUNT -> checked(total(states.get(index)));
            case SUM -> "if(" + total(states.get(countOf(layout, index).orElseThrow())) + " = 0, NULL, sum(" + states.get(index) + "))";
            case MIN, MAX -> throw new IllegalStateException("rows cannot be taken away from " + layout.states().get(index).expression());
        };
    }

    private static String total(String count)
    {
        return "coalesce(sum(" + count + "), 0)";
    }

    /** No count of rows is negative: if it is, the stored state is not that of the rows before the change, and nothing may be built on it. */
    private static String checked(String count)
    {
        return "if(" + count + " < 0, " + fail("the stored groups do not fit the removed rows") + ", " + count + ")";
    }

    /** An expression that makes the statement fail when it is evaluated. */
    static String fail(String message)
    {
        return "fail(" + literal(message) + ")";
    }
}
