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
package io.freshet.engine.render;

import com.google.common.collect.ImmutableList;
import io.freshet.engine.RelationName;
import io.freshet.engine.StateLayout;

import java.util.List;
import java.util.Optional;

import static com.google.common.base.Preconditions.checkArgument;
import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.freshet.engine.SqlNames.quote;
import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;

/**
 * The backing table as the target of a statement.
 *
 * @param columns all columns; the first {@code visibleColumns} are those of the view, in order
 */
public record Target(RelationName name, List<TargetColumn> columns, int visibleColumns)
{
    public Target
    {
        requireNonNull(name, "name is null");
        columns = ImmutableList.copyOf(columns);
        checkArgument(visibleColumns <= columns.size(), "the backing table has fewer columns than the view");
    }

    List<TargetColumn> visible()
    {
        return columns.subList(0, visibleColumns);
    }

    Optional<TargetColumn> visibility()
    {
        return columns.stream()
                .filter(column -> column.name().equals(StateLayout.VISIBILITY_COLUMN))
                .findFirst();
    }

    static String insertInto(RelationName name, List<TargetColumn> columns)
    {
        return "INSERT INTO " + name.toSql() + " (" + names(columns) + ") ";
    }

    static String names(List<TargetColumn> columns)
    {
        return columns.stream()
                .map(column -> quote(column.name()))
                .collect(joining(", "));
    }

    /** The columns that a statement with this layout writes: the visible ones, and those hidden ones that the layout knows. */
    List<TargetColumn> written(StateLayout layout)
    {
        List<String> hidden = layout.hiddenColumns().stream()
                .map(StateLayout.HiddenColumn::name)
                .collect(toImmutableList());
        List<TargetColumn> known = columns.subList(visibleColumns, columns.size()).stream()
                .filter(column -> hidden.contains(column.name()))
                .collect(toImmutableList());
        checkArgument(known.size() == hidden.size(), "the backing table lacks hidden columns of the layout: %s", hidden);
        return ImmutableList.<TargetColumn>builder()
                .addAll(visible())
                .addAll(known)
                .build();
    }
}
