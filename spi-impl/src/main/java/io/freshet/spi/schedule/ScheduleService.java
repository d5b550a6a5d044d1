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
import io.freshet.engine.schedule.RefreshAgenda;
import io.freshet.engine.schedule.RefreshAgenda.Outcome;
import io.freshet.engine.schedule.RefreshAgenda.Run;
import io.freshet.engine.schedule.RefreshAgenda.Status;
import io.freshet.spi.schedule.ViewRefresher.Result;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.util.Objects.requireNonNull;
import static java.util.concurrent.CompletableFuture.failedFuture;

/**
 * Refreshes views when their time has come or their sources were committed to.
 * <p>
 * {@link RefreshAgenda} decides; this class tells it what happens and does what it says. Whatever asks the catalog or runs
 * statements is done by the executor, nothing of it by the caller. Nothing is stored: a new service finds everything in the catalog.
 */
public final class ScheduleService
{
    private static final Logger log = Logger.get(ScheduleService.class);

    /** How many times more seldom views look for commits that should have been told. */
    private static final int TOLD_POLL_FACTOR = 12;

    private final Settings settings;
    private final ViewDirectory directory;
    private final ViewRefresher refresher;
    private final RunListener listener;
    private final Timer timer;
    private final Executor executor;
    private final LongSupplier clock;

    // the following are guarded by this
    private final RefreshAgenda agenda;
    /** Views to be looked at again. */
    private final Set<RelationName> changed = new HashSet<>();
    /** Views that changed while the catalog is being listed: of these the listing may be wrong. */
    private final Set<RelationName> changedWhileListing = new HashSet<>();
    /** Views that changed since their run began: what the run saw of them may be outdated. */
    private final Set<RelationName> changedWhileRunning = new HashSet<>();
    private boolean lookingAtChanged;
    private long nextWake = Long.MAX_VALUE;
    private boolean stopped;
    private volatile boolean catalogFailed;

    /**
     * @param discoveryMillis how often the catalog is listed, for what others do to it
     * @param pollMillis how often views that wait for commits look for those that nobody tells of
     */
    public record Settings(RefreshAgenda.Settings agenda, long discoveryMillis, long pollMillis)
    {
        public Settings
        {
            requireNonNull(agenda, "agenda is null");
        }
    }

    public interface Timer
    {
        void after(long delayMillis, Runnable action);
    }

    /** Is told what the catalog and refreshes say of a view. Called without any lock. */
    public interface RunListener
    {
        void seen(WatchedView view, long nowMillis);

        /** The run has ended; {@link #seen} is called with what the view is like afterwards. */
        void finished(RelationName view, Result result, long startMillis, long nowMillis);

        void removed(RelationName view);

        /** One that tells several others. */
        static RunListener all(RunListener... listeners)
        {
            return new RunListener()
            {
                @Override
                public void seen(WatchedView view, long nowMillis)
                {
                    List.of(listeners).forEach(listener -> listener.seen(view, nowMillis));
                }

                @Override
                public void finished(RelationName view, Result result, long startMillis, long nowMillis)
                {
                    List.of(listeners).forEach(listener -> listener.finished(view, result, startMillis, nowMillis));
                }

                @Override
                public void removed(RelationName view)
                {
                    List.of(listeners).forEach(listener -> listener.removed(view));
                }
            };
        }
    }

    public ScheduleService(Settings settings, ViewDirectory directory, ViewRefresher refresher, RunListener listener, Timer timer, Executor executor, LongSupplier clock)
    {
        this.settings = requireNonNull(settings, "settings is null");
        this.directory = requireNonNull(directory, "directory is null");
        this.refresher = requireNonNull(refresher, "refresher is null");
        this.listener = requireNonNull(listener, "listener is null");
        this.timer = requireNonNull(timer, "timer is null");
        this.executor = requireNonNull(executor, "executor is null");
        this.clock = requireNonNull(clock, "clock is null");
        agenda = new RefreshAgenda(settings.agenda(), OptionalLong.of(settings.pollMillis()));
    }

    /** Begins once the server is ready. */
    public void start()
    {
        executor.execute(this::startWhenReady);
    }

    private void startWhenReady()
    {
        if (isStopped()) {
            return;
        }
        if (!refresher.isReady()) {
            timer.after(500, this::start);
            return;
        }
        discover();
    }

    public synchronized void stop()
    {
        stopped = true;
    }

    private synchronized boolean isStopped()
    {
        return stopped;
    }

    /**
     * Whether somebody tells of every commit. While nobody does, views that wait for commits look for them; else seldom, as to be told
     * is not to be relied on.
     */
    public void setAllCommitsTold(boolean told)
    {
        synchronized (this) {
            agenda.setPolling(OptionalLong.of(told ? TOLD_POLL_FACTOR * settings.pollMillis() : settings.pollMillis()), clock.getAsLong());
        }
        wake();
    }

    /** A table was committed to. To be told twice, or of what changed nothing, does no harm. */
    public void committed(RelationName table)
    {
        synchronized (this) {
            agenda.committed(table, clock.getAsLong());
        }
        wake();
    }

    /** A view was created, altered or dropped. */
    public void viewChanged(RelationName view)
    {
        synchronized (this) {
            changed.add(view);
            changedWhileListing.add(view);
            if (agenda.running().contains(view)) {
                changedWhileRunning.add(view);
            }
            if (lookingAtChanged || stopped) {
                return;
            }
            lookingAtChanged = true;
        }
        executor.execute(this::lookAtChanged);
    }

