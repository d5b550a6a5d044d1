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
 * A visible column of a table.
 *
 * @param name as the connector reports it; compared without regard to case
 * @param type SQL type text, such as {@code decimal(12,2)}
 * @param nullable false only if the table promises that the column holds no NULL
 */
public record SourceColumn(String name, String type, boolean nullable)
{
    public SourceColumn
    {
        requireNonNull(name, "name is null");
        requireNonNull(type, "type is null");
    }
}
