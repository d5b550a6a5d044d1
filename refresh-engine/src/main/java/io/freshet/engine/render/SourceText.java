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

import io.freshet.engine.StateLayout;

/**
 * What stands in place of the sources: their rows at one time, or what was added to them and removed from them between two times.
 */
public sealed interface SourceText
        permits DeltaSources, StateText
{
    /** A column of weights: 1 for a row that was added, -1 for one that was removed. No column of a source or a view has the name. */
    String WEIGHT_COLUMN = StateLayout.HIDDEN_PREFIX + "weight";

    /** The tables themselves, by their full names. */
    StateText TABLES = scan -> scan.table().toSql();

    /** Whether rows have weights. */
    boolean weighted();
}
