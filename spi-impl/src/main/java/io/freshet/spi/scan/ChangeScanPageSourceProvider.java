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

import io.trino.plugin.hive.TransformConnectorPageSource;
import io.trino.spi.block.Block;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.ConnectorPageSourceProvider;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorSplit;
import io.trino.spi.connector.ConnectorTableCredentials;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.DynamicFilter;
import io.trino.spi.connector.MemoryContext;

import java.util.List;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.type.TinyintType.TINYINT;
import static io.trino.spi.type.TypeUtils.writeNativeValue;
import static java.util.Objects.requireNonNull;

final class ChangeScanPageSourceProvider
        implements ConnectorPageSourceProvider
{
    private final ConnectorPageSourceProvider delegate;

    ChangeScanPageSourceProvider(ConnectorPageSourceProvider delegate)
    {
        this.delegate = requireNonNull(delegate, "delegate is null");
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
        List<ColumnHandle> dataColumns = columns.stream()
                .filter(column -> !WeightColumn.isWeight(column))
                .collect(toImmutableList());
        ConnectorPageSource pageSource = delegate.createPageSource(
                transaction,
                session,
                delta.split(),
                ((DeltaTableHandle) table).icebergScan(),
                tableCredentials,
                dataColumns,
                WeightColumn.without(dynamicFilter),
                memoryContext);
        if (dataColumns.size() == columns.size()) {
            return pageSource;
        }
        int[] channels = new int[columns.size()];
        int nextChannel = 0;
        for (int index = 0; index < channels.length; index++) {
            channels[index] = WeightColumn.isWeight(columns.get(index)) ? WeightedSourcePage.WEIGHT_CHANNEL : nextChannel++;
        }
        Block weight = writeNativeValue(TINYINT, (long) delta.weight());
        return TransformConnectorPageSource.create(pageSource, page -> new WeightedSourcePage(page, channels, weight));
    }

    @Override
    public long getMemoryUsage()
    {
        return delegate.getMemoryUsage();
    }
}
