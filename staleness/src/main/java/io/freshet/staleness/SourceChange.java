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

import java.util.OptionalLong;

import static java.util.Objects.requireNonNull;

/**
 * The change of one source since a bookmark, as classified from snapshot facts alone.
 *
 * @param from bookmarked snapshot id; empty if the source had no snapshot then, or if nothing is known of it
 * @param to pinned snapshot id; empty if the source has no snapshot
 * @param addedRows rows in the files added between the two, from snapshot summaries; an upper bound of the positive delta
 * @param addedBytes bytes of those files
 * @param removedRows upper bound of the rows removed between the two, from snapshot summaries
 * @param scanBytes estimate of the bytes that have to be read for the difference: the files added and removed, and those in
 *         which rows were deleted; {@link Long#MAX_VALUE} if the summaries give no bound
 * @param firstUnappliedCommitMillis commit time of the oldest content-changing snapshot after the bookmark,
 *         in milliseconds since the epoch; empty if there is none or it cannot be known
 */
public record SourceChange(
        ChangeKind kind,
        ChangeReason reason,
        OptionalLong from,
        OptionalLong to,
        long addedRows,
        long addedBytes,
        long removedRows,
        long scanBytes,
        OptionalLong firstUnappliedCommitMillis)
{
    public SourceChange
    {
        requireNonNull(kind, "kind is null");
        requireNonNull(reason, "reason is null");
        requireNonNull(from, "from is null");
        requireNonNull(to, "to is null");
        requireNonNull(firstUnappliedCommitMillis, "firstUnappliedCommitMillis is null");
    }

    /** A change that removed no rows: what has to be read are the files added. */
    public SourceChange(
            ChangeKind kind,
            ChangeReason reason,
            OptionalLong from,
            OptionalLong to,
            long addedRows,
            long addedBytes,
            OptionalLong firstUnappliedCommitMillis)
    {
        this(kind, reason, from, to, addedRows, addedBytes, 0, addedBytes, firstUnappliedCommitMillis);
    }
}
