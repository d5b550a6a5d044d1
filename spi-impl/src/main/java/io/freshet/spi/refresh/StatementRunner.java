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
package io.freshet.spi.refresh;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.inject.Inject;
import io.airlift.log.Logger;
import io.freshet.spi.FreshetConfig;
import io.freshet.spi.FreshetConfig.RunAs;
import io.freshet.spi.refresh.RunningStatement.Progress;
import io.freshet.spi.view.StoredView;
import io.trino.jdbc.QueryStats;
import io.trino.jdbc.TrinoConnection;
import io.trino.jdbc.TrinoDriver;
import io.trino.jdbc.TrinoStatement;
import io.trino.spi.Node;
import io.trino.spi.TrinoException;
import jakarta.annotation.PreDestroy;

import java.io.IOException;
import java.net.ConnectException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import static com.google.common.base.MoreObjects.firstNonNull;
import static com.google.common.base.Preconditions.checkState;
import static com.google.common.base.Throwables.getRootCause;
import static io.freshet.spi.FreshetErrorCode.REFRESH_CANCELLED;
import static io.freshet.spi.FreshetErrorCode.REFRESH_FAILED;
import static io.freshet.spi.FreshetErrorCode.REFRESH_NOT_PERMITTED;
import static io.freshet.spi.FreshetErrorCode.REFRESH_QUEUED_TOO_LONG;
import static io.trino.spi.StandardErrorCode.SERVER_STARTING_UP;
import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.stream.Collectors.joining;

/**
 * Runs SQL on this cluster, by the Trino JDBC driver: the way in which a plugin can have a query distributed.
 */
public class StatementRunner
{
    private static final Logger log = Logger.get(StatementRunner.class);

    /**
     * What the speed of a refresh rests on, whatever the defaults of the server are: a small delta has to prune the scan of a
     * large backing table, and the optimizer has to be free to make the delta the build side.
     */
    private static final Map<String, String> SESSION_PROPERTIES = ImmutableMap.<String, String>builder()
            .put("enable_dynamic_filtering", "true")
            .put("join_distribution_type", "AUTOMATIC")
            .buildOrThrow();

    /** For statements that move few rows: parallelism only costs time here. Writers still scale, so that there is one file. */
    private static final Map<String, String> SMALL_SESSION_PROPERTIES = ImmutableMap.<String, String>builder()
            .putAll(SESSION_PROPERTIES)
            .put("max_hash_partition_count", "1")
            .put("task_concurrency", "1")
            // stages that wait for each other cost more than they save here
            .put("execution_policy", "all-at-once")
            // the statement says already on which side of a join the delta stands
            .put("enable_stats_calculator", "false")
            .buildOrThrow();

    private static final String SOURCE = "freshet";

    private final TrinoDriver driver = new TrinoDriver();
    private final String url;
    private final FreshetConfig config;
    private final ScheduledExecutorService timer;

    @Inject
    public StatementRunner(FreshetConfig config, Node node, @ForRefresh ScheduledExecutorService timer)
    {
        this.config = requireNonNull(config, "config is null");
        this.timer = requireNonNull(timer, "timer is null");
        url = config.getJdbcUrl().orElseGet(() -> "jdbc:trino://" + node.getHostAndPort());
    }

    /**
     * @param token of the job that gives the statement its rights
     * @param session time zone, locale, catalog, schema and path for the meaning of the view's SQL
     * @param small whether few rows are expected
     */
    public record Request(String sql, String user, String token, StoredView session, boolean small) {}

    public record Result(String queryId, long rowsRead, long bytesRead, long wallMillis) {}

    /** The user as whom statements for a view of that owner run. */
    public String user(Optional<String> owner)
    {
        if (config.getRunAs() == RunAs.SERVICE) {
            return config.getUser().orElseThrow(() -> new TrinoException(REFRESH_NOT_PERMITTED, "freshet.refresh.run-as=SERVICE needs freshet.refresh.user"));
        }
        return owner.or(config::getUser)
                .orElseThrow(() -> new TrinoException(REFRESH_NOT_PERMITTED, "The materialized view has no owner to refresh it as. Set one with ALTER MATERIALIZED VIEW ... SET AUTHORIZATION, or set freshet.refresh.run-as=SERVICE and freshet.refresh.user"));
    }

    /**
     * Runs a statement to its end.
     *
     * @param onStart receives the statement as soon as there is something to cancel
     * @throws TrinoException typed, with the server's message
     */
    public Result execute(Request request, Consumer<RunningStatement> onStart)
    {
        AtomicReference<QueryStats> stats = new AtomicReference<>();
        return run(request, stats, onStart, statement -> {
            statement.execute(request.sql());
            QueryStats last = requireNonNull(stats.get(), "no statistics");
            return new Result(last.getQueryId(), last.getProcessedRows(), last.getPhysicalInputBytes(), last.getElapsedTimeMillis());
        });
    }

