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
package io.freshet.spi.metadata;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Iterables;
import io.airlift.slice.Slice;
import io.freshet.spi.catalog.CatalogEvents;
import io.freshet.spi.catalog.FreshetCatalog;
import io.freshet.spi.catalog.ViewTable;
import io.freshet.spi.refresh.Dependents;
import io.freshet.spi.refresh.LogicalViews;
import io.freshet.spi.refresh.RefreshCommitter;
import io.freshet.spi.refresh.RefreshJob;
import io.freshet.spi.refresh.RefreshJob.WriteMode;
import io.freshet.spi.refresh.RefreshPlanning;
import io.freshet.spi.refresh.RefreshQueue;
import io.freshet.spi.refresh.RefreshRecord.RefreshTrigger;
import io.freshet.spi.refresh.RefreshService;
import io.freshet.spi.refresh.StatementContexts;
import io.freshet.spi.refresh.ViewFreshness;
import io.freshet.spi.surface.PreparedRows;
import io.freshet.spi.view.DefinitionChecks;
import io.freshet.spi.view.ViewLifecycle;
import io.trino.plugin.base.classloader.ClassLoaderSafeConnectorMetadata;
import io.trino.plugin.iceberg.IcebergColumnHandle;
import io.trino.plugin.iceberg.IcebergMergeTableHandle;
import io.trino.plugin.iceberg.IcebergTableHandle;
import io.trino.plugin.iceberg.IcebergWritableTableHandle;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.CatalogSchemaTableName;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.ColumnSchema;
import io.trino.spi.connector.ConnectorInsertTableHandle;
import io.trino.spi.connector.ConnectorMaterializedViewDefinition;
import io.trino.spi.connector.ConnectorMetadata;
import io.trino.spi.connector.ConnectorOutputMetadata;
import io.trino.spi.connector.ConnectorOutputTableHandle;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableCredentials;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ConnectorTableMetadata;
import io.trino.spi.connector.ConnectorTableSchema;
import io.trino.spi.connector.ConnectorTableVersion;
import io.trino.spi.connector.ConnectorViewDefinition;
import io.trino.spi.connector.ConnectorWritableTableHandle;
import io.trino.spi.connector.Constraint;
import io.trino.spi.connector.ConstraintApplicationResult;
import io.trino.spi.connector.MaterializedViewFreshness;
import io.trino.spi.connector.RetryMode;
import io.trino.spi.connector.SaveMode;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.SystemTable;
import io.trino.spi.function.table.ConnectorTableFunctionHandle;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.security.TrinoPrincipal;
import io.trino.spi.statistics.ComputedStatistics;
import io.trino.spi.statistics.TableStatisticsMetadata;
import io.trino.spi.type.Type;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.freshet.engine.StateLayout.VISIBILITY_COLUMN;
import static io.freshet.spi.FreshetErrorCode.REFRESH_FAILED;
import static io.freshet.spi.catalog.BackingTables.PREFIX;
import static io.freshet.spi.catalog.BackingTables.backingTableOf;
import static io.freshet.spi.catalog.BackingTables.isBackingName;
import static io.freshet.spi.catalog.BackingTables.notWritable;
import static io.freshet.spi.catalog.BackingTables.viewOf;
import static io.freshet.spi.metadata.RowChangeColumns.isAddress;
import static io.freshet.spi.refresh.RefreshProperties.sessionRefreshMode;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.spi.connector.MaterializedViewFreshness.Freshness.FRESH;
import static io.trino.spi.type.BooleanType.BOOLEAN;
import static io.trino.spi.type.IntegerType.INTEGER;
import static java.util.Objects.requireNonNull;

/**
 * The engine's view of the catalog. Materialized views are Freshet's, everything else is the Iceberg connector's.
 * <p>
 * The engine reads a fresh view by the name of its storage table, which is a name that anybody could write. So that only the
 * engine can, the name ends in a number that is made up for each statement.
 */
