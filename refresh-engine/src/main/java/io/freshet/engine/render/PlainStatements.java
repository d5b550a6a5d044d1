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
import io.trino.sql.parser.SqlParser;
import io.trino.sql.tree.Query;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import static com.google.common.base.Preconditions.checkArgument;
import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.freshet.engine.SqlNames.quote;
import static io.trino.sql.SqlFormatter.formatSql;
import static java.util.stream.Collectors.joining;

/**
 * The full refresh of a view that keeps no states: its own text, with every column cast to its storage type.
 * <pre>
 * INSERT INTO backing SELECT CAST(v.c1 AS …), … FROM (text of the view) v (c1, …)
 * </pre>
 * Names in the text are resolved with the view's default catalog and schema.
 */
public final class PlainStatements
{
    private PlainStatements() {}

    public static String full(String viewSql, Target target)
    {
        Query query = (Query) new SqlParser().createStatement(viewSql);
        checkArgument(target.visibleColumns() > 0, "a view has columns");
        List<String> names = IntStream.rangeClosed(1, target.visibleColumns())
                .mapToObj(index -> "c" + index)
                .collect(toImmutableList());
        List<TargetColumn> columns = new ArrayList<>(target.visible());
        List<String> values = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            values.add(columns.get(i).cast("\"v\"." + quote(names.get(i))));
        }
        Optional<TargetColumn> visibility = target.visibility();
        if (visibility.isPresent()) {
            // every row of the result is one to be seen
            columns.add(visibility.get());
            values.add(visibility.get().cast("true"));
        }
        String select = "SELECT " + String.join(", ", values) + " FROM (" + inner(query, viewSql) + ") AS \"v\" ("
                + names.stream().map(name -> quote(name)).collect(joining(", ")) + ")";
        return Target.insertInto(target.name(), columns) + hoisted(query, select);
    }

    static String inner(Query query, String viewSql)
    {
        if (isPlain(query)) {
            return viewSql.strip();
        }
        return formatSql(new Query(
                query.getLocation().orElseThrow(),
                ImmutableList.of(),
                ImmutableList.of(),
                query.getWith(),
                query.getQueryBody(),
                query.getOrderBy(),
                query.getOffset(),
                query.getLimit())).strip();
    }

    /** Inline functions and session properties stand only at the head of a statement's query. */
    static String hoisted(Query query, String select)
    {
        if (isPlain(query)) {
            return select;
        }
        Query outer = (Query) new SqlParser().createStatement(select);
        return formatSql(new Query(
                query.getLocation().orElseThrow(),
                query.getSessionProperties(),
                query.getFunctions(),
                outer.getWith(),
                outer.getQueryBody(),
                outer.getOrderBy(),
                outer.getOffset(),
                outer.getLimit())).strip();
    }

    private static boolean isPlain(Query query)
    {
        return query.getFunctions().isEmpty() && query.getSessionProperties().isEmpty();
    }
}
