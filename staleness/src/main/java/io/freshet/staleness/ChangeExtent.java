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
package io.freshet.staleness;

import com.google.common.collect.Sets;

import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static com.google.common.collect.Iterables.getFirst;
import static com.google.common.math.LongMath.saturatedAdd;
import static com.google.common.math.LongMath.saturatedMultiply;

/**
 * How much changed between two states of a table, as far as snapshot summaries tell. Rows are upper bounds, bytes are
 * estimates; what has no bound is {@link Long#MAX_VALUE}.
 *
 * @param addedRows rows in the files added
 * @param addedBytes bytes of those files
 * @param removedRows rows in the files removed, and rows deleted in files that stay
 * @param scanBytes bytes of the files added and removed, and of those in which rows were deleted
 */
record ChangeExtent(long addedRows, long addedBytes, long removedRows, long scanBytes)
{
    private static final ChangeExtent NONE = new ChangeExtent(0, 0, 0, 0);

    /** The sum of the commits of a range that changed rows. Those that only rewrote files are not read. */
    static ChangeExtent ofRange(List<SnapshotFact> facts)
    {
        return sum(facts.stream()
                .filter(fact -> !fact.preservesRows())
                .collect(toImmutableList()));
    }

    /**
     * The difference of two states as a whole, also of files that were only rewritten: by way of the snapshot from which both
     * come if it is known, and never more than what there is.
     *
     * @param before the earlier state and its ancestors, newest first
     * @param after the later state and its ancestors, newest first
     */
    static ChangeExtent ofStates(List<SnapshotFact> before, List<SnapshotFact> after)
    {
        ChangeExtent most = everything(getFirst(before, null)).reversed().plus(everything(getFirst(after, null)));
        Set<Long> common = Sets.intersection(ids(before), ids(after));
        if (common.isEmpty()) {
            return most;
        }
        ChangeExtent byCommits = sum(until(common, before)).reversed().plus(sum(until(common, after)));
        return new ChangeExtent(
                Math.min(byCommits.addedRows, most.addedRows),
                Math.min(byCommits.addedBytes, most.addedBytes),
                Math.min(byCommits.removedRows, most.removedRows),
                Math.min(byCommits.scanBytes, most.scanBytes));
    }

    private static Set<Long> ids(List<SnapshotFact> lineage)
    {
        return lineage.stream().map(SnapshotFact::id).collect(toImmutableSet());
    }

    private static List<SnapshotFact> until(Set<Long> ancestors, List<SnapshotFact> lineage)
    {
        return lineage.stream()
                .takeWhile(fact -> !ancestors.contains(fact.id()))
                .collect(toImmutableList());
    }

    private static ChangeExtent sum(List<SnapshotFact> facts)
    {
        return facts.stream()
                .map(ChangeExtent::of)
                .reduce(NONE, ChangeExtent::plus);
    }

    private static ChangeExtent everything(SnapshotFact fact)
    {
        if (fact == null) {
            return NONE;
        }
        long bytes = orUnbounded(fact.totals().bytes());
        return new ChangeExtent(orUnbounded(fact.totals().rows()), bytes, 0, bytes);
    }

    private static ChangeExtent of(SnapshotFact fact)
    {
        SnapshotFact.RowDeletes deletes = fact.rowDeletes();
        long deletedRows = deletes.byEquality() ? orUnbounded(fact.totals().rows()) : deletes.rows();
        return new ChangeExtent(
                fact.addedRows(),
                fact.addedBytes(),
                saturatedAdd(fact.removedRows(), deletedRows),
                saturatedAdd(saturatedAdd(fact.addedBytes(), fact.removedBytes()), bytesReached(deletes, fact.totals())));
    }

    /** Data files in which rows were deleted have to be read, be it one row of a file: taken to be of average size. */
    private static long bytesReached(SnapshotFact.RowDeletes deletes, SnapshotFact.Totals totals)
    {
        if (!deletes.byEquality() && deletes.dataFiles() == 0) {
            return 0;
        }
        long bytes = orUnbounded(totals.bytes());
        long files = totals.dataFiles().orElse(0);
        if (deletes.byEquality() || deletes.dataFiles() >= files) {
            return bytes;
        }
        return Math.min(bytes, saturatedMultiply(deletes.dataFiles(), bytes / files));
    }

    private ChangeExtent plus(ChangeExtent other)
    {
        return new ChangeExtent(
                saturatedAdd(addedRows, other.addedRows),
                saturatedAdd(addedBytes, other.addedBytes),
                saturatedAdd(removedRows, other.removedRows),
                saturatedAdd(scanBytes, other.scanBytes));
    }

    /** The way back: what was removed comes in, what was added goes. Bytes that come in are not known but as those read. */
    private ChangeExtent reversed()
    {
        return new ChangeExtent(removedRows, removedRows == 0 ? 0 : scanBytes, addedRows, scanBytes);
    }

    private static long orUnbounded(OptionalLong value)
    {
        return value.orElse(Long.MAX_VALUE);
    }
}
