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
package io.freshet.staleness;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

import static java.util.Objects.requireNonNull;

/**
 * What a view was built from, for one of its sources.
 *
 * @param snapshotId the snapshot that was read; empty if the table had none, that is, no row was ever written to it
 * @param ref the branch or tag that the view reads; empty for the table's main line
 * @param columns every column that the view's definition resolves in this source
 * @param absentColumns names, in lower case, that the definition uses and that were not columns of this source: should it have one
 *         of them, the name may mean that column now
 * @param allColumns whether any column that the source gains may change the meaning of the definition
 */
public record SourceBookmark(
        String catalog,
        String schema,
        String table,
        SourceIdentity identity,
        OptionalLong snapshotId,
        Optional<String> ref,
        List<ResolvedColumn> columns,
        Set<String> absentColumns,
        boolean allColumns)
{
    public SourceBookmark
    {
        requireNonNull(catalog, "catalog is null");
        requireNonNull(schema, "schema is null");
        requireNonNull(table, "table is null");
        requireNonNull(identity, "identity is null");
        requireNonNull(snapshotId, "snapshotId is null");
        requireNonNull(ref, "ref is null");
        columns = ImmutableList.copyOf(columns);
        absentColumns = ImmutableSet.copyOf(absentColumns);
    }

    /** A bookmark of a definition whose names cannot come to mean other columns. */
    public SourceBookmark(String catalog, String schema, String table, SourceIdentity identity, OptionalLong snapshotId, Optional<String> ref, List<ResolvedColumn> columns)
    {
        this(catalog, schema, table, identity, snapshotId, ref, columns, ImmutableSet.of(), false);
    }
}
