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
import io.freshet.ViewOracle;
import io.trino.Session;
import io.trino.spi.connector.SchemaTableName;
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.MaterializedResult;
import io.trino.testing.QueryRunner;
import io.trino.testing.assertions.TrinoExceptionAssert;
import org.apache.iceberg.TableMetadata;
import org.intellij.lang.annotations.Language;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import java.time.Instant;
import java.util.List;

import static io.freshet.FreshetQueryRunner.SCHEMA;
import static io.freshet.spi.FreshetErrorCode.REFRESH_FAILED;
import static io.trino.server.testing.TestingTrinoServer.SESSION_START_TIME_PROPERTY;
import static io.trino.spi.StandardErrorCode.ALREADY_EXISTS;
import static io.trino.spi.StandardErrorCode.COLUMN_NOT_FOUND;
import static io.trino.spi.StandardErrorCode.DUPLICATE_COLUMN_NAME;
import static io.trino.spi.StandardErrorCode.GENERIC_USER_ERROR;
import static io.trino.spi.StandardErrorCode.INVALID_ARGUMENTS;
import static io.trino.spi.StandardErrorCode.INVALID_MATERIALIZED_VIEW_PROPERTY;
import static io.trino.spi.StandardErrorCode.INVALID_TABLE_PROPERTY;
import static io.trino.spi.StandardErrorCode.NOT_FOUND;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.spi.StandardErrorCode.TABLE_ALREADY_EXISTS;
import static io.trino.spi.StandardErrorCode.TABLE_NOT_FOUND;
import static io.trino.spi.StandardErrorCode.VIEW_IS_RECURSIVE;
import static io.trino.spi.StandardErrorCode.VIEW_IS_STALE;
import static io.trino.testing.assertions.TrinoExceptionAssert.assertTrinoExceptionThrownBy;
import static java.util.Locale.ENGLISH;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.TestInstance.Lifecycle.PER_CLASS;

/**
 * From CREATE to DROP, one statement after another. What concurrent statements and failures leave behind is in {@link TestViewTraces}.
 */
