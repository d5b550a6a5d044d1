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
package io.freshet.spi;

import com.google.inject.Binder;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import io.airlift.configuration.AbstractConfigurationAwareModule;
import io.freshet.spi.catalog.CatalogEvents;
import io.freshet.spi.catalog.TransactionCatalogs;
import io.freshet.spi.refresh.BackgroundSessions;
import io.freshet.spi.refresh.BackingContent;
import io.freshet.spi.refresh.DefinitionCheck;
import io.freshet.spi.refresh.Dependents;
import io.freshet.spi.refresh.ForRefresh;
import io.freshet.spi.refresh.InnerViews;
import io.freshet.spi.refresh.RefreshCommitter;
import io.freshet.spi.refresh.RefreshExecution;
import io.freshet.spi.refresh.RefreshHistory;
import io.freshet.spi.refresh.RefreshMetrics;
import io.freshet.spi.refresh.RefreshPlanning;
import io.freshet.spi.refresh.RefreshProperties;
import io.freshet.spi.refresh.RefreshQueue;
import io.freshet.spi.refresh.RefreshRecord;
import io.freshet.spi.refresh.RefreshService;
import io.freshet.spi.refresh.RefreshState;
import io.freshet.spi.refresh.RunningRefreshes;
import io.freshet.spi.refresh.StatementContexts;
import io.freshet.spi.refresh.StatementRunner;
import io.freshet.spi.refresh.StorageCare;
import io.freshet.spi.refresh.Verification;
import io.freshet.spi.refresh.ViewFreshness;
import io.freshet.spi.scan.ChangeScanModule;
import io.freshet.spi.scan.TableLoader;
import io.freshet.spi.schedule.ScheduleModule;
import io.freshet.spi.surface.SurfaceModule;
import io.freshet.spi.view.DefinitionChecks;
import io.freshet.spi.view.StaticSources;
import io.freshet.spi.view.StoredView;
import io.freshet.spi.view.StoredViewCodec;
import io.freshet.spi.view.ViewLifecycle;
import io.freshet.spi.view.ViewProperties;
import io.freshet.spi.view.ViewSwap;
import io.trino.plugin.base.session.SessionPropertiesProvider;
import jakarta.annotation.PreDestroy;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;

import static com.google.inject.Scopes.SINGLETON;
import static com.google.inject.multibindings.Multibinder.newSetBinder;
import static com.google.inject.multibindings.OptionalBinder.newOptionalBinder;
import static io.airlift.concurrent.Threads.daemonThreadsNamed;
import static io.airlift.configuration.ConfigBinder.configBinder;
import static io.airlift.json.JsonCodecBinder.jsonCodecBinder;
import static java.util.concurrent.Executors.newCachedThreadPool;
import static java.util.concurrent.Executors.newSingleThreadScheduledExecutor;
import static org.weakref.jmx.guice.ExportBinder.newExporter;

/** What Freshet adds to the Iceberg connector's objects. */
public class FreshetModule
        extends AbstractConfigurationAwareModule
{
    @Override
    protected void setup(Binder binder)
    {
        configBinder(binder).bindConfig(FreshetConfig.class);
        install(new ChangeScanModule());
        install(new ScheduleModule());
        install(new SurfaceModule());

        jsonCodecBinder(binder).bindJsonCodec(StoredView.class);
        jsonCodecBinder(binder).bindJsonCodec(StoredViewCodec.FormatVersion.class);
        jsonCodecBinder(binder).bindJsonCodec(RefreshState.class);
        jsonCodecBinder(binder).bindListJsonCodec(RefreshRecord.class);

        binder.bind(CatalogEvents.class).in(SINGLETON);
        binder.bind(StatementContexts.class).in(SINGLETON);
        binder.bind(StoredViewCodec.class).in(SINGLETON);
        binder.bind(TransactionCatalogs.class).in(SINGLETON);
        newOptionalBinder(binder, TableLoader.class).setBinding().to(TransactionCatalogs.class);

        binder.bind(BackgroundSessions.class).in(SINGLETON);
        binder.bind(BackingContent.class).in(SINGLETON);
        binder.bind(DefinitionCheck.class).in(SINGLETON);
        binder.bind(RefreshPlanning.class).in(SINGLETON);
        binder.bind(InnerViews.class).in(SINGLETON);
        binder.bind(StatementRunner.class).in(SINGLETON);
        binder.bind(RefreshCommitter.class).in(SINGLETON);
        binder.bind(RefreshExecution.class).in(SINGLETON);
        binder.bind(RefreshHistory.class).in(SINGLETON);
        binder.bind(RefreshService.class).in(SINGLETON);
        binder.bind(RunningRefreshes.class).in(SINGLETON);
        binder.bind(RefreshMetrics.class).in(SINGLETON);
        binder.bind(StorageCare.class).in(SINGLETON);
        binder.bind(RefreshQueue.class).in(SINGLETON);
        newExporter(binder).export(RefreshQueue.class).withGeneratedName();
        binder.bind(Verification.class).in(SINGLETON);
        binder.bind(Dependents.class).in(SINGLETON);
        binder.bind(ViewFreshness.class).in(SINGLETON);
        binder.bind(ViewProperties.class).in(SINGLETON);
        binder.bind(DefinitionChecks.class).in(SINGLETON);
        binder.bind(StaticSources.class).in(SINGLETON);
        binder.bind(ViewLifecycle.class).in(SINGLETON);
        binder.bind(ViewSwap.class).in(SINGLETON);
        binder.bind(RefreshProperties.class).in(SINGLETON);
        newSetBinder(binder, SessionPropertiesProvider.class).addBinding().to(RefreshProperties.class);
        binder.bind(Executors.class).in(SINGLETON);
    }

    @Provides
    @Singleton
    @ForRefresh
    public static ExecutorService createRefreshExecutor(Executors executors)
    {
        return executors.refreshes;
    }

    @Provides
    @Singleton
    @ForRefresh
    public static ScheduledExecutorService createTimer(Executors executors)
    {
        return executors.timer;
    }

    /** Ended with the connector. */
    public static final class Executors
    {
        private final ExecutorService refreshes = newCachedThreadPool(daemonThreadsNamed("freshet-refresh-%s"));
        private final ScheduledExecutorService timer = newSingleThreadScheduledExecutor(daemonThreadsNamed("freshet-timer-%s"));

        @PreDestroy
        public void stop()
        {
            refreshes.shutdownNow();
            timer.shutdownNow();
        }
    }
}
