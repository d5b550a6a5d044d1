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

import io.airlift.log.Logger;
import io.trino.spi.connector.SchemaTableName;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import static java.util.Objects.requireNonNull;

/** Hands on what happens to the catalog. Never fails, so that no statement fails by being heard of. */
public final class CatalogEvents
        implements CatalogListener
{
    private static final Logger log = Logger.get(CatalogEvents.class);

    private final List<CatalogListener> listeners = new CopyOnWriteArrayList<>();

    public void addListener(CatalogListener listener)
    {
        listeners.add(requireNonNull(listener, "listener is null"));
    }

    @Override
    public void committed(SchemaTableName table)
    {
        tell(listener -> listener.committed(table));
    }

    @Override
    public void viewChanged(SchemaTableName view)
    {
        tell(listener -> listener.viewChanged(view));
    }

    private void tell(Consumer<CatalogListener> event)
    {
        for (CatalogListener listener : listeners) {
            try {
                event.accept(listener);
            }
            catch (RuntimeException e) {
                log.warn(e, "An event of the catalog was lost");
            }
        }
    }
}
