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
package io.freshet.scan;

import io.freshet.FreshetQueryRunner;
import io.trino.Session;
import io.trino.metadata.QualifiedObjectName;
import io.trino.spi.security.ViewExpression;
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.QueryRunner;
import org.junit.jupiter.api.Test;

import static io.trino.testing.TestingAccessControlManager.TestingPrivilegeType.SELECT_COLUMN;
import static io.trino.testing.TestingAccessControlManager.privilege;
import static org.assertj.core.api.Assertions.assertThat;

/** What {@code table_delta} refuses, and in which words. */
final class TestTableDeltaErrors
        extends AbstractTestQueryFramework
{
    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return FreshetQueryRunner.builder().build();
    }

    @Test
    void testWeightColumnClash()
    {
        assertUpdate("CREATE TABLE s.weighed AS SELECT 70 weight", 1);
        long to = currentSnapshot("weighed");
        assertQueryFails("SELECT * FROM " + delta("weighed", null, to), "Table s.weighed has a column named weight itself: .* as the fifth argument, weight_column");
        assertThat(query("SELECT weight, __mv_weight FROM TABLE(lake.system.table_delta(schema_name => 's', table_name => 'weighed', from_snapshot_id => NULL, to_snapshot_id => %s, weight_column => '__MV_weight'))".formatted(to)))
                .matches("VALUES (70, TINYINT '1')");
        assertQueryFails("SELECT * FROM TABLE(lake.system.table_delta('s', 'weighed', NULL, %s, ''))".formatted(to), "table_delta: argument weight_column must have a value");
        assertUpdate("DROP TABLE s.weighed");
    }

    @Test
    void testErrors()
    {
        assertQueryFails("SELECT * FROM TABLE(lake.system.table_delta('s', 'no_such_table', 1, 2))", "Table 's.no_such_table' not found");
        assertUpdate("CREATE TABLE s.wrong (a integer)");
        assertUpdate("INSERT INTO s.wrong VALUES 1", 1);
        long first = currentSnapshot("wrong");
        assertUpdate("INSERT INTO s.wrong VALUES 2", 1);
        long second = currentSnapshot("wrong");
        assertQueryFails("SELECT * FROM TABLE(lake.system.table_delta('s', NULL, 1, 2))", "table_delta: argument table_name must have a value");
        assertQueryFails("SELECT * FROM TABLE(lake.system.table_delta('s', 'wrong', 1, NULL))", "table_delta: argument to_snapshot_id must have a value");
        assertQueryFails("SELECT * FROM TABLE(lake.system.table_delta('s', 'wrong', 1, %s))".formatted(first), "Table s.wrong has no snapshot 1: .*\"wrong\\$snapshots\" lists those it has");
        assertQueryFails("SELECT * FROM TABLE(lake.system.table_delta('s', 'wrong', %s, 1))".formatted(first), "Table s.wrong has no snapshot 1: .*");
        assertThat(query("SELECT * FROM " + delta("wrong", second, first))).matches("VALUES (2, TINYINT '-1')");

        assertUpdate("ALTER TABLE s.wrong EXECUTE rollback_to_snapshot(%s)".formatted(first));
        assertUpdate("INSERT INTO s.wrong VALUES 4", 1);
        long fourth = currentSnapshot("wrong");
        assertThat(query("SELECT * FROM " + delta("wrong", second, fourth))).matches("VALUES (2, TINYINT '-1'), (4, TINYINT '1')");
        assertThat(query("SELECT a FROM " + delta("wrong", first, fourth))).matches("VALUES 4");

        assertUpdate("CREATE OR REPLACE TABLE s.wrong AS SELECT 5 a, 'b' b", 1);
        long replaced = currentSnapshot("wrong");
        assertQueryFails("SELECT * FROM " + delta("wrong", fourth, replaced), ".*the table was replaced between them \\(SOURCE_REPLACED\\)");
        assertUpdate("INSERT INTO s.wrong VALUES (6, 'c')", 1);
        assertThat(query("SELECT a FROM " + delta("wrong", replaced, currentSnapshot("wrong")))).matches("VALUES 6");
        assertUpdate("CREATE OR REPLACE TABLE s.wrong AS SELECT 'text' a", 1);
        assertQueryFails("SELECT * FROM " + delta("wrong", null, first), ".*column a was int then and is string now \\(SOURCE_SCHEMA_CHANGED\\)");
        assertUpdate("DROP TABLE s.wrong");
    }

    @Test
    void testExpired()
    {
        assertUpdate("CREATE TABLE s.expired AS SELECT 1 a", 1);
        long from = currentSnapshot("expired");
        assertUpdate("INSERT INTO s.expired VALUES 2", 1);
        assertUpdate("INSERT INTO s.expired VALUES 3", 1);
        Session session = Session.builder(getSession())
                .setCatalogSessionProperty("lake", "expire_snapshots_min_retention", "0s")
                .build();
        assertUpdate(session, "ALTER TABLE s.expired EXECUTE expire_snapshots(retention_threshold => '0s')");
        assertQueryFails("SELECT * FROM " + delta("expired", from, currentSnapshot("expired")), "Table s.expired has no snapshot %s: it never had, or it has expired.*".formatted(from));
        assertThat(query("SELECT * FROM " + delta("expired", null, currentSnapshot("expired")))).matches("VALUES (1, TINYINT '1'), (2, TINYINT '1'), (3, TINYINT '1')");
        assertUpdate("DROP TABLE s.expired");
    }

    @Test
    void testAccessControl()
    {
        assertUpdate("CREATE TABLE s.guarded AS SELECT 1 a, 2 b", 1);
        String sql = "SELECT a FROM " + delta("guarded", null, currentSnapshot("guarded"));
        assertAccessDenied(sql, "Cannot select from columns \\[a, b] in table or view .*guarded", privilege("guarded.b", SELECT_COLUMN));
        QualifiedObjectName table = new QualifiedObjectName("lake", "s", "guarded");
        String user = getSession().getUser();
        executeExclusively(() -> {
            try {
                getQueryRunner().getAccessControl().rowFilter(table, user, ViewExpression.builder().expression("a > 1").build());
                assertQueryFails(sql, "The changes of table s.guarded cannot be read: .* \\(SOURCE_HAS_ROW_FILTER\\)");
                getQueryRunner().getAccessControl().reset();
                getQueryRunner().getAccessControl().columnMask(table, "b", user, ViewExpression.builder().expression("NULL").build());
                assertQueryFails(sql, "The changes of table s.guarded cannot be read: .* \\(SOURCE_HAS_ROW_FILTER\\)");
            }
            finally {
                getQueryRunner().getAccessControl().reset();
            }
        });
        assertThat(query(sql)).matches("VALUES 1");
        assertUpdate("DROP TABLE s.guarded");
    }

    private long currentSnapshot(String table)
    {
        return (long) computeScalar("SELECT snapshot_id FROM s.\"%s$refs\" WHERE name = 'main'".formatted(table));
    }

    private static String delta(String table, Long from, long to)
    {
        return "TABLE(lake.system.table_delta('s', '%s', %s, %s))".formatted(table, from, to);
    }
}
