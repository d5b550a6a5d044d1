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
package io.freshet.engine;

import com.google.common.collect.ImmutableList;

import java.util.List;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

/**
 * Which columns of the backing table hold the keys and the aggregate states of a view. Made once, when the types are known
 * ({@link CompiledView#layout}), and stored with the definition; a refresh is rendered from it. All parts are strings, numbers and
 * lists of them, so that it can be stored as JSON as it is.
 * <p>
 * Law: rows of the backing table are determined by the key columns, and the output columns are functions of keys and states if there
 * are states.
 *
 * @param version version of the layout rules, {@link #CURRENT_VERSION} when made; another one is never merged into
 * @param fingerprint identifies the block that the layout was made for
 * @param keys group keys in order; empty for a global aggregate and for a view without aggregation
 * @param states aggregate states in order, the first of them the count of rows; empty for a view without aggregation and for one
 *         of whose groups something is had from all rows only
 * @param aggregates for each aggregate call of the view, how its value comes from states; empty if there are none
 * @param visibilityColumn boolean column that is true for rows that satisfy HAVING; empty without HAVING
 */
public record StateLayout(
        int version,
        String fingerprint,
        List<Key> keys,
        List<State> states,
        List<Aggregate> aggregates,
        Optional<String> visibilityColumn)
{
    public static final int CURRENT_VERSION = 2;
    /** Prefix of all hidden columns. */
    public static final String HIDDEN_PREFIX = "__mv_";
    public static final String COUNT_COLUMN = "__mv_count";
    public static final String VISIBILITY_COLUMN = "__mv_visible";
    /** Address of a stored row. Not stored: the statement of a refresh reads it from the backing table and gives it back. */
    public static final String ADDRESS_COLUMN = "__mv_address";
    /** What is done with a row that a refresh gives: 1 it is added, 0 it replaces the row at its address, -1 that row is deleted. */
    public static final String CHANGE_COLUMN = "__mv_change";

    public StateLayout
    {
        requireNonNull(fingerprint, "fingerprint is null");
        keys = ImmutableList.copyOf(keys);
        states = ImmutableList.copyOf(states);
        aggregates = ImmutableList.copyOf(aggregates);
        requireNonNull(visibilityColumn, "visibilityColumn is null");
    }

    /** Whether groups have states from which their values come; otherwise their values come from their rows only. */
    public boolean keepsStates()
    {
        return !states.isEmpty();
    }

    /** The columns that the backing table needs beside the visible ones, in order. */
    public List<HiddenColumn> hiddenColumns()
    {
        ImmutableList.Builder<HiddenColumn> columns = ImmutableList.builder();
        visibilityColumn.ifPresent(name -> columns.add(new HiddenColumn(name, "boolean")));
        columns.addAll(keys.stream()
                .filter(Key::hidden)
                .map(key -> new HiddenColumn(key.column(), key.storageType()))
                .collect(toImmutableList()));
        columns.addAll(states.stream()
                .filter(State::hidden)
                .map(state -> new HiddenColumn(state.column(), state.storageType()))
                .collect(toImmutableList()));
        return columns.build();
    }

    /**
     * A group key.
     *
     * @param column column of the backing table that holds it
     * @param hidden whether that column is a hidden one, rather than an output column
     * @param expression SQL over the input of the aggregation
     * @param type SQL type of the expression
     * @param storageType SQL type of the column; holds every value of {@code type} without loss
     */
    public record Key(String column, boolean hidden, String expression, String type, String storageType)
    {
        public Key
        {
            requireNonNull(column, "column is null");
            requireNonNull(expression, "expression is null");
            requireNonNull(type, "type is null");
            requireNonNull(storageType, "storageType is null");
        }
    }

    /**
     * An aggregate state.
     *
     * @param column column of the backing table that holds it
     * @param hidden whether that column is a hidden one, rather than an output column
     * @param expression SQL aggregation over the input, such as {@code count(*)}
     * @param type SQL type of the expression
     * @param storageType SQL type of the column; holds every value of {@code type} without loss
     * @param merge how two states become one
     */
    public record State(String column, boolean hidden, String expression, String type, String storageType, MergeKind merge)
    {
        public State
        {
            requireNonNull(column, "column is null");
            requireNonNull(expression, "expression is null");
            requireNonNull(type, "type is null");
            requireNonNull(storageType, "storageType is null");
            requireNonNull(merge, "merge is null");
        }
    }

    /**
     * How the value of an aggregate call comes from states.
     *
     * @param finish the function from states to the value
     * @param states positions in {@link StateLayout#states}, in the order that {@code finish} wants
     * @param type SQL type of the value
     */
    public record Aggregate(Finish finish, List<Integer> states, String type)
    {
        public Aggregate
        {
            requireNonNull(finish, "finish is null");
            states = ImmutableList.copyOf(states);
            requireNonNull(type, "type is null");
        }
    }

    /** From states to the value of an aggregate. */
    public enum Finish
    {
        /** The state is the value. */
        STATE,
        /** A sum kept in double, given as real. */
        CAST,
        /** Sum over count, both as double. */
        AVERAGE_DOUBLE,
        /** Exact sum over count, rounded half up to the scale of the argument. */
        AVERAGE_DECIMAL,
        /** Count of true equals count of values. */
        ALL_TRUE,
        /** Count of true is not zero. */
        ANY_TRUE,
    }

    /** A column that the backing table needs beside the visible ones. */
    public record HiddenColumn(String name, String storageType)
    {
        public HiddenColumn
        {
            requireNonNull(name, "name is null");
            requireNonNull(storageType, "storageType is null");
        }
    }
}
