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
import io.freshet.spi.catalog.FreshetCatalog;
import io.freshet.spi.catalog.FreshetCatalogFactory;
import io.freshet.spi.refresh.BackgroundSession;
import io.freshet.spi.refresh.BackgroundSessions;
import io.freshet.spi.view.ViewSwap;
import io.trino.spi.TrinoException;
import io.trino.spi.catalog.CatalogName;
import io.trino.spi.classloader.ThreadContextClassLoader;
import io.trino.spi.connector.ConnectorAccessControl;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.procedure.Procedure;

import java.util.Optional;

import static io.freshet.spi.surface.ViewArguments.SCHEMA_NAME;
import static io.freshet.spi.surface.ViewArguments.VIEW_NAME;
import static io.trino.spi.StandardErrorCode.INVALID_PROCEDURE_ARGUMENT;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.util.Objects.requireNonNull;

/**
 * {@code CALL lake.system.swap_materialized_views(schema_name, view_name, other_view_name)}: exchanges the names of two views.
 * <p>
 * Privileges are those of renaming each to the name of the other.
 */
public final class SwapMaterializedViewsProcedure
        implements Provider<Procedure>
{
    private static final String OTHER_VIEW_NAME = "OTHER_VIEW_NAME";

    private final String catalogName;
    private final FreshetCatalogFactory catalogFactory;
    private final BackgroundSessions sessions;
    private final ViewSwap swap;

    @Inject
    public SwapMaterializedViewsProcedure(CatalogName catalogName, FreshetCatalogFactory catalogFactory, BackgroundSessions sessions, ViewSwap swap)
    {
        this.catalogName = catalogName.toString();
        this.catalogFactory = requireNonNull(catalogFactory, "catalogFactory is null");
        this.sessions = requireNonNull(sessions, "sessions is null");
        this.swap = requireNonNull(swap, "swap is null");
    }

    @Override
    public Procedure get()
    {
        return new Procedure(
                "system",
                "swap_materialized_views",
                ImmutableList.of(
                        new Procedure.Argument(SCHEMA_NAME, VARCHAR),
                        new Procedure.Argument(VIEW_NAME, VARCHAR),
                        new Procedure.Argument(OTHER_VIEW_NAME, VARCHAR)),
                ProcedureMethods.method(this, "swap"));
    }

    /** Called by the engine. */
    public void swap(ConnectorAccessControl accessControl, ConnectorSession session, String schemaName, String viewName, String otherViewName)
    {
        SchemaTableName first = ViewArguments.viewName(schemaName, viewName, INVALID_PROCEDURE_ARGUMENT);
        SchemaTableName second = new SchemaTableName(schemaName, ViewArguments.required(OTHER_VIEW_NAME, otherViewName, INVALID_PROCEDURE_ARGUMENT));
        if (first.equals(second)) {
            throw new TrinoException(INVALID_PROCEDURE_ARGUMENT, "Arguments view_name and other_view_name must name two views: '%s'".formatted(first.getTableName()));
        }
        accessControl.checkCanRenameMaterializedView(null, first, second);
        accessControl.checkCanRenameMaterializedView(null, second, first);
        try (ThreadContextClassLoader _ = new ThreadContextClassLoader(getClass().getClassLoader())) {
            BackgroundSession background = sessions.create(session.getIdentity());
            FreshetCatalog catalog = catalogFactory.create(session.getIdentity());
            if (catalog.namespaceExists(background, first.getSchemaName())) {
                swap.recover(session.getIdentity(), catalog.listStoredTables(background, Optional.of(first.getSchemaName())));
            }
            swap.swap(
                    session.getIdentity(),
                    ViewArguments.requireView(background, catalog, catalogName, first),
                    ViewArguments.requireView(background, catalog, catalogName, second));
        }
    }
}
