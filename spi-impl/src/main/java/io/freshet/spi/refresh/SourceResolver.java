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
import io.freshet.engine.RelationName;
import io.freshet.engine.RelationResolver;
import io.freshet.engine.ResolvedRelation;
import io.freshet.engine.SourceColumn;
import io.freshet.engine.ViewText;
import io.freshet.spi.catalog.FreshetCatalog;
import io.freshet.spi.catalog.ViewTable;
import io.freshet.spi.view.StoredView;
import io.freshet.spi.view.StoredView.StaticSource;
import io.trino.plugin.iceberg.IcebergUtil;
import io.trino.plugin.iceberg.UnknownTableTypeException;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorViewDefinition;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.TableNotFoundException;
import io.trino.spi.type.TypeId;
import io.trino.spi.type.TypeManager;
import org.apache.iceberg.BaseTable;

import java.util.List;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;
import static org.apache.iceberg.TableUtil.formatVersion;

/**
 * Names in the definition of a view, looked up as the engine does: a materialized view first, then a view, then a table.
 */
final class SourceResolver
        implements RelationResolver
{
    private final ConnectorSession session;
    private final FreshetCatalog catalog;
    private final String catalogName;
    private final TypeManager typeManager;
    private final BackingContent backingContent;
    private final List<StaticSource> staticSources;

    SourceResolver(ConnectorSession session, FreshetCatalog catalog, String catalogName, TypeManager typeManager, BackingContent backingContent, List<StaticSource> staticSources)
    {
        this.staticSources = ImmutableList.copyOf(staticSources);
        this.session = requireNonNull(session, "session is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.catalogName = requireNonNull(catalogName, "catalogName is null");
        this.typeManager = requireNonNull(typeManager, "typeManager is null");
        this.backingContent = requireNonNull(backingContent, "backingContent is null");
    }

    @Override
    public ResolvedRelation resolve(RelationName relation)
    {
        Optional<StaticSource> staticSource = staticSources.stream()
                .filter(source -> source.name().equals(relation))
                .findFirst();
        if (staticSource.isPresent()) {
            return ResolvedRelation.staticTable(staticSource.get().columns());
        }
        if (!relation.catalog().equals(catalogName) || relation.schema().equals("information_schema") || relation.schema().equals("system")) {
            return ResolvedRelation.foreign(ImmutableList.of());
        }
        if (relation.table().indexOf('$') >= 0) {
            return ResolvedRelation.metadataTable();
        }
        SchemaTableName name = new SchemaTableName(relation.schema(), relation.table());
        Optional<ViewTable> materializedView = catalog.findView(session, name);
        if (materializedView.isPresent()) {
            return resolveMaterializedView(materializedView.get());
        }
        if (catalog.getMaterializedView(session, name).isPresent()) {
            // of the Iceberg connector: its content changes unseen
            return ResolvedRelation.foreign(ImmutableList.of());
        }
        Optional<ConnectorViewDefinition> view = catalog.getView(session, name);
        if (view.isPresent()) {
            return ResolvedRelation.logicalView(LogicalViews.text(view.get()));
        }
        try {
            return ResolvedRelation.table(columns(catalog.loadTable(session, name)));
        }
        catch (TableNotFoundException e) {
            return ResolvedRelation.missing();
        }
        catch (UnknownTableTypeException e) {
            return ResolvedRelation.foreign(ImmutableList.of());
        }
    }

    /**
     * A view without content, or with one that nobody knows the meaning of, is answered by the engine from its definition. So here it
     * counts as a logical view.
     */
    private ResolvedRelation resolveMaterializedView(ViewTable view)
    {
        if (isAnsweredFromDefinition(view, backingContent)) {
            return ResolvedRelation.logicalView(text(view.definition()));
        }
        return ResolvedRelation.materializedView(view.definition().columns().stream()
                .map(column -> new SourceColumn(column.name(), typeManager.getType(TypeId.of(column.type())).getDisplayName(), true))
                .collect(toImmutableList()));
    }

    /** The text of what counts as a logical view, as it is now. */
    static Optional<ViewText> logicalView(ConnectorSession session, FreshetCatalog catalog, BackingContent backingContent, SchemaTableName name)
    {
        Optional<ViewTable> materializedView = catalog.findView(session, name);
        if (materializedView.isPresent()) {
            return materializedView
                    .filter(view -> isAnsweredFromDefinition(view, backingContent))
                    .map(view -> text(view.definition()));
        }
        return catalog.getView(session, name).map(LogicalViews::text);
    }

    private static boolean isAnsweredFromDefinition(ViewTable view, BackingContent backingContent)
    {
        return backingContent.read(view.backingTable(), view.definition().versionId()).state().isEmpty();
    }

    private static ViewText text(StoredView definition)
    {
        return new ViewText(
                definition.originalSql(),
                definition.catalog(),
                definition.schema(),
                definition.columns().stream().map(StoredView.Column::name).collect(toImmutableList()));
    }

    private List<SourceColumn> columns(BaseTable table)
    {
        return IcebergUtil.getColumnMetadatas(table.schema(), typeManager, formatVersion(table)).stream()
                .filter(column -> !column.isHidden())
                .map(SourceResolver::column)
                .collect(toImmutableList());
    }

    private static SourceColumn column(ColumnMetadata column)
    {
        return new SourceColumn(column.getName(), column.getType().getDisplayName(), column.isNullable());
    }
}
