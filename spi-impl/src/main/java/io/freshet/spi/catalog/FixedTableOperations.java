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

import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;

import static java.util.Objects.requireNonNull;

/**
 * A table as it stands in one given metadata, whatever the catalog says by now. Cannot be committed to.
 */
public final class FixedTableOperations
        extends DerivedTableOperations
{
    private final TableMetadata metadata;

    public FixedTableOperations(TableOperations delegate, TableMetadata metadata)
    {
        super(delegate);
        this.metadata = requireNonNull(metadata, "metadata is null");
    }

    @Override
    public TableMetadata current()
    {
        return metadata;
    }

    @Override
    public TableMetadata refresh()
    {
        return metadata;
    }

    @Override
    public void commit(TableMetadata base, TableMetadata metadata)
    {
        throw new UnsupportedOperationException("A pinned table cannot be modified");
    }
}
