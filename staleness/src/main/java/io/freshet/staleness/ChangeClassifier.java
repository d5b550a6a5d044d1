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

import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static com.google.common.collect.Iterables.getLast;

/**
 * Says what happened to a source since a view was built from it.
 *
 * <p>Law: the answer is at most as optimistic as the facts. Anything not recognized is {@link ChangeKind#ROWS_CHANGED}, also
 * where the chain from the bookmark to the current snapshot is broken but both ends are still there. Without the bookmarked
 * snapshot, or after a replacement of the table, it is {@link ChangeKind#HISTORY_LOST}. Identity is
 * looked at before the schema, the schema before the snapshots, since each is meaningless without the one before.
 */
public final class ChangeClassifier
{
    private ChangeClassifier() {}

    public static SourceChange classify(SourceBookmark bookmark, SourceFacts facts)
    {
        if (bookmark.identity() instanceof SourceIdentity.Unidentified || facts.identity() instanceof SourceIdentity.Unidentified) {
            return lost(bookmark, facts, ChangeReason.SOURCE_WITHOUT_IDENTITY);
        }
        if (!bookmark.identity().isSameTableAs(facts.identity())) {
            return lost(bookmark, facts, ChangeReason.SOURCE_RECREATED);
        }
        if (!bookmark.columns().stream().allMatch(column -> stillMeans(column, facts)) || gainedMeaning(bookmark, facts)) {
            return lost(bookmark, facts, ChangeReason.SOURCE_SCHEMA_CHANGED);
        }
        return classifySnapshots(bookmark, facts);
    }

    /** The change of a source that does not exist any more. */
    public static SourceChange missing(SourceBookmark bookmark)
    {
        return new SourceChange(ChangeKind.HISTORY_LOST, ChangeReason.SOURCE_MISSING, bookmark.snapshotId(), OptionalLong.empty(), 0, 0, OptionalLong.empty());
    }

    /** The change of a source of which the view knows nothing yet. */
    public static SourceChange notBuilt(SourceFacts facts)
    {
        return new SourceChange(ChangeKind.HISTORY_LOST, ChangeReason.NOT_BUILT, OptionalLong.empty(), facts.currentSnapshotId(), 0, 0, OptionalLong.empty());
    }

    private static boolean stillMeans(ResolvedColumn column, SourceFacts facts)
    {
        ResolvedColumn now = facts.columns().get(column.name());
        return now != null && column.stillMeans(now);
    }

    /** Whether a name of the definition may mean a column of this source that was not there. */
    private static boolean gainedMeaning(SourceBookmark bookmark, SourceFacts facts)
    {
        if (bookmark.allColumns()) {
            return facts.columns().keySet().stream()
                    .filter(name -> name.indexOf('.') < 0)
                    .anyMatch(name -> bookmark.columns().stream().noneMatch(column -> column.name().equals(name)));
        }
        return bookmark.absentColumns().stream().anyMatch(facts.columns()::containsKey);
    }

    private static SourceChange classifySnapshots(SourceBookmark bookmark, SourceFacts facts)
    {
        if (bookmark.snapshotId().equals(facts.currentSnapshotId())) {
            return new SourceChange(ChangeKind.UNCHANGED, ChangeReason.NONE, bookmark.snapshotId(), facts.currentSnapshotId(), 0, 0, OptionalLong.empty());
        }
        if (facts.currentSnapshotId().isEmpty()) {
            // A branch disappears by being dropped, the main line loses its snapshot only by a replacement of the table
            return lost(bookmark, facts, bookmark.ref().isPresent() ? ChangeReason.SOURCE_MISSING : ChangeReason.SOURCE_REPLACED);
        }

        List<SnapshotFact> lineage = facts.lineage();
        SnapshotFact oldest = getLast(lineage);
        if (bookmark.snapshotId().isEmpty()) {
            return oldest.parentId().isEmpty()
                    ? classifyRange(bookmark, facts, lineage)
                    : lost(bookmark, facts, ChangeReason.SOURCE_SNAPSHOT_EXPIRED);
        }
        if (oldest.id() == bookmark.snapshotId().getAsLong()) {
            return classifyRange(bookmark, facts, lineage.subList(0, lineage.size() - 1));
        }
        if (!facts.knownSnapshotIds().contains(bookmark.snapshotId().getAsLong())) {
            return lost(bookmark, facts, ChangeReason.SOURCE_SNAPSHOT_EXPIRED);
        }
        ChangeReason reason = whyNotAncestor(facts, oldest);
        return reason == ChangeReason.SOURCE_REPLACED ? lost(bookmark, facts, reason) : betweenStates(bookmark, facts, reason);
    }

