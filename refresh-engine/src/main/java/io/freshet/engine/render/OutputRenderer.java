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

import com.google.common.collect.ImmutableMap;
import io.freshet.engine.StateLayout;
import io.freshet.engine.algebra.AggregateBlock;
import io.freshet.engine.algebra.OutputColumn;
import io.trino.sql.parser.SqlParser;
import io.trino.sql.tree.Cast;
import io.trino.sql.tree.Expression;
import io.trino.sql.tree.ExpressionRewriter;
import io.trino.sql.tree.ExpressionTreeRewriter;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import static io.freshet.engine.algebra.Expressions.aggregateReference;
import static io.freshet.engine.algebra.Expressions.keyReference;
import static io.trino.sql.ExpressionFormatter.formatExpression;
import static java.util.Objects.requireNonNull;

/**
 * Output columns as functions of keys and states.
 */
final class OutputRenderer
{
    private static final SqlParser PARSER = new SqlParser();

    private final AggregateBlock block;
    private final StateLayout layout;
    private final List<String> keys;
    private final List<String> states;
    private final Optional<String> exists;
    private final Map<Expression, Expression> values;

    /**
     * @param keys SQL of each key, in the type of the engine
     * @param states SQL of each state, in the type of the engine
     * @param exists condition under which there is a group at all; empty if there always is. Without a group nothing is computed
     *         from its states, as that may fail
     */
    OutputRenderer(AggregateBlock block, StateLayout layout, List<String> keys, List<String> states, Optional<String> exists)
    {
        this.block = requireNonNull(block, "block is null");
        this.layout = requireNonNull(layout, "layout is null");
        this.keys = keys;
        this.states = states;
        this.exists = requireNonNull(exists, "exists is null");
        ImmutableMap.Builder<Expression, Expression> replacements = ImmutableMap.builder();
        for (int i = 0; i < keys.size(); i++) {
            replacements.put(keyReference(block.groupAlias(), i), PARSER.createExpression(keys.get(i)));
        }
        for (int i = 0; i < layout.aggregates().size(); i++) {
            replacements.put(aggregateReference(block.groupAlias(), i), PARSER.createExpression(finish(layout.aggregates().get(i), states)));
        }
        this.values = replacements.buildOrThrow();
    }

    String key(int index)
    {
        return keys.get(index);
    }

    String state(int index)
    {
        return states.get(index);
    }

    /** Whether the group satisfies HAVING; never NULL if there is a group. */
    Optional<String> visibility()
    {
        return block.having().map(having -> existing("coalesce(" + formatExpression(replace(having)) + ", false)"));
    }

    private String existing(String value)
    {
        return exists.map(condition -> "CASE WHEN " + condition + " THEN " + value + " END").orElse(value);
    }

    /**
     * The value of an output column. What HAVING hides is not evaluated, as it may fail there, unless the column is also where a
     * key or a state is kept.
     */
    String output(int index, String column)
    {
        OutputColumn output = block.outputs().get(index);
        String value = formatExpression(replace(output.expression()));
        if (holdsKeyOrState(column)) {
            return value;
        }
        if (block.having().isEmpty()) {
            return existing(value);
        }
        return "CASE WHEN " + visibility().orElseThrow() + " THEN " + value + " END";
    }

    private boolean holdsKeyOrState(String column)
    {
        return layout.keys().stream().anyMatch(key -> key.column().equals(column))
                || layout.states().stream().anyMatch(state -> state.column().equals(column));
    }

    private Expression replace(Expression expression)
    {
        return ExpressionTreeRewriter.rewriteWith(new Replacer(), expression);
    }

    private final class Replacer
            extends ExpressionRewriter<Void>
    {
        @Override
        protected Expression rewriteExpression(Expression node, Void context, ExpressionTreeRewriter<Void> rewriter)
        {
            return values.get(node);
        }

        @Override
        public Expression rewriteCast(Cast node, Void context, ExpressionTreeRewriter<Void> rewriter)
        {
            return new Cast(node.getLocation().orElseThrow(), rewriter.rewrite(node.getExpression(), context), node.getType(), node.isSafe());
        }
    }

    private static String finish(StateLayout.Aggregate aggregate, List<String> states)
    {
        String first = states.get(aggregate.states().getFirst());
        String last = states.get(aggregate.states().getLast());
        return switch (aggregate.finish()) {
            case STATE -> first;
            case CAST -> "CAST(" + first + " AS " + aggregate.type() + ")";
            case AVERAGE_DOUBLE -> "CAST(CAST(" + first + " AS double) / CAST(" + last + " AS double) AS " + aggregate.type() + ")";
            case AVERAGE_DECIMAL -> "CAST(" + first + " / nullif(CAST(" + last + " AS decimal(19,0)), 0) AS " + aggregate.type() + ")";
            case ALL_TRUE -> "if(" + last + " > 0, " + first + " = " + last + ")";
            case ANY_TRUE -> "if(" + last + " > 0, " + first + " > 0)";
        };
    }
}
