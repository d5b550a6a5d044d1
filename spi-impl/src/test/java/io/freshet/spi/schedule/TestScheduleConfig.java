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
package io.freshet.spi.schedule;

import com.google.common.collect.ImmutableMap;
import io.airlift.units.Duration;
import io.freshet.staleness.StalenessState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;

import static io.airlift.configuration.testing.ConfigAssertions.assertFullMapping;
import static io.airlift.configuration.testing.ConfigAssertions.assertRecordedDefaults;
import static io.airlift.configuration.testing.ConfigAssertions.recordDefaults;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TestScheduleConfig
{
    @Test
    void testScheduleDefaults()
    {
        assertRecordedDefaults(recordDefaults(ScheduleConfig.class)
                .setEnabled(true)
                .setMaxParallelRefreshes(4)
                .setDiscoveryInterval(new Duration(5, MINUTES))
                .setPollInterval(new Duration(5, MINUTES))
                .setCommitDelay(new Duration(100, MILLISECONDS))
                .setFirstRetryDelay(new Duration(5, SECONDS))
                .setLongestRetryDelay(new Duration(15, MINUTES))
                .setSseUri(null)
                .setSseAuthorization(null)
                .setSseTrustStorePath(null)
                .setSseTrustStorePassword(null));
    }

    @Test
    void testScheduleProperties(@TempDir Path directory)
            throws IOException
    {
        Path trustStore = Files.createFile(directory.resolve("trust.p12"));
        assertFullMapping(
                ImmutableMap.<String, String>builder()
                        .put("freshet.schedule.enabled", "false")
                        .put("freshet.schedule.max-parallel-refreshes", "9")
                        .put("freshet.schedule.discovery-interval", "1m")
                        .put("freshet.events.poll-interval", "2m")
                        .put("freshet.events.commit-delay", "1s")
                        .put("freshet.schedule.first-retry-delay", "2s")
                        .put("freshet.schedule.longest-retry-delay", "1h")
                        .put("freshet.events.sse-uri", "https://catalog.example.com/events")
                        .put("freshet.events.sse-authorization", "Bearer secret")
                        .put("freshet.events.sse-truststore-path", trustStore.toString())
                        .put("freshet.events.sse-truststore-password", "password")
                        .buildOrThrow(),
                new ScheduleConfig()
                        .setEnabled(false)
                        .setMaxParallelRefreshes(9)
                        .setDiscoveryInterval(new Duration(1, MINUTES))
                        .setPollInterval(new Duration(2, MINUTES))
                        .setCommitDelay(new Duration(1, SECONDS))
                        .setFirstRetryDelay(new Duration(2, SECONDS))
                        .setLongestRetryDelay(new Duration(1, HOURS))
                        .setSseUri(URI.create("https://catalog.example.com/events"))
                        .setSseAuthorization("Bearer secret")
                        .setSseTrustStorePath(trustStore.toFile())
                        .setSseTrustStorePassword("password"));
    }

    @Test
    void testStalenessDefaults()
    {
        assertRecordedDefaults(recordDefaults(StalenessConfig.class)
                .setTiers("gold:5m:15m,silver:1h:4h,bronze:1d:2d")
                .setDefaultTier(null)
                .setCheckInterval(new Duration(1, MINUTES))
                .setComplianceWindow(new Duration(24, HOURS))
                .setAlertCooldown(new Duration(300, SECONDS))
                .setAlertFrom(StalenessState.STALE)
                .setWebhookUri(null)
                .setWebhookSecret(null));
    }

    @Test
    void testStalenessProperties()
    {
        assertFullMapping(
                ImmutableMap.<String, String>builder()
                        .put("freshet.slo.tiers", "fast:1m:2m")
                        .put("freshet.slo.default-tier", "fast")
                        .put("freshet.slo.check-interval", "30s")
                        .put("freshet.slo.compliance-window", "2h")
                        .put("freshet.alerts.cooldown", "60s")
                        .put("freshet.alerts.from-state", "CRITICAL")
                        .put("freshet.alerts.webhook-uri", "http://alerts.example.com")
                        .put("freshet.alerts.webhook-secret", "secret")
                        .buildOrThrow(),
                new StalenessConfig()
                        .setTiers("fast:1m:2m")
                        .setDefaultTier("fast")
                        .setCheckInterval(new Duration(30, SECONDS))
                        .setComplianceWindow(new Duration(2, HOURS))
                        .setAlertCooldown(new Duration(60, SECONDS))
                        .setAlertFrom(StalenessState.CRITICAL)
                        .setWebhookUri(URI.create("http://alerts.example.com"))
                        .setWebhookSecret("secret"));
    }

    @Test
    void testWrongValues()
    {
        assertThatThrownBy(() -> new StalenessConfig().setTiers("gold:soon:15m"))
                .hasMessage("freshet.slo.tiers: 'soon' is not a span of time such as 15 minutes. Example: gold:5m:15m,silver:1h:4h:2:4");
        assertThat(new StalenessConfig().setDefaultTier("tin").isDefaultTierKnown()).isFalse();
        assertThat(new StalenessConfig().setAlertFrom(StalenessState.FRESH).isAlertFromWorseThanFresh()).isFalse();
        assertThat(new StalenessConfig().setWebhookUri(URI.create("mailto:someone")).isWebhookUriHttp()).isFalse();
        assertThat(new ScheduleConfig().setSseUri(URI.create("catalog:8080/events")).isSseUriHttp()).isFalse();
    }
}
