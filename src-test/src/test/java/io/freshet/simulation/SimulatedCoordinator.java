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

import io.freshet.engine.RelationName;
import io.freshet.engine.schedule.RefreshAgenda;
import io.freshet.engine.schedule.RefreshAgenda.Outcome;
import io.freshet.engine.schedule.RefreshCause;
import io.freshet.spi.schedule.Alert;
import io.freshet.spi.schedule.FailureNotes;
import io.freshet.spi.schedule.ScheduleService;
import io.freshet.spi.schedule.ScheduleService.RunListener;
import io.freshet.spi.schedule.StalenessMonitor;
import io.freshet.spi.schedule.ViewRefresher;
import io.freshet.spi.schedule.WatchedView;
import io.freshet.staleness.AlertPolicy;
import io.freshet.staleness.ServiceLevel;
import io.freshet.staleness.StalenessState;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

import static java.util.concurrent.CompletableFuture.completedFuture;
import static org.assertj.core.api.Assertions.assertThat;

/** A coordinator with the real services, and refreshes that take their time and fail. Dies and starts again. */
final class SimulatedCoordinator
{
    private final String label;
    private final Random random;
    private final SimulatedTime time;
    private final SimulatedCatalog catalog;
    private final ScheduleService.Settings settings;
    private final StalenessMonitor.Settings monitorSettings;
    /** Told of a commit by a refresh of this coordinator. */
    private final java.util.function.Consumer<RelationName> onCommit;
    private final Set<RelationName> refreshing = new HashSet<>();
    private final Map<RelationName, Map<StalenessState, Long>> raised = new HashMap<>();
    private final Map<RelationName, Integer> unrecovered = new HashMap<>();
    private ScheduleService service;
    private StalenessMonitor monitor;
    private int life;
    private boolean ready;
    private boolean faults = true;
    private long refreshes;
    private long looks;
    private long alerts;

    SimulatedCoordinator(String label, Random random, SimulatedTime time, SimulatedCatalog catalog, ScheduleService.Settings settings, StalenessMonitor.Settings monitorSettings, java.util.function.Consumer<RelationName> onCommit)
    {
        this.label = label;
        this.random = random;
        this.time = time;
        this.catalog = catalog;
        this.settings = settings;
        this.monitorSettings = monitorSettings;
        this.onCommit = onCommit;
    }

    void start()
    {
        life++;
        ready = false;
        int thisLife = life;
        BooleanSupplier alive = () -> life == thisLife;
        ScheduleService.Timer timer = (delay, action) -> time.after(delay, alive, action);
        monitor = new StalenessMonitor(monitorSettings, catalog, this::check, timer, action -> time.after(random.nextInt(20), alive, action), time::now);
        service = new ScheduleService(
                settings,
                catalog,
                new Refresher(alive),
                RunListener.all(monitor, new FailureNotes(catalog)),
                timer,
                action -> time.after(random.nextInt(20), alive, action),
                time::now);
        service.start();
        monitor.start();
        time.after(random.nextInt(20_000), alive, () -> ready = true);
    }

    /** Nothing is said goodbye to. */
    void kill()
    {
        life++;
        refreshing.clear();
        raised.clear();
        unrecovered.clear();
        service = null;
    }

    boolean isAlive()
    {
        return service != null;
    }

    void withoutFaults()
    {
        faults = false;
    }

    void committed(RelationName table)
    {
        if (service != null) {
            service.committed(table);
        }
    }

    void viewChanged(RelationName view)
    {
        if (service != null) {
            service.viewChanged(view);
        }
    }

    void setAllCommitsTold(boolean told)
    {
        if (service != null) {
            service.setAllCommitsTold(told);
        }
    }

    void checkBounds()
    {
        if (service != null) {
            assertThat(service.runningCount()).isLessThanOrEqualTo(settings.agenda().parallelism());
            // a view that was dropped may still be known for a while
            assertThat(service.waitingCount()).isLessThanOrEqualTo(catalog.views().size() + 50);
            assertThat(refreshing.size()).isLessThanOrEqualTo(settings.agenda().parallelism());
        }
    }

    Optional<StalenessState> told(RelationName view)
    {
        return monitor.told(view);
    }

    Optional<RefreshAgenda.Status> status(RelationName view)
    {
        return service.status(view);
    }

    long refreshes()
    {
        return refreshes;
    }

    /** Runs that found nothing to do. */
    long looks()
    {
        return looks;
    }

