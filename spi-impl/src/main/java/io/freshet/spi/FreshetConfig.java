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
package io.freshet.spi;

import io.airlift.configuration.Config;
import io.airlift.configuration.ConfigDescription;
import io.airlift.configuration.ConfigHidden;
import io.airlift.configuration.ConfigSecuritySensitive;
import io.airlift.units.Duration;
import io.airlift.units.MinDuration;
import io.freshet.engine.ApplyMethod;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;

import java.util.Optional;

import static java.util.concurrent.TimeUnit.DAYS;
import static java.util.concurrent.TimeUnit.MINUTES;

/**
 * Configuration of a {@code freshet} catalog beside that of the Iceberg connector.
 */
public class FreshetConfig
{
    private Optional<String> jdbcUrl = Optional.empty();
    private Optional<String> user = Optional.empty();
    private Optional<String> password = Optional.empty();
    private Optional<String> accessToken = Optional.empty();
    private RunAs runAs = RunAs.OWNER;
    private Duration maxQueuedTime = new Duration(5, MINUTES);
    private Duration snapshotRetention = new Duration(1, DAYS);
    private BuildMode defaultBuild = BuildMode.IMMEDIATE;
    private boolean allowBreakingDependents;
    private Optional<ApplyMethod> apply = Optional.empty();

    public enum RunAs
    {
        /** Statements of a refresh run with the rights of the view's owner. */
        OWNER,
        /** Statements of a refresh run with the rights of the configured user. */
        SERVICE,
    }

    public enum BuildMode
    {
        /** CREATE fills the view. */
        IMMEDIATE,
        /** The first refresh fills the view; until then queries run its definition. */
        DEFERRED,
    }

    public Optional<@Pattern(regexp = "jdbc:trino:.*", message = "must be a URL of the Trino JDBC driver, such as jdbc:trino://coordinator:8443?SSL=true") String> getJdbcUrl()
    {
        return jdbcUrl;
    }

    @Config("freshet.refresh.jdbc-url")
    @ConfigDescription("Where refreshes send their statements; by default this coordinator over plain HTTP")
    public FreshetConfig setJdbcUrl(String jdbcUrl)
    {
        this.jdbcUrl = Optional.ofNullable(jdbcUrl);
        return this;
    }

    public Optional<String> getUser()
    {
        return user;
    }

    @Config("freshet.refresh.user")
    @ConfigDescription("User who authenticates for the statements of refreshes")
    public FreshetConfig setUser(String user)
    {
        this.user = Optional.ofNullable(user);
        return this;
    }

    public Optional<String> getPassword()
    {
        return password;
    }

    @Config("freshet.refresh.password")
    @ConfigSecuritySensitive
    @ConfigDescription("Password of that user")
    public FreshetConfig setPassword(String password)
    {
        this.password = Optional.ofNullable(password);
        return this;
    }

    public Optional<String> getAccessToken()
    {
        return accessToken;
    }

    @Config("freshet.refresh.access-token")
    @ConfigSecuritySensitive
    @ConfigDescription("JWT access token for the statements of refreshes")
    public FreshetConfig setAccessToken(String accessToken)
    {
        this.accessToken = Optional.ofNullable(accessToken);
        return this;
    }

    @NotNull
    public RunAs getRunAs()
    {
        return runAs;
    }

    @Config("freshet.refresh.run-as")
    @ConfigDescription("OWNER: statements run as the owner of the view, by impersonation where a user is configured; SERVICE: as the configured user")
    public FreshetConfig setRunAs(RunAs runAs)
    {
        this.runAs = runAs;
        return this;
    }

    @NotNull
    @MinDuration("1s")
    public Duration getMaxQueuedTime()
    {
        return maxQueuedTime;
    }

    @Config("freshet.refresh.max-queued-time")
    @ConfigDescription("A refresh whose statement waits longer than this for its resource group fails")
    public FreshetConfig setMaxQueuedTime(Duration maxQueuedTime)
    {
        this.maxQueuedTime = maxQueuedTime;
        return this;
    }

    @NotNull
    @MinDuration("1h")
    public Duration getSnapshotRetention()
    {
        return snapshotRetention;
    }

    @Config("freshet.backing.snapshot-retention")
    @ConfigDescription("How long old snapshots of backing tables are kept; views over views can follow changes for as long")
    public FreshetConfig setSnapshotRetention(Duration snapshotRetention)
    {
        this.snapshotRetention = snapshotRetention;
        return this;
    }

    @NotNull
    public BuildMode getDefaultBuild()
    {
        return defaultBuild;
    }

    @Config("freshet.default-build")
    @ConfigDescription("Value of the view property build where it is not given")
    public FreshetConfig setDefaultBuild(BuildMode defaultBuild)
    {
        this.defaultBuild = defaultBuild;
        return this;
    }

    public boolean isAllowBreakingDependents()
    {
        return allowBreakingDependents;
    }

    @Config("freshet.allow-breaking-dependents")
    @ConfigDescription("Whether sources of materialized views may be dropped, renamed or altered away from them; default of the session property allow_breaking_dependents")
    public FreshetConfig setAllowBreakingDependents(boolean allowBreakingDependents)
    {
        this.allowBreakingDependents = allowBreakingDependents;
        return this;
    }

    public Optional<ApplyMethod> getApply()
    {
        return apply;
    }

    /** For tests, whose views are so small that none but one way is ever the cheapest. */
    @ConfigHidden
    @Config("freshet.refresh.apply")
    @ConfigDescription("For tests: how merged groups are written where both ways are exact, MERGE or REWRITE; by default the cheaper one")
    public FreshetConfig setApply(ApplyMethod apply)
    {
        this.apply = Optional.ofNullable(apply);
        return this;
    }
}
