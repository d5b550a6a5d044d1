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
import io.freshet.engine.StateLayout.Finish;
import io.freshet.engine.algebra.AggregateBlock;
import io.freshet.engine.algebra.AggregateCall;
import io.trino.sql.tree.Expression;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import static io.freshet.engine.algebra.Expressions.aggregateReference;
import static io.freshet.engine.algebra.Expressions.keyReference;
import static io.freshet.engine.render.Fingerprint.of;
import static io.trino.sql.ExpressionFormatter.formatExpression;
import static java.util.Locale.ENGLISH;

/**
 * Chooses keys, states and their columns for an aggregate block whose types are known. A state that several outputs need is kept once.
 */
final class LayoutBuilder
{
    private record PendingState(String expression, String type, MergeKind merge) {}

    private final AggregateBlock block;
    private final List<String> columnNames;
    private final List<String> keyTypes;
    private final List<String> argumentTypes;
    private final List<String> outputTypes;
    private final List<PendingState> states = new ArrayList<>();
    private final List<StateLayout.Aggregate> aggregates = new ArrayList<>();

    LayoutBuilder(AggregateBlock block, List<String> columnNames, List<String> keyTypes, List<String> argumentTypes, List<String> outputTypes)
    {
        this.block = block;
        this.columnNames = ImmutableList.copyOf(columnNames);
        this.keyTypes = ImmutableList.copyOf(keyTypes);
        this.argumentTypes = ImmutableList.copyOf(argumentTypes);
        this.outputTypes = ImmutableList.copyOf(outputTypes);
    }

    LayoutOutcome build()
    {
        for (int i = 0; i < block.keys().size(); i++) {
            if (!StorageTypes.isFaithful(keyTypes.get(i))) {
                return refuseKey(i);
            }
        }
        if (block.needsWholeGroups()) {
            return recomputed();
        }
        state("count(*)", "bigint", MergeKind.COUNT);
        int argument = 0;
        for (AggregateCall call : block.aggregates()) {
            String type = call.argument().isPresent() ? argumentTypes.get(argument++) : "";
            Optional<StateLayout.Aggregate> aggregate = aggregate(call, type);
            if (aggregate.isEmpty()) {
                return block.keys().isEmpty() || !block.emptySets().isEmpty() ? refuseState(call, type) : recomputed();
            }
            aggregates.add(aggregate.get());
        }
        return new LayoutOutcome.Laid(new StateLayout(
                StateLayout.CURRENT_VERSION,
                of(block),
                keys(),
                placedStates(),
                aggregates,
                block.having().map(_ -> StateLayout.VISIBILITY_COLUMN)));
    }

    /** Groups are told apart by their keys, and computed anew from their rows. That takes joins by key, in which no NULL may hide. */
    private LayoutOutcome recomputed()
    {
        for (int i = 0; i < block.keys().size(); i++) {
            if (StorageTypes.isStructural(keyTypes.get(i))) {
                return refuseKey(i);
            }
        }
        return new LayoutOutcome.Laid(new StateLayout(
                StateLayout.CURRENT_VERSION,
                of(block),
                keys(),
                ImmutableList.of(),
                ImmutableList.of(),
                block.having().map(_ -> StateLayout.VISIBILITY_COLUMN)));
    }

    private static LayoutOutcome refuseState(AggregateCall call, String type)
    {
        return new LayoutOutcome.NotLaid(new Refusal(
                RefusalCode.UNSUPPORTED_STATE_TYPE,
                "%s at %s:%s is of type %s, which cannot be kept as state".formatted(
                        call.function().name().toLowerCase(ENGLISH), call.line(), call.column(), type),
                call.line(),
                call.column()));
    }

    private LayoutOutcome refuseKey(int index)
    {
        String name = outputOf(keyReference(block.groupAlias(), index))
                .map(output -> "group key " + columnNames.get(output))
                .orElse("group key " + (index + 1));
        return new LayoutOutcome.NotLaid(new Refusal(
                RefusalCode.UNSUPPORTED_KEY_TYPE,
                name + " is of type " + keyTypes.get(index) + ", "
                        + (StorageTypes.isFaithful(keyTypes.get(index)) ? "by which groups cannot be looked up" : "which has no faithful storage"),
                0,
                0));
    }

