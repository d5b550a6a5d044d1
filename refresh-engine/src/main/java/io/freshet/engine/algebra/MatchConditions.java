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
package io.freshet.engine.algebra;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.freshet.engine.algebra.Conditions.Equation;
import io.trino.sql.tree.Expression;

import java.util.List;
import java.util.Set;

import static io.freshet.engine.algebra.Expressions.referencedAliases;

/**
 * The conditions between two inputs by what they can be used for.
 *
 * @param keys equations of something of the left input with something of the right one
 * @param right conditions on rows of the right input alone
 * @param others all other conditions
 */
public record MatchConditions(List<Equation> keys, List<Expression> right, List<Expression> others)
{
    public MatchConditions
    {
        keys = ImmutableList.copyOf(keys);
        right = ImmutableList.copyOf(right);
        others = ImmutableList.copyOf(others);
    }

    static MatchConditions of(List<Expression> conditions, String leftAlias, String rightAlias)
    {
        Set<String> aliases = ImmutableSet.of(leftAlias, rightAlias);
        ImmutableList.Builder<Equation> keys = ImmutableList.builder();
        ImmutableList.Builder<Expression> right = ImmutableList.builder();
        ImmutableList.Builder<Expression> others = ImmutableList.builder();
        for (Expression condition : conditions) {
            var key = Conditions.equation(condition)
                    .flatMap(equation -> equation.between(leftAlias, rightAlias));
            if (key.isPresent()) {
                keys.add(key.get());
            }
            else if (referencedAliases(condition, aliases).equals(Set.of(rightAlias))) {
                right.add(condition);
            }
            else {
                others.add(condition);
            }
        }
        return new MatchConditions(keys.build(), right.build(), others.build());
    }

    /** Whether rows match if their keys do, once the right ones are filtered: nothing else looks at both. */
    public boolean byKeysOnly(String rightAlias)
    {
        return others.stream().noneMatch(condition -> referencedAliases(condition, Set.of(rightAlias)).contains(rightAlias));
    }
}
