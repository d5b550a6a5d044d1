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
import com.google.common.collect.ImmutableSet;
import io.airlift.slice.Slice;
import io.freshet.spi.scan.TableLoader.ViewRows;
import io.trino.plugin.iceberg.IcebergColumnHandle;
import io.trino.plugin.iceberg.IcebergTableHandle;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ColumnSchema;
import io.trino.spi.connector.ConnectorAccessControl;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.function.table.AbstractConnectorTableFunction;
import io.trino.spi.function.table.Argument;
import io.trino.spi.function.table.Descriptor;
import io.trino.spi.function.table.ScalarArgument;
import io.trino.spi.function.table.ScalarArgumentSpecification;
import io.trino.spi.function.table.TableFunctionAnalysis;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.Type;
import io.trino.spi.type.TypeManager;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.PartitionSpecParser;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.TableUtil;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static com.google.common.collect.Maps.transformValues;
import static io.airlift.slice.Slices.utf8Slice;
import static io.freshet.engine.StateLayout.VISIBILITY_COLUMN;
import static io.trino.plugin.iceberg.IcebergUtil.getTopLevelColumns;
import static io.trino.plugin.iceberg.TableType.DATA;
import static io.trino.spi.StandardErrorCode.INVALID_FUNCTION_ARGUMENT;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.spi.function.table.ReturnTypeSpecification.GenericTable.GENERIC_TABLE;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.util.Locale.ENGLISH;
import static java.util.Objects.requireNonNull;

/**
 * {@code TABLE(system.table_delta(schema_name, table_name, from_snapshot_id, to_snapshot_id))}: the table's columns and, last,
 * the weight of the row. The columns are those that the table has now, so that a range may span changes of the schema.
 * <p>
 * In the statement of a refresh it also takes a materialized view that the refresh reads. Then the rows are those of the backing
 * table: with the types that columns have there, and with a column that tells which rows are the view's, if not all are.
 */
