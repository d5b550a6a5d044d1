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
package io.freshet.spi.metadata;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.trino.plugin.iceberg.IcebergWritableTableHandle;
import io.trino.spi.connector.ConnectorInsertTableHandle;

import static java.util.Objects.requireNonNull;

/** Rows for a backing table; committed by Freshet, not by the Iceberg connector. */
public record FreshetInsertTableHandle(@JsonProperty IcebergWritableTableHandle table)
        implements ConnectorInsertTableHandle
{
    public FreshetInsertTableHandle
    {
        requireNonNull(table, "table is null");
    }

    @Override
    public String toString()
    {
        return table.toString();
    }
}
