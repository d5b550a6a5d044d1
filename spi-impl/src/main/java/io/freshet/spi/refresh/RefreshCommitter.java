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

import com.google.common.collect.Iterables;
import com.google.common.collect.Maps;
import com.google.inject.Inject;
import io.airlift.json.JsonCodec;
import io.airlift.log.Logger;
import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import io.freshet.spi.refresh.RefreshJob.Committed;
import io.trino.plugin.iceberg.CommitTaskData;
import io.trino.plugin.iceberg.IcebergTableHandle;
import io.trino.plugin.iceberg.IcebergWritableTableHandle;
import io.trino.plugin.iceberg.PartitionData;
import io.trino.plugin.iceberg.delete.DeletionVectorWriter;
import io.trino.plugin.iceberg.delete.DeletionVectorWriter.DeletionVectorInfo;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorSession;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.OverwriteFiles;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.PartitionSpecParser;
import org.apache.iceberg.RewriteFiles;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotAncestryValidator;
import org.apache.iceberg.SnapshotUpdate;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.Table;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.UpdateProperties;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.util.PropertyUtil;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

import static com.google.common.base.Verify.verify;
import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.freshet.spi.FreshetErrorCode.REFRESH_CONFLICT;
import static io.freshet.spi.FreshetErrorCode.REFRESH_OUTCOME_UNKNOWN;
import static java.util.Objects.requireNonNull;
import static org.apache.iceberg.SnapshotSummary.ADDED_POS_DELETES_PROP;
import static org.apache.iceberg.SnapshotSummary.ADDED_RECORDS_PROP;
import static org.apache.iceberg.SnapshotSummary.DELETED_RECORDS_PROP;

/**
 * Makes what a refresh wrote visible: rows, row deletions and bookmarks in one Iceberg commit.
 * <p>
 * Iceberg repeats a commit on whatever the table has become. Here each attempt checks that the table is still at the snapshot
 * which the refresh was planned on, so of two refreshes that started from the same snapshot one commits and the other has
 * written nothing. A repetition after another kind of commit, such as a changed property, is harmless.
 */
public final class RefreshCommitter
{
    private static final Logger log = Logger.get(RefreshCommitter.class);

    private final JsonCodec<CommitTaskData> commitTaskCodec;
    private final DeletionVectorWriter deletionVectorWriter;

    @Inject
    public RefreshCommitter(JsonCodec<CommitTaskData> commitTaskCodec, DeletionVectorWriter deletionVectorWriter)
    {
        this.commitTaskCodec = requireNonNull(commitTaskCodec, "commitTaskCodec is null");
        this.deletionVectorWriter = requireNonNull(deletionVectorWriter, "deletionVectorWriter is null");
    }

    /** Commits the rows of an INSERT, in the way that the job says. */
    public void commitRows(ConnectorSession session, RefreshJob job, BaseTable table, IcebergWritableTableHandle handle, Collection<Slice> fragments)
    {
        List<CommitTaskData> tasks = tasks(fragments);
        Transaction transaction = job.staged().orElseGet(table::newTransaction);
        Table target = transaction.table();
        List<DataFile> files = tasks.stream()
                .map(task -> dataFile(task, target.schema(), target.sortOrders()))
                .collect(toImmutableList());
        SnapshotUpdate<?> update = switch (job.mode()) {
            case APPEND -> {
                var append = transaction.newFastAppend();
                files.forEach(append::appendFile);
                yield append;
            }
            case OVERWRITE -> {
                OverwriteFiles overwrite = transaction.newOverwrite().overwriteByRowFilter(Expressions.alwaysTrue());
                files.forEach(overwrite::addFile);
                yield overwrite;
            }
            case REORGANIZE -> {
                Compaction compaction = job.compaction().orElseThrow();
                long rows = files.stream().mapToLong(DataFile::recordCount).sum();
                verify(compaction.liveRows().isEmpty() || compaction.liveRows().getAsLong() == rows, "Compaction of %s gives %s rows instead of %s", job.view(), rows, compaction.liveRows());
                RewriteFiles rewrite = transaction.newRewrite();
                compaction.dataFiles().forEach(rewrite::deleteFile);
                compaction.deleteFiles().forEach(rewrite::deleteFile);
                files.forEach(rewrite::addFile);
                job.expectedSnapshotId().ifPresent(rewrite::validateFromSnapshot);
                yield rewrite;
            }
            case READ_ONLY, ROW_DELTA -> throw new IllegalStateException("A refresh in mode %s does not insert".formatted(job.mode()));
        };
        commit(session, job, transaction, update, tasks);
    }

