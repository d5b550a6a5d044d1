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
package io.freshet.engine.render;

import io.freshet.engine.algebra.Scan;

/**
 * The rows of each source at one time.
 */
@FunctionalInterface
public non-sealed interface StateText
        extends SourceText
{
    /** The text after FROM in {@code SELECT columns FROM …}. */
    String from(Scan scan);

    /** Whether the source is known to have had no rows at the time. Then nothing stands for it. */
    default boolean isEmpty(Scan scan)
    {
        return false;
    }

    @Override
    default boolean weighted()
    {
        return false;
    }
}
