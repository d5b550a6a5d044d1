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
import com.google.common.collect.ImmutableMap;
import com.google.inject.Inject;
import io.airlift.log.Logger;
import io.freshet.engine.RefreshMode;
import io.freshet.engine.Strategy;
import io.freshet.engine.plan.PlanReason;
import io.freshet.engine.plan.PlanReasonCode;
import io.freshet.engine.plan.RefreshPlan;
import io.freshet.engine.plan.RefreshPlan.Planned;
import io.freshet.spi.catalog.FreshetCatalog;
import io.freshet.spi.catalog.FreshetCatalogFactory;
import io.freshet.spi.catalog.ViewTable;
import io.freshet.spi.refresh.RefreshExecution.Executed;
import io.freshet.spi.refresh.RefreshJob.Committed;
import io.freshet.spi.refresh.RefreshMetrics.RefreshSpan;
import io.freshet.spi.refresh.RefreshRecord.RefreshTrigger;
import io.freshet.spi.refresh.RefreshRecord.Status;
import io.freshet.spi.refresh.RunningRefreshes.RunningRefresh;
import io.freshet.spi.refresh.RunningStatement.Progress;
import io.freshet.staleness.ChangeKind;
import io.trino.spi.TrinoException;
import io.trino.spi.catalog.CatalogName;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.MaterializedViewNotFoundException;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.security.ConnectorIdentity;
import org.apache.iceberg.Transaction;

import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

import static io.freshet.spi.FreshetErrorCode.MATERIALIZED_VIEW_NOT_INCREMENTAL;
import static io.freshet.spi.FreshetErrorCode.REFRESH_CANCELLED;
import static io.freshet.spi.FreshetErrorCode.REFRESH_CONFLICT;
import static io.freshet.spi.FreshetErrorCode.REFRESH_OUTCOME_UNKNOWN;
import static java.util.Objects.requireNonNull;
import static java.util.UUID.randomUUID;

/**
 * Refreshes one view: plans, carries the plan out, falls back one step at a time, and records what happened.
 */
public final class RefreshService
{
    private static final Logger log = Logger.get(RefreshService.class);

    /** A bookmark on a source that was only reorganized is moved on when it is older than this, before it can expire. */
    private static final long FORWARD_BOOKMARKS_AFTER_MILLIS = 24 * 60 * 60 * 1000L;

    private final String catalogName;
    private final FreshetCatalogFactory catalogFactory;
    private final BackgroundSessions sessions;
    private final RefreshPlanning planning;
    private final DefinitionCheck definitionCheck;
    private final RefreshExecution execution;
    private final RefreshHistory history;
    private final RunningRefreshes running;
    private final RefreshMetrics metrics;

    @Inject
    public RefreshService(
            CatalogName catalogName,
            FreshetCatalogFactory catalogFactory,
            BackgroundSessions sessions,
            RefreshPlanning planning,
            DefinitionCheck definitionCheck,
            RefreshExecution execution,
            RefreshHistory history,
            RunningRefreshes running,
            RefreshMetrics metrics)
    {
        this.catalogName = catalogName.toString();
        this.catalogFactory = requireNonNull(catalogFactory, "catalogFactory is null");
        this.sessions = requireNonNull(sessions, "sessions is null");
        this.planning = requireNonNull(planning, "planning is null");
        this.definitionCheck = requireNonNull(definitionCheck, "definitionCheck is null");
        this.execution = requireNonNull(execution, "execution is null");
        this.history = requireNonNull(history, "history is null");
        this.running = requireNonNull(running, "running is null");
        this.metrics = requireNonNull(metrics, "metrics is null");
    }

    /**
     * @param mode empty: as the view declares
     * @param cause why it is done, if not for the usual reasons
     */
    public record Request(SchemaTableName view, Optional<RefreshMode> mode, RefreshTrigger trigger, ConnectorIdentity identity, Optional<PlanReason> cause)
    {
        public Request(SchemaTableName view, Optional<RefreshMode> mode, RefreshTrigger trigger, ConnectorIdentity identity)
        {
            this(view, mode, trigger, identity, Optional.empty());
        }
    }

