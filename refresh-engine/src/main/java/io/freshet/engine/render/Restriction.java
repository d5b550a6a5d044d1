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
import com.google.common.collect.ImmutableMap;
import io.freshet.engine.algebra.InnerJoin;
import io.freshet.engine.algebra.JoinInput;
import io.freshet.engine.algebra.LinearRelation;
import io.freshet.engine.algebra.OutputColumn;
import io.freshet.engine.algebra.Select;
import io.trino.sql.tree.Expression;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static io.freshet.engine.algebra.Conditions.equal;
import static io.freshet.engine.algebra.Expressions.reference;
import static io.freshet.engine.algebra.Expressions.referencedAliases;
import static io.freshet.engine.algebra.Expressions.substitute;
import static io.freshet.engine.render.RelationRenderer.aliased;

/**
 * The rows of a relation whose keys are in a small set. The set takes part in the relation's own joins, so that they start with it.
 *
 * @param state the time at which the relation is read
 * @param keys query for the distinct keys {@code k1…}
 * @param keysAlias alias for that query
 */
record Restriction(StateRenderer state, String keys, String keysAlias)
{
    /**
     * A query for the columns of the relation.
     *
     * @param expressions what is to equal {@code k1…}; refer to the relation by the alias
     */
    String render(LinearRelation relation, String alias, List<Expression> expressions)
    {
        return switch (relation) {
            case Select select -> "SELECT " + Columns.of(select.outputs())
                    + " FROM " + aliased(render(select.input(), select.alias(), inner(expressions, alias, select.outputs())), select.alias())
                    + select.where().map(RelationRenderer::where).orElse("");
            case InnerJoin join when startsWithKeys(inner(expressions, alias, join.outputs()), join) -> {
                Map<String, JoinInput> inputs = join.inputs().stream().collect(toImmutableMap(JoinInput::alias, Function.identity()));
                JoinOrder order = JoinOrder.startingWith(
                        keysAlias,
                        ImmutableList.<String>builder().add(keysAlias).addAll(inputs.keySet()).build(),
                        ImmutableList.<Expression>builder().addAll(conditions(inner(expressions, alias, join.outputs()))).addAll(join.conditions()).build());
                yield "SELECT " + Columns.of(join.outputs())
                        + " FROM " + JoinText.rightDeep(order, name -> name.equals(keysAlias) ? aliased(keys, keysAlias) : state.input(inputs.get(name)));
            }
            default -> "SELECT " + Columns.of(new JoinInput(relation, alias))
                    + " FROM " + JoinText.join(aliased(state.render(relation), alias), aliased(keys, keysAlias), conditions(expressions));
        };
    }

    private static boolean startsWithKeys(List<Expression> expressions, InnerJoin join)
    {
        Set<String> aliases = join.inputs().stream().map(JoinInput::alias).collect(toImmutableSet());
        return expressions.stream().anyMatch(expression -> referencedAliases(expression, aliases).size() == 1);
    }

    private List<Expression> conditions(List<Expression> expressions)
    {
        return IntStream.range(0, expressions.size())
                .mapToObj(i -> equal(expressions.get(i), reference(keysAlias, "k" + (i + 1))))
                .collect(toImmutableList());
    }

    private static List<Expression> inner(List<Expression> expressions, String alias, List<OutputColumn> outputs)
    {
        ImmutableMap.Builder<String, Expression> columns = ImmutableMap.builder();
        outputs.forEach(output -> columns.put(output.name(), output.expression()));
        return expressions.stream()
                .map(expression -> substitute(expression, alias, columns.buildOrThrow()))
                .collect(toImmutableList());
    }
}
