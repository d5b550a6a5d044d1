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
import io.freshet.spi.refresh.StatementContexts;
import io.trino.Session;
import io.trino.plugin.iceberg.TableType;
import io.trino.spi.ErrorCodeSupplier;
import io.trino.spi.connector.Connector;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.TableProcedureMetadata;
import io.trino.spi.function.table.ConnectorTableFunction;
import io.trino.spi.procedure.Procedure;
import io.trino.spi.security.Identity;
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.MaterializedResult;
import io.trino.testing.QueryRunner;
import org.assertj.core.api.SoftAssertions;
import org.intellij.lang.annotations.Language;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static io.freshet.FreshetQueryRunner.CATALOG;
import static io.freshet.FreshetQueryRunner.SCHEMA;
import static io.freshet.spi.FreshetErrorCode.MATERIALIZED_VIEW_NOT_WRITABLE;
import static io.trino.spi.StandardErrorCode.ALREADY_EXISTS;
import static io.trino.spi.StandardErrorCode.BRANCH_NOT_FOUND;
import static io.trino.spi.StandardErrorCode.COLUMN_NOT_FOUND;
import static io.trino.spi.StandardErrorCode.GENERIC_USER_ERROR;
import static io.trino.spi.StandardErrorCode.INVALID_ARGUMENTS;
import static io.trino.spi.StandardErrorCode.NOT_FOUND;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.spi.StandardErrorCode.TABLE_ALREADY_EXISTS;
import static io.trino.spi.StandardErrorCode.TABLE_NOT_FOUND;
import static io.trino.testing.assertions.TrinoExceptionAssert.assertTrinoExceptionThrownBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.TestInstance.Lifecycle.PER_CLASS;
import static org.junit.jupiter.api.parallel.ExecutionMode.SAME_THREAD;

/**
 * Nobody reads, changes or finds the table behind a view. The lists of statements are complete: a procedure, function or
 * metadata table that a later version adds fails the test until somebody has decided about it.
 */
