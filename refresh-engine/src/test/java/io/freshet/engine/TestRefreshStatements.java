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
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;

final class TestRefreshStatements
{
    private static final String DELTA = "TABLE(\"lake\".\"system\".\"table_delta\"(schema_name => 's', table_name => 't', from_snapshot_id => 1, to_snapshot_id => 2, weight_column => '__mv_weight'))";

    private static final RefreshFixture LINEAR = RefreshFixture.linear("SELECT a, c FROM t WHERE b > 1", "smallint", "varchar(3)");

    private static final RefreshFixture SUMS = RefreshFixture.aggregate(
            "SELECT c AS k, sum(b) AS s FROM t GROUP BY c",
            List.of("k", "s"),
            List.of("varchar", "bigint"),
            List.of("varchar", "bigint"));

    @Test
    void testFullLinear()
    {
        assertThat(LINEAR.mode(RefreshMode.FULL).sql()).isEqualTo("INSERT INTO \"lake\".\"s\".\"__mv_v\" (\"c1\", \"c2\")"
                + " SELECT CAST(\"r3\".\"a\" AS integer), CAST(\"r3\".\"c\" AS varchar)"
                + " FROM (SELECT \"r1\".\"a\" AS \"a\", \"r1\".\"c\" AS \"c\""
                + " FROM (SELECT \"a\", \"b\", \"c\" FROM \"lake\".\"s\".\"t\") AS \"r1\" WHERE (\"r1\".\"b\" > 1)) AS \"r3\"");
    }

    @Test
    void testAppend()
    {
        assertThat(LINEAR.appended("t").sql())
                .isEqualTo(LINEAR.mode(RefreshMode.FULL).sql().replace("\"lake\".\"s\".\"t\"", DELTA));
        assertThat(LINEAR.appendedFromNothing("t").sql()).contains("from_snapshot_id => NULL, to_snapshot_id => 2");
    }

    /** The full query reads the view by its name, as a user would; its changes are those of its backing table. */
    @Test
    void testMaterializedViewAsSource()
    {
        RefreshFixture view = RefreshFixture.linear("SELECT z, a FROM mv WHERE a > 1", "varchar", "integer");
        assertThat(view.mode(RefreshMode.FULL).sql()).contains("FROM (SELECT \"a\", \"z\" FROM \"lake\".\"s\".\"mv\") AS");
        String changes = "FROM (SELECT CAST(\"a\" AS integer) AS \"a\", CAST(\"z\" AS timestamp(3) with time zone) AS \"z\", \"__mv_weight\" FROM " + DELTA.replace("'t'", "'mv'");
        assertThat(view.storedRows("mv", false).appended("mv").sql()).contains(changes + ")) AS");
        assertThat(view.storedRows("mv", true).appended("mv").sql()).contains(changes + " WHERE \"__mv_visible\")) AS");
        assertThat(view.storedRows("mv", true).rowsChanged("mv").sql()).contains("\"z\", \"__mv_weight\" AS \"__mv_weight\" " + changes);
    }

    @Test
    void testUnchangedBranchOfUnion()
    {
        String sql = RefreshFixture.linear("SELECT a FROM t UNION ALL SELECT a FROM u", "bigint").appended("t").sql();
        assertThat(sql).contains(DELTA).contains("\"u\")) AS \"r3\") AS \"nothing\" WHERE false");
    }

    @Test
    void testFullAggregate()
    {
        assertThat(SUMS.mode(RefreshMode.FULL).sql()).isEqualTo("INSERT INTO \"lake\".\"s\".\"__mv_v\" (\"k\", \"s\", \"__mv_count\", \"__mv_s1\")"
                + " SELECT CAST(\"g\".\"k1\" AS varchar), CAST(\"g\".\"s2\" AS bigint), CAST(\"g\".\"s1\" AS bigint), CAST(\"g\".\"s3\" AS bigint)"
                + " FROM (SELECT \"r1\".\"c\" AS \"k1\", count(*) AS \"s1\", sum(\"r1\".\"b\") AS \"s2\", count(\"r1\".\"b\") AS \"s3\""
                + " FROM (SELECT \"b\", \"c\" FROM \"lake\".\"s\".\"t\") AS \"r1\" GROUP BY 1) AS \"g\"");
    }

