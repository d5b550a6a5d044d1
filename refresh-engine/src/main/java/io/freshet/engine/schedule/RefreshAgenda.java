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

import com.google.common.collect.HashMultimap;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Multimap;
import io.freshet.engine.RelationName;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

import static com.google.common.base.Preconditions.checkArgument;
import static com.google.common.base.Preconditions.checkState;
import static java.util.Comparator.comparingLong;
import static java.util.Objects.requireNonNull;

/**
 * Which view is to be refreshed when. Told of views, commits and ends of refreshes, it says what to start.
 *
 * <p>Laws:
 * <ul>
 * <li>A view is never started while it runs, or while it is paused.
 * <li>At most {@code parallelism} views run; a view waits at most once, so what waits is bounded by the number of views.
 * <li>After the last commit to a source of an {@code ON_COMMIT} view, or the last moment of a schedule, a run begins that was not
 *     running before, unless the view is paused or removed.
 * <li>Of two views of which one reads the other, the lower one runs first if it was due first or at the same time.
 * </ul>
 *
 * <p>Times are milliseconds since the epoch and always given. Costs grow with what is due, not with the number of views. Not safe
 * for use by several threads.
 */
public final class RefreshAgenda
{
    /** Runs at round times, and those that were missed, are spread over a tenth of the interval, at most over this. */
    private static final long LONGEST_JITTER_MILLIS = 10_000;

    private static final Comparator<Entry> BY_DUE = comparingLong((Entry entry) -> entry.due.orElseThrow())
            .thenComparing(entry -> entry.view.name().schema())
            .thenComparing(entry -> entry.view.name().table());

    private final Settings settings;
    private final Map<RelationName, Entry> entries = new HashMap<>();
    private final Map<RelationName, Entry> byStoredTable = new HashMap<>();
    private final Multimap<RelationName, Entry> bySource = HashMultimap.create();
    private final NavigableSet<Entry> waiting = new TreeSet<>(BY_DUE);
    private final Set<RelationName> running = new HashSet<>();
    private OptionalLong pollMillis;

    /**
     * @param parallelism how many views may run at a time
     * @param debounce how long a commit waits for others that follow it closely
     * @param failureBackoff waits after failures
     * @param conflictBackoff waits after conflicts with refreshes by others
     */
    public record Settings(int parallelism, Duration debounce, Backoff failureBackoff, Backoff conflictBackoff)
    {
        public Settings
        {
            checkArgument(parallelism > 0, "Nothing may run");
            requireNonNull(debounce, "debounce is null");
            requireNonNull(failureBackoff, "failureBackoff is null");
            requireNonNull(conflictBackoff, "conflictBackoff is null");
        }
    }

    /** @param dueMillis when it should have begun */
    public record Run(RelationName view, RefreshCause cause, long dueMillis) {}

    public enum Outcome
    {
        SUCCEEDED,
        FAILED,
        /** Somebody else changed the view at the same time. */
        CONFLICT,
    }

    /** @param failures in a row, conflicts among them */
    public record Status(boolean running, OptionalLong nextRunMillis, int failures) {}

    private static final class Entry
    {
        private ScheduledView view;
        private OptionalLong due = OptionalLong.empty();
        private RefreshCause cause = RefreshCause.SCHEDULE;
        private boolean running;
        private long runningSince;
        private long runningDue;
        private RefreshCause runningCause = RefreshCause.SCHEDULE;
        private OptionalLong lastRun;
        /** There may be commits of which nobody told. */
        private boolean missedCommits = true;
        private int failures;
        private long notBefore = Long.MIN_VALUE;

        private Entry(ScheduledView view)
        {
            this.view = requireNonNull(view, "view is null");
            lastRun = view.lastRunMillis();
        }
    }

    public RefreshAgenda(Settings settings, OptionalLong pollMillis)
    {
        this.settings = requireNonNull(settings, "settings is null");
        this.pollMillis = requireNonNull(pollMillis, "pollMillis is null");
    }

    /**
     * How often {@code ON_COMMIT} views look for commits of which nobody tells; empty: all commits are told of. Views that wait for
     * none look at once.
     */
    public void setPolling(OptionalLong pollMillis, long now)
    {
        if (this.pollMillis.equals(pollMillis)) {
            return;
        }
        this.pollMillis = requireNonNull(pollMillis, "pollMillis is null");
        for (Entry entry : entries.values()) {
            if (entry.view.schedule() instanceof RefreshSchedule.OnCommit && !entry.view.paused()) {
                // commits that nobody told of before are caught up with either way
                bringForward(entry, now + Jitter.millis(entry.view.name(), LONGEST_JITTER_MILLIS), RefreshCause.COMMIT);
            }
        }
    }