    /** Commits rows and deletions of rows together. */
    public void commitRowChanges(ConnectorSession session, RefreshJob job, BaseTable table, IcebergTableHandle handle, Collection<Slice> fragments)
    {
        List<CommitTaskData> tasks = tasks(fragments);
        Transaction transaction = table.newTransaction();
        RowDelta update = transaction.newRowDelta();
        // what was deleted before the plan is known to it; without this every deletion vector of the table counts as a conflict
        job.expectedSnapshotId().ifPresent(update::validateFromSnapshot);
        Schema schema = SchemaParser.fromJson(handle.getTableSchemaJson());
        List<CommitTaskData> deletes = tasks.stream()
                .filter(task -> task.content() == FileContent.POSITION_DELETES)
                .collect(toImmutableList());
        tasks.stream()
                .filter(task -> task.content() == FileContent.DATA)
                .map(task -> dataFile(task, schema, table.sortOrders()))
                .forEach(update::addRows);
        verify(tasks.stream().allMatch(task -> task.content() == FileContent.DATA || task.content() == FileContent.POSITION_DELETES), "Unexpected content in fragments");
        update.validateDataFilesExist(deletes.stream()
                .map(CommitTaskData::referencedDataFile)
                .flatMap(Optional::stream)
                .collect(toImmutableList()));
        if (handle.getFormatVersion() >= 3) {
            deletionVectorWriter.writeDeletionVectors(
                    session,
                    transaction.table(),
                    handle,
                    deletes.stream().map(task -> deletionVector(task, schema)).collect(toImmutableList()),
                    update);
        }
        else {
            deletes.stream().map(task -> positionDeletes(task, schema)).forEach(update::addDeletes);
        }
        commit(session, job, transaction, update, tasks);
    }

    /** Commits bookmarks without any row: the content is right for other snapshots too. */
    public Committed commitBookmarks(ConnectorSession session, RefreshJob job, BaseTable table)
    {
        Transaction transaction = table.newTransaction();
        commit(session, job, transaction, transaction.newFastAppend(), List.of());
        return job.outcome().get().orElseThrow();
    }

    private void commit(ConnectorSession session, RefreshJob job, Transaction transaction, SnapshotUpdate<?> update, List<CommitTaskData> tasks)
    {
        job.summary().forEach(update::set);
        if (job.staged().isEmpty()) {
            update.validateWith(new UnmovedValidator(job.expectedSnapshotId()));
        }
        job.outcome().begin();
        try {
            update.commit();
            setProperties(transaction, job.properties());
            transaction.commitTransaction();
            job.outcome().succeeded(committed(transaction.table().currentSnapshot(), tasks));
        }
        catch (ValidationException | CommitFailedException e) {
            deleteFiles(transaction.table(), tasks);
            throw new TrinoException(
                    REFRESH_CONFLICT,
                    "Materialized view '%s' was changed by another refresh at the same time; nothing was written. Refresh again".formatted(job.view()),
                    e);
        }
        catch (CommitStateUnknownException e) {
            // Neither success nor failure. Files stay; whether it happened is read from the table later, by the refresh id.
            TrinoException failure = new TrinoException(REFRESH_OUTCOME_UNKNOWN, "It is not known yet whether the refresh of materialized view '%s' was committed".formatted(job.view()), e);
            job.outcome().isUnknown(failure);
            throw failure;
        }
        finally {
            job.outcome().end();
        }
    }

