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

import io.freshet.engine.StorageTypes;

/**
 * Equality of group keys as GROUP BY has it: NULL equals NULL and NaN equals NaN. In forms that the engine joins by hash; IS NOT
 * DISTINCT FROM would become a cross join. Both sides are of one type.
 */
public final class KeyEquality
{
    private KeyEquality() {}

    /**
     * @param target the bare column of the table that is looked into
     * @param delta the key of the delta
     * @param comparable whether the key of the delta is neither NULL nor NaN in any row; then the target's column stays bare, so
     *         that the delta prunes the table
     */
    public static String render(String target, String delta, String type, boolean comparable)
    {
        if (comparable) {
            return target + " = " + delta;
        }
        String zero = StorageTypes.someValue(type);
        if (!StorageTypes.isFloating(type)) {
            return "coalesce(" + target + ", " + zero + ") = coalesce(" + delta + ", " + zero + ")"
                    + " AND (" + target + " IS NULL) = (" + delta + " IS NULL)";
        }
        return number(target, zero) + " = " + number(delta, zero)
                + " AND (" + target + " IS NULL) = (" + delta + " IS NULL)"
                + " AND coalesce(is_nan(" + target + "), false) = coalesce(is_nan(" + delta + "), false)";
    }

    private static String number(String value, String zero)
    {
        return "coalesce(if(is_nan(" + value + "), " + zero + ", " + value + "), " + zero + ")";
    }
}
