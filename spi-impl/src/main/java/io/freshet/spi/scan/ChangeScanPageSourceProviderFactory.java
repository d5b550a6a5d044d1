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
package io.freshet.spi.scan;

import io.trino.spi.connector.ConnectorPageSourceProvider;
import io.trino.spi.connector.ConnectorPageSourceProviderFactory;
import io.trino.spi.type.TypeManager;

import static java.util.Objects.requireNonNull;

public class ChangeScanPageSourceProviderFactory
        implements ConnectorPageSourceProviderFactory
{
    private final ConnectorPageSourceProviderFactory delegate;
    private final TypeManager typeManager;

    public ChangeScanPageSourceProviderFactory(ConnectorPageSourceProviderFactory delegate, TypeManager typeManager)
    {
        this.delegate = requireNonNull(delegate, "delegate is null");
        this.typeManager = requireNonNull(typeManager, "typeManager is null");
    }

    @Override
    public ConnectorPageSourceProvider createPageSourceProvider()
    {
        return new ChangeScanPageSourceProvider(delegate, typeManager);
    }
}
