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

import com.google.common.collect.ImmutableList;
import com.google.inject.Inject;
import io.airlift.slice.Slice;
import io.freshet.engine.RefreshMode;
import io.freshet.spi.catalog.FreshetCatalog;
import io.freshet.spi.catalog.FreshetCatalogFactory;
import io.freshet.spi.catalog.ViewTable;
import io.freshet.spi.refresh.BackgroundSession;
import io.freshet.spi.refresh.BackgroundSessions;
import io.freshet.spi.refresh.RefreshPlanning;
import io.trino.spi.catalog.CatalogName;
import io.trino.spi.connector.ConnectorAccessControl;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.function.table.AbstractConnectorTableFunction;
import io.trino.spi.function.table.Argument;
import io.trino.spi.function.table.ReturnTypeSpecification.DescribedTable;
import io.trino.spi.function.table.ScalarArgument;
import io.trino.spi.function.table.ScalarArgumentSpecification;
import io.trino.spi.function.table.TableFunctionAnalysis;

import java.util.Map;

import static io.airlift.slice.Slices.utf8Slice;
import static io.freshet.spi.surface.ViewArguments.MODE;
import static io.freshet.spi.surface.ViewArguments.SCHEMA_NAME;
import static io.freshet.spi.surface.ViewArguments.VIEW_NAME;
import static io.trino.spi.StandardErrorCode.INVALID_FUNCTION_ARGUMENT;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.util.Objects.requireNonNull;

/**
 * {@code TABLE(lake.system.explain_refresh(schema_name, view_name, mode => 'AUTO'))}: what a refresh in that mode would do if it
 * began now. Nothing is changed. The rows are described at {@link RefreshExplanation}.
 * <p>
 * Privileges are those of {@code REFRESH MATERIALIZED VIEW}.
 */
public final class ExplainRefreshFunction
        extends AbstractConnectorTableFunction
{
    private final String catalogName;
    private final FreshetCatalogFactory catalogFactory;
    private final BackgroundSessions sessions;
    private final RefreshPlanning planning;

    @Inject
    public ExplainRefreshFunction(CatalogName catalogName, FreshetCatalogFactory catalogFactory, BackgroundSessions sessions, RefreshPlanning planning)
    {
        super(
                "system",
                "explain_refresh",
                ImmutableList.of(
                        ScalarArgumentSpecification.builder().name(SCHEMA_NAME).type(VARCHAR).build(),
                        ScalarArgumentSpecification.builder().name(VIEW_NAME).type(VARCHAR).build(),
                        ScalarArgumentSpecification.builder().name(MODE).type(VARCHAR).defaultValue(utf8Slice(RefreshMode.AUTO.name())).build()),
                new DescribedTable(RefreshExplanation.DESCRIPTOR),
                "What a refresh of a materialized view would do now");
        this.catalogName = catalogName.toString();
        this.catalogFactory = requireNonNull(catalogFactory, "catalogFactory is null");
        this.sessions = requireNonNull(sessions, "sessions is null");
        this.planning = requireNonNull(planning, "planning is null");
    }

    @Override
    public TableFunctionAnalysis analyze(ConnectorSession session, ConnectorTransactionHandle transaction, Map<String, Argument> arguments, ConnectorAccessControl accessControl)
    {
        SchemaTableName name = ViewArguments.viewName(text(arguments, SCHEMA_NAME), text(arguments, VIEW_NAME), INVALID_FUNCTION_ARGUMENT);
        RefreshMode mode = ViewArguments.mode(text(arguments, MODE), INVALID_FUNCTION_ARGUMENT).orElse(RefreshMode.AUTO);
        accessControl.checkCanRefreshMaterializedView(null, name);

        // as a refresh would: the catalog as it is now, not as the transaction has seen it
        BackgroundSession background = sessions.create(session.getIdentity());
        FreshetCatalog catalog = catalogFactory.create(session.getIdentity());
        ViewTable view = ViewArguments.requireView(background, catalog, catalogName, name);
        return TableFunctionAnalysis.builder()
                .handle(new RefreshExplanation(catalogName, planning.plan(background, catalog, view, mode, true)).rows())
                .build();
    }

    private static String text(Map<String, Argument> arguments, String name)
    {
        return ((ScalarArgument) arguments.get(name)).getValue() instanceof Slice value ? value.toStringUtf8() : null;
    }
}
