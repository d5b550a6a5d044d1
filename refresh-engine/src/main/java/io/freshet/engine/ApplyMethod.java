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
 * How the rows that a refresh computes meet the backing table.
 */
public enum ApplyMethod
{
    /** Nothing is written, except bookmarks perhaps. */
    NONE,
    /** INSERT, committed as an append. */
    APPEND,
    /** INSERT of rows with the addresses of the stored rows that they replace or delete, committed as a row delta. */
    MERGE,
    /** INSERT of the whole content made from state and delta, committed as an overwrite. */
    REWRITE,
    /** INSERT of the whole content made from the sources, committed as an overwrite. */
    OVERWRITE,
}
