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

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.freshet.engine.SourceColumn;
import io.freshet.engine.algebra.AggregateBlock;
import io.freshet.engine.algebra.Block;
import io.freshet.engine.algebra.Expand;
import io.freshet.engine.algebra.Grouped;
import io.freshet.engine.algebra.InnerJoin;
import io.freshet.engine.algebra.JoinInput;
import io.freshet.engine.algebra.LeftJoin;
import io.freshet.engine.algebra.LinearBlock;
import io.freshet.engine.algebra.LinearRelation;
import io.freshet.engine.algebra.OutputColumn;
import io.freshet.engine.algebra.Scan;
import io.freshet.engine.algebra.Select;
import io.freshet.engine.algebra.SemiJoin;
import io.freshet.engine.algebra.UnionAll;
import io.freshet.engine.algebra.WindowBlock;
import io.freshet.engine.algebra.Windowed;
import io.trino.sql.tree.Expression;

import java.util.List;
import java.util.Set;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.freshet.engine.algebra.Expressions.referencedColumns;
import static java.util.Comparator.comparing;

/**
 * Keeps in each scan the columns that are referred to. So a column that a source gains later does not change the block.
 * <pre>
 * Select[a](Scan[a, b, c])  ->  Select[a](Scan[a])
 * </pre>
 */
final class PruneColumns
{
    private PruneColumns() {}

    static Block prune(Block block)
    {
        return switch (block) {
            case LinearBlock linear -> new LinearBlock(prune(linear.input(), ImmutableSet.copyOf(linear.input().columns())), linear.alias());
            case WindowBlock windows -> prune(windows);
            case AggregateBlock aggregate -> prune(aggregate);
        };
    }

    private static WindowBlock prune(WindowBlock windows)
    {
        ImmutableSet.Builder<String> used = ImmutableSet.builder();
        windows.where().ifPresent(where -> used.addAll(referencedColumns(where, windows.inputAlias())));
        windows.keys().forEach(key -> used.addAll(referencedColumns(key, windows.inputAlias())));
        windows.windows().forEach(window -> used.addAll(referencedColumns(window, windows.inputAlias())));
        windows.outputs().forEach(output -> used.addAll(referencedColumns(output.expression(), windows.inputAlias())));
        windows.filter().ifPresent(filter -> used.addAll(referencedColumns(filter, windows.inputAlias())));
        return windows.withInput(prune(windows.input(), used.build()));
    }

    private static AggregateBlock prune(AggregateBlock aggregate)
    {
        ImmutableSet.Builder<String> used = ImmutableSet.builder();
        aggregate.where().ifPresent(where -> used.addAll(referencedColumns(where, aggregate.inputAlias())));
        aggregate.keys().forEach(key -> used.addAll(referencedColumns(key, aggregate.inputAlias())));
        aggregate.aggregates().forEach(call -> used.addAll(referencedColumns(call.call(), aggregate.inputAlias())));
        return new AggregateBlock(
                prune(aggregate.input(), used.build()),
                aggregate.inputAlias(),
                aggregate.where(),
                aggregate.keys(),
                aggregate.global(),
                aggregate.emptySets(),
                aggregate.aggregates(),
                aggregate.outputs(),
                aggregate.having(),
                aggregate.aliasPrefix());
    }

    private static LeftJoin prune(LeftJoin join, Set<String> used)
    {
        List<OutputColumn> outputs = kept(join.outputs(), used);
        return new LeftJoin(
                prune(join.left(), join.conditions(), outputs, ImmutableSet.of()),
                prune(join.right(), join.conditions(), outputs, ImmutableSet.of()),
                join.conditions(),
                outputs);
    }

    private static SemiJoin prune(SemiJoin join, Set<String> used)
    {
        return new SemiJoin(
                prune(join.left(), join.conditions(), ImmutableList.of(), used),
                prune(join.right(), join.conditions(), ImmutableList.of(), ImmutableSet.of()),
                join.conditions(),
                join.anti());
    }

    private static List<OutputColumn> kept(List<OutputColumn> outputs, Set<String> used)
    {
        return outputs.stream()
                .filter(output -> used.contains(output.name()))
                .collect(toImmutableList());
    }

    private static JoinInput prune(JoinInput input, List<Expression> conditions, List<OutputColumn> outputs, Set<String> used)
    {
        ImmutableSet.Builder<String> inner = ImmutableSet.<String>builder().addAll(used);
        conditions.forEach(condition -> inner.addAll(referencedColumns(condition, input.alias())));
        outputs.forEach(output -> inner.addAll(referencedColumns(output.expression(), input.alias())));
        return new JoinInput(prune(input.relation(), inner.build()), input.alias());
    }

    private static InnerJoin prune(InnerJoin join, Set<String> used)
    {
        List<OutputColumn> outputs = kept(join.outputs(), used);
        List<JoinInput> inputs = join.inputs().stream()
                .map(input -> prune(input, join.conditions(), outputs, ImmutableSet.of()))
                .collect(toImmutableList());
        return new InnerJoin(inputs, join.conditions(), outputs);
    }

    private static LinearRelation prune(LinearRelation relation, Set<String> used)
    {
        return switch (relation) {
            case Scan scan -> {
                List<SourceColumn> kept = scan.sourceColumns().stream()
                        .filter(column -> used.contains(column.name()))
                        // referred to by name, so that moving a column in its table changes nothing
                        .sorted(comparing(SourceColumn::name))
                        .collect(toImmutableList());
                yield new Scan(scan.table(), kept, scan.line(), scan.column());
            }
            case Select select -> {
                ImmutableSet.Builder<String> inner = ImmutableSet.builder();
                select.where().ifPresent(where -> inner.addAll(referencedColumns(where, select.alias())));
                select.outputs().forEach(output -> inner.addAll(referencedColumns(output.expression(), select.alias())));
                yield new Select(prune(select.input(), inner.build()), select.alias(), select.where(), select.outputs());
            }
            case Expand expand -> new Expand(prune(expand.input(), used), expand.alias(), expand.copies());
            case InnerJoin join -> prune(join, used);
            case LeftJoin join -> prune(join, used);
            case SemiJoin join -> prune(join, used);
            case Grouped(AggregateBlock block) -> new Grouped(prune(block.withOutputs(kept(block.outputs(), used), block.having())));
            case Windowed(WindowBlock block) -> new Windowed(prune(block.withOutputs(kept(block.outputs(), used), block.filter())));
            // columns of a union go by position: all are kept
            case UnionAll union -> new UnionAll(union.inputs().stream()
                    .map(input -> input instanceof Scan ? input : prune(input, ImmutableSet.copyOf(input.columns())))
                    .collect(toImmutableList()));
        };
    }
}
