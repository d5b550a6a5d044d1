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
package io.freshet.contract;

import com.google.common.collect.ImmutableMap;
import io.freshet.FreshetQueryRunner;
import io.freshet.ViewOracle;
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.QueryRunner;
import io.trino.testing.assertions.TrinoExceptionAssert;
import org.intellij.lang.annotations.Language;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.freshet.spi.FreshetErrorCode.MATERIALIZED_VIEW_NOT_WRITABLE;
import static io.freshet.spi.FreshetErrorCode.REFRESH_FAILED;
import static io.trino.spi.StandardErrorCode.ALREADY_EXISTS;
import static io.trino.spi.StandardErrorCode.INVALID_ARGUMENTS;
import static io.trino.spi.StandardErrorCode.TABLE_NOT_FOUND;
import static io.trino.testing.assertions.TrinoExceptionAssert.assertTrinoExceptionThrownBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.TestInstance.Lifecycle.PER_CLASS;
import static org.junit.jupiter.api.parallel.ExecutionMode.SAME_THREAD;

/**
 * A metastore in which the Iceberg connector, here catalog {@code stock}, has materialized views of its own: they go on working
 * through Freshet, and Freshet's live beside them.
 */
@TestInstance(PER_CLASS)
@Execution(SAME_THREAD)
final class TestHiveMetastoreViews
        extends AbstractTestQueryFramework
{
    private ViewOracle oracle;

    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        DistributedQueryRunner queryRunner = FreshetQueryRunner.builder().withFileMetastore().build();
        queryRunner.createCatalog("stock", "iceberg", ImmutableMap.of(
                "fs.native-local.enabled", "true",
                "local.location", files(queryRunner).toString(),
                "iceberg.catalog.type", "TESTING_FILE_METASTORE",
                "hive.metastore.catalog.dir", "local:///metastore"));
        return queryRunner;
    }

    @BeforeAll
    void createOracle()
    {
        oracle = new ViewOracle(getQueryRunner());
    }

    @Test
    void testStockView()
    {
        assertUpdate("CREATE TABLE stock_source AS SELECT 'a' k, 1 v", 1);
        assertUpdate("CREATE MATERIALIZED VIEW stock.s.stock_view COMMENT 'theirs' WITH (partitioning = ARRAY['k']) AS SELECT k, v FROM stock_source");

        // seen as it was
        assertThat(computeActual("SHOW TABLES").getOnlyColumnAsSet()).contains("stock_view");
        String shown = (String) computeScalar("SHOW CREATE MATERIALIZED VIEW stock.s.stock_view");
        assertThat(computeScalar("SHOW CREATE MATERIALIZED VIEW lake.s.stock_view")).isEqualTo(shown.replace("stock.s.stock_view", "lake.s.stock_view"));
        assertThat(query("SELECT freshness, comment FROM system.metadata.materialized_views WHERE catalog_name = 'lake' AND schema_name = 's' AND name = 'stock_view'")).skippingTypesCheck().matches("VALUES ('STALE', 'theirs')");
        assertThat(query("SELECT column_name FROM information_schema.columns WHERE table_schema = 's' AND table_name = 'stock_view'")).skippingTypesCheck().matches("VALUES 'k', 'v'");
        assertQuery("SELECT * FROM stock_view", "VALUES ('a', 1)");

        // refreshed by the engine's own refresh, which counts rows
        assertUpdate("REFRESH MATERIALIZED VIEW stock_view", 1);
        assertUpdate("INSERT INTO stock_source VALUES ('b', 2)", 1);
        assertUpdate("REFRESH MATERIALIZED VIEW lake.s.stock_view", 1);
        assertThat((String) computeScalar("EXPLAIN SELECT * FROM stock_view")).doesNotContain("s.stock_source");
        assertQuery("SELECT * FROM stock_view", "VALUES ('a', 1), ('b', 2)");
        assertQuery("SELECT * FROM stock.s.stock_view", "VALUES ('a', 1), ('b', 2)");
        assertThat(computeActual("SELECT * FROM \"stock_view$files\"").getRowCount()).isPositive();

        // altered and dropped
        assertUpdate("COMMENT ON COLUMN stock_view.k IS 'key'");
        assertUpdate("ALTER MATERIALIZED VIEW stock_view RENAME TO stock_view_2");
        assertQuery("SELECT * FROM stock_view_2", "VALUES ('a', 1), ('b', 2)");
        for (String create : List.of("CREATE MATERIALIZED VIEW", "CREATE OR REPLACE MATERIALIZED VIEW")) {
            assertThatStatement(create + " stock_view_2 AS SELECT 1 x").hasErrorCode(ALREADY_EXISTS)
                    .hasMessage("'lake.s.stock_view_2' is a materialized view of the Iceberg connector; drop it first");
        }
        assertUpdate("DROP MATERIALIZED VIEW stock_view_2");
        assertThatStatement("SELECT * FROM stock.s.stock_view_2").hasErrorCode(TABLE_NOT_FOUND);
        assertUpdate("DROP TABLE stock_source");
    }

    /** A stock view is a source whose stored rows are read as they are. */
    @Test
    void testOurViewOverStockView()
    {
        assertUpdate("CREATE TABLE below_source AS SELECT 'a' k", 1);
        assertUpdate("CREATE MATERIALIZED VIEW stock.s.below AS SELECT k FROM below_source");
        assertThatStatement("CREATE MATERIALIZED VIEW above AS SELECT k FROM below").hasErrorCode(REFRESH_FAILED)
                .hasMessage("Materialized view 'lake.s.above' could not be created: Materialized view 'lake.s.below' of the Iceberg connector has never been refreshed. Refresh it first");
        assertUpdate("REFRESH MATERIALIZED VIEW below", 1);
        assertUpdate("CREATE MATERIALIZED VIEW above AS SELECT k FROM below");
        assertQuery("SELECT * FROM above", "VALUES 'a'");
        assertUpdate("INSERT INTO below_source VALUES 'b'", 1);
        assertUpdate("REFRESH MATERIALIZED VIEW above");
        assertQuery("SELECT * FROM above", "VALUES 'a'");
        assertUpdate("REFRESH MATERIALIZED VIEW below", 1);
        assertUpdate("REFRESH MATERIALIZED VIEW above");
        assertThat(oracle.lastRefresh("above").strategy()).hasValue("FULL_REFRESH");
        assertQuery("SELECT * FROM above", "VALUES 'a', 'b'");
        assertUpdate("DROP MATERIALIZED VIEW above");
        assertUpdate("DROP MATERIALIZED VIEW below");
        assertUpdate("DROP TABLE below_source");
    }

    @Test
    void testOurViewBeside()
            throws IOException
    {
        assertUpdate("CREATE TABLE our_source AS SELECT 'a' k, 1 v", 1);
        assertUpdate("CREATE MATERIALIZED VIEW our_view WITH (partitioning = ARRAY['k']) AS SELECT k, avg(v) a FROM our_source GROUP BY k HAVING sum(v) > 0");
        assertUpdate("CREATE MATERIALIZED VIEW stock.s.beside AS SELECT k FROM our_source");
        oracle.assertExact("our_view");
        assertUpdate("INSERT INTO stock.s.our_source VALUES ('a', 2), ('b', 3)", 2);
        assertUpdate("REFRESH MATERIALIZED VIEW our_view");
        assertThat(oracle.lastRefresh("our_view").strategy()).hasValue("AGGREGATE_MERGE");
        oracle.assertExact("our_view");

        assertThat(computeActual("SHOW TABLES").getOnlyColumnAsSet()).contains("our_view", "beside").doesNotContain("__mv_our_view");
        assertThat(query("SELECT name FROM system.metadata.materialized_views WHERE catalog_name = 'lake' AND schema_name = 's' AND name IN ('our_view', 'beside')")).skippingTypesCheck().matches("VALUES 'our_view', 'beside'");
        assertThat(query("SELECT column_name FROM information_schema.columns WHERE table_schema = 's' AND table_name = 'our_view'")).skippingTypesCheck().matches("VALUES 'k', 'a'");
        assertThat(computeActual("SHOW TABLES FROM stock.s").getOnlyColumnAsSet()).contains("__mv_our_view", "beside");
        assertThat(query("SELECT count(*) FROM system.metadata.table_comments WHERE catalog_name = 'lake' AND schema_name = 's' AND table_name LIKE '%our_view'")).matches("VALUES BIGINT '1'");

        assertThatStatement("SELECT * FROM \"__mv_our_view\"").hasErrorCode(MATERIALIZED_VIEW_NOT_WRITABLE);
        assertThatStatement("SELECT * FROM our_view, \"__mv_our_view$files\"").hasErrorCode(MATERIALIZED_VIEW_NOT_WRITABLE);
        assertThatStatement("DROP TABLE \"__mv_our_view\"").hasErrorCode(MATERIALIZED_VIEW_NOT_WRITABLE);
        assertThatStatement("CREATE TABLE \"__mv_free\" (x int)").hasErrorCode(INVALID_ARGUMENTS);

        assertUpdate("ALTER MATERIALIZED VIEW our_view RENAME TO our_view_2");
        oracle.assertExact("our_view_2");
        assertUpdate("CREATE OR REPLACE MATERIALIZED VIEW our_view_2 AS SELECT v FROM our_source");
        oracle.assertExact("our_view_2");
        assertThatStatement("CREATE MATERIALIZED VIEW failed AS SELECT 1 / (v - 1) x FROM our_source");
        assertThat(filesOf("__mv_failed")).isEmpty();
        assertThat(filesOf("__mv_our_view")).isNotEmpty();
        assertUpdate("DROP MATERIALIZED VIEW our_view_2");
        assertThat(filesOf("__mv_our_view")).isEmpty();
        assertUpdate("DROP MATERIALIZED VIEW beside");
        assertUpdate("DROP TABLE our_source");
    }

    @Test
    void testLogicalViewsAndSchemas()
    {
        assertUpdate("CREATE VIEW logical AS SELECT 1 x");
        assertQuery("SELECT * FROM logical", "VALUES 1");
        assertThatStatement("CREATE MATERIALIZED VIEW logical AS SELECT 1 x").hasErrorCode(ALREADY_EXISTS);
        assertUpdate("CREATE OR REPLACE VIEW logical AS SELECT 2 x");
        assertUpdate("CREATE MATERIALIZED VIEW over_logical AS SELECT x FROM logical");
        oracle.assertExact("over_logical");
        assertThat(computeActual("SHOW TABLES").getOnlyColumnAsSet()).containsAll(Set.of("logical", "over_logical"));
        assertUpdate("DROP MATERIALIZED VIEW over_logical");
        assertUpdate("DROP VIEW logical");
        assertUpdate("CREATE SCHEMA another");
        assertUpdate("CREATE MATERIALIZED VIEW another.mv AS SELECT 1 x");
        assertThatStatement("DROP SCHEMA another").hasMessageContaining("Cannot drop non-empty schema 'another'");
        assertUpdate("DROP SCHEMA another CASCADE");
    }

    private List<Path> filesOf(String table)
            throws IOException
    {
        try (Stream<Path> paths = Files.walk(files(getDistributedQueryRunner()))) {
            return paths
                    // A rename leaves permissions under the old name, in the metastore of files only
                    .filter(path -> path.toString().contains(table) && !path.toString().contains(".trinoPermissions"))
                    .filter(Files::isRegularFile)
                    .collect(toImmutableList());
        }
    }

    private static Path files(DistributedQueryRunner queryRunner)
    {
        return queryRunner.getCoordinator().getBaseDataDir().resolve("lake").resolve("files");
    }

    private TrinoExceptionAssert assertThatStatement(@Language("SQL") String sql)
    {
        return assertTrinoExceptionThrownBy(() -> computeActual(sql)).describedAs(sql);
    }
}
