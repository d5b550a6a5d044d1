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
package io.freshet.spi.scan;

import com.google.common.collect.ImmutableList;
import io.freshet.spi.scan.DeltaRange.Segment;
import io.freshet.staleness.ChangeReason;
import io.trino.plugin.iceberg.IcebergSplit;
import io.trino.plugin.iceberg.delete.DeleteFile;
import io.trino.spi.TrinoException;
import org.apache.iceberg.BaseFileScanTask;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionSpecParser;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.expressions.ResidualEvaluator;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.function.Function;

import static com.google.common.base.Preconditions.checkState;
import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.plugin.iceberg.IcebergSplitSource.parquetFileDecryptionData;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static java.util.Objects.requireNonNull;

/** The difference of two states of a table as scans of files. It is planned once, by the first of them that is asked. */
final class DifferenceScan
{
    private final BaseTable table;
    private final Segment segment;
    private final ExecutorService executor;
    private final String schemaJson;
    private final Map<Integer, String> specJsons = new HashMap<>();
    private StateDifference difference;
    private Map<FileKey, List<DeleteFile>> deletesAfter;

    DifferenceScan(BaseTable table, Segment segment, ExecutorService executor)
    {
        this.table = requireNonNull(table, "table is null");
        this.segment = requireNonNull(segment, "segment is null");
        this.executor = requireNonNull(executor, "executor is null");
        this.schemaJson = SchemaParser.toJson(table.schema());
    }

    List<DeltaScan> scans()
    {
        return ImmutableList.of(
                new DeltaScan(scan(StateDifference::added, FileChange::after), split -> DeltaSplit.added(split, segment.to())),
                new DeltaScan(scan(StateDifference::removed, FileChange::before), split -> DeltaSplit.removed(split, segment.from())),
                new DeltaScan(scan(StateDifference::changed, FileChange::before), this::changed));
    }

    private PlannedScan scan(Function<StateDifference, List<FileChange>> files, Function<FileChange, List<org.apache.iceberg.DeleteFile>> deletes)
    {
        return new PlannedScan(table, (filter, statisticsColumns) -> files.apply(difference(filter)).stream()
                .map(change -> task(change, deletes.apply(change), statisticsColumns))
                .collect(toImmutableList()));
    }

    /** Later scans may ask with a narrower filter; what the first one found is right for them too. */
    private synchronized StateDifference difference(Expression filter)
    {
        if (difference == null) {
            difference = StateDifference.between(table, table.snapshot(segment.from()), table.snapshot(segment.to()), filter, executor);
            Map<FileKey, List<DeleteFile>> deletes = new HashMap<>();
            difference.changed().forEach(change -> deletes.put(FileKey.of(change.file()), change.after().stream().map(this::toTrino).collect(toImmutableList())));
            deletesAfter = deletes;
        }
        return difference;
    }

    private synchronized DeltaSplit changed(IcebergSplit split)
    {
        FileKey key = new FileKey(split.path(), split.dataSequenceNumber().orElse(0), split.specId());
        List<DeleteFile> deletes = deletesAfter.get(key);
        checkState(deletes != null, "not a changed file: %s", key);
        return DeltaSplit.changed(split, segment.from(), segment.to(), deletes);
    }

    private synchronized FileScanTask task(FileChange change, List<org.apache.iceberg.DeleteFile> deletes, Set<Integer> statisticsColumns)
    {
        checkReadable(change.before());
        checkReadable(change.after());
        return new BaseFileScanTask(
                change.file().copyWithStats(statisticsColumns),
                deletes.toArray(org.apache.iceberg.DeleteFile[]::new),
                schemaJson,
                specJsons.computeIfAbsent(change.file().specId(), id -> PartitionSpecParser.toJson(table.specs().get(id))),
                ResidualEvaluator.unpartitioned(Expressions.alwaysTrue()));
    }

    /** Equality deletes are compared by the current schema's columns: without the column the rows they mean cannot be told. */
    private void checkReadable(List<org.apache.iceberg.DeleteFile> deletes)
    {
        for (org.apache.iceberg.DeleteFile delete : deletes) {
            if (delete.equalityFieldIds() != null && delete.equalityFieldIds().stream().anyMatch(id -> table.schema().findField(id) == null)) {
                throw new TrinoException(NOT_SUPPORTED, "The changes of table %s from snapshot %s to snapshot %s cannot be read: rows were deleted by a column that is no longer there (%s)".formatted(
                        table.name(),
                        segment.from(),
                        segment.to(),
                        ChangeReason.SOURCE_SCHEMA_CHANGED));
            }
        }
    }

    private DeleteFile toTrino(org.apache.iceberg.DeleteFile file)
    {
        return DeleteFile.fromIceberg(file, parquetFileDecryptionData(file.format(), file.location(), file.fileSizeInBytes(), file.keyMetadata(), table.io(), table.encryption()));
    }

    /** Files to be scanned, and what a split of them gives. */
    record DeltaScan(PlannedScan scan, Function<IcebergSplit, DeltaSplit> toSplit)
    {
        DeltaScan
        {
            requireNonNull(scan, "scan is null");
            requireNonNull(toSplit, "toSplit is null");
        }
    }
}
