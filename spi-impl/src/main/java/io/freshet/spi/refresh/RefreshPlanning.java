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

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.inject.Inject;
import io.freshet.engine.ApplyMethod;
import io.freshet.engine.CompiledView;
import io.freshet.engine.RefreshMode;
import io.freshet.engine.RelationKind;
import io.freshet.engine.RelationName;
import io.freshet.engine.SourceMention;
import io.freshet.engine.StateLayout;
import io.freshet.engine.ViewCompiler;
import io.freshet.engine.ViewText;
import io.freshet.engine.Volatility;
import io.freshet.engine.plan.BackingTable;
import io.freshet.engine.plan.PlanReason;
import io.freshet.engine.plan.PlanReasonCode;
import io.freshet.engine.plan.PlanRequest;
import io.freshet.engine.plan.RefreshPlanner;
import io.freshet.engine.render.DeltaSources.StoredRows;
import io.freshet.spi.FreshetConfig;
import io.freshet.spi.catalog.BackingTables;
import io.freshet.spi.catalog.FreshetCatalog;
import io.freshet.spi.catalog.ViewTable;
import io.freshet.spi.change.SourceFactsReader;
import io.freshet.spi.refresh.BackingContent.Content;
import io.freshet.spi.refresh.PlannedRefresh.Source;
import io.freshet.spi.refresh.RefreshState.SourceState;
import io.freshet.spi.view.StoredView;
import io.freshet.spi.view.StoredView.StaticSource;
import io.freshet.staleness.ChangeClassifier;
import io.freshet.staleness.ChangeKind;
import io.freshet.staleness.ChangeReason;
import io.freshet.staleness.ResolvedColumn;
import io.freshet.staleness.SourceBookmark;
import io.freshet.staleness.SourceChange;
import io.freshet.staleness.SourceFacts;
import io.trino.plugin.iceberg.TypeConverter;
import io.trino.spi.catalog.CatalogName;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.TableNotFoundException;
import io.trino.spi.type.TypeManager;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotSummary;
import org.apache.iceberg.Table;
import org.apache.iceberg.util.PropertyUtil;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.freshet.engine.StateLayout.VISIBILITY_COLUMN;
import static java.util.Locale.ENGLISH;
import static java.util.Objects.requireNonNull;

/**
 * Finds the facts of a refresh and has it decided from them. Changes nothing.
 */
public final class RefreshPlanning
{
    private static final Pattern FIXED_VERSION = Pattern.compile("FOR VERSION AS OF \\d+");

    private final String catalogName;
    private final TypeManager typeManager;
    private final BackingContent backingContent;
    private final Optional<ApplyMethod> apply;

    @Inject
    public RefreshPlanning(CatalogName catalogName, TypeManager typeManager, BackingContent backingContent, FreshetConfig config)
    {
        this.catalogName = catalogName.toString();
        this.typeManager = requireNonNull(typeManager, "typeManager is null");
        this.backingContent = requireNonNull(backingContent, "backingContent is null");
        this.apply = config.getApply();
    }

    /** A query as its text stands, compiled against the catalog as it is. */
    public CompiledView compile(ConnectorSession session, FreshetCatalog catalog, ViewText text)
    {
        return compile(session, catalog, text, ImmutableList.of());
    }

    /** The definition as its text stands, compiled against the catalog as it is. */
    public CompiledView compile(ConnectorSession session, FreshetCatalog catalog, StoredView definition)
    {
        return compile(session, catalog, text(definition), definition.staticSources());
    }

    private CompiledView compile(ConnectorSession session, FreshetCatalog catalog, ViewText text, List<StaticSource> staticSources)
    {
        return new ViewCompiler().compile(text, new SourceResolver(session, catalog, catalogName, typeManager, backingContent, staticSources));
    }

    public static ViewText text(StoredView definition)
    {
        return new ViewText(
                definition.expandedSql(),
                definition.catalog(),
                definition.schema(),
                definition.columns().stream().map(StoredView.Column::name).collect(toImmutableList()));
    }

