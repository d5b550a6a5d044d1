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
package io.freshet.spi.change;

import com.google.common.collect.ImmutableMap;
import io.freshet.staleness.ResolvedColumn;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types.ListType;
import org.apache.iceberg.types.Types.MapType;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.iceberg.types.Types.StructType;

import java.util.List;
import java.util.Map;

import static java.util.Locale.ENGLISH;
import static java.util.stream.Collectors.joining;

final class FieldTypes
{
    private FieldTypes() {}

    static Map<String, ResolvedColumn> resolveColumns(Schema schema)
    {
        ImmutableMap.Builder<String, ResolvedColumn> columns = ImmutableMap.builder();
        addFields("", schema.columns(), columns);
        // Trino sees names in lower case and cannot read a table where two differ by case only
        return columns.buildKeepingLast();
    }

    private static void addFields(String prefix, List<NestedField> fields, ImmutableMap.Builder<String, ResolvedColumn> columns)
    {
        for (NestedField field : fields) {
            String name = prefix + field.name().toLowerCase(ENGLISH);
            columns.put(name, new ResolvedColumn(name, field.fieldId(), describe(field.type()), field.isRequired()));
            if (field.type().isNestedType()) {
                addFields(name + ".", field.type().asNestedType().fields(), columns);
            }
        }
    }

    // Not Type.toString(), which has the comments of nested fields in it
    private static String describe(Type type)
    {
        return switch (type) {
            case StructType struct -> "struct<" + describe(struct.fields()) + ">";
            case ListType list -> "list<" + describe(list.fields()) + ">";
            case MapType map -> "map<" + describe(map.fields()) + ">";
            default -> type.toString();
        };
    }

    private static String describe(List<NestedField> fields)
    {
        return fields.stream()
                .map(field -> "%s:%s %s%s".formatted(field.fieldId(), field.name(), describe(field.type()), field.isRequired() ? " required" : ""))
                .collect(joining(", "));
    }
}
