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
package io.freshet.spi.view;

import com.google.inject.Inject;
import io.airlift.log.Logger;
import io.freshet.engine.CompiledView;
import io.freshet.engine.RelationName;
import io.freshet.spi.catalog.FreshetCatalog;
import io.freshet.spi.catalog.FreshetCatalogFactory;
import io.freshet.spi.catalog.ViewTable;
import io.freshet.spi.refresh.BackgroundSession;
import io.freshet.spi.refresh.BackgroundSessions;
import io.freshet.spi.refresh.Dependents;
import io.freshet.spi.refresh.RefreshPlanning;
import io.trino.spi.TrinoException;
import io.trino.spi.catalog.CatalogName;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.security.ConnectorIdentity;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

import static io.freshet.spi.catalog.BackingTables.isBackingName;
import static io.freshet.spi.catalog.BackingTables.viewOf;
import static io.trino.plugin.iceberg.IcebergErrorCode.ICEBERG_CATALOG_ERROR;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static java.util.Objects.requireNonNull;

/**
 * Exchanges the names of two views of a schema, with all that belongs to them, by three renames of backing tables:
 * <pre>
 * a → a__freshet_swap      b → a      a__freshet_swap → b
 * </pre>
 * Catalogs cannot rename two tables at once, so for a moment one of the names is missing. Before the first step the table of {@code a}
 * is given a property that says where it is to go; so whoever finds a table of the name in between can tell what was meant: if
 * {@code a} is missing nothing has changed for readers yet, and the first step is taken back; if {@code b} is missing the last
 * step is done.
 */
public final class ViewSwap
{
    static final String TARGET_PROPERTY = "freshet.swap-to";

    private static final Logger log = Logger.get(ViewSwap.class);
    private static final String SUFFIX = "__freshet_swap";

    /** What has been done. */
    public enum Step
    {
        INTENT_RECORDED,
        FIRST_MOVED_ASIDE,
        SECOND_RENAMED,
        FIRST_RENAMED,
    }

    private final String catalogName;
    private final FreshetCatalogFactory catalogFactory;
    private final BackgroundSessions sessions;
    private final RefreshPlanning planning;
    private final Dependents dependents;
    private final Consumer<Step> listener;

    @Inject
    public ViewSwap(CatalogName catalogName, FreshetCatalogFactory catalogFactory, BackgroundSessions sessions, RefreshPlanning planning, Dependents dependents)
    {
        this(catalogName, catalogFactory, sessions, planning, dependents, _ -> {});
    }

    /** @param listener is told of each step after it is done; what it throws interrupts the exchange there */
    public ViewSwap(CatalogName catalogName, FreshetCatalogFactory catalogFactory, BackgroundSessions sessions, RefreshPlanning planning, Dependents dependents, Consumer<Step> listener)
    {
        this.catalogName = catalogName.toString();
        this.catalogFactory = requireNonNull(catalogFactory, "catalogFactory is null");
        this.sessions = requireNonNull(sessions, "sessions is null");
        this.planning = requireNonNull(planning, "planning is null");
        this.dependents = requireNonNull(dependents, "dependents is null");
        this.listener = requireNonNull(listener, "listener is null");
    }

    /** Both are Freshet's views of the same schema, and not the same. */
    public synchronized void swap(ConnectorIdentity identity, ViewTable first, ViewTable second)
    {
        BackgroundSession session = sessions.create(identity);
        FreshetCatalog catalog = catalogFactory.create(identity);
        checkDoesNotRead(session, catalog, first, second);
        checkDoesNotRead(session, catalog, second, first);
        SchemaTableName aside = aside(first.view());
        FreshetCatalog.checkViewName(aside);
        try {
            first.backingTable().updateProperties().set(TARGET_PROPERTY, second.view().getTableName()).commit();
            listener.accept(Step.INTENT_RECORDED);
            catalog.renameMaterializedView(session, first.view(), aside);
            listener.accept(Step.FIRST_MOVED_ASIDE);
            catalog.renameMaterializedView(session, second.view(), first.view());
            listener.accept(Step.SECOND_RENAMED);
            catalog.renameMaterializedView(session, aside, second.view());
            listener.accept(Step.FIRST_RENAMED);
        }
        catch (RuntimeException e) {
            if (!completes(identity, first.view(), second.view(), e)) {
                throw new TrinoException(ICEBERG_CATALOG_ERROR, "Materialized views '%s.%s' and '%s.%s' could not be exchanged: %s. They are what they were".formatted(
                        catalogName,
                        first.view(),
                        catalogName,
                        second.view(),
                        e.getMessage()), e);
            }
            log.warn(e, "Materialized views %s and %s were exchanged, though a step reported a failure", first.view(), second.view());
        }
        finally {
            dependents.viewsChanged();
        }
        forgetIntent(identity, second.view());
    }

