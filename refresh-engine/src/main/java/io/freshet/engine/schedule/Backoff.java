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

import java.time.Duration;

import static com.google.common.base.Preconditions.checkArgument;

/**
 * How long to wait after failures in a row: twice as long each time, up to a limit.
 *
 * @param first wait after one failure
 * @param longest limit of the wait
 */
public record Backoff(Duration first, Duration longest)
{
    public Backoff
    {
        checkArgument(first.isPositive() && first.compareTo(longest) <= 0, "Not a range of waits: %s to %s", first, longest);
    }

    /**
     * @param failures in a row, at least 1
     * @param regularWaitMillis wait until the next regular run: a view that runs seldom is not retried more often for ever
     */
    public long delayMillis(int failures, long regularWaitMillis)
    {
        checkArgument(failures >= 1, "No failure");
        long limit = Math.max(longest.toMillis(), regularWaitMillis);
        int doublings = Math.min(failures - 1, 40);
        return Math.min(limit, Math.min(first.toMillis(), Long.MAX_VALUE >> doublings) << doublings);
    }
}
