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

import io.freshet.engine.Maintenance;
import io.freshet.engine.RefreshMode;
import io.freshet.engine.Refusal;
import io.freshet.engine.SourceMention;
import io.freshet.engine.StateLayout;
import io.freshet.engine.Strategy;
import io.freshet.engine.Volatility;
import io.freshet.staleness.ChangeKind;
import io.freshet.staleness.ChangeReason;
import io.freshet.staleness.SourceChange;

import java.util.Optional;
import java.util.regex.Pattern;

import static java.util.Locale.ENGLISH;

/**
 * Chooses how to refresh a view. Pure: the same facts give the same plan. Laws: a view is left alone only if each of its sources is
 * known to hold the same rows as when the view was filled; it is changed by a delta only if the delta of each of its sources can be
 * told, and rows are merely added to it only if no source is known to have lost any. In any doubt the refresh is full, with its reason.
 */
public final class RefreshPlanner
{
    private static final Pattern SNAPSHOT_VERSION = Pattern.compile("FOR VERSION AS OF \\d+");

    public RefreshPlan plan(PlanRequest request)
    {
        Optional<PlanReason> mustBeFull = demandedFull(request);
        if (mustBeFull.isPresent()) {
            return full(request, mustBeFull.get());
        }
        Optional<RefreshPlan> nothing = nothingToDo(request);
        if (nothing.isPresent()) {
            return nothing.get();
        }
        Optional<PlanReason> obstacle = notMaintained(request).or(() -> unusableLayout(request)).or(() -> unusableChange(request));
        if (obstacle.isPresent()) {
            return full(request, obstacle.get());
        }
        IncrementalPlanner incremental = new IncrementalPlanner(request, request.layout().orElseThrow());
        return incremental.obstacle()
                .map(reason -> full(request, reason))
                .orElseGet(() -> unlessTooLarge(request, incremental.plan()));
    }

    private static RefreshPlan unlessTooLarge(PlanRequest request, RefreshPlan plan)
    {
        return switch (plan) {
            case RefreshPlan.Planned planned when planned.strategy() != Strategy.FULL_REFRESH -> planned.sql()
                    .flatMap(ProgramSize::excess)
                    .map(reason -> full(request, reason))
                    .orElse(plan);
            case RefreshPlan.Planned _, RefreshPlan.Refused _ -> plan;
        };
    }

    /** Reasons for a full refresh that hold whatever the sources did. */
    private static Optional<PlanReason> demandedFull(PlanRequest request)
    {
        if (request.mode() == RefreshMode.FULL) {
            return Optional.of(PlanReason.of(PlanReasonCode.MODE_FULL, "a full refresh was asked for"));
        }
        return switch (request.view().volatility()) {
            case Volatility.Volatile(Refusal cause) -> Optional.of(PlanReason.of(cause));
            case Volatility.Stable _ -> request.contentFault();
        };
    }

    private static Optional<RefreshPlan> nothingToDo(PlanRequest request)
    {
        boolean reorganized = false;
        for (SourceMention mention : request.view().sources()) {
            if (isConstant(mention)) {
                continue;
            }
            Optional<SourceFacts> facts = facts(request, mention);
            if (facts.isEmpty()) {
                return Optional.empty();
            }
            switch (facts.get().change().kind()) {
                case UNCHANGED -> {}
                case REORGANIZED -> reorganized = true;
                case APPENDED, ROWS_CHANGED, HISTORY_LOST -> {
                    return Optional.empty();
                }
            }
        }
        if (request.layout().isPresent() && unusableLayout(request).isPresent()) {
            return Optional.empty();
        }
        return Optional.of(RefreshPlans.noOp(reorganized));
    }

    private static Optional<PlanReason> notMaintained(PlanRequest request)
    {
        return switch (request.view().maintenance()) {
            case Maintenance.NotMaintained(Refusal refusal) -> Optional.of(PlanReason.of(refusal));
            case Maintenance.Maintained _ -> Optional.empty();
        };
    }

