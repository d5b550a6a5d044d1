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
package io.freshet.simulation;

import com.google.common.collect.ImmutableList;
import io.airlift.log.Logger;
import io.freshet.engine.RelationName;
import io.freshet.engine.schedule.Backoff;
import io.freshet.engine.schedule.RefreshAgenda;
import io.freshet.engine.schedule.RefreshSchedule;
import io.freshet.simulation.SimulatedCatalog.View;
import io.freshet.spi.schedule.ScheduleService;
import io.freshet.spi.schedule.StalenessMonitor;
import io.freshet.staleness.AlertPolicy;
import io.freshet.staleness.ServiceLevel;
import io.freshet.staleness.StalenessState;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

import static io.freshet.simulation.SimulatedCatalog.name;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two coordinators on one catalog, with commits of theirs and of other engines, and with everything going wrong that can: events
 * that are lost, repeated, reordered or of commits that never were; refreshes that fail, collide or take minutes; a catalog
 * that does not answer; coordinators that die at any moment; views that come, go, change and are paused. While that goes on no view is
 * refreshed twice at once by a coordinator, what runs and waits is bounded, alerts are true and not repeated. Once it ends all
 * commits are applied soon, and nothing is paused or resumed that should not be.
 * <p>
 * The long form: {@code -Dfreshet.simulation.views=1000 -Dfreshet.simulation.hours=24 -Dfreshet.simulation.seeds=1}. One seed alone:
 * {@code -Dfreshet.simulation.seed=7}.
 */
final class TestScheduleSimulation
{
    private static final Logger log = Logger.get(TestScheduleSimulation.class);

    private static final int VIEWS = Integer.getInteger("freshet.simulation.views", 40);
    private static final long HOURS = Integer.getInteger("freshet.simulation.hours", 3);
    private static final int SEEDS = Integer.getInteger("freshet.simulation.seeds", 5);
    private static final long START = 1_800_000_000_000L;
    private static final String[] SCHEDULES = {
            "ON_COMMIT", "ON_COMMIT", "ON_COMMIT", "ON_DEMAND", "EVERY 1 minute", "EVERY 1 minute", "EVERY 5 minutes", "EVERY 15 minutes",
            "CRON */10 * * * *", "EVERY 30 minutes STARTS '2026-12-01 00:07:00'"};

    @Test
    void testWithFaults()
    {
        Integer only = Integer.getInteger("freshet.simulation.seed");
        for (int seed = 0; seed < SEEDS; seed++) {
            int current = only == null ? seed : only;
            try {
                new World(current, VIEWS).live(Duration.ofHours(HOURS));
            }
            catch (AssertionError | RuntimeException e) {
                throw new AssertionError("Fails with -Dfreshet.simulation.seed=%s -Dfreshet.simulation.views=%s -Dfreshet.simulation.hours=%s: %s".formatted(current, VIEWS, HOURS, e.getMessage()), e);
            }
            if (only != null) {
                return;
            }
        }
    }

    /** Where nothing happens, next to nothing is asked of the catalog. */
    @Test
    void testIdleCatalogCostsNothing()
    {
        World world = new World(1, 0);
        for (int i = 0; i < 1_000; i++) {
            View view = world.randomView("v" + i, i % 2 == 0 ? "ON_COMMIT" : "ON_DEMAND", Set.of(name("t" + i % 10)));
            view.level = Optional.empty();
            world.catalog.createView(view);
        }
        world.coordinators.getFirst().start();
        world.coordinators.getFirst().withoutFaults();
        world.time.runUntil(START + Duration.ofMinutes(40).toMillis());
        world.coordinators.getFirst().setAllCommitsTold(true);
        world.time.runUntil(START + Duration.ofMinutes(60).toMillis());
        long calls = world.catalog.calls();
        long looks = world.coordinators.getFirst().looks();
        world.time.runUntil(START + Duration.ofMinutes(120).toMillis());
        // a listing every five minutes, and a look at each of the 500 in case an event was lost
        assertThat(world.catalog.calls() - calls).isLessThanOrEqualTo(20);
        assertThat(world.coordinators.getFirst().looks() - looks).isLessThanOrEqualTo(500);
    }

