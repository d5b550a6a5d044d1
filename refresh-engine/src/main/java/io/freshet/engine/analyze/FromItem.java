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

import com.google.common.collect.ImmutableList;
import io.freshet.engine.algebra.AggregateBlock;
import io.freshet.engine.algebra.LinearRelation;
import io.freshet.engine.algebra.WindowBlock;
import io.trino.sql.tree.Identifier;
import io.trino.sql.tree.QualifiedName;

import java.util.List;
import java.util.Optional;

import static java.util.Objects.requireNonNull;

/**
 * What a FROM clause gives to the query around it: the columns that names may mean, and where their rows come from.
 */
record FromItem(Origin origin, List<Field> fields)
{
    FromItem
    {
        requireNonNull(origin, "origin is null");
        fields = ImmutableList.copyOf(fields);
    }

    sealed interface Origin {}

    /** The fields mean {@code alias.column}. */
    record Rows(LinearRelation relation, String alias)
            implements Origin {}

    /** The fields mean expressions over the group. */
    record Groups(AggregateBlock block)
            implements Origin {}

    /** The fields mean expressions over rows and their windows. */
    record Windows(WindowBlock block)
            implements Origin {}

    FromItem aliased(Identifier alias, Optional<List<Identifier>> columnNames)
    {
        QualifiedName name = QualifiedName.of(ImmutableList.of(alias));
        ImmutableList.Builder<Field> renamed = ImmutableList.builder();
        for (int i = 0; i < fields.size(); i++) {
            Field field = fields.get(i);
            Optional<String> column = columnNames.isPresent() ? Optional.of(columnNames.get().get(i).getValue()) : field.name();
            renamed.add(field.withRelation(name, column));
        }
        return new FromItem(origin, renamed.build());
    }
}
