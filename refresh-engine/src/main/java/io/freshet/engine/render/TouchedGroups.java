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
import io.freshet.engine.StateLayout;
import io.freshet.engine.algebra.AggregateBlock;

import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.freshet.engine.SqlNames.quote;
import static io.freshet.engine.algebra.Expressions.referencedColumns;
import static io.freshet.engine.render.RelationRenderer.aliased;
import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;

/**
 * The groups whose keys occur in a delta, with whatever sign, as they are in the sources.
 * <pre>
 * SELECT b.keys, aggregates, count of rows
 * FROM (SELECT columns, keys, true there FROM sources) r
 * RIGHT JOIN (SELECT keys, count(*) n FROM delta GROUP BY keys) b ON same key
 * GROUP BY keys
 * </pre>
 * A key without rows gives a group too, with a count of 0; nothing else of it has a meaning. {@code n} is always positive: the
 * count of rows refers to it only to keep the engine from aggregating all groups before the join.
 */
final class TouchedGroups
{
    /** The column with the count of rows. */
    static final String ROWS = "rows";

    private static final String KEY_PREFIX = StateLayout.HIDDEN_PREFIX + "k";
    private static final String THERE = StateLayout.HIDDEN_PREFIX + "there";

    private final AggregateBlock block;
    private final StateLayout layout;
    private final SourceText delta;
    private final List<Boolean> comparableKeys;
    private final String touched;

    /**
     * @param delta its rows count whatever their weights
     * @param comparableKeys for each key, whether it is neither NULL nor NaN in any row of the delta
     */
    TouchedGroups(AggregateBlock block, StateLayout layout, SourceText delta, List<Boolean> comparableKeys)
    {
        this.block = requireNonNull(block, "block is null");
        this.layout = requireNonNull(layout, "layout is null");
        this.delta = requireNonNull(delta, "delta is null");
        this.comparableKeys = ImmutableList.copyOf(comparableKeys);
        this.touched = block.aliasPrefix() + "b";
    }

    /** Names of the columns: keys {@code k1…}, values, and the count of rows. All in the types of the engine. */
    List<String> columns()
    {
        return ImmutableList.<String>builder()
                .addAll(IntStream.range(0, layout.keys().size()).mapToObj(GroupRenderer::key).collect(toImmutableList()))
                .addAll(GroupRenderer.valueNames(block, layout))
                .add(ROWS)
                .build();
    }

    String render()
    {
        List<String> keys = GroupRenderer.keys(touched, layout);
        ImmutableList.Builder<String> columns = ImmutableList.builder();
        for (int i = 0; i < keys.size(); i++) {
            columns.add(keys.get(i) + " AS " + quote(GroupRenderer.key(i)));
        }
        columns.addAll(GroupRenderer.valueColumns(block, layout));
        columns.add("count(" + quote(block.inputAlias()) + "." + quote(THERE) + ") FILTER (WHERE " + quote(touched) + ".\"n\" > 0) AS " + quote(ROWS));
        return "SELECT " + String.join(", ", columns.build())
                + " FROM (" + rows() + ") AS " + quote(block.inputAlias())
                + " RIGHT JOIN (" + touchedKeys() + ") AS " + quote(touched)
                + " ON " + sameKey(keys)
                + GroupRenderer.groupBy(keys.size());
    }

    private String touchedKeys()
    {
        return "SELECT " + String.join(", ", GroupRenderer.keyColumns(layout)) + ", count(*) AS \"n\""
                + RelationRenderer.from(block.input(), block.inputAlias(), delta)
                + block.where().map(RelationRenderer::where).orElse("")
                + GroupRenderer.groupBy(layout.keys().size());
    }

    /** The input with its keys: what the aggregates read of it. */
    private String rows()
    {
        Set<String> read = block.aggregates().stream()
                .flatMap(call -> referencedColumns(call.call(), block.inputAlias()).stream())
                .collect(ImmutableSet.toImmutableSet());
        ImmutableList.Builder<String> columns = ImmutableList.builder();
        read.forEach(column -> columns.add(quote(block.inputAlias()) + "." + quote(column) + " AS " + quote(column)));
        for (int i = 0; i < layout.keys().size(); i++) {
            columns.add(layout.keys().get(i).expression() + " AS " + quote(KEY_PREFIX + (i + 1)));
        }
        columns.add("true AS " + quote(THERE));
        return "SELECT " + String.join(", ", columns.build())
                + " FROM " + aliased(RelationRenderer.touchedRows(block.input(), block.inputAlias(), block.where(), block.keys(), delta), block.inputAlias())
                + block.where().map(RelationRenderer::where).orElse("");
    }

    private String sameKey(List<String> keys)
    {
        return IntStream.range(0, keys.size())
                .mapToObj(i -> KeyEquality.render(
                        quote(block.inputAlias()) + "." + quote(KEY_PREFIX + (i + 1)),
                        keys.get(i),
                        layout.keys().get(i).type(),
                        comparableKeys.get(i)))
                .collect(joining(" AND "));
    }
}
