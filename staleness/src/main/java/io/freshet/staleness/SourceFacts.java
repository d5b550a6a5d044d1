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

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

/**
 * What a source's metadata says now.
 *
 * @param currentSnapshotId the snapshot that a reader gets now; empty if there is none
 * @param columns every column and nested field by its name in lower case, dotted where nested
 * @param lineage the current snapshot and its ancestors, newest first, linked by their parents, down to and including the
 *         bookmarked snapshot; if that is not among them, as far as the metadata goes
 * @param knownSnapshotIds every snapshot that the metadata still lists, on whatever line
 * @param bookmarkLineage the bookmarked snapshot and its ancestors as far as the metadata goes, newest first; needed only if
 *         the lineage does not reach the bookmark
 */
public record SourceFacts(
        SourceIdentity identity,
        OptionalLong currentSnapshotId,
        Map<String, ResolvedColumn> columns,
        List<SnapshotFact> lineage,
        Set<Long> knownSnapshotIds,
        List<SnapshotFact> bookmarkLineage)
{
    public SourceFacts
    {
        requireNonNull(identity, "identity is null");
        requireNonNull(currentSnapshotId, "currentSnapshotId is null");
        columns = ImmutableMap.copyOf(columns);
        lineage = ImmutableList.copyOf(lineage);
        knownSnapshotIds = ImmutableSet.copyOf(knownSnapshotIds);
        bookmarkLineage = ImmutableList.copyOf(bookmarkLineage);
        checkArgument(currentSnapshotId.isPresent() == !lineage.isEmpty(), "a lineage is there if and only if a current snapshot is");
        checkArgument(lineage.isEmpty() || currentSnapshotId.equals(OptionalLong.of(lineage.getFirst().id())), "lineage does not begin with the current snapshot");
        checkLinked(lineage);
        checkLinked(bookmarkLineage);
    }

    private static void checkLinked(List<SnapshotFact> lineage)
    {
        for (int index = 1; index < lineage.size(); index++) {
            checkArgument(
                    lineage.get(index - 1).parentId().equals(OptionalLong.of(lineage.get(index).id())),
                    "lineage is not linked by parents at %s",
                    index);
        }
    }
}
