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
package io.freshet.spi;

import com.google.common.collect.ImmutableList;
import com.google.inject.Injector;
import io.freshet.spi.catalog.CatalogEvents;
import io.freshet.spi.catalog.FreshetCatalog;
import io.freshet.spi.catalog.GuardedTableFunction;
import io.freshet.spi.catalog.TransactionCatalogs;
import io.freshet.spi.metadata.FreshetMetadata;
import io.freshet.spi.metadata.FreshetPageSinkProvider;
import io.freshet.spi.refresh.Dependents;
import io.freshet.spi.refresh.RefreshCommitter;
import io.freshet.spi.refresh.RefreshQueue;
import io.freshet.spi.refresh.StatementContexts;
import io.freshet.spi.refresh.ViewFreshness;
import io.freshet.spi.scan.ChangeScanMetadata;
import io.freshet.spi.scan.ChangeScanPageSourceProviderFactory;
import io.freshet.spi.scan.ChangeScanSplitManager;
import io.freshet.spi.scan.DeltaSplits;
import io.freshet.spi.surface.FreshetFunctionProvider;
import io.freshet.spi.surface.PreparedRowsSplitManager;
import io.freshet.spi.surface.ProcedureStatements;
import io.freshet.spi.view.DefinitionChecks;
import io.freshet.spi.view.ViewLifecycle;
import io.freshet.spi.view.ViewProperties;
import io.trino.spi.catalog.CatalogName;
import io.trino.spi.connector.Connector;
import io.trino.spi.connector.ConnectorAccessControl;
import io.trino.spi.connector.ConnectorCapabilities;
import io.trino.spi.connector.ConnectorIndexProvider;
import io.trino.spi.connector.ConnectorMetadata;
import io.trino.spi.connector.ConnectorNodePartitioningProvider;
import io.trino.spi.connector.ConnectorPageSinkProvider;
import io.trino.spi.connector.ConnectorPageSourceProvider;
import io.trino.spi.connector.ConnectorPageSourceProviderFactory;
import io.trino.spi.connector.ConnectorRecordSetProvider;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorSplitManager;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.SystemTable;
import io.trino.spi.connector.TableProcedureMetadata;
import io.trino.spi.function.FunctionProvider;
import io.trino.spi.function.table.ConnectorTableFunction;
import io.trino.spi.procedure.Procedure;
import io.trino.spi.session.PropertyMetadata;
import io.trino.spi.transaction.IsolationLevel;
import io.trino.spi.type.TypeManager;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.util.Objects.requireNonNull;

/**
 * The Iceberg connector with materialized views of our own. Everything that does not concern them is handed on.
 */
