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
package io.freshet.engine.render;

import io.freshet.engine.algebra.LinearRelation;
import io.trino.sql.tree.Expression;

/**
 * What is known of keys of a delta. No proof is no harm: more rows are then read.
 */
@FunctionalInterface
public interface KeyProof
{
    KeyProof NONE = (_, _, _) -> false;

    /**
     * Whether the key equals itself in every row of the delta of the input: it is not NULL, not NaN, and holds no NULL.
     *
     * @param alias alias under which the key refers to the input
     */
    boolean isComparable(Expression key, LinearRelation input, String alias);
}
