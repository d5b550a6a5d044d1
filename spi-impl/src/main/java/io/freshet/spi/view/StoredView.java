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
import com.google.common.collect.ImmutableMap;
import com.google.common.hash.Hashing;
import io.freshet.engine.Refusal;
import io.freshet.engine.RelationName;
import io.freshet.engine.SourceColumn;
import io.freshet.engine.StateLayout;
import io.trino.spi.connector.CatalogSchemaName;
import io.trino.spi.connector.CatalogSchemaTableName;
import io.trino.spi.connector.ConnectorMaterializedViewDefinition;
import io.trino.spi.connector.ConnectorMaterializedViewDefinition.WhenStaleBehavior;
import io.trino.spi.type.TypeId;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

/**
 * The definition of a view as it is kept, as JSON, in table property {@code freshet.view} of the backing table.
 *
 * @param formatVersion version of this layout; a reader refuses what it does not know
 * @param originalSql as the engine gave it
 * @param expandedSql the same query with every {@code *} written out as it stood when the view was created
 * @param owner whose rights the refresh uses
 * @param properties the properties of the view as declared, absent ones left out
 * @param sessionContext what else gives the query its meaning
 * @param layout how the state of the view is kept beside its columns; absent if it can only be refreshed in full
 * @param layoutRefusal why there is no layout although the text of the view would allow one
 * @param staticSources tables of other catalogs that the view declares not to change
 */
public record StoredView(
        int formatVersion,
        String originalSql,
        String expandedSql,
        Optional<String> catalog,
        Optional<String> schema,
        List<Column> columns,
        Optional<Duration> gracePeriod,
        Optional<WhenStaleBehavior> whenStale,
        Optional<String> comment,
        Optional<String> owner,
        List<PathElement> path,
        Map<String, Object> properties,
        SessionContext sessionContext,
        Optional<StateLayout> layout,
        Optional<Refusal> layoutRefusal,
        List<StaticSource> staticSources)
{
    public static final int CURRENT_FORMAT_VERSION = 1;

    public StoredView
    {
        requireNonNull(originalSql, "originalSql is null");
        requireNonNull(expandedSql, "expandedSql is null");
        requireNonNull(catalog, "catalog is null");
        requireNonNull(schema, "schema is null");
        columns = ImmutableList.copyOf(columns);
        requireNonNull(gracePeriod, "gracePeriod is null");
        requireNonNull(whenStale, "whenStale is null");
        requireNonNull(comment, "comment is null");
        requireNonNull(owner, "owner is null");
        path = path == null ? ImmutableList.of() : ImmutableList.copyOf(path);
        properties = properties == null ? ImmutableMap.of() : ImmutableMap.copyOf(properties);
        requireNonNull(sessionContext, "sessionContext is null");
        requireNonNull(layout, "layout is null");
        layoutRefusal = layoutRefusal == null ? Optional.empty() : layoutRefusal;
        staticSources = staticSources == null ? ImmutableList.of() : ImmutableList.copyOf(staticSources);
    }

    /** @param type type id as the engine writes it */
    public record Column(String name, String type, Optional<String> comment) {}

    /** One schema of the SQL path that was in force when the view was created. */
    public record PathElement(String catalog, String schema) {}

    /**
     * A table as it was when the view was created.
     *
     * @param columns name and SQL type of each
     */
    public record StaticSource(String catalog, String schema, String table, List<SourceColumn> columns)
    {
        public StaticSource
        {
            requireNonNull(catalog, "catalog is null");
            requireNonNull(schema, "schema is null");
            requireNonNull(table, "table is null");
            columns = ImmutableList.copyOf(columns);
        }

        public RelationName name()
        {
            return new RelationName(catalog, schema, table);
        }
    }

    /**
     * Taken from the session that created the view, and used in each of its refreshes.
     *
     * @param timeZone zone id
     * @param locale language tag
     */
    public record SessionContext(String timeZone, String locale) {}

    /**
     * Identifies what the content means: a bookmark counts only under the definition that it was made under.
     * Comments, owner and properties do not take part.
     */
    public String versionId()
    {
        StringBuilder text = new StringBuilder()
                .append(formatVersion).append('\0')
                .append(expandedSql).append('\0')
                .append(catalog).append(schema).append(path).append(sessionContext).append('\0');
        columns.forEach(column -> text.append(column.name()).append(' ').append(column.type()).append('\0'));
        layout.ifPresent(text::append);
        return Hashing.sha256().hashString(text, UTF_8).toString();
    }

    public ConnectorMaterializedViewDefinition toDefinition(CatalogSchemaTableName storageTable)
    {
        return new ConnectorMaterializedViewDefinition(
                originalSql,
                Optional.of(storageTable),
                catalog,
                schema,
                columns.stream()
                        .map(column -> new ConnectorMaterializedViewDefinition.Column(column.name(), TypeId.of(column.type()), column.comment()))
                        .collect(toImmutableList()),
                gracePeriod,
                whenStale,
                comment,
                owner,
                path.stream()
                        .map(element -> new CatalogSchemaName(element.catalog(), element.schema()))
                        .collect(toImmutableList()));
    }

    public StoredView withOwner(Optional<String> owner)
    {
        return new StoredView(formatVersion, originalSql, expandedSql, catalog, schema, columns, gracePeriod, whenStale, comment, owner, path, properties, sessionContext, layout, layoutRefusal, staticSources);
    }

    public StoredView withProperties(Map<String, Object> properties)
    {
        return new StoredView(formatVersion, originalSql, expandedSql, catalog, schema, columns, gracePeriod, whenStale, comment, owner, path, properties, sessionContext, layout, layoutRefusal, staticSources);
    }

    public StoredView withColumns(List<Column> columns)
    {
        return new StoredView(formatVersion, originalSql, expandedSql, catalog, schema, columns, gracePeriod, whenStale, comment, owner, path, properties, sessionContext, layout, layoutRefusal, staticSources);
    }

    public StoredView withStaticSources(List<StaticSource> staticSources)
    {
        return new StoredView(formatVersion, originalSql, expandedSql, catalog, schema, columns, gracePeriod, whenStale, comment, owner, path, properties, sessionContext, layout, layoutRefusal, staticSources);
    }

    public StoredView withExpandedSql(String expandedSql)
    {
        return new StoredView(formatVersion, originalSql, expandedSql, catalog, schema, columns, gracePeriod, whenStale, comment, owner, path, properties, sessionContext, layout, layoutRefusal, staticSources);
    }

    public StoredView withLayout(Optional<StateLayout> layout, Optional<Refusal> layoutRefusal)
    {
        return new StoredView(formatVersion, originalSql, expandedSql, catalog, schema, columns, gracePeriod, whenStale, comment, owner, path, properties, sessionContext, layout, layoutRefusal, staticSources);
    }
}
