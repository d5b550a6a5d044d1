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

import static com.google.common.base.Preconditions.checkArgument;
import static com.google.common.collect.ImmutableList.toImmutableList;

/**
 * The combinations of one row of each input for which all conditions are true. Law: linear in each input, so its delta is a sum of
 * joins of one input's delta with the states of the others,
 * <pre>
 * delta(A join B) = delta(A) join new(B) + old(A) join delta(B)
 * </pre>
 * and likewise for more of them. A table that is mentioned twice is two inputs.
 *
 * @param inputs at least two
 * @param conditions all have to be true; refer to the inputs as {@code alias.column}. Without any it is a cross join
 * @param outputs refer to the inputs likewise; may be empty, if only the number of rows matters
 */
public record InnerJoin(List<JoinInput> inputs, List<Expression> conditions, List<OutputColumn> outputs)
        implements LinearRelation
{
    public InnerJoin
    {
        inputs = ImmutableList.copyOf(inputs);
        conditions = ImmutableList.copyOf(conditions);
        outputs = ImmutableList.copyOf(outputs);
        checkArgument(inputs.size() >= 2, "a join has at least two inputs");
    }

    @Override
    public List<String> columns()
    {
        return outputs.stream()
                .map(OutputColumn::name)
                .collect(toImmutableList());
    }

    public InnerJoin withConditions(List<Expression> further)
    {
        return new InnerJoin(
                inputs,
                ImmutableList.<Expression>builder().addAll(conditions).addAll(further).build(),
                outputs);
    }
}
