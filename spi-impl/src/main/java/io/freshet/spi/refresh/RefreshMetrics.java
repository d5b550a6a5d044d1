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
import io.airlift.log.Logger;
import io.airlift.stats.TimeStat;
import io.freshet.engine.Strategy;
import io.freshet.spi.refresh.RefreshRecord.RefreshTrigger;
import io.freshet.spi.refresh.RefreshRecord.Status;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.trino.spi.catalog.CatalogName;
import io.trino.spi.connector.SchemaTableName;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import org.weakref.jmx.JmxException;
import org.weakref.jmx.MBeanExporter;
import org.weakref.jmx.Managed;
import org.weakref.jmx.Nested;
import org.weakref.jmx.ObjectNameBuilder;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.MILLISECONDS;

/**
 * What refreshes did since this server started, in numbers for JMX and as spans. Counters only grow. One bean counts all refreshes,
 * one for each strategy those that it was decided for.
 */
public final class RefreshMetrics
{
    private static final Logger log = Logger.get(RefreshMetrics.class);

    private final Tracer tracer;
    private final MBeanExporter exporter;
    private final String catalogName;
    private final Map<Strategy, Counts> byStrategy;
    private final Counts all = new Counts();
    private final LongAdder fallbacks = new LongAdder();
    private final LongAdder verifications = new LongAdder();
    private final LongAdder divergences = new LongAdder();

    @Inject
    public RefreshMetrics(Tracer tracer, MBeanExporter exporter, CatalogName catalogName)
    {
        this.tracer = requireNonNull(tracer, "tracer is null");
        this.exporter = requireNonNull(exporter, "exporter is null");
        this.catalogName = catalogName.toString();
        Map<Strategy, Counts> counts = new EnumMap<>(Strategy.class);
        Arrays.stream(Strategy.values()).forEach(strategy -> counts.put(strategy, new Counts()));
        byStrategy = ImmutableMap.copyOf(counts);
    }

    @PostConstruct
    public void export()
    {
        exporter.export(objectName("RefreshMetrics"), this);
        byStrategy.forEach((strategy, counts) -> exporter.export(objectName("RefreshMetrics." + strategy), counts));
    }

    @PreDestroy
    public void unexport()
    {
        unexport(objectName("RefreshMetrics"));
        byStrategy.keySet().forEach(strategy -> unexport(objectName("RefreshMetrics." + strategy)));
    }

    /** A catalog of the same name may have taken the bean over and be gone already. */
    private void unexport(String objectName)
    {
        try {
            exporter.unexport(objectName);
        }
        catch (JmxException e) {
            log.debug(e, "Bean %s is not there", objectName);
        }
    }

    private String objectName(String type)
    {
        return new ObjectNameBuilder("io.freshet")
                .withProperties(ImmutableMap.of("type", type, "name", catalogName))
                .build();
    }

    RefreshSpan started(String catalog, SchemaTableName view, RefreshTrigger trigger)
    {
        return new RefreshSpan(tracer.spanBuilder("freshet.refresh")
                .setAttribute("freshet.view", catalog + "." + view)
                .setAttribute("freshet.trigger", trigger.name())
                .startSpan());
    }

    void fellBack()
    {
        fallbacks.increment();
    }

    void verified(boolean diverged)
    {
        verifications.increment();
        if (diverged) {
            divergences.increment();
        }
    }

    /** A refresh that goes on. */
    final class RefreshSpan
    {
        private final Span span;

        private RefreshSpan(Span span)
        {
            this.span = requireNonNull(span, "span is null");
        }

        void end(RefreshRecord record)
        {
            all.add(record);
            record.strategy().map(Strategy::valueOf).ifPresent(strategy -> byStrategy.get(strategy).add(record));
            span.setAttribute("freshet.refresh_id", record.refreshId());
            span.setAttribute("freshet.mode", record.mode());
            span.setAttribute("freshet.status", record.status().name());
            record.strategy().ifPresent(value -> span.setAttribute("freshet.strategy", value));
            record.reason().ifPresent(value -> span.setAttribute("freshet.reason", value));
            record.rowsInserted().ifPresent(value -> span.setAttribute("freshet.rows_inserted", value));
            record.rowsDeleted().ifPresent(value -> span.setAttribute("freshet.rows_deleted", value));
            record.queryIds().stream().findFirst().ifPresent(value -> span.setAttribute("freshet.query_id", value));
            record.error().ifPresent(error -> span.setStatus(StatusCode.ERROR, error));
            span.end();
        }
    }

