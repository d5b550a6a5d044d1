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

import io.freshet.engine.RelationName;
import io.freshet.engine.RelationResolver;
import io.freshet.engine.ResolvedRelation;
import io.freshet.engine.ViewText;
import io.trino.sql.tree.QualifiedName;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static java.util.Locale.ENGLISH;
import static java.util.Objects.requireNonNull;

/**
 * The catalog as one compilation sees it: each name is looked up once.
 */
final class Catalog
{
    private final RelationResolver resolver;
    private final Map<RelationName, ResolvedRelation> known = new HashMap<>();

    Catalog(RelationResolver resolver)
    {
        this.resolver = requireNonNull(resolver, "resolver is null");
    }

    ResolvedRelation resolve(RelationName name)
    {
        // not computeIfAbsent: a resolver may come back here
        ResolvedRelation relation = known.get(name);
        if (relation == null) {
            relation = resolver.resolve(name);
            known.put(name, relation);
        }
        return relation;
    }

    /** The full name of a table as a view mentions it; empty if a part is missing and the view has no default. */
    static Optional<RelationName> fullName(QualifiedName name, ViewText view)
    {
        List<String> parts = name.getParts();
        return switch (parts.size()) {
            case 1 -> view.catalog().flatMap(catalog -> view.schema()
                    .map(schema -> new RelationName(catalog.toLowerCase(ENGLISH), schema.toLowerCase(ENGLISH), parts.get(0))));
            case 2 -> view.catalog()
                    .map(catalog -> new RelationName(catalog.toLowerCase(ENGLISH), parts.get(0), parts.get(1)));
            case 3 -> Optional.of(new RelationName(parts.get(0), parts.get(1), parts.get(2)));
            default -> Optional.empty();
        };
    }
}
