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
import com.google.common.collect.ImmutableMap;
import com.google.inject.Inject;
import io.airlift.slice.Slice;
import io.freshet.engine.CompiledView;
import io.freshet.engine.Maintenance.NotMaintained;
import io.freshet.engine.OperatorExplanation;
import io.freshet.engine.Refusal;
import io.freshet.engine.RefusalCode;
import io.freshet.engine.RelationKind;
import io.freshet.engine.SourceMention;
import io.freshet.engine.ViewText;
import io.freshet.spi.catalog.FreshetCatalog;
import io.freshet.spi.catalog.FreshetCatalogFactory;
import io.freshet.spi.refresh.BackgroundSession;
import io.freshet.spi.refresh.BackgroundSessions;
import io.freshet.spi.refresh.RefreshExecution;
import io.freshet.spi.refresh.RefreshPlanning;
import io.freshet.spi.refresh.SourcePin;
import io.freshet.spi.refresh.StatementRunner.OutputColumn;
import io.freshet.spi.surface.PreparedRows.ColumnType;
import io.freshet.spi.view.StoredView;
import io.trino.spi.TrinoException;
import io.trino.spi.catalog.CatalogName;
import io.trino.spi.connector.ConnectorAccessControl;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.function.table.AbstractConnectorTableFunction;
import io.trino.spi.function.table.Argument;
import io.trino.spi.function.table.Descriptor;
import io.trino.spi.function.table.ReturnTypeSpecification.DescribedTable;
import io.trino.spi.function.table.ScalarArgument;
import io.trino.spi.function.table.ScalarArgumentSpecification;
import io.trino.spi.function.table.TableFunctionAnalysis;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.freshet.spi.surface.PreparedRows.ColumnType.BIGINT_COLUMN;
import static io.freshet.spi.surface.PreparedRows.ColumnType.VARCHAR_COLUMN;
import static io.freshet.spi.surface.ViewArguments.SCHEMA_NAME;
import static io.trino.spi.StandardErrorCode.INVALID_FUNCTION_ARGUMENT;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.util.Objects.requireNonNull;

/**
 * {@code TABLE(system.explain_incremental(query, schema_name))}: how a view of the query would be kept up, part by part, before it is
 * created. Names in the query that are not qualified stand for tables of this catalog and the given schema.
 */
