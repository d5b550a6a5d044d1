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

import io.trino.sql.tree.Expression;
import io.trino.sql.tree.Identifier;
import io.trino.sql.tree.QualifiedName;

import java.util.List;
import java.util.Optional;

import static java.util.Objects.requireNonNull;

/**
 * A column that a name may mean.
 *
 * @param relation name by which the relation is mentioned: an alias, or the table's name as written
 * @param name empty for an anonymous expression
 * @param meaning the resolved expression
 * @param timeOfDay whether a value may hold a time of day, whose cast to a timestamp takes the current date
 */
record Field(Optional<QualifiedName> relation, Optional<String> name, Expression meaning, boolean timeOfDay)
{
    Field
    {
        requireNonNull(relation, "relation is null");
        requireNonNull(name, "name is null");
        requireNonNull(meaning, "meaning is null");
    }

    /** As in Trino: the last part names the column, the parts before it are a suffix of the relation's name; case does not matter. */
    boolean isNamed(List<Identifier> parts)
    {
        if (name.isEmpty() || !name.get().equalsIgnoreCase(parts.getLast().getValue())) {
            return false;
        }
        List<Identifier> prefix = parts.subList(0, parts.size() - 1);
        return prefix.isEmpty() || isOf(QualifiedName.of(prefix));
    }

    /** Whether the name means the relation of this column. */
    boolean isOf(QualifiedName relationName)
    {
        return relation.isPresent() && relation.get().hasSuffix(relationName);
    }

    Field withMeaning(Expression newMeaning)
    {
        return new Field(relation, name, newMeaning, timeOfDay);
    }

    Field withRelation(QualifiedName newRelation, Optional<String> newName)
    {
        return new Field(Optional.of(newRelation), newName, meaning, timeOfDay);
    }
}
