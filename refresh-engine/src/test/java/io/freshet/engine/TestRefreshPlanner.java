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

import io.freshet.engine.plan.CostEstimate;
import io.freshet.engine.plan.PlanReason;
import io.freshet.engine.plan.PlanReasonCode;
import io.freshet.engine.plan.PlanRequest;
import io.freshet.engine.plan.RefreshPlan;
import io.freshet.engine.plan.RefreshPlanner;
import io.freshet.staleness.ChangeKind;
import io.freshet.staleness.ChangeReason;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import static io.freshet.engine.RefreshFixture.GIGABYTE;
import static org.assertj.core.api.Assertions.assertThat;

final class TestRefreshPlanner
{
    private static final RefreshFixture LINEAR = RefreshFixture.linear("SELECT a FROM t UNION ALL SELECT a FROM u", "bigint");

    private static final RefreshFixture GROUPS = RefreshFixture.aggregate(
            "SELECT c, count(*) n FROM t GROUP BY c",
            List.of("c", "n"),
            List.of("varchar"),
            List.of("varchar", "bigint"));

    private static final RefreshFixture GLOBAL = RefreshFixture.aggregate("SELECT count(*) n FROM t", List.of("n"), List.of(), List.of("bigint"));

    private static final RefreshFixture LIMITED = RefreshFixture.notMaintained("SELECT t.a FROM t JOIN u ON t.a = u.a LIMIT 5", List.of("integer"));

    private static final RefreshFixture VOLATILE = RefreshFixture.notMaintained("SELECT a, now() FROM t", List.of("integer", "timestamp(3) with time zone"));

    private static final PlanReason NOT_BUILT = PlanReason.of(PlanReasonCode.NOT_BUILT, "the view was never filled");

    @Test
    void testNothingChanged()
    {
        for (RefreshFixture fixture : List.of(LINEAR, GROUPS, GLOBAL, LIMITED)) {
            assertPlan(fixture, Strategy.NO_OP, ApplyMethod.NONE, "NONE");
            assertPlan(fixture.mode(RefreshMode.INCREMENTAL), Strategy.NO_OP, ApplyMethod.NONE, "NONE");
            assertPlan(fixture.changed("t", ChangeKind.REORGANIZED, ChangeReason.NONE), Strategy.NO_OP, ApplyMethod.NONE, "SOURCE_REORGANIZED");
            assertThat(fixture.planned().sql()).isEmpty();
            assertThat(fixture.planned().writesState()).isTrue();
        }
    }

    @Test
    void testModeFull()
    {
        for (RefreshFixture fixture : List.of(LINEAR, GROUPS, GLOBAL, LIMITED, VOLATILE)) {
            assertPlan(fixture.mode(RefreshMode.FULL), Strategy.FULL_REFRESH, ApplyMethod.OVERWRITE, "MODE_FULL");
        }
        assertThat(GROUPS.mode(RefreshMode.FULL).planned().writesState()).isTrue();
        assertThat(GROUPS.layout(Optional.empty()).mode(RefreshMode.FULL).planned().writesState()).isFalse();
    }

    @Test
    void testVolatile()
    {
        assertPlan(VOLATILE, Strategy.FULL_REFRESH, ApplyMethod.OVERWRITE, "TIME_DEPENDENT_FUNCTION");
        RefreshPlan.Refused refused = VOLATILE.mode(RefreshMode.INCREMENTAL).refused();
        assertThat(refused.reason()).isEqualTo(new PlanReason("TIME_DEPENDENT_FUNCTION", "now at 1:11 depends on the time of the refresh", 1, 11));
        assertThat(refused.reason().message()).isEqualTo("now at 1:11 depends on the time of the refresh (TIME_DEPENDENT_FUNCTION)");
    }

