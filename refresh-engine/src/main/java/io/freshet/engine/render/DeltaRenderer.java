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

import com.google.common.collect.ImmutableList;
import io.freshet.engine.algebra.Conditions.Equation;
import io.freshet.engine.algebra.Expand;
import io.freshet.engine.algebra.Grouped;
import io.freshet.engine.algebra.InnerJoin;
import io.freshet.engine.algebra.JoinInput;
import io.freshet.engine.algebra.LeftJoin;
import io.freshet.engine.algebra.LinearRelation;
import io.freshet.engine.algebra.MatchConditions;
import io.freshet.engine.algebra.Scan;
import io.freshet.engine.algebra.Select;
import io.freshet.engine.algebra.SemiJoin;
import io.freshet.engine.algebra.UnionAll;
import io.freshet.engine.algebra.Windowed;
import io.trino.sql.tree.Expression;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.stream.IntStream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static io.freshet.engine.SqlNames.quote;
import static io.freshet.engine.render.RelationRenderer.aliased;
import static io.freshet.engine.render.RelationRenderer.union;
import static io.trino.sql.ExpressionFormatter.formatExpression;
import static java.util.stream.Collectors.joining;

/**
 * Deltas of relations as sums of queries. Law: the rows of the terms, counted by their weights, are the rows after the change less
 * those before. A term that is known to be empty is not there; without terms nothing has changed.
 */
final class DeltaRenderer
{
    private final DeltaSources sources;
    private final StateRenderer before;
    private final StateRenderer after;

    DeltaRenderer(DeltaSources sources)
    {
        this.sources = sources;
        this.before = new StateRenderer(sources.before(), true);
        this.after = new StateRenderer(sources.after(), true);
    }

    /** Queries that give the columns of the relation, in order and under their names, and then the weight if rows have one. */
    List<String> terms(LinearRelation relation)
    {
        return switch (relation) {
            case Scan scan -> sources.isNothing(scan)
                    ? ImmutableList.of()
                    : ImmutableList.of("SELECT " + Columns.of(scan) + weight(quote(SourceText.WEIGHT_COLUMN)) + " FROM " + sources.from(scan));
            case Select select -> delta(select.input())
                    .<List<String>>map(input -> ImmutableList.of("SELECT " + Columns.of(select.outputs()) + weightOf(select.alias())
                            + " FROM " + aliased(input, select.alias())
                            + select.where().map(RelationRenderer::where).orElse("")))
                    .orElse(ImmutableList.of());
            case Expand expand -> delta(expand.input())
                    .<List<String>>map(input -> ImmutableList.of("SELECT " + Columns.of(expand) + weightOf(expand.alias())
                            + " FROM " + aliased(input, expand.alias()) + Columns.copies(expand)))
                    .orElse(ImmutableList.of());
            case UnionAll union -> unionTerms(union);
            case InnerJoin join -> IntStream.range(0, join.inputs().size())
                    .mapToObj(i -> term(join, i))
                    .flatMap(Optional::stream)
                    .collect(toImmutableList());
            case LeftJoin join -> preserving(
                    join.left(),
                    join.right(),
                    join.match(),
                    (left, right) -> MatchText.leftJoin(join, left, right, true, sources.weighted()));
            case SemiJoin join -> preserving(
                    join.left(),
                    join.right(),
                    join.match(),
                    (left, right) -> MatchText.semiJoin(join, left, right, true, sources.weighted()));
            case Grouped(var block) -> recomputed(
                    block.input(),
                    block.inputAlias(),
                    block.where(),
                    block.keys(),
                    (input, more) -> BlockText.grouped(block, input, more),
                    relation);
            case Windowed(var block) -> recomputed(
                    block.input(),
                    block.inputAlias(),
                    block.where(),
                    block.keys(),
                    (input, more) -> BlockText.windowed(block, input, more),
                    relation);
        };
    }

    /** The columns of a union get their types from all inputs, so something stands for one without a delta too. */
    private List<String> unionTerms(UnionAll union)
    {
        List<List<String>> terms = union.inputs().stream()
                .map(this::terms)
                .collect(toImmutableList());
        if (terms.stream().allMatch(List::isEmpty)) {
            return ImmutableList.of();
        }
        return IntStream.range(0, terms.size())
                .mapToObj(i -> terms.get(i).isEmpty() ? ImmutableList.of(nothing(union.inputs().get(i))) : terms.get(i))
                .flatMap(List::stream)
                .collect(toImmutableList());
    }

    /** No rows, with the columns of the relation. */
    String nothing(LinearRelation relation)
    {
        JoinInput input = new JoinInput(relation, "nothing");
        return "SELECT " + Columns.of(input) + weight(constant(1)) + " FROM " + after.input(input) + " WHERE false";
    }

    private Optional<String> delta(LinearRelation relation)
    {
        List<String> terms = terms(relation);
        return terms.isEmpty() ? Optional.empty() : Optional.of(union(terms));
    }

    private String weightOf(String alias)
    {
        return weight(RelationRenderer.weight(alias));
    }

    /** The weight as one more column. */
    private String weight(String value)
    {
        return sources.weighted() ? ", " + value + " AS " + quote(SourceText.WEIGHT_COLUMN) : "";
    }

    private static String constant(int weight)
    {
        return "CAST(" + weight + " AS tinyint)";
    }

