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

import java.util.List;
import java.util.Random;

/**
 * Literals from small domains, so that values meet: NULL, NaN, negative zero, infinities, empty and padded text.
 * Floating point numbers are sums of few powers of two, so that sums of them are exact in any order.
 */
final class RandomValues
{
    private static final List<String> NUMBERS = List.of("0", "1", "2", "3", "-1", "7", "40");
    private static final List<String> FRACTIONS = List.of("0.00", "1.25", "-1.25", "0.01", "2.50", "99.99", "-3.00");
    private static final List<String> FLOATS = List.of("'0'", "'-0'", "'0.5'", "'-2.25'", "'1024'", "'NaN'", "'Infinity'", "'-Infinity'", "'0.5'", "'3'");
    private static final List<String> TEXTS = List.of("''", "'a'", "'A'", "'a '", "'b'", "'é'", "'it''s'", "'null'", "'a|b'");
    private static final List<String> DATES = List.of("'2026-01-01'", "'2026-01-31'", "'2026-02-01'", "'1969-12-31'", "'0001-01-01'");
    private static final List<String> TIMES = List.of("'00:00:00'", "'23:59:59.999999'", "'12:30:00'");
    // not the last second before 1970, which ORC files of Trino give back a second later
    private static final List<String> TIMESTAMPS = List.of("'2026-01-01 00:00:00'", "'2026-01-01 00:00:00.000001'", "'2026-01-31 23:59:59.999999'", "'1969-12-31 23:59:58.9'");
    private static final List<String> INSTANTS = List.of("'2026-01-01 00:00:00 UTC'", "'2026-01-01 09:00:00 Asia/Tokyo'", "'2026-03-29 01:30:00 UTC'", "'1969-12-31 23:59:59.999999 UTC'");
    private static final List<String> BYTES = List.of("X''", "X'00'", "X'FF00'", "X'61'");
    private static final List<String> ROWS = List.of("ROW(1, 'a')", "ROW(NULL, 'a')", "ROW(2, NULL)", "ROW(NULL, NULL)");
    private static final List<String> ARRAYS = List.of("ARRAY[]", "ARRAY[1]", "ARRAY[1, NULL]", "ARRAY[2, 1]");

    private RandomValues() {}

    /** @param type as SHOW COLUMNS has it */
    static String literal(Random random, String type)
    {
        if (random.nextInt(5) == 0) {
            return "CAST(NULL AS " + type + ")";
        }
        String value = value(random, type);
        return value.startsWith("X'") ? value : "CAST(" + value + " AS " + type + ")";
    }

    private static String value(Random random, String type)
    {
        return switch (type.replaceAll("[ (].*", "")) {
            case "boolean" -> random.nextBoolean() ? "true" : "false";
            case "integer", "bigint" -> pick(random, NUMBERS);
            case "decimal" -> pick(random, FRACTIONS);
            case "double", "real" -> pick(random, FLOATS);
            case "varchar" -> pick(random, TEXTS);
            case "date" -> pick(random, DATES);
            case "time" -> pick(random, TIMES);
            case "timestamp" -> pick(random, type.contains("zone") ? INSTANTS : TIMESTAMPS);
            case "varbinary" -> pick(random, BYTES);
            case "row" -> pick(random, ROWS);
            case "array" -> pick(random, ARRAYS);
            default -> "NULL";
        };
    }

    static <T> T pick(Random random, List<T> values)
    {
        return values.get(random.nextInt(values.size()));
    }
}
