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
package io.freshet.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.collect.ImmutableMap;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.freshet.FreshetQueryRunner;
import io.freshet.ViewOracle;
import io.freshet.engine.RelationName;
import io.freshet.spi.FreshetConnector;
import io.freshet.spi.schedule.AlertWebhook;
import io.freshet.spi.schedule.CatalogViewDirectory;
import io.freshet.spi.schedule.FailureNotes;
import io.freshet.spi.schedule.ViewDirectory;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.MaterializedRow;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.TestInstance.Lifecycle.PER_CLASS;

/** Views that refresh themselves on a real server. */
@TestInstance(PER_CLASS)
final class TestScheduledRefreshes
{
    private static final String SECRET = "for tests";

    private final List<JsonNode> posted = new CopyOnWriteArrayList<>();
    private final AtomicBoolean receiverIsDown = new AtomicBoolean();
    private HttpServer receiver;
    private CommitEventServer events;
    private DistributedQueryRunner runner;

    @BeforeAll
    void start()
            throws Exception
    {
        receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.createContext("/alerts", this::receive);
        receiver.start();
        events = new CommitEventServer(Optional.empty(), Optional.empty());
        runner = FreshetQueryRunner.builder()
                .addCatalogProperty("freshet.events.sse-uri", events.uri().toString())
                // twelve times as long while events are told
                .addCatalogProperty("freshet.events.poll-interval", "3s")
                .addCatalogProperty("freshet.schedule.first-retry-delay", "500ms")
                .addCatalogProperty("freshet.slo.tiers", "swift:1s:2s:100:200,slow:1h:2h")
                .addCatalogProperty("freshet.slo.check-interval", "1s")
                .addCatalogProperty("freshet.alerts.webhook-uri", "http://127.0.0.1:%s/alerts".formatted(receiver.getAddress().getPort()))
                .addCatalogProperty("freshet.alerts.webhook-secret", SECRET)
                .build();
        // another engine on the same catalog
        Path data = runner.getCoordinator().getBaseDataDir().resolve("lake");
        runner.createCatalog("other", "iceberg", ImmutableMap.<String, String>builder()
                .put("fs.native-local.enabled", "true")
                .put("local.location", data.resolve("files").toString())
                .put("iceberg.catalog.type", "jdbc")
                .put("iceberg.jdbc-catalog.driver-class", "org.sqlite.JDBC")
                .put("iceberg.jdbc-catalog.connection-url", "jdbc:sqlite:" + data.resolve("catalog.db"))
                .put("iceberg.jdbc-catalog.catalog-name", "lake")
                .put("iceberg.jdbc-catalog.default-warehouse-dir", "local:///warehouse")
                .buildOrThrow());
    }

    @AfterAll
    void stop()
    {
        runner.close();
        receiver.stop(0);
        events.close();
    }

    private void receive(HttpExchange exchange)
            throws IOException
    {
        byte[] body = exchange.getRequestBody().readAllBytes();
        boolean signed = AlertWebhook.signature(SECRET, body).equals(exchange.getRequestHeaders().getFirst(AlertWebhook.SIGNATURE_HEADER));
        int status = receiverIsDown.getAndSet(false) ? 503 : signed ? 204 : 401;
        if (status == 204) {
            posted.add(new ObjectMapper().readTree(body));
        }
        exchange.sendResponseHeaders(status, -1);
        exchange.close();
    }

    @Test
    void testInterval()
    {
        runner.execute("CREATE TABLE ticks (k integer, v integer)");
        runner.execute("CREATE MATERIALIZED VIEW every_second WITH (refresh = 'EVERY 1 second') AS SELECT k, sum(v) AS total FROM ticks GROUP BY k");
        runner.execute("INSERT INTO ticks VALUES (1, 10), (2, 20)");
        await(() -> count("SELECT count(*) FROM lake.system.materialized_view_refreshes WHERE view_name = 'every_second' AND trigger = 'SCHEDULE' AND status = 'SUCCEEDED'") > 0);
        runner.execute("DELETE FROM ticks WHERE k = 1");
        await(() -> count("SELECT sum(total) FROM every_second") == 20 && count("SELECT count(*) FROM lake.system.materialized_views WHERE view_name = 'every_second' AND freshness = 'FRESH'") == 1);
        // nothing is recorded of runs that had nothing to do
        assertThat(count("SELECT count(*) FROM lake.system.materialized_view_refreshes WHERE view_name = 'every_second' AND trigger = 'SCHEDULE'")).isBetween(1L, 3L);
        runner.execute("DROP MATERIALIZED VIEW every_second");
    }

