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

import java.util.List;

import static com.google.common.base.Preconditions.checkArgument;

/**
 * The sum of relations with equally many columns. The columns are named by the first input.
 */
public record UnionAll(List<LinearRelation> inputs)
        implements LinearRelation
{
    public UnionAll
    {
        inputs = ImmutableList.copyOf(inputs);
        checkArgument(inputs.size() >= 2, "a union has at least two inputs");
    }

    @Override
    public List<String> columns()
    {
        return inputs.getFirst().columns();
    }
}
