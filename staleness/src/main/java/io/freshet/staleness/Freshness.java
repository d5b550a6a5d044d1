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

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

/**
 * Whether a view's stored rows may answer a query, and as of when they are right. The engine holds {@link Stale} against the
 * view's grace period; {@link Lost} is never served from storage, whatever the grace period.
 */
public sealed interface Freshness
{
    /** The stored rows are what the definition gives now. */
    record Fresh()
            implements Freshness {}

    /**
     * The stored rows are what the definition gave at a known moment.
     *
     * @param lastFreshMillis milliseconds since the epoch; never later than the truth, except by skew between the clocks of
     *         committers
     */
    record Stale(long lastFreshMillis)
            implements Freshness {}

    /** The stored rows follow from another table, another schema or another line of history than the definition does now. */
    record Lost(ChangeReason reason)
            implements Freshness
    {
        public Lost
        {
            requireNonNull(reason, "reason is null");
        }
    }

    /**
     * The freshness of a view whose last refresh began at {@code refreshStartMillis}.
     *
     * <p>The worst source decides: a lost one before any stale one, the earliest unapplied commit among stale ones. Of two
     * lost ones the first in the order given is named. An expired bookmark and a missing source are stale since the refresh,
     * not lost: what is stored was right then, and in the second case there is nothing else to answer with. A source that was rolled
     * back is lost although its change can be read: its rows as of the refresh were taken back.
     *
     * @param volatileDefinition the definition depends on time or chance
     * @param foreignSources the definition reads something whose changes cannot be followed
     */
    static Freshness of(List<SourceChange> changes, boolean volatileDefinition, boolean foreignSources, long refreshStartMillis)
    {
        requireNonNull(changes, "changes is null");
        Optional<ChangeReason> lost = changes.stream()
                .filter(change -> !isRightAsOfRefresh(change))
                .map(SourceChange::reason)
                .findFirst();
        if (lost.isPresent()) {
            return new Lost(lost.get());
        }

        OptionalLong lastFresh = volatileDefinition || foreignSources ? OptionalLong.of(refreshStartMillis) : OptionalLong.empty();
        for (SourceChange change : changes) {
            OptionalLong sourceFresh = switch (change.kind()) {
                case UNCHANGED, REORGANIZED -> OptionalLong.empty();
                case APPENDED, ROWS_CHANGED -> OptionalLong.of(change.firstUnappliedCommitMillis().orElse(refreshStartMillis));
                case HISTORY_LOST -> OptionalLong.of(refreshStartMillis);
            };
            if (sourceFresh.isPresent()) {
                lastFresh = OptionalLong.of(Math.min(lastFresh.orElse(Long.MAX_VALUE), sourceFresh.getAsLong()));
            }
        }
        return lastFresh.isPresent() ? new Stale(lastFresh.getAsLong()) : new Fresh();
    }

    private static boolean isRightAsOfRefresh(SourceChange change)
    {
        return switch (change.reason()) {
            case SOURCE_SNAPSHOT_EXPIRED, SOURCE_MISSING -> true;
            case NOT_BUILT, SOURCE_RECREATED, SOURCE_REPLACED, SOURCE_ROLLED_BACK, SOURCE_SCHEMA_CHANGED, SOURCE_WITHOUT_IDENTITY -> false;
            case NONE, SOURCE_ROWS_CHANGED -> {
                checkArgument(change.kind() != ChangeKind.HISTORY_LOST, "%s is not a reason for lost history", change.reason());
                yield true;
            }
        };
    }
}
