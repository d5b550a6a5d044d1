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

import static java.util.Objects.requireNonNull;

/**
 * The rows of the left input for which there is a row of the right one that all conditions are true with; or, if {@code anti}, those
 * for which there is none. Law: linear in the left input, as {@link LeftJoin}.
 *
 * @param conditions at least one equates the sides
 */
public record SemiJoin(JoinInput left, JoinInput right, List<Expression> conditions, boolean anti)
        implements LinearRelation
{
    public SemiJoin
    {
        requireNonNull(left, "left is null");
        requireNonNull(right, "right is null");
        conditions = ImmutableList.copyOf(conditions);
    }

    @Override
    public List<String> columns()
    {
        return left.relation().columns();
    }

    public MatchConditions match()
    {
        return MatchConditions.of(conditions, left.alias(), right.alias());
    }
}
