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

import com.google.common.collect.ImmutableList;
import io.freshet.engine.algebra.AggregateBlock;
import io.freshet.engine.algebra.Block;
import io.freshet.engine.algebra.LinearBlock;
import io.freshet.engine.algebra.WindowBlock;
import io.trino.sql.tree.Expression;

import java.util.ArrayList;
import java.util.List;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.freshet.engine.SqlNames.quote;
import static io.trino.sql.ExpressionFormatter.formatExpression;

/**
 * The question about types that is put to the engine once, when a view is created: a query of no rows whose column types are, in
 * order, those of the keys, of the aggregate arguments, and of the outputs.
 */
public final class TypeProbe
{
    private TypeProbe() {}

    /** What is asked for, as SQL, in the order of the columns of {@link #sql}. */
    public static List<String> expressions(Block block)
    {
        return switch (block) {
            case LinearBlock linear -> linear.input().columns().stream()
                    .map(column -> quote(linear.alias()) + "." + quote(column))
                    .collect(toImmutableList());
            case WindowBlock windows -> ImmutableList.<String>builder()
                    .addAll(windows.keys().stream().map(key -> formatExpression(key)).collect(toImmutableList()))
                    .addAll(windows.outputs().stream().map(output -> formatExpression(output.expression())).collect(toImmutableList()))
                    .build();
            case AggregateBlock aggregate -> ImmutableList.<String>builder()
                    .addAll(aggregate.keys().stream().map(key -> formatExpression(key)).collect(toImmutableList()))
                    .addAll(arguments(aggregate).stream().map(argument -> formatExpression(argument)).collect(toImmutableList()))
                    .addAll(aggregate.outputs().stream().map(output -> formatExpression(output.expression())).collect(toImmutableList()))
                    .build();
        };
    }

    /** Arguments of the aggregates that have one, in the order of the aggregates. */
    public static List<Expression> arguments(AggregateBlock block)
    {
        return block.aggregates().stream()
                .flatMap(call -> call.argument().stream())
                .collect(toImmutableList());
    }

    public static String sql(Block block)
    {
        return switch (block) {
            case LinearBlock linear -> "SELECT " + String.join(", ", expressions(linear))
                    + RelationRenderer.from(linear.input(), linear.alias(), SourceText.TABLES)
                    + " LIMIT 0";
            case WindowBlock windows -> WindowStatements.probe(windows);
            case AggregateBlock aggregate -> sql(aggregate);
        };
    }

    private static String sql(AggregateBlock block)
    {
        String group = quote(block.groupAlias());
        List<String> inner = new ArrayList<>();
        List<String> outer = new ArrayList<>();
        for (int i = 0; i < block.keys().size(); i++) {
            String name = quote("k" + (i + 1));
            inner.add(formatExpression(block.keys().get(i)) + " AS " + name);
            outer.add(group + "." + name);
        }
        List<Expression> arguments = arguments(block);
        for (int i = 0; i < arguments.size(); i++) {
            String name = quote("p" + (i + 1));
            inner.add("any_value(" + formatExpression(arguments.get(i)) + ") AS " + name);
            outer.add(group + "." + name);
        }
        for (int i = 0; i < block.aggregates().size(); i++) {
            inner.add(formatExpression(block.aggregates().get(i).call()) + " AS " + quote("a" + (i + 1)));
        }
        block.outputs().forEach(output -> outer.add(formatExpression(output.expression())));
        if (inner.isEmpty()) {
            inner.add("count(*) AS \"n\"");
        }
        return "SELECT " + String.join(", ", outer)
                + " FROM (SELECT " + String.join(", ", inner)
                + RelationRenderer.from(block.input(), block.inputAlias(), SourceText.TABLES)
                + block.where().map(RelationRenderer::where).orElse("")
                + GroupRenderer.groupBy(block.keys().size())
                + ") AS " + group + " LIMIT 0";
    }
}
