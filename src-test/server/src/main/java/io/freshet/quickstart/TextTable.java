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
package io.freshet.quickstart;

import com.google.common.base.Strings;
import com.google.common.collect.ImmutableList;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.stream.Collectors.joining;

/**
 * Rows of text in aligned columns.
 */
final class TextTable
{
    enum Align
    {
        LEFT, RIGHT
    }

    record Column(String title, Align align) {}

    private final List<Column> columns;
    private final List<List<String>> rows = new ArrayList<>();

    TextTable(List<Column> columns)
    {
        this.columns = ImmutableList.copyOf(columns);
    }

    void add(List<String> row)
    {
        checkArgument(row.size() == columns.size(), "%s cells for %s columns", row.size(), columns.size());
        rows.add(ImmutableList.copyOf(row));
    }

    void print(PrintStream out)
    {
        List<Integer> widths = IntStream.range(0, columns.size())
                .mapToObj(index -> IntStream.concat(
                                IntStream.of(columns.get(index).title().length()),
                                rows.stream().mapToInt(row -> row.get(index).length()))
                        .max()
                        .orElseThrow())
                .toList();
        out.println(line(columns.stream().map(Column::title).toList(), widths));
        out.println(widths.stream().map("─"::repeat).collect(joining("──", "  ", "")));
        rows.forEach(row -> out.println(line(row, widths)));
    }

    private String line(List<String> cells, List<Integer> widths)
    {
        return IntStream.range(0, cells.size())
                .mapToObj(index -> switch (columns.get(index).align()) {
                    case LEFT -> Strings.padEnd(cells.get(index), widths.get(index), ' ');
                    case RIGHT -> Strings.padStart(cells.get(index), widths.get(index), ' ');
                })
                .collect(joining("  ", "  ", ""))
                .stripTrailing();
    }
}
