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

import io.freshet.FreshetQueryRunner;
import io.freshet.cases.SourceTables;
import io.trino.Session;
import io.trino.testing.DistributedQueryRunner;
import org.apache.iceberg.DataFile;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import static io.freshet.scan.DeltaOracle.delta;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.testing.assertions.TrinoExceptionAssert.assertTrinoExceptionThrownBy;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Changes by equality deletes. Iceberg's page source gathers the deletes that it meets, so what one split reads may reach into
 * another's: everything is done with a single thread and with many.
 */
final class TestEqualityDeletes
{
    @Test
    void testOneThread()
            throws Exception
    {
        try (DistributedQueryRunner queryRunner = FreshetQueryRunner.builder()
                .setWorkerCount(0)
                .build()) {
            testAll(queryRunner, Session.builder(queryRunner.getDefaultSession())
                    .setSystemProperty("initial_splits_per_node", "1")
                    .setSystemProperty("max_drivers_per_task", "1")
                    .build());
        }
    }

    @Test
    void testManyThreads()
            throws Exception
    {
        try (DistributedQueryRunner queryRunner = FreshetQueryRunner.builder()
                .setWorkerCount(2)
                .build()) {
            Session session = queryRunner.getDefaultSession();
            testAll(queryRunner, session);
            testUpserts(queryRunner, session, "format_version = 3, format = 'ORC', partitioning = ARRAY['p']", true);
            testUpserts(queryRunner, session, "format_version = 3, format = 'PARQUET'", false);
            testUpserts(queryRunner, session, "format_version = 2, format = 'AVRO'", false);
        }
    }

    private static void testAll(DistributedQueryRunner queryRunner, Session session)
    {
        testUpserts(queryRunner, session, "format_version = 2, format = 'PARQUET', partitioning = ARRAY['p']", true);
        testUpserts(queryRunner, session, "format_version = 3, format = 'ORC'", false);
        testGlobalDeletes(queryRunner, session);
        testDroppedColumn(queryRunner, session);
    }

    private static void testUpserts(DistributedQueryRunner queryRunner, Session session, String properties, boolean partitioned)
    {
        ForeignDeletes deletes = new ForeignDeletes(queryRunner);
        DeltaOracle oracle = new DeltaOracle(queryRunner, session);
        queryRunner.execute("CREATE TABLE s.upserts (id integer, p varchar, v bigint) WITH (%s)".formatted(properties));
        // Several files of one partition with the same keys
        queryRunner.execute("INSERT INTO s.upserts SELECT x, 'x', x FROM UNNEST(sequence(1, 12)) t(x)");
        queryRunner.execute("INSERT INTO s.upserts SELECT x, 'x', x * 10 FROM UNNEST(sequence(5, 15)) t(x)");
        queryRunner.execute("INSERT INTO s.upserts SELECT x, 'y', x FROM UNNEST(sequence(1, 5)) t(x)");
        Optional<DataFile> x = partitioned
                ? deletes.dataFiles("upserts").stream().filter(file -> file.partition().get(0, String.class).equals("x")).findFirst()
                : Optional.empty();
        deletes.upsert("upserts", x, keys("(1, 'x', 0), (6, 'x', 0)"), List.of("id"), Optional.of(keys("(1, 'x', 100), (6, 'x', 600)")));
        deletes.upsert("upserts", x, keys("(6, 'x', 0), (7, 'x', 0), (99, 'x', 0)"), List.of("id"), Optional.of(keys("(6, 'x', 601), (99, 'x', 1)")));
        // By other columns, in another order, with NULL
        deletes.upsert("upserts", x, keys("(8, 'x', 80), (9, 'x', 91)"), List.of("v", "id"), Optional.of(keys("(NULL, 'x', NULL)")));
        deletes.upsert("upserts", x, keys("(NULL, 'x', NULL)"), List.of("v"), Optional.empty());
        // Beside deletes by position, then compacted, then once more
        queryRunner.execute("DELETE FROM s.upserts WHERE id = 10");
        queryRunner.execute("UPDATE s.upserts SET v = -1 WHERE id IN (6, 11)");
        deletes.upsert("upserts", x, keys("(11, 'x', 0), (12, 'x', 0)"), List.of("id"), Optional.of(keys("(12, 'x', 12)")));
        queryRunner.execute("ALTER TABLE s.upserts EXECUTE optimize");
        deletes.upsert("upserts", x, keys("(12, 'x', 0)"), List.of("id"), Optional.of(keys("(12, 'x', 13)")));
        List<Long> snapshots = oracle.snapshots("upserts");
        if (properties.contains("PARQUET")) {
            oracle.assertAllPairs(properties, "upserts", "id, p, v");
        }
        for (String predicate : List.of("true", "v > 50", "id = 6", "v = 601 OR id IS NULL")) {
            oracle.assertNeighbors(properties, "upserts", "p, v", predicate, snapshots, false);
        }
        // Of those that were there only rows with these keys go
        assertThat(oracle.weights("upserts", snapshots.get(3), snapshots.get(4))).isEqualTo(Map.of(1L, 2L, -1L, partitioned ? 3L : 4L));
        queryRunner.execute("DROP TABLE s.upserts");
    }

