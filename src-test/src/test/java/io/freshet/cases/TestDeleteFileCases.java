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

import io.trino.testing.QueryRunner;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.RewriteFiles;
import org.junit.jupiter.api.Test;

/** Cases of kind "delete-files": MV-028 to MV-037. */
final class TestDeleteFileCases
        extends AbstractCases
{
    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        // many row groups in one file
        return builder()
                .addCatalogProperty("parquet.writer.block-size", "64kB")
                .build();
    }

    @Test
    void testMv028DroppedFileWithDeletedRows()
    {
        execute("CREATE TABLE mv028_t (p integer, v bigint) WITH (partitioning = ARRAY['p'])");
        execute("INSERT INTO mv028_t VALUES (1, 10), (1, 20), (1, 30), (2, 7)");
        CaseView view = view("mv028", "SELECT p, count(*) c, sum(v) s FROM mv028_t GROUP BY p");
        execute("DELETE FROM mv028_t WHERE v = 10");
        view.refresh("AGGREGATE_MERGE").rows("(1, 2, 50), (2, 1, 7)");
        execute("DELETE FROM mv028_t WHERE p = 1");
        view.refresh("AGGREGATE_MERGE").rows("(2, 1, 7)");
    }

    @Test
    void testMv030EqualityDeleteUnderAFilter()
    {
        execute("CREATE TABLE mv030_t (id integer, d date, v bigint)");
        execute("CREATE TABLE mv030_key (id integer)");
        execute("CREATE TABLE mv030_new (id integer, d date, v bigint)");
        execute("INSERT INTO mv030_t VALUES (1, DATE '2021-01-01', 5), (2, DATE '2021-01-01', 50)");
        execute("INSERT INTO mv030_key VALUES 1");
        execute("INSERT INTO mv030_new VALUES (1, DATE '2022-01-01', 6)");
        CaseView view = view("mv030", "SELECT id, v FROM mv030_t WHERE d < DATE '2022-01-01'").rows("(1, 5), (2, 50)");
        BaseTable table = sources().load("mv030_t");
        table.newRowDelta()
                .addDeletes(sources().equalityDelete("mv030_key", table, null, "id"))
                .addRows(sources().onlyFile("mv030_new", table))
                .commit();
        assertRows("SELECT * FROM mv030_t", "VALUES (1, DATE '2022-01-01', 6), (2, DATE '2021-01-01', 50)");
        view.refresh("ROW_DELTA").rows("(2, 50)");
        // an insert by Trino on top of equality deletes
        execute("INSERT INTO mv030_t VALUES (1, DATE '2021-01-01', 7)");
        view.refresh("APPEND_ONLY").rows("(1, 7), (2, 50)");
    }

    @Test
    void testMv031StaleVersionInAnotherPartition()
    {
        execute("CREATE TABLE mv031_t (id integer, p varchar, v bigint) WITH (partitioning = ARRAY['p'])");
        execute("CREATE TABLE mv031_key (id integer)");
        execute("CREATE TABLE mv031_new (id integer, p varchar, v bigint) WITH (partitioning = ARRAY['p'])");
        execute("INSERT INTO mv031_t VALUES (1, 'x', 10)");
        execute("INSERT INTO mv031_t VALUES (2, 'x', 10)");
        execute("INSERT INTO mv031_key VALUES 1");
        execute("INSERT INTO mv031_new VALUES (1, 'y', 20)");
        CaseView view = view("mv031", "SELECT id, count(*) c FROM mv031_t GROUP BY id").rows("(1, 1), (2, 1)");
        BaseTable table = sources().load("mv031_t");
        DataFile moved = sources().onlyFile("mv031_new", table);
        table.newRowDelta()
                .addDeletes(sources().equalityDelete("mv031_key", table, moved, "id"))
                .addRows(moved)
                .commit();
        assertRows("SELECT id, count(*) FROM mv031_t GROUP BY id", "VALUES (1, 2), (2, 1)");
        view.refresh("AGGREGATE_MERGE").rows("(1, 2), (2, 1)");
        execute("ALTER TABLE mv031_t EXECUTE optimize");
        view.refresh("NO_OP", "SOURCE_REORGANIZED").rows("(1, 2), (2, 1)");
    }

    @Test
    void testMv032DeletesInLateRowGroups()
    {
        for (int formatVersion : new int[] {2, 3}) {
            String table = "mv032_t" + formatVersion;
            execute("CREATE TABLE %s (id bigint, v bigint) WITH (format_version = %s)".formatted(table, formatVersion));
            execute("INSERT INTO %s SELECT x, x * 3 FROM UNNEST(sequence(1, 10000)) a(y) CROSS JOIN UNNEST(sequence(y, 100000, 10000)) b(x)".formatted(table));
            CaseView view = view("mv032_" + formatVersion, "SELECT id %% 10 g, count(*) c, sum(v) s FROM %s GROUP BY 1".formatted(table));
            execute("DELETE FROM %s WHERE id BETWEEN 98000 AND 98999".formatted(table));
            execute("UPDATE %s SET v = v + 1 WHERE id BETWEEN 50001 AND 50010".formatted(table));
            view.refresh("AGGREGATE_MERGE");
            assertRows("SELECT sum(c), sum(s) FROM mv032_" + formatVersion, "VALUES (99000, BIGINT '%s')".formatted(15000150000L - 3L * 1000 * (98000 + 98999) / 2 + 10));
            execute("INSERT INTO %s VALUES (3, 1)".formatted(table));
            view.refresh("AGGREGATE_MERGE");
        }
    }

    @Test
    void testMv033CompactionThatLosesRowIds()
    {
        execute("CREATE TABLE mv033_t (id integer, v bigint) WITH (format_version = 3)");
        execute("CREATE TABLE mv033_compacted (id integer, v bigint) WITH (format_version = 3)");
        execute("INSERT INTO mv033_t VALUES (1, 10)");
        execute("INSERT INTO mv033_t VALUES (2, 20)");
        execute("INSERT INTO mv033_compacted VALUES (1, 10), (2, 20)");
        CaseView view = view("mv033", "SELECT id, v FROM mv033_t");
        BaseTable table = sources().load("mv033_t");
        RewriteFiles rewrite = table.newRewrite();
        SourceTables.dataFiles(table).forEach(rewrite::deleteFile);
        rewrite.addFile(sources().onlyFile("mv033_compacted", table)).commit();
        view.refresh("NO_OP", "SOURCE_REORGANIZED").rows("(1, 10), (2, 20)");
        execute("DELETE FROM mv033_t WHERE id = 1");
        view.refresh("ROW_DELTA").rows("(2, 20)");
        execute("INSERT INTO mv033_t VALUES (3, 30)");
        view.refresh("APPEND_ONLY").rows("(2, 20), (3, 30)");
    }

    @Test
    void testMv034RaisedFromV2ToV3()
    {
        execute("CREATE TABLE mv034_t (id integer, v bigint) WITH (format_version = 2)");
        execute("INSERT INTO mv034_t VALUES (1, 10), (2, 20)");
        CaseView view = view("mv034", "SELECT count(*) c, sum(v) s FROM mv034_t").rows("(2, 30)");
        execute("ALTER TABLE mv034_t SET PROPERTIES format_version = 3");
        view.refreshNothing().fresh();
        execute("DELETE FROM mv034_t WHERE id = 1");
        execute("INSERT INTO mv034_t VALUES (3, 30)");
        view.refresh("AGGREGATE_MERGE").rows("(2, 50)");
        execute("ALTER TABLE mv034_t EXECUTE optimize");
        view.refresh("NO_OP", "SOURCE_REORGANIZED").rows("(2, 50)");
    }

    @Test
    void testMv035InsertedAndUpdatedInOneRange()
    {
        execute("CREATE TABLE mv035_t (id integer, g varchar, v bigint)");
        CaseView view = view("mv035", "SELECT g, count(*) c, sum(v) s FROM mv035_t GROUP BY g").noRows();
        execute("INSERT INTO mv035_t VALUES (1, 'x', 10)");
        execute("UPDATE mv035_t SET v = 20 WHERE id = 1");
        execute("UPDATE mv035_t SET v = 30 WHERE id = 1");
        view.refresh("AGGREGATE_MERGE").rows("('x', 1, 30)");
    }

    @Test
    void testMv036DeletedAndInsertedAgain()
    {
        execute("CREATE TABLE mv036_t (id integer, v bigint)");
        execute("INSERT INTO mv036_t VALUES (1, 10)");
        CaseView rows = view("mv036", "SELECT id, v FROM mv036_t");
        CaseView sum = view("mv036s", "SELECT count(*) c, sum(v) s FROM mv036_t");
        execute("DELETE FROM mv036_t WHERE id = 1");
        execute("INSERT INTO mv036_t VALUES (1, 10)");
        rows.refresh("ROW_DELTA").rows("(1, 10)");
        sum.refresh("AGGREGATE_MERGE").rows("(1, 10)");
    }

    @Test
    void testMv037RowMovesBetweenGroupsAndOutOfTheFilter()
    {
        execute("CREATE TABLE mv037_t (id integer, g integer, f integer, v bigint)");
        execute("INSERT INTO mv037_t VALUES (1, 1, 1, 1), (2, 2, 1, 2)");
        CaseView view = view("mv037", "SELECT g, count(*) c, sum(v) s FROM mv037_t WHERE f = 1 GROUP BY g").rows("(1, 1, 1), (2, 1, 2)");
        execute("UPDATE mv037_t SET g = 2, f = 2, v = 10 WHERE id = 1");
        view.refresh("AGGREGATE_MERGE").rows("(2, 1, 2)");
        execute("UPDATE mv037_t SET f = 1 WHERE id = 1");
        view.refresh("AGGREGATE_MERGE").rows("(2, 2, 12)");
    }

    @Test
    void testSameFileAppendedTwice()
    {
        execute("CREATE TABLE twice_t (v bigint)");
        execute("CREATE TABLE twice_file (v bigint)");
        execute("INSERT INTO twice_file VALUES 7");
        CaseView view = view("twice", "SELECT v, count(*) c FROM twice_t GROUP BY v").noRows();
        BaseTable table = sources().load("twice_t");
        DataFile file = sources().onlyFile("twice_file", table);
        table.newFastAppend().appendFile(file).commit();
        view.refresh("AGGREGATE_MERGE").rows("(7, 1)");
        table.newFastAppend().appendFile(file).commit();
        assertRows("SELECT * FROM twice_t", "VALUES 7, 7");
        view.refresh("AGGREGATE_MERGE").rows("(7, 2)");
        table.newDelete().deleteFile(file).commit();
        view.refresh("AGGREGATE_MERGE");
    }
}
