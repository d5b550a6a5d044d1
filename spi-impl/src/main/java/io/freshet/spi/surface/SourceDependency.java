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
import io.freshet.engine.CompiledView;
import io.freshet.engine.LogicalViewMention;
import io.freshet.engine.RelationKind;
import io.freshet.engine.RelationName;
import io.freshet.engine.SourceMention;
import io.freshet.spi.catalog.FreshetCatalog;
import io.freshet.spi.catalog.ViewTable;
import io.freshet.spi.change.SourceFactsReader;
import io.freshet.spi.refresh.BackingContent;
import io.freshet.spi.refresh.RefreshState;
import io.freshet.spi.refresh.RefreshState.SourceState;
import io.freshet.spi.refresh.ViewFreshness;
import io.freshet.staleness.SourceChange;
import io.freshet.staleness.SourceIdentity;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.TableNotFoundException;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.Snapshot;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.freshet.spi.catalog.BackingTables.backingTableOf;
import static io.freshet.spi.catalog.BackingTables.viewOf;

/**
 * One relation that a view reads, itself or through logical views.
 *
 * @param type TABLE, MATERIALIZED_VIEW, VIEW, FOREIGN, STATIC, METADATA_TABLE or MISSING
 * @param uuid of the table that the stored rows were made from; without such rows, of the one that is there
 * @param bookmarkSnapshotId absent: the table was empty, or there are no rows
 * @param change what happened since; empty if there are no rows, or if it cannot be followed
 */
record SourceDependency(
        RelationName source,
        String type,
        Optional<String> uuid,
        Optional<Long> bookmarkSnapshotId,
        Optional<Long> currentSnapshotId,
        Optional<SourceChange> change)
{
    /** @param compiled empty if the definition cannot be compiled now: then the sources of the stored rows are given */
    static List<SourceDependency> of(ConnectorSession session, FreshetCatalog catalog, BackingContent backingContent, ViewTable view, Optional<CompiledView> compiled)
    {
        Optional<RefreshState> state = backingContent.read(view.backingTable(), view.definition().versionId()).state();
        Map<RelationName, SourceDependency> dependencies = new LinkedHashMap<>();
        state.ifPresent(value -> {
            List<SourceChange> changes = ViewFreshness.changes(session, catalog, value);
            for (int i = 0; i < changes.size(); i++) {
                SourceDependency dependency = bookmarked(session, catalog, value.sources().get(i), changes.get(i));
                dependencies.put(dependency.source(), dependency);
            }
        });
        if (compiled.isEmpty()) {
            return ImmutableList.copyOf(dependencies.values());
        }
        ImmutableList.Builder<SourceDependency> all = ImmutableList.builder();
        all.addAll(compiled.get().sources().stream()
                .map(SourceMention::name)
                .distinct()
                .map(name -> dependency(session, catalog, compiled.get(), name, Optional.ofNullable(dependencies.get(name))))
                .collect(toImmutableList()));
        all.addAll(compiled.get().logicalViews().stream()
                .map(LogicalViewMention::name)
                .distinct()
                .map(name -> new SourceDependency(name, "VIEW", Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty()))
                .collect(toImmutableList()));
        return all.build();
    }

    private static SourceDependency bookmarked(ConnectorSession session, FreshetCatalog catalog, SourceState source, SourceChange change)
    {
        boolean isView = source.type().equals(SourceState.MATERIALIZED_VIEW);
        SchemaTableName stored = new SchemaTableName(source.namespace(), source.name());
        SchemaTableName name = isView ? viewOf(stored) : stored;
        return new SourceDependency(
                new RelationName(source.catalog(), name.getSchemaName(), name.getTableName()),
                isView ? "MATERIALIZED_VIEW" : "TABLE",
                source.uuid(),
                source.snapshotId(),
                load(session, catalog, stored).flatMap(SourceDependency::currentSnapshotId),
                Optional.of(change));
    }

    private static SourceDependency dependency(ConnectorSession session, FreshetCatalog catalog, CompiledView compiled, RelationName name, Optional<SourceDependency> bookmarked)
    {
        RelationKind kind = compiled.sources().stream()
                .filter(mention -> mention.name().equals(name))
                .map(SourceMention::kind)
                .findFirst()
                .orElseThrow();
        if (bookmarked.isPresent()) {
            SourceDependency known = bookmarked.get();
            return new SourceDependency(name, kind.name(), known.uuid(), known.bookmarkSnapshotId(), known.currentSnapshotId(), known.change());
        }
        SchemaTableName table = new SchemaTableName(name.schema(), name.table());
        Optional<BaseTable> current = switch (kind) {
            case TABLE -> load(session, catalog, table);
            case MATERIALIZED_VIEW -> load(session, catalog, backingTableOf(table));
            case VIEW, FOREIGN, STATIC, METADATA_TABLE, MISSING -> Optional.empty();
        };
        return new SourceDependency(
                name,
                kind.name(),
                current.flatMap(SourceDependency::uuid),
                Optional.empty(),
                current.flatMap(SourceDependency::currentSnapshotId),
                Optional.empty());
    }

    private static Optional<BaseTable> load(ConnectorSession session, FreshetCatalog catalog, SchemaTableName name)
    {
        try {
            return Optional.of(catalog.loadSource(session, name));
        }
        catch (TableNotFoundException e) {
            return Optional.empty();
        }
    }

    private static Optional<Long> currentSnapshotId(BaseTable table)
    {
        return Optional.ofNullable(table.currentSnapshot()).map(Snapshot::snapshotId);
    }

    private static Optional<String> uuid(BaseTable table)
    {
        return SourceFactsReader.identity(table) instanceof SourceIdentity.TableUuid(String uuid) ? Optional.of(uuid) : Optional.empty();
    }
}
