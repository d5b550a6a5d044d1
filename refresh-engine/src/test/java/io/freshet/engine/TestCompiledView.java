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

import com.google.common.collect.ImmutableSet;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.freshet.engine.ViewFixture.compile;
import static io.freshet.engine.ViewFixture.name;
import static io.freshet.engine.ViewFixture.parses;
import static org.assertj.core.api.Assertions.assertThat;

final class TestCompiledView
{
    @Test
    void testSourcesOfMaintainedView()
    {
        assertThat(withoutAbsent(compile("SELECT A FROM t WHERE d > 1").sources()))
                .containsExactly(table("t", 1, "a", "d"));
        assertThat(withoutAbsent(compile("SELECT count(*) FROM t").sources()))
                .containsExactly(table("t", 1));
        assertThat(withoutAbsent(compile("SELECT a FROM t UNION ALL SELECT b FROM t UNION ALL SELECT a FROM u").sources()))
                .containsExactly(table("t", 2, "a", "b"), table("u", 1, "a"));
        assertThat(withoutAbsent(compile("SELECT * FROM u", "p", "q").sources()))
                .containsExactly(table("u", 1, "a", "x"));
        assertThat(withoutAbsent(compile("SELECT x.p FROM u AS x (p, q)").sources()))
                .containsExactly(table("u", 1, "a"));
    }

    @Test
    void testSourcesOfAnyView()
    {
        assertThat(withoutAbsent(compile("SELECT t.a FROM t JOIN u ON t.a = u.a").sources()))
                .containsExactly(table("t", 1, "a"), table("u", 1, "a"));
        assertThat(withoutAbsent(compile("SELECT c FROM t WHERE a IN (SELECT a FROM u WHERE x = t.c) AND EXISTS (SELECT 1 FROM sales WHERE region = c)").sources()))
                .containsExactly(table("t", 1, "a", "c"), table("u", 1, "a", "x"), table("sales", 1, "region"));
        assertThat(withoutAbsent(compile("SELECT t.c FROM t JOIN u USING (a)").sources()))
                .containsExactly(table("t", 1, "a", "c"), table("u", 1, "a"));
        assertThat(compile("SELECT c FROM t NATURAL JOIN u").sources())
                .allMatch(SourceMention::allColumns)
                .hasSize(2);
        assertThat(compile("SELECT a FROM other.s.f, lake.s.mv, \"t$files\", missing").sources().stream().map(SourceMention::kind))
                .containsExactly(RelationKind.FOREIGN, RelationKind.MATERIALIZED_VIEW, RelationKind.METADATA_TABLE, RelationKind.MISSING);
    }

    @Test
    void testNamedQueriesAreNoSources()
    {
        assertThat(withoutAbsent(compile("WITH t AS (SELECT a, x FROM u) SELECT t.a FROM t JOIN t y ON t.a = y.a").sources()))
                .containsExactly(table("u", 1, "a", "x"));
        assertThat(withoutAbsent(compile("WITH t AS (SELECT c, a FROM t) SELECT a FROM t, u").sources()))
                .containsExactly(table("t", 1, "a", "c"), table("u", 1, "a"));
        assertThat(compile("WITH x AS (SELECT a FROM t) SELECT a FROM s.x, x").sources().stream().map(SourceMention::name))
                .containsExactly(name("t"), name("x"));
        assertThat(compile("WITH RECURSIVE x (n) AS (SELECT a FROM t UNION ALL SELECT n + 1 FROM x WHERE n < 5) SELECT n FROM x").sources().stream().map(SourceMention::name))
                .containsExactly(name("t"));
    }

    @Test
    void testTimeTravel()
    {
        CompiledView view = compile("SELECT x.a FROM t FOR VERSION AS OF 7 x, t, t y");
        assertThat(view.sources()).extracting(SourceMention::version).containsExactly(Optional.of("FOR VERSION AS OF 7"), Optional.empty());
        assertThat(view.sources()).extracting(SourceMention::count).containsExactly(1, 2);
    }

    @Test
    void testLogicalViews()
    {
        CompiledView view = compile("SELECT a FROM vv");
        assertThat(view.sources().stream().map(SourceMention::name)).containsExactly(name("t"), name("u"));
        assertThat(view.logicalViews().stream().map(LogicalViewMention::name)).containsExactlyInAnyOrder(name("vv"), name("v"));
        assertThat(view.volatility()).isInstanceOf(Volatility.Volatile.class);
        assertThat(((Volatility.Volatile) view.volatility()).cause().code()).isEqualTo(RefusalCode.NONDETERMINISTIC_FUNCTION);
        assertThat(((Volatility.Volatile) view.volatility()).cause().detail()).startsWith("in logical view lake.s.vv, random at 1:13");

        assertThat(compile("SELECT a FROM v").volatility()).isInstanceOf(Volatility.Stable.class);
        assertThat(compile("SELECT a FROM loop").volatility()).isInstanceOf(Volatility.Volatile.class);
    }