public class FreshetMetadata
        extends ClassLoaderSafeConnectorMetadata
{
    private static final char NONCE_SEPARATOR = '#';
    private static final String STOCK_STORAGE_SUFFIX = "$materialized_view_storage";

    private final String catalogName;
    private final FreshetCatalog catalog;
    private final StatementContexts contexts;
    private final ViewLifecycle lifecycle;
    private final DefinitionChecks definitionChecks;
    private final RefreshQueue refreshQueue;
    private final ViewFreshness freshness;
    private final RefreshCommitter committer;
    private final CatalogEvents events;
    private final Dependents dependents;
    private final boolean autoCommit;

    public FreshetMetadata(
            ConnectorMetadata delegate,
            ClassLoader classLoader,
            String catalogName,
            FreshetCatalog catalog,
            StatementContexts contexts,
            ViewLifecycle lifecycle,
            DefinitionChecks definitionChecks,
            RefreshQueue refreshQueue,
            ViewFreshness freshness,
            RefreshCommitter committer,
            CatalogEvents events,
            Dependents dependents,
            boolean autoCommit)
    {
        super(delegate, classLoader);
        this.catalogName = requireNonNull(catalogName, "catalogName is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.contexts = requireNonNull(contexts, "contexts is null");
        this.lifecycle = requireNonNull(lifecycle, "lifecycle is null");
        this.definitionChecks = requireNonNull(definitionChecks, "definitionChecks is null");
        this.refreshQueue = requireNonNull(refreshQueue, "refreshQueue is null");
        this.freshness = requireNonNull(freshness, "freshness is null");
        this.committer = requireNonNull(committer, "committer is null");
        this.events = requireNonNull(events, "events is null");
        this.dependents = requireNonNull(dependents, "dependents is null");
        this.autoCommit = autoCommit;
    }

    @Override
    public void beginQuery(ConnectorSession session)
    {
        // Finds the token while the session still has its own identity
        contexts.job(session);
        super.beginQuery(session);
    }

    @Override
    public void cleanupQuery(ConnectorSession session)
    {
        refreshQueue.statementEnded(session.getQueryId());
        contexts.finished(session);
        super.cleanupQuery(session);
    }

    // Reading

    @Override
    public Optional<ConnectorMaterializedViewDefinition> getMaterializedView(ConnectorSession session, SchemaTableName viewName)
    {
        if (catalog.isDamaged(session, viewName)) {
            return Optional.of(damagedView(session));
        }
        Optional<ConnectorMaterializedViewDefinition> view = super.getMaterializedView(session, viewName);
        Optional<CatalogSchemaTableName> storage = view.flatMap(ConnectorMaterializedViewDefinition::getStorageTable);
        if (storage.isEmpty()) {
            return view;
        }
        if (!isBackingName(storage.get().getSchemaTableName().getTableName())) {
            contexts.allowUnpinned(session, storage.get().getSchemaTableName());
            return view;
        }
        return view.map(definition -> withStorageTable(definition, storageNameFor(session, storage.get())));
    }

    /** Enough of a view to be dropped. Whoever reads it asks for its freshness first, and learns what is wrong. */
    private static ConnectorMaterializedViewDefinition damagedView(ConnectorSession session)
    {
        return new ConnectorMaterializedViewDefinition(
                "SELECT 1 damaged",
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                ImmutableList.of(new ConnectorMaterializedViewDefinition.Column("damaged", INTEGER.getTypeId(), Optional.empty())),
                Optional.of(Duration.ZERO),
                Optional.empty(),
                Optional.empty(),
                Optional.of(session.getUser()),
                ImmutableList.of());
    }

    private CatalogSchemaTableName storageNameFor(ConnectorSession session, CatalogSchemaTableName storage)
    {
        SchemaTableName name = storage.getSchemaTableName();
        return new CatalogSchemaTableName(storage.getCatalogName(), name.getSchemaName(), name.getTableName() + NONCE_SEPARATOR + contexts.nonce(session));
    }

    private static ConnectorMaterializedViewDefinition withStorageTable(ConnectorMaterializedViewDefinition definition, CatalogSchemaTableName storageTable)
    {
        return new ConnectorMaterializedViewDefinition(
                definition.getOriginalSql(),
                Optional.of(storageTable),
                definition.getCatalog(),
                definition.getSchema(),
                definition.getColumns(),
                definition.getGracePeriod(),
                definition.getWhenStaleBehavior(),
                definition.getComment(),
                definition.getOwner(),
                definition.getPath());
    }

    @Override
    public ConnectorTableHandle getTableHandle(ConnectorSession session, SchemaTableName tableName, Optional<ConnectorTableVersion> startVersion, Optional<ConnectorTableVersion> endVersion)
    {
        String name = tableName.getTableName();
        if (name.endsWith(STOCK_STORAGE_SUFFIX)) {
            SchemaTableName viewName = new SchemaTableName(tableName.getSchemaName(), name.substring(0, name.length() - STOCK_STORAGE_SUFFIX.length()));
            if (catalog.findView(session, viewName).isPresent()) {
                throw notWritable(catalogName, new SchemaTableName(viewName.getSchemaName(), PREFIX + viewName.getTableName()));
            }
        }
        if (!isBackingName(name)) {
            return super.getTableHandle(session, tableName, startVersion, endVersion);
        }
        int separator = name.lastIndexOf(NONCE_SEPARATOR);
        if (separator >= 0 && name.substring(separator + 1).equals(contexts.nonce(session))) {
            SchemaTableName backingTable = new SchemaTableName(tableName.getSchemaName(), name.substring(0, separator));
            contexts.grantRead(session, backingTable);
            ConnectorTableHandle handle = super.getTableHandle(session, backingTable, startVersion, endVersion);
            return handle instanceof IcebergTableHandle table ? visibleRows(session, table) : handle;
        }
        boolean ownTable = contexts.job(session).map(job -> job.writes(tableName)).orElse(false);
        if (!ownTable && contexts.mayRead(session, tableName)) {
            // granted to the engine under the other name only
            throw notWritable(catalogName, tableName);
        }
        return super.getTableHandle(session, tableName, startVersion, endVersion);
    }

    /**
     * Rows that are kept but not shown lie in partitions of their own, so the predicate is enforced by the choice of files.
     */
    private IcebergTableHandle visibleRows(ConnectorSession session, IcebergTableHandle table)
    {
        ColumnHandle visibility = super.getColumnHandles(session, table).get(VISIBILITY_COLUMN);
        TupleDomain<IcebergColumnHandle> predicate = visibility == null
                ? table.getEnforcedPredicate()
                : TupleDomain.withColumnDomains(Map.of((IcebergColumnHandle) visibility, Domain.singleValue(BOOLEAN, true)));
        return new IcebergTableHandle(
                table.getSchemaName(),
                table.getTableName(),
                table.getTableType(),
                table.getSnapshotId(),
                table.getTableSchemaJson(),
                table.getSpecId(),
                table.getPartitionSpecJsons(),
                table.getFormatVersion(),
                table.getUnenforcedPredicate(),
                predicate,
                table.getLimit(),
                table.getProjectedColumns(),
                table.getNameMappingJson(),
                table.getTableLocation(),
                withoutDefinition(table.getStorageProperties()),
                table.getTablePartitioning(),
                table.isRecordScannedFiles(),
                table.getMaxScannedFileSize(),
                table.getConstraintColumns(),
                table.getForAnalyze());
    }

    /** The definition is of no use to workers, and large. */
    private static Map<String, String> withoutDefinition(Map<String, String> properties)
    {
        return properties.entrySet().stream()
                .filter(entry -> !entry.getKey().startsWith("freshet."))
                .collect(java.util.stream.Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    @Override
    public Optional<SystemTable> getSystemTable(ConnectorSession session, SchemaTableName tableName)
    {
        beforeMetadataTable(session, tableName);
        return super.getSystemTable(session, tableName);
    }

    @Override
    public Optional<ConnectorViewDefinition> getView(ConnectorSession session, SchemaTableName viewName)
    {
        beforeMetadataTable(session, viewName);
        return super.getView(session, viewName);
    }

    @Override
    public boolean isView(ConnectorSession session, SchemaTableName viewName)
    {
        beforeMetadataTable(session, viewName);
        return super.isView(session, viewName);
    }

    private void beforeMetadataTable(ConnectorSession session, SchemaTableName name)
    {
        int dollar = name.getTableName().indexOf('$');
        if (dollar < 0) {
            return;
        }
        SchemaTableName base = new SchemaTableName(name.getSchemaName(), name.getTableName().substring(0, dollar));
        if (!isBackingName(base.getTableName())) {
            contexts.allowUnpinned(session, base);
        }
        else if (catalog.findView(session, viewOf(base)).isPresent()) {
            throw notWritable(catalogName, base);
        }
    }

    // State columns are hidden from everyone but the refresh

    @Override
    public ConnectorTableMetadata getTableMetadata(ConnectorSession session, ConnectorTableHandle table)
    {
        ConnectorTableMetadata metadata = super.getTableMetadata(session, table);
        if (!hidesStateColumns(session, table)) {
            return changesRows(session, table) ? rowChangeColumns(session, table).addTo(metadata) : metadata;
        }
        return new ConnectorTableMetadata(
                metadata.getTable(),
                metadata.getColumns().stream()
                        .map(FreshetMetadata::hideStateColumn)
                        .collect(toImmutableList()),
                metadata.getProperties(),
                metadata.getComment(),
                metadata.getCheckConstraints());
    }

    @Override
    public ConnectorTableSchema getTableSchema(ConnectorSession session, ConnectorTableHandle table)
    {
        ConnectorTableSchema schema = super.getTableSchema(session, table);
        if (!hidesStateColumns(session, table)) {
            return changesRows(session, table) ? rowChangeColumns(session, table).addTo(schema) : schema;
        }
        return new ConnectorTableSchema(
                schema.getTable(),
                schema.getColumns().stream()
                        .map(column -> isStateColumn(column.getName())
                                ? ColumnSchema.builder().setName(column.getName()).setType(column.getType()).setHidden(true).build()
                                : column)
                        .collect(toImmutableList()),
                schema.getCheckConstraints());
    }

    @Override
    public Map<String, ColumnHandle> getColumnHandles(ConnectorSession session, ConnectorTableHandle table)
    {
        Map<String, ColumnHandle> columns = super.getColumnHandles(session, table);
        if (!changesRows(session, table)) {
            return columns;
        }
        RowChangeColumns rowChangeColumns = rowChangeColumns(session, table);
        return ImmutableMap.<String, ColumnHandle>builder()
                .putAll(columns)
                .put(RowChangeColumns.ADDRESS, rowChangeColumns.address())
                .put(RowChangeColumns.CHANGE, rowChangeColumns.change())
                .buildOrThrow();
    }

    @Override
    public ColumnMetadata getColumnMetadata(ConnectorSession session, ConnectorTableHandle tableHandle, ColumnHandle columnHandle)
    {
        if (changesRows(session, tableHandle)) {
            Optional<ColumnMetadata> column = rowChangeColumns(session, tableHandle).metadata(columnHandle);
            if (column.isPresent()) {
                return column.get();
            }
        }
        ColumnMetadata metadata = super.getColumnMetadata(session, tableHandle, columnHandle);
        return hidesStateColumns(session, tableHandle) ? hideStateColumn(metadata) : metadata;
    }

    private static ColumnMetadata hideStateColumn(ColumnMetadata column)
    {
        return isStateColumn(column.getName()) ? ColumnMetadata.builderFrom(column).setHidden(true).build() : column;
    }

    private static boolean isStateColumn(String columnName)
    {
        return columnName.startsWith(PREFIX);
    }

    private boolean hidesStateColumns(ConnectorSession session, ConnectorTableHandle handle)
    {
        if (!(handle instanceof IcebergTableHandle table) || !isBackingName(table.getTableName())) {
            return false;
        }
        return contexts.job(session).map(job -> !job.writes(table.getSchemaTableName())).orElse(true);
    }

    private boolean changesRows(ConnectorSession session, ConnectorTableHandle handle)
    {
        return handle instanceof IcebergTableHandle table
                && isBackingName(table.getTableName())
                && contexts.job(session).map(job -> job.writes(table.getSchemaTableName()) && job.mode() == WriteMode.ROW_DELTA).orElse(false);
    }

    private RowChangeColumns rowChangeColumns(ConnectorSession session, ConnectorTableHandle table)
    {
        return RowChangeColumns.of(this, session, table);
    }

    /** An address is known only once a row is read, so no file can be left out by it. */
    @Override
    public Optional<ConstraintApplicationResult<ConnectorTableHandle>> applyFilter(ConnectorSession session, ConnectorTableHandle handle, Constraint constraint)
    {
        if (!changesRows(session, handle)) {
            return super.applyFilter(session, handle, constraint);
        }
        TupleDomain<ColumnHandle> addresses = constraint.getSummary().filter((column, _) -> isAddress(column));
        if (addresses.isAll() || addresses.isNone()) {
            return super.applyFilter(session, handle, constraint);
        }
        Constraint others = new Constraint(constraint.getSummary().filter((column, _) -> !isAddress(column)), constraint.getExpression(), constraint.getAssignments());
        return super.applyFilter(session, handle, others)
                .map(result -> new ConstraintApplicationResult<>(
                        result.getHandle(),
                        result.getRemainingFilter().intersect(addresses),
                        result.getRemainingExpression().orElse(constraint.getExpression()),
                        result.isPrecalculateStatistics()));
    }

    // Views

    @Override
    public void createMaterializedView(ConnectorSession session, SchemaTableName viewName, ConnectorMaterializedViewDefinition definition, Map<String, Object> properties, boolean replace, boolean ignoreExisting)
    {
        try {
            lifecycle.create(session, catalog, viewName, definition, properties, replace, ignoreExisting);
        }
        finally {
            dependents.viewsChanged();
        }
        events.viewChanged(viewName);
    }

    @Override
    public void dropMaterializedView(ConnectorSession session, SchemaTableName viewName)
    {
        dependents.check(session, viewName, "cannot be dropped");
        super.dropMaterializedView(session, viewName);
        dependents.viewsChanged();
    }

    @Override
    public void renameMaterializedView(ConnectorSession session, SchemaTableName source, SchemaTableName target)
    {
        dependents.check(session, source, "cannot be renamed");
        catalog.findView(session, source).ifPresent(view -> definitionChecks.checkNotRecursive(session, catalog, target, RefreshPlanning.text(view.definition())));
        super.renameMaterializedView(session, source, target);
        dependents.viewsChanged();
    }

    @Override
    public void createView(ConnectorSession session, SchemaTableName viewName, ConnectorViewDefinition definition, Map<String, Object> viewProperties, boolean replace)
    {
        definitionChecks.checkNotRecursive(session, catalog, viewName, LogicalViews.text(definition));
        super.createView(session, viewName, definition, viewProperties, replace);
    }

    @Override
    public void renameView(ConnectorSession session, SchemaTableName source, SchemaTableName target)
    {
        dependents.check(session, source, "cannot be renamed");
        catalog.getView(session, source).ifPresent(view -> definitionChecks.checkNotRecursive(session, catalog, target, LogicalViews.text(view)));
        super.renameView(session, source, target);
    }

    @Override
    public Map<String, Object> getMaterializedViewProperties(ConnectorSession session, SchemaTableName viewName, ConnectorMaterializedViewDefinition definition)
    {
        return catalog.findView(session, viewName)
                .map(lifecycle::properties)
                .orElseGet(() -> super.getMaterializedViewProperties(session, viewName, definition));
    }

    @Override
    public void setMaterializedViewProperties(ConnectorSession session, SchemaTableName viewName, Map<String, Optional<Object>> properties)
    {
        Optional<ViewTable> view = catalog.findView(session, viewName);
        if (view.isEmpty()) {
            super.setMaterializedViewProperties(session, viewName, properties);
            return;
        }
        Map<String, Optional<Object>> tableProperties = lifecycle.tableProperties(view.get(), properties);
        if (!tableProperties.isEmpty()) {
            SchemaTableName backingTable = backingTableOf(viewName);
            contexts.grantRead(session, backingTable);
            super.setTableProperties(session, super.getTableHandle(session, backingTable, Optional.empty(), Optional.empty()), tableProperties);
        }
        lifecycle.storeProperties(catalog, view.get(), properties);
    }

    @Override
    public void setMaterializedViewAuthorization(ConnectorSession session, SchemaTableName viewName, TrinoPrincipal principal)
    {
        Optional<ViewTable> view = catalog.findView(session, viewName);
        if (view.isEmpty()) {
            super.setMaterializedViewAuthorization(session, viewName, principal);
            return;
        }
        lifecycle.setOwner(catalog, view.get(), principal);
    }

    @Override
    public MaterializedViewFreshness getMaterializedViewFreshness(ConnectorSession session, SchemaTableName viewName, boolean considerGracePeriod)
    {
        Optional<ViewTable> view = catalog.findView(session, viewName);
        if (view.isPresent()) {
            return freshness.of(session, catalog, view.get());
        }
        if (contexts.job(session).isPresent()) {
            // The sources of a stock view are not among those of the refresh, so its stored rows it must be
            boolean built = catalog.getMaterializedViewStorageTable(session, viewName)
                    .map(table -> table.currentSnapshot() != null)
                    .orElse(false);
            if (!built) {
                throw new TrinoException(REFRESH_FAILED, "Materialized view '%s.%s' of the Iceberg connector has never been refreshed. Refresh it first".formatted(catalogName, viewName));
            }
            return new MaterializedViewFreshness(FRESH, Optional.empty());
        }
        return super.getMaterializedViewFreshness(session, viewName, considerGracePeriod);
    }

    @SuppressWarnings("removal")
    @Override
    public boolean delegateMaterializedViewRefreshToConnector(ConnectorSession session, SchemaTableName viewName)
    {
        if (catalog.findView(session, viewName).isEmpty()) {
            return super.delegateMaterializedViewRefreshToConnector(session, viewName);
        }
        if (!autoCommit) {
            throw new TrinoException(NOT_SUPPORTED, "Catalog only supports writes using autocommit: " + catalogName);
        }
        return true;
    }

    @SuppressWarnings("removal")
    @Override
    public CompletableFuture<?> refreshMaterializedView(ConnectorSession session, SchemaTableName viewName)
    {
        return refreshQueue.submit(session.getQueryId(), new RefreshService.Request(viewName, sessionRefreshMode(session), RefreshTrigger.MANUAL, session.getIdentity()));
    }

    // Changes of sources that views read

    @Override
    public void dropSchema(ConnectorSession session, String schemaName, boolean cascade)
    {
        if (cascade) {
            dependents.checkSchema(session, schemaName, "cannot be dropped");
        }
        super.dropSchema(session, schemaName, cascade);
        dependents.viewsChanged();
    }

    @Override
    public void dropTable(ConnectorSession session, ConnectorTableHandle tableHandle)
    {
        if (tableHandle instanceof IcebergTableHandle table) {
            dependents.check(session, table.getSchemaTableName(), "cannot be dropped");
        }
        super.dropTable(session, tableHandle);
    }

    @Override
    public void renameTable(ConnectorSession session, ConnectorTableHandle tableHandle, SchemaTableName newTableName)
    {
        if (tableHandle instanceof IcebergTableHandle table) {
            dependents.check(session, table.getSchemaTableName(), "cannot be renamed");
        }
        super.renameTable(session, tableHandle, newTableName);
    }

    @Override
    public void dropView(ConnectorSession session, SchemaTableName viewName)
    {
        dependents.check(session, viewName, "cannot be dropped");
        super.dropView(session, viewName);
    }

    @Override
    public void dropColumn(ConnectorSession session, ConnectorTableHandle tableHandle, ColumnHandle column)
    {
        checkColumn(session, tableHandle, column, "cannot be dropped");
        super.dropColumn(session, tableHandle, column);
    }

    @Override
    public void renameColumn(ConnectorSession session, ConnectorTableHandle tableHandle, ColumnHandle source, String target)
    {
        checkColumn(session, tableHandle, source, "cannot be renamed");
        super.renameColumn(session, tableHandle, source, target);
    }

    @Override
    public void setColumnType(ConnectorSession session, ConnectorTableHandle tableHandle, ColumnHandle column, Type type)
    {
        checkColumn(session, tableHandle, column, "cannot be changed to another type");
        super.setColumnType(session, tableHandle, column, type);
    }

    @Override
    public void dropField(ConnectorSession session, ConnectorTableHandle tableHandle, ColumnHandle column, List<String> fieldPath)
    {
        checkColumn(session, tableHandle, column, "cannot lose a field");
        super.dropField(session, tableHandle, column, fieldPath);
    }

    @Override
    public void renameField(ConnectorSession session, ConnectorTableHandle tableHandle, List<String> fieldPath, String target)
    {
        checkColumn(session, tableHandle, fieldPath, "cannot have a field renamed");
        super.renameField(session, tableHandle, fieldPath, target);
    }

    @Override
    public void setFieldType(ConnectorSession session, ConnectorTableHandle tableHandle, List<String> fieldPath, Type type)
    {
        checkColumn(session, tableHandle, fieldPath, "cannot have a field changed to another type");
        super.setFieldType(session, tableHandle, fieldPath, type);
    }

    private void checkColumn(ConnectorSession session, ConnectorTableHandle tableHandle, ColumnHandle column, String change)
    {
        if (column instanceof IcebergColumnHandle handle) {
            checkColumn(session, tableHandle, List.of(handle.getBaseColumnIdentity().getName()), change);
        }
    }

    private void checkColumn(ConnectorSession session, ConnectorTableHandle tableHandle, List<String> path, String change)
    {
        if (tableHandle instanceof IcebergTableHandle table && !path.isEmpty()) {
            dependents.checkColumn(session, table.getSchemaTableName(), path.getFirst(), change);
        }
    }

    // Writing backing tables

    @Override
    public ConnectorInsertTableHandle beginInsert(ConnectorSession session, ConnectorTableHandle tableHandle, List<ColumnHandle> columns, RetryMode retryMode)
    {
        if (changesRows(session, tableHandle)) {
            return new FreshetRowChangesHandle(
                    (IcebergMergeTableHandle) super.beginMerge(session, tableHandle, ImmutableMap.of(), retryMode),
                    indexOf(columns, RowChangeColumns::isAddress),
                    indexOf(columns, RowChangeColumns::isChange));
        }
        ConnectorInsertTableHandle handle = super.beginInsert(session, tableHandle, columns, retryMode);
        if (handle instanceof IcebergWritableTableHandle table && isWrittenByRefresh(session, table.name())) {
            return new FreshetInsertTableHandle(table);
        }
        return handle;
    }

    @Override
    public Optional<ConnectorOutputMetadata> finishInsert(ConnectorSession session, ConnectorInsertTableHandle insertHandle, List<ConnectorTableHandle> sourceTableHandles, Collection<Slice> fragments, Collection<ComputedStatistics> computedStatistics)
    {
        switch (insertHandle) {
            case FreshetInsertTableHandle(IcebergWritableTableHandle table) -> {
                RefreshJob job = writingJob(session, table.name());
                committer.commitRows(session, job, catalog.loadTable(session, table.name()), table, fragments);
                return Optional.empty();
            }
            case FreshetRowChangesHandle changes -> {
                IcebergTableHandle table = changes.merge().getTableHandle();
                RefreshJob job = writingJob(session, table.getSchemaTableName());
                committer.commitRowChanges(session, job, catalog.loadTable(session, table.getSchemaTableName()), table, fragments);
                return Optional.empty();
            }
            default -> {
                return super.finishInsert(session, insertHandle, sourceTableHandles, fragments, computedStatistics);
            }
        }
    }

    /** Commits of tables that are there already are heard of by {@link FreshetCatalog}. */
    @Override
    public Optional<ConnectorOutputMetadata> finishCreateTable(ConnectorSession session, ConnectorOutputTableHandle tableHandle, Collection<Slice> fragments, Collection<ComputedStatistics> computedStatistics)
    {
        Optional<ConnectorOutputMetadata> output = super.finishCreateTable(session, tableHandle, fragments, computedStatistics);
        if (tableHandle instanceof IcebergWritableTableHandle table) {
            events.committed(table.name());
        }
        return output;
    }

    @Override
    public void createTable(ConnectorSession session, ConnectorTableMetadata tableMetadata, SaveMode saveMode)
    {
        super.createTable(session, tableMetadata, saveMode);
        if (saveMode == SaveMode.REPLACE) {
            events.committed(tableMetadata.getTable());
        }
    }

    private static int indexOf(List<ColumnHandle> columns, Predicate<ColumnHandle> column)
    {
        return Iterables.indexOf(columns, column::test);
    }

    private boolean isWrittenByRefresh(ConnectorSession session, SchemaTableName table)
    {
        return isBackingName(table.getTableName()) && contexts.job(session).map(job -> job.writes(table)).orElse(false);
    }

    private RefreshJob writingJob(ConnectorSession session, SchemaTableName table)
    {
        return contexts.job(session)
                .filter(job -> job.writes(table) && job.mode() != WriteMode.READ_ONLY)
                .orElseThrow(() -> notWritable(catalogName, table));
    }

    @Override
    public Optional<ConnectorTableCredentials> getTableCredentials(ConnectorSession session, ConnectorWritableTableHandle tableHandle)
    {
        ConnectorWritableTableHandle table = switch (tableHandle) {
            case FreshetInsertTableHandle insert -> insert.table();
            case FreshetRowChangesHandle changes -> changes.merge().getInsertTableHandle();
            default -> tableHandle;
        };
        return super.getTableCredentials(session, table);
    }

    @Override
    public Optional<ConnectorTableCredentials> getTableCredentials(ConnectorSession session, ConnectorTableFunctionHandle handle)
    {
        return handle instanceof PreparedRows ? Optional.empty() : super.getTableCredentials(session, handle);
    }

    @Override
    public TableStatisticsMetadata getStatisticsCollectionMetadataForWrite(ConnectorSession session, ConnectorTableMetadata tableMetadata, boolean tableReplace)
    {
        if (isBackingName(tableMetadata.getTable().getTableName())) {
            // Sketches of all columns, state included, would cost time, and need a function that another plugin registers
            return TableStatisticsMetadata.empty();
        }
        return super.getStatisticsCollectionMetadataForWrite(session, tableMetadata, tableReplace);
    }
}
