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
import io.freshet.engine.StateLayout;
import io.freshet.engine.algebra.AggregateBlock;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.freshet.engine.SqlNames.quote;
import static io.trino.sql.ExpressionFormatter.formatExpression;
import static java.util.stream.Collectors.joining;

/**
 * Groups with their keys {@code k1…} and states {@code s1…} or aggregates {@code a1…}, in the types of the engine.
 */
final class GroupRenderer
{
    private GroupRenderer() {}

    /** A query that aggregates the input of a block; into signed states if rows have weights. */
    static String groups(AggregateBlock block, StateLayout layout, SourceText sources)
    {
        List<String> columns = new ArrayList<>(keyColumns(layout));
        columns.addAll(sources.weighted() ? signedStates(block, layout) : valueColumns(block, layout));
        return "SELECT " + String.join(", ", columns)
                + RelationRenderer.from(block.input(), block.inputAlias(), sources)
                + block.where().map(RelationRenderer::where).orElse("")
                + groupBy(layout.keys().size());
    }

    /** A query that aggregates the sources; also gives the groups that are there without any rows. */
    static String allGroups(AggregateBlock block, StateLayout layout)
    {
        String groups = groups(block, layout, SourceText.TABLES);
        if (block.emptySets().isEmpty()) {
            return groups;
        }
        List<String> values = new ArrayList<>(keys(block.aliasPrefix() + "m", layout));
        List<String> states = states(block.aliasPrefix() + "m", layout);
        for (int i = 0; i < states.size(); i++) {
            values.add(MergeRules.aggregate(layout.states().get(i).merge(), states.get(i)) + " AS " + quote(state(i)));
        }
        return "SELECT " + String.join(", ", values)
                + " FROM (" + groups + " UNION ALL " + groupsWithoutRows(block, layout) + ") AS " + quote(block.aliasPrefix() + "m")
                + groupBy(layout.keys().size());
    }

    private static String groupsWithoutRows(AggregateBlock block, StateLayout layout)
    {
        List<String> values = new ArrayList<>();
        for (int i = 0; i + 1 < layout.keys().size(); i++) {
            values.add("CAST(NULL AS " + layout.keys().get(i).type() + ")");
        }
        values.add(quote("i") + "." + quote("i"));
        layout.states().forEach(state -> values.add(MergeRules.ofNothing(state.merge(), state.type())));
        return "SELECT " + String.join(", ", values) + " FROM UNNEST(ARRAY["
                + block.emptySets().stream().map(Object::toString).collect(joining(", "))
                + "]) AS " + quote("i") + " (" + quote("i") + ")";
    }

    /** The keys over the input. */
    static List<String> keyColumns(StateLayout layout)
    {
        return IntStream.range(0, layout.keys().size())
                .mapToObj(i -> layout.keys().get(i).expression() + " AS " + quote(key(i)))
                .collect(toImmutableList());
    }

    /** The aggregations over the input that the outputs come from: states {@code s1…}, or the aggregates {@code a1…} themselves. */
    static List<String> valueColumns(AggregateBlock block, StateLayout layout)
    {
        if (!layout.keepsStates()) {
            return IntStream.range(0, block.aggregates().size())
                    .mapToObj(i -> formatExpression(block.aggregates().get(i).call()) + " AS " + quote(aggregate(i)))
                    .collect(toImmutableList());
        }
        return IntStream.range(0, layout.states().size())
                .mapToObj(i -> layout.states().get(i).expression() + " AS " + quote(state(i)))
                .collect(toImmutableList());
    }

    /** The names of {@link #valueColumns}. */
    static List<String> valueNames(AggregateBlock block, StateLayout layout)
    {
        return layout.keepsStates()
                ? IntStream.range(0, layout.states().size()).mapToObj(GroupRenderer::state).collect(toImmutableList())
                : IntStream.range(0, block.aggregates().size()).mapToObj(GroupRenderer::aggregate).collect(toImmutableList());
    }

    private static List<String> signedStates(AggregateBlock block, StateLayout layout)
    {
        String weight = RelationRenderer.weight(block.inputAlias());
        return IntStream.range(0, layout.states().size())
                .mapToObj(i -> SignedStates.render(layout.states().get(i), weight) + " AS " + quote(state(i)))
                .collect(toImmutableList());
    }

    /** Ordinals of the first columns, which hold the keys; nothing for a global aggregate. */
    static String groupBy(int keys)
    {
        if (keys == 0) {
            return "";
        }
        return " GROUP BY " + IntStream.rangeClosed(1, keys)
                .mapToObj(Integer::toString)
                .collect(joining(", "));
    }

    static String key(int index)
    {
        return "k" + (index + 1);
    }

    private static String aggregate(int index)
    {
        return "a" + (index + 1);
    }

    static String state(int index)
    {
        return "s" + (index + 1);
    }

    /** Keys of a relation that has them as {@code k1…} in the types of the engine. */
    static List<String> keys(String alias, StateLayout layout)
    {
        return IntStream.range(0, layout.keys().size())
                .mapToObj(index -> quote(alias) + "." + quote(key(index)))
                .collect(toImmutableList());
    }

    /** States of a relation that has them as {@code s1…} in the types of the engine. */
    static List<String> states(String alias, StateLayout layout)
    {
        return IntStream.range(0, layout.states().size())
                .mapToObj(index -> quote(alias) + "." + quote(state(index)))
                .collect(toImmutableList());
    }

    /** A value of the storage type as a value of the engine's type. */
    static String read(String value, String storageType, String type)
    {
        return storageType.equals(type) ? value : "CAST(" + value + " AS " + type + ")";
    }

    /** A query that merges groups: the stored ones and those of the delta. */
    static String merged(AggregateBlock block, StateLayout layout, String backing, SourceText delta)
    {
        String stored = quote(block.aliasPrefix() + "b");
        String all = quote(block.aliasPrefix() + "m");
        ImmutableList.Builder<String> read = ImmutableList.builder();
        ImmutableList.Builder<String> merge = ImmutableList.builder();
        for (int i = 0; i < layout.keys().size(); i++) {
            StateLayout.Key key = layout.keys().get(i);
            String name = quote(key(i));
            read.add(read(stored + "." + quote(key.column()), key.storageType(), key.type()) + " AS " + name);
            merge.add(all + "." + name + " AS " + name);
        }
        for (int i = 0; i < layout.states().size(); i++) {
            StateLayout.State state = layout.states().get(i);
            String name = quote(state(i));
            read.add(read(stored + "." + quote(state.column()), state.storageType(), state.type()) + " AS " + name);
            String merged = delta.weighted()
                    ? SignedStates.aggregate(layout, i, states(block.aliasPrefix() + "m", layout))
                    : MergeRules.aggregate(state.merge(), all + "." + name);
            merge.add(merged + " AS " + name);
        }
        return "SELECT " + String.join(", ", merge.build())
                + " FROM (SELECT " + String.join(", ", read.build()) + " FROM " + backing + " AS " + stored
                + " UNION ALL " + groups(block, layout, delta)
                + ") AS " + all
                + groupBy(layout.keys().size());
    }
}
