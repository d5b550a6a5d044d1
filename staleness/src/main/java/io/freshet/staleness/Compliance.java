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

import com.google.common.collect.ImmutableList;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;

import static java.util.Objects.requireNonNull;

/**
 * For how much of the time a view was within the target of its service level, from what was seen of it.
 *
 * <p>Laws: between 0 and 1; a view that was never behind, or never for longer than the target, has 1; what was seen does not depend
 * on how often it was looked at, except that a commit which came and was applied between two looks is not seen.
 * A commit counts as applied when that was seen first.
 *
 * @param sinceMillis begin of observation, in milliseconds since the epoch
 * @param seenMillis last observation
 * @param behindSinceMillis commit time of the oldest commit that was not in the view then; empty: it had all
 * @param violations times outside the target before the last observation, in order, apart from each other
 */
public record Compliance(long sinceMillis, long seenMillis, OptionalLong behindSinceMillis, List<Span> violations)
{
    public Compliance
    {
        requireNonNull(behindSinceMillis, "behindSinceMillis is null");
        violations = ImmutableList.copyOf(violations);
    }

    /** @param toMillis not in it */
    public record Span(long fromMillis, long toMillis) {}

    public static Compliance begin(long nowMillis, OptionalLong behindSinceMillis)
    {
        return new Compliance(nowMillis, nowMillis, behindSinceMillis, ImmutableList.of());
    }

    /**
     * @param nowMillis of the observation; one that is not later than the last changes nothing but what the view lacks
     * @param windowMillis for how long violations are kept
     */
    public Compliance observe(long nowMillis, OptionalLong behindSinceMillis, ServiceLevel level, long windowMillis)
    {
        long now = Math.max(nowMillis, seenMillis);
        Deque<Span> spans = new ArrayDeque<>(violations);
        add(spans, this.behindSinceMillis, level, now);
        add(spans, behindSinceMillis, level, now);
        while (!spans.isEmpty() && spans.getFirst().toMillis() <= now - windowMillis) {
            spans.removeFirst();
        }
        return new Compliance(sinceMillis, now, behindSinceMillis, ImmutableList.copyOf(spans));
    }

    /** What was lacked up to now violates the target from the moment on at which it should have been applied. */
    private void add(Deque<Span> spans, OptionalLong behindSince, ServiceLevel level, long now)
    {
        if (behindSince.isEmpty()) {
            return;
        }
        long from = Math.max(behindSince.getAsLong() + level.targetLag().toMillis(), sinceMillis);
        if (from >= now) {
            return;
        }
        while (!spans.isEmpty() && spans.getLast().toMillis() >= from) {
            from = Math.min(from, spans.removeLast().fromMillis());
        }
        spans.addLast(new Span(from, now));
    }

    /** The share of the window before now, as far as it was observed; empty: nothing of it was. */
    public OptionalDouble share(long nowMillis, ServiceLevel level, long windowMillis)
    {
        Compliance current = observe(nowMillis, behindSinceMillis, level, windowMillis);
        long begin = Math.max(sinceMillis, current.seenMillis - windowMillis);
        long observed = current.seenMillis - begin;
        if (observed <= 0) {
            return OptionalDouble.empty();
        }
        long violated = current.violations.stream()
                .mapToLong(span -> Math.max(0, span.toMillis() - Math.max(begin, span.fromMillis())))
                .sum();
        return OptionalDouble.of(1 - (double) violated / observed);
    }
}
