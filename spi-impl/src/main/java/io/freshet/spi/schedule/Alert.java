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
import io.freshet.staleness.StalenessState;

import static java.util.Objects.requireNonNull;

/**
 * That a view got later than it should be, or is in time again.
 *
 * @param recovery the latter
 * @param lagMillis the lag then
 * @param suppressedUntilMillis until then the same is not said again of this view; for a recovery the moment itself
 */
public record Alert(
        String id,
        RelationName view,
        long raisedMillis,
        StalenessState from,
        StalenessState to,
        boolean recovery,
        long lagMillis,
        long suppressedUntilMillis)
{
    public Alert
    {
        requireNonNull(id, "id is null");
        requireNonNull(view, "view is null");
        requireNonNull(from, "from is null");
        requireNonNull(to, "to is null");
    }

    /** For people. */
    public String detail()
    {
        return recovery
                ? "Materialized view %s is %s again, after %s".formatted(view, to, from)
                : "Materialized view %s is %s: it lacks commits of %s s ago".formatted(view, to, lagMillis / 1000);
    }
}
