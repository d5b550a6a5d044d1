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
 * How the content of a view is brought up to date. The names are part of the SQL surface.
 */
public enum Strategy
{
    /** Nothing to do: no source changed its rows. */
    NO_OP,
    /** Insert the positive delta. */
    APPEND_ONLY,
    /** Merge the aggregate state of the delta into the stored state. */
    AGGREGATE_MERGE,
    /** Recompute the groups that the delta touches. */
    GROUP_RECOMPUTE,
    /** Insert and delete the rows of the weighted delta. */
    ROW_DELTA,
    /** Recompute everything. */
    FULL_REFRESH,
}