    /**
     * Refreshes the view now, in this thread.
     *
     * @throws TrinoException typed; then the view's content is what it was
     */
    public RefreshRecord refresh(Request request, CancelSwitch cancel)
    {
        BackgroundSession session = sessions.create(request.identity());
        FreshetCatalog catalog = catalogFactory.create(request.identity());
        ViewTable view = catalog.findView(session, request.view())
                .orElseThrow(() -> new MaterializedViewNotFoundException(request.view()));
        RefreshMode mode = request.mode().orElseGet(() -> RefreshProperties.refreshMode(view.definition().properties()));
        Recorder recorder = new Recorder(randomUUID().toString(), request.trigger(), mode);
        running.started(recorder.refreshId, view.backingTable().operations().current().uuid(), recorder::running);
        RefreshSpan span = metrics.started(catalogName, request.view(), request.trigger());
        try {
            RefreshRecord record = refresh(session, catalog, view, mode, request.cause(), recorder, cancel);
            history.add(view.backingTable(), record);
            span.end(record);
            return record;
        }
        catch (RuntimeException e) {
            RefreshRecord record = recorder.failed(e);
            history.add(view.backingTable(), record);
            span.end(record);
            throw e;
        }
        finally {
            running.ended(recorder.refreshId);
        }
    }

    /** Has the history tell of a refresh that was cancelled while it waited for its turn. */
    void cancelledWhileWaiting(Request request, TrinoException cause)
    {
        try {
            BackgroundSession session = sessions.create(request.identity());
            catalogFactory.create(request.identity()).findView(session, request.view()).ifPresent(view -> {
                RefreshMode mode = request.mode().orElseGet(() -> RefreshProperties.refreshMode(view.definition().properties()));
                RefreshRecord record = new Recorder(randomUUID().toString(), request.trigger(), mode).failed(cause);
                history.add(view.backingTable(), record);
                metrics.started(catalogName, request.view(), request.trigger()).end(record);
            });
        }
        catch (RuntimeException e) {
            log.warn(e, "The history of %s.%s does not tell of a cancelled refresh", catalogName, request.view());
        }
    }

    private RefreshRecord refresh(BackgroundSession session, FreshetCatalog catalog, ViewTable view, RefreshMode mode, Optional<PlanReason> cause, Recorder recorder, CancelSwitch cancel)
    {
        Decision decision = decide(session, catalog, view, mode, true);
        PlannedRefresh planned = decision.planned();
        Planned plan = decision.plan();
        recorder.planned(planned, plan, cause.orElse(decision.reason()));
        if (cancel.isCancelled()) {
            throw new TrinoException(REFRESH_CANCELLED, "The refresh was cancelled");
        }
        if (plan.strategy() == Strategy.NO_OP) {
            return finishNoOp(session, planned, recorder);
        }
        try {
            return execute(planned, plan, recorder, cancel);
        }
        catch (StatementFailedException e) {
            if (mode == RefreshMode.INCREMENTAL) {
                throw e;
            }
            return fallBack(session, catalog, view, planned, plan, recorder, cancel, e);
        }
    }

    /**
     * A statement may fail though the view's own query does not: a delta or a state can overflow where the total does not, or a
     * row filter forbids to look at changes. So first the whole view is computed with its states, then without.
     */
    private RefreshRecord fallBack(BackgroundSession session, FreshetCatalog catalog, ViewTable view, PlannedRefresh failed, Planned failedPlan, Recorder recorder, CancelSwitch cancel, StatementFailedException failure)
    {
        boolean wasFull = failedPlan.strategy() == Strategy.FULL_REFRESH;
        if (wasFull && (failed.request().layout().isEmpty() || !failedPlan.writesState())) {
            throw failure;
        }
        metrics.fellBack();
        log.info("Refresh of %s.%s by %s failed, going on with a full refresh %s states: %s", catalogName, view.view(), failedPlan.strategy(), wasFull ? "without" : "with", failure.getMessage());
        FreshetCatalog fresh = catalogFactory.create(session.getIdentity());
        ViewTable current = fresh.findView(session, view.view()).orElseThrow(() -> new MaterializedViewNotFoundException(view.view()));
        Decision decision = decide(session, fresh, current, RefreshMode.FULL, !wasFull);
        PlannedRefresh planned = decision.planned();
        Planned plan = decision.plan();
        recorder.planned(planned, plan, fallBackReason(wasFull, failure));
        try {
            return execute(planned, plan, recorder, cancel);
        }
        catch (StatementFailedException e) {
            if (wasFull) {
                throw e;
            }
            return fallBack(session, fresh, current, planned, plan, recorder, cancel, e);
        }
    }

    private static PlanReason fallBackReason(boolean withoutStates, StatementFailedException failure)
    {
        if (failure.getMessage().contains("SOURCE_HAS_ROW_FILTER")) {
            return new PlanReason("SOURCE_HAS_ROW_FILTER", failure.getMessage(), 0, 0);
        }
        return new PlanReason(withoutStates ? "STATE_FAILED" : "DELTA_FAILED", failure.getMessage(), 0, 0);
    }

