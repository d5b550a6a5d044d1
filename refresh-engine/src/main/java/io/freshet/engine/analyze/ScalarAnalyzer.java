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
import io.freshet.engine.algebra.AggregateBlock;
import io.freshet.engine.algebra.AggregateCall;
import io.freshet.engine.algebra.AggregateFunction;
import io.freshet.engine.algebra.Conditions;
import io.freshet.engine.algebra.Conditions.Equation;
import io.freshet.engine.algebra.Grouped;
import io.freshet.engine.algebra.JoinInput;
import io.freshet.engine.algebra.OutputColumn;
import io.trino.sql.tree.ArithmeticBinaryExpression;
import io.trino.sql.tree.ArithmeticUnaryExpression;
import io.trino.sql.tree.Cast;
import io.trino.sql.tree.Expression;
import io.trino.sql.tree.Literal;
import io.trino.sql.tree.LogicalExpression;
import io.trino.sql.tree.Node;
import io.trino.sql.tree.NodeLocation;
import io.trino.sql.tree.NullLiteral;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.freshet.engine.algebra.Expressions.aggregateReference;
import static io.freshet.engine.algebra.Expressions.keyReference;
import static io.freshet.engine.algebra.Expressions.reference;
import static io.freshet.engine.algebra.Expressions.referencedAliases;
import static io.freshet.engine.analyze.RefusedException.refused;

/**
 * Scalar subqueries that aggregate, as a side of a comparison.
 * <pre>
 * x > (SELECT avg(r.y) FROM r WHERE r.k = l.k)  ->  l JOIN (SELECT k, avg(y) a FROM r GROUP BY k) g ON l.k = g.k AND x > g.a
 * </pre>
 * Where there is no row of that key the aggregate is NULL, and no comparison with NULL is true; the join has no row then either. A
 * count is not NULL, so it is not maintained if tied to the query around it.
 */
final class ScalarAnalyzer
{
    private static final String VALUE = "value";

    private ScalarAnalyzer() {}

    /**
     * @param input the groups
     * @param ties equations of something of the query around with a key of the groups
     * @param value what the subquery gives
     */
    record Scalar(JoinInput input, List<Expression> ties, Expression value) {}

    /**
     * @param rows the rows of the subquery
     * @param conditions its conditions, some of which may look at the query around it
     * @param item its only column
     */
    static Scalar analyze(FromItem rows, List<Expression> conditions, Expression item, Node source, String outerAlias, Aliases aliases)
    {
        FromItem.Rows inner = (FromItem.Rows) rows.origin();
        List<Equation> ties = new ArrayList<>();
        List<Expression> own = new ArrayList<>();
        for (Expression condition : conditions) {
            if (!referencedAliases(condition, Set.of(outerAlias)).contains(outerAlias)) {
                own.add(condition);
                continue;
            }
            ties.add(Conditions.equation(condition)
                    .flatMap(equation -> equation.between(outerAlias, inner.alias()))
                    .orElseThrow(() -> refused(RefusalCode.SUBQUERY, source, "subquery", "is tied to the query around it by more than equations")));
        }
        List<Expression> keys = ties.stream().map(Equation::right).distinct().collect(toImmutableList());
        String groupAlias = aliases.prefix() + "g";
        List<AggregateCall> aggregates = new ArrayList<>();
        GroupingSetList sets = new GroupingSetList(ImmutableList.of(keys));
        Expression value = new Grouping(sets, inner.alias(), groupAlias, aggregates).rewrite(item, source);
        if (!keys.isEmpty() && !isNullWithoutRows(value, groupAlias, aggregates)) {
            throw refused(RefusalCode.SUBQUERY, source, "subquery", "may give something for no rows");
        }
        ImmutableList.Builder<OutputColumn> outputs = ImmutableList.builder();
        for (int i = 0; i < keys.size(); i++) {
            outputs.add(new OutputColumn("k" + (i + 1), keyReference(groupAlias, i)));
        }
        outputs.add(new OutputColumn(VALUE, value));
        AggregateBlock block = new AggregateBlock(
                inner.relation(),
                inner.alias(),
                all(own),
                keys,
                keys.isEmpty(),
                ImmutableList.of(),
                aggregates,
                outputs.build(),
                Optional.empty(),
                aliases.prefix());
        Exactness.check(block);
        String alias = aliases.nextRelation();
        return new Scalar(
                new JoinInput(new Grouped(block), alias),
                ties.stream()
                        .map(tie -> Conditions.equal(tie.left(), reference(alias, "k" + (keys.indexOf(tie.right()) + 1))))
                        .collect(toImmutableList()),
                reference(alias, VALUE));
    }

    private static Optional<Expression> all(List<Expression> conditions)
    {
        return conditions.size() < 2
                ? conditions.stream().findFirst()
                : Optional.of(new LogicalExpression(new NodeLocation(1, 1), LogicalExpression.Operator.AND, conditions));
    }

    private static boolean isNullWithoutRows(Expression value, String groupAlias, List<AggregateCall> aggregates)
    {
        for (int i = 0; i < aggregates.size(); i++) {
            if (value.equals(aggregateReference(groupAlias, i))) {
                return isNullWithoutRows(aggregates.get(i).function());
            }
        }
        return switch (value) {
            // NULL if one side is
            case ArithmeticBinaryExpression arithmetic -> isStrict(arithmetic.getLeft(), groupAlias, aggregates) && isStrict(arithmetic.getRight(), groupAlias, aggregates)
                    && (isNullWithoutRows(arithmetic.getLeft(), groupAlias, aggregates) || isNullWithoutRows(arithmetic.getRight(), groupAlias, aggregates));
            case ArithmeticUnaryExpression unary -> isNullWithoutRows(unary.getValue(), groupAlias, aggregates);
            case Cast cast -> isNullWithoutRows(cast.getExpression(), groupAlias, aggregates);
            default -> false;
        };
    }

    private static boolean isStrict(Expression value, String groupAlias, List<AggregateCall> aggregates)
    {
        return value instanceof Literal && !(value instanceof NullLiteral) || isNullWithoutRows(value, groupAlias, aggregates);
    }

    private static boolean isNullWithoutRows(AggregateFunction function)
    {
        return switch (function) {
            case SUM, AVG, MIN, MAX, BOOL_AND, BOOL_OR -> true;
            case COUNT_ALL, COUNT, COUNT_IF, WHOLE_GROUP -> false;
        };
    }
}