    /** Whether the views are exchanged after a step that failed; otherwise they are what they were. */
    private boolean completes(ConnectorIdentity identity, SchemaTableName first, SchemaTableName second, RuntimeException failure)
    {
        try {
            // without anything aside it was before the first step, or after the last
            return finish(identity, aside(first)).orElseGet(() -> targetOf(identity, second).isPresent());
        }
        catch (RuntimeException e) {
            failure.addSuppressed(e);
            throw new TrinoException(ICEBERG_CATALOG_ERROR, "Materialized views '%s.%s' and '%s.%s' could not be exchanged: %s. The first is called '%s' until a query of %s.system.materialized_views puts that right".formatted(
                    catalogName,
                    first,
                    catalogName,
                    second,
                    failure.getMessage(),
                    aside(first).getTableName(),
                    catalogName), failure);
        }
    }

    /**
     * Ends exchanges that were interrupted, among the tables that the catalog has. Never fails.
     *
     * @return whether tables were renamed
     */
    public synchronized boolean recover(ConnectorIdentity identity, Collection<SchemaTableName> tables)
    {
        boolean renamed = false;
        for (SchemaTableName table : tables) {
            String name = table.getTableName();
            if (isBackingName(name) && name.endsWith(SUFFIX) && viewOf(table).getTableName().length() > SUFFIX.length()) {
                try {
                    renamed |= finish(identity, viewOf(table)).isPresent();
                }
                catch (RuntimeException e) {
                    log.warn(e, "Materialized view %s.%s is left from an exchange of two views that was interrupted", catalogName, viewOf(table));
                }
            }
        }
        return renamed;
    }

    /** @return whether the views have been exchanged; empty if nothing was left to be done */
    private Optional<Boolean> finish(ConnectorIdentity identity, SchemaTableName aside)
    {
        Optional<String> target = targetOf(identity, aside);
        if (target.isEmpty()) {
            return Optional.empty();
        }
        BackgroundSession session = sessions.create(identity);
        FreshetCatalog catalog = catalogFactory.create(identity);
        SchemaTableName first = new SchemaTableName(aside.getSchemaName(), aside.getTableName().substring(0, aside.getTableName().length() - SUFFIX.length()));
        SchemaTableName second = new SchemaTableName(aside.getSchemaName(), target.get());
        boolean exchanged = catalog.findView(session, first).isPresent();
        SchemaTableName name = exchanged ? second : first;
        catalog.renameMaterializedView(session, aside, name);
        dependents.viewsChanged();
        log.info("An interrupted exchange of %s.%s and %s.%s was %s", catalogName, first, catalogName, second, exchanged ? "completed" : "taken back");
        forgetIntent(identity, name);
        return Optional.of(exchanged);
    }

    /** Where the view is to go, if it is one that is being exchanged. */
    private Optional<String> targetOf(ConnectorIdentity identity, SchemaTableName view)
    {
        return catalogFactory.create(identity).findView(sessions.create(identity), view)
                .map(found -> found.backingTable().properties().get(TARGET_PROPERTY));
    }

    /** Which does no harm where it stays, as it counts only for a table that was moved aside. */
    private void forgetIntent(ConnectorIdentity identity, SchemaTableName view)
    {
        try {
            catalogFactory.create(identity).findView(sessions.create(identity), view)
                    .ifPresent(table -> table.backingTable().updateProperties().remove(TARGET_PROPERTY).commit());
        }
        catch (RuntimeException e) {
            log.debug(e, "Property %s of %s could not be removed", TARGET_PROPERTY, view);
        }
    }

    private static SchemaTableName aside(SchemaTableName view)
    {
        return new SchemaTableName(view.getSchemaName(), view.getTableName() + SUFFIX);
    }

    /** Or it would read itself under its new name. */
    private void checkDoesNotRead(BackgroundSession session, FreshetCatalog catalog, ViewTable view, ViewTable other)
    {
        Set<SchemaTableName> seen = new HashSet<>();
        Deque<ViewTable> queue = new ArrayDeque<>(Set.of(view));
        while (!queue.isEmpty()) {
            CompiledView compiled = planning.compile(session, catalog, queue.removeFirst().definition());
            relations(compiled)
                    .filter(name -> name.catalog().equals(catalogName))
                    .map(name -> new SchemaTableName(name.schema(), name.table()))
                    .filter(seen::add)
                    .forEach(name -> catalog.findView(session, name).ifPresent(queue::addLast));
        }
        if (seen.contains(other.view())) {
            throw new TrinoException(NOT_SUPPORTED, "Materialized views '%s.%s' and '%s.%s' cannot be exchanged, since the first reads the second".formatted(catalogName, view.view(), catalogName, other.view()));
        }
    }

    private static Stream<RelationName> relations(CompiledView view)
    {
        return Stream.concat(
                view.sources().stream().map(source -> source.name()),
                view.logicalViews().stream().map(logical -> logical.name()));
    }
}
