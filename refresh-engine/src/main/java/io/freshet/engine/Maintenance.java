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

import io.freshet.engine.algebra.Block;

import static java.util.Objects.requireNonNull;

/**
 * Whether a view is maintained from changes, decided once from its text.
 */
public sealed interface Maintenance
{
    /** The view is maintained as the given block, if the types of its keys and states allow ({@link CompiledView#layout}). */
    record Maintained(Block block)
            implements Maintenance
    {
        public Maintained
        {
            requireNonNull(block, "block is null");
        }
    }

    /** The view is refreshed in full only. */
    record NotMaintained(Refusal refusal)
            implements Maintenance
    {
        public NotMaintained
        {
            requireNonNull(refusal, "refusal is null");
        }
    }
}
