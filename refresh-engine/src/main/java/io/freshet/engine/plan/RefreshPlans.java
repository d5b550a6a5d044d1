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

import com.google.common.collect.ImmutableList;
import io.freshet.engine.ApplyMethod;
import io.freshet.engine.CompiledView;
import io.freshet.engine.Maintenance;
import io.freshet.engine.StateLayout;
import io.freshet.engine.Strategy;
import io.freshet.engine.algebra.AggregateBlock;
import io.freshet.engine.algebra.LinearBlock;
import io.freshet.engine.algebra.WindowBlock;
import io.freshet.engine.render.AggregateStatements;
import io.freshet.engine.render.LinearStatements;
import io.freshet.engine.render.PlainStatements;
import io.freshet.engine.render.SourceText;
import io.freshet.engine.render.Target;
import io.freshet.engine.render.TargetColumn;
import io.freshet.engine.render.WindowStatements;

import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;

/**
 * Plans that need no choice.
 */
final class RefreshPlans
{
    private RefreshPlans() {}

    static RefreshPlan noOp(boolean reorganized)
    {
        PlanReason reason = reorganized
                ? PlanReason.of(PlanReasonCode.SOURCE_REORGANIZED, "sources were rewritten without a change of rows")
                : PlanReason.of(PlanReasonCode.NONE, "no source has changed");
        return new RefreshPlan.Planned(Strategy.NO_OP, ApplyMethod.NONE, reason, Optional.empty(), true, ImmutableList.of());
    }

    /**
     * @param layout the layout of the view if its states shall be written
     */
    static RefreshPlan full(PlanRequest request, Optional<StateLayout> layout, PlanReason reason)
    {
        return new RefreshPlan.Planned(
                Strategy.FULL_REFRESH,
                ApplyMethod.OVERWRITE,
                reason,
                Optional.of(fullSql(request, layout)),
                layout.isPresent(),
                Costs.of(request).full().map(ImmutableList::of).orElse(ImmutableList.of()));
    }

    static String fullSql(PlanRequest request, Optional<StateLayout> layout)
    {
        CompiledView view = request.view();
        Target target = target(request);
        if (layout.isEmpty()) {
            return PlainStatements.full(view.expandedSql(), target);
        }
        return switch (view.maintenance()) {
            case Maintenance.NotMaintained _ -> PlainStatements.full(view.expandedSql(), target);
            case Maintenance.Maintained(LinearBlock block) -> new LinearStatements(block, target).insert(SourceText.TABLES);
            case Maintenance.Maintained(WindowBlock block) -> new WindowStatements(block, layout.get(), target).full();
            case Maintenance.Maintained(AggregateBlock block) -> new AggregateStatements(block, layout.get(), target).full();
        };
    }

    static Target target(PlanRequest request)
    {
        return new Target(
                request.backing().name(),
                request.backing().columns().stream()
                        .map(column -> new TargetColumn(column.name(), column.storageType()))
                        .collect(toImmutableList()),
                request.view().text().columnNames().size());
    }
}
