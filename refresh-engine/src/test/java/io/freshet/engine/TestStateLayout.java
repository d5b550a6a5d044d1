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

import io.freshet.engine.StateLayout.HiddenColumn;
import io.freshet.engine.StateLayout.Key;
import io.freshet.engine.StateLayout.State;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;

import static io.freshet.engine.ViewFixture.compile;
import static org.assertj.core.api.Assertions.assertThat;

final class TestStateLayout
{
    @Test
    void testVisibleColumnsAreReused()
    {
        StateLayout layout = laid("SELECT c, count(*), sum(a), max(b) FROM t GROUP BY c",
                "varchar", "integer", "integer", "varchar", "bigint", "bigint", "integer");
        assertThat(layout.keys()).extracting(Key::column).containsExactly("c1");
        assertThat(layout.states()).extracting(State::column).containsExactly("c2", "c3", "__mv_s1", "c4");
        assertThat(layout.hiddenColumns()).containsExactly(new HiddenColumn("__mv_s1", "bigint"));
        assertThat(layout.visibilityColumn()).isEmpty();
        assertThat(layout.version()).isEqualTo(StateLayout.CURRENT_VERSION);
        assertThat(compile("SELECT c, count(*), sum(a), max(b) FROM t GROUP BY c").fingerprint()).hasValue(layout.fingerprint());
    }

    @Test
    void testStatesAreShared()
    {
        StateLayout layout = laid("SELECT sum(a), avg(a), count(a), sum(a) + count(a) FROM t",
                "double", "double", "double", "double", "double", "bigint", "double");
        assertThat(layout.states()).extracting(State::expression).containsExactly("count(*)", "sum(\"r1\".\"a\")", "count(\"r1\".\"a\")");
        assertThat(layout.states()).extracting(State::column).containsExactly("__mv_count", "c1", "c3");
    }

    @Test
    void testNarrowTypes()
    {
        StateLayout layout = laid("SELECT max(a), avg(d) FROM t GROUP BY b, c",
                "smallint", "varchar(7)", "tinyint", "real", "tinyint", "real");
        assertThat(layout.keys()).extracting(Key::column).containsExactly("__mv_k1", "__mv_k2");
        assertThat(layout.keys()).extracting(Key::storageType).containsExactly("integer", "varchar");
        assertThat(layout.hiddenColumns()).containsExactly(
                new HiddenColumn("__mv_k1", "integer"),
                new HiddenColumn("__mv_k2", "varchar"),
                new HiddenColumn("__mv_count", "bigint"),
                new HiddenColumn("__mv_s1", "integer"),
                new HiddenColumn("__mv_s2", "double"),
                new HiddenColumn("__mv_s3", "bigint"));
        assertThat(layout.aggregates()).extracting(StateLayout.Aggregate::finish)
                .containsExactly(StateLayout.Finish.STATE, StateLayout.Finish.AVERAGE_DOUBLE);
        assertThat(layout.aggregates().get(1).type()).isEqualTo("real");
    }

    @Test
    void testDecimals()
    {
        StateLayout layout = laid("SELECT sum(a), avg(a) FROM t", "decimal(12,3)", "decimal(12,3)", "decimal(38,3)", "decimal(12,3)");
        assertThat(layout.states()).extracting(State::type).containsExactly("bigint", "decimal(38,3)", "bigint");
        assertThat(layout.aggregates().get(1)).isEqualTo(new StateLayout.Aggregate(StateLayout.Finish.AVERAGE_DECIMAL, List.of(1, 2), "decimal(12,3)"));
    }

    @Test
    void testAveragesOfIntegers()
    {
        StateLayout narrow = laid("SELECT sum(a), avg(a) FROM t", "integer", "integer", "bigint", "double");
        assertThat(narrow.states()).extracting(State::expression).containsExactly("count(*)", "sum(\"r1\".\"a\")", "count(\"r1\".\"a\")");
        StateLayout wide = laid("SELECT avg(a) FROM t", "bigint", "double");
        assertThat(wide.states()).extracting(State::expression).containsExactly("count(*)", "sum(CAST(\"r1\".\"a\" AS decimal(38,0)))", "count(\"r1\".\"a\")");
        assertThat(wide.states()).extracting(State::type).containsExactly("bigint", "decimal(38,0)", "bigint");
    }

    @Test
    void testFilter()
    {
        StateLayout layout = laid("SELECT sum(a) FILTER (WHERE b > 1), count(*) FILTER (WHERE b > 1) FROM t",
                "integer", "bigint", "bigint");
        assertThat(layout.states()).extracting(State::expression).containsExactly(
                "count(*)",
                "sum(\"r1\".\"a\") FILTER (WHERE (\"r1\".\"b\" > 1))",
                "count(\"r1\".\"a\") FILTER (WHERE (\"r1\".\"b\" > 1))",
                "count(*) FILTER (WHERE (\"r1\".\"b\" > 1))");
    }

