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

import io.freshet.staleness.SnapshotFact.Operation;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;
import java.util.stream.LongStream;

import static io.freshet.staleness.SnapshotFact.Operation.APPEND;
import static io.freshet.staleness.SnapshotFact.Operation.REPLACE;
import static org.assertj.core.api.Assertions.assertThat;

/** Every small history, against a model that is too simple to be wrong. */
final class TestChangeClassifierExhaustively
{
    @Test
    void testEverySequenceOfOperations()
    {
        int cases = 0;
        for (List<Operation> operations : sequences(4)) {
            TestingHistory history = TestingHistory.line(operations.toArray(Operation[]::new));
            for (long bookmark = 0; bookmark <= operations.size(); bookmark++) {
                List<Operation> after = operations.subList((int) bookmark, operations.size());
                SourceChange change = history.classify(TestingHistory.optional(bookmark));
                long bookmarked = bookmark;
                Supplier<String> description = () -> "%s after %s".formatted(operations, bookmarked);
                assertThat(change.kind()).as(description).isEqualTo(expectedKind(after));
                OptionalLong firstUnapplied = LongStream.range(bookmark, operations.size())
                        .filter(index -> operations.get((int) index) != REPLACE)
                        .map(index -> (index + 1) * 1000)
                        .findFirst();
                assertThat(change.firstUnappliedCommitMillis()).as(description).isEqualTo(firstUnapplied);
                cases++;
            }
        }
        assertThat(cases).isGreaterThan(3_000);
    }

    /** Every forest of up to five snapshots, every current and every bookmarked one, every set of expired ones. */
    @Test
    void testEveryShapeOfHistory()
    {
        int cases = 0;
        for (TestingHistory history : forests(5)) {
            for (long current = 1; current <= history.newest(); current++) {
                for (int expired = 0; expired < 1 << history.newest(); expired++) {
                    if (isIn(expired, current)) {
                        continue;
                    }
                    TestingHistory now = expire(history.setCurrent(current), expired);
                    for (long bookmark = 1; bookmark <= history.newest(); bookmark++) {
                        assertClassified(history, now, bookmark);
                        cases++;
                    }
                }
            }
        }
        assertThat(cases).isGreaterThan(40_000);
    }

    private static void assertClassified(TestingHistory everything, TestingHistory now, long bookmark)
    {
        SourceChange change = now.classify(bookmark);
        Supplier<String> description = () -> "%s from %s".formatted(now, bookmark);
        List<Long> ancestors = ids(everything, now.current());
        boolean chainIsWhole = ids(now, now.current()).contains(bookmark);
        if (!chainIsWhole) {
            assertThat(change.firstUnappliedCommitMillis()).isEmpty();
            boolean readable = now.snapshots().containsKey(bookmark) && change.reason() != ChangeReason.SOURCE_REPLACED;
            assertThat(change.kind()).as(description).isEqualTo(readable ? ChangeKind.ROWS_CHANGED : ChangeKind.HISTORY_LOST);
            boolean truthIsAncestor = ancestors.contains(bookmark);
            if (!now.snapshots().containsKey(bookmark)) {
                assertThat(change.reason()).as(description).isEqualTo(ChangeReason.SOURCE_SNAPSHOT_EXPIRED);
            }
            else if (truthIsAncestor) {
                assertThat(change.reason()).as(description).isEqualTo(ChangeReason.SOURCE_ROWS_CHANGED);
            }
            boolean common = ancestors.stream().anyMatch(ids(everything, bookmark)::contains);
            boolean bothWhole = ids(now, now.current()).equals(ancestors) && ids(now, bookmark).equals(ids(everything, bookmark));
            if (bothWhole) {
                assertThat(change.reason()).as(description).isEqualTo(common ? ChangeReason.SOURCE_ROLLED_BACK : ChangeReason.SOURCE_REPLACED);
            }
            if (change.reason() == ChangeReason.SOURCE_REPLACED) {
                assertThat(common).as(description).isFalse();
            }
            return;
        }
        assertThat(change.kind()).as(description).isEqualTo(bookmark == now.current() ? ChangeKind.UNCHANGED : ChangeKind.APPENDED);
        assertThat(change.addedRows()).isEqualTo(ancestors.stream().takeWhile(id -> id != bookmark).mapToLong(id -> id * 10).sum());
    }

    private static ChangeKind expectedKind(List<Operation> operations)
    {
        if (operations.isEmpty()) {
            return ChangeKind.UNCHANGED;
        }
        if (operations.stream().allMatch(operation -> operation == REPLACE)) {
            return ChangeKind.REORGANIZED;
        }
        return operations.stream().allMatch(operation -> operation == REPLACE || operation == APPEND) ? ChangeKind.APPENDED : ChangeKind.ROWS_CHANGED;
    }

    private static List<List<Operation>> sequences(int maxLength)
    {
        List<List<Operation>> all = new ArrayList<>();
        all.add(List.of());
        int start = 0;
        for (int length = 1; length <= maxLength; length++) {
            int end = all.size();
            for (int index = start; index < end; index++) {
                for (Operation operation : Operation.values()) {
                    List<Operation> longer = new ArrayList<>(all.get(index));
                    longer.add(operation);
                    all.add(List.copyOf(longer));
                }
            }
            start = end;
        }
        return all;
    }

    private static List<TestingHistory> forests(int size)
    {
        List<TestingHistory> forests = List.of(TestingHistory.empty());
        for (int count = 0; count < size; count++) {
            List<TestingHistory> larger = new ArrayList<>();
            for (TestingHistory forest : forests) {
                for (long parent = 0; parent <= forest.newest(); parent++) {
                    larger.add(forest.add(parent, APPEND));
                }
            }
            forests = larger;
        }
        return forests;
    }

    private static TestingHistory expire(TestingHistory history, int expired)
    {
        return history.expire(LongStream.rangeClosed(1, history.newest()).filter(id -> isIn(expired, id)).toArray());
    }

    private static boolean isIn(int set, long id)
    {
        return (set >> (id - 1) & 1) != 0;
    }

    private static List<Long> ids(TestingHistory history, long newest)
    {
        return history.lineage(newest, OptionalLong.empty()).stream().map(SnapshotFact::id).toList();
    }
}
