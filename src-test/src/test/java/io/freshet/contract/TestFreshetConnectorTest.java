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

import io.freshet.FreshetQueryRunner;
import io.trino.Session;
import io.trino.testing.BaseConnectorTest;
import io.trino.testing.MaterializedResult;
import io.trino.testing.QueryRunner;
import io.trino.testing.TestingConnectorBehavior;
import io.trino.testing.sql.TestTable;
import org.intellij.lang.annotations.Language;
import org.junit.jupiter.api.Test;

import java.util.Optional;
import java.util.OptionalInt;

import static io.freshet.FreshetQueryRunner.CATALOG;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static io.trino.testing.MaterializedResult.resultBuilder;
import static io.trino.testing.QueryAssertions.copyTpchTables;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * What Trino expects of every connector, on Freshet with a JDBC catalog. Each deviation is one of the Iceberg connector on the
 * same catalog, except for the two that are Freshet's own: {@link #assertUpdate} and the configured default of {@code build}.
 */
final class TestFreshetConnectorTest
        extends BaseConnectorTest
{
    private static final String TYPE_NOT_SUPPORTED = "|Time(stamp)? precision \\(3\\) not supported for Iceberg. .*|Type not supported for Iceberg: (smallint|tinyint|char\\(20\\))";

    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        QueryRunner queryRunner = FreshetQueryRunner.builder()
                .setWorkerCount(2)
                // Default values of columns need it
                .addCatalogProperty("iceberg.format-version", "3")
                // Trino's tests want a materialized view that is not fresh until it is refreshed
                .addCatalogProperty("freshet.default-build", "DEFERRED")
                .build();
        copyTpchTables(queryRunner, "tpch", "tiny", REQUIRED_TPCH_TABLES);
        return queryRunner;
    }

    @Override
    protected boolean hasBehavior(TestingConnectorBehavior connectorBehavior)
    {
        return switch (connectorBehavior) {
            case SUPPORTS_CREATE_OR_REPLACE_TABLE,
                 SUPPORTS_REPORTING_WRITTEN_BYTES -> true;
            case SUPPORTS_ADD_COLUMN_NOT_NULL_CONSTRAINT,
                 // A limit ends the listing of splits early, but the plan keeps it
                 SUPPORTS_LIMIT_PUSHDOWN,
                 SUPPORTS_REFRESH_VIEW,
                 SUPPORTS_RENAME_MATERIALIZED_VIEW_ACROSS_SCHEMAS,
                 // JDBC catalogs cannot
                 SUPPORTS_RENAME_SCHEMA,
                 SUPPORTS_TOPN_PUSHDOWN -> false;
            default -> super.hasBehavior(connectorBehavior);
        };
    }

    // Freshet

    /**
     * A refresh is run by the connector in statements of its own, so REFRESH has no row count. All refreshes with an expected
     * count are full ones: it is the number of rows that are there afterwards.
     */
    @Override
    protected void assertUpdate(Session session, @Language("SQL") String sql, long count)
    {
        String refresh = "REFRESH MATERIALIZED VIEW ";
        if (!sql.startsWith(refresh)) {
            super.assertUpdate(session, sql, count);
            return;
        }
        assertUpdate(session, sql);
        assertThat(computeScalar(session, "SELECT count(*) FROM " + sql.substring(refresh.length()))).isEqualTo(count);
    }

    // Types of the Iceberg format

    @Override
    protected MaterializedResult getDescribeOrdersResult()
    {
        // Iceberg has strings without a length
        return resultBuilder(getSession(), VARCHAR, VARCHAR, VARCHAR, VARCHAR)
                .row("orderkey", "bigint", "", "")
                .row("custkey", "bigint", "", "")
                .row("orderstatus", "varchar", "", "")
                .row("totalprice", "double", "", "")
                .row("orderdate", "date", "", "")
                .row("orderpriority", "varchar", "", "")
                .row("clerk", "varchar", "", "")
                .row("shippriority", "integer", "", "")
                .row("comment", "varchar", "", "")
                .build();
    }

    @Test
    @Override
    public void testShowCreateTable()
    {
        assertThat((String) computeScalar("SHOW CREATE TABLE orders"))
                .matches(
                        """
                        CREATE TABLE lake\\.s\\.orders \\(
                           orderkey bigint,
                           custkey bigint,
                           orderstatus varchar,
                           totalprice double,
                           orderdate date,
                           orderpriority varchar,
                           clerk varchar,
                           shippriority integer,
                           comment varchar
                        \\)
                        WITH \\(
                           format = 'PARQUET',
                           format_version = 3,
                           location = 'local:///warehouse/s/orders-[0-9a-f]+'
                        \\)\
                        """);
    }

    @Test
    @Override
    public void testCharVarcharComparison()
    {
        // char(3) is stored as a string without the padding
        assertThatThrownBy(super::testCharVarcharComparison)
                .hasMessageContaining("Actual rows (up to 100 of 1 extra rows shown, 1 rows in total):\n    [3, ]\nExpected rows (up to 100 of 1 missing rows shown, 1 rows in total):\n    [3,    ]");
    }

    @Test
    @Override
    public void testViewMetadata()
    {
        // JDBC catalogs hold views in the Iceberg format, whose strings have no length
        assertThatThrownBy(super::testViewMetadata)
                .hasMessageContaining("elements not found:\n  (y, varchar(3), , )\nand elements not expected:\n  (y, varchar, , )");
    }

    @Test
    @Override
    public void testDropRowFieldWhenDuplicates()
    {
        assertThatThrownBy(super::testDropRowFieldWhenDuplicates)
                .hasMessage("Field name 'a' specified more than once");
    }

    @Test
    @Override
    public void testDropAmbiguousRowFieldCaseSensitivity()
    {
        assertThatThrownBy(super::testDropAmbiguousRowFieldCaseSensitivity)
                .hasMessage("Field name 'some_field' specified more than once");
    }

    @Test
    @Override
    public void testSetFieldMapKeyType()
    {
        assertThatThrownBy(super::testSetFieldMapKeyType)
                .hasMessageStartingWith("Failed to set field type: Cannot alter map keys");
    }

    @Test
    @Override
    public void testSetNestedFieldMapKeyType()
    {
        assertThatThrownBy(super::testSetNestedFieldMapKeyType)
                .hasMessageStartingWith("Failed to set field type: Cannot alter map keys");
    }

    @Override
    protected Optional<SetColumnTypeSetup> filterSetColumnTypesDataProvider(SetColumnTypeSetup setup)
    {
        return filterTypeChange(setup);
    }

    @Override
    protected Optional<SetColumnTypeSetup> filterSetFieldTypesDataProvider(SetColumnTypeSetup setup)
    {
        if (setup.newColumnType().equals("row(\"y\" integer)")) {
            // no field is left in the file, so that the row around it is read as null too
            return Optional.empty();
        }
        return filterTypeChange(setup);
    }

    /** Iceberg can only promote types, and has fewer of them. */
    private static Optional<SetColumnTypeSetup> filterTypeChange(SetColumnTypeSetup setup)
    {
        return switch ("%s -> %s".formatted(setup.sourceColumnType(), setup.newColumnType())) {
            case "tinyint -> smallint",
                 "bigint -> integer",
                 "bigint -> smallint",
                 "bigint -> tinyint",
                 "decimal(5,3) -> decimal(5,2)",
                 "time(6) -> time(3)",
                 "timestamp(6) -> timestamp(3)",
                 "char(25) -> char(20)",
                 "varchar -> char(20)",
                 "map(integer, varchar) -> map(bigint, varchar)" -> Optional.of(setup.asUnsupported());
            // read in UTC
            case "timestamp(3) with time zone -> timestamp(6) with time zone" -> Optional.of(setup.withNewValueLiteral("TIMESTAMP '2020-02-12 14:03:00.123000 UTC'"));
            // a row of which no field is left in the file
            case "row(x integer) -> row(\"y\" integer)" -> Optional.of(setup.withNewValueLiteral("NULL"));
            // a string without a length before and after
            case "varchar(100) -> varchar(50)" -> Optional.empty();
            default -> Optional.of(setup);
        };
    }

    @Override
    protected void verifySetColumnTypeFailurePermissible(Throwable e)
    {
        assertThat(e).hasMessageMatching("Failed to set column type: Cannot (change|update) .*" + TYPE_NOT_SUPPORTED);
    }

    @Override
    protected void verifySetFieldTypeFailurePermissible(Throwable e)
    {
        assertThat(e).hasMessageMatching("Failed to set field type: Cannot (change|update) .*" + TYPE_NOT_SUPPORTED);
    }

    // Tables of the Iceberg connector

    @Override
    protected void verifyVersionedQueryFailurePermissible(Exception e)
    {
        // Snapshots and moments that do not exist
        assertThat(e).hasMessageMatching("Version pointer type is not supported: .*|" +
                "Unsupported type for temporal table version: .*|" +
                "Unsupported type for table version: .*|" +
                "No version history table .* at or before .*|" +
                "Iceberg snapshot ID does not exists: .*|" +
                "Cannot find snapshot with reference name: .*");
    }

    @Override
    protected void verifyConcurrentUpdateFailurePermissible(Exception e)
    {
        // Optimistic commits: one of two wins
        assertThat(e).hasMessageContaining("Found conflicting files that can contain records matching");
    }

    @Override
    protected void verifyConcurrentAddColumnFailurePermissible(Exception e)
    {
        assertThat(e).hasMessageContaining("Failed to update table due to concurrent updates");
    }

    @Override
    protected String errorMessageForInsertIntoNotNullColumn(String columnName)
    {
        return "NULL value not allowed for NOT NULL column: " + columnName;
    }

    @Override
    protected TestTable createTableWithDefaultColumns()
    {
        return newTrinoTable(
                "test_default_columns",
                "(col_required BIGINT NOT NULL, col_nullable BIGINT, col_default BIGINT DEFAULT 43, col_nonnull_default BIGINT DEFAULT 42 NOT NULL, col_required2 BIGINT NOT NULL)");
    }

    @Override
    protected Session withoutSmallFileThreshold(Session session)
    {
        return Session.builder(session)
                .setCatalogSessionProperty(CATALOG, "parquet_small_file_threshold", "0B")
                .build();
    }

    // Schemas and views of JDBC catalogs, and names in SQLite and in file systems

    @Test
    @Override
    public void testShowCreateSchema()
    {
        assertThat(computeScalar("SHOW CREATE SCHEMA s"))
                .isEqualTo(
                        """
                        CREATE SCHEMA lake.s
                        WITH (
                           location = 'local:///warehouse/s'
                        )\
                        """);
    }

    @Test
    @Override
    public void testRenameSchema()
    {
        // Only the words differ
        assertQueryFails("ALTER SCHEMA s RENAME TO renamed", "renameNamespace is not supported for Iceberg JDBC catalogs");
    }

    @Test
    @Override
    public void testCreateViewSchemaNotFound()
    {
        // JDBC catalogs hold views of any schema
        assertThatThrownBy(super::testCreateViewSchemaNotFound)
                .hasMessageStartingWith("Expected query to fail: CREATE VIEW");
    }

    @Test
    @Override
    public void testShowCreateView()
    {
        // The location is shown
        String view = "test_show_create_view";
        assertUpdate("CREATE VIEW " + view + " AS SELECT * FROM (VALUES (1, 'one'), (2, 't')) t (col1, col2)");
        assertThat((String) computeScalar("SHOW CREATE VIEW " + view))
                .matches("(?s)CREATE VIEW lake\\.s\\.test_show_create_view SECURITY DEFINER\nWITH \\(\n   location = 'local:///warehouse/s/test_show_create_view-[0-9a-f]+'\n\\) AS\nSELECT \\*\nFROM\n.*VALUES.*");
        assertUpdate("DROP VIEW " + view);
    }

    @Override
    protected OptionalInt maxSchemaNameLength()
    {
        // SQLite refuses patterns of more than 50,000 bytes; the catalog looks for sub-schemas by a pattern with escapes
        return OptionalInt.of(49_996);
    }

    @Override
    protected void verifySchemaNameLengthFailurePermissible(Throwable e)
    {
        assertThat(e).hasStackTraceContaining("LIKE or GLOB pattern too complex");
    }

    @Override
    protected OptionalInt maxTableNameLength()
    {
        // The name of the folder has 33 characters more
        return OptionalInt.of(255 - 33);
    }

    @Override
    protected OptionalInt maxTableRenameLength()
    {
        // The folder keeps its name
        return OptionalInt.empty();
    }

    @Override
    protected void verifyTableNameLengthFailurePermissible(Throwable e)
    {
        assertThat(e).hasStackTraceContaining("File name too long");
    }
}
