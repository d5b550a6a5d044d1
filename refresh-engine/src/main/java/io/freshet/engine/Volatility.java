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
package io.freshet.engine;

import static java.util.Objects.requireNonNull;

/**
 * Whether the result of a view depends on more than the rows of its sources. A volatile view is never fresh by
 * comparison of snapshots, and is always refreshed in full.
 */
public sealed interface Volatility
{
    /** The result is a function of the rows of the sources, and of nothing else. */
    record Stable()
            implements Volatility {}

    /** The result depends on time, chance, the session's identity or something unknown. The refusal says what and where. */
    record Volatile(Refusal cause)
            implements Volatility
    {
        public Volatile
        {
            requireNonNull(cause, "cause is null");
        }
    }
}