    @Test
    void testFirstBuild()
    {
        assertPlan(GROUPS.fault(NOT_BUILT), Strategy.FULL_REFRESH, ApplyMethod.OVERWRITE, "NOT_BUILT");
        assertPlan(GROUPS.fault(NOT_BUILT).mode(RefreshMode.INCREMENTAL), Strategy.FULL_REFRESH, ApplyMethod.OVERWRITE, "NOT_BUILT");
        assertPlan(LIMITED.fault(NOT_BUILT), Strategy.FULL_REFRESH, ApplyMethod.OVERWRITE, "NOT_BUILT");
        assertThat(LIMITED.fault(NOT_BUILT).mode(RefreshMode.INCREMENTAL).refused().reason().code()).isEqualTo("LIMIT");
        assertThat(GROUPS.layout(Optional.empty()).fault(NOT_BUILT).mode(RefreshMode.INCREMENTAL).refused().reason().code()).isEqualTo("STATE_LAYOUT_CHANGED");
    }

    @Test
    void testLostContent()
    {
        PlanReason lost = PlanReason.of(PlanReasonCode.STATE_LOST, "a foreign commit");
        assertPlan(LINEAR.fault(lost), Strategy.FULL_REFRESH, ApplyMethod.OVERWRITE, "STATE_LOST");
        assertThat(LINEAR.fault(lost).mode(RefreshMode.INCREMENTAL).refused().reason()).isEqualTo(lost);
    }

    @Test
    void testRowsAdded()
    {
        assertPlan(LINEAR.appended("t"), Strategy.APPEND_ONLY, ApplyMethod.APPEND, "NONE");
        assertPlan(LINEAR.appended("t").appended("u"), Strategy.APPEND_ONLY, ApplyMethod.APPEND, "NONE");
        assertPlan(LINEAR.appended("t").changed("u", ChangeKind.REORGANIZED, ChangeReason.NONE), Strategy.APPEND_ONLY, ApplyMethod.APPEND, "NONE");
        assertPlan(GROUPS.appended("t"), Strategy.AGGREGATE_MERGE, ApplyMethod.MERGE, "NONE");
        assertPlan(GROUPS.appendedFromNothing("t").mode(RefreshMode.INCREMENTAL), Strategy.AGGREGATE_MERGE, ApplyMethod.MERGE, "NONE");
        assertPlan(GLOBAL.appended("t"), Strategy.AGGREGATE_MERGE, ApplyMethod.REWRITE, "NONE");
    }

    @Test
    void testRowsRemoved()
    {
        for (RefreshFixture fixture : List.of(GROUPS, GLOBAL)) {
            RefreshFixture removed = fixture.rowsChanged("t");
            assertPlan(removed, Strategy.AGGREGATE_MERGE, fixture == GLOBAL ? ApplyMethod.REWRITE : ApplyMethod.MERGE, "NONE");
            assertPlan(removed.mode(RefreshMode.INCREMENTAL), Strategy.AGGREGATE_MERGE, fixture == GLOBAL ? ApplyMethod.REWRITE : ApplyMethod.MERGE, "NONE");
            assertThat(removed.planned().writesState()).isTrue();
        }
        assertPlan(LINEAR.rowsChanged("t"), Strategy.ROW_DELTA, ApplyMethod.MERGE, "NONE");
        assertPlan(LINEAR.appended("t").rowsChanged("u").mode(RefreshMode.INCREMENTAL), Strategy.ROW_DELTA, ApplyMethod.MERGE, "NONE");
    }

    @Test
    void testRowsThatCannotBeFound()
    {
        assertPlan(RefreshFixture.linear("SELECT a, tags FROM (SELECT qty a, tags FROM sales)", "integer", "array(varchar)").rowsChanged("sales"),
                Strategy.ROW_DELTA, ApplyMethod.MERGE, "NONE");
        for (String type : List.of("array(double)", "array(varchar)", "row(x real)", "variant")) {
            RefreshFixture fixture = RefreshFixture.linear("SELECT tags FROM sales", type);
            assertPlan(fixture.appended("sales"), Strategy.APPEND_ONLY, ApplyMethod.APPEND, "NONE");
            assertPlan(fixture.rowsChanged("sales"), Strategy.FULL_REFRESH, ApplyMethod.OVERWRITE, "UNSUPPORTED_ROW_TYPE");
            assertThat(fixture.rowsChanged("sales").mode(RefreshMode.INCREMENTAL).refused().reason().code()).isEqualTo("UNSUPPORTED_ROW_TYPE");
        }
    }

