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

import com.google.common.collect.ImmutableSet;
import org.apache.iceberg.CombinedScanTask;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Scan;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.util.Objects.requireNonNull;

/** Lets Iceberg's split source make splits of files that were found otherwise than by one of Iceberg's scans. */
record PlannedScan(Table table, Planner planner, Expression filter, Set<Integer> statisticsColumns)
        implements Scan<PlannedScan, FileScanTask, CombinedScanTask>
{
    interface Planner
    {
        /**
         * @param filter rows that do not match it need not be found
         * @param statisticsColumns ids of the fields whose statistics the files shall keep
         */
        List<FileScanTask> plan(Expression filter, Set<Integer> statisticsColumns);
    }

    PlannedScan
    {
        requireNonNull(table, "table is null");
        requireNonNull(planner, "planner is null");
        requireNonNull(filter, "filter is null");
        statisticsColumns = ImmutableSet.copyOf(statisticsColumns);
    }

    PlannedScan(Table table, Planner planner)
    {
        this(table, planner, Expressions.alwaysTrue(), ImmutableSet.of());
    }

    @Override
    public PlannedScan filter(Expression expression)
    {
        return new PlannedScan(table, planner, Expressions.and(filter, expression), statisticsColumns);
    }

    @Override
    public PlannedScan includeColumnStats(Collection<String> columns)
    {
        Set<Integer> ids = columns.stream()
                .map(name -> table.schema().findField(name).fieldId())
                .collect(toImmutableSet());
        return new PlannedScan(table, planner, filter, ids);
    }

    @Override
    public CloseableIterable<FileScanTask> planFiles()
    {
        return CloseableIterable.withNoopClose(planner.plan(filter, statisticsColumns));
    }

    @Override
    public Schema schema()
    {
        return table.schema();
    }

    @Override
    public long targetSplitSize()
    {
        return table.newScan().targetSplitSize();
    }

    @Override
    public boolean isCaseSensitive()
    {
        return true;
    }

    @Override
    public PlannedScan option(String property, String value)
    {
        throw notUsed();
    }

    @Override
    public PlannedScan project(Schema schema)
    {
        throw notUsed();
    }

    @Override
    public PlannedScan caseSensitive(boolean caseSensitive)
    {
        throw notUsed();
    }

    @Override
    public PlannedScan includeColumnStats()
    {
        throw notUsed();
    }

    @Override
    public PlannedScan select(Collection<String> columns)
    {
        throw notUsed();
    }

    @Override
    public PlannedScan ignoreResiduals()
    {
        throw notUsed();
    }

    @Override
    public PlannedScan planWith(ExecutorService executorService)
    {
        throw notUsed();
    }

    @Override
    public CloseableIterable<CombinedScanTask> planTasks()
    {
        throw notUsed();
    }

    @Override
    public int splitLookback()
    {
        throw notUsed();
    }

    @Override
    public long splitOpenFileCost()
    {
        throw notUsed();
    }

    private static UnsupportedOperationException notUsed()
    {
        return new UnsupportedOperationException("Iceberg's split source does not ask for this");
    }
}
