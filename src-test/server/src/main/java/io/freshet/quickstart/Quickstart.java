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
package io.freshet.quickstart;

import com.google.common.base.Stopwatch;
import com.google.common.collect.ImmutableList;
import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import io.freshet.server.ServerProcess;
import io.trino.jdbc.TrinoDriver;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.stream.Stream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Arrays.stream;
import static java.util.Objects.requireNonNull;

/**
 * The demonstration behind {@code bin/quickstart}.
 */
public final class Quickstart
{
    private final QuickstartOptions options;
    private final PrintStream out;

    private Quickstart(QuickstartOptions options, PrintStream out)
    {
        this.options = requireNonNull(options, "options is null");
        this.out = requireNonNull(out, "out is null");
    }

    /**
     * @param args the folder with {@code bin/server}, then the user's options
     */
    public static void main(String[] args)
            throws InterruptedException
    {
        Locale.setDefault(Locale.ROOT);
        List<String> arguments = stream(args).skip(1).collect(toImmutableList());
        if (arguments.contains("--help") || arguments.contains("-h")) {
            System.out.print(QuickstartOptions.USAGE);
            return;
        }
        try {
            QuickstartOptions options = QuickstartOptions.parse(Path.of(args[0]), arguments);
            PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
            System.exit(new Quickstart(options, out).run() ? 0 : 1);
        }
        catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.err.println();
            System.err.print(QuickstartOptions.USAGE);
            System.exit(2);
        }
        catch (IOException | SQLException e) {
            System.err.println();
            System.err.println("quickstart: " + e.getMessage());
            System.exit(1);
        }
    }

    private boolean run()
            throws IOException, SQLException, InterruptedException
    {
        requireFreePort();
        emptyDataDirectory();

        out.println("Starting a Trino server");
        Stopwatch elapsed = Stopwatch.createStarted();
        Path log = options.dataDirectory().resolve("server.log");
        try (ServerProcess server = ServerProcess.start(options.home(), options.port(), options.dataDirectory(), ImmutableList.of(), log)) {
            // Ctrl-C ends this process first
            Runtime.getRuntime().addShutdownHook(new Thread(server::close));
            out.printf("  %s after %.1f s, log in %s%n", server.uri(), elapsed.elapsed().toMillis() / 1000.0, log);

            boolean good = demonstrate(server);
            if (!options.exit()) {
                printExample(server);
                server.waitFor();
            }
            return good;
        }
    }

    private boolean demonstrate(ServerProcess server)
            throws SQLException
    {
        Properties properties = new Properties();
        properties.setProperty("user", "quickstart");
        try (Connection connection = new TrinoDriver().connect(server.jdbcUrl() + "/lake", properties)) {
            boolean terminal = System.console() != null && System.console().isTerminal();
            return new Demo(new Sql(connection), out, new Progress(out, terminal)).run(options.tpchSchema());
        }
    }

    private void printExample(ServerProcess server)
    {
        out.printf(
                """

                The server stays up at %1$s until Ctrl-C. In another terminal, in this folder:

                  bin/sql --server %1$s --schema %2$s

                and for example:

                  INSERT INTO orders SELECT * FROM orders LIMIT 10;
                  REFRESH MATERIALIZED VIEW large_orders;
                  SELECT strategy, reason, delta_rows, duration_ms FROM lake.system.materialized_view_refreshes
                  WHERE view_name = 'large_orders' ORDER BY finished_at;
                """,
                server.uri(),
                Demo.SCHEMA);
    }

    private void requireFreePort()
    {
        try (ServerSocket _ = new ServerSocket(options.port(), 1, InetAddress.getLoopbackAddress())) {
            return;
        }
        catch (IOException e) {
            throw new IllegalArgumentException("Port %s is in use: choose another one with --port".formatted(options.port()), e);
        }
    }

    /**
     * Empties a folder that an earlier run filled; refuses to touch any other.
     */
    private void emptyDataDirectory()
            throws IOException
    {
        Path directory = options.dataDirectory();
        if (Files.isDirectory(directory) && !isEmpty(directory)) {
            if (!Files.exists(directory.resolve("lake.db"))) {
                throw new IllegalArgumentException("%s is not empty, and not of an earlier quickstart: choose another folder with --data-dir".formatted(directory));
            }
            MoreFiles.deleteDirectoryContents(directory, RecursiveDeleteOption.ALLOW_INSECURE);
        }
        Files.createDirectories(directory);
    }

    private static boolean isEmpty(Path directory)
            throws IOException
    {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.findAny().isEmpty();
        }
    }
}
