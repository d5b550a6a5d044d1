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
package io.freshet.cases;

import com.google.inject.Injector;
import com.google.inject.Key;
import io.freshet.spi.FreshetConnector;
import io.freshet.spi.catalog.ForIcebergCatalog;
import io.freshet.spi.refresh.BackgroundSessions;
import io.trino.plugin.iceberg.catalog.TrinoCatalog;
import io.trino.plugin.iceberg.catalog.TrinoCatalogFactory;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.security.ConnectorIdentity;
import io.trino.testing.DistributedQueryRunner;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.CloseableIterable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import static com.google.common.collect.Iterables.getOnlyElement;
import static com.google.common.collect.Streams.stream;
import static io.freshet.FreshetQueryRunner.CATALOG;
import static io.freshet.FreshetQueryRunner.SCHEMA;

/**
 * Source tables by way of the Iceberg library, to make the commits that other engines make and Trino does not.
 * Files are written by Trino into a table beside, and committed again from there: field ids have to agree.
 */
public final class SourceTables
{
    private final String user;
    private final Injector injector;

    public SourceTables(DistributedQueryRunner queryRunner)
    {
        user = queryRunner.getDefaultSession().getUser();
        injector = ((FreshetConnector) queryRunner.getCoordinator().getConnector(CATALOG)).getInjector();
    }

    public BaseTable load(String name)
    {
        ConnectorIdentity identity = ConnectorIdentity.ofUser(user);
        return injector.getInstance(Key.get(TrinoCatalogFactory.class, ForIcebergCatalog.class))
                .create(identity)
                .loadTable(injector.getInstance(BackgroundSessions.class).create(identity), new SchemaTableName(SCHEMA, name));
    }

    /** Drops the entry of the catalog, not caring who owns the table. */
    void drop(String name)
    {
        ConnectorIdentity identity = ConnectorIdentity.ofUser(user);
        injector.getInstance(Key.get(TrinoCatalogFactory.class, ForIcebergCatalog.class))
                .create(identity)
                .dropTable(injector.getInstance(BackgroundSessions.class).create(identity), new SchemaTableName(SCHEMA, name));
    }

    /** As other engines make a table: nothing was written yet, not even nothing. */
    void createWithoutSnapshot(String name, Schema schema)
    {
        ConnectorIdentity identity = ConnectorIdentity.ofUser(user);
        ConnectorSession session = injector.getInstance(BackgroundSessions.class).create(identity);
        TrinoCatalog catalog = injector.getInstance(Key.get(TrinoCatalogFactory.class, ForIcebergCatalog.class)).create(identity);
        SchemaTableName table = new SchemaTableName(SCHEMA, name);
        catalog.newCreateTableTransaction(session, table, schema, PartitionSpec.unpartitioned(), SortOrder.unsorted(), Optional.of(catalog.defaultTableLocation(session, table)), Map.of())
                .commitTransaction();
    }

    public List<DataFile> dataFiles(String name)
    {
        return dataFiles(load(name));
    }

    public static List<DataFile> dataFiles(Table table)
    {
        try (CloseableIterable<FileScanTask> tasks = table.newScan().includeColumnStats().planFiles()) {
            return stream(tasks).map(FileScanTask::file).map(DataFile::copy).toList();
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The only data file of a table beside, as a file of this table. Both have the same partition spec, or none. */
    public DataFile onlyFile(String beside, Table table)
    {
        return rehome(getOnlyElement(dataFiles(beside)), table);
    }

    public static DataFile rehome(DataFile file, Table table)
    {
        return DataFiles.builder(table.spec())
                .copy(file)
                .withPath(file.location())
                .build();
    }

    /** The only data file of a table beside, as an equality delete by its columns. */
    public DeleteFile equalityDelete(String beside, Table table, DataFile partitionOf, String... columns)
    {
        DataFile file = getOnlyElement(dataFiles(beside));
        FileMetadata.Builder builder = FileMetadata.deleteFileBuilder(table.spec())
                .ofEqualityDeletes(Stream.of(columns).mapToInt(column -> table.schema().findField(column).fieldId()).toArray())
                .withPath(file.location())
                .withFormat(file.format())
                .withFileSizeInBytes(file.fileSizeInBytes())
                .withRecordCount(file.recordCount());
        if (table.spec().isPartitioned()) {
            builder.withPartition(partitionOf.partition());
        }
        return builder.build();
    }
}
