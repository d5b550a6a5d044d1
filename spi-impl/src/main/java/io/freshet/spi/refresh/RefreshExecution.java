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

import com.google.common.collect.ImmutableMap;
import com.google.inject.Inject;
import dev.failsafe.Failsafe;
import dev.failsafe.RetryPolicy;
import io.airlift.log.Logger;
import io.freshet.engine.ApplyMethod;
import io.freshet.engine.Strategy;
import io.freshet.engine.plan.RefreshPlan.Planned;
import io.freshet.engine.plan.SourceFacts;
import io.freshet.spi.catalog.BackingTables;
import io.freshet.spi.catalog.ViewTable;
import io.freshet.spi.refresh.RefreshJob.CommitOutcome;
import io.freshet.spi.refresh.RefreshJob.Committed;
import io.freshet.spi.refresh.RefreshJob.WriteMode;
import io.freshet.spi.refresh.StatementRunner.OutputColumn;
import io.freshet.spi.view.StoredView;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.SchemaTableName;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.util.SnapshotUtil;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Pattern;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.freshet.spi.FreshetErrorCode.REFRESH_OUTCOME_UNKNOWN;
import static java.util.Objects.requireNonNull;

/**
 * Carries out a plan: one statement, one commit.
 */
public final class RefreshExecution
{
    private static final Logger log = Logger.get(RefreshExecution.class);

    /** Up to so many rows one thread is as fast as many. */
    private static final long SMALL_ROWS = 100_000;

    /** A catalog that did not answer a commit may need a while to answer at all. */
    private static final RetryPolicy<Object> UNTIL_READABLE = RetryPolicy.builder()
            .withBackoff(Duration.ofMillis(100), Duration.ofSeconds(5))
            .withMaxDuration(Duration.ofMinutes(1))
            .withMaxRetries(-1)
            .build();

    /** Inline functions and session properties stand only at the head of a statement's query. */
    private static final Pattern SQL_WITH_DECLARATIONS = Pattern.compile("\\s*WITH\\s+(FUNCTION|SESSION)\\b", Pattern.CASE_INSENSITIVE);

    private final StatementContexts contexts;
    private final StatementRunner runner;
    private final BackingContent backingContent;
    private final RefreshHistory history;
    private final RefreshCommitter committer;

    @Inject
    public RefreshExecution(StatementContexts contexts, StatementRunner runner, BackingContent backingContent, RefreshHistory history, RefreshCommitter committer)
    {
        this.contexts = requireNonNull(contexts, "contexts is null");
        this.runner = requireNonNull(runner, "runner is null");
        this.backingContent = requireNonNull(backingContent, "backingContent is null");
        this.history = requireNonNull(history, "history is null");
        this.committer = requireNonNull(committer, "committer is null");
    }

    public record Executed(StatementRunner.Result statement, Committed committed) {}

    /**
     * Runs the statement of the plan and has it committed.
     *
     * @param staged the table, if the rows are to create or replace it
     * @param onStart receives the statement when it has been sent
     */
    public Executed execute(PlannedRefresh planned, Planned plan, RefreshSummary summary, Optional<Transaction> staged, Consumer<RunningStatement> onStart)
    {
        ViewTable view = planned.view();
        String refreshId = summary.refreshId();
        WriteMode mode = switch (plan.applyMethod()) {
            case APPEND -> WriteMode.APPEND;
            case MERGE -> WriteMode.ROW_DELTA;
            case REWRITE, OVERWRITE -> WriteMode.OVERWRITE;
            case NONE -> throw new IllegalArgumentException("Nothing to execute");
        };
        String user = runner.user(view.definition().owner());
        RefreshJob job = job(planned, mode, user, summary, plan.writesState(), staged);
        String token = contexts.register(job);
        try {
            StatementRunner.Result result = runner.execute(new StatementRunner.Request(plan.sql().orElseThrow(), user, token, view.definition(), isSmall(planned, plan)), onStart);
            return new Executed(result, job.outcome().get().orElseThrow(() -> new IllegalStateException("The statement of refresh %s ended without a commit".formatted(refreshId))));
        }
        catch (TrinoException e) {
            Optional<Committed> committed = job.outcome().close();
            if (committed.isPresent()) {
                // The rows are committed; what failed came after, such as the client losing the connection
                log.warn(e, "The statement of refresh %s of %s failed after its commit", refreshId, view.view());
                return new Executed(new StatementRunner.Result("", 0, 0, 0), committed.get());
            }
            TrinoException failure = job.outcome().unknown().orElse(e);
            if (staged.isEmpty() && failure.getErrorCode().equals(REFRESH_OUTCOME_UNKNOWN.toErrorCode())) {
                return new Executed(new StatementRunner.Result("", 0, 0, 0), settle(view, refreshId, failure));
            }
            throw failure;
        }
        finally {
            job.outcome().close();
            contexts.revoke(token);
        }
    }

    private static boolean isSmall(PlannedRefresh planned, Planned plan)
    {
        long rows = planned.deltaRows();
        if (plan.applyMethod() == ApplyMethod.REWRITE) {
            rows += planned.request().backing().rows().orElse(Long.MAX_VALUE / 2);
        }
        if (plan.strategy() == Strategy.GROUP_RECOMPUTE) {
            for (SourceFacts source : planned.request().sources()) {
                rows += source.rows().orElse(Long.MAX_VALUE / 1000);
            }
        }
        return plan.strategy() != Strategy.FULL_REFRESH && rows <= SMALL_ROWS;
    }

