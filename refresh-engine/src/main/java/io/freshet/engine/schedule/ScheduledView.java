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
package io.freshet.engine.schedule;

import com.google.common.collect.ImmutableSet;
import io.freshet.engine.RelationName;

import java.util.OptionalLong;
import java.util.Set;

import static java.util.Objects.requireNonNull;

/**
 * A view as the agenda has to know it.
 *
 * @param storedAs the table that keeps its rows, by whose name views above it have it among their sources
 * @param sources the tables that it reads; a materialized view by the name of the table that keeps its rows
 * @param lastRunMillis when the last refresh began that is known of, in milliseconds since the epoch; empty if there was none
 */
public record ScheduledView(RelationName name, RelationName storedAs, RefreshSchedule schedule, Set<RelationName> sources, boolean paused, OptionalLong lastRunMillis)
{
    public ScheduledView
    {
        requireNonNull(name, "name is null");
        requireNonNull(storedAs, "storedAs is null");
        requireNonNull(schedule, "schedule is null");
        sources = ImmutableSet.copyOf(sources);
        requireNonNull(lastRunMillis, "lastRunMillis is null");
    }
}
