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
package io.freshet.surface;

import io.freshet.FreshetQueryRunner;
import io.freshet.spi.FreshetErrorCode;
import io.trino.Session;
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.QueryRunner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;

import static io.trino.testing.TestingAccessControlManager.TestingPrivilegeType.SHOW_CREATE_TABLE;
import static io.trino.testing.TestingAccessControlManager.privilege;
import static io.trino.testing.assertions.TrinoExceptionAssert.assertTrinoExceptionThrownBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.TestInstance.Lifecycle.PER_CLASS;
import static org.junit.jupiter.api.parallel.ExecutionMode.SAME_THREAD;

/** What views read, and what becomes of them when that is taken away. */
@TestInstance(PER_CLASS)
@Execution(SAME_THREAD)
final class TestDependencies
        extends AbstractTestQueryFramework
{
    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return FreshetQueryRunner.builder()
                .setWorkerCount(0)
                .addCatalogProperty("freshet.allow-breaking-dependents", "false")
                .build();
    }

    private void assertHasDependents(String sql, String message)
    {
        assertTrinoExceptionThrownBy(() -> computeActual(sql))
                .hasErrorCode(FreshetErrorCode.MATERIALIZED_VIEW_HAS_DEPENDENTS)
                .hasMessage(message + ". Drop them first, or SET SESSION lake.allow_breaking_dependents = true");
    }

    private void force(String sql)
    {
        Session session = Session.builder(getSession()).setCatalogSessionProperty("lake", "allow_breaking_dependents", "true").build();
        computeActual(session, sql);
    }

    private void assertDependencies(String view, String... rows)
    {
        assertThat(computeActual("SELECT array_join(ARRAY[source_catalog, source_schema, source_name, source_type, change, change_reason], ' ', '-') FROM lake.system.materialized_view_dependencies WHERE view_name = '%s'".formatted(view)).getOnlyColumnAsSet())
                .containsExactlyInAnyOrder((Object[]) rows);
    }

    private void assertState(String view, String state, String detail)
    {
        assertThat(computeActual("SELECT state || ': ' || coalesce(state_detail, '') FROM lake.system.materialized_views WHERE view_name = '%s'".formatted(view)).getOnlyValue())
                .isEqualTo(state + ": " + detail);
    }

    @Test
    void testTable()
    {
        assertUpdate("CREATE TABLE src (k varchar, v bigint)");
        assertUpdate("INSERT INTO src VALUES ('a', 1)", 1);
        assertUpdate("CREATE VIEW logical AS SELECT k, v FROM src");
        assertUpdate("CREATE MATERIALIZED VIEW lower AS SELECT k, sum(v) s FROM logical GROUP BY k");
        assertUpdate("CREATE MATERIALIZED VIEW upper AS SELECT l.k, n.name FROM lower l, src s, src s2, tpch.tiny.nation n WHERE l.k = s.k AND s.k = s2.k");
        assertUpdate("CREATE MATERIALIZED VIEW unbuilt WITH (build = 'DEFERRED') AS SELECT v FROM src");
        assertDependencies("lower", "lake s src TABLE UNCHANGED NONE", "lake s logical VIEW - -");
        assertDependencies("upper", "lake s lower MATERIALIZED_VIEW UNCHANGED NONE", "lake s src TABLE UNCHANGED NONE", "tpch tiny nation FOREIGN - -");
        assertDependencies("unbuilt", "lake s src TABLE - -");
        assertQuery("SELECT count(DISTINCT source_uuid), count(bookmark_snapshot_id) FROM lake.system.materialized_view_dependencies WHERE source_name = 'src'", "VALUES (1, 2)");
        assertQuery(
                "SELECT current_snapshot_id FROM lake.system.materialized_view_dependencies WHERE source_name = 'src'",
                "SELECT snapshot_id FROM (VALUES 1, 2, 3) CROSS JOIN " + currentSnapshot("src"));

        assertUpdate("INSERT INTO src VALUES ('b', 1)", 1);
        assertDependencies("lower", "lake s src TABLE APPENDED NONE", "lake s logical VIEW - -");
        assertUpdate("DELETE FROM src WHERE k = 'a'", 1);
        assertDependencies("lower", "lake s src TABLE ROWS_CHANGED SOURCE_ROWS_CHANGED", "lake s logical VIEW - -");
        assertUpdate("REFRESH MATERIALIZED VIEW lower");
        assertDependencies("lower", "lake s src TABLE UNCHANGED NONE", "lake s logical VIEW - -");
        assertQuery("SELECT change FROM lake.system.materialized_view_dependencies WHERE view_name = 'upper' AND source_name = 'lower'", "VALUES 'ROWS_CHANGED'");

        // who may not see the query of a view learns nothing of its sources
        Session session = getSession();
        executeExclusively(() -> {
            try {
                getQueryRunner().getAccessControl().deny(privilege(session.getUser(), "lower", SHOW_CREATE_TABLE));
                assertDependencies("lower");
                assertQuery("SELECT count(*) FROM lake.system.materialized_view_dependencies WHERE view_name = 'unbuilt'", "VALUES 1");
            }
            finally {
                getQueryRunner().getAccessControl().reset();
            }
        });
        for (String view : new String[] {"upper", "lower", "unbuilt"}) {
            assertUpdate("DROP MATERIALIZED VIEW " + view);
        }
        assertQuery("SELECT count(*) FROM lake.system.materialized_view_dependencies WHERE source_name = 'src'", "VALUES 0");
        assertUpdate("DROP VIEW logical");
        assertUpdate("DROP TABLE src");
    }

    private String currentSnapshot(String table)
    {
        return "(VALUES %s) x (snapshot_id)".formatted(computeActual("SELECT snapshot_id FROM \"%s$snapshots\" ORDER BY committed_at DESC LIMIT 1".formatted(table)).getOnlyValue());
    }

    @Test
    void testRefusals()
    {
        assertUpdate("CREATE TABLE base (k varchar, v bigint, r row(a bigint, b bigint), other bigint)");
        assertUpdate("INSERT INTO base VALUES ('a', 1, row(1, 2), 3)", 1);
        assertUpdate("CREATE VIEW middle AS SELECT k FROM base");
        assertUpdate("CREATE MATERIALIZED VIEW one AS SELECT k, sum(v) s FROM base GROUP BY k");
        assertUpdate("CREATE MATERIALIZED VIEW two WITH (build = 'DEFERRED') AS SELECT r.a FROM base");
        assertUpdate("CREATE MATERIALIZED VIEW three AS SELECT count(*) c FROM middle");
        assertUpdate("CREATE MATERIALIZED VIEW four AS SELECT s FROM one");

        assertHasDependents("DROP TABLE base", "'lake.s.base' cannot be dropped, since materialized views read it: lake.s.one, lake.s.three, lake.s.two");
        assertHasDependents("DROP TABLE IF EXISTS base", "'lake.s.base' cannot be dropped, since materialized views read it: lake.s.one, lake.s.three, lake.s.two");
        assertHasDependents("ALTER TABLE base RENAME TO base2", "'lake.s.base' cannot be renamed, since materialized views read it: lake.s.one, lake.s.three, lake.s.two");
        assertHasDependents("ALTER TABLE base DROP COLUMN v", "Column 'v' of 'lake.s.base' cannot be dropped, since materialized views read it: lake.s.one");
        assertHasDependents("ALTER TABLE base RENAME COLUMN k TO k2", "Column 'k' of 'lake.s.base' cannot be renamed, since materialized views read it: lake.s.one, lake.s.three");
        assertHasDependents("ALTER TABLE base ALTER COLUMN v SET DATA TYPE decimal(20, 0)", "Column 'v' of 'lake.s.base' cannot be changed to another type, since materialized views read it: lake.s.one");
        assertHasDependents("ALTER TABLE base DROP COLUMN r.a", "Column 'r' of 'lake.s.base' cannot lose a field, since materialized views read it: lake.s.two");
        assertHasDependents("ALTER TABLE base RENAME COLUMN r.a TO z", "Column 'r' of 'lake.s.base' cannot have a field renamed, since materialized views read it: lake.s.two");
        assertHasDependents("DROP VIEW middle", "'lake.s.middle' cannot be dropped, since materialized views read it: lake.s.three");
        assertHasDependents("ALTER VIEW middle RENAME TO middle2", "'lake.s.middle' cannot be renamed, since materialized views read it: lake.s.three");
        assertHasDependents("DROP MATERIALIZED VIEW one", "'lake.s.one' cannot be dropped, since materialized views read it: lake.s.four");
        assertHasDependents("ALTER MATERIALIZED VIEW one RENAME TO one2", "'lake.s.one' cannot be renamed, since materialized views read it: lake.s.four");

        // what concerns no view
        assertUpdate("ALTER TABLE base DROP COLUMN other");
        assertUpdate("ALTER TABLE base ADD COLUMN v2 bigint");
        assertUpdate("ALTER TABLE base ADD COLUMN r.c bigint");
        assertUpdate("ALTER TABLE base RENAME COLUMN v2 TO v3");
        assertUpdate("COMMENT ON TABLE base IS 'read by views'");
        assertUpdate("COMMENT ON COLUMN base.v IS 'read by a view'");
        assertState("one", "NORMAL", "");
        assertState("four", "NORMAL", "");
        assertUpdate("REFRESH MATERIALIZED VIEW one");
        assertQuery("SELECT max_by(strategy, started_at) FROM lake.system.materialized_view_refreshes WHERE view_name = 'one'", "VALUES 'NO_OP'");

        assertUpdate("CREATE SCHEMA lake.far");
        assertUpdate("CREATE TABLE far.t (v bigint)");
        assertUpdate("CREATE MATERIALIZED VIEW far.own AS SELECT v FROM far.t");
        assertUpdate("CREATE MATERIALIZED VIEW five AS SELECT v FROM far.t");
        assertHasDependents("DROP SCHEMA far CASCADE", "Schema 'lake.far' cannot be dropped, since materialized views read it: lake.s.five");
        assertUpdate("DROP MATERIALIZED VIEW five");
        assertUpdate("DROP SCHEMA far CASCADE");

        force("DROP MATERIALIZED VIEW one");
        assertUpdate("DROP MATERIALIZED VIEW four");
        force("ALTER TABLE base RENAME COLUMN k TO k2");
        force("DROP TABLE base");
        for (String view : new String[] {"two", "three"}) {
            assertUpdate("DROP MATERIALIZED VIEW " + view);
        }
        assertUpdate("DROP VIEW middle");
    }

    /** As another engine would, which asks nobody. */
    @Test
    void testStates()
    {
        assertUpdate("CREATE TABLE st (k varchar, v integer)");
        assertUpdate("INSERT INTO st VALUES ('a', 1)", 1);
        assertUpdate("CREATE MATERIALIZED VIEW mv_st AS SELECT k, sum(v) s FROM st GROUP BY k");
        assertUpdate("CREATE MATERIALIZED VIEW mv_later WITH (build = 'DEFERRED') AS SELECT k, v FROM st");
        assertState("mv_st", "NORMAL", "");
        assertState("mv_later", "NOT_BUILT", "The view was never filled");

        force("ALTER TABLE st RENAME COLUMN v TO w");
        assertState("mv_st", "SCHEMA_CHANGED", "Source lake.s.st has changed a column that the view reads. The next refresh computes all rows anew; if the query does not compile any more, change the column back or create the view anew (SOURCE_SCHEMA_CHANGED)");
        assertDependencies("mv_st", "lake s st TABLE HISTORY_LOST SOURCE_SCHEMA_CHANGED");
        assertQueryFails("SELECT * FROM mv_st", ".*Column 'v' cannot be resolved.*");
        assertTrinoExceptionThrownBy(() -> computeActual("REFRESH MATERIALIZED VIEW mv_st"))
                .hasErrorCode(FreshetErrorCode.MATERIALIZED_VIEW_SCHEMA_CHANGED)
                .hasMessageMatching("Materialized view 'lake.s.mv_st' cannot be refreshed, since its sources have changed: .*[Cc]olumn 'v' cannot be resolved. Change them back, or create the view anew");
        assertTrinoExceptionThrownBy(() -> computeActual("REFRESH MATERIALIZED VIEW mv_later"))
                .hasErrorCode(FreshetErrorCode.MATERIALIZED_VIEW_SCHEMA_CHANGED);
        force("ALTER TABLE st RENAME COLUMN w TO v");
        assertState("mv_st", "NORMAL", "");
        assertQuery("SELECT * FROM mv_st", "VALUES ('a', 1)");

        force("ALTER TABLE st ALTER COLUMN v SET DATA TYPE bigint");
        assertState("mv_st", "SCHEMA_CHANGED", "Source lake.s.st has changed a column that the view reads. The next refresh computes all rows anew; if the query does not compile any more, change the column back or create the view anew (SOURCE_SCHEMA_CHANGED)");
        assertQuery("SELECT * FROM mv_st", "VALUES ('a', 1)");
        assertUpdate("REFRESH MATERIALIZED VIEW mv_st");
        assertState("mv_st", "NORMAL", "");

        force("DROP TABLE st");
        assertState("mv_st", "BROKEN", "Source lake.s.st does not exist. Create it again, or drop the view");
        assertDependencies("mv_st", "lake s st MISSING HISTORY_LOST SOURCE_MISSING");
        // the rows were right when it was there, and the view has no grace period
        assertQuery("SELECT * FROM mv_st", "VALUES ('a', 1)");
        assertQueryFails("REFRESH MATERIALIZED VIEW mv_st", ".*Table 'lake.s.st' does not exist.*");
        assertUpdate("CREATE TABLE st (k varchar, v bigint)");
        assertState("mv_st", "BROKEN", "Source lake.s.st was dropped and created again. The next refresh computes all rows anew (SOURCE_RECREATED)");
        assertQueryReturnsEmptyResult("SELECT * FROM mv_st");
        assertUpdate("REFRESH MATERIALIZED VIEW mv_st");
        assertState("mv_st", "NORMAL", "");

        force("ALTER TABLE st DROP COLUMN v");
        assertState("mv_st", "SCHEMA_CHANGED", "Source lake.s.st has changed a column that the view reads. The next refresh computes all rows anew; if the query does not compile any more, change the column back or create the view anew (SOURCE_SCHEMA_CHANGED)");
        assertUpdate("CREATE OR REPLACE MATERIALIZED VIEW mv_st AS SELECT k FROM st");
        assertState("mv_st", "NORMAL", "");
        assertUpdate("DROP MATERIALIZED VIEW mv_st");
        assertUpdate("DROP MATERIALIZED VIEW mv_later");
        assertUpdate("DROP TABLE st");
    }
}
