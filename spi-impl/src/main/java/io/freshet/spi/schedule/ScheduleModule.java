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
import io.freshet.engine.RelationName;
import io.freshet.spi.schedule.ScheduleService.RunListener;
import io.freshet.spi.schedule.ViewRefresher.Result;

import static com.google.inject.Scopes.SINGLETON;
import static io.airlift.configuration.ConfigBinder.configBinder;

/** Binds what refreshes views by itself. */
public class ScheduleModule
        implements Module
{
    @Override
    public void configure(Binder binder)
    {
        configBinder(binder).bindConfig(ScheduleConfig.class);
        binder.bind(ScheduleProperties.class).in(SINGLETON);
        binder.bind(CatalogViewDirectory.class).in(SINGLETON);
        binder.bind(QueueViewRefresher.class).in(SINGLETON);
        binder.bind(RunListener.class).toInstance(new RunListener()
        {
            @Override
            public void seen(WatchedView view, long nowMillis) {}

            @Override
            public void finished(RelationName view, Result result, long startMillis, long nowMillis) {}

            @Override
            public void removed(RelationName view) {}
        });
        binder.bind(Scheduling.class).asEagerSingleton();
    }
}
