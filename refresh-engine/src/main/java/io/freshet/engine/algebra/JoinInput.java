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
package io.freshet.engine.algebra;

import static java.util.Objects.requireNonNull;

/**
 * One side of a join.
 *
 * @param alias alias under which conditions and outputs of the join refer to its columns, unique in the view
 */
public record JoinInput(LinearRelation relation, String alias)
{
    public JoinInput
    {
        requireNonNull(relation, "relation is null");
        requireNonNull(alias, "alias is null");
    }
}
