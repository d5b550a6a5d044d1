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

import com.google.inject.Inject;
import io.freshet.engine.RefreshMode;
import io.freshet.spi.refresh.RefreshService.Request;
import io.trino.spi.TrinoException;
import io.trino.spi.classloader.ThreadContextClassLoader;
import io.trino.spi.connector.SchemaTableName;
import org.weakref.jmx.Managed;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.freshet.spi.FreshetErrorCode.REFRESH_CANCELLED;
import static java.util.Objects.requireNonNull;

/**
 * At most one refresh of a view at a time in this cluster. Whoever asks while one runs gets the next one; who asks for the same
 * while that is waiting shares it, since it will see everything committed up to its start. Refreshes by other clusters are
 * kept apart by the commit.
 */
public final class RefreshQueue
{
    private final RefreshService service;
    private final StorageCare storageCare;
    private final ExecutorService executor;
    private final Map<SchemaTableName, Deque<Run>> runs = new HashMap<>();
    private final Map<String, CancelSwitch> statements = new ConcurrentHashMap<>();

    @Inject
    public RefreshQueue(RefreshService service, StorageCare storageCare, @ForRefresh ExecutorService executor)
    {
        this.service = requireNonNull(service, "service is null");
        this.storageCare = requireNonNull(storageCare, "storageCare is null");
        this.executor = requireNonNull(executor, "executor is null");
    }

    /**
     * A refresh that starts after this call, or has not started yet.
     *
     * @param statementId the statement that asks; when it ends, so does its interest in the refresh
     * @return cancelling it cancels the refresh, if nobody else waits for it
     */
    public CompletableFuture<RefreshRecord> submit(String statementId, Request request)
    {
        CompletableFuture<RefreshRecord> result = join(request);
        onStatementEnd(statementId, () -> result.cancel(false));
        result.whenComplete((_, _) -> statements.remove(statementId));
        return result;
    }

    /** A refresh for which no statement asks, otherwise as {@link #submit(String, Request)}. */
    public CompletableFuture<RefreshRecord> submit(Request request)
    {
        return join(request);
    }

    /** Runs the action if the statement ends before {@link #release}. */
    public CancelSwitch onStatementEnd(String statementId, Runnable action)
    {
        CancelSwitch cancel = new CancelSwitch();
        cancel.onCancel(action);
        statements.put(statementId, cancel);
        return cancel;
    }

    public void release(String statementId)
    {
        statements.remove(statementId);
    }

    public void statementEnded(String statementId)
    {
        CancelSwitch cancel = statements.remove(statementId);
        if (cancel != null) {
            cancel.cancel();
        }
    }

    /**
     * Cancels every refresh of the view that runs or waits in this cluster. Whoever waits for one of them fails with REFRESH_CANCELLED,
     * unless its commit was faster.
     *
     * @return completes when they have ended; empty if there are none
     */
    public Optional<CompletableFuture<Void>> cancelAll(SchemaTableName view)
    {
        List<Run> waiting;
        List<Run> running;
        synchronized (this) {
            Deque<Run> queue = runs.getOrDefault(view, new ArrayDeque<>());
            waiting = queue.stream().skip(1).collect(toImmutableList());
            queue.removeAll(waiting);
            running = queue.stream()
                    .filter(run -> !run.result.isDone())
                    .collect(toImmutableList());
        }
        if (waiting.isEmpty() && running.isEmpty()) {
            return Optional.empty();
        }
        for (Run run : waiting) {
            TrinoException cancelled = new TrinoException(REFRESH_CANCELLED, "The refresh was cancelled before it began");
            service.cancelledWhileWaiting(run.request, cancelled);
            run.result.completeExceptionally(cancelled);
        }
        running.forEach(run -> run.cancel.cancel());
        return Optional.of(CompletableFuture.allOf(running.stream()
                .map(run -> run.result.exceptionally(_ -> null))
                .toArray(CompletableFuture[]::new)));
    }

    @Managed(description = "Refreshes that run, and storage care after them")
    public synchronized int getRunning()
    {
        return runs.size();
    }

    @Managed(description = "Refreshes that wait for another one of the same view")
    public synchronized int getWaiting()
    {
        return runs.values().stream().mapToInt(Deque::size).sum() - runs.size();
    }

    private synchronized CompletableFuture<RefreshRecord> join(Request request)
    {
        Deque<Run> queue = runs.computeIfAbsent(request.view(), _ -> new ArrayDeque<>());
        Run last = queue.peekLast();
        if (last != null && last != queue.peekFirst() && last.mode().equals(request.mode())) {
            return last.join();
        }
        Run run = new Run(request);
        queue.addLast(run);
        CompletableFuture<RefreshRecord> result = run.join();
        if (queue.size() == 1) {
            start(run);
        }
        return result;
    }

    private void start(Run run)
    {
        executor.execute(() -> {
            try (ThreadContextClassLoader _ = new ThreadContextClassLoader(RefreshQueue.class.getClassLoader())) {
                RefreshRecord record = service.refresh(run.request, run.cancel);
                run.result.complete(record);
                if (record.backingSnapshotId().isPresent()) {
                    // before the next refresh, as they would be in each other's way
                    storageCare.care(run.request.view(), run.request.identity());
                }
            }
            catch (Throwable e) {
                run.result.completeExceptionally(e);
            }
            finally {
                next(run);
            }
        });
    }

    private synchronized void next(Run finished)
    {
        Deque<Run> queue = runs.get(finished.request.view());
        queue.remove(finished);
        if (queue.isEmpty()) {
            runs.remove(finished.request.view());
        }
        else {
            start(queue.getFirst());
        }
    }

    private synchronized void abandon(Run run)
    {
        run.interested--;
        if (run.interested > 0) {
            return;
        }
        Deque<Run> queue = runs.get(run.request.view());
        if (queue != null && queue.peekFirst() != run && queue.remove(run)) {
            run.result.completeExceptionally(new TrinoException(REFRESH_CANCELLED, "The refresh was cancelled before it began"));
            return;
        }
        run.cancel.cancel();
    }

    private final class Run
    {
        private final Request request;
        private final CancelSwitch cancel = new CancelSwitch();
        private final CompletableFuture<RefreshRecord> result = new CompletableFuture<>();
        private int interested;

        private Run(Request request)
        {
            this.request = requireNonNull(request, "request is null");
        }

        private Optional<RefreshMode> mode()
        {
            return request.mode();
        }

        private CompletableFuture<RefreshRecord> join()
        {
            interested++;
            // not result.copy(): that wraps the exception, and the engine would not see its code
            CompletableFuture<RefreshRecord> copy = new CompletableFuture<>();
            result.whenComplete((record, failure) -> {
                if (failure == null) {
                    copy.complete(record);
                }
                else {
                    copy.completeExceptionally(failure);
                }
            });
            copy.whenComplete((_, _) -> {
                if (copy.isCancelled()) {
                    abandon(this);
                }
            });
            return copy;
        }
    }
}
