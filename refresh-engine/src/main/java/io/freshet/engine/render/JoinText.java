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

import io.trino.sql.tree.Expression;

import java.util.List;
import java.util.function.UnaryOperator;

import static io.trino.sql.ExpressionFormatter.formatExpression;
import static java.util.stream.Collectors.joining;

/**
 * Joins as text.
 */
final class JoinText
{
    private JoinText() {}

    /** Each relation is joined on the right of those before it. The engine may find a better order. */
    static String leftDeep(JoinOrder order, UnaryOperator<String> relation)
    {
        String joined = relation.apply(order.first());
        for (JoinOrder.Step step : order.steps()) {
            joined = join(joined, relation.apply(step.alias()), step.conditions());
        }
        return joined;
    }

    /**
     * Each relation is joined on the left of those before it: the engine builds its hash table of the right side and filters the
     * scans of the left side by it. So if the first relation is small, of each further one little more is read than what matches.
     * <pre>
     * C JOIN (B JOIN A ON …) ON …
     * </pre>
     */
    static String rightDeep(JoinOrder order, UnaryOperator<String> relation)
    {
        String joined = relation.apply(order.first());
        boolean single = true;
        for (JoinOrder.Step step : order.steps()) {
            joined = join(relation.apply(step.alias()), single ? joined : "(" + joined + ")", step.conditions());
            single = false;
        }
        return joined;
    }

    static String join(String left, String right, List<Expression> conditions)
    {
        return conditions.isEmpty()
                ? left + " CROSS JOIN " + right
                : left + " JOIN " + right + " ON " + all(conditions);
    }

    /** All of the conditions, of which there is at least one. */
    static String all(List<Expression> conditions)
    {
        return conditions.stream()
                .map(condition -> conditions.size() == 1 ? formatExpression(condition) : "(" + formatExpression(condition) + ")")
                .collect(joining(" AND "));
    }

    static String where(List<Expression> conditions)
    {
        return conditions.isEmpty() ? "" : " WHERE " + all(conditions);
    }
}
