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
package io.freshet.spi.refresh;

import io.freshet.staleness.SourceIdentity;
import io.trino.spi.connector.SchemaTableName;

import java.util.OptionalLong;

import static java.util.Objects.requireNonNull;

/**
 * The state of one source that a statement of a refresh has to read.
 *
 * @param identity a table of the same name with another identity is another table
 * @param snapshotId empty: the table had no snapshot, so it is read as empty
 */
public record SourcePin(SchemaTableName table, SourceIdentity identity, OptionalLong snapshotId)
{
    public SourcePin
    {
        requireNonNull(table, "table is null");
        requireNonNull(identity, "identity is null");
        requireNonNull(snapshotId, "snapshotId is null");
    }
}
