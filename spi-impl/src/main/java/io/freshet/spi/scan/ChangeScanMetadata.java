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
import com.google.common.collect.ImmutableMap;
import io.airlift.slice.Slice;
import io.trino.plugin.base.classloader.ClassLoaderSafeConnectorMetadata;
import io.trino.plugin.iceberg.IcebergColumnHandle;
import io.trino.plugin.iceberg.IcebergTableHandle;
import io.trino.spi.RefreshType;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.AggregateFunction;
import io.trino.spi.connector.AggregationApplicationResult;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.ConnectorInsertTableHandle;
import io.trino.spi.connector.ConnectorMergeTableHandle;
import io.trino.spi.connector.ConnectorMetadata;
import io.trino.spi.connector.ConnectorOutputMetadata;
import io.trino.spi.connector.ConnectorPartitioningHandle;
import io.trino.spi.connector.ConnectorResolvedIndex;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableCredentials;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ConnectorTableMetadata;
import io.trino.spi.connector.ConnectorTableProperties;
import io.trino.spi.connector.ConnectorTableSchema;
import io.trino.spi.connector.Constraint;
import io.trino.spi.connector.ConstraintApplicationResult;
import io.trino.spi.connector.JoinApplicationResult;
import io.trino.spi.connector.JoinStatistics;
import io.trino.spi.connector.JoinType;
import io.trino.spi.connector.LimitApplicationResult;
import io.trino.spi.connector.ProjectionApplicationResult;
import io.trino.spi.connector.RetryMode;
import io.trino.spi.connector.SampleApplicationResult;
import io.trino.spi.connector.SampleType;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.SortItem;
import io.trino.spi.connector.TableFunctionApplicationResult;
import io.trino.spi.connector.TableScanRedirectApplicationResult;
import io.trino.spi.connector.TopNApplicationResult;
import io.trino.spi.expression.ConnectorExpression;
import io.trino.spi.expression.Constant;
import io.trino.spi.function.table.ConnectorTableFunctionHandle;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.statistics.ComputedStatistics;
import io.trino.spi.statistics.Estimate;
import io.trino.spi.statistics.TableStatistics;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.Maps.filterValues;
import static io.trino.plugin.base.filter.UtcConstraintExtractor.extractTupleDomain;
import static io.trino.plugin.iceberg.ExpressionConverter.isConvertibleToIcebergExpression;
import static io.trino.plugin.iceberg.IcebergMetadataColumn.isMetadataColumnId;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;

/**
 * Answers for {@link DeltaTableHandle} and {@link DeltaFunctionHandle}. A change scan takes part in the push-down of
 * projections and filters only, and enforces no filter: Iceberg's answers of both kinds hold for the files of one snapshot,
 * not for those of a range.
 */
