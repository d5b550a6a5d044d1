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
package io.freshet.engine.mini;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;

import static java.util.Locale.ENGLISH;

/**
 * Values as Trino has them: Long for the integer types, BigDecimal, Double, Float for real, Boolean, String, null.
 */
final class Values
{
    private Values() {}

    /** Equal objects exactly for values that GROUP BY puts into one group. */
    static Object key(Object value)
    {
        return switch (value) {
            case null -> "NULL";
            case Double number -> number == 0 ? List.of("double", 0.0) : List.of("double", number);
            case BigDecimal decimal -> decimal.stripTrailingZeros();
            default -> value;
        };
    }

    /** Equality of SQL; the arguments are not null. */
    static boolean same(Object left, Object right)
    {
        if (left instanceof Double || right instanceof Double) {
            return ((Number) left).doubleValue() == ((Number) right).doubleValue();
        }
        if (left instanceof Number && right instanceof Number) {
            return decimal(left).compareTo(decimal(right)) == 0;
        }
        return left.equals(right);
    }

    /** Order of SQL, without NaN. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    static int compare(Object left, Object right)
    {
        if (left instanceof Double || right instanceof Double) {
            double first = ((Number) left).doubleValue();
            double second = ((Number) right).doubleValue();
            return first < second ? -1 : first > second ? 1 : 0;
        }
        if (left instanceof Number && right instanceof Number) {
            return decimal(left).compareTo(decimal(right));
        }
        return ((Comparable) left).compareTo(right);
    }

    /** The lesser; NaN only if there is nothing else. Trino: COMPARISON_UNORDERED_LAST. */
    static Object least(Object left, Object right)
    {
        if (isNan(left)) {
            return right;
        }
        return isNan(right) || compare(left, right) <= 0 ? left : right;
    }

    /** The greater; NaN only if there is nothing else. Trino: COMPARISON_UNORDERED_FIRST. */
    static Object greatest(Object left, Object right)
    {
        if (isNan(left)) {
            return right;
        }
        return isNan(right) || compare(left, right) >= 0 ? left : right;
    }

    static boolean isNan(Object value)
    {
        return value instanceof Double number && number.isNaN();
    }

    static BigDecimal decimal(Object value)
    {
        return value instanceof BigDecimal decimal ? decimal : BigDecimal.valueOf(((Number) value).longValue());
    }

    static Object add(Object left, Object right)
    {
        return switch (left) {
            case Double number -> number + ((Number) right).doubleValue();
            case BigDecimal number -> number.add(decimal(right));
            case Long number when right instanceof Long other -> Math.addExact(number, other);
            case Long _ when right instanceof BigDecimal other -> decimal(left).add(other);
            default -> ((Number) left).doubleValue() + ((Number) right).doubleValue();
        };
    }

    static Object divide(Object left, Object right)
    {
        if (left instanceof Double || right instanceof Double) {
            return ((Number) left).doubleValue() / ((Number) right).doubleValue();
        }
        if (left instanceof BigDecimal || right instanceof BigDecimal) {
            int scale = Math.max(decimal(left).scale(), decimal(right).scale());
            return decimal(left).divide(decimal(right), scale, RoundingMode.HALF_UP);
        }
        return (Long) left / (Long) right;
    }

    static Object cast(Object value, String type)
    {
        String lower = type.toLowerCase(ENGLISH);
        if (value == null) {
            return null;
        }
        if (lower.startsWith("decimal")) {
            int scale = lower.contains(",") ? Integer.parseInt(lower.substring(lower.indexOf(',') + 1, lower.indexOf(')')).trim()) : 0;
            return decimal(value).setScale(scale, RoundingMode.HALF_UP);
        }
        return switch (lower) {
            case "double" -> ((Number) value).doubleValue();
            case "bigint", "integer", "smallint", "tinyint" -> value instanceof Boolean flag ? (flag ? 1L : 0L) : ((Number) value).longValue();
            case "boolean" -> (Boolean) value;
            default -> {
                if (lower.startsWith("array")) {
                    yield value;
                }
                if (lower.startsWith("varchar")) {
                    yield value.toString();
                }
                throw new UnsupportedOperationException("cast to " + type);
            }
        };
    }
}
