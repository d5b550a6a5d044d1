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

import io.trino.sql.tree.LambdaExpression;
import io.trino.sql.tree.Node;

import java.util.HashSet;
import java.util.Set;

import static java.util.Locale.ENGLISH;

/**
 * Relation aliases that no name in a view collides with. They are the same each time that the same text is compiled.
 */
final class Aliases
{
    private final String prefix;
    private int relations;

    private Aliases(String prefix)
    {
        this.prefix = prefix;
    }

    /** Columns are always qualified by an alias, so the parameters of lambdas are the only names that could capture one. */
    static Aliases avoiding(Node tree)
    {
        Set<String> taken = new HashSet<>();
        collectParameters(tree, taken);
        String prefix = "";
        while (startsAlias(prefix, taken)) {
            prefix += "_";
        }
        return new Aliases(prefix);
    }

    private static boolean startsAlias(String prefix, Set<String> taken)
    {
        return taken.stream().anyMatch(name -> name.startsWith(prefix) && name.substring(prefix.length()).matches("r[0-9]+k?|[gbmdt]"));
    }

    private static void collectParameters(Node node, Set<String> names)
    {
        if (node instanceof LambdaExpression lambda) {
            lambda.getArguments().forEach(argument -> names.add(argument.getName().getValue().toLowerCase(ENGLISH)));
        }
        node.getChildren().forEach(child -> collectParameters(child, names));
    }

    String prefix()
    {
        return prefix;
    }

    String nextRelation()
    {
        relations++;
        return prefix + "r" + relations;
    }
}
