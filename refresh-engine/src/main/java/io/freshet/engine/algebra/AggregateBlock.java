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

import java.util.List;
import java.util.Optional;

import static java.util.Objects.requireNonNull;

/**
 * Groups of a linear relation, a row for each. Laws: a group is a function of the rows with its key; if all aggregates have states,
 * the states of the groups of A + B are the states of the groups of A, merged by key with those of B. SELECT DISTINCT and UNION are blocks with keys and without aggregates.
 * <p>
 * Keys, aggregate arguments and {@code where} refer to the input as {@code inputAlias.column}. Outputs and {@code having} refer
 * to key i as {@code groupAlias.ki} and to aggregate i as {@code groupAlias.ai}, both counted from 1.
 *
 * @param where condition on input rows
 * @param keys distinct expressions; empty for a global aggregate
 * @param global without GROUP BY, or GROUP BY (): exactly one group, always. Otherwise there are as many groups as distinct keys
 * @param emptySets which values of the last key, the number of a grouping set, are those of grouping sets without columns. Such a
 *         group is there always, as the one of a global aggregate is; its other keys are NULL
 * @param having condition on groups; a group that fails it is kept and not seen
 * @param aliasPrefix prefix under which no relation alias collides with a name in the view
 */
public record AggregateBlock(
        LinearRelation input,
        String inputAlias,
        Optional<Expression> where,
        List<Expression> keys,
        boolean global,
        List<Integer> emptySets,
        List<AggregateCall> aggregates,
        List<OutputColumn> outputs,
        Optional<Expression> having,
        String aliasPrefix)
        implements Block
{
    public AggregateBlock
    {
        requireNonNull(input, "input is null");
        requireNonNull(inputAlias, "inputAlias is null");
        requireNonNull(where, "where is null");
        keys = ImmutableList.copyOf(keys);
        emptySets = ImmutableList.copyOf(emptySets);
        aggregates = ImmutableList.copyOf(aggregates);
        outputs = ImmutableList.copyOf(outputs);
        requireNonNull(having, "having is null");
        requireNonNull(aliasPrefix, "aliasPrefix is null");
    }

    /** Alias under which outputs and having refer to the group. */
    public String groupAlias()
    {
        return aliasPrefix + "g";
    }

    /** Whether some aggregate is had from all rows of its group only. */
    public boolean needsWholeGroups()
    {
        return aggregates.stream().anyMatch(call -> call.function() == AggregateFunction.WHOLE_GROUP);
    }

    public AggregateBlock withOutputs(List<OutputColumn> newOutputs, Optional<Expression> newHaving)
    {
        return new AggregateBlock(input, inputAlias, where, keys, global, emptySets, aggregates, newOutputs, newHaving, aliasPrefix);
    }
}
