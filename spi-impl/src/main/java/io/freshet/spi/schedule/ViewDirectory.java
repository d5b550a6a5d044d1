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
package io.freshet.spi.schedule;

import io.freshet.engine.RelationName;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** The views of the catalog, as it has them now. Slow: every call asks the catalog. */
public interface ViewDirectory
{
    /**
     * The views of all schemas. One that cannot be read is left out.
     *
     * @throws RuntimeException if the catalog does not answer
     */
    List<WatchedView> list();

    /**
     * @return empty: there is no such view
     * @throws RuntimeException if the catalog does not answer
     */
    Optional<WatchedView> load(RelationName view);

    /**
     * For each of the views that can be read: commit time of the oldest commit that it lacks; empty if it lacks none.
     *
     * @throws RuntimeException if the catalog does not answer
     */
    Map<RelationName, OptionalLong> behindSince(Set<RelationName> views);

    /**
     * Stores that a view fails, or that it does not any more, where every cluster can see it.
     *
     * @param failure empty: it does not
     * @throws RuntimeException if the catalog does not answer
     */
    void noteFailure(RelationName view, Optional<String> failure);
}
