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

import com.google.common.collect.ImmutableList;
import com.google.inject.Inject;
import io.airlift.log.Logger;
import io.freshet.engine.CompiledView;
import io.freshet.engine.LayoutOutcome;
import io.freshet.engine.Maintenance;
import io.freshet.engine.Refusal;
import io.freshet.engine.StateLayout;
import io.freshet.spi.FreshetConfig.BuildMode;
import io.freshet.spi.catalog.ForIcebergCatalog;
import io.freshet.spi.catalog.FreshetCatalog;
import io.freshet.spi.catalog.ViewTable;
import io.freshet.spi.refresh.CancelSwitch;
import io.freshet.spi.refresh.RefreshExecution;
import io.freshet.spi.refresh.RefreshPlanning;
import io.freshet.spi.refresh.RefreshProperties;
import io.freshet.spi.refresh.RefreshQueue;
import io.freshet.spi.refresh.RefreshService;
import io.freshet.spi.schedule.ScheduleProperties;
import io.freshet.spi.schedule.ServiceLevels;
import io.trino.plugin.iceberg.IcebergFileSystemFactory;
import io.trino.plugin.iceberg.IcebergUtil;
import io.trino.plugin.iceberg.catalog.TrinoCatalog;
import io.trino.plugin.iceberg.catalog.TrinoCatalogFactory;
import io.trino.spi.TrinoException;
import io.trino.spi.catalog.CatalogName;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.ConnectorMaterializedViewDefinition;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableMetadata;
import io.trino.spi.connector.SchemaNotFoundException;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.TableNotFoundException;
import io.trino.spi.security.PrincipalType;
import io.trino.spi.security.TrinoPrincipal;
import io.trino.spi.type.TypeManager;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.exceptions.ValidationException;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.freshet.engine.StateLayout.VISIBILITY_COLUMN;
import static io.freshet.spi.FreshetErrorCode.REFRESH_FAILED;
import static io.freshet.spi.catalog.BackingTables.DEFINITION_PROPERTY;
import static io.freshet.spi.catalog.BackingTables.backingTableOf;
import static io.freshet.spi.refresh.RefreshProperties.BUILD;
import static io.freshet.spi.refresh.RefreshProperties.STATIC_SOURCES;
import static io.trino.plugin.iceberg.IcebergErrorCode.ICEBERG_COMMIT_ERROR;
import static io.trino.plugin.iceberg.IcebergMaterializedViewProperties.getStorageSchema;
import static io.trino.plugin.iceberg.IcebergTableProperties.FORMAT_VERSION_PROPERTY;
import static io.trino.plugin.iceberg.IcebergTableProperties.PARTITIONING_PROPERTY;
import static io.trino.plugin.iceberg.IcebergTableProperties.getPartitioning;
import static io.trino.plugin.iceberg.IcebergTableProperties.getTableLocation;
import static io.trino.spi.StandardErrorCode.ALREADY_EXISTS;
import static io.trino.spi.StandardErrorCode.INVALID_MATERIALIZED_VIEW_PROPERTY;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.spi.StandardErrorCode.TABLE_ALREADY_EXISTS;
import static java.util.Objects.requireNonNull;
import static org.apache.iceberg.util.LocationUtil.stripTrailingSlash;

/**
 * Creates, replaces and alters materialized views.
 * <p>
 * The backing table of a new view is prepared as an uncommitted Iceberg transaction. The statement that fills it sees it there,
 * and its commit creates the table with rows, definition and bookmarks at once; a replaced view changes from old content to new
 * content in the same way. So a build that fails leaves nothing that anybody could see.
 */
public final class ViewLifecycle
{
    private static final Logger log = Logger.get(ViewLifecycle.class);

    private final String catalogName;
    private final TypeManager typeManager;
    private final TrinoCatalogFactory icebergCatalogFactory;
    private final IcebergFileSystemFactory fileSystemFactory;
    private final ViewProperties viewProperties;
    private final StoredViewCodec codec;
    private final DefinitionChecks checks;
    private final StaticSources staticSources;
    private final RefreshPlanning planning;
    private final RefreshExecution execution;
    private final RefreshService refreshService;
    private final RefreshQueue refreshQueue;
    private final ServiceLevels serviceLevels;

