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
package io.freshet;

import com.google.common.io.BaseEncoding;
import io.trino.spi.type.DoubleType;
import io.trino.spi.type.RealType;
import io.trino.spi.type.SqlVarbinary;
import io.trino.spi.type.Type;
import io.trino.testing.MaterializedResult;
import io.trino.testing.MaterializedRow;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares results as multisets of rows. Floating point columns may differ in the last bits, nothing else may.
 */
public final class RowBags
{
    private static final double RELATIVE_TOLERANCE = 1e-9;

    private RowBags() {}

    public static void assertSameBag(String description, MaterializedResult actual, MaterializedResult expected)
    {
        List<Row> actualRows = sorted(actual);
        List<Row> expectedRows = sorted(expected);
        boolean same = actualRows.size() == expectedRows.size();
        for (int i = 0; same && i < actualRows.size(); i++) {
            same = actualRows.get(i).isSameAs(expectedRows.get(i));
        }
        if (!same) {
            // in one form, so that the difference can be read
            assertThat(actualRows.stream().map(Row::toString).toList())
                    .describedAs(description)
                    .isEqualTo(expectedRows.stream().map(Row::toString).toList());
            throw new AssertionError(description + " differ in floating point columns: " + actualRows + " instead of " + expectedRows);
        }
    }

    private static List<Row> sorted(MaterializedResult result)
    {
        List<Row> rows = new ArrayList<>();
        for (MaterializedRow row : result.getMaterializedRows()) {
            StringBuilder exact = new StringBuilder();
            List<Double> floating = new ArrayList<>();
            for (int field = 0; field < row.getFieldCount(); field++) {
                Object value = row.getField(field);
                if (value instanceof Number number && isFloating(result.getTypes().get(field))) {
                    exact.append("~|");
                    // negative zero is equal to zero, and one NaN to another
                    floating.add(number.doubleValue() + 0.0);
                }
                else {
                    exact.append(comparable(value)).append('|');
                }
            }
            rows.add(new Row(exact.toString(), floating));
        }
        rows.sort(Row.ORDER);
        return rows;
    }

    /** In a form whose text is equal for equal values. */
    private static Object comparable(Object value)
    {
        return switch (value) {
            case byte[] bytes -> BaseEncoding.base16().encode(bytes);
            case SqlVarbinary bytes -> BaseEncoding.base16().encode(bytes.getBytes());
            case Double number -> number + 0.0;
            case Float number -> number + 0.0f;
            case Map<?, ?> map -> map.entrySet().stream()
                    .map(entry -> comparable(entry.getKey()) + "=" + comparable(entry.getValue()))
                    .sorted()
                    .toList();
            case MaterializedRow row -> comparable(row.getFields());
            case List<?> list -> list.stream()
                    .map(RowBags::comparable)
                    .toList();
            case null, default -> value;
        };
    }

    private static boolean isFloating(Type type)
    {
        return type == DoubleType.DOUBLE || type == RealType.REAL;
    }

    private record Row(String exact, List<Double> floating)
    {
        private static final Comparator<Row> ORDER = Comparator.comparing(Row::exact).thenComparing(Row::floating, Row::compare);

        private static int compare(List<Double> left, List<Double> right)
        {
            for (int i = 0; i < Math.min(left.size(), right.size()); i++) {
                int result = Double.compare(left.get(i), right.get(i));
                if (result != 0) {
                    return result;
                }
            }
            return Integer.compare(left.size(), right.size());
        }

        private boolean isSameAs(Row other)
        {
            if (!exact.equals(other.exact) || floating.size() != other.floating.size()) {
                return false;
            }
            for (int i = 0; i < floating.size(); i++) {
                if (!isClose(floating.get(i), other.floating.get(i))) {
                    return false;
                }
            }
            return true;
        }

        private static boolean isClose(double left, double right)
        {
            return Double.compare(left, right) == 0 || Math.abs(left - right) <= RELATIVE_TOLERANCE * Math.max(Math.abs(left), Math.abs(right));
        }

        @Override
        public String toString()
        {
            return exact + floating;
        }
    }
}
