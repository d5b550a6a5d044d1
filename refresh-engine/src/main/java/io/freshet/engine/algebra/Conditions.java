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
import io.trino.sql.tree.ComparisonPredicate;
import io.trino.sql.tree.Expression;
import io.trino.sql.tree.LogicalExpression;
import io.trino.sql.tree.NodeLocation;
import io.trino.sql.tree.Predicated;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import static io.freshet.engine.algebra.Expressions.referencedAliases;

/**
 * Conditions taken apart.
 */
public final class Conditions
{
    private Conditions() {}

    /** Both sides of an equation. */
    public record Equation(Expression left, Expression right)
    {
        /** The equation with the sides in that order, if each refers to the columns of one alias only. */
        public Optional<Equation> between(String leftAlias, String rightAlias)
        {
            Set<String> aliases = ImmutableSet.of(leftAlias, rightAlias);
            Set<String> ofLeft = referencedAliases(left, aliases);
            Set<String> ofRight = referencedAliases(right, aliases);
            if (ofLeft.equals(ImmutableSet.of(leftAlias)) && ofRight.equals(ImmutableSet.of(rightAlias))) {
                return Optional.of(this);
            }
            if (ofLeft.equals(ImmutableSet.of(rightAlias)) && ofRight.equals(ImmutableSet.of(leftAlias))) {
                return Optional.of(new Equation(right, left));
            }
            return Optional.empty();
        }
    }

    public static Expression equal(Expression left, Expression right)
    {
        NodeLocation nowhere = new NodeLocation(1, 1);
        return new Predicated(nowhere, left, new ComparisonPredicate(nowhere, ComparisonPredicate.Operator.EQUAL, right));
    }

    /**
     * Conditions that are all true exactly if the given one is. What all alternatives of a disjunction have in common is
     * among them:
     * <pre>
     * (a AND b) OR (a AND c)  ->  a, (a AND b) OR (a AND c)
     * </pre>
     */
    public static List<Expression> conjuncts(Expression condition)
    {
        Set<Expression> conjuncts = new LinkedHashSet<>();
        collect(condition, conjuncts);
        return ImmutableList.copyOf(conjuncts);
    }

    private static void collect(Expression condition, Set<Expression> conjuncts)
    {
        if (condition instanceof LogicalExpression logical) {
            switch (logical.getOperator()) {
                case AND -> {
                    logical.getTerms().forEach(term -> collect(term, conjuncts));
                    return;
                }
                case OR -> {
                    Set<Expression> common = new LinkedHashSet<>(conjuncts(logical.getTerms().getFirst()));
                    logical.getTerms().forEach(term -> common.retainAll(conjuncts(term)));
                    conjuncts.addAll(common);
                }
            }
        }
        conjuncts.add(condition);
    }

    public static Optional<Equation> equation(Expression condition)
    {
        if (condition instanceof Predicated predicated
                && predicated.getPredicate() instanceof ComparisonPredicate comparison
                && comparison.getOperator() == ComparisonPredicate.Operator.EQUAL) {
            return Optional.of(new Equation(predicated.getValue(), comparison.getRight()));
        }
        return Optional.empty();
    }
}
