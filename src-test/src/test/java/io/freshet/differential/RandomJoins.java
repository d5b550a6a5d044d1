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
package io.freshet.differential;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static io.freshet.differential.RandomValues.pick;
import static java.util.stream.Collectors.joining;

/**
 * Queries over several tables, all of the columns {@link #COLUMNS}, and over earlier views of the same columns: trees of joins, with
 * subqueries, aggregations and unions in them. Each gives the same bag of rows whatever order the rows come in.
 */
final class RandomJoins
{
    static final List<String> COLUMNS = List.of("id bigint", "k integer", "j integer", "g varchar", "v bigint", "d decimal(10, 2)", "b boolean");

    private static final int DEPTH = 4;
    /** Begins the query of a view that has the columns of a table. */
    private static final String ROWS = "SELECT a0.id AS id, ";

    private final Random random;
    private final List<String> tables;
    private final List<String> views;
    private int aliases;

    /** @param views all that a query may read, and their queries */
    RandomJoins(Random random, List<String> tables, Map<String, String> views)
    {
        this.random = random;
        this.tables = tables;
        this.views = views.entrySet().stream()
                .filter(view -> view.getValue().startsWith(ROWS))
                .map(Map.Entry::getKey)
                .toList();
    }

    /** What stands after FROM, and the names by which its columns are known. */
    private record Relation(String sql, List<String> aliases) {}

    String query()
    {
        return switch (random.nextInt(20)) {
            case 0, 1, 2, 3, 4, 5 -> rows(tree(random.nextInt(1, DEPTH)));
            case 6, 7 -> free(tree(random.nextInt(1, DEPTH)), "SELECT ");
            case 8, 9, 10, 11, 12 -> grouped(tree(random.nextInt(1, DEPTH)));
            case 13 -> global(tree(random.nextInt(1, 3)));
            case 14 -> free(tree(random.nextInt(1, 3)), "SELECT DISTINCT ");
            case 15 -> rows(tree(1)) + " UNION ALL " + reset(() -> rows(tree(random.nextInt(1, 3))));
            case 16 -> {
                String inner = grouped(tree(random.nextInt(1, 3)));
                yield "SELECT c0, count(*) AS n FROM (" + inner + ") GROUP BY c0";
            }
            case 17 -> {
                String named = rows(tree(random.nextInt(1, 3)));
                yield "WITH w AS (" + named + ") SELECT x.k, y.v, x.g FROM w x " + pick(random, List.of("JOIN", "LEFT JOIN")) + " w y ON x.k = y.j";
            }
            case 18 -> "SELECT k, x.v, y.d FROM %s x %s %s y USING (k)".formatted(pick(random, tables), pick(random, List.of("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")), pick(random, tables));
            default -> {
                Relation relation = tree(random.nextInt(1, 3));
                String alias = pick(random, relation.aliases());
                yield "SELECT %s.k, %s.v, count(*) OVER (PARTITION BY %s.k) AS n, sum(%s.v) OVER (PARTITION BY %s.k) AS s FROM %s".formatted(alias, alias, alias, alias, alias, relation.sql()) + where(relation);
            }
        };
    }

    private String reset(java.util.function.Supplier<String> query)
    {
        int before = aliases;
        aliases = 0;
        String sql = query.get();
        aliases = before;
        return sql;
    }

    private Relation tree(int joins)
    {
        if (joins == 0) {
            return leaf();
        }
        boolean bushy = joins > 1 && random.nextInt(3) == 0;
        Relation left = tree(bushy ? joins / 2 : joins - 1);
        Relation right = bushy ? tree(joins - 1 - joins / 2) : leaf();
        String rightSql = right.aliases().size() > 1 ? "(" + right.sql() + ")" : right.sql();
        List<String> aliases = Stream.concat(left.aliases().stream(), right.aliases().stream()).toList();
        if (random.nextInt(25) == 0) {
            return new Relation(left.sql() + " CROSS JOIN " + rightSql, aliases);
        }
        String type = pick(random, List.of(" JOIN ", " JOIN ", " JOIN ", " JOIN ", " LEFT JOIN ", " LEFT JOIN ", " RIGHT JOIN ", " FULL JOIN "));
        return new Relation(left.sql() + type + rightSql + " ON " + on(pick(random, left.aliases()), pick(random, right.aliases())), aliases);
    }

