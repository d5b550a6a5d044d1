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
package io.freshet.plugin;

import io.freshet.spi.FreshetConnector;
import io.freshet.spi.FreshetModule;
import io.freshet.spi.catalog.FreshetCatalogModule;
import io.trino.plugin.iceberg.IcebergConnector;
import io.trino.plugin.iceberg.IcebergConnectorFactory;
import io.trino.spi.connector.Connector;
import io.trino.spi.connector.ConnectorContext;
import io.trino.spi.connector.ConnectorFactory;

import java.util.Map;
import java.util.Optional;

import static io.trino.plugin.base.Versions.checkStrictSpiVersionMatch;

public class FreshetConnectorFactory
        implements ConnectorFactory
{
    @Override
    public String getName()
    {
        return "freshet";
    }

    @Override
    public Connector create(String catalogName, Map<String, String> config, ConnectorContext context)
    {
        checkStrictSpiVersionMatch(context, this);
        IcebergConnector delegate = (IcebergConnector) IcebergConnectorFactory.createConnector(
                catalogName,
                config,
                context,
                new FreshetModule(),
                Optional.of(new FreshetCatalogModule()));
        return new FreshetConnector(delegate, delegate.getInjector());
    }
}
