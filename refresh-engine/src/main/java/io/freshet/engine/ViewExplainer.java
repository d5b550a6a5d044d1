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
import io.freshet.engine.StorageTypes.RowEquality;
import io.freshet.engine.algebra.AggregateBlock;
import io.freshet.engine.algebra.AggregateCall;
import io.freshet.engine.algebra.AggregateFunction;
import io.freshet.engine.algebra.Expand;
import io.freshet.engine.algebra.Grouped;
import io.freshet.engine.algebra.InnerJoin;
import io.freshet.engine.algebra.LeftJoin;
import io.freshet.engine.algebra.LinearBlock;
import io.freshet.engine.algebra.LinearRelation;
import io.freshet.engine.algebra.Scan;
import io.freshet.engine.algebra.Select;
import io.freshet.engine.algebra.SemiJoin;
import io.freshet.engine.algebra.UnionAll;
import io.freshet.engine.algebra.WindowBlock;
import io.freshet.engine.algebra.Windowed;
import io.freshet.engine.plan.PlanReasonCode;
import io.freshet.engine.plan.Removals;
import io.freshet.engine.render.SignedStates;
import io.trino.sql.tree.FunctionCall;
import io.trino.sql.tree.Node;
import io.trino.sql.tree.NodeLocation;

import java.util.List;
import java.util.Optional;

import static java.util.Objects.requireNonNull;

/**
 * Says of each part of a view how it is kept up. The view as a whole is as limited as the most limited of its parts.
 */
final class ViewExplainer
{
    private final CompiledView view;
    private final List<String> types;
    private final ImmutableList.Builder<OperatorExplanation> rows = ImmutableList.builder();

    ViewExplainer(CompiledView view, List<String> types)
    {
        this.view = requireNonNull(view, "view is null");
        this.types = ImmutableList.copyOf(types);
    }

    List<OperatorExplanation> explain()
    {
        switch (view.maintenance()) {
            case Maintenance.NotMaintained(Refusal refusal) -> refused(refusal);
            case Maintenance.Maintained(LinearBlock block) -> explain(block);
            case Maintenance.Maintained(WindowBlock block) -> explain(block);
            case Maintenance.Maintained(AggregateBlock block) -> {
                switch (view.layout(types)) {
                    case LayoutOutcome.NotLaid(Refusal refusal) -> {
                        explain(block.input());
                        refused(refusal);
                    }
                    case LayoutOutcome.Laid(StateLayout layout) -> explain(block, layout);
                }
            }
        }
        return rows.build();
    }

    private void refused(Refusal refusal)
    {
        rows.add(new OperatorExplanation("view", refusal.line(), refusal.column(), refusal.code().name(), refusal.code().name(), refusal.detail()));
    }

    private void explain(LinearBlock block)
    {
        explain(block.input());
        List<RowEquality> equalities = types.stream()
                .map(type -> StorageTypes.rowEquality(StorageTypes.storageType(type)))
                .toList();
        boolean found = equalities.contains(RowEquality.HASHED) && !equalities.contains(RowEquality.NONE);
        String underDeletes = found ? Strategy.ROW_DELTA.name() : RefusalCode.UNSUPPORTED_ROW_TYPE.name();
        rows.add(new OperatorExplanation(
                "view",
                0,
                0,
                Removals.isMonotone(block.input()) ? Strategy.APPEND_ONLY.name() : underDeletes,
                underDeletes,
                found ? "" : "rows cannot be found by columns of these types"));
    }

    private void explain(LinearRelation relation)
    {
        switch (relation) {
            case Scan scan -> linear("scan", scan.line(), scan.column(), scan.table().toString());
            case Select select -> {
                explain(select.input());
                select.where().ifPresent(where -> linear("filter", where));
            }
            case Expand expand -> {
                explain(expand.input());
                linear("grouping sets", 0, 0, expand.copies() + " sets");
            }
            case InnerJoin join -> {
                join.inputs().forEach(input -> explain(input.relation()));
                linear("inner join", 0, 0, join.inputs().size() + " inputs");
            }
            case LeftJoin join -> {
                explain(join.left().relation());
                explain(join.right().relation());
                signed("left join");
            }
            case SemiJoin join -> {
                explain(join.left().relation());
                explain(join.right().relation());
                signed(join.anti() ? "anti join" : "semi join");
            }
            case Grouped(AggregateBlock block) -> {
                explain(block.input());
                signed("inner aggregation");
            }
            case Windowed(WindowBlock block) -> {
                explain(block.input());
                signed("inner window functions");
            }
            case UnionAll union -> {
                union.inputs().forEach(this::explain);
                linear("union all", 0, 0, union.inputs().size() + " inputs");
            }
        }
    }