    /**
     * @param withState whether the plan may keep and use aggregate states; without, it is a full refresh of the visible columns
     */
    public PlannedRefresh plan(ConnectorSession session, FreshetCatalog catalog, ViewTable view, RefreshMode mode, boolean withState)
    {
        long startMillis = System.currentTimeMillis();
        StoredView definition = view.definition();
        CompiledView compiled = compile(session, catalog, definition);
        BaseTable backing = view.backingTable();
        Content content = ViewVersions.check(LogicalViews.check(backingContent.read(backing, definition.versionId()), compiled), session, catalog);
        Optional<StateLayout> layout = withState ? definition.layout() : Optional.empty();

        ImmutableList.Builder<Source> sources = ImmutableList.builder();
        ImmutableList.Builder<io.freshet.engine.plan.SourceFacts> facts = ImmutableList.builder();
        ImmutableMap.Builder<SchemaTableName, SourcePin> pins = ImmutableMap.builder();
        boolean foreignSources = false;
        for (SourceMention mention : compiled.sources()) {
            switch (mention.kind()) {
                case TABLE, MATERIALIZED_VIEW -> {
                    Optional<Followed> followed = follow(session, catalog, mention);
                    if (followed.isEmpty()) {
                        continue;
                    }
                    SourcePin pin = followed.get().pin();
                    pins.put(pin.table(), pin);
                    if (mention.version().isPresent()) {
                        // a branch or a moment moves without being followed
                        foreignSources |= !FIXED_VERSION.matcher(mention.version().get()).matches();
                        continue;
                    }
                    Source source = source(mention, followed.get(), content, pin.snapshotId());
                    sources.add(source);
                    facts.add(engineFacts(mention.name(), followed.get(), source.change(), layout));
                }
                case STATIC -> facts.add(new io.freshet.engine.plan.SourceFacts(mention.name(), unchanged(), OptionalLong.empty(), OptionalLong.empty(), ImmutableSet.of(), ImmutableSet.of()));
                case FOREIGN, METADATA_TABLE -> foreignSources = true;
                case MISSING -> facts.add(new io.freshet.engine.plan.SourceFacts(mention.name(), missing(), OptionalLong.empty(), OptionalLong.empty(), ImmutableSet.of(), ImmutableSet.of()));
                case VIEW -> throw new IllegalStateException("A logical view is not a source: " + mention.name());
            }
        }

        PlanRequest request = new PlanRequest(
                compiled,
                layout,
                definition.layoutRefusal(),
                mode,
                facts.build(),
                contentFault(content, layout),
                backingTable(view),
                catalogName,
                apply);
        return new PlannedRefresh(
                view,
                compiled,
                request,
                new RefreshPlanner().plan(request),
                sources.build(),
                pins.buildKeepingLast(),
                currentSnapshotId(backing),
                foreignSources,
                startMillis);
    }

    /** Every table of this catalog that a query of the view's sources may read, as it is now. */
    public Map<SchemaTableName, SourcePin> pins(ConnectorSession session, FreshetCatalog catalog, CompiledView compiled)
    {
        ImmutableMap.Builder<SchemaTableName, SourcePin> pins = ImmutableMap.builder();
        compiled.sources().stream()
                .filter(mention -> mention.kind() == RelationKind.TABLE || mention.kind() == RelationKind.MATERIALIZED_VIEW)
                .flatMap(mention -> follow(session, catalog, mention).stream())
                .forEach(followed -> pins.put(followed.name(), followed.pin()));
        return pins.buildKeepingLast();
    }

    private static Optional<PlanReason> contentFault(Content content, Optional<StateLayout> layout)
    {
        if (content.fault().isPresent() || layout.isEmpty()) {
            return content.fault();
        }
        if (!content.state().orElseThrow().details().holdsState()) {
            return Optional.of(PlanReason.of(PlanReasonCode.STATE_LOST, "the last refresh could not keep aggregate states"));
        }
        return Optional.empty();
    }

    /** A table as the catalog has it, by the name under which its rows are read. */
    private record Followed(SchemaTableName name, BaseTable table, Optional<ViewTable> view)
    {
        private String type()
        {
            return view.isPresent() ? SourceState.MATERIALIZED_VIEW : SourceState.TABLE;
        }

        private SourcePin pin()
        {
            return new SourcePin(name, SourceFactsReader.identity(table), currentSnapshotId(table));
        }
    }

    private Optional<Followed> follow(ConnectorSession session, FreshetCatalog catalog, SourceMention mention)
    {
        SchemaTableName name = new SchemaTableName(mention.name().schema(), mention.name().table());
        switch (mention.kind()) {
            case MATERIALIZED_VIEW -> {
                return catalog.findView(session, name)
                        .map(view -> new Followed(BackingTables.backingTableOf(name), view.backingTable(), Optional.of(view)));
            }
            case TABLE -> {
                try {
                    return Optional.of(new Followed(name, catalog.loadTable(session, name), Optional.empty()));
                }
                catch (TableNotFoundException e) {
                    // dropped a moment ago: the statement will say so
                    return Optional.empty();
                }
            }
            case VIEW, FOREIGN, STATIC, METADATA_TABLE, MISSING -> throw new IllegalArgumentException("Not followed: " + mention);
        }
        throw new IllegalStateException();
    }

    private Source source(SourceMention mention, Followed followed, Content content, OptionalLong pinned)
    {
        SchemaTableName name = followed.name();
        Optional<SourceBookmark> bookmark = content.state().stream()
                .flatMap(state -> state.bookmarks().stream())
                .filter(candidate -> candidate.catalog().equals(catalogName) && candidate.schema().equals(name.getSchemaName()) && candidate.table().equals(name.getTableName()))
                .findFirst();
        SourceFacts facts = SourceFactsReader.read(followed.table(), bookmark);
        SourceChange change = bookmark
                .map(known -> ViewFreshness.classify(known, facts))
                .orElseGet(() -> ChangeClassifier.notBuilt(facts));
        List<ResolvedColumn> columns = facts.columns().values().stream()
                .filter(column -> isRead(mention, followed, column.name()))
                .collect(toImmutableList());
        return new Source(
                followed.type(),
                followed.view().map(ViewVersions::state),
                new SourceBookmark(
                        catalogName,
                        name.getSchemaName(),
                        name.getTableName(),
                        facts.identity(),
                        pinned,
                        Optional.empty(),
                        columns,
                        mention.absentColumns(),
                        mention.allColumns() && followed.view().isEmpty()),
                change);
    }

