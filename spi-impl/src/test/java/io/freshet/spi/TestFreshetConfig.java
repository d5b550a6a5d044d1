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

import com.google.common.collect.ImmutableMap;
import io.airlift.units.Duration;
import io.freshet.engine.ApplyMethod;
import io.freshet.spi.FreshetConfig.BuildMode;
import io.freshet.spi.FreshetConfig.RunAs;
import org.junit.jupiter.api.Test;

import java.util.Map;

import static io.airlift.configuration.testing.ConfigAssertions.assertFullMapping;
import static io.airlift.configuration.testing.ConfigAssertions.assertRecordedDefaults;
import static io.airlift.configuration.testing.ConfigAssertions.recordDefaults;
import static java.util.concurrent.TimeUnit.DAYS;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MINUTES;

final class TestFreshetConfig
{
    @Test
    void testDefaults()
    {
        assertRecordedDefaults(recordDefaults(FreshetConfig.class)
                .setJdbcUrl(null)
                .setUser(null)
                .setPassword(null)
                .setAccessToken(null)
                .setRunAs(RunAs.OWNER)
                .setMaxQueuedTime(new Duration(5, MINUTES))
                .setSnapshotRetention(new Duration(1, DAYS))
                .setDefaultBuild(BuildMode.IMMEDIATE)
                .setAllowBreakingDependents(false)
                .setApply(null));
    }

    @Test
    void testExplicitPropertyMappings()
    {
        Map<String, String> properties = ImmutableMap.<String, String>builder()
                .put("freshet.refresh.jdbc-url", "jdbc:trino://coordinator:8443?SSL=true")
                .put("freshet.refresh.user", "freshet")
                .put("freshet.refresh.password", "secret")
                .put("freshet.refresh.access-token", "token")
                .put("freshet.refresh.run-as", "SERVICE")
                .put("freshet.refresh.max-queued-time", "1m")
                .put("freshet.backing.snapshot-retention", "2h")
                .put("freshet.default-build", "DEFERRED")
                .put("freshet.allow-breaking-dependents", "true")
                .put("freshet.refresh.apply", "MERGE")
                .buildOrThrow();
        assertFullMapping(properties, new FreshetConfig()
                .setJdbcUrl("jdbc:trino://coordinator:8443?SSL=true")
                .setUser("freshet")
                .setPassword("secret")
                .setAccessToken("token")
                .setRunAs(RunAs.SERVICE)
                .setMaxQueuedTime(new Duration(1, MINUTES))
                .setSnapshotRetention(new Duration(2, HOURS))
                .setDefaultBuild(BuildMode.DEFERRED)
                .setAllowBreakingDependents(true)
                .setApply(ApplyMethod.MERGE));
    }
}
