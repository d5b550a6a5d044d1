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

import org.apache.iceberg.BaseTable;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Test;

import static com.google.common.collect.Iterables.getLast;
import static org.apache.iceberg.types.Types.NestedField.optional;
import static org.assertj.core.api.Assertions.assertThat;

/** Cases of kind "change-kind": MV-013 to MV-026. */
final class TestChangeKindCases
        extends AbstractCases
{
    @Test
    void testMv013AddedAndRemovedInsideTheRange()
    {
        execute("CREATE TABLE mv013_t (v integer)");
        execute("INSERT INTO mv013_t VALUES 1");
        CaseView view = view("mv013", "SELECT v FROM mv013_t");
        execute("INSERT INTO mv013_t VALUES 7");
        execute("DELETE FROM mv013_t WHERE v = 7");
        view.refresh("ROW_DELTA").rows("1");
    }

    @Test
    void testMv014PartitionIsOverwritten()
    {
        execute("CREATE TABLE mv014_t (p integer, v integer) WITH (partitioning = ARRAY['p'])");
        execute("CREATE TABLE mv014_new (p integer, v integer) WITH (partitioning = ARRAY['p'])");
        execute("INSERT INTO mv014_t VALUES (1, 10), (2, 20)");
        execute("INSERT INTO mv014_new VALUES (1, 11), (1, 12)");
        CaseView view = view("mv014", "SELECT p, sum(v) s FROM mv014_t GROUP BY p");
        BaseTable table = sources().load("mv014_t");
        table.newReplacePartitions().addFile(sources().onlyFile("mv014_new", table)).commit();
        view.refresh("AGGREGATE_MERGE").rows("(1, 23), (2, 20)");
    }

    @Test
    void testMv014StaticOverwriteOfAnEmptyRange()
    {
        // an overwrite that removes nothing is an append by effect; whatever it is called, the rows are right
        execute("CREATE TABLE mv014_e (v integer)");
        execute("CREATE TABLE mv014_e_new (v integer)");
        execute("INSERT INTO mv014_e VALUES 1");
        execute("INSERT INTO mv014_e_new VALUES 2");
        CaseView view = view("mv014e", "SELECT v FROM mv014_e");
        BaseTable table = sources().load("mv014_e");
        table.newOverwrite().addFile(sources().onlyFile("mv014_e_new", table)).commit();
        execute("REFRESH MATERIALIZED VIEW mv014e");
        oracle().assertExact("mv014e");
        assertRows("SELECT * FROM mv014e", "VALUES 1, 2");
        view.fresh();
    }

    @Test
    void testMv015WholePartitionsRemovedByMetadata()
    {
        execute("CREATE TABLE mv015_t (p integer, v integer) WITH (partitioning = ARRAY['p'])");
        execute("INSERT INTO mv015_t VALUES (1, 10), (2, 20)");
        CaseView view = view("mv015", "SELECT p, sum(v) s, count(*) c FROM mv015_t GROUP BY p");
        execute("DELETE FROM mv015_t WHERE p = 1");
        view.stale();
        view.refresh("AGGREGATE_MERGE").rows("(2, 20, 1)");
        execute("TRUNCATE TABLE mv015_t");
        view.stale();
        view.refresh("AGGREGATE_MERGE").noRows();
    }

    @Test
    void testMv016CompactionsInARow()
    {
        execute("CREATE TABLE mv016_t (v integer)");
        for (int i = 0; i < 10; i++) {
            execute("INSERT INTO mv016_t VALUES " + i);
        }
        CaseView view = view("mv016", "SELECT count(*) c, sum(v) s FROM mv016_t");
        execute("ALTER TABLE mv016_t EXECUTE optimize(file_size_threshold => '1kB')");
        execute("ALTER TABLE mv016_t EXECUTE optimize(file_size_threshold => '100MB')");
        view.fresh();
        view.refresh("NO_OP", "SOURCE_REORGANIZED").rows("(10, 45)");
        execute("INSERT INTO mv016_t VALUES 100");
        execute("ALTER TABLE mv016_t EXECUTE optimize");
        view.refresh("AGGREGATE_MERGE").rows("(11, 145)");
        execute("INSERT INTO mv016_t VALUES 200");
        execute("ALTER TABLE mv016_t EXECUTE optimize");
        execute("INSERT INTO mv016_t VALUES 300");
        execute("ALTER TABLE mv016_t EXECUTE optimize_manifests");
        view.refresh("AGGREGATE_MERGE").rows("(13, 645)");
    }

    @Test
    void testMv017CopyOnWriteUpdate()
    {
        execute("CREATE TABLE mv017_t (x integer, y varchar)");
        execute("CREATE TABLE mv017_new (x integer, y varchar)");
        execute("INSERT INTO mv017_t VALUES (5, 'a'), (4, 'b')");
        execute("INSERT INTO mv017_new VALUES (5, 'c'), (4, 'b')");
        CaseView view = view("mv017", "SELECT y, count(*) c, max(x) m FROM mv017_t GROUP BY y");
        BaseTable table = sources().load("mv017_t");
        DataFile old = SourceTables.dataFiles(table).getFirst();
        table.newOverwrite().deleteFile(old).addFile(sources().onlyFile("mv017_new", table)).commit();
        view.refresh("GROUP_RECOMPUTE").rows("('b', 1, 4), ('c', 1, 5)");
    }

    @Test
    void testMv018RowLevelDeleteInTheRange()
    {
        execute("CREATE TABLE mv018_t (id integer, k varchar)");
        execute("INSERT INTO mv018_t VALUES (1, 'a'), (2, 'a')");
        CaseView view = view("mv018", "SELECT k, count(*) c FROM mv018_t GROUP BY k");
        execute("DELETE FROM mv018_t WHERE id = 1");
        view.refresh("AGGREGATE_MERGE").rows("('a', 1)");
        execute("INSERT INTO mv018_t VALUES (3, 'a')");
        view.refresh("AGGREGATE_MERGE").rows("('a', 2)");
    }

    @Test
    void testMv019SourceIsRolledBack()
    {
        execute("CREATE TABLE mv019_t (v integer)");
        execute("INSERT INTO mv019_t VALUES 1");
        long first = snapshotOf("mv019_t");
        CaseView view = view("mv019", "SELECT v FROM mv019_t");
        execute("INSERT INTO mv019_t VALUES 2");
        view.refresh("APPEND_ONLY").rows("1, 2");
        execute("ALTER TABLE mv019_t EXECUTE rollback_to_snapshot(%s)".formatted(first));
        view.stale();
        // not even with unlimited grace
        assertRows("SELECT * FROM mv019", "VALUES 1");
        view.refresh("ROW_DELTA").rows("1");
        execute("INSERT INTO mv019_t VALUES 3");
        view.refresh("APPEND_ONLY").rows("1, 3");
        // rolled back and on again, without a refresh between
        long third = snapshotOf("mv019_t");
        execute("ALTER TABLE mv019_t EXECUTE rollback_to_snapshot(%s)".formatted(first));
        execute("INSERT INTO mv019_t VALUES 4");
        view.refresh("ROW_DELTA").rows("1, 4");
        sources().load("mv019_t").manageSnapshots().setCurrentSnapshot(third).commit();
        view.refresh("ROW_DELTA").rows("1, 3");
        sources().load("mv019_t").manageSnapshots().setCurrentSnapshot(first).commit();
        sources().load("mv019_t").manageSnapshots().setCurrentSnapshot(third).commit();
        view.refreshNothing().rows("1, 3").fresh();
    }

    @Test
    void testMv021SnapshotOfTheBookmarkExpires()
    {
        execute("CREATE TABLE mv021_t (v integer)");
        execute("INSERT INTO mv021_t VALUES 1");
        CaseView view = view("mv021", "SELECT v FROM mv021_t");
        execute("INSERT INTO mv021_t VALUES 2");
        execute("INSERT INTO mv021_t VALUES 3");
        execute("ALTER TABLE mv021_t EXECUTE expire_snapshots(retention_threshold => '0s')");
        view.stale();
        view.refreshInFull("SOURCE_SNAPSHOT_EXPIRED").rows("1, 2, 3");
        execute("INSERT INTO mv021_t VALUES 4");
        view.refresh("APPEND_ONLY").rows("1, 2, 3, 4");
        // nothing came since: what expires is older than the bookmark
        execute("ALTER TABLE mv021_t EXECUTE expire_snapshots(retention_threshold => '0s')");
        view.refreshNothing().fresh();
        execute("INSERT INTO mv021_t VALUES 5");
        view.refresh("APPEND_ONLY").rows("1, 2, 3, 4, 5");
    }

    @Test
    void testMv021SourceThatWasEmptyAtTheBookmark()
    {
        execute("CREATE TABLE mv021_e (v integer)");
        CaseView view = view("mv021e", "SELECT v FROM mv021_e").noRows();
        sources().load("mv021_e");
        execute("INSERT INTO mv021_e VALUES 2");
        execute("DELETE FROM mv021_e WHERE v = 2");
        execute("INSERT INTO mv021_e VALUES 3");
        execute("ALTER TABLE mv021_e EXECUTE expire_snapshots(retention_threshold => '0s')");
        view.refreshInFull("SOURCE_SNAPSHOT_EXPIRED").rows("3");
    }

    @Test
    void testSourceThatNeverHadASnapshot()
    {
        // as Spark and PyIceberg make tables: no snapshot before the first write
        sources().createWithoutSnapshot("none_t", new Schema(optional(1, "k", Types.StringType.get()), optional(2, "v", Types.IntegerType.get())));
        assertThat(sources().load("none_t").currentSnapshot()).isNull();
        CaseView rows = view("none_rows", "SELECT k, v FROM none_t").noRows();
        CaseView groups = view("none_groups", "SELECT k, sum(v) s FROM none_t GROUP BY k").noRows();
        CaseView global = view("none_global", "SELECT count(*) c, sum(v) s FROM none_t").rows("(0, CAST(NULL AS bigint))");
        rows.refreshNothing().fresh();
        execute("INSERT INTO none_t VALUES ('a', 1)");
        rows.stale();
        rows.refresh("APPEND_ONLY").rows("('a', 1)");
        groups.refresh("AGGREGATE_MERGE").rows("('a', 1)");
        global.refresh("AGGREGATE_MERGE").rows("(1, 1)");
    }

    @Test
    void testMv022PinnedToASnapshot()
    {
        execute("CREATE TABLE mv022_t (v integer)");
        execute("INSERT INTO mv022_t VALUES 1");
        long first = snapshotOf("mv022_t");
        CaseView view = view("mv022", "SELECT v FROM mv022_t FOR VERSION AS OF %s".formatted(first));
        view.refreshNothing();
        execute("INSERT INTO mv022_t VALUES 2");
        view.fresh();
        view.refreshNothing().rows("1");
        view.refresh("NO_OP", "NONE").rows("1");

        // beside the table as it is now
        CaseView both = view("mv022b", "SELECT o.v old, n.v new FROM mv022_t FOR VERSION AS OF %s o CROSS JOIN mv022_t n".formatted(first)).rows("(1, 1), (1, 2)");
        execute("INSERT INTO mv022_t VALUES 3");
        both.stale();
        both.refreshInFull("TIME_TRAVEL_SOURCE").rows("(1, 1), (1, 2), (1, 3)");
    }

    @Test
    void testMv022PinnedToASnapshotOfAnotherSchema()
    {
        execute("CREATE TABLE mv022_s (a integer, b integer)");
        execute("INSERT INTO mv022_s VALUES (1, 10)");
        long first = snapshotOf("mv022_s");
        execute("ALTER TABLE mv022_s RENAME COLUMN a TO c");
        execute("ALTER TABLE mv022_s ADD COLUMN a integer");
        execute("INSERT INTO mv022_s VALUES (2, 20, 200)");
        CaseView star = view("mv022st", "SELECT * FROM mv022_s FOR VERSION AS OF %s".formatted(first)).rows("(1, 10)");
        CaseView named = view("mv022nm", "SELECT a FROM mv022_s FOR VERSION AS OF %s".formatted(first)).rows("1");
        star.refreshNothing().fresh();
        named.refreshNothing().fresh();
    }

    @Test
    void testMv022PinnedToABranchOrTag()
    {
        execute("CREATE TABLE mv022_r (v integer)");
        execute("INSERT INTO mv022_r VALUES 1");
        BaseTable table = sources().load("mv022_r");
        table.manageSnapshots().createBranch("b", table.currentSnapshot().snapshotId()).createTag("g", table.currentSnapshot().snapshotId()).commit();
        CaseView branch = view("mv022br", "SELECT v FROM mv022_r FOR VERSION AS OF 'b'").rows("1");
        CaseView tag = view("mv022tg", "SELECT v FROM mv022_r FOR VERSION AS OF 'g'").rows("1");
        execute("INSERT INTO mv022_r VALUES 2");
        table = sources().load("mv022_r");
        table.manageSnapshots().fastForwardBranch("b", "main").replaceTag("g", table.currentSnapshot().snapshotId()).commit();
        // a branch moves, and a tag can be replaced: neither is followed
        branch.notFresh();
        tag.notFresh();
        execute("REFRESH MATERIALIZED VIEW mv022br");
        execute("REFRESH MATERIALIZED VIEW mv022tg");
        assertRows("SELECT * FROM mv022br", "VALUES 1, 2");
        assertRows("SELECT * FROM mv022tg", "VALUES 1, 2");
    }

    @Test
    void testMv022PinnedToATime()
    {
        execute("CREATE TABLE mv022_h (v integer)");
        execute("INSERT INTO mv022_h VALUES 1");
        String time = (String) computeScalar("SELECT CAST(date_add('millisecond', 1, max(committed_at)) AS varchar) FROM \"mv022_h$snapshots\"");
        CaseView view = view("mv022h", "SELECT v FROM mv022_h FOR TIMESTAMP AS OF TIMESTAMP '%s'".formatted(time)).rows("1");
        execute("INSERT INTO mv022_h VALUES 2");
        view.rows("1");
        execute("REFRESH MATERIALIZED VIEW mv022h");
        oracle().assertExact("mv022h");
        assertRows("SELECT * FROM mv022h", "VALUES 1");
    }

    @Test
    void testMv023BranchesAndCherryPicks()
    {
        execute("CREATE TABLE mv023_t (v integer)");
        execute("CREATE TABLE mv023_two (v integer)");
        execute("CREATE TABLE mv023_three (v integer)");
        execute("CREATE TABLE mv023_four (v integer)");
        execute("INSERT INTO mv023_t VALUES 1");
        execute("INSERT INTO mv023_two VALUES 2");
        execute("INSERT INTO mv023_three VALUES 3");
        execute("INSERT INTO mv023_four VALUES 4");
        CaseView view = view("mv023", "SELECT v FROM mv023_t");
        BaseTable table = sources().load("mv023_t");
        table.manageSnapshots().createBranch("b").commit();
        table.newFastAppend().appendFile(sources().onlyFile("mv023_two", table)).toBranch("b").commit();
        view.fresh();
        view.refreshNothing().rows("1");
        table.manageSnapshots().fastForwardBranch("main", "b").commit();
        view.stale();
        view.refresh("APPEND_ONLY").rows("1, 2");
        // write, audit, publish; another write comes first, so that the picked one gets another parent
        table.newFastAppend().appendFile(sources().onlyFile("mv023_three", table)).stageOnly().commit();
        long staged = getLast(table.snapshots()).snapshotId();
        view.fresh();
        view.refreshNothing();
        table.newFastAppend().appendFile(sources().onlyFile("mv023_four", table)).commit();
        table.manageSnapshots().cherrypick(staged).commit();
        view.refresh("APPEND_ONLY").rows("1, 2, 3, 4");
        view.refreshNothing().fresh();
    }

    @Test
    void testMv025PredicateOnThePartitionColumn()
    {
        execute("CREATE TABLE mv025_t (a integer, p integer) WITH (partitioning = ARRAY['p'])");
        execute("INSERT INTO mv025_t VALUES (10, 1), (12, 1), (13, 2)");
        CaseView view = view("mv025", "SELECT a FROM mv025_t WHERE a >= 12 AND p = 1").rows("12");
        execute("INSERT INTO mv025_t VALUES (14, 1), (15, 2), (9, 1)");
        view.refresh("APPEND_ONLY").rows("12, 14");
    }

    @Test
    void testMv026PartitionEvolution()
    {
        execute("CREATE TABLE mv026_t (d date, v bigint) WITH (partitioning = ARRAY['month(d)'])");
        execute("INSERT INTO mv026_t VALUES (DATE '2026-01-05', 1), (DATE '2026-01-20', 2), (DATE '2026-02-03', 4)");
        CaseView view = view("mv026", "SELECT date_trunc('month', d) m, sum(v) s FROM mv026_t GROUP BY 1");
        CaseView partitioned = view("mv026p", "WITH (partitioning = ARRAY['month(m)'])", "SELECT date_trunc('month', d) m, sum(v) s FROM mv026_t GROUP BY 1");
        execute("ALTER TABLE mv026_t SET PROPERTIES partitioning = ARRAY['day(d)']");
        execute("INSERT INTO mv026_t VALUES (DATE '2026-01-20', 8), (DATE '2026-02-03', 16)");
        view.refresh("AGGREGATE_MERGE").rows("(DATE '2026-01-01', 11), (DATE '2026-02-01', 20)");
        execute("ALTER MATERIALIZED VIEW mv026p SET PROPERTIES partitioning = ARRAY['bucket(s, 3)']");
        partitioned.refresh("AGGREGATE_MERGE").rows("(DATE '2026-01-01', 11), (DATE '2026-02-01', 20)");
        execute("DELETE FROM mv026_t WHERE d = DATE '2026-01-20'");
        view.refresh("AGGREGATE_MERGE").rows("(DATE '2026-01-01', 1), (DATE '2026-02-01', 20)");
        partitioned.refresh("AGGREGATE_MERGE").rows("(DATE '2026-01-01', 1), (DATE '2026-02-01', 20)");
        execute("INSERT INTO mv026_t VALUES (DATE '2026-01-20', 32)");
        partitioned.refresh("AGGREGATE_MERGE").rows("(DATE '2026-01-01', 33), (DATE '2026-02-01', 20)");
    }

    @Test
    void testFormatVersion1()
    {
        execute("CREATE TABLE v1_t (k varchar, v integer) WITH (format_version = 1)");
        execute("INSERT INTO v1_t VALUES ('a', 1)");
        CaseView rows = view("v1_rows", "SELECT k, v FROM v1_t");
        CaseView groups = view("v1_groups", "SELECT k, sum(v) s FROM v1_t GROUP BY k");
        execute("INSERT INTO v1_t VALUES ('a', 2), ('b', 3)");
        rows.refresh("APPEND_ONLY").rows("('a', 1), ('a', 2), ('b', 3)");
        groups.refresh("AGGREGATE_MERGE").rows("('a', 3), ('b', 3)");
        execute("ALTER TABLE v1_t EXECUTE optimize");
        rows.refresh("NO_OP", "SOURCE_REORGANIZED");
    }

    @Test
    void testOtherFileFormats()
    {
        for (String format : new String[] {"ORC", "AVRO"}) {
            String table = "format_" + format;
            execute("CREATE TABLE %s (k varchar, v double) WITH (format = '%s')".formatted(table, format));
            execute("INSERT INTO %s VALUES ('a', 1), (NULL, nan())".formatted(table));
            CaseView rows = view(table + "_rows", "WITH (format = '%s')".formatted(format), "SELECT k, v FROM " + table);
            CaseView groups = view(table + "_groups", "WITH (format = '%s')".formatted(format), "SELECT v, max(k) m FROM %s GROUP BY v".formatted(table));
            execute("INSERT INTO %s VALUES ('a', 2), ('b', nan()), (NULL, NULL)".formatted(table));
            rows.refresh("APPEND_ONLY").rows("('a', 1e0), (NULL, nan()), ('a', 2), ('b', nan()), (NULL, NULL)");
            groups.refresh("AGGREGATE_MERGE").rows("(1e0, 'a'), (nan(), 'b'), (2, 'a'), (NULL, NULL)");
        }
    }
}
