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
import java.util.Optional;
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
        return insert(GroupRenderer.allGroups(block, layout), Optional.empty());
    }

    /**
     * Everything anew from the stored states and the delta.
     * <pre>
     * INSERT INTO backing SELECT outputs, keys, states
     * FROM (SELECT keys, merge(states) FROM (backing UNION ALL aggregated delta) m GROUP BY keys) g
     * </pre>
     * If rows were removed, groups of which no row is left are not written; the one group of a global aggregate stays.
     */
    public String rewrite(SourceText delta)
    {
        boolean mayEmpty = delta.weighted() && !block.global();
        return insert(
                GroupRenderer.merged(block, layout, target.name().toSql(), delta),
                mayEmpty ? Optional.of(exists(rowCount())) : Optional.empty());
    }

    /** The condition that a group is there: it has rows, or needs none. */
    private String exists(String count)
    {
        String hasRows = count + " > 0";
        if (block.emptySets().isEmpty()) {
            return hasRows;
        }
        return hasRows + " OR " + GroupRenderer.keys(block.groupAlias(), layout).getLast() + " IN ("
                + block.emptySets().stream().map(Object::toString).collect(joining(", ")) + ")";
    }

    /** The count of rows of a group. */
    private String rowCount()
    {
        return GroupRenderer.states(block.groupAlias(), layout).getFirst();
    }

    private String insert(String groups, Optional<String> condition)
    {
        String alias = block.groupAlias();
        return Target.insertInto(target.name(), columns)
                + "SELECT " + String.join(", ", values(outputs(Optional.empty())))
                + " FROM (" + groups + ") AS " + quote(alias)
                + condition.map(value -> " WHERE " + value).orElse("");
    }

    private OutputRenderer outputs(Optional<String> exists)
    {
        String alias = block.groupAlias();
        return new OutputRenderer(block, layout, GroupRenderer.keys(alias, layout), GroupRenderer.states(alias, layout), exists);
    }

    /**
     * The groups of the delta into the stored ones. Each group of the delta meets at most one stored row, so no address is given twice.
     * <pre>
     * INSERT INTO backing (…, address, change)
     * SELECT outputs, keys, states, address, 0 or 1
     * FROM (SELECT keys, merge(states of t, states of d), t.address FROM backing t RIGHT JOIN (aggregated delta) d ON same key) g
     * </pre>
     * The delta is on the right, as it is there that the engine builds its hash table and takes filters for the other side from.
     * If rows were removed, a group of which no row is left is deleted, or not given if it is not stored.
     *
     * @param comparableKeys for each key, whether it is neither NULL nor NaN in any row of the delta
     */
    public String merge(SourceText delta, List<Boolean> comparableKeys)
    {
        checkArgument(!layout.keys().isEmpty(), "a global aggregate has no key to merge by");
        String group = block.groupAlias();
        String groups = "(" + mergedGroups(delta, comparableKeys) + ") AS " + quote(group);
        return delta.weighted()
                ? AddressedRows.insertGroups(target.name(), columns, values(outputs(Optional.of(exists(rowCount())))), exists(rowCount()), groups, group)
                : AddressedRows.insert(target.name(), columns, values(outputs(Optional.empty())), groups, group);
    }

    /**
     * The groups that the delta touches, anew from the sources.
     * <pre>
     * INSERT INTO backing (…, address, change)
     * SELECT outputs, keys, states, address, -1 or 0 or 1
     * FROM (SELECT …, t.address FROM backing t RIGHT JOIN (the touched groups from the sources) d ON same key) g
     * </pre>
     * A group of which there is no row is deleted, or not given if it is not stored.
     *
     * @param comparableKeys for each key, whether it is neither NULL nor NaN in any row of the delta
     */
    public String recompute(SourceText delta, List<Boolean> comparableKeys)
    {
        String group = block.groupAlias();
        String stored = block.aliasPrefix() + "t";
        String touched = block.aliasPrefix() + "d";
        TouchedGroups groups = new TouchedGroups(block, layout, delta, comparableKeys);
        List<String> values = new ArrayList<>(groups.columns().stream()
                .map(column -> quote(touched) + "." + quote(column) + " AS " + quote(column))
                .collect(toImmutableList()));
        values.add(AddressedRows.readFrom(stored));
        String rows = "(SELECT " + String.join(", ", values)
                + " FROM " + target.name().toSql() + " AS " + quote(stored)
                + " RIGHT JOIN (" + groups.render() + ") AS " + quote(touched)
                + " ON " + sameKey(stored, storedKeys(touched), comparableKeys) + ") AS " + quote(group);
        String count = quote(group) + "." + quote(TouchedGroups.ROWS);
        return AddressedRows.insertGroups(target.name(), columns, values(outputs(Optional.of(exists(count)))), exists(count), rows, group);
    }

    /** Keys that are in the types of the engine, in their storage types. */
    private List<String> storedKeys(String alias)
    {
        List<String> keys = GroupRenderer.keys(alias, layout);
        return IntStream.range(0, keys.size())
                .mapToObj(i -> GroupRenderer.read(keys.get(i), layout.keys().get(i).type(), layout.keys().get(i).storageType()))
                .collect(toImmutableList());
    }

    private String mergedGroups(SourceText delta, List<Boolean> comparableKeys)
    {
        String stored = block.aliasPrefix() + "t";
        String added = block.aliasPrefix() + "d";
        ImmutableList.Builder<String> values = ImmutableList.builder();
        List<String> keys = GroupRenderer.keys(added, layout);
        for (int i = 0; i < keys.size(); i++) {
            StateLayout.Key key = layout.keys().get(i);
            values.add(GroupRenderer.read(keys.get(i), key.storageType(), key.type()) + " AS " + quote(GroupRenderer.key(i)));
        }
        List<String> states = GroupRenderer.states(added, layout);
        for (int i = 0; i < states.size(); i++) {
            StateLayout.State state = layout.states().get(i);
            String merged = delta.weighted()
                    ? SignedStates.pair(layout, i, storedStates(stored), states)
                    : MergeRules.pair(state.merge(), storedStates(stored).get(i), states.get(i));
            values.add(GroupRenderer.read(merged, state.storageType(), state.type()) + " AS " + quote(GroupRenderer.state(i)));
        }
        values.add(AddressedRows.readFrom(stored));
        return "SELECT " + String.join(", ", values.build())
                + " FROM " + target.name().toSql() + " AS " + quote(stored)
                + " RIGHT JOIN (" + storedDelta(delta) + ") AS " + quote(added)
                + " ON " + sameKey(stored, GroupRenderer.keys(added, layout), comparableKeys);
    }

    private List<String> storedStates(String alias)
    {
        return layout.states().stream()
                .map(state -> quote(alias) + "." + quote(state.column()))
                .collect(toImmutableList());
    }

    /** The groups of the delta with keys and states in their storage types. Those are left out for which added and removed rows even out. */
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
        return "SELECT " + String.join(", ", stored.build()) + " FROM (" + GroupRenderer.groups(block, layout, delta) + ") AS " + quote(alias)
                + (delta.weighted() ? states.stream().map(state -> state + " <> 0").collect(joining(" OR ", " WHERE ", "")) : "");
    }

    private String sameKey(String targetAlias, List<String> keys, List<Boolean> comparableKeys)
    {
        return IntStream.range(0, layout.keys().size())
                .mapToObj(i -> KeyEquality.render(
                        quote(targetAlias) + "." + quote(layout.keys().get(i).column()),
                        keys.get(i),
                        layout.keys().get(i).storageType(),
                        comparableKeys.get(i)))
                .collect(joining(" AND "));
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
