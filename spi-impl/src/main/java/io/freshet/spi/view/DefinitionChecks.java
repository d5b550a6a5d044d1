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
package io.freshet.spi.view;

import com.google.inject.Inject;
import io.freshet.engine.CompiledView;
import io.freshet.engine.RelationKind;
import io.freshet.engine.ViewText;
import io.freshet.engine.Volatility;
import io.freshet.spi.catalog.FreshetCatalog;
import io.freshet.spi.refresh.InnerViews;
import io.freshet.spi.refresh.RefreshPlanning;
import io.trino.spi.TrinoException;
import io.trino.spi.catalog.CatalogName;
import io.trino.spi.connector.ConnectorMaterializedViewDefinition;
import io.trino.spi.connector.ConnectorMaterializedViewDefinition.WhenStaleBehavior;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.SchemaTableName;

import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

import static io.freshet.spi.catalog.BackingTables.PREFIX;
import static io.freshet.spi.catalog.BackingTables.isBackingName;
import static io.trino.spi.StandardErrorCode.DUPLICATE_COLUMN_NAME;
import static io.trino.spi.StandardErrorCode.INVALID_ARGUMENTS;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.spi.StandardErrorCode.VIEW_IS_RECURSIVE;
import static java.util.Locale.ENGLISH;
import static java.util.Objects.requireNonNull;

/**
 * What speaks against a definition before anything is made of it, and is not seen by the engine.
 */
public final class DefinitionChecks
{
    private final String catalogName;
    private final RefreshPlanning planning;
    private final InnerViews innerViews;

    @Inject
    public DefinitionChecks(CatalogName catalogName, RefreshPlanning planning, InnerViews innerViews)
    {
        this.catalogName = catalogName.toString();
        this.planning = requireNonNull(planning, "planning is null");
        this.innerViews = requireNonNull(innerViews, "innerViews is null");
    }

    void checkColumnNames(SchemaTableName viewName, ConnectorMaterializedViewDefinition definition)
    {
        Set<String> names = new HashSet<>();
        for (ConnectorMaterializedViewDefinition.Column column : definition.getColumns()) {
            String name = column.getName().toLowerCase(ENGLISH);
            if (isBackingName(name)) {
                throw new TrinoException(INVALID_ARGUMENTS, "The column name '%s' is reserved: names that start with '%s' belong to hidden columns of materialized views".formatted(column.getName(), PREFIX));
            }
            if (!names.add(name)) {
                throw new TrinoException(DUPLICATE_COLUMN_NAME, "Materialized view '%s.%s' has two columns named '%s'; names do not differ by case".formatted(catalogName, viewName, name));
            }
        }
    }

    /** With no grace, and failing when stale, a view that is never known to be fresh could not be read at all. */
    void checkReadable(SchemaTableName viewName, ConnectorMaterializedViewDefinition definition, CompiledView compiled)
    {
        boolean needsFreshness = definition.getGracePeriod().map(Duration::isZero).orElse(false)
                && definition.getWhenStaleBehavior().equals(Optional.of(WhenStaleBehavior.FAIL));
        if (!needsFreshness) {
            return;
        }
        whyNeverFresh(compiled).ifPresent(reason -> {
            throw new TrinoException(
                    NOT_SUPPORTED,
                    "Materialized view '%s.%s' could never be read: %s, so it is never known to be fresh. Give it a longer GRACE PERIOD, or WHEN STALE INLINE".formatted(catalogName, viewName, reason));
        });
    }

    private static Optional<String> whyNeverFresh(CompiledView compiled)
    {
        if (compiled.volatility() instanceof Volatility.Volatile(var cause)) {
            return Optional.of("its query depends on more than its tables (%s)".formatted(cause.message()));
        }
        return compiled.sources().stream()
                .filter(source -> source.kind() == RelationKind.FOREIGN || source.kind() == RelationKind.METADATA_TABLE)
                .findFirst()
                .map(source -> "changes of '%s' cannot be followed".formatted(source.name()));
    }

    /** The engine finds circles among views that it expands, but not through stored rows. */
    public void checkNotRecursive(ConnectorSession session, FreshetCatalog catalog, SchemaTableName viewName, ViewText text)
    {
        checkNotRecursive(session, catalog, viewName, planning.compile(session, catalog, text));
    }

    void checkNotRecursive(ConnectorSession session, FreshetCatalog catalog, SchemaTableName viewName, CompiledView compiled)
    {
        if (innerViews.reach(session, catalog, compiled, viewName)) {
            throw new TrinoException(VIEW_IS_RECURSIVE, "View '%s.%s' would read itself through other views".formatted(catalogName, viewName));
        }
    }
}