    @Test
    void testRewrite()
    {
        assertThat(SUMS.appended("t").backing(OptionalLong.of(10), OptionalLong.of(10)).sql())
                .isEqualTo("INSERT INTO \"lake\".\"s\".\"__mv_v\" (\"k\", \"s\", \"__mv_count\", \"__mv_s1\")"
                        + " SELECT CAST(\"g\".\"k1\" AS varchar), CAST(\"g\".\"s2\" AS bigint), CAST(\"g\".\"s1\" AS bigint), CAST(\"g\".\"s3\" AS bigint)"
                        + " FROM (SELECT \"m\".\"k1\" AS \"k1\", coalesce(sum(\"m\".\"s1\"), 0) AS \"s1\", sum(\"m\".\"s2\") AS \"s2\", coalesce(sum(\"m\".\"s3\"), 0) AS \"s3\""
                        + " FROM (SELECT \"b\".\"k\" AS \"k1\", \"b\".\"__mv_count\" AS \"s1\", \"b\".\"s\" AS \"s2\", \"b\".\"__mv_s1\" AS \"s3\""
                        + " FROM \"lake\".\"s\".\"__mv_v\" AS \"b\""
                        + " UNION ALL SELECT \"r1\".\"c\" AS \"k1\", count(*) AS \"s1\", sum(\"r1\".\"b\") AS \"s2\", count(\"r1\".\"b\") AS \"s3\""
                        + " FROM (SELECT \"b\", \"c\" FROM " + DELTA + ") AS \"r1\" GROUP BY 1) AS \"m\" GROUP BY 1) AS \"g\"");
    }

    @Test
    void testMerge()
    {
        assertThat(SUMS.appended("t").proven("t", Set.of("c"), Set.of()).sql())
                .isEqualTo("INSERT INTO \"lake\".\"s\".\"__mv_v\" (\"k\", \"s\", \"__mv_count\", \"__mv_s1\", \"__mv_address\", \"__mv_change\")"
                        + " SELECT CAST(\"g\".\"k1\" AS varchar), CAST(\"g\".\"s2\" AS bigint), CAST(\"g\".\"s1\" AS bigint), CAST(\"g\".\"s3\" AS bigint),"
                        + " \"g\".\"address\", CAST(if(\"g\".\"address\" IS NULL, 1, 0) AS tinyint)"
                        + " FROM (SELECT \"d\".\"k1\" AS \"k1\", coalesce(\"t\".\"__mv_count\", 0) + \"d\".\"s1\" AS \"s1\","
                        + " CASE WHEN \"t\".\"s\" IS NULL THEN \"d\".\"s2\" WHEN \"d\".\"s2\" IS NULL THEN \"t\".\"s\" ELSE \"t\".\"s\" + \"d\".\"s2\" END AS \"s2\","
                        + " coalesce(\"t\".\"__mv_s1\", 0) + \"d\".\"s3\" AS \"s3\", \"t\".\"__mv_address\" AS \"address\""
                        + " FROM \"lake\".\"s\".\"__mv_v\" AS \"t\" RIGHT JOIN (SELECT CAST(\"g\".\"k1\" AS varchar) AS \"k1\", CAST(\"g\".\"s1\" AS bigint) AS \"s1\", CAST(\"g\".\"s2\" AS bigint) AS \"s2\", CAST(\"g\".\"s3\" AS bigint) AS \"s3\""
                        + " FROM (SELECT \"r1\".\"c\" AS \"k1\", count(*) AS \"s1\", sum(\"r1\".\"b\") AS \"s2\", count(\"r1\".\"b\") AS \"s3\""
                        + " FROM (SELECT \"b\", \"c\" FROM " + DELTA + ") AS \"r1\" GROUP BY 1) AS \"g\") AS \"d\""
                        + " ON \"t\".\"k\" = \"d\".\"k1\") AS \"g\"");
    }