    @Test
    void testCommitsOfThisCluster()
    {
        runner.execute("CREATE TABLE orders (k integer, v integer) WITH (format_version = 2)");
        runner.execute("CREATE MATERIALIZED VIEW by_key WITH (refresh = 'ON_COMMIT') AS SELECT k, sum(v) AS total FROM orders GROUP BY k");
        runner.execute("CREATE MATERIALIZED VIEW grand WITH (refresh = 'ON_COMMIT') AS SELECT sum(total) AS total FROM by_key");
        ViewOracle oracle = new ViewOracle(runner);
        for (String change : new String[] {
                "INSERT INTO orders VALUES (1, 10), (2, 20), (3, 30)",
                "DELETE FROM orders WHERE k = 1",
                "UPDATE orders SET v = 21 WHERE k = 2",
                "MERGE INTO orders t USING (VALUES (2, 5), (4, 40)) s (k, v) ON t.k = s.k WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT VALUES (s.k, s.v)",
                "TRUNCATE TABLE orders",
                "CREATE OR REPLACE TABLE orders AS SELECT * FROM (VALUES (7, 70), (8, 80)) AS t (k, v)"}) {
            Instant start = Instant.now();
            runner.execute(change);
            await(() -> isFresh("by_key") && isFresh("grand"));
            assertThat(Duration.between(start, Instant.now())).describedAs(change).isLessThan(Duration.ofSeconds(20));
            oracle.assertExact("by_key");
            oracle.assertExact("grand");
            assertThat(runner.execute("SELECT total FROM grand").getOnlyValue()).describedAs(change)
                    .isEqualTo(runner.execute("SELECT sum(v) FROM orders").getOnlyValue());
        }
        assertThat(count("SELECT count(*) FROM lake.system.materialized_view_refreshes WHERE view_name = 'by_key' AND trigger = 'COMMIT'")).isPositive();
        assertThat(count("SELECT count(*) FROM lake.system.materialized_view_refreshes WHERE view_name = 'grand' AND trigger = 'CASCADE'")).isPositive();
    }

    @Test
    void testCommitsOfOtherEngines()
    {
        runner.execute("CREATE TABLE shared (k integer)");
        runner.execute("CREATE MATERIALIZED VIEW followed WITH (refresh = 'ON_COMMIT') AS SELECT count(*) AS c FROM shared");
        await(() -> events.clientCount() == 1 && count("SELECT count(*) FROM lake.system.materialized_views WHERE view_name = 'followed' AND next_refresh_at > current_timestamp + INTERVAL '15' SECOND") == 1);
        runner.execute("INSERT INTO other.s.shared VALUES 1, 2, 3");
        assertThat(isFresh("followed")).isFalse();
        events.publish("s", "shared", 1);
        await(() -> isFresh("followed"));
        assertThat(runner.execute("SELECT c FROM followed").getOnlyValue()).isEqualTo(3L);
        assertThat(count("SELECT count(*) FROM lake.system.materialized_view_refreshes WHERE view_name = 'followed' AND trigger = 'COMMIT'")).isEqualTo(1);
        // told again, and of what did not happen
        events.publish("s", "shared", 1);
        events.publish("s", "nowhere", 1);
        // the source goes away: views look for commits by themselves, and again once it is back
        events.setDown(true);
        runner.execute("INSERT INTO other.s.shared VALUES 4");
        await(() -> isFresh("followed"));
        events.setDown(false);
        runner.execute("DROP MATERIALIZED VIEW followed");
    }