    @Test
    void testVolatility()
    {
        assertStable("SELECT t.a, row_number() OVER (ORDER BY t.a), array_agg(u.x) FROM t JOIN u ON t.a = u.a GROUP BY t.a LIMIT 5");
        assertStable("SELECT approx_percentile(d, 0.5) FROM t");
        assertVolatile("SELECT a FROM t ORDER BY random()", RefusalCode.NONDETERMINISTIC_FUNCTION);
        assertVolatile("SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a > to_unixtime(now()))", RefusalCode.TIME_DEPENDENT_FUNCTION);
        assertVolatile("SELECT t.a FROM t JOIN u ON t.a = u.a AND current_user = u.x", RefusalCode.SESSION_DEPENDENT_FUNCTION);
        assertVolatile("SELECT t.a, foo(u.a) FROM t, u", RefusalCode.UNKNOWN_FUNCTION);
        assertVolatile("SELECT s.n, t.a FROM TABLE(sequence(1, 3)) s CROSS JOIN t", RefusalCode.TABLE_FUNCTION);
        assertVolatile("SELECT t.a FROM t, u TABLESAMPLE BERNOULLI (1)", RefusalCode.NONDETERMINISTIC_FUNCTION);
        assertVolatile("SELECT CAST(tm AS timestamp(3)) FROM sales", RefusalCode.TIME_DEPENDENT_FUNCTION);
    }

    @Test
    void testStarExpansion()
    {
        assertExpanded("SELECT * FROM u", "SELECT \"u\".\"a\", \"u\".\"x\" FROM u");
        assertExpanded("SELECT y.*, 1 FROM u AS y (p, q)", "SELECT \"y\".\"p\", \"y\".\"q\", 1 FROM u AS y (p, q)");
        assertExpanded("SELECT * FROM s.u", "SELECT \"s\".\"u\".\"a\", \"s\".\"u\".\"x\" FROM s.u");
        assertExpanded(
                "SELECT z.*, u.x FROM (SELECT * FROM mv) z JOIN u ON z.a = u.a",
                "SELECT \"z\".\"a\", \"z\".\"z\", u.x FROM (SELECT \"mv\".\"a\", \"mv\".\"z\" FROM mv) z JOIN u ON z.a = u.a");
        assertExpanded("WITH q AS (SELECT * FROM u) SELECT * FROM q", "WITH q AS (SELECT \"u\".\"a\", \"u\".\"x\" FROM u) SELECT \"q\".\"a\", \"q\".\"x\" FROM q");
        assertExpanded("SELECT * FROM v", "SELECT \"v\".\"a\", \"v\".\"b\" FROM v");
        assertExpanded("SELECT * FROM (SELECT a AS \"select\" FROM u)", "SELECT \"select\" FROM (SELECT a AS \"select\" FROM u)");
        assertExpanded("SELECT * FROM u UNION ALL SELECT * FROM u", "SELECT \"u\".\"a\", \"u\".\"x\" FROM u UNION ALL SELECT \"u\".\"a\", \"u\".\"x\" FROM u");
    }

    @Test
    void testStarThatStays()
    {
        assertExpanded("SELECT * FROM (SELECT a + 1, x FROM u)", "SELECT * FROM (SELECT a + 1, x FROM u)");
        assertExpanded("SELECT * FROM u JOIN v USING (a)", "SELECT * FROM u JOIN v USING (a)");
        assertExpanded("SELECT * FROM (SELECT a AS p, x AS p FROM u)", "SELECT * FROM (SELECT a AS p, x AS p FROM u)");
        assertExpanded("SELECT * FROM u FOR VERSION AS OF 3", "SELECT * FROM u FOR VERSION AS OF 3");
        assertExpanded("SELECT a FROM t WHERE EXISTS (SELECT * FROM u)", "SELECT a FROM t WHERE EXISTS (SELECT * FROM u)");
        assertThat(compile("SELECT a FROM t WHERE EXISTS (SELECT * FROM u)").sources()).allMatch(SourceMention::allColumns);
    }

    @Test
    void testDeterministic()
    {
        String sql = "WITH q AS (SELECT c, a FROM t) SELECT c, sum(a), avg(a) FROM q GROUP BY 1 HAVING count(*) > 2";
        assertThat(compile(sql)).isEqualTo(compile(sql));
        assertThat(compile(sql).fingerprint()).isPresent().isEqualTo(compile(sql).fingerprint());
        assertThat(compile(sql).fingerprint()).isNotEqualTo(compile(sql.replace("> 2", "> 3")).fingerprint());
        assertThat(compile(sql).fingerprint()).isNotEqualTo(compile(sql.replace("sum", "max")).fingerprint());
        assertThat(compile("SELECT a FROM t JOIN u USING (a)").fingerprint()).isPresent();
        assertThat(compile("SELECT a FROM t LIMIT 5").fingerprint()).isEmpty();
    }

