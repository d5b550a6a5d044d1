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
import io.freshet.staleness.AlertPolicy;
import io.trino.spi.Node;
import io.trino.spi.catalog.CatalogName;
import io.trino.spi.connector.SchemaTableName;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import org.weakref.jmx.Managed;
import org.weakref.jmx.Nested;

import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;

import static java.util.Objects.requireNonNull;

/** The schedule service and the staleness monitor of this catalog, on the coordinator; elsewhere nothing. */
public final class Scheduling
        implements CatalogListener
{
    private final String catalogName;
    private final boolean active;
    private final CatalogEvents events;
    private final ScheduleService service;
    private final StalenessMonitor monitor;
    private final Optional<CommitEventStream> stream;

    @Inject
    public Scheduling(
            CatalogName catalogName,
            Node node,
            ScheduleConfig config,
            StalenessConfig stalenessConfig,
            ScheduleExecutors executors,
            CatalogEvents events,
            CatalogViewDirectory directory,
            QueueViewRefresher refresher,
            Alerts alerts)
    {
        this.catalogName = catalogName.toString();
        this.events = requireNonNull(events, "events is null");
        active = node.isCoordinator() && config.isEnabled();
        monitor = new StalenessMonitor(
                new StalenessMonitor.Settings(
                        new AlertPolicy(stalenessConfig.getAlertCooldown().toJavaTime(), stalenessConfig.getAlertFrom()),
                        stalenessConfig.getCheckInterval().toMillis(),
                        stalenessConfig.getComplianceWindow().toMillis()),
                directory,
                alerts,
                executors::after,
                executors::execute,
                System::currentTimeMillis);
        service = new ScheduleService(
                settings(config),
                directory,
                refresher,
                RunListener.all(monitor, new FailureNotes(directory)),
                executors::after,
                executors::execute,
                System::currentTimeMillis);
        stream = config.getSseUri().map(uri -> new CommitEventStream(streamSettings(config, uri), this::committed, service::setAllCommitsTold));
    }

    /** Where this coordinator hears of the commits of others. */
    @Managed
    @Nested
    public CommitEventStream getEvents()
    {
        return stream.orElse(null);
    }

    @Managed
    public int getRunningRefreshes()
    {
        return service.runningCount();
    }

    @Managed
    public int getWaitingRefreshes()
    {
        return service.waitingCount();
    }

    private static CommitEventStream.Settings streamSettings(ScheduleConfig config, URI uri)
    {
        return new CommitEventStream.Settings(uri, config.getSseAuthorization(), config.getSseTrustStorePath(), config.getSseTrustStorePassword(), 1_000);
    }

    private static ScheduleService.Settings settings(ScheduleConfig config)
    {
        Duration firstRetry = config.getFirstRetryDelay().toJavaTime();
        Duration longestRetry = config.getLongestRetryDelay().toJavaTime();
        return new ScheduleService.Settings(
                new RefreshAgenda.Settings(
                        config.getMaxParallelRefreshes(),
                        config.getCommitDelay().toJavaTime(),
                        new Backoff(firstRetry, longestRetry.compareTo(firstRetry) < 0 ? firstRetry : longestRetry),
                        new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(1))),
                config.getDiscoveryInterval().toMillis(),
                config.getPollInterval().toMillis());
    }

    @PostConstruct
    public void start()
    {
        if (active) {
            events.addListener(this);
            service.start();
            monitor.start();
            stream.ifPresent(CommitEventStream::start);
        }
    }

    @PreDestroy
    public void stop()
    {
        stream.ifPresent(CommitEventStream::stop);
        service.stop();
        monitor.stop();
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

    /** Empty if the view is not watched from here. */
    public OptionalDouble compliance(SchemaTableName view)
    {
        return monitor.compliance(relationName(view));
    }

    private RelationName relationName(SchemaTableName name)
    {
        return new RelationName(catalogName, name.getSchemaName(), name.getTableName());
    }
}
