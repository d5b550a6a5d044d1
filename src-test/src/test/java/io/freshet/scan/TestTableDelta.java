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
package io.freshet.scan;

import com.google.common.collect.ImmutableList;
import io.freshet.FreshetQueryRunner;
import io.trino.Session;
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.QueryRunner;
import org.intellij.lang.annotations.Language;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

final class TestTableDelta
        extends AbstractTestQueryFramework
{
    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return FreshetQueryRunner.builder().build();
    }

    @Test
    void testInserts()
    {
        for (String format : List.of("PARQUET", "ORC", "AVRO")) {
            for (int formatVersion : List.of(1, 2, 3)) {
                testInserts("format_version = %s, format = '%s'".formatted(formatVersion, format));
            }
            testInserts("format_version = 2, format = '%s', partitioning = ARRAY['p', 'bucket(k, 2)']".formatted(format));
        }
    }

    private void testInserts(String properties)
    {
        assertUpdate("CREATE TABLE s.inserts (k integer, p varchar, v double, r row(a integer, b varchar)) WITH (" + properties + ")");
        ImmutableList.Builder<Long> snapshots = ImmutableList.builder();
        for (String values : List.of(
                "(1, 'x', 1.5, ROW(1, 'one')), (2, 'y', NULL, NULL)",
                "(NULL, NULL, nan(), ROW(NULL, 'null')), (1, 'x', 1.5, ROW(1, 'one'))",
                "(3, 'x', 0.0, ROW(3, NULL)), (3, 'x', 0.0, ROW(3, NULL)), (4, 'z', 2e0, NULL)")) {
            assertUpdate("INSERT INTO s.inserts VALUES " + values, values.startsWith("(3") ? 3 : 2);
            snapshots.add(currentSnapshot("inserts"));
        }
        assertUpdate("INSERT INTO s.inserts SELECT k, p, v, r FROM s.inserts", 7);
        snapshots.add(currentSnapshot("inserts"));

        assertAllDeltas("inserts", "k, p, v, r", snapshots.build());
        assertUpdate("DROP TABLE s.inserts");
    }

    @Test
    void testCompactionsInRange()
    {
        for (int formatVersion : List.of(2, 3)) {
            assertUpdate("CREATE TABLE s.compacted (k integer, p varchar) WITH (partitioning = ARRAY['p'], format_version = %s)".formatted(formatVersion));
            ImmutableList.Builder<Long> snapshots = ImmutableList.builder();
            for (int round = 0; round < 3; round++) {
                assertUpdate("INSERT INTO s.compacted VALUES (%1$s, 'x'), (%1$s, 'y')".formatted(round), 2);
                snapshots.add(currentSnapshot("compacted"));
                assertUpdate("INSERT INTO s.compacted VALUES (%s, 'x')".formatted(round + 10), 1);
                assertUpdate("ALTER TABLE s.compacted EXECUTE optimize");
                snapshots.add(currentSnapshot("compacted"));
            }
            assertUpdate("INSERT INTO s.compacted VALUES (99, 'z')", 1);
            assertUpdate("INSERT INTO s.compacted VALUES (98, 'z')", 1);
            assertUpdate("ALTER TABLE s.compacted EXECUTE optimize_manifests");
            snapshots.add(currentSnapshot("compacted"));
            assertUpdate("ALTER TABLE s.compacted EXECUTE optimize(file_size_threshold => '10MB')");
            snapshots.add(currentSnapshot("compacted"));

            assertAllDeltas("compacted", "k, p", snapshots.build());
            assertUpdate("DROP TABLE s.compacted");
        }
    }

    @Test
    void testNothingChanged()
    {
        assertUpdate("CREATE TABLE s.unchanged AS SELECT 1 a", 1);
        long snapshot = currentSnapshot("unchanged");
        assertQueryReturnsEmptyResult("SELECT * FROM " + delta("unchanged", snapshot, snapshot));
        assertUpdate("INSERT INTO s.unchanged SELECT 1 WHERE false", 0);
        assertQueryReturnsEmptyResult("SELECT * FROM " + delta("unchanged", snapshot, currentSnapshot("unchanged")));
        assertUpdate("DROP TABLE s.unchanged");
    }

    @Test
    void testDeletesBeforeRange()
    {
        for (int formatVersion : List.of(2, 3)) {
            assertUpdate("CREATE TABLE s.deleted_before WITH (format_version = %s) AS SELECT x FROM UNNEST(sequence(1, 10)) t(x)".formatted(formatVersion), 10);
            assertUpdate("DELETE FROM s.deleted_before WHERE x < 4", 3);
            long from = currentSnapshot("deleted_before");
            assertUpdate("INSERT INTO s.deleted_before VALUES 1, 2, 11", 3);
            long to = currentSnapshot("deleted_before");
            assertThat(query("SELECT * FROM " + delta("deleted_before", from, to)))
                    .matches("VALUES (BIGINT '1', TINYINT '1'), (2, TINYINT '1'), (11, TINYINT '1')");
            // From nothing: what is alive, not what was ever added
            assertThat(query("SELECT * FROM " + delta("deleted_before", null, from)))
                    .matches("SELECT x, TINYINT '1' FROM UNNEST(sequence(BIGINT '4', BIGINT '10')) t(x)");
            assertThat(query("SELECT * FROM " + delta("deleted_before", null, to)))
                    .matches("SELECT x, TINYINT '1' FROM s.deleted_before");
            assertUpdate("DROP TABLE s.deleted_before");
        }
    }

    @Test
    void testSchemaEvolution()
    {
        for (String format : List.of("PARQUET", "ORC", "AVRO")) {
            assertUpdate("CREATE TABLE s.evolved (a integer, b varchar, c integer, r row(x integer)) WITH (format = '%s')".formatted(format));
            assertUpdate("INSERT INTO s.evolved VALUES (0, 'zero', 0, ROW(0))", 1);
            long from = currentSnapshot("evolved");
            assertUpdate("INSERT INTO s.evolved VALUES (1, 'one', 10, ROW(100))", 1);
            assertUpdate("ALTER TABLE s.evolved ADD COLUMN d date");
            assertUpdate("INSERT INTO s.evolved VALUES (2, 'two', 20, ROW(200), DATE '2026-01-02')", 1);
            assertUpdate("ALTER TABLE s.evolved RENAME COLUMN b TO e");
            assertUpdate("ALTER TABLE s.evolved DROP COLUMN c");
            assertUpdate("ALTER TABLE s.evolved ADD COLUMN b bigint");
            assertUpdate("ALTER TABLE s.evolved ALTER COLUMN a SET DATA TYPE bigint");
            assertUpdate("ALTER TABLE s.evolved ADD COLUMN r.y varchar");
            long renamed = currentSnapshot("evolved");
            String rows = """
                    SELECT a, e, CAST(r AS row(x integer, y varchar)), CAST(d AS date), b, TINYINT '1'
                    FROM (VALUES
                        (BIGINT '1', VARCHAR 'one', ROW(100, NULL), NULL, NULL),
                        (2, 'two', ROW(200, NULL), DATE '2026-01-02', NULL)%s) t(a, e, r, d, b)
                    """;
            assertThat(query("SELECT * FROM " + delta("evolved", from, renamed)))
                    .matches(rows.formatted(", (NULL, NULL, NULL, NULL, BIGINT '0')") + " WHERE a IS NOT NULL");

            assertUpdate("INSERT INTO s.evolved VALUES (3, 'three', ROW(300, 'y'), NULL, 3000000000)", 1);
            assertThat(query("SELECT * FROM " + delta("evolved", from, currentSnapshot("evolved"))))
                    .matches(rows.formatted(", (3, 'three', ROW(300, VARCHAR 'y'), NULL, BIGINT '3000000000')"));
            // Filters by new, promoted and renamed columns over files that are older
            assertThat(query("SELECT e FROM %s WHERE a = 1 AND b IS NULL".formatted(delta("evolved", from, currentSnapshot("evolved"))))).matches("VALUES VARCHAR 'one'");
            assertThat(query("SELECT a FROM %s WHERE e >= 'three'".formatted(delta("evolved", from, currentSnapshot("evolved"))))).matches("VALUES BIGINT '2', BIGINT '3'");
            assertThat(query("SELECT e FROM %s WHERE a = 0 AND d IS NULL AND b IS NULL".formatted(delta("evolved", null, from)))).matches("VALUES VARCHAR 'zero'");
            assertThat(query("SELECT r.x, r.y FROM %s WHERE r.x > 100".formatted(delta("evolved", from, currentSnapshot("evolved")))))
                    .matches("VALUES (200, CAST(NULL AS varchar)), (300, VARCHAR 'y')");
            assertUpdate("DROP TABLE s.evolved");
        }
    }

    /** A name that means another field now must not prune files by the statistics of the field that once had it. */
    @Test
    void testNamesExchanged()
    {
        assertUpdate("CREATE TABLE s.exchanged (a integer, b integer)");
        assertUpdate("INSERT INTO s.exchanged VALUES (100, 200)", 1);
        long from = currentSnapshot("exchanged");
        assertUpdate("INSERT INTO s.exchanged VALUES (1, 2)", 1);
        long to = currentSnapshot("exchanged");
        assertUpdate("ALTER TABLE s.exchanged RENAME COLUMN a TO c");
        assertUpdate("ALTER TABLE s.exchanged RENAME COLUMN b TO a");
        assertUpdate("ALTER TABLE s.exchanged RENAME COLUMN c TO b");
        for (int round = 0; round < 2; round++) {
            assertThat(query("SELECT a, b FROM %s WHERE a = 2".formatted(delta("exchanged", from, to)))).matches("VALUES (2, 1)");
            assertThat(query("SELECT a, b FROM %s WHERE a = 2".formatted(delta("exchanged", null, to)))).matches("VALUES (2, 1)");
            assertThat(query("SELECT a, b FROM %s WHERE a = 200".formatted(delta("exchanged", null, from)))).matches("VALUES (200, 100)");
            assertUpdate("INSERT INTO s.exchanged VALUES (2, 1)", 1);
        }
        assertUpdate("DROP TABLE s.exchanged");
    }

    @Test
    void testPartitionEvolution()
    {
        assertUpdate("CREATE TABLE s.repartitioned (d date, v integer)");
        assertUpdate("INSERT INTO s.repartitioned VALUES (DATE '2026-01-05', 1)", 1);
        long first = currentSnapshot("repartitioned");
        assertUpdate("INSERT INTO s.repartitioned VALUES (DATE '2026-01-05', 2), (DATE '2026-02-03', 3)", 2);
        assertUpdate("ALTER TABLE s.repartitioned SET PROPERTIES partitioning = ARRAY['month(d)']");
        assertUpdate("INSERT INTO s.repartitioned VALUES (DATE '2026-01-05', 4), (DATE '2026-02-03', 5)", 2);
        assertUpdate("ALTER TABLE s.repartitioned SET PROPERTIES partitioning = ARRAY['d']");
        assertUpdate("INSERT INTO s.repartitioned VALUES (DATE '2026-01-05', 6), (DATE '2026-02-03', 7)", 2);
        assertUpdate("ALTER TABLE s.repartitioned EXECUTE optimize");
        long last = currentSnapshot("repartitioned");
        for (Long from : new Long[] {first, null}) {
            for (String predicate : List.of("d = DATE '2026-01-05'", "d >= DATE '2026-02-01'", "d > DATE '2027-01-01'", "year(d) = 2026 AND day(d) = 3", "v % 2 = 0 AND d < DATE '2026-02-01'", "d IS NULL")) {
                assertThat(query("SELECT d, v FROM %s WHERE %s".formatted(delta("repartitioned", from, last), predicate)))
                        .matches("SELECT d, v FROM s.repartitioned WHERE v > %s AND %s".formatted(from == null ? 0 : 1, predicate));
            }
        }
        assertUpdate("DROP TABLE s.repartitioned");
    }

    @Test
    void testPushDown()
    {
        assertUpdate("CREATE TABLE s.pushed (p integer, v bigint, t varchar) WITH (partitioning = ARRAY['p'])");
        assertUpdate("INSERT INTO s.pushed VALUES (0, -1, 'before')", 1);
        long from = currentSnapshot("pushed");
        for (int part = 0; part < 4; part++) {
            assertUpdate("INSERT INTO s.pushed SELECT %1$s, %1$s * 1000 + x, 'some text' FROM UNNEST(sequence(0, 999)) t(x)".formatted(part), 1000);
        }
        String delta = delta("pushed", from, currentSnapshot("pushed"));

        assertReads("SELECT count(*) FROM %s WHERE p = 2".formatted(delta), 1000, "VALUES BIGINT '1000'");
        assertReads("SELECT sum(weight) FROM %s WHERE p %% 2 = 1".formatted(delta), 2000, "VALUES BIGINT '2000'");
        assertReads("SELECT count(*) FROM %s WHERE v < 1000".formatted(delta), 1000, "VALUES BIGINT '1000'");
        assertReads("SELECT count(*) FROM %s WHERE t = 'none such'".formatted(delta), 0, "VALUES BIGINT '0'");
        assertReads("SELECT count(*) FROM %s d JOIN (SELECT x FROM UNNEST(ARRAY[1, 2]) t(x) WHERE x %% 2 = 1) u ON d.p = u.x".formatted(delta), 1000, "VALUES BIGINT '1000'");
        // Weights, and what has nothing to do with columns
        assertThat(query("SELECT count(*) FROM " + delta)).matches("VALUES BIGINT '4000'");
        assertThat(query("SELECT DISTINCT weight FROM " + delta)).matches("VALUES TINYINT '1'");
        assertThat(query("SELECT p, sum(weight) FROM %s GROUP BY p".formatted(delta))).matches("VALUES (0, BIGINT '1000'), (1, BIGINT '1000'), (2, BIGINT '1000'), (3, BIGINT '1000')");
        assertThat(query("SELECT v FROM %s WHERE weight > 0 AND v IN (7, 2007) AND p + weight < 3".formatted(delta))).matches("VALUES BIGINT '7'");
        assertQueryReturnsEmptyResult("SELECT v FROM %s WHERE weight < 0".formatted(delta));
        assertThat(query("SELECT count(*) FROM %s d JOIN (VALUES TINYINT '1', TINYINT '-1') w(w) ON d.weight = w.w".formatted(delta))).matches("VALUES BIGINT '4000'");
        assertThat(query("SELECT v FROM %s d JOIN (VALUES (TINYINT '1', 3)) w(w, p) ON d.weight = w.w AND d.p = w.p WHERE v %% 1000 = 0".formatted(delta))).matches("VALUES BIGINT '3000'");
        assertUpdate("DROP TABLE s.pushed");
    }

    @Test
    void testLimit()
    {
        assertUpdate("CREATE TABLE s.limited WITH (partitioning = ARRAY['p']) AS SELECT x, x % 3 p FROM UNNEST(sequence(1, 30)) t(x)", 30);
        String delta = delta("limited", null, currentSnapshot("limited"));
        for (int limit : List.of(1, 5, 29, 30, 100)) {
            assertThat(query("SELECT count(*) FROM (SELECT x FROM %s LIMIT %s)".formatted(delta, limit))).matches("VALUES BIGINT '%s'".formatted(Math.min(limit, 30)));
        }
        assertThat(query("SELECT x, weight FROM %s WHERE p = 1 LIMIT 100".formatted(delta))).matches("SELECT x, TINYINT '1' FROM s.limited WHERE p = 1");
        assertThat(query("SELECT x FROM %s ORDER BY x DESC LIMIT 2".formatted(delta))).ordered().matches("VALUES BIGINT '30', BIGINT '29'");
        assertUpdate("DROP TABLE s.limited");
    }

    @Test
    void testWhereDeltaMayStand()
    {
        assertUpdate("CREATE TABLE s.used AS SELECT 1 k, 'a' v", 1);
        long from = currentSnapshot("used");
        assertUpdate("INSERT INTO s.used VALUES (2, 'b'), (3, 'c')", 2);
        String delta = delta("used", from, currentSnapshot("used"));

        assertThat(query("SELECT a.k, b.v FROM %1$s a JOIN %1$s b ON a.k = b.k".formatted(delta))).matches("VALUES (2, VARCHAR 'b'), (3, VARCHAR 'c')");
        assertThat(query("SELECT k FROM %1$s UNION ALL SELECT k FROM %1$s".formatted(delta))).matches("VALUES 2, 3, 2, 3");
        assertThat(query("SELECT k FROM s.used WHERE k IN (SELECT k FROM %s)".formatted(delta))).matches("VALUES 2, 3");
        assertThat(query("SELECT count(*), sum(d.weight) FROM s.used t JOIN %s d ON t.k = d.k".formatted(delta))).matches("VALUES (BIGINT '2', BIGINT '2')");
        assertThat(query("SELECT count(DISTINCT k), count(DISTINCT v) FROM " + delta)).matches("VALUES (BIGINT '2', BIGINT '2')");
        assertThat(query("SELECT k, row_number() OVER (ORDER BY k) FROM " + delta)).matches("VALUES (2, BIGINT '1'), (3, BIGINT '2')");

        // Iceberg views have no type for tinyint
        assertUpdate("CREATE VIEW s.used_view AS SELECT k, v, CAST(weight AS integer) weight FROM " + delta);
        assertThat(query("TABLE s.used_view")).matches("VALUES (2, VARCHAR 'b', 1), (3, VARCHAR 'c', 1)");
        assertUpdate("DROP VIEW s.used_view");

        assertUpdate("CREATE TABLE s.used_copy AS SELECT k, v FROM " + delta, 2);
        assertUpdate("INSERT INTO s.used_copy SELECT k, v FROM " + delta, 2);
        assertUpdate("MERGE INTO s.used_copy c USING %s d ON c.k = d.k AND c.k = 2 WHEN MATCHED THEN UPDATE SET v = 'm' WHEN NOT MATCHED THEN INSERT VALUES (d.k, d.v)".formatted(delta), 3);
        assertThat(query("TABLE s.used_copy")).matches("VALUES (2, VARCHAR 'm'), (2, VARCHAR 'm'), (3, VARCHAR 'c'), (3, VARCHAR 'c'), (3, VARCHAR 'c')");
        assertUpdate("DROP TABLE s.used_copy");

        for (String explain : List.of("EXPLAIN ", "EXPLAIN (TYPE IO) ", "EXPLAIN (TYPE VALIDATE) ", "EXPLAIN (TYPE DISTRIBUTED, FORMAT JSON) ", "EXPLAIN ANALYZE VERBOSE ")) {
            assertQuerySucceeds(explain + "SELECT k, weight FROM %s WHERE k > 2".formatted(delta));
        }
        assertExplain("EXPLAIN SELECT k FROM " + delta, "TableScan\\[table = lake:changes of s.used.* since snapshot " + from);
        assertUpdate("DROP TABLE s.used");
    }

    @Test
    void testTypes()
    {
        assertUpdate("CREATE TABLE s.typed (a tinyint, b timestamp(6) with time zone, c decimal(10, 2), d array(map(varchar, row(x uuid)))) WITH (format_version = 3)");
        assertUpdate("INSERT INTO s.typed VALUES (1, TIMESTAMP '2026-01-01 00:00:00.123456 UTC', 1.25, ARRAY[MAP(ARRAY['k'], ARRAY[ROW(UUID '6b1e4d0a-0000-4000-8000-000000000001')])])", 1);
        String delta = delta("typed", null, currentSnapshot("typed"));
        Session session = Session.builder(getSession())
                .addPreparedStatement("delta", "SELECT * FROM " + delta)
                .build();
        assertThat(computeActual(session, "DESCRIBE OUTPUT delta").getMaterializedRows().stream().map(row -> row.getField(0) + " " + row.getField(4)))
                .containsExactly("a integer", "b timestamp(6) with time zone", "c decimal(10,2)", "d array(map(varchar, row(\"x\" uuid)))", "weight tinyint");
        assertThat(query("SELECT * FROM " + delta)).matches("SELECT *, TINYINT '1' FROM s.typed");
        assertUpdate("DROP TABLE s.typed");
    }

    @Test
    void testManyRowGroupsAndPages()
    {
        Session small = Session.builder(getSession())
                .setCatalogSessionProperty("lake", "parquet_writer_row_group_max_row_count", "10000")
                .setCatalogSessionProperty("lake", "parquet_writer_page_size", "8kB")
                .build();
        assertUpdate(small, "CREATE TABLE s.large AS SELECT x, cast(x AS varchar) || 'padding' s FROM UNNEST(sequence(1, 5000)) t(x)", 5000);
        long from = currentSnapshot("large");
        assertUpdate(small, "INSERT INTO s.large SELECT x + 5000 * y, cast(x AS varchar) || 'padding' FROM UNNEST(sequence(1, 5000)) t(x) CROSS JOIN UNNEST(sequence(1, 20)) u(y)", 100_000);
        long to = currentSnapshot("large");
        for (Session session : List.of(getSession(), Session.builder(getSession()).setCatalogSessionProperty("lake", "max_split_size", "100kB").build())) {
            assertThat(query(session, "SELECT count(*), sum(x), sum(weight), count(DISTINCT s) FROM " + delta("large", from, to)))
                    .matches("SELECT count(*), sum(x), count(*), count(DISTINCT s) FROM s.large WHERE x > 5000");
            assertThat(query(session, "SELECT weight, s, x FROM %s WHERE x %% 9999 = 0".formatted(delta("large", from, to))))
                    .matches("SELECT TINYINT '1', s, x FROM s.large WHERE x > 5000 AND x % 9999 = 0");
        }
        assertUpdate("DROP TABLE s.large");
    }

    private void assertAllDeltas(String table, String columns, List<Long> snapshots)
    {
        for (int to = 0; to < snapshots.size(); to++) {
            assertThat(query("SELECT %s, weight FROM %s".formatted(columns, delta(table, null, snapshots.get(to)))))
                    .matches("SELECT %s, TINYINT '1' FROM s.%s FOR VERSION AS OF %s".formatted(columns, table, snapshots.get(to)));
            for (int from = 0; from <= to; from++) {
                assertThat(query("SELECT %s FROM %s WHERE weight = 1".formatted(columns, delta(table, snapshots.get(from), snapshots.get(to)))))
                        .matches("SELECT %1$s FROM s.%2$s FOR VERSION AS OF %4$s EXCEPT ALL SELECT %1$s FROM s.%2$s FOR VERSION AS OF %3$s"
                                .formatted(columns, table, snapshots.get(from), snapshots.get(to)));
            }
        }
    }

    private void assertReads(@Language("SQL") String sql, long rowsRead, @Language("SQL") String expected)
    {
        assertThat(query(sql)).matches(expected);
        assertQueryStats(
                getSession(),
                sql,
                stats -> assertThat(stats.getPhysicalInputPositions()).as(sql).isEqualTo(rowsRead),
                _ -> {});
    }

    private long currentSnapshot(String table)
    {
        return (long) computeScalar("SELECT snapshot_id FROM s.\"%s$refs\" WHERE name = 'main'".formatted(table));
    }

    private static String delta(String table, Long from, long to)
    {
        return "TABLE(lake.system.table_delta('s', '%s', %s, %s))".formatted(table, from, to);
    }
}