    /** A view that is new, or not as it was. */
    public void put(ScheduledView view, long now)
    {
        Entry entry = entries.get(view.name());
        if (entry == null) {
            entry = new Entry(view);
            entries.put(view.name(), entry);
            byStoredTable.put(view.storedAs(), entry);
            for (RelationName source : view.sources()) {
                bySource.put(source, entry);
            }
            plan(entry, now);
            return;
        }
        ScheduledView before = entry.view;
        for (RelationName source : before.sources()) {
            bySource.remove(source, entry);
        }
        withdraw(entry);
        byStoredTable.remove(before.storedAs(), entry);
        entry.view = view;
        byStoredTable.put(view.storedAs(), entry);
        for (RelationName source : view.sources()) {
            bySource.put(source, entry);
        }
        if (view.lastRunMillis().isPresent() && (entry.lastRun.isEmpty() || entry.lastRun.getAsLong() < view.lastRunMillis().getAsLong())) {
            entry.lastRun = view.lastRunMillis();
        }
        boolean resumed = before.paused() && !view.paused();
        if (resumed || !before.schedule().equals(view.schedule()) || !before.sources().equals(view.sources())) {
            entry.failures = 0;
            entry.notBefore = Long.MIN_VALUE;
            entry.due = OptionalLong.empty();
            entry.missedCommits = true;
        }
        // filled by nobody yet, or replaced by a definition that is not
        entry.missedCommits |= view.lastRunMillis().isEmpty();
        if (entry.due.isPresent() && !view.paused()) {
            restore(entry);
        }
        else {
            plan(entry, now);
        }
    }

    public void remove(RelationName name)
    {
        Entry entry = entries.remove(name);
        if (entry == null) {
            return;
        }
        withdraw(entry);
        byStoredTable.remove(entry.view.storedAs(), entry);
        for (RelationName source : entry.view.sources()) {
            bySource.remove(source, entry);
        }
    }

    public Set<RelationName> views()
    {
        return Set.copyOf(entries.keySet());
    }

    public Optional<ScheduledView> view(RelationName name)
    {
        return Optional.ofNullable(entries.get(name)).map(entry -> entry.view);
    }

    /** A table has, or may have, other content than before. */
    public void committed(RelationName table, long now)
    {
        RefreshCause cause = byStoredTable.containsKey(table) ? RefreshCause.CASCADE : RefreshCause.COMMIT;
        for (Entry entry : bySource.get(table)) {
            if (entry.view.schedule() instanceof RefreshSchedule.OnCommit && !entry.view.paused()) {
                bringForward(entry, now + settings.debounce().toMillis(), cause);
            }
        }
    }

    /** What is to be started now, in this order. It counts as running from here on. */
    public List<Run> start(long now)
    {
        ImmutableList.Builder<Run> runs = ImmutableList.builder();
        Iterator<Entry> candidates = List.copyOf(waiting.headSet(bound(now), false)).iterator();
        while (candidates.hasNext() && running.size() < settings.parallelism()) {
            Entry entry = candidates.next();
            if (entry.running || running.contains(entry.view.name()) || waitsForLower(entry, entry, new HashSet<>())) {
                continue;
            }
            long due = entry.due.orElseThrow();
            withdraw(entry);
            entry.due = OptionalLong.empty();
            entry.running = true;
            entry.missedCommits = false;
            entry.runningSince = now;
            entry.runningDue = due;
            entry.runningCause = entry.cause;
            running.add(entry.view.name());
            runs.add(new Run(entry.view.name(), entry.cause, due));
        }
        return runs.build();
    }

    /** An entry that stands behind all that are due. */
    private static Entry bound(long now)
    {
        RelationName first = new RelationName("", "", "");
        Entry bound = new Entry(new ScheduledView(first, first, new RefreshSchedule.OnDemand(), Set.of(), false, OptionalLong.empty()));
        bound.due = OptionalLong.of(now + 1);
        return bound;
    }

    /** Whether a view below this one runs or waits, and was due no later. */
    private boolean waitsForLower(Entry entry, Entry upper, Set<Entry> seen)
    {
        for (RelationName source : entry.view.sources()) {
            Entry lower = byStoredTable.get(source);
            if (lower == null || lower == upper || !seen.add(lower)) {
                continue;
            }
            long upperDue = upper.due.orElseThrow();
            boolean runs = lower.running && lower.runningDue <= upperDue;
            boolean waits = !lower.view.paused() && lower.due.isPresent() && lower.due.getAsLong() <= upperDue;
            if (runs || waits || waitsForLower(lower, upper, seen)) {
                return true;
            }
        }
        return false;
    }

    /** The next moment at which there may be something to start though nothing else happens. */
    public OptionalLong nextStart(long now)
    {
        Entry next = waiting.ceiling(bound(now));
        return next == null ? OptionalLong.empty() : next.due;
    }

