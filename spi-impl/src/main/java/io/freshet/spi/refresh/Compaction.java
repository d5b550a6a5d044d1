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
import com.google.common.collect.ImmutableSet;
import io.freshet.engine.RelationName;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.util.ContentFileUtil;
import org.apache.iceberg.util.StructLikeWrapper;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static io.freshet.engine.SqlNames.literal;
import static io.freshet.engine.SqlNames.quote;
import static java.util.Comparator.comparingLong;
import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;

/**
 * Files of a backing table that are worth to be written anew as one. Each refresh adds a small file, and marks rows of others as
 * deleted. Files are gathered as in a log-structured merge tree: a file is written anew only when the smaller ones beside it are
 * together of its size, so that over many refreshes each row is rewritten a number of times that grows with the logarithm of the
 * table; or when too many of its rows are deleted.
 *
 * @param dataFiles what is replaced
 * @param deleteFiles deletes that apply to nothing else
 * @param liveRows rows that the files hold; empty if the deletes do not tell
 */
public record Compaction(List<DataFile> dataFiles, Set<DeleteFile> deleteFiles, OptionalLong liveRows)
{
    /** So many small files in a partition are compacted. */
    static final int FILES = 10;
    /** A statement names its files, and is to stay readable by the parser in a moment. */
    private static final int MAX_FILES = 1000;
    /** Share of deleted rows from which on a file is written anew. */
    private static final double DELETED_SHARE = 0.2;

    public Compaction
    {
        dataFiles = ImmutableList.copyOf(dataFiles);
        deleteFiles = ImmutableSet.copyOf(deleteFiles);
        requireNonNull(liveRows, "liveRows is null");
    }

    /** What is to be compacted now; empty if it is not worth it. */
    static Optional<Compaction> plan(Table table)
    {
        Map<Partition, List<StoredFile>> partitions = new HashMap<>();
        try (CloseableIterable<FileScanTask> tasks = table.newScan().planFiles()) {
            for (FileScanTask task : tasks) {
                partitions.computeIfAbsent(Partition.of(task), _ -> new ArrayList<>()).add(new StoredFile(task.file(), task.deletes()));
            }
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        List<StoredFile> files = partitions.values().stream()
                .flatMap(partition -> worthRewriting(partition).stream())
                .limit(MAX_FILES)
                .collect(toImmutableList());
        return files.isEmpty() ? Optional.empty() : Optional.of(of(files));
    }

    /** An INSERT of the live rows of the files, all columns of the table included. */
    String statement(RelationName table, Schema schema)
    {
        String columns = schema.columns().stream()
                .map(column -> quote(column.name()))
                .collect(joining(", "));
        String files = dataFiles.stream()
                .map(file -> literal(file.location()))
                .collect(joining(", "));
        return "INSERT INTO %1$s (%2$s) SELECT %2$s FROM %1$s WHERE \"$path\" IN (%3$s)".formatted(table.toSql(), columns, files);
    }

    private static List<StoredFile> worthRewriting(List<StoredFile> partition)
    {
        List<StoredFile> bySize = partition.stream()
                .sorted(comparingLong(file -> file.data().fileSizeInBytes()))
                .toList();
        int count = 0;
        long bytes = 0;
        for (StoredFile file : bySize) {
            if (count >= FILES && file.data().fileSizeInBytes() > bytes) {
                break;
            }
            bytes += file.data().fileSizeInBytes();
            count++;
        }
        List<StoredFile> small = count >= FILES ? bySize.subList(0, count) : List.of();
        ImmutableSet.Builder<StoredFile> files = ImmutableSet.<StoredFile>builder().addAll(small);
        partition.stream()
                .filter(file -> file.deletedRows() > DELETED_SHARE * file.data().recordCount())
                .forEach(files::add);
        return files.build().asList();
    }

    private static Compaction of(List<StoredFile> files)
    {
        boolean exact = files.stream().flatMap(file -> file.deletes().stream()).allMatch(ContentFileUtil::isDV);
        return new Compaction(
                files.stream().map(StoredFile::data).collect(toImmutableList()),
                files.stream()
                        .flatMap(file -> file.deletes().stream())
                        .filter(ContentFileUtil::isFileScoped)
                        .collect(toImmutableSet()),
                exact
                        ? OptionalLong.of(files.stream().mapToLong(file -> file.data().recordCount() - file.deletedRows()).sum())
                        : OptionalLong.empty());
    }

    private record StoredFile(DataFile data, List<DeleteFile> deletes)
    {
        private long deletedRows()
        {
            return deletes.stream()
                    .filter(delete -> delete.content() == FileContent.POSITION_DELETES && ContentFileUtil.isFileScoped(delete))
                    .mapToLong(DeleteFile::recordCount)
                    .sum();
        }
    }

    private record Partition(int spec, StructLikeWrapper values)
    {
        private static Partition of(FileScanTask task)
        {
            PartitionSpec spec = task.spec();
            StructLike values = task.file().partition();
            return new Partition(spec.specId(), StructLikeWrapper.forType(spec.partitionType()).set(values));
        }
    }
}
