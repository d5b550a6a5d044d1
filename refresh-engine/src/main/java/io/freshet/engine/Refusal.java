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

import static java.util.Objects.requireNonNull;

/**
 * A coded reason for which a view is not maintained, and the place in its query.
 *
 * @param detail a clause for people that names the thing and its place, such as {@code join at 3:12 is not maintained}
 * @param line line in the text of the view, from 1; 0 if there is no place
 * @param column column in that line, from 1; 0 if there is no place
 */
public record Refusal(RefusalCode code, String detail, int line, int column)
{
    public Refusal
    {
        requireNonNull(code, "code is null");
        requireNonNull(detail, "detail is null");
    }

    /** The detail with its code, such as {@code join at 3:12 is not maintained (JOIN)}. */
    public String message()
    {
        return detail + " (" + code + ")";
    }
}
