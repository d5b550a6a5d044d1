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
package io.freshet.spi.schedule;

import com.google.common.base.Throwables;
import com.google.inject.Inject;
import io.freshet.engine.RelationName;
import io.freshet.engine.schedule.RefreshAgenda.Outcome;
import io.freshet.engine.schedule.RefreshCause;
import io.freshet.spi.catalog.FreshetCatalog;
import io.freshet.spi.catalog.FreshetCatalogFactory;
import io.freshet.spi.catalog.ViewTable;
import io.freshet.spi.refresh.BackgroundSession;
import io.freshet.spi.refresh.BackgroundSessions;
import io.freshet.spi.refresh.RefreshQueue;
import io.freshet.spi.refresh.RefreshRecord.RefreshTrigger;
import io.freshet.spi.refresh.RefreshService.Request;
import io.freshet.spi.refresh.StatementRunner;
import io.freshet.spi.refresh.ViewFreshness;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.MaterializedViewNotFoundException;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.security.ConnectorIdentity;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import static io.freshet.spi.FreshetErrorCode.REFRESH_CONFLICT;
import static java.util.Objects.requireNonNull;
import static java.util.concurrent.CompletableFuture.completedFuture;

/**
 * Refreshes views by the queue that manual refreshes go through too. A view whose sources have not moved is done with after a look
 * at their snapshots.
 */
public final class QueueViewRefresher
        implements ViewRefresher
{
    private final FreshetCatalogFactory catalogFactory;
    private final BackgroundSessions sessions;
    private final CatalogViewDirectory directory;
    private final ViewFreshness freshness;
    private final RefreshQueue queue;
    private final StatementRunner runner;

    @Inject
    public QueueViewRefresher(FreshetCatalogFactory catalogFactory, BackgroundSessions sessions, CatalogViewDirectory directory, ViewFreshness freshness, RefreshQueue queue, StatementRunner runner)
    {
        this.catalogFactory = requireNonNull(catalogFactory, "catalogFactory is null");
        this.sessions = requireNonNull(sessions, "sessions is null");
        this.directory = requireNonNull(directory, "directory is null");
        this.freshness = requireNonNull(freshness, "freshness is null");
        this.queue = requireNonNull(queue, "queue is null");
        this.runner = requireNonNull(runner, "runner is null");
    }

    @Override
    public boolean isReady()
    {
        return runner.isServerReady();
    }

    @Override
    public CompletableFuture<Result> refresh(RelationName view, RefreshCause cause)
    {
        return completedFuture(refreshNow(view, cause));
    }

    private Result refreshNow(RelationName view, RefreshCause cause)
    {
        SchemaTableName name = new SchemaTableName(view.schema(), view.table());
        ConnectorIdentity identity = sessions.serviceIdentity();
        BackgroundSession session = sessions.create(identity);
        FreshetCatalog catalog = catalogFactory.create(identity);
        Optional<ViewTable> found;
        try {
            found = catalog.findView(session, name);
        }
        catch (RuntimeException e) {
            return failure(e, Optional.empty());
        }
        if (found.isEmpty()) {
            return new Result(Outcome.SUCCEEDED, Optional.empty(), Optional.empty());
        }
        WatchedView watched = directory.watched(session, catalog, found.get());
        try {
            if (watched.scheduled().paused() || freshness.isUpToDate(session, catalog, found.get())) {
                return new Result(Outcome.SUCCEEDED, Optional.empty(), Optional.of(watched));
            }
            queue.submit(new Request(name, Optional.empty(), trigger(cause), identity)).join();
        }
        catch (RuntimeException e) {
            return failure(e, Optional.of(watched));
        }
        Optional<WatchedView> afterwards;
        try {
            afterwards = directory.load(view);
        }
        catch (RuntimeException e) {
            afterwards = Optional.of(watched);
        }
        return new Result(Outcome.SUCCEEDED, Optional.empty(), afterwards);
    }

    private static Result failure(RuntimeException e, Optional<WatchedView> view)
    {
        Throwable cause = e instanceof CompletionException && e.getCause() != null ? e.getCause() : e;
        if (cause instanceof MaterializedViewNotFoundException) {
            return new Result(Outcome.SUCCEEDED, Optional.empty(), Optional.empty());
        }
        if (cause instanceof TrinoException failure) {
            Outcome outcome = failure.getErrorCode().equals(REFRESH_CONFLICT.toErrorCode()) ? Outcome.CONFLICT : Outcome.FAILED;
            return new Result(outcome, Optional.of("%s: %s".formatted(failure.getErrorCode().getName(), failure.getMessage())), view);
        }
        return new Result(Outcome.FAILED, Optional.of(Throwables.getRootCause(cause).toString()), view);
    }

    private static RefreshTrigger trigger(RefreshCause cause)
    {
        return switch (cause) {
            case SCHEDULE -> RefreshTrigger.SCHEDULE;
            case COMMIT -> RefreshTrigger.COMMIT;
            case CASCADE -> RefreshTrigger.CASCADE;
        };
    }
}