    @Test
    void testDeclarationsAreChecked()
    {
        runner.execute("CREATE TABLE checked (k integer)");
        assertThatThrownBy(() -> runner.execute("CREATE MATERIALIZED VIEW wrong WITH (refresh = 'EVERY 5 fortnights') AS SELECT k FROM checked"))
                .hasMessageContaining("Invalid value for refresh: 'fortnights' is not a unit of time")
                .hasMessageContaining("'EVERY 15 minutes'");
        runner.execute("CREATE MATERIALIZED VIEW declared WITH (refresh = 'CRON 0 */2 * * * TIME ZONE Europe/Berlin') AS SELECT k FROM checked");
        assertThat((String) runner.execute("SHOW CREATE MATERIALIZED VIEW declared").getOnlyValue()).contains("refresh = 'CRON 0 */2 * * * TIME ZONE Europe/Berlin'");
        assertThatThrownBy(() -> runner.execute("ALTER MATERIALIZED VIEW declared SET PROPERTIES refresh = 'CRON 0 25 * * *'"))
                .hasMessageContaining("Invalid value for refresh: '0 25 * * *' is not a cron expression");
        runner.execute("ALTER MATERIALIZED VIEW declared SET PROPERTIES refresh = 'EVERY 1 hour STARTS ''2026-12-01 00:00:00 UTC'''");
        assertThat((String) runner.execute("SHOW CREATE MATERIALIZED VIEW declared").getOnlyValue()).contains("EVERY 1 hour STARTS ''2026-12-01 00:00:00 UTC''");
        runner.execute("ALTER MATERIALIZED VIEW declared SET PROPERTIES refresh = DEFAULT");
        assertThat((String) runner.execute("SHOW CREATE MATERIALIZED VIEW declared").getOnlyValue()).doesNotContain("refresh = ");
    }

    @Test
    void testServiceLevels()
    {
        runner.execute("CREATE TABLE watched (k integer)");
        assertThatThrownBy(() -> runner.execute("CREATE MATERIALIZED VIEW late WITH (slo_tier = 'platinum') AS SELECT k FROM watched"))
                .hasMessageContaining("Invalid value for slo_tier: there is no tier 'platinum'. Tiers of freshet.slo.tiers: slow, swift");
        assertThatThrownBy(() -> runner.execute("CREATE MATERIALIZED VIEW late WITH (slo_tier = 'swift', target_lag = '1 hour') AS SELECT k FROM watched"))
                .hasMessageContaining("Invalid value for target_lag: the target lag of 3600 s is longer than the maximum lag of 2 s");
        assertThatThrownBy(() -> runner.execute("CREATE MATERIALIZED VIEW late WITH (max_lag = 'soon') AS SELECT k FROM watched"))
                .hasMessageContaining("Invalid value for max_lag: 'soon' is not a span of time such as 15 minutes");
        runner.execute("CREATE MATERIALIZED VIEW late WITH (slo_tier = 'slow', target_lag = '5 minutes') AS SELECT k FROM watched");
        assertThat((String) runner.execute("SHOW CREATE MATERIALIZED VIEW late").getOnlyValue()).contains("slo_tier = 'slow'", "target_lag = '5 minutes'");
        assertThat(row("staleness, slo_tier, target_lag, max_lag", "late")).containsExactly("FRESH", "slow", 300L, 7200L);
        assertThatThrownBy(() -> runner.execute("ALTER MATERIALIZED VIEW late SET PROPERTIES target_lag = '3 hours'"))
                .hasMessageContaining("Invalid value for target_lag");
        runner.execute("INSERT INTO watched VALUES 1");
        assertThat(row("staleness", "late")).containsExactly("FRESH");

        receiverIsDown.set(true);
        runner.execute("ALTER MATERIALIZED VIEW late SET PROPERTIES slo_tier = 'swift', target_lag = DEFAULT");
        await(() -> !posted.isEmpty());
        assertThat(row("staleness", "late")).containsExactly("STALE");
        assertThat(posted.getFirst().get("view").asText()).isEqualTo("late");
        assertThat(posted.getFirst().get("to_state").asText()).isEqualTo("STALE");
        assertThat(posted.getFirst().get("recovery").asBoolean()).isFalse();
        await(() -> count("SELECT count(*) FROM lake.system.materialized_view_alerts WHERE view_name = 'late' AND to_state = 'STALE' AND delivered AND lag >= 2 AND suppressed_until > raised_at") == 1);
        assertThat((double) row("slo_compliance", "late").getFirst()).isLessThan(1);

        runner.execute("REFRESH MATERIALIZED VIEW late");
        assertThat(row("staleness", "late")).containsExactly("FRESH");
        await(() -> posted.size() == 2);
        assertThat(posted.get(1).get("recovery").asBoolean()).isTrue();
        runner.execute("DROP MATERIALIZED VIEW late");
    }

