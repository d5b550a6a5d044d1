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
import io.freshet.engine.algebra.Conditions;
import io.freshet.engine.algebra.InnerJoin;
import io.freshet.engine.algebra.JoinInput;
import io.freshet.engine.algebra.SemiJoin;
import io.trino.sql.tree.ComparisonPredicate;
import io.trino.sql.tree.ExistsPredicate;
import io.trino.sql.tree.Expression;
import io.trino.sql.tree.InPredicate;
import io.trino.sql.tree.LogicalExpression;
import io.trino.sql.tree.Node;
import io.trino.sql.tree.NodeLocation;
import io.trino.sql.tree.NotExpression;
import io.trino.sql.tree.Predicated;
import io.trino.sql.tree.Query;
import io.trino.sql.tree.QuerySpecification;
import io.trino.sql.tree.Row;
import io.trino.sql.tree.SelectItem;
import io.trino.sql.tree.SingleColumn;
import io.trino.sql.tree.SubqueryExpression;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static io.freshet.engine.algebra.Expressions.reference;
import static io.freshet.engine.algebra.Expressions.substitute;
import static io.freshet.engine.analyze.RefusedException.refused;
import static java.util.Objects.requireNonNull;

/**
 * WHERE clauses: EXISTS and IN among their conditions become semi joins, NOT EXISTS and NOT IN anti joins, comparisons with an
 * aggregate joins.
 */
final class SubqueryAnalyzer
{
    private final RelationAnalyzer relations;
    private final Aliases aliases;

    SubqueryAnalyzer(RelationAnalyzer relations, Aliases aliases)
    {
        this.relations = requireNonNull(relations, "relations is null");
        this.aliases = requireNonNull(aliases, "aliases is null");
    }

    /**
     * @param where what is left to be checked of the rows, resolved
     */
    record Filtered(FromItem item, Optional<Expression> where) {}

    /** A condition that looks into a subquery. */
    private sealed interface Membership {}

    private record Exists(Query query, boolean negated)
            implements Membership {}

    private record In(Expression value, Query query, boolean negated)
            implements Membership {}

    /** A comparison with the only value of a subquery, which is the right side. */
    private record Comparison(Expression value, ComparisonPredicate.Operator operator, Query query)
            implements Membership {}

    Filtered filter(FromItem item, Optional<Expression> where, NameScope scope)
    {
        if (where.isEmpty()) {
            return new Filtered(item, Optional.empty());
        }
        List<Membership> memberships = new ArrayList<>();
        Optional<Expression> plain = split(where.get(), memberships);
        FromItem from = memberships.isEmpty() ? item : Nesting.asRows(item, aliases);
        boolean joined = from.origin() instanceof FromItem.Rows(InnerJoin _, _);
        List<Expression> known = plain.map(condition -> Conditions.conjuncts(ExpressionResolver.resolve(condition, item.fields()))).orElse(ImmutableList.of());
        if (joined && plain.isPresent()) {
            FromItem.Rows rows = (FromItem.Rows) from.origin();
            from = new FromItem(JoinAnalyzer.filtered(rows, (InnerJoin) rows.relation(), ExpressionResolver.resolve(plain.get(), from.fields())), from.fields());
            plain = Optional.empty();
        }
        for (Membership membership : memberships) {
            from = apply(membership, from, known, scope);
        }
        List<Field> fields = from.fields();
        return new Filtered(from, plain.map(condition -> ExpressionResolver.resolve(condition, fields)));
    }

    /** Takes the conditions that look into subqueries out of a conjunction. */
    private static Optional<Expression> split(Expression condition, List<Membership> memberships)
    {
        if (condition instanceof LogicalExpression logical && logical.getOperator() == LogicalExpression.Operator.AND) {
            List<Expression> rest = logical.getTerms().stream()
                    .flatMap(term -> split(term, memberships).stream())
                    .collect(toImmutableList());
            if (rest.size() < 2) {
                return rest.stream().findFirst();
            }
            return Optional.of(new LogicalExpression(logical.getLocation().orElseThrow(), LogicalExpression.Operator.AND, rest));
        }
        Optional<Membership> membership = membership(condition, false);
        membership.ifPresent(memberships::add);
        return membership.isPresent() ? Optional.empty() : Optional.of(condition);
    }

