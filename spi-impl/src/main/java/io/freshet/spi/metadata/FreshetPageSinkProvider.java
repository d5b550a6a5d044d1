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
package io.freshet.spi.metadata;

import io.trino.plugin.iceberg.IcebergMergeTableHandle;
import io.trino.spi.connector.ConnectorInsertTableHandle;
import io.trino.spi.connector.ConnectorMergeSink;
import io.trino.spi.connector.ConnectorMergeTableHandle;
import io.trino.spi.connector.ConnectorOutputTableHandle;
import io.trino.spi.connector.ConnectorPageSink;
import io.trino.spi.connector.ConnectorPageSinkId;
import io.trino.spi.connector.ConnectorPageSinkProvider;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableCredentials;
import io.trino.spi.connector.ConnectorTableExecuteHandle;
import io.trino.spi.connector.ConnectorTransactionHandle;

import java.util.Optional;

import static java.util.Objects.requireNonNull;

/** Writes backing tables as the Iceberg connector writes any table. */
public class FreshetPageSinkProvider
        implements ConnectorPageSinkProvider
{
    private final ConnectorPageSinkProvider delegate;

    public FreshetPageSinkProvider(ConnectorPageSinkProvider delegate)
    {
        this.delegate = requireNonNull(delegate, "delegate is null");
    }

    @Override
    public ConnectorPageSink createPageSink(ConnectorTransactionHandle transaction, ConnectorSession session, ConnectorInsertTableHandle handle, Optional<ConnectorTableCredentials> credentials, ConnectorPageSinkId pageSinkId)
    {
        if (handle instanceof FreshetRowChangesHandle(IcebergMergeTableHandle merge, int addressChannel, int changeChannel)) {
            return new RowChangesPageSink(delegate.createMergeSink(transaction, session, merge, credentials, pageSinkId), addressChannel, changeChannel);
        }
        ConnectorInsertTableHandle target = handle instanceof FreshetInsertTableHandle freshet ? freshet.table() : handle;
        return delegate.createPageSink(transaction, session, target, credentials, pageSinkId);
    }

    @Override
    public ConnectorPageSink createPageSink(ConnectorTransactionHandle transaction, ConnectorSession session, ConnectorOutputTableHandle handle, Optional<ConnectorTableCredentials> credentials, ConnectorPageSinkId pageSinkId)
    {
        return delegate.createPageSink(transaction, session, handle, credentials, pageSinkId);
    }

    @Override
    public ConnectorPageSink createPageSink(ConnectorTransactionHandle transaction, ConnectorSession session, ConnectorTableExecuteHandle handle, Optional<ConnectorTableCredentials> credentials, ConnectorPageSinkId pageSinkId)
    {
        return delegate.createPageSink(transaction, session, handle, credentials, pageSinkId);
    }

    @Override
    public ConnectorMergeSink createMergeSink(ConnectorTransactionHandle transaction, ConnectorSession session, ConnectorMergeTableHandle handle, Optional<ConnectorTableCredentials> credentials, ConnectorPageSinkId pageSinkId)
    {
        return delegate.createMergeSink(transaction, session, handle, credentials, pageSinkId);
    }
}
