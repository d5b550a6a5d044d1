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

import com.google.common.collect.ImmutableList;
import com.google.inject.Inject;
import io.freshet.engine.CompiledView;
import io.freshet.engine.RelationKind;
import io.freshet.engine.RelationName;
import io.freshet.engine.SourceColumn;
import io.freshet.engine.SourceMention;
import io.freshet.engine.SqlNames;
import io.freshet.spi.catalog.FreshetCatalog;
import io.freshet.spi.refresh.RefreshExecution;
import io.freshet.spi.refresh.RefreshPlanning;
import io.freshet.spi.refresh.RefreshProperties;
import io.freshet.spi.view.StoredView.StaticSource;
import io.trino.spi.TrinoException;
import io.trino.spi.catalog.CatalogName;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.SchemaTableName;

import java.util.List;
import java.util.Map;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static io.trino.spi.StandardErrorCode.INVALID_MATERIALIZED_VIEW_PROPERTY;
import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;

/**
 * The tables of other catalogs that a view declares not to change. The engine is asked for their columns, once: nothing else of them
 * can be known, and they are declared with the rest.
 */
public final class StaticSources
{
    private final String catalogName;
    private final RefreshPlanning planning;
    private final RefreshExecution execution;

    @Inject
    public StaticSources(CatalogName catalogName, RefreshPlanning planning, RefreshExecution execution)
    {
        this.catalogName = catalogName.toString();
        this.planning = requireNonNull(planning, "planning is null");
        this.execution = requireNonNull(execution, "execution is null");
    }

    List<StaticSource> find(ConnectorSession session, FreshetCatalog catalog, SchemaTableName viewName, StoredView definition, Map<String, Object> properties)
    {
        List<String> declared = RefreshProperties.staticSources(properties);
        if (declared.isEmpty()) {
            return ImmutableList.of();
        }
        CompiledView compiled = planning.compile(session, catalog, definition);
        return declared.stream()
                .map(text -> source(viewName, definition, compiled, text))
                .collect(toImmutableSet())
                .stream()
                .map(name -> {
                    List<SourceColumn> columns = execution.columns(viewName, definition, planning.pins(session, catalog, compiled), "SELECT * FROM " + name.toSql()).stream()
                            .map(column -> new SourceColumn(column.name(), column.type(), true))
                            .collect(toImmutableList());
                    return new StaticSource(name.catalog(), name.schema(), name.table(), columns);
                })
                .collect(toImmutableList());
    }

    private RelationName source(SchemaTableName viewName, StoredView definition, CompiledView compiled, String text)
    {
        RelationName name = name(definition, text);
        SourceMention mention = compiled.sources().stream()
                .filter(candidate -> candidate.name().equals(name))
                .findFirst()
                .orElseThrow(() -> invalid("'%s' is not among the sources of materialized view '%s.%s': %s".formatted(
                        text,
                        catalogName,
                        viewName,
                        compiled.sources().stream().map(source -> source.name().toString()).collect(joining(", ")))));
        if (mention.kind() != RelationKind.FOREIGN) {
            throw invalid("changes of '%s' are followed, or it has no rows of its own. Only tables of other catalogs can be declared static".formatted(name));
        }
        return name;
    }

    private RelationName name(StoredView definition, String text)
    {
        List<String> parts = SqlNames.parts(text);
        if (parts.size() == 3) {
            return new RelationName(parts.get(0), parts.get(1), parts.get(2));
        }
        if (parts.size() == 2 && definition.catalog().isPresent()) {
            return new RelationName(definition.catalog().get(), parts.get(0), parts.get(1));
        }
        if (parts.size() == 1 && definition.catalog().isPresent() && definition.schema().isPresent()) {
            return new RelationName(definition.catalog().get(), definition.schema().get(), parts.get(0));
        }
        throw invalid("'%s' is not the name of a table".formatted(text));
    }

    private static TrinoException invalid(String message)
    {
        return new TrinoException(INVALID_MATERIALIZED_VIEW_PROPERTY, "Invalid value for static_sources: " + message);
    }
}