    public synchronized Optional<Status> status(RelationName view)
    {
        return agenda.status(view);
    }

    public synchronized int waitingCount()
    {
        return agenda.waitingCount(clock.getAsLong());
    }

    public synchronized int runningCount()
    {
        return agenda.running().size();
    }

    private void discover()
    {
        if (isStopped()) {
            return;
        }
        synchronized (this) {
            changedWhileListing.clear();
        }
        try {
            List<WatchedView> views = directory.list();
            reportCatalog(Optional.empty());
            views.forEach(view -> listener.seen(view, clock.getAsLong()));
            for (RelationName gone : takeListing(views)) {
                listener.removed(gone);
            }
        }
        catch (RuntimeException e) {
            reportCatalog(Optional.of(e));
        }
        timer.after(catalogFailed ? Math.min(settings.discoveryMillis(), 10_000) : settings.discoveryMillis(), () -> executor.execute(this::discover));
        wake();
    }

    private synchronized Set<RelationName> takeListing(List<WatchedView> views)
    {
        long now = clock.getAsLong();
        Set<RelationName> listed = views.stream().map(view -> view.scheduled().name()).collect(toImmutableSet());
        Set<RelationName> gone = agenda.views().stream()
                .filter(name -> !listed.contains(name) && !changedWhileListing.contains(name))
                .collect(toImmutableSet());
        gone.forEach(agenda::remove);
        views.stream()
                .map(WatchedView::scheduled)
                .filter(view -> !changedWhileListing.contains(view.name()))
                .forEach(view -> agenda.put(view, now));
        return gone;
    }

    /** Says it when the catalog stops answering, and when it answers again, not each time. */
    private void reportCatalog(Optional<RuntimeException> failure)
    {
        if (failure.isPresent() && !catalogFailed) {
            log.warn("The catalog does not answer, so that what others change in it is not seen until it does: %s", failure.get());
            log.debug(failure.get(), "The catalog does not answer");
        }
        if (failure.isEmpty() && catalogFailed) {
            log.info("The catalog answers again");
        }
        catalogFailed = failure.isPresent();
    }

    private void lookAtChanged()
    {
        while (true) {
            RelationName name;
            synchronized (this) {
                if (changed.isEmpty() || stopped) {
                    lookingAtChanged = false;
                    break;
                }
                name = changed.iterator().next();
                changed.remove(name);
            }
            try {
                take(name, directory.load(name));
            }
            catch (RuntimeException e) {
                log.debug(e, "Materialized view %s cannot be looked at", name);
                timer.after(10_000, () -> viewChanged(name));
            }
        }
        wake();
    }

    private void take(RelationName name, Optional<WatchedView> view)
    {
        synchronized (this) {
            if (view.isPresent()) {
                agenda.put(view.get().scheduled(), clock.getAsLong());
            }
            else {
                agenda.remove(name);
            }
        }
        if (view.isPresent()) {
            listener.seen(view.get(), clock.getAsLong());
        }
        else {
            listener.removed(name);
        }
    }

    /** Starts what is due, and sees to being called when the next is. */
    private void wake()
    {
        List<Run> runs;
        long now = clock.getAsLong();
        OptionalLong delay = OptionalLong.empty();
        synchronized (this) {
            if (stopped) {
                return;
            }
            runs = agenda.start(now);
            OptionalLong next = agenda.nextStart(now);
            if (next.isPresent() && next.getAsLong() < nextWake) {
                nextWake = next.getAsLong();
                delay = OptionalLong.of(nextWake - now);
            }
        }
        if (delay.isPresent()) {
            long moment = now + delay.getAsLong();
            timer.after(delay.getAsLong(), () -> wakeAt(moment));
        }
        for (Run run : runs) {
            executor.execute(() -> run(run));
        }
    }

    private void wakeAt(long moment)
    {
        synchronized (this) {
            if (nextWake == moment) {
                nextWake = Long.MAX_VALUE;
            }
        }
        wake();
    }

    private void run(Run run)
    {
        long start = clock.getAsLong();
        CompletableFuture<Result> refresh;
        try {
            refresh = refresher.refresh(run.view(), run.cause());
        }
        catch (Throwable e) {
            // whatever it is, the run has ended: else the view would count as running for ever
            refresh = failedFuture(e);
        }
        refresh.whenComplete((result, failure) -> {
            if (failure != null) {
                log.error(failure, "Refresh of %s failed unexpectedly", run.view());
            }
            finish(run, failure == null ? result : new Result(Outcome.FAILED, Optional.of(failure.toString()), Optional.empty()), start);
        });
    }

    private void finish(Run run, Result result, long start)
    {
        long now = clock.getAsLong();
        if (isStopped()) {
            return;
        }
        boolean gone = result.view().isEmpty() && result.outcome() == Outcome.SUCCEEDED;
        Optional<WatchedView> seen = result.view();
        synchronized (this) {
            agenda.finished(run.view(), result.outcome(), now);
            if (changedWhileRunning.remove(run.view())) {
                // looked at by itself
                seen = Optional.empty();
            }
            else if (gone) {
                agenda.remove(run.view());
            }
            else {
                seen.ifPresent(view -> agenda.put(view.scheduled(), now));
            }
        }
        listener.finished(run.view(), result, start, now);
        seen.ifPresent(view -> listener.seen(view, now));
        if (gone) {
            listener.removed(run.view());
        }
        wake();
    }
}
