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
package io.freshet.engine.render;

import io.freshet.engine.algebra.LinearBlock;

import java.util.ArrayList;
import java.util.List;

import static com.google.common.base.Preconditions.checkArgument;
import static io.freshet.engine.SqlNames.quote;
import static java.util.Objects.requireNonNull;

/**
 * The statement that refreshes a linear block.
 * <pre>
 * INSERT INTO backing SELECT columns FROM (the block over tables, or over their deltas) r
 * </pre>
 */
public final class LinearStatements
{
    private final LinearBlock block;
    private final Target target;

    public LinearStatements(LinearBlock block, Target target)
    {
        this.block = requireNonNull(block, "block is null");
        this.target = requireNonNull(target, "target is null");
        checkArgument(target.visibleColumns() == block.input().columns().size(), "the backing table does not fit the view");
    }

    public String insert(SourceText sources)
    {
        List<String> values = new ArrayList<>();
        for (int i = 0; i < target.visibleColumns(); i++) {
            values.add(target.columns().get(i).cast(quote(block.alias()) + "." + quote(block.input().columns().get(i))));
        }
        return Target.insertInto(target.name(), target.visible())
                + "SELECT " + String.join(", ", values)
                + RelationRenderer.from(block.input(), block.alias(), sources);
    }
}