    /** @param type SQL type as the engine shows it */
    public record OutputColumn(String name, String type) {}

    /** The columns of a query that gives no rows. */
    public List<OutputColumn> columns(Request request, Consumer<RunningStatement> onStart)
    {
        return run(request, new AtomicReference<>(), onStart, statement -> {
            try (ResultSet result = statement.executeQuery(request.sql())) {
                ResultSetMetaData metadata = result.getMetaData();
                ImmutableList.Builder<OutputColumn> columns = ImmutableList.builder();
                for (int column = 1; column <= metadata.getColumnCount(); column++) {
                    columns.add(new OutputColumn(metadata.getColumnLabel(column), metadata.getColumnTypeName(column)));
                }
                return columns.build();
            }
        });
    }

    /** The columns of a query, which is not run. Its text has to fit into the header of a request. */
    public List<OutputColumn> describe(Request request, Consumer<RunningStatement> onStart)
    {
        return run(request, new AtomicReference<>(), onStart, statement -> {
            statement.execute("PREPARE freshet FROM " + request.sql());
            try (ResultSet result = statement.executeQuery("DESCRIBE OUTPUT freshet")) {
                ImmutableList.Builder<OutputColumn> columns = ImmutableList.builder();
                while (result.next()) {
                    columns.add(new OutputColumn(result.getString("Column Name"), result.getString("Type")));
                }
                return columns.build();
            }
        });
    }

    /** Whether the server takes statements already. One that takes none of ours counts as ready: refreshes will say what is wrong. */
    public boolean isServerReady()
    {
        Properties properties = new Properties();
        properties.setProperty("user", config.getUser().orElse(SOURCE));
        config.getPassword().ifPresent(password -> properties.setProperty("password", password));
        config.getAccessToken().ifPresent(token -> properties.setProperty("accessToken", token));
        properties.setProperty("source", SOURCE);
        try (Connection connection = driver.connect(url, properties);
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SELECT 1")) {
            // to its end, or the server shows it as cancelled
            return result.next() && !result.next();
        }
        catch (SQLException e) {
            log.debug(e, "Asking whether the server is ready");
            return e.getErrorCode() != SERVER_STARTING_UP.toErrorCode().getCode() && !(getRootCause(e) instanceof ConnectException);
        }
    }

    /** The numbers in the single row of a query's result. */
    public List<Long> numbers(Request request, Consumer<RunningStatement> onStart)
    {
        return run(request, new AtomicReference<>(), onStart, statement -> {
            try (ResultSet result = statement.executeQuery(request.sql())) {
                checkState(result.next(), "no row");
                ImmutableList.Builder<Long> numbers = ImmutableList.builder();
                for (int column = 1; column <= result.getMetaData().getColumnCount(); column++) {
                    numbers.add(result.getLong(column));
                }
                return numbers.build();
            }
        });
    }

    private interface StatementFunction<T>
    {
        T apply(TrinoStatement statement)
                throws SQLException;
    }

    private <T> T run(Request request, AtomicReference<QueryStats> stats, Consumer<RunningStatement> onStart, StatementFunction<T> function)
    {
        Watch watch = new Watch(config.getMaxQueuedTime().toMillis(), stats);
        try (TrinoConnection connection = connect(request);
                TrinoStatement statement = connection.createStatement().unwrap(TrinoStatement.class)) {
            statement.setProgressMonitor(last -> {
                stats.set(last);
                watch.sent();
            });
            watch.start(timer, statement);
            onStart.accept(new RunningStatement(watch::cancel, () -> Optional.ofNullable(stats.get()).map(StatementRunner::progress)));
            watch.checkNotCancelled();
            return function.apply(statement);
        }
        catch (SQLException e) {
            throw watch.translate(e);
        }
        finally {
            watch.stop();
        }
    }

    private static Progress progress(QueryStats stats)
    {
        return new Progress(stats.getQueryId(), stats.getProgressPercentage(), stats.getProcessedRows(), stats.getPhysicalInputBytes());
    }