    @Test
    void testHaving()
    {
        StateLayout layout = laid("SELECT c FROM t GROUP BY c HAVING sum(a) > 1", "varchar", "integer", "varchar");
        assertThat(layout.visibilityColumn()).hasValue("__mv_visible");
        assertThat(layout.hiddenColumns().getFirst()).isEqualTo(new HiddenColumn("__mv_visible", "boolean"));
    }

    @Test
    void testLinear()
    {
        assertThat(laid("SELECT a, c FROM t", "integer", "char(3)").hiddenColumns()).isEmpty();
    }

    @Test
    void testUnsupportedKeyTypes()
    {
        for (String type : List.of("char(5)", "timestamp(6) with time zone", "timestamp(9)", "time(9)", "json", "interval day to second", "ipaddress", "unknown", "number", "array(char(2))")) {
            assertThat(refusal("SELECT c, count(*) FROM t GROUP BY c", type, type, "bigint"))
                    .isEqualTo(new Refusal(RefusalCode.UNSUPPORTED_KEY_TYPE, "group key c1 is of type " + type + ", which has no faithful storage", 0, 0));
        }
        assertThat(refusal("SELECT count(*) FROM t GROUP BY c", "json", "bigint").detail()).startsWith("group key 1 is of type json");
    }

    @Test
    void testUnsupportedStateTypes()
    {
        assertThat(refusal("SELECT min(a) FROM t", "timestamp(6) with time zone", "timestamp(6) with time zone"))
                .isEqualTo(new Refusal(
                        RefusalCode.UNSUPPORTED_STATE_TYPE,
                        "min at 1:8 is of type timestamp(6) with time zone, which cannot be kept as state",
                        1,
                        8));
        assertThat(refusal("SELECT sum(a) FROM t", "interval day to second", "interval day to second").code()).isEqualTo(RefusalCode.UNSUPPORTED_STATE_TYPE);
        assertThat(refusal("SELECT avg(a) FROM t", "number", "number").code()).isEqualTo(RefusalCode.UNSUPPORTED_STATE_TYPE);
        assertThat(refusal("SELECT max(c) FROM t", "char(4)", "char(4)").code()).isEqualTo(RefusalCode.UNSUPPORTED_STATE_TYPE);
        // counting needs no value
        laid("SELECT count(a) FROM t", "json", "bigint");
    }

    @Test
    void testWholeGroups()
    {
        StateLayout layout = laid("SELECT count(DISTINCT a), sum(a) FROM t GROUP BY b, c HAVING array_agg(a) IS NOT NULL",
                "smallint", "varchar", "integer", "bigint", "bigint");
        assertThat(layout.keepsStates()).isFalse();
        assertThat(layout.aggregates()).isEmpty();
        assertThat(layout.hiddenColumns()).containsExactly(
                new HiddenColumn("__mv_visible", "boolean"),
                new HiddenColumn("__mv_k1", "integer"),
                new HiddenColumn("__mv_k2", "varchar"));
        assertThat(laid("SELECT c, max(a) FROM t GROUP BY c", "varchar", "timestamp(6) with time zone", "varchar", "timestamp(6) with time zone").keepsStates()).isFalse();
        assertThat(refusal("SELECT c, array_agg(a) FROM t GROUP BY c", "array(integer)", "array(integer)", "array(integer)").detail())
                .isEqualTo("group key c1 is of type array(integer), by which groups cannot be looked up");
    }

    @Test
    void testNotMaintained()
    {
        assertThat(compile("SELECT t.a FROM t LIMIT 5").layout(List.of())).isInstanceOf(LayoutOutcome.NotLaid.class);
    }

    private static StateLayout laid(String sql, String... types)
    {
        LayoutOutcome outcome = compile(sql).layout(List.of(types));
        assertThat(outcome).as(sql).isInstanceOf(LayoutOutcome.Laid.class);
        StateLayout layout = ((LayoutOutcome.Laid) outcome).layout();
        assertThat(layout.states().stream().map(State::column).distinct().count()).isEqualTo(layout.states().size());
        return layout;
    }

    private static Refusal refusal(String sql, String... types)
    {
        LayoutOutcome outcome = compile(sql).layout(List.of(types));
        assertThat(outcome).as(sql).isInstanceOf(LayoutOutcome.NotLaid.class);
        return Optional.of(outcome).map(LayoutOutcome.NotLaid.class::cast).orElseThrow().refusal();
    }
}
