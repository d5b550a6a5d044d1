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
import io.freshet.spi.refresh.RefreshRecord;
import io.freshet.spi.refresh.RefreshRecord.Status;
import io.freshet.spi.refresh.RunningStatement.Progress;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.type.ArrayType;
import io.trino.spi.type.MapType;
import io.trino.spi.type.TypeManager;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Stream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.block.MapValueBuilder.buildMapValue;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.DoubleType.DOUBLE;
import static io.trino.spi.type.TimestampWithTimeZoneType.TIMESTAMP_TZ_MILLIS;
import static io.trino.spi.type.VarcharType.VARCHAR;

/**
 * {@code system.materialized_view_refreshes}: the last refreshes of each of Freshet's views that the caller may see. Of refreshes
 * that wrote rows about fifty are kept; failures and refreshes that had nothing to do are forgotten when the coordinator restarts.
 * <p>
 * {@code reason_detail}, {@code error} and {@code source_snapshots} tell what a view is made from: they are NULL for callers who may
 * not SHOW CREATE the view.
 */
public final class MaterializedViewRefreshesTable
        extends ViewSystemTable<MaterializedViewRefreshesTable.Refresh>
{
    private static final ArrayType QUERY_IDS = new ArrayType(VARCHAR);

    record Refresh(ViewFacts view, RefreshRecord record, Optional<Progress> progress)
    {
        private Object durationMillis()
        {
            boolean goesOn = record.status() == Status.RUNNING;
            return record.finishedAt()
                    .or(() -> goesOn ? Optional.of(System.currentTimeMillis()) : Optional.empty())
                    .map(end -> end - record.startedAt())
                    .orElse(null);
        }

        private Object progressPercent()
        {
            OptionalDouble percent = progress.map(Progress::percent).orElse(OptionalDouble.empty());
            return percent.isPresent() ? percent.getAsDouble() : null;
        }

        private Object detail(Optional<String> text)
        {
            return text.filter(_ -> view.detailsVisible()).orElse(null);
        }
    }

    @Inject
    public MaterializedViewRefreshesTable(TypeManager typeManager, ViewListing listing)
    {
        super("materialized_view_refreshes", listing, columns(new MapType(VARCHAR, BIGINT, typeManager.getTypeOperators())));
    }

    @Override
    List<Refresh> rows(ViewFacts view)
    {
        return Stream.concat(
                        view.refreshes().stream().map(record -> new Refresh(view, record, Optional.empty())),
                        view.running().stream().map(running -> new Refresh(view, running.record(), running.progress())))
                .collect(toImmutableList());
    }

    private static List<SystemColumn<Refresh>> columns(MapType sourceSnapshots)
    {
        return ImmutableList.<SystemColumn<Refresh>>builder()
                .add(new SystemColumn<>(SCHEMA_NAME, VARCHAR, "Schema of the view", row -> row.view().name().getSchemaName()))
                .add(new SystemColumn<>(VIEW_NAME, VARCHAR, "Name of the view", row -> row.view().name().getTableName()))
                .add(new SystemColumn<>("refresh_id", VARCHAR, "Identifies the refresh", row -> row.record().refreshId()))
                .add(new SystemColumn<>("trigger", VARCHAR, "What started it", row -> row.record().trigger().name()))
                .add(new SystemColumn<>("mode", VARCHAR, "Mode that was asked for", row -> row.record().mode()))
                .add(new SystemColumn<>("strategy", VARCHAR, "How the view was refreshed; NULL if it failed before that was decided", row -> row.record().strategy().orElse(null)))
                .add(new SystemColumn<>("reason", VARCHAR, "Code of why it was that strategy", row -> row.record().reason().orElse(null)))
                .add(new SystemColumn<>("reason_detail", VARCHAR, "The reason in words", row -> row.detail(row.record().reasonDetail())))
                .add(new SystemColumn<>("status", VARCHAR, "RUNNING, SUCCEEDED, FAILED, CANCELLED, CONFLICT or UNKNOWN", row -> row.record().status().name()))
                .add(new SystemColumn<>("error", VARCHAR, "What went wrong", row -> row.detail(row.record().error())))
                .add(new SystemColumn<>("started_at", TIMESTAMP_TZ_MILLIS, "When it started", row -> timestamp(Optional.of(row.record().startedAt()))))
                .add(new SystemColumn<>("finished_at", TIMESTAMP_TZ_MILLIS, "When it ended", row -> timestamp(row.record().finishedAt())))
                .add(new SystemColumn<>("duration_ms", BIGINT, "Milliseconds that it took, or has taken so far", Refresh::durationMillis))
                .add(new SystemColumn<>("delta_rows", BIGINT, "Rows added to the sources since the refresh before; NULL if all rows were read", row -> row.record().deltaRows().orElse(null)))
                .add(new SystemColumn<>("rows_inserted", BIGINT, "Rows written", row -> row.record().rowsInserted().orElse(null)))
                .add(new SystemColumn<>("rows_deleted", BIGINT, "Rows removed or replaced", row -> row.record().rowsDeleted().orElse(null)))
                .add(new SystemColumn<>("bytes_read", BIGINT, "Bytes read by its statement", row -> row.record().bytesRead().orElse(null)))
                .add(new SystemColumn<>("bytes_written", BIGINT, "Bytes of the files written", row -> row.record().bytesWritten().orElse(null)))
                .add(new SystemColumn<>("query_ids", QUERY_IDS, "Queries by which it was done", row -> queryIds(row.record().queryIds())))
                .add(new SystemColumn<>("backing_snapshot_id", BIGINT, "Snapshot of the backing table that it wrote", row -> row.record().backingSnapshotId().orElse(null)))
                .add(new SystemColumn<>("source_snapshots", sourceSnapshots, "Snapshot of each source that was read", row -> row.view().detailsVisible() ? sourceSnapshots(sourceSnapshots, row.record().sourceSnapshots()) : null))
                .add(new SystemColumn<>("progress_percent", DOUBLE, "While it runs: how much of its statement is done", Refresh::progressPercent))
                .add(new SystemColumn<>("progress_rows", BIGINT, "While it runs: rows that its statement has read", row -> row.progress().map(Progress::rows).orElse(null)))
                .build();
    }

    private static Object queryIds(List<String> queryIds)
    {
        BlockBuilder block = VARCHAR.createBlockBuilder(null, queryIds.size());
        queryIds.forEach(queryId -> VARCHAR.writeString(block, queryId));
        return block.build();
    }

    private static Object sourceSnapshots(MapType type, Map<String, Optional<Long>> snapshots)
    {
        return buildMapValue(type, snapshots.size(), (keys, values) -> snapshots.forEach((source, snapshotId) -> {
            VARCHAR.writeString(keys, source);
            if (snapshotId.isPresent()) {
                BIGINT.writeLong(values, snapshotId.get());
            }
            else {
                values.appendNull();
            }
        }));
    }
}
