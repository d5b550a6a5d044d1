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
package io.freshet.spi.schedule;

import io.freshet.engine.schedule.ScheduledView;
import io.freshet.staleness.ServiceLevel;

import java.util.Optional;
import java.util.OptionalLong;

import static java.util.Objects.requireNonNull;

/**
 * A view as the schedule has to know it, as the catalog has it at one moment.
 *
 * @param seenMillis that moment, in milliseconds since the epoch
 * @param level the service level that it declares
 * @param behindSince commit time of the oldest commit that it lacks; empty if it lacks none, or has no service level
 * @param failure what is stored of refreshes that fail
 */
public record WatchedView(ScheduledView scheduled, long seenMillis, Optional<ServiceLevel> level, OptionalLong behindSince, Optional<String> failure)
{
    public WatchedView
    {
        requireNonNull(scheduled, "scheduled is null");
        requireNonNull(level, "level is null");
        requireNonNull(behindSince, "behindSince is null");
        requireNonNull(failure, "failure is null");
    }
}