    /** Empty if the type of the argument has no state. */
    private Optional<StateLayout.Aggregate> aggregate(AggregateCall call, String type)
    {
        String argument = call.argument().map(value -> formatExpression(value)).orElse("*");
        String filter = call.filter().map(condition -> " FILTER (WHERE " + formatExpression(condition) + ")").orElse("");
        return switch (call.function()) {
            case COUNT_ALL, COUNT -> Optional.of(aggregate(Finish.STATE, "bigint", count(argument, filter)));
            case COUNT_IF -> Optional.of(aggregate(Finish.STATE, "bigint", state("count_if(" + argument + ")" + filter, "bigint", MergeKind.COUNT)));
            case SUM -> sum(argument, filter, type);
            case AVG -> average(argument, filter, type);
            case MIN -> extreme("min(" + argument + ")" + filter, type, MergeKind.MIN);
            case MAX -> extreme("max(" + argument + ")" + filter, type, MergeKind.MAX);
            case BOOL_AND -> Optional.of(truth(Finish.ALL_TRUE, argument, filter));
            case BOOL_OR -> Optional.of(truth(Finish.ANY_TRUE, argument, filter));
            case WHOLE_GROUP -> throw new IllegalStateException("aggregate has no state");
        };
    }

    private int count(String argument, String filter)
    {
        return state("count(" + argument + ")" + filter, "bigint", MergeKind.COUNT);
    }

    /** The count of values beside a sum tells "no value" from a sum of zero when rows go away. */
    private Optional<StateLayout.Aggregate> sum(String argument, String filter, String type)
    {
        Optional<Integer> scale = StorageTypes.decimalScale(type);
        if (StorageTypes.isInteger(type)) {
            int sum = state("sum(" + argument + ")" + filter, "bigint", MergeKind.SUM);
            return Optional.of(aggregate(Finish.STATE, "bigint", sum, count(argument, filter)));
        }
        if (scale.isPresent()) {
            String sumType = "decimal(38," + scale.get() + ")";
            int sum = state("sum(" + argument + ")" + filter, sumType, MergeKind.SUM);
            return Optional.of(aggregate(Finish.STATE, sumType, sum, count(argument, filter)));
        }
        if (StorageTypes.isFloating(type)) {
            int sum = doubleSum(argument, filter, type);
            boolean real = !type.equalsIgnoreCase("double");
            return Optional.of(aggregate(real ? Finish.CAST : Finish.STATE, type, sum, count(argument, filter)));
        }
        return Optional.empty();
    }

    private Optional<StateLayout.Aggregate> average(String argument, String filter, String type)
    {
        Optional<Integer> scale = StorageTypes.decimalScale(type);
        if (scale.isPresent()) {
            int sum = state("sum(" + argument + ")" + filter, "decimal(38," + scale.get() + ")", MergeKind.SUM);
            return Optional.of(aggregate(Finish.AVERAGE_DECIMAL, type, sum, count(argument, filter)));
        }
        if (StorageTypes.isInteger(type)) {
            return Optional.of(aggregate(Finish.AVERAGE_DOUBLE, "double", integerSum(argument, filter, type), count(argument, filter)));
        }
        if (StorageTypes.isFloating(type)) {
            String result = type.equalsIgnoreCase("real") ? "real" : "double";
            return Optional.of(aggregate(Finish.AVERAGE_DOUBLE, result, doubleSum(argument, filter, type), count(argument, filter)));
        }
        return Optional.empty();
    }

    /** Exact, so that rows can be taken away, and too wide for the overflows that an average does not have. */
    private int integerSum(String argument, String filter, String type)
    {
        if (type.equalsIgnoreCase("bigint")) {
            return state("sum(CAST(" + argument + " AS decimal(38,0)))" + filter, "decimal(38,0)", MergeKind.SUM);
        }
        return state("sum(" + argument + ")" + filter, "bigint", MergeKind.SUM);
    }