    @Test
    void testColumnGainedLaterChangesNothing()
    {
        String sql = "SELECT a.x, b.x y, c.k FROM t a JOIN t b ON a.k = b.k LEFT JOIN t c ON c.k = b.k WHERE EXISTS (SELECT 1 FROM t d WHERE d.x = a.x)";
        assertThat(fingerprint(sql, "x", "k")).isPresent().isEqualTo(fingerprint(sql, "x", "later", "k"));
    }

    private static Optional<String> fingerprint(String sql, String... columns)
    {
        ResolvedRelation table = ResolvedRelation.table(Stream.of(columns).map(name -> new SourceColumn(name, "integer", true)).toList());
        return new ViewCompiler().compile(new ViewText(sql, Optional.of("lake"), Optional.of("s"), List.of("x", "y", "k")), _ -> table).fingerprint();
    }

    @Test
    void testAliasesAvoidNames()
    {
        // the parameter of a lambda must not capture the alias of a relation
        String probe = compile("SELECT transform(tags, r1 -> r1 || region), transform(tags, _g -> _g) FROM sales").typeProbeSql().orElseThrow();
        parses(probe);
        assertThat(probe).contains("(r1) -> concat(r1, \"__r1\".\"region\")").doesNotContain("\"r1\".", "\"_r1\".");
    }

    @Test
    void testTypeProbe()
    {
        CompiledView view = compile("SELECT c, sum(a) + 1, max(d) FROM t WHERE b > 0 GROUP BY c");
        assertThat(view.typeProbes()).hasSize(1 + 2 + 3);
        assertThat(view.typeProbeSql()).hasValue("SELECT \"g\".\"k1\", \"g\".\"p1\", \"g\".\"p2\", \"g\".\"k1\", (\"g\".\"a1\" + 1), \"g\".\"a2\""
                + " FROM (SELECT \"r1\".\"c\" AS \"k1\", any_value(\"r1\".\"a\") AS \"p1\", any_value(\"r1\".\"d\") AS \"p2\","
                + " sum(\"r1\".\"a\") AS \"a1\", max(\"r1\".\"d\") AS \"a2\""
                + " FROM (SELECT \"a\", \"b\", \"c\", \"d\" FROM \"lake\".\"s\".\"t\") AS \"r1\" WHERE (\"r1\".\"b\" > 0) GROUP BY 1) AS \"g\" LIMIT 0");
        assertThat(compile("SELECT a + 1, c FROM t").typeProbes()).hasSize(2);
    }

    private static void assertStable(String sql)
    {
        assertThat(compile(sql).volatility()).as(sql).isInstanceOf(Volatility.Stable.class);
    }

    private static void assertVolatile(String sql, RefusalCode code)
    {
        assertThat(compile(sql).volatility()).as(sql).isInstanceOf(Volatility.Volatile.class);
        assertThat(((Volatility.Volatile) compile(sql).volatility()).cause().code()).as(sql).isEqualTo(code);
    }

    private static void assertExpanded(String sql, String expected)
    {
        String expanded = compile(sql).expandedSql();
        parses(expanded);
        assertThat(normalize(expanded)).isEqualTo(normalize(expected));
    }

    @Test
    void testAbsentColumns()
    {
        List<SourceMention> mentions = compile("SELECT c FROM t WHERE EXISTS (SELECT 1 FROM sales WHERE c = 1)").sources();
        assertThat(mentions.getFirst().absentColumns()).doesNotContain("c");
        assertThat(mentions.getLast().absentColumns()).contains("c");
        assertThat(compile("SELECT a FROM t WHERE d > 1").sources().getFirst().absentColumns())
                .describedAs("names of a maintained view cannot be captured")
                .isEmpty();
    }

    /** Spaces and redundant parentheses apart. */
    private static String normalize(String sql)
    {
        return sql.chars()
                .mapToObj(Character::toString)
                .filter(character -> !Set.of(" ", "\n", "(", ")").contains(character))
                .collect(toImmutableList())
                .toString()
                .replace(", A, S, ", ", ")
                .replace("I, N, N, E, R, ", "");
    }

    /** Absent columns follow from the names in the text; a test of their own checks them. */
    private static List<SourceMention> withoutAbsent(List<SourceMention> mentions)
    {
        return mentions.stream()
                .map(mention -> new SourceMention(mention.name(), mention.kind(), mention.version(), mention.count(), mention.columns(), ImmutableSet.of(), mention.allColumns()))
                .collect(toImmutableList());
    }

    private static SourceMention table(String table, int count, String... columns)
    {
        return new SourceMention(name(table), RelationKind.TABLE, Optional.empty(), count, ImmutableSet.copyOf(columns), ImmutableSet.of(), false);
    }
}