public class ChangeScanMetadata
        extends ClassLoaderSafeConnectorMetadata
{
    public ChangeScanMetadata(ConnectorMetadata delegate, ClassLoader classLoader)
    {
        super(delegate, classLoader);
    }

    @Override
    public Optional<TableFunctionApplicationResult<ConnectorTableHandle>> applyTableFunction(ConnectorSession session, ConnectorTableFunctionHandle handle)
    {
        if (handle instanceof DeltaFunctionHandle(DeltaTableHandle table, List<IcebergColumnHandle> columns)) {
            return Optional.of(new TableFunctionApplicationResult<>(table, ImmutableList.copyOf(columns)));
        }
        return super.applyTableFunction(session, handle);
    }

    @Override
    public Optional<ProjectionApplicationResult<ConnectorTableHandle>> applyProjection(
            ConnectorSession session,
            ConnectorTableHandle handle,
            List<ConnectorExpression> projections,
            Map<String, ColumnHandle> assignments)
    {
        if (handle instanceof DeltaTableHandle delta) {
            return super.applyProjection(session, delta.table(), projections, assignments)
                    .map(result -> new ProjectionApplicationResult<>(
                            delta.withTable((IcebergTableHandle) result.getHandle()),
                            result.getProjections(),
                            result.getAssignments(),
                            result.isPrecalculateStatistics()));
        }
        return super.applyProjection(session, handle, projections, assignments);
    }

    @Override
    public Optional<ConstraintApplicationResult<ConnectorTableHandle>> applyFilter(ConnectorSession session, ConnectorTableHandle handle, Constraint constraint)
    {
        if (handle instanceof DeltaTableHandle delta) {
            // What the scan may prune by: stays to be filtered by the engine all the same
            TupleDomain<IcebergColumnHandle> predicate = extractTupleDomain(constraint).tupleDomain()
                    .transformKeys(IcebergColumnHandle.class::cast)
                    .filter((column, domain) -> !WeightColumn.isWeight(column) && !isMetadataColumnId(column.getId()) && isConvertibleToIcebergExpression(domain))
                    .intersect(delta.table().getUnenforcedPredicate());
            if (predicate.equals(delta.table().getUnenforcedPredicate())) {
                return Optional.empty();
            }
            return Optional.of(new ConstraintApplicationResult<>(
                    delta.withUnenforcedPredicate(predicate),
                    constraint.getSummary(),
                    constraint.getExpression(),
                    false));
        }
        return super.applyFilter(session, handle, constraint);
    }

    @Override
    public Optional<LimitApplicationResult<ConnectorTableHandle>> applyLimit(ConnectorSession session, ConnectorTableHandle handle, long limit)
    {
        return handle instanceof DeltaTableHandle ? Optional.empty() : super.applyLimit(session, handle, limit);
    }

    @Override
    public Optional<TopNApplicationResult<ConnectorTableHandle>> applyTopN(
            ConnectorSession session,
            ConnectorTableHandle handle,
            long topNCount,
            List<SortItem> sortItems,
            Map<String, ColumnHandle> assignments)
    {
        return handle instanceof DeltaTableHandle ? Optional.empty() : super.applyTopN(session, handle, topNCount, sortItems, assignments);
    }

    @Override
    public Optional<SampleApplicationResult<ConnectorTableHandle>> applySample(ConnectorSession session, ConnectorTableHandle handle, SampleType sampleType, double sampleRatio)
    {
        return handle instanceof DeltaTableHandle ? Optional.empty() : super.applySample(session, handle, sampleType, sampleRatio);
    }

    @Override
    public Optional<AggregationApplicationResult<ConnectorTableHandle>> applyAggregation(
            ConnectorSession session,
            ConnectorTableHandle handle,
            List<AggregateFunction> aggregates,
            Map<String, ColumnHandle> assignments,
            List<List<ColumnHandle>> groupingSets)
    {
        return handle instanceof DeltaTableHandle ? Optional.empty() : super.applyAggregation(session, handle, aggregates, assignments, groupingSets);
    }

    @Override
    public Optional<JoinApplicationResult<ConnectorTableHandle>> applyJoin(
            ConnectorSession session,
            JoinType joinType,
            ConnectorTableHandle left,
            ConnectorTableHandle right,
            ConnectorExpression joinCondition,
            Map<String, ColumnHandle> leftAssignments,
            Map<String, ColumnHandle> rightAssignments,
            JoinStatistics statistics)
    {
        if (left instanceof DeltaTableHandle || right instanceof DeltaTableHandle) {
            return Optional.empty();
        }
        return super.applyJoin(session, joinType, left, right, joinCondition, leftAssignments, rightAssignments, statistics);
    }

    @Override
    public Optional<ConnectorTableHandle> applyPartitioning(ConnectorSession session, ConnectorTableHandle handle, Optional<ConnectorPartitioningHandle> partitioningHandle, List<ColumnHandle> columns)
    {
        return handle instanceof DeltaTableHandle ? Optional.empty() : super.applyPartitioning(session, handle, partitioningHandle, columns);
    }

    @Override
    public Optional<TableScanRedirectApplicationResult> applyTableScanRedirect(ConnectorSession session, ConnectorTableHandle handle)
    {
        return handle instanceof DeltaTableHandle ? Optional.empty() : super.applyTableScanRedirect(session, handle);
    }

    @Override
    public Optional<ConnectorTableHandle> applyUpdate(ConnectorSession session, ConnectorTableHandle handle, Map<ColumnHandle, Constant> assignments)
    {
        return handle instanceof DeltaTableHandle ? Optional.empty() : super.applyUpdate(session, handle, assignments);
    }

    @Override
    public Optional<ConnectorTableHandle> applyDelete(ConnectorSession session, ConnectorTableHandle handle)
    {
        return handle instanceof DeltaTableHandle ? Optional.empty() : super.applyDelete(session, handle);
    }

    @Override
    public Optional<ConnectorResolvedIndex> resolveIndex(
            ConnectorSession session,
            ConnectorTableHandle handle,
            Set<ColumnHandle> indexableColumns,
            Set<ColumnHandle> outputColumns,
            TupleDomain<ColumnHandle> tupleDomain)
    {
        return handle instanceof DeltaTableHandle ? Optional.empty() : super.resolveIndex(session, handle, indexableColumns, outputColumns, tupleDomain);
    }

    @Override
    public ConnectorTableProperties getTableProperties(ConnectorSession session, ConnectorTableHandle handle)
    {
        return handle instanceof DeltaTableHandle ? new ConnectorTableProperties() : super.getTableProperties(session, handle);
    }

    @Override
    public TableStatistics getTableStatistics(ConnectorSession session, ConnectorTableHandle handle)
    {
        if (handle instanceof DeltaTableHandle delta) {
            // Summaries without totals give no bound
            return delta.rows() == Long.MAX_VALUE ? TableStatistics.empty() : TableStatistics.builder().setRowCount(Estimate.of(delta.rows())).build();
        }
        return super.getTableStatistics(session, handle);
    }

    @Override
    public void validateScan(ConnectorSession session, ConnectorTableHandle handle)
    {
        // A range of snapshots is narrow already: query_partition_filter_required asks nothing more of it
        if (!(handle instanceof DeltaTableHandle)) {
            super.validateScan(session, handle);
        }
    }

    @Override
    public boolean allowSplittingReadIntoMultipleSubQueries(ConnectorSession session, ConnectorTableHandle handle)
    {
        return super.allowSplittingReadIntoMultipleSubQueries(session, unwrap(handle));
    }

    @Override
    public Optional<Object> getInfo(ConnectorSession session, ConnectorTableHandle handle)
    {
        return handle instanceof DeltaTableHandle ? Optional.empty() : super.getInfo(session, handle);
    }

    @Override
    public SchemaTableName getTableName(ConnectorSession session, ConnectorTableHandle handle)
    {
        return super.getTableName(session, unwrap(handle));
    }

    @Override
    public ConnectorTableSchema getTableSchema(ConnectorSession session, ConnectorTableHandle handle)
    {
        return handle instanceof DeltaTableHandle ? getTableMetadata(session, handle).getTableSchema() : super.getTableSchema(session, handle);
    }

    @Override
    public ConnectorTableMetadata getTableMetadata(ConnectorSession session, ConnectorTableHandle handle)
    {
        if (handle instanceof DeltaTableHandle delta) {
            List<ColumnMetadata> columns = getColumnHandles(session, delta).values().stream()
                    .map(column -> getColumnMetadata(session, delta, column))
                    .collect(toImmutableList());
            return new ConnectorTableMetadata(delta.table().getSchemaTableName(), columns);
        }
        return super.getTableMetadata(session, handle);
    }

    @Override
    public Map<String, ColumnHandle> getColumnHandles(ConnectorSession session, ConnectorTableHandle handle)
    {
        if (handle instanceof DeltaTableHandle delta) {
            return ImmutableMap.<String, ColumnHandle>builder()
                    .putAll(filterValues(
                            super.getColumnHandles(session, delta.table()),
                            column -> !isMetadataColumnId(((IcebergColumnHandle) column).getId())))
                    .put(delta.weightColumn(), WeightColumn.create(delta.weightColumn()))
                    .buildOrThrow();
        }
        return super.getColumnHandles(session, handle);
    }

    @Override
    public ColumnMetadata getColumnMetadata(ConnectorSession session, ConnectorTableHandle handle, ColumnHandle column)
    {
        return super.getColumnMetadata(session, unwrap(handle), column);
    }

    @Override
    public Optional<ConnectorTableCredentials> getTableCredentials(ConnectorSession session, ConnectorTableHandle handle)
    {
        return super.getTableCredentials(session, unwrap(handle));
    }

    @Override
    public Optional<ConnectorTableCredentials> getTableCredentials(ConnectorSession session, ConnectorTableFunctionHandle handle)
    {
        if (handle instanceof DeltaFunctionHandle function) {
            return super.getTableCredentials(session, function.table().table());
        }
        return super.getTableCredentials(session, handle);
    }

    @Override
    public Optional<ConnectorOutputMetadata> finishInsert(
            ConnectorSession session,
            ConnectorInsertTableHandle insertHandle,
            List<ConnectorTableHandle> sourceTableHandles,
            Collection<Slice> fragments,
            Collection<ComputedStatistics> computedStatistics)
    {
        return super.finishInsert(session, insertHandle, unwrap(sourceTableHandles), fragments, computedStatistics);
    }

    @Override
    public void finishMerge(
            ConnectorSession session,
            ConnectorMergeTableHandle mergeTableHandle,
            List<ConnectorTableHandle> sourceTableHandles,
            Collection<Slice> fragments,
            Collection<ComputedStatistics> computedStatistics)
    {
        super.finishMerge(session, mergeTableHandle, unwrap(sourceTableHandles), fragments, computedStatistics);
    }

    @Override
    public ConnectorInsertTableHandle beginRefreshMaterializedView(
            ConnectorSession session,
            ConnectorTableHandle tableHandle,
            List<ConnectorTableHandle> sourceTableHandles,
            boolean hasForeignSourceTables,
            RetryMode retryMode,
            RefreshType refreshType)
    {
        // Iceberg's own refresh takes every source for a table and would note the table's snapshot as the view's
        if (sourceTableHandles.stream().anyMatch(DeltaTableHandle.class::isInstance)) {
            throw new TrinoException(NOT_SUPPORTED, "A materialized view that reads table_delta cannot be refreshed");
        }
        return super.beginRefreshMaterializedView(session, tableHandle, sourceTableHandles, hasForeignSourceTables, retryMode, refreshType);
    }

    private static ConnectorTableHandle unwrap(ConnectorTableHandle handle)
    {
        return handle instanceof DeltaTableHandle delta ? delta.table() : handle;
    }

    private static List<ConnectorTableHandle> unwrap(List<ConnectorTableHandle> handles)
    {
        return handles.stream()
                .map(ChangeScanMetadata::unwrap)
                .collect(toImmutableList());
    }
}
