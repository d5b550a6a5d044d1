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

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

/**
 * Whether somebody is to be told of the state of a view.
 *
 * <p>Laws: the same state of a view is raised at most once in a cooldown; a view that stays in a state worth an alert is reported
 * at the latest when the cooldown ends; a recovery is reported once for each time that something was reported before it, so there are
 * never more recoveries than alerts.
 *
 * @param cooldown for each view and state
 * @param from the best state that is worth an alert
 */
public record AlertPolicy(Duration cooldown, StalenessState from)
{
    public AlertPolicy
    {
        requireNonNull(cooldown, "cooldown is null");
        requireNonNull(from, "from is null");
        checkArgument(!cooldown.isNegative(), "The cooldown is negative");
        checkArgument(from != StalenessState.FRESH, "That a view is fresh is not worth an alert");
    }

    /**
     * What has been told of one view.
     *
     * @param told the last state that somebody was told of, or the better one that it has been in since
     * @param raisedMillis when each state was raised last
     */
    public record Memory(StalenessState told, Map<StalenessState, Long> raisedMillis)
    {
        public static final Memory NOTHING = new Memory(StalenessState.FRESH, ImmutableMap.of());

        public Memory
        {
            requireNonNull(told, "told is null");
            raisedMillis = ImmutableMap.copyOf(raisedMillis);
        }
    }

    /** @param recovery whether the view got better than what is worth an alert */
    public record Notice(StalenessState from, StalenessState to, boolean recovery) {}

    /**
     * @param notice empty: nothing is to be said
     * @param suppressedUntilMillis present: it would be said if the same had not been said so recently; ask again then
     */
    public record Decision(Memory memory, Optional<Notice> notice, OptionalLong suppressedUntilMillis)
    {
        public Decision
        {
            requireNonNull(memory, "memory is null");
            requireNonNull(notice, "notice is null");
            requireNonNull(suppressedUntilMillis, "suppressedUntilMillis is null");
        }
    }

    public Decision decide(Memory memory, StalenessState state, long nowMillis)
    {
        StalenessState told = memory.told();
        if (state.isWorseThan(told) && isWorthAnAlert(state)) {
            long until = memory.raisedMillis().containsKey(state) ? memory.raisedMillis().get(state) + cooldown.toMillis() : Long.MIN_VALUE;
            if (nowMillis < until) {
                return new Decision(memory, Optional.empty(), OptionalLong.of(until));
            }
            Map<StalenessState, Long> raised = new HashMap<>(memory.raisedMillis());
            raised.put(state, nowMillis);
            return new Decision(new Memory(state, raised), Optional.of(new Notice(told, state, false)), OptionalLong.empty());
        }
        if (isWorthAnAlert(told) && !isWorthAnAlert(state)) {
            return new Decision(new Memory(state, memory.raisedMillis()), Optional.of(new Notice(told, state, true)), OptionalLong.empty());
        }
        return new Decision(new Memory(state, memory.raisedMillis()), Optional.empty(), OptionalLong.empty());
    }

    private boolean isWorthAnAlert(StalenessState state)
    {
        return !from.isWorseThan(state);
    }
}
