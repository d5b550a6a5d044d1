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
package io.freshet.spi.catalog;

import com.google.inject.Binder;
import com.google.inject.Key;
import com.google.inject.Scopes;
import com.google.inject.spi.DefaultElementVisitor;
import com.google.inject.spi.Element;
import com.google.inject.spi.Elements;
import com.google.inject.spi.LinkedKeyBinding;
import io.airlift.configuration.AbstractConfigurationAwareModule;
import io.airlift.configuration.ConfigurationFactory;
import io.trino.plugin.iceberg.catalog.IcebergCatalogModule;
import io.trino.plugin.iceberg.catalog.TrinoCatalogFactory;

/**
 * Installs the catalog that the configuration asks for, and puts {@link FreshetCatalogFactory} in its place.
 * <p>
 * Every stock module binds {@link TrinoCatalogFactory} to a class of its own. That one binding is moved to the key
 * annotated with {@link ForIcebergCatalog}; all else is installed as it is.
 */
public class FreshetCatalogModule
        extends AbstractConfigurationAwareModule
{
    private static final Key<TrinoCatalogFactory> STOCK_KEY = Key.get(TrinoCatalogFactory.class);
    private static final Key<TrinoCatalogFactory> MOVED_KEY = Key.get(TrinoCatalogFactory.class, ForIcebergCatalog.class);

    private ConfigurationFactory configurationFactory;

    @Override
    public synchronized void setConfigurationFactory(ConfigurationFactory configurationFactory)
    {
        super.setConfigurationFactory(configurationFactory);
        this.configurationFactory = configurationFactory;
    }

    @Override
    protected void setup(Binder binder)
    {
        IcebergCatalogModule stock = new IcebergCatalogModule();
        stock.setConfigurationFactory(configurationFactory);
        for (Element element : Elements.getElements(stock)) {
            element.acceptVisitor(new DefaultElementVisitor<Void>()
            {
                @Override
                public <T> Void visit(com.google.inject.Binding<T> binding)
                {
                    if (binding.getKey().equals(STOCK_KEY) && binding instanceof LinkedKeyBinding<T> linked) {
                        @SuppressWarnings("unchecked")
                        Key<? extends TrinoCatalogFactory> implementation = (Key<? extends TrinoCatalogFactory>) linked.getLinkedKey();
                        binder.bind(MOVED_KEY).to(implementation).in(Scopes.SINGLETON);
                        return null;
                    }
                    return super.visit(binding);
                }

                @Override
                protected Void visitOther(Element other)
                {
                    other.applyTo(binder);
                    return null;
                }
            });
        }
        binder.bind(TrinoCatalogFactory.class).to(FreshetCatalogFactory.class).in(Scopes.SINGLETON);
        binder.bind(FreshetCatalogFactory.class).in(Scopes.SINGLETON);
    }
}
