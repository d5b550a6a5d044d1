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

import io.freshet.engine.algebra.Expand;
import io.freshet.engine.algebra.Grouped;
import io.freshet.engine.algebra.InnerJoin;
import io.freshet.engine.algebra.JoinInput;
import io.freshet.engine.algebra.LeftJoin;
import io.freshet.engine.algebra.LinearRelation;
import io.freshet.engine.algebra.Scan;
import io.freshet.engine.algebra.Select;
import io.freshet.engine.algebra.SemiJoin;
import io.freshet.engine.algebra.UnionAll;
import io.freshet.engine.algebra.Windowed;

import java.util.Map;
import java.util.function.Function;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static io.freshet.engine.render.RelationRenderer.aliased;
import static java.util.Objects.requireNonNull;

/**
 * Relations as they are, or were, at one time.
 *
 * @param state what stands in place of the sources
 * @param pruned whether something above, such as a join with a small delta, leaves only few of the rows
 */
record StateRenderer(StateText state, boolean pruned)
{
    StateRenderer
    {
        requireNonNull(state, "state is null");
    }

    /** A query that gives the columns of the relation, in order and under their names. */
    String render(LinearRelation relation)
    {
        return switch (relation) {
            case Scan scan -> "SELECT " + Columns.of(scan) + " FROM " + state.from(scan);
            case Select select -> "SELECT " + Columns.of(select.outputs())
                    + " FROM " + aliased(render(select.input()), select.alias())
                    + select.where().map(RelationRenderer::where).orElse("");
            case Expand expand -> "SELECT " + Columns.of(expand) + " FROM " + aliased(render(expand.input()), expand.alias()) + Columns.copies(expand);
            case UnionAll union -> RelationRenderer.union(union.inputs().stream()
                    .map(this::render)
                    .collect(toImmutableList()));
            case InnerJoin join -> "SELECT " + Columns.of(join.outputs()) + " FROM " + joined(join);
            case LeftJoin join -> MatchText.leftJoin(join, render(join.left().relation()), render(join.right().relation()), pruned, false);
            case SemiJoin join -> MatchText.semiJoin(join, render(join.left().relation()), render(join.right().relation()), pruned && join.match().byKeysOnly(join.right().alias()), false);
            case Grouped(var block) -> BlockText.grouped(block, render(block.input()), "");
            case Windowed(var block) -> BlockText.windowed(block, render(block.input()), "");
        };
    }

    private String joined(InnerJoin join)
    {
        Map<String, JoinInput> inputs = join.inputs().stream().collect(toImmutableMap(JoinInput::alias, Function.identity()));
        JoinOrder order = JoinOrder.startingWith(join.inputs().getFirst().alias(), inputs.keySet().stream().toList(), join.conditions());
        return JoinText.leftDeep(order, alias -> input(inputs.get(alias)));
    }

    String input(JoinInput input)
    {
        return aliased(render(input.relation()), input.alias());
    }

    /** Whether the relation is known to have no rows at the time. */
    boolean isEmpty(LinearRelation relation)
    {
        return switch (relation) {
            case Scan scan -> state.isEmpty(scan);
            case Select select -> isEmpty(select.input());
            case Expand expand -> isEmpty(expand.input());
            case UnionAll union -> union.inputs().stream().allMatch(this::isEmpty);
            case InnerJoin join -> join.inputs().stream().anyMatch(input -> isEmpty(input.relation()));
            case LeftJoin join -> isEmpty(join.left().relation());
            case SemiJoin join -> isEmpty(join.left().relation()) || !join.anti() && isEmpty(join.right().relation());
            case Grouped(var block) -> !block.global() && isEmpty(block.input());
            case Windowed(var block) -> isEmpty(block.input());
        };
    }
}
