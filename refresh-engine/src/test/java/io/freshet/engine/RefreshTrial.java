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
import io.freshet.engine.algebra.LinearBlock;
import io.freshet.engine.mini.MiniEngine;
import io.freshet.engine.plan.BackingTable;
import io.freshet.engine.plan.RefreshPlan;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.IntStream;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static io.freshet.engine.mini.MiniEngine.bag;
import static io.freshet.engine.mini.MiniEngine.exactBag;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A view over the tables {@code facts} and {@code more} in memory, refreshed by the statements that are rendered for it. After each
 * refresh the visible rows are compared with what the view's own SQL gives.
 */
final class RefreshTrial
{
    static final List<String> COLUMNS = List.of("k", "x", "p", "d", "f");

    private static final List<String> DELTA_COLUMNS = ImmutableList.<String>builder().addAll(COLUMNS).add("__mv_weight").build();

    /** The same facts give the same plan. */
    private static final Map<List<Object>, RefreshPlan.Planned> PLANS = new HashMap<>();

    private final RefreshFixture fixture;
    private final boolean rewrite;
    private final String name;
    private final MiniEngine engine = new MiniEngine();
    private final List<List<Object>> facts = new ArrayList<>();
    private final List<List<Object>> more = new ArrayList<>();
    private RefreshPlan.Planned last;

    RefreshTrial(RefreshFixture fixture, boolean rewrite, String name)
    {
        RefreshFixture small = fixture;
        for (SourceMention source : fixture.view().sources()) {
            // so small that a full refresh is not considered
            small = small.size(source.name().table(), 100, 1_000);
        }
        this.fixture = small.backing(rewrite ? OptionalLong.of(0) : OptionalLong.empty(), OptionalLong.empty());
        this.rewrite = rewrite;
        this.name = fixture.view().text().sql() + "\n" + name;
        engine.put("__mv_v", fixture.backing().columns().stream().map(BackingTable.Column::name).toList(), List.of());
    }

    void build(List<List<Object>> newFacts, List<List<Object>> newMore)
    {
        change(facts, newFacts, List.of());
        change(more, newMore, List.of());
        engine.put("facts", COLUMNS, facts);
        engine.put("more", COLUMNS, more);
        execute(PLANS.computeIfAbsent(List.of(fixture.view().text(), rewrite), _ -> fixture.mode(RefreshMode.FULL).planned()));
    }

    void append(List<List<Object>> newFacts, List<List<Object>> newMore)
    {
        refresh(Delta.added(newFacts), Delta.added(newMore));
        if (last.strategy() == Strategy.AGGREGATE_MERGE && !fixture.layout().orElseThrow().keys().isEmpty()) {
            assertThat(last.applyMethod()).isEqualTo(rewrite ? ApplyMethod.REWRITE : ApplyMethod.MERGE);
        }
    }

    /** A change of a table. A row may be in both lists. */
    record Delta(List<List<Object>> added, List<List<Object>> removed)
    {
        static Delta added(List<List<Object>> rows)
        {
            return new Delta(rows, List.of());
        }

        private List<List<Object>> all()
        {
            return ImmutableList.<List<Object>>builder().addAll(added).addAll(removed).build();
        }

        private List<List<Object>> weighted()
        {
            List<List<Object>> rows = new ArrayList<>();
            removed.forEach(row -> rows.add(weighted(row, -1)));
            added.forEach(row -> rows.add(weighted(row, 1)));
            return rows;
        }

        private static List<Object> weighted(List<Object> row, long weight)
        {
            List<Object> weighted = new ArrayList<>(row);
            weighted.add(weight);
            return weighted;
        }
    }

    void refresh(Delta ofFacts, Delta ofMore)
    {
        engine.putBefore("facts", COLUMNS, facts);
        engine.putBefore("more", COLUMNS, more);
        change(facts, ofFacts.added(), ofFacts.removed());
        change(more, ofMore.added(), ofMore.removed());
        engine.put("facts", COLUMNS, facts);
        engine.put("more", COLUMNS, more);
        refreshWithoutChange(ofFacts, ofMore);
    }

    /** Refreshes with a delta that the tables did not have. */
    void refreshWithoutChange(Delta ofFacts, Delta ofMore)
    {
        RefreshFixture changed = fixture;
        for (SourceMention source : fixture.view().sources()) {
            String table = source.name().table();
            Delta delta = table.equals("facts") ? ofFacts : ofMore;
            engine.putDelta(table, DELTA_COLUMNS, delta.weighted());
            if (!delta.removed().isEmpty()) {
                changed = changed.rowsChanged(table);
            }
            else if (table.equals("facts") || !delta.added().isEmpty()) {
                changed = changed.appended(table);
            }
            else {
                continue;
            }
            changed = changed.proven(table, columnsWithout(delta.all(), null), columnsWithout(delta.all(), Double.NaN));
        }
        RefreshFixture request = changed;
        execute(PLANS.computeIfAbsent(List.of(fixture.view().text(), rewrite, changed.sources()), _ -> request.planned()));
    }

    RefreshPlan.Planned lastPlan()
    {
        return last;
    }

    List<List<Object>> facts()
    {
        return facts;
    }

    List<List<Object>> more()
    {
        return more;
    }

    Map<List<Object>, Long> stored()
    {
        return bag(engine.query("SELECT " + String.join(", ", fixture.backing().columns().stream().map(BackingTable.Column::name).toList()) + " FROM __mv_v"));
    }

    private static void change(List<List<Object>> table, List<List<Object>> added, List<List<Object>> removed)
    {
        table.addAll(added);
        removed.forEach(row -> assertThat(table.remove(row)).as("%s is there", row).isTrue());
    }

    private void execute(RefreshPlan.Planned plan)
    {
        last = plan;
        assertThat(plan.writesState()).isTrue();
        boolean overwrite = plan.applyMethod() == ApplyMethod.OVERWRITE || plan.applyMethod() == ApplyMethod.REWRITE;
        engine.execute(plan.sql().orElseThrow(), overwrite);
        List<String> visible = fixture.view().text().columnNames();
        String rows = "SELECT " + String.join(", ", visible) + " FROM __mv_v"
                + (fixture.layout().orElseThrow().visibilityColumn().isPresent() ? " WHERE __mv_visible" : "");
        List<List<Object>> actual = engine.query(rows);
        List<List<Object>> expected = engine.query(fixture.view().text().sql());
        assertThat(bag(actual))
                .as("%s\n%s\n%s", name, plan.applyMethod(), plan.sql())
                .isEqualTo(bag(expected));
        if (fixture.view().maintenance() instanceof Maintenance.Maintained(LinearBlock _)) {
            assertThat(exactBag(actual)).as("%s\n%s\n%s", name, plan.applyMethod(), plan.sql()).isEqualTo(exactBag(expected));
        }
    }

    /** Of the columns that keys are made of; others do not matter for the plan. */
    private Set<String> columnsWithout(List<List<Object>> rows, Object value)
    {
        return IntStream.range(0, COLUMNS.size())
                .filter(i -> fixture.layout().orElseThrow().keys().stream().anyMatch(key -> key.expression().contains("\"" + COLUMNS.get(i) + "\""))
                        || fixture.view().maintenance() instanceof Maintenance.Maintained(LinearBlock _))
                .filter(i -> rows.stream().noneMatch(row -> value == null ? row.get(i) == null : value.equals(row.get(i))))
                .mapToObj(COLUMNS::get)
                .collect(toImmutableSet());
    }
}
