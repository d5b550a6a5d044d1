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

import com.google.common.collect.ImmutableList;
import io.freshet.engine.StateLayout;
import io.freshet.engine.StorageTypes;
import io.trino.plugin.iceberg.IcebergUtil;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.ConnectorMaterializedViewDefinition;
import io.trino.spi.type.TimestampWithTimeZoneType;
import io.trino.spi.type.Type;
import io.trino.spi.type.TypeManager;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;

import java.util.List;
import java.util.Optional;
import java.util.Set;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static io.trino.plugin.iceberg.PartitionFields.parsePartitionFields;
import static io.trino.plugin.iceberg.PartitionTransforms.getColumnTransform;
import static io.trino.plugin.iceberg.TypeConverter.toTrinoType;
import static io.trino.spi.type.TimestampWithTimeZoneType.TIMESTAMP_TZ_MICROS;
import static java.util.Objects.requireNonNull;

/**
 * The columns of a backing table: those of the view, in types that Iceberg has, then the hidden ones that hold state.
 * <p>
 * A timestamp with time zone keeps its zone by being stored as text, unless the view is partitioned by its time: then it is
 * stored as the point in time, in UTC. The Iceberg connector does the same with its own materialized views.
 */
final class BackingColumns
{
    private final TypeManager typeManager;

    BackingColumns(TypeManager typeManager)
    {
        this.typeManager = requireNonNull(typeManager, "typeManager is null");
    }

    List<ColumnMetadata> columns(List<ConnectorMaterializedViewDefinition.Column> viewColumns, Optional<StateLayout> layout, List<String> partitioning)
    {
        Set<String> partitionedByTime = partitionedByTime(viewColumns, layout, partitioning);
        ImmutableList.Builder<ColumnMetadata> columns = ImmutableList.builder();
        for (ConnectorMaterializedViewDefinition.Column column : viewColumns) {
            Type type = typeManager.getType(column.getType());
            Type storageType = isInstant(type) && partitionedByTime.contains(column.getName()) ? TIMESTAMP_TZ_MICROS : storageType(type);
            columns.add(new ColumnMetadata(column.getName(), storageType));
        }
        return columns.addAll(hiddenColumns(layout)).build();
    }

    private Set<String> partitionedByTime(List<ConnectorMaterializedViewDefinition.Column> viewColumns, Optional<StateLayout> layout, List<String> partitioning)
    {
        Schema withInstants = IcebergUtil.schemaFromMetadata(ImmutableList.<ColumnMetadata>builder()
                .addAll(viewColumns.stream()
                        .map(column -> new ColumnMetadata(column.getName(), instantOrStorageType(typeManager.getType(column.getType()))))
                        .collect(toImmutableList()))
                .addAll(hiddenColumns(layout))
                .build());
        PartitionSpec spec = parsePartitionFields(withInstants, partitioning);
        return spec.fields().stream()
                .filter(field -> getColumnTransform(field, toTrinoType(withInstants.findField(field.sourceId()).type(), typeManager)).temporal())
                .map(field -> withInstants.findField(field.sourceId()).name())
                .collect(toImmutableSet());
    }

    private List<ColumnMetadata> hiddenColumns(Optional<StateLayout> layout)
    {
        return layout.stream()
                .flatMap(value -> value.hiddenColumns().stream())
                .map(column -> new ColumnMetadata(column.name(), typeManager.fromSqlType(column.storageType())))
                .collect(toImmutableList());
    }

    private Type instantOrStorageType(Type type)
    {
        return isInstant(type) ? TIMESTAMP_TZ_MICROS : storageType(type);
    }

    private static boolean isInstant(Type type)
    {
        return type instanceof TimestampWithTimeZoneType instant && instant.getPrecision() <= 6;
    }

    private Type storageType(Type type)
    {
        return typeManager.fromSqlType(StorageTypes.storageType(type.getDisplayName()));
    }
}
