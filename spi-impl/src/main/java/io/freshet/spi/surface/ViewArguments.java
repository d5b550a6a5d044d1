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

import io.freshet.engine.RefreshMode;
import io.freshet.spi.catalog.FreshetCatalog;
import io.freshet.spi.catalog.ViewTable;
import io.freshet.spi.refresh.RefreshProperties;
import io.trino.spi.ErrorCodeSupplier;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.MaterializedViewNotFoundException;
import io.trino.spi.connector.SchemaTableName;

import java.util.Locale;
import java.util.Optional;

import static com.google.common.base.Strings.isNullOrEmpty;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;

/** The arguments by which procedures and table functions name a view and a way of refreshing it. */
final class ViewArguments
{
    static final String SCHEMA_NAME = "SCHEMA_NAME";
    static final String VIEW_NAME = "VIEW_NAME";
    static final String MODE = "MODE";
    static final String CASCADE = "CASCADE";

    private ViewArguments() {}

    /** @param error what a missing part is reported as */
    static SchemaTableName viewName(String schemaName, String viewName, ErrorCodeSupplier error)
    {
        return new SchemaTableName(required(SCHEMA_NAME, schemaName, error), required(VIEW_NAME, viewName, error));
    }

    static String required(String argument, String value, ErrorCodeSupplier error)
    {
        if (isNullOrEmpty(value)) {
            throw new TrinoException(error, "Argument %s must have a value".formatted(argument.toLowerCase(Locale.ENGLISH)));
        }
        return value;
    }

    /** @return empty if none is given */
    static Optional<RefreshMode> mode(String mode, ErrorCodeSupplier error)
    {
        return Optional.ofNullable(mode)
                .map(value -> RefreshProperties.parse(RefreshMode.class, MODE.toLowerCase(Locale.ENGLISH), value, error));
    }

    /**
     * @throws MaterializedViewNotFoundException if nothing of that name is a materialized view
     */
    static ViewTable requireView(ConnectorSession session, FreshetCatalog catalog, String catalogName, SchemaTableName name)
    {
        Optional<ViewTable> view = catalog.findView(session, name);
        if (view.isPresent()) {
            return view.get();
        }
        if (catalog.getMaterializedView(session, name).isPresent()) {
            throw new TrinoException(NOT_SUPPORTED, "'%s.%s' is a materialized view of the Iceberg connector. Use REFRESH MATERIALIZED VIEW, or create the view again to have it maintained by Freshet".formatted(catalogName, name));
        }
        throw new MaterializedViewNotFoundException(name);
    }
}
