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
package io.freshet.spi.surface;

import io.trino.spi.type.Type;

import java.util.function.Function;

import static java.util.Objects.requireNonNull;

/**
 * A column of a system table.
 *
 * @param value finds the value of a row, in the form of a record cursor; null for NULL. Asked only if a query reads the column
 */
record SystemColumn<T>(String name, Type type, String comment, Function<T, Object> value)
{
    SystemColumn
    {
        requireNonNull(name, "name is null");
        requireNonNull(type, "type is null");
        requireNonNull(comment, "comment is null");
        requireNonNull(value, "value is null");
    }
}