    private static final class World
    {
        private final Random random;
        private final SimulatedTime time = new SimulatedTime(START);
        private final SimulatedCatalog catalog = new SimulatedCatalog(time);
        private final List<SimulatedCoordinator> coordinators;
        private final List<RelationName> sources = new ArrayList<>();
        private final Set<RelationName> pausedByUser = new HashSet<>();
        private final int viewCount;
        private boolean faults = true;
        private int created;

        private World(int seed, int viewCount)
        {
            random = new Random(seed);
            this.viewCount = viewCount;
            ScheduleService.Settings settings = new ScheduleService.Settings(
                    new RefreshAgenda.Settings(
                            Math.max(4, viewCount / 20),
                            Duration.ofMillis(100),
                            new Backoff(Duration.ofSeconds(5), Duration.ofMinutes(15)),
                            new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(1))),
                    Duration.ofMinutes(5).toMillis(),
                    Duration.ofMinutes(5).toMillis());
            StalenessMonitor.Settings monitor = new StalenessMonitor.Settings(
                    new AlertPolicy(Duration.ofSeconds(300), StalenessState.STALE),
                    Duration.ofMinutes(1).toMillis(),
                    Duration.ofHours(24).toMillis());
            coordinators = ImmutableList.of(
                    new SimulatedCoordinator("first", random, time, catalog, settings, monitor, table -> tell(0, table)),
                    new SimulatedCoordinator("second", random, time, catalog, settings, monitor, table -> tell(1, table)));
            for (int i = 0; i < 10; i++) {
                RelationName source = name("t" + i);
                sources.add(source);
                catalog.createTable(source);
            }
        }

        private void live(Duration duration)
        {
            for (int i = 0; i < viewCount; i++) {
                createRandomView();
            }
            coordinators.forEach(SimulatedCoordinator::start);
            coordinators.forEach(coordinator -> coordinator.setAllCommitsTold(random.nextBoolean()));
            act();
            time.runUntil(START + duration.toMillis());
            settle();
            log.info("%s views: %s refreshes, %s looks, %s alerts",
                    viewCount,
                    coordinators.stream().mapToLong(SimulatedCoordinator::refreshes).sum(),
                    coordinators.stream().mapToLong(SimulatedCoordinator::looks).sum(),
                    coordinators.stream().mapToLong(SimulatedCoordinator::alerts).sum());
        }

        private View randomView(String name, String schedule, Set<RelationName> sources)
        {
            View view = new View();
            view.name = name(name);
            view.schedule = RefreshSchedule.parse(schedule);
            view.sources = sources;
            view.level = random.nextInt(3) == 0 ? Optional.empty() : Optional.of(new ServiceLevel(Duration.ofSeconds(30 + random.nextInt(600)), Duration.ofSeconds(700 + random.nextInt(600))));
            view.createdMillis = time.now();
            return view;
        }

        /** Reads tables, and views that were created before. */
        private View createRandomView()
        {
            Set<RelationName> read = new HashSet<>();
            read.add(sources.get(random.nextInt(sources.size())));
            List<View> lower = catalog.views().values().stream().filter(view -> view.sources.stream().noneMatch(source -> source.table().startsWith("__mv_"))).toList();
            if (!lower.isEmpty() && random.nextInt(3) == 0) {
                read.add(lower.get(random.nextInt(lower.size())).storedAs());
            }
            View view = randomView("v" + created++, SCHEDULES[random.nextInt(SCHEDULES.length)], read);
            catalog.createView(view);
            return view;
        }

        private Optional<View> anyView()
        {
            List<View> views = List.copyOf(catalog.views().values());
            return views.isEmpty() ? Optional.empty() : Optional.of(views.get(random.nextInt(views.size())));
        }

        private void act()
        {
            if (!faults) {
                return;
            }
            coordinators.forEach(SimulatedCoordinator::checkBounds);
            int event = random.nextInt(100);
            int user = random.nextInt(2);
            if (event < 55) {
                commitSomething(user);
            }
            else if (event < 60) {
                // of a transaction that fails afterwards
                coordinators.get(user).committed(sources.get(random.nextInt(sources.size())));
            }
            else if (event < 90) {
                anyView().ifPresent(view -> changeView(user, view));
            }
            else if (event < 93) {
                restart(user);
            }
            else if (event < 95) {
                catalog.setDown(true);
                time.after(random.nextInt(120_000), () -> catalog.setDown(false));
            }
            else {
                coordinators.get(user).setAllCommitsTold(random.nextBoolean());
            }
            time.after(random.nextInt(20_000), this::act);
        }

