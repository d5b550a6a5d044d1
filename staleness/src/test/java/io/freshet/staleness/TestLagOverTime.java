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

import com.google.common.collect.ImmutableMap;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;

import static java.lang.Math.max;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

/** Compliance and alerts over long random lives of a view, second by second, held against their definitions. */
final class TestLagOverTime
{
    private static final int SEEDS = Integer.getInteger("freshet.timelines", 300);
    private static final int SECONDS = 5_000;
    private static final ServiceLevel LEVEL = new ServiceLevel(Duration.ofSeconds(20), Duration.ofSeconds(60), 2, 4);
    private static final AlertPolicy POLICY = new AlertPolicy(Duration.ofSeconds(300), StalenessState.STALE);

    /** For each second since when the view was behind. */
    private static List<OptionalLong> life(Random random)
    {
        int commitEvery = 1 + random.nextInt(400);
        int refreshEvery = 1 + random.nextInt(400);
        List<OptionalLong> life = new ArrayList<>();
        OptionalLong since = OptionalLong.empty();
        for (int second = 0; second < SECONDS; second++) {
            long now = second * 1000L;
            if (random.nextInt(refreshEvery) == 0) {
                since = OptionalLong.empty();
            }
            if (since.isEmpty() && random.nextInt(commitEvery) == 0) {
                since = OptionalLong.of(now);
            }
            life.add(since);
        }
        return life;
    }

    @Test
    void testCompliance()
    {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            List<OptionalLong> life = life(random);
            int window = 100 + random.nextInt(SECONDS);
            Compliance compliance = Compliance.begin(0, life.getFirst());
            for (int second = 1; second < SECONDS; second++) {
                long now = second * 1000L;
                // looked at whenever something happened, and now and then besides
                if (!life.get(second).equals(life.get(second - 1)) || random.nextInt(50) == 0) {
                    compliance = compliance.observe(now, life.get(second), LEVEL, window * 1000L);
                }
                if (random.nextInt(500) == 0 || second == SECONDS - 1) {
                    assertThat(compliance.share(now, LEVEL, window * 1000L).orElseThrow())
                            .describedAs("seed %s, second %s", seed, second)
                            .isCloseTo(share(life, second, window), offset(1e-9));
                }
            }
            assertThat(compliance.violations().size()).isLessThanOrEqualTo(window);
        }
    }

    /** The view is in the state of a second from then until the next. */
    private static double share(List<OptionalLong> life, int second, int window)
    {
        int begin = max(0, second - window);
        long within = 0;
        for (int i = begin; i < second; i++) {
            if (life.get(i).isEmpty() || i * 1000L - life.get(i).getAsLong() < LEVEL.targetLag().toMillis()) {
                within++;
            }
        }
        return (double) within / (second - begin);
    }

    @Test
    void testComplianceOfAViewThatIsNeverBehind()
    {
        Compliance compliance = Compliance.begin(1_000, OptionalLong.empty());
        assertThat(compliance.share(1_000, LEVEL, 1_000_000)).isEmpty();
        assertThat(compliance.share(900_000_000, LEVEL, 1_000_000)).hasValue(1.0);
        // a clock that goes back, and a commit from the future
        Compliance odd = compliance.observe(500_000, OptionalLong.of(600_000), LEVEL, 1_000_000).observe(400_000, OptionalLong.empty(), LEVEL, 1_000_000);
        assertThat(odd.share(500_000, LEVEL, 1_000_000)).hasValue(1.0);
    }

    @Test
    void testAlerts()
    {
        for (int seed = 0; seed < SEEDS; seed++) {
            List<OptionalLong> life = life(new Random(seed));
            AlertPolicy.Memory memory = AlertPolicy.Memory.NOTHING;
            Map<StalenessState, Long> lastRaised = new EnumMap<>(StalenessState.class);
            Map<StalenessState, Long> inStateSince = new HashMap<>();
            int raised = 0;
            int recovered = 0;
            for (int second = 0; second < SECONDS; second++) {
                long now = second * 1000L;
                StalenessState state = LEVEL.state(ServiceLevel.lagMillis(life.get(second), now));
                inStateSince.keySet().retainAll(List.of(state));
                inStateSince.putIfAbsent(state, now);
                AlertPolicy.Decision decision = POLICY.decide(memory, state, now);
                memory = decision.memory();
                if (decision.notice().isPresent()) {
                    AlertPolicy.Notice notice = decision.notice().get();
                    assertThat(notice.to()).isEqualTo(state);
                    if (notice.recovery()) {
                        recovered++;
                        assertThat(StalenessState.STALE.isWorseThan(state)).isTrue();
                    }
                    else {
                        raised++;
                        assertThat(notice.to().isWorseThan(notice.from())).isTrue();
                        Long before = lastRaised.put(state, now);
                        assertThat(before == null || now - before >= 300_000).describedAs("seed %s: %s raised again after %s", seed, state, before).isTrue();
                    }
                }
                decision.suppressedUntilMillis().ifPresent(until -> assertThat(until).isBetween(now + 1, now + 300_000));
                assertThat(recovered).isLessThanOrEqualTo(raised);
                if (!StalenessState.STALE.isWorseThan(state) && now - inStateSince.get(state) > 300_000) {
                    assertThat(memory.told()).describedAs("seed %s, second %s", seed, second).isEqualTo(state);
                }
            }
        }
    }

    @Test
    void testFlappingIsReportedOnceInACooldown()
    {
        AlertPolicy.Decision first = POLICY.decide(AlertPolicy.Memory.NOTHING, StalenessState.STALE, 0);
        assertThat(first.notice()).hasValue(new AlertPolicy.Notice(StalenessState.FRESH, StalenessState.STALE, false));
        AlertPolicy.Decision recovery = POLICY.decide(first.memory(), StalenessState.FRESH, 10_000);
        assertThat(recovery.notice()).hasValue(new AlertPolicy.Notice(StalenessState.STALE, StalenessState.FRESH, true));
        AlertPolicy.Decision again = POLICY.decide(recovery.memory(), StalenessState.STALE, 20_000);
        assertThat(again.notice()).isEmpty();
        assertThat(again.suppressedUntilMillis()).hasValue(300_000);
        // nobody was told, so there is no recovery to tell of
        assertThat(POLICY.decide(again.memory(), StalenessState.FRESH, 30_000).notice()).isEmpty();
        // a worse state has a cooldown of its own, and what lasts is told when the cooldown ends
        assertThat(POLICY.decide(again.memory(), StalenessState.CRITICAL, 30_000).notice()).isPresent();
        assertThat(POLICY.decide(again.memory(), StalenessState.STALE, 300_000).notice()).isPresent();
        assertThat(POLICY.decide(new AlertPolicy.Memory(StalenessState.FRESH, ImmutableMap.of()), StalenessState.APPROACHING, 0).notice()).isEmpty();
    }
}
