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

/**
 * What a name in a FROM clause stands for.
 */
public enum RelationKind
{
    /** An Iceberg table of the view's own catalog. */
    TABLE,
    /** A logical view, of any catalog. */
    VIEW,
    /** A materialized view, of any catalog. */
    MATERIALIZED_VIEW,
    /** A table of another catalog: its changes are not seen. */
    FOREIGN,
    /** A table of another catalog, of which the view declares that it does not change. */
    STATIC,
    /** A metadata table, such as {@code "t$files"}. */
    METADATA_TABLE,
    /** Nothing of that name exists. */
    MISSING,
}