    @Test
    void testMergeOfRemovedRows()
    {
        assertThat(SUMS.rowsChanged("t").proven("t", Set.of("c"), Set.of()).sql())
                .isEqualTo("INSERT INTO \"lake\".\"s\".\"__mv_v\" (\"k\", \"s\", \"__mv_count\", \"__mv_s1\", \"__mv_address\", \"__mv_change\")"
                        + " SELECT CAST(\"g\".\"k1\" AS varchar), CAST(\"g\".\"s2\" AS bigint), CAST(\"g\".\"s1\" AS bigint), CAST(\"g\".\"s3\" AS bigint),"
                        + " \"g\".\"address\", CAST(CASE WHEN NOT (\"g\".\"s1\" > 0) THEN -1 WHEN \"g\".\"address\" IS NULL THEN 1 ELSE 0 END AS tinyint)"
                        + " FROM (SELECT \"d\".\"k1\" AS \"k1\","
                        + " if(coalesce(\"t\".\"__mv_count\", 0) + \"d\".\"s1\" < 0, fail('the stored groups do not fit the removed rows'), coalesce(\"t\".\"__mv_count\", 0) + \"d\".\"s1\") AS \"s1\","
                        + " if(coalesce(\"t\".\"__mv_s1\", 0) + \"d\".\"s3\" = 0, NULL, coalesce(\"t\".\"s\", CAST(0 AS bigint)) + \"d\".\"s2\") AS \"s2\","
                        + " if(coalesce(\"t\".\"__mv_s1\", 0) + \"d\".\"s3\" < 0, fail('the stored groups do not fit the removed rows'), coalesce(\"t\".\"__mv_s1\", 0) + \"d\".\"s3\") AS \"s3\","
                        + " \"t\".\"__mv_address\" AS \"address\""
                        + " FROM \"lake\".\"s\".\"__mv_v\" AS \"t\" RIGHT JOIN (SELECT CAST(\"g\".\"k1\" AS varchar) AS \"k1\", CAST(\"g\".\"s1\" AS bigint) AS \"s1\", CAST(\"g\".\"s2\" AS bigint) AS \"s2\", CAST(\"g\".\"s3\" AS bigint) AS \"s3\""
                        + " FROM (SELECT \"r1\".\"c\" AS \"k1\", coalesce(sum(\"r1\".\"__mv_weight\"), 0) AS \"s1\","
                        + " coalesce(sum(\"r1\".\"b\") FILTER (WHERE (\"r1\".\"__mv_weight\" > 0)), CAST(0 AS bigint)) - coalesce(sum(\"r1\".\"b\") FILTER (WHERE (\"r1\".\"__mv_weight\" < 0)), CAST(0 AS bigint)) AS \"s2\","
                        + " coalesce(sum(\"r1\".\"__mv_weight\") FILTER (WHERE ((\"r1\".\"b\") IS NOT NULL)), 0) AS \"s3\""
                        + " FROM (SELECT \"b\", \"c\", \"__mv_weight\" AS \"__mv_weight\" FROM " + DELTA + ") AS \"r1\" GROUP BY 1) AS \"g\""
                        + " WHERE \"g\".\"s1\" <> 0 OR \"g\".\"s2\" <> 0 OR \"g\".\"s3\" <> 0) AS \"d\""
                        + " ON \"t\".\"k\" = \"d\".\"k1\") AS \"g\""
                        + " WHERE \"g\".\"address\" IS NOT NULL OR \"g\".\"s1\" > 0");
    }

