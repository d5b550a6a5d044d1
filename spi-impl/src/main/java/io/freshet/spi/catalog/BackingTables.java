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

import io.freshet.spi.FreshetErrorCode;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.SchemaTableName;

/**
 * The naming rule of backing tables: view {@code s.daily} is kept in {@code s.__mv_daily}.
 */
public final class BackingTables
{
    /** Reserved for tables, and for columns of backing tables. */
    public static final String PREFIX = "__mv_";

    /** Table property with the definition as JSON; a table that carries it is a backing table. */
    public static final String DEFINITION_PROPERTY = "freshet.view";

    /** Table property that is there while scheduled refreshes are paused. */
    public static final String PAUSED_PROPERTY = "freshet.paused";

    /** Table property with the first of the failures in a row of refreshes that started by themselves. */
    public static final String FAILURE_PROPERTY = "freshet.last-failure";

    private BackingTables() {}

    public static boolean isBackingName(String tableName)
    {
        return tableName.startsWith(PREFIX);
    }

    public static SchemaTableName backingTableOf(SchemaTableName viewName)
    {
        return new SchemaTableName(viewName.getSchemaName(), PREFIX + viewName.getTableName());
    }

    public static SchemaTableName viewOf(SchemaTableName backingTable)
    {
        return new SchemaTableName(backingTable.getSchemaName(), viewNameOf(backingTable.getTableName()));
    }

    public static String viewNameOf(String backingTableName)
    {
        return backingTableName.substring(PREFIX.length());
    }

    public static TrinoException notWritable(String catalogName, SchemaTableName backingTable)
    {
        return new TrinoException(
                FreshetErrorCode.MATERIALIZED_VIEW_NOT_WRITABLE,
                "'%s.%s' belongs to materialized view '%s.%s' and cannot be read or modified directly. Query the view, use REFRESH MATERIALIZED VIEW, or redefine the view"
                        .formatted(catalogName, backingTable, catalogName, viewOf(backingTable)));
    }

    public static TrinoException reservedName(String name)
    {
        return new TrinoException(
                io.trino.spi.StandardErrorCode.INVALID_ARGUMENTS,
                "The name '%s' is reserved: names that start with '%s' belong to materialized views".formatted(name, PREFIX));
    }
}
