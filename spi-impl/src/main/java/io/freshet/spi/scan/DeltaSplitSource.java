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
package io.freshet.spi.scan;

import com.google.common.collect.ImmutableList;
import io.trino.plugin.iceberg.IcebergSplit;
import io.trino.spi.connector.ConnectorSplit;
import io.trino.spi.connector.ConnectorSplitSource;
import io.trino.spi.connector.DynamicFilterSnapshot;
import io.trino.spi.metrics.Metrics;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;
import static java.util.concurrent.CompletableFuture.completedFuture;

/** The splits of one source after the other. */
final class DeltaSplitSource
        implements ConnectorSplitSource
{
    private final List<Part> parts;
    private volatile int current;

    DeltaSplitSource(List<Part> parts)
    {
        this.parts = ImmutableList.copyOf(parts);
    }

    record Part(ConnectorSplitSource splits, Function<IcebergSplit, DeltaSplit> toDelta)
    {
        Part
        {
            requireNonNull(splits, "splits is null");
            requireNonNull(toDelta, "toDelta is null");
        }
    }

    @Override
    public CompletableFuture<List<ConnectorSplit>> getNextBatch(int maxSize, DynamicFilterSnapshot dynamicFilterSnapshot)
    {
        if (isFinished()) {
            return completedFuture(ImmutableList.of());
        }
        Part part = parts.get(current);
        CompletableFuture<List<ConnectorSplit>> batch = new CompletableFuture<>();
        part.splits().getNextBatch(maxSize, WeightColumn.without(dynamicFilterSnapshot))
                .thenAccept(splits -> batch.complete(splits.stream()
                        .map(split -> part.toDelta().apply((IcebergSplit) split))
                        .collect(toImmutableList())))
                .exceptionally(failure -> {
                    // The engine does not look for an error code below a CompletionException
                    batch.completeExceptionally(failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure);
                    return null;
                });
        return batch;
    }

    @Override
    public boolean isFinished()
    {
        while (current < parts.size() && parts.get(current).splits().isFinished()) {
            current++;
        }
        return current == parts.size();
    }

    @Override
    public void close()
    {
        parts.forEach(part -> part.splits().close());
    }

    @Override
    public Optional<List<Object>> getTableExecuteSplitsInfo()
    {
        return Optional.empty();
    }

    @Override
    public long getRequestedDynamicFilterWaitTimeoutMillis()
    {
        return parts.stream()
                .mapToLong(part -> part.splits().getRequestedDynamicFilterWaitTimeoutMillis())
                .max()
                .orElse(0);
    }

    @Override
    public Metrics getMetrics()
    {
        return parts.stream()
                .map(part -> part.splits().getMetrics())
                .reduce(Metrics.EMPTY, Metrics::mergeWith);
    }
}
