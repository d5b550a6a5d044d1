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
package io.freshet.engine.render;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.freshet.engine.algebra.Conditions;
import io.trino.sql.tree.Expression;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.freshet.engine.algebra.Expressions.referencedAliases;

/**
 * An order in which relations are joined, one after the other, each with the conditions that can be told with it. One that an
 * equation connects to those before it comes before one that none does; otherwise the order is the given one.
 */
record JoinOrder(String first, List<Step> steps)
{
    /** A relation, by its alias, and the conditions on it and those before it that were not told before. */
    record Step(String alias, List<Expression> conditions)
    {
        Step
        {
            conditions = ImmutableList.copyOf(conditions);
        }
    }

    JoinOrder
    {
        steps = ImmutableList.copyOf(steps);
    }

    static JoinOrder startingWith(String first, List<String> aliases, List<Expression> conditions)
    {
        Set<String> all = ImmutableSet.copyOf(aliases);
        List<String> left = new ArrayList<>(aliases);
        left.remove(first);
        Set<Expression> open = new LinkedHashSet<>(conditions);
        Set<String> joined = new LinkedHashSet<>(List.of(first));
        List<Step> steps = new ArrayList<>();
        while (!left.isEmpty()) {
            String next = left.stream()
                    .filter(candidate -> open.stream().anyMatch(condition -> connects(condition, joined, candidate, all)))
                    .findFirst()
                    .orElse(left.getFirst());
            left.remove(next);
            joined.add(next);
            List<Expression> told = open.stream()
                    .filter(condition -> joined.containsAll(referencedAliases(condition, all)))
                    .collect(toImmutableList());
            told.forEach(open::remove);
            steps.add(new Step(next, told));
        }
        return new JoinOrder(first, steps);
    }

    /** Whether it equates something of the joined relations with something of the next one. */
    private static boolean connects(Expression condition, Set<String> joined, String next, Set<String> all)
    {
        return Conditions.equation(condition)
                .filter(equation -> {
                    Set<String> left = referencedAliases(equation.left(), all);
                    Set<String> right = referencedAliases(equation.right(), all);
                    return isOnly(next, left) && isAmong(joined, right) || isOnly(next, right) && isAmong(joined, left);
                })
                .isPresent();
    }

    private static boolean isOnly(String alias, Set<String> referenced)
    {
        return referenced.equals(Set.of(alias));
    }

    private static boolean isAmong(Set<String> joined, Set<String> referenced)
    {
        return !referenced.isEmpty() && Sets.difference(referenced, joined).isEmpty();
    }
}
