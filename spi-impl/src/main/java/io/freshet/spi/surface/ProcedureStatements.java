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
package io.freshet.spi.surface;

import com.google.common.collect.ImmutableSet;
import com.google.inject.Inject;
import io.freshet.spi.refresh.RefreshQueue;
import io.trino.plugin.base.security.ForwardingConnectorAccessControl;
import io.trino.spi.connector.ConnectorAccessControl;
import io.trino.spi.connector.ConnectorSecurityContext;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.SchemaRoutineName;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import static java.util.Objects.requireNonNull;

/**
 * Ends a procedure's interest in a refresh when the statement that calls the procedure ends.
 * <p>
 * The engine neither interrupts a procedure whose statement is cancelled, nor tells the metadata of its end. But it asks the
 * connector's access control whether the procedure may be called, within the statement's transaction, and ends that transaction with
 * the statement. With {@code iceberg.security=SYSTEM} there is no such access control, and a cancelled CALL leaves its refresh running.
 */
public final class ProcedureStatements
{
    private static final Set<String> OBSERVED = ImmutableSet.of(RefreshMaterializedViewProcedure.NAME, VerifyMaterializedViewProcedure.NAME);

    private final RefreshQueue refreshQueue;
    private final Map<ConnectorTransactionHandle, String> queryIds = new ConcurrentHashMap<>();

    @Inject
    public ProcedureStatements(RefreshQueue refreshQueue)
    {
        this.refreshQueue = requireNonNull(refreshQueue, "refreshQueue is null");
    }

    /** The same access control, which learns of statements that call our procedures. */
    public ConnectorAccessControl observing(ConnectorAccessControl accessControl)
    {
        requireNonNull(accessControl, "accessControl is null");
        return new ForwardingConnectorAccessControl()
        {
            @Override
            protected ConnectorAccessControl delegate()
            {
                return accessControl;
            }

            @Override
            public void checkCanExecuteProcedure(ConnectorSecurityContext context, SchemaRoutineName procedure)
            {
                super.checkCanExecuteProcedure(context, procedure);
                if (OBSERVED.contains(procedure.getRoutineName())) {
                    queryIds.put(context.getTransactionHandle(), context.getQueryId().toString());
                }
            }
        };
    }

    public void transactionEnded(ConnectorTransactionHandle transaction)
    {
        String queryId = queryIds.remove(transaction);
        if (queryId != null) {
            refreshQueue.statementEnded(queryId);
        }
    }
}
