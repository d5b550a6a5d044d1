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
package io.freshet.cases;

import org.junit.jupiter.api.Test;

/** Cases of kind "keys": MV-054 to MV-058. */
final class TestKeyCases
        extends AbstractCases
{
    @Test
    void testMv054NullKey()
    {
        execute("CREATE TABLE mv054_t (k varchar, v bigint)");
        execute("INSERT INTO mv054_t VALUES (NULL, 1), ('a', 2)");
        CaseView view = view("mv054", "SELECT k, count(*) c, sum(v) s FROM mv054_t GROUP BY k").rows("(NULL, 1, 1), ('a', 1, 2)");
        execute("INSERT INTO mv054_t VALUES (NULL, 4)");
        view.refresh("AGGREGATE_MERGE").rows("(NULL, 2, 5), ('a', 1, 2)");
        execute("INSERT INTO mv054_t VALUES (NULL, 8), ('', 1)");
        view.refresh("AGGREGATE_MERGE").rows("(NULL, 3, 13), ('a', 1, 2), ('', 1, 1)");
        execute("DELETE FROM mv054_t WHERE k = 'a' OR v = 8 OR k = ''");
        view.refresh("AGGREGATE_MERGE").rows("(NULL, 2, 5)");
    }

    @Test
    void testMv055NullInAnyColumnOfAPlainView()
    {
        execute("CREATE TABLE mv055_t (a integer, b varchar)");
        execute("INSERT INTO mv055_t VALUES (1, NULL), (2, 'x'), (NULL, NULL)");
        CaseView view = view("mv055", "SELECT a, b FROM mv055_t");
        execute("DELETE FROM mv055_t WHERE a = 1");
        execute("DELETE FROM mv055_t WHERE a IS NULL");
        view.refresh("ROW_DELTA").rows("(2, 'x')");
    }

    @Test
    void testMv057FloatKeys()
    {
        for (String type : new String[] {"double", "real"}) {
            String table = "mv057_" + type;
            execute("CREATE TABLE %s (v %s)".formatted(table, type));
            execute("INSERT INTO %s VALUES %s '0'".formatted(table, type));
            CaseView view = view("mv057_v_" + type, "SELECT v, count(*) c FROM %s GROUP BY v".formatted(table));
            execute("INSERT INTO %1$s VALUES %2$s '-0', CAST(nan() AS %2$s), CAST(nan() AS %2$s)".formatted(table, type));
            view.refresh("AGGREGATE_MERGE").rows("(%1$s '0', 2), (CAST(nan() AS %1$s), 2)".formatted(type));
            execute("INSERT INTO %1$s VALUES CAST(nan() AS %2$s)".formatted(table, type));
            view.refresh("AGGREGATE_MERGE").rows("(%1$s '0', 2), (CAST(nan() AS %1$s), 3)".formatted(type));
            execute("INSERT INTO %1$s VALUES NULL, CAST(infinity() AS %2$s), CAST(-infinity() AS %2$s), %2$s '-0'".formatted(table, type));
            view.refresh("AGGREGATE_MERGE")
                    .rows("(%1$s '0', 3), (CAST(nan() AS %1$s), 3), (NULL, 1), (CAST(infinity() AS %1$s), 1), (CAST(-infinity() AS %1$s), 1)".formatted(type));
        }
    }

    @Test
    void testMv057FloatKeysMergedIntoALargeView()
    {
        // large enough to be merged into instead of written anew
        execute("CREATE TABLE mv057_big (k double, j varchar, v bigint)");
        execute("INSERT INTO mv057_big SELECT CAST(custkey AS double), 'x', 1 FROM tpch.sf1.customer");
        execute("INSERT INTO mv057_big VALUES (0e0, 'x', 1), (NULL, NULL, 1), (nan(), 'x', 1), (nan(), NULL, 1), (NULL, 'x', 1)");
        CaseView view = view("mv057_big_v", "SELECT k, j, count(*) c, sum(v) s FROM mv057_big GROUP BY k, j");
        for (int i = 0; i < 2; i++) {
            execute("INSERT INTO mv057_big VALUES (-0e0, 'x', 2), (NULL, NULL, 2), (nan(), 'x', 2), (nan(), NULL, 2), (NULL, 'x', 2), (7, NULL, 2), (7, 'x', 2), (-1, 'x', 2)");
            view.refresh("AGGREGATE_MERGE");
            assertRows(
                    "SELECT * FROM mv057_big_v WHERE k IS NULL OR j IS NULL OR is_nan(k) OR k <= 0 OR k = 7",
                    "VALUES (CAST(0 AS double), 'x', %2$s, %3$s), (NULL, NULL, %2$s, %3$s), (nan(), 'x', %2$s, %3$s), (nan(), NULL, %2$s, %3$s), (NULL, 'x', %2$s, %3$s), (7, NULL, %1$s, %4$s), (7, 'x', %2$s, %3$s), (-1, 'x', %1$s, %4$s)"
                            .formatted(i + 1, i + 2, 2 * i + 3, 2 * i + 2));
        }
    }

    @Test
    void testMv058CharKey()
    {
        execute("CREATE TABLE mv058_t (k varchar, v bigint)");
        execute("INSERT INTO mv058_t VALUES ('ab', 1)");
        CaseView view = view("mv058", "SELECT CAST(k AS char(5)) k, sum(v) s FROM mv058_t GROUP BY 1");
        assertRows("SELECT s, typeof(k) FROM mv058 WHERE k = 'ab'", "VALUES (BIGINT '1', 'char(5)')");
        execute("INSERT INTO mv058_t VALUES ('ab', 2), ('ab ', 3)");
        view.refreshInFull("UNSUPPORTED_KEY_TYPE").rows("(CAST('ab' AS char(5)), 6)");
        assertRows("SELECT s, typeof(k) FROM mv058 WHERE k = 'ab'", "VALUES (BIGINT '6', 'char(5)')");
        assertRows("SELECT s, typeof(k) FROM mv058 WHERE k = CAST('ab' AS char(5))", "VALUES (BIGINT '6', 'char(5)')");
    }

    @Test
    void testStructuralKeys()
    {
        execute("CREATE TABLE structural_t (r ROW(a integer, b double), l ARRAY(varchar), v bigint)");
        execute("INSERT INTO structural_t VALUES (ROW(1, nan()), ARRAY['x', NULL], 1), (ROW(NULL, -0e0), NULL, 2), (NULL, ARRAY[], 4)");
        CaseView view = view("structural", "SELECT r, l, sum(v) s FROM structural_t GROUP BY r, l");
        execute("INSERT INTO structural_t VALUES (ROW(1, nan()), ARRAY['x', NULL], 8), (ROW(NULL, 0e0), NULL, 16), (NULL, ARRAY[], 32), (NULL, NULL, 64)");
        view.refresh("AGGREGATE_MERGE");
        assertRows("SELECT s FROM structural", "VALUES 9, 18, 36, 64");
    }

    @Test
    void testKeyTypes()
    {
        execute("CREATE TABLE key_types_t (b boolean, i integer, l bigint, d decimal(30, 3), s varchar, x varbinary, dt date, t time(6), ts timestamp(6), u uuid, v bigint)");
        String row = "(true, 1, 2, 3.125, 'é', X'00FF', DATE '2026-02-28', TIME '23:59:59.999999', TIMESTAMP '1969-12-31 23:59:59.999999', UUID '12151fd2-7586-11e9-8f9e-2a86e4085a59', 1)";
        String nulls = "(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1)";
        execute("INSERT INTO key_types_t VALUES %s, %s".formatted(row, nulls));
        CaseView view = view("key_types", "SELECT b, i, l, d, s, x, dt, t, ts, u, sum(v) total FROM key_types_t GROUP BY b, i, l, d, s, x, dt, t, ts, u");
        for (int i = 0; i < 2; i++) {
            execute("INSERT INTO key_types_t VALUES %s, %s, (false, 1, 2, 3.125, '', X'', NULL, TIME '00:00:00', NULL, NULL, 5)".formatted(row, nulls));
            view.refresh("AGGREGATE_MERGE");
        }
        assertRows("SELECT total FROM key_types", "VALUES 3, 3, 10");
    }
}
