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

import io.trino.plugin.base.classloader.ClassLoaderSafeConnectorSplitSource;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorSplitManager;
import io.trino.spi.connector.ConnectorSplitSource;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.Constraint;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.function.table.ConnectorTableFunctionHandle;
import org.apache.iceberg.BaseTable;

import java.util.Set;

import static java.util.Objects.requireNonNull;

public class ChangeScanSplitManager
        implements ConnectorSplitManager
{
    private final ConnectorSplitManager delegate;
    private final TableLoader tableLoader;
    private final DeltaSplits deltaSplits;

    public ChangeScanSplitManager(ConnectorSplitManager delegate, TableLoader tableLoader, DeltaSplits deltaSplits)
    {
        this.delegate = requireNonNull(delegate, "delegate is null");
        this.tableLoader = requireNonNull(tableLoader, "tableLoader is null");
        this.deltaSplits = requireNonNull(deltaSplits, "deltaSplits is null");
    }

    @Override
    public ConnectorSplitSource getSplits(
            ConnectorTransactionHandle transaction,
            ConnectorSession session,
            ConnectorTableHandle handle,
            Set<ColumnHandle> dynamicFilterColumns,
            Constraint constraint)
    {
        if (handle instanceof DeltaTableHandle delta) {
            return getDeltaSplits(transaction, session, delta, WeightColumn.without(dynamicFilterColumns), constraint);
        }
        return delegate.getSplits(transaction, session, handle, dynamicFilterColumns, constraint);
    }

    @Override
    public ConnectorSplitSource getSplits(ConnectorTransactionHandle transaction, ConnectorSession session, ConnectorTableFunctionHandle function)
    {
        return delegate.getSplits(transaction, session, function);
    }

    private ConnectorSplitSource getDeltaSplits(
            ConnectorTransactionHandle transaction,
            ConnectorSession session,
            DeltaTableHandle delta,
            Set<ColumnHandle> dynamicFilterColumns,
            Constraint constraint)
    {
        SchemaTableName name = delta.table().getSchemaTableName();
        BaseTable table = tableLoader.load(transaction, session, name);
        ConnectorSplitSource splits = deltaSplits.getSplits(
                session,
                table,
                delta,
                DeltaRange.resolve(table, name, delta.from(), delta.to()).reading(),
                dynamicFilterColumns,
                constraint);
        return new ClassLoaderSafeConnectorSplitSource(splits, ChangeScanSplitManager.class.getClassLoader());
    }
}
