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
 * How a part of a view is kept up. Costs are not regarded: a refresh that could be incremental may still be full for its cost.
 *
 * @param operator the part, such as {@code scan}, {@code filter}, {@code group by}, the name of an aggregate, or {@code view}
 * @param line line in the text of the view, from 1; 0 if there is no place
 * @param column column in that line, from 1; 0 if there is no place
 * @param underInserts the name of a {@link Strategy} when rows are added to the sources, or the code why the refresh is full
 * @param underDeletes the same when rows are removed or replaced too
 * @param detail for people; may be empty
 */
public record OperatorExplanation(String operator, int line, int column, String underInserts, String underDeletes, String detail)
{
    public OperatorExplanation
    {
        requireNonNull(operator, "operator is null");
        requireNonNull(underInserts, "underInserts is null");
        requireNonNull(underDeletes, "underDeletes is null");
        requireNonNull(detail, "detail is null");
    }
}
