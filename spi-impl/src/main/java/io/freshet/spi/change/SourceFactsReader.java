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

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.Longs;
import io.freshet.staleness.SnapshotFact;
import io.freshet.staleness.SnapshotFact.Operation;
import io.freshet.staleness.SnapshotFact.RowDeletes;
import io.freshet.staleness.SnapshotFact.Totals;
import io.freshet.staleness.SourceBookmark;
import io.freshet.staleness.SourceFacts;
import io.freshet.staleness.SourceIdentity;
import org.apache.iceberg.DataOperations;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.SnapshotSummary;
import org.apache.iceberg.Table;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

import static com.google.common.base.Preconditions.checkArgument;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static com.google.common.collect.Streams.stream;
import static com.google.common.math.LongMath.saturatedAdd;
import static java.util.Comparator.comparingLong;
import static java.util.Objects.requireNonNullElse;

public final class SourceFactsReader
{
    private SourceFactsReader() {}

    /**
     * The facts of the branch or tag that the bookmark names, or of the main line; without a bookmark the whole lineage.
     */
    public static SourceFacts read(Table table, Optional<SourceBookmark> bookmark)
    {
        Optional<String> ref = bookmark.flatMap(SourceBookmark::ref);
        OptionalLong current = ref.isPresent()
                ? snapshotOf(table.refs().get(ref.get()))
                : idOf(table.currentSnapshot());
        return read(table, current, bookmark.map(SourceBookmark::snapshotId).orElse(OptionalLong.empty()));
    }

    /** The facts as they would be if {@code current} were the current snapshot. */
    public static SourceFacts read(Table table, OptionalLong current, OptionalLong bookmarked)
    {
        List<SnapshotFact> lineage = lineage(table, current, bookmarked);
        boolean reached = !lineage.isEmpty() && OptionalLong.of(lineage.getLast().id()).equals(bookmarked);
        return new SourceFacts(
                identity(table),
                current,
                FieldTypes.resolveColumns(table.schema()),
                lineage,
                stream(table.snapshots()).map(Snapshot::snapshotId).collect(toImmutableSet()),
                reached ? ImmutableList.of() : lineage(table, bookmarked, OptionalLong.empty()));
    }

    public static SourceIdentity identity(Table table)
    {
        checkArgument(table instanceof HasTableOperations, "not a table with metadata of its own: %s", table);
        String uuid = ((HasTableOperations) table).operations().current().uuid();
        return SourceIdentity.of(
                Optional.ofNullable(uuid),
                table.location(),
                uuid == null ? firstSnapshot(table) : OptionalLong.empty());
    }

    private static OptionalLong firstSnapshot(Table table)
    {
        return stream(table.snapshots())
                .min(comparingLong(Snapshot::sequenceNumber).thenComparingLong(Snapshot::timestampMillis))
                .map(SourceFactsReader::idOf)
                .orElse(OptionalLong.empty());
    }

    private static List<SnapshotFact> lineage(Table table, OptionalLong newest, OptionalLong until)
    {
        ImmutableList.Builder<SnapshotFact> lineage = ImmutableList.builder();
        Set<Long> seen = new HashSet<>();
        OptionalLong next = newest;
        while (next.isPresent()) {
            Snapshot snapshot = table.snapshot(next.getAsLong());
            if (snapshot == null || !seen.add(snapshot.snapshotId())) {
                break;
            }
            SnapshotFact fact = toFact(snapshot);
            lineage.add(fact);
            next = next.equals(until) ? OptionalLong.empty() : fact.parentId();
        }
        return lineage.build();
    }

    private static SnapshotFact toFact(Snapshot snapshot)
    {
        Map<String, String> summary = requireNonNullElse(snapshot.summary(), Map.of());
        return new SnapshotFact(
                snapshot.snapshotId(),
                snapshot.parentId() == null ? OptionalLong.empty() : OptionalLong.of(snapshot.parentId()),
                snapshot.timestampMillis(),
                toOperation(snapshot.operation()),
                count(summary, SnapshotSummary.ADDED_RECORDS_PROP),
                count(summary, SnapshotSummary.ADDED_FILE_SIZE_PROP),
                count(summary, SnapshotSummary.DELETED_RECORDS_PROP),
                count(summary, SnapshotSummary.DELETED_FILES_PROP),
                count(summary, SnapshotSummary.ADDED_DELETE_FILES_PROP),
                count(summary, SnapshotSummary.REMOVED_DELETE_FILES_PROP),
                count(summary, SnapshotSummary.REMOVED_FILE_SIZE_PROP),
                rowDeletes(summary),
                new Totals(
                        total(summary, SnapshotSummary.TOTAL_RECORDS_PROP),
                        total(summary, SnapshotSummary.TOTAL_FILE_SIZE_PROP),
                        total(summary, SnapshotSummary.TOTAL_DATA_FILES_PROP)));
    }

    private static RowDeletes rowDeletes(Map<String, String> summary)
    {
        long added = count(summary, SnapshotSummary.ADDED_POS_DELETES_PROP);
        long removed = count(summary, SnapshotSummary.REMOVED_POS_DELETES_PROP);
        long addedVectors = count(summary, SnapshotSummary.ADDED_DVS_PROP);
        long removedVectors = count(summary, SnapshotSummary.REMOVED_DVS_PROP);
        // A vector that takes the place of another names the rows of that one again. Other deletes may name rows that are long gone
        boolean onlyVectorsRemoved = removedVectors == count(summary, SnapshotSummary.REMOVED_DELETE_FILES_PROP);
        boolean onlyVectors = onlyVectorsRemoved && addedVectors == count(summary, SnapshotSummary.ADDED_DELETE_FILES_PROP);
        return new RowDeletes(
                onlyVectorsRemoved ? Math.max(0, added - removed) : added,
                onlyVectors ? Math.max(addedVectors, removedVectors) : saturatedAdd(added, removed),
                count(summary, SnapshotSummary.ADD_EQ_DELETE_FILES_PROP) > 0 || count(summary, SnapshotSummary.REMOVED_EQ_DELETE_FILES_PROP) > 0);
    }

    private static Operation toOperation(String operation)
    {
        return switch (operation) {
            case null -> Operation.UNKNOWN;
            case DataOperations.APPEND -> Operation.APPEND;
            case DataOperations.REPLACE -> Operation.REPLACE;
            case DataOperations.OVERWRITE -> Operation.OVERWRITE;
            case DataOperations.DELETE -> Operation.DELETE;
            default -> Operation.UNKNOWN;
        };
    }

    private static long count(Map<String, String> summary, String key)
    {
        // Summaries are written by any engine; what is not a number is as good as missing
        Long value = Longs.tryParse(summary.getOrDefault(key, "0"));
        return value == null ? 0 : value;
    }

    private static OptionalLong total(Map<String, String> summary, String key)
    {
        Long value = summary.containsKey(key) ? Longs.tryParse(summary.get(key)) : null;
        return value == null ? OptionalLong.empty() : OptionalLong.of(value);
    }

    private static OptionalLong idOf(Snapshot snapshot)
    {
        return snapshot == null ? OptionalLong.empty() : OptionalLong.of(snapshot.snapshotId());
    }

    private static OptionalLong snapshotOf(SnapshotRef ref)
    {
        return ref == null ? OptionalLong.empty() : OptionalLong.of(ref.snapshotId());
    }
}
