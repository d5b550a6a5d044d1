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
package io.freshet.staleness;

/**
 * What happened to the content of a source table between a bookmark and the snapshot that a refresh is pinned to.
 * The names are part of the SQL surface (column {@code change} of {@code system.materialized_view_dependencies}).
 */
public enum ChangeKind
{
    /** The same snapshot, or the same absence of any. */
    UNCHANGED,
    /** Other snapshots, the same rows: only compactions and other content-preserving rewrites lie between. */
    REORGANIZED,
    /** Rows were added and none was removed. */
    APPENDED,
    /** Rows were removed or replaced, or are others on another line of history; the bookmark is still readable. */
    ROWS_CHANGED,
    /** The bookmark says nothing about the table any more: another table, an expired snapshot, another schema. */
    HISTORY_LOST,
}
