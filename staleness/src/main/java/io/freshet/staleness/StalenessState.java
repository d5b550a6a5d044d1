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

/** How a view's lag stands to its service level, from best to worst. The names are part of the SQL surface. */
public enum StalenessState
{
    /** Within the target. */
    FRESH,
    /** Over the target, within the maximum. */
    APPROACHING,
    /** Over the maximum. */
    STALE,
    /** Over the maximum by a factor that calls for action. */
    CRITICAL,
    /** So late that the rows should not be relied on. */
    EXPIRED;

    public boolean isWorseThan(StalenessState other)
    {
        return compareTo(other) > 0;
    }
}
