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
package io.freshet.engine.algebra;

import com.google.common.collect.ImmutableList;
import io.freshet.engine.RelationName;
import io.freshet.engine.SourceColumn;

import java.util.List;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

/**
 * A mention of a table.
 *
 * @param sourceColumns the columns that the view reads here, in the table's order; may be empty, as in {@code SELECT count(*) FROM t}
 * @param line line of the mention in the text of the view, from 1
 * @param column column in that line, from 1
 */
public record Scan(RelationName table, List<SourceColumn> sourceColumns, int line, int column)
        implements LinearRelation
{
    public Scan
    {
        requireNonNull(table, "table is null");
        sourceColumns = ImmutableList.copyOf(sourceColumns);
    }

    @Override
    public List<String> columns()
    {
        return sourceColumns.stream()
                .map(SourceColumn::name)
                .collect(toImmutableList());
    }
}
