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

import io.freshet.engine.algebra.Expand;
import io.freshet.engine.algebra.Grouped;
import io.freshet.engine.algebra.InnerJoin;
import io.freshet.engine.algebra.LeftJoin;
import io.freshet.engine.algebra.LinearRelation;
import io.freshet.engine.algebra.Scan;
import io.freshet.engine.algebra.Select;
import io.freshet.engine.algebra.SemiJoin;
import io.freshet.engine.algebra.UnionAll;
import io.freshet.engine.algebra.Windowed;
import io.trino.sql.tree.Expression;

import java.util.List;
import java.util.Optional;

import static io.freshet.engine.SqlNames.quote;
import static io.trino.sql.ExpressionFormatter.formatExpression;

/**
 * Relations as queries.
 */
public final class RelationRenderer
{
    private RelationRenderer() {}

    /** A query that gives the columns of the relation, in order and under their names, and then the weight if rows have one. */
    public static String render(LinearRelation relation, SourceText sources)
    {
        return switch (sources) {
            case StateText state -> new StateRenderer(state, false).render(relation);
            case DeltaSources delta -> {
                DeltaRenderer renderer = new DeltaRenderer(delta);
                List<String> terms = renderer.terms(relation);
                yield terms.isEmpty() ? renderer.nothing(relation) : union(terms);
            }
        };
    }

    /**
     * The rows of the sources as they are now that are needed for keys that the delta touches. A join is best begun with these keys; of
     * anything else all rows are given, of which the engine reads what a join with the keys leaves.
     */
    static String touchedRows(LinearRelation input, String alias, Optional<Expression> where, List<Expression> keys, SourceText delta)
    {
        return delta instanceof DeltaSources sources && isJoin(input)
                ? new DeltaRenderer(sources).touchedRows(input, alias, where, keys)
                : render(input, SourceText.TABLES);
    }

    private static boolean isJoin(LinearRelation relation)
    {
        return switch (relation) {
            case Select select -> isJoin(select.input());
            case InnerJoin _, LeftJoin _, SemiJoin _ -> true;
            case Expand _, Grouped _, Scan _, UnionAll _, Windowed _ -> false;
        };
    }

    static String union(List<String> queries)
    {
        return queries.size() == 1 ? queries.getFirst() : "(" + String.join(") UNION ALL (", queries) + ")";
    }

    /** The weight of a row of the relation of that alias. */
    static String weight(String alias)
    {
        return quote(alias) + "." + quote(SourceText.WEIGHT_COLUMN);
    }

    static String from(LinearRelation relation, String alias, SourceText sources)
    {
        return " FROM " + aliased(render(relation, sources), alias);
    }

    static String aliased(String query, String alias)
    {
        return "(" + query + ") AS " + quote(alias);
    }

    static String where(Expression condition)
    {
        return " WHERE " + formatExpression(condition);
    }
}
