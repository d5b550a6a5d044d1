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
import io.freshet.staleness.SnapshotFact.Operation;
import io.freshet.staleness.SourceIdentity.LocationAndFirstSnapshot;
import io.freshet.staleness.SourceIdentity.TableUuid;
import io.freshet.staleness.SourceIdentity.Unidentified;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

import static io.freshet.staleness.ChangeKind.APPENDED;
import static io.freshet.staleness.ChangeKind.HISTORY_LOST;
import static io.freshet.staleness.ChangeKind.REORGANIZED;
import static io.freshet.staleness.ChangeKind.ROWS_CHANGED;
import static io.freshet.staleness.ChangeKind.UNCHANGED;
import static io.freshet.staleness.ChangeReason.NONE;
import static io.freshet.staleness.ChangeReason.NOT_BUILT;
import static io.freshet.staleness.ChangeReason.SOURCE_MISSING;
import static io.freshet.staleness.ChangeReason.SOURCE_RECREATED;
import static io.freshet.staleness.ChangeReason.SOURCE_REPLACED;
import static io.freshet.staleness.ChangeReason.SOURCE_ROLLED_BACK;
import static io.freshet.staleness.ChangeReason.SOURCE_ROWS_CHANGED;
import static io.freshet.staleness.ChangeReason.SOURCE_SCHEMA_CHANGED;
import static io.freshet.staleness.ChangeReason.SOURCE_SNAPSHOT_EXPIRED;
import static io.freshet.staleness.ChangeReason.SOURCE_WITHOUT_IDENTITY;
import static io.freshet.staleness.SnapshotFact.Operation.APPEND;
import static io.freshet.staleness.SnapshotFact.Operation.DELETE;
import static io.freshet.staleness.SnapshotFact.Operation.OVERWRITE;
import static io.freshet.staleness.SnapshotFact.Operation.REPLACE;
import static io.freshet.staleness.SnapshotFact.Operation.UNKNOWN;
import static io.freshet.staleness.TestingHistory.IDENTITY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TestChangeClassifier
{
    private static final ResolvedColumn A = new ResolvedColumn("a", 1, "int", false);

    @Test
    void testNothingHappened()
    {
        TestingHistory history = TestingHistory.line(APPEND, APPEND);
        assertChange(history.classify(2), UNCHANGED, NONE);
        assertChange(TestingHistory.empty().classify(OptionalLong.empty()), UNCHANGED, NONE);
    }

    @Test
    void testAppends()
    {
        SourceChange change = TestingHistory.line(APPEND, APPEND, REPLACE, APPEND).classify(1);
        assertChange(change, APPENDED, NONE);
        assertThat(change.from()).hasValue(1);
        assertThat(change.to()).hasValue(4);
        assertThat(change.addedRows()).isEqualTo(20 + 40);
        assertThat(change.addedBytes()).isEqualTo(200 + 400);
        assertThat(change.firstUnappliedCommitMillis()).hasValue(2000);
    }

    @Test
    void testAppendToEmptyTable()
    {
        SourceChange change = TestingHistory.line(APPEND, REPLACE).classify(OptionalLong.empty());
        assertChange(change, APPENDED, NONE);
        assertThat(change.from()).isEmpty();
        assertThat(change.to()).hasValue(2);
        assertThat(change.firstUnappliedCommitMillis()).hasValue(1000);

        assertChange(TestingHistory.line(APPEND, DELETE).classify(OptionalLong.empty()), ROWS_CHANGED, SOURCE_ROWS_CHANGED);
        assertChange(TestingHistory.line(APPEND, APPEND).expire(1).classify(OptionalLong.empty()), HISTORY_LOST, SOURCE_SNAPSHOT_EXPIRED);
    }

    @Test
    void testAppendOfNothing()
    {
        assertChange(classifyOne(fact(APPEND, 0, 0, 0, 0, 0)), APPENDED, NONE);
    }

    @Test
    void testCompactions()
    {
        SourceChange change = TestingHistory.line(APPEND, REPLACE, REPLACE).classify(1);
        assertChange(change, REORGANIZED, NONE);
        assertThat(change.addedRows()).isZero();
        assertThat(change.firstUnappliedCommitMillis()).isEmpty();
        // MV-016
        assertChange(TestingHistory.line(APPEND, APPEND, REPLACE, REPLACE).classify(1), APPENDED, NONE);
        assertChange(TestingHistory.line(APPEND, REPLACE, REPLACE, APPEND, REPLACE).classify(1), APPENDED, NONE);
        assertChange(TestingHistory.line(APPEND, REPLACE, APPEND).classify(2), APPENDED, NONE);
    }

    @Test
    void testRowsChanged()
    {
        for (Operation operation : List.of(OVERWRITE, DELETE, UNKNOWN)) {
            SourceChange change = TestingHistory.line(APPEND, REPLACE, operation, APPEND).classify(1);
            assertChange(change, ROWS_CHANGED, SOURCE_ROWS_CHANGED);
            assertThat(change.firstUnappliedCommitMillis()).hasValue(3000);
        }
        // MV-013: what was added and removed inside the range
        assertChange(TestingHistory.line(APPEND, APPEND, DELETE).classify(1), ROWS_CHANGED, SOURCE_ROWS_CHANGED);
    }

    @Test
    void testSummaryContradictsOperation()
    {
        assertChange(classifyOne(fact(APPEND, 5, 0, 1, 0, 0)), ROWS_CHANGED, SOURCE_ROWS_CHANGED);
        assertChange(classifyOne(fact(APPEND, 5, 1, 0, 0, 0)), ROWS_CHANGED, SOURCE_ROWS_CHANGED);
        assertChange(classifyOne(fact(APPEND, 5, 0, 0, 1, 0)), ROWS_CHANGED, SOURCE_ROWS_CHANGED);
        assertChange(classifyOne(fact(APPEND, 5, 0, 0, 0, 1)), ROWS_CHANGED, SOURCE_ROWS_CHANGED);
        assertChange(classifyOne(fact(REPLACE, 5, 4, 1, 0, 0)), ROWS_CHANGED, SOURCE_ROWS_CHANGED);
        // A compaction applies deletes
        assertChange(classifyOne(fact(REPLACE, 4, 5, 1, 0, 1)), REORGANIZED, NONE);
    }

    @Test
    void testExpired()
    {
        TestingHistory history = TestingHistory.line(APPEND, APPEND, APPEND, APPEND);
        assertChange(history.expire(1).classify(2), APPENDED, NONE);
        assertChange(history.expire(2).classify(2), HISTORY_LOST, SOURCE_SNAPSHOT_EXPIRED);
        // The bookmark is kept by a tag, one after it is gone
        assertChange(history.expire(3).classify(2), ROWS_CHANGED, SOURCE_ROWS_CHANGED);
        assertChange(history.expire(2, 3).classify(1), ROWS_CHANGED, SOURCE_ROWS_CHANGED);
        assertThat(history.expire(3).classify(2).firstUnappliedCommitMillis()).isEmpty();
    }

    @Test
    void testRolledBack()
    {
        TestingHistory history = TestingHistory.line(APPEND, APPEND, APPEND);
        SourceChange change = history.setCurrent(1).classify(3);
        assertChange(change, ROWS_CHANGED, SOURCE_ROLLED_BACK);
        assertThat(change.from()).hasValue(3);
        assertThat(change.to()).hasValue(1);
        assertThat(change.firstUnappliedCommitMillis()).isEmpty();
        // Rolled back and written to again
        assertChange(history.add(1, APPEND).classify(3), ROWS_CHANGED, SOURCE_ROLLED_BACK);
        assertChange(history.add(1, APPEND).classify(1), APPENDED, NONE);
        // Rolled back and forth
        assertChange(history.setCurrent(1).setCurrent(3).classify(3), UNCHANGED, NONE);
    }

    @Test
    void testReplaced()
    {
        TestingHistory history = TestingHistory.line(APPEND, APPEND).add(0, APPEND);
        assertChange(history.classify(2), HISTORY_LOST, SOURCE_REPLACED);
        assertChange(history.add(3, APPEND).classify(2), HISTORY_LOST, SOURCE_REPLACED);
        // Whether the two lines had a common beginning is not known any more
        assertChange(history.expire(1).classify(2), ROWS_CHANGED, SOURCE_ROLLED_BACK);
        // Replaced by a table without rows
        assertChange(TestingHistory.line(APPEND).setCurrent(0).classify(1), HISTORY_LOST, SOURCE_REPLACED);
    }

    @Test
    void testBranch()
    {
        SourceBookmark bookmark = new SourceBookmark("lake", "s", "t", IDENTITY, OptionalLong.of(1), Optional.of("b"), List.of());
        assertChange(ChangeClassifier.classify(bookmark, TestingHistory.line(APPEND).setCurrent(0).facts(OptionalLong.of(1))), HISTORY_LOST, SOURCE_MISSING);
        assertChange(ChangeClassifier.classify(bookmark, TestingHistory.line(APPEND, APPEND).facts(OptionalLong.of(1))), APPENDED, NONE);
    }

    @Test
    void testIdentity()
    {
        assertChange(classifyIdentities(new TableUuid("x"), new TableUuid("y")), HISTORY_LOST, SOURCE_RECREATED);
        assertChange(classifyIdentities(new LocationAndFirstSnapshot("l", 1), new LocationAndFirstSnapshot("l", 1)), UNCHANGED, NONE);
        assertChange(classifyIdentities(new LocationAndFirstSnapshot("l", 1), new LocationAndFirstSnapshot("l", 2)), HISTORY_LOST, SOURCE_RECREATED);
        assertChange(classifyIdentities(new LocationAndFirstSnapshot("l", 1), new TableUuid("x")), HISTORY_LOST, SOURCE_RECREATED);
        assertChange(classifyIdentities(new Unidentified(), new Unidentified()), HISTORY_LOST, SOURCE_WITHOUT_IDENTITY);
        assertChange(classifyIdentities(new Unidentified(), new TableUuid("x")), HISTORY_LOST, SOURCE_WITHOUT_IDENTITY);

        assertThat(SourceIdentity.of(Optional.of("x"), "l", OptionalLong.of(1))).isEqualTo(new TableUuid("x"));
        assertThat(SourceIdentity.of(Optional.empty(), "l", OptionalLong.of(1))).isEqualTo(new LocationAndFirstSnapshot("l", 1));
        assertThat(SourceIdentity.of(Optional.empty(), "l", OptionalLong.empty())).isEqualTo(new Unidentified());
    }

    @Test
    void testSchema()
    {
        ResolvedColumn other = new ResolvedColumn("b", 2, "string", false);
        assertChange(classifySchema(A, A, other), UNCHANGED, NONE);
        assertChange(classifySchema(A, other, A), UNCHANGED, NONE);
        assertChange(classifySchema(A, new ResolvedColumn("a", 1, "int", true)), UNCHANGED, NONE);

        assertChange(classifySchema(A), HISTORY_LOST, SOURCE_SCHEMA_CHANGED);
        assertChange(classifySchema(A, other), HISTORY_LOST, SOURCE_SCHEMA_CHANGED);
        // Renamed, and another one given the name
        assertChange(classifySchema(A, new ResolvedColumn("c", 1, "int", false), new ResolvedColumn("a", 3, "int", false)), HISTORY_LOST, SOURCE_SCHEMA_CHANGED);
        assertChange(classifySchema(A, new ResolvedColumn("a", 1, "long", false)), HISTORY_LOST, SOURCE_SCHEMA_CHANGED);
        assertChange(classifySchema(new ResolvedColumn("a", 1, "int", true), A), HISTORY_LOST, SOURCE_SCHEMA_CHANGED);
    }

    @Test
    void testIdentityBeforeSchemaBeforeSnapshots()
    {
        SourceFacts facts = TestingHistory.line(APPEND, DELETE).facts(OptionalLong.of(1));
        SourceBookmark schemaDiffers = new SourceBookmark("lake", "s", "t", IDENTITY, OptionalLong.of(1), Optional.empty(), List.of(A));
        SourceBookmark bothDiffer = new SourceBookmark("lake", "s", "t", new TableUuid("other"), OptionalLong.of(1), Optional.empty(), List.of(A));
        assertChange(ChangeClassifier.classify(schemaDiffers, facts), HISTORY_LOST, SOURCE_SCHEMA_CHANGED);
        assertChange(ChangeClassifier.classify(bothDiffer, facts), HISTORY_LOST, SOURCE_RECREATED);
    }

    @Test
    void testWithoutFacts()
    {
        SourceBookmark bookmark = new SourceBookmark("lake", "s", "t", IDENTITY, OptionalLong.of(7), Optional.empty(), List.of());
        assertChange(ChangeClassifier.missing(bookmark), HISTORY_LOST, SOURCE_MISSING);
        assertThat(ChangeClassifier.missing(bookmark).from()).hasValue(7);
        SourceChange notBuilt = ChangeClassifier.notBuilt(TestingHistory.line(APPEND).facts(OptionalLong.empty()));
        assertChange(notBuilt, HISTORY_LOST, NOT_BUILT);
        assertThat(notBuilt.to()).hasValue(1);
    }

    @Test
    void testFactsAreChecked()
    {
        assertThatThrownBy(() -> facts(OptionalLong.of(1), List.of())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> facts(OptionalLong.of(3), List.of(fact(3, 2), fact(1, 0)))).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("linked by parents");
    }

    private static SourceChange classifyOne(SnapshotFact second)
    {
        return ChangeClassifier.classify(
                new SourceBookmark("lake", "s", "t", IDENTITY, OptionalLong.of(1), Optional.empty(), List.of()),
                facts(OptionalLong.of(2), List.of(second, fact(1, 0))));
    }

    private static SourceChange classifyIdentities(SourceIdentity then, SourceIdentity now)
    {
        return ChangeClassifier.classify(
                new SourceBookmark("lake", "s", "t", then, OptionalLong.empty(), Optional.empty(), List.of()),
                new SourceFacts(now, OptionalLong.empty(), Map.of(), List.of(), ImmutableSet.of(), List.of()));
    }

    private static SourceChange classifySchema(ResolvedColumn then, ResolvedColumn... now)
    {
        ImmutableMap.Builder<String, ResolvedColumn> columns = ImmutableMap.builder();
        for (ResolvedColumn column : now) {
            columns.put(column.name(), column);
        }
        return ChangeClassifier.classify(
                new SourceBookmark("lake", "s", "t", IDENTITY, OptionalLong.empty(), Optional.empty(), ImmutableList.of(then)),
                new SourceFacts(IDENTITY, OptionalLong.empty(), columns.buildOrThrow(), List.of(), ImmutableSet.of(), List.of()));
    }

    private static SourceFacts facts(OptionalLong current, List<SnapshotFact> lineage)
    {
        return new SourceFacts(IDENTITY, current, Map.of(), lineage, ImmutableSet.of(), List.of());
    }

    private static SnapshotFact fact(long id, long parent)
    {
        return new SnapshotFact(id, parent == 0 ? OptionalLong.empty() : OptionalLong.of(parent), id * 1000, APPEND, 1, 1, 0, 0, 0, 0);
    }

    private static SnapshotFact fact(Operation operation, long addedRows, long removedRows, long removedFiles, long addedDeletes, long removedDeletes)
    {
        return new SnapshotFact(2, OptionalLong.of(1), 2000, operation, addedRows, addedRows * 10, removedRows, removedFiles, addedDeletes, removedDeletes);
    }

    private static void assertChange(SourceChange change, ChangeKind kind, ChangeReason reason)
    {
        assertThat(change.kind()).as("%s", change).isEqualTo(kind);
        assertThat(change.reason()).as("%s", change).isEqualTo(reason);
    }
}
