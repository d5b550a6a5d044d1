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

import io.freshet.engine.SqlNames;
import io.freshet.engine.algebra.Expand;
import io.freshet.engine.algebra.LinearRelation;
import io.freshet.engine.algebra.Scan;
import io.freshet.engine.algebra.Select;
import io.freshet.engine.algebra.UnionAll;
import io.trino.sql.tree.Expression;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import static io.freshet.engine.SqlNames.quote;
import static io.trino.sql.ExpressionFormatter.formatExpression;
import static java.util.stream.Collectors.joining;

/**
 * Linear relations as queries.
 */
public final class RelationRenderer
{
    private RelationRenderer() {}

    /** A query that gives the columns of the relation, in order and under their names, and then the weight if rows have one. */
    public static String render(LinearRelation relation, SourceText sources)
    {
        return switch (relation) {
            case Scan scan -> "SELECT " + scanColumns(scan)
                    + (sources.weighted() ? ", " + sources.weight(scan) + " AS " + quote(SourceText.WEIGHT_COLUMN) : "")
                    + " FROM " + sources.from(scan);
            case Select select -> "SELECT "
                    + select.outputs().stream()
                            .map(output -> formatExpression(output.expression()) + " AS " + quote(output.name()))
                            .collect(joining(", "))
                    + (sources.weighted() ? ", " + weight(select.alias()) + " AS " + quote(SourceText.WEIGHT_COLUMN) : "")
                    + from(select.input(), select.alias(), sources)
                    + select.where().map(RelationRenderer::where).orElse("");
            case Expand expand -> expand(expand, sources);
            case UnionAll union -> union.inputs().stream()
                    .map(input -> "(" + render(input, sources) + ")")
                    .collect(joining(" UNION ALL "));
        };
    }

    private static String expand(Expand expand, SourceText sources)
    {
        List<String> columns = new ArrayList<>();
        expand.input().columns().forEach(column -> columns.add(quote(expand.alias()) + "." + quote(column) + " AS " + quote(column)));
        columns.add(quote("i") + "." + quote("i") + " AS " + quote(Expand.INDEX_COLUMN));
        if (sources.weighted()) {
            columns.add(weight(expand.alias()) + " AS " + quote(SourceText.WEIGHT_COLUMN));
        }
        String indexes = IntStream.range(0, expand.copies()).mapToObj(Integer::toString).collect(joining(", "));
        return "SELECT " + String.join(", ", columns)
                + from(expand.input(), expand.alias(), sources)
                + " CROSS JOIN UNNEST(ARRAY[" + indexes + "]) AS " + quote("i") + " (" + quote("i") + ")";
    }

    /** The weight of a row of the relation of that alias. */
    static String weight(String alias)
    {
        return quote(alias) + "." + quote(SourceText.WEIGHT_COLUMN);
    }

    static String from(LinearRelation relation, String alias, SourceText sources)
    {
        return " FROM (" + render(relation, sources) + ") AS " + quote(alias);
    }

    static String where(Expression condition)
    {
        return " WHERE " + formatExpression(condition);
    }

    private static String scanColumns(Scan scan)
    {
        if (scan.columns().isEmpty()) {
            // rows are counted, no column is read
            return "1 AS \"one\"";
        }
        return scan.columns().stream()
                .map(SqlNames::quote)
                .collect(joining(", "));
    }
}
