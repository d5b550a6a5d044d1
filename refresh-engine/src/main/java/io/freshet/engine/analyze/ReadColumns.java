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

import com.google.common.collect.ImmutableSet;
import io.trino.sql.tree.AllColumns;
import io.trino.sql.tree.DereferenceExpression;
import io.trino.sql.tree.Identifier;
import io.trino.sql.tree.Join;
import io.trino.sql.tree.JoinUsing;
import io.trino.sql.tree.NaturalJoin;
import io.trino.sql.tree.Nearest;
import io.trino.sql.tree.Node;
import io.trino.sql.tree.PatternRecognitionRelation;
import io.trino.sql.tree.Pivot;
import io.trino.sql.tree.Query;
import io.trino.sql.tree.SetOperation;
import io.trino.sql.tree.Table;
import io.trino.sql.tree.TableFunctionInvocation;

import java.util.HashSet;
import java.util.Set;

import static java.util.Locale.ENGLISH;

/**
 * Which columns a query may read, from its text alone: a column is read only if its name stands somewhere, or if something stands
 * for all columns.
 *
 * @param names identifiers in the query, in lower case
 * @param all something may stand for all columns
 */
record ReadColumns(Set<String> names, boolean all)
{
    ReadColumns
    {
        names = ImmutableSet.copyOf(names);
    }

    static ReadColumns of(Query query)
    {
        Set<String> names = new HashSet<>();
        collect(query, names);
        return new ReadColumns(names, standsForAll(query));
    }

    private static void collect(Node node, Set<String> names)
    {
        if (node instanceof Identifier identifier) {
            names.add(identifier.getValue().toLowerCase(ENGLISH));
        }
        if (node instanceof Join join && join.getCriteria().orElse(null) instanceof JoinUsing using) {
            using.getColumns().forEach(column -> names.add(column.getValue().toLowerCase(ENGLISH)));
        }
        node.getChildren().forEach(child -> collect(child, names));
    }

    private static boolean standsForAll(Node node)
    {
        boolean own = switch (node) {
            case AllColumns _, Pivot _, PatternRecognitionRelation _, Nearest _, TableFunctionInvocation _ -> true;
            case DereferenceExpression dereference -> dereference.getField().isEmpty();
            case Join join -> join.getCriteria().orElse(null) instanceof NaturalJoin;
            case Query query -> query.getQueryBody() instanceof Table;
            case SetOperation operation -> operation.getRelations().stream().anyMatch(Table.class::isInstance);
            default -> false;
        };
        return own || node.getChildren().stream().anyMatch(ReadColumns::standsForAll);
    }
}
