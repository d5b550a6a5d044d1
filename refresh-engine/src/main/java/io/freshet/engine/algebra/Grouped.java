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

import java.util.List;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

/**
 * An aggregation as a relation that another query reads; nothing of it is kept. Law: a group is a function of the rows with its key,
 * so with K the keys that the delta of the input touches
 * <pre>
 * delta = groups of (new input whose key is in K) - groups of (old input whose key is in K)
 * </pre>
 */
public record Grouped(AggregateBlock block)
        implements LinearRelation
{
    public Grouped
    {
        requireNonNull(block, "block is null");
    }

    @Override
    public List<String> columns()
    {
        return block.outputs().stream()
                .map(OutputColumn::name)
                .collect(toImmutableList());
    }
}