    /** The delta of one input with the others, those before it as they are and those after it as they were. */
    private Optional<String> term(InnerJoin join, int changed)
    {
        JoinInput first = join.inputs().get(changed);
        Optional<String> delta = delta(first.relation());
        if (delta.isEmpty()) {
            return Optional.empty();
        }
        List<JoinInput> later = join.inputs().subList(changed + 1, join.inputs().size());
        if (join.inputs().stream().anyMatch(input -> input != first && state(input, later).isEmpty(input.relation()))) {
            return Optional.empty();
        }
        Map<String, JoinInput> inputs = join.inputs().stream().collect(toImmutableMap(JoinInput::alias, Function.identity()));
        JoinOrder order = JoinOrder.startingWith(first.alias(), ImmutableList.copyOf(inputs.keySet()), join.conditions());
        String joined = JoinText.rightDeep(order, alias -> alias.equals(first.alias())
                ? aliased(delta.get(), alias)
                : state(inputs.get(alias), later).input(inputs.get(alias)));
        return Optional.of("SELECT " + Columns.of(join.outputs()) + weightOf(first.alias()) + " FROM " + joined);
    }

    private StateRenderer state(JoinInput input, List<JoinInput> later)
    {
        return later.contains(input) ? before : after;
    }

    /**
     * The delta of an operator that is linear in its left input, see {@link LeftJoin}.
     *
     * @param operator a query from queries for the left and the right input
     */
    private List<String> preserving(JoinInput left, JoinInput right, MatchConditions match, BinaryOperator<String> operator)
    {
        Optional<String> ofLeft = delta(left.relation());
        Optional<String> ofRight = delta(right.relation());
        List<String> added = new ArrayList<>();
        ofLeft.ifPresent(added::add);
        List<String> terms = new ArrayList<>();
        if (ofRight.isPresent() && !before.isEmpty(left.relation())) {
            String touched = new Restriction(before, MatchText.keys(match, right, ofRight.get()), MatchText.keysAlias(left))
                    .render(left.relation(), left.alias(), match.keys().stream().map(Equation::left).collect(toImmutableList()));
            String columns = "SELECT " + Columns.of(left);
            added.add(columns + weight(constant(1)) + " FROM " + aliased(touched, left.alias()));
            terms.add(operator.apply(columns + weight(constant(-1)) + " FROM " + aliased(touched, left.alias()), before.render(right.relation())));
        }
        if (!added.isEmpty()) {
            terms.addFirst(operator.apply(union(added), after.render(right.relation())));
        }
        return terms;
    }

    /**
     * The delta of a relation that is a function of the rows with its key, see {@link Grouped}.
     *
     * @param operator a query from a query for the input and a further column
     */
    private List<String> recomputed(
            LinearRelation input,
            String alias,
            Optional<Expression> where,
            List<Expression> keys,
            BinaryOperator<String> operator,
            LinearRelation relation)
    {
        Optional<String> delta = delta(input);
        if (delta.isEmpty()) {
            return ImmutableList.of();
        }
        String touched = touchedKeys(delta.get(), alias, where, keys);
        ImmutableList.Builder<String> terms = ImmutableList.builder();
        terms.add(operator.apply(rows(after, touched, input, alias, keys), weight(constant(1))));
        if (!before.isEmpty(relation)) {
            terms.add(operator.apply(rows(before, touched, input, alias, keys), weight(constant(-1))));
        }
        return terms.build();
    }

    /** The rows after the change whose keys the delta touches, and perhaps some of other keys; the columns of the input. */
    String touchedRows(LinearRelation input, String alias, Optional<Expression> where, List<Expression> keys)
    {
        return delta(input)
                .map(delta -> rows(after, touchedKeys(delta, alias, where, keys), input, alias, keys))
                .orElseGet(() -> after.render(input));
    }

    private static String touchedKeys(String delta, String alias, Optional<Expression> where, List<Expression> keys)
    {
        return "SELECT " + IntStream.range(0, keys.size())
                .mapToObj(i -> formatExpression(keys.get(i)) + " AS " + quote("k" + (i + 1)))
                .collect(joining(", "))
                + " FROM " + aliased(delta, alias)
                + where.map(RelationRenderer::where).orElse("")
                + GroupRenderer.groupBy(keys.size());
    }

    /**
     * All rows of the touched keys, and perhaps of others, but then of all of their rows. Keys are compared by {@code =}. So keys that do
     * not equal themselves, such as NULL, count as touched if one of them may be.
     */
    private String rows(StateRenderer state, String touched, LinearRelation input, String alias, List<Expression> keys)
    {
        if (keys.isEmpty()) {
            return state.render(input);
        }
        String equal = new Restriction(state, touched, alias + "k").render(input, alias, keys);
        List<Expression> uncertain = keys.stream()
                .filter(key -> !sources.proof().isComparable(key, input, alias))
                .collect(toImmutableList());
        if (uncertain.isEmpty()) {
            return equal;
        }
        String unequal = uncertain.stream()
                .map(key -> "NOT coalesce(" + formatExpression(key) + " = " + formatExpression(key) + ", false)")
                .collect(joining(" OR "));
        return union(ImmutableList.of(
                equal,
                "SELECT " + Columns.of(new JoinInput(input, alias)) + " FROM " + aliased(state.render(input), alias) + " WHERE " + unequal));
    }
}
