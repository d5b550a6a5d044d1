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

import com.google.common.collect.ImmutableList;
import io.freshet.quickstart.TextTable.Column;

import java.io.PrintStream;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

import static io.freshet.quickstart.TextTable.Align.LEFT;
import static io.freshet.quickstart.TextTable.Align.RIGHT;
import static java.util.Objects.requireNonNull;

/**
 * Loads the data, makes the views, and compares their incremental refresh with a full one.
 */
final class Demo
{
    static final String SCHEMA = "demo";

    // The server's code is compiled while it runs for the first time: times are taken from the last round.
    private static final int ROUNDS = 2;

    // Above every order key of the generator, so that each round brings new orders.
    private static final long KEY_STEP = 10_000_000_000L;

    private final Sql sql;
    private final PrintStream out;
    private final Progress progress;
    private final List<String> failures = new ArrayList<>();

    Demo(Sql sql, PrintStream out, Progress progress)
    {
        this.sql = requireNonNull(sql, "sql is null");
        this.out = requireNonNull(out, "out is null");
        this.progress = requireNonNull(progress, "progress is null");
    }

    /**
     * Returns whether every check held.
     */
    boolean run(String source)
            throws SQLException
    {
        load(source);
        createViews();

        Map<DemoView, RefreshRecord> incremental = new LinkedHashMap<>();
        Map<DemoView, RefreshRecord> full = new LinkedHashMap<>();
        for (int round = 1; round <= ROUNDS; round++) {
            boolean last = round == ROUNDS;
            out.printf("%n%s: new orders, then an incremental refresh%n", last ? "Measured round" : "Round to warm up");
            insert(2 * round - 1);
            for (DemoView view : DemoView.ALL) {
                progress.run(sql, "refresh " + view.name(), "REFRESH MATERIALIZED VIEW " + view.name());
                incremental.put(view, RefreshRecord.latest(sql, view));
            }
            if (last) {
                check(incremental);
            }
            out.printf("%nThe same once more, refreshed in full for comparison%n");
            insert(2 * round);
            for (DemoView view : DemoView.ALL) {
                progress.run(sql, "full refresh of " + view.name(), "CALL lake.system.refresh_materialized_view('%s', '%s', 'FULL')".formatted(SCHEMA, view.name()));
                full.put(view, RefreshRecord.latest(sql, view));
            }
        }
        for (DemoView view : DemoView.ALL) {
            require(full.get(view).strategy().equals("FULL_REFRESH"), "%s: the refresh for comparison was %s", view.name(), full.get(view).strategy());
        }
        printComparison(incremental, full);
        return failures.isEmpty();
    }

    List<String> failures()
    {
        return ImmutableList.copyOf(failures);
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
     * Copies one order of a thousand, with its line items, under new keys.
     */
    private void insert(int batch)
            throws SQLException
    {
        for (String table : List.of("orders", "lineitem")) {
            progress.run(sql, "insert into " + table,
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

    private void check(Map<DemoView, RefreshRecord> refreshes)
            throws SQLException
    {
        out.printf("%nChecks%n");
        for (DemoView view : DemoView.ALL) {
            RefreshRecord refresh = refreshes.get(view);
            require(refresh.incremental(), "%s: refreshed incrementally, by %s", view.name(), refresh.strategy());

            String plan = sql.explain("SELECT * FROM " + view.name());
            require(plan.contains(view.backingTable()), "%s: a query of it reads its backing table %s", view.name(), view.backingTable());

            long rows = sql.queryLong("SELECT count(*) FROM " + view.name());
            long different = sql.queryLong(
                    """
                    SELECT count(*) FROM (
                        (SELECT * FROM %1$s EXCEPT ALL (%2$s))
                        UNION ALL
                        ((%2$s) EXCEPT ALL SELECT * FROM %1$s))
                    """.formatted(view.name(), view.query()));
            require(different == 0, "%s: %,d rows, %,d differ from the recomputed query (EXCEPT ALL, both ways)", view.name(), rows, different);
        }
    }

    private void require(boolean holds, String format, Object... arguments)
    {
        String message = format.formatted(arguments);
        out.printf("  %-6s %s%n", holds ? "ok" : "FAILED", message);
        if (!holds) {
            failures.add(message);
        }
    }

    private void printComparison(Map<DemoView, RefreshRecord> incremental, Map<DemoView, RefreshRecord> full)
    {
        TextTable table = new TextTable(ImmutableList.of(
                new Column("view", LEFT),
                new Column("refresh", LEFT),
                new Column("strategy", LEFT),
                new Column("reason", LEFT),
                new Column("delta rows", RIGHT),
                new Column("rows written", RIGHT),
                new Column("read", RIGHT),
                new Column("time", RIGHT),
                new Column("speed-up", RIGHT)));
        for (DemoView view : DemoView.ALL) {
            RefreshRecord fast = incremental.get(view);
            RefreshRecord slow = full.get(view);
            double speedUp = (double) slow.durationMillis() / Math.max(1, fast.durationMillis());
            table.add(row(view.name(), "incremental", fast, "%.1f x".formatted(speedUp)));
            table.add(row("", "full", slow, ""));
        }
        out.println();
        table.print(out);
        out.println();
    }

    private static List<String> row(String view, String kind, RefreshRecord refresh, String speedUp)
    {
        return ImmutableList.of(
                view,
                kind,
                refresh.strategy(),
                refresh.reason() == null ? "" : refresh.reason(),
                number(refresh.deltaRows()),
                number(refresh.rowsInserted()),
                refresh.bytesRead().isPresent() ? "%,.2f MB".formatted(refresh.bytesRead().getAsLong() / 1e6) : "",
                "%,d ms".formatted(refresh.durationMillis()),
                speedUp);
    }

    private static String number(OptionalLong value)
    {
        return value.isPresent() ? "%,d".formatted(value.getAsLong()) : "";
    }
}
