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

import com.google.common.collect.ImmutableSet;
import io.freshet.engine.RelationName;
import io.freshet.engine.render.DeltaSources.StoredRows;
import io.freshet.staleness.SourceChange;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

import static java.util.Objects.requireNonNull;

/**
 * What is known of one source of a view at the time of planning.
 *
 * @param change what happened since the bookmark; its rows and bytes are the size of the delta
 * @param rows rows in the source at the pinned snapshot; empty if not known
 * @param bytes bytes of the source's data files at the pinned snapshot; empty if not known
 * @param columnsWithoutNull names, in lower case, of columns that hold no NULL in any row of the delta, added or removed, as far as known from file statistics
 * @param columnsWithoutNan names, in lower case, of columns that hold no NaN in any row of the delta, added or removed, as far as known from file statistics
 * @param view how the rows are stored if the source is a materialized view; empty for a table
 */
public record SourceFacts(
        RelationName name,
        SourceChange change,
        OptionalLong rows,
        OptionalLong bytes,
        Set<String> columnsWithoutNull,
        Set<String> columnsWithoutNan,
        Optional<StoredRows> view)
{
    public SourceFacts
    {
        requireNonNull(name, "name is null");
        requireNonNull(change, "change is null");
        requireNonNull(rows, "rows is null");
        requireNonNull(bytes, "bytes is null");
        columnsWithoutNull = ImmutableSet.copyOf(columnsWithoutNull);
        columnsWithoutNan = ImmutableSet.copyOf(columnsWithoutNan);
        requireNonNull(view, "view is null");
    }

    /** A table. */
    public SourceFacts(RelationName name, SourceChange change, OptionalLong rows, OptionalLong bytes, Set<String> columnsWithoutNull, Set<String> columnsWithoutNan)
    {
        this(name, change, rows, bytes, columnsWithoutNull, columnsWithoutNan, Optional.empty());
    }
}
