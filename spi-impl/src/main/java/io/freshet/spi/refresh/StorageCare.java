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

import com.google.inject.Inject;
import io.airlift.log.Logger;
import io.freshet.engine.RelationName;
import io.freshet.spi.FreshetConfig;
import io.freshet.spi.catalog.FreshetCatalog;
import io.freshet.spi.catalog.FreshetCatalogFactory;
import io.freshet.spi.catalog.ViewTable;
import io.trino.spi.catalog.CatalogName;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.security.ConnectorIdentity;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotSummary;
import org.apache.iceberg.util.PropertyUtil;

import java.util.Optional;

import static io.freshet.spi.catalog.BackingTables.backingTableOf;
import static java.util.Objects.requireNonNull;

/**
 * Keeps backing tables small and quick to read: compacts what refreshes leave behind, and expires their old snapshots. To be called
 * between two refreshes of the view.
 */
public final class StorageCare
{
    private static final Logger log = Logger.get(StorageCare.class);

    /** Readers of other clusters are not known, so no snapshot goes that a query of ordinary length may still read. */
    private static final long MIN_RETENTION_MILLIS = 60 * 60 * 1000L;
    /** The metadata of a table is read as a whole by each refresh, so there are not to be more snapshots that nobody reads. */
    private static final int MAX_SNAPSHOTS = 100;
    private static final int MIN_SNAPSHOTS = 2;
    /** Looking at all files costs more than it gives when few of the stored rows are deleted. */
    private static final double DELETED_SHARE = 0.05;

    private final String catalogName;
    private final FreshetCatalogFactory catalogFactory;
    private final BackgroundSessions sessions;
    private final RefreshExecution execution;
    private final long retentionMillis;

    @Inject
    public StorageCare(CatalogName catalogName, FreshetCatalogFactory catalogFactory, BackgroundSessions sessions, RefreshExecution execution, FreshetConfig config)
    {
        this.catalogName = catalogName.toString();
        this.catalogFactory = requireNonNull(catalogFactory, "catalogFactory is null");
        this.sessions = requireNonNull(sessions, "sessions is null");
        this.execution = requireNonNull(execution, "execution is null");
        this.retentionMillis = config.getSnapshotRetention().toMillis();
    }

    /** Does what is due. A failure is not one of the refresh before, and the next refresh brings another chance. */
    public void care(SchemaTableName view, ConnectorIdentity identity)
    {
        try {
            FreshetCatalog catalog = catalogFactory.create(identity);
            Optional<ViewTable> found = catalog.findView(sessions.create(identity), view);
            if (found.isEmpty()) {
                return;
            }
            BaseTable table = found.get().backingTable();
            if (mayNeedCompaction(table)) {
                Compaction.plan(table).ifPresent(compaction -> compact(found.get(), compaction));
            }
            table.refresh();
            expire(table, System.currentTimeMillis(), retentionMillis);
        }
        catch (RuntimeException e) {
            log.warn(e, "The storage of materialized view %s could not be cared for", view);
        }
    }

    private void compact(ViewTable view, Compaction compaction)
    {
        SchemaTableName name = backingTableOf(view.view());
        execution.compact(view, compaction, compaction.statement(new RelationName(catalogName, name.getSchemaName(), name.getTableName()), view.backingTable().schema()));
    }

    private static boolean mayNeedCompaction(BaseTable table)
    {
        Snapshot current = table.currentSnapshot();
        if (current == null || current.summary().get(RefreshState.SUMMARY_KEY) == null) {
            // what somebody else committed last is not ours to rewrite
            return false;
        }
        long files = PropertyUtil.propertyAsLong(current.summary(), SnapshotSummary.TOTAL_DATA_FILES_PROP, 0);
        long rows = PropertyUtil.propertyAsLong(current.summary(), SnapshotSummary.TOTAL_RECORDS_PROP, 0);
        long deleted = PropertyUtil.propertyAsLong(current.summary(), SnapshotSummary.TOTAL_POS_DELETES_PROP, 0);
        return files >= Compaction.FILES || deleted > DELETED_SHARE * rows;
    }

    /**
     * Expires snapshots of a backing table, never the current one. Not each time that one is too old: an expiry costs a commit.
     *
     * @param nowMillis the time to count from, in milliseconds since the epoch
     * @param retentionMillis how long a snapshot is kept, unless there are far more of them than are of use
     */
    public static void expire(BaseTable table, long nowMillis, long retentionMillis)
    {
        int snapshots = 0;
        long oldest = nowMillis;
        for (Snapshot snapshot : table.snapshots()) {
            snapshots++;
            oldest = Math.min(oldest, snapshot.timestampMillis());
        }
        if (snapshots > 2 * MAX_SNAPSHOTS && oldest < nowMillis - MIN_RETENTION_MILLIS) {
            table.expireSnapshots().expireOlderThan(nowMillis - MIN_RETENTION_MILLIS).retainLast(MAX_SNAPSHOTS).commit();
        }
        else if (snapshots > MIN_SNAPSHOTS && oldest < nowMillis - 2 * retentionMillis) {
            table.expireSnapshots().expireOlderThan(nowMillis - retentionMillis).retainLast(MIN_SNAPSHOTS).commit();
        }
    }
}
