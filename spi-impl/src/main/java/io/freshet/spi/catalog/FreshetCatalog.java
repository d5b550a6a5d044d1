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
package io.freshet.spi.catalog;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Iterators;
import io.freshet.spi.catalog.ViewFinder.Damaged;
import io.freshet.spi.catalog.ViewFinder.Found;
import io.freshet.spi.catalog.ViewFinder.NoView;
import io.freshet.spi.change.SourceFactsReader;
import io.freshet.spi.refresh.BackgroundSession;
import io.freshet.spi.refresh.RefreshJob;
import io.freshet.spi.refresh.SourcePin;
import io.freshet.spi.refresh.StatementContexts;
import io.freshet.spi.view.StoredView;
import io.freshet.spi.view.StoredViewCodec;
import io.trino.metastore.TableInfo;
import io.trino.plugin.iceberg.catalog.TrinoCatalog;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.CatalogSchemaTableName;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.ConnectorMaterializedViewDefinition;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorViewDefinition;
import io.trino.spi.connector.RelationColumnsMetadata;
import io.trino.spi.connector.RelationCommentMetadata;
import io.trino.spi.connector.SchemaTableName;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.Transaction;

import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static io.freshet.spi.FreshetErrorCode.REFRESH_CONFLICT;
import static io.freshet.spi.FreshetErrorCode.REFRESH_FAILED;
import static io.freshet.spi.catalog.BackingTables.DEFINITION_PROPERTY;
import static io.freshet.spi.catalog.BackingTables.FAILURE_PROPERTY;
import static io.freshet.spi.catalog.BackingTables.PAUSED_PROPERTY;
import static io.freshet.spi.catalog.BackingTables.backingTableOf;
import static io.freshet.spi.catalog.BackingTables.isBackingName;
import static io.freshet.spi.catalog.BackingTables.notWritable;
import static io.freshet.spi.catalog.BackingTables.reservedName;
import static io.freshet.spi.catalog.BackingTables.viewOf;
import static io.trino.metastore.TableInfo.ExtendedRelationType.TRINO_MATERIALIZED_VIEW;
import static io.trino.spi.StandardErrorCode.ALREADY_EXISTS;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.spi.StandardErrorCode.TABLE_ALREADY_EXISTS;
import static java.util.Objects.requireNonNull;

/**
 * An Iceberg catalog in which a table {@code __mv_x} with a definition is the materialized view {@code x}, and not a table.
 * <p>
 * Statements with a refresh token see each source at the snapshot that their job pins, with the table's current schema.
 * One instance serves one transaction, and remembers what it found.
 */
