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
package io.freshet.spi.surface;

import io.freshet.engine.CompiledView;
import io.freshet.engine.RelationKind;
import io.freshet.engine.plan.PlanReason;
import io.freshet.engine.plan.PlanReasonCode;
import io.freshet.spi.catalog.FreshetCatalog;
import io.freshet.spi.catalog.ViewTable;
import io.freshet.spi.refresh.BackingContent;
import io.freshet.spi.refresh.BackingContent.Content;
import io.freshet.spi.refresh.LogicalViews;
import io.freshet.spi.refresh.RefreshState;
import io.freshet.spi.refresh.ViewFreshness;
import io.freshet.spi.refresh.ViewVersions;
import io.freshet.staleness.ChangeKind;
import io.freshet.staleness.ChangeReason;
import io.freshet.staleness.Freshness;
import io.freshet.staleness.SourceBookmark;
import io.freshet.staleness.SourceChange;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.MaterializedViewFreshness;

import java.util.List;
import java.util.Optional;

import static io.freshet.spi.refresh.ViewFreshness.isKnownToBeStale;
import static io.trino.spi.connector.MaterializedViewFreshness.Freshness.FRESH;
import static io.trino.spi.connector.MaterializedViewFreshness.Freshness.STALE;
import static io.trino.spi.connector.MaterializedViewFreshness.Freshness.UNKNOWN;
import static java.util.Objects.requireNonNull;

/**
 * What can be said of the rows of a view now.
 *
 * @param freshness as the engine sees it; unknown if that cannot be found out
 * @param lastFreshMillis if stale: when its rows were last right, in milliseconds since the epoch; empty if that is not known
 */
record ViewAssessment(ViewState state, Optional<String> detail, MaterializedViewFreshness.Freshness freshness, Optional<Long> lastFreshMillis)
{
    ViewAssessment
    {
        requireNonNull(state, "state is null");
        requireNonNull(detail, "detail is null");
        requireNonNull(freshness, "freshness is null");
        requireNonNull(lastFreshMillis, "lastFreshMillis is null");
    }

    static ViewAssessment unusable(ViewState state, String detail)
    {
        return new ViewAssessment(state, Optional.of(detail), UNKNOWN, Optional.empty());
    }

    /** @param compiled the view compiled against the catalog as it is */
    static ViewAssessment of(ConnectorSession session, FreshetCatalog catalog, BackingContent backingContent, ViewTable view, CompiledView compiled)
    {
        Optional<String> missing = compiled.sources().stream()
                .filter(mention -> mention.kind() == RelationKind.MISSING)
                .map(mention -> "Source %s does not exist. Create it again, or drop the view".formatted(mention.name()))
                .findFirst();
        Content content = ViewVersions.check(LogicalViews.check(backingContent.read(view.backingTable(), view.definition().versionId()), compiled), session, catalog);
        if (content.state().isEmpty()) {
            return missing.map(detail -> new ViewAssessment(ViewState.BROKEN, Optional.of(detail), STALE, Optional.empty()))
                    .orElseGet(() -> withoutContent(content.fault().orElseThrow()));
        }
        RefreshState state = content.state().get();
        List<SourceChange> changes = ViewFreshness.changes(session, catalog, state);
        Freshness freshness = Freshness.of(changes, state.details().volatileDefinition(), state.details().foreignSources(), state.refreshStartMillis());
        Optional<String> loss = describeLoss(state.bookmarks(), changes, freshness);
        return switch (freshness) {
            case Freshness.Lost(ChangeReason reason) -> new ViewAssessment(
                    reason == ChangeReason.SOURCE_SCHEMA_CHANGED ? ViewState.SCHEMA_CHANGED : ViewState.BROKEN,
                    loss,
                    STALE,
                    Optional.empty());
            case Freshness.Stale(long since) -> new ViewAssessment(
                    missing.isPresent() ? ViewState.BROKEN : ViewState.NORMAL,
                    missing.or(() -> loss),
                    isKnownToBeStale(changes) ? STALE : UNKNOWN,
                    Optional.of(since));
            case Freshness.Fresh() -> new ViewAssessment(missing.isPresent() ? ViewState.BROKEN : ViewState.NORMAL, missing, FRESH, Optional.empty());
        };
    }

    private static ViewAssessment withoutContent(PlanReason fault)
    {
        boolean broken = fault.code().equals(PlanReasonCode.STATE_LOST.name());
        String detail = broken ? fault.detail() + ". The next refresh computes all rows anew" : fault.detail();
        return new ViewAssessment(broken ? ViewState.BROKEN : ViewState.NOT_BUILT, Optional.of(capitalized(detail)), STALE, Optional.empty());
    }

    private static Optional<String> describeLoss(List<SourceBookmark> bookmarks, List<SourceChange> changes, Freshness freshness)
    {
        for (int index = 0; index < changes.size(); index++) {
            SourceChange change = changes.get(index);
            boolean decides = !(freshness instanceof Freshness.Lost(ChangeReason reason)) || reason == change.reason();
            boolean lost = change.kind() == ChangeKind.HISTORY_LOST || change.reason() == ChangeReason.SOURCE_ROLLED_BACK;
            if (lost && decides) {
                SourceBookmark source = bookmarks.get(index);
                return Optional.of("Source %s.%s.%s %s. %s (%s)".formatted(
                        source.catalog(),
                        source.schema(),
                        source.table(),
                        describe(change.reason()),
                        remedy(change),
                        change.reason()));
            }
        }
        return Optional.empty();
    }

    private static String remedy(SourceChange change)
    {
        if (change.kind() != ChangeKind.HISTORY_LOST) {
            return "The stored rows are not served until the next refresh";
        }
        return change.reason() == ChangeReason.SOURCE_SCHEMA_CHANGED
                ? "The next refresh computes all rows anew; if the query does not compile any more, change the column back or create the view anew"
                : "The next refresh computes all rows anew";
    }

    private static String describe(ChangeReason reason)
    {
        return switch (reason) {
            case SOURCE_RECREATED -> "was dropped and created again";
            case SOURCE_REPLACED -> "was replaced as a whole";
            case SOURCE_ROLLED_BACK -> "was rolled back or moved to another line of history";
            case SOURCE_SNAPSHOT_EXPIRED -> "has expired the snapshot that the view was built from";
            case SOURCE_SCHEMA_CHANGED -> "has changed a column that the view reads";
            case SOURCE_WITHOUT_IDENTITY -> "has no identity by which it could be recognized";
            case SOURCE_MISSING -> "does not exist any more";
            case NONE, NOT_BUILT, SOURCE_ROWS_CHANGED -> throw new IllegalArgumentException("Not a loss: " + reason);
        };
    }

    private static String capitalized(String text)
    {
        return text.substring(0, 1).toUpperCase(java.util.Locale.ENGLISH) + text.substring(1);
    }
}
