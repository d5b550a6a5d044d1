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

import com.google.common.collect.ImmutableMap;
import io.freshet.staleness.SnapshotFact.Operation;
import io.freshet.staleness.SnapshotFact.RowDeletes;
import io.freshet.staleness.SnapshotFact.Totals;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.OptionalLong;

import static io.freshet.staleness.SnapshotFact.Operation.APPEND;
import static io.freshet.staleness.SnapshotFact.Operation.DELETE;
import static io.freshet.staleness.SnapshotFact.Operation.OVERWRITE;
import static io.freshet.staleness.SnapshotFact.Operation.REPLACE;
import static org.assertj.core.api.Assertions.assertThat;

final class TestChangeExtent
{
    private static final RowDeletes EQUALITY = new RowDeletes(0, 0, true);

    @Test
    void testAppends()
    {
        SnapshotFact append = new SnapshotFact(2, OptionalLong.of(1), 0, APPEND, 10, 100, 0, 0, 0, 0);
        assertThat(ChangeExtent.ofRange(List.of(append))).isEqualTo(new ChangeExtent(10, 100, 0, 100));
        assertThat(ChangeExtent.ofRange(List.of())).isEqualTo(new ChangeExtent(0, 0, 0, 0));
    }

    @Test
    void testRemovedFiles()
    {
        SnapshotFact rewrite = fact(2, OVERWRITE, 9, 90, 10, 110, RowDeletes.NONE, totals(1000, 9000, 10));
        assertThat(ChangeExtent.ofRange(List.of(rewrite))).isEqualTo(new ChangeExtent(9, 90, 10, 200));
    }

    @Test
    void testDeletedRows()
    {
        // Of ten files of 900 bytes two hold the rows
        SnapshotFact delete = fact(2, DELETE, 0, 0, 0, 0, new RowDeletes(5, 2, false), totals(1000, 9000, 10));
        assertThat(ChangeExtent.ofRange(List.of(delete))).isEqualTo(new ChangeExtent(0, 0, 5, 1800));
        SnapshotFact everywhere = fact(2, DELETE, 0, 0, 0, 0, new RowDeletes(50, 50, false), totals(1000, 9000, 10));
        assertThat(ChangeExtent.ofRange(List.of(everywhere))).isEqualTo(new ChangeExtent(0, 0, 50, 9000));
        // By value any row may be meant
        SnapshotFact byValue = fact(2, OVERWRITE, 3, 30, 0, 0, EQUALITY, totals(1000, 9000, 10));
        assertThat(ChangeExtent.ofRange(List.of(byValue))).isEqualTo(new ChangeExtent(3, 30, 1000, 9030));
    }

    @Test
    void testNoBound()
    {
        SnapshotFact byValue = fact(2, OVERWRITE, 3, 30, 0, 0, EQUALITY, Totals.UNKNOWN);
        assertThat(ChangeExtent.ofRange(List.of(byValue, byValue))).isEqualTo(new ChangeExtent(6, 60, Long.MAX_VALUE, Long.MAX_VALUE));
        SnapshotFact byPosition = fact(2, DELETE, 0, 0, 0, 0, new RowDeletes(5, 2, false), Totals.UNKNOWN);
        assertThat(ChangeExtent.ofRange(List.of(byPosition))).isEqualTo(new ChangeExtent(0, 0, 5, Long.MAX_VALUE));
    }

    @Test
    void testCompactionsAreReadInWholeStatesOnly()
    {
        SnapshotFact append = fact(1, APPEND, 10, 100, 0, 0, RowDeletes.NONE, totals(10, 100, 1));
        SnapshotFact compaction = fact(2, REPLACE, 10, 80, 10, 100, RowDeletes.NONE, totals(10, 80, 1));
        assertThat(ChangeExtent.ofRange(List.of(compaction))).isEqualTo(new ChangeExtent(0, 0, 0, 0));
        ChangeExtent back = ChangeExtent.ofStates(List.of(compaction, append), List.of(append));
        assertThat(back.addedRows()).isEqualTo(10);
        assertThat(back.removedRows()).isEqualTo(10);
        assertThat(back.scanBytes()).isEqualTo(180);
    }