    private static ChangeReason whyNotAncestor(SourceFacts facts, SnapshotFact oldest)
    {
        Set<Long> bookmarkLineage = facts.bookmarkLineage().stream()
                .map(SnapshotFact::id)
                .collect(toImmutableSet());
        if (facts.lineage().stream().anyMatch(fact -> bookmarkLineage.contains(fact.id()))) {
            return ChangeReason.SOURCE_ROLLED_BACK;
        }
        if (oldest.parentId().isPresent()) {
            // Where the older part of the current line is gone, the bookmark may have been in it
            return ChangeReason.SOURCE_ROWS_CHANGED;
        }
        // Two beginnings are known to be two only if both are seen
        return getLast(facts.bookmarkLineage()).parentId().isEmpty() ? ChangeReason.SOURCE_REPLACED : ChangeReason.SOURCE_ROLLED_BACK;
    }

    private static SourceChange classifyRange(SourceBookmark bookmark, SourceFacts facts, List<SnapshotFact> newestFirst)
    {
        SnapshotFact.Effect total = SnapshotFact.Effect.NONE;
        OptionalLong firstUnapplied = OptionalLong.empty();
        for (SnapshotFact fact : newestFirst) {
            SnapshotFact.Effect effect = fact.effect();
            if (effect == SnapshotFact.Effect.NONE) {
                continue;
            }
            total = Collections.max(List.of(total, effect));
            firstUnapplied = OptionalLong.of(fact.timestampMillis());
        }
        ChangeKind kind = switch (total) {
            case NONE -> ChangeKind.REORGANIZED;
            case ADDS_ROWS -> ChangeKind.APPENDED;
            case CHANGES_ROWS -> ChangeKind.ROWS_CHANGED;
        };
        ChangeReason reason = kind == ChangeKind.ROWS_CHANGED ? ChangeReason.SOURCE_ROWS_CHANGED : ChangeReason.NONE;
        return change(kind, reason, bookmark, facts, ChangeExtent.ofRange(newestFirst), firstUnapplied);
    }

    /** The commits between are not known, or some were taken back: which was the first that the view lacks cannot be told. */
    private static SourceChange betweenStates(SourceBookmark bookmark, SourceFacts facts, ChangeReason reason)
    {
        ChangeExtent extent = ChangeExtent.ofStates(facts.bookmarkLineage(), facts.lineage());
        return change(ChangeKind.ROWS_CHANGED, reason, bookmark, facts, extent, OptionalLong.empty());
    }

    private static SourceChange change(ChangeKind kind, ChangeReason reason, SourceBookmark bookmark, SourceFacts facts, ChangeExtent extent, OptionalLong firstUnapplied)
    {
        return new SourceChange(
                kind,
                reason,
                bookmark.snapshotId(),
                facts.currentSnapshotId(),
                extent.addedRows(),
                extent.addedBytes(),
                extent.removedRows(),
                extent.scanBytes(),
                firstUnapplied);
    }

    private static SourceChange lost(SourceBookmark bookmark, SourceFacts facts, ChangeReason reason)
    {
        return new SourceChange(ChangeKind.HISTORY_LOST, reason, bookmark.snapshotId(), facts.currentSnapshotId(), 0, 0, OptionalLong.empty());
    }
}
