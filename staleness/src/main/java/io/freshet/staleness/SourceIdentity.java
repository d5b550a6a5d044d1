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

import java.util.Optional;
import java.util.OptionalLong;

import static java.util.Objects.requireNonNull;

/**
 * What makes a source the same table as before, whatever its name. Two tables are the same if and only if their
 * identities are equal and neither is {@link Unidentified}.
 */
public sealed interface SourceIdentity
{
    /**
     * The strongest identity that the table's metadata offers: the uuid; where there is none (old tables of format v1),
     * the location together with the first snapshot that is still known; where that is missing too, none.
     */
    static SourceIdentity of(Optional<String> uuid, String location, OptionalLong firstSnapshotId)
    {
        requireNonNull(uuid, "uuid is null");
        requireNonNull(location, "location is null");
        requireNonNull(firstSnapshotId, "firstSnapshotId is null");
        if (uuid.isPresent()) {
            return new TableUuid(uuid.get());
        }
        if (firstSnapshotId.isPresent()) {
            return new LocationAndFirstSnapshot(location, firstSnapshotId.getAsLong());
        }
        return new Unidentified();
    }

    default boolean isSameTableAs(SourceIdentity other)
    {
        return !(this instanceof Unidentified) && equals(other);
    }

    /** The uuid that the table format gives every table, in its textual form. */
    record TableUuid(String uuid)
            implements SourceIdentity
    {
        public TableUuid
        {
            requireNonNull(uuid, "uuid is null");
        }
    }

    /**
     * For tables without uuid. When the first snapshot expires the identity changes, which is taken for another table:
     * a full refresh too many, never one too few.
     */
    record LocationAndFirstSnapshot(String location, long firstSnapshotId)
            implements SourceIdentity
    {
        public LocationAndFirstSnapshot
        {
            requireNonNull(location, "location is null");
        }
    }

    /** Nothing by which the table can be recognized. Not even equal to itself as far as bookmarks are concerned. */
    record Unidentified()
            implements SourceIdentity {}
}
