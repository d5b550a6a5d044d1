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

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import static java.util.Objects.requireNonNull;

/**
 * One refresh, as the history tells it. Times are milliseconds since the epoch.
 *
 * @param reason code; {@code NONE} if there is nothing to explain
 * @param deltaRows rows in the files added to the sources since the last refresh; absent if that is not what was read
 * @param sourceSnapshots snapshot id of each source by its full name; absent value: the source was empty
 */
public record RefreshRecord(
        String refreshId,
        RefreshTrigger trigger,
        String mode,
        Optional<String> strategy,
        Optional<String> reason,
        Optional<String> reasonDetail,
        Status status,
        Optional<String> error,
        long startedAt,
        Optional<Long> finishedAt,
        Optional<Long> deltaRows,
        Optional<Long> rowsInserted,
        Optional<Long> rowsDeleted,
        Optional<Long> bytesRead,
        Optional<Long> bytesWritten,
        List<String> queryIds,
        Optional<Long> backingSnapshotId,
        Map<String, Optional<Long>> sourceSnapshots)
{
    public enum RefreshTrigger
    {
        MANUAL,
        SCHEDULE,
        COMMIT,
        CASCADE,
        CREATE,
    }

    public enum Status
    {
        /** Only as long as it goes on; never stored. */
        RUNNING,
        SUCCEEDED,
        FAILED,
        CANCELLED,
        CONFLICT,
        UNKNOWN,
    }

    public RefreshRecord
    {
        requireNonNull(refreshId, "refreshId is null");
        requireNonNull(trigger, "trigger is null");
        requireNonNull(mode, "mode is null");
        requireNonNull(strategy, "strategy is null");
        requireNonNull(reason, "reason is null");
        requireNonNull(reasonDetail, "reasonDetail is null");
        requireNonNull(status, "status is null");
        requireNonNull(error, "error is null");
        requireNonNull(finishedAt, "finishedAt is null");
        queryIds = ImmutableList.copyOf(queryIds);
        sourceSnapshots = ImmutableMap.copyOf(sourceSnapshots);
    }
}
