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
 * One snapshot as its summary describes it. A count that the summary does not mention is zero.
 *
 * @param parentId empty for the first snapshot of a line of history
 * @param timestampMillis commit time by the committer's clock, milliseconds since the epoch
 * @param addedBytes bytes of the files added
 * @param removedBytes bytes of the files removed
 * @param rowDeletes what was done to rows in files that stayed
 * @param totals what the table holds at this snapshot
 */
public record SnapshotFact(
        long id,
        OptionalLong parentId,
        long timestampMillis,
        Operation operation,
        long addedRows,
        long addedBytes,
        long removedRows,
        long removedDataFiles,
        long addedDeleteFiles,
        long removedDeleteFiles,
        long removedBytes,
        RowDeletes rowDeletes,
        Totals totals)
{
    /**
     * Deletes of rows in files that stay.
     *
     * @param rows rows that were named for deletion by their position; none of those named by their values
     * @param dataFiles upper bound of the data files where positions were added or taken back
     * @param byEquality whether deletes by value were added or taken back: any row may be meant
     */
    public record RowDeletes(long rows, long dataFiles, boolean byEquality)
    {
        public static final RowDeletes NONE = new RowDeletes(0, 0, false);
    }

    /** What the files of a snapshot hold, deleted rows included. Each is empty if the summary does not say. */
    public record Totals(OptionalLong rows, OptionalLong bytes, OptionalLong dataFiles)
    {
        public static final Totals UNKNOWN = new Totals(OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty());

        public Totals
        {
            requireNonNull(rows, "rows is null");
            requireNonNull(bytes, "bytes is null");
            requireNonNull(dataFiles, "dataFiles is null");
        }
    }

    public enum Operation
    {
        /** Files were added, nothing was taken away. */
        APPEND,
        /** Files were rewritten, the rows are the same. */
        REPLACE,
        /** Files or rows were added and taken away. */
        OVERWRITE,
        /** Files or rows were taken away. */
        DELETE,
        /** The snapshot does not say, or says something that this version does not know. */
        UNKNOWN,
    }

    /** What a snapshot did to the table's rows: the operation, where the counts of the summary do not contradict it. */
    enum Effect
    {
        NONE,
        ADDS_ROWS,
        CHANGES_ROWS,
    }

    public SnapshotFact
    {
        requireNonNull(parentId, "parentId is null");
        requireNonNull(operation, "operation is null");
        requireNonNull(rowDeletes, "rowDeletes is null");
        requireNonNull(totals, "totals is null");
    }

    /** A snapshot that deleted no rows in files that stay, of a table whose size is not known. */
    public SnapshotFact(
            long id,
            OptionalLong parentId,
            long timestampMillis,
            Operation operation,
            long addedRows,
            long addedBytes,
            long removedRows,
            long removedDataFiles,
            long addedDeleteFiles,
            long removedDeleteFiles)
    {
        this(id, parentId, timestampMillis, operation, addedRows, addedBytes, removedRows, removedDataFiles, addedDeleteFiles, removedDeleteFiles, 0, RowDeletes.NONE, Totals.UNKNOWN);
    }

    /** Whether the table holds the same rows as before, only in other files. */
    public boolean preservesRows()
    {
        return effect() == Effect.NONE;
    }

    Effect effect()
    {
        return switch (operation) {
            case APPEND -> removedDataFiles > 0 || removedRows > 0 || addedDeleteFiles > 0 || removedDeleteFiles > 0
                    ? Effect.CHANGES_ROWS
                    : Effect.ADDS_ROWS;
            // A rewrite may drop rows that were deleted already, but has none to add
            case REPLACE -> addedRows > removedRows ? Effect.CHANGES_ROWS : Effect.NONE;
            case OVERWRITE, DELETE, UNKNOWN -> Effect.CHANGES_ROWS;
        };
    }
}