@TestInstance(PER_CLASS)
@Execution(SAME_THREAD)
final class TestSideDoors
        extends AbstractTestQueryFramework
{
    private static final SchemaTableName VIEW = new SchemaTableName(SCHEMA, "mv");

    private ViewOracle oracle;

    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return FreshetQueryRunner.builder()
                .addCatalogProperty("iceberg.register-table-procedure.enabled", "true")
                .addCatalogProperty("iceberg.add-files-procedure.enabled", "true")
                .build();
    }

    @BeforeAll
    void createView()
    {
        oracle = new ViewOracle(getQueryRunner());
        assertUpdate("CREATE TABLE t (k varchar, v bigint)");
        assertUpdate("INSERT INTO t VALUES ('a', 1), ('b', 2), ('b', 3)", 3);
        // with states, and a row that is kept but not shown
        assertUpdate("CREATE MATERIALIZED VIEW mv COMMENT 'seen' AS SELECT k, avg(v) a FROM t GROUP BY k HAVING count(*) > 1");
        assertUpdate("CREATE VIEW logical AS SELECT * FROM t");
        assertQuery("SELECT * FROM mv", "VALUES ('b', 2.5)");
    }

    @Test
    void testRead()
    {
        assertRefused(
                "SELECT * FROM \"__mv_mv\"",
                "TABLE \"__MV_mv\"",
                "SELECT \"$path\" FROM \"__mv_mv\"",
                "SELECT * FROM \"__mv_mv\" FOR VERSION AS OF 1",
                "SELECT * FROM \"__mv_mv\" FOR TIMESTAMP AS OF TIMESTAMP '2026-01-01 00:00:00 UTC'",
                "SELECT * FROM \"mv$materialized_view_storage\"",
                "EXPLAIN SELECT * FROM \"__mv_mv\"",
                "EXPLAIN ANALYZE SELECT * FROM \"__mv_mv\"",
                "EXECUTE IMMEDIATE 'SELECT * FROM \"__mv_mv\"'",
                "DESCRIBE \"__mv_mv\"",
                "SHOW COLUMNS FROM \"__mv_mv\"",
                "SHOW CREATE TABLE \"__mv_mv\"",
                "SHOW CREATE VIEW \"__mv_mv\"",
                "SHOW CREATE MATERIALIZED VIEW \"__mv_mv\"",
                "SHOW STATS FOR \"__mv_mv\"",
                "SHOW STATS FOR (SELECT * FROM \"__mv_mv\")",
                "SHOW BRANCHES IN TABLE \"__mv_mv\"",
                "ANALYZE \"__mv_mv\"",
                "INSERT INTO t SELECT k, 1 FROM \"__mv_mv\"",
                "DELETE FROM t WHERE k IN (SELECT k FROM \"__mv_mv\")",
                "CREATE TABLE copy AS SELECT * FROM \"__mv_mv\"",
                "CREATE TABLE copy (LIKE \"__mv_mv\")",
                "CREATE VIEW copy AS SELECT * FROM \"__mv_mv\"",
                "CREATE MATERIALIZED VIEW copy AS SELECT * FROM \"__mv_mv\"");
        assertRefusedWith(TABLE_NOT_FOUND, "SELECT * FROM \"__mv_mv#0123456789abcdef\"", "SELECT * FROM \"__mv_mv@main\"");
    }

    /** The engine may read the table for the view's sake, and only then. */
    @Test
    void testReadBesideTheView()
    {
        assertRefused(
                "SELECT * FROM mv, \"__mv_mv\"",
                "SELECT * FROM \"__mv_mv\", mv",
                "SELECT * FROM mv WHERE k IN (SELECT k FROM \"__mv_mv\")",
                "SELECT * FROM mv UNION ALL SELECT k, a FROM \"__mv_mv\"",
                "SELECT * FROM mv, \"__mv_mv$files\"",
                "SELECT * FROM mv, \"__mv_mv$partitions\"",
                "SELECT * FROM mv, \"mv$materialized_view_storage\"",
                "SELECT * FROM mv, TABLE(lake.system.table_changes('s', '__mv_mv', 1, 2))",
                "SELECT * FROM mv, TABLE(lake.system.table_delta('s', '__mv_mv', 1, 2))",
                "INSERT INTO \"__mv_mv\" SELECT * FROM mv",
                "MERGE INTO \"__mv_mv\" x USING mv ON x.k = mv.k WHEN MATCHED THEN DELETE",
                "DELETE FROM \"__mv_mv\" WHERE k IN (SELECT k FROM mv)");
        assertRefusedWith(COLUMN_NOT_FOUND, "SELECT __mv_visible FROM mv", "SELECT \"$path\" FROM mv");
        assertTrinoExceptionThrownBy(() -> inTransaction(session -> {
            assertThat(computeActual(session, "SELECT * FROM mv").getRowCount()).isEqualTo(1);
            computeActual(session, "SELECT * FROM \"__mv_mv\"");
        })).hasErrorCode(MATERIALIZED_VIEW_NOT_WRITABLE);
    }

    @Test
    void testFalseToken()
    {
        Session session = Session.builder(getSession())
                .setIdentity(Identity.from(getSession().getIdentity())
                        .withExtraCredentials(ImmutableMap.of(StatementContexts.TOKEN_CREDENTIAL, "0".repeat(64)))
                        .build())
                .build();
        String before = metadataLocation();
        for (String sql : List.of("SELECT * FROM \"__mv_mv\"", "DELETE FROM \"__mv_mv\"", "SELECT * FROM mv, \"__mv_mv\"")) {
            assertTrinoExceptionThrownBy(() -> computeActual(session, sql)).hasErrorCode(MATERIALIZED_VIEW_NOT_WRITABLE);
        }
        assertThat(metadataLocation()).isEqualTo(before);
    }

    @Test
    void testWrite()
    {
        assertRefused(
                "INSERT INTO \"__mv_mv\" VALUES ('x', 1e0)",
                "INSERT INTO \"__mv_mv\" (k) VALUES 'x'",
                "UPDATE \"__mv_mv\" SET a = 1",
                "UPDATE \"__mv_mv\" SET a = 1 WHERE k = 'b'",
                "DELETE FROM \"__mv_mv\"",
                "DELETE FROM \"__mv_mv\" WHERE k = 'b'",
                "MERGE INTO \"__mv_mv\" x USING t ON x.k = t.k WHEN MATCHED THEN DELETE",
                "TRUNCATE TABLE \"__mv_mv\"");
        assertRefusedWith(BRANCH_NOT_FOUND, "INSERT INTO \"__mv_mv\" @ b VALUES ('x', 1e0)");
    }

    @Test
    void testAlter()
    {
        assertRefused(
                "ALTER TABLE \"__mv_mv\" ADD COLUMN z int",
                "ALTER TABLE IF EXISTS \"__mv_mv\" ADD COLUMN IF NOT EXISTS z int",
                "ALTER TABLE \"__mv_mv\" DROP COLUMN a",
                "ALTER TABLE \"__mv_mv\" RENAME COLUMN a TO b",
                "ALTER TABLE \"__mv_mv\" ALTER COLUMN a SET DATA TYPE double",
                "ALTER TABLE \"__mv_mv\" ALTER COLUMN k DROP NOT NULL",
                "ALTER TABLE \"__mv_mv\" ALTER COLUMN a SET DEFAULT 1e0",
                "ALTER TABLE \"__mv_mv\" ALTER COLUMN a DROP DEFAULT",
                "ALTER TABLE \"__mv_mv\" SET PROPERTIES format = 'ORC'",
                "ALTER TABLE \"__mv_mv\" SET AUTHORIZATION admin",
                "ALTER TABLE \"__mv_mv\" RENAME TO free",
                "ALTER TABLE t RENAME TO \"__mv_mv\"",
                "ALTER VIEW \"__mv_mv\" RENAME TO free",
                "ALTER MATERIALIZED VIEW \"__mv_mv\" RENAME TO free",
                "ALTER MATERIALIZED VIEW \"__mv_mv\" SET PROPERTIES refresh_mode = 'FULL'",
                "COMMENT ON TABLE \"__mv_mv\" IS 'x'",
                "COMMENT ON VIEW \"__mv_mv\" IS 'x'",
                "COMMENT ON COLUMN \"__mv_mv\".a IS 'x'",
                "CREATE BRANCH b IN TABLE \"__mv_mv\"",
                "DROP BRANCH b IN TABLE \"__mv_mv\"",
                "ALTER BRANCH main IN TABLE \"__mv_mv\" FAST FORWARD TO b",
                "GRANT SELECT ON \"__mv_mv\" TO USER bob",
                "DENY SELECT ON \"__mv_mv\" TO USER bob",
                "REVOKE SELECT ON \"__mv_mv\" FROM USER bob",
                "DROP TABLE \"__mv_mv\"",
                "DROP TABLE IF EXISTS \"__mv_mv\"",
                "DROP VIEW \"__mv_mv\"",
                "DROP MATERIALIZED VIEW \"__mv_mv\"",
                "CREATE TABLE \"__mv_mv\" (x int)",
                "CREATE TABLE IF NOT EXISTS \"__mv_mv\" (x int)",
                "CREATE TABLE \"__mv_mv\" AS SELECT 1 x",
                "CREATE OR REPLACE TABLE \"__mv_mv\" (x int)",
                "CREATE OR REPLACE TABLE \"__mv_mv\" AS SELECT 1 x",
                "CREATE VIEW \"__mv_mv\" AS SELECT 1 x",
                "CREATE OR REPLACE VIEW \"__mv_mv\" AS SELECT 1 x");
        assertRefusedWith(
                TABLE_NOT_FOUND,
                "ALTER VIEW \"__mv_mv\" SET AUTHORIZATION admin",
                "ALTER MATERIALIZED VIEW \"__mv_mv\" SET AUTHORIZATION admin",
                "REFRESH MATERIALIZED VIEW \"__mv_mv\"");
    }

    @Test
    void testReservedNames()
    {
        assertRefusedWith(
                INVALID_ARGUMENTS,
                "CREATE TABLE \"__mv_free\" (x int)",
                "CREATE TABLE \"__mv_free\" AS SELECT 1 x",
                "CREATE OR REPLACE TABLE \"__mv_free\" AS SELECT 1 x",
                "CREATE VIEW \"__mv_free\" AS SELECT 1 x",
                "CREATE MATERIALIZED VIEW \"__mv_free\" AS SELECT 1 x",
                "CREATE OR REPLACE MATERIALIZED VIEW \"__mv_mv\" AS SELECT 1 x",
                "ALTER TABLE t RENAME TO \"__mv_free\"",
                "ALTER VIEW logical RENAME TO \"__mv_free\"",
                "ALTER MATERIALIZED VIEW mv RENAME TO \"__mv_free\"",
                "CALL lake.system.register_table('s', '__mv_free', '%s')".formatted(tableLocation("t")));
        assertThat(computeActual("SHOW TABLES").getOnlyColumnAsSet()).isEqualTo(Set.of("t", "logical", "mv"));
    }

    @Test
    void testProcedures()
    {
        Map<String, String> calls = ImmutableMap.<String, String>builder()
                .put("rollback_to_snapshot", "CALL lake.system.rollback_to_snapshot('s', '__mv_mv', 1)")
                .put("unregister_table", "CALL lake.system.unregister_table('s', '__mv_mv')")
                .put("register_table", "")
                .put("refresh_materialized_view", "")
                .put("cancel_refresh", "")
                .put("verify_materialized_view", "")
                .put("swap_materialized_views", "")
                .put("pause_materialized_view", "")
                .put("resume_materialized_view", "")
                .buildOrThrow();
        assertComplete(connector().getProcedures(), Procedure::getName, calls);
        assertRefused(statements(calls));
        assertRefusedWith(INVALID_ARGUMENTS, "CALL lake.system.register_table('s', '__mv_mv', '%s')".formatted(tableLocation("t")));
        assertRefusedWith(ALREADY_EXISTS, "CALL lake.system.register_table('s', 'mv', '%s')".formatted(tableLocation("t")));
        assertRefusedWith(
                NOT_FOUND,
                "CALL lake.system.refresh_materialized_view('s', '__mv_mv')",
                "CALL lake.system.cancel_refresh('s', '__mv_mv')",
                "CALL lake.system.verify_materialized_view('s', '__mv_mv')",
                "CALL lake.system.swap_materialized_views('s', '__mv_mv', 'mv')",
                "CALL lake.system.swap_materialized_views('s', 'mv', '__mv_mv')",
                "CALL lake.system.pause_materialized_view('s', '__mv_mv')",
                "CALL lake.system.resume_materialized_view('s', '__mv_mv')");
    }

    @Test
    void testTableProcedures()
    {
        Map<String, String> executions = ImmutableMap.<String, String>builder()
                .put("OPTIMIZE", "optimize")
                .put("OPTIMIZE_MANIFESTS", "optimize_manifests")
                .put("DROP_EXTENDED_STATS", "drop_extended_stats")
                .put("ROLLBACK_TO_SNAPSHOT", "rollback_to_snapshot(1)")
                .put("EXPIRE_SNAPSHOTS", "expire_snapshots(retention_threshold => '0s')")
                .put("REMOVE_ORPHAN_FILES", "remove_orphan_files(retention_threshold => '0s')")
                .put("ADD_FILES", "add_files(location => 'local:///warehouse', format => 'PARQUET')")
                .put("ADD_FILES_FROM_TABLE", "add_files_from_table(schema_name => 's', table_name => 't')")
                .buildOrThrow();
        assertComplete(connector().getTableProcedures(), TableProcedureMetadata::getName, executions);
        assertRefused(executions.values().stream()
                .map(execution -> "ALTER TABLE \"__mv_mv\" EXECUTE " + execution)
                .toArray(String[]::new));
    }

    @Test
    void testTableFunctions()
    {
        Map<String, String> invocations = ImmutableMap.<String, String>builder()
                .put("table_changes", "SELECT * FROM TABLE(lake.system.table_changes('s', '__mv_mv', 1, 2))")
                .put("table_delta", "SELECT * FROM TABLE(lake.system.table_delta('s', '__mv_mv', 1, 2))")
                .put("explain_refresh", "")
                .put("explain_incremental", "SELECT * FROM TABLE(lake.system.explain_incremental('SELECT * FROM __mv_mv', 's'))")
                .buildOrThrow();
        assertComplete(connector().getTableFunctions(), ConnectorTableFunction::getName, invocations);
        assertRefused(statements(invocations));
        assertRefused(
                "SELECT * FROM TABLE(lake.system.table_changes(schema_name => 's', table_name => '__MV_MV', start_snapshot_id => 1, end_snapshot_id => 2))",
                "SELECT * FROM TABLE(lake.system.table_delta(schema_name => 'S', table_name => '__mv_MV', from_snapshot_id => 1, to_snapshot_id => 2))");
        assertRefusedWith(NOT_FOUND, "SELECT * FROM TABLE(lake.system.explain_refresh('s', '__mv_mv'))");
    }

    @Test
    void testMetadataTables()
    {
        for (TableType type : TableType.values()) {
            String table = "__mv_mv$" + type.name().toLowerCase(Locale.ENGLISH);
            assertRefused("SELECT * FROM \"%s\"".formatted(table), "SELECT count(*) FROM \"%s\"".formatted(table.toUpperCase(Locale.ENGLISH)));
        }
    }

    /** What is done to the view by statements that are for tables. */
    @Test
    void testView()
    {
        assertRefusedWith(
                Set.of(NOT_SUPPORTED, TABLE_NOT_FOUND, NOT_FOUND, ALREADY_EXISTS, TABLE_ALREADY_EXISTS, GENERIC_USER_ERROR),
                "INSERT INTO mv VALUES ('x', 1e0)",
                "UPDATE mv SET a = 1",
                "DELETE FROM mv",
                "DELETE FROM mv WHERE k = 'b'",
                "MERGE INTO mv USING t ON mv.k = t.k WHEN MATCHED THEN DELETE",
                "TRUNCATE TABLE mv",
                "ALTER TABLE mv ADD COLUMN z int",
                "ALTER TABLE mv DROP COLUMN a",
                "ALTER TABLE mv RENAME COLUMN a TO b",
                "ALTER TABLE mv ALTER COLUMN a SET DATA TYPE double",
                "ALTER TABLE mv SET PROPERTIES format = 'ORC'",
                "ALTER TABLE mv SET AUTHORIZATION admin",
                "ALTER TABLE mv RENAME TO free",
                "ALTER TABLE mv EXECUTE optimize",
                "ALTER TABLE t RENAME TO mv",
                "ALTER VIEW logical RENAME TO mv",
                "ALTER VIEW mv RENAME TO free",
                "ALTER MATERIALIZED VIEW mv RENAME TO t",
                "ALTER MATERIALIZED VIEW mv RENAME TO logical",
                "COMMENT ON TABLE mv IS 'x'",
                "COMMENT ON VIEW mv IS 'x'",
                "ANALYZE mv",
                "CREATE BRANCH b IN TABLE mv",
                "DROP TABLE mv",
                "DROP VIEW mv",
                "CREATE TABLE mv (x int)",
                "CREATE TABLE mv AS SELECT 1 x",
                "CREATE OR REPLACE TABLE mv (x int)",
                "CREATE OR REPLACE TABLE mv AS SELECT 1 x",
                "CREATE VIEW mv AS SELECT 1 x",
                "CREATE OR REPLACE VIEW mv AS SELECT 1 x",
                "CALL lake.system.rollback_to_snapshot('s', 'mv', 1)",
                "CALL lake.system.unregister_table('s', 'mv')",
                "SELECT * FROM TABLE(lake.system.table_changes('s', 'mv', 1, 2))",
                "SELECT * FROM TABLE(lake.system.table_delta('s', 'mv', 1, 2))");
        assertQuery("SELECT * FROM mv", "VALUES ('b', 2.5)");
    }

    @Test
    void testListings()
    {
        assertThat(computeActual("SHOW TABLES").getOnlyColumnAsSet()).isEqualTo(Set.of("t", "logical", "mv"));
        assertThat(computeActual("SHOW TABLES LIKE '%mv%'").getOnlyColumnAsSet()).isEqualTo(Set.of("mv"));
        assertRows("SELECT table_name, table_type FROM information_schema.tables WHERE table_schema = 's'", "('t', 'BASE TABLE'), ('logical', 'VIEW'), ('mv', 'BASE TABLE')");
        assertRows("SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 's'", "('t', 'k'), ('t', 'v'), ('logical', 'k'), ('logical', 'v'), ('mv', 'k'), ('mv', 'a')");
        assertRows("SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 's' AND table_name = 'mv'", "('mv', 'k'), ('mv', 'a')");
        assertRows("SELECT table_name FROM information_schema.views WHERE table_schema = 's'", "('logical')");
        assertRows("SELECT table_name, table_type FROM system.jdbc.tables WHERE table_cat = 'lake' AND table_schem = 's'", "('t', 'TABLE'), ('logical', 'VIEW'), ('mv', 'TABLE')");
        assertRows("SELECT table_name, column_name FROM system.jdbc.columns WHERE table_cat = 'lake' AND table_schem = 's'", "('t', 'k'), ('t', 'v'), ('logical', 'k'), ('logical', 'v'), ('mv', 'k'), ('mv', 'a')");
        assertRows("SELECT table_name, comment FROM system.metadata.table_comments WHERE catalog_name = 'lake' AND schema_name = 's'", "('t', NULL), ('logical', NULL), ('mv', 'seen')");
        assertRows("SELECT name, freshness, comment FROM system.metadata.materialized_views WHERE catalog_name = 'lake'", "('mv', 'FRESH', 'seen')");
        assertRows("SELECT schema_name, view_name FROM lake.system.materialized_views", "('s', 'mv')");
        assertRows("SELECT table_schema, table_name FROM lake.system.iceberg_tables", "('s', 't')");
        for (String listing : List.of(
                "SELECT * FROM information_schema.columns WHERE table_schema = 's' AND table_name = '__mv_mv'",
                "SELECT * FROM information_schema.tables WHERE table_schema = 's' AND table_name = '__mv_mv'",
                "SELECT * FROM information_schema.views WHERE table_schema = 's' AND table_name = '__mv_mv'",
                "SELECT * FROM system.jdbc.columns WHERE table_cat = 'lake' AND table_schem = 's' AND table_name = '__mv_mv'",
                "SELECT * FROM system.jdbc.tables WHERE table_cat = 'lake' AND table_schem = 's' AND table_name = '__mv_mv'",
                "SELECT * FROM system.metadata.table_comments WHERE catalog_name = 'lake' AND schema_name = 's' AND table_name = '__mv_mv'",
                "SELECT * FROM system.metadata.materialized_views WHERE catalog_name = 'lake' AND schema_name = 's' AND name = '__mv_mv'")) {
            assertThat(computeActual(listing).getMaterializedRows()).describedAs(listing).isEmpty();
        }
        assertRows("SHOW COLUMNS FROM mv", "('k', 'varchar', '', ''), ('a', 'double', '', '')");
        assertThat((String) computeScalar("EXPLAIN SELECT * FROM mv")).describedAs("the stored rows are read").contains("lake:s.__mv_mv$data");
        assertThat(computeActual("SHOW STATS FOR mv").getMaterializedRows()).extracting(row -> row.getField(0)).containsExactly("k", "a", null);
    }

    private void assertRows(@Language("SQL") String sql, String values)
    {
        assertThat(query(sql)).skippingTypesCheck().matches("VALUES " + values);
    }

    private void assertRefused(String... statements)
    {
        assertRefusedWith(MATERIALIZED_VIEW_NOT_WRITABLE, statements);
    }

    /** Refused, and nothing changed. */
    private void assertRefusedWith(ErrorCodeSupplier errorCode, String... statements)
    {
        assertRefusedWith(Set.of(errorCode), statements);
    }

    private void assertRefusedWith(Set<ErrorCodeSupplier> errorCodes, String... statements)
    {
        String before = metadataLocation();
        SoftAssertions softly = new SoftAssertions();
        for (String sql : statements) {
            softly.assertThatCode(() -> assertTrinoExceptionThrownBy(() -> computeActual(sql))
                            .describedAs(sql)
                            .hasErrorCode(errorCodes.toArray(ErrorCodeSupplier[]::new)))
                    .describedAs(sql)
                    .doesNotThrowAnyException();
            softly.assertThat(metadataLocation()).describedAs("metadata of the backing table after " + sql).isEqualTo(before);
        }
        softly.assertAll();
        MaterializedResult rows = computeActual("SELECT * FROM mv");
        assertThat(rows.getMaterializedRows()).hasSize(1);
    }

    private static <T> void assertComplete(Collection<T> items, Function<T, String> name, Map<String, String> statements)
    {
        assertThat(items.stream().map(name).collect(toImmutableSet())).isEqualTo(statements.keySet());
    }

    private static String[] statements(Map<String, String> statements)
    {
        return statements.values().stream()
                .filter(sql -> !sql.isEmpty())
                .toArray(String[]::new);
    }

    /** Changes with every commit of any kind. */
    private String metadataLocation()
    {
        return oracle.view(VIEW).backingTable().operations().current().metadataFileLocation();
    }

    private String tableLocation(String table)
    {
        return (String) computeScalar("SELECT value FROM \"%s$properties\" WHERE key = 'location'".formatted(table));
    }

    private Connector connector()
    {
        return getDistributedQueryRunner().getCoordinator().getConnector(CATALOG);
    }
}
