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
package io.freshet.engine.plan;

/**
 * Reasons that are found when a refresh is planned. Further codes come from
 * {@link io.freshet.engine.RefusalCode} (the view) and {@link io.freshet.staleness.ChangeReason} (its sources).
 */
public enum PlanReasonCode
{
    /** Nothing to explain: the usual way for the view and its change. */
    NONE,
    /** A source was compacted or otherwise rewritten without a change of rows. Bookmarks may be carried forward. */
    SOURCE_REORGANIZED,
    /** The view was never filled. */
    NOT_BUILT,
    /** A full refresh was asked for. */
    MODE_FULL,
    /** Reading the sources anew is estimated to be cheaper than what the changes need. */
    COST,
    /** The content of the backing table cannot be trusted to be what the last refresh left. */
    STATE_LOST,
    /** The backing table holds no aggregate states, or other ones than this version needs. */
    STATE_LAYOUT_CHANGED,
    /** The view was redefined since it was last filled. */
    DEFINITION_CHANGED,
    /** Nothing is known about the changes of a source. */
    SOURCE_FACTS_MISSING,
    /** The delta takes more scans and stages than the engine plans well, as when many joined tables change at once. */
    PROGRAM_TOO_LARGE,
    /** Rows were removed, and a total without groups, such as a minimum or a floating point sum, cannot be told without them. */
    STATE_NOT_SUBTRACTABLE,
}
