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

import io.freshet.engine.StorageTypes;
import io.freshet.engine.algebra.AggregateBlock;
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
import io.trino.sql.tree.ArithmeticBinaryExpression;
import io.trino.sql.tree.ArithmeticUnaryExpression;
import io.trino.sql.tree.Cast;
import io.trino.sql.tree.CoalesceExpression;
import io.trino.sql.tree.DecimalLiteral;
import io.trino.sql.tree.Expression;
import io.trino.sql.tree.FunctionCall;
import io.trino.sql.tree.IfExpression;
import io.trino.sql.tree.LongLiteral;
import io.trino.sql.tree.NullLiteral;
import io.trino.sql.tree.SearchedCaseExpression;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.freshet.engine.algebra.Expressions.reference;
import static io.freshet.engine.algebra.Expressions.referencedColumn;

/**
 * Types of expressions, as far as they can be told without the engine. Of arithmetic only its kind is right: integers of some
 * width, or decimals of some precision.
 *
 * @param alias alias under which expressions refer to the relation
 */
record ColumnTypes(LinearRelation relation, String alias)
{
    Optional<String> of(Expression expression)
    {
        Optional<String> column = referencedColumn(expression, alias);
        if (column.isPresent()) {
            int index = relation.columns().indexOf(column.get());
            return index < 0 ? Optional.empty() : ofColumn(index);
        }
        return switch (expression) {
            case LongLiteral _ -> Optional.of("bigint");
            case DecimalLiteral _ -> Optional.of("decimal(38,0)");
            case Cast cast -> Optional.of(cast.getType().toString().toLowerCase(Locale.ENGLISH));
            case ArithmeticUnaryExpression unary -> of(unary.getValue());
            case ArithmeticBinaryExpression arithmetic -> common(Stream.of(arithmetic.getLeft(), arithmetic.getRight()));
            case CoalesceExpression coalesce -> common(coalesce.getOperands().stream());
            case IfExpression condition -> common(Stream.concat(Stream.of(condition.getTrueValue()), condition.getFalseValue().stream()));
            case SearchedCaseExpression searched -> common(Stream.concat(searched.getWhenClauses().stream().map(clause -> clause.getResult()), searched.getDefaultValue().stream()));
            case FunctionCall call when call.getName().toString().equals("abs") -> of(call.argumentValues().getFirst());
            default -> Optional.empty();
        };
    }

    /** Of numbers whose types are all known and not floating; decimal if one of them is. */
    private Optional<String> common(Stream<Expression> expressions)
    {
        List<Optional<String>> types = expressions
                .filter(expression -> !(expression instanceof NullLiteral))
                .map(this::of)
                .collect(toImmutableList());
        if (types.isEmpty() || !types.stream().allMatch(type -> type.filter(ColumnTypes::isExactNumber).isPresent())) {
            return Optional.empty();
        }
        return types.stream()
                .flatMap(Optional::stream)
                .filter(type -> StorageTypes.decimalScale(type).isPresent())
                .findFirst()
                .or(types::getFirst);
    }

    private static boolean isExactNumber(String type)
    {
        return StorageTypes.isInteger(type) || StorageTypes.decimalScale(type).isPresent();
    }

    private Optional<String> ofColumn(int index)
    {
        return switch (relation) {
            case Scan scan -> Optional.of(scan.sourceColumns().get(index).type());
            case Select select -> new ColumnTypes(select.input(), select.alias()).of(select.outputs().get(index).expression());
            case Expand expand -> index == expand.input().columns().size() ? Optional.of("integer") : new ColumnTypes(expand.input(), alias).ofColumn(index);
            case UnionAll union -> union(union, index);
            case InnerJoin join -> ofInputs(join.outputs().get(index).expression(), join.inputs());
            case LeftJoin join -> ofInputs(join.outputs().get(index).expression(), List.of(join.left(), join.right()));
            case SemiJoin join -> new ColumnTypes(join.left().relation(), alias).ofColumn(index);
            case Grouped(AggregateBlock block) -> ofGroup(block, block.outputs().get(index).expression());
            case Windowed(var block) -> new ColumnTypes(block.input(), block.inputAlias()).of(block.outputs().get(index).expression());
        };
    }

    private Optional<String> union(UnionAll union, int index)
    {
        List<Optional<String>> types = union.inputs().stream()
                .map(input -> new ColumnTypes(input, alias).ofColumn(index))
                .distinct()
                .collect(toImmutableList());
        return types.size() == 1 ? types.getFirst() : Optional.empty();
    }

    private static Optional<String> ofInputs(Expression expression, List<JoinInput> inputs)
    {
        return inputs.stream()
                .filter(input -> referencedColumn(expression, input.alias()).isPresent())
                .findFirst()
                .flatMap(input -> new ColumnTypes(input.relation(), input.alias()).of(expression));
    }

    private static Optional<String> ofGroup(AggregateBlock block, Expression output)
    {
        ColumnTypes input = new ColumnTypes(block.input(), block.inputAlias());
        for (int i = 0; i < block.keys().size(); i++) {
            if (output.equals(reference(block.groupAlias(), "k" + (i + 1)))) {
                return input.of(block.keys().get(i));
            }
        }
        for (int i = 0; i < block.aggregates().size(); i++) {
            if (output.equals(reference(block.groupAlias(), "a" + (i + 1)))) {
                var call = block.aggregates().get(i);
                return switch (call.function()) {
                    case COUNT, COUNT_ALL, COUNT_IF -> Optional.of("bigint");
                    case MIN, MAX, SUM -> call.argument().flatMap(input::of);
                    case AVG -> call.argument().flatMap(input::of).filter(type -> StorageTypes.decimalScale(type).isPresent());
                    case BOOL_AND, BOOL_OR -> Optional.of("boolean");
                    case WHOLE_GROUP -> Optional.empty();
                };
            }
        }
        return Optional.empty();
    }
}
