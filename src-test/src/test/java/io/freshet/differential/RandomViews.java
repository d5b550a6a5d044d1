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
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

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
        return switch (random.nextInt(22)) {
            case 0, 1, 2, 3 -> linear(random.nextInt(1, 6), source());
            case 4 -> union(" UNION ALL ");
            case 5 -> union(random.nextBoolean() ? " UNION " : " UNION ALL ");
            case 6 -> "SELECT DISTINCT " + named(expressions(random.nextInt(1, 4))) + " FROM " + source() + where();
            case 7 -> "SELECT " + named(aggregates(random.nextInt(1, 6))) + " FROM " + source() + where();
            case 8 -> notMaintained();
            case 9, 10, 11 -> grouped(() -> random.nextInt(3) == 0 ? aggregate() : wholeGroupAggregate());
            case 12, 13, 14 -> windows();
            case 15 -> "SELECT * FROM (" + grouped(this::aggregate) + ")" + (random.nextBoolean() ? " WHERE c0 IS NOT NULL" : "");
            case 20, 21 -> groupingSets();
            default -> grouped(this::aggregate);
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

    private String union(String operator)
    {
        List<String> kinds = IntStream.range(0, random.nextInt(1, 4)).mapToObj(_ -> pick(random, List.of("int", "text", "date", "decimal"))).toList();
        return IntStream.range(0, random.nextInt(2, 4))
                .mapToObj(_ -> "SELECT " + named(kinds.stream().map(this::ofKind).toList()) + " FROM " + table + where())
                .collect(joining(operator));
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

    private String grouped(Supplier<String> aggregate)
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
        outputs.addAll(Stream.generate(aggregate).limit(random.nextInt(selected == 0 ? 1 : 0, 5)).toList());
        String groupBy = ordinals
                ? IntStream.rangeClosed(1, keys.size()).mapToObj(Integer::toString).collect(joining(", "))
                : String.join(", ", keys);
        return "SELECT " + named(outputs) + " FROM " + source() + where() + " GROUP BY " + groupBy + having();
    }

    /** Keys of sets are columns; others are in all sets. */
    private String groupingSets()
    {
        List<String> columns = new ArrayList<>(List.of("b", "i", "l", "d", "x", "s", "dt", "ts"));
        Collections.shuffle(columns, random);
        String first = columns.get(0);
        String second = columns.get(1);
        String both = first + ", " + second;
        boolean total = random.nextBoolean();
        String sets = total
                ? pick(random, List.of("ROLLUP (" + both + ")", "CUBE (" + both + ")", "GROUPING SETS ((" + both + "), (), ())", "DISTINCT ROLLUP (" + both + "), ROLLUP (" + second + ")"))
                : pick(random, List.of("GROUPING SETS ((" + first + "), (" + second + "), (" + both + "))", second + ", ROLLUP (" + first + ")", "i % 2, GROUPING SETS ((" + first + "), (" + second + "), (" + first + "))"));
        List<String> outputs = new ArrayList<>(List.of(first));
        if (random.nextInt(4) != 0) {
            outputs.addAll(List.of(second, "grouping(" + both + ")"));
        }
        outputs.addAll(Stream.generate(() -> total || random.nextBoolean() ? aggregate() : wholeGroupAggregate()).limit(random.nextInt(1, 4)).toList());
        return "SELECT " + named(outputs) + " FROM " + source() + where() + " GROUP BY " + sets + having();
    }

    /**
     * All columns that are read are ordered by, so that rows which are placed alike are alike. None of them is of floating point, where
     * zeros that are told apart later may be placed in any order.
     */
    private String windows()
    {
        String order = " ORDER BY " + pick(random, List.of("i, l, s, d, dt, ts, b", "d DESC, i, s NULLS FIRST, l, b, ts, dt", "ts, dt, b, s DESC, l, i, d")) + ")";
        String keys = pick(random, List.of("s", "i", "b, i", "dt", "l % 3", "upper(s)", "date_trunc('month', ts), b", "d", "CAST(NULL AS integer)"));
        String more = random.nextInt(3) == 0 ? ", l" : "";
        List<String> outputs = new ArrayList<>(Stream.generate(() -> pick(random, List.of("i", "s", "l", "d", "dt", "i + 1", "upper(s)", "ts")))
                .limit(random.nextInt(1, 4))
                .toList());
        for (int i = random.nextInt(1, 4); i > 0; i--) {
            String partition = "(PARTITION BY " + keys + (random.nextBoolean() ? more : "");
            outputs.add(switch (random.nextInt(6)) {
                case 0 -> pick(random, List.of("row_number()", "rank()", "dense_rank()", "ntile(2)", "percent_rank()", "lag(s)", "lead(i, 2)", "first_value(d)", "last_value(l)")) + " OVER " + partition + order;
                case 1 -> pick(random, List.of("sum(i)", "count(*)", "max(s)", "avg(d)", "min(ts)")) + " OVER " + partition + order;
                case 2 -> pick(random, List.of("sum(d)", "count(s)", "array_agg(i)")) + " OVER " + partition + order.replace(")", " ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING)");
                case 3 -> pick(random, List.of("count(*)", "max(s)", "sum(l)", "count_if(b)", "avg(i)")) + " OVER " + partition + ")";
                default -> "row_number() OVER " + partition + order;
            });
        }
        String query = "SELECT " + named(outputs) + " FROM " + source() + where();
        String last = "c" + (outputs.size() - 1);
        return random.nextInt(3) == 0 ? "SELECT * FROM (" + query + ") WHERE " + last + " = " + last : query;
    }

    private String notMaintained()
    {
        return switch (random.nextInt(3)) {
            case 0 -> "SELECT count(DISTINCT i) c, sum(DISTINCT d) d FROM " + table + where();
            case 1 -> "SELECT i, s FROM " + table + " WHERE i >= (SELECT min(i) FROM " + table + ")";
            default -> "SELECT i FROM " + table + " INTERSECT SELECT l FROM " + table;
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
                "count(*) = 2",
                "count(*) % 2 = 1",
                "count(i) <> 1",
                "count(DISTINCT i) > 1",
                "sum(d) IS NULL OR sum(d) > 0",
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

    /** Needs all rows of its group. None depends on the order in which they come. */
    private String wholeGroupAggregate()
    {
        String plain = switch (random.nextInt(6)) {
            case 0 -> "count(DISTINCT " + pick(random, List.of("i", "s", "d", "x", "ts", "dt", "b", "rw.a")) + ")";
            case 1 -> pick(random, List.of("sum(DISTINCT d)", "avg(DISTINCT i)", "sum(DISTINCT l)", "array_agg(DISTINCT i ORDER BY i)"));
            case 2 -> "array_agg(" + pick(random, List.of("i ORDER BY i", "s ORDER BY s DESC", "d ORDER BY d NULLS FIRST", "dt ORDER BY dt", "ts ORDER BY ts")) + ")";
            case 3 -> pick(random, List.of("approx_distinct(s)", "approx_distinct(i)", "approx_percentile(i, 0.5)", "stddev(i)", "var_pop(l)", "checksum(s)", "checksum(i)", "bitwise_xor_agg(i)", "histogram(s)"));
            case 4 -> pick(random, List.of("max_by(upper(s), s)", "min_by(i + 1, i)", "max_by(CAST(ts AS date), ts)", "max(i, 2)", "min(s, 3)", "max(tz)", "min(x)", "max(x)"));
            default -> "array_sort(array_agg(" + pick(random, List.of("i", "s", "d", "b")) + "))";
        };
        return random.nextInt(6) == 0 && !plain.contains("array_sort") ? plain + " FILTER (WHERE " + condition() + ")" : plain;
    }
}
