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

import com.google.inject.Inject;
import io.trino.plugin.iceberg.catalog.TrinoCatalogFactory;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.SchemaTableName;
import org.apache.iceberg.BaseTable;

import static java.util.Objects.requireNonNull;

/** Asks a new catalog each time: right, but without the memory of a transaction. */
public class CatalogTableLoader
        implements TableLoader
{
    private final TrinoCatalogFactory catalogFactory;

    @Inject
    public CatalogTableLoader(TrinoCatalogFactory catalogFactory)
    {
        this.catalogFactory = requireNonNull(catalogFactory, "catalogFactory is null");
    }

    @Override
    public BaseTable load(ConnectorTransactionHandle transaction, ConnectorSession session, SchemaTableName name)
    {
        return catalogFactory.create(session.getIdentity()).loadTable(session, name);
    }
}
