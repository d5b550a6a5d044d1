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

import static java.util.Objects.requireNonNull;

/**
 * Cancels a refresh at whatever point it is: what is running now, or what would be started next.
 */
public final class CancelSwitch
{
    private Runnable action = () -> {};
    private boolean cancelled;

    /** Replaces what cancelling means from now on; done at once if it was cancelled before. */
    public synchronized void onCancel(Runnable action)
    {
        this.action = requireNonNull(action, "action is null");
        if (cancelled) {
            action.run();
        }
    }

    public synchronized boolean isCancelled()
    {
        return cancelled;
    }

    public synchronized void cancel()
    {
        if (!cancelled) {
            cancelled = true;
            action.run();
        }
    }
}
