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

import static io.freshet.engine.SqlNames.quote;
import static java.util.Objects.requireNonNull;

/**
 * Full name of a table, view or materialized view, in lower case as Trino resolves it.
 * Parts may hold any character, so the three parts are never joined for comparison.
 */
public record RelationName(String catalog, String schema, String table)
{
    public RelationName
    {
        requireNonNull(catalog, "catalog is null");
        requireNonNull(schema, "schema is null");
        requireNonNull(table, "table is null");
    }

    public List<String> parts()
    {
        return ImmutableList.of(catalog, schema, table);
    }

    /** The name as SQL, every part quoted. */
    public String toSql()
    {
        return quote(catalog) + "." + quote(schema) + "." + quote(table);
    }

    /** The name for people, unquoted. */
    @Override
    public String toString()
    {
        return catalog + "." + schema + "." + table;
    }
}
