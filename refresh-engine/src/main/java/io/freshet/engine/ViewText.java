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

import com.google.common.collect.ImmutableList;

import java.util.List;
import java.util.Optional;

import static java.util.Objects.requireNonNull;

/**
 * A view as its creator wrote it.
 *
 * @param sql the query; positions in refusals count from its first character, line 1 column 1
 * @param catalog default catalog at creation, for unqualified names
 * @param schema default schema at creation, for unqualified names
 * @param columnNames names of the output columns, in order
 */
public record ViewText(String sql, Optional<String> catalog, Optional<String> schema, List<String> columnNames)
{
    public ViewText
    {
        requireNonNull(sql, "sql is null");
        requireNonNull(catalog, "catalog is null");
        requireNonNull(schema, "schema is null");
        columnNames = ImmutableList.copyOf(columnNames);
    }
}
