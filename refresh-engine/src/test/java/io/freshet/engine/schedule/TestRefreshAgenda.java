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
package io.freshet.engine.schedule;

import com.google.common.collect.ImmutableSet;
import io.freshet.engine.RelationName;
import io.freshet.engine.schedule.RefreshAgenda.Outcome;
import io.freshet.engine.schedule.RefreshAgenda.Run;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TestRefreshAgenda
{
    private static final RefreshAgenda.Settings SETTINGS = new RefreshAgenda.Settings(
            2,
            Duration.ofMillis(100),
            new Backoff(Duration.ofSeconds(5), Duration.ofMinutes(15)),
            new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(1)));
    private static final RelationName SOURCE = name("source");

    private final RefreshAgenda agenda = new RefreshAgenda(SETTINGS, OptionalLong.empty());

    private static RelationName name(String table)
    {
        return new RelationName("lake", "s", table);
    }

    private static ScheduledView view(String name, String schedule, OptionalLong lastRun, RelationName... sources)
    {
        return new ScheduledView(name(name), name("__mv_" + name), RefreshSchedule.parse(schedule), ImmutableSet.copyOf(sources), false, lastRun);
    }

    private static ScheduledView paused(ScheduledView view, boolean paused)
    {
        return new ScheduledView(view.name(), view.storedAs(), view.schedule(), view.sources(), paused, view.lastRunMillis());
    }

    private List<String> start(long now)
    {
        return agenda.start(now).stream().map(run -> run.view().table()).collect(toImmutableList());
    }

    private void succeed(String view, long now)
    {
        agenda.finished(name(view), Outcome.SUCCEEDED, now);
    }

    @Test
    void testIntervalCountsFromBeginToBegin()
    {
        agenda.put(view("a", "EVERY 10 seconds", OptionalLong.of(0), SOURCE), 1_000);
        assertThat(start(9_999)).isEmpty();
        assertThat(agenda.nextStart(9_999)).hasValue(10_000);
        assertThat(start(10_000)).containsExactly("a");
        assertThat(start(10_000)).isEmpty();
        succeed("a", 13_000);
        assertThat(agenda.nextStart(13_000)).hasValue(20_000);
        // takes longer than its interval: again at once, and no more often
        assertThat(start(20_000)).containsExactly("a");
        succeed("a", 38_000);
        assertThat(start(38_000)).containsExactly("a");
        succeed("a", 38_500);
        assertThat(agenda.nextStart(38_500)).hasValue(48_000);
    }

    @Test
    void testMissedRunsAreRunOnce()
    {
        agenda.put(view("a", "EVERY 10 seconds", OptionalLong.of(0), SOURCE), 1_000_000);
        long next = agenda.nextStart(999_999).orElseThrow();
        assertThat(next).isBetween(1_000_000L, 1_001_000L);
        assertThat(start(next)).containsExactly("a");
        succeed("a", next + 10);
        assertThat(agenda.nextStart(next + 10)).hasValue(next + 10_000);
    }

    @Test
    void testCronIsNotRunTwiceForOneMoment()
    {
        agenda.put(view("a", "CRON */10 * * * *", OptionalLong.empty(), SOURCE), 1);
        long first = agenda.nextStart(1).orElseThrow();
        assertThat(first).isBetween(600_000L, 610_000L);
        assertThat(start(first)).containsExactly("a");
        succeed("a", first + 1);
        assertThat(agenda.nextStart(first + 1).orElseThrow()).isBetween(1_200_000L, 1_210_000L);
    }

    @Test
    void testCommits()
    {
        agenda.put(view("a", "ON_COMMIT", OptionalLong.of(0), SOURCE), 0);
        // what was missed while nobody was there
        assertThat(start(10_000)).containsExactly("a");
        succeed("a", 10_500);
        assertThat(agenda.nextStart(10_500)).isEmpty();

        agenda.committed(name("other"), 11_000);
        assertThat(agenda.nextStart(11_000)).isEmpty();
        agenda.committed(SOURCE, 12_000);
        agenda.committed(SOURCE, 12_050);
        assertThat(start(12_099)).isEmpty();
        assertThat(agenda.start(12_100)).containsExactly(new Run(name("a"), RefreshCause.COMMIT, 12_100));
        // while it runs: one more
        agenda.committed(SOURCE, 12_200);
        agenda.committed(SOURCE, 12_900);
        assertThat(start(13_000)).isEmpty();
        succeed("a", 13_000);
        assertThat(start(13_000)).containsExactly("a");
        succeed("a", 13_500);
        assertThat(agenda.nextStart(13_500)).isEmpty();
    }

    @Test
    void testPollingWhileNobodyTells()
    {
        agenda.put(view("a", "ON_COMMIT", OptionalLong.of(0), SOURCE), 0);
        start(10_000);
        succeed("a", 10_000);
        agenda.setPolling(OptionalLong.of(60_000), 20_000);
        assertThat(start(30_000)).containsExactly("a");
        succeed("a", 30_000);
        assertThat(agenda.nextStart(30_000)).hasValue(90_000);
        assertThat(start(90_000)).containsExactly("a");
        succeed("a", 90_000);
        agenda.setPolling(OptionalLong.empty(), 100_000);
        // between the last look and being told
        assertThat(start(110_000)).containsExactly("a");
        succeed("a", 110_000);
        assertThat(agenda.nextStart(110_000)).isEmpty();
    }

    @Test
    void testFailures()
    {
        agenda.put(view("a", "EVERY 1 second", OptionalLong.of(0), SOURCE), 0);
        agenda.put(view("b", "EVERY 1 second", OptionalLong.of(0), SOURCE), 0);
        assertThat(start(1_000)).containsExactly("a", "b");
        agenda.finished(name("a"), Outcome.FAILED, 2_000);
        succeed("b", 2_000);
        assertThat(agenda.status(name("a")).orElseThrow()).isEqualTo(new RefreshAgenda.Status(false, OptionalLong.of(7_000), 1));
        assertThat(start(2_000)).containsExactly("b");
        assertThat(start(7_000)).containsExactly("a");
        agenda.finished(name("a"), Outcome.FAILED, 7_000);
        // a commit does not wake what fails
        agenda.committed(SOURCE, 8_000);
        assertThat(agenda.status(name("a")).orElseThrow().nextRunMillis()).hasValue(17_000);
        assertThat(start(17_000)).containsExactly("a");
        succeed("a", 17_500);
        assertThat(agenda.status(name("a")).orElseThrow()).isEqualTo(new RefreshAgenda.Status(false, OptionalLong.of(18_000), 0));
    }

    @Test
    void testConflictIsTriedAgainSoon()
    {
        agenda.put(view("a", "ON_COMMIT", OptionalLong.of(0), SOURCE), 0);
        start(10_000);
        agenda.finished(name("a"), Outcome.CONFLICT, 11_000);
        assertThat(agenda.start(12_000)).containsExactly(new Run(name("a"), RefreshCause.COMMIT, 12_000));
    }

    @Test
    void testPause()
    {
        ScheduledView view = view("a", "ON_COMMIT", OptionalLong.of(0), SOURCE);
        agenda.put(view, 0);
        start(10_000);
        // while it runs
        agenda.put(paused(view, true), 10_100);
        agenda.committed(SOURCE, 10_200);
        succeed("a", 10_500);
        assertThat(agenda.nextStart(10_500)).isEmpty();
        agenda.committed(SOURCE, 11_000);
        assertThat(agenda.nextStart(11_000)).isEmpty();
        agenda.put(paused(view, false), 20_000);
        assertThat(start(30_000)).containsExactly("a");
    }

    @Test
    void testLowerViewsFirst()
    {
        agenda.put(view("a_upper", "EVERY 10 seconds", OptionalLong.of(0), name("__mv_b_middle")), 0);
        agenda.put(view("b_middle", "EVERY 10 seconds", OptionalLong.of(0), name("__mv_c_lower")), 0);
        agenda.put(view("c_lower", "EVERY 10 seconds", OptionalLong.of(0), SOURCE), 0);
        assertThat(start(10_000)).containsExactly("c_lower");
        succeed("c_lower", 11_000);
        assertThat(start(11_000)).containsExactly("b_middle");
        succeed("b_middle", 12_000);
        assertThat(start(12_000)).containsExactly("a_upper");
        // a lower one that was due later is not waited for
        assertThat(start(20_000)).containsExactly("c_lower");
    }

    @Test
    void testUpperIsNotStarvedByABusyLower()
    {
        agenda.put(view("lower", "EVERY 1 second", OptionalLong.of(0), SOURCE), 0);
        agenda.put(view("a_upper", "EVERY 5 seconds", OptionalLong.of(0), name("__mv_lower")), 0);
        Set<String> started = new HashSet<>();
        List<String> running = new ArrayList<>();
        for (long now = 0; now < 20_000; now += 500) {
            // each run of the lower one takes longer than its interval
            if (now % 2_500 == 0) {
                long moment = now;
                running.forEach(view -> succeed(view, moment));
                running.clear();
            }
            List<String> runs = start(now);
            started.addAll(runs);
            running.addAll(runs);
        }
        assertThat(started).contains("a_upper");
    }

    @Test
    void testCascade()
    {
        agenda.put(view("lower", "EVERY 10 seconds", OptionalLong.of(0), SOURCE), 0);
        agenda.put(view("upper", "ON_COMMIT", OptionalLong.of(0), name("__mv_lower")), 0);
        assertThat(start(9_000)).containsExactly("upper");
        succeed("upper", 9_000);
        start(10_000);
        agenda.committed(name("__mv_lower"), 10_500);
        succeed("lower", 10_600);
        assertThat(agenda.start(10_600)).containsExactly(new Run(name("upper"), RefreshCause.CASCADE, 10_600));
    }

    @Test
    void testDroppedWhileItRuns()
    {
        agenda.put(view("a", "EVERY 1 second", OptionalLong.of(0), SOURCE), 0);
        assertThat(start(1_000)).containsExactly("a");
        agenda.remove(name("a"));
        agenda.put(view("a", "EVERY 1 second", OptionalLong.of(0), SOURCE), 1_100);
        assertThat(start(5_000)).isEmpty();
        succeed("a", 5_000);
        assertThat(start(5_000)).containsExactly("a");
        succeed("a", 5_001);
        assertThatThrownBy(() -> succeed("a", 5_002)).isInstanceOf(IllegalStateException.class);
    }

    /** Thousands of random events; what is started, and that nothing is forgotten, is checked against the laws. */
    @Test
    void testRandomly()
    {
        for (int seed = 0; seed < 200; seed++) {
            new RandomLife(seed).live();
        }
    }

    private static final class RandomLife
    {
        private static final String[] SCHEDULES = {"ON_COMMIT", "ON_COMMIT", "ON_DEMAND", "EVERY 3 seconds", "EVERY 1 minute", "CRON * * * * *", "EVERY 20 seconds STARTS '1970-01-01 00:00:05'"};

        private final int seed;
        private final Random random;
        private final RefreshAgenda agenda = new RefreshAgenda(SETTINGS, OptionalLong.empty());
        private final Map<RelationName, ScheduledView> views = new HashMap<>();
        private final Map<RelationName, Long> running = new HashMap<>();
        /** The last commit to a source of each view that follows commits. */
        private final Map<RelationName, Long> unseenCommits = new HashMap<>();
        private long now;

        private RandomLife(int seed)
        {
            this.seed = seed;
            random = new Random(seed);
        }

        private void live()
        {
            for (int step = 0; step < 1_500; step++) {
                now += random.nextInt(400);
                act();
                startAndCheck();
            }
            settle();
        }

        private void act()
        {
            RelationName name = name("v" + random.nextInt(8));
            switch (random.nextInt(10)) {
                case 0 -> put(name, random.nextInt(4) == 0);
                case 1, 2, 3 -> {
                    RelationName table = random.nextBoolean() ? name("t" + random.nextInt(3)) : name("__mv_" + name.table());
                    agenda.committed(table, now);
                    views.values().stream()
                            .filter(view -> view.schedule() instanceof RefreshSchedule.OnCommit && view.sources().contains(table))
                            .forEach(view -> unseenCommits.put(view.name(), now));
                }
                case 4 -> {
                    if (random.nextInt(5) == 0) {
                        agenda.remove(name);
                        views.remove(name);
                        unseenCommits.remove(name);
                    }
                }
                default -> {
                    for (RelationName view : List.copyOf(running.keySet())) {
                        if (random.nextInt(3) == 0) {
                            finish(view, Outcome.values()[random.nextInt(3)]);
                        }
                    }
                }
            }
        }

        /** Views read tables, and views of lower numbers. */
        private void put(RelationName name, boolean paused)
        {
            int number = Integer.parseInt(name.table().substring(1));
            Set<RelationName> sources = new HashSet<>();
            sources.add(name("t" + random.nextInt(3)));
            if (number > 0 && random.nextBoolean()) {
                sources.add(name("__mv_v" + random.nextInt(number)));
            }
            ScheduledView view = new ScheduledView(
                    name,
                    name("__mv_" + name.table()),
                    RefreshSchedule.parse(SCHEDULES[random.nextInt(SCHEDULES.length)]),
                    sources,
                    paused,
                    random.nextBoolean() ? OptionalLong.empty() : OptionalLong.of(random.nextLong(now + 1)));
            agenda.put(view, now);
            views.put(name, view);
            if (view.schedule() instanceof RefreshSchedule.OnCommit) {
                unseenCommits.put(name, now);
            }
            else {
                unseenCommits.remove(name);
            }
        }

        private void startAndCheck()
        {
            for (Run run : agenda.start(now)) {
                assertThat(running).describedAs("seed %s", seed).doesNotContainKey(run.view());
                running.put(run.view(), now);
                ScheduledView view = views.get(run.view());
                assertThat(view).isNotNull();
                assertThat(view.paused()).isFalse();
                assertThat(view.schedule()).isNotInstanceOf(RefreshSchedule.OnDemand.class);
                assertThat(run.dueMillis()).isLessThanOrEqualTo(now);
            }
            assertThat(running.size()).isLessThanOrEqualTo(SETTINGS.parallelism());
            assertThat(agenda.running()).isEqualTo(running.keySet());
            assertThat(agenda.waitingCount(now)).isLessThanOrEqualTo(views.size());
        }

        private void finish(RelationName view, Outcome outcome)
        {
            long begin = running.remove(view);
            agenda.finished(view, outcome, now);
            if (outcome == Outcome.SUCCEEDED && unseenCommits.getOrDefault(view, Long.MAX_VALUE) <= begin) {
                unseenCommits.remove(view);
            }
        }

        /** Nothing else happens, everything succeeds: soon every commit is seen, and what runs by the clock goes on. */
        private void settle()
        {
            Map<RelationName, Long> lastRun = new HashMap<>();
            long end = now + Duration.ofMinutes(40).toMillis();
            while (now < end) {
                for (RelationName view : List.copyOf(running.keySet())) {
                    finish(view, Outcome.SUCCEEDED);
                }
                startAndCheck();
                running.keySet().forEach(view -> lastRun.put(view, now));
                long next = running.isEmpty() ? agenda.nextStart(now).orElse(end) : now + 10;
                assertThat(next).isGreaterThan(now);
                now = next;
            }
            for (ScheduledView view : views.values()) {
                if (view.paused() || view.schedule() instanceof RefreshSchedule.OnDemand) {
                    continue;
                }
                if (view.schedule() instanceof RefreshSchedule.OnCommit) {
                    assertThat(unseenCommits).describedAs("seed %s", seed).doesNotContainKey(view.name());
                }
                else {
                    assertThat(lastRun.get(view.name())).describedAs("seed %s, %s", seed, view).isGreaterThan(end - Duration.ofMinutes(3).toMillis());
                }
            }
        }
    }
}
