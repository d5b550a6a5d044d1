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

import io.trino.spi.classloader.ThreadContextClassLoader;
import jakarta.annotation.PreDestroy;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;

import static io.airlift.concurrent.Threads.daemonThreadsNamed;
import static java.util.concurrent.Executors.newCachedThreadPool;
import static java.util.concurrent.Executors.newScheduledThreadPool;
import static java.util.concurrent.Executors.newSingleThreadScheduledExecutor;
import static java.util.concurrent.TimeUnit.MILLISECONDS;

/** One thread that waits, threads that work, and one that posts alerts. Ended with the connector; what comes then is dropped. */
public final class ScheduleExecutors
{
    private final ScheduledExecutorService timer = newSingleThreadScheduledExecutor(daemonThreadsNamed("freshet-schedule-timer-%s"));
    private final ExecutorService workers = newCachedThreadPool(daemonThreadsNamed("freshet-schedule-%s"));
    private final ScheduledExecutorService webhook = newScheduledThreadPool(1, daemonThreadsNamed("freshet-alerts-%s"));

    public void after(long delayMillis, Runnable action)
    {
        try {
            timer.schedule(action, delayMillis, MILLISECONDS);
        }
        catch (RejectedExecutionException e) {
            if (!timer.isShutdown()) {
                throw e;
            }
        }
    }

    public void execute(Runnable action)
    {
        try {
            workers.execute(() -> {
                try (ThreadContextClassLoader _ = new ThreadContextClassLoader(ScheduleExecutors.class.getClassLoader())) {
                    action.run();
                }
            });
        }
        catch (RejectedExecutionException e) {
            if (!workers.isShutdown()) {
                throw e;
            }
        }
    }

    public ScheduledExecutorService webhook()
    {
        return webhook;
    }

    @PreDestroy
    public void stop()
    {
        timer.shutdownNow();
        workers.shutdownNow();
        webhook.shutdownNow();
    }
}
