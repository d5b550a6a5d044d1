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
import io.freshet.staleness.SnapshotFact.Operation;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The snapshots of an imagined table. Snapshot n was committed at n seconds and added 10 n rows and 100 n bytes, the ids count
 * from 1, and 0 stands for none. Immutable.
 */
record TestingHistory(Map<Long, SnapshotFact> snapshots, long newest, long current)
{
    static final SourceIdentity IDENTITY = new SourceIdentity.TableUuid("6b1e4d0a-0000-4000-8000-000000000001");

    TestingHistory
    {
        snapshots = ImmutableMap.copyOf(snapshots);
    }

    static TestingHistory empty()
    {
        return new TestingHistory(Map.of(), 0, 0);
    }

    static TestingHistory line(Operation... operations)
    {
        TestingHistory history = empty();
        for (Operation operation : operations) {
            history = history.add(history.current(), operation);
        }
        return history;
    }

    /** Commits a snapshot on top of the parent and makes it the current one. */
    TestingHistory add(long parent, Operation operation)
    {
        long id = newest + 1;
        Map<Long, SnapshotFact> extended = new HashMap<>(snapshots);
        extended.put(id, new SnapshotFact(id, optional(parent), id * 1000, operation, operation == Operation.REPLACE ? 0 : id * 10, id * 100, 0, 0, 0, 0));
        return new TestingHistory(extended, id, id);
    }

    TestingHistory setCurrent(long id)
    {
        return new TestingHistory(snapshots, newest, id);
    }

    TestingHistory expire(long... ids)
    {
        Map<Long, SnapshotFact> kept = new HashMap<>(snapshots);
        for (long id : ids) {
            kept.remove(id);
        }
        return new TestingHistory(kept, newest, current);
    }

    SourceChange classify(long bookmark)
    {
        return classify(OptionalLong.of(bookmark));
    }

    SourceChange classify(OptionalLong bookmark)
    {
        return ChangeClassifier.classify(new SourceBookmark("lake", "s", "t", IDENTITY, bookmark, Optional.empty(), List.of()), facts(bookmark));
    }

    SourceFacts facts(OptionalLong bookmark)
    {
        List<SnapshotFact> bookmarkLineage = bookmark.isPresent() ? lineage(bookmark.getAsLong(), OptionalLong.empty()) : ImmutableList.of();
        return new SourceFacts(IDENTITY, optional(current), Map.of(), lineage(current, bookmark), snapshots.keySet(), bookmarkLineage);
    }

    List<SnapshotFact> lineage(long newest, OptionalLong until)
    {
        ImmutableList.Builder<SnapshotFact> lineage = ImmutableList.builder();
        SnapshotFact next = snapshots.get(newest);
        while (next != null) {
            lineage.add(next);
            next = until.equals(OptionalLong.of(next.id())) || next.parentId().isEmpty() ? null : snapshots.get(next.parentId().getAsLong());
        }
        return lineage.build();
    }

    static OptionalLong optional(long id)
    {
        return id == 0 ? OptionalLong.empty() : OptionalLong.of(id);
    }
}