    private static Optional<Membership> membership(Expression condition, boolean negated)
    {
        return switch (condition) {
            case NotExpression not -> membership(not.getValue(), !negated);
            case ExistsPredicate exists when exists.getSubquery() instanceof SubqueryExpression subquery -> Optional.of(new Exists(subquery.getQuery(), negated));
            case Predicated predicated when predicated.getPredicate() instanceof InPredicate in && in.getValueList() instanceof SubqueryExpression subquery ->
                Optional.of(new In(predicated.getValue(), subquery.getQuery(), negated != in.isNegated()));
            case Predicated predicated when !negated && predicated.getPredicate() instanceof ComparisonPredicate comparison -> {
                if (comparison.getRight() instanceof SubqueryExpression subquery && !(predicated.getValue() instanceof SubqueryExpression)) {
                    yield Optional.of(new Comparison(predicated.getValue(), comparison.getOperator(), subquery.getQuery()));
                }
                if (predicated.getValue() instanceof SubqueryExpression subquery && !(comparison.getRight() instanceof SubqueryExpression)) {
                    yield Optional.of(new Comparison(comparison.getRight(), comparison.getOperator().flip(), subquery.getQuery()));
                }
                yield Optional.empty();
            }
            default -> Optional.empty();
        };
    }

    private FromItem compare(Comparison comparison, FromItem outer, NameScope scope)
    {
        Query query = comparison.query();
        QuerySpecification simple = Optional.of(query)
                .filter(candidate -> isPlain(candidate))
                .map(Query::getQueryBody)
                .filter(QuerySpecification.class::isInstance)
                .map(QuerySpecification.class::cast)
                .filter(body -> isPlain(body) && !body.getSelect().isDistinct() && QueryAnalyzer.containsAggregate(body.getSelect()))
                .orElseThrow(() -> refused(RefusalCode.SUBQUERY, query, "subquery", "is not an aggregation without GROUP BY"));
        FromItem.Rows rows = (FromItem.Rows) outer.origin();
        Expression value = ExpressionResolver.resolve(comparison.value(), outer.fields());
        FromItem item = Nesting.asRows(relations.analyze(simple.getFrom().orElseThrow(), scope), aliases);
        List<Membership> memberships = new ArrayList<>();
        Optional<Expression> plain = simple.getWhere().flatMap(where -> split(where, memberships));
        for (Membership membership : memberships) {
            item = apply(membership, item, ImmutableList.of(), scope);
        }
        List<Field> fields = item.fields();
        SelectItem selected = simple.getSelect().getSelectItems().getFirst();
        if (simple.getSelect().getSelectItems().size() != 1 || !(selected instanceof SingleColumn column)) {
            throw refused(RefusalCode.SUBQUERY, query, "subquery", "selects other than one column");
        }
        List<Expression> conditions = plain
                .map(where -> Conditions.conjuncts(ExpressionResolver.resolveCorrelated(where, fields, outer.fields())))
                .orElse(ImmutableList.of());
        ScalarAnalyzer.Scalar scalar = ScalarAnalyzer.analyze(
                item, conditions, ExpressionResolver.resolve(column.getExpression(), fields), query, rows.alias(), aliases);
        NodeLocation nowhere = new NodeLocation(1, 1);
        return new JoinAnalyzer(aliases).joinedWith(
                outer,
                scalar.input(),
                ImmutableList.<Expression>builder()
                        .addAll(scalar.ties())
                        .add(new Predicated(nowhere, value, new ComparisonPredicate(nowhere, comparison.operator(), scalar.value())))
                        .build());
    }

    private FromItem apply(Membership membership, FromItem outer, List<Expression> known, NameScope scope)
    {
        if (membership instanceof Comparison comparison) {
            return compare(comparison, outer, scope);
        }
        FromItem.Rows rows = (FromItem.Rows) outer.origin();
        JoinInput left = new JoinInput(rows.relation(), rows.alias());
        SemiJoin join = switch (membership) {
            case Exists(Query query, boolean negated) -> {
                QuerySpecification simple = simple(query)
                        .orElseThrow(() -> refused(RefusalCode.SUBQUERY, query, "subquery", "of EXISTS is more than SELECT, FROM and WHERE"));
                Inner inner = inner(simple, outer, scope);
                yield new SemiJoin(left, inner.input(), inner.conditions(), negated);
            }
            case In(Expression value, Query query, boolean negated) -> {
                if (value instanceof Row) {
                    throw refused(RefusalCode.SUBQUERY, value, "row", "in a subquery is not maintained");
                }
                Expression resolved = ExpressionResolver.resolve(value, outer.fields());
                Inner inner = simple(query)
                        .map(simple -> column(simple, outer, scope))
                        .orElseGet(() -> column(query, scope));
                Expression element = inner.column().orElseThrow();
                if (negated) {
                    checkNotNull(value, resolved, left, known);
                    checkNotNull(query, element, inner.input(), inner.conditions());
                }
                yield new SemiJoin(
                        left,
                        inner.input(),
                        ImmutableList.<Expression>builder().add(Conditions.equal(resolved, element)).addAll(inner.conditions()).build(),
                        negated);
            }
            case Comparison _ -> throw new IllegalStateException("a comparison is no semi join");
        };
        if (join.match().keys().isEmpty()) {
            throw refused(RefusalCode.SUBQUERY, query(membership), "subquery", "is not tied to the query around it by an equation");
        }
        String alias = aliases.nextRelation();
        return new FromItem(
                new FromItem.Rows(join, alias),
                outer.fields().stream()
                        .map(field -> field.withMeaning(substitute(field.meaning(), left.alias(), join.columns().stream()
                                .collect(toImmutableMap(column -> column, column -> reference(alias, column))))))
                        .collect(toImmutableList()));
    }

