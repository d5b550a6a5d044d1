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
package io.freshet.engine.mini;

import io.trino.sql.tree.ArithmeticBinaryExpression;
import io.trino.sql.tree.ArithmeticUnaryExpression;
import io.trino.sql.tree.Array;
import io.trino.sql.tree.BooleanLiteral;
import io.trino.sql.tree.Cast;
import io.trino.sql.tree.CoalesceExpression;
import io.trino.sql.tree.ComparisonPredicate;
import io.trino.sql.tree.DecimalLiteral;
import io.trino.sql.tree.DereferenceExpression;
import io.trino.sql.tree.DoubleLiteral;
import io.trino.sql.tree.ExistsPredicate;
import io.trino.sql.tree.Expression;
import io.trino.sql.tree.FunctionCall;
import io.trino.sql.tree.Identifier;
import io.trino.sql.tree.IfExpression;
import io.trino.sql.tree.InListExpression;
import io.trino.sql.tree.InPredicate;
import io.trino.sql.tree.IsNullPredicate;
import io.trino.sql.tree.LogicalExpression;
import io.trino.sql.tree.LongLiteral;
import io.trino.sql.tree.NotExpression;
import io.trino.sql.tree.NullIfExpression;
import io.trino.sql.tree.NullLiteral;
import io.trino.sql.tree.Predicated;
import io.trino.sql.tree.SearchedCaseExpression;
import io.trino.sql.tree.StringLiteral;
import io.trino.sql.tree.SubqueryExpression;
import io.trino.sql.tree.WhenClause;
import io.trino.sql.tree.WindowSpecification;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import static java.util.Locale.ENGLISH;

/**
 * Expressions over one row, or over the rows of one group.
 */
final class Evaluator
{
    private final List<Rows.Column> columns;
    private final List<Object> row;
    private final Optional<List<List<Object>>> group;

    /** The rows that windows see. */
    private final List<List<Object>> all;

    Evaluator(List<Rows.Column> columns, List<Object> row, Optional<List<List<Object>>> group)
    {
        this(columns, row, group, List.of());
    }

    Evaluator(List<Rows.Column> columns, List<Object> row, Optional<List<List<Object>>> group, List<List<Object>> all)
    {
        this.all = all;
        this.columns = columns;
        this.row = row;
        this.group = group;
    }

    boolean isTrue(Expression expression)
    {
        return Boolean.TRUE.equals(evaluate(expression));
    }

    Object evaluate(Expression expression)
    {
        return switch (expression) {
            case LongLiteral literal -> literal.getParsedValue();
            case DoubleLiteral literal -> literal.getValue();
            case DecimalLiteral literal -> new BigDecimal(literal.getValue());
            case StringLiteral literal -> literal.getValue();
            case BooleanLiteral literal -> literal.getValue();
            case NullLiteral _ -> null;
            case Array array -> array.getValues().stream().map(this::evaluate).toList();
            case Identifier identifier -> column(List.of(identifier.getValue()));
            case DereferenceExpression dereference -> dereference.getBase() instanceof Identifier base
                        ? column(List.of(base.getValue(), dereference.getField().orElseThrow().getValue()))
                        : column(DereferenceExpression.getQualifiedName(dereference).getOriginalParts().stream().map(Identifier::getValue).toList());
            case Cast cast -> Values.cast(evaluate(cast.getExpression()), cast.getType().toString());
            case NotExpression not -> evaluate(not.getValue()) instanceof Boolean value ? !value : null;
            case LogicalExpression logical -> logical(logical);
            case ExistsPredicate exists -> !Scopes.subquery(((SubqueryExpression) exists.getSubquery()).getQuery(), columns, row).isEmpty();
            case SubqueryExpression subquery -> {
                List<List<Object>> rows = Scopes.subquery(subquery.getQuery(), columns, row);
                yield rows.isEmpty() ? null : rows.getFirst().getFirst();
            }
            case Predicated predicated -> predicate(predicated);
            case ArithmeticBinaryExpression arithmetic -> arithmetic(arithmetic);
            case ArithmeticUnaryExpression unary -> negate(unary);
            case CoalesceExpression coalesce -> coalesce.getOperands().stream()
                    .map(operand -> Optional.ofNullable(evaluate(operand)))
                    .flatMap(Optional::stream)
                    .findFirst()
                    .orElse(null);
            case NullIfExpression nullIf -> {
                Object first = evaluate(nullIf.getFirst());
                Object second = evaluate(nullIf.getSecond());
                yield first != null && second != null && Values.same(first, second) ? null : first;
            }
            case IfExpression conditional -> isTrue(conditional.getCondition())
                    ? evaluate(conditional.getTrueValue())
                    : conditional.getFalseValue().map(this::evaluate).orElse(null);
            case SearchedCaseExpression searched -> {
                for (WhenClause clause : searched.getWhenClauses()) {
                    if (isTrue(clause.getOperand())) {
                        yield evaluate(clause.getResult());
                    }
                }
                yield searched.getDefaultValue().map(this::evaluate).orElse(null);
            }
            case FunctionCall call when call.getWindow().isPresent() -> window(call);
            case FunctionCall call -> Aggregations.isAggregation(call)
                    ? Aggregations.aggregate(call, columns, group.orElseThrow())
                    : function(call);
            default -> throw new UnsupportedOperationException(expression.getClass() + ": " + expression);
        };
    }

