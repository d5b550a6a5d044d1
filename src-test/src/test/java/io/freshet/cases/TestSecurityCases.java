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

import io.freshet.RowBags;
import io.trino.Session;
import io.trino.metadata.QualifiedObjectName;
import io.trino.spi.security.Identity;
import io.trino.spi.security.ViewExpression;
import io.trino.testing.MaterializedResult;
import org.intellij.lang.annotations.Language;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static io.freshet.FreshetQueryRunner.CATALOG;
import static io.freshet.FreshetQueryRunner.SCHEMA;
import static io.trino.testing.TestingAccessControlManager.TestingPrivilegeType.SELECT_COLUMN;
import static io.trino.testing.TestingAccessControlManager.privilege;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Cases of kind "security": MV-119 and MV-120. */
final class TestSecurityCases
        extends AbstractCases
{
    private static final String OWNER = "owner_u";
    private static final String READER = "reader_u";

    @AfterEach
    void restoreRights()
    {
        getQueryRunner().getAccessControl().reset();
    }

    @Test
    void testMv119RightsOfTheOwnerAreCheckedByRefreshesOnly()
    {
        execute("CREATE TABLE mv119_t (v integer)");
        execute("INSERT INTO mv119_t VALUES 1");
        execute(OWNER, "CREATE MATERIALIZED VIEW mv119 AS SELECT v FROM mv119_t");
        execute("INSERT INTO mv119_t VALUES 2");
        getQueryRunner().getAccessControl().deny(privilege(OWNER, "mv119_t.v", SELECT_COLUMN));
        assertRowsFor(READER, "SELECT v FROM mv119", "VALUES 1");
        long before = backingSnapshot("mv119");
        for (String mode : new String[] {"AUTO", "FULL"}) {
            // with the rights of the owner, whoever asks for it
            assertThatThrownBy(() -> getQueryRunner().execute(withMode(mode), "REFRESH MATERIALIZED VIEW mv119"))
                    .hasMessageContaining("Access Denied")
                    .hasMessageContaining("mv119_t");
        }
        assertThat(backingSnapshot("mv119")).isEqualTo(before);
        assertRowsFor(READER, "SELECT v FROM mv119", "VALUES 1");
        for (String hidden : new String[] {"__mv_mv119", "\"__mv_mv119$files\"", "\"__mv_mv119$snapshots\""}) {
            assertThatThrownBy(() -> execute(READER, "SELECT * FROM " + hidden)).hasMessageContaining("mv119");
        }
        getQueryRunner().getAccessControl().reset();
        execute("REFRESH MATERIALIZED VIEW mv119");
        assertRowsFor(READER, "SELECT v FROM mv119", "VALUES 1, 2");
        oracle().assertExact("mv119");
    }

    @Test
    void testMv120StoredRowsAreThoseOfTheOwner()
    {
        execute("CREATE TABLE mv120_t (v integer)");
        execute("INSERT INTO mv120_t VALUES 1, 2");
        execute(OWNER, "CREATE MATERIALIZED VIEW mv120 GRACE PERIOD INTERVAL '0' SECOND AS SELECT v FROM mv120_t");
        getQueryRunner().getAccessControl().rowFilter(new QualifiedObjectName(CATALOG, SCHEMA, "mv120_t"), READER, ViewExpression.builder().expression("v <> 2").build());
        assertRowsFor(READER, "SELECT v FROM mv120_t", "VALUES 1");
        assertRowsFor(READER, "SELECT v FROM mv120", "VALUES 1, 2");
        execute("INSERT INTO mv120_t VALUES 3");
        // stale, so that its query runs
        assertRowsFor(READER, "SELECT v FROM mv120", "VALUES 1, 2, 3");
        execute(READER, "REFRESH MATERIALIZED VIEW mv120");
        assertRowsFor(READER, "SELECT v FROM mv120", "VALUES 1, 2, 3");
        assertThatThrownBy(() -> execute("CREATE MATERIALIZED VIEW mv120i SECURITY INVOKER AS SELECT v FROM mv120_t")).hasMessageContaining("SECURITY");
    }

    /** The rows that are there already are not subject to it, so those that come must not be joined with what it leaves. */
    @Test
    void testRowFilterOnASourceWithoutChanges()
    {
        execute("CREATE TABLE filter_a (k integer)");
        execute("CREATE TABLE filter_b (k integer, y integer)");
        execute("INSERT INTO filter_a VALUES 1, 2");
        execute("INSERT INTO filter_b VALUES (1, 10), (2, 20)");
        execute(OWNER, "CREATE MATERIALIZED VIEW filter_v AS SELECT a.k, b.y FROM filter_a a JOIN filter_b b ON a.k = b.k");
        execute("INSERT INTO filter_a VALUES 1, 2");
        execute("REFRESH MATERIALIZED VIEW filter_v");
        assertThat(oracle().lastRefresh("filter_v").strategy()).hasValue("APPEND_ONLY");
        assertRows("TABLE filter_v", "VALUES (1, 10), (2, 20), (1, 10), (2, 20)");
        getQueryRunner().getAccessControl().rowFilter(new QualifiedObjectName(CATALOG, SCHEMA, "filter_b"), OWNER, ViewExpression.builder().expression("y < 15").build());
        execute("INSERT INTO filter_a VALUES 1, 2");
        execute("REFRESH MATERIALIZED VIEW filter_v");
        assertThat(oracle().lastRefresh("filter_v").reason()).hasValue("SOURCE_HAS_ROW_FILTER");
        assertRows("TABLE filter_v", "VALUES (1, 10), (1, 10), (1, 10)");
    }

    private void execute(String user, @Language("SQL") String sql)
    {
        getQueryRunner().execute(as(user), sql);
    }

    private void assertRowsFor(String user, @Language("SQL") String sql, @Language("SQL") String expected)
    {
        MaterializedResult actual = getQueryRunner().execute(as(user), sql);
        RowBags.assertSameBag("%s as %s".formatted(sql, user), actual, computeActual(expected));
    }

    private Session as(String user)
    {
        return Session.builder(getSession()).setIdentity(Identity.ofUser(user)).build();
    }

    private long backingSnapshot(String view)
    {
        return sources().load("__mv_" + view).currentSnapshot().snapshotId();
    }
}
