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

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

import static java.util.Objects.requireNonNull;

/**
 * How late the rows of a view may be.
 *
 * <p>Law: the state never gets better as the lag grows, and each state begins at {@link #beginsAfterMillis}.
 *
 * @param targetLag the goal; compliance is the share of time within it
 * @param maxLag the limit, not below the target
 * @param criticalFactor of the maximum, beyond which it is critical
 * @param expiredFactor of the maximum, beyond which the rows have expired; not below the other
 */
public record ServiceLevel(Duration targetLag, Duration maxLag, double criticalFactor, double expiredFactor)
{
    public static final double DEFAULT_CRITICAL_FACTOR = 2;
    public static final double DEFAULT_EXPIRED_FACTOR = 4;
    private static final double LARGEST_FACTOR = 1000;

    /** @throws IllegalArgumentException with what is wrong, for people */
    public ServiceLevel
    {
        requireNonNull(targetLag, "targetLag is null");
        requireNonNull(maxLag, "maxLag is null");
        if (!targetLag.isPositive()) {
            throw new IllegalArgumentException("the target lag has to be longer than nothing");
        }
        if (targetLag.compareTo(maxLag) > 0) {
            throw new IllegalArgumentException("the target lag of %s s is longer than the maximum lag of %s s".formatted(targetLag.toSeconds(), maxLag.toSeconds()));
        }
        if (!(criticalFactor >= 1 && criticalFactor <= expiredFactor && expiredFactor <= LARGEST_FACTOR)) {
            throw new IllegalArgumentException("the factors %s and %s are not rising between 1 and 1000".formatted(criticalFactor, expiredFactor));
        }
    }

    public ServiceLevel(Duration targetLag, Duration maxLag)
    {
        this(targetLag, maxLag, DEFAULT_CRITICAL_FACTOR, DEFAULT_EXPIRED_FACTOR);
    }

    /**
     * The level of a view that declares some of it itself. Where only one of the two is known, the maximum is twice the target.
     *
     * @return empty if nothing is declared
     * @throws IllegalArgumentException if the two do not go together
     */
    public static Optional<ServiceLevel> of(Optional<ServiceLevel> tier, Optional<Duration> targetLag, Optional<Duration> maxLag)
    {
        if (targetLag.isEmpty() && maxLag.isEmpty()) {
            return tier;
        }
        Duration target = targetLag.or(() -> tier.map(ServiceLevel::targetLag)).orElseGet(() -> maxLag.orElseThrow().dividedBy(2));
        Duration max = maxLag.or(() -> tier.map(ServiceLevel::maxLag)).orElseGet(() -> target.multipliedBy(2));
        return Optional.of(new ServiceLevel(
                target,
                max,
                tier.map(ServiceLevel::criticalFactor).orElse(DEFAULT_CRITICAL_FACTOR),
                tier.map(ServiceLevel::expiredFactor).orElse(DEFAULT_EXPIRED_FACTOR)));
    }

    public StalenessState state(long lagMillis)
    {
        StalenessState result = StalenessState.FRESH;
        for (StalenessState state : StalenessState.values()) {
            if (state == StalenessState.FRESH || lagMillis > beginsAfterMillis(state)) {
                result = state;
            }
        }
        return result;
    }

    /** The longest lag at which a view is not yet in that state or a worse one; less than 0 for the best state. */
    public long beginsAfterMillis(StalenessState state)
    {
        return switch (state) {
            case FRESH -> -1;
            case APPROACHING -> targetLag.toMillis();
            case STALE -> maxLag.toMillis();
            case CRITICAL -> (long) (maxLag.toMillis() * criticalFactor);
            case EXPIRED -> (long) (maxLag.toMillis() * expiredFactor);
        };
    }

    /** When a view that lags will be in a worse state than at a given moment, if nothing happens; empty: never. */
    public OptionalLong worsensAt(OptionalLong behindSinceMillis, long nowMillis)
    {
        if (behindSinceMillis.isEmpty()) {
            return OptionalLong.empty();
        }
        long lag = lagMillis(behindSinceMillis, nowMillis);
        for (StalenessState state : StalenessState.values()) {
            if (state.isWorseThan(state(lag))) {
                long moment = behindSinceMillis.getAsLong() + beginsAfterMillis(state) + 1;
                if (moment > nowMillis) {
                    return OptionalLong.of(moment);
                }
            }
        }
        return OptionalLong.empty();
    }

    /**
     * The lag of a view: the time for which it has lacked the oldest commit that is not in it. Never negative, also where the clock
     * of a committer is ahead; nothing while no source has changed, however long the last refresh is ago.
     *
     * @param behindSinceMillis commit time of the oldest commit that is not in the view; empty: there is none
     */
    public static long lagMillis(OptionalLong behindSinceMillis, long nowMillis)
    {
        return behindSinceMillis.isPresent() ? Math.max(0, nowMillis - behindSinceMillis.getAsLong()) : 0;
    }
}
