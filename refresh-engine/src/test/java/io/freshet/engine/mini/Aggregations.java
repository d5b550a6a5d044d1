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

import io.trino.sql.tree.Expression;
import io.trino.sql.tree.FunctionCall;
import io.trino.sql.tree.Node;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Aggregate functions over the rows of a group.
 */
final class Aggregations
{
    private static final Set<String> NAMES = Set.of("count", "count_if", "sum", "avg", "min", "max", "bool_and", "every", "bool_or", "any_value",
            "array_agg", "max_by", "var_pop");

    private Aggregations() {}

    static boolean isAggregation(FunctionCall call)
    {
        return NAMES.contains(call.getName().toString());
    }

    static boolean contains(Node node)
    {
        return node instanceof FunctionCall call && call.getWindow().isEmpty() && isAggregation(call) || node.getChildren().stream().anyMatch(Aggregations::contains);
    }

    static Object aggregate(FunctionCall call, List<Rows.Column> columns, List<List<Object>> group)
    {
        List<List<Object>> rows = group.stream()
                .filter(row -> call.getFilter().map(filter -> new Evaluator(columns, row, Optional.empty()).isTrue(filter)).orElse(true))
                .toList();
        if (call.getArguments().isEmpty()) {
            return (long) rows.size();
        }
        List<Object> all = rows.stream()
                .sorted(order(call, columns))
                .map(row -> Optional.ofNullable(new Evaluator(columns, row, Optional.empty()).evaluate(call.argumentValues().getFirst())))
                .filter(distinct(call))
                .map(value -> value.orElse(null))
                .collect(ArrayList::new, ArrayList::add, ArrayList::addAll);
        List<Object> values = all.stream().filter(Objects::nonNull).toList();
        return switch (call.getName().toString()) {
            case "any_value" -> values.stream().findFirst().orElse(null);
            case "count" -> (long) values.size();
            case "count_if" -> values.stream().filter(Boolean.TRUE::equals).count();
            case "sum" -> values.stream().reduce(Values::add).orElse(null);
            case "avg" -> average(values);
            case "min" -> values.stream().reduce(Values::least).orElse(null);
            case "max" -> values.stream().reduce(Values::greatest).orElse(null);
            case "bool_and", "every" -> values.isEmpty() ? null : (Object) values.stream().allMatch(Boolean.TRUE::equals);
            case "bool_or" -> values.isEmpty() ? null : (Object) values.stream().anyMatch(Boolean.TRUE::equals);
            case "array_agg" -> all.isEmpty() ? null : all.stream().map(Values::key).toList();
            case "max_by" -> rows.stream()
                    .map(row -> new Evaluator(columns, row, Optional.empty()))
                    .filter(row -> row.evaluate(call.argumentValues().get(1)) != null)
                    .reduce((left, right) -> Values.compare(left.evaluate(call.argumentValues().get(1)), right.evaluate(call.argumentValues().get(1))) >= 0 ? left : right)
                    .map(row -> row.evaluate(call.argumentValues().getFirst()))
                    .orElse(null);
            case "var_pop" -> variance(values);
            default -> throw new UnsupportedOperationException(call.toString());
        };
    }

    private static Comparator<List<Object>> order(FunctionCall call, List<Rows.Column> columns)
    {
        if (call.getOrderBy().isEmpty()) {
            return (_, _) -> 0;
        }
        Expression key = call.getOrderBy().get().getSortItems().getFirst().getSortKey();
        return Comparator.comparing(
                row -> new Evaluator(columns, row, Optional.empty()).evaluate(key),
                Comparator.nullsLast(Values::compare));
    }

    private static Predicate<Object> distinct(FunctionCall call)
    {
        Set<Object> seen = new HashSet<>();
        return value -> !call.isDistinct() || seen.add(value);
    }

    /** Of whole numbers, so that the order does not matter. */
    private static Object variance(List<Object> values)
    {
        if (values.isEmpty()) {
            return null;
        }
        long n = values.size();
        long sum = values.stream().mapToLong(value -> (Long) value).sum();
        long squares = values.stream().mapToLong(value -> (Long) value * (Long) value).sum();
        return (squares - (double) sum * sum / n) / n;
    }

    private static Object average(List<Object> values)
    {
        if (values.isEmpty()) {
            return null;
        }
        if (values.getFirst() instanceof BigDecimal) {
            BigDecimal sum = (BigDecimal) values.stream().reduce(Values::add).orElseThrow();
            return sum.divide(BigDecimal.valueOf(values.size()), sum.scale(), RoundingMode.HALF_UP);
        }
        return values.stream().mapToDouble(value -> ((Number) value).doubleValue()).reduce(Double::sum).orElseThrow() / values.size();
    }
}
