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

import com.google.common.hash.Hasher;
import com.google.common.hash.Hashing;
import io.freshet.engine.algebra.AggregateBlock;
import io.freshet.engine.algebra.AggregateFunction;
import io.freshet.engine.algebra.Block;
import io.freshet.engine.algebra.LinearBlock;
import io.freshet.engine.algebra.WindowBlock;
import io.trino.sql.tree.Expression;

import static io.trino.sql.ExpressionFormatter.formatExpression;
import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Identifies a block: states may be merged only into states of the same block.
 */
public final class Fingerprint
{
    private Fingerprint() {}

    public static String of(Block block)
    {
        Hasher hasher = Hashing.sha256().newHasher();
        add(hasher, RelationRenderer.render(block.input(), SourceText.TABLES));
        switch (block) {
            case LinearBlock _ -> {}
            case WindowBlock windows -> {
                windows.where().ifPresent(where -> add(hasher, "where " + format(where)));
                windows.keys().forEach(key -> add(hasher, "key " + format(key)));
                windows.windows().forEach(window -> add(hasher, "window " + format(window)));
                windows.outputs().forEach(output -> add(hasher, "output " + format(output.expression())));
                windows.filter().ifPresent(filter -> add(hasher, "filter " + format(filter)));
            }
            case AggregateBlock aggregate -> {
                aggregate.where().ifPresent(where -> add(hasher, "where " + format(where)));
                aggregate.keys().forEach(key -> add(hasher, "key " + format(key)));
                aggregate.aggregates().forEach(call -> {
                    add(hasher, call.function().name());
                    if (call.function() == AggregateFunction.WHOLE_GROUP) {
                        add(hasher, format(call.call()));
                    }
                    call.argument().ifPresent(argument -> add(hasher, "argument " + format(argument)));
                    call.filter().ifPresent(filter -> add(hasher, "filter " + format(filter)));
                });
                aggregate.outputs().forEach(output -> add(hasher, "output " + format(output.expression())));
                aggregate.having().ifPresent(having -> add(hasher, "having " + format(having)));
            }
        }
        return hasher.hash().toString();
    }

    private static String format(Expression expression)
    {
        return formatExpression(expression);
    }

    private static void add(Hasher hasher, String part)
    {
        byte[] bytes = part.getBytes(UTF_8);
        hasher.putInt(bytes.length);
        hasher.putBytes(bytes);
    }
}
