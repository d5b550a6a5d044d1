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

import io.trino.Session;
import org.intellij.lang.annotations.Language;
import org.junit.jupiter.api.Test;

import java.util.Locale;

import static io.trino.spi.type.TimeZoneKey.getTimeZoneKey;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Cases of kind "types-time": MV-078 to MV-083. */
final class TestTypeCases
        extends AbstractCases
{
    @Test
    void testMv078InstantsThatAreStoredAsText()
    {
        execute("CREATE TABLE mv078_t (id integer, ts timestamp(6) with time zone)");
        execute("INSERT INTO mv078_t VALUES (1, TIMESTAMP '2026-03-09 23:30:00 UTC'), (2, TIMESTAMP '2026-03-10 00:30:00 UTC')");
        execute("CREATE MATERIALIZED VIEW mv078 WITH (build = 'DEFERRED') AS SELECT id, at_timezone(ts, 'America/Los_Angeles') ts FROM mv078_t");
        assertInstantsCompareAsInstants();
        execute("REFRESH MATERIALIZED VIEW mv078");
        oracle().assertExact("mv078");
        assertInstantsCompareAsInstants();
        execute("INSERT INTO mv078_t VALUES (3, TIMESTAMP '2026-03-09 22:30:00 UTC')");
        execute("REFRESH MATERIALIZED VIEW mv078");
        oracle().assertExact("mv078");
        assertInstantsCompareAsInstants();
    }

    private void assertInstantsCompareAsInstants()
    {
        assertRows("SELECT id FROM mv078 WHERE ts >= TIMESTAMP '2026-03-10 00:00:00 UTC'", "VALUES 2");
        assertRows("SELECT a.id FROM mv078 a JOIN mv078 b ON a.ts = b.ts WHERE b.ts > TIMESTAMP '2026-03-10 00:00:00 UTC'", "VALUES 2");
        assertRows("SELECT id FROM mv078_t WHERE ts IN (SELECT ts FROM mv078 WHERE ts >= TIMESTAMP '2026-03-10 00:00:00 UTC')", "VALUES 2");
        assertRows("SELECT DISTINCT typeof(ts) FROM mv078", "VALUES 'timestamp(6) with time zone'");
        assertRows("SELECT DISTINCT timezone(ts) FROM mv078", "VALUES 'America/Los_Angeles'");
        assertRows("SELECT max_by(id, ts) FROM mv078", "VALUES 2");
    }

    @Test
    void testMv081ZoneOfTheSessionDoesNotMatter()
    {
        Session utc = inZone("UTC");
        Session tokyo = inZone("Asia/Tokyo");
        execute("CREATE TABLE mv081_t (e bigint)");
        for (String name : new String[] {"mv081", "mv081_full"}) {
            executeIn(utc, "CREATE MATERIALIZED VIEW %s AS SELECT date(from_unixtime(e)) d, count(*) c FROM mv081_t GROUP BY 1".formatted(name));
        }
        execute("INSERT INTO mv081_t VALUES 1772377200");
        executeIn(utc, "REFRESH MATERIALIZED VIEW mv081");
        execute("INSERT INTO mv081_t VALUES 1772377200");
        executeIn(tokyo, "REFRESH MATERIALIZED VIEW mv081");
        executeIn(Session.builder(tokyo).setCatalogSessionProperty("lake", "refresh_mode", "FULL").build(), "REFRESH MATERIALIZED VIEW mv081_full");
        oracle().assertExact("mv081");
        oracle().assertExact("mv081_full");
        assertRows("SELECT * FROM mv081", "VALUES (DATE '2026-03-01', BIGINT '2')");
        assertRows("SELECT * FROM mv081_full", "VALUES (DATE '2026-03-01', BIGINT '2')");
    }

    @Test
    void testMv081LocaleOfTheSessionDoesNotMatter()
    {
        execute("CREATE TABLE mv081_l (d date)");
        execute("INSERT INTO mv081_l VALUES DATE '2026-03-01'");
        Session german = Session.builder(getSession()).setLocale(Locale.GERMANY).build();
        for (String name : new String[] {"mv081l", "mv081l_full"}) {
            executeIn(german, "CREATE MATERIALIZED VIEW %s AS SELECT format_datetime(CAST(d AS timestamp(3)), 'MMMM') m, count(*) c FROM mv081_l GROUP BY 1".formatted(name));
        }
        execute("INSERT INTO mv081_l VALUES DATE '2026-03-02'");
        execute("REFRESH MATERIALIZED VIEW mv081l");
        executeIn(withMode("FULL"), "REFRESH MATERIALIZED VIEW mv081l_full");
        assertRows("SELECT * FROM mv081l", "VALUES (VARCHAR 'März', BIGINT '2')");
        assertRows("SELECT * FROM mv081l_full", "VALUES (VARCHAR 'März', BIGINT '2')");
    }

    private Session inZone(String zone)
    {
        return Session.builder(getSession()).setTimeZoneKey(getTimeZoneKey(zone)).build();
    }

    private void executeIn(Session session, @Language("SQL") String sql)
    {
        getQueryRunner().execute(session, sql);
    }

    @Test
    void testMv082PartitionedByTheTimeOfAZonedColumn()
    {
        execute("CREATE TABLE mv082_t (id integer, ts timestamp(6) with time zone)");
        execute("INSERT INTO mv082_t VALUES (1, TIMESTAMP '2026-03-01 15:30:00 UTC')");
        for (String name : new String[] {"mv082", "mv082_full"}) {
            execute("CREATE MATERIALIZED VIEW %s WITH (partitioning = ARRAY['day(ts)']) AS SELECT id, at_timezone(ts, 'Asia/Tokyo') ts FROM mv082_t".formatted(name));
        }
        for (int step = 0; step < 2; step++) {
            for (String name : new String[] {"mv082", "mv082_full"}) {
                assertRows("SELECT id FROM %s WHERE ts = TIMESTAMP '2026-03-01 15:30:00 UTC'".formatted(name), "VALUES 1");
                assertRows("SELECT typeof(ts), timezone(ts) FROM %s WHERE id = 1".formatted(name), "VALUES ('timestamp(6) with time zone', 'UTC')");
            }
            assertRows("SELECT * FROM mv082", "SELECT * FROM mv082_full");
            assertRows("SELECT id, CAST(ts AS timestamp(6)) FROM mv082", "SELECT id, CAST(ts AS timestamp(6)) FROM mv082_t");
            if (step == 0) {
                execute("INSERT INTO mv082_t VALUES (2, TIMESTAMP '2026-03-01 23:59:00 UTC')");
                execute("REFRESH MATERIALIZED VIEW mv082");
                getQueryRunner().execute(withMode("FULL"), "REFRESH MATERIALIZED VIEW mv082_full");
            }
        }
    }

    @Test
    void testMv083TypesThatIcebergLacks()
    {
        execute("CREATE TABLE mv083_t (v integer)");
        execute("INSERT INTO mv083_t VALUES 1");
        @Language("SQL") String query = "SELECT CAST(v AS smallint) a, CAST(v AS tinyint) b, TIME '01:02:03.123456789' c, TIMESTAMP '2026-01-01 00:00:00.123456789' d, " +
                "ARRAY[TIMESTAMP '2026-01-01 00:00:00.123456789'] e, CAST(ROW(v) AS ROW(x tinyint)) f, CAST('ab' AS char(4)) g, TIMESTAMP '2026-01-01 00:00:00.5 Asia/Tokyo' h, " +
                "CAST('x' AS varchar(7)) i, TIMESTAMP '2026-01-01 00:00:00' j, TIME '01:02:03' k, MAP(ARRAY[TINYINT '1'], ARRAY[CAST('z' AS char(2))]) l FROM mv083_t";
        CaseView view = view("mv083", query);
        @Language("SQL") String types = "SELECT typeof(a), typeof(b), typeof(c), typeof(d), typeof(e), typeof(f), typeof(g), typeof(h), typeof(i), typeof(j), typeof(k), typeof(l), v FROM (" + query + ") CROSS JOIN (VALUES 1) x(v)";
        assertRows(types.replace("FROM (" + query + ")", "FROM mv083"), types);
        assertRows("SELECT * FROM mv083", query);
        execute("INSERT INTO mv083_t VALUES 2");
        view.refresh("APPEND_ONLY");
        assertRows(types.replace("FROM (" + query + ")", "FROM mv083"), types);
        assertRows("SELECT * FROM mv083", query);
        execute("DELETE FROM mv083_t WHERE v = 1");
        view.refreshInFull("UNSUPPORTED_ROW_TYPE");
        assertRows("SELECT * FROM mv083", query);
    }

    @Test
    void testMv083TypesThatCannotBeStored()
    {
        execute("CREATE TABLE mv083_r (v integer)");
        for (String expression : new String[] {"INTERVAL '1' DAY", "INTERVAL '1' YEAR", "approx_set(v)", "CAST(ROW(v) AS ROW(integer))", "TIME '01:02:03+00:00'", "JSON '{}'", "IPADDRESS '10.0.0.1'"}) {
            String type = (String) computeScalar("SELECT typeof(x) FROM (SELECT %s x FROM mv083_r) RIGHT JOIN (VALUES 1) ON true".formatted(expression));
            try {
                execute("CREATE MATERIALIZED VIEW mv083_v AS SELECT %s x FROM mv083_r".formatted(expression));
            }
            catch (RuntimeException e) {
                assertThatThrownBy(() -> {
                    throw e;
                }).describedAs(expression).hasMessageMatching("(?s).*([Tt]ype|Iceberg|column).*");
                assertNoRows("SELECT * FROM system.metadata.materialized_views WHERE catalog_name = 'lake' AND name = 'mv083_v'");
                assertNoRows("SELECT * FROM information_schema.tables WHERE table_name LIKE '%mv083_v'");
                continue;
            }
            // accepted: then of the same type and value, too
            execute("INSERT INTO mv083_r VALUES 1");
            execute("REFRESH MATERIALIZED VIEW mv083_v");
            oracle().assertExact("mv083_v");
            assertRows("SELECT DISTINCT typeof(x) FROM mv083_v", "VALUES '%s'".formatted(type));
            execute("DROP MATERIALIZED VIEW mv083_v");
            execute("DELETE FROM mv083_r");
        }
    }

    @Test
    void testExtremesOfTypes()
    {
        execute("CREATE TABLE extremes_t (k integer, r real, x double, s varchar, b varbinary, d decimal(38, 10), ts timestamp(6), f boolean, dt date, t time(6), u uuid)");
        execute("INSERT INTO extremes_t VALUES (1, REAL '-0.0', -0e0, '', X'', 0, TIMESTAMP '0001-01-01 00:00:00', false, DATE '0001-01-01', TIME '00:00:00', NULL)");
        CaseView view = view("extremes", "SELECT k, min(r) r0, max(r) r1, min(x) x0, max(x) x1, min(s) s0, max(s) s1, min(b) b0, max(b) b1, min(d) d0, max(d) d1, " +
                "min(ts) t0, max(ts) t1, min(f) f0, max(f) f1, min(dt) dt0, max(dt) dt1, min(t) tt0, max(t) tt1, min(u) u0, max(u) u1, sum(r) sr, avg(r) ar, sum(d) sd FROM extremes_t GROUP BY k");
        execute("INSERT INTO extremes_t VALUES (1, CAST(nan() AS real), nan(), 'ÿ', X'FF', -1, TIMESTAMP '9999-12-31 23:59:59.999999', true, DATE '9999-12-31', TIME '23:59:59.999999', UUID '00000000-0000-0000-0000-000000000000')");
        view.refresh("AGGREGATE_MERGE");
        execute("INSERT INTO extremes_t VALUES (1, REAL '7', infinity(), 'z', X'7F', 1, NULL, NULL, NULL, NULL, UUID 'ffffffff-ffff-ffff-ffff-ffffffffffff'), (2, CAST(nan() AS real), nan(), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)");
        view.refresh("AGGREGATE_MERGE");
        execute("INSERT INTO extremes_t VALUES (2, REAL '7', -infinity(), 'z', X'7F', 1, NULL, NULL, NULL, NULL, NULL)");
        view.refresh("AGGREGATE_MERGE");
    }
}
