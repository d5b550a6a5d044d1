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
package io.freshet.spi.surface;

import com.google.common.collect.ImmutableList;
import com.google.inject.Inject;
import io.airlift.log.Logger;
import io.airlift.slice.Slice;
import io.freshet.spi.catalog.BackingTables;
import io.freshet.spi.catalog.FreshetCatalog;
import io.freshet.spi.catalog.FreshetCatalogFactory;
import io.freshet.spi.catalog.ViewTable;
import io.freshet.spi.refresh.BackgroundSession;
import io.freshet.spi.refresh.BackgroundSessions;
import io.freshet.spi.view.StoredViewCodec;
import io.freshet.spi.view.ViewSwap;
import io.trino.spi.connector.ConnectorAccessControl;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.TableNotFoundException;
import io.trino.spi.predicate.Domain;
import org.apache.iceberg.BaseTable;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static io.airlift.slice.Slices.utf8Slice;
import static io.freshet.spi.catalog.BackingTables.DEFINITION_PROPERTY;
import static io.freshet.spi.catalog.BackingTables.backingTableOf;
import static io.freshet.spi.catalog.BackingTables.isBackingName;
import static java.util.Comparator.comparing;
import static java.util.Objects.requireNonNull;

/**
 * Finds the materialized views that a caller may see, for the system tables. A view that is damaged is among them; one that
 * vanishes meanwhile is not. Neither makes the listing fail.
 */
public final class ViewListing
{
    private static final Logger log = Logger.get(ViewListing.class);

    private final FreshetCatalogFactory catalogFactory;
    private final BackgroundSessions sessions;
    private final StoredViewCodec codec;
    private final ViewFacts.Readers readers;
    private final ViewSwap swap;

    @Inject
    public ViewListing(FreshetCatalogFactory catalogFactory, BackgroundSessions sessions, StoredViewCodec codec, ViewFacts.Readers readers, ViewSwap swap)
    {
        this.swap = requireNonNull(swap, "swap is null");
        this.catalogFactory = requireNonNull(catalogFactory, "catalogFactory is null");
        this.sessions = requireNonNull(sessions, "sessions is null");
        this.codec = requireNonNull(codec, "codec is null");
        this.readers = requireNonNull(readers, "readers is null");
    }

    /**
     * The views in the order of their names, as the catalog has them now.
     *
     * @param schemas which schemas the caller asks for
     * @param views which names the caller asks for
     */
    List<ViewFacts> list(ConnectorSession session, ConnectorAccessControl accessControl, Domain schemas, Domain views)
    {
        BackgroundSession background = sessions.create(session.getIdentity());
        FreshetCatalog catalog = catalogFactory.create(session.getIdentity());
        Set<SchemaTableName> tables = tables(background, catalog, schemas);
        if (swap.recover(session.getIdentity(), tables)) {
            tables = tables(background, catalog, schemas);
        }
        return list(session, background, catalog, accessControl, schemas, views, tables);
    }

    private List<ViewFacts> list(
            ConnectorSession session,
            BackgroundSession background,
            FreshetCatalog catalog,
            ConnectorAccessControl accessControl,
            Domain schemas,
            Domain views,
            Set<SchemaTableName> tables)
    {
        Set<SchemaTableName> candidates = tables.stream()
                .filter(table -> isBackingName(table.getTableName()) && table.getTableName().length() > BackingTables.PREFIX.length())
                .map(BackingTables::viewOf)
                .filter(view -> includes(schemas, view.getSchemaName()) && includes(views, view.getTableName()))
                .collect(toImmutableSet());
        if (candidates.isEmpty()) {
            return ImmutableList.of();
        }
        Set<SchemaTableName> visible = new TreeSet<>(comparing(SchemaTableName::getSchemaName).thenComparing(SchemaTableName::getTableName));
        visible.addAll(accessControl.filterTables(null, candidates));
        ViewFacts.Context context = new ViewFacts.Context(background, catalog, accessControl, session.getStart().toEpochMilli());
        return visible.stream()
                .flatMap(name -> load(context, name, tables.contains(name)).stream())
                .collect(toImmutableList());
    }

    private static Set<SchemaTableName> tables(BackgroundSession session, FreshetCatalog catalog, Domain schemas)
    {
        if (!schemas.isNullableDiscreteSet()) {
            return schemas.getValues().isNone() ? Set.of() : catalog.listStoredTables(session, Optional.empty());
        }
        return schemas.getNullableDiscreteSet().getNonNullValues().stream()
                .map(value -> ((Slice) value).toStringUtf8())
                .filter(schema -> !schema.isEmpty() && catalog.namespaceExists(session, schema))
                .flatMap(schema -> catalog.listStoredTables(session, Optional.of(schema)).stream())
                .collect(toImmutableSet());
    }

    private static boolean includes(Domain domain, String value)
    {
        return domain.includesNullableValue(utf8Slice(value));
    }

    private Optional<ViewFacts> load(ViewFacts.Context context, SchemaTableName name, boolean shadowed)
    {
        try {
            BaseTable table = context.catalog().loadSource(context.session(), backingTableOf(name));
            return Optional.ofNullable(table.properties().get(DEFINITION_PROPERTY))
                    .map(json -> ViewFacts.of(readers, context, new ViewTable(name, table, codec.decode(name, json)), shadowed));
        }
        catch (TableNotFoundException e) {
            return Optional.empty();
        }
        catch (RuntimeException e) {
            log.debug(e, "Materialized view %s cannot be loaded", name);
            return Optional.of(ViewFacts.damaged(context, name, e));
        }
    }
}