    @Test
    void testFailingView()
    {
        runner.execute("CREATE TABLE divisors (v integer)");
        runner.execute("INSERT INTO divisors VALUES 1");
        runner.execute("CREATE MATERIALIZED VIEW quotients WITH (refresh = 'ON_COMMIT') AS SELECT 10 / v AS q FROM divisors");
        runner.execute("CREATE MATERIALIZED VIEW neighbour WITH (refresh = 'ON_COMMIT') AS SELECT count(*) AS c FROM divisors");
        runner.execute("INSERT INTO divisors VALUES 0");
        await(() -> isFresh("neighbour") && count("SELECT max(failures) FROM lake.system.materialized_views WHERE view_name = 'quotients'") >= 2);
        assertThat((String) row("last_error", "quotients").getFirst()).contains("REFRESH_FAILED", "Division by zero");
        assertThat(row("next_refresh_at > current_timestamp - INTERVAL '5' SECOND, paused", "quotients")).containsExactly(true, false);
        assertThat(runner.execute("SELECT c FROM neighbour").getOnlyValue()).isEqualTo(2L);
        // known to whoever looks at the catalog, without this coordinator
        ViewDirectory directory = ((FreshetConnector) runner.getCoordinator().getConnector("lake")).getInjector().getInstance(CatalogViewDirectory.class);
        RelationName name = new RelationName("lake", "s", "quotients");
        assertThat(FailureNotes.Note.parse(directory.load(name).orElseThrow().failure()).orElseThrow().error()).contains("Division by zero");

        runner.execute("DELETE FROM divisors WHERE v = 0");
        await(() -> isFresh("quotients") && directory.load(name).orElseThrow().failure().isEmpty());
        assertThat(row("last_error, failures", "quotients")).containsExactly(null, 0L);
        runner.execute("DROP MATERIALIZED VIEW quotients");
    }

    @Test
    void testPause()
            throws InterruptedException
    {
        runner.execute("CREATE TABLE paused_source (k integer)");
        runner.execute("CREATE MATERIALIZED VIEW interrupted WITH (refresh = 'ON_COMMIT') AS SELECT k FROM paused_source");
        runner.execute("CALL lake.system.pause_materialized_view('s', 'interrupted')");
        runner.execute("CALL lake.system.pause_materialized_view('s', 'interrupted')");
        assertThat(row("paused, next_refresh_at", "interrupted")).containsExactly(true, null);
        runner.execute("INSERT INTO paused_source VALUES 1");
        Thread.sleep(1_500);
        assertThat(isFresh("interrupted")).isFalse();
        // statements refresh it as before
        runner.execute("REFRESH MATERIALIZED VIEW interrupted");
        assertThat(isFresh("interrupted")).isTrue();
        runner.execute("INSERT INTO paused_source VALUES 2");
        runner.execute("CALL lake.system.resume_materialized_view('s', 'interrupted')");
        await(() -> isFresh("interrupted"));
        assertThat(row("paused", "interrupted")).containsExactly(false);
        runner.execute("DROP MATERIALIZED VIEW interrupted");
        assertThatThrownBy(() -> runner.execute("CALL lake.system.pause_materialized_view('s', 'interrupted')")).hasMessageContaining("interrupted");
    }

    private List<Object> row(String columns, String view)
    {
        List<MaterializedRow> rows = runner.execute("SELECT %s FROM lake.system.materialized_views WHERE schema_name = 's' AND view_name = '%s'".formatted(columns, view)).getMaterializedRows();
        return rows.isEmpty() ? List.of() : rows.getFirst().getFields();
    }

    private boolean isFresh(String view)
    {
        return count("SELECT count(*) FROM lake.system.materialized_views WHERE view_name = '%s' AND freshness = 'FRESH' AND state = 'NORMAL'".formatted(view)) == 1;
    }

    private long count(String query)
    {
        return ((Number) runner.execute(query).getOnlyValue()).longValue();
    }

    private static void await(BooleanSupplier condition)
    {
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).describedAs("waited too long").isLessThan(deadline);
            try {
                Thread.sleep(100);
            }
            catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