    @Test
    void testGroupRecompute()
    {
        RefreshFixture distinct = RefreshFixture.aggregate("SELECT c, count(DISTINCT a) n FROM t GROUP BY c", List.of("c", "n"), List.of("varchar"), List.of("varchar", "bigint"));
        assertPlan(distinct.appended("t"), Strategy.GROUP_RECOMPUTE, ApplyMethod.MERGE, "NONE");
        assertPlan(distinct.rowsChanged("t"), Strategy.GROUP_RECOMPUTE, ApplyMethod.MERGE, "NONE");
        assertPlan(distinct.mode(RefreshMode.FULL), Strategy.FULL_REFRESH, ApplyMethod.OVERWRITE, "MODE_FULL");

        RefreshFixture extremes = RefreshFixture.aggregate("SELECT c, max(a) m FROM t GROUP BY c", List.of("c", "m"), List.of("varchar", "integer"), List.of("varchar", "integer"));
        assertPlan(extremes.appended("t"), Strategy.AGGREGATE_MERGE, ApplyMethod.MERGE, "NONE");
        assertPlan(extremes.rowsChanged("t"), Strategy.GROUP_RECOMPUTE, ApplyMethod.MERGE, "NONE");

        RefreshFixture floating = RefreshFixture.aggregate("SELECT c, sum(d) s FROM t GROUP BY c", List.of("c", "s"), List.of("varchar", "double"), List.of("varchar", "double"));
        assertPlan(floating.rowsChanged("t"), Strategy.GROUP_RECOMPUTE, ApplyMethod.MERGE, "NONE");

        RefreshFixture tags = RefreshFixture.aggregate("SELECT tags, max(qty) m FROM sales GROUP BY tags", List.of("tags", "m"), List.of("array(varchar)", "integer"), List.of("array(varchar)", "integer"));
        assertPlan(tags.appended("sales"), Strategy.AGGREGATE_MERGE, ApplyMethod.REWRITE, "NONE");
        assertPlan(tags.rowsChanged("sales"), Strategy.FULL_REFRESH, ApplyMethod.OVERWRITE, "UNSUPPORTED_KEY_TYPE");

        RefreshFixture total = RefreshFixture.aggregate("SELECT max(a) m FROM t", List.of("m"), List.of("integer"), List.of("integer"));
        assertPlan(total.appended("t"), Strategy.AGGREGATE_MERGE, ApplyMethod.REWRITE, "NONE");
        assertPlan(total.rowsChanged("t"), Strategy.FULL_REFRESH, ApplyMethod.OVERWRITE, "STATE_NOT_SUBTRACTABLE");
        assertThat(total.rowsChanged("t").mode(RefreshMode.INCREMENTAL).refused().reason().code()).isEqualTo("STATE_NOT_SUBTRACTABLE");
    }

    @Test
    void testHistoryLost()
    {
        for (ChangeReason reason : ChangeReason.values()) {
            String code = reason == ChangeReason.NONE ? "HISTORY_LOST" : reason.name();
            assertPlan(GROUPS.changed("t", ChangeKind.HISTORY_LOST, reason), Strategy.FULL_REFRESH, ApplyMethod.OVERWRITE, code);
        }
        assertPlan(LIMITED.changed("u", ChangeKind.HISTORY_LOST, ChangeReason.SOURCE_RECREATED), Strategy.FULL_REFRESH, ApplyMethod.OVERWRITE, "LIMIT");
    }

    @Test
    void testNotMaintained()
    {
        assertPlan(LIMITED.appended("t"), Strategy.FULL_REFRESH, ApplyMethod.OVERWRITE, "LIMIT");
        assertThat(LIMITED.appended("t").mode(RefreshMode.INCREMENTAL).refused().reason().code()).isEqualTo("LIMIT");
    }

