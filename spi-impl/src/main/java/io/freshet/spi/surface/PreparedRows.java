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
package io.freshet.spi.surface;

import com.google.common.collect.ImmutableList;
import io.trino.spi.Page;
import io.trino.spi.PageBuilder;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.function.table.ConnectorTableFunctionHandle;
import io.trino.spi.type.Type;

import java.util.List;
import java.util.Optional;

import static com.google.common.base.Preconditions.checkArgument;
import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.VarcharType.VARCHAR;

/**
 * The result of a table function that was found while the function was analyzed. Meant for results of a few rows, as they travel
 * with the plan. The engine turns it into JSON and back.
 *
 * @param columns type of each column
 * @param rows values as text; absent for NULL
 */
public record PreparedRows(List<ColumnType> columns, List<List<Optional<String>>> rows)
        implements ConnectorTableFunctionHandle
{
    public enum ColumnType
    {
        VARCHAR_COLUMN(VARCHAR),
        BIGINT_COLUMN(BIGINT);

        private final Type type;

        ColumnType(Type type)
        {
            this.type = type;
        }

        public Type type()
        {
            return type;
        }

        private void write(BlockBuilder block, String value)
        {
            switch (this) {
                case VARCHAR_COLUMN -> VARCHAR.writeString(block, value);
                case BIGINT_COLUMN -> BIGINT.writeLong(block, Long.parseLong(value));
            }
        }
    }

    public PreparedRows
    {
        columns = ImmutableList.copyOf(columns);
        int width = columns.size();
        rows = rows.stream()
                .map(ImmutableList::copyOf)
                .collect(toImmutableList());
        checkArgument(rows.stream().allMatch(row -> row.size() == width), "rows and columns differ in number");
    }

    Page page()
    {
        PageBuilder page = new PageBuilder(rows.size(), columns.stream().map(ColumnType::type).collect(toImmutableList()));
        for (List<Optional<String>> row : rows) {
            page.declarePosition();
            for (int column = 0; column < columns.size(); column++) {
                BlockBuilder block = page.getBlockBuilder(column);
                if (row.get(column).isPresent()) {
                    columns.get(column).write(block, row.get(column).get());
                }
                else {
                    block.appendNull();
                }
            }
        }
        return page.build();
    }

    /** The engine shows it in plans and traces. */
    @Override
    public String toString()
    {
        return "%s rows".formatted(rows.size());
    }
}
