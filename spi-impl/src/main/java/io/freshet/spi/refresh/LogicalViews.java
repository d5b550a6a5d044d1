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
package io.freshet.spi.refresh;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.google.common.hash.Hasher;
import com.google.common.hash.Hashing;
import io.freshet.engine.CompiledView;
import io.freshet.engine.LogicalViewMention;
import io.freshet.engine.ViewText;
import io.freshet.spi.catalog.FreshetCatalog;
import io.freshet.spi.refresh.BackingContent.Content;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorViewDefinition;
import io.trino.spi.connector.SchemaTableName;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

/**
 * The logical views that a materialized view reads. When one is redefined, the materialized view means something else, though
 * neither its own text nor any table has changed.
 */
public final class LogicalViews
{
    private LogicalViews() {}

    /** @param hash of all that gives the view its meaning */
    public record State(
            @JsonProperty("namespace") String namespace,
            @JsonProperty("name") String name,
            @JsonProperty("hash") String hash)
    {
        public State
        {
            requireNonNull(namespace, "namespace is null");
            requireNonNull(name, "name is null");
            requireNonNull(hash, "hash is null");
        }
    }

    public static ViewText text(ConnectorViewDefinition definition)
    {
        return new ViewText(
                definition.getOriginalSql(),
                definition.getCatalog(),
                definition.getSchema(),
                definition.getColumns().stream().map(ConnectorViewDefinition.ViewColumn::getName).collect(toImmutableList()));
    }

    static List<State> states(CompiledView compiled)
    {
        return compiled.logicalViews().stream()
                .map(LogicalViews::state)
                .collect(toImmutableList());
    }

    /** The content, or why it cannot be built upon. */
    public static Content check(Content content, CompiledView compiled)
    {
        List<State> now = states(compiled);
        return check(content, now::contains);
    }

    static Content check(Content content, ConnectorSession session, FreshetCatalog catalog, BackingContent backingContent)
    {
        return check(content, state -> SourceResolver.logicalView(session, catalog, backingContent, new SchemaTableName(state.namespace(), state.name()))
                .map(LogicalViews::hash)
                .equals(Optional.of(state.hash())));
    }

    private static Content check(Content content, Predicate<State> isUnchanged)
    {
        return content.unlessRedefined(
                RefreshState.Details::logicalViews,
                isUnchanged.negate(),
                state -> "view %s.%s".formatted(state.namespace(), state.name()));
    }

    private static State state(LogicalViewMention mention)
    {
        return new State(mention.name().schema(), mention.name().table(), hash(mention.text()));
    }

    private static String hash(ViewText text)
    {
        Hasher hasher = Hashing.sha256().newHasher();
        for (String part : List.of(text.sql(), text.catalog().toString(), text.schema().toString(), text.columnNames().toString())) {
            byte[] bytes = part.getBytes(UTF_8);
            hasher.putInt(bytes.length).putBytes(bytes);
        }
        return hasher.hash().toString();
    }
}
