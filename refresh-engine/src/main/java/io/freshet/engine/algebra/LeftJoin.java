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

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

/**
 * A left outer join. Law: linear in the left input. So for a change of the right one only the left rows matter that the changed
 * rows match, or may match:
 * <pre>
 * delta = op(delta(L), new(R)) + op(A, new(R)) - op(A, old(R)), A the rows of old(L) that rows of delta(R) may match
 * </pre>
 *
 * @param conditions all have to be true for two rows to match; at least one equates the sides
 * @param outputs refer to the inputs as {@code alias.column}; may be empty, if only the number of rows matters
 */
public record LeftJoin(JoinInput left, JoinInput right, List<Expression> conditions, List<OutputColumn> outputs)
        implements LinearRelation
{
    public LeftJoin
    {
        requireNonNull(left, "left is null");
        requireNonNull(right, "right is null");
        conditions = ImmutableList.copyOf(conditions);
        outputs = ImmutableList.copyOf(outputs);
    }

    @Override
    public List<String> columns()
    {
        return outputs.stream()
                .map(OutputColumn::name)
                .collect(toImmutableList());
    }

    public MatchConditions match()
    {
        return MatchConditions.of(conditions, left.alias(), right.alias());
    }
}