    /** Types of the columns of a query of no rows over the sources of a view. */
    public List<String> columnTypes(SchemaTableName view, StoredView definition, Map<SchemaTableName, SourcePin> pins, String sql)
    {
        return read(view, definition, pins, sql, request -> runner.columns(request, _ -> {})).stream()
                .map(OutputColumn::type)
                .collect(toImmutableList());
    }

    /** The columns that the query of a view gives, by name and type. */
    public List<OutputColumn> columns(SchemaTableName view, StoredView definition, Map<SchemaTableName, SourcePin> pins, String sql)
    {
        if (SQL_WITH_DECLARATIONS.matcher(sql).lookingAt()) {
            return read(view, definition, pins, sql, request -> runner.describe(request, _ -> {}));
        }
        return read(view, definition, pins, "SELECT * FROM (" + sql.strip() + ") LIMIT 0", request -> runner.columns(request, _ -> {}));
    }

    /** The numbers in the single row that a query over the sources of a view, and its stored rows, gives. */
    public List<Long> numbers(SchemaTableName view, StoredView definition, Map<SchemaTableName, SourcePin> pins, String sql, Consumer<RunningStatement> onStart)
    {
        return read(view, definition, pins, sql, false, request -> runner.numbers(request, onStart));
    }

    private <T> T read(SchemaTableName view, StoredView definition, Map<SchemaTableName, SourcePin> pins, String sql, Function<StatementRunner.Request, T> action)
    {
        return read(view, definition, pins, sql, true, action);
    }

    private <T> T read(SchemaTableName view, StoredView definition, Map<SchemaTableName, SourcePin> pins, String sql, boolean small, Function<StatementRunner.Request, T> action)
    {
        String user = runner.user(definition.owner());
        String token = contexts.register(RefreshJob.readOnly(user, view, BackingTables.backingTableOf(view), pins));
        try {
            return action.apply(new StatementRunner.Request(sql, user, token, definition, small));
        }
        finally {
            contexts.revoke(token);
        }
    }

    /** Has files of the view written anew, with what is deleted in them left out. The content stays what it is. */
    public Committed compact(ViewTable view, Compaction compaction, String sql)
    {
        SchemaTableName backingTable = BackingTables.backingTableOf(view.view());
        BaseTable table = view.backingTable();
        String user = runner.user(view.definition().owner());
        RefreshJob job = new RefreshJob(
                "compaction",
                user,
                view.view(),
                backingTable,
                WriteMode.REORGANIZE,
                RefreshPlanning.currentSnapshotId(table),
                Optional.empty(),
                ImmutableMap.of(),
                ImmutableMap.of(RefreshState.SUMMARY_KEY, table.currentSnapshot().summary().get(RefreshState.SUMMARY_KEY)),
                ImmutableMap.of(),
                Optional.of(compaction),
                new CommitOutcome());
        String token = contexts.register(job);
        try {
            runner.execute(new StatementRunner.Request(sql, user, token, view.definition(), false), _ -> {});
            return job.outcome().get().orElseThrow();
        }
        finally {
            job.outcome().close();
            contexts.revoke(token);
        }
    }

    /** Writes newer bookmarks for the same content. */
    public Committed forwardBookmarks(BackgroundSession session, PlannedRefresh planned, RefreshSummary summary)
    {
        boolean holdsState = planned.request().contentFault().isEmpty() && planned.request().layout().isPresent();
        return committer.commitBookmarks(
                session,
                job(planned, WriteMode.APPEND, session.getUser(), summary, holdsState, Optional.empty()),
                planned.view().backingTable());
    }

    private RefreshJob job(PlannedRefresh planned, WriteMode mode, String user, RefreshSummary summary, boolean holdsState, Optional<Transaction> staged)
    {
        SchemaTableName view = planned.view().view();
        Map<String, String> summaryEntries = ImmutableMap.<String, String>builder()
                .put(RefreshState.SUMMARY_KEY, backingContent.encode(RefreshPlanning.stateAfter(planned, summary.refreshId(), holdsState)))
                .put("trino_user", user)
                .putAll(summary.entries())
                .buildOrThrow();
        return new RefreshJob(
                summary.refreshId(),
                user,
                view,
                BackingTables.backingTableOf(view),
                mode,
                staged.isPresent() ? OptionalLong.empty() : planned.expectedSnapshotId(),
                staged,
                planned.pins(),
                summaryEntries,
                staged.isPresent() ? Map.of() : history.property(planned.view().backingTable()),
                Optional.empty(),
                new CommitOutcome());
    }

    /**
     * Whether a commit of unknown outcome happened is read from the table: its snapshot would carry the refresh's id.
     */
    private Committed settle(ViewTable view, String refreshId, TrinoException unknown)
    {
        BaseTable table = view.backingTable();
        try {
            Failsafe.with(UNTIL_READABLE).run(table::refresh);
        }
        catch (RuntimeException e) {
            unknown.addSuppressed(e);
            throw unknown;
        }
        Snapshot current = table.currentSnapshot();
        if (current != null) {
            for (Snapshot snapshot : SnapshotUtil.ancestorsOf(current.snapshotId(), table::snapshot)) {
                String state = snapshot.summary().get(RefreshState.SUMMARY_KEY);
                if (state != null && state.contains(refreshId)) {
                    return new Committed(snapshot.snapshotId(), 0, 0, 0);
                }
            }
        }
        throw unknown;
    }
}
