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
package io.freshet.engine.plan;

import com.google.common.collect.ImmutableList;
import io.freshet.engine.ApplyMethod;
import io.freshet.engine.Strategy;

import java.util.List;
import java.util.Optional;

import static java.util.Objects.requireNonNull;

/**
 * The decision how to refresh a view.
 */
public sealed interface RefreshPlan
{
    /**
     * What to do.
     *
     * @param reason why it is this strategy, and why not a cheaper one
     * @param sql the one statement that writes; empty exactly for NO_OP
     * @param writesState whether afterwards the hidden columns hold the states of the layout; true for NO_OP (they still do)
     * @param estimates estimated bytes read and written of each alternative that was possible, the chosen one included
     */
    record Planned(
            Strategy strategy,
            ApplyMethod applyMethod,
            PlanReason reason,
            Optional<String> sql,
            boolean writesState,
            List<CostEstimate> estimates)
            implements RefreshPlan
    {
        public Planned
        {
            requireNonNull(strategy, "strategy is null");
            requireNonNull(applyMethod, "applyMethod is null");
            requireNonNull(reason, "reason is null");
            requireNonNull(sql, "sql is null");
            estimates = ImmutableList.copyOf(estimates);
        }
    }

    /** The refresh was asked to be incremental and cannot be. Nothing is to be run. */
    record Refused(PlanReason reason)
            implements RefreshPlan
    {
        public Refused
        {
            requireNonNull(reason, "reason is null");
        }
    }
}
