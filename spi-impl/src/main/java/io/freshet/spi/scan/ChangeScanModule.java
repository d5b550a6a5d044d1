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

import com.google.inject.Binder;
import com.google.inject.Module;
import com.google.inject.Singleton;
import com.google.inject.multibindings.ProvidesIntoSet;
import io.trino.plugin.base.classloader.ClassLoaderSafeConnectorTableFunction;
import io.trino.spi.function.table.ConnectorTableFunction;
import io.trino.spi.type.TypeManager;

import static com.google.inject.Scopes.SINGLETON;
import static com.google.inject.multibindings.OptionalBinder.newOptionalBinder;

/**
 * Binds the table function and what the decorators need. A {@link TableLoader} that remembers what a transaction has loaded
 * may be set as the binding of an {@code OptionalBinder}.
 */
public class ChangeScanModule
        implements Module
{
    @Override
    public void configure(Binder binder)
    {
        newOptionalBinder(binder, TableLoader.class).setDefault().to(CatalogTableLoader.class).in(SINGLETON);
        binder.bind(DeltaSplits.class).in(SINGLETON);
    }

    @ProvidesIntoSet
    @Singleton
    public static ConnectorTableFunction createTableDeltaFunction(TableLoader tableLoader, TypeManager typeManager)
    {
        return new ClassLoaderSafeConnectorTableFunction(new TableDeltaFunction(tableLoader, typeManager), ChangeScanModule.class.getClassLoader());
    }
}
