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

import io.freshet.spi.refresh.RunningStatement.Progress;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

/** The refreshes that this coordinator is at. */
public final class RunningRefreshes
{
    private final Map<String, Entry> entries = new ConcurrentHashMap<>();

    /** @param record as far as it is known, with status RUNNING */
    public record RunningRefresh(RefreshRecord record, Optional<Progress> progress)
    {
        public RunningRefresh
        {
            requireNonNull(record, "record is null");
            requireNonNull(progress, "progress is null");
        }
    }

    private record Entry(String backingTableUuid, Supplier<RunningRefresh> refresh) {}

    void started(String refreshId, String backingTableUuid, Supplier<RunningRefresh> refresh)
    {
        entries.put(refreshId, new Entry(backingTableUuid, refresh));
    }

    void ended(String refreshId)
    {
        entries.remove(refreshId);
    }

    /** Those of the view with that backing table. */
    public List<RunningRefresh> of(String backingTableUuid)
    {
        return entries.values().stream()
                .filter(entry -> entry.backingTableUuid().equals(backingTableUuid))
                .map(entry -> entry.refresh().get())
                .collect(toImmutableList());
    }

    public int count()
    {
        return entries.size();
    }
}
