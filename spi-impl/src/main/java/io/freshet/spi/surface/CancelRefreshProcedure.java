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

import com.google.common.collect.ImmutableList;
import com.google.inject.Inject;
import com.google.inject.Provider;
import io.freshet.spi.catalog.FreshetCatalogFactory;
import io.freshet.spi.refresh.RefreshQueue;
import io.trino.spi.TrinoException;
import io.trino.spi.catalog.CatalogName;
import io.trino.spi.classloader.ThreadContextClassLoader;
import io.trino.spi.connector.ConnectorAccessControl;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.procedure.Procedure;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

import static io.freshet.spi.surface.ViewArguments.SCHEMA_NAME;
import static io.freshet.spi.surface.ViewArguments.VIEW_NAME;
import static io.trino.spi.StandardErrorCode.INVALID_PROCEDURE_ARGUMENT;
import static io.trino.spi.StandardErrorCode.NOT_FOUND;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.SECONDS;

/**
 * {@code CALL lake.system.cancel_refresh(schema_name, view_name)}: cancels the refreshes of a view that run or wait in this cluster,
 * whoever asked for them, and returns when they have ended. The view's content stays what it was, unless a commit was faster.
 * <p>
 * Privileges are those of {@code REFRESH MATERIALIZED VIEW}.
 */
public final class CancelRefreshProcedure
        implements Provider<Procedure>
{
    /** The statement of the refresh is told at once; to wait for its end is a courtesy. */
    private static final long WAIT_SECONDS = 30;

    private final String catalogName;
    private final FreshetCatalogFactory catalogFactory;
    private final RefreshQueue refreshQueue;

    @Inject
    public CancelRefreshProcedure(CatalogName catalogName, FreshetCatalogFactory catalogFactory, RefreshQueue refreshQueue)
    {
        this.catalogName = catalogName.toString();
        this.catalogFactory = requireNonNull(catalogFactory, "catalogFactory is null");
        this.refreshQueue = requireNonNull(refreshQueue, "refreshQueue is null");
    }

    @Override
    public Procedure get()
    {
        return new Procedure(
                "system",
                "cancel_refresh",
                ImmutableList.of(
                        new Procedure.Argument(SCHEMA_NAME, VARCHAR),
                        new Procedure.Argument(VIEW_NAME, VARCHAR)),
                ProcedureMethods.method(this, "cancel"));
    }

    /** Called by the engine. */
    public void cancel(ConnectorAccessControl accessControl, ConnectorSession session, String schemaName, String viewName)
    {
        SchemaTableName name = ViewArguments.viewName(schemaName, viewName, INVALID_PROCEDURE_ARGUMENT);
        accessControl.checkCanRefreshMaterializedView(null, name);
        try (ThreadContextClassLoader _ = new ThreadContextClassLoader(getClass().getClassLoader())) {
            ViewArguments.requireView(session, catalogFactory.create(session.getIdentity()), catalogName, name);
            await(refreshQueue.cancelAll(name)
                    .orElseThrow(() -> new TrinoException(NOT_FOUND, "No refresh of materialized view '%s.%s' runs or waits in this cluster".formatted(catalogName, name))));
        }
    }

    private static void await(CompletableFuture<Void> ended)
    {
        try {
            ended.get(WAIT_SECONDS, SECONDS);
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        catch (TimeoutException _) {
            // it is cancelled, and will end
        }
        catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }
}