    private String on(String left, String right)
    {
        return pick(random, List.of(
                "L.k = R.k", "L.k = R.k", "L.j = R.k", "L.k = R.j", "L.id = R.id", "L.id = R.k", "L.k = R.k AND L.j = R.j", "L.g = R.g AND L.k = R.k",
                "L.k = R.k AND L.v < R.v", "L.j = R.k AND R.b", "L.k = R.k AND L.v > 0", "L.k + 1 = R.k", "L.k IS NOT DISTINCT FROM R.k", "L.k = R.k AND (L.b OR R.v > 1)",
                "L.id = R.id AND L.v < R.v"))
                .replace("L.", left + ".")
                .replace("R.", right + ".");
    }

    private Relation leaf()
    {
        String alias = "a" + aliases++;
        if (!views.isEmpty() && random.nextInt(4) == 0) {
            return new Relation(pick(random, views) + " " + alias, List.of(alias));
        }
        String table = pick(random, tables);
        String sql = switch (random.nextInt(14)) {
            case 0 -> "(SELECT * FROM %s x WHERE %s)".formatted(table, condition("x"));
            case 1 -> ("(SELECT max(x.id) AS id, x.k AS k, min(x.j) AS j, max(x.g) AS g, sum(x.v) AS v, CAST(sum(x.d) AS decimal(10, 2)) AS d, bool_or(x.b) AS b " +
                    "FROM %s x GROUP BY x.k)").formatted(table);
            case 2 -> "(SELECT * FROM %s UNION ALL SELECT * FROM %s x WHERE %s)".formatted(table, pick(random, tables), condition("x"));
            case 3 -> ("(SELECT DISTINCT BIGINT '1' AS id, x.k AS k, x.j AS j, x.g AS g, BIGINT '2' AS v, CAST(1 AS decimal(10, 2)) AS d, x.b AS b " +
                    "FROM %s x)").formatted(table);
            case 4 -> "(SELECT x.id, x.k, y.j, y.g, x.v, x.d, y.b FROM %s x JOIN %s y ON x.k = y.k)".formatted(table, pick(random, tables));
            default -> table;
        };
        return new Relation(sql + " " + alias, List.of(alias));
    }

    /** A view of the columns of a table. */
    private String rows(Relation relation)
    {
        List<String> names = relation.aliases();
        return ROWS
                + of(names, "A.k", "A.j", "coalesce(A.k, B.k)") + " AS k, "
                + of(names, "A.j", "A.k", "nullif(A.j, B.k)") + " AS j, "
                + of(names, "A.g", "coalesce(A.g, B.g)", "upper(A.g)") + " AS g, "
                + of(names, "A.v", "A.v + B.v", "coalesce(A.v, 0)") + " AS v, "
                + of(names, "A.d", "CAST(A.d + B.d AS decimal(10, 2))") + " AS d, "
                + of(names, "A.b", "A.b OR B.b", "A.k = B.k") + " AS b"
                + " FROM " + relation.sql() + where(relation);
    }

    private String of(List<String> names, String... expressions)
    {
        return pick(random, List.of(expressions))
                .replace("A.", pick(random, names) + ".")
                .replace("B.", pick(random, names) + ".");
    }

    private String free(Relation relation, String select)
    {
        return select + named(expressions(relation, random.nextInt(1, 5))) + " FROM " + relation.sql() + where(relation);
    }

