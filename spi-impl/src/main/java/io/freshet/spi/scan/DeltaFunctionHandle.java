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

import com.fasterxml.jackson.annotation.JsonProperty;
import com.google.common.collect.ImmutableList;
import io.trino.plugin.iceberg.IcebergColumnHandle;
import io.trino.spi.function.table.ConnectorTableFunctionHandle;

import java.util.List;

import static java.util.Objects.requireNonNull;

/**
 * What the analysis of {@code table_delta} decided; the planner turns it into a scan of {@code table} without asking again.
 *
 * @param columns in the order of the function's result, the weight column last
 */
public record DeltaFunctionHandle(
        @JsonProperty("table") DeltaTableHandle table,
        @JsonProperty("columns") List<IcebergColumnHandle> columns)
        implements ConnectorTableFunctionHandle
{
    public DeltaFunctionHandle
    {
        requireNonNull(table, "table is null");
        columns = ImmutableList.copyOf(columns);
    }
}
