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

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

/**
 * Projection of a filter. Expressions refer to columns of the input as {@code alias.column}.
 *
 * @param alias alias of the input, unique in the view
 */
public record Select(LinearRelation input, String alias, Optional<Expression> where, List<OutputColumn> outputs)
        implements LinearRelation
{
    public Select
    {
        requireNonNull(input, "input is null");
        requireNonNull(alias, "alias is null");
        requireNonNull(where, "where is null");
        outputs = ImmutableList.copyOf(outputs);
    }

    @Override
    public List<String> columns()
    {
        return outputs.stream()
                .map(OutputColumn::name)
                .collect(toImmutableList());
    }
}