    private TrinoConnection connect(Request request)
            throws SQLException
    {
        StoredView view = request.session();
        Properties properties = new Properties();
        properties.setProperty("user", config.getUser().orElse(request.user()));
        if (config.getUser().filter(user -> !user.equals(request.user())).isPresent()) {
            properties.setProperty("sessionUser", request.user());
        }
        config.getPassword().ifPresent(password -> properties.setProperty("password", password));
        config.getAccessToken().ifPresent(token -> properties.setProperty("accessToken", token));
        properties.setProperty("source", SOURCE);
        properties.setProperty("extraCredentials", StatementContexts.TOKEN_CREDENTIAL + ":" + request.token());
        properties.setProperty("timezone", view.sessionContext().timeZone());
        properties.setProperty("disableCompression", "true");
        if (!view.path().isEmpty()) {
            properties.setProperty("path", view.path().stream()
                    .map(element -> quoted(element.catalog()) + "." + quoted(element.schema()))
                    .collect(joining(",")));
        }
        TrinoConnection connection = (TrinoConnection) driver.connect(url, properties);
        connection.setLocale(Locale.forLanguageTag(view.sessionContext().locale()));
        if (view.catalog().isPresent()) {
            connection.setCatalog(view.catalog().get());
        }
        if (view.schema().isPresent()) {
            connection.setSchema(view.schema().get());
        }
        for (Map.Entry<String, String> property : (request.small() ? SMALL_SESSION_PROPERTIES : SESSION_PROPERTIES).entrySet()) {
            connection.setSessionProperty(property.getKey(), property.getValue());
        }
        return connection;
    }

    private static String quoted(String identifier)
    {
        return "\"" + identifier.replace("\"", "\"\"") + "\"";
    }

    @PreDestroy
    public void close()
            throws IOException
    {
        driver.close();
    }

    /** Cancels on demand, or when the statement does not leave the queue in time, and knows which it was. */
    private static final class Watch
    {
        private static final long INTERVAL_MILLIS = 200;

        private final long maxQueuedMillis;
        private final AtomicReference<QueryStats> stats;
        private final long startNanos = System.nanoTime();
        private volatile TrinoStatement statement;
        private volatile ScheduledFuture<?> check;
        private volatile boolean cancelled;
        private volatile boolean queuedTooLong;

        private Watch(long maxQueuedMillis, AtomicReference<QueryStats> stats)
        {
            this.maxQueuedMillis = maxQueuedMillis;
            this.stats = requireNonNull(stats, "stats is null");
        }

        private void start(ScheduledExecutorService timer, TrinoStatement statement)
        {
            this.statement = statement;
            long interval = Math.min(INTERVAL_MILLIS, maxQueuedMillis);
            check = timer.scheduleWithFixedDelay(this::check, interval, interval, MILLISECONDS);
        }

        private void check()
        {
            QueryStats last = stats.get();
            boolean queued = last == null || last.isQueued() && !last.isScheduled() && last.getState().equals("QUEUED");
            if (!queued) {
                check.cancel(false);
                return;
            }
            if ((System.nanoTime() - startNanos) / 1_000_000 > maxQueuedMillis) {
                queuedTooLong = true;
                cancelStatement();
            }
        }

        private void cancel()
        {
            cancelled = true;
            cancelStatement();
        }

        private void checkNotCancelled()
        {
            if (cancelled) {
                throw new TrinoException(REFRESH_CANCELLED, "The refresh was cancelled");
            }
        }

        /** Until now there was nothing on the server that could be cancelled. */
        private void sent()
        {
            if (cancelled) {
                cancelStatement();
            }
        }

        private void cancelStatement()
        {
            try {
                statement.cancel();
            }
            catch (SQLException e) {
                log.warn(e, "Could not cancel a statement of a refresh");
            }
        }

        private void stop()
        {
            if (check != null) {
                check.cancel(false);
            }
        }

        private TrinoException translate(SQLException e)
        {
            if (queuedTooLong) {
                return new TrinoException(
                        REFRESH_QUEUED_TOO_LONG,
                        "The statement of the refresh waited longer than %s ms for its turn. Give statements with source 'freshet' a resource group of their own, or raise freshet.refresh.max-queued-time".formatted(maxQueuedMillis),
                        e);
            }
            if (cancelled) {
                return new TrinoException(REFRESH_CANCELLED, "The refresh was cancelled", e);
            }
            return translateFailure(e);
        }
    }

    /** An error of the server keeps its message; one of our own keeps its code too. */
    private static TrinoException translateFailure(SQLException e)
    {
        String message = firstNonNull(e.getMessage(), e.toString()).replaceFirst("^Query failed \\(#[^)]*\\): ", "");
        for (io.freshet.spi.FreshetErrorCode code : io.freshet.spi.FreshetErrorCode.values()) {
            if (code.toErrorCode().getCode() == e.getErrorCode()) {
                return new TrinoException(code, message, e);
            }
        }
        if (e.getErrorCode() == 0) {
            // Not an answer of the server to the statement
            return new TrinoException(
                    REFRESH_NOT_PERMITTED,
                    "The connector cannot run statements on its own cluster: %s. Check freshet.refresh.jdbc-url, and freshet.refresh.user with its password or token".formatted(message),
                    e);
        }
        return new StatementFailedException(REFRESH_FAILED, message, e.getErrorCode(), e);
    }
}
