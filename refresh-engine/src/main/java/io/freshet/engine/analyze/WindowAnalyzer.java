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
package io.freshet.engine.analyze;

import com.google.common.collect.ImmutableList;
import io.freshet.engine.RefusalCode;
import io.freshet.engine.algebra.OutputColumn;
import io.freshet.engine.algebra.WindowBlock;
import io.freshet.engine.analyze.SelectAnalyzer.Item;
import io.trino.sql.tree.Cast;
import io.trino.sql.tree.Expression;
import io.trino.sql.tree.ExpressionRewriter;
import io.trino.sql.tree.ExpressionTreeRewriter;
import io.trino.sql.tree.FunctionCall;
import io.trino.sql.tree.Node;
import io.trino.sql.tree.WindowSpecification;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.freshet.engine.algebra.Expressions.reference;
import static io.freshet.engine.analyze.RefusedException.refused;
import static java.util.Objects.requireNonNull;

/**
 * A select list with window functions over rows.
 */
final class WindowAnalyzer
{
    private final FromItem.Rows rows;
    private final Aliases aliases;
    private final List<FunctionCall> windows = new ArrayList<>();

    WindowAnalyzer(FromItem.Rows rows, Aliases aliases)
    {
        this.rows = requireNonNull(rows, "rows is null");
        this.aliases = requireNonNull(aliases, "aliases is null");
    }

    static boolean containsWindow(Node node)
    {
        return node instanceof FunctionCall call && call.getWindow().isPresent()
                || node.getChildren().stream().anyMatch(WindowAnalyzer::containsWindow);
    }

    FromItem analyze(Optional<Expression> where, List<Item> items)
    {
        List<Item> separated = items.stream()
                .map(item -> new Item(item.name(), item.source(), ExpressionTreeRewriter.rewriteWith(new Separator(), item.resolved()), item.timeOfDay()))
                .collect(toImmutableList());
        List<OutputColumn> outputs = SelectAnalyzer.outputs(separated);
        WindowBlock block = new WindowBlock(
                rows.relation(),
                rows.alias(),
                where,
                commonKeys(),
                windows,
                outputs,
                Optional.empty(),
                aliases.prefix());
        return SelectAnalyzer.windowFields(block, separated);
    }

    private List<Expression> commonKeys()
    {
        List<Expression> keys = new ArrayList<>(partition(windows.getFirst()));
        for (FunctionCall window : windows) {
            keys.retainAll(partition(window));
            if (keys.isEmpty()) {
                throw refused(RefusalCode.WINDOW_FUNCTION, window, window.getName().toString(), "shares no PARTITION BY key with the others");
            }
        }
        return keys.stream()
                .distinct()
                .collect(toImmutableList());
    }

    private static List<Expression> partition(FunctionCall window)
    {
        return ImmutableList.copyOf(((WindowSpecification) window.getWindow().orElseThrow()).getPartitionBy());
    }

    /** Puts columns in place of window functions. */
    private final class Separator
            extends ExpressionRewriter<Void>
    {
        @Override
        public Expression rewriteFunctionCall(FunctionCall node, Void context, ExpressionTreeRewriter<Void> rewriter)
        {
            if (node.getWindow().isEmpty()) {
                return null;
            }
            if (!windows.contains(node)) {
                windows.add(node);
            }
            return reference(rows.alias(), WindowBlock.windowColumn(windows.indexOf(node)));
        }

        @Override
        public Expression rewriteCast(Cast node, Void context, ExpressionTreeRewriter<Void> rewriter)
        {
            return new Cast(node.getLocation().orElseThrow(), rewriter.rewrite(node.getExpression(), context), node.getType(), node.isSafe());
        }
    }
}
