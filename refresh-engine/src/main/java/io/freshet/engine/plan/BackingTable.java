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
package io.freshet.engine.plan;

import com.google.common.collect.ImmutableList;
import io.freshet.engine.RelationName;

import java.util.List;
import java.util.OptionalLong;

import static java.util.Objects.requireNonNull;

/**
 * The table that holds the content of a view.
 *
 * @param columns all columns, hidden ones too; the visible ones come first and in the order of the view's columns
 * @param rows rows in it; empty if not known
 * @param bytes bytes of its data files; empty if not known
 */
public record BackingTable(RelationName name, List<Column> columns, OptionalLong rows, OptionalLong bytes)
{
    public BackingTable
    {
        requireNonNull(name, "name is null");
        columns = ImmutableList.copyOf(columns);
        requireNonNull(rows, "rows is null");
        requireNonNull(bytes, "bytes is null");
    }

    /**
     * A column of the backing table.
     *
     * @param storageType SQL type as Trino reads it from the table
     */
    public record Column(String name, String storageType)
    {
        public Column
        {
            requireNonNull(name, "name is null");
            requireNonNull(storageType, "storageType is null");
        }
    }
}
