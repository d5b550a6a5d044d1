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
package io.freshet.spi.refresh;

import com.google.common.collect.ImmutableList;
import com.google.inject.Inject;
import io.freshet.spi.catalog.BackingTables;
import io.freshet.spi.catalog.FreshetCatalog;
import io.freshet.spi.catalog.ViewTable;
import io.freshet.spi.change.SourceFactsReader;
import io.freshet.spi.refresh.BackingContent.Content;
import io.freshet.spi.refresh.RefreshState.SourceState;
import io.freshet.staleness.ChangeClassifier;
import io.freshet.staleness.ChangeKind;
import io.freshet.staleness.ChangeReason;
import io.freshet.staleness.Freshness;
import io.freshet.staleness.SourceBookmark;
import io.freshet.staleness.SourceChange;
import io.freshet.staleness.SourceFacts;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.MaterializedViewFreshness;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.TableNotFoundException;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.TableMetadata;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.freshet.spi.catalog.BackingTables.viewOf;
import static io.trino.spi.connector.MaterializedViewFreshness.Freshness.FRESH;
import static io.trino.spi.connector.MaterializedViewFreshness.Freshness.STALE;
import static io.trino.spi.connector.MaterializedViewFreshness.Freshness.UNKNOWN;
import static java.util.Objects.requireNonNull;

/**
 * Whether a view's rows may answer a query. Not built, or built from something that is not the source any more: the engine
 * runs the definition instead. Plainly behind: the time since which it is.
 */
public final class ViewFreshness
{
    private final StatementContexts contexts;
    private final BackingContent backingContent;

    @Inject
    public ViewFreshness(StatementContexts contexts, BackingContent backingContent)
    {
        this.contexts = requireNonNull(contexts, "contexts is null");
        this.backingContent = requireNonNull(backingContent, "backingContent is null");
    }

    public MaterializedViewFreshness of(ConnectorSession session, FreshetCatalog catalog, ViewTable view)
    {
        return of(session, catalog, view, new HashMap<>());
    }

    /**
     * @param known of views that were looked at before. Whoever is reached again while looked at reads itself, which another cluster
     *         may have brought about; nothing can be said of it
     */
    private MaterializedViewFreshness of(ConnectorSession session, FreshetCatalog catalog, ViewTable view, Map<SchemaTableName, MaterializedViewFreshness> known)
    {
        MaterializedViewFreshness before = known.putIfAbsent(view.view(), new MaterializedViewFreshness(STALE, Optional.empty()));
        if (before != null) {
            return before;
        }
        MaterializedViewFreshness freshness = find(session, catalog, view, known);
        known.put(view.view(), freshness);
        return freshness;
    }

    private MaterializedViewFreshness find(ConnectorSession session, FreshetCatalog catalog, ViewTable view, Map<SchemaTableName, MaterializedViewFreshness> known)
    {
        Optional<RefreshJob> job = contexts.job(session);
        if (job.isPresent() && job.get().pins().containsKey(BackingTables.backingTableOf(view.view()))) {
            // A refresh reads the content that it is pinned to, however old
            return new MaterializedViewFreshness(FRESH, Optional.empty());
        }
        Content content = ViewVersions.check(
                LogicalViews.check(backingContent.read(view.backingTable(), view.definition().versionId()), session, catalog, backingContent),
                session,
                catalog);
        if (content.state().isEmpty()) {
            return new MaterializedViewFreshness(STALE, Optional.empty());
        }
        RefreshState state = content.state().get();
        List<SourceChange> changes = ImmutableList.<SourceChange>builder()
                .addAll(changes(session, catalog, state))
                .addAll(pendingChanges(session, catalog, state, known))
                .build();
        Freshness freshness = Freshness.of(
                changes,
                state.details().volatileDefinition(),
                state.details().foreignSources(),
                state.refreshStartMillis());
        return switch (freshness) {
            case Freshness.Fresh() -> new MaterializedViewFreshness(FRESH, Optional.empty());
            case Freshness.Stale(long since) -> new MaterializedViewFreshness(isKnownToBeStale(changes) ? STALE : UNKNOWN, Optional.of(Instant.ofEpochMilli(since)));
            case Freshness.Lost _ -> new MaterializedViewFreshness(STALE, Optional.empty());
        };
    }

    /**
     * Since when the stored rows have not been what the definition gives; empty if they are. Like the freshness that the engine
     * sees, except that rows which it does not serve, and a view that was never filled, count as behind since the last refresh, or
     * since the view is there.
     */
    public OptionalLong behindSince(ConnectorSession session, FreshetCatalog catalog, ViewTable view)
    {
        MaterializedViewFreshness freshness = of(session, catalog, view);
        if (freshness.getFreshness() == FRESH) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(freshness.getLastKnownFreshTime()
                .map(Instant::toEpochMilli)
                .orElseGet(() -> lastRefreshMillis(view).orElseGet(() -> createdMillis(view))));
    }

