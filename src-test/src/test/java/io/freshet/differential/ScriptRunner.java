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
package io.freshet.differential;

import io.freshet.ViewOracle;
import io.trino.testing.MaterializedResult;
import io.trino.testing.QueryRunner;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

import static io.freshet.differential.RandomValues.pick;
import static java.util.stream.Collectors.joining;

/**
 * A script on one table with columns of many types.
 */
final class ScriptRunner
        extends AbstractScriptRunner
{
    private final String table;

    ScriptRunner(QueryRunner queryRunner, ViewOracle oracle, Script script, String name)
    {
        super(queryRunner, oracle, script, name);
        this.table = name + "_t";
    }

    @Override
    List<String> tables()
    {
        return List.of(table);
    }

    @Override
    void createTables()
    {
        execute("CREATE TABLE %s (%s) WITH (%s)".formatted(table, String.join(", ", RandomViews.COLUMNS), script().tableProperties()));
        Random first = new Random(script().seed());
        execute("INSERT INTO %s VALUES %s".formatted(table, rows(first, columns(), first.nextInt(1, 30))));
    }

    @Override
    String query(Random random, Map<String, String> views)
    {
        return new RandomViews(random, table).query();
    }

    /** Name and type of each column that the table has now. */
    private Map<String, String> columns()
    {
        Map<String, String> columns = new LinkedHashMap<>();
        queryRunner().execute("SHOW COLUMNS FROM " + table).getMaterializedRows().forEach(row -> columns.put((String) row.getField(0), (String) row.getField(1)));
        return columns;
    }

    @Override
    Optional<String> sql(Change.Kind kind, Random random)
    {
        Map<String, String> columns = columns();
        List<String> names = List.copyOf(columns.keySet());
        String column = pick(random, names);
        return switch (kind) {
            case INSERT -> Optional.of("INSERT INTO %s VALUES %s".formatted(table, rows(random, columns, random.nextInt(1, 6))));
            case INSERT_COPIES -> Optional.of("INSERT INTO %s SELECT * FROM %s WHERE %s".formatted(table, table, isSome(random, column, columns)));
            case RESTORE -> snapshot(random).map(snapshot -> "INSERT INTO %s SELECT * FROM %s FOR VERSION AS OF %s WHERE %s".formatted(table, table, snapshot, isSome(random, column, columns)));
            case DELETE -> Optional.of("DELETE FROM %s WHERE %s".formatted(table, isSome(random, column, columns)));
            case UPDATE -> {
                String changed = pick(random, names);
                yield Optional.of("UPDATE %s SET %s = %s WHERE %s".formatted(table, changed, RandomValues.literal(random, columns.get(changed)), isSome(random, column, columns)));
            }
            case MERGE -> names.contains("i") ? Optional.of(("MERGE INTO %s t USING (VALUES %s) AS n (%s) ON t.i = n.i AND n.i > 2 " +
                    "WHEN MATCHED AND n.i = 7 THEN DELETE WHEN MATCHED THEN UPDATE SET %s = n.%s WHEN NOT MATCHED THEN INSERT VALUES (%s)").formatted(
                    table, rows(random, columns, 1), String.join(", ", names), column, column, names.stream().map(name -> "n." + name).collect(joining(", "))))
                    : Optional.empty();
            case TRUNCATE -> Optional.of("TRUNCATE TABLE " + table);
            case OPTIMIZE -> Optional.of("ALTER TABLE %s EXECUTE optimize".formatted(table));
            case OPTIMIZE_MANIFESTS -> Optional.of("ALTER TABLE %s EXECUTE optimize_manifests".formatted(table));
            case ROLLBACK -> snapshot(random).map(snapshot -> "ALTER TABLE %s EXECUTE rollback_to_snapshot(%s)".formatted(table, snapshot));
            case EXPIRE -> Optional.of("ALTER TABLE %s EXECUTE expire_snapshots(retention_threshold => '0s')".formatted(table));
            case ADD_COLUMN -> addColumn(random, names);
            case DROP_COLUMN -> Optional.of("ALTER TABLE %s DROP COLUMN %s".formatted(table, column));
            case RENAME_COLUMN -> Optional.of("ALTER TABLE %s RENAME COLUMN %s TO %s".formatted(table, column, column.endsWith("_old") ? column.replace("_old", "") : column + "_old"));
            case RETYPE_COLUMN -> retype(random);
            case REPLACE_TABLE -> Optional.of("CREATE OR REPLACE TABLE %s AS SELECT * FROM %s WHERE %s".formatted(table, table, isSome(random, column, columns)));
            case RECREATE_TABLE -> {
                attempt("DROP TABLE " + table);
                yield Optional.of("CREATE TABLE %s (%s)".formatted(table, String.join(", ", RandomViews.COLUMNS)));
            }
            case PARTITIONING -> Optional.of("ALTER TABLE %s SET PROPERTIES partitioning = %s".formatted(table, pick(random, List.of("ARRAY[]", "ARRAY['s']", "ARRAY['i']", "ARRAY['bucket(l, 2)']", "ARRAY['day(ts)', 'b']"))));
            case FORMAT_VERSION -> Optional.of("ALTER TABLE %s SET PROPERTIES format_version = 3".formatted(table));
            case REFRESH, READ -> throw new IllegalArgumentException("Does not change the table: " + kind);
        };
    }

    private static String rows(Random random, Map<String, String> columns, int count)
    {
        List<String> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            rows.add(columns.values().stream()
                    .map(type -> RandomValues.literal(random, type))
                    .collect(joining(", ", "(", ")")));
        }
        return String.join(", ", rows);
    }

    private static String isSome(Random random, String column, Map<String, String> columns)
    {
        return "%s IS NOT DISTINCT FROM %s".formatted(column, RandomValues.literal(random, columns.get(column)));
    }

    private Optional<Object> snapshot(Random random)
    {
        MaterializedResult snapshots = queryRunner().execute("SELECT snapshot_id FROM \"%s$snapshots\" ORDER BY committed_at".formatted(table));
        return snapshots.getRowCount() == 0 ? Optional.empty() : Optional.of(pick(random, snapshots.getMaterializedRows()).getField(0));
    }

    /** Rather one that views may be waiting for. */
    private Optional<String> addColumn(Random random, List<String> names)
    {
        List<String> missing = RandomViews.COLUMNS.stream()
                .filter(definition -> !names.contains(definition.substring(0, definition.indexOf(' '))))
                .toList();
        String definition = missing.isEmpty() ? "c%s integer".formatted(random.nextInt(1000)) : pick(random, missing);
        return Optional.of("ALTER TABLE %s ADD COLUMN %s".formatted(table, definition));
    }

    private Optional<String> retype(Random random)
    {
        return Optional.of("ALTER TABLE %s ALTER COLUMN %s".formatted(table, pick(random, List.of("i SET DATA TYPE bigint", "r SET DATA TYPE double", "d SET DATA TYPE decimal(20, 2)"))));
    }
}