    @Test
    void testRecompute()
    {
        RefreshFixture distinct = RefreshFixture.aggregate(
                "SELECT c AS k, count(DISTINCT b) AS n FROM t WHERE a > 1 GROUP BY c",
                List.of("k", "n"),
                List.of("varchar(3)"),
                List.of("varchar(3)", "bigint"));
        assertThat(distinct.rowsChanged("t").proven("t", Set.of("c"), Set.of()).sql())
                .isEqualTo("INSERT INTO \"lake\".\"s\".\"__mv_v\" (\"k\", \"n\", \"__mv_address\", \"__mv_change\")"
                        + " SELECT CAST(\"g\".\"k1\" AS varchar), CAST(CASE WHEN \"g\".\"rows\" > 0 THEN \"g\".\"a1\" END AS bigint),"
                        + " \"g\".\"address\", CAST(CASE WHEN NOT (\"g\".\"rows\" > 0) THEN -1 WHEN \"g\".\"address\" IS NULL THEN 1 ELSE 0 END AS tinyint)"
                        + " FROM (SELECT \"d\".\"k1\" AS \"k1\", \"d\".\"a1\" AS \"a1\", \"d\".\"rows\" AS \"rows\", \"t\".\"__mv_address\" AS \"address\""
                        + " FROM \"lake\".\"s\".\"__mv_v\" AS \"t\" RIGHT JOIN (SELECT \"b\".\"k1\" AS \"k1\", count(DISTINCT \"r1\".\"b\") AS \"a1\", count(\"r1\".\"__mv_there\") FILTER (WHERE \"b\".\"n\" > 0) AS \"rows\""
                        + " FROM (SELECT \"r1\".\"b\" AS \"b\", \"r1\".\"c\" AS \"__mv_k1\", true AS \"__mv_there\""
                        + " FROM (SELECT \"a\", \"b\", \"c\" FROM \"lake\".\"s\".\"t\") AS \"r1\" WHERE (\"r1\".\"a\" > 1)) AS \"r1\""
                        + " RIGHT JOIN (SELECT \"r1\".\"c\" AS \"k1\", count(*) AS \"n\" FROM (SELECT \"a\", \"b\", \"c\" FROM " + DELTA + ") AS \"r1\" WHERE (\"r1\".\"a\" > 1) GROUP BY 1) AS \"b\""
                        + " ON \"r1\".\"__mv_k1\" = \"b\".\"k1\" GROUP BY 1) AS \"d\""
                        + " ON \"t\".\"k\" = CAST(\"d\".\"k1\" AS varchar)) AS \"g\""
                        + " WHERE \"g\".\"address\" IS NOT NULL OR \"g\".\"rows\" > 0");
    }

    @Test
    void testWindows()
    {
        RefreshFixture windows = RefreshFixture.windows(
                "SELECT a, row_number() OVER (PARTITION BY c ORDER BY a) + 1 AS n FROM t WHERE b > 1", List.of("a", "n"), List.of("varchar"), List.of("integer", "bigint"));
        assertThat(windows.mode(RefreshMode.FULL).sql())
                .isEqualTo("INSERT INTO \"lake\".\"s\".\"__mv_v\" (\"a\", \"n\", \"__mv_k1\")"
                        + " SELECT CAST(\"r1\".\"a\" AS integer), CAST((\"r1\".\"__mv_w1\" + 1) AS bigint), CAST(\"r1\".\"__mv_k1\" AS varchar)"
                        + " FROM (SELECT \"r1\".\"a\" AS \"a\", \"r1\".\"b\" AS \"b\", \"r1\".\"c\" AS \"c\", \"r1\".\"c\" AS \"__mv_k1\","
                        + " row_number() OVER (PARTITION BY \"r1\".\"c\" ORDER BY \"r1\".\"a\" ASC) AS \"__mv_w1\""
                        + " FROM (SELECT \"a\", \"b\", \"c\" FROM \"lake\".\"s\".\"t\") AS \"r1\" WHERE (\"r1\".\"b\" > 1)) AS \"r1\"");
        assertThat(windows.rowsChanged("t").proven("t", Set.of("c"), Set.of()).sql())
                .isEqualTo("INSERT INTO \"lake\".\"s\".\"__mv_v\" (\"a\", \"n\", \"__mv_k1\", \"__mv_address\", \"__mv_change\")"
                        + " SELECT CAST(CASE WHEN NOT \"r1\".\"__mv_stored\" THEN \"r1\".\"a\" END AS integer),"
                        + " CAST(CASE WHEN NOT \"r1\".\"__mv_stored\" THEN (\"r1\".\"__mv_w1\" + 1) END AS bigint), CAST(\"r1\".\"__mv_k1\" AS varchar),"
                        + " \"r1\".\"address\", CAST(if(\"r1\".\"__mv_stored\", -1, 1) AS tinyint)"
                        + " FROM (SELECT \"r1\".\"a\" AS \"a\", \"r1\".\"b\" AS \"b\", \"r1\".\"c\" AS \"c\", \"r1\".\"__mv_k1\" AS \"__mv_k1\","
                        + " \"r1\".\"address\" AS \"address\", \"r1\".\"__mv_stored\" AS \"__mv_stored\","
                        + " row_number() OVER (PARTITION BY \"r1\".\"c\", \"r1\".\"__mv_stored\" ORDER BY \"r1\".\"a\" ASC) AS \"__mv_w1\""
                        + " FROM (SELECT \"r1\".\"a\" AS \"a\", \"r1\".\"b\" AS \"b\", \"r1\".\"c\" AS \"c\", \"r1\".\"c\" AS \"__mv_k1\", NULL AS \"address\", false AS \"__mv_stored\""
                        + " FROM (SELECT \"a\", \"b\", \"c\" FROM \"lake\".\"s\".\"t\") AS \"r1\" WHERE (\"r1\".\"b\" > 1)"
                        + " UNION ALL SELECT NULL, NULL, NULL, \"t\".\"__mv_k1\", \"t\".\"__mv_address\" AS \"address\", true FROM \"lake\".\"s\".\"__mv_v\" AS \"t\") AS \"r1\""
                        + " JOIN (SELECT \"r1\".\"c\" AS \"k1\" FROM (SELECT \"a\", \"b\", \"c\" FROM " + DELTA + ") AS \"r1\" WHERE (\"r1\".\"b\" > 1) GROUP BY 1) AS \"b\""
                        + " ON \"r1\".\"__mv_k1\" = \"b\".\"k1\") AS \"r1\"");
    }

