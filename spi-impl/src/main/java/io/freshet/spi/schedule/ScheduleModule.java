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

import com.google.inject.Binder;
import com.google.inject.Module;
import com.google.inject.Provides;
import com.google.inject.Singleton;

import java.time.Duration;
import java.util.Optional;

import static com.google.inject.Scopes.SINGLETON;
import static io.airlift.configuration.ConfigBinder.configBinder;
import static org.weakref.jmx.guice.ExportBinder.newExporter;

/** Binds what refreshes views by itself. */
public class ScheduleModule
        implements Module
{
    @Override
    public void configure(Binder binder)
    {
        configBinder(binder).bindConfig(ScheduleConfig.class);
        configBinder(binder).bindConfig(StalenessConfig.class);
        binder.bind(ServiceLevels.class).in(SINGLETON);
        binder.bind(ScheduleExecutors.class).in(SINGLETON);
        binder.bind(ScheduleProperties.class).in(SINGLETON);
        binder.bind(CatalogViewDirectory.class).in(SINGLETON);
        binder.bind(QueueViewRefresher.class).in(SINGLETON);
        binder.bind(Alerts.class).in(SINGLETON);
        newExporter(binder).export(Alerts.class).withGeneratedName();
        binder.bind(Scheduling.class).asEagerSingleton();
        newExporter(binder).export(Scheduling.class).withGeneratedName();
    }

    @Provides
    @Singleton
    public static Optional<AlertWebhook> createWebhook(StalenessConfig config, ScheduleExecutors executors)
    {
        return config.getWebhookUri().map(uri -> new AlertWebhook(uri, config.getWebhookSecret(), Duration.ofSeconds(1), executors.webhook()));
    }
}
