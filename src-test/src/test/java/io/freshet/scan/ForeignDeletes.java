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
package io.freshet.scan;

import io.freshet.cases.SourceTables;
import io.trino.testing.DistributedQueryRunner;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.RowDelta;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

import static com.google.common.collect.Iterables.getOnlyElement;
import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;

/** Commits equality deletes, as streaming writers do. The files are written by Trino into tables beside. */
final class ForeignDeletes
{
    private static final AtomicInteger FILES = new AtomicInteger();

    private final DistributedQueryRunner queryRunner;
    private final SourceTables tables;

    ForeignDeletes(DistributedQueryRunner queryRunner)
    {
        this.queryRunner = requireNonNull(queryRunner, "queryRunner is null");
        this.tables = new SourceTables(queryRunner);
    }

    /**
     * Deletes in one commit what is equal in the columns, and adds rows if there are any.
     *
     * @param partitionOf a file of the partition in which to delete; empty: in all partitions
     * @param keys rows with all columns of the table at the time of its creation, under the same names
     * @param rows likewise, all of one partition
     */
    void upsert(String table, Optional<DataFile> partitionOf, String keys, List<String> columns, Optional<String> rows)
    {
        BaseTable source = tables.load(table);
        RowDelta upsert = source.newRowDelta();
        upsert.addDeletes(equalityDelete(source, write(source, keys, ""), partitionOf, columns));
        rows.ifPresent(sql -> {
            String beside = write(source, sql, partitioning(source));
            upsert.addRows(rehome(getOnlyElement(tables.dataFiles(beside)), source));
        });
        upsert.commit();
    }

    List<DataFile> dataFiles(String table)
    {
        return tables.dataFiles(table);
    }

    private DeleteFile equalityDelete(BaseTable source, String beside, Optional<DataFile> partitionOf, List<String> columns)
    {
        DataFile file = getOnlyElement(tables.dataFiles(beside));
        PartitionSpec spec = partitionOf.map(sibling -> source.specs().get(sibling.specId())).orElseGet(PartitionSpec::unpartitioned);
        FileMetadata.Builder builder = FileMetadata.deleteFileBuilder(spec)
                .ofEqualityDeletes(columns.stream().mapToInt(column -> source.schema().findField(column).fieldId()).toArray())
                .withPath(file.location())
                .withFormat(file.format())
                .withFileSizeInBytes(file.fileSizeInBytes())
                .withRecordCount(file.recordCount());
        if (spec.isPartitioned()) {
            builder.withPartition(partitionOf.orElseThrow().partition());
        }
        return builder.build();
    }

    /** The specs of both are alike, but may have other ids. */
    private static DataFile rehome(DataFile file, BaseTable source)
    {
        DataFiles.Builder builder = DataFiles.builder(source.spec())
                .withPath(file.location())
                .withFormat(file.format())
                .withFileSizeInBytes(file.fileSizeInBytes())
                .withRecordCount(file.recordCount());
        if (source.spec().isPartitioned()) {
            builder.withPartition(file.partition());
        }
        return builder.build();
    }

    private String write(BaseTable source, String rows, String partitioning)
    {
        String beside = "beside_%s".formatted(FILES.incrementAndGet());
        String format = source.properties().getOrDefault("write.format.default", "parquet");
        queryRunner.execute("CREATE TABLE s.%s WITH (format = '%s', partitioning = ARRAY[%s]) AS %s".formatted(beside, format, partitioning, rows));
        return beside;
    }

    /** Of identities only, so that the partition values are those of the columns. */
    private static String partitioning(BaseTable source)
    {
        return source.spec().fields().stream()
                .map(field -> "'%s'".formatted(source.schema().findColumnName(field.sourceId())))
                .collect(joining(", "));
    }
}