    @Test
    void testRowDelta()
    {
        assertThat(RefreshFixture.linear("SELECT a, d FROM t", "integer", "double").rowsChanged("t").proven("t", Set.of("a", "d"), Set.of("d")).sql())
                .isEqualTo("INSERT INTO \"lake\".\"s\".\"__mv_v\" (\"c1\", \"c2\", \"__mv_address\", \"__mv_change\")"
                        + " SELECT \"m\".\"c1\", \"m\".\"c2\", \"m\".\"address\","
                        + " CAST(CASE WHEN \"m\".\"w\" > 0 THEN 1 WHEN \"m\".\"found\" < -\"m\".\"w\" THEN fail('the stored rows do not fit the removed rows') ELSE -1 END AS tinyint)"
                        + " FROM (SELECT \"d\".\"c1\" AS \"c1\", \"d\".\"c2\" AS \"c2\", \"d\".\"w\" AS \"w\", \"t\".\"__mv_address\" AS \"address\","
                        + " row_number() OVER (PARTITION BY \"d\".\"c1\", \"d\".\"c2\", \"d\".\"z2\") AS \"n\","
                        + " count(\"t\".\"__mv_address\") OVER (PARTITION BY \"d\".\"c1\", \"d\".\"c2\", \"d\".\"z2\") AS \"found\""
                        + " FROM \"lake\".\"s\".\"__mv_v\" AS \"t\" RIGHT JOIN (SELECT \"g\".\"c1\" AS \"c1\", \"g\".\"c2\" AS \"c2\", coalesce(\"g\".\"c2\" = 0 AND CAST(1 AS double) / \"g\".\"c2\" < 0, false) AS \"z2\", sum(\"g\".\"w\") AS \"w\""
                        + " FROM (SELECT CAST(\"r3\".\"a\" AS integer) AS \"c1\", CAST(\"r3\".\"d\" AS double) AS \"c2\", \"r3\".\"__mv_weight\" AS \"w\""
                        + " FROM (SELECT \"r1\".\"a\" AS \"a\", \"r1\".\"d\" AS \"d\", \"r1\".\"__mv_weight\" AS \"__mv_weight\""
                        + " FROM (SELECT \"a\", \"d\", \"__mv_weight\" AS \"__mv_weight\" FROM " + DELTA + ") AS \"r1\") AS \"r3\") AS \"g\""
                        + " GROUP BY 1, 2, 3 HAVING sum(\"g\".\"w\") <> 0) AS \"d\""
                        + " ON \"d\".\"w\" < 0 AND \"t\".\"c1\" = \"d\".\"c1\" AND \"t\".\"c2\" = \"d\".\"c2\""
                        + " AND coalesce(\"t\".\"c2\" = 0 AND CAST(1 AS double) / \"t\".\"c2\" < 0, false) = \"d\".\"z2\") AS \"m\""
                        + " CROSS JOIN UNNEST(sequence(0, (greatest(\"m\".\"w\", 1) - 1) / 10000)) AS \"u\" (\"i\")"
                        + " CROSS JOIN UNNEST(sequence(1, least(10000, greatest(\"m\".\"w\", 1) - \"u\".\"i\" * 10000))) AS \"v\" (\"j\")"
                        + " WHERE \"m\".\"w\" > 0 OR \"m\".\"n\" <= -\"m\".\"w\"");
    }

