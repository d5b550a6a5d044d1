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
package io.freshet.engine.analyze;

import com.google.common.collect.ImmutableMap;
import io.trino.sql.tree.WithQuery;

import java.util.Map;
import java.util.Optional;

import static java.util.Locale.ENGLISH;

/**
 * The named queries in scope. Each is paired with the scope in which it was defined.
 */
record NameScope(Map<String, NamedQuery> queries)
{
    static final NameScope EMPTY = new NameScope(ImmutableMap.of());

    NameScope
    {
        queries = ImmutableMap.copyOf(queries);
    }

    record NamedQuery(WithQuery query, NameScope scope) {}

    NameScope with(WithQuery query)
    {
        return new NameScope(ImmutableMap.<String, NamedQuery>builder()
                .putAll(queries)
                .put(query.getName().getValue().toLowerCase(ENGLISH), new NamedQuery(query, this))
                .buildKeepingLast());
    }

    Optional<NamedQuery> find(String name)
    {
        return Optional.ofNullable(queries.get(name));
    }
}
