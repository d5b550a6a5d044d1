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
import io.freshet.engine.RelationName;
import io.freshet.engine.ResolvedRelation;
import io.freshet.engine.ViewText;
import io.trino.sql.tree.AliasedRelation;
import io.trino.sql.tree.DereferenceExpression;
import io.trino.sql.tree.Expression;
import io.trino.sql.tree.Identifier;
import io.trino.sql.tree.Join;
import io.trino.sql.tree.JoinOn;
import io.trino.sql.tree.QualifiedName;
import io.trino.sql.tree.Query;
import io.trino.sql.tree.QuerySpecification;
import io.trino.sql.tree.Relation;
import io.trino.sql.tree.SelectItem;
import io.trino.sql.tree.SetOperation;
import io.trino.sql.tree.SingleColumn;
import io.trino.sql.tree.Table;
import io.trino.sql.tree.TableSubquery;
import io.trino.sql.tree.WithQuery;

import java.util.List;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

/**
 * The columns of a relation by name, where they can be told from text and catalog. Stars inside are already expanded.
 */
final class RelationColumns
{
    private final ViewText view;
    private final Catalog catalog;

    RelationColumns(ViewText view, Catalog catalog)
    {
        this.view = requireNonNull(view, "view is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
    }

    /**
     * @param name empty for an anonymous expression
     */
    record Column(Optional<QualifiedName> relation, Optional<String> name)
    {
        /** A reference that means this column and no other of the scope; empty if there is none. */
        Optional<Expression> reference(List<Column> scope)
        {
            if (name.isEmpty()) {
                return Optional.empty();
            }
            long same = scope.stream()
                    .filter(other -> other.name().isPresent() && other.name().get().equalsIgnoreCase(name.get()))
                    .filter(other -> relation.isEmpty() || other.relation().isPresent() && other.relation().get().hasSuffix(relation.get()))
                    .count();
            if (same != 1) {
                return Optional.empty();
            }
            Expression reference = null;
            for (Identifier part : relation.map(QualifiedName::getOriginalParts).orElse(ImmutableList.of())) {
                Identifier quoted = new Identifier(part.getValue(), true);
                reference = reference == null ? quoted : new DereferenceExpression(reference, quoted);
            }
            Identifier column = new Identifier(name.get(), true);
            return Optional.of(reference == null ? column : new DereferenceExpression(reference, column));
        }
    }

    Optional<List<Column>> of(Relation relation, NameScope scope)
    {
        return switch (relation) {
            case Table table -> ofTable(table, scope);
            case AliasedRelation aliased -> of(aliased.getRelation(), scope)
                    .flatMap(columns -> rename(columns, aliased.getAlias(), Optional.ofNullable(aliased.getColumnNames())));
            case TableSubquery subquery -> ofQuery(subquery.getQuery(), scope);
            case QuerySpecification query -> ofSelect(query);
            case SetOperation operation -> operation.getCorresponding().isPresent()
                    ? Optional.empty()
                    : of(operation.getRelations().getFirst(), scope)
                            .map(columns -> columns.stream()
                                    .map(column -> new Column(Optional.empty(), column.name()))
                                    .collect(toImmutableList()));
            case Join join -> ofJoin(join, scope);
            default -> Optional.empty();
        };
    }

    private Optional<List<Column>> ofJoin(Join join, NameScope scope)
    {
        if (join.getCriteria().isPresent() && !(join.getCriteria().get() instanceof JoinOn)) {
            return Optional.empty();
        }
        Optional<List<Column>> left = of(join.getLeft(), scope);
        Optional<List<Column>> right = of(join.getRight(), scope);
        if (left.isEmpty() || right.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(ImmutableList.<Column>builder()
                .addAll(left.get())
                .addAll(right.get())
                .build());
    }

    private Optional<List<Column>> ofQuery(Query query, NameScope scope)
    {
        if (query.getWith().isPresent() && query.getWith().get().isRecursive()) {
            return Optional.empty();
        }
        NameScope inner = scope;
        for (WithQuery named : query.getWith().map(with -> with.getQueries()).orElse(ImmutableList.of())) {
            inner = inner.with(named);
        }
        return of(query.getQueryBody(), inner);
    }

    private static Optional<List<Column>> ofSelect(QuerySpecification query)
    {
        ImmutableList.Builder<Column> columns = ImmutableList.builder();
        for (SelectItem item : query.getSelect().getSelectItems()) {
            if (!(item instanceof SingleColumn column)) {
                return Optional.empty();
            }
            columns.add(new Column(Optional.empty(), column.getAlias().map(Identifier::getValue).or(() -> derivedName(column.getExpression()))));
        }
        return Optional.of(columns.build());
    }

    private static Optional<String> derivedName(Expression expression)
    {
        return SelectAnalyzer.relationName(expression).map(name -> name.getOriginalParts().getLast().getValue());
    }

    private Optional<List<Column>> ofTable(Table table, NameScope scope)
    {
        QualifiedName name = table.getName();
        if (name.getPrefix().isEmpty() && table.getQueryPeriod().isEmpty()) {
            Optional<NameScope.NamedQuery> named = scope.find(name.getSuffix());
            if (named.isPresent()) {
                WithQuery query = named.get().query();
                return ofQuery(query.getQuery(), named.get().scope())
                        .flatMap(columns -> rename(columns, query.getName(), query.getColumnNames()));
            }
        }
        if (table.getQueryPeriod().isPresent() || table.getBranch().isPresent()) {
            return Optional.empty();
        }
        Optional<RelationName> relation = Catalog.fullName(name, view);
        if (relation.isEmpty()) {
            return Optional.empty();
        }
        ResolvedRelation resolved = catalog.resolve(relation.get());
        List<String> names = resolved.view().isPresent()
                ? resolved.view().get().columnNames()
                : resolved.columns().stream().map(column -> column.name()).collect(toImmutableList());
        if (names.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(names.stream()
                .map(column -> new Column(Optional.of(name), Optional.of(column)))
                .collect(toImmutableList()));
    }

    private static Optional<List<Column>> rename(List<Column> columns, Identifier alias, Optional<List<Identifier>> names)
    {
        if (names.isPresent() && names.get().size() != columns.size()) {
            return Optional.empty();
        }
        ImmutableList.Builder<Column> renamed = ImmutableList.builder();
        for (int i = 0; i < columns.size(); i++) {
            Optional<String> column = names.isPresent() ? Optional.of(names.get().get(i).getValue()) : columns.get(i).name();
            renamed.add(new Column(Optional.of(QualifiedName.of(ImmutableList.of(alias))), column));
        }
        return Optional.of(renamed.build());
    }
}