    @Test
    void testUnknownSources()
    {
        assertPlan(GROUPS.withoutFacts(), Strategy.FULL_REFRESH, ApplyMethod.OVERWRITE, "SOURCE_FACTS_MISSING");
        assertPlan(LIMITED.withoutFacts(), Strategy.FULL_REFRESH, ApplyMethod.OVERWRITE, "LIMIT");
        RefreshFixture foreign = RefreshFixture.notMaintained("SELECT a FROM other.s.f", List.of("integer")).withoutFacts();
        assertPlan(foreign, Strategy.FULL_REFRESH, ApplyMethod.OVERWRITE, "FOREIGN_SOURCE");
    }

    @Test
    void testFixedVersions()
    {
        RefreshFixture fixed = RefreshFixture.notMaintained("SELECT a FROM t FOR VERSION AS OF 7", List.of("integer")).withoutFacts();
        assertPlan(fixed, Strategy.NO_OP, ApplyMethod.NONE, "NONE");
    }

    @Test
    void testLayout()
    {
        StateLayout layout = GROUPS.layout().orElseThrow();
        RefreshFixture other = GROUPS.layout(Optional.of(new StateLayout(
                layout.version(), "of another block", layout.keys(), layout.states(), layout.aggregates(), layout.visibilityColumn())));
        assertPlan(other, Strategy.FULL_REFRESH, ApplyMethod.OVERWRITE, "STATE_LAYOUT_CHANGED");
        assertPlan(other.appended("t"), Strategy.FULL_REFRESH, ApplyMethod.OVERWRITE, "STATE_LAYOUT_CHANGED");
        assertThat(other.appended("t").planned().writesState()).isFalse();
        RefreshFixture newer = GROUPS.layout(Optional.of(new StateLayout(
                layout.version() + 1, layout.fingerprint(), layout.keys(), layout.states(), layout.aggregates(), layout.visibilityColumn())));
        assertPlan(newer.appended("t"), Strategy.FULL_REFRESH, ApplyMethod.OVERWRITE, "STATE_LAYOUT_CHANGED");
        assertPlan(GROUPS.layout(Optional.empty()).appended("t"), Strategy.FULL_REFRESH, ApplyMethod.OVERWRITE, "STATE_LAYOUT_CHANGED");
        assertPlan(GROUPS.layout(Optional.empty()), Strategy.NO_OP, ApplyMethod.NONE, "NONE");
    }

    @Test
    void testMergeOrRewrite()
    {
        RefreshFixture appended = GROUPS.appended("t", 1_000, 1_000);
        assertApplied(appended.backing(OptionalLong.of(10_000), OptionalLong.empty()), ApplyMethod.REWRITE);
        assertApplied(appended.backing(OptionalLong.of(100_000), OptionalLong.empty()), ApplyMethod.MERGE);
        assertApplied(appended.backing(OptionalLong.empty(), OptionalLong.empty()), ApplyMethod.MERGE);
        assertApplied(GROUPS.appended("t", 200_000, 1_000), ApplyMethod.REWRITE);
        assertApplied(GROUPS.appended("t", 100_000, 1_000), ApplyMethod.MERGE);
        assertApplied(appended.backing(OptionalLong.of(0), OptionalLong.of(0)), ApplyMethod.REWRITE);
        assertApplied(GROUPS.appended("t", 5_000_000, 1_000), ApplyMethod.REWRITE);
    }

    @Test
    void testEstimates()
    {
        assertThat(GROUPS.appended("t").planned().estimates())
                .extracting(estimate -> estimate.strategy() + " " + estimate.applyMethod())
                .containsExactly("AGGREGATE_MERGE MERGE", "AGGREGATE_MERGE REWRITE", "FULL_REFRESH OVERWRITE");
        assertThat(GLOBAL.appended("t").planned().estimates())
                .extracting(estimate -> estimate.strategy() + " " + estimate.applyMethod())
                .containsExactly("AGGREGATE_MERGE REWRITE", "FULL_REFRESH OVERWRITE");
        assertThat(LINEAR.rowsChanged("t").planned().estimates())
                .extracting(estimate -> estimate.strategy() + " " + estimate.applyMethod())
                .containsExactly("ROW_DELTA MERGE", "FULL_REFRESH OVERWRITE");
        assertThat(GROUPS.appendedFromNothing("t").planned().estimates())
                .extracting(CostEstimate::strategy)
                .doesNotContain(Strategy.FULL_REFRESH);
        assertThat(GROUPS.appended("t").planned().estimates()).allMatch(estimate -> estimate.millis() > 0 && estimate.bytes() > 0);
    }

