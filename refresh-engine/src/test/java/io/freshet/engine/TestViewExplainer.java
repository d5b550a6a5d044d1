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

import org.junit.jupiter.api.Test;

import java.util.List;

import static io.freshet.engine.ViewFixture.compile;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

final class TestViewExplainer
{
    @Test
    void testRows()
    {
        assertThat(compile("SELECT a, c\n  FROM t WHERE b > 1 UNION ALL SELECT a, x FROM u").explain(List.of("bigint", "varchar"))).containsExactly(
                new OperatorExplanation("scan", 2, 8, "APPEND_ONLY", "ROW_DELTA", "lake.s.t"),
                new OperatorExplanation("filter", 2, 18, "APPEND_ONLY", "ROW_DELTA", ""),
                new OperatorExplanation("scan", 2, 49, "APPEND_ONLY", "ROW_DELTA", "lake.s.u"),
                new OperatorExplanation("union all", 0, 0, "APPEND_ONLY", "ROW_DELTA", "2 inputs"),
                new OperatorExplanation("view", 0, 0, "APPEND_ONLY", "ROW_DELTA", ""));
        assertThat(compile("SELECT tags FROM sales").explain(List.of("array(varchar)")).getLast())
                .isEqualTo(new OperatorExplanation("view", 0, 0, "APPEND_ONLY", "UNSUPPORTED_ROW_TYPE", "rows cannot be found by columns of these types"));
    }

    @Test
    void testGroups()
    {
        assertThat(compile("SELECT c, sum(a), max(b) FROM t GROUP BY c", "k", "s", "m").explain(List.of("varchar", "integer", "integer", "varchar", "bigint", "integer"))).containsExactly(
                new OperatorExplanation("scan", 1, 31, "APPEND_ONLY", "ROW_DELTA", "lake.s.t"),
                new OperatorExplanation("sum", 1, 11, "AGGREGATE_MERGE", "AGGREGATE_MERGE", "kept as s, __mv_s1"),
                new OperatorExplanation("max", 1, 19, "AGGREGATE_MERGE", "GROUP_RECOMPUTE", "kept as m"),
                new OperatorExplanation("view", 0, 0, "AGGREGATE_MERGE", "GROUP_RECOMPUTE", "groups by k"));
        assertThat(compile("SELECT sum(a), count(DISTINCT b) FROM t GROUP BY c").explain(List.of("varchar", "integer", "bigint", "bigint")))
                .extracting(OperatorExplanation::operator, OperatorExplanation::underInserts, OperatorExplanation::underDeletes)
                .contains(
                        tuple("sum", "GROUP_RECOMPUTE", "GROUP_RECOMPUTE"),
                        tuple("count", "GROUP_RECOMPUTE", "GROUP_RECOMPUTE"),
                        tuple("view", "GROUP_RECOMPUTE", "GROUP_RECOMPUTE"));
        assertThat(compile("SELECT max(a), count(*) FROM t").explain(List.of("integer", "integer", "bigint")).getLast())
                .isEqualTo(new OperatorExplanation("view", 0, 0, "AGGREGATE_MERGE", "STATE_NOT_SUBTRACTABLE", "one group"));
        assertThat(compile("SELECT c, count(*) FROM t GROUP BY c").explain(List.of("char(3)", "char(3)", "bigint")).getLast())
                .isEqualTo(new OperatorExplanation("view", 0, 0, "UNSUPPORTED_KEY_TYPE", "UNSUPPORTED_KEY_TYPE", "group key c1 is of type char(3), which has no faithful storage"));
    }

    @Test
    void testRefused()
    {
        assertThat(compile("SELECT t.a FROM t LIMIT 5").explain(List.of()))
                .containsExactly(new OperatorExplanation("view", 1, 19, "LIMIT", "LIMIT", "LIMIT at 1:19 or OFFSET needs the rows that it leaves out"));
    }

    @Test
    void testAgreesWithPlansOfJoins()
    {
        for (RefreshFixture fixture : TestJoinLaws.VIEWS) {
            RefreshFixture added = fixture;
            RefreshFixture removed = fixture;
            for (SourceMention source : fixture.view().sources()) {
                String table = source.name().table();
                added = added.size(table, 100, 1_000).appended(table);
                removed = removed.size(table, 100, 1_000).rowsChanged(table);
            }
            OperatorExplanation view = fixture.explain().getLast();
            assertThat(outcome(added)).as("%s", fixture.view().text()).isEqualTo(view.underInserts());
            assertThat(outcome(removed)).as("%s", fixture.view().text()).isEqualTo(view.underDeletes());
        }
    }

    /** What is explained is what is planned. */
    @Test
    void testAgreesWithPlans()
    {
        for (RefreshFixture fixture : TestRefreshLaws.VIEWS) {
            RefreshFixture added = fixture.appended("facts");
            RefreshFixture removed = fixture.rowsChanged("facts");
            OperatorExplanation view = fixture.explain().getLast();
            assertThat(outcome(added)).as("%s", fixture.view().text()).isEqualTo(view.underInserts());
            assertThat(outcome(removed)).as("%s", fixture.view().text()).isEqualTo(view.underDeletes());
        }
    }

    private static String outcome(RefreshFixture fixture)
    {
        return fixture.planned().strategy() == Strategy.FULL_REFRESH ? fixture.planned().reason().code() : fixture.planned().strategy().name();
    }
}