    @Test
    void testRewriteOfRemovedRows()
    {
        assertThat(SUMS.rowsChanged("t").backing(OptionalLong.of(10), OptionalLong.of(10)).sql())
                .contains("if(coalesce(sum(\"m\".\"s1\"), 0) < 0, fail('the stored groups do not fit the removed rows'), coalesce(sum(\"m\".\"s1\"), 0)) AS \"s1\"")
                .contains("if(coalesce(sum(\"m\".\"s3\"), 0) = 0, NULL, sum(\"m\".\"s2\")) AS \"s2\"")
                .endsWith(" GROUP BY 1) AS \"g\" WHERE \"g\".\"s1\" > 0");
    }

    @Test
    void testWeightsPassThroughRelations()
    {
        String sql = RefreshFixture.aggregate(
                "SELECT y.a, count(*) n FROM (SELECT a FROM t WHERE b > 1 UNION ALL SELECT a FROM u) y GROUP BY y.a",
                List.of("a", "n"),
                List.of("bigint"),
                List.of("bigint", "bigint")).rowsChanged("t").sql();
        assertThat(sql)
                .contains("SELECT \"a\", \"b\", \"__mv_weight\" AS \"__mv_weight\" FROM " + DELTA)
                .contains("CAST(1 AS tinyint) AS \"__mv_weight\" FROM (SELECT").contains("\"u\")) AS \"r3\") AS \"nothing\" WHERE false")
                .contains("\"r1\".\"__mv_weight\" AS \"__mv_weight\"");
    }

    @Test
    void testKeyEquality()
    {
        assertThat(on(SUMS.appended("t"))).isEqualTo("coalesce(\"t\".\"k\", '') = coalesce(\"d\".\"k1\", '') AND (\"t\".\"k\" IS NULL) = (\"d\".\"k1\" IS NULL)");
        assertThat(on(SUMS.appended("t"))).doesNotContainIgnoringCase("distinct");

        RefreshFixture doubles = RefreshFixture.aggregate("SELECT d, count(*) n FROM t GROUP BY d", List.of("d", "n"), List.of("double"), List.of("double", "bigint")).appended("t");
        assertThat(on(doubles)).contains("is_nan(\"t\".\"d\")").contains("(\"t\".\"d\" IS NULL) = (\"d\".\"k1\" IS NULL)");
        assertThat(on(doubles.proven("t", Set.of("d"), Set.of()))).contains("is_nan");
        assertThat(on(doubles.proven("t", Set.of("d"), Set.of("d")))).isEqualTo("\"t\".\"d\" = \"d\".\"k1\"");

        RefreshFixture required = RefreshFixture.aggregate("SELECT k, count(*) n FROM strict GROUP BY k", List.of("k", "n"), List.of("bigint"), List.of("bigint", "bigint"));
        assertThat(on(required.appended("strict"))).isEqualTo("\"t\".\"k\" = \"d\".\"k1\"");

        RefreshFixture computed = RefreshFixture.aggregate(
                "SELECT date_trunc('month', day) m, coalesce(region, '') r, count(*) n FROM sales GROUP BY 1, 2",
                List.of("m", "r", "n"),
                List.of("date", "varchar"),
                List.of("date", "varchar", "bigint"));
        assertThat(on(computed.appended("sales").proven("sales", Set.of("day"), Set.of()))).isEqualTo("\"t\".\"m\" = \"d\".\"k1\" AND \"t\".\"r\" = \"d\".\"k2\"");
    }

    private static String on(RefreshFixture fixture)
    {
        String sql = fixture.sql();
        return sql.substring(sql.indexOf(" ON ") + 4, sql.lastIndexOf(") AS \"g\""));
    }

