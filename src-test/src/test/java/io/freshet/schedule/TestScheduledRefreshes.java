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

import io.freshet.FreshetQueryRunner;
import io.trino.testing.QueryRunner;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import java.time.Duration;
import java.time.Instant;
import java.util.function.BooleanSupplier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.TestInstance.Lifecycle.PER_CLASS;

/** Views that refresh themselves on a real server. */
@TestInstance(PER_CLASS)
final class TestScheduledRefreshes
{
    private QueryRunner runner;

    @BeforeAll
    void start()
            throws Exception
    {
        runner = FreshetQueryRunner.builder()
                .addCatalogProperty("freshet.schedule.first-retry-delay", "500ms")
                .build();
    }

    @AfterAll
    void stop()
    {
        runner.close();
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
            assertThat(runner.execute("SELECT total FROM grand").getOnlyValue()).describedAs(change)
                    .isEqualTo(runner.execute("SELECT sum(v) FROM orders").getOnlyValue());
        }
        assertThat(count("SELECT count(*) FROM lake.system.materialized_view_refreshes WHERE view_name = 'by_key' AND trigger = 'COMMIT'")).isPositive();
        assertThat(count("SELECT count(*) FROM lake.system.materialized_view_refreshes WHERE view_name = 'grand' AND trigger = 'CASCADE'")).isPositive();
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
