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
package io.freshet.engine.mini;

import io.freshet.engine.StateLayout;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A relation as a list of rows. A row may hold null.
 */
public record Rows(List<Column> columns, List<List<Object>> rows)
{
    record Column(Optional<String> relation, Optional<String> name) {}

    /** With the positions of the rows as their addresses, if it is a table. */
    Rows addressed()
    {
        List<Column> more = new ArrayList<>(columns);
        more.add(new Column(Optional.empty(), Optional.of(StateLayout.ADDRESS_COLUMN)));
        List<List<Object>> located = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            List<Object> row = new ArrayList<>(rows.get(i));
            row.add((long) i);
            located.add(row);
        }
        return new Rows(more, located);
    }

    Rows aliased(String alias, Optional<List<String>> names)
    {
        List<Column> renamed = IntStream.range(0, columns.size())
                .mapToObj(i -> new Column(Optional.of(alias), names.isPresent() ? Optional.of(names.get().get(i)) : columns.get(i).name()))
                .toList();
        return new Rows(renamed, rows);
    }
}