        private void commitSomething(int user)
        {
            RelationName table = sources.get(random.nextInt(sources.size()));
            catalog.commit(table, time.now());
            if (random.nextBoolean()) {
                coordinators.get(user).committed(table);
            }
            tell(user, table);
        }

        /** By the event source: to the other coordinator, and to the one itself; late, twice, or not at all. */
        private void tell(int user, RelationName table)
        {
            if (faults && random.nextInt(10) == 0) {
                return;
            }
            int times = faults ? 1 + random.nextInt(2) : 1;
            for (int i = 0; i < times; i++) {
                time.after(random.nextInt(5_000), () -> coordinators.forEach(coordinator -> coordinator.committed(table)));
            }
            coordinators.get(user).committed(table);
        }

        private void changeView(int user, View view)
        {
            switch (random.nextInt(7)) {
                case 0 -> {
                    view.paused = !view.paused;
                    if (view.paused) {
                        pausedByUser.add(view.name);
                    }
                    else {
                        pausedByUser.remove(view.name);
                    }
                }
                case 1 -> view.broken = !view.broken;
                case 2 -> view.schedule = RefreshSchedule.parse(SCHEDULES[random.nextInt(SCHEDULES.length)]);
                case 3 -> {
                    if (catalog.views().values().stream().noneMatch(other -> other.sources.contains(view.storedAs()))) {
                        catalog.dropView(view.name);
                        pausedByUser.remove(view.name);
                        View next = createRandomView();
                        if (random.nextBoolean()) {
                            // the same name again
                            catalog.dropView(next.name);
                            next.name = view.name;
                            catalog.createView(next);
                        }
                        coordinators.get(user).viewChanged(next.name);
                    }
                }
                case 4 -> {
                    // a statement refreshes it
                    if (!view.broken) {
                        view.version++;
                        view.changedMillis = time.now();
                        view.bookmarks = Optional.of(catalog.pins(view));
                        catalog.commit(view.storedAs(), time.now());
                        tell(user, view.storedAs());
                    }
                }
                default -> {}
            }
            coordinators.get(user).viewChanged(view.name);
        }

        private void restart(int user)
        {
            SimulatedCoordinator coordinator = coordinators.get(user);
            if (coordinator.isAlive()) {
                coordinator.kill();
                time.after(random.nextInt(300_000), () -> {
                    if (!coordinator.isAlive()) {
                        coordinator.start();
                        coordinator.setAllCommitsTold(random.nextBoolean());
                    }
                });
            }
        }

        /** Everything works again. In two and a half hours every view had its turn, and waits after failures are over. */
        private void settle()
        {
            faults = false;
            time.after(0, () -> catalog.setDown(false));
            time.runUntil(time.now() + Duration.ofMinutes(6).toMillis());
            coordinators.forEach(SimulatedCoordinator::withoutFaults);
            for (View view : catalog.views().values()) {
                view.broken = false;
            }
            time.runUntil(time.now() + Duration.ofMinutes(150).toMillis());
            for (View view : catalog.views().values()) {
                assertThat(view.paused).describedAs("%s is paused", view.name).isEqualTo(pausedByUser.contains(view.name));
                boolean runs = !view.paused && !(view.schedule instanceof RefreshSchedule.OnDemand);
                if (!runs) {
                    continue;
                }
                assertThat(catalog.isUpToDate(view)).describedAs("%s %s is up to date: %s of %s", view.name, view.schedule, view.bookmarks, catalog.pins(view)).isTrue();
                assertThat(view.failure).describedAs("failure of %s", view.name).isEmpty();
                for (SimulatedCoordinator coordinator : coordinators) {
                    assertThat(coordinator.status(view.name).orElseThrow().failures()).isEqualTo(0);
                    if (view.level.isPresent() && catalog.behindSince(view).isEmpty()) {
                        assertThat(coordinator.told(view.name)).describedAs("%s", view.name).hasValue(StalenessState.FRESH);
                    }
                }
            }
        }
    }
}
