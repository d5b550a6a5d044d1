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

import com.google.common.collect.ImmutableList;
import com.google.inject.Inject;
import io.freshet.engine.CompiledView;
import io.freshet.engine.Maintenance;
import io.freshet.engine.Refusal;
import io.freshet.engine.StateLayout;
import io.freshet.engine.Volatility;
import io.freshet.spi.catalog.ViewTable;
import io.freshet.spi.refresh.RefreshProperties;
import io.freshet.spi.refresh.RefreshRecord;
import io.freshet.spi.refresh.RefreshRecord.Status;
import io.freshet.spi.schedule.FailureNotes.Note;
import io.freshet.spi.schedule.ScheduleProperties;
import io.freshet.spi.schedule.Scheduling;
import io.freshet.spi.schedule.ServiceLevels;
import io.freshet.spi.view.StoredView;
import io.freshet.staleness.ServiceLevel;
import io.trino.spi.catalog.CatalogName;
import io.trino.spi.connector.MaterializedViewFreshness.Freshness;
import org.apache.iceberg.Snapshot;

import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

import static com.google.common.primitives.Longs.tryParse;
import static io.freshet.spi.catalog.BackingTables.FAILURE_PROPERTY;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.BooleanType.BOOLEAN;
import static io.trino.spi.type.DoubleType.DOUBLE;
import static io.trino.spi.type.TimestampWithTimeZoneType.TIMESTAMP_TZ_MILLIS;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static org.apache.iceberg.SnapshotSummary.TOTAL_EQ_DELETES_PROP;
import static org.apache.iceberg.SnapshotSummary.TOTAL_FILE_SIZE_PROP;
import static org.apache.iceberg.SnapshotSummary.TOTAL_POS_DELETES_PROP;
import static org.apache.iceberg.SnapshotSummary.TOTAL_RECORDS_PROP;

/**
 * {@code system.materialized_views}: one row for each of Freshet's views in the catalog that the caller may see.
 * <p>
 * {@code definition}, {@code state_detail}, {@code incremental_detail} and {@code last_error} tell what a view is made from: they are
 * NULL for callers who may not SHOW CREATE the view.
 */