public final class FreshetCatalog
        extends ForwardingTrinoCatalog
{
    private final String catalogName;
    private final StatementContexts contexts;
    private final StoredViewCodec codec;
    private final CatalogListener events;
    private final ViewFinder views;

    public FreshetCatalog(TrinoCatalog delegate, String catalogName, StatementContexts contexts, StoredViewCodec codec, CatalogListener events)
    {
        super(delegate);
        this.catalogName = requireNonNull(catalogName, "catalogName is null");
        this.contexts = requireNonNull(contexts, "contexts is null");
        this.codec = requireNonNull(codec, "codec is null");
        this.events = requireNonNull(events, "events is null");
        views = new ViewFinder(delegate, catalogName, codec);
    }

    /**
     * The view of that name, unless a plain table has the name.
     *
     * @throws TrinoException if there is one that cannot be read
     */
    public Optional<ViewTable> findView(ConnectorSession session, SchemaTableName viewName)
    {
        return switch (views.find(session, viewName)) {
            case NoView() -> Optional.empty();
            case Found(ViewTable view) -> Optional.of(view);
            case Damaged(TrinoException failure, _) -> throw failure;
        };
    }

    /**
     * The view of that name, if the statement is that of a refresh which reads it. From now on the statement may load its backing table.
     */
    public Optional<ViewTable> findPinnedView(ConnectorSession session, SchemaTableName viewName)
    {
        SchemaTableName backingTable = backingTableOf(viewName);
        if (isBackingName(viewName.getTableName()) || contexts.job(session).filter(job -> job.pins().containsKey(backingTable)).isEmpty()) {
            return Optional.empty();
        }
        Optional<ViewTable> view = findView(session, viewName);
        view.ifPresent(_ -> contexts.grantRead(session, backingTable));
        return view;
    }

    /** Whether there is a view of that name which can only be dropped. */
    public boolean isDamaged(ConnectorSession session, SchemaTableName viewName)
    {
        return views.find(session, viewName) instanceof Damaged;
    }

    /** For listings, which leave out what cannot be read. */
    private Optional<ViewTable> findReadableView(ConnectorSession session, SchemaTableName viewName)
    {
        return views.find(session, viewName) instanceof Found(ViewTable view) ? Optional.of(view) : Optional.empty();
    }

    @Override
    public BaseTable loadTable(ConnectorSession session, SchemaTableName name)
    {
        Optional<RefreshJob> job = contexts.job(session);
        if (!isBackingName(name.getTableName())) {
            BaseTable table = delegate().loadTable(session, name);
            if (job.isEmpty() || !job.get().pins().containsKey(name) && contexts.mayReadUnpinned(session, name)) {
                return observed(name, table);
            }
            return pinned(job.get(), name, table);
        }
        if (job.isPresent() && job.get().writes(name)) {
            return job.get().staged()
                    .map(staged -> stagedTable(name, staged))
                    .orElseGet(() -> observed(name, delegate().loadTable(session, name)));
        }
        BaseTable table = delegate().loadTable(session, name);
        if (!table.properties().containsKey(DEFINITION_PROPERTY) || session instanceof BackgroundSession) {
            return table;
        }
        if (!contexts.mayRead(session, name)) {
            throw notWritable(catalogName, name);
        }
        return job.map(value -> pinned(value, name, table)).orElse(table);
    }

    private BaseTable observed(SchemaTableName name, BaseTable table)
    {
        if (table.getClass() != BaseTable.class) {
            // has more to it than its operations
            return table;
        }
        return new BaseTable(new ObservedTableOperations(table.operations(), () -> events.committed(name)), table.name(), table.reporter());
    }

    /**
     * A table by the name that a bookmark has for it, which may be that of a backing table. For looking at metadata only.
     */
    public BaseTable loadSource(ConnectorSession session, SchemaTableName name)
    {
        return delegate().loadTable(session, name);
    }

    private BaseTable pinned(RefreshJob job, SchemaTableName name, BaseTable table)
    {
        SourcePin pin = job.pins().get(name);
        if (pin == null) {
            throw new TrinoException(REFRESH_FAILED, "Table '%s.%s' is not among the sources that the refresh of '%s.%s' was planned for".formatted(catalogName, name, catalogName, job.view()));
        }
        TableMetadata metadata = table.operations().current();
        if (!pin.identity().isSameTableAs(SourceFactsReader.identity(table))) {
            throw new TrinoException(REFRESH_CONFLICT, "Table '%s.%s' was dropped and created again while '%s.%s' was being refreshed. Refresh again".formatted(catalogName, name, catalogName, job.view()));
        }
        long current = metadata.currentSnapshot() == null ? -1 : metadata.currentSnapshot().snapshotId();
        if (current == pin.snapshotId().orElse(-1)) {
            return table;
        }
        TableMetadata.Builder atPin = TableMetadata.buildFrom(metadata);
        if (pin.snapshotId().isPresent()) {
            if (metadata.snapshot(pin.snapshotId().getAsLong()) == null) {
                throw new TrinoException(REFRESH_CONFLICT, "Snapshot %s of table '%s.%s' expired while '%s.%s' was being refreshed. Refresh again"
                        .formatted(pin.snapshotId().getAsLong(), catalogName, name, catalogName, job.view()));
            }
            atPin.setBranchSnapshot(pin.snapshotId().getAsLong(), SnapshotRef.MAIN_BRANCH);
        }
        else {
            atPin.removeRef(SnapshotRef.MAIN_BRANCH);
        }
        return fixedTable(name, table.operations(), atPin.discardChanges().build());
    }

    private BaseTable stagedTable(SchemaTableName name, Transaction staged)
    {
        TableOperations operations = ((HasTableOperations) staged.table()).operations();
        return fixedTable(name, operations, operations.current());
    }

    private BaseTable fixedTable(SchemaTableName name, TableOperations operations, TableMetadata metadata)
    {
        return new BaseTable(new FixedTableOperations(operations, metadata), "%s.%s".formatted(catalogName, name));
    }

    @Override
    public List<TableInfo> listTables(ConnectorSession session, Optional<String> namespace)
    {
        List<TableInfo> tables = delegate().listTables(session, namespace);
        Set<SchemaTableName> names = tables.stream().map(TableInfo::tableName).collect(toImmutableSet());
        return tables.stream()
                .flatMap(table -> {
                    if (!isBackingName(table.tableName().getTableName())) {
                        return Optional.of(table).stream();
                    }
                    SchemaTableName viewName = viewOf(table.tableName());
                    // shadowed by a table of the same name
                    return names.contains(viewName) ? Optional.<TableInfo>empty().stream() : Optional.of(new TableInfo(viewName, TRINO_MATERIALIZED_VIEW)).stream();
                })
                .collect(toImmutableList());
    }

    @Override
    public List<SchemaTableName> listIcebergTables(ConnectorSession session, List<String> filter)
    {
        return delegate().listIcebergTables(session, filter).stream()
                .filter(name -> !isBackingName(name.getTableName()))
                .collect(toImmutableList());
    }

    @Override
    public Optional<Iterator<RelationColumnsMetadata>> streamRelationColumns(ConnectorSession session, Optional<String> namespace, UnaryOperator<Set<SchemaTableName>> relationFilter, Predicate<SchemaTableName> isRedirected)
    {
        return delegate().streamRelationColumns(session, namespace, withoutBackingTables(relationFilter), isRedirected)
                .map(relations -> Iterators.concat(
                        relations,
                        relationFilter.apply(viewNames(session, namespace)).stream()
                                .flatMap(name -> findReadableView(session, name).stream())
                                .map(view -> RelationColumnsMetadata.forMaterializedView(view.view(), definition(view).getColumns()))
                                .iterator()));
    }

    @Override
    public Optional<Iterator<RelationCommentMetadata>> streamRelationComments(ConnectorSession session, Optional<String> namespace, UnaryOperator<Set<SchemaTableName>> relationFilter, Predicate<SchemaTableName> isRedirected)
    {
        return delegate().streamRelationComments(session, namespace, withoutBackingTables(relationFilter), isRedirected)
                .map(relations -> Iterators.concat(
                        relations,
                        relationFilter.apply(viewNames(session, namespace)).stream()
                                .flatMap(name -> findReadableView(session, name).stream())
                                .map(view -> RelationCommentMetadata.forRelation(view.view(), view.definition().comment()))
                                .iterator()));
    }

    private static UnaryOperator<Set<SchemaTableName>> withoutBackingTables(UnaryOperator<Set<SchemaTableName>> relationFilter)
    {
        return names -> relationFilter.apply(names.stream()
                .filter(name -> !isBackingName(name.getTableName()))
                .collect(toImmutableSet()));
    }

    /** Every table by the name that it is stored under, backing tables among them. */
    public Set<SchemaTableName> listStoredTables(ConnectorSession session, Optional<String> namespace)
    {
        return delegate().listTables(session, namespace).stream()
                .map(TableInfo::tableName)
                .collect(toImmutableSet());
    }

    private Set<SchemaTableName> viewNames(ConnectorSession session, Optional<String> namespace)
    {
        Set<SchemaTableName> tables = listStoredTables(session, namespace);
        return tables.stream()
                .filter(name -> isBackingName(name.getTableName()))
                .map(BackingTables::viewOf)
                .filter(name -> !tables.contains(name))
                .collect(toImmutableSet());
    }

    @Override
    public Map<SchemaTableName, List<ColumnMetadata>> tryGetColumnMetadata(ConnectorSession session, List<SchemaTableName> tables)
    {
        List<SchemaTableName> plain = tables.stream()
                .filter(name -> !isBackingName(name.getTableName()))
                .collect(toImmutableList());
        return plain.isEmpty() ? ImmutableMap.of() : delegate().tryGetColumnMetadata(session, plain);
    }

    @Override
    public Transaction newCreateTableTransaction(ConnectorSession session, SchemaTableName name, Schema schema, PartitionSpec partitionSpec, SortOrder sortOrder, Optional<String> location, Map<String, String> properties)
    {
        checkNameIsFree(session, name);
        return delegate().newCreateTableTransaction(session, name, schema, partitionSpec, sortOrder, location, properties);
    }

    @Override
    public Transaction newCreateOrReplaceTableTransaction(ConnectorSession session, SchemaTableName name, Schema schema, PartitionSpec partitionSpec, SortOrder sortOrder, String location, Map<String, String> properties)
    {
        if (findView(session, name).isPresent()) {
            // The engine takes ALREADY_EXISTS for success here
            throw new TrinoException(TABLE_ALREADY_EXISTS, "'%s.%s' is a materialized view, which cannot be replaced by a table. Drop it first".formatted(catalogName, name));
        }
        checkNameIsFree(session, name);
        return delegate().newCreateOrReplaceTableTransaction(session, name, schema, partitionSpec, sortOrder, location, properties);
    }

    @Override
    public void registerTable(ConnectorSession session, SchemaTableName tableName, TableMetadata tableMetadata)
    {
        checkNameIsFree(session, tableName);
        delegate().registerTable(session, tableName, tableMetadata);
        events.committed(tableName);
    }

    @Override
    public void unregisterTable(ConnectorSession session, SchemaTableName tableName)
    {
        checkIsPlainTable(session, tableName);
        delegate().unregisterTable(session, tableName);
    }

    @Override
    public void dropTable(ConnectorSession session, SchemaTableName tableName)
    {
        checkIsPlainTable(session, tableName);
        delegate().dropTable(session, tableName);
    }

    @Override
    public void dropCorruptedTable(ConnectorSession session, SchemaTableName tableName)
    {
        if (isBackingName(tableName.getTableName())) {
            throw notWritable(catalogName, tableName);
        }
        delegate().dropCorruptedTable(session, tableName);
    }

    @Override
    public void renameTable(ConnectorSession session, SchemaTableName from, SchemaTableName to)
    {
        checkIsPlainTable(session, from);
        checkNameIsFree(session, to);
        delegate().renameTable(session, from, to);
        events.committed(to);
    }

    @Override
    public void createView(ConnectorSession session, SchemaTableName viewName, ConnectorViewDefinition definition, Map<String, Object> viewProperties, boolean replace)
    {
        checkNameIsFree(session, viewName);
        delegate().createView(session, viewName, definition, viewProperties, replace);
    }

    @Override
    public void renameView(ConnectorSession session, SchemaTableName source, SchemaTableName target)
    {
        checkNameIsFree(session, target);
        delegate().renameView(session, source, target);
    }

    private void checkNameIsFree(ConnectorSession session, SchemaTableName name)
    {
        if (isBackingName(name.getTableName())) {
            throw reservedName(name.getTableName());
        }
        if (findView(session, name).isPresent()) {
            throw new TrinoException(ALREADY_EXISTS, "Materialized view already exists: '%s.%s'".formatted(catalogName, name));
        }
    }

    private void checkIsPlainTable(ConnectorSession session, SchemaTableName name)
    {
        if (isBackingName(name.getTableName())) {
            // refuses backing tables
            loadTable(session, name);
        }
    }

    @Override
    public void createMaterializedView(ConnectorSession session, SchemaTableName viewName, ConnectorMaterializedViewDefinition definition, Map<String, Object> materializedViewProperties, boolean replace, boolean ignoreExisting)
    {
        throw new IllegalStateException("Materialized views are created by ViewLifecycle");
    }

    @Override
    public Optional<ConnectorMaterializedViewDefinition> getMaterializedView(ConnectorSession session, SchemaTableName viewName)
    {
        if (isBackingName(viewName.getTableName())) {
            return Optional.empty();
        }
        return findView(session, viewName)
                .map(this::definition)
                .or(() -> delegate().getMaterializedView(session, viewName));
    }

    private ConnectorMaterializedViewDefinition definition(ViewTable view)
    {
        return view.definition().toDefinition(new CatalogSchemaTableName(catalogName, backingTableOf(view.view())));
    }

    @Override
    public Map<String, Object> getMaterializedViewProperties(ConnectorSession session, SchemaTableName viewName, ConnectorMaterializedViewDefinition definition)
    {
        return findView(session, viewName)
                .map(view -> view.definition().properties())
                .orElseGet(() -> delegate().getMaterializedViewProperties(session, viewName, definition));
    }

    @Override
    public Optional<BaseTable> getMaterializedViewStorageTable(ConnectorSession session, SchemaTableName viewName)
    {
        Optional<ViewTable> view = findView(session, viewName);
        if (view.isPresent()) {
            return view.map(ViewTable::backingTable);
        }
        return delegate().getMaterializedViewStorageTable(session, viewName);
    }

    @Override
    public void dropMaterializedView(ConnectorSession session, SchemaTableName viewName)
    {
        switch (views.find(session, viewName)) {
            case NoView() -> delegate().dropMaterializedView(session, viewName);
            case Found _ -> delegate().dropTable(session, backingTableOf(viewName));
            case Damaged(_, boolean tableReadable) -> {
                if (tableReadable) {
                    delegate().dropTable(session, backingTableOf(viewName));
                }
                else {
                    delegate().dropCorruptedTable(session, backingTableOf(viewName));
                }
            }
        }
        views.forget(viewName);
        events.viewChanged(viewName);
    }

    @Override
    public void renameMaterializedView(ConnectorSession session, SchemaTableName source, SchemaTableName target)
    {
        if (findView(session, source).isEmpty()) {
            delegate().renameMaterializedView(session, source, target);
            return;
        }
        checkViewName(target);
        checkNameIsFree(session, target);
        delegate().renameTable(session, backingTableOf(source), backingTableOf(target));
        views.forget(source);
        views.forget(target);
        events.viewChanged(source);
        events.viewChanged(target);
    }

    /** Refuses names that cannot be a view's. */
    public static void checkViewName(SchemaTableName viewName)
    {
        String name = viewName.getTableName();
        if (isBackingName(name)) {
            throw reservedName(name);
        }
        if (name.indexOf('$') >= 0 || name.indexOf('@') >= 0) {
            throw new TrinoException(NOT_SUPPORTED, "The name of a materialized view cannot contain '$' or '@': '%s'".formatted(name));
        }
    }

    @Override
    public void updateMaterializedViewColumnComment(ConnectorSession session, SchemaTableName viewName, String columnName, Optional<String> comment)
    {
        Optional<ViewTable> view = findView(session, viewName);
        if (view.isEmpty()) {
            delegate().updateMaterializedViewColumnComment(session, viewName, columnName, comment);
            return;
        }
        replaceDefinition(view.get(), view.get().definition().withColumns(view.get().definition().columns().stream()
                .map(column -> column.name().equals(columnName) ? new StoredView.Column(column.name(), column.type(), comment) : column)
                .collect(toImmutableList())));
    }

    /**
     * Stores another definition for the same content. Fails if the definition was changed meanwhile.
     */
    public void replaceDefinition(ViewTable view, StoredView definition)
    {
        DefinitionUpdate.commit(view.backingTable(), codec.encode(view.definition()), codec.encode(definition), ImmutableMap.of());
        views.forget(view.view());
        events.viewChanged(view.view());
    }

    public void setPaused(ViewTable view, boolean paused)
    {
        Optional<String> isPaused = Optional.of("true");
        BackingProperty.update(view.backingTable(), PAUSED_PROPERTY, paused ? Optional.empty() : isPaused, paused ? isPaused : Optional.empty());
        views.forget(view.view());
        events.viewChanged(view.view());
    }

    /**
     * @param failure empty: the view does not fail any more
     * @return false if somebody else has noted another one
     */
    public boolean noteFailure(ViewTable view, Optional<String> failure)
    {
        return BackingProperty.update(view.backingTable(), FAILURE_PROPERTY, Optional.ofNullable(view.backingTable().properties().get(FAILURE_PROPERTY)), failure);
    }

    @Override
    public Optional<CatalogSchemaTableName> redirectTable(ConnectorSession session, SchemaTableName tableName, String hiveCatalogName)
    {
        if (isBackingName(tableName.getTableName())) {
            return Optional.empty();
        }
        return delegate().redirectTable(session, tableName, hiveCatalogName);
    }
}
