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
import io.freshet.engine.StateLayout;
import io.freshet.engine.algebra.JoinInput;
import io.freshet.engine.algebra.LeftJoin;
import io.freshet.engine.algebra.MatchConditions;
import io.freshet.engine.algebra.SemiJoin;
import io.trino.sql.tree.Expression;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.freshet.engine.SqlNames.quote;
import static io.freshet.engine.algebra.Conditions.equal;
import static io.freshet.engine.algebra.Expressions.reference;
import static io.freshet.engine.render.RelationRenderer.aliased;
import static io.trino.sql.ExpressionFormatter.formatExpression;
import static java.util.stream.Collectors.joining;

/**
 * Outer, semi and anti joins of two queries. If the left one gives few rows it stands on the right of the text, where the engine
 * builds its hash table of it and filters the other side by it.
 */
final class MatchText
{
    private static final String THERE = StateLayout.HIDDEN_PREFIX + "there";
    private static final String ROW = StateLayout.HIDDEN_PREFIX + "row";

    private MatchText() {}

    /**
     * @param small whether the left query gives few rows
     * @param weighted whether it gives weights, which the result is to have
     */
    static String leftJoin(LeftJoin join, String left, String right, boolean small, boolean weighted)
    {
        String leftRelation = aliased(left, join.left().alias());
        String rightRelation = aliased(right, join.right().alias());
        return "SELECT " + Columns.of(join.outputs()) + weight(join.left(), weighted)
                + " FROM " + (small ? rightRelation + " RIGHT JOIN " + leftRelation : leftRelation + " LEFT JOIN " + rightRelation)
                + " ON " + JoinText.all(join.conditions());
    }

    private static String weight(JoinInput input, boolean weighted)
    {
        return weighted ? ", " + RelationRenderer.weight(input.alias()) + " AS " + quote(SourceText.WEIGHT_COLUMN) : "";
    }

    /** Parameters as for {@link #leftJoin}. */
    static String semiJoin(SemiJoin join, String left, String right, boolean small, boolean weighted)
    {
        if (join.match().byKeysOnly(join.right().alias())) {
            return byKeys(join, left, right, small, weighted);
        }
        return small ? byRows(join, left, right, weighted) : byExists(join, left, right, weighted);
    }

    /**
     * <pre>
     * SELECT l.* FROM (SELECT DISTINCT keys FROM right) k JOIN left l ON same keys
     * SELECT l.* FROM (SELECT DISTINCT keys FROM right) k RIGHT JOIN left l ON same keys WHERE k.k1 IS NULL
     * </pre>
     */
    private static String byKeys(SemiJoin join, String left, String right, boolean small, boolean weighted)
    {
        MatchConditions match = join.match();
        String alias = keysAlias(join.left());
        String leftRelation = aliased(left, join.left().alias());
        String keys = aliased(keys(match, join.right(), right), alias);
        List<Expression> conditions = ImmutableList.<Expression>builder()
                .addAll(sameKeys(match, alias))
                .addAll(match.others())
                .build();
        String outer = join.anti() ? (small ? " RIGHT" : " LEFT") : "";
        return "SELECT " + Columns.of(join.left()) + weight(join.left(), weighted)
                + " FROM " + (small ? keys : leftRelation) + outer + " JOIN " + (small ? leftRelation : keys)
                + " ON " + JoinText.all(conditions)
                + (join.anti() ? " WHERE " + quote(alias) + ".\"k1\" IS NULL" : "");
    }

    /** The alias for the keys of rows that rows of the input may match. */
    static String keysAlias(JoinInput input)
    {
        return input.alias() + "k";
    }

    /** The distinct keys {@code k1…} of the rows of the right side that can match any. */
    static String keys(MatchConditions match, JoinInput right, String query)
    {
        return "SELECT DISTINCT " + IntStream.range(0, match.keys().size())
                .mapToObj(i -> formatExpression(match.keys().get(i).right()) + " AS " + quote("k" + (i + 1)))
                .collect(joining(", "))
                + " FROM " + aliased(query, right.alias())
                + JoinText.where(match.right());
    }

    private static List<Expression> sameKeys(MatchConditions match, String alias)
    {
        return IntStream.range(0, match.keys().size())
                .mapToObj(i -> equal(match.keys().get(i).left(), reference(alias, "k" + (i + 1))))
                .collect(toImmutableList());
    }

    /**
     * Each left row gets a number, so that it is counted once however many right rows it matches.
     * <pre>
     * SELECT any_value(l.c)… FROM right r RIGHT JOIN (SELECT *, row_number() n FROM left) l ON conditions
     * GROUP BY l.n HAVING count(r.there) > 0
     * </pre>
     */
    private static String byRows(SemiJoin join, String left, String right, boolean weighted)
    {
        String leftAlias = quote(join.left().alias());
        String rightAlias = quote(join.right().alias());
        List<String> columns = new ArrayList<>();
        join.columns().forEach(name -> columns.add("any_value(" + leftAlias + "." + quote(name) + ") AS " + quote(name)));
        if (columns.isEmpty()) {
            columns.add("1 AS \"one\"");
        }
        if (weighted) {
            columns.add("any_value(" + RelationRenderer.weight(join.left().alias()) + ") AS " + quote(SourceText.WEIGHT_COLUMN));
        }
        return "SELECT " + String.join(", ", columns)
                + " FROM (SELECT " + rightAlias + ".*, true AS " + quote(THERE) + " FROM " + aliased(right, join.right().alias()) + ") AS " + rightAlias
                + " RIGHT JOIN (SELECT " + leftAlias + ".*, row_number() OVER () AS " + quote(ROW) + " FROM " + aliased(left, join.left().alias()) + ") AS " + leftAlias
                + " ON " + JoinText.all(join.conditions())
                + " GROUP BY " + leftAlias + "." + quote(ROW)
                + " HAVING count(" + rightAlias + "." + quote(THERE) + ") " + (join.anti() ? "= 0" : "> 0");
    }

    private static String byExists(SemiJoin join, String left, String right, boolean weighted)
    {
        return "SELECT " + Columns.of(join.left()) + weight(join.left(), weighted)
                + " FROM " + aliased(left, join.left().alias())
                + " WHERE " + (join.anti() ? "NOT " : "") + "EXISTS (SELECT 1 FROM " + aliased(right, join.right().alias())
                + " WHERE " + JoinText.all(join.conditions()) + ")";
    }
}
