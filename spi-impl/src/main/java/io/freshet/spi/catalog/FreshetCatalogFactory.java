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
package io.freshet.spi.catalog;

import com.google.inject.Inject;
import io.freshet.spi.refresh.StatementContexts;
import io.freshet.spi.view.StoredViewCodec;
import io.trino.plugin.iceberg.catalog.TrinoCatalogFactory;
import io.trino.spi.catalog.CatalogName;
import io.trino.spi.security.ConnectorIdentity;

import java.util.function.Supplier;

import static java.util.Objects.requireNonNull;

public class FreshetCatalogFactory
        implements TrinoCatalogFactory
{
    private final TrinoCatalogFactory delegate;
    private final CatalogName catalogName;
    private final StatementContexts contexts;
    private final StoredViewCodec codec;
    private final CatalogEvents events;
    private final ThreadLocal<FreshetCatalog> shared = new ThreadLocal<>();

    @Inject
    public FreshetCatalogFactory(@ForIcebergCatalog TrinoCatalogFactory delegate, CatalogName catalogName, StatementContexts contexts, StoredViewCodec codec, CatalogEvents events)
    {
        this.delegate = requireNonNull(delegate, "delegate is null");
        this.catalogName = requireNonNull(catalogName, "catalogName is null");
        this.contexts = requireNonNull(contexts, "contexts is null");
        this.codec = requireNonNull(codec, "codec is null");
        this.events = requireNonNull(events, "events is null");
    }

    @Override
    public FreshetCatalog create(ConnectorIdentity identity)
    {
        FreshetCatalog catalog = shared.get();
        return catalog != null ? catalog : new FreshetCatalog(delegate.create(identity), catalogName.toString(), contexts, codec, events);
    }

    /** While the action runs, this thread is given the catalog whenever it creates one. */
    <T> T sharing(FreshetCatalog catalog, Supplier<T> action)
    {
        shared.set(catalog);
        try {
            return action.get();
        }
        finally {
            shared.remove();
        }
    }
}
