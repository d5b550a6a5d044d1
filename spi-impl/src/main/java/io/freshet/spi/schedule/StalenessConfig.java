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

import io.airlift.configuration.Config;
import io.airlift.configuration.ConfigDescription;
import io.airlift.configuration.ConfigSecuritySensitive;
import io.airlift.units.Duration;
import io.airlift.units.MaxDuration;
import io.airlift.units.MinDuration;
import io.freshet.staleness.SloTier;
import io.freshet.staleness.StalenessState;
import jakarta.validation.constraints.AssertTrue;
import jakarta.validation.constraints.NotNull;

import java.net.URI;
import java.util.Map;
import java.util.Optional;

import static java.util.Locale.ENGLISH;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.SECONDS;

/** Configuration of service levels and of alerts. */
public class StalenessConfig
{
    private static final String DEFAULT_TIERS = "gold:5m:15m,silver:1h:4h,bronze:1d:2d";

    private String tiersText = DEFAULT_TIERS;
    private Map<String, SloTier> tiers = SloTier.parseAll(DEFAULT_TIERS);
    private Optional<String> defaultTier = Optional.empty();
    private Duration checkInterval = new Duration(1, MINUTES);
    private Duration complianceWindow = new Duration(24, HOURS);
    private Duration alertCooldown = new Duration(300, SECONDS);
    private StalenessState alertFrom = StalenessState.STALE;
    private Optional<URI> webhookUri = Optional.empty();
    private Optional<String> webhookSecret = Optional.empty();

    public Map<String, SloTier> tiers()
    {
        return tiers;
    }

    @NotNull
    public String getTiers()
    {
        return tiersText;
    }

    @Config("freshet.slo.tiers")
    @ConfigDescription("Service levels by name: name:target lag:maximum lag, optionally :factor for CRITICAL:factor for EXPIRED. Example: gold:5m:15m,silver:1h:4h:2:4")
    public StalenessConfig setTiers(String tiers)
    {
        try {
            this.tiers = SloTier.parseAll(tiers);
            this.tiersText = tiers;
        }
        catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("freshet.slo.tiers: %s. Example: gold:5m:15m,silver:1h:4h:2:4".formatted(e.getMessage()), e);
        }
        return this;
    }

    public Optional<String> getDefaultTier()
    {
        return defaultTier;
    }

    @Config("freshet.slo.default-tier")
    @ConfigDescription("Tier of views that declare none; by default they have no service level")
    public StalenessConfig setDefaultTier(String defaultTier)
    {
        this.defaultTier = Optional.ofNullable(defaultTier).map(name -> name.toLowerCase(ENGLISH));
        return this;
    }

    @AssertTrue(message = "freshet.slo.default-tier must be one of freshet.slo.tiers, such as gold")
    public boolean isDefaultTierKnown()
    {
        return defaultTier.map(tiers::containsKey).orElse(true);
    }

    @NotNull
    @MinDuration("1s")
    public Duration getCheckInterval()
    {
        return checkInterval;
    }

    @Config("freshet.slo.check-interval")
    @ConfigDescription("How often the sources of views with a service level are looked at for commits that the views lack")
    public StalenessConfig setCheckInterval(Duration checkInterval)
    {
        this.checkInterval = checkInterval;
        return this;
    }

    @NotNull
    @MinDuration("1m")
    @MaxDuration("31d")
    public Duration getComplianceWindow()
    {
        return complianceWindow;
    }

    @Config("freshet.slo.compliance-window")
    @ConfigDescription("The time over which compliance is counted")
    public StalenessConfig setComplianceWindow(Duration complianceWindow)
    {
        this.complianceWindow = complianceWindow;
        return this;
    }

    @NotNull
    public Duration getAlertCooldown()
    {
        return alertCooldown;
    }

    @Config("freshet.alerts.cooldown")
    @ConfigDescription("For how long the same state of a view is not alerted again")
    public StalenessConfig setAlertCooldown(Duration alertCooldown)
    {
        this.alertCooldown = alertCooldown;
        return this;
    }

    @NotNull
    public StalenessState getAlertFrom()
    {
        return alertFrom;
    }

    @Config("freshet.alerts.from-state")
    @ConfigDescription("The best state that is worth an alert: APPROACHING, STALE, CRITICAL or EXPIRED")
    public StalenessConfig setAlertFrom(StalenessState alertFrom)
    {
        this.alertFrom = alertFrom;
        return this;
    }

    @AssertTrue(message = "freshet.alerts.from-state must be APPROACHING, STALE, CRITICAL or EXPIRED")
    public boolean isAlertFromWorseThanFresh()
    {
        return alertFrom == null || alertFrom != StalenessState.FRESH;
    }

    public Optional<URI> getWebhookUri()
    {
        return webhookUri;
    }

    @Config("freshet.alerts.webhook-uri")
    @ConfigDescription("Where alerts are posted to as JSON")
    public StalenessConfig setWebhookUri(URI webhookUri)
    {
        this.webhookUri = Optional.ofNullable(webhookUri);
        return this;
    }

    @AssertTrue(message = "freshet.alerts.webhook-uri must be an HTTP address such as https://alerts.example.com/freshet")
    public boolean isWebhookUriHttp()
    {
        return webhookUri.map(HttpAddresses::isHttp).orElse(true);
    }

    public Optional<String> getWebhookSecret()
    {
        return webhookSecret;
    }

    @Config("freshet.alerts.webhook-secret")
    @ConfigSecuritySensitive
    @ConfigDescription("Key with which posted alerts are signed")
    public StalenessConfig setWebhookSecret(String webhookSecret)
    {
        this.webhookSecret = Optional.ofNullable(webhookSecret);
        return this;
    }
}
