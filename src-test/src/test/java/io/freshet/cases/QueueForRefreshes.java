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
package io.freshet.cases;

import com.google.common.collect.ImmutableList;
import io.trino.spi.resourcegroups.ResourceGroup;
import io.trino.spi.resourcegroups.ResourceGroupConfigurationManager;
import io.trino.spi.resourcegroups.ResourceGroupConfigurationManagerContext;
import io.trino.spi.resourcegroups.ResourceGroupConfigurationManagerFactory;
import io.trino.spi.resourcegroups.ResourceGroupId;
import io.trino.spi.resourcegroups.SelectionContext;
import io.trino.spi.resourcegroups.SelectionCriteria;

import java.util.Map;
import java.util.Optional;

/** Resource groups in which statements of refreshes never get their turn. */
final class QueueForRefreshes
        implements ResourceGroupConfigurationManager<String>
{
    static final String NAME = "queue-for-refreshes";

    static final class Plugin
            implements io.trino.spi.Plugin
    {
        @Override
        public Iterable<ResourceGroupConfigurationManagerFactory> getResourceGroupConfigurationManagerFactories()
        {
            return ImmutableList.of(new ResourceGroupConfigurationManagerFactory()
            {
                @Override
                public String getName()
                {
                    return NAME;
                }

                @Override
                public ResourceGroupConfigurationManager<?> create(Map<String, String> config, ResourceGroupConfigurationManagerContext context)
                {
                    return new QueueForRefreshes();
                }
            });
        }
    }

    @Override
    public void configure(ResourceGroup group, SelectionContext<String> criteria)
    {
        group.setHardConcurrencyLimit(criteria.getContext().equals("freshet") ? 0 : 100);
        group.setMaxQueuedQueries(100);
    }

    @Override
    public Optional<SelectionContext<String>> match(SelectionCriteria criteria)
    {
        String source = criteria.getSource().filter("freshet"::equals).orElse("other");
        return Optional.of(new SelectionContext<>(new ResourceGroupId(source), source));
    }

    @Override
    public SelectionContext<String> parentGroupContext(SelectionContext<String> context)
    {
        return context;
    }

    @Override
    public void shutdown() {}
}
