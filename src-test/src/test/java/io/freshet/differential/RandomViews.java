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
import java.util.Random;
import java.util.stream.IntStream;

import static io.freshet.differential.RandomValues.pick;
import static java.util.stream.Collectors.joining;

/**
 * Queries over one table of the columns {@link #COLUMNS}. Each gives the same bag of rows whatever order the rows come in: negative
 * zero and zero are told apart by nothing that is selected.
 */
final class RandomViews
{
    static final List<String> COLUMNS = List.of(
            "b boolean", "i integer", "l bigint", "d decimal(12, 2)", "x double", "r real", "s varchar", "dt date", "t time(6)",
            "ts timestamp(6)", "tz timestamp(6) with time zone", "vb varbinary", "rw ROW(a integer, b varchar)", "ar ARRAY(integer)");

    private final Random random;
    private final String table;

    RandomViews(Random random, String table)
    {
        this.random = random;
        this.table = table;
    }

    String query()
    {
        return switch (random.nextInt(12)) {
            case 0, 1, 2 -> linear(random.nextInt(1, 6), source());
            case 3 -> union();
            case 4 -> "SELECT DISTINCT " + named(expressions(random.nextInt(1, 4))) + " FROM " + source() + where();
            case 5 -> "SELECT " + named(aggregates(random.nextInt(1, 6))) + " FROM " + source() + where();
            case 6 -> notMaintained();
            default -> grouped();
        };
    }

    private String source()
    {
        if (random.nextInt(6) == 0) {
            return "(SELECT * FROM " + table + where() + ")";
        }
        return random.nextInt(8) == 0 ? "(SELECT * FROM " + table + " UNION ALL SELECT * FROM " + table + where() + ")" : table;
    }

    private String linear(int columns, String source)
    {
        return "SELECT " + named(expressions(columns)) + " FROM " + source + where();
    }

    private String union()
    {
        List<String> kinds = IntStream.range(0, random.nextInt(1, 4)).mapToObj(_ -> pick(random, List.of("int", "text", "date", "decimal"))).toList();
        return IntStream.range(0, random.nextInt(2, 4))
                .mapToObj(_ -> "SELECT " + named(kinds.stream().map(this::ofKind).toList()) + " FROM " + table + where())
                .collect(joining(" UNION ALL "));
    }

    private String ofKind(String kind)
    {
        return switch (kind) {
            case "int" -> integer();
            case "text" -> text();
            case "date" -> date();
            default -> decimal();
        };
    }

    private String grouped()
    {
        List<String> keys = expressions(random.nextInt(1, 4));
        List<String> outputs = new ArrayList<>();
        boolean ordinals = random.nextInt(3) == 0;
        for (String key : keys) {
            // a key need not be selected, if it is not named by its place
            if (ordinals || random.nextInt(6) != 0) {
                outputs.add(key);
            }
        }
        int selected = outputs.size();
        outputs.addAll(aggregates(random.nextInt(selected == 0 ? 1 : 0, 5)));
        String groupBy = ordinals
                ? IntStream.rangeClosed(1, keys.size()).mapToObj(Integer::toString).collect(joining(", "))
                : String.join(", ", keys);
        return "SELECT " + named(outputs) + " FROM " + source() + where() + " GROUP BY " + groupBy + having();
    }

    private String notMaintained()
    {
        return switch (random.nextInt(4)) {
            case 0 -> "SELECT i, s, count(*) OVER (PARTITION BY s) c FROM " + table + where();
            case 1 -> "SELECT s, count(DISTINCT i) c, sum(DISTINCT d) d FROM " + table + where() + " GROUP BY s";
            case 2 -> "SELECT i, s FROM " + table + " WHERE i >= (SELECT min(i) FROM " + table + ")";
            default -> "SELECT s, count(*) c FROM " + table + " GROUP BY ROLLUP (s)";
        };
    }

    private String having()
    {
        return random.nextInt(3) != 0 ? "" : " HAVING " + pick(random, List.of(
                "count(*) > 1",
                "sum(i) > 2",
                "max(s) IS NOT NULL",
                "NOT bool_or(b)",
                "count(x) < 3 OR min(dt) < DATE '2026-01-15'",
                "10 / sum(i) < 5",
                "avg(d) BETWEEN -1 AND 50"));
    }

    private String where()
    {
        return random.nextInt(2) == 0 ? "" : " WHERE " + condition();
    }

    private static String named(List<String> expressions)
    {
        return IntStream.range(0, expressions.size())
                .mapToObj(index -> expressions.get(index) + " AS c" + index)
                .collect(joining(", "));
    }

    private List<String> expressions(int count)
    {
        return IntStream.range(0, count).mapToObj(_ -> expression()).toList();
    }