    private static boolean isRead(SourceMention mention, Followed followed, String columnName)
    {
        if (followed.view().isPresent()) {
            // its columns are fixed by its definition
            return false;
        }
        // a top-level column's type says all about its fields
        return mention.allColumns() ? columnName.indexOf('.') < 0 : mention.columns().contains(columnName.toLowerCase(ENGLISH));
    }

    private static SourceChange unchanged()
    {
        return new SourceChange(ChangeKind.UNCHANGED, ChangeReason.NONE, OptionalLong.empty(), OptionalLong.empty(), 0, 0, OptionalLong.empty());
    }

    private static SourceChange missing()
    {
        return new SourceChange(ChangeKind.HISTORY_LOST, ChangeReason.SOURCE_MISSING, OptionalLong.empty(), OptionalLong.empty(), 0, 0, OptionalLong.empty());
    }

    private static io.freshet.engine.plan.SourceFacts engineFacts(RelationName name, Followed followed, SourceChange change, Optional<StateLayout> layout)
    {
        Table table = followed.table();
        DeltaStatistics statistics = layout.isPresent() ? deltaStatistics(name, table, change, layout.get()) : DeltaStatistics.UNKNOWN;
        return new io.freshet.engine.plan.SourceFacts(
                name,
                change,
                total(table, SnapshotSummary.TOTAL_RECORDS_PROP),
                total(table, SnapshotSummary.TOTAL_FILE_SIZE_PROP),
                statistics.columnsWithoutNull(),
                statistics.columnsWithoutNan(),
                followed.view().map(_ -> new StoredRows(table.schema().findField(VISIBILITY_COLUMN) != null)));
    }

    /** Rows that are only added to a view without keys are looked up nowhere. */
    private static DeltaStatistics deltaStatistics(RelationName name, Table table, SourceChange change, StateLayout layout)
    {
        return switch (change.kind()) {
            case APPENDED -> layout.keys().isEmpty() ? DeltaStatistics.UNKNOWN : DeltaStatistics.ofAppends(table, change.from(), change.to().orElseThrow());
            case ROWS_CHANGED -> change.from().isPresent()
                    ? DeltaStatistics.ofChanges(table, new SchemaTableName(name.schema(), name.table()), change.from().getAsLong(), change.to().orElseThrow())
                    // from nothing: all rows
                    : DeltaStatistics.UNKNOWN;
            case UNCHANGED, REORGANIZED, HISTORY_LOST -> DeltaStatistics.UNKNOWN;
        };
    }

    private BackingTable backingTable(ViewTable view)
    {
        SchemaTableName name = BackingTables.backingTableOf(view.view());
        BaseTable table = view.backingTable();
        return new BackingTable(
                new RelationName(catalogName, name.getSchemaName(), name.getTableName()),
                table.schema().columns().stream()
                        .map(field -> new BackingTable.Column(field.name(), TypeConverter.toTrinoType(field.type(), typeManager).getDisplayName()))
                        .collect(toImmutableList()),
                total(table, SnapshotSummary.TOTAL_RECORDS_PROP),
                total(table, SnapshotSummary.TOTAL_FILE_SIZE_PROP));
    }

    private static OptionalLong total(Table table, String property)
    {
        Snapshot snapshot = table.currentSnapshot();
        if (snapshot == null) {
            return OptionalLong.of(0);
        }
        Map<String, String> summary = snapshot.summary();
        return summary.containsKey(property) ? OptionalLong.of(PropertyUtil.propertyAsLong(summary, property, 0)) : OptionalLong.empty();
    }

    static OptionalLong currentSnapshotId(Table table)
    {
        return table.currentSnapshot() == null ? OptionalLong.empty() : OptionalLong.of(table.currentSnapshot().snapshotId());
    }

    /** The bookmarks to be written with the rows of the planned refresh. */
    public static RefreshState stateAfter(PlannedRefresh planned, String refreshId, boolean holdsState)
    {
        return new RefreshState(
                planned.view().definition().versionId(),
                planned.sources().stream()
                        .map(source -> RefreshState.sourceState(source.type(), source.bookmark()))
                        .collect(toImmutableList()),
                planned.startMillis(),
                new RefreshState.Details(
                        refreshId,
                        holdsState,
                        planned.compiled().volatility() instanceof Volatility.Volatile,
                        planned.foreignSources(),
                        LogicalViews.states(planned.compiled()),
                        planned.sources().stream().flatMap(source -> source.view().stream()).collect(toImmutableList())));
    }
}