public final class MaterializedViewsTable
        extends ViewSystemTable<ViewFacts>
{
    @Inject
    public MaterializedViewsTable(CatalogName catalogName, ViewListing listing, Scheduling scheduling, ServiceLevels serviceLevels)
    {
        super("materialized_views", listing, columns(catalogName.toString(), scheduling, serviceLevels));
    }

    @Override
    List<ViewFacts> rows(ViewFacts view)
    {
        return ImmutableList.of(view);
    }

    private static List<SystemColumn<ViewFacts>> columns(String catalogName, Scheduling scheduling, ServiceLevels serviceLevels)
    {
        return ImmutableList.<SystemColumn<ViewFacts>>builder()
                .add(new SystemColumn<>("catalog_name", VARCHAR, "Catalog of the view", _ -> catalogName))
                .add(new SystemColumn<>(SCHEMA_NAME, VARCHAR, "Schema of the view", view -> view.name().getSchemaName()))
                .add(new SystemColumn<>(VIEW_NAME, VARCHAR, "Name of the view", view -> view.name().getTableName()))
                .add(new SystemColumn<>("refresh", VARCHAR, "What starts refreshes, as declared", view -> definition(view).map(definition -> ScheduleProperties.refresh(definition.properties())).orElse(null)))
                .add(new SystemColumn<>("refresh_mode", VARCHAR, "Declared mode: AUTO, INCREMENTAL or FULL", view -> definition(view).map(definition -> RefreshProperties.refreshMode(definition.properties()).name()).orElse(null)))
                .add(new SystemColumn<>("freshness", VARCHAR, "Whether the rows are what the definition gives now: FRESH, STALE or UNKNOWN", view -> view.assessment().freshness().name()))
                .add(new SystemColumn<>("staleness", VARCHAR, "How the lag stands to the service level: FRESH, APPROACHING, STALE, CRITICAL or EXPIRED; NULL without one", view -> staleness(serviceLevels, view)))
                .add(new SystemColumn<>("slo_tier", VARCHAR, "Tier of the service level", view -> definition(view).flatMap(definition -> serviceLevels.tier(definition.properties())).orElse(null)))
                .add(new SystemColumn<>("lag", BIGINT, "Seconds since the rows were right; 0 if they are; NULL if not known", MaterializedViewsTable::lag))
                .add(new SystemColumn<>("last_refresh_at", TIMESTAMP_TZ_MILLIS, "End of the last successful refresh", view -> timestamp(lastSuccess(view).flatMap(RefreshRecord::finishedAt))))
                .add(new SystemColumn<>("last_strategy", VARCHAR, "Strategy of the last successful refresh", view -> lastSuccess(view).flatMap(RefreshRecord::strategy).orElse(null)))
                .add(new SystemColumn<>("last_reason", VARCHAR, "Code of why it was that strategy", view -> lastSuccess(view).flatMap(RefreshRecord::reason).orElse(null)))
                .add(new SystemColumn<>("next_refresh_at", TIMESTAMP_TZ_MILLIS, "When a refresh starts by itself next if no commit starts it before; NULL if none does, or while one runs", view -> timestamp(nextRefresh(scheduling, view))))
                .add(new SystemColumn<>("paused", BOOLEAN, "Whether refreshes that start by themselves are paused", view -> view.view().map(ViewTable::paused).orElse(null)))
                .add(new SystemColumn<>("state", VARCHAR, "NORMAL, NOT_BUILT, SCHEMA_CHANGED, BROKEN or SHADOWED", view -> view.assessment().state().name()))
                .add(new SystemColumn<>("state_detail", VARCHAR, "What is wrong, and what to do", view -> detail(view, view.assessment().detail())))
                .add(new SystemColumn<>("last_error", VARCHAR, "Error of the last refresh, if it did not succeed", view -> detail(view, lastError(view))))
                .add(new SystemColumn<>("row_count", BIGINT, "Number of rows; NULL if not known", MaterializedViewsTable::rowCount))
                .add(new SystemColumn<>("size_bytes", BIGINT, "Size of the stored files", MaterializedViewsTable::size))
                .add(new SystemColumn<>("incremental", BOOLEAN, "Whether the view can be maintained from changes of its sources", MaterializedViewsTable::incremental))
                .add(new SystemColumn<>("definition", VARCHAR, "Query of the view", view -> detail(view, definition(view).map(StoredView::originalSql))))
                .add(new SystemColumn<>("incremental_detail", VARCHAR, "Why it cannot be", view -> detail(view, view.view().flatMap(_ -> obstacle(view)))))
                .add(new SystemColumn<>("owner", VARCHAR, "User whose rights refreshes use", view -> definition(view).flatMap(StoredView::owner).orElse(null)))
                .add(new SystemColumn<>("comment", VARCHAR, "Comment of the view", view -> definition(view).flatMap(StoredView::comment).orElse(null)))
                .add(new SystemColumn<>("target_lag", BIGINT, "Target of the service level, in seconds", view -> level(serviceLevels, view).map(level -> level.targetLag().toSeconds()).orElse(null)))
                .add(new SystemColumn<>("max_lag", BIGINT, "Maximum of the service level, in seconds", view -> level(serviceLevels, view).map(level -> level.maxLag().toSeconds()).orElse(null)))
                .add(new SystemColumn<>("slo_compliance", DOUBLE, "Share of the time within the target, as far as this coordinator watched", view -> compliance(scheduling, view)))
                .add(new SystemColumn<>("failures", BIGINT, "Refreshes that started by themselves and failed in a row", view -> scheduling.status(view.name()).map(status -> (long) status.failures()).orElse(null)))
                .build();
    }

    private static Optional<StoredView> definition(ViewFacts view)
    {
        return view.view().map(ViewTable::definition);
    }

    private static Optional<ServiceLevel> level(ServiceLevels serviceLevels, ViewFacts view)
    {
        return definition(view).flatMap(definition -> serviceLevels.level(definition.properties()));
    }

    private static Object staleness(ServiceLevels serviceLevels, ViewFacts view)
    {
        Optional<ServiceLevel> level = level(serviceLevels, view);
        Optional<OptionalLong> behindSince = level.isPresent() ? view.behindSince() : Optional.empty();
        return behindSince.map(since -> level.orElseThrow().state(ServiceLevel.lagMillis(since, view.nowMillis())).name()).orElse(null);
    }

    private static Object compliance(Scheduling scheduling, ViewFacts view)
    {
        OptionalDouble share = scheduling.compliance(view.name());
        return share.isPresent() ? share.getAsDouble() : null;
    }

    private static Optional<Long> nextRefresh(Scheduling scheduling, ViewFacts view)
    {
        return scheduling.status(view.name())
                .filter(status -> status.nextRunMillis().isPresent())
                .map(status -> status.nextRunMillis().getAsLong());
    }

    private static Object detail(ViewFacts view, Optional<String> text)
    {
        return text.filter(_ -> view.detailsVisible()).orElse(null);
    }

    private static Object lag(ViewFacts view)
    {
        ViewAssessment assessment = view.assessment();
        if (assessment.freshness() == Freshness.FRESH) {
            return 0L;
        }
        return assessment.lastFreshMillis()
                .map(since -> Math.max(0, view.nowMillis() - since) / 1000)
                .orElse(null);
    }

    private static Optional<RefreshRecord> lastSuccess(ViewFacts view)
    {
        return view.refreshes().reversed().stream()
                .filter(refresh -> refresh.status() == Status.SUCCEEDED)
                .findFirst();
    }

    /** What is stored of a failure counts if no refresh is known that came later. */
    private static Optional<String> lastError(ViewFacts view)
    {
        Optional<RefreshRecord> last = view.refreshes().reversed().stream().findFirst();
        Optional<Note> stored = Note.parse(view.view().flatMap(table -> Optional.ofNullable(table.backingTable().properties().get(FAILURE_PROPERTY))))
                .filter(note -> last.isEmpty() || last.get().startedAt() < note.atMillis() && last.get().error().isEmpty());
        return stored.map(Note::error).or(() -> last.flatMap(RefreshRecord::error));
    }

    /** Rows that are kept but not shown are counted with the others, so a view that may have such rows has no count. */
    private static Object rowCount(ViewFacts view)
    {
        if (definition(view).flatMap(StoredView::layout).flatMap(StateLayout::visibilityColumn).isPresent()) {
            return null;
        }
        Optional<Long> equalityDeletes = total(view, TOTAL_EQ_DELETES_PROP);
        if (equalityDeletes.isEmpty() || equalityDeletes.get() > 0) {
            return null;
        }
        return total(view, TOTAL_RECORDS_PROP)
                .flatMap(records -> total(view, TOTAL_POS_DELETES_PROP).map(deleted -> records - deleted))
                .orElse(null);
    }

    private static Object size(ViewFacts view)
    {
        return total(view, TOTAL_FILE_SIZE_PROP).orElse(null);
    }

    private static Optional<Long> total(ViewFacts view, String property)
    {
        if (view.view().isEmpty()) {
            return Optional.empty();
        }
        Snapshot snapshot = view.view().get().backingTable().currentSnapshot();
        return snapshot == null ? Optional.of(0L) : Optional.ofNullable(snapshot.summary().get(property)).map(value -> tryParse(value));
    }

    private static Object incremental(ViewFacts view)
    {
        return view.view().isPresent() && view.compiled().isPresent() ? obstacle(view).isEmpty() : null;
    }

    /** Why each refresh of the view is full. */
    private static Optional<String> obstacle(ViewFacts view)
    {
        if (view.compiled().isEmpty()) {
            return Optional.of("The definition cannot be compiled now");
        }
        CompiledView compiled = view.compiled().get();
        if (compiled.volatility() instanceof Volatility.Volatile(Refusal cause)) {
            return Optional.of(cause.message());
        }
        if (compiled.maintenance() instanceof Maintenance.NotMaintained(Refusal refusal)) {
            return Optional.of(refusal.message());
        }
        Optional<StateLayout> layout = definition(view).flatMap(StoredView::layout);
        if (layout.isEmpty()) {
            return Optional.of(definition(view).flatMap(StoredView::layoutRefusal).map(Refusal::message).orElse("The view keeps no states (STATE_LAYOUT_CHANGED)"));
        }
        boolean fits = layout.get().version() == StateLayout.CURRENT_VERSION && compiled.fingerprint().equals(Optional.of(layout.get().fingerprint()));
        return fits ? Optional.empty() : Optional.of("The states that the view keeps are of another layout (STATE_LAYOUT_CHANGED). Create the view again to have it maintained");
    }
}
