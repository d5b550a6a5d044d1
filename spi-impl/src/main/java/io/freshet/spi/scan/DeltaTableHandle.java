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

import com.fasterxml.jackson.annotation.JsonProperty;
import io.trino.plugin.iceberg.IcebergColumnHandle;
import io.trino.plugin.iceberg.IcebergTableHandle;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.predicate.TupleDomain;

import java.util.OptionalLong;
import java.util.Set;

import static com.google.common.base.Preconditions.checkArgument;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.util.Objects.requireNonNull;

/**
 * The rows by which a table differs between two snapshots.
 *
 * @param table the table at the later snapshot with its current schema; no predicate in it is enforced; its projected columns
 *         include the weight column, since the engine compares them
 * @param from the earlier snapshot; empty for the difference from an empty table
 * @param to the later snapshot
 * @param rows rows of the difference, an upper bound taken from snapshot summaries
 */
public record DeltaTableHandle(
        @JsonProperty("table") IcebergTableHandle table,
        @JsonProperty("from") OptionalLong from,
        @JsonProperty("to") long to,
        @JsonProperty("weightColumn") String weightColumn,
        @JsonProperty("rows") long rows)
        implements ConnectorTableHandle
{
    public DeltaTableHandle
    {
        requireNonNull(table, "table is null");
        requireNonNull(from, "from is null");
        requireNonNull(weightColumn, "weightColumn is null");
        checkArgument(table.getSnapshotId().equals(OptionalLong.of(to)), "table is not at snapshot %s", to);
        checkArgument(table.getEnforcedPredicate().isAll() && table.getLimit().isEmpty(), "a change scan enforces nothing");
    }

    /** The handle for Iceberg's own split source and page source, which do not know the weight column. */
    public IcebergTableHandle icebergScan()
    {
        Set<IcebergColumnHandle> dataColumns = table.getProjectedColumns().stream()
                .filter(column -> !WeightColumn.isWeight(column))
                .collect(toImmutableSet());
        return table.withProjectedColumns(dataColumns);
    }

    public DeltaTableHandle withTable(IcebergTableHandle newTable)
    {
        return new DeltaTableHandle(newTable, from, to, weightColumn, rows);
    }

    public DeltaTableHandle withUnenforcedPredicate(TupleDomain<IcebergColumnHandle> predicate)
    {
        return withTable(new IcebergTableHandle(
                table.getSchemaName(),
                table.getTableName(),
                table.getTableType(),
                table.getSnapshotId(),
                table.getTableSchemaJson(),
                table.getSpecId(),
                table.getPartitionSpecJsons(),
                table.getFormatVersion(),
                predicate,
                table.getEnforcedPredicate(),
                table.getLimit(),
                table.getProjectedColumns(),
                table.getNameMappingJson(),
                table.getTableLocation(),
                table.getStorageProperties(),
                table.getTablePartitioning(),
                table.isRecordScannedFiles(),
                table.getMaxScannedFileSize(),
                table.getConstraintColumns(),
                table.getForAnalyze()));
    }

    @Override
    public String toString()
    {
        return from.isPresent()
                ? "changes of %s since snapshot %s".formatted(table, from.getAsLong())
                : "all rows of %s as changes".formatted(table);
    }
}
