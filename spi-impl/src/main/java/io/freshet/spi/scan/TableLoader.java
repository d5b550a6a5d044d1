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

import com.google.common.collect.ImmutableSet;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.SchemaTableName;
import org.apache.iceberg.BaseTable;

import java.util.Optional;
import java.util.Set;

import static java.util.Objects.requireNonNull;

/**
 * Loads a source as the statement is to see it: pinned where the statement has pins, refused where it has no right to it.
 */
public interface TableLoader
{
    /**
     * @throws io.trino.spi.connector.TableNotFoundException if there is no such table
     */
    BaseTable load(ConnectorTransactionHandle transaction, ConnectorSession session, SchemaTableName name);

    /**
     * The stored rows of a materialized view, for the statement of a refresh that reads the view; empty for everyone else, and if
     * there is no such view.
     */
    default Optional<ViewRows> loadView(ConnectorTransactionHandle transaction, ConnectorSession session, SchemaTableName name)
    {
        return Optional.empty();
    }

    /**
     * @param storedName the table by the name under which {@link #load} gives it from now on
     * @param columns names, in lower case, of the columns that are the view's; the table has others too
     */
    record ViewRows(SchemaTableName storedName, BaseTable table, Set<String> columns)
    {
        public ViewRows
        {
            requireNonNull(storedName, "storedName is null");
            requireNonNull(table, "table is null");
            columns = ImmutableSet.copyOf(columns);
        }
    }
}
