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
package io.freshet.spi.surface;

import com.google.inject.Inject;
import io.airlift.json.JsonCodec;
import io.airlift.log.Logger;
import io.freshet.spi.refresh.RefreshHistory;
import io.freshet.spi.refresh.RefreshRecord;
import io.freshet.spi.refresh.RefreshRecord.Status;
import io.freshet.spi.refresh.RefreshState;
import io.freshet.spi.refresh.RefreshSummary;
import io.freshet.spi.refresh.RunningRefreshes;
import io.freshet.spi.refresh.RunningRefreshes.RunningRefresh;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.Snapshot;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import static com.google.common.collect.ImmutableList.sortedCopyOf;
import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Comparator.comparingLong;
import static java.util.Objects.requireNonNull;

/**
 * All refreshes of a view that are known of: those of the history, and those of which only the commit is left, since the history
 * of the latest ones is lost with the coordinator's memory.
 */
public final class RefreshLog
{
    private static final Logger log = Logger.get(RefreshLog.class);

    private final RefreshHistory history;
    private final RunningRefreshes running;
    private final JsonCodec<RefreshState> codec;

    @Inject
    public RefreshLog(RefreshHistory history, RunningRefreshes running, JsonCodec<RefreshState> codec)
    {
        this.running = requireNonNull(running, "running is null");
        this.history = requireNonNull(history, "history is null");
        this.codec = requireNonNull(codec, "codec is null");
    }

    /** Those that this coordinator is at. */
    List<RunningRefresh> running(BaseTable backingTable)
    {
        return running.of(backingTable.operations().current().uuid());
    }

    /** Those that have ended, oldest first. */
    List<RefreshRecord> of(BaseTable backingTable)
    {
        Map<String, RefreshRecord> byId = new LinkedHashMap<>();
        history.of(backingTable).forEach(record -> byId.put(record.refreshId(), record));
        for (Snapshot snapshot : sortedCopyOf(comparingLong(Snapshot::sequenceNumber), backingTable.snapshots())) {
            String json = snapshot.summary().get(RefreshState.SUMMARY_KEY);
            if (json != null) {
                addCommitted(byId, snapshot, json);
            }
        }
        return byId.values().stream()
                .sorted(comparingLong(RefreshRecord::startedAt))
                .collect(toImmutableList());
    }

    private void addCommitted(Map<String, RefreshRecord> byId, Snapshot snapshot, String json)
    {
        RefreshState state;
        try {
            state = codec.fromJson(json);
        }
        catch (IllegalArgumentException e) {
            log.debug(e, "The bookmarks in snapshot %s cannot be read", snapshot.snapshotId());
            return;
        }
        RefreshRecord known = byId.get(state.details().refreshId());
        // What was not known to have been committed has been, as the snapshot shows
        if (known == null || known.status() == Status.UNKNOWN) {
            byId.put(state.details().refreshId(), RefreshSummary.record(snapshot, state));
        }
    }
}
