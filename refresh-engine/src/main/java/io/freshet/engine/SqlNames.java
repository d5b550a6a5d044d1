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
import io.trino.sql.parser.ParsingException;
import io.trino.sql.parser.SqlParser;
import io.trino.sql.tree.DereferenceExpression;
import io.trino.sql.tree.Identifier;
import io.trino.sql.tree.QualifiedName;

import java.util.List;
import java.util.Optional;

import static java.util.Objects.requireNonNull;

/**
 * Quoting for the wrapper text around formatted expressions. Identifiers are always quoted.
 */
public final class SqlNames
{
    private SqlNames() {}

    /** An identifier in double quotes. */
    public static String quote(String identifier)
    {
        requireNonNull(identifier, "identifier is null");
        return '"' + identifier.replace("\"", "\"\"") + '"';
    }

    /**
     * The parts of a name as SQL writes it: in lower case, as Trino has all names.
     *
     * @return empty if it is not a name
     */
    public static List<String> parts(String name)
    {
        requireNonNull(name, "name is null");
        try {
            return switch (new SqlParser().createExpression(name)) {
                case Identifier identifier -> QualifiedName.of(identifier.getValue()).getParts();
                case DereferenceExpression dereference -> Optional.ofNullable(DereferenceExpression.getQualifiedName(dereference))
                        .map(QualifiedName::getParts)
                        .orElse(ImmutableList.of());
                default -> ImmutableList.of();
            };
        }
        catch (ParsingException e) {
            return ImmutableList.of();
        }
    }

    /** A character literal in single quotes. */
    public static String literal(String value)
    {
        requireNonNull(value, "value is null");
        return "'" + value.replace("'", "''") + "'";
    }
}
