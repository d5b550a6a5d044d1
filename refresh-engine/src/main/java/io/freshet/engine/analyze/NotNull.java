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

import io.freshet.engine.algebra.AggregateBlock;
import io.freshet.engine.algebra.AggregateFunction;
import io.freshet.engine.algebra.Conditions;
import io.freshet.engine.algebra.Expand;
import io.freshet.engine.algebra.Grouped;
import io.freshet.engine.algebra.InnerJoin;
import io.freshet.engine.algebra.JoinInput;
import io.freshet.engine.algebra.LeftJoin;
import io.freshet.engine.algebra.LinearRelation;
import io.freshet.engine.algebra.Scan;
import io.freshet.engine.algebra.Select;
import io.freshet.engine.algebra.SemiJoin;
import io.freshet.engine.algebra.UnionAll;
import io.freshet.engine.algebra.Windowed;
import io.trino.sql.tree.CoalesceExpression;
import io.trino.sql.tree.Expression;
import io.trino.sql.tree.IsNullPredicate;
import io.trino.sql.tree.Literal;
import io.trino.sql.tree.NotExpression;
import io.trino.sql.tree.NullLiteral;
import io.trino.sql.tree.Predicated;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import static io.freshet.engine.algebra.Expressions.aggregateReference;
import static io.freshet.engine.algebra.Expressions.keyReference;
import static io.freshet.engine.algebra.Expressions.referencedColumn;

/**
 * Proves from the text of a query and the columns of its tables that a value is never NULL.
 */
final class NotNull
{
    private NotNull() {}

    /**
     * @param known conditions that are true for every row that counts
     */
    static boolean isProven(Expression expression, JoinInput input, List<Expression> known)
    {
        return isProven(expression, input.relation(), input.alias()) || known.stream().anyMatch(condition -> excludesNull(condition, expression));
    }

    private static boolean isProven(Expression expression, LinearRelation relation, String alias)
    {
        Optional<String> column = referencedColumn(expression, alias);
        if (column.isPresent()) {
            return isProven(relation, relation.columns().indexOf(column.get()));
        }
        return isConstant(expression)
                || expression instanceof CoalesceExpression coalesce && coalesce.getOperands().stream().anyMatch(operand -> isProven(operand, relation, alias));
    }

    private static boolean isConstant(Expression expression)
    {
        return expression instanceof Literal && !(expression instanceof NullLiteral);
    }

    /** {@code x IS NOT NULL}, or an equation with x. */
    private static boolean excludesNull(Expression condition, Expression expression)
    {
        boolean tested = condition instanceof Predicated predicated
                && predicated.getPredicate() instanceof IsNullPredicate test
                && test.isNegated()
                && predicated.getValue().equals(expression);
        boolean negated = condition instanceof NotExpression not
                && not.getValue() instanceof Predicated predicated
                && predicated.getPredicate() instanceof IsNullPredicate test
                && !test.isNegated()
                && predicated.getValue().equals(expression);
        return tested || negated || Conditions.equation(condition)
                .filter(equation -> equation.left().equals(expression) || equation.right().equals(expression))
                .isPresent();
    }

    private static boolean isProven(LinearRelation relation, int index)
    {
        return switch (relation) {
            case Scan scan -> !scan.sourceColumns().get(index).nullable();
            case Select select -> {
                Expression output = select.outputs().get(index).expression();
                yield isProven(output, select.input(), select.alias())
                        || select.where().stream().flatMap(where -> Conditions.conjuncts(where).stream()).anyMatch(condition -> excludesNull(condition, output));
            }
            case Expand expand -> index == expand.input().columns().size() || isProven(expand.input(), index);
            case UnionAll union -> union.inputs().stream().allMatch(input -> isProven(input, index));
            case InnerJoin join -> {
                Expression output = join.outputs().get(index).expression();
                yield join.conditions().stream().anyMatch(condition -> excludesNull(condition, output))
                        || join.inputs().stream().anyMatch(input -> isProven(output, input.relation(), input.alias()));
            }
            case LeftJoin join -> isProven(join.outputs().get(index).expression(), join.left().relation(), join.left().alias());
            case SemiJoin join -> isProven(join.left().relation(), index);
            case Grouped(AggregateBlock block) -> isProven(block, block.outputs().get(index).expression());
            case Windowed _ -> false;
        };
    }

    private static boolean isProven(AggregateBlock block, Expression output)
    {
        boolean key = IntStream.range(0, block.keys().size())
                .anyMatch(i -> output.equals(keyReference(block.groupAlias(), i))
                        && isProven(block.keys().get(i), new JoinInput(block.input(), block.inputAlias()), block.where().map(Conditions::conjuncts).orElse(List.of())));
        boolean count = IntStream.range(0, block.aggregates().size())
                .anyMatch(i -> output.equals(aggregateReference(block.groupAlias(), i)) && isCount(block.aggregates().get(i).function()));
        return key || count;
    }

    private static boolean isCount(AggregateFunction function)
    {
        return function == AggregateFunction.COUNT || function == AggregateFunction.COUNT_ALL || function == AggregateFunction.COUNT_IF;
    }
}
