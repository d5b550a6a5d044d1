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
import io.freshet.spi.catalog.FreshetCatalog;
import io.freshet.spi.catalog.ViewTable;
import io.freshet.spi.refresh.BackingContent.Content;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.SchemaTableName;

import static java.util.Objects.requireNonNull;

/**
 * The definitions of the materialized views that another one reads. When one is redefined, its rows mean something else, and what
 * was built from them cannot be carried on by the difference between the two.
 */
public final class ViewVersions
{
    private ViewVersions() {}

    /** @param version as in {@link RefreshState#viewVersionId()} */
    public record State(
            @JsonProperty("namespace") String namespace,
            @JsonProperty("name") String name,
            @JsonProperty("version") String version)
    {
        public State
        {
            requireNonNull(namespace, "namespace is null");
            requireNonNull(name, "name is null");
            requireNonNull(version, "version is null");
        }
    }

    static State state(ViewTable view)
    {
        return new State(view.view().getSchemaName(), view.view().getTableName(), view.definition().versionId());
    }

    /** The content, or why it cannot be built upon. A view that is gone is found out by its rows. */
    public static Content check(Content content, ConnectorSession session, FreshetCatalog catalog)
    {
        return content.unlessRedefined(
                RefreshState.Details::materializedViews,
                state -> isRedefined(session, catalog, state),
                state -> "materialized view %s.%s".formatted(state.namespace(), state.name()));
    }

    private static boolean isRedefined(ConnectorSession session, FreshetCatalog catalog, State state)
    {
        return catalog.findView(session, new SchemaTableName(state.namespace(), state.name()))
                .filter(view -> !view.definition().versionId().equals(state.version()))
                .isPresent();
    }
}
