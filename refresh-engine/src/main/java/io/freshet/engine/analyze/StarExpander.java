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
import io.freshet.engine.ViewText;
import io.trino.sql.SqlFormatter;
import io.trino.sql.parser.ParsingException;
import io.trino.sql.parser.SqlParser;
import io.trino.sql.tree.AliasedRelation;
import io.trino.sql.tree.AllColumns;
import io.trino.sql.tree.Except;
import io.trino.sql.tree.Expression;
import io.trino.sql.tree.Identifier;
import io.trino.sql.tree.Intersect;
import io.trino.sql.tree.Join;
import io.trino.sql.tree.NodeLocation;
import io.trino.sql.tree.QualifiedName;
import io.trino.sql.tree.Query;
import io.trino.sql.tree.QueryBody;
import io.trino.sql.tree.QuerySpecification;
import io.trino.sql.tree.Relation;
import io.trino.sql.tree.Select;
import io.trino.sql.tree.SelectItem;
import io.trino.sql.tree.SingleColumn;
import io.trino.sql.tree.TableSubquery;
import io.trino.sql.tree.Union;
import io.trino.sql.tree.With;
import io.trino.sql.tree.WithQuery;

import java.util.List;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

/**
 * Puts the columns in place of stars, so that a column that a table gains later does not change a view.
 * <pre>
 * SELECT * FROM t x  ->  SELECT "x"."a", "x"."b" FROM t x
 * </pre>
 * A star that cannot be expanded with certainty stays, and so does one in a subquery of an expression.
 */
final class StarExpander
{
    private static final NodeLocation NOWHERE = new NodeLocation(1, 1);

    private final RelationColumns columns;

    StarExpander(ViewText view, Catalog catalog)
    {
        this.columns = new RelationColumns(requireNonNull(view, "view is null"), requireNonNull(catalog, "catalog is null"));
    }

    /** The text of a query, if it parses to the same query. */
    static Optional<String> format(Query query, SqlParser parser)
    {
        try {
            String sql = SqlFormatter.formatSql(query);
            return parser.createStatement(sql).equals(query) ? Optional.of(sql) : Optional.empty();
        }
        catch (ParsingException | UnsupportedOperationException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    Query expand(Query query)
    {
        return expand(query, NameScope.EMPTY);
    }

    private Query expand(Query query, NameScope scope)
    {
        NameScope inner = scope;
        Optional<With> with = query.getWith();
        if (with.isPresent() && with.get().isRecursive()) {
            return query;
        }
        if (with.isPresent()) {
            ImmutableList.Builder<WithQuery> queries = ImmutableList.builder();
            for (WithQuery named : with.get().getQueries()) {
                WithQuery expanded = new WithQuery(
                        named.getLocation().orElse(NOWHERE),
                        named.getName(),
                        expand(named.getQuery(), inner),
                        named.getColumnNames());
                queries.add(expanded);
                inner = inner.with(expanded);
            }
            with = Optional.of(new With(with.get().getLocation().orElse(NOWHERE), false, queries.build()));
        }
        return new Query(
                query.getLocation().orElse(NOWHERE),
                query.getSessionProperties(),
                query.getFunctions(),
                with,
                (QueryBody) expand(query.getQueryBody(), inner),
                query.getOrderBy(),
                query.getOffset(),
                query.getLimit());
    }

    private Relation expand(Relation relation, NameScope scope)
    {
        NodeLocation location = relation.getLocation().orElse(NOWHERE);
        return switch (relation) {
            case QuerySpecification specification -> expand(specification, scope);
            case TableSubquery subquery -> new TableSubquery(location, expand(subquery.getQuery(), scope));
            case Union union -> new Union(location, expand(union.getRelations(), scope), union.isDistinct(), union.getCorresponding());
            case Intersect intersect -> new Intersect(location, expand(intersect.getRelations(), scope), intersect.isDistinct(), intersect.getCorresponding());
            case Except except when except.getLeft() instanceof QueryBody left && except.getRight() instanceof QueryBody right -> new Except(
                    location,
                    (QueryBody) expand(left, scope),
                    (QueryBody) expand(right, scope),
                    except.isDistinct(),
                    except.getCorresponding());
            case AliasedRelation aliased ->
                new AliasedRelation(location, expand(aliased.getRelation(), scope), aliased.getAlias(), aliased.getColumnNames());
            case Join join -> new Join(location, join.getType(), expand(join.getLeft(), scope), expand(join.getRight(), scope), join.getCriteria());
            default -> relation;
        };
    }

    private List<Relation> expand(List<Relation> relations, NameScope scope)
    {
        return relations.stream()
                .map(relation -> expand(relation, scope))
                .collect(toImmutableList());
    }

    private QuerySpecification expand(QuerySpecification query, NameScope scope)
    {
        Optional<Relation> from = query.getFrom().map(relation -> expand(relation, scope));
        ImmutableList.Builder<SelectItem> items = ImmutableList.builder();
        for (SelectItem item : query.getSelect().getSelectItems()) {
            Optional<List<SelectItem>> expanded = item instanceof AllColumns all && from.isPresent()
                    ? expand(all, from.get(), scope)
                    : Optional.empty();
            items.addAll(expanded.orElseGet(() -> List.of(item)));
        }
        return new QuerySpecification(
                query.getLocation().orElse(NOWHERE),
                new Select(query.getSelect().getLocation().orElse(NOWHERE), query.getSelect().isDistinct(), items.build()),
                from,
                query.getWhere(),
                query.getGroupBy(),
                query.getHaving(),
                query.getWindows(),
                query.getOrderBy(),
                query.getOffset(),
                query.getLimit());
    }

    private Optional<List<SelectItem>> expand(AllColumns all, Relation from, NameScope scope)
    {
        Optional<List<RelationColumns.Column>> known = columns.of(from, scope);
        if (known.isEmpty()) {
            return Optional.empty();
        }
        List<RelationColumns.Column> matches = known.get();
        if (all.getTarget().isPresent()) {
            Optional<QualifiedName> name = SelectAnalyzer.relationName(all.getTarget().get());
            if (name.isEmpty()) {
                return Optional.empty();
            }
            matches = matches.stream()
                    .filter(column -> column.relation().isPresent() && column.relation().get().hasSuffix(name.get()))
                    .collect(toImmutableList());
        }
        List<Identifier> names = all.getAliases();
        if (matches.isEmpty() || (!names.isEmpty() && names.size() != matches.size())) {
            return Optional.empty();
        }
        ImmutableList.Builder<SelectItem> items = ImmutableList.builder();
        NodeLocation location = all.getLocation().orElse(NOWHERE);
        for (int i = 0; i < matches.size(); i++) {
            Optional<Expression> reference = matches.get(i).reference(known.get());
            if (reference.isEmpty()) {
                return Optional.empty();
            }
            Optional<Identifier> alias = names.isEmpty() ? Optional.empty() : Optional.of(names.get(i));
            items.add(new SingleColumn(location, reference.get(), alias));
        }
        return Optional.of(items.build());
    }
}
