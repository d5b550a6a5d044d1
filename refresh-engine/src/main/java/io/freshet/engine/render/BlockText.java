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

import io.freshet.engine.algebra.AggregateBlock;
import io.freshet.engine.algebra.WindowBlock;

import java.util.ArrayList;
import java.util.List;

import static io.freshet.engine.SqlNames.quote;
import static io.freshet.engine.render.RelationRenderer.aliased;
import static io.trino.sql.ExpressionFormatter.formatExpression;

/**
 * Aggregations and window functions of which nothing is kept, as queries.
 */
final class BlockText
{
    private BlockText() {}

    /**
     * @param input query for the rows to be grouped
     * @param more a further column of the result, after a comma; or nothing
     */
    static String grouped(AggregateBlock block, String input, String more)
    {
        List<String> columns = new ArrayList<>();
        for (int i = 0; i < block.keys().size(); i++) {
            columns.add(formatExpression(block.keys().get(i)) + " AS " + quote("k" + (i + 1)));
        }
        for (int i = 0; i < block.aggregates().size(); i++) {
            columns.add(formatExpression(block.aggregates().get(i).call()) + " AS " + quote("a" + (i + 1)));
        }
        if (columns.isEmpty()) {
            columns.add("count(*) AS \"n\"");
        }
        return "SELECT " + Columns.of(block.outputs()) + more
                + " FROM (SELECT " + String.join(", ", columns)
                + " FROM " + aliased(input, block.inputAlias())
                + block.where().map(RelationRenderer::where).orElse("")
                + GroupRenderer.groupBy(block.keys().size()) + ") AS " + quote(block.groupAlias())
                + block.having().map(RelationRenderer::where).orElse("");
    }

    /** Parameters as for {@link #grouped}. */
    static String windowed(WindowBlock block, String input, String more)
    {
        String alias = quote(block.inputAlias());
        List<String> columns = new ArrayList<>();
        block.input().columns().forEach(name -> columns.add(alias + "." + quote(name) + " AS " + quote(name)));
        for (int i = 0; i < block.windows().size(); i++) {
            columns.add(formatExpression(block.windows().get(i)) + " AS " + quote(WindowBlock.windowColumn(i)));
        }
        return "SELECT " + Columns.of(block.outputs()) + more
                + " FROM (SELECT " + String.join(", ", columns)
                + " FROM " + aliased(input, block.inputAlias())
                + block.where().map(RelationRenderer::where).orElse("") + ") AS " + alias
                + block.filter().map(RelationRenderer::where).orElse("");
    }
}
