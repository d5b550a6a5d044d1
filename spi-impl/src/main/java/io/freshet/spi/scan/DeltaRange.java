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

import com.google.common.primitives.Longs;
import io.freshet.spi.change.SourceFactsReader;
import io.freshet.staleness.ChangeClassifier;
import io.freshet.staleness.ChangeReason;
import io.freshet.staleness.SourceBookmark;
import io.freshet.staleness.SourceChange;
import io.freshet.staleness.SourceFacts;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.SchemaTableName;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotSummary;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types.NestedField;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

import static io.trino.spi.StandardErrorCode.INVALID_FUNCTION_ARGUMENT;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static java.util.Objects.requireNonNull;
import static java.util.Objects.requireNonNullElse;

/**
 * A pair of snapshots whose difference can be read: rows were added between them and none was removed.
 *
 * @param from empty for the difference from an empty table
 * @param rows an upper bound of the rows in the difference
 */
record DeltaRange(OptionalLong from, long to, long rows)
{
    DeltaRange
    {
        requireNonNull(from, "from is null");
    }

    /**
     * @throws TrinoException INVALID_FUNCTION_ARGUMENT if a snapshot does not exist, NOT_SUPPORTED with the code of a
     *         {@link ChangeReason} if the difference cannot be read
     */
    static DeltaRange resolve(Table table, SchemaTableName name, OptionalLong from, long to)
    {
        Snapshot later = getSnapshot(table, name, to);
        checkReadable(table, name, later);
        if (from.isEmpty()) {
            Map<String, String> summary = requireNonNullElse(later.summary(), Map.of());
            Long rows = Longs.tryParse(summary.getOrDefault(SnapshotSummary.TOTAL_RECORDS_PROP, "0"));
            return new DeltaRange(from, to, requireNonNullElse(rows, 0L));
        }

        checkReadable(table, name, getSnapshot(table, name, from.getAsLong()));
        SourceFacts facts = SourceFactsReader.read(table, OptionalLong.of(to), from);
        SourceChange change = ChangeClassifier.classify(
                new SourceBookmark("", name.getSchemaName(), name.getTableName(), facts.identity(), from, Optional.empty(), List.of()),
                facts);
        return switch (change.kind()) {
            case UNCHANGED, REORGANIZED, APPENDED -> new DeltaRange(from, to, change.addedRows());
            case ROWS_CHANGED, HISTORY_LOST -> throw new TrinoException(NOT_SUPPORTED, "The changes of table %s from snapshot %s to snapshot %s cannot be read: %s (%s)".formatted(
                    name,
                    from.getAsLong(),
                    to,
                    explain(change.reason()),
                    change.reason()));
        };
    }

    private static String explain(ChangeReason reason)
    {
        return switch (reason) {
            case SOURCE_ROWS_CHANGED -> "a commit between them removed or replaced rows, and only ranges in which rows are added can be read so far";
            case SOURCE_REPLACED -> "the table was replaced between them";
            case SOURCE_ROLLED_BACK -> "the first is not an ancestor of the second";
            case SOURCE_SNAPSHOT_EXPIRED -> "a snapshot between them has expired";
            case SOURCE_WITHOUT_IDENTITY -> "the table has neither a uuid nor a snapshot";
            case NONE, NOT_BUILT, SOURCE_RECREATED, SOURCE_SCHEMA_CHANGED, SOURCE_MISSING -> throw new IllegalStateException("not a change between two snapshots of one table: " + reason);
        };
    }

    private static Snapshot getSnapshot(Table table, SchemaTableName name, long id)
    {
        Snapshot snapshot = table.snapshot(id);
        if (snapshot == null) {
            throw new TrinoException(INVALID_FUNCTION_ARGUMENT, "Table %s has no snapshot %s: it never had, or it has expired. \"%s$snapshots\" lists those it has".formatted(name, id, name.getTableName()));
        }
        return snapshot;
    }

    /**
     * Files are read with the current schema, by field id. After CREATE OR REPLACE an id may stand for a type that older
     * files cannot be read as.
     */
    private static void checkReadable(Table table, SchemaTableName name, Snapshot snapshot)
    {
        Schema writtenWith = snapshot.schemaId() == null ? null : table.schemas().get(snapshot.schemaId());
        if (writtenWith == null) {
            return;
        }
        Map<Integer, NestedField> writtenFields = TypeUtil.indexById(writtenWith.asStruct());
        TypeUtil.indexById(table.schema().asStruct()).forEach((id, field) -> {
            NestedField written = writtenFields.get(id);
            if (written != null && !isReadableAs(written.type(), field.type())) {
                throw new TrinoException(NOT_SUPPORTED, "The changes of table %s at snapshot %s cannot be read: column %s was %s then and is %s now (%s)".formatted(
                        name,
                        snapshot.snapshotId(),
                        table.schema().findColumnName(id),
                        written.type(),
                        field.type(),
                        ChangeReason.SOURCE_SCHEMA_CHANGED));
            }
        });
    }

    private static boolean isReadableAs(Type written, Type current)
    {
        if (written.isPrimitiveType() && current.isPrimitiveType()) {
            return TypeUtil.isPromotionAllowed(written, current.asPrimitiveType());
        }
        return written.typeId() == current.typeId();
    }
}
