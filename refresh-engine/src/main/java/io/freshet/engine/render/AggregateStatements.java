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

import static com.google.common.base.Preconditions.checkArgument;
import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.freshet.engine.SqlNames.quote;
import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;

/**
 * The statements that refresh an aggregate block.
 */
public final class AggregateStatements
{
    private final AggregateBlock block;
    private final StateLayout layout;
    private final Target target;
    private final List<TargetColumn> columns;

    public AggregateStatements(AggregateBlock block, StateLayout layout, Target target)
    {
        this.block = requireNonNull(block, "block is null");
        this.layout = requireNonNull(layout, "layout is null");
        this.target = requireNonNull(target, "target is null");
        this.columns = target.written(layout);
        checkArgument(target.visibleColumns() == block.outputs().size(), "the backing table does not fit the view");
    }

    /**
     * Everything anew from the sources.
     * <pre>
     * INSERT INTO backing SELECT outputs, keys, states FROM (SELECT keys, states FROM sources GROUP BY keys) g
     * </pre>
     */
    public String full()
    {
        return insert(GroupRenderer.states(block, layout, SourceText.TABLES));
    }

    /**
     * Everything anew from the stored states and the delta.
     * <pre>
     * INSERT INTO backing SELECT outputs, keys, states
     * FROM (SELECT keys, merge(states) FROM (backing UNION ALL aggregated delta) m GROUP BY keys) g
     * </pre>
     */
    public String rewrite(SourceText delta)
    {
        return insert(GroupRenderer.merged(block, layout, target.name().toSql(), delta));
    }

    private String insert(String groups)
    {
        String alias = block.groupAlias();
        OutputRenderer outputs = new OutputRenderer(block, layout, GroupRenderer.keys(alias, layout), GroupRenderer.states(alias, layout));
        return Target.insertInto(target.name(), columns)
                + "SELECT " + String.join(", ", values(outputs))
                + " FROM (" + groups + ") AS " + quote(alias);
    }

    /**
     * The groups of the delta into the stored ones.
     * <pre>
     * MERGE INTO backing t USING (aggregated delta) d ON same key
     * WHEN MATCHED THEN UPDATE SET outputs and states of (t merged with d)
     * WHEN NOT MATCHED THEN INSERT outputs, keys, states of d
     * </pre>
     *
     * @param comparableKeys for each key, whether it is neither NULL nor NaN in any row of the delta
     */
    public String merge(SourceText delta, List<Boolean> comparableKeys)
    {
        checkArgument(!layout.keys().isEmpty(), "a global aggregate has no key to merge by");
        String targetAlias = block.aliasPrefix() + "t";
        String deltaAlias = block.aliasPrefix() + "d";
        OutputRenderer added = new OutputRenderer(block, layout, deltaKeys(deltaAlias), deltaStates(deltaAlias));
        OutputRenderer merged = new OutputRenderer(block, layout, deltaKeys(deltaAlias), mergedStates(targetAlias, deltaAlias));
        List<String> newValues = values(merged);
        List<String> assignments = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            if (!isKey(columns.get(i).name())) {
                assignments.add(quote(columns.get(i).name()) + " = " + newValues.get(i));
            }
        }
        return "MERGE INTO " + target.name().toSql() + " AS " + quote(targetAlias)
                + " USING (" + storedDelta(delta) + ") AS " + quote(deltaAlias)
                + " ON " + condition(targetAlias, deltaAlias, comparableKeys)
                + (assignments.isEmpty() ? "" : " WHEN MATCHED THEN UPDATE SET " + String.join(", ", assignments))
                + " WHEN NOT MATCHED THEN INSERT (" + Target.names(columns) + ") VALUES (" + String.join(", ", values(added)) + ")";
    }

    /** The groups of the delta with keys and states in their storage types. */
    private String storedDelta(SourceText delta)
    {
        String alias = block.groupAlias();
        ImmutableList.Builder<String> stored = ImmutableList.builder();
        List<String> keys = GroupRenderer.keys(alias, layout);
        for (int i = 0; i < keys.size(); i++) {
            stored.add("CAST(" + keys.get(i) + " AS " + layout.keys().get(i).storageType() + ") AS " + quote(GroupRenderer.key(i)));
        }
        List<String> states = GroupRenderer.states(alias, layout);
        for (int i = 0; i < states.size(); i++) {
            stored.add("CAST(" + states.get(i) + " AS " + layout.states().get(i).storageType() + ") AS " + quote(GroupRenderer.state(i)));
        }
        return "SELECT " + String.join(", ", stored.build()) + " FROM (" + GroupRenderer.states(block, layout, delta) + ") AS " + quote(alias);
    }

    private List<String> deltaKeys(String alias)
    {
        List<String> stored = GroupRenderer.keys(alias, layout);
        return IntStream.range(0, stored.size())
                .mapToObj(i -> GroupRenderer.read(stored.get(i), layout.keys().get(i).storageType(), layout.keys().get(i).type()))
                .collect(toImmutableList());
    }

    private List<String> deltaStates(String alias)
    {
        List<String> stored = GroupRenderer.states(alias, layout);
        return IntStream.range(0, stored.size())
                .mapToObj(i -> GroupRenderer.read(stored.get(i), layout.states().get(i).storageType(), layout.states().get(i).type()))
                .collect(toImmutableList());
    }

    private List<String> mergedStates(String targetAlias, String deltaAlias)
    {
        List<String> delta = GroupRenderer.states(deltaAlias, layout);
        return IntStream.range(0, delta.size())
                .mapToObj(i -> {
                    StateLayout.State state = layout.states().get(i);
                    String stored = quote(targetAlias) + "." + quote(state.column());
                    return GroupRenderer.read(MergeRules.pair(state.merge(), stored, delta.get(i)), state.storageType(), state.type());
                })
                .collect(toImmutableList());
    }

    private String condition(String targetAlias, String deltaAlias, List<Boolean> comparableKeys)
    {
        return IntStream.range(0, layout.keys().size())
                .mapToObj(i -> KeyEquality.render(
                        quote(targetAlias) + "." + quote(layout.keys().get(i).column()),
                        quote(deltaAlias) + "." + quote(GroupRenderer.key(i)),
                        layout.keys().get(i).storageType(),
                        comparableKeys.get(i)))
                .collect(joining(" AND "));
    }

    private boolean isKey(String column)
    {
        return layout.keys().stream().anyMatch(key -> key.column().equals(column));
    }

    private List<String> values(OutputRenderer outputs)
    {
        ImmutableList.Builder<String> values = ImmutableList.builder();
        for (int i = 0; i < columns.size(); i++) {
            TargetColumn column = columns.get(i);
            values.add(column.cast(i < target.visibleColumns() ? outputs.output(i, column.name()) : hidden(column.name(), outputs)));
        }
        return values.build();
    }

    private String hidden(String column, OutputRenderer outputs)
    {
        for (int i = 0; i < layout.keys().size(); i++) {
            if (layout.keys().get(i).column().equals(column)) {
                return outputs.key(i);
            }
        }
        for (int i = 0; i < layout.states().size(); i++) {
            if (layout.states().get(i).column().equals(column)) {
                return outputs.state(i);
            }
        }
        return outputs.visibility().orElseThrow();
    }
}
