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

import com.google.common.collect.Multiset;
import com.google.common.collect.TreeMultiset;
import io.freshet.RowBags;
import io.freshet.ViewOracle;
import io.trino.Session;
import io.trino.testing.MaterializedResult;
import io.trino.testing.QueryRunner;
import org.intellij.lang.annotations.Language;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Pattern;

import static io.freshet.FreshetQueryRunner.CATALOG;
import static io.freshet.differential.RandomValues.pick;
import static java.util.stream.Collectors.joining;

/**
 * Runs one script on a table of its own, and notes the statements.
 */
final class ScriptRunner
{
    /** The definition does not fit its sources any more, and the refresh says so. */
    private static final Pattern SCHEMA_CHANGED = Pattern.compile("the columns of its sources have changed|cannot be resolved|cannot be coerced|is stale|invalid state", Pattern.CASE_INSENSITIVE);

    private final QueryRunner queryRunner;
    private final ViewOracle oracle;
    private final Script script;
    private final String table;
    private final Map<String, String> views = new LinkedHashMap<>();
    private final List<String> statements = new ArrayList<>();
    private final Multiset<String> outcomes = TreeMultiset.create();

    /** @param name prefix of the names of table and views, used by no other runner of the server */
    ScriptRunner(QueryRunner queryRunner, ViewOracle oracle, Script script, String name)
    {
        this.queryRunner = queryRunner;
        this.oracle = oracle;
        this.script = script;
        this.table = name + "_t";
    }

    /** What was executed, as a script for the command line. */
    List<String> statements()
    {
        return statements;
    }

    /** How often each strategy and reason came up. */
    Multiset<String> outcomes()
    {
        return outcomes;
    }

    /** The first difference, if any. */
    Optional<String> run()
    {
        try {
            execute("CREATE TABLE %s (%s) WITH (%s)".formatted(table, String.join(", ", RandomViews.COLUMNS), script.tableProperties()));
            Random first = new Random(script.seed());
            execute("INSERT INTO %s VALUES %s".formatted(table, rows(first, columns(), first.nextInt(1, 30))));
            for (int i = 0; i < script.viewSeeds().size(); i++) {
                Optional<String> failure = createView(i, script.viewSeeds().get(i));
                if (failure.isPresent()) {
                    return failure;
                }
            }
            for (Change change : script.changes()) {
                Optional<String> failure = apply(change);
                if (failure.isPresent()) {
                    return failure;
                }
            }
            return Optional.empty();
        }
        finally {
            views.keySet().forEach(view -> attempt("DROP MATERIALIZED VIEW IF EXISTS " + view));
            attempt("DROP TABLE IF EXISTS " + table);
        }
    }

    private Optional<String> createView(int index, long seed)
    {
        Random random = new Random(seed);
        String view = table.substring(0, table.length() - 2) + "_v" + index;
        String query = new RandomViews(random, table).query();
        String properties = pick(random, List.of("", "", "", "WITH (build = 'DEFERRED') ", "WITH (format_version = 2) ", "WITH (format = 'ORC') "));
        Optional<RuntimeException> failure = attempt("CREATE MATERIALIZED VIEW %s GRACE PERIOD INTERVAL '0' SECOND %sAS %s".formatted(view, properties, query));
        if (failure.isEmpty()) {
            views.put(view, query);
            return Optional.empty();
        }
        // a query that fails, or a type that Iceberg does not have
        return attempt(query).isPresent() || failure.get().getMessage().contains("Type not supported") ? Optional.empty() : Optional.of("creation of %s failed: %s".formatted(view, failure.get().getMessage()));
    }

    private Optional<String> apply(Change change)
    {
        Random random = new Random(change.seed());
        return switch (change.kind()) {
            case REFRESH -> views.keySet().stream()
                    .flatMap(view -> refresh(random, view).stream())
                    .findFirst();
            case READ -> views.isEmpty() ? Optional.empty() : read(pick(random, List.copyOf(views.keySet())));
            default -> {
                sql(change.kind(), random)
                        .flatMap(this::attempt)
                        .ifPresent(_ -> outcomes.add("failed " + change.kind()));
                yield Optional.empty();
            }
        };
    }

    private Optional<String> refresh(Random random, String view)
    {
        String mode = pick(random, List.of("AUTO", "AUTO", "AUTO", "AUTO", "AUTO", "AUTO", "INCREMENTAL", "INCREMENTAL", "INCREMENTAL", "FULL"));
        Session session = Session.builder(queryRunner.getDefaultSession()).setCatalogSessionProperty(CATALOG, "refresh_mode", mode).build();
        statements.add("SET SESSION lake.refresh_mode = '%s'".formatted(mode));
        Optional<RuntimeException> failure = attempt(session, "REFRESH MATERIALIZED VIEW " + view);
        if (failure.isPresent()) {
            String message = failure.get().getMessage();
            boolean refused = mode.equals("INCREMENTAL") && message.contains("cannot be refreshed incrementally");
            if (refused || SCHEMA_CHANGED.matcher(message).find() || attempt(views.get(view)).isPresent()) {
                outcomes.add(refused ? "refused" : "failed as its query does");
                return Optional.empty();
            }
            return Optional.of("refresh of %s failed, its query does not: %s".formatted(view, message));
        }
        String strategy = oracle.lastRefresh(view).strategy().orElse("");
        String outcome = strategy + " " + oracle.lastRefresh(view).reason().orElse("");
        outcomes.add(outcome);
        statements.add("-- " + outcome);
        try {
            oracle.assertExact(view);
        }
        catch (AssertionError e) {
            return Optional.of("after a refresh of %s by %s: %s".formatted(view, strategy, e.getMessage()));
        }
        return Optional.empty();
    }

    private Optional<String> read(String view)
    {
        MaterializedResult expected;
        try {
            expected = queryRunner.execute(views.get(view));
        }
        catch (RuntimeException e) {
            return Optional.empty();
        }
        try {
            RowBags.assertSameBag("rows of " + view, queryRunner.execute("SELECT * FROM " + view), expected);
            return Optional.empty();
        }
        catch (AssertionError e) {
            return Optional.of("a reader of %s gets other rows than its query gives now: %s".formatted(view, e.getMessage()));
        }
        catch (RuntimeException e) {
            return SCHEMA_CHANGED.matcher(e.getMessage()).find() ? Optional.empty() : Optional.of("a reader of %s gets an error, its query gives none: %s".formatted(view, e.getMessage()));
        }
    }

    /** Name and type of each column that the table has now. */
    private Map<String, String> columns()
    {
        Map<String, String> columns = new LinkedHashMap<>();
        queryRunner.execute("SHOW COLUMNS FROM " + table).getMaterializedRows().forEach(row -> columns.put((String) row.getField(0), (String) row.getField(1)));
        return columns;
    }

    private Optional<String> sql(Change.Kind kind, Random random)
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
        MaterializedResult snapshots = queryRunner.execute("SELECT snapshot_id FROM \"%s$snapshots\" ORDER BY committed_at".formatted(table));
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

    private Optional<RuntimeException> attempt(@Language("SQL") String sql)
    {
        return attempt(queryRunner.getDefaultSession(), sql);
    }

    private Optional<RuntimeException> attempt(Session session, @Language("SQL") String sql)
    {
        statements.add(sql);
        try {
            queryRunner.execute(session, sql);
            return Optional.empty();
        }
        catch (RuntimeException e) {
            statements.add("-- failed: " + String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
            return Optional.of(e);
        }
    }

    private void execute(@Language("SQL") String sql)
    {
        statements.add(sql);
        queryRunner.execute(sql);
    }
}