    @Test
    void testRolledBack()
    {
        SnapshotFact root = fact(1, APPEND, 1000, 9000, 0, 0, RowDeletes.NONE, totals(1000, 9000, 10));
        SnapshotFact abandoned = fact(2, APPEND, 7, 70, 0, 0, RowDeletes.NONE, totals(1007, 9070, 11));
        SnapshotFact other = fact(3, DELETE, 0, 0, 20, 180, RowDeletes.NONE, totals(980, 8820, 9));
        assertThat(ChangeExtent.ofStates(List.of(abandoned, root), List.of(root))).isEqualTo(new ChangeExtent(0, 0, 7, 70));
        assertThat(ChangeExtent.ofStates(List.of(abandoned, root), List.of(other, root))).isEqualTo(new ChangeExtent(0, 0, 27, 250));
        assertThat(ChangeExtent.ofStates(List.of(other, root), List.of(root)).addedRows()).isEqualTo(20);
        // With no snapshot in common: everything out, everything in
        assertThat(ChangeExtent.ofStates(List.of(abandoned), List.of(other))).isEqualTo(new ChangeExtent(980, 8820, 1007, 17890));
        // Never more than that
        SnapshotFact churn = fact(4, OVERWRITE, 100_000, 900_000, 100_000, 900_000, RowDeletes.NONE, totals(1000, 9000, 10));
        assertThat(ChangeExtent.ofStates(List.of(root), List.of(churn, root))).isEqualTo(new ChangeExtent(1000, 9000, 1000, 18000));
    }

    @Test
    void testClassified()
    {
        SnapshotFact root = fact(1, APPEND, 1000, 9000, 0, 0, RowDeletes.NONE, totals(1000, 9000, 10));
        SnapshotFact delete = fact(2, DELETE, 0, 0, 0, 0, new RowDeletes(5, 2, false), totals(1000, 9000, 10));
        SourceChange change = new TestingHistory(ImmutableMap.of(1L, root, 2L, delete), 2, 2).classify(1);
        assertThat(change.kind()).isEqualTo(ChangeKind.ROWS_CHANGED);
        assertThat(change.removedRows()).isEqualTo(5);
        assertThat(change.scanBytes()).isEqualTo(1800);
        SourceChange back = new TestingHistory(ImmutableMap.of(1L, root, 2L, delete), 2, 1).classify(2);
        assertThat(back.reason()).isEqualTo(ChangeReason.SOURCE_ROLLED_BACK);
        assertThat(back.addedRows()).isEqualTo(5);
        assertThat(back.removedRows()).isZero();
        assertThat(back.scanBytes()).isEqualTo(1800);
        SourceChange appended = new SourceChange(ChangeKind.APPENDED, ChangeReason.NONE, OptionalLong.of(1), OptionalLong.of(2), 10, 100, OptionalLong.empty());
        assertThat(appended.removedRows()).isZero();
        assertThat(appended.scanBytes()).isEqualTo(100);
    }

    private static SnapshotFact fact(long id, Operation operation, long addedRows, long addedBytes, long removedRows, long removedBytes, RowDeletes deletes, Totals totals)
    {
        return new SnapshotFact(
                id,
                id == 1 ? OptionalLong.empty() : OptionalLong.of(1),
                id,
                operation,
                addedRows,
                addedBytes,
                removedRows,
                removedRows > 0 ? 1 : 0,
                deletes.equals(RowDeletes.NONE) ? 0 : 1,
                0,
                removedBytes,
                deletes,
                totals);
    }

    private static Totals totals(long rows, long bytes, long dataFiles)
    {
        return new Totals(OptionalLong.of(rows), OptionalLong.of(bytes), OptionalLong.of(dataFiles));
    }
}