    private record Decision(PlannedRefresh planned, Planned plan, PlanReason reason) {}

    private Decision decide(BackgroundSession session, FreshetCatalog catalog, ViewTable view, RefreshMode mode, boolean withState)
    {
        PlannedRefresh planned = planning.plan(session, catalog, view, mode, withState);
        Planned plan = decided(view, planned.plan());
        if (plan.strategy() == Strategy.FULL_REFRESH && !definitionCheck.check(planned)) {
            PlannedRefresh withoutState = planning.plan(session, catalog, view, RefreshMode.FULL, false);
            return new Decision(withoutState, decided(view, withoutState.plan()), plan.reason());
        }
        return new Decision(planned, plan, plan.reason());
    }

    private Planned decided(ViewTable view, RefreshPlan plan)
    {
        return switch (plan) {
            case Planned planned -> planned;
            case RefreshPlan.Refused(PlanReason reason) -> throw new TrinoException(
                    MATERIALIZED_VIEW_NOT_INCREMENTAL,
                    "Materialized view %s.%s cannot be refreshed incrementally: %s".formatted(catalogName, view.view(), reason.message()));
        };
    }

    private RefreshRecord execute(PlannedRefresh planned, Planned plan, Recorder recorder, CancelSwitch cancel)
    {
        Executed executed = execution.execute(planned, plan, recorder.summary(), Optional.empty(), recorder.following(cancel));
        return recorder.succeeded(executed);
    }

    private RefreshRecord finishNoOp(BackgroundSession session, PlannedRefresh planned, Recorder recorder)
    {
        if (bookmarksAge(planned)) {
            try {
                execution.forwardBookmarks(session, planned, recorder.summary());
            }
            catch (TrinoException e) {
                // Somebody else moved the view on meanwhile; nothing is lost
                log.debug(e, "Bookmarks of %s were not forwarded", planned.view().view());
            }
        }
        return recorder.succeededWithoutWork();
    }

    private static boolean bookmarksAge(PlannedRefresh planned)
    {
        long limit = planned.startMillis() - FORWARD_BOOKMARKS_AFTER_MILLIS;
        return planned.sources().stream().anyMatch(source -> source.change().kind() == ChangeKind.REORGANIZED)
                && planned.view().backingTable().currentSnapshot().timestampMillis() < limit;
    }

    /** Fills a view that becomes visible by being filled. */
    public void build(ConnectorSession session, FreshetCatalog catalog, ViewTable view, Transaction staged, CancelSwitch cancel)
    {
        Recorder recorder = new Recorder(randomUUID().toString(), RefreshTrigger.CREATE, RefreshMode.FULL);
        RefreshSpan span = metrics.started(catalogName, view.view(), RefreshTrigger.CREATE);
        try {
            RefreshRecord record = build(session, catalog, view, staged, recorder, cancel);
            history.add(view.backingTable().operations().current().uuid(), record);
            span.end(record);
        }
        catch (RuntimeException e) {
            span.end(recorder.failed(e));
            throw e;
        }
    }

    private RefreshRecord build(ConnectorSession session, FreshetCatalog catalog, ViewTable view, Transaction staged, Recorder recorder, CancelSwitch cancel)
    {
        PlannedRefresh planned = planning.plan(session, catalog, view, RefreshMode.FULL, true);
        Planned plan = decided(view, planned.plan());
        recorder.planned(planned, plan, PlanReason.of(PlanReasonCode.NOT_BUILT, "the view is being created"));
        Executed executed;
        try {
            executed = execution.execute(planned, plan, recorder.summary(), Optional.of(staged), recorder.following(cancel));
        }
        catch (StatementFailedException e) {
            if (planned.request().layout().isEmpty()) {
                throw e;
            }
            PlannedRefresh withoutState = planning.plan(session, catalog, view, RefreshMode.FULL, false);
            Planned fallBack = decided(view, withoutState.plan());
            recorder.planned(withoutState, fallBack, fallBackReason(true, e));
            executed = execution.execute(withoutState, fallBack, recorder.summary(), Optional.of(staged), recorder.following(cancel));
        }
        return recorder.succeeded(executed);
    }

    /** Gathers what the record of a refresh says while the refresh goes on. */
    private final class Recorder
    {
        private final String refreshId;
        private final RefreshTrigger trigger;
        private final RefreshMode mode;
        private final long startedAt = System.currentTimeMillis();
        private Optional<PlannedRefresh> planned = Optional.empty();
        private Optional<Planned> plan = Optional.empty();
        private Optional<PlanReason> reason = Optional.empty();
        private volatile Optional<RunningStatement> statement = Optional.empty();