    private static Committed committed(Snapshot snapshot, List<CommitTaskData> tasks)
    {
        Map<String, String> summary = snapshot.summary();
        return new Committed(
                snapshot.snapshotId(),
                PropertyUtil.propertyAsLong(summary, ADDED_RECORDS_PROP, 0),
                PropertyUtil.propertyAsLong(summary, ADDED_POS_DELETES_PROP, 0) + PropertyUtil.propertyAsLong(summary, DELETED_RECORDS_PROP, 0),
                tasks.stream().mapToLong(CommitTaskData::fileSizeInBytes).sum());
    }

    private static void setProperties(Transaction transaction, Map<String, String> properties)
    {
        Map<String, String> changed = Maps.filterEntries(properties, entry -> !entry.getValue().equals(transaction.table().properties().get(entry.getKey())));
        if (changed.isEmpty()) {
            return;
        }
        UpdateProperties update = transaction.updateProperties();
        changed.forEach(update::set);
        update.commit();
    }

    private List<CommitTaskData> tasks(Collection<Slice> fragments)
    {
        return fragments.stream()
                .map(Slice::getInput)
                .map(commitTaskCodec::fromJson)
                .collect(toImmutableList());
    }

    private static DataFile dataFile(CommitTaskData task, Schema schema, Map<Integer, SortOrder> sortOrders)
    {
        PartitionSpec spec = PartitionSpecParser.fromJson(schema, task.partitionSpecJson());
        DataFiles.Builder builder = DataFiles.builder(spec)
                .withPath(task.path())
                .withFormat(task.fileFormat().toIceberg())
                .withFileSizeInBytes(task.fileSizeInBytes())
                .withMetrics(task.metrics().metrics())
                .withSortOrder(sortOrders.get(task.sortOrderId()));
        task.fileSplitOffsets().ifPresent(builder::withSplitOffsets);
        partitionData(task, spec).ifPresent(builder::withPartition);
        return builder.build();
    }

    private static DeleteFile positionDeletes(CommitTaskData task, Schema schema)
    {
        PartitionSpec spec = PartitionSpecParser.fromJson(schema, task.partitionSpecJson());
        FileMetadata.Builder builder = FileMetadata.deleteFileBuilder(spec)
                .ofPositionDeletes()
                .withPath(task.path())
                .withFormat(task.fileFormat().toIceberg())
                .withFileSizeInBytes(task.fileSizeInBytes())
                .withMetrics(task.metrics().metrics());
        task.fileSplitOffsets().ifPresent(builder::withSplitOffsets);
        partitionData(task, spec).ifPresent(builder::withPartition);
        return builder.build();
    }

    private static DeletionVectorInfo deletionVector(CommitTaskData task, Schema schema)
    {
        PartitionSpec spec = PartitionSpecParser.fromJson(schema, task.partitionSpecJson());
        return new DeletionVectorInfo(
                task.referencedDataFile().orElseThrow(),
                Slices.wrappedBuffer(task.serializedDeletionVector().orElseThrow()),
                spec,
                partitionData(task, spec));
    }

    private static Optional<PartitionData> partitionData(CommitTaskData task, PartitionSpec spec)
    {
        if (spec.isUnpartitioned()) {
            return Optional.empty();
        }
        return Optional.of(PartitionData.fromJson(task.partitionDataJson().orElseThrow(), spec));
    }

    /** The files of a refresh that lost belong to nobody. Failing to delete them costs space only. */
    private static void deleteFiles(Table table, List<CommitTaskData> tasks)
    {
        for (CommitTaskData task : tasks) {
            if (task.path().isEmpty()) {
                // a deletion vector, written by the commit itself
                continue;
            }
            try {
                table.io().deleteFile(task.path());
            }
            catch (RuntimeException e) {
                log.warn(e, "Could not delete %s, left by a refresh that was not committed", task.path());
            }
        }
    }

    private record UnmovedValidator(OptionalLong expected)
            implements SnapshotAncestryValidator
    {
        @Override
        public boolean validate(Iterable<Snapshot> ancestors)
        {
            Snapshot current = Iterables.getFirst(ancestors, null);
            return current == null ? expected.isEmpty() : expected.isPresent() && expected.getAsLong() == current.snapshotId();
        }

        @Override
        public String errorMessage()
        {
            return "the table moved from the snapshot that the refresh was planned on";
        }
    }
}
