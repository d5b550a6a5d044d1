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

import com.google.common.collect.ImmutableMap;
import com.google.inject.Inject;
import io.freshet.engine.CompiledView;
import io.freshet.engine.Maintenance.Maintained;
import io.freshet.engine.Refusal;
import io.freshet.engine.RefusalCode;
import io.freshet.engine.RelationKind;
import io.freshet.engine.RelationName;
import io.freshet.engine.StateLayout;
import io.freshet.engine.Volatility;
import io.freshet.engine.algebra.AggregateBlock;
import io.freshet.engine.algebra.Block;
import io.freshet.engine.algebra.LinearBlock;
import io.freshet.engine.plan.PlanReason;
import io.freshet.engine.render.ComparisonStatement;
import io.freshet.engine.render.ComparisonStatement.Column;
import io.freshet.engine.render.ComparisonStatement.Comparison;
import io.freshet.engine.render.ComparisonStatement.Sample;
import io.freshet.spi.catalog.FreshetCatalog;
import io.freshet.spi.catalog.ViewTable;
import io.freshet.spi.change.SourceFactsReader;
import io.freshet.spi.refresh.BackingContent.Content;
import io.freshet.spi.view.StoredView;
import io.freshet.staleness.ChangeKind;
import io.freshet.staleness.SourceBookmark;
import io.freshet.staleness.SourceChange;
import io.trino.spi.TrinoException;
import io.trino.spi.catalog.CatalogName;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.type.Type;
import io.trino.spi.type.TypeId;
import io.trino.spi.type.TypeManager;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static io.freshet.spi.FreshetErrorCode.MATERIALIZED_VIEW_NOT_VERIFIABLE;
import static io.freshet.spi.catalog.BackingTables.backingTableOf;
import static io.trino.spi.StandardErrorCode.INVALID_PROCEDURE_ARGUMENT;
import static io.trino.spi.type.DoubleType.DOUBLE;
import static io.trino.spi.type.RealType.REAL;
import static java.util.Locale.ENGLISH;
import static java.util.Objects.requireNonNull;

/**
 * Compares what a view stores with what its query gives on the snapshots that the stored rows were made from.
 */
public final class Verification
{
    /** Whose results depend on the order in which rows come. */
    private static final Pattern ORDER_DEPENDENT = Pattern.compile("\\b(array_agg|listagg|map_agg|multimap_agg|arbitrary|any_value|max_by|min_by|row_number|first_value|last_value|nth_value|limit|fetch\\s+first|offset|approx_\\w+)\\b", Pattern.CASE_INSENSITIVE);

    private final String catalogName;
    private final TypeManager typeManager;
    private final RefreshPlanning planning;
    private final BackingContent backingContent;
    private final RefreshExecution execution;
    private final RefreshMetrics metrics;

    @Inject
    public Verification(CatalogName catalogName, TypeManager typeManager, RefreshPlanning planning, BackingContent backingContent, RefreshExecution execution, RefreshMetrics metrics)
    {
        this.catalogName = catalogName.toString();
        this.typeManager = requireNonNull(typeManager, "typeManager is null");
        this.planning = requireNonNull(planning, "planning is null");
        this.backingContent = requireNonNull(backingContent, "backingContent is null");
        this.execution = requireNonNull(execution, "execution is null");
        this.metrics = requireNonNull(metrics, "metrics is null");
    }

    /**
     * @param superfluous stored rows that the query does not give
     * @param missing rows that the query gives and that are not stored
     * @param doubt why a query may give other results for the same rows, so that differences may be no faults
     */
    public record Outcome(long superfluous, long missing, Optional<String> doubt)
    {
        public long wrongRows()
        {
            return superfluous + missing;
        }

        public PlanReason cause()
        {
            return new PlanReason("DIVERGED", "%s wrong rows: %s stored that should not be, %s missing".formatted(wrongRows(), superfluous, missing), 0, 0);
        }
    }

    /**
     * @param samplePercent above 0, up to 100
     * @throws TrinoException MATERIALIZED_VIEW_NOT_VERIFIABLE if there is nothing to compare with
     */
    public Outcome verify(BackgroundSession session, FreshetCatalog catalog, ViewTable view, double samplePercent, Consumer<RunningStatement> onStart)
    {
        StoredView definition = view.definition();
        CompiledView compiled = planning.compile(session, catalog, definition);
        Map<SchemaTableName, SourcePin> pins = pins(session, catalog, view, compiled);
        List<Type> types = definition.columns().stream()
                .map(column -> typeManager.getType(TypeId.of(column.type())))
                .collect(toImmutableList());
        List<Column> columns = columns(view.view(), definition, compiled, types);
        String sql = ComparisonStatement.sql(
                new RelationName(catalogName, view.view().getSchemaName(), view.view().getTableName()),
                compiled.expandedSql(),
                columns,
                samplePercent == 100 ? Optional.empty() : Optional.of(sample(view.view(), definition, compiled, columns, types, samplePercent)));
        List<Long> numbers = execution.numbers(view.view(), definition, pins, sql, onStart);
        Outcome outcome = new Outcome(numbers.get(0), numbers.get(1), doubt(compiled));
        metrics.verified(outcome.wrongRows() > 0);
        return outcome;
    }

