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
package io.freshet.engine.plan;

import com.google.common.collect.ImmutableMap;
import io.freshet.engine.ApplyMethod;
import io.freshet.engine.Maintenance;
import io.freshet.engine.RefreshMode;
import io.freshet.engine.Refusal;
import io.freshet.engine.RefusalCode;
import io.freshet.engine.RelationName;
import io.freshet.engine.StateLayout;
import io.freshet.engine.StorageTypes;
import io.freshet.engine.StorageTypes.RowEquality;
import io.freshet.engine.Strategy;
import io.freshet.engine.algebra.AggregateBlock;
import io.freshet.engine.algebra.Block;
import io.freshet.engine.algebra.LinearBlock;
import io.freshet.engine.algebra.LinearRelation;
import io.freshet.engine.algebra.WindowBlock;
import io.freshet.engine.render.AggregateStatements;
import io.freshet.engine.render.DeltaSources;
import io.freshet.engine.render.LinearStatements;
import io.freshet.engine.render.RowDelta;
import io.freshet.engine.render.SignedStates;
import io.freshet.engine.render.WindowStatements;
import io.trino.sql.tree.Expression;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.freshet.engine.plan.RefreshPlans.target;
import static java.util.Objects.requireNonNull;

/**
 * The choice among exact ways once the change of every source can be told.
 */
final class IncrementalPlanner
{
    private final PlanRequest request;
    private final StateLayout layout;
    private final Costs costs;
    /** Whether rows have to be taken away from the input of the view. */
    private final boolean removing;

    IncrementalPlanner(PlanRequest request, StateLayout layout)
    {
        this.request = requireNonNull(request, "request is null");
        this.layout = requireNonNull(layout, "layout is null");
        this.costs = Costs.of(request);
        this.removing = new Removals(request.sources()).mayRemove(input(request));
    }

    private static LinearRelation input(PlanRequest request)
    {
        return switch (request.view().maintenance()) {
            case Maintenance.Maintained(Block block) -> block.input();
            case Maintenance.NotMaintained _ -> throw new IllegalStateException("view is not maintained");
        };
    }

    /** Why there is no exact way but a full refresh. */
    Optional<PlanReason> obstacle()
    {
        return switch (request.view().maintenance()) {
            case Maintenance.Maintained(LinearBlock _) -> removing ? rowObstacle() : Optional.empty();
            case Maintenance.Maintained(WindowBlock _) -> Optional.empty();
            case Maintenance.Maintained(AggregateBlock block) -> canMerge() ? Optional.empty() : recomputeObstacle(block);
            case Maintenance.NotMaintained(Refusal refusal) -> Optional.of(PlanReason.of(refusal));
        };
    }

    RefreshPlan plan()
    {
        return switch (request.view().maintenance()) {
            case Maintenance.Maintained(LinearBlock block) -> removing ? changeRows(block) : append(block);
            case Maintenance.Maintained(WindowBlock block) -> unlessDear(
                    Strategy.GROUP_RECOMPUTE,
                    ApplyMethod.MERGE,
                    costs.estimates(Strategy.GROUP_RECOMPUTE, ApplyMethod.MERGE),
                    () -> new WindowStatements(block, layout, target(request))
                            .recompute(deltas(false), comparableKeys(block.keys(), block.input(), block.inputAlias())));
            case Maintenance.Maintained(AggregateBlock block) -> canMerge() ? merge(block) : recompute(block);
            case Maintenance.NotMaintained _ -> throw new IllegalStateException("view is not maintained");
        };
    }

    private RefreshPlan append(LinearBlock block)
    {
        String sql = new LinearStatements(block, target(request)).insert(deltas(false));
        return planned(Strategy.APPEND_ONLY, ApplyMethod.APPEND, sql, costs.estimates(Strategy.APPEND_ONLY, ApplyMethod.APPEND));
    }

    private Optional<PlanReason> rowObstacle()
    {
        List<BackingTable.Column> columns = request.backing().columns().subList(0, request.view().text().columnNames().size());
        Optional<BackingTable.Column> uncertain = columns.stream()
                .filter(column -> StorageTypes.rowEquality(column.storageType()) == RowEquality.NONE)
                .findFirst();
        boolean found = columns.stream().anyMatch(column -> StorageTypes.rowEquality(column.storageType()) == RowEquality.HASHED);
        return uncertain.or(() -> found ? Optional.empty() : columns.stream().findFirst())
                .map(column -> new PlanReason(
                        RefusalCode.UNSUPPORTED_ROW_TYPE.name(),
                        "rows were removed, and cannot be found by column " + column.name() + " of type " + column.storageType(),
                        0,
                        0));
    }

    private RefreshPlan changeRows(LinearBlock block)
    {
        ComparableKeys proof = new ComparableKeys(request.sources());
        List<Boolean> comparable = IntStream.range(0, block.input().columns().size())
                .mapToObj(i -> proof.isComparable(block.input(), i, request.backing().columns().get(i).storageType()))
                .collect(toImmutableList());
        return unlessDear(
                Strategy.ROW_DELTA,
                ApplyMethod.MERGE,
                costs.estimates(Strategy.ROW_DELTA, ApplyMethod.MERGE),
                () -> new RowDelta(block, target(request), comparable).render(deltas(true)));
    }