    private static Optional<PlanReason> unusableLayout(PlanRequest request)
    {
        if (request.layout().isEmpty()) {
            return request.layoutRefusal()
                    .map(PlanReason::of)
                    .or(() -> Optional.of(PlanReason.of(PlanReasonCode.STATE_LAYOUT_CHANGED, "the view keeps no states")));
        }
        return request.layout()
                .filter(layout -> !fits(request, layout))
                .map(_ -> PlanReason.of(PlanReasonCode.STATE_LAYOUT_CHANGED, "the view keeps states of another layout"));
    }

    static boolean fits(PlanRequest request, StateLayout layout)
    {
        return layout.version() == StateLayout.CURRENT_VERSION
                && request.view().fingerprint().filter(layout.fingerprint()::equals).isPresent();
    }

    private static Optional<PlanReason> unusableChange(PlanRequest request)
    {
        for (SourceMention mention : request.view().sources()) {
            Optional<SourceFacts> facts = facts(request, mention);
            if (facts.isEmpty()) {
                return Optional.of(PlanReason.of(PlanReasonCode.SOURCE_FACTS_MISSING, "nothing is known about changes of " + mention.name()));
            }
            SourceChange change = facts.get().change();
            if (change.kind() == ChangeKind.HISTORY_LOST) {
                return Optional.of(reason(mention, change));
            }
            boolean changed = change.kind() == ChangeKind.APPENDED || change.kind() == ChangeKind.ROWS_CHANGED;
            if (changed && change.to().isEmpty()) {
                return Optional.of(PlanReason.of(PlanReasonCode.SOURCE_FACTS_MISSING, "the current snapshot of " + mention.name() + " is not known"));
            }
        }
        return Optional.empty();
    }

    private static PlanReason reason(SourceMention mention, SourceChange change)
    {
        return new PlanReason(
                change.reason() == ChangeReason.NONE ? change.kind().name() : change.reason().name(),
                "source " + mention.name() + ": " + explain(change),
                0,
                0);
    }

    private static String explain(SourceChange change)
    {
        return switch (change.reason()) {
            case NONE -> change.kind().name().toLowerCase(ENGLISH).replace('_', ' ');
            case NOT_BUILT -> "the view was never filled from it";
            case SOURCE_ROWS_CHANGED -> "rows were removed or replaced";
            case SOURCE_RECREATED -> "it was dropped and created again";
            case SOURCE_REPLACED -> "it was replaced as a whole";
            case SOURCE_ROLLED_BACK -> "it was rolled back or moved to another line of history";
            case SOURCE_SNAPSHOT_EXPIRED -> "the snapshot that the view was built from has expired";
            case SOURCE_SCHEMA_CHANGED -> "a column that the view reads has changed";
            case SOURCE_WITHOUT_IDENTITY -> "it has no identity by which it could be recognized";
            case SOURCE_MISSING -> "it does not exist any more";
        };
    }

    private static RefreshPlan full(PlanRequest request, PlanReason reason)
    {
        if (request.mode() == RefreshMode.INCREMENTAL) {
            Optional<PlanReason> refusal = refuseIncremental(request, reason);
            if (refusal.isPresent()) {
                return new RefreshPlan.Refused(refusal.get());
            }
        }
        Optional<StateLayout> layout = request.layout().filter(candidate -> fits(request, candidate));
        return RefreshPlans.full(request, layout, reason);
    }

    /** There is no other way to fill a view for the first time; a view that could not be kept up incrementally is refused at once. */
    private static Optional<PlanReason> refuseIncremental(PlanRequest request, PlanReason reason)
    {
        if (reason.code().equals(PlanReasonCode.NOT_BUILT.name())) {
            return notMaintained(request).or(() -> unusableLayout(request));
        }
        return Optional.of(reason);
    }

    static Optional<SourceFacts> facts(PlanRequest request, SourceMention mention)
    {
        return request.sources().stream()
                .filter(facts -> facts.name().equals(mention.name()))
                .findFirst()
                .filter(_ -> mention.version().isEmpty());
    }

    /** A table at a snapshot never changes. A branch, a tag or a moment may. */
    private static boolean isConstant(SourceMention mention)
    {
        return mention.version().filter(version -> SNAPSHOT_VERSION.matcher(version).matches()).isPresent();
    }
}
