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
 * What the types of keys, arguments and outputs say about a view.
 */
public sealed interface LayoutOutcome
{
    /** The view is maintained with this layout. A view without aggregation has one with neither keys nor states. */
    record Laid(StateLayout layout)
            implements LayoutOutcome
    {
        public Laid
        {
            requireNonNull(layout, "layout is null");
        }
    }

    /** The view is refreshed in full only. */
    record NotLaid(Refusal refusal)
            implements LayoutOutcome
    {
        public NotLaid
        {
            requireNonNull(refusal, "refusal is null");
        }
    }
}
