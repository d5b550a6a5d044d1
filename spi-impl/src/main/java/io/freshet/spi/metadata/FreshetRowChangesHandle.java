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
import io.trino.plugin.iceberg.IcebergMergeTableHandle;
import io.trino.spi.connector.ConnectorInsertTableHandle;

import static java.util.Objects.requireNonNull;

/**
 * Changes of single rows of a backing table, given as the rows of an INSERT.
 *
 * @param addressChannel channel of the pages that holds the address of a stored row
 * @param changeChannel channel that says what becomes of it
 */
public record FreshetRowChangesHandle(
        @JsonProperty IcebergMergeTableHandle merge,
        @JsonProperty int addressChannel,
        @JsonProperty int changeChannel)
        implements ConnectorInsertTableHandle
{
    public FreshetRowChangesHandle
    {
        requireNonNull(merge, "merge is null");
    }

    @Override
    public String toString()
    {
        return "row changes of " + merge.getTableHandle();
    }
}
