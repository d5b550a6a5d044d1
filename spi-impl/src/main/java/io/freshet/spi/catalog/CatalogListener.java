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
package io.freshet.spi.catalog;

import io.trino.spi.connector.SchemaTableName;

/** Is told what happens to the catalog through this connector. Called in the thread of a statement, so it has to be quick. */
public interface CatalogListener
{
    /**
     * A table has other rows now, or will have in a moment.
     *
     * @param table as it is stored; a backing table if a materialized view was refreshed
     */
    void committed(SchemaTableName table);

    /** A materialized view was created, altered, renamed from or to that name, paused, resumed or dropped. */
    void viewChanged(SchemaTableName view);
}
