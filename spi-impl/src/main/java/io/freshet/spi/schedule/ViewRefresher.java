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

import io.freshet.engine.RelationName;
import io.freshet.engine.schedule.RefreshAgenda.Outcome;
import io.freshet.engine.schedule.RefreshCause;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import static java.util.Objects.requireNonNull;

/** Brings views up to date. */
public interface ViewRefresher
{
    /** Whether statements can be run already. */
    boolean isReady();

    /** Refreshes the view if it is there, not paused, and behind its sources. May do so in the calling thread. */
    CompletableFuture<Result> refresh(RelationName view, RefreshCause cause);

    /**
     * @param error if it did not succeed
     * @param view as it is now; empty if there is no such view any more
     */
    record Result(Outcome outcome, Optional<String> error, Optional<WatchedView> view)
    {
        public Result
        {
            requireNonNull(outcome, "outcome is null");
            requireNonNull(error, "error is null");
            requireNonNull(view, "view is null");
        }
    }
}
