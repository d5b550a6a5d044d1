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
import io.freshet.engine.SourceColumn;
import io.freshet.engine.algebra.AggregateBlock;
import io.freshet.engine.algebra.Block;
import io.freshet.engine.algebra.Expand;
import io.freshet.engine.algebra.LinearBlock;
import io.freshet.engine.algebra.LinearRelation;
import io.freshet.engine.algebra.Scan;
import io.freshet.engine.algebra.Select;
import io.freshet.engine.algebra.UnionAll;
import io.freshet.engine.algebra.WindowBlock;

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
            case WindowBlock windows -> {
                ImmutableSet.Builder<String> used = ImmutableSet.builder();
                windows.where().ifPresent(where -> used.addAll(referencedColumns(where, windows.inputAlias())));
                windows.keys().forEach(key -> used.addAll(referencedColumns(key, windows.inputAlias())));
                windows.windows().forEach(window -> used.addAll(referencedColumns(window, windows.inputAlias())));
                windows.outputs().forEach(output -> used.addAll(referencedColumns(output.expression(), windows.inputAlias())));
                windows.filter().ifPresent(filter -> used.addAll(referencedColumns(filter, windows.inputAlias())));
                yield windows.withInput(prune(windows.input(), used.build()));
            }
            case AggregateBlock aggregate -> {
                ImmutableSet.Builder<String> used = ImmutableSet.builder();
                aggregate.where().ifPresent(where -> used.addAll(referencedColumns(where, aggregate.inputAlias())));
                aggregate.keys().forEach(key -> used.addAll(referencedColumns(key, aggregate.inputAlias())));
                aggregate.aggregates().forEach(call -> used.addAll(referencedColumns(call.call(), aggregate.inputAlias())));
                yield new AggregateBlock(
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
        };
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
            // columns of a union go by position: all are kept
            case UnionAll union -> new UnionAll(union.inputs().stream()
                    .map(input -> input instanceof Scan ? input : prune(input, ImmutableSet.copyOf(input.columns())))
                    .collect(toImmutableList()));
        };
    }
}
