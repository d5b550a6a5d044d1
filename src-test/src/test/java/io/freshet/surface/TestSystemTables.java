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
package io.freshet.surface;

import com.google.common.collect.ImmutableMap;
import io.freshet.FreshetQueryRunner;
import io.freshet.SqliteCatalog;
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.MaterializedResult;
import io.trino.testing.MaterializedRow;
import io.trino.testing.QueryRunner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import static io.freshet.FreshetQueryRunner.CATALOG;
import static io.trino.testing.TestingAccessControlManager.TestingPrivilegeType.SHOW_CREATE_TABLE;
import static io.trino.testing.TestingAccessControlManager.privilege;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.TestInstance.Lifecycle.PER_CLASS;

/**
 * {@code system.materialized_views} and {@code system.materialized_view_refreshes}. Catalog {@code raw} is the Iceberg connector over
 * the same tables, that is, an engine that does not know of views; {@code other} is another cluster.
 */
@TestInstance(PER_CLASS)
final class TestSystemTables
        extends AbstractTestQueryFramework
{
    private static final String COLUMNS = "state, freshness, lag = 0, row_count, size_bytes > 0, incremental, last_strategy, last_reason";

    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        DistributedQueryRunner queryRunner = FreshetQueryRunner.builder()
                // a file that is taken away is to be missed, also if it was read before
                .addCatalogProperty("iceberg.metadata-cache.enabled", "false")
                .build();
        Path data = queryRunner.getCoordinator().getBaseDataDir().resolve("lake");
        Map<String, String> sameTables = ImmutableMap.<String, String>builder()
                .put("fs.native-local.enabled", "true")
                .put("local.location", data.resolve("files").toString())
                .put("iceberg.catalog.type", "jdbc")
                .put("iceberg.jdbc-catalog.driver-class", "org.sqlite.JDBC")
                .put("iceberg.jdbc-catalog.connection-url", SqliteCatalog.create(data.resolve("catalog.db")))
                .put("iceberg.jdbc-catalog.catalog-name", CATALOG)
                .put("iceberg.jdbc-catalog.default-warehouse-dir", "local:///warehouse")
                .put("iceberg.allowed-extra-properties", "*")
                .buildOrThrow();
        queryRunner.createCatalog("raw", "iceberg", sameTables);
        queryRunner.createCatalog("other", "freshet", sameTables);
        return queryRunner;
    }

    private List<Object> view(String name, String columns)
    {
        MaterializedResult result = computeActual("SELECT %s FROM system.materialized_views WHERE schema_name = 's' AND view_name = '%s'".formatted(columns, name));
        assertThat(result.getRowCount()).describedAs("rows of " + name).isEqualTo(1);
        return result.getMaterializedRows().getFirst().getFields();
    }

    private List<MaterializedRow> refreshes(String catalog, String name, String columns)
    {
        return computeActual("SELECT %s FROM %s.system.materialized_view_refreshes WHERE schema_name = 's' AND view_name = '%s' ORDER BY started_at, finished_at".formatted(columns, catalog, name)).getMaterializedRows();
    }

    @Test
    void testLifeOfView()
    {
        assertUpdate("CREATE TABLE life (k varchar, v bigint)");
        // several files, so that a further one is not most of the table
        assertUpdate("INSERT INTO life VALUES ('a', 1)", 1);
        assertUpdate("INSERT INTO life VALUES ('a', 1)", 1);
        assertUpdate("INSERT INTO life VALUES ('b', 2)", 1);
        assertUpdate("CREATE MATERIALIZED VIEW mv_life COMMENT 'mine' WITH (build = 'DEFERRED') AS SELECT k, sum(v) s FROM life GROUP BY k");
        assertThat(view("mv_life", COLUMNS)).containsExactly("NOT_BUILT", "STALE", null, 0L, false, true, null, null);
        assertThat(view("mv_life", "refresh, refresh_mode, paused, catalog_name, owner, comment, lag, last_refresh_at, state_detail"))
                .containsExactly("ON_DEMAND", "AUTO", false, "lake", "user", "mine", null, null, "The view was never filled");

        assertUpdate("REFRESH MATERIALIZED VIEW mv_life");
        assertThat(view("mv_life", COLUMNS)).containsExactly("NORMAL", "FRESH", true, 2L, true, true, "FULL_REFRESH", "NOT_BUILT");
        assertThat(view("mv_life", "state_detail, last_error, next_refresh_at, staleness, slo_tier, incremental_detail")).containsOnlyNulls();

        assertUpdate("INSERT INTO life VALUES ('b', 3), ('c', 4), ('d', 5)", 3);
        assertThat(view("mv_life", "state, freshness, lag BETWEEN 0 AND 60")).containsExactly("NORMAL", "STALE", true);
        assertUpdate("REFRESH MATERIALIZED VIEW mv_life");
        assertUpdate("REFRESH MATERIALIZED VIEW mv_life");
        assertThat(view("mv_life", COLUMNS)).containsExactly("NORMAL", "FRESH", true, 4L, true, true, "NO_OP", "NONE");
        assertThat(view("mv_life", "last_refresh_at BETWEEN current_timestamp - interval '1' minute AND current_timestamp")).containsExactly(true);

        assertThat(refreshes("lake", "mv_life", "trigger, mode, strategy, reason, status, error, delta_rows, rows_inserted, cardinality(query_ids), backing_snapshot_id IS NULL, cardinality(source_snapshots)"))
                .extracting(MaterializedRow::getFields)
                .containsExactly(
                        fields("MANUAL", "AUTO", "FULL_REFRESH", "NOT_BUILT", "SUCCEEDED", null, null, 2L, 1L, false, 1L),
                        fields("MANUAL", "AUTO", "AGGREGATE_MERGE", "NONE", "SUCCEEDED", null, 3L, 4L, 1L, false, 1L),
                        fields("MANUAL", "AUTO", "NO_OP", "NONE", "SUCCEEDED", null, 0L, null, 0L, true, 1L));
        assertThat(refreshes("lake", "mv_life", "duration_ms = date_diff('millisecond', started_at, finished_at), finished_at <= current_timestamp, coalesce(bytes_read > 0 AND bytes_written > 0, strategy = 'NO_OP')"))
                .extracting(MaterializedRow::getFields)
                .containsOnly(fields(true, true, true));
        assertThat(computeActual("""
                SELECT count(*)
                FROM system.materialized_view_refreshes r
                JOIN "life$snapshots" s ON element_at(r.source_snapshots, 'lake.s.life') = s.snapshot_id
                JOIN "mv_life$snapshots" b ON r.backing_snapshot_id = b.snapshot_id
                WHERE view_name = 'mv_life'
                """).getOnlyValue()).isEqualTo(2L);

        assertUpdate("DROP MATERIALIZED VIEW mv_life");
        assertQueryReturnsEmptyResult("SELECT * FROM system.materialized_views WHERE view_name = 'mv_life'");
        assertQueryReturnsEmptyResult("SELECT * FROM system.materialized_view_refreshes WHERE view_name = 'mv_life'");
    }

    private static List<Object> fields(Object... values)
    {
        return java.util.Arrays.asList(values);
    }

    @Test
    void testHistoryAfterRestart()
    {
        assertUpdate("CREATE TABLE hist (k varchar, v bigint)");
        assertUpdate("CREATE MATERIALIZED VIEW mv_hist WITH (refresh_mode = 'INCREMENTAL') AS SELECT k, sum(v) s FROM hist GROUP BY k");
        for (int i = 0; i < 3; i++) {
            assertUpdate("INSERT INTO hist VALUES ('a', 1), ('b', 2)", 2);
            assertUpdate("REFRESH MATERIALIZED VIEW mv_hist");
        }
        String columns = "refresh_id, trigger, mode, strategy, reason, reason_detail, status, delta_rows, rows_inserted, rows_deleted, bytes_written, backing_snapshot_id, element_at(source_snapshots, 'lake.s.hist')";
        List<MaterializedRow> here = refreshes("lake", "mv_hist", columns);
        assertThat(here).hasSize(4);
        assertThat(here.getFirst().getField(1)).isEqualTo("CREATE");
        // All but the last were stored with the refresh that followed; the last is told by its snapshot
        List<MaterializedRow> there = computeActual("SELECT %s FROM other.system.materialized_view_refreshes WHERE view_name = 'mv_hist' ORDER BY started_at".formatted(columns.replace("lake.s", "other.s"))).getMaterializedRows();
        assertThat(there.subList(0, 3)).extracting(row -> row.getFields().subList(0, 10)).isEqualTo(here.subList(0, 3).stream().map(row -> row.getFields().subList(0, 10)).toList());
        assertThat(there.getLast().getFields().subList(0, 12)).isEqualTo(here.getLast().getFields().subList(0, 12));
        assertThat(computeActual("SELECT last_strategy, last_reason FROM other.system.materialized_views WHERE view_name = 'mv_hist'").getMaterializedRows().getFirst().getFields())
                .containsExactly("AGGREGATE_MERGE", "NONE");
        assertUpdate("DROP MATERIALIZED VIEW mv_hist");
    }

    @Test
    void testFailures()
    {
        assertUpdate("CREATE TABLE failing (v bigint)");
        assertUpdate("INSERT INTO failing VALUES 1", 1);
        assertUpdate("CREATE MATERIALIZED VIEW mv_failing AS SELECT 10 / v AS q FROM failing");
        assertUpdate("INSERT INTO failing VALUES 0", 1);
        assertQueryFails("REFRESH MATERIALIZED VIEW mv_failing", ".*Division by zero.*");
        assertThat(view("mv_failing", "state, last_error = 'REFRESH_FAILED: Division by zero', last_strategy, row_count")).containsExactly("NORMAL", true, "FULL_REFRESH", 1L);
        assertThat(refreshes("lake", "mv_failing", "trigger, status, error LIKE '%Division by zero%', backing_snapshot_id IS NULL"))
                .extracting(MaterializedRow::getFields)
                .containsExactly(fields("CREATE", "SUCCEEDED", null, false), fields("MANUAL", "FAILED", true, true));
        assertUpdate("DELETE FROM failing WHERE v = 0", 1);
        assertUpdate("REFRESH MATERIALIZED VIEW mv_failing");
        assertThat(view("mv_failing", "last_error")).containsOnlyNulls();
        assertUpdate("DROP MATERIALIZED VIEW mv_failing");
    }

    @Test
    void testWhetherIncremental()
    {
        assertUpdate("CREATE TABLE inc (k varchar, v bigint)");
        assertUpdate("CREATE MATERIALIZED VIEW mv_inc_array AS SELECT array_agg(v) a FROM inc");
        assertThat(view("mv_inc_array", "incremental, incremental_detail LIKE '%array_agg%(NON_MERGEABLE_AGGREGATE)'")).containsExactly(false, true);
        assertUpdate("CREATE MATERIALIZED VIEW mv_inc_random AS SELECT v FROM inc WHERE random() < 0.5");
        assertThat(view("mv_inc_random", "incremental, incremental_detail LIKE '%(NONDETERMINISTIC_FUNCTION)', freshness")).containsExactly(false, true, "UNKNOWN");
        assertUpdate("CREATE MATERIALIZED VIEW mv_inc_foreign AS SELECT name FROM tpch.tiny.region");
        assertThat(view("mv_inc_foreign", "incremental, incremental_detail LIKE '%(FOREIGN_SOURCE)', freshness, row_count")).containsExactly(false, true, "UNKNOWN", 5L);
        assertUpdate("CREATE MATERIALIZED VIEW mv_inc_having WITH (refresh_mode = 'INCREMENTAL') AS SELECT k, count(*) c FROM inc GROUP BY k HAVING count(*) > 1");
        assertThat(view("mv_inc_having", "incremental, row_count, refresh_mode")).containsExactly(true, null, "INCREMENTAL");
        assertUpdate("CREATE MATERIALIZED VIEW mv_inc_upper AS SELECT * FROM mv_inc_having");
        assertThat(view("mv_inc_upper", "state, freshness")).containsExactly("NORMAL", "FRESH");
        // read within the statement of a refresh, whose rights it does not use
        assertUpdate("CREATE MATERIALIZED VIEW mv_inc_system AS SELECT view_name, state FROM system.materialized_views WHERE view_name LIKE 'mv_inc_%ing'");
        assertQuery("SELECT * FROM mv_inc_system", "VALUES ('mv_inc_having', 'NORMAL')");
        for (String view : List.of("system", "upper", "array", "random", "foreign", "having")) {
            assertUpdate("DROP MATERIALIZED VIEW mv_inc_" + view);
        }
    }

    @Test
    void testRowCountAfterMerge()
    {
        assertUpdate("CREATE TABLE merged AS SELECT a * 400 + b AS k, 1 AS v FROM UNNEST(sequence(0, 399)) t (a) CROSS JOIN UNNEST(sequence(0, 399)) u (b)", 160_000);
        assertUpdate("CREATE MATERIALIZED VIEW mv_merged AS SELECT k, sum(v) s FROM merged GROUP BY k");
        for (int i = 0; i < 2; i++) {
            assertUpdate("INSERT INTO merged VALUES (7, 1), (8, 1), (%s, 1)".formatted(200_000 + i), 3);
            assertThat(computeActual("SELECT value FROM TABLE(system.explain_refresh('s', 'mv_merged')) WHERE item = 'apply'").getOnlyValue()).isEqualTo("MERGE");
            assertUpdate("REFRESH MATERIALIZED VIEW mv_merged");
        }
        assertQuery("SELECT count(*), sum(s) FROM mv_merged", "VALUES (160002, 160006)");
        assertThat(view("mv_merged", COLUMNS)).containsExactly("NORMAL", "FRESH", true, 160_002L, true, true, "AGGREGATE_MERGE", "NONE");
        assertThat(refreshes("lake", "mv_merged", "strategy, delta_rows, rows_inserted, rows_deleted"))
                .extracting(MaterializedRow::getFields)
                .containsExactly(fields("FULL_REFRESH", null, 160_000L, 0L), fields("AGGREGATE_MERGE", 3L, 3L, 2L), fields("AGGREGATE_MERGE", 3L, 3L, 2L));
        assertUpdate("DROP MATERIALIZED VIEW mv_merged");
    }

    @Test
    void testStates()
    {
        assertUpdate("CREATE TABLE st (k varchar, v bigint)");
        assertUpdate("CREATE MATERIALIZED VIEW mv_st AS SELECT k, v FROM st");
        assertUpdate("ALTER TABLE st RENAME COLUMN v TO w");
        assertThat(view("mv_st", "state, state_detail, freshness, lag, incremental"))
                .containsExactly("SCHEMA_CHANGED", "Source lake.s.st has changed a column that the view reads. The next refresh computes all rows anew; if the query does not compile any more, change the column back or create the view anew (SOURCE_SCHEMA_CHANGED)", "STALE", null, false);
        assertUpdate("ALTER TABLE st RENAME COLUMN w TO v");
        assertThat(view("mv_st", "state, state_detail")).containsExactly("NORMAL", null);

        assertUpdate("DROP TABLE raw.s.st");
        assertThat(view("mv_st", "state, state_detail LIKE 'Source lake.s.st does not exist%', incremental, definition")).containsExactly("BROKEN", true, false, "SELECT\n  k\n, v\nFROM\n  st\n");
        assertUpdate("CREATE TABLE raw.s.st (k varchar, v bigint)");
        assertThat(view("mv_st", "state, state_detail LIKE '%(SOURCE_RECREATED)'")).containsExactly("BROKEN", true);
        assertUpdate("REFRESH MATERIALIZED VIEW mv_st");
        assertThat(view("mv_st", "state, state_detail, last_reason")).containsExactly("NORMAL", null, "SOURCE_RECREATED");

        assertUpdate("INSERT INTO raw.s.__mv_mv_st VALUES ('x', 1)", 1);
        assertThat(view("mv_st", "state, freshness, state_detail LIKE 'The backing table was changed from outside%'")).containsExactly("BROKEN", "STALE", true);

        assertUpdate("CREATE TABLE raw.s.mv_st (x integer)");
        assertThat(view("mv_st", "state, freshness, state_detail LIKE 'A table of the same name%'")).containsExactly("SHADOWED", "UNKNOWN", true);
        assertUpdate("DROP TABLE raw.s.mv_st");
        assertUpdate("DROP MATERIALIZED VIEW mv_st");
    }

    @Test
    void testDamagedViewDoesNotFailListing()
    {
        assertUpdate("CREATE TABLE dmg (v bigint)");
        assertUpdate("CREATE MATERIALIZED VIEW mv_dmg_json AS SELECT v FROM dmg");
        assertUpdate("CREATE MATERIALIZED VIEW mv_dmg_later AS SELECT v FROM dmg");
        assertUpdate("CREATE MATERIALIZED VIEW mv_dmg_file AS SELECT v FROM dmg");
        assertUpdate("CREATE MATERIALIZED VIEW mv_dmg_well AS SELECT v FROM dmg");
        assertUpdate("CREATE TABLE raw.s.__mv_dmg_none (v bigint)");
        assertUpdate("ALTER TABLE raw.s.__mv_mv_dmg_json SET PROPERTIES extra_properties = map(ARRAY['freshet.view'], ARRAY['{\"formatVersion\": 1, \"originalSql'])");
        assertUpdate("ALTER TABLE raw.s.__mv_mv_dmg_later SET PROPERTIES extra_properties = map(ARRAY['freshet.view'], ARRAY['{\"formatVersion\": 99}'])");
        String metadata = (String) computeActual("SELECT file FROM raw.s.\"__mv_mv_dmg_file$metadata_log_entries\" ORDER BY timestamp DESC LIMIT 1").getOnlyValue();
        Path file = getDistributedQueryRunner().getCoordinator().getBaseDataDir().resolve("lake").resolve("files").resolve(metadata.substring("local:///".length()));
        assertThat(file.toFile().renameTo(file.resolveSibling("away").toFile())).isTrue();

        assertThat(computeActual("SELECT view_name, state, freshness, definition IS NOT NULL, row_count IS NOT NULL, paused FROM system.materialized_views WHERE view_name LIKE 'mv_dmg%' ORDER BY 1").getMaterializedRows())
                .extracting(MaterializedRow::getFields)
                .containsExactly(
                        fields("mv_dmg_file", "BROKEN", "UNKNOWN", false, false, null),
                        fields("mv_dmg_json", "BROKEN", "UNKNOWN", false, false, null),
                        fields("mv_dmg_later", "BROKEN", "UNKNOWN", false, false, null),
                        fields("mv_dmg_well", "NORMAL", "FRESH", true, true, false));
        assertThat(view("mv_dmg_later", "state_detail LIKE '%was written in format 99%'")).containsExactly(true);
        assertQueryReturnsEmptyResult("SELECT * FROM system.materialized_views WHERE view_name = 'dmg_none'");
        assertQuery("SELECT view_name, count(*) FROM system.materialized_view_refreshes WHERE view_name LIKE 'mv_dmg%' GROUP BY 1", "VALUES ('mv_dmg_well', 1)");

        assertThat(file.resolveSibling("away").toFile().renameTo(file.toFile())).isTrue();
        for (String table : List.of("__mv_mv_dmg_json", "__mv_mv_dmg_later", "__mv_mv_dmg_file", "__mv_mv_dmg_well", "__mv_dmg_none")) {
            assertUpdate("DROP TABLE raw.s." + table);
        }
    }

    @Test
    void testFilters()
    {
        assertUpdate("CREATE SCHEMA other_schema");
        assertUpdate("CREATE TABLE filt (v bigint)");
        assertUpdate("CREATE MATERIALIZED VIEW mv_filt1 AS SELECT v FROM filt");
        assertUpdate("CREATE MATERIALIZED VIEW other_schema.mv_filt2 AS SELECT v FROM filt");
        String list = "SELECT schema_name, view_name FROM system.materialized_views WHERE ";
        assertQuery(list + "view_name LIKE 'mv_filt%'", "VALUES ('s', 'mv_filt1'), ('other_schema', 'mv_filt2')");
        assertQuery(list + "view_name IN ('mv_filt1', 'mv_filt2')", "VALUES ('s', 'mv_filt1'), ('other_schema', 'mv_filt2')");
        assertQuery(list + "schema_name = 'other_schema'", "VALUES ('other_schema', 'mv_filt2')");
        assertQuery(list + "schema_name > 'p' AND view_name > 'mv_fil' AND view_name < 'mv_film'", "SELECT 's', 'mv_filt1' WHERE false");
        assertQuery(list + "schema_name = 's' AND view_name = 'mv_filt1'", "VALUES ('s', 'mv_filt1')");
        for (String nothing : List.of("schema_name = 'no_such_schema'", "schema_name = ''", "schema_name IS NULL", "view_name = 'MV_FILT1'", "view_name = 'filt'", "view_name = '__mv_mv_filt1'", "view_name = ''", "view_name = 'a$b@c'", "schema_name = 's' AND schema_name = 'other_schema'")) {
            assertQueryReturnsEmptyResult(list + nothing);
        }
        assertQuery("SELECT count(*) FROM system.materialized_views WHERE view_name = 'mv_filt1'", "VALUES 1");
        assertUpdate("DROP MATERIALIZED VIEW mv_filt1");
        assertUpdate("DROP MATERIALIZED VIEW other_schema.mv_filt2");
        assertUpdate("DROP SCHEMA other_schema");
    }

    @Test
    void testAccess()
    {
        assertUpdate("CREATE TABLE acc (k varchar, v bigint)");
        assertUpdate("CREATE MATERIALIZED VIEW mv_acc AS SELECT array_agg(v) a FROM acc");
        String row = "SELECT definition, incremental_detail, incremental, refresh_mode FROM system.materialized_views WHERE view_name = 'mv_acc'";
        String refresh = "SELECT reason, source_snapshots IS NULL FROM system.materialized_view_refreshes WHERE view_name = 'mv_acc'";
        assertQuery(refresh, "VALUES ('NOT_BUILT', false)");
        executeExclusively(() -> {
            try {
                getQueryRunner().getAccessControl().deny(privilege("mv_acc", SHOW_CREATE_TABLE));
                assertQuery(row, "VALUES (NULL, NULL, false, 'AUTO')");
                assertQuery(refresh, "VALUES ('NOT_BUILT', true)");
                getQueryRunner().getAccessControl().denyTables(table -> !table.getTableName().equals("mv_acc"));
                assertQueryReturnsEmptyResult(row);
                assertQueryReturnsEmptyResult(refresh);
            }
            finally {
                getQueryRunner().getAccessControl().reset();
            }
        });
        assertUpdate("DROP MATERIALIZED VIEW mv_acc");
    }

    @Test
    void testColumns()
    {
        assertThat(computeActual("SELECT * FROM system.materialized_views").getColumnNames()).startsWith(
                "catalog_name", "schema_name", "view_name", "refresh", "refresh_mode", "freshness", "staleness", "slo_tier", "lag", "last_refresh_at", "last_strategy", "last_reason",
                "next_refresh_at", "paused", "state", "state_detail", "last_error", "row_count", "size_bytes", "incremental", "definition");
        assertThat(computeActual("SELECT * FROM system.materialized_view_refreshes").getColumnNames()).containsExactly(
                "schema_name", "view_name", "refresh_id", "trigger", "mode", "strategy", "reason", "reason_detail", "status", "error", "started_at", "finished_at", "duration_ms",
                "delta_rows", "rows_inserted", "rows_deleted", "bytes_read", "bytes_written", "query_ids", "backing_snapshot_id", "source_snapshots",
                "progress_percent", "progress_rows");
        assertThat(computeActual("SELECT * FROM system.materialized_view_dependencies").getColumnNames()).containsExactly(
                "schema_name", "view_name", "source_catalog", "source_schema", "source_name", "source_type", "source_uuid", "bookmark_snapshot_id", "current_snapshot_id", "change",
                "change_reason");
    }
}