    private Object column(List<String> parts)
    {
        int found = find(columns, parts);
        return found < 0 ? Scopes.column(parts) : row.get(found);
    }

    /** Negative if there is none. */
    static int find(List<Rows.Column> columns, List<String> parts)
    {
        String name = parts.getLast();
        int found = -1;
        for (int i = 0; i < columns.size(); i++) {
            Rows.Column column = columns.get(i);
            boolean named = column.name().isPresent() && name.equalsIgnoreCase(column.name().get());
            boolean qualified = parts.size() == 1 || column.relation().isPresent() && parts.get(parts.size() - 2).equalsIgnoreCase(column.relation().get());
            if (named && qualified) {
                if (found >= 0) {
                    throw new IllegalStateException("several columns match " + parts + " among " + columns);
                }
                found = i;
            }
        }
        return found;
    }

    private Object logical(LogicalExpression logical)
    {
        boolean and = logical.getOperator() == LogicalExpression.Operator.AND;
        boolean unknown = false;
        for (Expression term : logical.getTerms()) {
            Object value = evaluate(term);
            if (value == null) {
                unknown = true;
            }
            else if ((Boolean) value != and) {
                return !and;
            }
        }
        return unknown ? null : and;
    }

    private Object predicate(Predicated predicated)
    {
        Object left = evaluate(predicated.getValue());
        return switch (predicated.getPredicate()) {
            case IsNullPredicate isNull -> (left == null) != isNull.isNegated();
            case ComparisonPredicate comparison -> compare(left, comparison.getOperator(), evaluate(comparison.getRight()));
            case InPredicate in -> in(left, in);
            default -> throw new UnsupportedOperationException(predicated.toString());
        };
    }

    private Object in(Object left, InPredicate in)
    {
        boolean unknown = false;
        List<Object> elements = switch (in.getValueList()) {
            case InListExpression list -> list.getValues().stream().map(this::evaluate).collect(ArrayList::new, ArrayList::add, ArrayList::addAll);
            case SubqueryExpression subquery -> Scopes.subquery(subquery.getQuery(), columns, row).stream().map(List::getFirst).collect(ArrayList::new, ArrayList::add, ArrayList::addAll);
            default -> throw new UnsupportedOperationException(in.toString());
        };
        for (Object element : elements) {
            Object equal = compare(left, ComparisonPredicate.Operator.EQUAL, element);
            if (Boolean.TRUE.equals(equal)) {
                return !in.isNegated();
            }
            unknown |= equal == null;
        }
        return unknown ? null : (Object) in.isNegated();
    }

