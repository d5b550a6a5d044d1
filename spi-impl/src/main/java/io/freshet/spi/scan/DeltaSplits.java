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
import com.google.common.util.concurrent.ListeningExecutorService;
import com.google.inject.Inject;
import io.freshet.spi.catalog.FixedTableOperations;
import io.freshet.spi.scan.DeltaRange.Appends;
import io.freshet.spi.scan.DeltaRange.Differences;
import io.freshet.spi.scan.DeltaRange.NoRows;
import io.freshet.spi.scan.DeltaRange.Segment;
import io.freshet.spi.scan.DeltaRange.WholeState;
import io.freshet.spi.scan.DeltaSplitSource.Part;
import io.trino.filesystem.cache.SplitAffinityProvider;
import io.trino.plugin.iceberg.ForIcebergSplitManager;
import io.trino.plugin.iceberg.ForIcebergSplitSource;
import io.trino.plugin.iceberg.IcebergFileSystemFactory;
import io.trino.plugin.iceberg.IcebergSplitSource;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorExpressionEvaluator;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorSplitSource;
import io.trino.spi.connector.Constraint;
import io.trino.spi.type.TypeManager;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.CombinedScanTask;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.IncrementalAppendScan;
import org.apache.iceberg.Scan;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableScan;
import org.apache.iceberg.metrics.InMemoryMetricsReporter;
import org.apache.iceberg.metrics.MetricsReporter;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.plugin.iceberg.IcebergSessionProperties.getMinimumAssignedSplitWeight;
import static java.util.Objects.requireNonNull;

/** Makes the splits of a range, by Iceberg's own split source. */
public class DeltaSplits
{
    private final TypeManager typeManager;
    private final IcebergFileSystemFactory fileSystemFactory;
    private final ListeningExecutorService splitSourceExecutor;
    private final ExecutorService planningExecutor;
    private final SplitAffinityProvider splitAffinityProvider;
    private final ConnectorExpressionEvaluator evaluator;

    @Inject
    public DeltaSplits(
            TypeManager typeManager,
            IcebergFileSystemFactory fileSystemFactory,
            @ForIcebergSplitSource ListeningExecutorService splitSourceExecutor,
            @ForIcebergSplitManager ExecutorService planningExecutor,
            SplitAffinityProvider splitAffinityProvider,
            ConnectorExpressionEvaluator evaluator)
    {
        this.typeManager = requireNonNull(typeManager, "typeManager is null");
        this.fileSystemFactory = requireNonNull(fileSystemFactory, "fileSystemFactory is null");
        this.splitSourceExecutor = requireNonNull(splitSourceExecutor, "splitSourceExecutor is null");
        this.planningExecutor = requireNonNull(planningExecutor, "planningExecutor is null");
        this.splitAffinityProvider = requireNonNull(splitAffinityProvider, "splitAffinityProvider is null");
        this.evaluator = requireNonNull(evaluator, "evaluator is null");
    }

    ConnectorSplitSource getSplits(
            ConnectorSession session,
            BaseTable table,
            DeltaTableHandle delta,
            DeltaRange.Reading reading,
            Set<ColumnHandle> dynamicFilterColumns,
            Constraint constraint)
    {
        SplitSourceFactory splits = (scan, metricsReporter) -> new IcebergSplitSource(
                fileSystemFactory,
                session,
                delta.icebergScan(),
                table,
                scan,
                Optional.empty(),
                constraint,
                typeManager,
                false,
                getMinimumAssignedSplitWeight(session),
                splitAffinityProvider,
                metricsReporter,
                splitSourceExecutor,
                dynamicFilterColumns,
                evaluator);
        InMemoryMetricsReporter metricsReporter = new InMemoryMetricsReporter();
        return new DeltaSplitSource(switch (reading) {
            case NoRows() -> ImmutableList.of();
            case WholeState() -> ImmutableList.of(added(splits.create(scanState(table, delta.to(), metricsReporter), metricsReporter), delta.to()));
            case Appends() -> ImmutableList.of(added(splits.create(scanAppends(table, delta.from().orElseThrow(), delta.to(), metricsReporter), metricsReporter), delta.to()));
            case Differences(List<Segment> segments) -> segments.stream()
                    .map(segment -> new DifferenceScan(table, segment, planningExecutor))
                    .flatMap(difference -> difference.scans().stream())
                    .map(scan -> new Part(splits.create(scan.scan(), new InMemoryMetricsReporter()), scan.toSplit()))
                    .collect(toImmutableList());
        });
    }

    private interface SplitSourceFactory
    {
        ConnectorSplitSource create(Scan<?, FileScanTask, CombinedScanTask> scan, InMemoryMetricsReporter metricsReporter);
    }

    private static Part added(ConnectorSplitSource splits, long after)
    {
        return new Part(splits, split -> DeltaSplit.added(split, after));
    }

    /**
     * All files alive at a snapshot. To a scan of a snapshot that is not the current one Iceberg gives that snapshot's schema,
     * where the names in a filter may be unknown or belong to other fields; so the snapshot is made the current one.
     */
    private TableScan scanState(BaseTable table, long snapshotId, MetricsReporter metricsReporter)
    {
        TableMetadata atSnapshot = TableMetadata.buildFrom(table.operations().current())
                .setBranchSnapshot(snapshotId, SnapshotRef.MAIN_BRANCH)
                .discardChanges()
                .build();
        return new BaseTable(new FixedTableOperations(table.operations(), atSnapshot), table.name()).newScan()
                .planWith(planningExecutor)
                .metricsReporter(metricsReporter);
    }

    /**
     * The files that append snapshots of the range added, also those that a later compaction rewrote. No delete can apply to
     * them within a range that has appends and compactions only, and none from before it reaches newer files.
     */
    private IncrementalAppendScan scanAppends(BaseTable table, long from, long to, MetricsReporter metricsReporter)
    {
        return table.newIncrementalAppendScan()
                .fromSnapshotExclusive(from)
                .toSnapshot(to)
                .planWith(planningExecutor)
                .metricsReporter(metricsReporter);
    }
}
