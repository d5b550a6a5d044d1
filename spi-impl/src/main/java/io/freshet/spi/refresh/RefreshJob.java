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
package io.freshet.spi.refresh;

import com.google.common.collect.ImmutableMap;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.SchemaTableName;
import org.apache.iceberg.Transaction;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

import static com.google.common.base.Preconditions.checkState;
import static io.freshet.spi.FreshetErrorCode.REFRESH_CANCELLED;
import static java.util.Objects.requireNonNull;

/**
 * What the statement that carries a refresh token may read and write, and how its rows are to be committed.
 * Lives in memory on the coordinator for the time of one statement.
 *
 * @param mode how the written rows join the backing table
 * @param expectedSnapshotId the snapshot of the backing table that the statement was planned on; the commit fails if it moved
 * @param staged a table that does not exist yet (or is about to be replaced): it becomes visible by the commit of the rows
 * @param pins the sources by table name; a table that is not among them cannot be read
 * @param summary entries for the summary of the snapshot, among them the bookmarks
 * @param properties table properties to be set in the same commit
 */
public record RefreshJob(
        String refreshId,
        String user,
        SchemaTableName view,
        SchemaTableName backingTable,
        WriteMode mode,
        OptionalLong expectedSnapshotId,
        Optional<Transaction> staged,
        Map<SchemaTableName, SourcePin> pins,
        Map<String, String> summary,
        Map<String, String> properties,
        Optional<Compaction> compaction,
        CommitOutcome outcome)
{
    public enum WriteMode
    {
        /** Nothing may be written: the statement only reads. */
        READ_ONLY,
        /** The rows are added. */
        APPEND,
        /** The rows replace the whole content. */
        OVERWRITE,
        /** The rows are those of some files, which they replace. */
        REORGANIZE,
        /** Stored rows are replaced or deleted by their addresses, and rows are added. */
        ROW_DELTA,
    }

    public RefreshJob
    {
        requireNonNull(refreshId, "refreshId is null");
        requireNonNull(user, "user is null");
        requireNonNull(view, "view is null");
        requireNonNull(backingTable, "backingTable is null");
        requireNonNull(mode, "mode is null");
        requireNonNull(expectedSnapshotId, "expectedSnapshotId is null");
        requireNonNull(staged, "staged is null");
        pins = ImmutableMap.copyOf(requireNonNull(pins, "pins is null"));
        summary = ImmutableMap.copyOf(requireNonNull(summary, "summary is null"));
        properties = ImmutableMap.copyOf(requireNonNull(properties, "properties is null"));
        requireNonNull(compaction, "compaction is null");
        requireNonNull(outcome, "outcome is null");
    }

    /** A job whose statement only reads. */
    public static RefreshJob readOnly(String user, SchemaTableName view, SchemaTableName backingTable, Map<SchemaTableName, SourcePin> pins)
    {
        return new RefreshJob(
                "",
                user,
                view,
                backingTable,
                WriteMode.READ_ONLY,
                OptionalLong.empty(),
                Optional.empty(),
                pins,
                ImmutableMap.of(),
                ImmutableMap.of(),
                Optional.empty(),
                new CommitOutcome());
    }

    public boolean writes(SchemaTableName table)
    {
        return mode != WriteMode.READ_ONLY && backingTable.equals(table);
    }

    /**
     * What became of the commit. The statement commits in a thread of the engine, and goes on to do so for a while even if it was
     * cancelled. Whoever sent it may give up, but has to know for certain then what happened and that nothing is still to come.
     */
    public static final class CommitOutcome
    {
        private boolean closed;
        private boolean committing;
        private Optional<Committed> committed = Optional.empty();
        private Optional<TrinoException> unknown = Optional.empty();

        /**
         * To be called before a commit, and {@link #end} after it, however it ends.
         *
         * @throws TrinoException REFRESH_CANCELLED if nobody waits for a commit any more
         */
        public synchronized void begin()
        {
            checkState(committed.isEmpty() && !committing, "A refresh commits once");
            if (closed) {
                throw new TrinoException(REFRESH_CANCELLED, "The refresh was given up before its commit");
            }
            committing = true;
        }

        public synchronized void succeeded(Committed value)
        {
            committed = Optional.of(value);
        }

        public synchronized void isUnknown(TrinoException failure)
        {
            unknown = Optional.of(failure);
        }

        public synchronized void end()
        {
            committing = false;
            notifyAll();
        }

        public synchronized Optional<Committed> get()
        {
            return committed;
        }

        /** Forbids commits from now on, after waiting for one that is under way. Says whether there was one that succeeded. */
        public synchronized Optional<Committed> close()
        {
            closed = true;
            boolean interrupted = false;
            while (committing) {
                try {
                    wait();
                }
                catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            return committed;
        }

        /** Why it cannot be said whether the commit succeeded, if so. */
        public synchronized Optional<TrinoException> unknown()
        {
            return unknown;
        }
    }

    public record Committed(long snapshotId, long rowsInserted, long rowsDeleted, long bytesWritten) {}
}
