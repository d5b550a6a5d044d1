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
package io.freshet.cases;

import io.trino.plugin.base.security.AllowAllSystemAccessControl;
import io.trino.spi.connector.CatalogSchemaTableName;
import io.trino.spi.eventlistener.EventListener;
import io.trino.spi.eventlistener.QueryCreatedEvent;
import io.trino.spi.security.SystemAccessControl;
import io.trino.spi.security.SystemSecurityContext;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Does something at a given point of the next refresh: between its planning and its statement, or between the analysis of its
 * statement, which resolves the sources, and the listing of splits and the commit. Works by what the engine offers to every
 * plugin, so the refresh does not know of it.
 */
final class RefreshInterceptor
{
    private final AtomicReference<Runnable> afterPlanning = new AtomicReference<>();
    private final AtomicReference<Runnable> afterAnalysis = new AtomicReference<>();

    /** Runs once, when the next refresh is planned and about to send its statement. */
    void afterPlanning(Runnable action)
    {
        afterPlanning.set(action);
    }

    /** Runs once, when the statement of the next refresh is analyzed and has not yet read anything. */
    void afterAnalysis(Runnable action)
    {
        afterAnalysis.set(action);
    }

    boolean isPending()
    {
        return afterPlanning.get() != null || afterAnalysis.get() != null;
    }

    private static void runOnce(AtomicReference<Runnable> action)
    {
        Runnable runnable = action.getAndSet(null);
        if (runnable != null) {
            runnable.run();
        }
    }

    EventListener eventListener()
    {
        return new EventListener()
        {
            @Override
            public void queryCreated(QueryCreatedEvent event)
            {
                String sql = event.getMetadata().getQuery();
                if (event.getContext().getSource().equals(Optional.of("freshet")) && (sql.startsWith("INSERT") || sql.startsWith("MERGE"))) {
                    runOnce(afterPlanning);
                }
            }
        };
    }

    SystemAccessControl accessControl()
    {
        return new AllowAllSystemAccessControl()
        {
            @Override
            public void checkCanInsertIntoTable(SystemSecurityContext context, CatalogSchemaTableName table, Optional<String> branch)
            {
                if (table.getSchemaTableName().getTableName().startsWith("__mv_")) {
                    runOnce(afterAnalysis);
                }
            }
        };
    }
}