public class TableDeltaFunction
        extends AbstractConnectorTableFunction
{
    private static final String FUNCTION_NAME = "table_delta";
    private static final String SCHEMA_NAME = "SCHEMA_NAME";
    private static final String TABLE_NAME = "TABLE_NAME";
    private static final String FROM_SNAPSHOT_ID = "FROM_SNAPSHOT_ID";
    private static final String TO_SNAPSHOT_ID = "TO_SNAPSHOT_ID";
    private static final String WEIGHT_COLUMN = "WEIGHT_COLUMN";

    private final TableLoader tableLoader;
    private final TypeManager typeManager;

    public TableDeltaFunction(TableLoader tableLoader, TypeManager typeManager)
    {
        super(
                "system",
                FUNCTION_NAME,
                ImmutableList.of(
                        argument(SCHEMA_NAME, VARCHAR),
                        argument(TABLE_NAME, VARCHAR),
                        argument(FROM_SNAPSHOT_ID, BIGINT),
                        argument(TO_SNAPSHOT_ID, BIGINT),
                        ScalarArgumentSpecification.builder()
                                .name(WEIGHT_COLUMN)
                                .type(VARCHAR)
                                .defaultValue(utf8Slice(WeightColumn.DEFAULT_NAME))
                                .build()),
                GENERIC_TABLE,
                "");
        this.tableLoader = requireNonNull(tableLoader, "tableLoader is null");
        this.typeManager = requireNonNull(typeManager, "typeManager is null");
    }

    @Override
    public TableFunctionAnalysis analyze(ConnectorSession session, ConnectorTransactionHandle transaction, Map<String, Argument> arguments, ConnectorAccessControl accessControl)
    {
        SchemaTableName name = new SchemaTableName(getString(arguments, SCHEMA_NAME), getString(arguments, TABLE_NAME));
        OptionalLong from = getLong(arguments, FROM_SNAPSHOT_ID);
        long to = getLong(arguments, TO_SNAPSHOT_ID).orElseThrow(() -> argumentMissing(TO_SNAPSHOT_ID));
        String weightColumn = getString(arguments, WEIGHT_COLUMN).toLowerCase(ENGLISH);

        Optional<ViewRows> view = tableLoader.loadView(transaction, session, name);
        BaseTable table = view.map(ViewRows::table).orElseGet(() -> tableLoader.load(transaction, session, name));
        List<IcebergColumnHandle> tableColumns = getTopLevelColumns(table.schema(), typeManager);
        // rights to a materialized view, as well as filters and masks, are those of the name that a user knows
        checkAccess(accessControl, name, tableColumns.stream().filter(column -> isShown(view, column)).collect(toImmutableList()));
        checkWeightColumn(name, tableColumns, weightColumn);
        DeltaRange range = DeltaRange.resolve(table, name, from, to);

        List<IcebergColumnHandle> columns = ImmutableList.<IcebergColumnHandle>builder()
                .addAll(tableColumns.stream().filter(column -> isShown(view, column) || tellsVisibility(column)).collect(toImmutableList()))
                .add(WeightColumn.create(weightColumn))
                .build();
        return TableFunctionAnalysis.builder()
                .returnedType(new Descriptor(columns.stream()
                        .map(column -> new Descriptor.Field(column.getName().toLowerCase(ENGLISH), Optional.of(column.getType())))
                        .collect(toImmutableList())))
                .handle(new DeltaFunctionHandle(
                        new DeltaTableHandle(tableHandle(table, view.map(ViewRows::storedName).orElse(name), to, columns), from, to, weightColumn, range.rows()),
                        columns))
                .build();
    }

    private static boolean isShown(Optional<ViewRows> view, IcebergColumnHandle column)
    {
        return view.isEmpty() || view.get().columns().contains(column.getName().toLowerCase(ENGLISH));
    }

    private static boolean tellsVisibility(IcebergColumnHandle column)
    {
        return column.getName().equals(VISIBILITY_COLUMN);
    }

    private static void checkAccess(ConnectorAccessControl accessControl, SchemaTableName name, List<IcebergColumnHandle> columns)
    {
        accessControl.checkCanSelectFromColumns(null, name, Optional.empty(), columns.stream().map(IcebergColumnHandle::getName).collect(toImmutableSet()));
        List<ColumnSchema> columnSchemas = columns.stream()
                .map(column -> ColumnSchema.builder().setName(column.getName()).setType(column.getType()).setHidden(false).build())
                .collect(toImmutableList());
        try {
            // The engine's own access control throws here instead of answering
            if (accessControl.getRowFilters(null, name).isEmpty() && accessControl.getColumnMasks(null, name, columnSchemas).isEmpty()) {
                return;
            }
        }
        catch (TrinoException e) {
            if (!e.getErrorCode().equals(NOT_SUPPORTED.toErrorCode())) {
                throw e;
            }
            throw rowFilter(name, e);
        }
        throw rowFilter(name, null);
    }

    private static TrinoException rowFilter(SchemaTableName name, Throwable cause)
    {
        return new TrinoException(NOT_SUPPORTED, "The changes of table %s cannot be read: a row filter or column mask applies to it (SOURCE_HAS_ROW_FILTER)".formatted(name), cause);
    }

    private static void checkWeightColumn(SchemaTableName name, List<IcebergColumnHandle> columns, String weightColumn)
    {
        if (weightColumn.isEmpty()) {
            throw argumentMissing(WEIGHT_COLUMN);
        }
        if (columns.stream().anyMatch(column -> column.getName().equalsIgnoreCase(weightColumn))) {
            throw new TrinoException(INVALID_FUNCTION_ARGUMENT, "Table %s has a column named %s itself: give another name for the weight of a row as the fifth argument, weight_column".formatted(name, weightColumn));
        }
    }

    private static IcebergTableHandle tableHandle(BaseTable table, SchemaTableName name, long snapshotId, List<IcebergColumnHandle> columns)
    {
        return new IcebergTableHandle(
                name.getSchemaName(),
                name.getTableName(),
                DATA,
                OptionalLong.of(snapshotId),
                SchemaParser.toJson(table.schema()),
                OptionalInt.of(table.spec().specId()),
                transformValues(table.specs(), PartitionSpecParser::toJson),
                TableUtil.formatVersion(table),
                TupleDomain.all(),
                TupleDomain.all(),
                OptionalLong.empty(),
                ImmutableSet.copyOf(columns),
                Optional.ofNullable(table.properties().get(TableProperties.DEFAULT_NAME_MAPPING)),
                table.location(),
                table.properties(),
                Optional.empty(),
                false,
                Optional.empty(),
                ImmutableSet.of(),
                Optional.of(false));
    }

    private static ScalarArgumentSpecification argument(String name, Type type)
    {
        return ScalarArgumentSpecification.builder().name(name).type(type).build();
    }

    private static String getString(Map<String, Argument> arguments, String name)
    {
        if (((ScalarArgument) arguments.get(name)).getValue() instanceof Slice value) {
            return value.toStringUtf8();
        }
        throw argumentMissing(name);
    }

    private static OptionalLong getLong(Map<String, Argument> arguments, String name)
    {
        return ((ScalarArgument) arguments.get(name)).getValue() instanceof Long value ? OptionalLong.of(value) : OptionalLong.empty();
    }

    private static TrinoException argumentMissing(String name)
    {
        return new TrinoException(INVALID_FUNCTION_ARGUMENT, "%s: argument %s must have a value".formatted(FUNCTION_NAME, name.toLowerCase(ENGLISH)));
    }
}
