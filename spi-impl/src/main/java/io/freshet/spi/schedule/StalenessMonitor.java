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

import io.airlift.log.Logger;
import io.freshet.engine.RelationName;
import io.freshet.spi.schedule.ScheduleService.RunListener;
import io.freshet.spi.schedule.ScheduleService.Timer;
import io.freshet.spi.schedule.ViewRefresher.Result;
import io.freshet.staleness.AlertPolicy;
import io.freshet.staleness.Compliance;
import io.freshet.staleness.ServiceLevel;
import io.freshet.staleness.StalenessState;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.util.Objects.requireNonNull;
import static java.util.UUID.randomUUID;

/**
 * Follows how late the views with a service level are, and raises alerts. A state that follows from the passing of time is entered
 * at its moment, without a look at the catalog; for commits that nobody tells of the sources are looked at now and then.
 * Nothing is stored.
 */
public final class StalenessMonitor
        implements RunListener
{
    private static final Logger log = Logger.get(StalenessMonitor.class);
    private static final long OUTDATED_MILLIS = 500;

    private final Settings settings;
    private final ViewDirectory directory;
    private final Consumer<Alert> alerts;
    private final Timer timer;
    private final Executor executor;
    private final LongSupplier clock;

    /** Guarded by this. */
    private final Map<RelationName, Watch> watches = new HashMap<>();
    private volatile boolean stopped;

    /**
     * @param checkMillis how often sources are looked at
     * @param complianceWindowMillis the time over which compliance is counted
     */
    public record Settings(AlertPolicy policy, long checkMillis, long complianceWindowMillis)
    {
        public Settings
        {
            requireNonNull(policy, "policy is null");
        }
    }

    private static final class Watch
    {
        private ServiceLevel level;
        private boolean paused;
        private OptionalLong behindSince = OptionalLong.empty();
        private long seenMillis;
        private Compliance compliance;
        private AlertPolicy.Memory memory = AlertPolicy.Memory.NOTHING;
        private long nextCheck = Long.MAX_VALUE;
    }

    public StalenessMonitor(Settings settings, ViewDirectory directory, Consumer<Alert> alerts, Timer timer, Executor executor, LongSupplier clock)
    {
        this.settings = requireNonNull(settings, "settings is null");
        this.directory = requireNonNull(directory, "directory is null");
        this.alerts = requireNonNull(alerts, "alerts is null");
        this.timer = requireNonNull(timer, "timer is null");
        this.executor = requireNonNull(executor, "executor is null");
        this.clock = requireNonNull(clock, "clock is null");
    }

    public void start()
    {
        timer.after(settings.checkMillis(), () -> executor.execute(this::look));
    }

    public void stop()
    {
        stopped = true;
    }

    @Override
    public void seen(WatchedView view, long nowMillis)
    {
        RelationName name = view.scheduled().name();
        if (view.level().isEmpty()) {
            removed(name);
            return;
        }
        synchronized (this) {
            Watch watch = watches.computeIfAbsent(name, _ -> new Watch());
            watch.level = view.level().get();
            watch.paused = view.scheduled().paused();
            if (watch.seenMillis > view.seenMillis()) {
                return;
            }
            observe(watch, view.behindSince(), view.seenMillis());
        }
        if (nowMillis - view.seenMillis() > OUTDATED_MILLIS) {
            // what is said has to be true
            executor.execute(() -> lookAt(Set.of(name)));
        }
        else {
            check(name);
        }
    }

    private void observe(Watch watch, OptionalLong behindSince, long now)
    {
        watch.behindSince = behindSince;
        watch.seenMillis = now;
        watch.compliance = watch.compliance == null
                ? Compliance.begin(now, behindSince)
                : watch.compliance.observe(now, behindSince, watch.level, settings.complianceWindowMillis());
    }

    @Override
    public void finished(RelationName view, Result result, long startMillis, long nowMillis) {}

    @Override
    public synchronized void removed(RelationName view)
    {
        watches.remove(view);
    }

    /** For how much of the window the view was within its target, as far as it was watched; empty: it is not. */
    public synchronized OptionalDouble compliance(RelationName view)
    {
        Watch watch = watches.get(view);
        return watch == null ? OptionalDouble.empty() : watch.compliance.share(clock.getAsLong(), watch.level, settings.complianceWindowMillis());
    }

    /** Looks for commits that nobody told of, at those views that were not looked at anyway. */
    private void look()
    {
        if (stopped) {
            return;
        }
        long now = clock.getAsLong();
        Set<RelationName> names;
        synchronized (this) {
            names = watches.entrySet().stream()
                    .filter(entry -> entry.getValue().seenMillis <= now - settings.checkMillis() / 2)
                    .map(Map.Entry::getKey)
                    .collect(toImmutableSet());
        }
        if (!names.isEmpty()) {
            lookAt(names);
        }
        timer.after(settings.checkMillis(), () -> executor.execute(this::look));
    }

    private void take(RelationName name, OptionalLong behindSince, long asOf)
    {
        synchronized (this) {
            Watch watch = watches.get(name);
            if (watch == null || watch.seenMillis > asOf) {
                // known better meanwhile
                return;
            }
            observe(watch, behindSince, asOf);
        }
        check(name);
    }

    /** Says what there is to say of a view now, and sees to being called when there may be more. */
    private void check(RelationName name)
    {
        List<Alert> raised = new ArrayList<>();
        OptionalLong next = OptionalLong.empty();
        long now = clock.getAsLong();
        synchronized (this) {
            Watch watch = watches.get(name);
            if (watch == null || stopped) {
                return;
            }
            long lag = ServiceLevel.lagMillis(watch.behindSince, now);
            StalenessState state = watch.level.state(lag);
            OptionalLong moment = watch.level.worsensAt(watch.behindSince, now);
            if (!watch.paused) {
                AlertPolicy.Decision decision = settings.policy().decide(watch.memory, state, now);
                watch.memory = decision.memory();
                decision.notice().ifPresent(notice -> raised.add(alert(name, notice, lag, now)));
                moment = earlier(moment, decision.suppressedUntilMillis());
            }
            if (moment.isPresent() && moment.getAsLong() < watch.nextCheck) {
                watch.nextCheck = moment.getAsLong();
                next = moment;
            }
        }
        if (next.isPresent()) {
            long moment = next.getAsLong();
            timer.after(Math.max(1, moment - now), () -> checkAt(name, moment));
        }
        raised.forEach(alerts);
    }

    private void checkAt(RelationName name, long moment)
    {
        synchronized (this) {
            Watch watch = watches.get(name);
            if (watch != null && watch.nextCheck == moment) {
                watch.nextCheck = Long.MAX_VALUE;
            }
        }
        // what is said has to be true, and others may have refreshed the view
        executor.execute(() -> lookAt(Set.of(name)));
    }

    private void lookAt(Set<RelationName> names)
    {
        long now = clock.getAsLong();
        Map<RelationName, OptionalLong> seen = Map.of();
        try {
            seen = directory.behindSince(names);
        }
        catch (RuntimeException e) {
            log.debug(e, "The catalog does not answer");
        }
        seen.forEach((name, since) -> take(name, since, now));
        for (RelationName name : names) {
            if (!seen.containsKey(name)) {
                check(name);
            }
        }
    }

    private Alert alert(RelationName name, AlertPolicy.Notice notice, long lag, long now)
    {
        return new Alert(
                randomUUID().toString(),
                name,
                now,
                notice.from(),
                notice.to(),
                notice.recovery(),
                lag,
                notice.recovery() ? now : now + settings.policy().cooldown().toMillis());
    }

    private static OptionalLong earlier(OptionalLong one, OptionalLong other)
    {
        if (one.isEmpty() || other.isEmpty()) {
            return one.isPresent() ? one : other;
        }
        return OptionalLong.of(Math.min(one.getAsLong(), other.getAsLong()));
    }

    /** For tests: the state in which a view is told to be. */
    public synchronized Optional<StalenessState> told(RelationName view)
    {
        return Optional.ofNullable(watches.get(view)).map(watch -> watch.memory.told());
    }
}
