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
import com.google.common.collect.ImmutableMap;
import com.google.inject.Inject;
import io.freshet.spi.refresh.RefreshProperties;
import io.freshet.spi.schedule.ScheduleProperties;
import io.trino.plugin.iceberg.IcebergMaterializedViewProperties;
import io.trino.plugin.iceberg.IcebergTableProperties;
import io.trino.spi.session.PropertyMetadata;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static java.util.function.Function.identity;

/**
 * The properties that a materialized view can declare: Freshet's, and those of the Iceberg table that keeps its rows.
 */
public final class ViewProperties
{
    /** Row ids and deletion vectors: what maintaining rows rests on. */
    private static final int DEFAULT_FORMAT_VERSION = 3;

    /** Always shown, as they depend on the configuration of the catalog. */
    private static final Set<String> STORED_EVEN_IF_DEFAULT = Set.of(IcebergTableProperties.FILE_FORMAT_PROPERTY, IcebergTableProperties.FORMAT_VERSION_PROPERTY);

    private final List<PropertyMetadata<?>> properties;
    private final Map<String, PropertyMetadata<?>> byName;

    @Inject
    public ViewProperties(IcebergMaterializedViewProperties stock, RefreshProperties refreshProperties, ScheduleProperties scheduleProperties)
    {
        properties = Stream.of(
                        scheduleProperties.getViewProperties().stream(),
                        refreshProperties.getViewProperties().stream(),
                        stock.getMaterializedViewProperties().stream().map(ViewProperties::withDefault))
                .flatMap(identity())
                .collect(toImmutableList());
        byName = properties.stream().collect(toImmutableMap(PropertyMetadata::getName, identity()));
    }

    private static PropertyMetadata<?> withDefault(PropertyMetadata<?> property)
    {
        return property.getName().equals(IcebergTableProperties.FORMAT_VERSION_PROPERTY) ? withDefault(property, DEFAULT_FORMAT_VERSION) : property;
    }

    private static <T> PropertyMetadata<T> withDefault(PropertyMetadata<T> property, Object defaultValue)
    {
        return new PropertyMetadata<>(
                property.getName(),
                property.getDescription(),
                property.getSqlType(),
                property.getJavaType(),
                property.getJavaType().cast(defaultValue),
                property.isHidden(),
                property::decode,
                property::encode);
    }

    public List<PropertyMetadata<?>> all()
    {
        return properties;
    }

    /** Values as the engine has them, to values that JSON can hold. What was not declared is left out. */
    public Map<String, Object> encode(Map<String, Object> values)
    {
        ImmutableMap.Builder<String, Object> encoded = ImmutableMap.builder();
        values.forEach((name, value) -> {
            PropertyMetadata<?> property = byName.get(name);
            if (value != null && (STORED_EVEN_IF_DEFAULT.contains(name) || !Objects.equals(value, property.getDefaultValue()))) {
                encoded.put(name, encode(property, value));
            }
        });
        return encoded.buildOrThrow();
    }

    private static <T> Object encode(PropertyMetadata<T> property, Object value)
    {
        return property.encode(property.getJavaType().cast(value));
    }

    /** The reverse of {@link #encode(Map)}. */
    public Map<String, Object> decode(Map<String, Object> encoded)
    {
        ImmutableMap.Builder<String, Object> values = ImmutableMap.builder();
        encoded.forEach((name, value) -> Optional.ofNullable(byName.get(name))
                .ifPresent(property -> values.put(name, property.decode(sqlValue(property, value)))));
        return values.buildOrThrow();
    }

    /** JSON has one kind of whole number. */
    private static Object sqlValue(PropertyMetadata<?> property, Object value)
    {
        if (value instanceof Number number) {
            return switch (property.getSqlType().getBaseName()) {
                case "bigint" -> number.longValue();
                case "double" -> number.doubleValue();
                default -> number.intValue();
            };
        }
        return value instanceof List<?> list ? ImmutableList.copyOf(list) : value;
    }
}
