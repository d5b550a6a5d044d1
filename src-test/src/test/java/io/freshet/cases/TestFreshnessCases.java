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

import org.junit.jupiter.api.Test;

import static org.apache.iceberg.expressions.Expressions.alwaysTrue;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Cases of kind "freshness": MV-102 to MV-104, and what a reader may get who accepts no staleness. */
final class TestFreshnessCases
        extends AbstractCases
{
    @Test
    void testMv102UnlimitedGrace()
    {
        execute("CREATE TABLE mv102_t (v integer)");
        execute("INSERT INTO mv102_t VALUES 1");
        CaseView view = view("mv102", "SELECT v FROM mv102_t");
        execute("INSERT INTO mv102_t VALUES 2");
        view.stale().rows("1");
        execute("DELETE FROM mv102_t");
        view.stale().rows("1");
        view.refresh("ROW_DELTA").noRows();
    }

    @Test
    void testMv103SourceIsGone()
    {
        execute("CREATE TABLE mv103_t (v integer)");
        execute("INSERT INTO mv103_t VALUES 1");
        CaseView view = view("mv103", "GRACE PERIOD INTERVAL '1' DAY", "SELECT v FROM mv103_t");
        CaseView sum = view("mv103s", "GRACE PERIOD INTERVAL '1' DAY", "SELECT sum(v) s FROM mv103_t");
        execute("DROP TABLE mv103_t");
        view.rows("1");
        sum.rows("1");
        view.stale();
        view.refreshFails("mv103_t").rows("1");
        sum.refreshFails("mv103_t").rows("1");
        assertRows("SELECT count(*) FROM system.metadata.materialized_views WHERE catalog_name = 'lake' AND name LIKE 'mv103%'", "VALUES BIGINT '4'");
        execute("CREATE TABLE mv103_t (v integer)");
        view.refreshInFull("SOURCE_RECREATED").noRows();
        executeAll("DROP MATERIALIZED VIEW mv103", "DROP TABLE mv103_t", "DROP MATERIALIZED VIEW mv103s");
    }

    @Test
    void testMv104NeverFreshAndFailWhenStale()
    {
        try {
            execute("CREATE MATERIALIZED VIEW mv104 GRACE PERIOD INTERVAL '0' SECOND WHEN STALE FAIL AS SELECT name FROM tpch.tiny.region");
        }
        catch (RuntimeException e) {
            assertThat(e).hasMessageMatching("(?s).*(never|fresh).*");
            return;
        }
        execute("REFRESH MATERIALIZED VIEW mv104");
        assertThatThrownBy(() -> execute("SELECT * FROM mv104"))
                .hasMessageMatching("(?s).*(stale|fresh).*");
        execute("DROP MATERIALIZED VIEW mv104");
    }

    @Test
    void testForeignSource()
    {
        CaseView view = view("foreign_source", "GRACE PERIOD INTERVAL '1' HOUR", "SELECT name FROM tpch.tiny.region WHERE regionkey < 2").rows("'AFRICA', 'AMERICA'");
        view.notFresh();
        view.refreshInFull("FOREIGN_SOURCE").rows("'AFRICA', 'AMERICA'");
        // a part that is followed does not hide that the other part is not
        execute("CREATE TABLE foreign_t (v bigint)");
        execute("INSERT INTO foreign_t VALUES 1");
        CaseView mixed = view("foreign_mixed", "SELECT r.name FROM tpch.tiny.region r JOIN foreign_t t ON t.v = r.regionkey").rows("'AMERICA'");
        mixed.refreshInFull("FOREIGN_SOURCE").rows("'AMERICA'");
        mixed.notFresh();
    }

    @Test
    void testNoGraceIsAlwaysCurrent()
    {
        execute("CREATE TABLE current_t (k integer, v integer)");
        execute("INSERT INTO current_t VALUES (1, 1)");
        execute("CREATE MATERIALIZED VIEW current_v GRACE PERIOD INTERVAL '0' SECOND AS SELECT k, sum(v) s FROM current_t GROUP BY k");
        String query = "SELECT k, sum(v) s FROM current_t GROUP BY k";
        for (String change : new String[] {
                "INSERT INTO current_t VALUES (1, 2)",
                "ALTER TABLE current_t EXECUTE optimize",
                "UPDATE current_t SET v = 9",
                "REFRESH MATERIALIZED VIEW current_v",
                "DELETE FROM current_t WHERE k = 1",
                "TRUNCATE TABLE current_t",
                "INSERT INTO current_t VALUES (2, 2)",
                "REFRESH MATERIALIZED VIEW current_v",
                "CREATE OR REPLACE TABLE current_t AS SELECT 1 k, 5 v",
                "ALTER TABLE current_t RENAME COLUMN v TO w",
                "ALTER TABLE current_t ADD COLUMN v integer"}) {
            execute(change);
            if (!change.contains("RENAME")) {
                assertRows("SELECT * FROM current_v", query);
            }
        }
    }

    @Test
    void testViewOverAStaleView()
    {
        execute("CREATE TABLE chain_t (v integer)");
        execute("INSERT INTO chain_t VALUES 1");
        execute("CREATE MATERIALIZED VIEW chain_inner GRACE PERIOD INTERVAL '0' SECOND AS SELECT v FROM chain_t");
        execute("CREATE MATERIALIZED VIEW chain_outer GRACE PERIOD INTERVAL '0' SECOND AS SELECT sum(v) s FROM chain_inner");
        execute("INSERT INTO chain_t VALUES 2");
        assertRows("SELECT * FROM chain_inner", "VALUES 1, 2");
        assertRows("SELECT * FROM chain_outer", "VALUES BIGINT '3'");
        execute("REFRESH MATERIALIZED VIEW chain_inner");
        assertRows("SELECT * FROM chain_outer", "VALUES BIGINT '3'");
        execute("REFRESH MATERIALIZED VIEW chain_outer");
        assertRows("SELECT * FROM chain_outer", "VALUES BIGINT '3'");
    }

    @Test
    void testViewOverAViewOfUnknownContent()
    {
        execute("CREATE TABLE unknown_t (v integer)");
        execute("INSERT INTO unknown_t VALUES 1, 2");
        execute("CREATE MATERIALIZED VIEW unknown_inner AS SELECT v FROM unknown_t");
        CaseView outer = view("unknown_outer", "SELECT count(*) c FROM unknown_inner").rows("2");
        sources().load("__mv_unknown_inner").newDelete().deleteFromRowFilter(alwaysTrue()).commit();
        assertRows("SELECT * FROM unknown_inner", "VALUES 1, 2");
        execute("INSERT INTO unknown_t VALUES 3");
        execute("REFRESH MATERIALIZED VIEW unknown_outer");
        assertRows("SELECT * FROM unknown_outer", "VALUES BIGINT '3'");
        execute("REFRESH MATERIALIZED VIEW unknown_inner");
        outer.refreshInFull("DEFINITION_CHANGED").rows("3").fresh();
    }

    @Test
    void testViewOverAViewOfALostSource()
    {
        execute("CREATE TABLE lost_t (v integer)");
        execute("INSERT INTO lost_t VALUES 1, 2");
        execute("CREATE MATERIALIZED VIEW lost_inner AS SELECT v FROM lost_t");
        CaseView outer = view("lost_outer", "SELECT count(*) c FROM lost_inner").rows("2");
        executeAll("DROP TABLE lost_t", "CREATE TABLE lost_t AS SELECT 7 AS v");
        // neither is served, for all its unlimited grace
        assertRows("SELECT * FROM lost_inner", "VALUES 7");
        assertRows("SELECT * FROM lost_outer", "VALUES BIGINT '1'");
        execute("REFRESH MATERIALIZED VIEW lost_outer");
        assertRows("SELECT * FROM lost_outer", "VALUES BIGINT '1'");
        execute("REFRESH MATERIALIZED VIEW lost_inner");
        outer.refresh("AGGREGATE_MERGE").rows("1").fresh();
    }

    @Test
    void testTwoSourcesChangedAtDifferentTimes()
            throws Exception
    {
        execute("CREATE TABLE two_a (v integer)");
        execute("CREATE TABLE two_b (v integer)");
        execute("INSERT INTO two_a VALUES 1");
        execute("INSERT INTO two_b VALUES 1");
        CaseView view = view("two", "SELECT v FROM two_a UNION ALL SELECT v FROM two_b");
        assertThat(computeScalar("SELECT last_fresh_time FROM system.metadata.materialized_views WHERE catalog_name = 'lake' AND name = 'two'")).isNull();
        execute("INSERT INTO two_b VALUES 2");
        Thread.sleep(20);
        execute("INSERT INTO two_a VALUES 3");
        execute("INSERT INTO two_b VALUES 4");
        view.stale();
        // fresh until the first commit that is not in it
        assertRows(
                "SELECT date_diff('millisecond', last_fresh_time, " +
                        "(SELECT committed_at FROM \"two_b$snapshots\" WHERE snapshot_id = (SELECT parent_id FROM \"two_b$snapshots\" WHERE snapshot_id = %s))) ".formatted(snapshotOf("two_b")) +
                        "FROM system.metadata.materialized_views WHERE catalog_name = 'lake' AND name = 'two'",
                "VALUES BIGINT '0'");
    }

    @Test
    void testMetadataTableAsSource()
    {
        execute("CREATE TABLE meta_t (v integer)");
        execute("INSERT INTO meta_t VALUES 1");
        execute("CREATE MATERIALIZED VIEW meta WITH (build = 'DEFERRED') AS SELECT count(*) c FROM \"meta_t$snapshots\"");
        String snapshots = "SELECT count(*) FROM \"meta_t$snapshots\"";
        assertRows("SELECT * FROM meta", snapshots);
        try {
            execute("REFRESH MATERIALIZED VIEW meta");
        }
        catch (RuntimeException e) {
            assertThat(e).hasMessageContaining("meta_t");
            return;
        }
        assertRows("SELECT * FROM meta", snapshots);
        assertThat(freshness("meta")).isNotEqualTo("FRESH");
    }

    @Test
    void testOneDamagedViewDoesNotHideTheOthers()
    {
        execute("CREATE TABLE damaged_t (v integer)");
        CaseView view = view("damaged", "SELECT v FROM damaged_t");
        sources().load("__mv_damaged").updateProperties().set("freshet.view", "{\"formatVersion\": 99}").commit();
        for (String listing : new String[] {
                "SELECT count(*) > 0 FROM system.metadata.materialized_views WHERE catalog_name = 'lake' AND schema_name = 's'",
                "SELECT count(*) > 0 FROM information_schema.tables WHERE table_schema = 's'",
                "SELECT count(*) > 0 FROM information_schema.columns WHERE table_schema = 's'",
                "SELECT count(*) > 0 FROM system.jdbc.tables WHERE table_cat = 'lake'",
                "SELECT count(*) > 0 FROM system.jdbc.columns WHERE table_cat = 'lake'",
                "SELECT count(*) > 0 FROM system.metadata.table_comments WHERE catalog_name = 'lake' AND schema_name = 's'",
                "SELECT count(*) > 0 FROM lake.system.materialized_views",
                "SELECT count(*) > 0 FROM lake.system.materialized_view_refreshes"}) {
            assertRows(listing, "VALUES true");
        }
        execute("SHOW TABLES");
        assertThatThrownBy(() -> execute("SELECT * FROM damaged")).hasMessageContaining("format 99");
        execute("DROP MATERIALIZED VIEW damaged");
        execute("DROP MATERIALIZED VIEW " + view.twin());
    }
}
