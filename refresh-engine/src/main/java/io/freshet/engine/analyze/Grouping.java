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

import io.freshet.engine.RefusalCode;
import io.freshet.engine.algebra.AggregateCall;
import io.freshet.engine.algebra.AggregateFunction;
import io.trino.sql.tree.Cast;
import io.trino.sql.tree.DereferenceExpression;
import io.trino.sql.tree.Expression;
import io.trino.sql.tree.ExpressionRewriter;
import io.trino.sql.tree.ExpressionTreeRewriter;
import io.trino.sql.tree.FunctionCall;
import io.trino.sql.tree.GroupingOperation;
import io.trino.sql.tree.Literal;
import io.trino.sql.tree.Node;
import io.trino.sql.tree.NodeLocation;

import java.util.List;
import java.util.Optional;

import static io.freshet.engine.algebra.Expressions.aggregateReference;
import static io.freshet.engine.algebra.Expressions.keyReference;
import static io.freshet.engine.algebra.Expressions.referencedColumn;
import static io.freshet.engine.analyze.RefusedException.refused;
import static java.util.Objects.requireNonNull;

/**
 * Takes an expression over rows apart into keys, aggregates, and functions of these. A part is a key if it is structurally equal to
 * it, names resolved, as in Trino; the largest part counts.
 */
final class Grouping
{
    private final GroupingSetList sets;
    private final List<Expression> keys;
    private final String inputAlias;
    private final String groupAlias;
    private final List<AggregateCall> aggregates;

    /**
     * @param aggregates the aggregates found so far; new ones are appended
     */
    Grouping(GroupingSetList sets, String inputAlias, String groupAlias, List<AggregateCall> aggregates)
    {
        this.sets = requireNonNull(sets, "sets is null");
        this.keys = sets.keys();
        this.inputAlias = requireNonNull(inputAlias, "inputAlias is null");
        this.groupAlias = requireNonNull(groupAlias, "groupAlias is null");
        this.aggregates = requireNonNull(aggregates, "aggregates is null");
    }

    Expression rewrite(Expression expression, Node source)
    {
        int key = keys.indexOf(expression);
        if (key >= 0) {
            return keyReference(groupAlias, key);
        }
        return ExpressionTreeRewriter.rewriteWith(new Rewriter(source), expression);
    }

    private final class Rewriter
            extends ExpressionRewriter<Void>
    {
        private final Node source;

        private Rewriter(Node source)
        {
            this.source = source;
        }

        @Override
        protected Expression rewriteExpression(Expression node, Void context, ExpressionTreeRewriter<Void> rewriter)
        {
            // a literal inside may stand where only a literal is allowed
            int key = node instanceof Literal ? -1 : keys.indexOf(node);
            return key < 0 ? null : keyReference(groupAlias, key);
        }

        @Override
        public Expression rewriteDereferenceExpression(DereferenceExpression node, Void context, ExpressionTreeRewriter<Void> rewriter)
        {
            Expression key = rewriteExpression(node, context, rewriter);
            if (key == null && referencedColumn(node, inputAlias).isPresent()) {
                throw refused(
                        RefusalCode.UNSUPPORTED_SYNTAX,
                        source,
                        "column " + referencedColumn(node, inputAlias).get(),
                        "is neither a group key nor aggregated");
            }
            return key;
        }

        @Override
        public Expression rewriteCast(Cast node, Void context, ExpressionTreeRewriter<Void> rewriter)
        {
            Expression key = rewriteExpression(node, context, rewriter);
            if (key != null) {
                return key;
            }
            return new Cast(node.getLocation().orElseThrow(), rewriter.rewrite(node.getExpression(), context), node.getType(), node.isSafe());
        }

        @Override
        public Expression rewriteGroupingOperation(GroupingOperation node, Void context, ExpressionTreeRewriter<Void> rewriter)
        {
            return sets.grouping(node, inputAlias, groupAlias);
        }

        @Override
        public Expression rewriteFunctionCall(FunctionCall node, Void context, ExpressionTreeRewriter<Void> rewriter)
        {
            if (!Functions.isAggregate(node)) {
                return rewriteExpression(node, context, rewriter);
            }
            return aggregateReference(groupAlias, position(call(node)));
        }
    }

    private int position(AggregateCall call)
    {
        for (int i = 0; i < aggregates.size(); i++) {
            if (aggregates.get(i).isSameAs(call)) {
                return i;
            }
        }
        aggregates.add(call);
        return aggregates.size() - 1;
    }

    private static AggregateCall call(FunctionCall node)
    {
        AggregateFunction function = FunctionCalls.aggregate(node);
        NodeLocation location = node.getLocation().orElseThrow();
        boolean whole = function == AggregateFunction.WHOLE_GROUP;
        Optional<Expression> argument = whole ? Optional.empty() : node.argumentValues().stream().findFirst();
        if (!whole && argument.isEmpty() != (function == AggregateFunction.COUNT_ALL)) {
            throw refused(RefusalCode.UNSUPPORTED_SYNTAX, node, node.getName().toString(), "has no argument");
        }
        Optional<Expression> filter = whole ? Optional.empty() : node.getFilter();
        return new AggregateCall(function, node, argument, filter, location.getLineNumber(), location.getColumnNumber());
    }
}
