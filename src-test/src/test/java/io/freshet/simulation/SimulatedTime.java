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
package io.freshet.simulation;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.function.BooleanSupplier;

/** A clock that moves from one action to the next. The same actions are always done in the same order. */
final class SimulatedTime
{
    private final PriorityQueue<Action> actions = new PriorityQueue<>(Comparator.comparingLong(Action::millis).thenComparingLong(Action::number));
    private long now;
    private long count;

    private record Action(long millis, long number, Runnable action) {}

    SimulatedTime(long start)
    {
        now = start;
    }

    long now()
    {
        return now;
    }

    void after(long delayMillis, Runnable action)
    {
        actions.add(new Action(now + Math.max(0, delayMillis), count++, action));
    }

    /** Done only if it is still wanted then. */
    void after(long delayMillis, BooleanSupplier wanted, Runnable action)
    {
        after(delayMillis, () -> {
            if (wanted.getAsBoolean()) {
                action.run();
            }
        });
    }

    void runUntil(long end)
    {
        while (!actions.isEmpty() && actions.peek().millis() <= end) {
            Action action = actions.poll();
            now = action.millis();
            action.action().run();
        }
        now = end;
    }
}
