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

import com.google.common.collect.ImmutableList;
import io.trino.sql.tree.Expression;
import io.trino.sql.tree.FunctionCall;

import java.util.List;
import java.util.Optional;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

/**
 * Window functions over a linear relation, a filter and a projection of them. Law: the output rows of a key are a function of the
 * input rows of that key.
 * <p>
 * Keys, windows and {@code where} refer to the input as {@code inputAlias.column}. Outputs and {@code filter} refer also to window i
 * as to a column {@code __mv_wi}, counted from 1.
 *
 * @param where condition on input rows
 * @param keys the expressions by which all windows are partitioned, perhaps among others; not empty
 * @param windows calls with an OVER clause
 * @param filter condition on rows with the values of their windows
 * @param aliasPrefix prefix under which no relation alias collides with a name in the view
 */
public record WindowBlock(
        LinearRelation input,
        String inputAlias,
        Optional<Expression> where,
        List<Expression> keys,
        List<FunctionCall> windows,
        List<OutputColumn> outputs,
        Optional<Expression> filter,
        String aliasPrefix)
        implements Block
{
    public WindowBlock
    {
        requireNonNull(input, "input is null");
        requireNonNull(inputAlias, "inputAlias is null");
        requireNonNull(where, "where is null");
        keys = ImmutableList.copyOf(keys);
        windows = ImmutableList.copyOf(windows);
        outputs = ImmutableList.copyOf(outputs);
        requireNonNull(filter, "filter is null");
        requireNonNull(aliasPrefix, "aliasPrefix is null");
        checkArgument(!keys.isEmpty(), "windows have no key");
    }

    /** The column for the value of a window. */
    public static String windowColumn(int index)
    {
        return "__mv_w" + (index + 1);
    }

    public WindowBlock withOutputs(List<OutputColumn> newOutputs, Optional<Expression> newFilter)
    {
        return new WindowBlock(input, inputAlias, where, keys, windows, newOutputs, newFilter, aliasPrefix);
    }

    public WindowBlock withInput(LinearRelation newInput)
    {
        return new WindowBlock(newInput, inputAlias, where, keys, windows, outputs, filter, aliasPrefix);
    }
}
