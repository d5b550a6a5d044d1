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
 * A view that is a linear function of its sources. Law: the delta of the view is the view of the delta.
 *
 * @param alias a relation alias that no name in the view collides with
 */
public record LinearBlock(LinearRelation input, String alias)
        implements Block
{
    public LinearBlock
    {
        requireNonNull(input, "input is null");
        requireNonNull(alias, "alias is null");
    }
}
