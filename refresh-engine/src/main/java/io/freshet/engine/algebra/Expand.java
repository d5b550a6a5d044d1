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
import static java.util.Objects.requireNonNull;

/**
 * Each row so many times, numbered from 0 in {@link #INDEX_COLUMN}: once for each grouping set.
 *
 * @param alias alias of the input, unique in the view
 */
public record Expand(LinearRelation input, String alias, int copies)
        implements LinearRelation
{
    /** The last column. No column of a source or a view has the name. */
    public static final String INDEX_COLUMN = "__mv_set";

    public Expand
    {
        requireNonNull(input, "input is null");
        requireNonNull(alias, "alias is null");
        checkArgument(copies > 1, "rows are given once");
    }

    @Override
    public List<String> columns()
    {
        return ImmutableList.<String>builder()
                .addAll(input.columns())
                .add(INDEX_COLUMN)
                .build();
    }
}