    private static Query query(Membership membership)
    {
        return switch (membership) {
            case Exists(Query query, _) -> query;
            case In(_, Query query, _) -> query;
            case Comparison(_, _, Query query) -> query;
        };
    }

    /** The rows of a subquery, and the conditions that tie them to those of the query around it. */
    private record Inner(JoinInput input, List<Expression> conditions, Optional<Expression> column) {}

    /** SELECT … FROM … WHERE …, whose rows are tested for being there only, so that DISTINCT and ORDER BY do not matter. */
    private static Optional<QuerySpecification> simple(Query query)
    {
        return Optional.of(query)
                .filter(candidate -> isPlain(candidate))
                .map(Query::getQueryBody)
                .filter(QuerySpecification.class::isInstance)
                .map(QuerySpecification.class::cast)
                .filter(body -> isPlain(body)
                        && !QueryAnalyzer.containsAggregate(body.getSelect())
                        && !WindowAnalyzer.containsWindow(body.getSelect()));
    }

    private static boolean isPlain(Query query)
    {
        return query.getWith().isEmpty() && query.getLimit().isEmpty() && query.getOffset().isEmpty() && query.getFunctions().isEmpty() && query.getSessionProperties().isEmpty();
    }

    private static boolean isPlain(QuerySpecification body)
    {
        return body.getFrom().isPresent()
                && body.getGroupBy().isEmpty()
                && body.getHaving().isEmpty()
                && body.getLimit().isEmpty()
                && body.getOffset().isEmpty()
                && body.getWindows().isEmpty();
    }

    private Inner inner(QuerySpecification query, FromItem outer, NameScope scope)
    {
        return inner(query, outer, scope, Optional.empty());
    }

    private Inner column(QuerySpecification query, FromItem outer, NameScope scope)
    {
        SelectItem item = query.getSelect().getSelectItems().getFirst();
        if (query.getSelect().getSelectItems().size() != 1 || !(item instanceof SingleColumn column)) {
            throw refused(RefusalCode.SUBQUERY, query, "subquery", "selects other than one column by name");
        }
        return inner(query, outer, scope, Optional.of(column.getExpression()));
    }

    private Inner inner(QuerySpecification query, FromItem outer, NameScope scope, Optional<Expression> column)
    {
        FromItem item = Nesting.asRows(relations.analyze(query.getFrom().orElseThrow(), scope), aliases);
        List<Membership> memberships = new ArrayList<>();
        Optional<Expression> plain = query.getWhere().flatMap(where -> split(where, memberships));
        for (Membership membership : memberships) {
            item = apply(membership, item, ImmutableList.of(), scope);
        }
        List<Field> fields = item.fields();
        List<Expression> conditions = plain
                .map(where -> Conditions.conjuncts(ExpressionResolver.resolveCorrelated(where, fields, outer.fields())))
                .orElse(ImmutableList.of());
        FromItem.Rows rows = (FromItem.Rows) item.origin();
        return new Inner(
                new JoinInput(rows.relation(), rows.alias()),
                conditions,
                column.map(expression -> ExpressionResolver.resolveCorrelated(expression, fields, outer.fields())));
    }

    /** Any query that does not look at the one around it. */
    private Inner column(Query query, NameScope scope)
    {
        FromItem item = Nesting.asRows(relations.analyze(query, scope), aliases);
        if (item.fields().size() != 1) {
            throw refused(RefusalCode.SUBQUERY, query, "subquery", "has other than one column");
        }
        FromItem.Rows rows = (FromItem.Rows) item.origin();
        return new Inner(new JoinInput(rows.relation(), rows.alias()), ImmutableList.of(), Optional.of(item.fields().getFirst().meaning()));
    }

    private static void checkNotNull(Node node, Expression expression, JoinInput input, List<Expression> known)
    {
        if (!NotNull.isProven(expression, input, known)) {
            throw refused(RefusalCode.NULLABLE_NOT_IN, node, "NOT IN", "is decided for all rows by one NULL, which may be here");
        }
    }
}
