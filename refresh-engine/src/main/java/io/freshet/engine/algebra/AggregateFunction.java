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

/**
 * The aggregates whose states merge: {@code state(A + B) = merge(state(A), state(B))} for multisets A and B. And all others.
 */
public enum AggregateFunction
{
    /** {@code count(*)}. */
    COUNT_ALL,
    /** {@code count(x)}. */
    COUNT,
    COUNT_IF,
    SUM,
    AVG,
    MIN,
    MAX,
    /** {@code bool_and(x)} and {@code every(x)}. */
    BOOL_AND,
    BOOL_OR,
    /** Any aggregate that is had from all rows of its group only. */
    WHOLE_GROUP,
}
