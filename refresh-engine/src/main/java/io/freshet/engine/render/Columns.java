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
import io.freshet.engine.algebra.JoinInput;
import io.freshet.engine.algebra.OutputColumn;
import io.freshet.engine.algebra.Scan;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static io.freshet.engine.SqlNames.quote;
import static io.trino.sql.ExpressionFormatter.formatExpression;
import static java.util.stream.Collectors.joining;

/**
 * Select lists. A relation of which no column is read has one all the same, so that its rows can be counted.
 */
final class Columns
{
    private static final String NONE = "1 AS \"one\"";

    private Columns() {}

    static String of(Scan scan)
    {
        return scan.columns().isEmpty() ? NONE : scan.columns().stream()
                .map(SqlNames::quote)
                .collect(joining(", "));
    }

    static String of(Expand expand)
    {
        return Stream.concat(
                expand.input().columns().stream().map(name -> quote(expand.alias()) + "." + quote(name) + " AS " + quote(name)),
                Stream.of(quote("i") + "." + quote("i") + " AS " + quote(Expand.INDEX_COLUMN)))
                .collect(joining(", "));
    }

    /** What repeats the rows before it. */
    static String copies(Expand expand)
    {
        String indexes = IntStream.range(0, expand.copies()).mapToObj(Integer::toString).collect(joining(", "));
        return " CROSS JOIN UNNEST(ARRAY[" + indexes + "]) AS " + quote("i") + " (" + quote("i") + ")";
    }

    static String of(JoinInput input)
    {
        List<String> columns = input.relation().columns();
        return columns.isEmpty() ? NONE : columns.stream()
                .map(name -> quote(input.alias()) + "." + quote(name) + " AS " + quote(name))
                .collect(joining(", "));
    }

    static String of(List<OutputColumn> outputs)
    {
        return outputs.isEmpty() ? NONE : outputs.stream()
                .map(output -> formatExpression(output.expression()) + " AS " + quote(output.name()))
                .collect(joining(", "));
    }
}