    long alerts()
    {
        return alerts;
    }

    /** What is said has to be true, and not be said again and again. */
    private void check(Alert alert)
    {
        alerts++;
        SimulatedCatalog.View view = catalog.views().get(alert.view());
        // the end of a refresh by the other coordinator may not be seen in the same instant, another view of the same name later
        boolean known = view != null && view.changedMillis < time.now() - 1_000 && view.createdMillis < time.now() - 2 * settings.discoveryMillis();
        if (known && !catalog.isDown()) {
            long lag = ServiceLevel.lagMillis(catalog.behindSince(view), time.now());
            assertThat(alert.to()).describedAs("%s at %s, lag %s", alert, time.now(), lag).isEqualTo(view.level.orElseThrow().state(lag));
        }
        if (alert.recovery()) {
            assertThat(unrecovered.merge(alert.view(), -1, Integer::sum)).describedAs("%s", alert).isNotNegative();
            unrecovered.put(alert.view(), 0);
            return;
        }
        unrecovered.merge(alert.view(), 1, Integer::sum);
        Long before = raised.computeIfAbsent(alert.view(), _ -> new HashMap<>()).put(alert.to(), time.now());
        AlertPolicy policy = monitorSettings.policy();
        if (before != null) {
            assertThat(time.now() - before).describedAs("%s of %s", alert, label).isGreaterThanOrEqualTo(policy.cooldown().toMillis());
        }
    }

    private final class Refresher
            implements ViewRefresher
    {
        private final BooleanSupplier alive;

        private Refresher(BooleanSupplier alive)
        {
            this.alive = alive;
        }

        @Override
        public boolean isReady()
        {
            return ready;
        }

        @Override
        public CompletableFuture<Result> refresh(RelationName name, RefreshCause cause)
        {
            assertThat(ready).isTrue();
            assertThat(refreshing.add(name)).describedAs("%s refreshes %s twice at once", label, name).isTrue();
            SimulatedCatalog.View view = catalog.views().get(name);
            if (catalog.isDown()) {
                return end(name, new Result(Outcome.FAILED, Optional.of("The catalog is down"), Optional.empty()));
            }
            if (view == null) {
                return end(name, new Result(Outcome.SUCCEEDED, Optional.empty(), Optional.empty()));
            }
            if (view.paused || catalog.isUpToDate(view)) {
                looks++;
                return end(name, new Result(Outcome.SUCCEEDED, Optional.empty(), Optional.of(catalog.watched(view))));
            }
            refreshes++;
            long start = time.now();
            Map<RelationName, Integer> pins = catalog.pins(view);
            long version = view.version;
            WatchedView before = catalog.watched(view);
            CompletableFuture<Result> result = new CompletableFuture<>();
            // most are quick, some take minutes
            long duration = random.nextInt(100) < 97 ? 50 + random.nextInt(3_000) : random.nextInt(faults ? 600_000 : 5_000);
            time.after(duration, alive, () -> {
                Result ended = commit(view, pins, version, start, before);
                // some time passes until the end is noticed
                time.after(random.nextInt(50), alive, () -> {
                    refreshing.remove(name);
                    result.complete(ended);
                });
            });
            return result;
        }

        private CompletableFuture<Result> end(RelationName name, Result result)
        {
            refreshing.remove(name);
            return completedFuture(result);
        }

        private Result commit(SimulatedCatalog.View view, Map<RelationName, Integer> pins, long version, long start, WatchedView before)
        {
            if (catalog.views().get(view.name) != view) {
                // dropped meanwhile
                return new Result(Outcome.SUCCEEDED, Optional.empty(), Optional.empty());
            }
            if (view.broken || faults && random.nextInt(20) == 0) {
                return new Result(Outcome.FAILED, Optional.of("The statement failed"), Optional.of(before));
            }
            if (view.version != version) {
                return new Result(Outcome.CONFLICT, Optional.of("Somebody else was faster"), Optional.of(before));
            }
            view.version++;
            view.changedMillis = time.now();
            view.bookmarks = Optional.of(pins);
            view.lastRunMillis = java.util.OptionalLong.of(start);
            catalog.commit(view.storedAs(), time.now());
            onCommit.accept(view.storedAs());
            // what it saw may be outdated when it is handed on
            return new Result(Outcome.SUCCEEDED, Optional.empty(), Optional.of(random.nextBoolean() ? catalog.watched(view) : before));
        }
    }
}
