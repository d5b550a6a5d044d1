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
package io.freshet.spi.metadata;

import com.google.common.collect.ImmutableList;
import io.trino.plugin.iceberg.ColumnIdentity;
import io.trino.plugin.iceberg.IcebergColumnHandle;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.ColumnSchema;
import io.trino.spi.connector.ConnectorMetadata;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ConnectorTableMetadata;
import io.trino.spi.connector.ConnectorTableSchema;

import java.util.List;
import java.util.Optional;

import static io.trino.plugin.iceberg.ColumnIdentity.TypeCategory.PRIMITIVE;
import static io.trino.spi.type.TinyintType.TINYINT;

/**
 * Two columns that a backing table has in a statement which changes single rows of it: the address of a stored row, which is read
 * and written, and what to do with the row at that address, which is only written. Together they make an INSERT do what a MERGE
 * does, without a second look at the table and without the operators that a MERGE adds.
 */
final class RowChangeColumns
{
    /** The connector's own row id: file, position, partition and, in format version 3, the row's lineage. */
    static final String ADDRESS = "__mv_address";
    static final String CHANGE = "__mv_change";

    // Iceberg's reserved ids count down from Integer.MAX_VALUE, Trino's count up from Integer.MIN_VALUE
    private static final IcebergColumnHandle CHANGE_COLUMN = IcebergColumnHandle.optional(new ColumnIdentity(Integer.MIN_VALUE + 1001, CHANGE, PRIMITIVE, ImmutableList.of()))
            .columnType(TINYINT)
            .build();

    private final IcebergColumnHandle address;

    private RowChangeColumns(IcebergColumnHandle address)
    {
        this.address = address;
    }

    static RowChangeColumns of(ConnectorMetadata metadata, ConnectorSession session, ConnectorTableHandle table)
    {
        return new RowChangeColumns((IcebergColumnHandle) metadata.getMergeRowIdColumnHandle(session, table));
    }

    static boolean isAddress(ColumnHandle column)
    {
        return column instanceof IcebergColumnHandle iceberg && iceberg.isMergeRowIdColumn();
    }

    static boolean isChange(ColumnHandle column)
    {
        return column instanceof IcebergColumnHandle iceberg && iceberg.getId() == CHANGE_COLUMN.getId();
    }

    ColumnHandle address()
    {
        return address;
    }

    ColumnHandle change()
    {
        return CHANGE_COLUMN;
    }

    /** Both may be NULL in the rows of a statement: a new row has no address. */
    List<ColumnMetadata> metadata()
    {
        return ImmutableList.of(
                ColumnMetadata.builder().setName(ADDRESS).setType(address.getType()).build(),
                ColumnMetadata.builder().setName(CHANGE).setType(TINYINT).build());
    }

    Optional<ColumnMetadata> metadata(ColumnHandle column)
    {
        if (isAddress(column)) {
            return Optional.of(metadata().get(0));
        }
        return isChange(column) ? Optional.of(metadata().get(1)) : Optional.empty();
    }

    ConnectorTableMetadata addTo(ConnectorTableMetadata table)
    {
        return new ConnectorTableMetadata(
                table.getTable(),
                ImmutableList.<ColumnMetadata>builder().addAll(table.getColumns()).addAll(metadata()).build(),
                table.getProperties(),
                table.getComment(),
                table.getCheckConstraints());
    }

    ConnectorTableSchema addTo(ConnectorTableSchema table)
    {
        ImmutableList.Builder<ColumnSchema> columns = ImmutableList.<ColumnSchema>builder().addAll(table.getColumns());
        metadata().forEach(column -> columns.add(column.getColumnSchema()));
        return new ConnectorTableSchema(table.getTable(), columns.build(), table.getCheckConstraints());
    }
}