    /** The choices that were the fastest where they were measured: 6 million rows in 148 MB, 2 cores. */
    @Test
    void testMeasuredChoices()
    {
        assertThat(measured(4, 600, 6_000_000)).isEqualTo(ApplyMethod.REWRITE);
        assertThat(measured(4, 600_000, 6_000_000)).isEqualTo(ApplyMethod.REWRITE);
        assertThat(measured(1_500_000, 256, 6_000_000)).isEqualTo(ApplyMethod.MERGE);
        assertThat(measured(1_500_000, 60_000, 6_000_000)).isEqualTo(ApplyMethod.MERGE);
        assertThat(measured(1_500_000, 600_000, 6_000_000)).isEqualTo(ApplyMethod.OVERWRITE);
        assertThat(measured(200_000, 6_000, 6_000_000)).isEqualTo(ApplyMethod.MERGE);
        assertThat(measured(200_000, 60_000, 6_000_000)).isEqualTo(ApplyMethod.REWRITE);
        assertThat(measured(150_000, 6_000, 600_000)).isEqualTo(ApplyMethod.OVERWRITE);
        // too small for the difference to matter
        assertThat(measured(4, 10, 60_000)).isEqualTo(ApplyMethod.REWRITE);
    }

    private static ApplyMethod measured(long groups, long deltaRows, long sourceRows)
    {
        return GROUPS.size("t", sourceRows, 25 * sourceRows)
                .appended("t", deltaRows, 25 * deltaRows)
                .backing(OptionalLong.of(groups), OptionalLong.of(6 * groups))
                .planned()
                .applyMethod();
    }

