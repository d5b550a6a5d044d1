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

import com.google.inject.Inject;
import io.freshet.spi.FreshetConfig;
import io.trino.plugin.base.session.SessionPropertiesProvider;
import io.trino.spi.security.ConnectorIdentity;
import io.trino.spi.session.PropertyMetadata;

import java.util.List;
import java.util.Set;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.UUID.randomUUID;

/** The one place where the catalog is looked at outside of a statement. */
public final class BackgroundSessions
{
    private final List<PropertyMetadata<?>> properties;

    private final ConnectorIdentity serviceIdentity;

    @Inject
    public BackgroundSessions(Set<SessionPropertiesProvider> providers, FreshetConfig config)
    {
        serviceIdentity = ConnectorIdentity.ofUser(config.getUser().orElse("freshet"));
        properties = providers.stream()
                .flatMap(provider -> provider.getSessionProperties().stream())
                .collect(toImmutableList());
    }

    /** As whom the catalog is looked at for nobody's statement. */
    public ConnectorIdentity serviceIdentity()
    {
        return serviceIdentity;
    }

    public BackgroundSession create(ConnectorIdentity identity)
    {
        return new BackgroundSession("freshet_" + randomUUID().toString().replace("-", ""), identity, properties);
    }
}