    private boolean canMerge()
    {
        return layout.keepsStates() && (!removing || SignedStates.areSubtractable(layout));
    }

    private Optional<PlanReason> recomputeObstacle(AggregateBlock block)
    {
        if (layout.keys().isEmpty() || !block.emptySets().isEmpty()) {
            return Optional.of(PlanReason.of(
                    PlanReasonCode.STATE_NOT_SUBTRACTABLE,
                    "rows were removed, and a total over all groups needs the rows that are left"));
        }
        return layout.keys().stream()
                .filter(key -> StorageTypes.isStructural(key.storageType()))
                .findFirst()
                .map(key -> new PlanReason(
                        RefusalCode.UNSUPPORTED_KEY_TYPE.name(),
                        "rows were removed, and groups cannot be looked up by a key of type " + key.type(),
                        0,
                        0));
    }

    private RefreshPlan recompute(AggregateBlock block)
    {
        return unlessDear(
                Strategy.GROUP_RECOMPUTE,
                ApplyMethod.MERGE,
                costs.estimates(Strategy.GROUP_RECOMPUTE, ApplyMethod.MERGE),
                () -> new AggregateStatements(block, layout, target(request)).recompute(deltas(false), comparableKeys(block.keys(), block.input(), block.inputAlias())));
    }

    private RefreshPlan merge(AggregateBlock block)
    {
        AggregateStatements statements = new AggregateStatements(block, layout, target(request));
        boolean rewrite = mustRewrite(block)
                || request.apply().orElseGet(() -> costs.cheapest(Strategy.AGGREGATE_MERGE, ApplyMethod.MERGE, ApplyMethod.REWRITE)) == ApplyMethod.REWRITE;
        List<CostEstimate> estimates = mustRewrite(block)
                ? costs.estimates(Strategy.AGGREGATE_MERGE, ApplyMethod.REWRITE)
                : costs.estimates(Strategy.AGGREGATE_MERGE, ApplyMethod.MERGE, ApplyMethod.REWRITE);
        return unlessDear(
                Strategy.AGGREGATE_MERGE,
                rewrite ? ApplyMethod.REWRITE : ApplyMethod.MERGE,
                estimates,
                () -> rewrite
                        ? statements.rewrite(deltas(removing))
                        : statements.merge(deltas(removing), comparableKeys(block.keys(), block.input(), block.inputAlias())));
    }

    /** The given way, or a full refresh if that is cheaper and allowed. */
    private RefreshPlan unlessDear(Strategy strategy, ApplyMethod method, List<CostEstimate> estimates, Supplier<String> sql)
    {
        Optional<PlanReason> dear = request.mode() == RefreshMode.AUTO ? costs.prefersFull(strategy, method) : Optional.empty();
        if (dear.isEmpty()) {
            return planned(strategy, method, sql.get(), estimates);
        }
        return new RefreshPlan.Planned(
                Strategy.FULL_REFRESH,
                ApplyMethod.OVERWRITE,
                dear.get(),
                Optional.of(RefreshPlans.fullSql(request, Optional.of(layout))),
                true,
                estimates);
    }

    /** One row has no key to merge by; keys of structural types have no join by hash that finds NULL. */
    private boolean mustRewrite(AggregateBlock block)
    {
        return block.keys().isEmpty()
                || layout.keys().stream().anyMatch(key -> StorageTypes.isStructural(key.storageType()));
    }

    private List<Boolean> comparableKeys(List<Expression> keys, LinearRelation input, String alias)
    {
        ComparableKeys proof = new ComparableKeys(request.sources());
        return IntStream.range(0, layout.keys().size())
                .mapToObj(i -> proof.isComparable(keys.get(i), input, alias, layout.keys().get(i).type()))
                .collect(toImmutableList());
    }

    private static RefreshPlan planned(Strategy strategy, ApplyMethod method, String sql, List<CostEstimate> estimates)
    {
        return new RefreshPlan.Planned(
                strategy,
                method,
                PlanReason.of(PlanReasonCode.NONE, ""),
                Optional.of(sql),
                true,
                estimates);
    }

    private DeltaSources deltas(boolean weighted)
    {
        Map<RelationName, DeltaSources.Range> ranges = request.sources().stream()
                .collect(ImmutableMap.toImmutableMap(SourceFacts::name, IncrementalPlanner::range, (first, _) -> first));
        return new DeltaSources(request.functionCatalog(), ranges, weighted, new ComparableKeys(request.sources())::equalsItself);
    }

    private static DeltaSources.Range range(SourceFacts facts)
    {
        return switch (facts.change().kind()) {
            case UNCHANGED, REORGANIZED -> new DeltaSources.Nothing(facts.change().to());
            case APPENDED, ROWS_CHANGED -> new DeltaSources.Between(facts.change().from(), facts.change().to().orElseThrow(), facts.view());
            case HISTORY_LOST -> throw new IllegalStateException("a source without history has no delta");
        };
    }
}
