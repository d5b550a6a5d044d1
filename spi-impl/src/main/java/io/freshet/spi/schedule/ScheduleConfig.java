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
import io.airlift.configuration.validation.FileExists;
import io.airlift.units.Duration;
import io.airlift.units.MaxDuration;
import io.airlift.units.MinDuration;
import jakarta.validation.constraints.AssertTrue;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;

import java.io.File;
import java.net.URI;
import java.util.Optional;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.SECONDS;

/** Configuration of refreshes that start by themselves. */
public class ScheduleConfig
{
    private boolean enabled = true;
    private int maxParallelRefreshes = 4;
    private Duration discoveryInterval = new Duration(5, MINUTES);
    private Duration pollInterval = new Duration(5, MINUTES);
    private Duration commitDelay = new Duration(100, MILLISECONDS);
    private Optional<URI> sseUri = Optional.empty();
    private Optional<String> sseAuthorization = Optional.empty();
    private Optional<File> sseTrustStorePath = Optional.empty();
    private Optional<String> sseTrustStorePassword = Optional.empty();
    private Duration firstRetryDelay = new Duration(5, SECONDS);
    private Duration longestRetryDelay = new Duration(15, MINUTES);

    public boolean isEnabled()
    {
        return enabled;
    }

    @Config("freshet.schedule.enabled")
    @ConfigDescription("Whether views are refreshed by themselves from this cluster")
    public ScheduleConfig setEnabled(boolean enabled)
    {
        this.enabled = enabled;
        return this;
    }

    @Min(1)
    public int getMaxParallelRefreshes()
    {
        return maxParallelRefreshes;
    }

    @Config("freshet.schedule.max-parallel-refreshes")
    @ConfigDescription("How many views are refreshed by themselves at the same time; others wait")
    public ScheduleConfig setMaxParallelRefreshes(int maxParallelRefreshes)
    {
        this.maxParallelRefreshes = maxParallelRefreshes;
        return this;
    }

    @NotNull
    @MinDuration("1s")
    public Duration getDiscoveryInterval()
    {
        return discoveryInterval;
    }

    @Config("freshet.schedule.discovery-interval")
    @ConfigDescription("How often the catalog is searched for views that other clusters created, altered or dropped")
    public ScheduleConfig setDiscoveryInterval(Duration discoveryInterval)
    {
        this.discoveryInterval = discoveryInterval;
        return this;
    }

    @NotNull
    @MinDuration("1s")
    public Duration getPollInterval()
    {
        return pollInterval;
    }

    @Config("freshet.events.poll-interval")
    @ConfigDescription("How often ON_COMMIT views look for commits of other engines while no event source tells of them")
    public ScheduleConfig setPollInterval(Duration pollInterval)
    {
        this.pollInterval = pollInterval;
        return this;
    }

    public Optional<URI> getSseUri()
    {
        return sseUri;
    }

    @Config("freshet.events.sse-uri")
    @ConfigDescription("Where commits of all engines are told by Server-Sent Events")
    public ScheduleConfig setSseUri(URI sseUri)
    {
        this.sseUri = Optional.ofNullable(sseUri);
        return this;
    }

    @AssertTrue(message = "freshet.events.sse-uri must be an HTTP address such as https://catalog.example.com/v1/events")
    public boolean isSseUriHttp()
    {
        return sseUri.map(HttpAddresses::isHttp).orElse(true);
    }

    public Optional<String> getSseAuthorization()
    {
        return sseAuthorization;
    }

    @Config("freshet.events.sse-authorization")
    @ConfigSecuritySensitive
    @ConfigDescription("Value of the header Authorization for that address, such as Bearer followed by a token")
    public ScheduleConfig setSseAuthorization(String sseAuthorization)
    {
        this.sseAuthorization = Optional.ofNullable(sseAuthorization);
        return this;
    }

    public Optional<@FileExists File> getSseTrustStorePath()
    {
        return sseTrustStorePath;
    }

    @Config("freshet.events.sse-truststore-path")
    @ConfigDescription("Certificates to trust at that address, as PKCS 12 or JKS; by default those of the JVM")
    public ScheduleConfig setSseTrustStorePath(File sseTrustStorePath)
    {
        this.sseTrustStorePath = Optional.ofNullable(sseTrustStorePath);
        return this;
    }

    public Optional<String> getSseTrustStorePassword()
    {
        return sseTrustStorePassword;
    }

    @Config("freshet.events.sse-truststore-password")
    @ConfigSecuritySensitive
    @ConfigDescription("Password of that file")
    public ScheduleConfig setSseTrustStorePassword(String sseTrustStorePassword)
    {
        this.sseTrustStorePassword = Optional.ofNullable(sseTrustStorePassword);
        return this;
    }

    @NotNull
    @MinDuration("0ms")
    @MaxDuration("1m")
    public Duration getCommitDelay()
    {
        return commitDelay;
    }

    @Config("freshet.events.commit-delay")
    @ConfigDescription("How long a refresh that a commit starts waits for other commits that follow it closely")
    public ScheduleConfig setCommitDelay(Duration commitDelay)
    {
        this.commitDelay = commitDelay;
        return this;
    }

    @NotNull
    @MinDuration("100ms")
    public Duration getFirstRetryDelay()
    {
        return firstRetryDelay;
    }

    @Config("freshet.schedule.first-retry-delay")
    @ConfigDescription("How long a view waits after a failed refresh; twice as long after each further failure")
    public ScheduleConfig setFirstRetryDelay(Duration firstRetryDelay)
    {
        this.firstRetryDelay = firstRetryDelay;
        return this;
    }

    @NotNull
    public Duration getLongestRetryDelay()
    {
        return longestRetryDelay;
    }

    @Config("freshet.schedule.longest-retry-delay")
    @ConfigDescription("The longest wait after failures, unless the view runs more seldom anyway")
    public ScheduleConfig setLongestRetryDelay(Duration longestRetryDelay)
    {
        this.longestRetryDelay = longestRetryDelay;
        return this;
    }
}
