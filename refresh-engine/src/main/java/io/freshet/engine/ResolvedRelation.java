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

import com.google.common.collect.ImmutableList;

import java.util.List;
import java.util.Optional;

import static java.util.Objects.requireNonNull;

/**
 * What the catalog says of a name.
 *
 * @param columns visible columns in order; empty if not known (then a star over the relation is not expanded)
 * @param view the text of a logical view; present exactly if {@code kind} is VIEW
 */
public record ResolvedRelation(RelationKind kind, List<SourceColumn> columns, Optional<ViewText> view)
{
    public ResolvedRelation
    {
        requireNonNull(kind, "kind is null");
        columns = ImmutableList.copyOf(columns);
        requireNonNull(view, "view is null");
        if ((kind == RelationKind.VIEW) != view.isPresent()) {
            throw new IllegalArgumentException("A view text belongs to a logical view and to nothing else");
        }
    }

    public static ResolvedRelation table(List<SourceColumn> columns)
    {
        return new ResolvedRelation(RelationKind.TABLE, columns, Optional.empty());
    }

    public static ResolvedRelation logicalView(ViewText view)
    {
        return new ResolvedRelation(RelationKind.VIEW, ImmutableList.of(), Optional.of(view));
    }

    public static ResolvedRelation materializedView(List<SourceColumn> columns)
    {
        return new ResolvedRelation(RelationKind.MATERIALIZED_VIEW, columns, Optional.empty());
    }

    public static ResolvedRelation foreign(List<SourceColumn> columns)
    {
        return new ResolvedRelation(RelationKind.FOREIGN, columns, Optional.empty());
    }

    public static ResolvedRelation staticTable(List<SourceColumn> columns)
    {
        return new ResolvedRelation(RelationKind.STATIC, columns, Optional.empty());
    }

    public static ResolvedRelation metadataTable()
    {
        return new ResolvedRelation(RelationKind.METADATA_TABLE, ImmutableList.of(), Optional.empty());
    }

    public static ResolvedRelation missing()
    {
        return new ResolvedRelation(RelationKind.MISSING, ImmutableList.of(), Optional.empty());
    }
}