    private int doubleSum(String argument, String filter, String type)
    {
        String value = type.equalsIgnoreCase("double") ? argument : "CAST(" + argument + " AS double)";
        return state("sum(" + value + ")" + filter, "double", MergeKind.SUM);
    }

    private Optional<StateLayout.Aggregate> extreme(String expression, String type, MergeKind merge)
    {
        if (!StorageTypes.isFaithful(type)) {
            return Optional.empty();
        }
        return Optional.of(aggregate(Finish.STATE, type, state(expression, type, merge)));
    }

    private StateLayout.Aggregate truth(Finish finish, String argument, String filter)
    {
        int trueCount = state("count_if(" + argument + ")" + filter, "bigint", MergeKind.COUNT);
        return aggregate(finish, "boolean", trueCount, count(argument, filter));
    }

    private static StateLayout.Aggregate aggregate(Finish finish, String type, Integer... states)
    {
        return new StateLayout.Aggregate(finish, ImmutableList.copyOf(states), type);
    }

    private int state(String expression, String type, MergeKind merge)
    {
        PendingState state = new PendingState(expression, type, merge);
        int known = states.indexOf(state);
        if (known >= 0) {
            return known;
        }
        states.add(state);
        return states.size() - 1;
    }

    private List<StateLayout.Key> keys()
    {
        ImmutableList.Builder<StateLayout.Key> keys = ImmutableList.builder();
        int hidden = 0;
        for (int i = 0; i < block.keys().size(); i++) {
            Optional<Integer> output = outputOf(keyReference(block.groupAlias(), i));
            if (output.isEmpty()) {
                hidden++;
            }
            keys.add(new StateLayout.Key(
                    output.isPresent() ? columnNames.get(output.get()) : StateLayout.HIDDEN_PREFIX + "k" + hidden,
                    output.isEmpty(),
                    formatExpression(block.keys().get(i)),
                    keyTypes.get(i),
                    StorageTypes.storageType(keyTypes.get(i))));
        }
        return keys.build();
    }

    private List<StateLayout.State> placedStates()
    {
        ImmutableList.Builder<StateLayout.State> placed = ImmutableList.builder();
        int hidden = 0;
        for (int i = 0; i < states.size(); i++) {
            PendingState state = states.get(i);
            String storage = StorageTypes.storageType(state.type());
            Optional<Integer> output = outputHolding(i, state.type(), storage);
            String column;
            if (output.isPresent()) {
                column = columnNames.get(output.get());
            }
            else if (i == 0) {
                column = StateLayout.COUNT_COLUMN;
            }
            else {
                hidden++;
                column = StateLayout.HIDDEN_PREFIX + "s" + hidden;
            }
            placed.add(new StateLayout.State(column, output.isEmpty(), state.expression(), state.type(), storage, state.merge()));
        }
        return placed.build();
    }

    /** An output column that is exactly the state, in the same type and stored as such. */
    private Optional<Integer> outputHolding(int state, String type, String storage)
    {
        if (!type.equals(storage)) {
            return Optional.empty();
        }
        for (int i = 0; i < aggregates.size(); i++) {
            StateLayout.Aggregate aggregate = aggregates.get(i);
            if (aggregate.finish() != Finish.STATE || aggregate.states().getFirst() != state) {
                continue;
            }
            Optional<Integer> output = outputOf(aggregateReference(block.groupAlias(), i));
            if (output.isPresent() && outputTypes.get(output.get()).equals(type)) {
                return output;
            }
        }
        return Optional.empty();
    }

    private Optional<Integer> outputOf(Expression reference)
    {
        for (int i = 0; i < block.outputs().size(); i++) {
            if (block.outputs().get(i).expression().equals(reference)) {
                return Optional.of(i);
            }
        }
        return Optional.empty();
    }
}
