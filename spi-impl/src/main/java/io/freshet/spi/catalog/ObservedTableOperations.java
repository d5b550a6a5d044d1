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
package io.freshet.spi.catalog;

import org.apache.iceberg.DataOperations;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.exceptions.CommitStateUnknownException;

import java.util.Set;

import static java.util.Objects.requireNonNull;
import static org.apache.iceberg.SnapshotSummary.ADDED_DELETE_FILES_PROP;
import static org.apache.iceberg.SnapshotSummary.ADDED_FILES_PROP;
import static org.apache.iceberg.SnapshotSummary.DELETED_FILES_PROP;
import static org.apache.iceberg.SnapshotSummary.REMOVED_DELETE_FILES_PROP;

/**
 * Tells of commits that give a table other rows. Compactions, and commits that only carry bookmarks, are not among them: else they
 * would wake the views above, and those would wake others in turn.
 */
final class ObservedTableOperations
        extends DerivedTableOperations
{
    private static final Set<String> CHANGES = Set.of(ADDED_FILES_PROP, DELETED_FILES_PROP, ADDED_DELETE_FILES_PROP, REMOVED_DELETE_FILES_PROP);

    private final Runnable onCommit;

    ObservedTableOperations(TableOperations delegate, Runnable onCommit)
    {
        super(delegate);
        this.onCommit = requireNonNull(onCommit, "onCommit is null");
    }

    @Override
    public void commit(TableMetadata base, TableMetadata metadata)
    {
        try {
            delegate.commit(base, metadata);
        }
        catch (CommitStateUnknownException e) {
            // It may have succeeded, and an event too many does no harm
            onCommit.run();
            throw e;
        }
        if (changesRows(base, metadata)) {
            onCommit.run();
        }
    }

    static boolean changesRows(TableMetadata base, TableMetadata metadata)
    {
        Snapshot current = metadata.currentSnapshot();
        Snapshot before = base == null ? null : base.currentSnapshot();
        if (current == null || before == null) {
            return current != before;
        }
        if (current.snapshotId() == before.snapshotId()) {
            return false;
        }
        if (base.snapshot(current.snapshotId()) != null) {
            // a rollback
            return true;
        }
        // one commit may add several snapshots
        for (Snapshot snapshot : metadata.snapshots()) {
            if (base.snapshot(snapshot.snapshotId()) == null && !DataOperations.REPLACE.equals(snapshot.operation()) && CHANGES.stream().anyMatch(snapshot.summary()::containsKey)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public TableMetadata current()
    {
        return delegate.current();
    }

    @Override
    public TableMetadata refresh()
    {
        return delegate.refresh();
    }

    @Override
    public TableOperations temp(TableMetadata uncommittedMetadata)
    {
        return delegate.temp(uncommittedMetadata);
    }

    @Override
    public boolean requireStrictCleanup()
    {
        return delegate.requireStrictCleanup();
    }
}