public class FreshetConnector
        implements Connector
{
    private final Connector delegate;
    private final Injector injector;
    private final TransactionCatalogs catalogs;
    private final ProcedureStatements procedureStatements;
    private final Map<ConnectorTransactionHandle, Transaction> transactions = new ConcurrentHashMap<>();
    private final ConnectorSplitManager splitManager;
    private final ConnectorPageSourceProviderFactory pageSourceProviderFactory;
    private final ConnectorPageSinkProvider pageSinkProvider;
    private final Set<ConnectorTableFunction> tableFunctions;

    /** @param injector of the Iceberg connector, in which {@link FreshetModule} was installed */
    public FreshetConnector(Connector delegate, Injector injector)
    {
        this.delegate = requireNonNull(delegate, "delegate is null");
        this.injector = requireNonNull(injector, "injector is null");
        catalogs = injector.getInstance(TransactionCatalogs.class);
        procedureStatements = injector.getInstance(ProcedureStatements.class);
        splitManager = new ChangeScanSplitManager(new PreparedRowsSplitManager(delegate.getSplitManager()), catalogs, injector.getInstance(DeltaSplits.class));
        pageSourceProviderFactory = new ChangeScanPageSourceProviderFactory(delegate.getPageSourceProviderFactory(), injector.getInstance(TypeManager.class));
        pageSinkProvider = new FreshetPageSinkProvider(delegate.getPageSinkProvider());
        String catalogName = injector.getInstance(CatalogName.class).toString();
        tableFunctions = delegate.getTableFunctions().stream()
                .map(function -> new GuardedTableFunction(function, catalogName))
                .collect(toImmutableSet());
    }

    /** The engine asks for the metadata of a transaction again and again, from several threads. */
    private final class Transaction
    {
        private final ConnectorTransactionHandle handle;
        private final boolean autoCommit;
        private ConnectorMetadata metadata;

        private Transaction(ConnectorTransactionHandle handle, boolean autoCommit)
        {
            this.handle = requireNonNull(handle, "handle is null");
            this.autoCommit = autoCommit;
        }

        private synchronized ConnectorMetadata metadata(ConnectorSession session)
        {
            if (metadata == null) {
                metadata = catalogs.begin(handle, session.getIdentity(), catalog -> createMetadata(session, catalog));
            }
            return metadata;
        }

        private ConnectorMetadata createMetadata(ConnectorSession session, FreshetCatalog catalog)
        {
            ClassLoader classLoader = FreshetConnector.class.getClassLoader();
            return new FreshetMetadata(
                    new ChangeScanMetadata(delegate.getMetadata(session, handle), classLoader),
                    classLoader,
                    injector.getInstance(CatalogName.class).toString(),
                    catalog,
                    injector.getInstance(StatementContexts.class),
                    injector.getInstance(ViewLifecycle.class),
                    injector.getInstance(DefinitionChecks.class),
                    injector.getInstance(RefreshQueue.class),
                    injector.getInstance(ViewFreshness.class),
                    injector.getInstance(RefreshCommitter.class),
                    injector.getInstance(CatalogEvents.class),
                    injector.getInstance(Dependents.class),
                    autoCommit);
        }
    }

    @Override
    public ConnectorTransactionHandle beginTransaction(IsolationLevel isolationLevel, boolean readOnly, boolean autoCommit)
    {
        ConnectorTransactionHandle transaction = delegate.beginTransaction(isolationLevel, readOnly, autoCommit);
        transactions.put(transaction, new Transaction(transaction, autoCommit));
        return transaction;
    }

    @Override
    public ConnectorMetadata getMetadata(ConnectorSession session, ConnectorTransactionHandle transactionHandle)
    {
        return transactions.get(transactionHandle).metadata(session);
    }

    @Override
    public void commit(ConnectorTransactionHandle transactionHandle)
    {
        end(transactionHandle);
        delegate.commit(transactionHandle);
    }

    @Override
    public void rollback(ConnectorTransactionHandle transactionHandle)
    {
        end(transactionHandle);
        delegate.rollback(transactionHandle);
    }

    private void end(ConnectorTransactionHandle transactionHandle)
    {
        transactions.remove(transactionHandle);
        procedureStatements.transactionEnded(transactionHandle);
        catalogs.end(transactionHandle);
    }

    @Override
    public boolean isSingleStatementWritesOnly()
    {
        return delegate.isSingleStatementWritesOnly();
    }

    @Override
    public ConnectorSplitManager getSplitManager()
    {
        return splitManager;
    }

    @Override
    public ConnectorPageSourceProvider getPageSourceProvider()
    {
        return delegate.getPageSourceProvider();
    }

    @Override
    public ConnectorPageSourceProviderFactory getPageSourceProviderFactory()
    {
        return pageSourceProviderFactory;
    }

    @Override
    public ConnectorRecordSetProvider getRecordSetProvider()
    {
        return delegate.getRecordSetProvider();
    }

    @Override
    public ConnectorPageSinkProvider getPageSinkProvider()
    {
        return pageSinkProvider;
    }

    @Override
    public ConnectorIndexProvider getIndexProvider()
    {
        return delegate.getIndexProvider();
    }

    @Override
    public ConnectorNodePartitioningProvider getNodePartitioningProvider()
    {
        return delegate.getNodePartitioningProvider();
    }

    @Override
    public Set<SystemTable> getSystemTables()
    {
        return delegate.getSystemTables();
    }

    @Override
    public Optional<FunctionProvider> getFunctionProvider()
    {
        return delegate.getFunctionProvider().map(FreshetFunctionProvider::new);
    }

    @Override
    public Set<Procedure> getProcedures()
    {
        return delegate.getProcedures();
    }

    @Override
    public Set<TableProcedureMetadata> getTableProcedures()
    {
        return delegate.getTableProcedures();
    }

    @Override
    public Set<ConnectorTableFunction> getTableFunctions()
    {
        return tableFunctions;
    }

    @Override
    public List<PropertyMetadata<?>> getSessionProperties()
    {
        return delegate.getSessionProperties();
    }

    @Override
    public List<PropertyMetadata<?>> getSchemaProperties()
    {
        return delegate.getSchemaProperties();
    }

    @Override
    public List<PropertyMetadata<?>> getAnalyzeProperties()
    {
        return delegate.getAnalyzeProperties();
    }

    @Override
    public List<PropertyMetadata<?>> getBranchProperties()
    {
        return delegate.getBranchProperties();
    }

    @Override
    public List<PropertyMetadata<?>> getTableProperties()
    {
        return delegate.getTableProperties();
    }

    @Override
    public List<PropertyMetadata<?>> getViewProperties()
    {
        return delegate.getViewProperties();
    }

    @Override
    public List<PropertyMetadata<?>> getMaterializedViewProperties()
    {
        return ImmutableList.copyOf(injector.getInstance(ViewProperties.class).all());
    }

    @Override
    public List<PropertyMetadata<?>> getColumnProperties()
    {
        return delegate.getColumnProperties();
    }

    @Override
    public ConnectorAccessControl getAccessControl()
    {
        return procedureStatements.observing(delegate.getAccessControl());
    }

    @Override
    public Set<ConnectorCapabilities> getCapabilities()
    {
        return delegate.getCapabilities();
    }

    @Override
    public void shutdown()
    {
        delegate.shutdown();
    }

    /** For tests, which look at what no statement shows. */
    public Injector getInjector()
    {
        return injector;
    }
}
