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
package io.freshet.spi.refresh;

import com.google.common.collect.ImmutableList;
import com.google.inject.Inject;
import io.freshet.engine.CompiledView;
import io.freshet.engine.LogicalViewMention;
import io.freshet.engine.RelationKind;
import io.freshet.engine.RelationName;
import io.freshet.engine.SourceMention;
import io.freshet.spi.catalog.FreshetCatalog;
import io.freshet.spi.catalog.ViewTable;
import io.trino.spi.catalog.CatalogName;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.SchemaTableName;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

/**
 * The materialized views of this catalog that a view reads, at any depth, also through logical views.
 */
public final class InnerViews
{
    private final String catalogName;
    private final RefreshPlanning planning;

    @Inject
    public InnerViews(CatalogName catalogName, RefreshPlanning planning)
    {
        this.catalogName = catalogName.toString();
        this.planning = requireNonNull(planning, "planning is null");
    }

    /** Each of them once, and after those that it reads itself; not the view. */
    public List<SchemaTableName> inRefreshOrder(ConnectorSession session, FreshetCatalog catalog, ViewTable view)
    {
        ImmutableList.Builder<SchemaTableName> order = ImmutableList.builder();
        Set<SchemaTableName> visited = new HashSet<>();
        visited.add(view.view());
        collect(session, catalog, view, visited, order);
        return order.build();
    }

    private void collect(ConnectorSession session, FreshetCatalog catalog, ViewTable view, Set<SchemaTableName> visited, ImmutableList.Builder<SchemaTableName> order)
    {
        for (SchemaTableName name : names(compile(session, catalog, view), RelationKind.MATERIALIZED_VIEW)) {
            if (visited.add(name)) {
                catalog.findView(session, name).ifPresent(inner -> {
                    collect(session, catalog, inner, visited, order);
                    order.add(name);
                });
            }
        }
    }

    /** Whether a view of that definition reads the given name, which may be that of nothing yet. */
    public boolean reach(ConnectorSession session, FreshetCatalog catalog, CompiledView compiled, SchemaTableName name)
    {
        return reach(session, catalog, compiled, name, new HashSet<>());
    }

    private boolean reach(ConnectorSession session, FreshetCatalog catalog, CompiledView compiled, SchemaTableName searched, Set<SchemaTableName> visited)
    {
        // a table of that name is what is meant, and stays
        if (names(compiled, RelationKind.MATERIALIZED_VIEW, RelationKind.MISSING).contains(searched)) {
            return true;
        }
        for (SchemaTableName name : names(compiled, RelationKind.MATERIALIZED_VIEW)) {
            if (visited.add(name)) {
                Optional<ViewTable> inner = catalog.findView(session, name);
                if (inner.isPresent() && reach(session, catalog, compile(session, catalog, inner.get()), searched, visited)) {
                    return true;
                }
            }
        }
        return false;
    }

    private CompiledView compile(ConnectorSession session, FreshetCatalog catalog, ViewTable view)
    {
        return planning.compile(session, catalog, view.definition());
    }

    /** A materialized view that was never filled counts as a logical view, so those are among the names. */
    private List<SchemaTableName> names(CompiledView compiled, RelationKind... kinds)
    {
        return Stream.concat(
                        compiled.sources().stream()
                                .filter(mention -> ImmutableList.copyOf(kinds).contains(mention.kind()))
                                .map(SourceMention::name),
                        compiled.logicalViews().stream().map(LogicalViewMention::name))
                .filter(name -> name.catalog().equals(catalogName))
                .map(InnerViews::schemaTableName)
                .collect(toImmutableList());
    }

    private static SchemaTableName schemaTableName(RelationName name)
    {
        return new SchemaTableName(name.schema(), name.table());
    }
}
