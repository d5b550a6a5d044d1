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
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Aggregate functions over the rows of a group.
 */
final class Aggregations
{
    private static final Set<String> NAMES = Set.of("count", "count_if", "sum", "avg", "min", "max", "bool_and", "every", "bool_or", "any_value");

    private Aggregations() {}

    static boolean isAggregation(FunctionCall call)
    {
        return NAMES.contains(call.getName().toString());
    }

    static boolean contains(Node node)
    {
        return node instanceof FunctionCall call && isAggregation(call) || node.getChildren().stream().anyMatch(Aggregations::contains);
    }

    static Object aggregate(FunctionCall call, List<Rows.Column> columns, List<List<Object>> group)
    {
        List<List<Object>> rows = group.stream()
                .filter(row -> call.getFilter().map(filter -> new Evaluator(columns, row, Optional.empty()).isTrue(filter)).orElse(true))
                .toList();
        if (call.getArguments().isEmpty()) {
            return (long) rows.size();
        }
        Expression argument = call.argumentValues().getFirst();
        List<Object> values = rows.stream()
                .map(row -> new Evaluator(columns, row, Optional.empty()).evaluate(argument))
                .filter(Objects::nonNull)
                .toList();
        return switch (call.getName().toString()) {
            case "count" -> (long) values.size();
            case "count_if" -> values.stream().filter(Boolean.TRUE::equals).count();
            case "sum" -> values.stream().reduce(Values::add).orElse(null);
            case "avg" -> average(values);
            case "min" -> values.stream().reduce(Values::least).orElse(null);
            case "max" -> values.stream().reduce(Values::greatest).orElse(null);
            case "bool_and", "every" -> values.isEmpty() ? null : (Object) values.stream().allMatch(Boolean.TRUE::equals);
            case "bool_or" -> values.isEmpty() ? null : (Object) values.stream().anyMatch(Boolean.TRUE::equals);
            default -> throw new UnsupportedOperationException(call.toString());
        };
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