    @Inject
    public ViewLifecycle(
            CatalogName catalogName,
            TypeManager typeManager,
            @ForIcebergCatalog TrinoCatalogFactory icebergCatalogFactory,
            IcebergFileSystemFactory fileSystemFactory,
            ViewProperties viewProperties,
            StoredViewCodec codec,
            DefinitionChecks checks,
            StaticSources staticSources,
            RefreshPlanning planning,
            RefreshExecution execution,
            RefreshService refreshService,
            RefreshQueue refreshQueue,
            ServiceLevels serviceLevels)
    {
        this.catalogName = catalogName.toString();
        this.typeManager = requireNonNull(typeManager, "typeManager is null");
        this.icebergCatalogFactory = requireNonNull(icebergCatalogFactory, "icebergCatalogFactory is null");
        this.fileSystemFactory = requireNonNull(fileSystemFactory, "fileSystemFactory is null");
        this.viewProperties = requireNonNull(viewProperties, "viewProperties is null");
        this.codec = requireNonNull(codec, "codec is null");
        this.checks = requireNonNull(checks, "checks is null");
        this.staticSources = requireNonNull(staticSources, "staticSources is null");
        this.planning = requireNonNull(planning, "planning is null");
        this.execution = requireNonNull(execution, "execution is null");
        this.refreshService = requireNonNull(refreshService, "refreshService is null");
        this.refreshQueue = requireNonNull(refreshQueue, "refreshQueue is null");
        this.serviceLevels = requireNonNull(serviceLevels, "serviceLevels is null");
    }

    /** Contract of {@code ConnectorMetadata.createMaterializedView}. */
    public void create(
            ConnectorSession session,
            FreshetCatalog catalog,
            SchemaTableName viewName,
            ConnectorMaterializedViewDefinition definition,
            Map<String, Object> properties,
            boolean replace,
            boolean ignoreExisting)
    {
        FreshetCatalog.checkViewName(viewName);
        checks.checkColumnNames(viewName, definition);
        serviceLevels.check(properties);
        if (!catalog.namespaceExists(session, viewName.getSchemaName())) {
            throw new SchemaNotFoundException(viewName.getSchemaName());
        }
        Optional<ViewTable> existing = catalog.findView(session, viewName);
        if (existing.isPresent() && !replace) {
            if (ignoreExisting) {
                return;
            }
            throw new TrinoException(ALREADY_EXISTS, "Materialized view already exists: '%s.%s'".formatted(catalogName, viewName));
        }
        if (existing.isEmpty()) {
            checkNameIsFree(session, catalog, viewName);
        }
        getStorageSchema(properties)
                .filter(schema -> !schema.equals(viewName.getSchemaName()))
                .ifPresent(schema -> {
                    throw new TrinoException(INVALID_MATERIALIZED_VIEW_PROPERTY, "The rows of a materialized view are kept in its own schema: storage_schema cannot be '%s'".formatted(schema));
                });

        StoredView stored = compile(session, catalog, viewName, definition, properties);
        StagedTable staged = begin(session, viewName, definition, properties, stored, existing);
        if (existing.isEmpty()) {
            staged.checkLocationIsEmpty();
        }
        try {
            if (RefreshProperties.buildMode(properties) == BuildMode.DEFERRED) {
                staged.transaction().commitTransaction();
            }
            else {
                build(session, catalog, viewName, stored, staged);
            }
        }
        catch (RuntimeException e) {
            if (existing.isPresent()) {
                throw failure(viewName, "replaced", e);
            }
            switch (staged.settle(e)) {
                case COMMITTED -> log.warn(e, "Creation of materialized view %s reported a failure, but succeeded", viewName);
                case OVERTAKEN -> {
                    if (!ignoreExisting) {
                        throw new TrinoException(ALREADY_EXISTS, "Materialized view '%s.%s' was created at the same time by another statement".formatted(catalogName, viewName), e);
                    }
                }
                case FAILED -> throw failure(viewName, "created", e);
            }
        }
    }