@TestInstance(PER_CLASS)
final class TestViewLifecycle
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
    void createSource()
    {
        oracle = new ViewOracle(getQueryRunner());
        assertUpdate("CREATE TABLE t (k varchar, v bigint, d date)");
        assertUpdate("INSERT INTO t VALUES ('a', 1, DATE '2026-01-05'), ('a', 2, DATE '2026-01-20'), ('b', 4, DATE '2026-02-05')", 3);
    }

    @Test
    void testBuild()
    {
        assertUpdate("CREATE MATERIALIZED VIEW immediate AS SELECT k, sum(v) s FROM t GROUP BY k");
        oracle.assertExact("immediate");
        assertThat(oracle.lastRefresh("immediate").trigger().name()).isEqualTo("CREATE");
        assertUpdate("CREATE MATERIALIZED VIEW spelled_out WITH (build = 'immediate') AS SELECT k FROM t");
        oracle.assertExact("spelled_out");

        assertUpdate("CREATE MATERIALIZED VIEW deferred WITH (build = 'DEFERRED') AS SELECT k, sum(v) s FROM t GROUP BY k");
        assertThat(plan("TABLE deferred")).contains("lake:s.t$data").doesNotContain("__mv_deferred");
        assertQuery("TABLE deferred", "VALUES ('a', 3), ('b', 4)");
        assertUpdate("REFRESH MATERIALIZED VIEW deferred");
        oracle.assertExact("deferred");

        assertThatStatement("CREATE MATERIALIZED VIEW other WITH (build = 'later') AS SELECT k FROM t").hasErrorCode(INVALID_MATERIALIZED_VIEW_PROPERTY)
                .hasMessageEndingWith("Invalid value for build: 'later'. Valid values are IMMEDIATE, DEFERRED");
    }

    @Test
    void testIfNotExists()
    {
        assertUpdate("CREATE MATERIALIZED VIEW IF NOT EXISTS once AS SELECT k FROM t");
        assertUpdate("CREATE MATERIALIZED VIEW IF NOT EXISTS once AS SELECT v FROM t");
        assertThat(query("TABLE once")).matches("SELECT k FROM t");
        assertThatStatement("CREATE MATERIALIZED VIEW once AS SELECT v FROM t").hasErrorCode(ALREADY_EXISTS)
                .hasMessage("Materialized view already exists: 'lake.s.once'");
        assertThatStatement("CREATE MATERIALIZED VIEW missing.once AS SELECT v FROM t").hasErrorCode(NOT_FOUND)
                .hasMessage("Schema missing not found");
    }

    @Test
    void testReplace()
    {
        assertUpdate("CREATE OR REPLACE MATERIALIZED VIEW replaced COMMENT 'old' WITH (partitioning = ARRAY['k']) AS SELECT k, v FROM t");
        assertUpdate("CREATE OR REPLACE MATERIALIZED VIEW replaced WITH (format = 'ORC') AS SELECT v AS k, d FROM t");
        assertThat(query("TABLE replaced")).matches("SELECT v, d FROM t");
        oracle.assertExact("replaced");
        assertThat(showCreate("replaced")).contains("format = 'ORC'").doesNotContain("partitioning", "old");

        // a failed replacement changes nothing
        assertThatStatement("CREATE OR REPLACE MATERIALIZED VIEW replaced AS SELECT 1 / (v - 1) x FROM t").hasErrorCode(REFRESH_FAILED)
                .hasMessage("Materialized view 'lake.s.replaced' could not be replaced: Division by zero");
        oracle.assertExact("replaced");

        assertUpdate("CREATE OR REPLACE MATERIALIZED VIEW replaced WITH (build = 'DEFERRED') AS SELECT count(*) c FROM t");
        assertThat(plan("TABLE replaced")).doesNotContain("__mv_replaced");
        assertQuery("TABLE replaced", "VALUES 3");
        assertUpdate("REFRESH MATERIALIZED VIEW replaced");
        oracle.assertExact("replaced");
        assertThat(oracle.lastRefresh("replaced").strategy()).hasValue("FULL_REFRESH");
    }

    @Test
    void testCommentAndFreshness()
    {
        assertUpdate("CREATE TABLE changing AS SELECT 1 v", 1);
        assertUpdate("CREATE MATERIALIZED VIEW failing GRACE PERIOD INTERVAL '0' SECOND WHEN STALE FAIL COMMENT 'it''s' AS SELECT v FROM changing");
        assertUpdate("CREATE MATERIALIZED VIEW inlined GRACE PERIOD INTERVAL '0' SECOND WHEN STALE INLINE AS SELECT v FROM changing");
        assertUpdate("CREATE MATERIALIZED VIEW graceful GRACE PERIOD INTERVAL '1' HOUR AS SELECT v FROM changing");
        assertUpdate("CREATE MATERIALIZED VIEW unlimited AS SELECT v FROM changing");
        for (String view : List.of("failing", "inlined", "graceful", "unlimited")) {
            oracle.assertExact(view);
        }
        assertUpdate("INSERT INTO changing VALUES 2", 1);
        assertThatStatement("TABLE failing").hasErrorCode(VIEW_IS_STALE)
                .hasMessage("line 1:1: Materialized view 'lake.s.failing' is stale");
        assertQuery("TABLE inlined", "VALUES 1, 2");
        assertQuery("TABLE graceful", "VALUES 1");
        assertQuery("TABLE unlimited", "VALUES 1");
        Session tomorrow = Session.builder(getSession())
                .setSystemProperty(SESSION_START_TIME_PROPERTY, Instant.now().plusSeconds(24 * 60 * 60).toString())
                .build();
        assertQuery(tomorrow, "TABLE graceful", "VALUES 1, 2");
        assertQuery(tomorrow, "TABLE unlimited", "VALUES 1");
        assertUpdate("REFRESH MATERIALIZED VIEW failing");
        assertQuery("TABLE failing", "VALUES 1, 2");

        assertThat(query("SELECT comment FROM system.metadata.materialized_views WHERE catalog_name = 'lake' AND name = 'failing'")).matches("VALUES VARCHAR 'it''s'");
        assertThat(showCreate("failing")).contains("GRACE PERIOD INTERVAL '0 0:00:00' DAY TO SECOND\nWHEN STALE FAIL\nCOMMENT 'it''s'\n");
    }

    /** MV-104: such a view could never be read. */
    @Test
    void testNeverFresh()
    {
        String never = "CREATE MATERIALIZED VIEW never GRACE PERIOD INTERVAL '0' SECOND WHEN STALE FAIL AS ";
        assertThatStatement(never + "SELECT name FROM tpch.tiny.nation").hasErrorCode(NOT_SUPPORTED)
                .hasMessage("Materialized view 'lake.s.never' could never be read: changes of 'tpch.tiny.nation' cannot be followed, so it is never known to be fresh. Give it a longer GRACE PERIOD, or WHEN STALE INLINE");
        assertThatStatement(never + "SELECT k FROM t WHERE d < current_date").hasErrorCode(NOT_SUPPORTED)
                .hasMessageStartingWith("Materialized view 'lake.s.never' could never be read: its query depends on more than its tables");
        assertThatStatement("TABLE never").hasErrorCode(TABLE_NOT_FOUND);
    }

    @Test
    void testStorageProperties()
    {
        assertUpdate(
                """
                CREATE MATERIALIZED VIEW stored
                WITH (partitioning = ARRAY['month(m)', 'bucket(k, 4)'], sorted_by = ARRAY['s DESC NULLS FIRST'], format = 'ORC', format_version = 2)
                AS SELECT k, date_trunc('month', d) m, sum(v) s FROM t GROUP BY 1, 2
                """);
        oracle.assertExact("stored");
        assertThat(query("SELECT file_format, partition.m_month FROM \"stored$files\"")).skippingTypesCheck().matches("VALUES ('ORC', 672), ('ORC', 673)");
        TableMetadata metadata = oracle.view(new SchemaTableName(SCHEMA, "stored")).backingTable().operations().current();
        assertThat(metadata.formatVersion()).isEqualTo(2);
        assertThat(metadata.sortOrder().fields()).hasSize(1);

        assertUpdate("CREATE MATERIALIZED VIEW elsewhere WITH (format = 'AVRO', location = 'local:///elsewhere/view') AS SELECT k FROM t");
        oracle.assertExact("elsewhere");
        assertThat(computeActual("SELECT file_path FROM \"elsewhere$files\"").getOnlyColumnAsSet()).allMatch(path -> ((String) path).startsWith("local:///elsewhere/view/data/"));

        assertUpdate("CREATE MATERIALIZED VIEW plain AS SELECT k FROM t");
        assertThat(oracle.view(new SchemaTableName(SCHEMA, "plain")).backingTable().operations().current().formatVersion()).isEqualTo(3);

        assertThatStatement("CREATE MATERIALIZED VIEW bad WITH (partitioning = ARRAY['nope']) AS SELECT k FROM t").hasErrorCode(INVALID_TABLE_PROPERTY)
                .hasMessage("Unable to parse partitioning value: Cannot find source column: nope");
        assertThatStatement("CREATE MATERIALIZED VIEW bad WITH (partitioning = ARRAY['hour(d)']) AS SELECT d FROM t").hasErrorCode(INVALID_TABLE_PROPERTY)
                .hasMessage("Unable to parse partitioning value: Invalid source type date for transform: hour");
        assertThatStatement("CREATE MATERIALIZED VIEW bad WITH (sorted_by = ARRAY['nope']) AS SELECT k FROM t").hasErrorCode(INVALID_MATERIALIZED_VIEW_PROPERTY)
                .hasMessage("Invalid properties of materialized view 'lake.s.bad': Cannot find field 'nope' in struct: struct<1: k: optional string>");
        assertThatStatement("CREATE MATERIALIZED VIEW bad WITH (format_version = 9) AS SELECT k FROM t").hasErrorCode(INVALID_MATERIALIZED_VIEW_PROPERTY);
        assertThatStatement("CREATE MATERIALIZED VIEW bad WITH (nope = 1) AS SELECT k FROM t").hasErrorCode(INVALID_MATERIALIZED_VIEW_PROPERTY)
                .hasMessage("line 1:36: Catalog 'lake' materialized view property 'nope' does not exist");
        assertThatStatement("CREATE MATERIALIZED VIEW bad WITH (storage_schema = 'other') AS SELECT k FROM t").hasErrorCode(INVALID_MATERIALIZED_VIEW_PROPERTY)
                .hasMessage("The rows of a materialized view are kept in its own schema: storage_schema cannot be 'other'");
        assertThatStatement("CREATE OR REPLACE MATERIALIZED VIEW plain WITH (format_version = 2) AS SELECT k FROM t").hasErrorCode(INVALID_MATERIALIZED_VIEW_PROPERTY)
                .hasMessage("Invalid properties of materialized view 'lake.s.plain': Cannot downgrade v3 table to v2");
        assertThatStatement("TABLE bad").hasErrorCode(TABLE_NOT_FOUND);
    }

    /** Files that are there already are somebody else's, and survive. */
    @Test
    void testLocation()
    {
        assertUpdate("CREATE MATERIALIZED VIEW settled WITH (location = 'local:///settled/view') AS SELECT k FROM t");
        assertThatStatement("CREATE MATERIALIZED VIEW bad WITH (location = 'local:///settled/view') AS SELECT 1 / 0 x").hasErrorCode(INVALID_MATERIALIZED_VIEW_PROPERTY)
                .hasMessage("Location 'local:///settled/view' is not empty. Set property location of the materialized view to another one");
        assertThatStatement("CREATE MATERIALIZED VIEW bad WITH (location = 'local:///settled') AS SELECT 1 / 0 x").hasErrorCode(INVALID_MATERIALIZED_VIEW_PROPERTY);
        assertThatStatement("CREATE MATERIALIZED VIEW bad WITH (location = 'nowhere') AS SELECT 1 x").hasErrorCode(INVALID_MATERIALIZED_VIEW_PROPERTY)
                .hasMessage("Invalid location 'nowhere': No scheme for file system location: nowhere");
        oracle.assertExact("settled");

        assertThatStatement("CREATE OR REPLACE MATERIALIZED VIEW settled WITH (location = 'local:///moved') AS SELECT v FROM t").hasErrorCode(INVALID_MATERIALIZED_VIEW_PROPERTY)
                .hasMessage("Materialized view 'lake.s.settled' lies at 'local:///settled/view'. To move it to 'local:///moved', drop it and create it again");
        assertUpdate("CREATE OR REPLACE MATERIALIZED VIEW settled WITH (location = 'local:///settled/view/') AS SELECT v FROM t");
        oracle.assertExact("settled");
    }

    @Test
    void testShowCreateRoundTrip()
    {
        for (String definition : List.of(
                "AS SELECT k, v FROM t",
                "GRACE PERIOD INTERVAL '90' MINUTE WHEN STALE FAIL COMMENT 'a ''quoted'' comment' AS SELECT k, sum(v) s FROM t GROUP BY k HAVING sum(v) > 3",
                "WITH (partitioning = ARRAY['k'], sorted_by = ARRAY['s ASC NULLS LAST'], format = 'ORC', format_version = 2, refresh_mode = 'FULL') AS SELECT k, avg(v) s FROM t GROUP BY k",
                "WITH (location = 'local:///elsewhere/round_trip', max_commit_retry = 7, compression_codec = 'ZSTD', parquet_bloom_filter_columns = ARRAY['k']) AS SELECT k FROM t",
                "WITH (build = 'DEFERRED') AS SELECT count(*) \"Some Count\" FROM t",
                "AS WITH x AS (SELECT k \"größe\", v \"a.b\", d \"q\"\"x\" FROM t) SELECT * FROM x UNION ALL SELECT 'it''s', 1, DATE '2026-01-01'")) {
            assertUpdate("CREATE MATERIALIZED VIEW round_trip " + definition);
            String shown = showCreate("round_trip");
            MaterializedResult rows = computeActual("TABLE round_trip");
            assertUpdate("DROP MATERIALIZED VIEW round_trip");
            assertUpdate(shown);
            assertThat(showCreate("round_trip")).isEqualTo(shown);
            assertThat(computeActual("TABLE round_trip").getTypes()).isEqualTo(rows.getTypes());
            assertThat(computeActual("TABLE round_trip").getMaterializedRows()).containsExactlyInAnyOrderElementsOf(rows.getMaterializedRows());
            assertUpdate("DROP MATERIALIZED VIEW round_trip");
        }
    }

    @Test
    void testRename()
    {
        assertUpdate("CREATE TABLE renamed_source AS SELECT 1 v", 1);
        assertUpdate("CREATE MATERIALIZED VIEW before_rename AS SELECT v FROM renamed_source");
        assertUpdate("CREATE MATERIALIZED VIEW in_the_way AS SELECT 1 x");
        assertUpdate("CREATE VIEW logical_in_the_way AS SELECT 1 x");
        assertUpdate("CREATE SCHEMA rename_schema");

        assertThatStatement("ALTER MATERIALIZED VIEW before_rename RENAME TO rename_schema.before_rename").hasErrorCode(NOT_SUPPORTED)
                .hasMessage("Materialized View rename across schemas is not supported");
        assertThatStatement("ALTER MATERIALIZED VIEW before_rename RENAME TO in_the_way").hasErrorCode(TABLE_ALREADY_EXISTS)
                .hasMessage("line 1:1: Target materialized view 'lake.s.in_the_way' already exists");
        assertThatStatement("ALTER MATERIALIZED VIEW before_rename RENAME TO t").hasErrorCode(TABLE_ALREADY_EXISTS)
                .hasMessage("line 1:1: Target materialized view 'lake.s.t' does not exist, but a table with that name exists.");
        assertThatStatement("ALTER MATERIALIZED VIEW before_rename RENAME TO logical_in_the_way").hasErrorCode(TABLE_ALREADY_EXISTS);
        assertThatStatement("ALTER MATERIALIZED VIEW before_rename RENAME TO \"__mv_x\"").hasErrorCode(INVALID_ARGUMENTS);
        assertThatStatement("ALTER MATERIALIZED VIEW before_rename RENAME TO \"x$y\"").hasErrorCode(NOT_SUPPORTED);
        assertThatStatement("ALTER MATERIALIZED VIEW missing RENAME TO x").hasErrorCode(TABLE_NOT_FOUND);
        assertUpdate("ALTER MATERIALIZED VIEW IF EXISTS missing RENAME TO x");
        oracle.assertExact("before_rename");

        assertUpdate("ALTER MATERIALIZED VIEW before_rename RENAME TO after_rename");
        assertThatStatement("TABLE before_rename").hasErrorCode(TABLE_NOT_FOUND);
        oracle.assertExact("after_rename");
        assertUpdate("INSERT INTO renamed_source VALUES 2", 1);
        assertUpdate("REFRESH MATERIALIZED VIEW after_rename");
        assertThat(oracle.lastRefresh("after_rename").strategy()).hasValue("APPEND_ONLY");
        oracle.assertExact("after_rename");

        // the old name is free, and starts afresh
        assertUpdate("CREATE MATERIALIZED VIEW before_rename AS SELECT 'new' x");
        assertQuery("TABLE before_rename", "VALUES 'new'");
        assertQuery("TABLE after_rename", "VALUES 1, 2");
    }

    @Test
    void testSetProperties()
    {
        assertUpdate("CREATE TABLE adjusted_source AS SELECT 'a' k, 1 v", 1);
        assertUpdate("CREATE MATERIALIZED VIEW adjusted AS SELECT k, sum(v) s FROM adjusted_source GROUP BY k HAVING sum(v) > 1");
        assertUpdate("ALTER MATERIALIZED VIEW adjusted SET PROPERTIES refresh_mode = 'FULL'");
        assertThat(showCreate("adjusted")).contains("refresh_mode = 'FULL'");
        assertUpdate("INSERT INTO adjusted_source VALUES ('a', 1)", 1);
        assertUpdate("REFRESH MATERIALIZED VIEW adjusted");
        assertThat(oracle.lastRefresh("adjusted").strategy()).hasValue("FULL_REFRESH");
        assertUpdate("ALTER MATERIALIZED VIEW adjusted SET PROPERTIES refresh_mode = DEFAULT, partitioning = ARRAY['k'], sorted_by = ARRAY['s'], format = 'ORC'");
        assertThat(showCreate("adjusted"))
                .contains("format = 'ORC'", "partitioning = ARRAY['k']", "sorted_by = ARRAY['s']")
                .doesNotContain("refresh_mode");
        // what is stored stays right, and is refreshed from where it was
        oracle.assertExact("adjusted");
        assertUpdate("INSERT INTO adjusted_source VALUES ('b', 1), ('c', 5)", 2);
        assertUpdate("REFRESH MATERIALIZED VIEW adjusted");
        assertThat(oracle.lastRefresh("adjusted").strategy()).hasValue("AGGREGATE_MERGE");
        oracle.assertExact("adjusted");
        assertQuery("TABLE adjusted", "VALUES ('a', 2), ('c', 5)");
        assertUpdate("ALTER MATERIALIZED VIEW adjusted SET PROPERTIES partitioning = DEFAULT");
        assertUpdate("INSERT INTO adjusted_source VALUES ('b', 1)", 1);
        assertUpdate("REFRESH MATERIALIZED VIEW adjusted");
        assertQuery("TABLE adjusted", "VALUES ('a', 2), ('b', 2), ('c', 5)");
        oracle.assertExact("adjusted");

        String before = showCreate("adjusted");
        assertThatStatement("ALTER MATERIALIZED VIEW adjusted SET PROPERTIES refresh_mode = 'bad'").hasErrorCode(INVALID_MATERIALIZED_VIEW_PROPERTY);
        assertThatStatement("ALTER MATERIALIZED VIEW adjusted SET PROPERTIES build = 'DEFERRED'").hasErrorCode(NOT_SUPPORTED)
                .hasMessage("Property build matters only when a materialized view is created");
        assertThatStatement("ALTER MATERIALIZED VIEW adjusted SET PROPERTIES partitioning = ARRAY['nope'], refresh_mode = 'FULL'").hasErrorCode(INVALID_TABLE_PROPERTY);
        assertThatStatement("ALTER MATERIALIZED VIEW adjusted SET PROPERTIES location = 'local:///x'").hasErrorCode(NOT_SUPPORTED)
                .hasMessage("The following properties cannot be updated: location");
        assertThatStatement("ALTER MATERIALIZED VIEW adjusted SET PROPERTIES format_version = 2").hasErrorCode(INVALID_MATERIALIZED_VIEW_PROPERTY)
                .hasMessage("Materialized view 'lake.s.adjusted' has format version 3, which cannot be lowered to 2");
        assertThat(showCreate("adjusted")).isEqualTo(before);
    }

    @Test
    void testSetAuthorization()
    {
        assertUpdate("CREATE MATERIALIZED VIEW owned AS SELECT k FROM t");
        assertThat(oracle.view(new SchemaTableName(SCHEMA, "owned")).definition().owner()).hasValue("user");
        assertUpdate("ALTER MATERIALIZED VIEW owned SET AUTHORIZATION bob");
        assertThat(oracle.view(new SchemaTableName(SCHEMA, "owned")).definition().owner()).hasValue("bob");
        assertThat(query("TABLE owned")).matches("SELECT k FROM t");
        // content and bookmarks stay valid
        assertUpdate("REFRESH MATERIALIZED VIEW owned");
        assertThat(oracle.lastRefresh("owned").strategy()).hasValue("NO_OP");
        assertUpdate("ALTER MATERIALIZED VIEW owned SET AUTHORIZATION USER \"bob@example\"");
        assertThat(oracle.view(new SchemaTableName(SCHEMA, "owned")).definition().owner()).hasValue("bob@example");
        assertThatStatement("ALTER MATERIALIZED VIEW owned SET AUTHORIZATION ROLE admin").hasErrorCode(NOT_SUPPORTED);
    }

    @Test
    void testColumnComments()
    {
        assertUpdate("CREATE MATERIALIZED VIEW described AS SELECT k AS \"Key\", v AS \"Some Value\" FROM t");
        assertUpdate("COMMENT ON COLUMN described.key IS 'the key'");
        assertUpdate("COMMENT ON COLUMN described.\"some value\" IS 'gone'");
        assertUpdate("COMMENT ON COLUMN described.\"some value\" IS NULL");
        assertThat(query("DESCRIBE described")).skippingTypesCheck().matches("VALUES ('key', 'varchar', '', 'the key'), ('some value', 'bigint', '', '')");
        assertThatStatement("COMMENT ON COLUMN described.nope IS 'x'").hasErrorCode(COLUMN_NOT_FOUND);
        // MV-097: not a change of the definition
        assertUpdate("REFRESH MATERIALIZED VIEW described");
        assertThat(oracle.lastRefresh("described").strategy()).hasValue("NO_OP");
        assertThat(query("DESCRIBE described")).skippingTypesCheck().matches("VALUES ('key', 'varchar', '', 'the key'), ('some value', 'bigint', '', '')");
    }

    @Test
    void testNames()
    {
        assertUpdate("CREATE TABLE named_source AS SELECT 'a' k, 1 v", 1);
        List<String> views = List.of("\"with.dot\"", "\"with \"\"quotes\"\"\"", "\"it's\"", "\"UPPER\"", "\"grün 中文\"", "\"hash#mark\"", "\"sl/ash\"", "\"per%cent\"", "\"1\"", "\"select\"");
        for (String view : views) {
            assertUpdate("CREATE MATERIALIZED VIEW " + view + " AS SELECT k \"Größe\", v \"a.b\", k \"q\"\"x\" FROM named_source");
        }
        assertUpdate("INSERT INTO named_source VALUES ('b', 2)", 1);
        for (String view : views) {
            assertUpdate("REFRESH MATERIALIZED VIEW " + view);
            assertThat(plan("TABLE " + view)).describedAs(view).contains("__mv_");
            assertThat(query("SELECT \"größe\", \"a.b\", \"q\"\"x\" FROM " + view)).matches("SELECT k, v, k FROM named_source");
            // The engine's SHOW CREATE wants names in lower case
            String shown = showCreate(view.toLowerCase(ENGLISH));
            assertUpdate("DROP MATERIALIZED VIEW " + view);
            assertUpdate(shown);
            assertUpdate("ALTER MATERIALIZED VIEW " + view + " RENAME TO \"other name\"");
            assertUpdate("DROP MATERIALIZED VIEW \"other name\"");
        }
        for (String view : List.of("\"x$y\"", "\"x@y\"")) {
            assertThatStatement("CREATE MATERIALIZED VIEW " + view + " AS SELECT 1 x").hasErrorCode(NOT_SUPPORTED)
                    .hasMessage("The name of a materialized view cannot contain '$' or '@': '%s'".formatted(view.replace("\"", "")));
        }
    }

    @Test
    void testColumnNames()
    {
        assertThatStatement("CREATE MATERIALIZED VIEW twins AS SELECT k AS \"K\", v AS \"k\" FROM t").hasErrorCode(DUPLICATE_COLUMN_NAME)
                .hasMessage("Materialized view 'lake.s.twins' has two columns named 'k'; names do not differ by case");
        assertThatStatement("CREATE MATERIALIZED VIEW twins AS SELECT k, v AS k FROM t").hasErrorCode(DUPLICATE_COLUMN_NAME);
        assertThatStatement("CREATE MATERIALIZED VIEW twins AS SELECT k AS \"__mv_count\" FROM t").hasErrorCode(INVALID_ARGUMENTS)
                .hasMessage("The column name '__mv_count' is reserved: names that start with '__mv_' belong to hidden columns of materialized views");
        assertThatStatement("TABLE twins").hasErrorCode(TABLE_NOT_FOUND);
        // MV-101
        assertUpdate("CREATE MATERIALIZED VIEW capitals WITH (partitioning = ARRAY['key'], sorted_by = ARRAY['n']) AS SELECT k AS \"Key\", count(*) AS \"N\" FROM t GROUP BY k");
        oracle.assertExact("capitals");
    }

    @Test
    void testTakenNames()
    {
        assertUpdate("CREATE MATERIALIZED VIEW taken AS SELECT 1 x");
        assertUpdate("CREATE VIEW taken_logical AS SELECT 1 x");
        for (String create : List.of("CREATE MATERIALIZED VIEW ", "CREATE OR REPLACE MATERIALIZED VIEW ")) {
            assertThatStatement(create + "t AS SELECT 1 x").hasErrorCode(TABLE_ALREADY_EXISTS).hasMessage("Table already exists: 'lake.s.t'");
            assertThatStatement(create + "taken_logical AS SELECT 1 x").hasErrorCode(ALREADY_EXISTS).hasMessage("View already exists: 'lake.s.taken_logical'");
        }
        for (String create : List.of("CREATE TABLE taken (x int)", "CREATE TABLE taken AS SELECT 2 x", "CREATE OR REPLACE TABLE taken AS SELECT 2 x", "CREATE VIEW taken AS SELECT 2 x", "CREATE OR REPLACE VIEW taken AS SELECT 2 x")) {
            assertThatStatement(create).hasErrorCode(ALREADY_EXISTS, GENERIC_USER_ERROR, TABLE_ALREADY_EXISTS);
        }
        assertQuery("TABLE taken", "VALUES 1");
        assertQuery("TABLE taken_logical", "VALUES 1");
    }

    @Test
    void testRecursion()
    {
        assertUpdate("CREATE MATERIALIZED VIEW inner_view AS SELECT k FROM t");
        assertUpdate("CREATE MATERIALIZED VIEW middle_view AS SELECT k FROM inner_view");
        assertUpdate("CREATE VIEW logical_between AS SELECT k FROM middle_view");
        assertUpdate("CREATE MATERIALIZED VIEW outer_view AS SELECT k FROM logical_between");
        for (String source : List.of("middle_view", "outer_view")) {
            assertThatStatement("CREATE OR REPLACE MATERIALIZED VIEW inner_view AS SELECT k FROM " + source).hasErrorCode(VIEW_IS_RECURSIVE)
                    .hasMessage("View 'lake.s.inner_view' would read itself through other views");
        }
        assertThatStatement("CREATE OR REPLACE MATERIALIZED VIEW inner_view AS SELECT k FROM inner_view").hasErrorCode(VIEW_IS_RECURSIVE);
        oracle.assertExact("inner_view");
        assertThat(query("TABLE outer_view")).matches("SELECT k FROM t");
    }

    /** What cannot be followed, of the catalog itself, is read as it is. */
    @Test
    void testMetadataTableAsSource()
    {
        assertUpdate("CREATE TABLE counted AS SELECT 1 v", 1);
        assertUpdate("CREATE MATERIALIZED VIEW files_of_table AS SELECT count(*) c FROM \"counted$files\"");
        assertUpdate("CREATE MATERIALIZED VIEW partitions_of_table AS SELECT record_count c FROM \"counted$partitions\"");
        assertUpdate("CREATE MATERIALIZED VIEW files_of_view AS SELECT count(*) c FROM \"files_of_table$files\"");
        assertUpdate("INSERT INTO counted VALUES 2", 1);
        for (String view : List.of("files_of_table", "partitions_of_table", "files_of_view")) {
            assertUpdate("REFRESH MATERIALIZED VIEW " + view);
            assertThat(oracle.lastRefresh(view).strategy()).hasValue("FULL_REFRESH");
        }
        assertQuery("TABLE files_of_table", "VALUES 2");
        assertQuery("TABLE partitions_of_table", "VALUES 2");
        assertQuery("TABLE files_of_view", "VALUES 1");
    }

    @Test
    void testDrop()
    {
        assertUpdate("CREATE SCHEMA drop_schema");
        assertUpdate("CREATE MATERIALIZED VIEW drop_schema.dropped AS SELECT k FROM t");
        assertThatStatement("DROP SCHEMA drop_schema").hasMessage("line 1:1: Cannot drop non-empty schema 'drop_schema'");
        assertUpdate("DROP MATERIALIZED VIEW drop_schema.dropped");
        assertThatStatement("DROP MATERIALIZED VIEW drop_schema.dropped").hasErrorCode(GENERIC_USER_ERROR)
                .hasMessage("line 1:1: Materialized view 'lake.drop_schema.dropped' does not exist");
        assertUpdate("DROP MATERIALIZED VIEW IF EXISTS drop_schema.dropped");
        assertUpdate("CREATE MATERIALIZED VIEW drop_schema.dropped AS SELECT v FROM t");
        assertUpdate("DROP SCHEMA drop_schema CASCADE");
        assertThat(computeActual("SHOW SCHEMAS").getOnlyColumnAsSet()).doesNotContain("drop_schema");

        assertThatStatement("DROP MATERIALIZED VIEW t").hasMessage("line 1:1: Materialized view 'lake.s.t' does not exist, but a table with that name exists. Did you mean DROP TABLE lake.s.t?");
    }

    @Test
    void testMissingSource()
    {
        assertUpdate("CREATE TABLE short_lived AS SELECT 1 v", 1);
        assertUpdate("CREATE MATERIALIZED VIEW outliving AS SELECT v FROM short_lived");
        assertUpdate("DROP TABLE short_lived");
        // MV-103
        assertQuery("TABLE outliving", "VALUES 1");
        assertThatStatement("REFRESH MATERIALIZED VIEW outliving").hasErrorCode(REFRESH_FAILED)
                .hasMessageContaining("Table 'lake.s.short_lived' does not exist");
        assertQuery("TABLE outliving", "VALUES 1");
        assertThat(query("SELECT freshness FROM system.metadata.materialized_views WHERE catalog_name = 'lake' AND schema_name = 's' AND name = 'outliving'")).matches("VALUES VARCHAR 'STALE'");
        assertUpdate("DROP MATERIALIZED VIEW outliving");
    }

    private TrinoExceptionAssert assertThatStatement(@Language("SQL") String sql)
    {
        return assertTrinoExceptionThrownBy(() -> computeActual(sql)).describedAs(sql);
    }

    private String showCreate(String view)
    {
        return (String) computeScalar("SHOW CREATE MATERIALIZED VIEW " + view);
    }

    private String plan(@Language("SQL") String sql)
    {
        return (String) computeScalar("EXPLAIN " + sql);
    }
}
