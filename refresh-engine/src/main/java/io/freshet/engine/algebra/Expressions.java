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

import com.google.common.collect.ImmutableSet;
import io.trino.sql.tree.Cast;
import io.trino.sql.tree.DereferenceExpression;
import io.trino.sql.tree.Expression;
import io.trino.sql.tree.ExpressionRewriter;
import io.trino.sql.tree.ExpressionTreeRewriter;
import io.trino.sql.tree.Identifier;
import io.trino.sql.tree.Node;

import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Resolved column references: {@code alias.column}, both quoted.
 */
public final class Expressions
{
    private Expressions() {}

    public static Expression reference(String alias, String column)
    {
        return new DereferenceExpression(new Identifier(alias, true), new Identifier(column, true));
    }

    public static Expression keyReference(String groupAlias, int index)
    {
        return reference(groupAlias, "k" + (index + 1));
    }

    public static Expression aggregateReference(String groupAlias, int index)
    {
        return reference(groupAlias, "a" + (index + 1));
    }

    /** The column, if the expression is a bare reference to a column of the relation of that alias. */
    public static Optional<String> referencedColumn(Expression expression, String alias)
    {
        if (expression instanceof DereferenceExpression dereference
                && dereference.getBase() instanceof Identifier base
                && base.getValue().equals(alias)) {
            return dereference.getField().map(Identifier::getValue);
        }
        return Optional.empty();
    }

    /** All columns of the relation of that alias to which the tree refers. */
    public static Set<String> referencedColumns(Node tree, String alias)
    {
        ImmutableSet.Builder<String> columns = ImmutableSet.builder();
        collect(tree, alias, columns);
        return columns.build();
    }

    /** Which of some aliases the tree refers to. */
    public static Set<String> referencedAliases(Node tree, Set<String> aliases)
    {
        ImmutableSet.Builder<String> found = ImmutableSet.builder();
        collectAliases(tree, aliases, found);
        return found.build();
    }

    private static void collectAliases(Node node, Set<String> aliases, ImmutableSet.Builder<String> found)
    {
        if (node instanceof DereferenceExpression dereference && dereference.getBase() instanceof Identifier base && aliases.contains(base.getValue())) {
            found.add(base.getValue());
            return;
        }
        node.getChildren().forEach(child -> collectAliases(child, aliases, found));
    }

    /** The expression with others in place of the columns of the relation of that alias. */
    public static Expression substitute(Expression expression, String alias, Map<String, Expression> columns)
    {
        return ExpressionTreeRewriter.rewriteWith(new Substitution(alias, columns), expression);
    }

    private static final class Substitution
            extends ExpressionRewriter<Void>
    {
        private final String alias;
        private final Map<String, Expression> columns;

        private Substitution(String alias, Map<String, Expression> columns)
        {
            this.alias = alias;
            this.columns = columns;
        }

        @Override
        public Expression rewriteDereferenceExpression(DereferenceExpression node, Void context, ExpressionTreeRewriter<Void> rewriter)
        {
            return referencedColumn(node, alias)
                    .map(columns::get)
                    .orElse(null);
        }

        @Override
        public Expression rewriteCast(Cast node, Void context, ExpressionTreeRewriter<Void> rewriter)
        {
            // the names in a type are not columns
            return new Cast(node.getLocation().orElseThrow(), rewriter.rewrite(node.getExpression(), context), node.getType(), node.isSafe());
        }
    }

    private static void collect(Node node, String alias, ImmutableSet.Builder<String> columns)
    {
        if (node instanceof Expression expression) {
            Optional<String> column = referencedColumn(expression, alias);
            if (column.isPresent()) {
                columns.add(column.get());
                return;
            }
        }
        node.getChildren().forEach(child -> collect(child, alias, columns));
    }
}
