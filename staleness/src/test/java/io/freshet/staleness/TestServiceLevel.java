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
package io.freshet.staleness;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TestServiceLevel
{
    private static final ServiceLevel LEVEL = new ServiceLevel(Duration.ofSeconds(10), Duration.ofSeconds(30), 2, 4);

    @Test
    void testStates()
    {
        assertThat(LEVEL.state(0)).isEqualTo(StalenessState.FRESH);
        assertThat(LEVEL.state(10_000)).isEqualTo(StalenessState.FRESH);
        assertThat(LEVEL.state(10_001)).isEqualTo(StalenessState.APPROACHING);
        assertThat(LEVEL.state(30_000)).isEqualTo(StalenessState.APPROACHING);
        assertThat(LEVEL.state(30_001)).isEqualTo(StalenessState.STALE);
        assertThat(LEVEL.state(60_001)).isEqualTo(StalenessState.CRITICAL);
        assertThat(LEVEL.state(120_000)).isEqualTo(StalenessState.CRITICAL);
        assertThat(LEVEL.state(120_001)).isEqualTo(StalenessState.EXPIRED);
        assertThat(LEVEL.state(Long.MAX_VALUE)).isEqualTo(StalenessState.EXPIRED);
    }

    @Test
    void testEqualBoundsSkipStates()
    {
        ServiceLevel level = new ServiceLevel(Duration.ofSeconds(10), Duration.ofSeconds(10), 1, 1);
        assertThat(level.state(10_000)).isEqualTo(StalenessState.FRESH);
        assertThat(level.state(10_001)).isEqualTo(StalenessState.EXPIRED);
        assertThat(level.worsensAt(OptionalLong.of(0), 10_000)).hasValue(10_001);
        assertThat(level.worsensAt(OptionalLong.of(0), 10_001)).isEmpty();
    }

    @Test
    void testWorsensExactlyThen()
    {
        OptionalLong since = OptionalLong.of(1_000_000);
        StalenessState state = StalenessState.FRESH;
        OptionalLong next = LEVEL.worsensAt(since, 1_000_000);
        while (next.isPresent()) {
            long moment = next.getAsLong();
            assertThat(LEVEL.state(ServiceLevel.lagMillis(since, moment - 1))).isEqualTo(state);
            StalenessState worse = LEVEL.state(ServiceLevel.lagMillis(since, moment));
            assertThat(worse.isWorseThan(state)).isTrue();
            state = worse;
            next = LEVEL.worsensAt(since, moment);
        }
        assertThat(state).isEqualTo(StalenessState.EXPIRED);
        assertThat(LEVEL.worsensAt(OptionalLong.empty(), 5)).isEmpty();
    }

    @Test
    void testLag()
    {
        assertThat(ServiceLevel.lagMillis(OptionalLong.empty(), Long.MAX_VALUE)).isEqualTo(0);
        assertThat(ServiceLevel.lagMillis(OptionalLong.of(100), 250)).isEqualTo(150);
        // the committer's clock is ahead
        assertThat(ServiceLevel.lagMillis(OptionalLong.of(300), 250)).isEqualTo(0);
    }

    @Test
    void testOverrides()
    {
        Optional<ServiceLevel> tier = Optional.of(LEVEL);
        assertThat(ServiceLevel.of(Optional.empty(), Optional.empty(), Optional.empty())).isEmpty();
        assertThat(ServiceLevel.of(tier, Optional.empty(), Optional.empty())).isEqualTo(tier);
        assertThat(ServiceLevel.of(tier, Optional.of(Duration.ofSeconds(5)), Optional.empty())).hasValue(new ServiceLevel(Duration.ofSeconds(5), Duration.ofSeconds(30), 2, 4));
        assertThat(ServiceLevel.of(Optional.empty(), Optional.of(Duration.ofSeconds(5)), Optional.empty())).hasValue(new ServiceLevel(Duration.ofSeconds(5), Duration.ofSeconds(10)));
        assertThat(ServiceLevel.of(Optional.empty(), Optional.empty(), Optional.of(Duration.ofSeconds(5)))).hasValue(new ServiceLevel(Duration.ofMillis(2500), Duration.ofSeconds(5)));
        assertThatThrownBy(() -> ServiceLevel.of(tier, Optional.of(Duration.ofSeconds(31)), Optional.empty()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the target lag of 31 s is longer than the maximum lag of 30 s");
    }

    @Test
    void testTiers()
    {
        Map<String, SloTier> tiers = SloTier.parseAll("gold:5m:15m, Silver:1h:4 hours:1.5:3");
        assertThat(tiers.keySet()).containsExactly("gold", "silver");
        assertThat(tiers.get("gold").level()).isEqualTo(new ServiceLevel(Duration.ofMinutes(5), Duration.ofMinutes(15)));
        assertThat(tiers.get("silver").level()).isEqualTo(new ServiceLevel(Duration.ofHours(1), Duration.ofHours(4), 1.5, 3));
        assertThat(SloTier.parseAll("")).isEmpty();
        assertWrong("gold", "'gold' is not a tier such as");
        assertWrong("gold:5m:1m", "'gold:5m:1m' is not a tier: the target lag of 300 s is longer than the maximum lag of 60 s");
        assertWrong("gold:5x:1m", "'x' is not a unit of time");
        assertWrong("gold:5m:9m:3:2", "factors 3.0 and 2.0");
        assertWrong("gold:5m:9m:NaN:2", "factors NaN and 2.0");
        assertWrong("gold:1m:2m,gold:1m:2m", "tier 'gold' is there twice");
        assertWrong("go ld:1m:2m", "'go ld' is not a name");
        assertWrong("gold:0m:2m", "not between 1 second and 3650 days");
        assertWrong("gold:99999999999999999999m:2m", "too long");
    }

    private static void assertWrong(String text, String message)
    {
        assertThatThrownBy(() -> SloTier.parseAll(text)).isInstanceOf(IllegalArgumentException.class).hasMessageContaining(message);
    }
}
