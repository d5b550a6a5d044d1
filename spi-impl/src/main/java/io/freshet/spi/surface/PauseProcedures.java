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
import com.google.common.collect.ImmutableMap;
import com.google.inject.Inject;
import io.freshet.spi.catalog.FreshetCatalog;
import io.freshet.spi.catalog.FreshetCatalogFactory;
import io.trino.spi.catalog.CatalogName;
import io.trino.spi.classloader.ThreadContextClassLoader;
import io.trino.spi.connector.ConnectorAccessControl;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.procedure.Procedure;

import static io.freshet.spi.surface.ViewArguments.SCHEMA_NAME;
import static io.freshet.spi.surface.ViewArguments.VIEW_NAME;
import static io.trino.spi.StandardErrorCode.INVALID_PROCEDURE_ARGUMENT;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.util.Objects.requireNonNull;

/**
 * {@code CALL lake.system.pause_materialized_view(schema_name, view_name)} stops refreshes that start by themselves, on every
 * cluster, until {@code resume_materialized_view}. A refresh that runs goes on, and statements refresh the view as before.
 * <p>
 * Privileges are those of {@code ALTER MATERIALIZED VIEW … SET PROPERTIES}. To pause what is paused does nothing.
 */
public final class PauseProcedures
{
    private final String catalogName;
    private final FreshetCatalogFactory catalogFactory;

    @Inject
    public PauseProcedures(CatalogName catalogName, FreshetCatalogFactory catalogFactory)
    {
        this.catalogName = catalogName.toString();
        this.catalogFactory = requireNonNull(catalogFactory, "catalogFactory is null");
    }

    Procedure pauseProcedure()
    {
        return procedure("pause_materialized_view", "pause");
    }

    Procedure resumeProcedure()
    {
        return procedure("resume_materialized_view", "resume");
    }

    private Procedure procedure(String name, String method)
    {
        return new Procedure(
                "system",
                name,
                ImmutableList.of(new Procedure.Argument(SCHEMA_NAME, VARCHAR), new Procedure.Argument(VIEW_NAME, VARCHAR)),
                ProcedureMethods.method(this, method));
    }

    /** Called by the engine. */
    public void pause(ConnectorAccessControl accessControl, ConnectorSession session, String schemaName, String viewName)
    {
        set(accessControl, session, schemaName, viewName, true);
    }

    /** Called by the engine. */
    public void resume(ConnectorAccessControl accessControl, ConnectorSession session, String schemaName, String viewName)
    {
        set(accessControl, session, schemaName, viewName, false);
    }

    private void set(ConnectorAccessControl accessControl, ConnectorSession session, String schemaName, String viewName, boolean paused)
    {
        SchemaTableName name = ViewArguments.viewName(schemaName, viewName, INVALID_PROCEDURE_ARGUMENT);
        accessControl.checkCanSetMaterializedViewProperties(null, name, ImmutableMap.of());
        try (ThreadContextClassLoader _ = new ThreadContextClassLoader(getClass().getClassLoader())) {
            FreshetCatalog catalog = catalogFactory.create(session.getIdentity());
            catalog.setPaused(ViewArguments.requireView(session, catalog, catalogName, name), paused);
        }
    }
}
