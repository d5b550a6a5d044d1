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

import com.google.common.collect.ImmutableList;
import io.trino.testing.DistributedQueryRunner;
import org.apache.iceberg.DataFile;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;

/** Commits whatever comes to mind to a table with columns {@code id}, {@code p}, {@code v} and such as come and go. */
final class RandomCommits
{
    private static final List<String> PARTITIONINGS = ImmutableList.of("", "'p'", "'bucket(id, 2)'", "'p', 'truncate(id, 10)'");

    private final DistributedQueryRunner queryRunner;
    private final ForeignDeletes foreignDeletes;
    private final DeltaOracle oracle;
    private final String table;
    private final Random random;
    private final List<String> log = new ArrayList<>();
    private final List<String> moreColumns = new ArrayList<>();
    private String valueColumn = "v";
    private boolean schemaChanged;
    private int names;

    /** @param variant what of all combinations of format version, file format and partitioning to begin with */
    RandomCommits(DistributedQueryRunner queryRunner, String table, int variant, Random random)
    {
        this.queryRunner = requireNonNull(queryRunner, "queryRunner is null");
        this.foreignDeletes = new ForeignDeletes(queryRunner);
        this.oracle = new DeltaOracle(queryRunner);
        this.table = requireNonNull(table, "table is null");
        this.random = requireNonNull(random, "random is null");
        execute("CREATE TABLE s.%s (id integer, p integer, v bigint) WITH (format_version = %s, format = '%s', partitioning = ARRAY[%s])".formatted(
                table,
                variant % 2 == 0 ? 2 : 3,
                variant / 2 % 2 == 0 ? "PARQUET" : "ORC",
                variant / 4 % 2 == 0 ? "'p'" : ""));
        execute("INSERT INTO s.%s SELECT x, x %% 3, x * 10 FROM UNNEST(sequence(1, 15)) t(x)".formatted(table));
        insert();
    }

    String table()
    {
        return table;
    }

    List<String> log()
    {
        return log;
    }

    List<String> columns()
    {
        return ImmutableList.<String>builder().add("id", "p", valueColumn).addAll(moreColumns).build();
    }

    boolean schemaChanged()
    {
        return schemaChanged;
    }

    void next()
    {
        switch (random.nextInt(18)) {
            case 0, 1, 2 -> insert();
            case 3, 4 -> execute("DELETE FROM s.%s WHERE %s".formatted(table, randomPredicate()));
            case 5, 6 -> execute("UPDATE s.%s SET %s = %s + 1 WHERE %s".formatted(table, valueColumn, valueColumn, randomPredicate()));
            case 7 -> execute("UPDATE s.%s SET p = p + 1, id = id + 1 WHERE %s".formatted(table, randomPredicate()));
            case 8 -> merge();
            case 9 -> execute("ALTER TABLE s.%s EXECUTE optimize".formatted(table));
            case 10 -> execute("ALTER TABLE s.%s EXECUTE optimize_manifests".formatted(table));
            case 11 -> rollBack();
            case 12 -> execute(random.nextInt(4) == 0 ? "TRUNCATE TABLE s." + table : "DELETE FROM s.%s WHERE p = %s".formatted(table, random.nextInt(4)));
            case 13, 14 -> equalityDelete();
            case 15 -> changeSchema();
            case 16 -> execute("ALTER TABLE s.%s SET PROPERTIES partitioning = ARRAY[%s]".formatted(table, PARTITIONINGS.get(random.nextInt(PARTITIONINGS.size()))));
            case 17 -> {
                equalityDelete();
                execute("DELETE FROM s.%s WHERE %s".formatted(table, randomPredicate()));
            }
            default -> throw new IllegalStateException();
        }
    }

    String randomPredicate()
    {
        return switch (random.nextInt(6)) {
            case 0 -> "id = " + random.nextInt(20);
            case 1 -> "id %% 4 = %s".formatted(random.nextInt(4));
            case 2 -> "p = %s AND id > %s".formatted(random.nextInt(4), random.nextInt(15));
            case 3 -> "%s < %s".formatted(valueColumn, random.nextInt(100));
            case 4 -> "%s IS NULL OR id IN (1, %s, %s)".formatted(valueColumn, random.nextInt(20), random.nextInt(20));
            case 5 -> "id BETWEEN %1$s AND %1$s + 3".formatted(random.nextInt(15));
            default -> throw new IllegalStateException();
        };
    }

    private void insert()
    {
        String rows = random.ints(1 + random.nextInt(6), 0, 20)
                .mapToObj(id -> "(%s, %s, %s)".formatted(id, id % 4, random.nextInt(5) == 0 ? "NULL" : random.nextInt(200)))
                .collect(joining(", "));
        execute("INSERT INTO s.%s (id, p, %s) VALUES %s".formatted(table, valueColumn, rows));
    }

    private void merge()
    {
        execute(
                """
                MERGE INTO s.%1$s t USING (VALUES %2$s, %3$s, 50) c(id) ON t.id = c.id
                WHEN MATCHED AND t.p = 1 THEN DELETE
                WHEN MATCHED THEN UPDATE SET %4$s = 7
                WHEN NOT MATCHED THEN INSERT (id, p, %4$s) VALUES (c.id, 2, NULL)
                """.formatted(table, random.nextInt(10), 10 + random.nextInt(10), valueColumn));
    }

    private void rollBack()
    {
        List<Long> snapshots = oracle.snapshots(table);
        execute("ALTER TABLE s.%s EXECUTE rollback_to_snapshot(%s)".formatted(table, snapshots.get(random.nextInt(snapshots.size()))));
    }

    private void equalityDelete()
    {
        List<DataFile> files = foreignDeletes.dataFiles(table);
        Optional<DataFile> partitionOf = files.isEmpty() || random.nextInt(3) == 0 ? Optional.empty() : Optional.of(files.get(random.nextInt(files.size())));
        String keys = "SELECT * FROM (VALUES (%s, 0, BIGINT '0'), (%s, 1, 0)) t(id, p, v)".formatted(random.nextInt(15), random.nextInt(15));
        List<String> columns = random.nextInt(3) == 0 ? List.of("id", "p") : List.of("id");
        log.add("equality delete by %s in %s: %s".formatted(columns, partitionOf.map(file -> file.specId() + " " + file.partition()).orElse("all"), keys));
        foreignDeletes.upsert(table, partitionOf, keys, columns, Optional.empty());
    }

    private void changeSchema()
    {
        schemaChanged = true;
        names++;
        if (random.nextInt(3) == 0 && !moreColumns.isEmpty()) {
            execute("ALTER TABLE s.%s DROP COLUMN %s".formatted(table, moreColumns.removeFirst()));
        }
        else if (random.nextBoolean()) {
            execute("ALTER TABLE s.%s RENAME COLUMN %s TO v%s".formatted(table, valueColumn, names));
            valueColumn = "v" + names;
        }
        else {
            execute("ALTER TABLE s.%s ADD COLUMN c%s integer".formatted(table, names));
            moreColumns.add("c" + names);
            execute("UPDATE s.%s SET c%s = id WHERE id %% 2 = 0".formatted(table, names));
        }
    }

    private void execute(String sql)
    {
        log.add(sql);
        queryRunner.execute(sql);
    }
}