    @Test
    void testStorageRepresentation()
    {
        RefreshFixture narrow = RefreshFixture.aggregate(
                "SELECT a k, max(b) m FROM t GROUP BY a",
                List.of("k", "m"),
                List.of("smallint", "timestamp(3)"),
                List.of("smallint", "timestamp(3)"));
        String sql = narrow.appended("t").sql();
        assertThat(sql)
                .contains("CAST(\"g\".\"k1\" AS integer) AS \"k1\"")
                .contains("coalesce(\"t\".\"k\", CAST(0 AS integer)) = coalesce(\"d\".\"k1\", CAST(0 AS integer))")
                .contains("greatest(\"t\".\"__mv_s1\", \"d\".\"s2\")");
        assertThat(narrow.appended("t").backing(OptionalLong.of(1), OptionalLong.of(1)).sql())
                .contains("CAST(\"b\".\"k\" AS smallint) AS \"k1\"")
                .contains("CAST(\"b\".\"__mv_s1\" AS timestamp(3)) AS \"s2\"");
    }

    @Test
    void testStructuralKeysAreRewritten()
    {
        RefreshFixture tags = RefreshFixture.aggregate("SELECT tags, count(*) n FROM sales GROUP BY tags",
                List.of("tags", "n"), List.of("array(varchar)"), List.of("array(varchar)", "bigint"));
        assertThat(tags.appended("sales").planned().applyMethod()).isEqualTo(ApplyMethod.REWRITE);
    }

    @Test
    void testHavingGuardsOutputs()
    {
        RefreshFixture guarded = RefreshFixture.aggregate("SELECT c k, 1 / (count(*) - 1) r, count(*) n FROM t GROUP BY c HAVING count(*) > 1",
                List.of("k", "r", "n"), List.of("varchar"), List.of("varchar", "bigint", "bigint"));
        assertThat(guarded.mode(RefreshMode.FULL).sql()).contains(
                "CAST(CASE WHEN coalesce((\"g\".\"s1\" > 1), false) THEN (1 / (\"g\".\"s1\" - 1)) END AS bigint), CAST(\"g\".\"s1\" AS bigint), CAST(coalesce((\"g\".\"s1\" > 1), false) AS boolean)");
    }

    @Test
    void testPlainFull()
    {
        RefreshFixture joined = RefreshFixture.notMaintained("SELECT t.a, u.x FROM t JOIN u ON t.a = u.a LIMIT 7", List.of("tinyint", "char(3)"));
        assertThat(joined.appended("t").sql())
                .startsWith("INSERT INTO \"lake\".\"s\".\"__mv_v\" (\"c1\", \"c2\") SELECT CAST(\"v\".\"c1\" AS integer), CAST(\"v\".\"c2\" AS varchar) FROM (SELECT")
                .endsWith(") AS \"v\" (\"c1\", \"c2\")");
        assertThat(joined.appended("t").planned().writesState()).isFalse();

        RefreshFixture named = RefreshFixture.notMaintained("WITH q AS (SELECT a FROM t) SELECT q.a FROM q, u ORDER BY 1 LIMIT 3", List.of("integer"));
        assertThat(named.appended("t").sql()).contains("FROM (WITH");

        RefreshFixture inline = RefreshFixture.notMaintained("WITH FUNCTION f(x integer) RETURNS integer RETURN x + 1 SELECT f(a) FROM t", List.of("integer"));
        assertThat(inline.sql()).contains(") WITH").contains("FUNCTION f");
    }

    @Test
    void testPlainFullShowsEveryRow()
    {
        RefreshFixture having = RefreshFixture.aggregate("SELECT c k FROM t GROUP BY c HAVING sum(a) > 1", List.of("k"), List.of("varchar", "integer"), List.of("varchar"));
        String sql = having.layout(Optional.empty()).mode(RefreshMode.FULL).sql();
        assertThat(sql).contains("(\"k\", \"__mv_visible\") SELECT CAST(\"v\".\"c1\" AS varchar), CAST(true AS boolean) FROM");
    }

    @Test
    void testOddNames()
    {
        RefreshFixture odd = RefreshFixture.linear("SELECT \"group\", \"SELECT.X\", \"\u00dc\" FROM \"mixed \"\"q.n\u00e4me\"\"\"", "integer", "integer", "varchar");
        assertThat(odd.mode(RefreshMode.FULL).sql()).contains("SELECT \"group\", \"select.x\", \"\u00fc\" FROM \"lake\".\"s\".\"mixed \"\"q.n\u00e4me\"\"\"");
        assertThat(odd.appended("mixed \"q.n\u00e4me\"").sql()).contains("table_name => 'mixed \"q.n\u00e4me\"'");
    }
}
