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
import io.trino.sql.tree.Identifier;
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

    static Aliases avoiding(Node tree)
    {
        Set<String> taken = identifiers(tree);
        String prefix = "";
        while (startsAlias(prefix, taken)) {
            prefix += "_";
        }
        return new Aliases(prefix);
    }

    private static boolean startsAlias(String prefix, Set<String> taken)
    {
        return taken.stream().anyMatch(name -> name.startsWith(prefix) && name.substring(prefix.length()).matches("[a-z][0-9]*"));
    }

    /** All identifiers in a tree, in lower case. */
    static Set<String> identifiers(Node tree)
    {
        Set<String> names = new HashSet<>();
        collect(tree, names);
        return ImmutableSet.copyOf(names);
    }

    private static void collect(Node node, Set<String> names)
    {
        if (node instanceof Identifier identifier) {
            names.add(identifier.getValue().toLowerCase(ENGLISH));
        }
        node.getChildren().forEach(child -> collect(child, names));
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
