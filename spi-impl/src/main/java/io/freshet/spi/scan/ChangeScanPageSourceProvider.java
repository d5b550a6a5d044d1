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
import io.trino.plugin.hive.TransformConnectorPageSource;
import io.trino.plugin.iceberg.IcebergSplit;
import io.trino.plugin.iceberg.IcebergTableHandle;
import io.trino.plugin.iceberg.delete.DeleteFile;
import io.trino.spi.block.Block;
import io.trino.spi.block.RunLengthEncodedBlock;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.ConnectorPageSourceProvider;
import io.trino.spi.connector.ConnectorPageSourceProviderFactory;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorSplit;
import io.trino.spi.connector.ConnectorTableCredentials;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.DynamicFilter;
import io.trino.spi.connector.EmptyPageSource;
import io.trino.spi.connector.MemoryContext;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.TypeManager;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.plugin.iceberg.IcebergUtil.getColumnHandle;
import static io.trino.spi.type.TinyintType.TINYINT;
import static io.trino.spi.type.TypeUtils.writeNativeValue;
import static java.util.Objects.requireNonNull;
import static org.apache.iceberg.MetadataColumns.ROW_POSITION;

final class ChangeScanPageSourceProvider
        implements ConnectorPageSourceProvider
{
    private final ConnectorPageSourceProviderFactory factory;
    private final ConnectorPageSourceProvider delegate;
    private final TypeManager typeManager;
    // Iceberg's provider gathers the equality deletes of all that it reads and applies them by age, so that those of a later
    // state would reach rows of an earlier one
    private final Map<Long, ConnectorPageSourceProvider> delegatesByState = new ConcurrentHashMap<>();

    ChangeScanPageSourceProvider(ConnectorPageSourceProviderFactory factory, TypeManager typeManager)
    {
        this.factory = requireNonNull(factory, "factory is null");
        this.delegate = factory.createPageSourceProvider();
        this.typeManager = requireNonNull(typeManager, "typeManager is null");
    }

    @Override
    public ConnectorPageSource createPageSource(
            ConnectorTransactionHandle transaction,
            ConnectorSession session,
            ConnectorSplit split,
            ConnectorTableHandle table,
            Optional<ConnectorTableCredentials> tableCredentials,
            List<ColumnHandle> columns,
            DynamicFilter dynamicFilter,
            MemoryContext memoryContext)
    {
        if (!(split instanceof DeltaSplit delta)) {
            return delegate.createPageSource(transaction, session, split, table, tableCredentials, columns, dynamicFilter, memoryContext);
        }
        SplitReader reader = new SplitReader(transaction, session, (DeltaTableHandle) table, tableCredentials, columns, WeightColumn.without(dynamicFilter));
        if (delta.before().isPresent() && delta.after().isPresent()) {
            return reader.changedRows(delta, memoryContext);
        }
        return delta.after().isPresent()
                ? reader.allRows(delta.split(), delta.after().getAsLong(), 1, memoryContext)
                : reader.allRows(delta.split(), delta.before().getAsLong(), -1, memoryContext);
    }

    @Override
    public long getMemoryUsage()
    {
        return delegate.getMemoryUsage() + delegatesByState.values().stream()
                .mapToLong(ConnectorPageSourceProvider::getMemoryUsage)
                .sum();
    }

    private ConnectorPageSourceProvider delegateFor(long state)
    {
        return delegatesByState.computeIfAbsent(state, _ -> factory.createPageSourceProvider());
    }

    private final class SplitReader
    {
        private final ConnectorTransactionHandle transaction;
        private final ConnectorSession session;
        private final DeltaTableHandle table;
        private final Optional<ConnectorTableCredentials> tableCredentials;
        private final DynamicFilter dynamicFilter;
        private final List<ColumnHandle> dataColumns;
        private final int[] channels;

        SplitReader(
                ConnectorTransactionHandle transaction,
                ConnectorSession session,
                DeltaTableHandle table,
                Optional<ConnectorTableCredentials> tableCredentials,
                List<ColumnHandle> columns,
                DynamicFilter dynamicFilter)
        {
            this.transaction = transaction;
            this.session = session;
            this.table = table;
            this.tableCredentials = tableCredentials;
            this.dynamicFilter = dynamicFilter;
            dataColumns = columns.stream()
                    .filter(column -> !WeightColumn.isWeight(column))
                    .collect(toImmutableList());
            channels = new int[columns.size()];
            int nextChannel = 0;
            for (int index = 0; index < channels.length; index++) {
                channels[index] = WeightColumn.isWeight(columns.get(index)) ? WeightedSourcePage.WEIGHT_CHANNEL : nextChannel++;
            }
        }

        ConnectorPageSource allRows(IcebergSplit split, long state, long weight, MemoryContext memory)
        {
            ConnectorPageSource rows = read(delegateFor(state), split, table.icebergScan(), dataColumns, dynamicFilter, memory);
            if (dataColumns.size() == channels.length) {
                return rows;
            }
            Block weightBlock = writeNativeValue(TINYINT, weight);
            return TransformConnectorPageSource.create(
                    rows,
                    page -> new WeightedSourcePage(page, channels, RunLengthEncodedBlock.create(weightBlock, page.getPositionCount())));
        }

        ConnectorPageSource changedRows(DeltaSplit delta, MemoryContext memory)
        {
            SharedMemory shared = new SharedMemory(memory);
            // Iceberg's delete filters look for the position column by equality
            ColumnHandle position = getColumnHandle(ROW_POSITION, typeManager);
            List<ColumnHandle> rowColumns = ImmutableList.<ColumnHandle>builder().addAll(dataColumns).add(position).build();
            ConnectorPageSource rows = read(delegate, delta.withDeletes(ImmutableList.of()), table.icebergScan(), rowColumns, dynamicFilter, shared.part());
            if (rows instanceof EmptyPageSource) {
                return rows;
            }
            return new ChangedRowsPageSource(
                    rows,
                    livePositions(delta, delta.split().deletes(), delta.before().getAsLong(), position, shared.part()),
                    livePositions(delta, delta.deletesAfter(), delta.after().getAsLong(), position, shared.part()),
                    dataColumns.size(),
                    channels);
        }

        /** Not pruned by any predicate: a missing position means a deleted row. */
        private ConnectorPageSource livePositions(DeltaSplit delta, List<DeleteFile> deletes, long state, ColumnHandle position, MemoryContext memory)
        {
            IcebergTableHandle everything = table.withUnenforcedPredicate(TupleDomain.all()).icebergScan();
            return read(delegateFor(state), delta.withDeletes(deletes), everything, ImmutableList.of(position), DynamicFilter.EMPTY, memory);
        }

        private ConnectorPageSource read(
                ConnectorPageSourceProvider provider,
                IcebergSplit split,
                IcebergTableHandle handle,
                List<ColumnHandle> columns,
                DynamicFilter filter,
                MemoryContext memory)
        {
            return provider.createPageSource(transaction, session, split, handle, tableCredentials, columns, filter, memory);
        }
    }

    /** Several page sources report to one context, which knows a single number. */
    private static final class SharedMemory
    {
        private final MemoryContext context;
        private long total;

        SharedMemory(MemoryContext context)
        {
            this.context = requireNonNull(context, "context is null");
        }

        MemoryContext part()
        {
            return new MemoryContext()
            {
                private long reported;

                @Override
                public void setBytes(long currentBytes)
                {
                    total += currentBytes - reported;
                    reported = currentBytes;
                    context.setBytes(total);
                }
            };
        }
    }
}
