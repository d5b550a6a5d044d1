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

import io.airlift.units.Duration;
import io.freshet.FreshetQueryRunner;
import io.freshet.ViewOracle;
import io.trino.spi.connector.SchemaTableName;
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.QueryRunner;
import io.trino.testing.assertions.TrinoExceptionAssert;
import org.intellij.lang.annotations.Language;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.freshet.spi.FreshetErrorCode.MATERIALIZED_VIEW_INVALID_DEFINITION;
import static io.freshet.spi.FreshetErrorCode.REFRESH_FAILED;
import static io.trino.spi.StandardErrorCode.ALREADY_EXISTS;
import static io.trino.spi.StandardErrorCode.TABLE_NOT_FOUND;
import static io.trino.testing.assertions.Assert.assertEventually;
import static io.trino.testing.assertions.TrinoExceptionAssert.assertTrinoExceptionThrownBy;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.TestInstance.Lifecycle.PER_CLASS;
import static org.junit.jupiter.api.parallel.ExecutionMode.SAME_THREAD;

/**
 * What views leave in the catalog's database and among its files: nothing once they are dropped, or could not be created; and
 * what others see of a view while it is being replaced.
 */
@TestInstance(PER_CLASS)
@Execution(SAME_THREAD)
final class TestViewTraces
        extends AbstractTestQueryFramework
{
    private final ExecutorService executor = Executors.newCachedThreadPool();
    private ViewOracle oracle;

    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return FreshetQueryRunner.builder()
                // a file that is taken away is to be missed, also if it was read before
                .addCatalogProperty("iceberg.metadata-cache.enabled", "false")
                .build();
    }

    @BeforeAll
    void createSource()
    {
        oracle = new ViewOracle(getQueryRunner());
        assertUpdate("CREATE TABLE t (k varchar, v bigint)");
        assertUpdate("INSERT INTO t VALUES ('a', 1), ('a', 2), ('b', 4)", 3);
    }

    @AfterAll
    void stop()
    {
        executor.shutdownNow();
    }

    @Test
    void testDropLeavesNothing()
    {
        List<Path> before = files("");
        assertUpdate("CREATE TABLE drop_source AS SELECT 'a' k, 1 v", 1);
        assertUpdate("CREATE MATERIALIZED VIEW dropped WITH (partitioning = ARRAY['k'], format_version = 2) AS SELECT k, sum(v) s FROM drop_source GROUP BY k HAVING sum(v) > 1");
        assertUpdate("INSERT INTO drop_source VALUES ('b', 2)", 1);
        assertUpdate("REFRESH MATERIALIZED VIEW dropped");
        assertUpdate("CREATE OR REPLACE MATERIALIZED VIEW dropped AS SELECT k FROM drop_source");
        assertUpdate("ALTER MATERIALIZED VIEW dropped RENAME TO dropped_later");
        assertUpdate("CREATE MATERIALIZED VIEW dropped WITH (location = 'local:///aside/dropped') AS SELECT k FROM drop_source");
        assertUpdate("CREATE MATERIALIZED VIEW dropped_data WITH (object_store_layout_enabled = true, data_location = 'local:///aside/data') AS SELECT k FROM drop_source");
        assertThat(files("dropped")).isNotEmpty();
        for (String view : List.of("dropped", "dropped_later", "dropped_data")) {
            assertUpdate("DROP MATERIALIZED VIEW " + view);
            assertThat(databaseRow("__mv_" + view)).isFalse();
        }
        assertThat(files("dropped")).isEmpty();
        assertThat(files("aside")).isEmpty();
        assertUpdate("DROP TABLE drop_source");
        assertThat(files("drop_source")).isEmpty();
        assertThat(files("")).containsAll(before);
    }

    @Test
    void testFailedCreateLeavesNothing()
    {
        for (String statement : List.of(
                "CREATE MATERIALIZED VIEW failed AS SELECT 1 / (v - 1) x FROM t",
                "CREATE MATERIALIZED VIEW failed AS SELECT k, sum(1 / (v - 1)) x FROM t GROUP BY k",
                "CREATE MATERIALIZED VIEW failed AS SELECT fail('no') x",
                "CREATE MATERIALIZED VIEW failed WITH (location = 'local:///failed_aside') AS SELECT 1 / (v - 1) x FROM t",
                "CREATE MATERIALIZED VIEW failed WITH (build = 'DEFERRED', partitioning = ARRAY['nope']) AS SELECT k FROM t",
                "CREATE MATERIALIZED VIEW failed WITH (sorted_by = ARRAY['nope']) AS SELECT k FROM t",
                "CREATE MATERIALIZED VIEW failed AS SELECT nope FROM t",
                "CREATE MATERIALIZED VIEW failed AS SELECT k AS \"K\", v AS \"k\" FROM t")) {
            assertThatStatement(statement);
            assertNoTrace("failed");
            assertThat(files("failed_aside")).isEmpty();
        }
        assertThatStatement("CREATE MATERIALIZED VIEW failed AS SELECT 1 / (v - 1) x FROM t").hasErrorCode(REFRESH_FAILED)
                .hasMessage("Materialized view 'lake.s.failed' could not be created: Division by zero");
        // the name is free
        assertUpdate("CREATE MATERIALIZED VIEW failed AS SELECT k FROM t");
        oracle.assertExact("failed");
    }

    @Test
    void testCancelledCreateLeavesNothing()
            throws Exception
    {
        Future<?> creation = executor.submit(() -> computeActual("CREATE MATERIALIZED VIEW cancelled AS SELECT orderkey, partkey, comment FROM tpch.sf1000.lineitem"));
        // wait until its build runs
        assertEventually(new Duration(60, SECONDS), () -> assertThat(runningStatements("INSERT INTO%__mv_cancelled%")).isNotEmpty());
        String creationId = runningStatements("CREATE MATERIALIZED VIEW cancelled%").getFirst();
        assertUpdate("CALL system.runtime.kill_query('%s', 'enough')".formatted(creationId));
        assertThatThrownBy(creation::get).hasStackTraceContaining("enough");
        assertEventually(new Duration(60, SECONDS), () -> {
            assertThat(runningStatements("INSERT INTO%__mv_cancelled%")).isEmpty();
            assertNoTrace("cancelled");
        });
    }

    private List<String> runningStatements(String pattern)
    {
        return computeActual("SELECT query_id FROM system.runtime.queries WHERE state IN ('RUNNING', 'PLANNING', 'STARTING', 'FINISHING') AND query LIKE '%s'".formatted(pattern)).getOnlyColumn()
                .map(String.class::cast)
                .collect(toImmutableList());
    }

    @Test
    void testConcurrentCreate()
            throws Exception
    {
        for (String options : List.of("", "WITH (build = 'DEFERRED')")) {
            List<Future<?>> creations = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                creations.add(executor.submit(() -> computeActual("CREATE MATERIALIZED VIEW contested %s AS SELECT k, sum(v) s FROM t GROUP BY k".formatted(options))));
            }
            int successes = 0;
            for (Future<?> creation : creations) {
                Optional<Throwable> failure = failure(creation);
                if (failure.isEmpty()) {
                    successes++;
                }
                else {
                    TrinoExceptionAssert.assertThatTrinoException(failure.get()).hasErrorCode(ALREADY_EXISTS);
                }
            }
            assertThat(successes).isEqualTo(1);
            assertThat(query("TABLE contested")).matches("SELECT k, sum(v) FROM t GROUP BY k");
            assertUpdate("DROP MATERIALIZED VIEW contested");
            assertNoTrace("contested");
        }
    }

    private static Optional<Throwable> failure(Future<?> future)
            throws InterruptedException
    {
        try {
            future.get();
            return Optional.empty();
        }
        catch (ExecutionException e) {
            return Optional.of(e.getCause());
        }
    }

    /** MV-105, and D9: readers see the old content or the new one, whatever is replaced. */
    @Test
    void testReplaceShowsNoHole()
            throws Exception
    {
        assertUpdate("CREATE MATERIALIZED VIEW unbroken AS SELECT 0 AS version, x FROM UNNEST(sequence(1, 1000)) AS u (x)");
        AtomicBoolean done = new AtomicBoolean();
        Future<Integer> reader = executor.submit(() -> {
            int reads = 0;
            while (!done.get()) {
                List<Object> row = computeActual("SELECT count(*), min(version) = max(version) FROM unbroken").getMaterializedRows().getFirst().getFields();
                assertThat(row).isEqualTo(List.of(1000L, true));
                reads++;
            }
            return reads;
        });
        for (int version = 1; version <= 5; version++) {
            // columns, their types and their order change too
            String columns = version % 2 == 0 ? "%s AS version, x" : "CAST(x AS varchar) AS x, bigint '%s' AS version";
            assertUpdate("CREATE OR REPLACE MATERIALIZED VIEW unbroken AS SELECT %s FROM UNNEST(sequence(1, 1000)) AS u (x)".formatted(columns.formatted(version)));
            assertQuery("SELECT DISTINCT version FROM unbroken", "VALUES " + version);
        }
        done.set(true);
        assertThat(reader.get()).isGreaterThan(0);
    }

    /** MV-113 */
    @Test
    void testListingWhileViewsComeAndGo()
            throws Exception
    {
        AtomicBoolean done = new AtomicBoolean();
        Future<?> listing = executor.submit(() -> {
            while (!done.get()) {
                for (@Language("SQL") String sql : List.of(
                        "SELECT * FROM system.metadata.materialized_views WHERE catalog_name = 'lake'",
                        "SELECT * FROM information_schema.tables",
                        "SELECT * FROM information_schema.columns",
                        "SELECT * FROM system.metadata.table_comments WHERE catalog_name = 'lake'",
                        "SHOW TABLES")) {
                    computeActual(sql);
                }
            }
        });
        for (int i = 0; i < 10; i++) {
            assertUpdate("CREATE MATERIALIZED VIEW fleeting WITH (build = 'DEFERRED') AS SELECT k FROM t");
            assertUpdate("DROP MATERIALIZED VIEW fleeting");
        }
        done.set(true);
        listing.get();
    }

    /** MV-109: files were removed from outside. */
    @Test
    void testLostFiles()
    {
        assertUpdate("CREATE SCHEMA lost_schema");
        assertUpdate("CREATE MATERIALIZED VIEW lost_schema.lost AS SELECT k FROM t");
        assertUpdate("CREATE MATERIALIZED VIEW lost_schema.kept AS SELECT k FROM t");
        files("__mv_lost-").forEach(file -> {
            try {
                Files.delete(file);
            }
            catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        for (String statement : List.of(
                "TABLE lost_schema.lost",
                "SELECT count(*) FROM lost_schema.lost",
                "SHOW CREATE MATERIALIZED VIEW lost_schema.lost",
                "REFRESH MATERIALIZED VIEW lost_schema.lost",
                "ALTER MATERIALIZED VIEW lost_schema.lost RENAME TO lost_schema.found",
                "CREATE OR REPLACE MATERIALIZED VIEW lost_schema.lost AS SELECT 1 x")) {
            assertThatStatement(statement).hasErrorCode(MATERIALIZED_VIEW_INVALID_DEFINITION)
                    .hasMessageStartingWith("Materialized view 'lake.lost_schema.lost' cannot be read: ")
                    .hasMessageEndingWith("If its files are lost, drop the view and create it again");
        }
        assertThat(computeActual("SHOW TABLES FROM lost_schema").getOnlyColumnAsSet()).isEqualTo(Set.of("kept", "lost"));
        assertThat(query("SELECT name, freshness FROM system.metadata.materialized_views WHERE catalog_name = 'lake' AND schema_name = 'lost_schema'")).skippingTypesCheck().matches("VALUES ('kept', 'FRESH')");
        assertThat(query("SELECT table_name FROM information_schema.columns WHERE table_schema = 'lost_schema'")).skippingTypesCheck().matches("VALUES 'kept'");
        assertUpdate("DROP MATERIALIZED VIEW lost_schema.lost");
        assertNoTrace("lost");
        assertThatStatement("TABLE lost_schema.lost").hasErrorCode(TABLE_NOT_FOUND);
        assertUpdate("CREATE MATERIALIZED VIEW lost_schema.lost AS SELECT k FROM t");
        oracle.assertExact(new SchemaTableName("lost_schema", "lost"));
    }

    /** A later version of Freshet wrote the definition, or something wrote over it. */
    @Test
    void testUnreadableDefinition()
    {
        assertUpdate("CREATE SCHEMA later_schema");
        assertUpdate("CREATE MATERIALIZED VIEW later_schema.later AS SELECT k FROM t");
        oracle.view(new SchemaTableName("later_schema", "later")).backingTable().updateProperties()
                .set("freshet.view", "{\"formatVersion\": 99}")
                .commit();
        assertThatStatement("TABLE later_schema.later").hasErrorCode(MATERIALIZED_VIEW_INVALID_DEFINITION)
                .hasMessage("Materialized view 'later_schema.later' was written in format 99, this version reads format 1. Upgrade Freshet, or drop and create the view again");
        assertThat(computeActual("SELECT * FROM system.metadata.materialized_views WHERE catalog_name = 'lake' AND schema_name = 'later_schema'").getMaterializedRows()).isEmpty();
        assertThat(computeActual("SELECT * FROM information_schema.columns WHERE table_schema = 'later_schema'").getMaterializedRows()).isEmpty();
        assertThatStatement("SELECT * FROM later_schema.\"__mv_later\"");
        assertUpdate("DROP MATERIALIZED VIEW later_schema.later");
        assertNoTrace("later");
        assertUpdate("DROP SCHEMA later_schema");
    }

    private TrinoExceptionAssert assertThatStatement(@Language("SQL") String sql)
    {
        return assertTrinoExceptionThrownBy(() -> computeActual(sql)).describedAs(sql);
    }

    private void assertNoTrace(String view)
    {
        assertThat(files("__mv_" + view + "-")).isEmpty();
        assertThat(databaseRow("__mv_" + view)).isFalse();
        assertThat(computeActual("SHOW TABLES").getOnlyColumnAsSet()).doesNotContain(view);
    }

    private List<Path> files(String partOfPath)
    {
        Path root = getDistributedQueryRunner().getCoordinator().getBaseDataDir().resolve("lake/files");
        try (Stream<Path> paths = Files.walk(root)) {
            return paths
                    .filter(path -> root.relativize(path).toString().contains(partOfPath))
                    .filter(Files::isRegularFile)
                    .collect(toImmutableList());
        }
        catch (IOException | UncheckedIOException e) {
            throw new AssertionError("Cannot list " + root, e);
        }
    }

    private boolean databaseRow(String table)
    {
        Path database = getDistributedQueryRunner().getCoordinator().getBaseDataDir().resolve("lake/catalog.db");
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + database);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT 1 FROM iceberg_tables WHERE table_name = '%s'".formatted(table))) {
            return rows.next();
        }
        catch (SQLException e) {
            throw new AssertionError("Cannot read " + database, e);
        }
    }
}
