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
import static java.util.stream.Collectors.joining;

/**
 * Groups with their keys {@code k1…} and states {@code s1…}, in the types of the engine.
 */
final class GroupRenderer
{
    private GroupRenderer() {}

    /** A query that aggregates the input of a block into states; into signed ones if rows have weights. */
    static String states(AggregateBlock block, StateLayout layout, SourceText sources)
    {
        List<String> columns = new ArrayList<>();
        for (int i = 0; i < layout.keys().size(); i++) {
            columns.add(layout.keys().get(i).expression() + " AS " + quote(key(i)));
        }
        for (int i = 0; i < layout.states().size(); i++) {
            StateLayout.State state = layout.states().get(i);
            String value = sources.weighted() ? SignedStates.render(state, RelationRenderer.weight(block.inputAlias())) : state.expression();
            columns.add(value + " AS " + quote(state(i)));
        }
        return "SELECT " + String.join(", ", columns)
                + RelationRenderer.from(block.input(), block.inputAlias(), sources)
                + block.where().map(RelationRenderer::where).orElse("")
                + groupBy(layout.keys().size());
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
                + " UNION ALL " + states(block, layout, delta)
                + ") AS " + all
                + groupBy(layout.keys().size());
    }
}
