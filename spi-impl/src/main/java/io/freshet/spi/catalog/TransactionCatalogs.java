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
import io.freshet.spi.scan.TableLoader;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.security.ConnectorIdentity;
import org.apache.iceberg.BaseTable;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static io.freshet.spi.catalog.BackingTables.backingTableOf;
import static java.util.Locale.ENGLISH;
import static java.util.Objects.requireNonNull;

/**
 * One catalog for each transaction, so that a table is loaded once and everything in the transaction sees it the same.
 */
public final class TransactionCatalogs
        implements TableLoader
{
    private final FreshetCatalogFactory catalogFactory;
    private final Map<ConnectorTransactionHandle, FreshetCatalog> catalogs = new ConcurrentHashMap<>();

    @Inject
    public TransactionCatalogs(FreshetCatalogFactory catalogFactory)
    {
        this.catalogFactory = requireNonNull(catalogFactory, "catalogFactory is null");
    }

    /**
     * Starts the transaction's use of the catalog.
     *
     * @param function whatever it creates on the catalog, in this thread, shares the one that it is given
     */
    public <T> T begin(ConnectorTransactionHandle transaction, ConnectorIdentity identity, Function<FreshetCatalog, T> function)
    {
        FreshetCatalog catalog = catalogs.computeIfAbsent(transaction, _ -> catalogFactory.create(identity));
        return catalogFactory.sharing(catalog, () -> function.apply(catalog));
    }

    public void end(ConnectorTransactionHandle transaction)
    {
        catalogs.remove(transaction);
    }

    @Override
    public BaseTable load(ConnectorTransactionHandle transaction, ConnectorSession session, SchemaTableName name)
    {
        return catalog(transaction, session).loadTable(session, name);
    }

    @Override
    public Optional<ViewRows> loadView(ConnectorTransactionHandle transaction, ConnectorSession session, SchemaTableName name)
    {
        FreshetCatalog catalog = catalog(transaction, session);
        return catalog.findPinnedView(session, name)
                .map(view -> new ViewRows(
                        backingTableOf(name),
                        catalog.loadTable(session, backingTableOf(name)),
                        view.definition().columns().stream()
                                .map(column -> column.name().toLowerCase(ENGLISH))
                                .collect(toImmutableSet())));
    }

    private FreshetCatalog catalog(ConnectorTransactionHandle transaction, ConnectorSession session)
    {
        FreshetCatalog catalog = catalogs.get(transaction);
        return catalog == null ? catalogFactory.create(session.getIdentity()) : catalog;
    }
}
