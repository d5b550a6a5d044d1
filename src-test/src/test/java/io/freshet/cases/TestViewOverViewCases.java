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
package io.freshet.cases;

import io.freshet.spi.FreshetErrorCode;
import io.trino.metadata.QualifiedObjectName;
import io.trino.spi.security.ViewExpression;
import org.junit.jupiter.api.Test;

import static io.freshet.FreshetQueryRunner.CATALOG;
import static io.freshet.FreshetQueryRunner.SCHEMA;
import static io.trino.spi.StandardErrorCode.VIEW_IS_RECURSIVE;
import static io.trino.testing.TestingAccessControlManager.TestingPrivilegeType.REFRESH_MATERIALIZED_VIEW;
import static io.trino.testing.TestingAccessControlManager.privilege;
import static org.assertj.core.api.Assertions.assertThat;

/** Materialized views over materialized views. */
final class TestViewOverViewCases
        extends AbstractCases
{
    @Test
    void testRowsOfRows()
    {
        execute("CREATE TABLE rows_t (k integer, v bigint)");
        execute("INSERT INTO rows_t VALUES (1, 10), (1, 10), (2, 20), (NULL, 5)");
        CaseView inner = view("rows_i", "SELECT k, v + 1 w FROM rows_t WHERE v > 5");
        CaseView outer = view("rows_o", "SELECT k, w * 2 x FROM rows_i").rows("(1, 22), (1, 22), (2, 42)");
        execute("INSERT INTO rows_t VALUES (3, 30), (NULL, 40)");
        inner.refresh("APPEND_ONLY");
        outer.refresh("APPEND_ONLY").rows("(1, 22), (1, 22), (2, 42), (3, 62), (NULL, 82)");
        execute("DELETE FROM rows_t WHERE k = 2");
        execute("UPDATE rows_t SET v = 41 WHERE v = 40");
        inner.refresh("ROW_DELTA");
        outer.refresh("ROW_DELTA").rows("(1, 22), (1, 22), (3, 62), (NULL, 84)");
        outer.refreshNothing().fresh();
    }

    @Test
    void testHiddenGroupsComeAndGo()
    {
        execute("CREATE TABLE hidden_t (k integer, v bigint)");
        execute("INSERT INTO hidden_t VALUES (1, 1), (1, 2), (2, 5)");
        CaseView inner = view("hidden_i", "SELECT k, count(*) c, sum(v) s FROM hidden_t GROUP BY k HAVING count(*) > 1");
        CaseView rows = view("hidden_r", "SELECT k, s FROM hidden_i WHERE s > 0").rows("(1, 3)");
        CaseView groups = view("hidden_g", "SELECT c, count(*) n, max(s) m FROM hidden_i GROUP BY c").rows("(2, 1, 3)");
        execute("INSERT INTO hidden_t VALUES (2, 6), (3, 1)");
        inner.refresh("AGGREGATE_MERGE");
        rows.refresh("ROW_DELTA").rows("(1, 3), (2, 11)");
        groups.refresh("GROUP_RECOMPUTE").rows("(2, 2, 11)");
        execute("DELETE FROM hidden_t WHERE v IN (2, 6)");
        inner.refresh("AGGREGATE_MERGE").noRows();
        rows.refresh("ROW_DELTA").noRows();
        groups.refresh("GROUP_RECOMPUTE").noRows();
        execute("INSERT INTO hidden_t VALUES (1, 7)");
        inner.refresh("AGGREGATE_MERGE");
        rows.refresh("ROW_DELTA").rows("(1, 8)");
        groups.refresh("GROUP_RECOMPUTE").rows("(2, 1, 8)");
    }

    /** Iceberg has no such type, so the rows are stored as something else. */
    @Test
    void testStoredTypesAreCastBack()
    {
        execute("CREATE TABLE types_t (k integer, v bigint)");
        execute("INSERT INTO types_t VALUES (1, 1), (2, 2)");
        String zoned = "with_timezone(date_add('day', k, TIMESTAMP '2020-01-01 00:00:00'), 'Asia/Tokyo')";
        CaseView inner = view("types_i", "SELECT k, CAST(v AS tinyint) b, CAST(v AS smallint) m, CAST(concat('x', CAST(v AS varchar)) AS char(4)) c, %s z, TIME '01:02:03.123456789' t FROM types_t".formatted(zoned));
        CaseView rows = view("types_r", "SELECT k, b, m, c, z, t, z + INTERVAL '1' HOUR later, b + TINYINT '1' more FROM types_i WHERE z > TIMESTAMP '2019-01-01 00:00:00 UTC'");
        CaseView groups = view("types_g", "SELECT b, count(*) n, sum(b) s, max(k) x, max(z) l FROM types_i GROUP BY b");
        execute("INSERT INTO types_t VALUES (3, 1), (4, 2), (5, 3)");
        inner.refresh("APPEND_ONLY");
        rows.refresh("APPEND_ONLY");
        groups.refresh("GROUP_RECOMPUTE");
        execute("DELETE FROM types_t WHERE k IN (1, 2)");
        inner.refresh("ROW_DELTA");
        rows.refresh("ROW_DELTA");
        groups.refresh("GROUP_RECOMPUTE");
        assertRows("SELECT b, n, s, x FROM types_g", "VALUES (TINYINT '1', BIGINT '1', BIGINT '1', 3), (TINYINT '2', 1, 2, 4), (TINYINT '3', 1, 3, 5)");
    }

    /** Where both sides changed, one of them is read as it was: from a view with rows that do not show, and types that are not stored. */
    @Test
    void testJoinsOfViewsAndTables()
    {
        execute("CREATE TABLE joins_t (k integer, v bigint)");
        execute("CREATE TABLE joins_u (k integer, name varchar)");
        execute("INSERT INTO joins_t VALUES (1, 1), (1, 2), (2, 5), (3, 1), (3, 1)");
        execute("INSERT INTO joins_u VALUES (1, 'one'), (2, 'two'), (3, 'three')");
        CaseView inner = view("joins_i", "SELECT k, count(*) c, CAST(max(v) AS tinyint) m, with_timezone(TIMESTAMP '2020-01-01 00:00:00', 'Asia/Tokyo') z FROM joins_t GROUP BY k HAVING count(*) > 1");
        CaseView rows = view("joins_r", "SELECT u.name, i.c, i.m, i.z FROM joins_i i JOIN joins_u u ON i.k = u.k");
        CaseView left = view("joins_l", "SELECT u.name, i.m FROM joins_u u LEFT JOIN joins_i i ON u.k = i.k");
        CaseView self = view("joins_s", "SELECT a.k, b.m FROM joins_i a JOIN joins_i b ON a.c = b.c");
        CaseView missing = view("joins_m", "SELECT name FROM joins_u u WHERE NOT EXISTS (SELECT 1 FROM joins_i i WHERE i.k = u.k)");
        execute("INSERT INTO joins_t VALUES (2, 7), (4, 1), (4, 2)");
        execute("DELETE FROM joins_t WHERE k = 3 OR v = 2 AND k = 1");
        execute("INSERT INTO joins_u VALUES (4, 'four'), (2, 'zwei'), (NULL, 'none')");
        execute("DELETE FROM joins_u WHERE k = 1");
        inner.refresh("GROUP_RECOMPUTE");
        rows.refresh("ROW_DELTA");
        left.refresh("ROW_DELTA");
        self.refresh("ROW_DELTA").rows("(2, TINYINT '7'), (2, 2), (4, 7), (4, 2)");
        missing.refresh("ROW_DELTA").rows("VARCHAR 'three', 'none'");
        execute("UPDATE joins_t SET v = 9 WHERE k = 4");
        inner.refresh("GROUP_RECOMPUTE");
        rows.refresh("ROW_DELTA");
        left.refresh("ROW_DELTA").rows("(VARCHAR 'two', TINYINT '7'), ('zwei', 7), ('three', NULL), ('four', 9), ('none', NULL)");
        missing.refresh("ROW_DELTA").rows("VARCHAR 'three', 'none'");
    }

    @Test
    void testFullRefreshOfTheInnerViewIsADifference()
    {
        execute("CREATE TABLE whole_t (k integer, v bigint)");
        execute("INSERT INTO whole_t VALUES (1, 10), (2, 20)");
        execute("CREATE MATERIALIZED VIEW whole_i AS SELECT k, v FROM whole_t");
        CaseView rows = view("whole_r", "SELECT k, v FROM whole_i");
        CaseView groups = view("whole_g", "SELECT k, sum(v) s FROM whole_i GROUP BY k");
        execute("UPDATE whole_t SET v = 21 WHERE k = 2");
        execute("CALL system.refresh_materialized_view('s', 'whole_i', 'FULL')");
        assertThat(oracle().lastRefresh("whole_i").strategy()).hasValue("FULL_REFRESH");
        rows.refresh("ROW_DELTA").rows("(1, 10), (2, 21)");
        groups.refresh("AGGREGATE_MERGE").rows("(1, 10), (2, 21)");
    }

    @Test
    void testCompactionOfTheInnerViewIsNoChange()
    {
        execute("CREATE TABLE compact_t (k integer)");
        execute("INSERT INTO compact_t VALUES 1");
        CaseView inner = view("compact_i", "SELECT k FROM compact_t");
        CaseView outer = view("compact_o", "SELECT count(*) c FROM compact_i");
        // small files are compacted before the next refresh
        for (int value = 2; value < 14; value++) {
            execute("INSERT INTO compact_t VALUES " + value);
            execute("REFRESH MATERIALIZED VIEW compact_i");
        }
        assertThat(sources().load("__mv_compact_i").snapshots()).anyMatch(snapshot -> snapshot.operation().equals("replace"));
        outer.refresh("AGGREGATE_MERGE").rows("13");
        inner.refreshNothing();
        outer.refreshNothing().fresh();
    }

    @Test
    void testRedefinedInnerView()
    {
        execute("CREATE TABLE redefined_t (k integer, v bigint)");
        execute("INSERT INTO redefined_t VALUES (1, 10), (2, 20)");
        execute("CREATE MATERIALIZED VIEW redefined_i AS SELECT k, v FROM redefined_t");
        CaseView outer = view("redefined_o", "SELECT k, sum(v) s FROM redefined_i GROUP BY k");
        execute("CREATE OR REPLACE MATERIALIZED VIEW redefined_i AS SELECT k, v * 2 v FROM redefined_t");
        outer.stale();
        outer.refreshInFull("DEFINITION_CHANGED").rows("(1, 20), (2, 40)").fresh();
        execute("INSERT INTO redefined_t VALUES (1, 1)");
        execute("REFRESH MATERIALIZED VIEW redefined_i");
        outer.refresh("AGGREGATE_MERGE").rows("(1, 22), (2, 40)");
        executeAll("DROP MATERIALIZED VIEW redefined_i", "CREATE MATERIALIZED VIEW redefined_i AS SELECT k, v * 2 v FROM redefined_t");
        outer.stale();
        outer.refreshInFull("SOURCE_RECREATED").rows("(1, 22), (2, 40)").fresh();
    }

    /** A diamond, so that the depth counts and not the number of paths. */
    @Test
    void testDeepViewsAndCascade()
    {
        execute("CREATE TABLE deep_t (k integer, v bigint)");
        execute("INSERT INTO deep_t VALUES (1, 1)");
        execute("CREATE MATERIALIZED VIEW deep_0 AS SELECT k, v FROM deep_t");
        int depth = 12;
        for (int level = 1; level <= depth; level++) {
            execute("CREATE MATERIALIZED VIEW deep_%s AS SELECT k, v FROM deep_%2$s WHERE k >= 0 UNION ALL SELECT k, v FROM deep_%2$s WHERE k < 0".formatted(level, level - 1));
        }
        execute("CREATE MATERIALIZED VIEW deep_top AS SELECT k, sum(v) s FROM deep_%s GROUP BY k".formatted(depth));
        execute("INSERT INTO deep_t VALUES (1, 2), (-1, 5)");
        assertThat(freshness("deep_top")).isEqualTo("STALE");
        execute("REFRESH MATERIALIZED VIEW deep_top");
        // reads what the views below hold
        assertRows("TABLE deep_top", "VALUES (1, BIGINT '1')");
        assertThat(freshness("deep_top")).isEqualTo("STALE");
        execute("CALL system.refresh_materialized_view(schema_name => 's', view_name => 'deep_top', cascade => true)");
        assertRows("TABLE deep_top", "VALUES (1, BIGINT '3'), (-1, 5)");
        assertThat(freshness("deep_top")).isEqualTo("FRESH");
        assertThat(oracle().lastRefresh("deep_top").strategy()).hasValue("AGGREGATE_MERGE");
        for (int level = 0; level <= depth; level++) {
            oracle().assertExact("deep_" + level);
            assertThat(oracle().lastRefresh("deep_" + level).strategy()).hasValue("APPEND_ONLY");
        }
        oracle().assertExact("deep_top");
    }

    @Test
    void testCascadeFillsViewsThatWereNeverFilled()
    {
        execute("CREATE TABLE unfilled_t (k integer)");
        execute("INSERT INTO unfilled_t VALUES 1, 2");
        execute("CREATE MATERIALIZED VIEW unfilled_i WITH (build = 'DEFERRED') AS SELECT k FROM unfilled_t");
        execute("CREATE VIEW unfilled_v AS SELECT k FROM unfilled_i");
        execute("CREATE MATERIALIZED VIEW unfilled_o WITH (build = 'DEFERRED') AS SELECT count(*) c FROM unfilled_v");
        execute("CALL system.refresh_materialized_view(schema_name => 's', view_name => 'unfilled_o', cascade => true)");
        assertThat(freshness("unfilled_i")).isEqualTo("FRESH");
        assertThat(freshness("unfilled_o")).isEqualTo("FRESH");
        oracle().assertExact("unfilled_o");
    }

    @Test
    void testCascadeNeedsTheRightToEachView()
    {
        execute("CREATE TABLE right_t (k integer)");
        execute("CREATE MATERIALIZED VIEW right_i AS SELECT k FROM right_t");
        execute("CREATE MATERIALIZED VIEW right_o AS SELECT k FROM right_i");
        execute("INSERT INTO right_t VALUES 1");
        assertAccessDenied(
                "CALL system.refresh_materialized_view(schema_name => 's', view_name => 'right_o', cascade => true)",
                "Cannot refresh materialized view lake.s.right_i",
                privilege("right_i", REFRESH_MATERIALIZED_VIEW));
        assertNoRows("SELECT * FROM right_i");
        execute("CALL system.refresh_materialized_view(schema_name => 's', view_name => 'right_o', cascade => true)");
        assertRows("TABLE right_o", "VALUES 1");
    }

    /** The rights to the name that users know are what counts, and they are looked at by each refresh. */
    @Test
    void testRowFilterOnTheInnerView()
    {
        execute("CREATE TABLE filtered_t (k integer)");
        execute("INSERT INTO filtered_t VALUES 1, 2");
        CaseView inner = view("filtered_i", "SELECT k FROM filtered_t");
        execute("CREATE MATERIALIZED VIEW filtered_o AS SELECT k FROM filtered_i");
        execute("INSERT INTO filtered_t VALUES 3, 4");
        inner.refresh("APPEND_ONLY");
        try {
            getQueryRunner().getAccessControl().rowFilter(
                    new QualifiedObjectName(CATALOG, SCHEMA, "filtered_i"),
                    getSession().getUser(),
                    ViewExpression.builder().expression("k > 1").build());
            execute("REFRESH MATERIALIZED VIEW filtered_o");
        }
        finally {
            getQueryRunner().getAccessControl().reset();
        }
        assertThat(oracle().lastRefresh("filtered_o").reason()).hasValue("SOURCE_HAS_ROW_FILTER");
        assertRows("TABLE filtered_o", "VALUES 2, 3, 4");
    }

    @Test
    void testViewsThatWouldReadThemselves()
    {
        execute("CREATE TABLE circle_t (k integer)");
        execute("INSERT INTO circle_t VALUES 1");
        execute("CREATE MATERIALIZED VIEW circle_a AS SELECT k FROM circle_t");
        execute("CREATE VIEW circle_v AS SELECT k FROM circle_a");
        execute("CREATE MATERIALIZED VIEW circle_b AS SELECT k FROM circle_v");
        execute("CREATE MATERIALIZED VIEW circle_c AS SELECT k FROM circle_b");
        execute("CREATE VIEW circle_w AS SELECT k FROM circle_c");
        assertRefusedAsRecursive("CREATE OR REPLACE MATERIALIZED VIEW circle_a AS SELECT k FROM circle_c", "circle_a");
        assertRefusedAsRecursive("CREATE OR REPLACE VIEW circle_v AS SELECT k FROM circle_c", "circle_v");
        execute("CREATE OR REPLACE MATERIALIZED VIEW circle_a WITH (build = 'DEFERRED') AS SELECT k FROM circle_t");
        // found by the engine itself, where it reads the definitions
        assertThat(query("CREATE OR REPLACE MATERIALIZED VIEW circle_a AS SELECT k FROM circle_b")).failure().hasMessageContaining("recursive materialized view");
        // the name is free, and the views above still mean it
        execute("DROP MATERIALIZED VIEW circle_a");
        assertRefusedAsRecursive("ALTER MATERIALIZED VIEW circle_c RENAME TO circle_a", "circle_a");
        assertRefusedAsRecursive("ALTER VIEW circle_w RENAME TO circle_a", "circle_a");
        execute("CREATE MATERIALIZED VIEW circle_a AS SELECT k + 1 k FROM circle_t");
        execute("CALL system.refresh_materialized_view(schema_name => 's', view_name => 'circle_c', cascade => true)");
        assertRows("TABLE circle_w", "VALUES 2");
    }

    private void assertRefusedAsRecursive(String sql, String name)
    {
        assertThat(query(sql)).failure().hasErrorCode(VIEW_IS_RECURSIVE).hasMessageContaining("'lake.s.%s' would read itself through other views".formatted(name));
    }

    @Test
    void testChangesOfAViewAreForRefreshesOnly()
    {
        execute("CREATE TABLE private_t (k integer)");
        CaseView inner = view("private_i", "SELECT k FROM private_t");
        long snapshot = inner.backingSnapshot();
        assertThat(query("SELECT * FROM TABLE(system.table_delta('s', 'private_i', NULL, %s))".formatted(snapshot))).failure().hasMessageContaining("private_i");
        assertThat(query("SELECT * FROM TABLE(system.table_delta('s', '__mv_private_i', NULL, %s))".formatted(snapshot))).failure()
                .hasErrorCode(FreshetErrorCode.MATERIALIZED_VIEW_NOT_WRITABLE);
    }
}