        private Recorder(String refreshId, RefreshTrigger trigger, RefreshMode mode)
        {
            this.refreshId = requireNonNull(refreshId, "refreshId is null");
            this.trigger = requireNonNull(trigger, "trigger is null");
            this.mode = requireNonNull(mode, "mode is null");
        }

        private RefreshSummary summary()
        {
            return new RefreshSummary(refreshId, trigger, mode, plan.orElseThrow().strategy(), reason.orElseThrow(), deltaRows());
        }

        /** What is to be done with its statement. */
        private Consumer<RunningStatement> following(CancelSwitch cancel)
        {
            return sent -> {
                statement = Optional.of(sent);
                cancel.onCancel(sent.cancel());
            };
        }

        private synchronized RunningRefresh running()
        {
            Optional<Progress> progress = statement.flatMap(sent -> sent.progress().get());
            RefreshRecord record = record(Status.RUNNING, Optional.empty(), Optional.empty(), progress.map(now -> new StatementRunner.Result(now.queryId(), now.rows(), now.bytes(), 0)));
            return new RunningRefresh(record, progress);
        }

        private synchronized void planned(PlannedRefresh planned, Planned plan, PlanReason reason)
        {
            this.planned = Optional.of(planned);
            this.plan = Optional.of(plan);
            this.reason = Optional.of(reason);
        }

        private RefreshRecord succeeded(Executed executed)
        {
            Committed committed = executed.committed();
            return record(
                    Status.SUCCEEDED,
                    Optional.empty(),
                    Optional.of(committed),
                    Optional.of(executed.statement()));
        }

        private RefreshRecord succeededWithoutWork()
        {
            return record(Status.SUCCEEDED, Optional.empty(), Optional.empty(), Optional.empty());
        }

        private RefreshRecord failed(RuntimeException e)
        {
            Status status = Status.FAILED;
            if (e instanceof TrinoException failure) {
                if (failure.getErrorCode().equals(REFRESH_CANCELLED.toErrorCode())) {
                    status = Status.CANCELLED;
                }
                else if (failure.getErrorCode().equals(REFRESH_CONFLICT.toErrorCode())) {
                    status = Status.CONFLICT;
                }
                else if (failure.getErrorCode().equals(REFRESH_OUTCOME_UNKNOWN.toErrorCode())) {
                    status = Status.UNKNOWN;
                }
            }
            String error = e instanceof TrinoException failure ? "%s: %s".formatted(failure.getErrorCode().getName(), failure.getMessage()) : e.toString();
            return record(status, Optional.of(error), Optional.empty(), Optional.empty());
        }

        private RefreshRecord record(Status status, Optional<String> error, Optional<Committed> committed, Optional<StatementRunner.Result> statement)
        {
            return new RefreshRecord(
                    refreshId,
                    trigger,
                    mode.name(),
                    plan.map(value -> value.strategy().name()),
                    reason.map(PlanReason::code),
                    reason.map(PlanReason::detail).filter(detail -> !detail.isEmpty()),
                    status,
                    error,
                    startedAt,
                    status == Status.RUNNING ? Optional.empty() : Optional.of(System.currentTimeMillis()),
                    deltaRows(),
                    committed.map(Committed::rowsInserted),
                    committed.map(Committed::rowsDeleted),
                    statement.map(StatementRunner.Result::bytesRead),
                    committed.map(Committed::bytesWritten),
                    statement.map(StatementRunner.Result::queryId).filter(id -> !id.isEmpty()).map(ImmutableList::of).orElse(ImmutableList.of()),
                    committed.map(Committed::snapshotId),
                    planned.map(this::sourceSnapshots).orElse(ImmutableMap.of()));
        }

        private Optional<Long> deltaRows()
        {
            boolean readsDelta = plan.map(Planned::strategy).filter(strategy -> strategy != Strategy.FULL_REFRESH).isPresent();
            return planned.filter(_ -> readsDelta).map(PlannedRefresh::deltaRows);
        }

        private Map<String, Optional<Long>> sourceSnapshots(PlannedRefresh planned)
        {
            ImmutableMap.Builder<String, Optional<Long>> snapshots = ImmutableMap.builder();
            planned.pins().values().forEach(pin -> snapshots.put(
                    catalogName + "." + pin.table(),
                    pin.snapshotId().isPresent() ? Optional.of(pin.snapshotId().getAsLong()) : Optional.empty()));
            return snapshots.buildOrThrow();
        }
    }
}