    @Managed(description = "Refreshes by a delta that failed and were done in full")
    public long getFallbacks()
    {
        return fallbacks.sum();
    }

    @Managed(description = "Views compared with a recompute")
    public long getVerifications()
    {
        return verifications.sum();
    }

    @Managed(description = "Views whose rows were found to differ from a recompute")
    public long getDivergences()
    {
        return divergences.sum();
    }

    @Managed(description = "Refreshes that succeeded")
    public long getSucceeded()
    {
        return all.getSucceeded();
    }

    @Managed(description = "Refreshes that failed")
    public long getFailed()
    {
        return all.getFailed();
    }

    @Managed(description = "Refreshes that were cancelled")
    public long getCancelled()
    {
        return all.getCancelled();
    }

    @Managed(description = "Refreshes before which another one committed")
    public long getConflicts()
    {
        return all.getConflicts();
    }

    @Managed(description = "Milliseconds that refreshes took")
    public long getMillis()
    {
        return all.getMillis();
    }

    @Managed(description = "Rows written to views")
    public long getRowsInserted()
    {
        return all.getRowsInserted();
    }

    @Managed(description = "Rows of views removed or replaced")
    public long getRowsDeleted()
    {
        return all.getRowsDeleted();
    }

    @Managed(description = "Bytes read from storage")
    public long getBytesRead()
    {
        return all.getBytesRead();
    }

    @Managed(description = "Bytes written to storage")
    public long getBytesWritten()
    {
        return all.getBytesWritten();
    }

    @Managed(description = "How long refreshes take")
    @Nested
    public TimeStat getTime()
    {
        return all.time;
    }

    /** Of all refreshes, or of those by one strategy. */
    public static final class Counts
    {
        private final LongAdder succeeded = new LongAdder();
        private final LongAdder failed = new LongAdder();
        private final LongAdder cancelled = new LongAdder();
        private final LongAdder conflicts = new LongAdder();
        private final LongAdder millis = new LongAdder();
        private final LongAdder rowsInserted = new LongAdder();
        private final LongAdder rowsDeleted = new LongAdder();
        private final LongAdder bytesRead = new LongAdder();
        private final LongAdder bytesWritten = new LongAdder();
        private final TimeStat time = new TimeStat();

        private void add(RefreshRecord record)
        {
            LongAdder result = switch (record.status()) {
                case SUCCEEDED -> succeeded;
                case CANCELLED -> cancelled;
                case CONFLICT -> conflicts;
                case FAILED, UNKNOWN -> failed;
                case RUNNING -> throw new IllegalArgumentException("Goes on: " + record.refreshId());
            };
            result.increment();
            record.finishedAt().ifPresent(end -> millis.add(end - record.startedAt()));
            if (record.status() == Status.SUCCEEDED) {
                record.finishedAt().ifPresent(end -> time.add(end - record.startedAt(), MILLISECONDS));
            }
            add(rowsInserted, record.rowsInserted());
            add(rowsDeleted, record.rowsDeleted());
            add(bytesRead, record.bytesRead());
            add(bytesWritten, record.bytesWritten());
        }

        private static void add(LongAdder sum, Optional<Long> value)
        {
            value.ifPresent(sum::add);
        }

        @Managed(description = "Refreshes that succeeded")
        public long getSucceeded()
        {
            return succeeded.sum();
        }

        @Managed(description = "Refreshes that failed")
        public long getFailed()
        {
            return failed.sum();
        }

        @Managed(description = "Refreshes that were cancelled")
        public long getCancelled()
        {
            return cancelled.sum();
        }

        @Managed(description = "Refreshes before which another one committed")
        public long getConflicts()
        {
            return conflicts.sum();
        }

        @Managed(description = "Milliseconds that refreshes took")
        public long getMillis()
        {
            return millis.sum();
        }

        @Managed(description = "Rows written to views")
        public long getRowsInserted()
        {
            return rowsInserted.sum();
        }

        @Managed(description = "Rows of views removed or replaced")
        public long getRowsDeleted()
        {
            return rowsDeleted.sum();
        }

        @Managed(description = "Bytes read from storage")
        public long getBytesRead()
        {
            return bytesRead.sum();
        }

        @Managed(description = "Bytes written to storage")
        public long getBytesWritten()
        {
            return bytesWritten.sum();
        }
    }
}
