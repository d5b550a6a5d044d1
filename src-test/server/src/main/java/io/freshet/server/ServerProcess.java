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

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;

/**
 * A running {@code bin/server}, in a process of its own. Closing it stops the server as Ctrl-C does.
 */
public final class ServerProcess
        implements AutoCloseable
{
    private static final Duration START_LIMIT = Duration.ofMinutes(10);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(30);

    private final Process process;
    private final int port;
    private final Path log;

    private ServerProcess(Process process, int port, Path log)
    {
        this.process = requireNonNull(process, "process is null");
        this.port = port;
        this.log = requireNonNull(log, "log is null");
    }

    /**
     * Starts the server, which must be built, and waits until it answers.
     *
     * @param home the folder with {@code bin/server}
     * @param options further options of {@code bin/server}
     * @param log receives what the server prints
     */
    public static ServerProcess start(Path home, int port, Path dataDirectory, List<String> options, Path log)
            throws IOException, InterruptedException
    {
        Files.createDirectories(log.toAbsolutePath().getParent());
        ProcessBuilder builder = new ProcessBuilder(ImmutableList.<String>builder()
                .add(home.resolve("bin/server").toString())
                .add("--no-build")
                .add("--port", Integer.toString(port))
                .add("--data-dir", dataDirectory.toString())
                .addAll(options)
                .build())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));

        ServerProcess server = new ServerProcess(builder.start(), port, log);
        try {
            server.awaitStart();
        }
        catch (IOException | InterruptedException | RuntimeException | Error e) {
            server.close();
            throw e;
        }
        return server;
    }

    public String uri()
    {
        return "http://127.0.0.1:" + port;
    }

    public String jdbcUrl()
    {
        return "jdbc:trino://127.0.0.1:" + port;
    }

    public Path log()
    {
        return log;
    }

    public boolean isAlive()
    {
        return process.isAlive();
    }

    public void waitFor()
            throws InterruptedException
    {
        process.waitFor();
    }

    /**
     * Ends the server as a power cut would.
     */
    public void kill()
            throws InterruptedException
    {
        process.destroyForcibly();
        process.waitFor();
    }

    @Override
    public void close()
    {
        process.destroy();
        try {
            if (!process.waitFor(STOP_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        }
        catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    private void awaitStart()
            throws IOException, InterruptedException
    {
        Instant limit = Instant.now().plus(START_LIMIT);
        while (!started()) {
            if (!process.isAlive()) {
                throw new IOException("The server ended with exit status %s. The end of its log %s:%n%s".formatted(process.exitValue(), log, endOfLog()));
            }
            if (Instant.now().isAfter(limit)) {
                throw new IOException("The server has not started within %s minutes. The end of its log %s:%n%s".formatted(START_LIMIT.toMinutes(), log, endOfLog()));
            }
            Thread.sleep(200);
        }
    }

    private boolean started()
            throws IOException
    {
        try (Stream<String> lines = Files.lines(log)) {
            return lines.anyMatch(line -> line.startsWith("SERVER STARTED"));
        }
    }

    private String endOfLog()
            throws IOException
    {
        List<String> lines = Files.readAllLines(log);
        return lines.stream()
                .skip(Math.max(0, lines.size() - 30))
                .collect(joining(System.lineSeparator()));
    }
}
