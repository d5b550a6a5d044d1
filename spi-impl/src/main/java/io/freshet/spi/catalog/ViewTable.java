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

import io.freshet.spi.view.StoredView;
import io.trino.spi.connector.SchemaTableName;
import org.apache.iceberg.BaseTable;

import static java.util.Objects.requireNonNull;

/** A materialized view as the catalog holds it: its backing table with the definition in it. */
public record ViewTable(SchemaTableName view, BaseTable backingTable, StoredView definition)
{
    public ViewTable
    {
        requireNonNull(view, "view is null");
        requireNonNull(backingTable, "backingTable is null");
        requireNonNull(definition, "definition is null");
    }

    /** Whether refreshes that start by themselves are paused, on every cluster. */
    public boolean paused()
    {
        return backingTable.properties().containsKey(BackingTables.PAUSED_PROPERTY);
    }
}
