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
package io.freshet.spi.view;

import io.airlift.log.Logger;
import io.trino.filesystem.Location;
import io.trino.filesystem.TrinoFileSystem;
import io.trino.plugin.iceberg.IcebergFileSystemFactory;
import io.trino.plugin.iceberg.catalog.TrinoCatalogFactory;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.TableNotFoundException;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.exceptions.CommitStateUnknownException;

import java.io.IOException;
import java.util.Optional;

import static com.google.common.base.Throwables.getCausalChain;
import static io.freshet.spi.FreshetErrorCode.REFRESH_OUTCOME_UNKNOWN;
import static io.trino.plugin.iceberg.IcebergErrorCode.ICEBERG_FILESYSTEM_ERROR;
import static io.trino.spi.StandardErrorCode.INVALID_MATERIALIZED_VIEW_PROPERTY;
import static java.util.Objects.requireNonNull;

/**
 * A backing table that is being created, and the folder in which its files will lie. If it comes to nothing, so does the folder;
 * what was there before stays.
 */
final class StagedTable
{
    private static final Logger log = Logger.get(StagedTable.class);

    private final TrinoCatalogFactory icebergCatalogFactory;
    private final IcebergFileSystemFactory fileSystemFactory;
    private final ConnectorSession session;
    private final SchemaTableName name;
    private final Transaction transaction;

    StagedTable(TrinoCatalogFactory icebergCatalogFactory, IcebergFileSystemFactory fileSystemFactory, ConnectorSession session, SchemaTableName name, Transaction transaction)
    {
        this.icebergCatalogFactory = requireNonNull(icebergCatalogFactory, "icebergCatalogFactory is null");
        this.fileSystemFactory = requireNonNull(fileSystemFactory, "fileSystemFactory is null");
        this.session = requireNonNull(session, "session is null");
        this.name = requireNonNull(name, "name is null");
        this.transaction = requireNonNull(transaction, "transaction is null");
    }

    Transaction transaction()
    {
        return transaction;
    }

    BaseTable table()
    {
        return new BaseTable(((HasTableOperations) transaction.table()).operations(), transaction.table().name());
    }

    private TableMetadata metadata()
    {
        return table().operations().current();
    }

    /** Files that are there already belong to somebody else. */
    void checkLocationIsEmpty()
    {
        String location = metadata().location();
        boolean empty;
        try {
            empty = !fileSystem().listFiles(Location.of(location)).hasNext();
        }
        catch (IllegalArgumentException e) {
            throw new TrinoException(INVALID_MATERIALIZED_VIEW_PROPERTY, "Invalid location '%s': %s".formatted(location, e.getMessage()), e);
        }
        catch (IOException e) {
            throw new TrinoException(ICEBERG_FILESYSTEM_ERROR, "Failed to list files at location '%s': %s".formatted(location, e.getMessage()), e);
        }
        if (!empty) {
            throw new TrinoException(INVALID_MATERIALIZED_VIEW_PROPERTY, "Location '%s' is not empty. Set property location of the materialized view to another one".formatted(location));
        }
    }

    enum Fate
    {
        /** The table is there, in spite of the failure. */
        COMMITTED,
        /** Another table was created by that name in the meantime. */
        OVERTAKEN,
        /** There is no such table. */
        FAILED,
    }

    /** Finds out what became of the table after a failure, and removes what belongs to nobody. */
    Fate settle(RuntimeException failure)
    {
        Optional<TableMetadata> present;
        try {
            present = Optional.of(icebergCatalogFactory.create(session.getIdentity()).loadTable(session, name).operations().current());
        }
        catch (TableNotFoundException e) {
            present = Optional.empty();
        }
        catch (RuntimeException e) {
            log.warn(e, "Could not find out whether table %s was created; its files stay", name);
            return Fate.FAILED;
        }
        if (present.isPresent() && present.get().uuid().equals(metadata().uuid())) {
            return Fate.COMMITTED;
        }
        boolean locationIsUsed = present.isPresent() && present.get().location().equals(metadata().location());
        if (!locationIsUsed && !mayStillBeCommitted(failure)) {
            deleteFiles();
        }
        return present.isPresent() ? Fate.OVERTAKEN : Fate.FAILED;
    }

    private static boolean mayStillBeCommitted(RuntimeException failure)
    {
        return getCausalChain(failure).stream().anyMatch(cause -> cause instanceof CommitStateUnknownException ||
                (cause instanceof TrinoException e && e.getErrorCode().equals(REFRESH_OUTCOME_UNKNOWN.toErrorCode())));
    }

    private void deleteFiles()
    {
        try {
            fileSystem().deleteDirectory(Location.of(metadata().location()));
        }
        catch (IOException | RuntimeException e) {
            log.warn(e, "Could not delete the files of table %s, which was not created", name);
        }
    }

    private TrinoFileSystem fileSystem()
    {
        return fileSystemFactory.create(session.getIdentity(), transaction.table().io().properties());
    }
}
