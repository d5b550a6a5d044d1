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
package io.freshet.engine;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.freshet.engine.plan.BackingTable;
import io.freshet.engine.plan.PlanReason;
import io.freshet.engine.plan.PlanRequest;
import io.freshet.engine.plan.RefreshPlan;
import io.freshet.engine.plan.RefreshPlanner;
import io.freshet.engine.plan.SourceFacts;
import io.freshet.engine.render.DeltaSources.StoredRows;
import io.freshet.staleness.ChangeKind;
import io.freshet.staleness.ChangeReason;
import io.freshet.staleness.SourceChange;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A view with everything that a refresh of it needs: layout, backing table, and changes of its sources. Immutable; each method that
 * changes something gives another fixture.
 */
record RefreshFixture(
        CompiledView view,
        Optional<StateLayout> layout,
        RefreshMode mode,
        List<SourceFacts> sources,
        Optional<PlanReason> contentFault,
        BackingTable backing,
        List<String> types)
{
    static final long GIGABYTE = 1L << 30;

    static RefreshFixture notMaintained(String sql, List<String> types)
    {
        return of(sql, Optional.empty(), types, Optional.empty(), List.of());
    }

    static RefreshFixture linear(String sql, String... types)
    {
        CompiledView view = ViewFixture.compile(sql);
        return of(sql, Optional.empty(), List.of(types), Optional.of(layout(view, List.of(types))), List.of(types));
    }

    /**
     * @param names names of the output columns
     * @param keyAndArgumentTypes types of the keys and of the aggregate arguments
     * @param outputTypes types of the output columns
     */
    static RefreshFixture aggregate(String sql, List<String> names, List<String> keyAndArgumentTypes, List<String> outputTypes)
    {
        CompiledView view = ViewFixture.compile(sql, names.toArray(String[]::new));
        List<String> types = ImmutableList.<String>builder().addAll(keyAndArgumentTypes).addAll(outputTypes).build();
        return of(sql, Optional.of(names), outputTypes, Optional.of(layout(view, types)), types);
    }

    /** A view with window functions. */
    static RefreshFixture windows(String sql, List<String> names, List<String> keyTypes, List<String> outputTypes)
    {
        return aggregate(sql, names, keyTypes, outputTypes);
    }

    private static StateLayout layout(CompiledView view, List<String> types)
    {
        assertThat(view.maintenance()).isInstanceOf(Maintenance.Maintained.class);
        assertThat(view.typeProbes()).hasSameSizeAs(types);
        LayoutOutcome outcome = view.layout(types);
        assertThat(outcome).as("%s", outcome).isInstanceOf(LayoutOutcome.Laid.class);
        return ((LayoutOutcome.Laid) outcome).layout();
    }

    private static RefreshFixture of(String sql, Optional<List<String>> names, List<String> outputTypes, Optional<StateLayout> layout, List<String> types)
    {
        CompiledView view = names
                .map(known -> ViewFixture.compile(sql, known.toArray(String[]::new)))
                .orElseGet(() -> ViewFixture.compile(sql));
        ImmutableList.Builder<BackingTable.Column> columns = ImmutableList.builder();
        for (int i = 0; i < outputTypes.size(); i++) {
            columns.add(new BackingTable.Column(view.text().columnNames().get(i), StorageTypes.storageType(outputTypes.get(i))));
        }
        layout.ifPresent(known -> known.hiddenColumns()
                .forEach(column -> columns.add(new BackingTable.Column(column.name(), column.storageType()))));
        List<SourceFacts> sources = view.sources().stream()
                .map(source -> facts(source.name(), ChangeKind.UNCHANGED, ChangeReason.NONE, 0, 0))
                .collect(toImmutableList());
        return new RefreshFixture(
                view,
                layout,
                RefreshMode.AUTO,
                sources,
                Optional.empty(),
                new BackingTable(ViewFixture.BACKING, columns.build(), OptionalLong.of(1_000_000), OptionalLong.of(GIGABYTE)),
                types);
    }

    private static SourceFacts facts(RelationName name, ChangeKind kind, ChangeReason reason, long rows, long bytes)
    {
        OptionalLong from = OptionalLong.of(1);
        OptionalLong to = kind == ChangeKind.UNCHANGED ? from : OptionalLong.of(2);
        return new SourceFacts(
                name,
                new SourceChange(kind, reason, from, to, rows, bytes, OptionalLong.empty()),
                OptionalLong.of(100_000_000),
                OptionalLong.of(100 * GIGABYTE),
                ImmutableSet.of(),
                ImmutableSet.of());
    }

    RefreshFixture with(SourceFacts facts)
    {
        ImmutableList.Builder<SourceFacts> replaced = ImmutableList.builder();
        sources.forEach(source -> replaced.add(source.name().equals(facts.name()) ? facts : source));
        return new RefreshFixture(view, layout, mode, replaced.build(), contentFault, backing, types);
    }

    RefreshFixture changed(String table, ChangeKind kind, ChangeReason reason)
    {
        return with(facts(ViewFixture.name(table), kind, reason, 0, 0));
    }

    /** The change of a table is to be given afterwards. */
    RefreshFixture size(String table, long rows, long bytes)
    {
        SourceFacts known = known(table);
        return with(new SourceFacts(known.name(), known.change(), OptionalLong.of(rows), OptionalLong.of(bytes), known.columnsWithoutNull(), known.columnsWithoutNan(), known.view()));
    }

    private SourceFacts known(String table)
    {
        return sources.stream()
                .filter(source -> source.name().equals(ViewFixture.name(table)))
                .findFirst()
                .orElseThrow();
    }

    private RefreshFixture change(String table, SourceFacts changed)
    {
        SourceFacts known = known(table);
        return with(new SourceFacts(known.name(), changed.change(), known.rows(), known.bytes(), known.columnsWithoutNull(), known.columnsWithoutNan(), known.view()));
    }

    RefreshFixture rowsChanged(String table)
    {
        return rowsChanged(table, 1_000, 1_000_000);
    }

    RefreshFixture rowsChanged(String table, long rows, long bytes)
    {
        return change(table, facts(ViewFixture.name(table), ChangeKind.ROWS_CHANGED, ChangeReason.SOURCE_ROWS_CHANGED, rows, bytes));
    }

    RefreshFixture rowsRemoved(String table, long rows, long scanBytes)
    {
        SourceFacts known = known(table);
        SourceChange change = new SourceChange(
                ChangeKind.ROWS_CHANGED, ChangeReason.SOURCE_ROWS_CHANGED, OptionalLong.of(1), OptionalLong.of(2), 0, 0, rows, scanBytes, OptionalLong.empty());
        return with(new SourceFacts(known.name(), change, known.rows(), known.bytes(), known.columnsWithoutNull(), known.columnsWithoutNan(), known.view()));
    }

    RefreshFixture appended(String table)
    {
        return appended(table, 1_000, 1_000_000);
    }

    RefreshFixture appended(String table, long rows, long bytes)
    {
        return change(table, facts(ViewFixture.name(table), ChangeKind.APPENDED, ChangeReason.NONE, rows, bytes));
    }

    RefreshFixture appendedFromNothing(String table)
    {
        SourceChange change = new SourceChange(ChangeKind.APPENDED, ChangeReason.NONE, OptionalLong.empty(), OptionalLong.of(2), 10, 10, OptionalLong.empty());
        return with(new SourceFacts(ViewFixture.name(table), change, OptionalLong.empty(), OptionalLong.empty(), ImmutableSet.of(), ImmutableSet.of()));
    }

    RefreshFixture proven(String table, Set<String> withoutNull, Set<String> withoutNan)
    {
        SourceFacts known = known(table);
        return with(new SourceFacts(known.name(), known.change(), known.rows(), known.bytes(), withoutNull, withoutNan, known.view()));
    }

    /** The source of that name is a materialized view. */
    RefreshFixture storedRows(String table, boolean hidden)
    {
        SourceFacts known = known(table);
        return with(new SourceFacts(known.name(), known.change(), known.rows(), known.bytes(), known.columnsWithoutNull(), known.columnsWithoutNan(), Optional.of(new StoredRows(hidden))));
    }

    RefreshFixture mode(RefreshMode newMode)
    {
        return new RefreshFixture(view, layout, newMode, sources, contentFault, backing, types);
    }

    RefreshFixture fault(PlanReason fault)
    {
        return new RefreshFixture(view, layout, mode, sources, Optional.of(fault), backing, types);
    }

    RefreshFixture layout(Optional<StateLayout> newLayout)
    {
        return new RefreshFixture(view, newLayout, mode, sources, contentFault, backing, types);
    }

    RefreshFixture withoutFacts()
    {
        return new RefreshFixture(view, layout, mode, ImmutableList.of(), contentFault, backing, types);
    }

    RefreshFixture backing(OptionalLong rows, OptionalLong bytes)
    {
        return new RefreshFixture(view, layout, mode, sources, contentFault, new BackingTable(backing.name(), backing.columns(), rows, bytes), types);
    }

    List<OperatorExplanation> explain()
    {
        return view.explain(types);
    }

    PlanRequest request()
    {
        return new PlanRequest(view, layout, mode, sources, contentFault, backing, "lake");
    }

    RefreshPlan plan()
    {
        return new RefreshPlanner().plan(request());
    }

    RefreshPlan.Planned planned()
    {
        RefreshPlan plan = plan();
        assertThat(plan).as("%s", plan).isInstanceOf(RefreshPlan.Planned.class);
        RefreshPlan.Planned planned = (RefreshPlan.Planned) plan;
        planned.sql().ifPresent(ViewFixture::parses);
        return planned;
    }

    RefreshPlan.Refused refused()
    {
        RefreshPlan plan = plan();
        assertThat(plan).as("%s", plan).isInstanceOf(RefreshPlan.Refused.class);
        return (RefreshPlan.Refused) plan;
    }

    String sql()
    {
        return planned().sql().orElseThrow();
    }
}
