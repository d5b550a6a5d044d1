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
import io.freshet.engine.RelationName;
import io.freshet.engine.ResolvedRelation;
import io.freshet.engine.SourceColumn;
import io.freshet.engine.StorageTypes;
import io.freshet.engine.ViewText;
import io.freshet.engine.algebra.Scan;
import io.trino.sql.tree.AliasedRelation;
import io.trino.sql.tree.Identifier;
import io.trino.sql.tree.Join;
import io.trino.sql.tree.Lateral;
import io.trino.sql.tree.NodeLocation;
import io.trino.sql.tree.QualifiedName;
import io.trino.sql.tree.Query;
import io.trino.sql.tree.QueryBody;
import io.trino.sql.tree.Relation;
import io.trino.sql.tree.SampledRelation;
import io.trino.sql.tree.Table;
import io.trino.sql.tree.TableFunctionInvocation;
import io.trino.sql.tree.Unnest;

import java.util.List;
import java.util.Optional;

import static io.freshet.engine.algebra.Expressions.reference;
import static io.freshet.engine.analyze.RefusedException.refused;
import static java.util.Objects.requireNonNull;

/**
 * Relations in a FROM clause.
 */
final class RelationAnalyzer
{
    private final ViewText view;
    private final Catalog catalog;
    private final Aliases aliases;
    private final QueryAnalyzer queries;

    RelationAnalyzer(ViewText view, Catalog catalog, Aliases aliases, QueryAnalyzer queries)
    {
        this.view = requireNonNull(view, "view is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.aliases = requireNonNull(aliases, "aliases is null");
        this.queries = requireNonNull(queries, "queries is null");
    }

    FromItem analyze(Relation relation, NameScope scope)
    {
        return switch (relation) {
            case Table table -> analyzeTable(table, scope);
            case AliasedRelation aliased -> {
                FromItem item = analyze(aliased.getRelation(), scope);
                Optional<List<Identifier>> names = Optional.ofNullable(aliased.getColumnNames());
                yield aliased(item, aliased.getAlias(), names, aliased);
            }
            case QueryBody body -> queries.analyzeBody(body, scope);
            case Join join -> {
                refuseUnnest(join);
                yield new JoinAnalyzer(aliases).analyze(join, analyze(join.getLeft(), scope), analyze(join.getRight(), scope));
            }
            case Unnest _, Lateral _ -> throw refused(RefusalCode.UNNEST, relation, "UNNEST or LATERAL", "is not maintained");
            case SampledRelation _ -> throw refused(RefusalCode.NONDETERMINISTIC_FUNCTION, relation, "TABLESAMPLE", "gives other rows at each call");
            case TableFunctionInvocation function ->
                throw refused(RefusalCode.TABLE_FUNCTION, function, "table function " + function.getName(), "is not maintained");
            default -> throw refused(RefusalCode.UNSUPPORTED_RELATION, relation, "relation", "of this kind is not maintained");
        };
    }

    FromItem analyze(Query query, NameScope scope)
    {
        return queries.analyze(query, scope);
    }

    private static void refuseUnnest(Join join)
    {
        Relation right = join.getRight() instanceof AliasedRelation aliased ? aliased.getRelation() : join.getRight();
        if (right instanceof Unnest || right instanceof Lateral) {
            throw refused(RefusalCode.UNNEST, right, "UNNEST or LATERAL", "is not maintained");
        }
    }

    private static FromItem aliased(FromItem item, Identifier alias, Optional<List<Identifier>> names, Relation node)
    {
        if (names.isPresent() && names.get().size() != item.fields().size()) {
            throw refused(RefusalCode.AMBIGUOUS_NAME, node, "column alias list", "does not fit the columns");
        }
        return item.aliased(alias, names);
    }

    private FromItem analyzeTable(Table table, NameScope scope)
    {
        QualifiedName name = table.getName();
        if (name.getPrefix().isEmpty() && table.getQueryPeriod().isEmpty()) {
            Optional<NameScope.NamedQuery> named = scope.find(name.getSuffix());
            if (named.isPresent()) {
                FromItem item = queries.analyze(named.get().query().getQuery(), named.get().scope());
                return aliased(item, named.get().query().getName(), named.get().query().getColumnNames(), table);
            }
        }
        RelationName relation = Catalog.fullName(name, view)
                .orElseThrow(() -> refused(RefusalCode.AMBIGUOUS_NAME, table, "table " + name, "has no catalog or schema"));
        if (table.getQueryPeriod().isPresent() || table.getBranch().isPresent()) {
            throw refused(RefusalCode.TIME_TRAVEL_SOURCE, table, "table " + name, "is read at a fixed version or branch");
        }
        ResolvedRelation resolved = catalog.resolve(relation);
        return switch (resolved.kind()) {
            // the stored rows of a view are read and followed as those of a table are
            case TABLE, MATERIALIZED_VIEW, STATIC -> scan(table, relation, resolved.columns());
            case VIEW -> throw refused(RefusalCode.LOGICAL_VIEW_SOURCE, table, "logical view " + relation, "is not maintained");
            case FOREIGN -> throw refused(RefusalCode.FOREIGN_SOURCE, table, "table " + relation, "is in another catalog, where changes are not seen");
            case METADATA_TABLE -> throw refused(RefusalCode.METADATA_TABLE_SOURCE, table, "metadata table " + relation, "is not maintained");
            case MISSING -> throw refused(RefusalCode.MISSING_SOURCE, table, "table " + relation, "does not exist");
        };
    }

    private FromItem scan(Table table, RelationName relation, List<SourceColumn> columns)
    {
        queries.countScan(table);
        String alias = aliases.nextRelation();
        ImmutableList.Builder<Field> fields = ImmutableList.builder();
        for (SourceColumn column : columns) {
            fields.add(new Field(
                    Optional.of(table.getName()),
                    Optional.of(column.name()),
                    reference(alias, column.name()),
                    StorageTypes.holdsTimeOfDay(column.type())));
        }
        NodeLocation location = table.getLocation().orElse(new NodeLocation(1, 1));
        Scan scan = new Scan(relation, columns, location.getLineNumber(), location.getColumnNumber());
        return new FromItem(new FromItem.Rows(scan, alias), fields.build());
    }
}