    private List<String> expressions(Relation relation, int count)
    {
        return IntStream.range(0, count)
                .mapToObj(_ -> of(relation.aliases(), "A.k", "A.j", "A.g", "A.v", "A.d", "A.b", "A.id", "A.k + B.k", "A.g || B.g", "coalesce(A.v, B.v)", "A.k IS NULL", "A.v * 2"))
                .toList();
    }

    private String grouped(Relation relation)
    {
        List<String> keys = expressions(relation, random.nextInt(1, 3));
        List<String> outputs = new ArrayList<>(keys);
        for (int i = random.nextInt(1, 4); i > 0; i--) {
            outputs.add(aggregate(relation));
        }
        String having = random.nextInt(4) != 0 ? "" : " HAVING " + of(relation.aliases(), "count(*) > 1", "sum(A.v) > 2", "max(A.g) IS NOT NULL", "count(B.k) < 4");
        return "SELECT " + named(outputs) + " FROM " + relation.sql() + where(relation)
                + " GROUP BY " + IntStream.rangeClosed(1, keys.size()).mapToObj(Integer::toString).collect(joining(", ")) + having;
    }

    private String global(Relation relation)
    {
        return "SELECT " + named(Stream.generate(() -> aggregate(relation)).limit(random.nextInt(1, 4)).toList()) + " FROM " + relation.sql() + where(relation);
    }

    private String aggregate(Relation relation)
    {
        return of(relation.aliases(),
                "count(*)", "count(*)", "count(A.k)", "sum(A.v)", "sum(A.v + B.v)", "sum(A.d)", "avg(A.d)", "min(A.g)", "max(A.v)", "max(A.id)", "count_if(A.b)", "bool_or(A.b)",
                "count(DISTINCT A.k)", "sum(A.v) FILTER (WHERE B.b)", "array_agg(A.k ORDER BY A.k)");
    }

    private static String named(List<String> expressions)
    {
        return IntStream.range(0, expressions.size())
                .mapToObj(index -> expressions.get(index) + " AS c" + index)
                .collect(joining(", "));
    }

    private String where(Relation relation)
    {
        Function<Integer, String> condition = _ -> random.nextInt(3) == 0 ? subquery(pick(random, relation.aliases())) : condition(pick(random, relation.aliases()));
        return switch (random.nextInt(6)) {
            case 0, 1, 2 -> "";
            case 3, 4 -> " WHERE " + condition.apply(0);
            default -> " WHERE " + condition.apply(0) + " AND " + condition.apply(1);
        };
    }

    private String condition(String alias)
    {
        return pick(random, List.of("A.v > 0", "A.k IS NOT NULL", "A.k IN (1, 2, 3)", "A.g = 'a'", "A.b", "A.d <> 1.25", "A.j < 3", "(A.v > 1 OR A.k = 1)", "A.j IS NULL", "A.k <> A.j"))
                .replace("A.", alias + ".");
    }

    private String subquery(String alias)
    {
        return pick(random, List.of(
                "A.k IN (SELECT y.k FROM T y WHERE C)",
                "A.k IN (SELECT y.j FROM T y)",
                "A.k NOT IN (SELECT y.k FROM T y WHERE y.k IS NOT NULL)",
                "A.k NOT IN (SELECT y.j FROM T y WHERE C)",
                "EXISTS (SELECT 1 FROM T y WHERE y.k = A.k)",
                "EXISTS (SELECT 1 FROM T y WHERE y.k = A.j AND y.v > A.v)",
                "NOT EXISTS (SELECT 1 FROM T y WHERE y.k = A.k AND C)",
                "NOT EXISTS (SELECT 1 FROM T y WHERE y.id = A.id)",
                "A.v >= (SELECT avg(y.v) FROM T y)",
                "A.v >= (SELECT max(y.v) FROM T y WHERE y.k = A.k)",
                "(A.b OR A.k IN (SELECT y.k FROM T y))"))
                .replace("A.", alias + ".")
                .replace(" T ", " " + pick(random, tables) + " ")
                .replace("C)", condition("y") + ")");
    }
}