    private String expression()
    {
        return switch (random.nextInt(14)) {
            case 0, 1 -> integer();
            case 2, 3 -> text();
            case 4 -> decimal();
            case 5 -> floating();
            case 6 -> date();
            case 7 -> condition();
            case 8 -> pick(random, List.of("ts", "date_trunc('day', ts)", "CAST(tz AS timestamp(6))", "ts + INTERVAL '1' MONTH"));
            case 9 -> pick(random, List.of("tz", "at_timezone(tz, 'Asia/Tokyo')", "CAST(ts AS timestamp(3) with time zone)"));
            case 10 -> pick(random, List.of("vb", "md5(vb)", "t", "CAST(t AS time(3))"));
            case 11 -> pick(random, List.of("rw", "ar", "ARRAY[i, 1]", "CAST(ROW(i, s) AS ROW(p integer, q varchar))", "MAP(ARRAY['k'], ARRAY[i])"));
            case 12 -> pick(random, List.of("CAST(s AS char(3))", "CAST(i AS smallint)", "CAST(s AS varchar(2))", "CAST(i AS tinyint)", "CAST(ts AS timestamp(9))"));
            default -> pick(random, List.of("b", "i", "l", "d", "x", "r", "s", "dt", "ts"));
        };
    }

    private String integer()
    {
        return pick(random, List.of(
                "i", "l", "i + 1", "i % 3", "coalesce(i, 0)", "length(s)", "cardinality(ar)", "rw.a", "CAST(d AS integer)", "year(dt)", "i * l", "10 / i", "-i", "abs(l)",
                "CASE WHEN " + condition() + " THEN i ELSE 5 END", "if(b, 1, 0)", "nullif(i, 1)", "try(10 / i)", "greatest(i, 2)"));
    }

    private String text()
    {
        return pick(random, List.of(
                "s", "upper(s)", "s || 'z'", "rw.b", "substr(s, 1, 1)", "CAST(i AS varchar)", "trim(s)", "coalesce(s, 'none')", "to_hex(vb)",
                "CAST(dt AS varchar)", "format_datetime(ts, 'yyyy-MM')", "CAST(tz AS varchar)", "'it''s'", "CAST(b AS varchar)", "json_format(CAST(ar AS json))"));
    }

    private String decimal()
    {
        return pick(random, List.of("d", "d * 2", "d + i", "round(d)", "CAST(i AS decimal(10, 3))", "d / 3", "coalesce(d, 0.00)"));
    }

    private String floating()
    {
        return pick(random, List.of("x", "r", "CAST(r AS double)", "x + 1", "abs(x)", "if(is_nan(x), NULL, x)", "CAST(d AS double)"));
    }

    private String date()
    {
        return pick(random, List.of("dt", "date_add('day', 1, dt)", "CAST(ts AS date)", "date_trunc('month', dt)", "date(tz)"));
    }

    private String condition()
    {
        return switch (random.nextInt(12)) {
            case 0 -> "b";
            case 1 -> "(" + condition() + " AND " + condition() + ")";
            case 2 -> "(" + condition() + " OR " + condition() + ")";
            case 3 -> "NOT " + condition();
            default -> "(" + pick(random, List.of(
                    "i > 1", "l BETWEEN 0 AND 3", "s = 'a'", "s LIKE 'a%'", "s IN ('a', 'b', '')", "dt >= DATE '2026-01-15'", "x > 0e0", "is_nan(x)", "d <> 1.25",
                    "ts < TIMESTAMP '2026-01-15 00:00:00'", "i IS NULL", "s IS NOT NULL", "i IS DISTINCT FROM l", "tz > TIMESTAMP '2026-01-15 00:00:00 UTC'", "rw.a = 1",
                    "contains(ar, 1)", "vb = X''", "r < x", "length(s) > 0", "s > 'A'", "b IS NULL")) + ")";
        };
    }

    private List<String> aggregates(int count)
    {
        return IntStream.range(0, count).mapToObj(_ -> aggregate()).toList();
    }

    private String aggregate()
    {
        String plain = switch (random.nextInt(10)) {
            case 0 -> "count(*)";
            case 1 -> "count(" + expression() + ")";
            case 2 -> "sum(" + integer() + ")";
            case 3 -> "sum(" + pick(random, List.of("d", "x", "r", "d * 2", "x + 1")) + ")";
            case 4 -> "avg(" + pick(random, List.of("i", "l", "d", "x", "r", "d / 3")) + ")";
            case 5, 6 -> pick(random, List.of("min", "max")) + "(" + expression() + ")";
            case 7 -> "count_if(" + condition() + ")";
            case 8 -> pick(random, List.of("bool_and", "bool_or", "every")) + "(" + condition() + ")";
            default -> pick(random, List.of("max", "min")) + "(" + pick(random, List.of("s", "dt", "i", "d", "ts")) + ")";
        };
        String filtered = random.nextInt(6) == 0 ? plain + " FILTER (WHERE " + condition() + ")" : plain;
        return switch (random.nextInt(8)) {
            case 0 -> "coalesce(" + filtered + ", NULL)";
            case 1 -> "CASE WHEN count(*) > 2 THEN " + filtered + " END";
            case 2 -> "count(*) + count(i)";
            default -> filtered;
        };
    }
}
