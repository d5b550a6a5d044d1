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

import io.freshet.engine.ApplyMethod;
import io.freshet.engine.Strategy;

import static java.util.Objects.requireNonNull;

/**
 * An alternative and its estimated cost.
 *
 * @param bytes estimated bytes read and written
 * @param millis estimated time on a small machine; what is compared
 */
public record CostEstimate(Strategy strategy, ApplyMethod applyMethod, long bytes, long millis)
{
    public CostEstimate
    {
        requireNonNull(strategy, "strategy is null");
        requireNonNull(applyMethod, "applyMethod is null");
    }
}
