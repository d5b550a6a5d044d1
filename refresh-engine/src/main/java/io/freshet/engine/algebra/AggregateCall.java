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
package io.freshet.engine.algebra;

import io.trino.sql.tree.Expression;
import io.trino.sql.tree.FunctionCall;

import java.util.Optional;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

/**
 * An aggregate over the rows of a group.
 *
 * @param call the whole call
 * @param argument empty exactly for {@code count(*)} and if the whole group is needed
 * @param filter condition of the FILTER clause; empty if the whole group is needed
 * @param line line of the call in the text of the view, from 1
 * @param column column in that line, from 1
 */
public record AggregateCall(
        AggregateFunction function,
        FunctionCall call,
        Optional<Expression> argument,
        Optional<Expression> filter,
        int line,
        int column)
{
    public AggregateCall
    {
        requireNonNull(function, "function is null");
        requireNonNull(call, "call is null");
        requireNonNull(argument, "argument is null");
        requireNonNull(filter, "filter is null");
        boolean none = function == AggregateFunction.COUNT_ALL || function == AggregateFunction.WHOLE_GROUP;
        checkArgument(argument.isEmpty() == none, "only count(*) has no argument");
    }

    /** Whether both calls give the same value for every group. */
    public boolean isSameAs(AggregateCall other)
    {
        return function == other.function
                && argument.equals(other.argument)
                && filter.equals(other.filter)
                && (function != AggregateFunction.WHOLE_GROUP || call.equals(other.call));
    }
}
