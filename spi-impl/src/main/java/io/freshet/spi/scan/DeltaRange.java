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
import com.google.common.primitives.Longs;
import io.freshet.spi.change.SourceFactsReader;
import io.freshet.staleness.ChangeClassifier;
import io.freshet.staleness.ChangeReason;
import io.freshet.staleness.SnapshotFact;
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

import static com.google.common.math.LongMath.saturatedAdd;
import static io.trino.spi.StandardErrorCode.INVALID_FUNCTION_ARGUMENT;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static java.util.Objects.requireNonNull;
import static java.util.Objects.requireNonNullElse;

/**
 * A pair of snapshots whose difference can be read, and how.
 *
 * @param from empty for the difference from an empty table
 * @param rows an upper bound of the rows in the difference
 */
record DeltaRange(OptionalLong from, long to, long rows, Reading reading)
{
    DeltaRange
    {
        requireNonNull(from, "from is null");
        requireNonNull(reading, "reading is null");
    }

    /** What has to be read. */
    sealed interface Reading {}

    /** Nothing: there are other files at most, with the same rows. */
    record NoRows()
            implements Reading {}

    /** All rows of the later state. */
    record WholeState()
            implements Reading {}

    /** The files that were appended. */
    record Appends()
            implements Reading {}

    /** The differences of states, one after the other. Between them lie commits that only rewrote files. */
    record Differences(List<Segment> segments)
            implements Reading
    {
        Differences
        {
            segments = ImmutableList.copyOf(segments);
        }
    }

    record Segment(long from, long to) {}

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
            return new DeltaRange(from, to, requireNonNullElse(rows, 0L), new WholeState());
        }

        checkReadable(table, name, getSnapshot(table, name, from.getAsLong()));
        SourceFacts facts = SourceFactsReader.read(table, OptionalLong.of(to), from);
        SourceChange change = ChangeClassifier.classify(
                new SourceBookmark("", name.getSchemaName(), name.getTableName(), facts.identity(), from, Optional.empty(), List.of()),
                facts);
        return switch (change.kind()) {
            case UNCHANGED, REORGANIZED -> new DeltaRange(from, to, 0, new NoRows());
            case APPENDED -> new DeltaRange(from, to, change.addedRows(), new Appends());
            case ROWS_CHANGED -> new DeltaRange(
                    from,
                    to,
                    saturatedAdd(change.addedRows(), change.removedRows()),
                    new Differences(segments(facts.lineage(), from.getAsLong(), to)));
            case HISTORY_LOST -> throw new TrinoException(NOT_SUPPORTED, "The changes of table %s from snapshot %s to snapshot %s cannot be read: %s (%s)".formatted(
                    name,
                    from.getAsLong(),
                    to,
                    explain(change.reason()),
                    change.reason()));
        };
    }

    /**
     * Cuts the range at commits that only rewrote files: a difference over such a commit would hold all rows that it moved,
     * out and in again. Where not every commit of the range is known there is one difference.
     *
     * @param lineage the later snapshot and its ancestors, newest first
     */
    private static List<Segment> segments(List<SnapshotFact> lineage, long from, long to)
    {
        if (lineage.getLast().id() != from) {
            return ImmutableList.of(new Segment(from, to));
        }
        ImmutableList.Builder<Segment> segments = ImmutableList.builder();
        long start = from;
        long previous = from;
        for (SnapshotFact fact : lineage.reversed().subList(1, lineage.size())) {
            if (fact.preservesRows()) {
                if (start != previous) {
                    segments.add(new Segment(start, previous));
                }
                start = fact.id();
            }
            previous = fact.id();
        }
        if (start != to) {
            segments.add(new Segment(start, to));
        }
        return segments.build();
    }

    private static String explain(ChangeReason reason)
    {
        return switch (reason) {
            case SOURCE_REPLACED -> "the table was replaced between them";
            case SOURCE_WITHOUT_IDENTITY -> "the table has neither a uuid nor a snapshot";
            case NONE, NOT_BUILT, SOURCE_ROWS_CHANGED, SOURCE_RECREATED, SOURCE_ROLLED_BACK, SOURCE_SNAPSHOT_EXPIRED, SOURCE_SCHEMA_CHANGED, SOURCE_MISSING -> throw new IllegalStateException("not a change between two snapshots of one table: " + reason);
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