    /** @throws IllegalStateException if the view was not started */
    public void finished(RelationName name, Outcome outcome, long now)
    {
        checkState(running.remove(name), "%s does not run", name);
        Entry entry = entries.get(name);
        if (entry == null || !entry.running) {
            // dropped, or dropped and created again meanwhile
            return;
        }
        entry.running = false;
        entry.lastRun = OptionalLong.of(entry.runningSince);
        boolean askedForAgain = entry.due.isPresent();
        switch (outcome) {
            case SUCCEEDED -> {
                entry.failures = 0;
                entry.notBefore = Long.MIN_VALUE;
            }
            case FAILED, CONFLICT -> {
                entry.failures++;
                Backoff backoff = outcome == Outcome.FAILED ? settings.failureBackoff() : settings.conflictBackoff();
                long regular = nextByClock(entry, entry.runningSince).orElse(now);
                entry.notBefore = now + backoff.delayMillis(entry.failures, regular - now);
            }
        }
        if (entry.view.paused() || entry.view.schedule() instanceof RefreshSchedule.OnDemand) {
            // altered while it ran
            return;
        }
        if (entry.failures > 0) {
            withdraw(entry);
            entry.due = OptionalLong.of(entry.notBefore);
            entry.cause = askedForAgain ? entry.cause : entry.runningCause;
            restore(entry);
        }
        else if (!askedForAgain) {
            plan(entry, now);
        }
        else {
            restore(entry);
        }
    }

    public Optional<Status> status(RelationName name)
    {
        return Optional.ofNullable(entries.get(name)).map(entry -> new Status(entry.running, entry.due, entry.failures));
    }

    public int waitingCount(long now)
    {
        return waiting.headSet(bound(now), false).size();
    }

    public Set<RelationName> running()
    {
        return Set.copyOf(running);
    }

    /** Sets when an entry is due by itself. */
    private void plan(Entry entry, long now)
    {
        if (entry.view.paused()) {
            withdraw(entry);
            entry.due = OptionalLong.empty();
            return;
        }
        OptionalLong due = nextByClock(entry, now);
        if (due.isEmpty()) {
            return;
        }
        long moment = due.getAsLong();
        if (moment <= now) {
            // missed while nobody was there, or it takes longer than its interval: once
            boolean late = entry.lastRun.isEmpty() || now - entry.lastRun.getAsLong() > 2 * (moment - entry.lastRun.getAsLong());
            moment = late ? now + Jitter.millis(entry.view.name(), jitterRange(entry, now)) : now;
        }
        bringForward(entry, moment, entry.view.schedule() instanceof RefreshSchedule.OnCommit ? RefreshCause.COMMIT : RefreshCause.SCHEDULE);
    }

    private OptionalLong nextByClock(Entry entry, long now)
    {
        return switch (entry.view.schedule()) {
            case RefreshSchedule.OnDemand() -> OptionalLong.empty();
            case RefreshSchedule.OnCommit() -> {
                if (entry.missedCommits) {
                    yield OptionalLong.of(now);
                }
                yield pollMillis.isPresent() ? OptionalLong.of(now + pollMillis.getAsLong()) : OptionalLong.empty();
            }
            case RefreshSchedule.Every(Duration _, Optional<?> starts) -> {
                if (starts.isEmpty()) {
                    yield entry.lastRun.isEmpty() ? OptionalLong.of(now) : entry.view.schedule().nextRun(entry.lastRun.getAsLong());
                }
                yield atRoundTime(entry, now);
            }
            case RefreshSchedule.AtTimes _ -> atRoundTime(entry, now);
        };
    }

    private static OptionalLong atRoundTime(Entry entry, long now)
    {
        OptionalLong next = entry.view.schedule().nextRun(entry.lastRun.orElse(now));
        return next.isPresent() ? OptionalLong.of(next.getAsLong() + Jitter.millis(entry.view.name(), jitterRange(entry, next.getAsLong()))) : next;
    }

    private static long jitterRange(Entry entry, long now)
    {
        OptionalLong next = entry.view.schedule().nextRun(now);
        return next.isEmpty() ? LONGEST_JITTER_MILLIS : Math.min((next.getAsLong() - now) / 10, LONGEST_JITTER_MILLIS);
    }

    /** Due at that moment, or at an earlier one at which it is due already; not before a failing view may be tried again. */
    private void bringForward(Entry entry, long moment, RefreshCause cause)
    {
        long allowed = Math.max(moment, entry.notBefore);
        if (entry.due.isPresent() && entry.due.getAsLong() <= allowed) {
            return;
        }
        withdraw(entry);
        entry.due = OptionalLong.of(allowed);
        entry.cause = cause;
        restore(entry);
    }

    private void withdraw(Entry entry)
    {
        if (entry.due.isPresent()) {
            waiting.remove(entry);
        }
    }

    /** What is asked for again while it runs waits for the end of the run. */
    private void restore(Entry entry)
    {
        if (!entry.running) {
            waiting.add(entry);
        }
    }
}
