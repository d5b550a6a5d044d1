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
package io.freshet.refresh;

import io.freshet.FreshetQueryRunner;
import io.freshet.ViewOracle;
import io.freshet.spi.refresh.StorageCare;
import io.trino.spi.connector.SchemaTableName;
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.QueryRunner;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.DataOperations;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.io.CloseableIterable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;

import static com.google.common.collect.Iterables.size;
import static java.util.concurrent.TimeUnit.DAYS;
import static org.assertj.core.api.Assertions.assertThat;

final class TestStorageCare
        extends AbstractTestQueryFramework
{
    private ViewOracle oracle;

    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return FreshetQueryRunner.builder().build();
    }

    @BeforeAll
    void createOracle()
    {
        oracle = new ViewOracle(getQueryRunner());
    }

    @Test
    void testAppendedFilesAreCompacted()
            throws Exception
    {
        assertUpdate("CREATE TABLE appended (k integer, v varchar)");
        assertUpdate("CREATE MATERIALIZED VIEW appended_rows AS SELECT k, v FROM appended");
        assertUpdate("CREATE MATERIALIZED VIEW appended_total AS SELECT count(*) c FROM appended_rows");
        for (int i = 0; i < 25; i++) {
            assertUpdate("INSERT INTO appended VALUES (%1$s, NULL), (%1$s, 'x')".formatted(i), 2);
            assertUpdate("REFRESH MATERIALIZED VIEW appended_rows");
            assertThat(oracle.lastRefresh("appended_rows").strategy()).hasValue("APPEND_ONLY");
        }
        oracle.assertExact("appended_rows");
        assertThat(files("appended_rows").data()).isBetween(1, 12);
        assertThat(operations("appended_rows")).contains(DataOperations.REPLACE);
        assertQuery("SELECT count(*), count(v) FROM appended_rows", "VALUES (50, 25)");

        assertUpdate("REFRESH MATERIALIZED VIEW appended_rows");
        assertThat(oracle.lastRefresh("appended_rows").strategy()).hasValue("NO_OP");
        assertUpdate("REFRESH MATERIALIZED VIEW appended_total");
        assertQuery("SELECT c FROM appended_total", "VALUES 50");
    }

    @Test
    void testDeletedRowsAreCompacted()
            throws Exception
    {
        for (int format : new int[] {2, 3}) {
            assertUpdate("CREATE TABLE deleted (k integer, v varchar) WITH (format_version = %s)".formatted(format));
            assertUpdate("INSERT INTO deleted SELECT n, CAST(n AS varchar) FROM UNNEST(sequence(1, 300)) t(n)", 300);
            assertUpdate("CREATE MATERIALIZED VIEW deleted_rows WITH (format_version = %s) AS SELECT k, v FROM deleted".formatted(format));
            for (int i = 0; i < 14; i++) {
                computeActual("UPDATE deleted SET v = 'changed %1$s' WHERE k %% 14 = %1$s".formatted(i));
                assertUpdate("REFRESH MATERIALIZED VIEW deleted_rows");
                assertThat(oracle.lastRefresh("deleted_rows").strategy()).hasValue("ROW_DELTA");
                oracle.assertExact("deleted_rows");
            }
            assertUpdate("REFRESH MATERIALIZED VIEW deleted_rows");
            Files files = files("deleted_rows");
            assertThat(files.data()).isBetween(1, 12);
            assertThat(files.deletes()).isLessThanOrEqualTo(files.data());
            assertThat(operations("deleted_rows")).contains(DataOperations.REPLACE);
            assertUpdate("DROP MATERIALIZED VIEW deleted_rows");
            assertUpdate("DROP TABLE deleted");
        }
    }

    @Test
    void testHiddenRowsStayHidden()
    {
        assertUpdate("CREATE TABLE visible (k integer)");
        assertUpdate("CREATE MATERIALIZED VIEW visible_groups WITH (format_version = 2) AS SELECT k, count(*) c, array_agg(k) a FROM visible GROUP BY k HAVING count(*) > 1");
        for (int i = 0; i < 24; i++) {
            assertUpdate("INSERT INTO visible VALUES %s".formatted(i / 2), 1);
            assertUpdate("REFRESH MATERIALIZED VIEW visible_groups");
            oracle.assertExact("visible_groups");
        }
        assertThat(operations("visible_groups")).contains(DataOperations.REPLACE);
        assertQuery("SELECT count(*), sum(c) FROM visible_groups", "VALUES (12, 24)");
    }

    @Test
    void testOldSnapshotsExpire()
    {
        assertUpdate("CREATE TABLE expiring (k integer, v integer)");
        assertUpdate("CREATE MATERIALIZED VIEW expiring_sums AS SELECT k, sum(v) s FROM expiring GROUP BY k");
        for (int i = 0; i < 5; i++) {
            assertUpdate("INSERT INTO expiring VALUES (%s, 1)".formatted(i % 2), 1);
            assertUpdate("REFRESH MATERIALIZED VIEW expiring_sums");
        }
        long day = DAYS.toMillis(1);
        long now = System.currentTimeMillis();
        int snapshots = size(table("expiring_sums").snapshots());
        StorageCare.expire(table("expiring_sums"), now + day + 1, day);
        assertThat(table("expiring_sums").snapshots()).describedAs("not worth a commit yet").hasSize(snapshots);
        StorageCare.expire(table("expiring_sums"), now + 3 * day, day);
        assertThat(table("expiring_sums").snapshots()).hasSize(2);
        oracle.assertExact("expiring_sums");
        assertUpdate("REFRESH MATERIALIZED VIEW expiring_sums");
        assertThat(oracle.lastRefresh("expiring_sums").strategy()).hasValue("NO_OP");
        assertUpdate("INSERT INTO expiring VALUES (1, 1)", 1);
        assertUpdate("REFRESH MATERIALIZED VIEW expiring_sums");
        assertThat(oracle.lastRefresh("expiring_sums").strategy()).hasValue("AGGREGATE_MERGE");
        oracle.assertExact("expiring_sums");
    }

    private record Files(int data, int deletes) {}

    /** Compaction goes on after the refresh that gave rise to it, and the next refresh waits for it. */
    private Files files(String view)
            throws IOException
    {
        assertUpdate("REFRESH MATERIALIZED VIEW " + view);
        int data = 0;
        Set<String> deletes = new HashSet<>();
        try (CloseableIterable<FileScanTask> tasks = table(view).newScan().planFiles()) {
            for (FileScanTask task : tasks) {
                data++;
                task.deletes().forEach(delete -> deletes.add(delete.location() + delete.contentOffset()));
            }
        }
        return new Files(data, deletes.size());
    }

    private Set<String> operations(String view)
    {
        Set<String> operations = new HashSet<>();
        for (Snapshot snapshot : table(view).snapshots()) {
            operations.add(snapshot.operation());
        }
        assertThat(size(table(view).snapshots())).isLessThan(200);
        return operations;
    }

    private BaseTable table(String view)
    {
        return oracle.view(new SchemaTableName(FreshetQueryRunner.SCHEMA, view)).backingTable();
    }
}
