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
 * Why a change was classified as it was. The names are codes that users see in the reason of a refresh.
 */
public enum ChangeReason
{
    /** Nothing to explain: unchanged, reorganized or appended. */
    NONE,
    /** The view was never filled. */
    NOT_BUILT,
    /** A commit between the two snapshots removed or replaced rows, or is not known any more and may have. */
    SOURCE_ROWS_CHANGED,
    /** The source was dropped and created again: its uuid differs. */
    SOURCE_RECREATED,
    /** The source was replaced as a whole (CREATE OR REPLACE TABLE). */
    SOURCE_REPLACED,
    /** The source was rolled back, or moved to a line of history that does not contain the bookmark: both are still readable. */
    SOURCE_ROLLED_BACK,
    /** The bookmarked snapshot was expired. */
    SOURCE_SNAPSHOT_EXPIRED,
    /** A column that the view reads resolves to another field or type than when the view was built. */
    SOURCE_SCHEMA_CHANGED,
    /** The source has no identity by which it could be recognized. */
    SOURCE_WITHOUT_IDENTITY,
    /** The source does not exist any more. */
    SOURCE_MISSING,
}
