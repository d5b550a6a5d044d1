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
package io.freshet.quickstart;

import java.io.PrintStream;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;

/**
 * Loads the data, makes the views, and compares their incremental refresh with a full one.
 */
final class Demo
{
    static final String SCHEMA = "demo";

    // The server compiles its code while it runs: the first round does not count.
    private static final int ROUNDS = 4;

    // Above every order key of the generator, so that each insert brings new orders.
    private static final long KEY_STEP = 10_000_000_000L;

    private final Sql sql;
    private final PrintStream out;
    private final Progress progress;
    private final Checks checks;

    Demo(Sql sql, PrintStream out, Progress progress)
    {
        this.sql = requireNonNull(sql, "sql is null");
        this.out = requireNonNull(out, "out is null");
        this.progress = requireNonNull(progress, "progress is null");
        this.checks = new Checks(out);
    }

    /**
     * Returns whether every check held.
     */
    boolean run(String source)
            throws SQLException
    {
        load(source);
        createViews();
        Comparison comparison = compare();
        check(comparison);

        out.println();
        comparison.print(sql, out);
        out.println();
        return checks.summarize();
    }

    private void load(String source)
            throws SQLException
    {
        out.printf("%nLoading TPC-H tables from %s into lake.%s%n", source, SCHEMA);
        sql.execute("CREATE SCHEMA lake." + SCHEMA);
        sql.execute("USE lake." + SCHEMA);
        for (String table : List.of("orders", "lineitem")) {
            progress.run(sql, table, "CREATE TABLE %s AS SELECT * FROM %s.%s".formatted(table, source, table));
        }
    }

    private void createViews()
            throws SQLException
    {
        out.printf("%nCreating materialized views%n");
        for (DemoView view : DemoView.ALL) {
            progress.run(sql, view.name(), "CREATE MATERIALIZED VIEW %s AS %s".formatted(view.name(), view.query()));
            out.printf("    %s%n", view.about());
        }
    }

    /**
     * Every round ends with a full refresh but the last, which ends with an incremental one: its result is checked.
     */
    private Comparison compare()
            throws SQLException
    {
        out.printf("%nEach round inserts one new order for a thousand, and refreshes; first in full, then incrementally%n");
        Comparison comparison = new Comparison();
        int batch = 1;
        for (int round = 1; round <= ROUNDS; round++) {
            String title = round == 1 ? "round 1, to warm up" : "round %s of %s".formatted(round, ROUNDS);
            insert(title, batch++);
            List<RefreshRecord> full = refresh(title, view -> "CALL lake.system.refresh_materialized_view('%s', '%s', 'FULL')".formatted(SCHEMA, view.name()));
            insert(title, batch++);
            List<RefreshRecord> incremental = refresh(title, view -> "REFRESH MATERIALIZED VIEW " + view.name());

            progress.say("%-24s full %s, incremental %s".formatted(title, milliseconds(full), milliseconds(incremental)));
            if (round > 1) {
                comparison.add(full, incremental);
            }
        }
        return comparison;
    }

    /**
     * Copies one order of a thousand, with its line items, under new keys.
     */
    private void insert(String title, int batch)
            throws SQLException
    {
        for (String table : List.of("orders", "lineitem")) {
            progress.runSilently(sql, title + ": insert into " + table,
                    """
                    INSERT INTO %s
                    SELECT orderkey + %s, %s
                    FROM %s
                    WHERE orderkey %% 1000 = 7 AND orderkey < %s
                    """.formatted(table, batch * KEY_STEP, columnsAfterKey(table), table, KEY_STEP));
        }
    }

    private String columnsAfterKey(String table)
            throws SQLException
    {
        return sql.queryOne(
                """
                SELECT array_join(array_agg(column_name ORDER BY ordinal_position), ', ')
                FROM lake.information_schema.columns
                WHERE table_schema = '%s' AND table_name = '%s' AND column_name <> 'orderkey'
                """.formatted(SCHEMA, table),
                row -> row.getString(1));
    }

    private List<RefreshRecord> refresh(String title, Function<DemoView, String> statement)
            throws SQLException
    {
        List<RefreshRecord> refreshes = new ArrayList<>();
        for (DemoView view : DemoView.ALL) {
            progress.runSilently(sql, title + ": " + view.name(), statement.apply(view));
            refreshes.add(RefreshRecord.latest(sql, view));
        }
        return refreshes;
    }

    private void check(Comparison comparison)
            throws SQLException
    {
        out.printf("%nChecks%n");
        for (DemoView view : DemoView.ALL) {
            checks.require(
                    comparison.incremental(view).stream().allMatch(RefreshRecord::isIncremental),
                    "%s: refreshed incrementally, by %s",
                    view.name(),
                    comparison.incremental(view).stream().map(RefreshRecord::strategy).distinct().collect(joining(", ")));
            checks.require(
                    comparison.full(view).stream().allMatch(RefreshRecord::isFull),
                    "%s: compared with a full refresh",
                    view.name());

            String differences =
                    """
                    SELECT count(*) FROM (
                        (SELECT * FROM %1$s EXCEPT ALL (%2$s))
                        UNION ALL
                        ((%2$s) EXCEPT ALL SELECT * FROM %1$s))
                    """.formatted(view.name(), view.query());
            checks.require(
                    sql.explain(differences).contains(view.backingTable()),
                    "%s: the next check reads its backing table %s",
                    view.name(),
                    view.backingTable());

            long rows = sql.queryLong("SELECT count(*) FROM " + view.name());
            long different = sql.queryLong(differences);
            checks.require(
                    different == 0,
                    "%s: %,d rows, %,d of them differ from the recomputed query (EXCEPT ALL, both ways)",
                    view.name(),
                    rows,
                    different);
        }
    }

    private static String milliseconds(List<RefreshRecord> refreshes)
    {
        return refreshes.stream()
                .map(refresh -> "%,d".formatted(refresh.durationMillis()))
                .collect(joining(" + ", "", " ms"));
    }
}
