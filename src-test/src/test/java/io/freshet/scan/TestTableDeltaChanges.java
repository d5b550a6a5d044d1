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
import io.freshet.cases.SourceTables;
import io.trino.Session;
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.QueryRunner;
import org.apache.iceberg.expressions.Literal;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

import static io.freshet.scan.DeltaOracle.delta;
import static org.assertj.core.api.Assertions.assertThat;

/** Ranges in which rows were deleted, updated, or came back. */
final class TestTableDeltaChanges
        extends AbstractTestQueryFramework
{
    private DeltaOracle oracle;

    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        QueryRunner queryRunner = FreshetQueryRunner.builder().setWorkerCount(2).build();
        oracle = new DeltaOracle(queryRunner);
        return queryRunner;
    }

    @Test
    void testDeletesAndUpdates()
    {
        for (String format : List.of("PARQUET", "ORC", "AVRO")) {
            for (int formatVersion : List.of(2, 3)) {
                testDeletesAndUpdates("format_version = %s, format = '%s'".formatted(formatVersion, format));
            }
        }
        testDeletesAndUpdates("format_version = 2, partitioning = ARRAY['p']");
        testDeletesAndUpdates("format_version = 3, partitioning = ARRAY['p', 'bucket(k, 2)']");
    }

    private void testDeletesAndUpdates(String properties)
    {
        assertUpdate("CREATE TABLE s.changed (k integer, p varchar, v double, r row(a integer, b varchar)) WITH (" + properties + ")");
        assertUpdate("INSERT INTO s.changed SELECT x, IF(x % 3 = 0, 'x', 'y'), x / 2e0, ROW(x, 'r') FROM UNNEST(sequence(1, 20)) t(x)", 20);
        assertUpdate("INSERT INTO s.changed SELECT k, p, v, r FROM s.changed", 20);
        assertUpdate("DELETE FROM s.changed WHERE k = 3", 2);
        assertUpdate("DELETE FROM s.changed WHERE k IN (4, 5)", 4);
        assertUpdate("UPDATE s.changed SET v = v + 1, r = NULL WHERE k < 8", 8);
        assertUpdate(
                """
                MERGE INTO s.changed t USING (VALUES (7, 'd'), (8, 'u'), (100, 'i')) c(k, op) ON t.k = c.k
                WHEN MATCHED AND c.op = 'd' THEN DELETE
                WHEN MATCHED THEN UPDATE SET p = 'moved'
                WHEN NOT MATCHED THEN INSERT VALUES (c.k, 'z', NULL, NULL)
                """,
                5);
        computeActual("DELETE FROM s.changed WHERE p = 'y'");
        assertUpdate("ALTER TABLE s.changed EXECUTE optimize");
        assertUpdate("INSERT INTO s.changed VALUES (200, 'y', 0, ROW(NULL, NULL))", 1);
        assertUpdate("DELETE FROM s.changed WHERE k = 9", 2);
        computeActual("TRUNCATE TABLE s.changed");
        assertUpdate("INSERT INTO s.changed VALUES (1, 'x', 0.5, ROW(1, 'r'))", 1);
        List<Long> snapshots = oracle.snapshots("changed");
        if (properties.contains("partitioning")) {
            oracle.assertAllPairs(properties, "changed", "k, p, v, r");
        }
        else {
            oracle.assertNeighbors(properties, "changed", "k, p, v, r", "true", snapshots, false);
            oracle.assertNeighbors(properties, "changed", "k, p, v, r", "true", ImmutableList.of(snapshots.get(1), snapshots.get(4), snapshots.get(8)), false);
        }
        for (String predicate : List.of("k > 5 AND k < 12", "r.a = 2", "p = 'y' AND v < 3")) {
            oracle.assertNeighbors(properties, "changed", "r.b, k", predicate, snapshots, false);
        }
        assertUpdate("DROP TABLE s.changed");
    }

    @Test
    void testFormatVersion1()
    {
        assertUpdate("CREATE TABLE s.old (k integer, p varchar) WITH (format_version = 1, partitioning = ARRAY['p'])");
        assertUpdate("INSERT INTO s.old VALUES (1, 'x'), (2, 'y'), (3, 'x')", 3);
        assertUpdate("INSERT INTO s.old VALUES (1, 'x'), (4, 'z')", 2);
        computeActual("DELETE FROM s.old WHERE p = 'x'");
        assertUpdate("INSERT INTO s.old VALUES (1, 'x')", 1);
        assertUpdate("TRUNCATE TABLE s.old");
        oracle.assertAllPairs("v1", "old", "k, p");
        assertUpdate("INSERT INTO s.old VALUES (1, 'x'), (2, 'y')", 2);
        // From v1 to v2 to v3
        assertUpdate("ALTER TABLE s.old SET PROPERTIES format_version = 2");
        assertUpdate("INSERT INTO s.old VALUES (5, 'x'), (6, 'y')", 2);
        assertUpdate("DELETE FROM s.old WHERE k IN (1, 6)", 2);
        assertUpdate("ALTER TABLE s.old SET PROPERTIES format_version = 3");
        assertUpdate("DELETE FROM s.old WHERE k = 2", 1);
        assertUpdate("UPDATE s.old SET k = 50 WHERE k = 5", 1);
        assertUpdate("INSERT INTO s.old VALUES (7, 'x')", 1);
        computeActual("DELETE FROM s.old WHERE p = 'y'");
        oracle.assertAllPairs("v1 to v3", "old", "k, p");
        assertUpdate("DROP TABLE s.old");
    }

    @Test
    void testUpgradeToDeletionVectors()
    {
        for (String format : List.of("PARQUET", "ORC")) {
            assertUpdate("CREATE TABLE s.upgraded WITH (format_version = 2, format = '%s') AS SELECT x k FROM UNNEST(sequence(1, 20)) t(x)".formatted(format), 20);
            assertUpdate("DELETE FROM s.upgraded WHERE k = 1", 1);
            assertUpdate("DELETE FROM s.upgraded WHERE k = 2", 1);
            assertUpdate("ALTER TABLE s.upgraded SET PROPERTIES format_version = 3");
            assertUpdate("DELETE FROM s.upgraded WHERE k = 3", 1);
            assertUpdate("INSERT INTO s.upgraded VALUES 30, 31", 2);
            assertUpdate("UPDATE s.upgraded SET k = k + 100 WHERE k IN (4, 30)", 2);
            oracle.assertAllPairs(format, "upgraded", "k");
            List<Long> snapshots = oracle.snapshots("upgraded");
            // A vector that holds the older deletes too removes one row only
            assertThat(oracle.weights("upgraded", snapshots.get(2), snapshots.get(3))).isEqualTo(Map.of(-1L, 1L));
            assertUpdate("DROP TABLE s.upgraded");
        }
    }

    @Test
    void testCompactionsGiveNoRows()
    {
        for (int formatVersion : List.of(2, 3)) {
            assertUpdate("CREATE TABLE s.kept WITH (format_version = %s) AS SELECT x k FROM UNNEST(sequence(1, 1000)) t(x)".formatted(formatVersion), 1000);
            long from = oracle.currentSnapshot("kept");
            assertUpdate("DELETE FROM s.kept WHERE k = 1", 1);
            assertUpdate("INSERT INTO s.kept VALUES 2000", 1);
            assertUpdate("ALTER TABLE s.kept EXECUTE optimize");
            assertUpdate("DELETE FROM s.kept WHERE k IN (2, 2000)", 2);
            assertUpdate("ALTER TABLE s.kept EXECUTE optimize");
            assertUpdate("ALTER TABLE s.kept EXECUTE optimize_manifests");
            long to = oracle.currentSnapshot("kept");
            oracle.assertDelta("compacted", "kept", "k", "true", from, to);
            // The row that was added and deleted shows as both
            assertThat(oracle.weights("kept", from, to)).isEqualTo(Map.of(1L, 1L, -1L, 3L));
            // Back over compactions there is no way but by whole states
            assertThat(oracle.weights("kept", to, from)).isEqualTo(Map.of(1L, 1000L, -1L, 998L));
            assertUpdate("DROP TABLE s.kept");
        }
    }

    @Test
    void testRollback()
    {
        for (int formatVersion : List.of(2, 3)) {
            assertUpdate("CREATE TABLE s.rolled WITH (format_version = %s) AS SELECT x k FROM UNNEST(sequence(1, 10)) t(x)".formatted(formatVersion), 10);
            long first = oracle.currentSnapshot("rolled");
            assertUpdate("DELETE FROM s.rolled WHERE k < 4", 3);
            long second = oracle.currentSnapshot("rolled");
            assertUpdate("ALTER TABLE s.rolled EXECUTE rollback_to_snapshot(%s)".formatted(first));
            assertThat(oracle.weights("rolled", second, first)).isEqualTo(Map.of(1L, 3L));
            assertUpdate("DELETE FROM s.rolled WHERE k BETWEEN 3 AND 6", 4);
            assertUpdate("INSERT INTO s.rolled VALUES 1, 20", 2);
            oracle.assertAllPairs("rolled back", "rolled", "k");
            // One file whose rows went and came back
            assertThat(oracle.weights("rolled", second, oracle.currentSnapshot("rolled"))).isEqualTo(Map.of(1L, 4L, -1L, 3L));
            assertUpdate("DROP TABLE s.rolled");
        }
    }

    @Test
    void testSchemaEvolution()
    {
        for (String format : List.of("PARQUET", "ORC", "AVRO")) {
            for (int formatVersion : List.of(2, 3)) {
                assertUpdate("CREATE TABLE s.schemas (a integer, b varchar, c integer, r row(x integer, z varchar)) WITH (format = '%s', format_version = %s)".formatted(format, formatVersion));
                assertUpdate("INSERT INTO s.schemas SELECT x, 'b' || cast(x AS varchar), -x, ROW(x, 'z') FROM UNNEST(sequence(1, 10)) t(x)", 10);
                assertUpdate("DELETE FROM s.schemas WHERE a = 1", 1);
                assertUpdate("ALTER TABLE s.schemas ADD COLUMN d date");
                assertUpdate("UPDATE s.schemas SET d = DATE '2026-01-01' WHERE a IN (2, 3)", 2);
                assertUpdate("ALTER TABLE s.schemas RENAME COLUMN b TO e");
                assertUpdate("ALTER TABLE s.schemas DROP COLUMN c");
                assertUpdate("ALTER TABLE s.schemas ADD COLUMN b bigint");
                assertUpdate("DELETE FROM s.schemas WHERE a = 4", 1);
                assertUpdate("ALTER TABLE s.schemas ALTER COLUMN a SET DATA TYPE bigint");
                assertUpdate("ALTER TABLE s.schemas ADD COLUMN r.y varchar");
                assertUpdate("ALTER TABLE s.schemas DROP COLUMN r.z");
                assertUpdate("INSERT INTO s.schemas VALUES (3000000000, 'big', ROW(1, 'y'), NULL, 5)", 1);
                assertUpdate("UPDATE s.schemas SET b = 7 WHERE a IN (5, 3000000000)", 2);
                assertUpdate("ALTER TABLE s.schemas RENAME COLUMN a TO f");
                assertUpdate("DELETE FROM s.schemas WHERE f = 6", 1);
                List<Long> snapshots = oracle.snapshots("schemas");
                oracle.assertPairs(format, "schemas", "f, e, r, d, b", "true", snapshots, true);
                for (String predicate : List.of("f < 5", "d = DATE '2026-01-01'", "r.y = 'y'")) {
                    oracle.assertNeighbors(format, "schemas", "e, f, r", predicate, snapshots, true);
                }
                assertUpdate("DROP TABLE s.schemas");
            }
        }
    }

    @Test
    void testNestedColumnsAndPartitioningGivenUp()
    {
        assertUpdate("CREATE TABLE s.unpartitioned (k integer, p integer, m map(varchar, array(integer))) WITH (format_version = 2, partitioning = ARRAY['p'])");
        assertUpdate("INSERT INTO s.unpartitioned SELECT x, x % 2, MAP(ARRAY['a'], ARRAY[ARRAY[x, NULL]]) FROM UNNEST(sequence(1, 6)) t(x)", 6);
        assertUpdate("DELETE FROM s.unpartitioned WHERE k = 1", 1);
        assertUpdate("ALTER TABLE s.unpartitioned SET PROPERTIES partitioning = ARRAY[]");
        assertUpdate("INSERT INTO s.unpartitioned VALUES (7, 7, MAP()), (8, 8, NULL)", 2);
        assertUpdate("DELETE FROM s.unpartitioned WHERE k IN (2, 7)", 2);
        oracle.assertAllPairs("nested", "unpartitioned", "k, m");
        assertUpdate("DROP TABLE s.unpartitioned");
    }

    @Test
    void testColumnDefaults()
    {
        assertUpdate("CREATE TABLE s.defaults (k integer) WITH (format_version = 3)");
        assertUpdate("INSERT INTO s.defaults SELECT x FROM UNNEST(sequence(1, 6)) t(x)", 6);
        long from = oracle.currentSnapshot("defaults");
        assertUpdate("DELETE FROM s.defaults WHERE k = 1", 1);
        new SourceTables(getDistributedQueryRunner()).load("defaults").updateSchema().addColumn("d", Types.IntegerType.get(), Literal.of(7)).commit();
        assertUpdate("UPDATE s.defaults SET d = 8 WHERE k = 2", 1);
        assertUpdate("INSERT INTO s.defaults (k, d) VALUES (9, NULL)", 1);
        assertThat(query("SELECT k, d, weight FROM " + delta("defaults", from, oracle.currentSnapshot("defaults"))))
                .matches("VALUES (1, 7, TINYINT '-1'), (2, 7, TINYINT '-1'), (2, 8, TINYINT '1'), (9, CAST(NULL AS integer), TINYINT '1')");
        oracle.assertPairs("defaults", "defaults", "k, d", "true", oracle.snapshots("defaults"), true);
        assertUpdate("DROP TABLE s.defaults");
    }

    /** A predicate on the partition column of now must not be taken for settled in files of an older partitioning. */
    @Test
    void testPartitionEvolution()
    {
        for (int formatVersion : List.of(2, 3)) {
            assertUpdate("CREATE TABLE s.respec (k integer, p integer, d date) WITH (format_version = %s)".formatted(formatVersion));
            assertUpdate("INSERT INTO s.respec SELECT x, x % 3, DATE '2026-01-01' + x * INTERVAL '10' DAY FROM UNNEST(sequence(1, 12)) t(x)", 12);
            assertUpdate("ALTER TABLE s.respec SET PROPERTIES partitioning = ARRAY['p']");
            assertUpdate("INSERT INTO s.respec SELECT x + 100, x % 3, DATE '2026-01-01' + x * INTERVAL '10' DAY FROM UNNEST(sequence(1, 12)) t(x)", 12);
            assertUpdate("DELETE FROM s.respec WHERE k IN (1, 101)", 2);
            assertUpdate("ALTER TABLE s.respec SET PROPERTIES partitioning = ARRAY['month(d)']");
            computeActual("UPDATE s.respec SET p = 1 WHERE k IN (2, 102)");
            computeActual("DELETE FROM s.respec WHERE p = 0");
            assertUpdate("ALTER TABLE s.respec EXECUTE optimize");
            assertUpdate("DELETE FROM s.respec WHERE k = 4", 1);
            assertUpdate("ALTER TABLE s.respec SET PROPERTIES partitioning = ARRAY['p', 'day(d)']");
            computeActual("DELETE FROM s.respec WHERE d >= DATE '2026-03-01'");
            List<Long> snapshots = oracle.snapshots("respec");
            oracle.assertAllPairs("v" + formatVersion, "respec", "k, p, d");
            for (String predicate : List.of("p = 1", "p = 2 AND d < DATE '2026-02-15'", "d >= DATE '2026-03-01'", "p IN (0, 2)", "p IS NULL")) {
                oracle.assertNeighbors("v" + formatVersion, "respec", "k, d", predicate, snapshots, false);
            }
            assertUpdate("DROP TABLE s.respec");
        }
    }

    @Test
    void testManyRowGroups()
    {
        for (int formatVersion : List.of(2, 3)) {
            for (String format : List.of("PARQUET", "ORC")) {
                Session small = Session.builder(getSession())
                        .setCatalogSessionProperty("lake", "parquet_writer_row_group_max_row_count", "10000")
                        .setCatalogSessionProperty("lake", "parquet_writer_page_size", "8kB")
                        .setCatalogSessionProperty("lake", "orc_writer_max_stripe_rows", "10000")
                        .setSystemProperty("task_max_writer_count", "1")
                        .build();
                assertUpdate(small, "CREATE TABLE s.groups (k bigint, t varchar) WITH (format = '%s', format_version = %s)".formatted(format, formatVersion));
                assertUpdate(small, "INSERT INTO s.groups SELECT x + 5000 * y, cast(x AS varchar) || 'padding' FROM UNNEST(sequence(1, 5000)) t(x) CROSS JOIN UNNEST(sequence(0, 19)) u(y)", 100_000);
                assertUpdate("DELETE FROM s.groups WHERE k % 997 = 0", 100);
                assertUpdate("DELETE FROM s.groups WHERE k > 99000", 999);
                assertUpdate("UPDATE s.groups SET t = 'middle' WHERE k BETWEEN 50000 AND 50009", 10);
                List<Long> snapshots = oracle.snapshots("groups");
                for (Session session : List.of(getSession(), Session.builder(getSession()).setCatalogSessionProperty("lake", "max_split_size", "100kB").build())) {
                    DeltaOracle reader = new DeltaOracle(getQueryRunner(), session);
                    for (String predicate : List.of("true", "k BETWEEN 49990 AND 50003", "k > 98000 AND t LIKE '4%'", "t = '1padding'")) {
                        reader.assertDelta(format, "groups", "k, t", predicate, snapshots.getFirst(), snapshots.getLast());
                        reader.assertDelta(format, "groups", "t", predicate, snapshots.getLast(), snapshots.getFirst());
                        reader.assertDelta(format, "groups", "k", predicate, snapshots.get(2), snapshots.get(3));
                    }
                }
                assertUpdate("DROP TABLE s.groups");
            }
        }
    }

    @Test
    void testZeroRowFilesAndNothingChanged()
    {
        assertUpdate("CREATE TABLE s.zero (k integer) WITH (format_version = 3)");
        assertUpdate("INSERT INTO s.zero VALUES 1, 2", 2);
        assertUpdate("INSERT INTO s.zero SELECT 1 WHERE false", 0);
        assertUpdate("DELETE FROM s.zero WHERE k = 77", 0);
        assertUpdate("DELETE FROM s.zero WHERE k = 1", 1);
        assertUpdate("INSERT INTO s.zero SELECT 1 WHERE false", 0);
        assertUpdate("DELETE FROM s.zero WHERE k = 2", 1);
        oracle.assertAllPairs("zero rows", "zero", "k");
        assertUpdate("DROP TABLE s.zero");
    }

    @Test
    void testPushDown()
    {
        assertUpdate("CREATE TABLE s.pushed (p integer, v bigint, t varchar) WITH (partitioning = ARRAY['p'], format_version = 3)");
        assertUpdate("INSERT INTO s.pushed SELECT x % 4, x, 'text' FROM UNNEST(sequence(0, 3999)) t(x)", 4000);
        long from = oracle.currentSnapshot("pushed");
        assertUpdate("DELETE FROM s.pushed WHERE v % 100 < 8", 320);
        assertUpdate("DELETE FROM s.pushed WHERE p = 3", 920);
        assertUpdate("INSERT INTO s.pushed VALUES (0, 5000, 'new'), (5, 6000, 'new')", 2);
        long to = oracle.currentSnapshot("pushed");
        String delta = delta("pushed", from, to);
        assertThat(query("SELECT sum(weight), count(*) FROM %s WHERE p = 1".formatted(delta))).matches("VALUES (BIGINT '-80', BIGINT '80')");
        assertThat(query("SELECT sum(weight), count(*) FROM %s WHERE p = 3".formatted(delta))).matches("VALUES (BIGINT '-1000', BIGINT '1000')");
        assertThat(query("SELECT count(*) FROM " + delta)).matches("VALUES BIGINT '1242'");
        assertThat(query("SELECT weight, count(*) FROM %s GROUP BY weight".formatted(delta))).matches("VALUES (TINYINT '1', BIGINT '2'), (TINYINT '-1', BIGINT '1240')");
        assertThat(query("SELECT v FROM %s WHERE weight > 0".formatted(delta))).matches("VALUES BIGINT '5000', BIGINT '6000'");
        assertThat(query("SELECT count(*) FROM %s d JOIN (SELECT x FROM UNNEST(ARRAY[1, 2]) t(x) WHERE x %% 2 = 1) u ON d.p = u.x".formatted(delta))).matches("VALUES BIGINT '80'");
        assertThat(query("SELECT v, weight FROM %s d JOIN (VALUES BIGINT '4', 9, 6000) u(x) ON d.v = u.x".formatted(delta))).matches("VALUES (BIGINT '4', TINYINT '-1'), (6000, TINYINT '1')");
        assertThat(query("SELECT count(*) FROM (SELECT v FROM %s LIMIT 100)".formatted(delta))).matches("VALUES BIGINT '100'");
        // Files that a predicate rules out are not read, not even for their positions
        assertQueryStats(
                getSession(),
                "SELECT v FROM %s WHERE p = 5".formatted(delta),
                stats -> assertThat(stats.getPhysicalInputPositions()).isEqualTo(1),
                _ -> {});
        assertUpdate("DROP TABLE s.pushed");
    }

    @Test
    void testExpiredInBetween()
    {
        assertUpdate("CREATE TABLE s.gap WITH (format_version = 3) AS SELECT x k FROM UNNEST(sequence(1, 10)) t(x)", 10);
        long from = oracle.currentSnapshot("gap");
        assertUpdate("DELETE FROM s.gap WHERE k = 1", 1);
        assertUpdate("INSERT INTO s.gap VALUES 11", 1);
        long middle = oracle.currentSnapshot("gap");
        assertUpdate("ALTER TABLE s.gap EXECUTE optimize");
        assertUpdate("DELETE FROM s.gap WHERE k = 2", 1);
        long to = oracle.currentSnapshot("gap");
        oracle.assertDelta("whole", "gap", "k", "true", from, to);
        SourceTables tables = new SourceTables(getDistributedQueryRunner());
        tables.load("gap").expireSnapshots().expireSnapshotId(middle).cleanExpiredFiles(false).commit();
        oracle.assertDelta("with a gap", "gap", "k", "true", from, to);
        assertUpdate("DROP TABLE s.gap");
    }
}
