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
import java.util.Optional;

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
}
