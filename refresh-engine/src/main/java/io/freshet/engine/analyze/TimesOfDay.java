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

import io.freshet.engine.StorageTypes;
import io.trino.sql.tree.Cast;
import io.trino.sql.tree.DateTimeDataType;
import io.trino.sql.tree.DereferenceExpression;
import io.trino.sql.tree.Expression;
import io.trino.sql.tree.GenericLiteral;
import io.trino.sql.tree.Identifier;
import io.trino.sql.tree.Node;
import io.trino.sql.tree.QualifiedName;

import java.util.List;

import static com.google.common.collect.ImmutableList.toImmutableList;

/**
 * Casting a time of day to a timestamp takes the date of the session's start, and to a zoned time its zone offset: the cast depends
 * on the time of the refresh. Types of expressions are not known here, so an expression may be a time of day if any leaf of it is one.
 */
final class TimesOfDay
{
    private TimesOfDay() {}

    /** Whether an expression, with names not yet resolved, may be a time of day or hold one. */
    static boolean mayBeTimeOfDay(Node expression, List<Field> fields)
    {
        boolean leaf = switch (expression) {
            case Cast cast -> cast.getType() instanceof DateTimeDataType type && type.getType() == DateTimeDataType.Type.TIME;
            case GenericLiteral literal -> StorageTypes.holdsTimeOfDay(literal.getType());
            case Identifier identifier -> mayName(List.of(identifier), fields);
            case DereferenceExpression dereference -> {
                QualifiedName name = DereferenceExpression.getQualifiedName(dereference);
                yield name != null && mayName(name.getOriginalParts(), fields);
            }
            default -> false;
        };
        if (leaf) {
            return true;
        }
        if (expression instanceof DereferenceExpression dereference) {
            return mayBeTimeOfDay(dereference.getBase(), fields);
        }
        if (expression instanceof Cast cast) {
            return !(cast.getType() instanceof DateTimeDataType) && mayBeTimeOfDay(cast.getExpression(), fields);
        }
        List<Node> children = expression.getChildren().stream()
                .map(Node.class::cast)
                .collect(toImmutableList());
        return children.stream().anyMatch(child -> mayBeTimeOfDay(child, fields));
    }

    private static boolean mayName(List<Identifier> parts, List<Field> fields)
    {
        return fields.stream().anyMatch(field -> field.timeOfDay() && field.isNamed(parts));
    }

    static boolean mayBeTimeOfDay(Expression expression, List<Field> fields)
    {
        return mayBeTimeOfDay((Node) expression, fields);
    }
}