    private static Object compare(Object left, ComparisonPredicate.Operator operator, Object right)
    {
        if (left == null || right == null) {
            return null;
        }
        boolean ordered = !Values.isNan(left) && !Values.isNan(right);
        return switch (operator) {
            case EQUAL -> ordered && Values.same(left, right);
            case NOT_EQUAL -> !ordered || !Values.same(left, right);
            case LESS_THAN -> ordered && Values.compare(left, right) < 0;
            case LESS_THAN_OR_EQUAL -> ordered && Values.compare(left, right) <= 0;
            case GREATER_THAN -> ordered && Values.compare(left, right) > 0;
            case GREATER_THAN_OR_EQUAL -> ordered && Values.compare(left, right) >= 0;
        };
    }

    private Object arithmetic(ArithmeticBinaryExpression arithmetic)
    {
        Object left = evaluate(arithmetic.getLeft());
        Object right = evaluate(arithmetic.getRight());
        if (left == null || right == null) {
            return null;
        }
        return switch (arithmetic.getOperator()) {
            case ADD -> Values.add(left, right);
            case SUBTRACT -> Values.add(left, right instanceof Long value ? (Object) (-value) : right instanceof Double number ? (Object) (-number) : ((BigDecimal) right).negate());
            case MULTIPLY -> left instanceof Long first && right instanceof Long second ? (Object) (first * second) : ((Number) left).doubleValue() * ((Number) right).doubleValue();
            case DIVIDE -> Values.divide(left, right);
            case MODULO -> (Long) left % (Long) right;
        };
    }

    private Object negate(ArithmeticUnaryExpression unary)
    {
        Object value = evaluate(unary.getValue());
        return unary.getSign() == ArithmeticUnaryExpression.Sign.PLUS || value == null ? value : value instanceof Long number ? (Object) (-number) : -((Double) value);
    }

    private Object window(FunctionCall call)
    {
        WindowSpecification window = (WindowSpecification) call.getWindow().orElseThrow();
        List<Object> own = partition(window, row);
        List<List<Object>> rows = all.stream()
                .filter(other -> partition(window, other).equals(own))
                .sorted(order(window))
                .toList();
        if (call.getName().toString().equals("row_number")) {
            return IntStream.range(0, rows.size()).filter(i -> rows.get(i) == row).findFirst().orElseThrow() + 1L;
        }
        return Aggregations.aggregate(call, columns, rows);
    }

    /** By the first key, if there is one. */
    private Comparator<List<Object>> order(WindowSpecification window)
    {
        if (window.getOrderBy().isEmpty()) {
            return (_, _) -> 0;
        }
        Expression key = window.getOrderBy().get().getSortItems().getFirst().getSortKey();
        return Comparator.comparing(
                other -> new Evaluator(columns, other, Optional.empty()).evaluate(key),
                Comparator.nullsLast(Values::compare));
    }

    private List<Object> partition(WindowSpecification window, List<Object> other)
    {
        Evaluator evaluator = new Evaluator(columns, other, Optional.empty());
        return window.getPartitionBy().stream().map(expression -> Values.key(evaluator.evaluate(expression))).toList();
    }

    private Object function(FunctionCall call)
    {
        if (call.getName().toString().equals("fail")) {
            throw new MiniFailure((String) evaluate(call.argumentValues().getFirst()));
        }
        List<Object> arguments = new ArrayList<>();
        call.argumentValues().forEach(argument -> arguments.add(evaluate(argument)));
        if (arguments.contains(null)) {
            return null;
        }
        return switch (call.getName().toString()) {
            case "least" -> Values.least(arguments.get(0), arguments.get(1));
            case "greatest" -> Values.greatest(arguments.get(0), arguments.get(1));
            case "is_nan" -> Values.isNan(arguments.getFirst());
            case "nan" -> Double.NaN;
            case "sequence" -> LongStream.rangeClosed((Long) arguments.get(0), (Long) arguments.get(1)).boxed().toList();
            case "upper" -> ((String) arguments.getFirst()).toUpperCase(ENGLISH);
            default -> throw new UnsupportedOperationException(call.toString());
        };
    }
}