    private TrinoException failure(SchemaTableName viewName, String participle, RuntimeException e)
    {
        boolean statementFailed = e instanceof TrinoException failure && failure.getErrorCode().equals(REFRESH_FAILED.toErrorCode());
        if (e instanceof TrinoException other && !statementFailed) {
            return other;
        }
        return new TrinoException(
                statementFailed ? REFRESH_FAILED : ICEBERG_COMMIT_ERROR,
                "Materialized view '%s.%s' could not be %s: %s".formatted(catalogName, viewName, participle, e.getMessage()),
                e);
    }

    private void checkNameIsFree(ConnectorSession session, FreshetCatalog catalog, SchemaTableName viewName)
    {
        if (catalog.getMaterializedView(session, viewName).isPresent()) {
            throw new TrinoException(ALREADY_EXISTS, "'%s.%s' is a materialized view of the Iceberg connector; drop it first".formatted(catalogName, viewName));
        }
        if (catalog.getView(session, viewName).isPresent()) {
            throw new TrinoException(ALREADY_EXISTS, "View already exists: '%s.%s'".formatted(catalogName, viewName));
        }
        if (tableExists(session, catalog, viewName)) {
            throw new TrinoException(TABLE_ALREADY_EXISTS, "Table already exists: '%s.%s'".formatted(catalogName, viewName));
        }
        if (tableExists(session, catalog, backingTableOf(viewName))) {
            throw new TrinoException(TABLE_ALREADY_EXISTS, "Table '%s.%s' is in the way of the materialized view '%s'; rename or drop it".formatted(catalogName, backingTableOf(viewName), viewName));
        }
    }

    private static boolean tableExists(ConnectorSession session, FreshetCatalog catalog, SchemaTableName name)
    {
        try {
            catalog.loadSource(session, name);
            return true;
        }
        catch (TableNotFoundException e) {
            return false;
        }
    }

    private StoredView compile(ConnectorSession session, FreshetCatalog catalog, SchemaTableName viewName, ConnectorMaterializedViewDefinition definition, Map<String, Object> properties)
    {
        StoredView asDeclared = asDeclared(session, definition, properties);
        StoredView asWritten = asDeclared.withStaticSources(staticSources.find(session, catalog, viewName, asDeclared, properties));
        CompiledView compiledAsWritten = planning.compile(session, catalog, asWritten);
        checks.checkNotRecursive(session, catalog, viewName, compiledAsWritten);
        checks.checkReadable(viewName, definition, compiledAsWritten);
        StoredView withoutLayout = asWritten.withExpandedSql(compiledAsWritten.expandedSql());
        // the layout is made for the text that every refresh compiles
        CompiledView compiled = planning.compile(session, catalog, withoutLayout);
        return layout(session, catalog, viewName, withoutLayout, compiled)
                .map(outcome -> switch (outcome) {
                    case LayoutOutcome.Laid(StateLayout layout) -> withoutLayout.withLayout(Optional.of(layout), Optional.empty());
                    case LayoutOutcome.NotLaid(Refusal refusal) -> withoutLayout.withLayout(Optional.empty(), Optional.of(refusal));
                })
                .orElse(withoutLayout);
    }

    private StoredView asDeclared(ConnectorSession session, ConnectorMaterializedViewDefinition definition, Map<String, Object> properties)
    {
        return new StoredView(
                StoredView.CURRENT_FORMAT_VERSION,
                definition.getOriginalSql(),
                definition.getOriginalSql(),
                definition.getCatalog(),
                definition.getSchema(),
                definition.getColumns().stream()
                        .map(column -> new StoredView.Column(column.getName(), column.getType().getId(), column.getComment()))
                        .collect(toImmutableList()),
                definition.getGracePeriod(),
                definition.getWhenStaleBehavior(),
                definition.getComment(),
                definition.getOwner(),
                definition.getPath().stream()
                        .map(element -> new StoredView.PathElement(element.getCatalogName(), element.getSchemaName()))
                        .collect(toImmutableList()),
                viewProperties.encode(properties),
                new StoredView.SessionContext(session.getTimeZoneKey().getId(), session.getLocale().toLanguageTag()),
                Optional.empty(),
                Optional.empty(),
                ImmutableList.of());
    }

