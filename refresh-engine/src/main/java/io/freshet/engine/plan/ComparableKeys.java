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
package io.freshet.engine.plan;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.freshet.engine.RelationName;
import io.freshet.engine.SourceColumn;
import io.freshet.engine.StorageTypes;
import io.freshet.engine.algebra.Expand;
import io.freshet.engine.algebra.LinearRelation;
import io.freshet.engine.algebra.Scan;
import io.freshet.engine.algebra.Select;
import io.freshet.engine.algebra.UnionAll;
import io.freshet.staleness.ChangeKind;
import io.trino.sql.tree.ArithmeticBinaryExpression;
import io.trino.sql.tree.CoalesceExpression;
import io.trino.sql.tree.Expression;
import io.trino.sql.tree.FunctionCall;
import io.trino.sql.tree.Literal;
import io.trino.sql.tree.NullLiteral;

import java.util.List;
import java.util.Optional;
import java.util.Set;

import static io.freshet.engine.algebra.Expressions.referencedColumn;
import static java.util.Locale.ENGLISH;

/**
 * Proves that a group key or a column of the delta is neither NULL nor NaN, from what is known of the delta's columns. No proof is no harm: the
 * keys are then compared in a slower form.
 */
final class ComparableKeys
{
    /** Functions that give NULL only for NULL. */
    private static final Set<String> STRICT = ImmutableSet.of(
            "abs", "ceil", "ceiling", "date", "date_trunc", "day", "day_of_month", "day_of_week", "day_of_year", "floor", "hour", "length",
            "lower", "minute", "month", "quarter", "second", "trim", "upper", "week", "week_of_year", "year");

    private final List<SourceFacts> sources;

    ComparableKeys(List<SourceFacts> sources)
    {
        this.sources = ImmutableList.copyOf(sources);
    }

    /** Whether a column of the delta is neither NULL nor NaN. */
    boolean isComparable(LinearRelation relation, int column, String type)
    {
        return isNotNull(relation, column) && (!StorageTypes.isFloating(type) || isNotNan(relation, column));
    }

    /** Whether an expression over the delta, which has that alias, is neither NULL nor NaN. */
    boolean isComparable(Expression expression, LinearRelation input, String alias, String type)
    {
        return isNotNull(expression, input, alias) && (!StorageTypes.isFloating(type) || isNotNan(expression, input, alias));
    }

    private boolean isNotNull(Expression expression, LinearRelation input, String alias)
    {
        Optional<String> column = referencedColumn(expression, alias);
        if (column.isPresent()) {
            return isNotNull(input, input.columns().indexOf(column.get()));
        }
        return switch (expression) {
            case Literal literal -> !(literal instanceof NullLiteral);
            case CoalesceExpression coalesce -> coalesce.getOperands().stream().anyMatch(operand -> isNotNull(operand, input, alias));
            case ArithmeticBinaryExpression arithmetic -> isNotNull(arithmetic.getLeft(), input, alias) && isNotNull(arithmetic.getRight(), input, alias);
            case FunctionCall call -> STRICT.contains(call.getName().toString())
                    && call.argumentValues().stream().allMatch(argument -> isNotNull(argument, input, alias));
            default -> false;
        };
    }

    private boolean isNotNull(LinearRelation relation, int index)
    {
        return switch (relation) {
            case Scan scan -> {
                SourceColumn column = scan.sourceColumns().get(index);
                yield !column.nullable() || addsNothing(scan.table()) || facts(scan.table())
                        .filter(facts -> facts.columnsWithoutNull().contains(column.name().toLowerCase(ENGLISH)))
                        .isPresent();
            }
            case Select select -> isNotNull(select.outputs().get(index).expression(), select.input(), select.alias());
            case Expand expand -> index == expand.input().columns().size() || isNotNull(expand.input(), index);
            case UnionAll union -> union.inputs().stream().allMatch(input -> isNotNull(input, index));
        };
    }

    private boolean isNotNan(Expression expression, LinearRelation input, String alias)
    {
        Optional<String> column = referencedColumn(expression, alias);
        if (column.isPresent()) {
            return isNotNan(input, input.columns().indexOf(column.get()));
        }
        return expression instanceof Literal;
    }

    private boolean isNotNan(LinearRelation relation, int index)
    {
        return switch (relation) {
            case Scan scan -> {
                SourceColumn column = scan.sourceColumns().get(index);
                yield !StorageTypes.isFloating(column.type()) || addsNothing(scan.table()) || facts(scan.table())
                        .filter(facts -> facts.columnsWithoutNan().contains(column.name().toLowerCase(ENGLISH)))
                        .isPresent();
            }
            case Select select -> isNotNan(select.outputs().get(index).expression(), select.input(), select.alias());
            case Expand expand -> index == expand.input().columns().size() || isNotNan(expand.input(), index);
            case UnionAll union -> union.inputs().stream().allMatch(input -> isNotNan(input, index));
        };
    }

    private boolean addsNothing(RelationName table)
    {
        return facts(table)
                .filter(facts -> facts.change().kind() == ChangeKind.UNCHANGED || facts.change().kind() == ChangeKind.REORGANIZED)
                .isPresent();
    }

    private Optional<SourceFacts> facts(RelationName table)
    {
        return sources.stream()
                .filter(facts -> facts.name().equals(table))
                .findFirst();
    }
}
