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
import com.google.common.collect.Sets;
import io.freshet.engine.RelationName;
import io.freshet.engine.SourceColumn;
import io.freshet.engine.StorageTypes;
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
import java.util.function.Predicate;

import static io.freshet.engine.algebra.Expressions.reference;
import static io.freshet.engine.algebra.Expressions.referencedColumn;
import static io.freshet.engine.algebra.Expressions.referencedColumns;
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

    /** Those of them whose results are neither floating point numbers nor made of other values. */
    private static final Set<String> SIMPLE = ImmutableSet.copyOf(Sets.difference(STRICT, ImmutableSet.of("abs", "ceil", "ceiling", "floor")));

    private final List<SourceFacts> sources;

    ComparableKeys(List<SourceFacts> sources)
    {
        this.sources = ImmutableList.copyOf(sources);
    }

    /** Whether a column of the delta is neither NULL nor NaN. */
    boolean isComparable(LinearRelation relation, int column, String type)
    {
        return isNotNull(relation, column, true) && (!StorageTypes.isFloating(type) || isNotNan(relation, column, true));
    }

    /** Whether an expression over the delta, which has that alias, is neither NULL nor NaN. */
    boolean isComparable(Expression expression, LinearRelation input, String alias, String type)
    {
        return isNotNull(expression, input, alias, true) && (!StorageTypes.isFloating(type) || isNotNan(expression, input, alias, true));
    }

    /** Whether an expression over the delta equals itself in every row. */
    boolean equalsItself(Expression expression, LinearRelation input, String alias)
    {
        return !mayBeStructural(expression, input, alias) && isNotNull(expression, input, alias, true) && isNotNan(expression, input, alias, true);
    }

    private boolean isNotNull(Expression expression, LinearRelation input, String alias, boolean ofDelta)
    {
        Optional<String> column = referencedColumn(expression, alias);
        if (column.isPresent()) {
            return isNotNull(input, input.columns().indexOf(column.get()), ofDelta);
        }
        return isNotNull(expression, operand -> isNotNull(operand, input, alias, ofDelta));
    }

    private static boolean isNotNull(Expression expression, Predicate<Expression> operand)
    {
        return switch (expression) {
            case Literal literal -> !(literal instanceof NullLiteral);
            case CoalesceExpression coalesce -> coalesce.getOperands().stream().anyMatch(operand);
            case ArithmeticBinaryExpression arithmetic -> operand.test(arithmetic.getLeft()) && operand.test(arithmetic.getRight());
            case FunctionCall call -> STRICT.contains(call.getName().toString()) && call.argumentValues().stream().allMatch(operand);
            default -> false;
        };
    }

    /**
     * @param ofDelta whether only rows of the delta count, or all rows of the relation
     */
    private boolean isNotNull(LinearRelation relation, int index, boolean ofDelta)
    {
        return switch (relation) {
            case Scan scan -> {
                SourceColumn column = scan.sourceColumns().get(index);
                yield !column.nullable() || ofDelta && (addsNothing(scan.table()) || facts(scan.table())
                        .filter(facts -> facts.columnsWithoutNull().contains(column.name().toLowerCase(ENGLISH)))
                        .isPresent());
            }
            case Expand expand -> index == expand.input().columns().size() || isNotNull(expand.input(), index, ofDelta);
            case Select select -> isNotNull(select.outputs().get(index).expression(), select.input(), select.alias(), ofDelta);
            case UnionAll union -> union.inputs().stream().allMatch(input -> isNotNull(input, index, ofDelta));
            case InnerJoin join -> isNotNull(join.outputs().get(index).expression(), join, ofDelta);
            case LeftJoin join -> {
                Expression expression = join.outputs().get(index).expression();
                yield referencesOnly(expression, join) && isNotNull(expression, join.left().relation(), join.left().alias(), ofDelta && addsNothing(join.right().relation()));
            }
            case SemiJoin join -> isNotNull(join.left().relation(), index, ofDelta && addsNothing(join.right().relation()));
            case Grouped _, Windowed _ -> false;
        };
    }

    private boolean isNotNull(Expression expression, InnerJoin join, boolean ofDelta)
    {
        if (isEquated(expression, join)) {
            return true;
        }
        for (JoinInput input : join.inputs()) {
            Optional<String> column = referencedColumn(expression, input.alias());
            if (column.isPresent()) {
                return isNotNull(input.relation(), input.relation().columns().indexOf(column.get()), ofDelta && isOnlyChange(input, join));
            }
        }
        return isNotNull(expression, operand -> isNotNull(operand, join, ofDelta));
    }

    /** What is equal to something is neither NULL nor NaN. */
    private static boolean isEquated(Expression expression, InnerJoin join)
    {
        return join.conditions().stream()
                .flatMap(condition -> Conditions.equation(condition).stream())
                .anyMatch(equation -> equation.left().equals(expression) || equation.right().equals(expression));
    }

    /** Then all rows of the join's delta come from rows of the input's. */
    private boolean isOnlyChange(JoinInput changed, InnerJoin join)
    {
        return join.inputs().stream().allMatch(input -> input == changed || addsNothing(input.relation()));
    }

    private boolean isNotNan(Expression expression, LinearRelation input, String alias, boolean ofDelta)
    {
        Optional<String> column = referencedColumn(expression, alias);
        if (column.isPresent()) {
            return isNotNan(input, input.columns().indexOf(column.get()), ofDelta);
        }
        return expression instanceof Literal || expression instanceof FunctionCall call && SIMPLE.contains(call.getName().toString());
    }

    private boolean isNotNan(LinearRelation relation, int index, boolean ofDelta)
    {
        return switch (relation) {
            case Scan scan -> {
                SourceColumn column = scan.sourceColumns().get(index);
                yield !StorageTypes.isFloating(column.type()) || ofDelta && (addsNothing(scan.table()) || facts(scan.table())
                        .filter(facts -> facts.columnsWithoutNan().contains(column.name().toLowerCase(ENGLISH)))
                        .isPresent());
            }
            case Expand expand -> index == expand.input().columns().size() || isNotNan(expand.input(), index, ofDelta);
            case Select select -> isNotNan(select.outputs().get(index).expression(), select.input(), select.alias(), ofDelta);
            case UnionAll union -> union.inputs().stream().allMatch(input -> isNotNan(input, index, ofDelta));
            case LeftJoin join -> {
                Expression expression = join.outputs().get(index).expression();
                yield referencesOnly(expression, join) && isNotNan(expression, join.left().relation(), join.left().alias(), ofDelta && addsNothing(join.right().relation()));
            }
            case SemiJoin join -> isNotNan(join.left().relation(), index, ofDelta && addsNothing(join.right().relation()));
            case Grouped _, Windowed _ -> false;
            case InnerJoin join -> {
                Expression expression = join.outputs().get(index).expression();
                yield isEquated(expression, join) || join.inputs().stream()
                        .anyMatch(input -> referencedColumn(expression, input.alias()).isPresent()
                                && isNotNan(expression, input.relation(), input.alias(), ofDelta && isOnlyChange(input, join)));
            }
        };
    }

    /** The right side may be padded with NULL. */
    private static boolean referencesOnly(Expression expression, LeftJoin join)
    {
        return referencedColumns(expression, join.right().alias()).isEmpty();
    }

    /** Arrays, maps and rows may hold NULL; they do not equal themselves then. */
    private static boolean mayBeStructural(Expression expression, LinearRelation input, String alias)
    {
        Optional<String> column = referencedColumn(expression, alias);
        if (column.isEmpty()) {
            return !(expression instanceof Literal) && !(expression instanceof FunctionCall call && SIMPLE.contains(call.getName().toString()));
        }
        int index = input.columns().indexOf(column.get());
        return switch (input) {
            case Scan scan -> StorageTypes.isStructural(StorageTypes.storageType(scan.sourceColumns().get(index).type()));
            case Select select -> mayBeStructural(select.outputs().get(index).expression(), select.input(), select.alias());
            case UnionAll union -> union.inputs().stream().anyMatch(branch -> mayBeStructural(reference(alias, branch.columns().get(index)), branch, alias));
            case InnerJoin join -> mayBeStructural(join.outputs().get(index).expression(), join.inputs());
            case LeftJoin join -> mayBeStructural(join.outputs().get(index).expression(), ImmutableList.of(join.left(), join.right()));
            case Expand expand -> index < expand.input().columns().size() && mayBeStructural(expression, expand.input(), alias);
            case SemiJoin join -> mayBeStructural(expression, join.left().relation(), alias);
            case Grouped _, Windowed _ -> true;
        };
    }

    private static boolean mayBeStructural(Expression expression, List<JoinInput> inputs)
    {
        return inputs.stream()
                .filter(input -> referencedColumn(expression, input.alias()).isPresent())
                .findFirst()
                .map(input -> mayBeStructural(expression, input.relation(), input.alias()))
                .orElse(true);
    }

    private boolean addsNothing(LinearRelation relation)
    {
        return relation.scans().allMatch(scan -> addsNothing(scan.table()));
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