    /** The types of keys and states are known to the engine only: it is asked, by a query that gives no rows. */
    private Optional<LayoutOutcome> layout(ConnectorSession session, FreshetCatalog catalog, SchemaTableName viewName, StoredView definition, CompiledView compiled)
    {
        if (!(compiled.maintenance() instanceof Maintenance.Maintained)) {
            return Optional.empty();
        }
        List<String> types = compiled.typeProbeSql()
                .map(sql -> execution.columnTypes(viewName, definition, planning.pins(session, catalog, compiled), sql))
                .orElse(ImmutableList.of());
        return Optional.of(compiled.layout(types));
    }

    private StagedTable begin(ConnectorSession session, SchemaTableName viewName, ConnectorMaterializedViewDefinition definition, Map<String, Object> properties, StoredView stored, Optional<ViewTable> existing)
    {
        TrinoCatalog icebergCatalog = icebergCatalogFactory.create(session.getIdentity());
        SchemaTableName backingTable = backingTableOf(viewName);
        Map<String, Object> tableProperties = withVisibilityPartition(properties, stored.layout());
        List<ColumnMetadata> columns = new BackingColumns(typeManager).columns(definition.getColumns(), stored.layout(), getPartitioning(tableProperties));
        String location = existing
                .map(view -> locationOf(view, properties))
                .orElseGet(() -> getTableLocation(properties).orElseGet(() -> icebergCatalog.defaultTableLocation(session, backingTable)));
        Transaction transaction;
        try {
            transaction = IcebergUtil.newCreateTableTransaction(
                    icebergCatalog,
                    new ConnectorTableMetadata(backingTable, columns, tableProperties, Optional.empty()),
                    session,
                    existing.isPresent(),
                    location,
                    _ -> false,
                    ImmutableList.of());
        }
        catch (ValidationException | IllegalArgumentException e) {
            throw new TrinoException(INVALID_MATERIALIZED_VIEW_PROPERTY, "Invalid properties of materialized view '%s.%s': %s".formatted(catalogName, viewName, e.getMessage()), e);
        }
        transaction.updateProperties().set(DEFINITION_PROPERTY, codec.encode(stored)).commit();
        return new StagedTable(icebergCatalogFactory, fileSystemFactory, session, backingTable, transaction);
    }

    /** A replaced view stays where it is. */
    private String locationOf(ViewTable existing, Map<String, Object> properties)
    {
        String location = existing.backingTable().location();
        getTableLocation(properties)
                .filter(declared -> !stripTrailingSlash(declared).equals(stripTrailingSlash(location)))
                .ifPresent(declared -> {
                    throw new TrinoException(
                            INVALID_MATERIALIZED_VIEW_PROPERTY,
                            "Materialized view '%s.%s' lies at '%s'. To move it to '%s', drop it and create it again".formatted(catalogName, existing.view(), location, declared));
                });
        return location;
    }

    /** Hidden rows lie in partitions of their own, first in every spec. */
    private static Map<String, Object> withVisibilityPartition(Map<String, Object> properties, Optional<StateLayout> layout)
    {
        if (layout.flatMap(StateLayout::visibilityColumn).isEmpty()) {
            return properties;
        }
        Map<String, Object> extended = new HashMap<>(properties);
        extended.put(PARTITIONING_PROPERTY, ImmutableList.<String>builder()
                .add(VISIBILITY_COLUMN)
                .addAll(getPartitioning(properties))
                .build());
        return extended;
    }