    /** When the refresh began that wrote the stored rows; empty if the view was not filled under its definition. */
    public OptionalLong lastRefreshMillis(ViewTable view)
    {
        return state(view).map(state -> OptionalLong.of(state.refreshStartMillis())).orElseGet(OptionalLong::empty);
    }

    /** What the stored rows were built from; empty if the view was not filled under its definition. */
    public Optional<RefreshState> state(ViewTable view)
    {
        return backingContent.read(view.backingTable(), view.definition().versionId()).state();
    }

    private static long createdMillis(ViewTable view)
    {
        TableMetadata metadata = view.backingTable().operations().current();
        return metadata.previousFiles().isEmpty() ? metadata.lastUpdatedMillis() : metadata.previousFiles().getFirst().timestampMillis();
    }

    /** Whether a refresh would find nothing to do, as far as can be told without looking at the definition. */
    public boolean isUpToDate(ConnectorSession session, FreshetCatalog catalog, ViewTable view)
    {
        Content content = LogicalViews.check(backingContent.read(view.backingTable(), view.definition().versionId()), session, catalog, backingContent);
        return content.state()
                .filter(state -> !state.details().volatileDefinition() && !state.details().foreignSources())
                .map(state -> changes(session, catalog, state).stream().allMatch(change -> change.kind() == ChangeKind.UNCHANGED))
                .orElse(false);
    }

    /**
     * A view that this one reads and that is behind itself: its backing table has not changed, yet whoever reads it may get other
     * rows than this view was built from.
     */
    private List<SourceChange> pendingChanges(ConnectorSession session, FreshetCatalog catalog, RefreshState state, Map<SchemaTableName, MaterializedViewFreshness> known)
    {
        return state.sources().stream()
                .filter(source -> source.type().equals(SourceState.MATERIALIZED_VIEW))
                .flatMap(source -> catalog.findView(session, viewOf(new SchemaTableName(source.namespace(), source.name()))).stream())
                .map(inner -> of(session, catalog, inner, known))
                .filter(inner -> inner.getFreshness() != FRESH)
                .map(inner -> pendingChange(inner.getLastKnownFreshTime()))
                .collect(toImmutableList());
    }

    /** @param lastFresh absent: what the inner view holds is never served, so neither is what was built from it */
    private static SourceChange pendingChange(Optional<Instant> lastFresh)
    {
        return new SourceChange(
                lastFresh.isPresent() ? ChangeKind.ROWS_CHANGED : ChangeKind.HISTORY_LOST,
                lastFresh.isPresent() ? ChangeReason.SOURCE_ROWS_CHANGED : ChangeReason.SOURCE_REPLACED,
                OptionalLong.empty(),
                OptionalLong.empty(),
                0,
                0,
                lastFresh.map(Instant::toEpochMilli).map(OptionalLong::of).orElseGet(OptionalLong::empty));
    }

    /** Otherwise the definition reads what cannot be followed: the stored rows may be right, or not. */
    public static boolean isKnownToBeStale(List<SourceChange> changes)
    {
        return changes.stream().anyMatch(change -> switch (change.kind()) {
            case UNCHANGED, REORGANIZED -> false;
            case APPENDED, ROWS_CHANGED, HISTORY_LOST -> true;
        });
    }

    /** What happened to each source since the bookmarks were made, in their order. */
    public static List<SourceChange> changes(ConnectorSession session, FreshetCatalog catalog, RefreshState state)
    {
        return state.bookmarks().stream()
                .map(bookmark -> change(session, catalog, bookmark))
                .collect(toImmutableList());
    }

    private static SourceChange change(ConnectorSession session, FreshetCatalog catalog, SourceBookmark bookmark)
    {
        SchemaTableName name = new SchemaTableName(bookmark.schema(), bookmark.table());
        BaseTable table;
        try {
            table = catalog.loadSource(session, name);
        }
        catch (TableNotFoundException e) {
            return ChangeClassifier.missing(bookmark);
        }
        return classify(bookmark, SourceFactsReader.read(table, Optional.of(bookmark)));
    }

    /** What happened to a source, for a definition that may read hidden columns: a compaction changes {@code "$path"}. */
    static SourceChange classify(SourceBookmark bookmark, SourceFacts facts)
    {
        SourceChange change = ChangeClassifier.classify(bookmark, facts);
        boolean readsHiddenColumns = bookmark.absentColumns().stream().anyMatch(column -> column.startsWith("$"));
        if (change.kind() != ChangeKind.REORGANIZED || !readsHiddenColumns) {
            return change;
        }
        return new SourceChange(
                ChangeKind.ROWS_CHANGED,
                ChangeReason.SOURCE_ROWS_CHANGED,
                change.from(),
                change.to(),
                change.addedRows(),
                change.addedBytes(),
                change.firstUnappliedCommitMillis());
    }
}
