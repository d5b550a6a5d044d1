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

import com.google.common.base.Enums;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.primitives.Longs;
import io.freshet.engine.RefreshMode;
import io.freshet.engine.Strategy;
import io.freshet.engine.plan.PlanReason;
import io.freshet.spi.refresh.RefreshRecord.RefreshTrigger;
import io.freshet.spi.refresh.RefreshRecord.Status;
import io.freshet.staleness.SourceBookmark;
import org.apache.iceberg.Snapshot;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

import static java.util.Objects.requireNonNull;
import static org.apache.iceberg.SnapshotSummary.ADDED_FILE_SIZE_PROP;
import static org.apache.iceberg.SnapshotSummary.ADDED_POS_DELETES_PROP;
import static org.apache.iceberg.SnapshotSummary.ADDED_RECORDS_PROP;
import static org.apache.iceberg.SnapshotSummary.DELETED_RECORDS_PROP;

/**
 * What is known of a refresh before it commits, kept in the summary of the snapshot that it writes: all that is left of it if
 * the coordinator stops before the next refresh has stored the history.
 *
 * @param deltaRows as in {@link RefreshRecord}
 */
public record RefreshSummary(String refreshId, RefreshTrigger trigger, RefreshMode mode, Strategy strategy, PlanReason reason, Optional<Long> deltaRows)
{
    private static final String TRIGGER = "freshet.trigger";
    private static final String MODE = "freshet.mode";
    private static final String STRATEGY = "freshet.strategy";
    private static final String REASON = "freshet.reason";
    private static final String REASON_DETAIL = "freshet.reason-detail";
    private static final String DELTA_ROWS = "freshet.delta-rows";

    /** A detail may hold the message of a failed statement; every reader of the table loads every summary. */
    private static final int MAX_DETAIL = 500;

    public RefreshSummary
    {
        requireNonNull(refreshId, "refreshId is null");
        requireNonNull(trigger, "trigger is null");
        requireNonNull(mode, "mode is null");
        requireNonNull(strategy, "strategy is null");
        requireNonNull(reason, "reason is null");
        requireNonNull(deltaRows, "deltaRows is null");
    }

    /** The entries of the summary. The refresh id is with the bookmarks. */
    Map<String, String> entries()
    {
        ImmutableMap.Builder<String, String> entries = ImmutableMap.<String, String>builder()
                .put(TRIGGER, trigger.name())
                .put(MODE, mode.name())
                .put(STRATEGY, strategy.name())
                .put(REASON, reason.code());
        if (!reason.detail().isEmpty()) {
            entries.put(REASON_DETAIL, reason.detail().substring(0, Math.min(MAX_DETAIL, reason.detail().length())));
        }
        deltaRows.ifPresent(rows -> entries.put(DELTA_ROWS, Long.toString(rows)));
        return entries.buildOrThrow();
    }

    /**
     * The record of the refresh that wrote the snapshot, as far as the snapshot tells: bytes read and query ids are gone, and the
     * refresh counts as finished when it committed.
     */
    public static RefreshRecord record(Snapshot snapshot, RefreshState state)
    {
        Map<String, String> summary = snapshot.summary();
        return new RefreshRecord(
                state.details().refreshId(),
                Enums.getIfPresent(RefreshTrigger.class, summary.getOrDefault(TRIGGER, "")).or(RefreshTrigger.MANUAL),
                summary.getOrDefault(MODE, RefreshMode.AUTO.name()),
                Optional.ofNullable(summary.get(STRATEGY)),
                Optional.ofNullable(summary.get(REASON)),
                Optional.ofNullable(summary.get(REASON_DETAIL)),
                Status.SUCCEEDED,
                Optional.empty(),
                state.refreshStartMillis(),
                Optional.of(snapshot.timestampMillis()),
                count(summary, DELTA_ROWS),
                Optional.of(count(summary, ADDED_RECORDS_PROP).orElse(0L)),
                Optional.of(count(summary, ADDED_POS_DELETES_PROP).orElse(0L) + count(summary, DELETED_RECORDS_PROP).orElse(0L)),
                Optional.empty(),
                Optional.of(count(summary, ADDED_FILE_SIZE_PROP).orElse(0L)),
                ImmutableList.of(),
                Optional.of(snapshot.snapshotId()),
                sourceSnapshots(state));
    }

    private static Map<String, Optional<Long>> sourceSnapshots(RefreshState state)
    {
        // two bookmarks of one source, on its main line and on a branch, share a name
        Map<String, Optional<Long>> snapshots = new HashMap<>();
        for (SourceBookmark bookmark : state.bookmarks()) {
            snapshots.put(
                    "%s.%s.%s".formatted(bookmark.catalog(), bookmark.schema(), bookmark.table()),
                    bookmark.snapshotId().isPresent() ? Optional.of(bookmark.snapshotId().getAsLong()) : Optional.empty());
        }
        return snapshots;
    }

    private static Optional<Long> count(Map<String, String> summary, String key)
    {
        return Optional.ofNullable(Longs.tryParse(summary.getOrDefault(key, "")));
    }
}