    @Test
    void testCost()
    {
        RefreshFixture dear = GROUPS.size("t", 6_000_000, 148_000_000).appended("t", 3_000_000, 74_000_000)
                .backing(OptionalLong.of(1_500_000), OptionalLong.of(8_000_000));
        assertPlan(dear, Strategy.FULL_REFRESH, ApplyMethod.OVERWRITE, "COST");
        assertThat(dear.planned().reason().detail()).startsWith("computing anew (about ").contains(" is estimated to be cheaper than AGGREGATE_MERGE (about ");
        assertThat(dear.planned().writesState()).isTrue();
        assertThat(dear.planned().estimates()).hasSize(3);
        assertThat(dear.mode(RefreshMode.INCREMENTAL).planned().strategy()).isEqualTo(Strategy.AGGREGATE_MERGE);

        RefreshFixture distinct = RefreshFixture.aggregate("SELECT c, count(DISTINCT a) n FROM t GROUP BY c", List.of("c", "n"), List.of("varchar"), List.of("varchar", "bigint"))
                .size("t", 6_000_000, 148_000_000);
        RefreshFixture few = distinct.backing(OptionalLong.of(25), OptionalLong.of(1_000)).appended("t", 1_000, 25_000);
        assertPlan(few, Strategy.FULL_REFRESH, ApplyMethod.OVERWRITE, "COST");
        assertPlan(few.mode(RefreshMode.INCREMENTAL), Strategy.GROUP_RECOMPUTE, ApplyMethod.MERGE, "NONE");
        assertPlan(distinct.backing(OptionalLong.of(200_000), OptionalLong.of(1_000_000)).appended("t", 1_000, 25_000), Strategy.GROUP_RECOMPUTE, ApplyMethod.MERGE, "NONE");
        assertPlan(distinct.backing(OptionalLong.of(200_000), OptionalLong.of(1_000_000)).appended("t", 3_000_000, 74_000_000), Strategy.FULL_REFRESH, ApplyMethod.OVERWRITE, "COST");

        assertPlan(LINEAR.appended("t", 90_000_000, 190 * GIGABYTE), Strategy.APPEND_ONLY, ApplyMethod.APPEND, "NONE");
        RefreshFixture rows = LINEAR.size("t", 6_000_000, 148_000_000).size("u", 0, 0).backing(OptionalLong.of(6_000_000), OptionalLong.of(100_000_000));
        assertPlan(rows.rowsChanged("t", 60_000, 1_500_000), Strategy.ROW_DELTA, ApplyMethod.MERGE, "NONE");
        assertPlan(rows.rowsChanged("t", 3_000_000, 74_000_000), Strategy.FULL_REFRESH, ApplyMethod.OVERWRITE, "COST");

        // few rows are gone, from a file that has to be read for them, or from files of which nothing is known
        RefreshFixture groups = GROUPS.size("t", 6_000_000, 148_000_000).backing(OptionalLong.of(200_000), OptionalLong.of(1_000_000));
        assertPlan(groups.rowsRemoved("t", 10, 1_000_000), Strategy.AGGREGATE_MERGE, ApplyMethod.MERGE, "NONE");
        assertPlan(groups.rowsRemoved("t", 1_000_000, 74_000_000), Strategy.AGGREGATE_MERGE, ApplyMethod.REWRITE, "NONE");
        assertPlan(groups.rowsRemoved("t", 10, Long.MAX_VALUE), Strategy.AGGREGATE_MERGE, ApplyMethod.MERGE, "NONE");
        assertPlan(groups.backing(OptionalLong.of(1_500_000), OptionalLong.of(8_000_000)).rowsRemoved("t", Long.MAX_VALUE, Long.MAX_VALUE), Strategy.FULL_REFRESH, ApplyMethod.OVERWRITE, "COST");
    }

    private static void assertPlan(RefreshFixture fixture, Strategy strategy, ApplyMethod method, String reason)
    {
        RefreshPlan.Planned plan = fixture.planned();
        assertThat(plan.strategy()).as("%s", plan).isEqualTo(strategy);
        assertThat(plan.applyMethod()).as("%s", plan).isEqualTo(method);
        assertThat(plan.reason().code()).as("%s", plan).isEqualTo(reason);
        assertThat(plan.sql().isPresent()).isEqualTo(strategy != Strategy.NO_OP);
    }

    private static void assertApplied(RefreshFixture fixture, ApplyMethod method)
    {
        assertThat(fixture.planned().strategy()).isEqualTo(Strategy.AGGREGATE_MERGE);
        assertThat(fixture.planned().applyMethod()).isEqualTo(method);
    }

    @Test
    void testGivenWayToMergeGroups()
    {
        RefreshFixture small = GROUPS.appended("t").backing(OptionalLong.of(10), OptionalLong.of(1000));
        assertThat(apply(small, Optional.empty())).isEqualTo(ApplyMethod.REWRITE);
        assertThat(apply(small, Optional.of(ApplyMethod.REWRITE))).isEqualTo(ApplyMethod.REWRITE);
        assertThat(apply(small, Optional.of(ApplyMethod.MERGE))).isEqualTo(ApplyMethod.MERGE);
        // where there is no choice it counts for nothing
        assertThat(apply(GLOBAL.appended("t"), Optional.of(ApplyMethod.MERGE))).isEqualTo(ApplyMethod.REWRITE);
    }

    private static ApplyMethod apply(RefreshFixture fixture, Optional<ApplyMethod> apply)
    {
        PlanRequest request = fixture.request();
        RefreshPlan plan = new RefreshPlanner().plan(new PlanRequest(
                request.view(),
                request.layout(),
                request.layoutRefusal(),
                request.mode(),
                request.sources(),
                request.contentFault(),
                request.backing(),
                request.functionCatalog(),
                apply));
        return ((RefreshPlan.Planned) plan).applyMethod();
    }
}
