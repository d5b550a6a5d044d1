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
import io.trino.spi.classloader.ThreadContextClassLoader;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.ConnectorAccessControl;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorSplit;
import io.trino.spi.connector.ConnectorTableMetadata;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.InMemoryRecordSet;
import io.trino.spi.connector.RecordCursor;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.SystemTable;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.Type;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.connector.SystemTable.Distribution.SINGLE_COORDINATOR;
import static io.trino.spi.type.DateTimeEncoding.packDateTimeWithZone;
import static io.trino.spi.type.TimeZoneKey.UTC_KEY;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.util.Objects.requireNonNull;

/**
 * A system table with rows for each materialized view that the caller may see. Views that a filter on {@code schema_name} or
 * {@code view_name} excludes are not loaded, and values of columns that the query does not read are not looked for.
 *
 * @param <T> what a row is made from
 */
abstract class ViewSystemTable<T>
        implements SystemTable
{
    static final String SCHEMA_NAME = "schema_name";
    static final String VIEW_NAME = "view_name";

    private final ViewListing listing;
    private final List<SystemColumn<T>> columns;
    private final ConnectorTableMetadata metadata;
    private final int schemaColumn;
    private final int viewColumn;

    ViewSystemTable(String name, ViewListing listing, List<SystemColumn<T>> columns)
    {
        this.listing = requireNonNull(listing, "listing is null");
        this.columns = ImmutableList.copyOf(columns);
        metadata = new ConnectorTableMetadata(new SchemaTableName("system", name), columns.stream()
                .map(column -> ColumnMetadata.builder().setName(column.name()).setType(column.type()).setComment(Optional.of(column.comment())).build())
                .collect(toImmutableList()));
        List<String> names = columns.stream().map(SystemColumn::name).collect(toImmutableList());
        schemaColumn = names.indexOf(SCHEMA_NAME);
        viewColumn = names.indexOf(VIEW_NAME);
    }

    /** The rows of one view. */
    abstract List<T> rows(ViewFacts view);

    @Override
    public Distribution getDistribution()
    {
        return SINGLE_COORDINATOR;
    }

    @Override
    public ConnectorTableMetadata getTableMetadata()
    {
        return metadata;
    }

    @Override
    public RecordCursor cursor(
            ConnectorTransactionHandle transactionHandle,
            ConnectorSession session,
            TupleDomain<Integer> constraint,
            Set<Integer> requiredColumns,
            ConnectorSplit split,
            ConnectorAccessControl accessControl)
    {
        List<Type> types = columns.stream().map(SystemColumn::type).collect(toImmutableList());
        try (ThreadContextClassLoader _ = new ThreadContextClassLoader(getClass().getClassLoader())) {
            Domain schemas = constraint.getDomain(schemaColumn, VARCHAR);
            Domain views = constraint.getDomain(viewColumn, VARCHAR);
            List<List<Object>> rows = listing.list(session, accessControl, schemas, views).stream()
                    .flatMap(view -> rows(view).stream())
                    .map(row -> values(row, requiredColumns))
                    .collect(toImmutableList());
            return new InMemoryRecordSet(types, rows).cursor();
        }
    }

    private List<Object> values(T row, Set<Integer> requiredColumns)
    {
        List<Object> values = new ArrayList<>(columns.size());
        for (int index = 0; index < columns.size(); index++) {
            values.add(requiredColumns.contains(index) ? columns.get(index).value().apply(row) : null);
        }
        return values;
    }

    /** A {@code timestamp(3) with time zone}. */
    static Object timestamp(Optional<Long> epochMillis)
    {
        return epochMillis.map(millis -> packDateTimeWithZone(millis, UTC_KEY)).orElse(null);
    }
}
