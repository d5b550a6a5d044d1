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
package io.freshet.server;

import com.google.common.collect.ImmutableList;
import io.trino.jdbc.TrinoDriver;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Properties;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.junit.jupiter.api.TestInstance.Lifecycle.PER_CLASS;

/**
 * The packaged plugin in a real server: loaded from its folder by Trino's own class loader, beside the stock Iceberg
 * plugin. The folders are there once the modules before this one are packaged.
 */
@TestInstance(PER_CLASS)
final class TestServer
{
    // surefire runs in the folder of the module
    private static final Path HOME = Path.of("..").toAbsolutePath().normalize();

    @BeforeAll
    void requirePackages()
    {
        assumeThat(HOME.resolve("plugin/target/freshet-1-SNAPSHOT"))
                .describedAs("Plugin folder: run Maven up to the phase verify")
                .isDirectory();
    }

    @Test
    void testBesideStockIceberg(@TempDir Path directory)
            throws IOException, InterruptedException, SQLException
    {
        Path etc = copyConfiguration(directory.resolve("etc"));
        Files.writeString(etc.resolve("catalog/stock.properties"),
                """
                connector.name=iceberg
                iceberg.catalog.type=TESTING_FILE_METASTORE
                hive.metastore.catalog.dir=local:///metastore
                fs.local.enabled=true
                local.location=%s
                """.formatted(Files.createDirectories(directory.resolve("stock"))));

        try (ServerProcess server = start(directory, "--etc", etc.toString());
                Connection connection = connect(server);
                Statement statement = connection.createStatement()) {
            assertThat(column(statement, 1, "SHOW CATALOGS")).containsExactlyInAnyOrder("lake", "stock", "system", "tpch");
            for (String catalog : List.of("lake", "stock")) {
                statement.execute("CREATE SCHEMA %s.s".formatted(catalog));
                statement.execute("USE %s.s".formatted(catalog));
                statement.execute("CREATE TABLE nation AS SELECT * FROM tpch.tiny.nation");
                statement.execute("CREATE MATERIALIZED VIEW regions AS SELECT regionkey, count(*) AS nations FROM nation GROUP BY regionkey");
                statement.execute("INSERT INTO nation SELECT nationkey + 100, name, regionkey, comment FROM nation");
                statement.execute("REFRESH MATERIALIZED VIEW regions");
                assertThat(column(statement, 1, "SELECT sum(nations) FROM regions")).containsExactly("50");
                // distinct values: counted on write by a function that the stock plugin registers
                assertThat(column(statement, 3, "SHOW STATS FOR nation")).contains("50.0");
            }
        }
    }

    @Test
    void testDataOutlivesTheServer(@TempDir Path directory)
            throws IOException, InterruptedException, SQLException
    {
        try (ServerProcess server = start(directory);
                Connection connection = connect(server);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE SCHEMA lake.s");
            statement.execute("CREATE TABLE lake.s.nation AS SELECT * FROM tpch.tiny.nation");
            statement.execute("CREATE MATERIALIZED VIEW lake.s.regions AS SELECT regionkey, count(*) AS nations FROM lake.s.nation GROUP BY regionkey");
            statement.execute("CREATE MATERIALIZED VIEW lake.s.total WITH (refresh = 'EVERY 1 second') AS SELECT count(*) AS nations FROM lake.s.nation");
            statement.execute("CALL lake.system.pause_materialized_view('s', 'total')");
            server.kill();
        }
        try (ServerProcess server = start(directory);
                Connection connection = connect(server);
                Statement statement = connection.createStatement()) {
            assertThat(column(statement, 1, "SELECT sum(nations) FROM lake.s.regions")).containsExactly("25");
            statement.execute("INSERT INTO lake.s.nation SELECT nationkey + 100, name, regionkey, comment FROM lake.s.nation");
            statement.execute("REFRESH MATERIALIZED VIEW lake.s.regions");
            assertThat(column(statement, 1, "SELECT sum(nations) FROM lake.s.regions")).containsExactly("50");
            assertThat(column(statement, 1, "SELECT strategy FROM lake.system.materialized_view_refreshes WHERE view_name = 'regions' ORDER BY started_at DESC LIMIT 1"))
                    .containsExactly("AGGREGATE_MERGE");

            String total = "SELECT freshness FROM lake.system.materialized_views WHERE view_name = 'total' AND ";
            assertThat(column(statement, 1, total + "paused AND next_refresh_at IS NULL")).containsExactly("STALE");
            statement.execute("CALL lake.system.resume_materialized_view('s', 'total')");
            long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
            while (!column(statement, 1, total + "NOT paused").equals(List.of("FRESH"))) {
                assertThat(System.nanoTime()).describedAs("the resumed view is not refreshed").isLessThan(deadline);
                Thread.sleep(200);
            }
        }
    }

    private static ServerProcess start(Path directory, String... options)
            throws IOException, InterruptedException
    {
        return ServerProcess.start(HOME, freePort(), directory.resolve("data"), ImmutableList.<String>builder().add("--memory", "1G").add(options).build(), directory.resolve("server.log"));
    }

    private static int freePort()
            throws IOException
    {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static Path copyConfiguration(Path target)
            throws IOException
    {
        Path source = HOME.resolve("etc");
        for (Path file : List.of(
                Path.of("config.properties"),
                Path.of("node.properties"),
                Path.of("jvm.config"),
                Path.of("log.properties"),
                Path.of("catalog-tables.sql"),
                Path.of("catalog/lake.properties"),
                Path.of("catalog/tpch.properties"))) {
            Files.createDirectories(target.resolve(file).getParent());
            Files.copy(source.resolve(file), target.resolve(file));
        }
        return target;
    }

    private static Connection connect(ServerProcess server)
            throws SQLException
    {
        Properties properties = new Properties();
        properties.setProperty("user", "test");
        return new TrinoDriver().connect(server.jdbcUrl(), properties);
    }

    private static List<String> column(Statement statement, int column, String query)
            throws SQLException
    {
        ImmutableList.Builder<String> values = ImmutableList.builder();
        try (ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                values.add(String.valueOf(rows.getString(column)));
            }
        }
        return values.build();
    }
}