public final class ExplainIncrementalFunction
        extends AbstractConnectorTableFunction
{
    private static final String QUERY = "QUERY";

    private static final Map<String, ColumnType> COLUMNS = ImmutableMap.<String, ColumnType>builder()
            .put("operator", VARCHAR_COLUMN)
            .put("line", BIGINT_COLUMN)
            .put("position", BIGINT_COLUMN)
            .put("under_inserts", VARCHAR_COLUMN)
            .put("under_deletes", VARCHAR_COLUMN)
            .put("detail", VARCHAR_COLUMN)
            .buildOrThrow();

    private final String catalogName;
    private final FreshetCatalogFactory catalogFactory;
    private final BackgroundSessions sessions;
    private final RefreshPlanning planning;
    private final RefreshExecution execution;

    @Inject
    public ExplainIncrementalFunction(CatalogName catalogName, FreshetCatalogFactory catalogFactory, BackgroundSessions sessions, RefreshPlanning planning, RefreshExecution execution)
    {
        super(
                "system",
                "explain_incremental",
                ImmutableList.of(
                        ScalarArgumentSpecification.builder().name(QUERY).type(VARCHAR).build(),
                        ScalarArgumentSpecification.builder().name(SCHEMA_NAME).type(VARCHAR).defaultValue(null).build()),
                new DescribedTable(new Descriptor(COLUMNS.entrySet().stream()
                        .map(column -> new Descriptor.Field(column.getKey(), Optional.of(column.getValue().type())))
                        .collect(toImmutableList()))),
                "How a materialized view of a query would be maintained");
        this.catalogName = catalogName.toString();
        this.catalogFactory = requireNonNull(catalogFactory, "catalogFactory is null");
        this.sessions = requireNonNull(sessions, "sessions is null");
        this.planning = requireNonNull(planning, "planning is null");
        this.execution = requireNonNull(execution, "execution is null");
    }

    @Override
    public TableFunctionAnalysis analyze(ConnectorSession session, ConnectorTransactionHandle transaction, Map<String, Argument> arguments, ConnectorAccessControl accessControl)
    {
        String query = text(arguments, QUERY)
                .filter(text -> !text.isBlank())
                .orElseThrow(() -> new TrinoException(INVALID_FUNCTION_ARGUMENT, "explain_incremental: argument query must be the text of a query"));
        Optional<String> schema = text(arguments, SCHEMA_NAME);
        BackgroundSession background = sessions.create(session.getIdentity());
        FreshetCatalog catalog = catalogFactory.create(session.getIdentity());

        SchemaTableName name = new SchemaTableName(schema.orElse("system"), "explain_incremental");
        StoredView view = view(session, query, schema);
        CompiledView sources = planning.compile(background, catalog, new ViewText(query, view.catalog(), schema, ImmutableList.of()));
        if (sources.maintenance() instanceof NotMaintained(Refusal refusal) && refusal.code() == RefusalCode.UNPARSABLE) {
            throw new TrinoException(INVALID_FUNCTION_ARGUMENT, "explain_incremental: the %s (line %s:%s)".formatted(refusal.detail(), refusal.line(), refusal.column()));
        }
        sources.sources().forEach(mention -> checkCanSelect(mention, accessControl));
        Map<SchemaTableName, SourcePin> pins = planning.pins(background, catalog, sources);
        List<String> columns = execution.columns(name, view, pins, query).stream()
                .map(OutputColumn::name)
                .collect(toImmutableList());
        CompiledView compiled = planning.compile(background, catalog, new ViewText(query, view.catalog(), schema, columns));
        List<String> types = compiled.typeProbeSql()
                .map(sql -> execution.columnTypes(name, view, pins, sql))
                .orElse(ImmutableList.of());
        return TableFunctionAnalysis.builder()
                .handle(new PreparedRows(
                        ImmutableList.copyOf(COLUMNS.values()),
                        compiled.explain(types).stream()
                                .map(ExplainIncrementalFunction::row)
                                .collect(toImmutableList())))
                .build();
    }

    /** Statements may run as another user than the one who asks. */
    private static void checkCanSelect(SourceMention mention, ConnectorAccessControl accessControl)
    {
        if (mention.kind() == RelationKind.TABLE || mention.kind() == RelationKind.MATERIALIZED_VIEW) {
            accessControl.checkCanSelectFromColumns(null, new SchemaTableName(mention.name().schema(), mention.name().table()), Optional.empty(), mention.columns());
        }
    }

    private StoredView view(ConnectorSession session, String query, Optional<String> schema)
    {
        return new StoredView(
                StoredView.CURRENT_FORMAT_VERSION,
                query,
                query,
                Optional.of(catalogName),
                schema,
                ImmutableList.of(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.of(session.getUser()),
                ImmutableList.of(),
                ImmutableMap.of(),
                new StoredView.SessionContext(session.getTimeZoneKey().getId(), session.getLocale().toLanguageTag()),
                Optional.empty(),
                Optional.empty(),
                ImmutableList.of());
    }

    private static List<Optional<String>> row(OperatorExplanation part)
    {
        return ImmutableList.of(
                Optional.of(part.operator()),
                place(part.line()),
                place(part.column()),
                Optional.of(part.underInserts()),
                Optional.of(part.underDeletes()),
                Optional.of(part.detail()).filter(detail -> !detail.isEmpty()));
    }

    private static Optional<String> place(int number)
    {
        return number == 0 ? Optional.empty() : Optional.of(Integer.toString(number));
    }

    private static Optional<String> text(Map<String, Argument> arguments, String name)
    {
        return ((ScalarArgument) arguments.get(name)).getValue() instanceof Slice value ? Optional.of(value.toStringUtf8()) : Optional.empty();
    }
}