    /** Without a partition deletes reach every partition, and files of every partitioning. */
    private static void testGlobalDeletes(DistributedQueryRunner queryRunner, Session session)
    {
        ForeignDeletes deletes = new ForeignDeletes(queryRunner);
        DeltaOracle oracle = new DeltaOracle(queryRunner, session);
        queryRunner.execute("CREATE TABLE s.global (id integer, p varchar, v bigint)");
        queryRunner.execute("INSERT INTO s.global SELECT x, 'x', x FROM UNNEST(sequence(1, 10)) t(x)");
        queryRunner.execute("ALTER TABLE s.global SET PROPERTIES partitioning = ARRAY['p']");
        queryRunner.execute("INSERT INTO s.global SELECT x, 'x', x FROM UNNEST(sequence(1, 10)) t(x)");
        queryRunner.execute("INSERT INTO s.global SELECT x, 'y', x FROM UNNEST(sequence(1, 10)) t(x)");
        deletes.upsert("global", Optional.empty(), keys("(1, 'x', 0), (6, 'x', 0)"), List.of("id"), Optional.of(keys("(1, 'z', 100)")));
        deletes.upsert("global", Optional.empty(), keys("(1, 'x', 0), (7, 'x', 0)"), List.of("id"), Optional.of(keys("(7, 'z', 100)")));
        Optional<DataFile> y = deletes.dataFiles("global").stream().filter(file -> file.specId() != 0 && file.partition().get(0, String.class).equals("y")).findFirst();
        deletes.upsert("global", y, keys("(2, 'x', 0)"), List.of("id"), Optional.empty());
        oracle.assertAllPairs("global", "global", "id, p, v");
        List<Long> snapshots = oracle.snapshots("global");
        assertThat(oracle.weights("global", snapshots.get(3), snapshots.get(4))).isEqualTo(Map.of(1L, 1L, -1L, 6L));
        for (String predicate : List.of("p = 'y'", "p = 'z'", "v = 6", "p = 'x' AND id < 3")) {
            oracle.assertNeighbors("global", "global", "id, v", predicate, snapshots, false);
        }
        queryRunner.execute("DROP TABLE s.global");
    }

    private static void testDroppedColumn(DistributedQueryRunner queryRunner, Session session)
    {
        ForeignDeletes deletes = new ForeignDeletes(queryRunner);
        DeltaOracle oracle = new DeltaOracle(queryRunner, session);
        queryRunner.execute("CREATE TABLE s.keyless (id integer, p varchar, v bigint)");
        queryRunner.execute("INSERT INTO s.keyless SELECT x, 'x', x FROM UNNEST(sequence(1, 10)) t(x)");
        long from = oracle.currentSnapshot("keyless");
        deletes.upsert("keyless", Optional.empty(), keys("(1, 'x', 0)"), List.of("id"), Optional.empty());
        long to = oracle.currentSnapshot("keyless");
        new SourceTables(queryRunner).load("keyless").updateSchema().deleteColumn("id").commit();
        assertTrinoExceptionThrownBy(() -> queryRunner.execute("SELECT * FROM " + delta("keyless", from, to)))
                .hasErrorCode(NOT_SUPPORTED)
                .hasMessageMatching("The changes of table .*keyless from snapshot .* cannot be read: rows were deleted by a column that is no longer there \\(SOURCE_SCHEMA_CHANGED\\)");
        queryRunner.execute("DROP TABLE s.keyless");
    }

    private static String keys(String rows)
    {
        return "SELECT CAST(id AS integer) id, CAST(p AS varchar) p, CAST(v AS bigint) v FROM (VALUES %s) t(id, p, v)".formatted(rows);
    }
}
