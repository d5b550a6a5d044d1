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

import com.google.inject.Inject;
import io.freshet.engine.RelationName;
import io.freshet.engine.schedule.Backoff;
import io.freshet.engine.schedule.RefreshAgenda;
import io.freshet.spi.catalog.CatalogEvents;
import io.freshet.spi.catalog.CatalogListener;
import io.freshet.spi.schedule.ScheduleService.RunListener;
import io.trino.spi.Node;
import io.trino.spi.catalog.CatalogName;
import io.trino.spi.classloader.ThreadContextClassLoader;
import io.trino.spi.connector.SchemaTableName;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;

import static io.airlift.concurrent.Threads.daemonThreadsNamed;
import static java.util.Objects.requireNonNull;
import static java.util.concurrent.Executors.newCachedThreadPool;
import static java.util.concurrent.Executors.newSingleThreadScheduledExecutor;
import static java.util.concurrent.TimeUnit.MILLISECONDS;

/** The schedule service of this catalog, on the coordinator; elsewhere nothing. */
public final class Scheduling
        implements CatalogListener
{
    private final String catalogName;
    private final boolean active;
    private final CatalogEvents events;
    private final ScheduledExecutorService timer = newSingleThreadScheduledExecutor(daemonThreadsNamed("freshet-schedule-timer-%s"));
    private final ExecutorService executor = newCachedThreadPool(daemonThreadsNamed("freshet-schedule-%s"));
    private final ScheduleService service;

    @Inject
    public Scheduling(CatalogName catalogName, Node node, ScheduleConfig config, CatalogEvents events, CatalogViewDirectory directory, QueueViewRefresher refresher, RunListener listener)
    {
        this.catalogName = catalogName.toString();
        this.events = requireNonNull(events, "events is null");
        active = node.isCoordinator() && config.isEnabled();
        Duration firstRetry = config.getFirstRetryDelay().toJavaTime();
        Duration longestRetry = config.getLongestRetryDelay().toJavaTime();
        service = new ScheduleService(
                new ScheduleService.Settings(
                        new RefreshAgenda.Settings(
                                config.getMaxParallelRefreshes(),
                                config.getCommitDelay().toJavaTime(),
                                new Backoff(firstRetry, longestRetry.compareTo(firstRetry) < 0 ? firstRetry : longestRetry),
                                new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(1))),
                        config.getDiscoveryInterval().toMillis(),
                        config.getPollInterval().toMillis()),
                directory,
                refresher,
                listener,
                this::after,
                withClassLoader(executor),
                System::currentTimeMillis);
    }

    private static Executor withClassLoader(Executor executor)
    {
        return action -> executor.execute(() -> {
            try (ThreadContextClassLoader _ = new ThreadContextClassLoader(Scheduling.class.getClassLoader())) {
                action.run();
            }
        });
    }

    private void after(long delayMillis, Runnable action)
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

    @PostConstruct
    public void start()
    {
        if (active) {
            events.addListener(this);
            service.start();
        }
    }

    @PreDestroy
    public void stop()
    {
        service.stop();
        timer.shutdownNow();
        executor.shutdownNow();
    }

    @Override
    public void committed(SchemaTableName table)
    {
        service.committed(relationName(table));
    }

    @Override
    public void viewChanged(SchemaTableName view)
    {
        service.viewChanged(relationName(view));
    }

    /** Empty if the view is not refreshed from here. */
    public Optional<RefreshAgenda.Status> status(SchemaTableName view)
    {
        return service.status(relationName(view));
    }

    private RelationName relationName(SchemaTableName name)
    {
        return new RelationName(catalogName, name.getSchemaName(), name.getTableName());
    }
}
