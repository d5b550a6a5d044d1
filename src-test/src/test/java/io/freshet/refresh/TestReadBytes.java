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
package io.freshet.refresh;

import io.freshet.FreshetQueryRunner;
import io.freshet.ViewOracle;
import io.trino.Session;
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.QueryRunner;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import java.util.stream.IntStream;

import static io.freshet.FreshetQueryRunner.CATALOG;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.TestInstance.Lifecycle.PER_CLASS;

/** What a refresh reads follows the change and the columns that the view needs, not the table. */
@TestInstance(PER_CLASS)
final class TestReadBytes
        extends AbstractTestQueryFramework
{
    private static final int ROWS = 20_000;

    private ViewOracle oracle;

    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        // small files are else read whole, whatever is asked of them
        return FreshetQueryRunner.builder().addCatalogProperty("parquet.small-file-threshold", "1kB").build();
    }

    @BeforeAll
    void createOracle()
    {
        oracle = new ViewOracle(getQueryRunner());
    }

    @Test
    void testWidthOfTheTable()
    {
        createTable("narrow", 0);
        createTable("wide", 15);
        for (String change : new String[] {
                "INSERT INTO %1$s SELECT * FROM %1$s WHERE c0 % 3 = 0",
                "DELETE FROM %s WHERE c0 % 5 = 1",
                "UPDATE %s SET c2 = c2 + 1 WHERE c0 % 2 = 1"}) {
            long narrow = bytesRead("narrow", change);
            long wide = bytesRead("wide", change);
            assertThat(narrow).describedAs(change).isPositive();
            // the footers of the files grow with their width
            assertThat(wide).describedAs(change).isLessThan(narrow + narrow / 5 + 50_000);
        }
    }

    private void createTable(String table, int unusedColumns)
    {
        String unused = IntStream.range(0, unusedColumns).mapToObj(i -> ", to_hex(sha512(to_utf8('%s.' || CAST(x AS varchar)))) AS u%s".formatted(i, i)).collect(joining());
        assertUpdate("CREATE TABLE %s AS SELECT x AS c0, x %% 1009 c1, x * 3 %% 1009 c2, x * 5 %% 1009 c3, x * 7 %% 1009 c4%s FROM UNNEST(sequence(1, 10000)) t (x)".formatted(table, unused), ROWS / 2);
        assertUpdate("INSERT INTO %1$s SELECT * FROM %1$s".formatted(table), ROWS / 2);
        assertUpdate("CREATE MATERIALIZED VIEW mv_%1$s AS SELECT c1, sum(c2) s, count(c3) c, avg(c4) a FROM %1$s GROUP BY c1".formatted(table));
    }

    private long bytesRead(String table, String change)
    {
        computeActual(change.replace("%1$s", table).replace("%s", table));
        Session incremental = Session.builder(getSession()).setCatalogSessionProperty(CATALOG, "refresh_mode", "INCREMENTAL").build();
        assertUpdate(incremental, "REFRESH MATERIALIZED VIEW mv_" + table);
        oracle.assertExact("mv_" + table);
        assertThat(oracle.lastRefresh("mv_" + table).strategy()).hasValue("AGGREGATE_MERGE");
        return (long) computeScalar("SELECT bytes_read FROM lake.system.materialized_view_refreshes WHERE view_name = 'mv_%s' ORDER BY started_at DESC LIMIT 1".formatted(table));
    }

    @Test
    void testSizeOfTheTable()
    {
        assertUpdate("CREATE TABLE small AS SELECT x k, x % 100 g, CAST(x AS varchar) v FROM UNNEST(sequence(1, 5000)) t (x)", 5000);
        assertUpdate("CREATE TABLE large AS SELECT * FROM small", 5000);
        for (int i = 0; i < 8; i++) {
            assertUpdate("INSERT INTO large SELECT k + %s, g, v FROM small".formatted(10_000 * (i + 1)), 5000);
        }
        for (String table : new String[] {"small", "large"}) {
            assertUpdate("CREATE MATERIALIZED VIEW mv_%1$s AS SELECT g, count(v) c, sum(k) s FROM %1$s GROUP BY g".formatted(table));
        }
        for (String change : new String[] {
                "INSERT INTO %s VALUES (1, 1, 'x'), (2, 2, 'y')",
                "DELETE FROM %s WHERE k BETWEEN 10 AND 20",
                "UPDATE %s SET g = 7 WHERE k BETWEEN 30 AND 40"}) {
            long small = bytesRead("small", change);
            long large = bytesRead("large", change);
            assertThat(small).describedAs(change).isPositive();
            assertThat(large).describedAs(change).isLessThan(small + small / 5 + 10_000);
        }
    }
}
