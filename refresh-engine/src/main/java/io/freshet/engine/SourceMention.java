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
package io.freshet.engine;

import com.google.common.collect.ImmutableSortedSet;

import java.util.Optional;
import java.util.Set;

import static java.util.Objects.requireNonNull;

/**
 * A relation that a view reads, itself or through logical views. Mentions of the same relation at the same version are one.
 *
 * @param kind any kind but VIEW
 * @param version time travel as written ({@code FOR VERSION AS OF 7}, {@code @ branch}); empty for the current state
 * @param count how often the query mentions it, at least 1
 * @param columns names, in lower case, of the columns that the query may read; an over-approximation. Empty if {@code allColumns}
 * @param absentColumns names, in lower case, that the query uses and that are not columns of the relation: should it gain one of
 *         them, the name may come to mean that column
 * @param allColumns the query may read any column, also one that is added later
 */
public record SourceMention(
        RelationName name,
        RelationKind kind,
        Optional<String> version,
        int count,
        Set<String> columns,
        Set<String> absentColumns,
        boolean allColumns)
{
    public SourceMention
    {
        requireNonNull(name, "name is null");
        requireNonNull(kind, "kind is null");
        requireNonNull(version, "version is null");
        columns = ImmutableSortedSet.copyOf(columns);
        absentColumns = ImmutableSortedSet.copyOf(absentColumns);
    }
}
