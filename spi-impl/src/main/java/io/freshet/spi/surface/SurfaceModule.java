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

import com.google.inject.Binder;
import com.google.inject.Module;
import com.google.inject.multibindings.ProvidesIntoSet;
import io.trino.plugin.base.classloader.ClassLoaderSafeConnectorTableFunction;
import io.trino.spi.connector.SystemTable;
import io.trino.spi.function.table.ConnectorTableFunction;
import io.trino.spi.procedure.Procedure;

import static com.google.inject.Scopes.SINGLETON;
import static com.google.inject.multibindings.Multibinder.newSetBinder;

/** Binds procedures, table functions and system tables. */
public class SurfaceModule
        implements Module
{
    @Override
    public void configure(Binder binder)
    {
        binder.bind(RefreshLog.class).in(SINGLETON);
        binder.bind(ViewFacts.Readers.class).in(SINGLETON);
        binder.bind(ViewListing.class).in(SINGLETON);
        newSetBinder(binder, SystemTable.class).addBinding().to(MaterializedViewsTable.class).in(SINGLETON);
        newSetBinder(binder, SystemTable.class).addBinding().to(MaterializedViewRefreshesTable.class).in(SINGLETON);
        newSetBinder(binder, SystemTable.class).addBinding().to(MaterializedViewDependenciesTable.class).in(SINGLETON);
        newSetBinder(binder, SystemTable.class).addBinding().to(MaterializedViewAlertsTable.class).in(SINGLETON);

        binder.bind(ProcedureStatements.class).in(SINGLETON);
        newSetBinder(binder, Procedure.class).addBinding().toProvider(RefreshMaterializedViewProcedure.class).in(SINGLETON);
        newSetBinder(binder, Procedure.class).addBinding().toProvider(CancelRefreshProcedure.class).in(SINGLETON);
        newSetBinder(binder, Procedure.class).addBinding().toProvider(VerifyMaterializedViewProcedure.class).in(SINGLETON);
        newSetBinder(binder, Procedure.class).addBinding().toProvider(SwapMaterializedViewsProcedure.class).in(SINGLETON);
        binder.bind(PauseProcedures.class).in(SINGLETON);

        binder.bind(ExplainRefreshFunction.class).in(SINGLETON);
        binder.bind(ExplainIncrementalFunction.class).in(SINGLETON);
    }

    @ProvidesIntoSet
    public static Procedure createPauseProcedure(PauseProcedures procedures)
    {
        return procedures.pauseProcedure();
    }

    @ProvidesIntoSet
    public static Procedure createResumeProcedure(PauseProcedures procedures)
    {
        return procedures.resumeProcedure();
    }

    @ProvidesIntoSet
    public static ConnectorTableFunction createExplainRefreshFunction(ExplainRefreshFunction function)
    {
        return new ClassLoaderSafeConnectorTableFunction(function, SurfaceModule.class.getClassLoader());
    }

    @ProvidesIntoSet
    public static ConnectorTableFunction createExplainIncrementalFunction(ExplainIncrementalFunction function)
    {
        return new ClassLoaderSafeConnectorTableFunction(function, SurfaceModule.class.getClassLoader());
    }
}
