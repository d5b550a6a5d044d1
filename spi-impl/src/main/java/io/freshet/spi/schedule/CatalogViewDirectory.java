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
package io.freshet.spi.schedule;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.inject.Inject;
import io.airlift.log.Logger;
import io.freshet.engine.RelationKind;
import io.freshet.engine.RelationName;
import io.freshet.engine.schedule.ScheduledView;
import io.freshet.spi.catalog.BackingTables;
import io.freshet.spi.catalog.FreshetCatalog;
import io.freshet.spi.catalog.FreshetCatalogFactory;
import io.freshet.spi.catalog.ViewTable;
import io.freshet.spi.refresh.BackgroundSession;
import io.freshet.spi.refresh.BackgroundSessions;
import io.freshet.spi.refresh.LogicalViews;
import io.freshet.spi.refresh.RefreshPlanning;
import io.freshet.spi.refresh.RefreshState;
import io.freshet.spi.refresh.ViewFreshness;
import io.freshet.spi.view.ViewSwap;
import io.freshet.staleness.ServiceLevel;
import io.trino.spi.catalog.CatalogName;
import io.trino.spi.connector.SchemaTableName;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static io.freshet.spi.catalog.BackingTables.FAILURE_PROPERTY;
import static io.freshet.spi.catalog.BackingTables.backingTableOf;
import static io.freshet.spi.catalog.BackingTables.isBackingName;
import static java.util.Objects.requireNonNull;

/** The views as the catalog has them. */
public final class CatalogViewDirectory
        implements ViewDirectory
{
    private static final Logger log = Logger.get(CatalogViewDirectory.class);

    private final String catalogName;
    private final FreshetCatalogFactory catalogFactory;
    private final BackgroundSessions sessions;
    private final RefreshPlanning planning;
    private final ViewFreshness freshness;
    private final ViewSwap swap;
    private final ServiceLevels serviceLevels;

    @Inject
    public CatalogViewDirectory(
            CatalogName catalogName,
            FreshetCatalogFactory catalogFactory,
            BackgroundSessions sessions,
            RefreshPlanning planning,
            ViewFreshness freshness,
            ViewSwap swap,
            ServiceLevels serviceLevels)
    {
        this.catalogName = catalogName.toString();
        this.catalogFactory = requireNonNull(catalogFactory, "catalogFactory is null");
        this.sessions = requireNonNull(sessions, "sessions is null");
        this.planning = requireNonNull(planning, "planning is null");
        this.freshness = requireNonNull(freshness, "freshness is null");
        this.swap = requireNonNull(swap, "swap is null");
        this.serviceLevels = requireNonNull(serviceLevels, "serviceLevels is null");
    }

    @Override
    public List<WatchedView> list()
    {
        BackgroundSession session = sessions.create(sessions.serviceIdentity());
        FreshetCatalog catalog = catalogFactory.create(session.getIdentity());
        Set<SchemaTableName> tables = catalog.listStoredTables(session, Optional.empty());
        if (swap.recover(session.getIdentity(), tables)) {
            tables = catalog.listStoredTables(session, Optional.empty());
        }
        return tables.stream()
                .filter(table -> isBackingName(table.getTableName()) && table.getTableName().length() > BackingTables.PREFIX.length())
                .map(BackingTables::viewOf)
                .flatMap(view -> tryLoad(session, catalog, view).stream())
                .collect(toImmutableList());
    }

    private Optional<WatchedView> tryLoad(BackgroundSession session, FreshetCatalog catalog, SchemaTableName view)
    {
        try {
            return catalog.findView(session, view).map(table -> watched(session, catalog, table));
        }
        catch (RuntimeException e) {
            log.debug(e, "Materialized view %s cannot be read", view);
            return Optional.empty();
        }
    }

    @Override
    public Optional<WatchedView> load(RelationName view)
    {
        BackgroundSession session = sessions.create(sessions.serviceIdentity());
        FreshetCatalog catalog = catalogFactory.create(session.getIdentity());
        return catalog.findView(session, new SchemaTableName(view.schema(), view.table()))
                .map(table -> watched(session, catalog, table));
    }

    @Override
    public Map<RelationName, OptionalLong> behindSince(Set<RelationName> views)
    {
        BackgroundSession session = sessions.create(sessions.serviceIdentity());
        FreshetCatalog catalog = catalogFactory.create(session.getIdentity());
        ImmutableMap.Builder<RelationName, OptionalLong> since = ImmutableMap.builder();
        for (RelationName view : views) {
            try {
                catalog.findView(session, new SchemaTableName(view.schema(), view.table()))
                        .ifPresent(table -> since.put(view, freshness.behindSince(session, catalog, table)));
            }
            catch (RuntimeException e) {
                log.debug(e, "How late materialized view %s is cannot be seen", view);
            }
        }
        return since.buildOrThrow();
    }

    @Override
    public void noteFailure(RelationName view, Optional<String> failure)
    {
        BackgroundSession session = sessions.create(sessions.serviceIdentity());
        FreshetCatalog catalog = catalogFactory.create(session.getIdentity());
        catalog.findView(session, new SchemaTableName(view.schema(), view.table()))
                .ifPresent(table -> catalog.noteFailure(table, failure));
    }

    WatchedView watched(BackgroundSession session, FreshetCatalog catalog, ViewTable view)
    {
        long seenMillis = System.currentTimeMillis();
        Optional<RefreshState> state = freshness.state(view);
        Optional<ServiceLevel> level = serviceLevels.level(view.definition().properties());
        ScheduledView scheduled = new ScheduledView(
                relationName(view.view()),
                relationName(backingTableOf(view.view())),
                ScheduleProperties.schedule(view.definition().properties()),
                state.map(this::sources).orElseGet(() -> compiledSources(session, catalog, view)),
                view.paused(),
                freshness.lastRefreshMillis(view));
        return new WatchedView(
                scheduled,
                seenMillis,
                level,
                level.isPresent() ? freshness.behindSince(session, catalog, view) : OptionalLong.empty(),
                Optional.ofNullable(view.backingTable().properties().get(FAILURE_PROPERTY)));
    }

    /** What was read, without asking the catalog. A view that was answered from its definition is stored rows some day. */
    private Set<RelationName> sources(RefreshState state)
    {
        ImmutableSet.Builder<RelationName> sources = ImmutableSet.builder();
        state.sources().forEach(source -> sources.add(new RelationName(source.catalog(), source.namespace(), source.name())));
        for (LogicalViews.State view : state.details().logicalViews()) {
            sources.add(relationName(backingTableOf(new SchemaTableName(view.namespace(), view.name()))));
        }
        return sources.build();
    }

    private Set<RelationName> compiledSources(BackgroundSession session, FreshetCatalog catalog, ViewTable view)
    {
        try {
            return planning.compile(session, catalog, view.definition()).sources().stream()
                    .map(source -> source.kind() == RelationKind.MATERIALIZED_VIEW ? relationName(backingTableOf(new SchemaTableName(source.name().schema(), source.name().table()))) : source.name())
                    .collect(toImmutableSet());
        }
        catch (RuntimeException e) {
            log.debug(e, "The sources of materialized view %s are not known", view.view());
            return ImmutableSet.of();
        }
    }

    RelationName relationName(SchemaTableName name)
    {
        return new RelationName(catalogName, name.getSchemaName(), name.getTableName());
    }
}
