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
package io.freshet.spi.surface;

/** What a view is good for. The names are values of column {@code state} of {@code system.materialized_views}. */
enum ViewState
{
    /** Its rows are what its definition gave at a known time. */
    NORMAL,
    /** It has no rows yet, or none of its present definition. Queries run the definition. */
    NOT_BUILT,
    /** A column that it reads has changed since it was filled. Its rows are not used until a refresh. */
    SCHEMA_CHANGED,
    /** Its rows or its definition cannot be used: see the detail. */
    BROKEN,
    /** A table of the same name hides it. */
    SHADOWED,
}
