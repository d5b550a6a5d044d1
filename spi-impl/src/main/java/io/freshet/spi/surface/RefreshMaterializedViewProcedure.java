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
import io.freshet.engine.RefreshMode;
import io.freshet.spi.catalog.FreshetCatalog;
import io.freshet.spi.catalog.FreshetCatalogFactory;
import io.freshet.spi.catalog.ViewTable;
import io.freshet.spi.refresh.InnerViews;
import io.freshet.spi.refresh.RefreshQueue;
import io.freshet.spi.refresh.RefreshRecord.RefreshTrigger;
import io.freshet.spi.refresh.RefreshService.Request;
import io.trino.spi.catalog.CatalogName;
import io.trino.spi.classloader.ThreadContextClassLoader;
import io.trino.spi.connector.ConnectorAccessControl;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.procedure.Procedure;

import java.util.List;
import java.util.Optional;

import static io.freshet.spi.surface.ViewArguments.CASCADE;
import static io.freshet.spi.surface.ViewArguments.MODE;
import static io.freshet.spi.surface.ViewArguments.SCHEMA_NAME;
import static io.freshet.spi.surface.ViewArguments.VIEW_NAME;
import static io.trino.spi.StandardErrorCode.INVALID_PROCEDURE_ARGUMENT;
import static io.trino.spi.type.BooleanType.BOOLEAN;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.util.Objects.requireNonNull;

/**
 * {@code CALL lake.system.refresh_materialized_view(schema_name, view_name, mode => 'AUTO', cascade => true)}: refreshes a view and
 * returns when it is done. Without a mode, or with NULL, the view is refreshed as it declares. With {@code cascade} the materialized
 * views that it reads are refreshed first, each after those that it reads itself and as it declares.
 * <p>
 * Privileges are those of {@code REFRESH MATERIALIZED VIEW}. Errors are those of the refresh, typed.
 */
public final class RefreshMaterializedViewProcedure
        implements Provider<Procedure>
{
    static final String NAME = "refresh_materialized_view";

    private final String catalogName;
    private final FreshetCatalogFactory catalogFactory;
    private final InnerViews innerViews;
    private final RefreshQueue refreshQueue;

    @Inject
    public RefreshMaterializedViewProcedure(CatalogName catalogName, FreshetCatalogFactory catalogFactory, InnerViews innerViews, RefreshQueue refreshQueue)
    {
        this.catalogName = catalogName.toString();
        this.catalogFactory = requireNonNull(catalogFactory, "catalogFactory is null");
        this.innerViews = requireNonNull(innerViews, "innerViews is null");
        this.refreshQueue = requireNonNull(refreshQueue, "refreshQueue is null");
    }

    @Override
    public Procedure get()
    {
        return new Procedure(
                "system",
                NAME,
                ImmutableList.of(
                        new Procedure.Argument(SCHEMA_NAME, VARCHAR),
                        new Procedure.Argument(VIEW_NAME, VARCHAR),
                        new Procedure.Argument(MODE, VARCHAR, false, null),
                        new Procedure.Argument(CASCADE, BOOLEAN, false, false)),
                ProcedureMethods.method(this, "refresh"));
    }

    /** Called by the engine. It refuses procedures within a transaction by itself. */
    public void refresh(ConnectorAccessControl accessControl, ConnectorSession session, String schemaName, String viewName, String mode, boolean cascade)
    {
        SchemaTableName name = ViewArguments.viewName(schemaName, viewName, INVALID_PROCEDURE_ARGUMENT);
        Optional<RefreshMode> refreshMode = ViewArguments.mode(mode, INVALID_PROCEDURE_ARGUMENT);
        accessControl.checkCanRefreshMaterializedView(null, name);
        try (ThreadContextClassLoader _ = new ThreadContextClassLoader(getClass().getClassLoader())) {
            FreshetCatalog catalog = catalogFactory.create(session.getIdentity());
            ViewTable view = ViewArguments.requireView(session, catalog, catalogName, name);
            List<SchemaTableName> innerViews = cascade ? this.innerViews.inRefreshOrder(session, catalog, view) : ImmutableList.of();
            // before anything is refreshed
            innerViews.forEach(inner -> accessControl.checkCanRefreshMaterializedView(null, inner));
            innerViews.forEach(inner -> refresh(session, inner, Optional.empty()));
            refresh(session, name, refreshMode);
        }
    }

    private void refresh(ConnectorSession session, SchemaTableName name, Optional<RefreshMode> mode)
    {
        ProcedureRefreshes.await(catalogName, name, refreshQueue.submit(session.getQueryId(), new Request(name, mode, RefreshTrigger.MANUAL, session.getIdentity())));
    }
}