    /** Rows may go when rows are added to a source. */
    private void signed(String operator)
    {
        rows.add(new OperatorExplanation(operator, 0, 0, Strategy.ROW_DELTA.name(), Strategy.ROW_DELTA.name(), "what the changed rows touch, before and after"));
    }

    private void linear(String operator, Node node)
    {
        Optional<NodeLocation> location = locate(node);
        linear(operator, location.map(NodeLocation::getLineNumber).orElse(0), location.map(NodeLocation::getColumnNumber).orElse(0), "");
    }

    private void linear(String operator, int line, int column, String detail)
    {
        rows.add(new OperatorExplanation(operator, line, column, Strategy.APPEND_ONLY.name(), Strategy.ROW_DELTA.name(), detail));
    }

    private void explain(WindowBlock block)
    {
        explain(block.input());
        block.where().ifPresent(where -> linear("filter", where));
        switch (view.layout(types)) {
            case LayoutOutcome.NotLaid(Refusal refusal) -> refused(refusal);
            case LayoutOutcome.Laid(StateLayout layout) -> {
                String strategy = Strategy.GROUP_RECOMPUTE.name();
                for (FunctionCall window : block.windows()) {
                    NodeLocation location = window.getLocation().orElse(new NodeLocation(1, 1));
                    rows.add(new OperatorExplanation(
                            window.getName().toString(),
                            location.getLineNumber(),
                            location.getColumnNumber(),
                            strategy,
                            strategy,
                            "computed from all rows of its partition"));
                }
                rows.add(new OperatorExplanation("view", 0, 0, strategy, strategy, detail(layout)));
            }
        }
    }

    private void explain(AggregateBlock block, StateLayout layout)
    {
        explain(block.input());
        block.where().ifPresent(where -> linear("filter", where));
        String underDeletes = underDeletes(layout);
        String underInserts = (layout.keepsStates() ? Strategy.AGGREGATE_MERGE : Strategy.GROUP_RECOMPUTE).name();
        for (int i = 0; i < block.aggregates().size(); i++) {
            explain(block.aggregates().get(i), layout, i);
        }
        rows.add(new OperatorExplanation("view", 0, 0, Removals.isMonotone(block.input()) ? underInserts : underDeletes, underDeletes, detail(layout)));
    }

    private static String detail(StateLayout layout)
    {
        if (layout.keys().isEmpty()) {
            return "one group";
        }
        return "groups by " + String.join(", ", layout.keys().stream().map(StateLayout.Key::column).toList());
    }

    private void explain(AggregateCall call, StateLayout layout, int index)
    {
        String underInserts = Strategy.GROUP_RECOMPUTE.name();
        String underDeletes = underInserts;
        String detail = "computed from all rows of its group";
        if (layout.keepsStates()) {
            List<Integer> states = layout.aggregates().get(index).states();
            underInserts = Strategy.AGGREGATE_MERGE.name();
            boolean subtracts = states.stream().allMatch(state -> SignedStates.isSubtractable(layout, state));
            underDeletes = subtracts ? underInserts : recomputed(layout);
            detail = "kept as " + String.join(", ", states.stream().map(state -> layout.states().get(state).column()).toList());
        }
        else if (call.function() != AggregateFunction.WHOLE_GROUP) {
            detail = "computed from all rows of its group, as its type has no state or others are so computed";
        }
        rows.add(new OperatorExplanation(call.call().getName().toString(), call.line(), call.column(), underInserts, underDeletes, detail));
    }

    private static String underDeletes(StateLayout layout)
    {
        boolean subtracts = layout.keepsStates() && SignedStates.areSubtractable(layout);
        return subtracts ? Strategy.AGGREGATE_MERGE.name() : recomputed(layout);
    }

    private static String recomputed(StateLayout layout)
    {
        if (layout.keys().isEmpty()) {
            return PlanReasonCode.STATE_NOT_SUBTRACTABLE.name();
        }
        boolean structural = layout.keys().stream().anyMatch(key -> StorageTypes.isStructural(key.storageType()));
        return structural ? RefusalCode.UNSUPPORTED_KEY_TYPE.name() : Strategy.GROUP_RECOMPUTE.name();
    }

    private static Optional<NodeLocation> locate(Node node)
    {
        if (node.getLocation().isPresent()) {
            return node.getLocation();
        }
        return node.getChildren().stream()
                .flatMap(child -> locate(child).stream())
                .findFirst();
    }
}
