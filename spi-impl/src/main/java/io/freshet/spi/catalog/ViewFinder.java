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

import com.google.common.collect.ImmutableSet;
import io.airlift.log.Logger;
import io.freshet.spi.view.StoredViewCodec;
import io.trino.plugin.iceberg.catalog.TrinoCatalog;
import io.trino.plugin.iceberg.catalog.jdbc.TrinoJdbcCatalog;
import io.trino.spi.ErrorCode;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.TableNotFoundException;
import org.apache.iceberg.BaseTable;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import static io.freshet.spi.FreshetErrorCode.MATERIALIZED_VIEW_INVALID_DEFINITION;
import static io.freshet.spi.catalog.BackingTables.DEFINITION_PROPERTY;
import static io.freshet.spi.catalog.BackingTables.backingTableOf;
import static io.freshet.spi.catalog.BackingTables.isBackingName;
import static io.trino.plugin.iceberg.IcebergErrorCode.ICEBERG_FILESYSTEM_ERROR;
import static io.trino.plugin.iceberg.IcebergErrorCode.ICEBERG_INVALID_METADATA;
import static io.trino.plugin.iceberg.IcebergErrorCode.ICEBERG_MISSING_METADATA;
import static java.util.Objects.requireNonNull;

/**
 * Which view has a name, remembered for one transaction. A plain table of the name wins, as other engines do not know of views.
 */
final class ViewFinder
{
    private static final Logger log = Logger.get(ViewFinder.class);

    /** The catalog has an entry of the name, and it leads to no table. */
    private static final Set<ErrorCode> UNREADABLE = ImmutableSet.of(
            ICEBERG_MISSING_METADATA.toErrorCode(),
            ICEBERG_INVALID_METADATA.toErrorCode(),
            ICEBERG_FILESYSTEM_ERROR.toErrorCode());

    private final TrinoCatalog catalog;
    private final String catalogName;
    private final StoredViewCodec codec;
    private final Map<SchemaTableName, Finding> findings = new ConcurrentHashMap<>();

    ViewFinder(TrinoCatalog catalog, String catalogName, StoredViewCodec codec)
    {
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.catalogName = requireNonNull(catalogName, "catalogName is null");
        this.codec = requireNonNull(codec, "codec is null");
    }

    sealed interface Finding {}

    record NoView()
            implements Finding {}

    record Found(ViewTable view)
            implements Finding {}

    /** @param tableReadable whether only the definition is damaged */
    record Damaged(TrinoException failure, boolean tableReadable)
            implements Finding {}

    Finding find(ConnectorSession session, SchemaTableName viewName)
    {
        Finding known = findings.get(viewName);
        if (known == null) {
            known = load(session, viewName);
            findings.put(viewName, known);
        }
        return known;
    }

    void forget(SchemaTableName viewName)
    {
        findings.remove(viewName);
    }

    private Finding load(ConnectorSession session, SchemaTableName viewName)
    {
        String name = viewName.getTableName();
        if (isBackingName(name) || name.indexOf('$') >= 0 || name.indexOf('@') >= 0) {
            return new NoView();
        }
        // Most names are those of tables, and the table is needed anyway
        boolean tablesFirst = !(catalog instanceof TrinoJdbcCatalog);
        if (tablesFirst && plainTableExists(session, viewName)) {
            return new NoView();
        }
        Finding finding = loadBackingTable(session, viewName);
        if (!tablesFirst && !(finding instanceof NoView) && plainTableExists(session, viewName)) {
            // Asked last, as these catalogs take a logical view for a damaged table and try for seconds to read it
            return new NoView();
        }
        return finding;
    }

    private boolean plainTableExists(ConnectorSession session, SchemaTableName name)
    {
        try {
            catalog.loadTable(session, name);
            return true;
        }
        catch (RuntimeException e) {
            log.debug(e, "Looking for table %s", name);
            return false;
        }
    }

    private Finding loadBackingTable(ConnectorSession session, SchemaTableName viewName)
    {
        BaseTable table;
        try {
            table = catalog.loadTable(session, backingTableOf(viewName));
        }
        catch (TableNotFoundException e) {
            return new NoView();
        }
        catch (RuntimeException e) {
            if (e instanceof TrinoException failure && UNREADABLE.contains(failure.getErrorCode())) {
                return new Damaged(
                        new TrinoException(
                                MATERIALIZED_VIEW_INVALID_DEFINITION,
                                "Materialized view '%s.%s' cannot be read: %s. If its files are lost, drop the view and create it again".formatted(catalogName, viewName, e.getMessage()),
                                e),
                        false);
            }
            // A catalog may answer anything for a name that it does not know. A plain name must not fail by our looking further.
            log.debug(e, "Looking for the backing table of %s", viewName);
            return new NoView();
        }
        String json = table.properties().get(DEFINITION_PROPERTY);
        if (json == null) {
            return new NoView();
        }
        try {
            return new Found(new ViewTable(viewName, table, codec.decode(viewName, json)));
        }
        catch (TrinoException e) {
            return new Damaged(e, true);
        }
    }
}