    /** The sources as the stored rows saw them, and the stored rows. */
    private Map<SchemaTableName, SourcePin> pins(BackgroundSession session, FreshetCatalog catalog, ViewTable view, CompiledView compiled)
    {
        Content content = LogicalViews.check(backingContent.read(view.backingTable(), view.definition().versionId()), compiled);
        RefreshState state = content.state()
                .orElseThrow(() -> notVerifiable(view.view(), content.fault().orElseThrow().detail()));
        if (compiled.volatility() instanceof Volatility.Volatile(Refusal cause) && cause.code() != RefusalCode.UNKNOWN_FUNCTION) {
            throw notVerifiable(view.view(), "its query gives other rows each time: " + cause.message());
        }
        if (state.details().foreignSources()) {
            throw notVerifiable(view.view(), "it reads tables whose earlier rows cannot be read again: tables of other catalogs, metadata tables, branches or times");
        }
        List<SourceBookmark> bookmarks = state.bookmarks();
        List<SourceChange> changes = ViewFreshness.changes(session, catalog, state);
        for (int i = 0; i < bookmarks.size(); i++) {
            if (changes.get(i).kind() == ChangeKind.HISTORY_LOST) {
                SourceBookmark source = bookmarks.get(i);
                throw notVerifiable(view.view(), "source %s.%s.%s cannot be read as it was at snapshot %s (%s)".formatted(
                        source.catalog(),
                        source.schema(),
                        source.table(),
                        source.snapshotId().isPresent() ? source.snapshotId().getAsLong() : "none",
                        changes.get(i).reason()));
            }
        }
        Map<SchemaTableName, SourcePin> pins = new HashMap<>(planning.pins(session, catalog, compiled));
        for (SourceBookmark bookmark : bookmarks) {
            SchemaTableName name = new SchemaTableName(bookmark.schema(), bookmark.table());
            pins.put(name, new SourcePin(name, bookmark.identity(), bookmark.snapshotId()));
        }
        SchemaTableName backingTable = backingTableOf(view.view());
        pins.put(backingTable, new SourcePin(
                backingTable,
                SourceFactsReader.identity(view.backingTable()),
                OptionalLong.of(view.backingTable().currentSnapshot().snapshotId())));
        return ImmutableMap.copyOf(pins);
    }

    private TrinoException notVerifiable(SchemaTableName view, String reason)
    {
        return new TrinoException(MATERIALIZED_VIEW_NOT_VERIFIABLE, "The rows of materialized view '%s.%s' have nothing to be compared with: %s".formatted(catalogName, view, reason));
    }

    /** Where rows are added up, floating point numbers may differ in the last bits. */
    private List<Column> columns(SchemaTableName view, StoredView definition, CompiledView compiled, List<Type> types)
    {
        boolean inputIsCopied = compiled.maintenance() instanceof Maintained(Block block) && ComparisonStatement.copiesValues(block.input());
        boolean copiesValues = inputIsCopied && compiled.maintenance() instanceof Maintained(LinearBlock _);
        Set<String> keys = definition.layout().stream()
                .filter(_ -> inputIsCopied)
                .flatMap(layout -> layout.keys().stream())
                .map(StateLayout.Key::column)
                .collect(toImmutableSet());
        return IntStream.range(0, types.size())
                .mapToObj(index -> {
                    String name = definition.columns().get(index).name();
                    Type type = types.get(index);
                    if (!type.isComparable()) {
                        throw notVerifiable(view, "values of type %s, in column '%s', cannot be compared".formatted(type.getDisplayName(), name));
                    }
                    boolean exact = copiesValues || keys.contains(name);
                    if (exact || !type.equals(DOUBLE) && !type.equals(REAL)) {
                        return new Column(name, Comparison.EXACT);
                    }
                    return new Column(name, type.equals(DOUBLE) ? Comparison.DOUBLE_TOLERANCE : Comparison.REAL_TOLERANCE);
                })
                .collect(toImmutableList());
    }

    private Sample sample(SchemaTableName view, StoredView definition, CompiledView compiled, List<Column> columns, List<Type> types, double percent)
    {
        List<StateLayout.Key> keys = definition.layout().map(StateLayout::keys).orElse(List.of());
        Set<String> keyColumns = keys.stream()
                .map(StateLayout.Key::column)
                .collect(toImmutableSet());
        boolean oneRow = keys.isEmpty() && compiled.maintenance() instanceof Maintained(AggregateBlock _);
        List<Integer> wanted = IntStream.range(0, columns.size())
                .filter(_ -> !oneRow)
                .filter(index -> keyColumns.isEmpty() ? columns.get(index).comparison() == Comparison.EXACT : keyColumns.contains(columns.get(index).name()))
                .boxed()
                .collect(toImmutableList());
        List<Integer> chosen = ComparisonStatement.sampleable(wanted, types.stream().map(Type::getDisplayName).collect(toImmutableList()));
        if (chosen.isEmpty()) {
            throw new TrinoException(INVALID_PROCEDURE_ARGUMENT, "The rows of materialized view '%s.%s' cannot be sampled, since it has no visible group key whose values could choose among them. Leave out sample_percent".formatted(catalogName, view));
        }
        return new Sample(chosen, UUID.randomUUID().toString(), percent);
    }

    private static Optional<String> doubt(CompiledView compiled)
    {
        if (compiled.volatility() instanceof Volatility.Volatile(Refusal cause)) {
            return Optional.of(cause.message());
        }
        if (compiled.sources().stream().anyMatch(source -> source.kind() == RelationKind.STATIC)) {
            return Optional.of("tables of other catalogs that are declared static may have changed nevertheless");
        }
        Matcher matcher = ORDER_DEPENDENT.matcher(compiled.expandedSql());
        return matcher.find() ? Optional.of("the result of '%s' may depend on the order of rows".formatted(matcher.group(1).toLowerCase(ENGLISH))) : Optional.empty();
    }
}
