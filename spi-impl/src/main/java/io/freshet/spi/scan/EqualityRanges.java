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

import org.apache.iceberg.ContentFile;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Comparators;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types.NestedField;

import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.Map;

import static java.util.Objects.requireNonNull;

/** Tells by column statistics that an equality delete has no row of a data file to delete. */
final class EqualityRanges
{
    private final Schema schema;

    EqualityRanges(Schema schema)
    {
        this.schema = requireNonNull(schema, "schema is null");
    }

    /** @return false only if no row of the file can be equal to a row of the deletes */
    boolean overlap(DeleteFile delete, DataFile file)
    {
        return delete.equalityFieldIds().stream().allMatch(id -> overlap(id, delete, file));
    }

    private boolean overlap(int id, DeleteFile delete, DataFile file)
    {
        NestedField field = schema.findField(id);
        if (field == null || !isOrderedByBounds(field.type()) || mayHoldNull(id, delete) && mayHoldNull(id, file)) {
            return true;
        }
        ByteBuffer deleteLower = bound(id, delete.lowerBounds());
        ByteBuffer deleteUpper = bound(id, delete.upperBounds());
        ByteBuffer fileLower = bound(id, file.lowerBounds());
        ByteBuffer fileUpper = bound(id, file.upperBounds());
        if (deleteLower == null || deleteUpper == null || fileLower == null || fileUpper == null) {
            return true;
        }
        return isAtMost(field.type(), deleteLower, fileUpper) && isAtMost(field.type(), fileLower, deleteUpper);
    }

    /** Not floating point numbers, whose bounds leave out NaN, nor types that older files may have other bounds for. */
    private static boolean isOrderedByBounds(Type type)
    {
        return switch (type.typeId()) {
            case INTEGER, LONG, STRING, DECIMAL -> true;
            default -> false;
        };
    }

    private static boolean mayHoldNull(int id, ContentFile<?> file)
    {
        Long nulls = file.nullValueCounts() == null ? null : file.nullValueCounts().get(id);
        return nulls == null || nulls > 0;
    }

    private static ByteBuffer bound(int id, Map<Integer, ByteBuffer> bounds)
    {
        return bounds == null ? null : bounds.get(id);
    }

    private static boolean isAtMost(Type type, ByteBuffer left, ByteBuffer right)
    {
        Comparator<Object> comparator = Comparators.forType(type.asPrimitiveType());
        return comparator.compare(Conversions.fromByteBuffer(type, left), Conversions.fromByteBuffer(type, right)) <= 0;
    }
}