    private void build(ConnectorSession session, FreshetCatalog catalog, SchemaTableName viewName, StoredView stored, StagedTable staged)
    {
        CancelSwitch cancel = new CancelSwitch();
        refreshQueue.onStatementEnd(session.getQueryId(), cancel::cancel);
        try {
            refreshService.build(session, catalog, new ViewTable(viewName, staged.table(), stored), staged.transaction(), cancel);
        }
        finally {
            refreshQueue.release(session.getQueryId());
        }
    }

    /** Those of the properties that are the backing table's, as they are to be set there. */
    public Map<String, Optional<Object>> tableProperties(ViewTable view, Map<String, Optional<Object>> properties)
    {
        serviceLevels.check(altered(view, properties));
        Map<String, Optional<Object>> tableProperties = new HashMap<>(properties);
        tableProperties.keySet().removeAll(RefreshProperties.VIEW_PROPERTIES);
        tableProperties.keySet().removeAll(ScheduleProperties.VIEW_PROPERTIES);
        checkFormatVersion(view, tableProperties);
        if (tableProperties.containsKey(PARTITIONING_PROPERTY) && view.definition().layout().flatMap(StateLayout::visibilityColumn).isPresent()) {
            Map<String, Object> declared = new HashMap<>();
            tableProperties.get(PARTITIONING_PROPERTY).ifPresent(value -> declared.put(PARTITIONING_PROPERTY, value));
            tableProperties.put(PARTITIONING_PROPERTY, Optional.of(withVisibilityPartition(declared, view.definition().layout()).get(PARTITIONING_PROPERTY)));
        }
        return tableProperties;
    }

    private void checkFormatVersion(ViewTable view, Map<String, Optional<Object>> tableProperties)
    {
        int current = view.backingTable().operations().current().formatVersion();
        tableProperties.getOrDefault(FORMAT_VERSION_PROPERTY, Optional.empty())
                .filter(declared -> (int) declared < current)
                .ifPresent(declared -> {
                    throw new TrinoException(
                            INVALID_MATERIALIZED_VIEW_PROPERTY,
                            "Materialized view '%s.%s' has format version %s, which cannot be lowered to %s".formatted(catalogName, view.view(), current, declared));
                });
    }

    /**
     * Properties of the view itself; those of its table have been set before.
     *
     * @param properties absent value: back to the default
     */
    public void storeProperties(FreshetCatalog catalog, ViewTable view, Map<String, Optional<Object>> properties)
    {
        if (properties.containsKey(BUILD)) {
            throw new TrinoException(NOT_SUPPORTED, "Property build matters only when a materialized view is created");
        }
        if (properties.containsKey(STATIC_SOURCES)) {
            throw new TrinoException(NOT_SUPPORTED, "Property static_sources is part of the definition. Use CREATE OR REPLACE MATERIALIZED VIEW to change it");
        }
        Map<String, Object> values = altered(view, properties);
        catalog.replaceDefinition(view, view.definition().withProperties(viewProperties.encode(values)));
    }

    private Map<String, Object> altered(ViewTable view, Map<String, Optional<Object>> properties)
    {
        Map<String, Object> values = new HashMap<>(viewProperties.decode(view.definition().properties()));
        properties.forEach((name, value) -> {
            values.remove(name);
            value.ifPresent(present -> values.put(name, present));
        });
        return values;
    }

    public void setOwner(FreshetCatalog catalog, ViewTable view, TrinoPrincipal principal)
    {
        if (principal.getType() != PrincipalType.USER) {
            throw new TrinoException(NOT_SUPPORTED, "Materialized views are refreshed as their owner, who must be a user: '%s' is a role".formatted(principal.getName()));
        }
        catalog.replaceDefinition(view, view.definition().withOwner(Optional.of(principal.getName())));
    }

    /** The properties as the engine wants them, for SHOW CREATE. */
    public Map<String, Object> properties(ViewTable view)
    {
        return viewProperties.decode(view.definition().properties());
    }
}
