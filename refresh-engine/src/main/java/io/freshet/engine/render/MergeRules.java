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

import io.freshet.engine.MergeKind;

/**
 * The merge of two states as SQL, over many rows or over two values. Both forms give the same value. NULL is the state of no
 * value. {@code min} and {@code least} order NaN alike (Trino's MinMaxCompare), and so do {@code max} and {@code greatest}.
 */
public final class MergeRules
{
    private MergeRules() {}

    /** The state of no rows. */
    static String ofNothing(MergeKind kind, String type)
    {
        return switch (kind) {
            case COUNT -> "CAST(0 AS " + type + ")";
            case SUM, MIN, MAX -> "CAST(NULL AS " + type + ")";
        };
    }

    /** An aggregation over states. */
    public static String aggregate(MergeKind kind, String state)
    {
        return switch (kind) {
            case COUNT -> "coalesce(sum(" + state + "), 0)";
            case SUM -> "sum(" + state + ")";
            case MIN -> "min(" + state + ")";
            case MAX -> "max(" + state + ")";
        };
    }

    /** A scalar function of two states. The left one may also be NULL if there is none. */
    public static String pair(MergeKind kind, String left, String right)
    {
        return switch (kind) {
            case COUNT -> "coalesce(" + left + ", 0) + " + right;
            case SUM -> ignoringNull(left, right, left + " + " + right);
            case MIN -> ignoringNull(left, right, "least(" + left + ", " + right + ")");
            case MAX -> ignoringNull(left, right, "greatest(" + left + ", " + right + ")");
        };
    }

    private static String ignoringNull(String left, String right, String both)
    {
        return "CASE WHEN " + left + " IS NULL THEN " + right + " WHEN " + right + " IS NULL THEN " + left + " ELSE " + both + " END";
    }
}
