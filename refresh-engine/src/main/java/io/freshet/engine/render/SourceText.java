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
import io.freshet.engine.algebra.Scan;

/**
 * What stands in place of a source: the table itself, its delta, or nothing.
 */
public interface SourceText
{
    /** A column of weights: 1 for a row that was added, -1 for one that was removed. No column of a source or a view has the name. */
    String WEIGHT_COLUMN = StateLayout.HIDDEN_PREFIX + "weight";

    /** The text after FROM in {@code SELECT columns FROM …}; may end with a WHERE clause. */
    String from(Scan scan);

    /** Whether rows have weights. */
    default boolean weighted()
    {
        return false;
    }

    /** The weight of a row of {@link #from}, as SQL of type tinyint. Asked only if rows have weights. */
    default String weight(Scan scan)
    {
        throw new IllegalStateException("rows have no weights");
    }

    /** The table itself, by its full name. */
    SourceText TABLES = scan -> scan.table().toSql();
}
