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
import io.freshet.staleness.SourceChange;

import java.util.List;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.VarcharType.VARCHAR;

/**
 * {@code system.materialized_view_dependencies}: what each of Freshet's views reads, and what happened to it since the last refresh.
 * <p>
 * All of it tells what a view is made from, so there are no rows for callers who may not SHOW CREATE the view.
 */
public final class MaterializedViewDependenciesTable
        extends ViewSystemTable<MaterializedViewDependenciesTable.Dependency>
{
    record Dependency(ViewFacts view, SourceDependency source) {}

    @Inject
    public MaterializedViewDependenciesTable(ViewListing listing)
    {
        super("materialized_view_dependencies", listing, columns());
    }

    @Override
    List<Dependency> rows(ViewFacts view)
    {
        if (!view.detailsVisible()) {
            return ImmutableList.of();
        }
        return view.dependencies().stream()
                .map(source -> new Dependency(view, source))
                .collect(toImmutableList());
    }

    private static List<SystemColumn<Dependency>> columns()
    {
        return ImmutableList.<SystemColumn<Dependency>>builder()
                .add(new SystemColumn<>(SCHEMA_NAME, VARCHAR, "Schema of the view", row -> row.view().name().getSchemaName()))
                .add(new SystemColumn<>(VIEW_NAME, VARCHAR, "Name of the view", row -> row.view().name().getTableName()))
                .add(new SystemColumn<>("source_catalog", VARCHAR, "Catalog of the source", row -> row.source().source().catalog()))
                .add(new SystemColumn<>("source_schema", VARCHAR, "Schema of the source", row -> row.source().source().schema()))
                .add(new SystemColumn<>("source_name", VARCHAR, "Name of the source", row -> row.source().source().table()))
                .add(new SystemColumn<>("source_type", VARCHAR, "TABLE, MATERIALIZED_VIEW, VIEW, FOREIGN, STATIC, METADATA_TABLE or MISSING", row -> row.source().type()))
                .add(new SystemColumn<>("source_uuid", VARCHAR, "Identity of the table that the rows of the view were made from", row -> row.source().uuid().orElse(null)))
                .add(new SystemColumn<>("bookmark_snapshot_id", BIGINT, "Snapshot that the rows of the view were made from", row -> row.source().bookmarkSnapshotId().orElse(null)))
                .add(new SystemColumn<>("current_snapshot_id", BIGINT, "Snapshot that the source has now", row -> row.source().currentSnapshotId().orElse(null)))
                .add(new SystemColumn<>("change", VARCHAR, "UNCHANGED, APPENDED, ROWS_CHANGED, REORGANIZED or HISTORY_LOST", row -> row.source().change().map(change -> change.kind().name()).orElse(null)))
                .add(new SystemColumn<>("change_reason", VARCHAR, "Code of why it is that change", row -> row.source().change().map(SourceChange::reason).map(Enum::name).orElse(null)))
                .build();
    }
}
