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

import java.nio.file.Path;
import java.util.Set;

import static io.freshet.spi.FreshetErrorCode.MATERIALIZED_VIEW_NOT_WRITABLE;
import static io.trino.spi.StandardErrorCode.TABLE_ALREADY_EXISTS;
import static io.trino.spi.StandardErrorCode.TABLE_NOT_FOUND;
import static io.trino.testing.assertions.TrinoExceptionAssert.assertTrinoExceptionThrownBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.TestInstance.Lifecycle.PER_CLASS;
import static org.junit.jupiter.api.parallel.ExecutionMode.SAME_THREAD;

/**
 * Catalog {@code stock}: the Iceberg connector on the same JDBC catalog. For it, as for every other engine, a view is a table of
 * an odd name.
 */
@TestInstance(PER_CLASS)
@Execution(SAME_THREAD)
final class TestStockCatalogBeside
        extends AbstractTestQueryFramework
{
    private ViewOracle oracle;

    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        DistributedQueryRunner queryRunner = FreshetQueryRunner.builder().build();
        Path data = queryRunner.getCoordinator().getBaseDataDir().resolve("lake");
        queryRunner.createCatalog("stock", "iceberg", ImmutableMap.<String, String>builder()
                .put("fs.native-local.enabled", "true")
                .put("local.location", data.resolve("files").toString())
                .put("iceberg.catalog.type", "jdbc")
                .put("iceberg.jdbc-catalog.driver-class", "org.sqlite.JDBC")
                .put("iceberg.jdbc-catalog.connection-url", "jdbc:sqlite:" + data.resolve("catalog.db"))
                .put("iceberg.jdbc-catalog.catalog-name", "lake")
                .put("iceberg.jdbc-catalog.default-warehouse-dir", "local:///warehouse")
                .buildOrThrow());
        return queryRunner;
    }

    @BeforeAll
    void createOracle()
    {
        oracle = new ViewOracle(getQueryRunner());
    }

    @Test
    void testTables()
    {
        assertUpdate("CREATE TABLE lake.s.ours AS SELECT 1 v", 1);
        assertUpdate("CREATE TABLE stock.s.theirs AS SELECT 2 v", 1);
        for (String catalog : Set.of("lake", "stock")) {
            assertThat(computeActual("SHOW TABLES FROM %s.s".formatted(catalog)).getOnlyColumnAsSet()).contains("ours", "theirs");
            assertUpdate("INSERT INTO %s.s.ours VALUES 3".formatted(catalog), 1);
            assertUpdate("UPDATE %s.s.theirs SET v = v + 1".formatted(catalog), 1);
        }
        assertQuery("SELECT * FROM stock.s.ours", "VALUES 1, 3, 3");
        assertQuery("SELECT * FROM lake.s.theirs", "VALUES 4");
        assertUpdate("DROP TABLE stock.s.ours");
        assertUpdate("DROP TABLE lake.s.theirs");
        assertUpdate("CREATE VIEW stock.s.their_view AS SELECT 5 x");
        assertQuery("SELECT * FROM lake.s.their_view", "VALUES 5");
        assertUpdate("DROP VIEW lake.s.their_view");
        // what makes this connector needed
        assertThatStatement("CREATE MATERIALIZED VIEW stock.s.mv AS SELECT 1 x").hasMessage("createMaterializedView is not supported for Iceberg JDBC catalogs");
    }

    @Test
    void testSourceChangedByStock()
    {
        assertUpdate("CREATE TABLE stock.s.source AS SELECT 'a' k, 1 v", 1);
        assertUpdate("CREATE MATERIALIZED VIEW over_source AS SELECT k, sum(v) s FROM source GROUP BY k");
        assertUpdate("INSERT INTO stock.s.source VALUES ('a', 2), ('b', 3)", 2);
        assertThat(query("SELECT freshness FROM system.metadata.materialized_views WHERE catalog_name = 'lake' AND schema_name = 's' AND name = 'over_source'")).matches("VALUES VARCHAR 'STALE'");
        assertUpdate("REFRESH MATERIALIZED VIEW over_source");
        assertThat(oracle.lastRefresh("over_source").strategy()).hasValue("AGGREGATE_MERGE");
        oracle.assertExact("over_source");
        assertQuery("SELECT * FROM over_source", "VALUES ('a', 3), ('b', 3)");
        assertUpdate("DROP MATERIALIZED VIEW over_source");
        assertUpdate("DROP TABLE stock.s.source");
    }

    @Test
    void testBackingTableSeenByStock()
    {
        assertUpdate("CREATE TABLE seen_source AS SELECT 'a' k, 1 v", 1);
        assertUpdate("CREATE MATERIALIZED VIEW seen AS SELECT k, v FROM seen_source");
        assertThat(computeActual("SHOW TABLES FROM stock.s").getOnlyColumnAsSet()).contains("__mv_seen").doesNotContain("seen");
        assertQuery("SELECT k, v FROM stock.s.__mv_seen", "VALUES ('a', 1)");
        assertUpdate("ALTER TABLE stock.s.__mv_seen EXECUTE optimize");
        oracle.assertExact("seen");

        // Content of unknown origin is never served, and is replaced
        assertUpdate("INSERT INTO stock.s.__mv_seen VALUES ('false', 1)", 1);
        assertQuery("SELECT * FROM seen", "VALUES ('a', 1)");
        assertUpdate("REFRESH MATERIALIZED VIEW seen");
        assertThat(oracle.lastRefresh("seen").strategy()).hasValue("FULL_REFRESH");
        oracle.assertExact("seen");

        // Renamed by another engine, as far as one can be
        assertUpdate("ALTER TABLE stock.s.__mv_seen RENAME TO __mv_seen_elsewhere");
        assertThatStatement("SELECT * FROM seen").hasErrorCode(TABLE_NOT_FOUND);
        oracle.assertExact("seen_elsewhere");
        assertUpdate("DROP TABLE stock.s.__mv_seen_elsewhere");
        assertThatStatement("SELECT * FROM seen_elsewhere").hasErrorCode(TABLE_NOT_FOUND);
        assertUpdate("DROP TABLE seen_source");
    }

    /** C5: a table that another engine gives a view's name wins; the view is there again when the table has gone. */
    @Test
    void testTableOfTheName()
    {
        assertUpdate("CREATE MATERIALIZED VIEW shadowed AS SELECT 'view' x");
        assertUpdate("CREATE TABLE stock.s.shadowed AS SELECT 'table' x", 1);
        assertQuery("SELECT * FROM shadowed", "VALUES 'table'");
        assertThat(computeActual("SHOW TABLES LIKE 'shadowed'").getRowCount()).isEqualTo(1);
        assertQuery("SELECT count(*) FROM information_schema.columns WHERE table_schema = 's' AND table_name = 'shadowed'", "VALUES 1");
        assertThatStatement("CREATE MATERIALIZED VIEW shadowed AS SELECT 1 x").hasErrorCode(TABLE_ALREADY_EXISTS);
        assertThatStatement("DROP MATERIALIZED VIEW shadowed").hasMessageContaining("Did you mean DROP TABLE");
        assertThatStatement("SELECT * FROM \"__mv_shadowed\"").hasErrorCode(MATERIALIZED_VIEW_NOT_WRITABLE);
        assertUpdate("DROP TABLE shadowed");
        assertQuery("SELECT * FROM shadowed", "VALUES 'view'");
        assertUpdate("DROP MATERIALIZED VIEW shadowed");
    }

    /** A table of the reserved kind of name that is not ours stays a table. */
    @Test
    void testForeignTableOfReservedName()
    {
        assertUpdate("CREATE TABLE stock.s.__mv_foreign AS SELECT 1 x", 1);
        assertQuery("SELECT * FROM \"__mv_foreign\"", "VALUES 1");
        assertUpdate("INSERT INTO \"__mv_foreign\" VALUES 2", 1);
        assertThatStatement("SELECT * FROM \"foreign\"").hasErrorCode(TABLE_NOT_FOUND);
        assertThatStatement("CREATE MATERIALIZED VIEW \"foreign\" AS SELECT 1 x").hasErrorCode(TABLE_ALREADY_EXISTS)
                .hasMessage("Table 'lake.s.__mv_foreign' is in the way of the materialized view 's.foreign'; rename or drop it");
        assertUpdate("ALTER TABLE \"__mv_foreign\" RENAME TO out_of_the_way");
        assertUpdate("CREATE MATERIALIZED VIEW \"foreign\" AS SELECT x FROM out_of_the_way");
        oracle.assertExact("foreign");
        assertUpdate("DROP MATERIALIZED VIEW \"foreign\"");
        assertUpdate("DROP TABLE out_of_the_way");
    }

    private TrinoExceptionAssert assertThatStatement(@Language("SQL") String sql)
    {
        return assertTrinoExceptionThrownBy(() -> computeActual(sql)).describedAs(sql);
    }
}
