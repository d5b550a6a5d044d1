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
import io.freshet.engine.algebra.Grouped;
import io.freshet.engine.algebra.LinearRelation;
import io.freshet.engine.algebra.Windowed;

import java.util.List;

import static io.freshet.engine.algebra.Expressions.reference;

/**
 * Queries as relations of other queries.
 */
final class Nesting
{
    private Nesting() {}

    /** An aggregation or window functions as a relation of which nothing is kept; rows as they are. */
    static FromItem asRows(FromItem item, Aliases aliases)
    {
        return switch (item.origin()) {
            case FromItem.Rows _ -> item;
            case FromItem.Groups(var block) -> {
                Exactness.check(block);
                yield relation(new Grouped(block), item.fields(), aliases.nextRelation());
            }
            case FromItem.Windows(var block) -> {
                Exactness.check(block);
                yield relation(new Windowed(block), item.fields(), aliases.nextRelation());
            }
        };
    }

    /** The relation under that alias, with the fields for its columns. */
    static FromItem relation(LinearRelation relation, List<Field> fields, String alias)
    {
        ImmutableList.Builder<Field> renamed = ImmutableList.builder();
        for (int i = 0; i < fields.size(); i++) {
            renamed.add(fields.get(i).withMeaning(reference(alias, relation.columns().get(i))));
        }
        return new FromItem(new FromItem.Rows(relation, alias), renamed.build());
    }
}
