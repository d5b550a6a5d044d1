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
package io.freshet.tpch;

import com.google.common.collect.ImmutableMap;
import io.freshet.FreshetQueryRunner;
import io.freshet.tpch.ViewRun.Outcome;
import io.trino.testing.DistributedQueryRunner;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Measures how the queries of TPC-H are refreshed as views, and writes the table for the documentation.
 * <pre>
 * TpchTable --scale tiny --rounds 3 --output table.md
 * </pre>
 * After each change every view is refreshed incrementally, if it can be, and compared with a recompute; its twin is refreshed in full.
 */
public final class TpchTable
{
    private final DistributedQueryRunner queryRunner;
    private final TpchDatabase database;
    private final ViewRun run;
    private final int rounds;
    private final Map<String, Map<String, Cell>> cells = new LinkedHashMap<>();

    private TpchTable(DistributedQueryRunner queryRunner, String scale, int rounds)
    {
        this.queryRunner = queryRunner;
        this.database = new TpchDatabase(queryRunner, scale, Long.MAX_VALUE);
        this.run = new ViewRun(queryRunner, "s", TpchQueries.QUERIES);
        this.rounds = rounds;
    }

    /** The times of one view after one kind of change. */
    private static final class Cell
    {
        private final List<Long> times = new ArrayList<>();
        private final List<Long> fullTimes = new ArrayList<>();
        private final TreeSet<String> strategies = new TreeSet<>();

        private String toRow()
        {
            long time = median(times);
            long full = median(fullTimes);
            return "%s | %s | %s | %.2f".formatted(String.join(", ", strategies), time, full, (double) time / full);
        }

        private static long median(List<Long> times)
        {
            return times.stream().sorted().skip(times.size() / 2).findFirst().orElseThrow();
        }
    }

    public static void main(String[] args)
            throws Exception
    {
        Map<String, String> options = new LinkedHashMap<>(ImmutableMap.of("scale", "tiny", "rounds", "3"));
        for (int i = 0; i + 1 < args.length; i += 2) {
            options.put(args[i].substring(2), args[i + 1]);
        }
        try (DistributedQueryRunner queryRunner = FreshetQueryRunner.builder().setWorkerCount(0).build()) {
            String table = new TpchTable(queryRunner, options.get("scale"), Integer.parseInt(options.get("rounds"))).measure();
            System.out.println(table);
            if (options.containsKey("output")) {
                write(Path.of(options.get("output")), table);
            }
        }
        System.exit(0);
    }

    private static void write(Path path, String table)
            throws IOException
    {
        Files.writeString(path, table);
    }

    private String measure()
    {
        database.create();
        run.create();
        TpchQueries.QUERIES.forEach((name, query) -> queryRunner.execute("CREATE MATERIALIZED VIEW %s WITH (refresh_mode = 'FULL') AS %s".formatted(twin(name), query)));
        // the first round warms up
        for (int round = 0; round <= rounds; round++) {
            database.insertOrders(round);
            refresh("new orders", round);
            database.deleteOrders(round);
            refresh("orders gone", round);
            database.updateDimensions(round);
            refresh("dimensions changed", round);
        }
        StringBuilder table = new StringBuilder();
        cells.forEach((change, views) -> {
            table.append("### After %s%n%n".formatted(change));
            table.append("| Query | Strategy | ms | full, ms | ratio |%n| --- | --- | --- | --- | --- |%n".formatted());
            views.forEach((view, cell) -> table.append("| %s | %s |%n".formatted(view.toUpperCase(java.util.Locale.ENGLISH), cell.toRow())));
            table.append("%n".formatted());
        });
        return table.toString();
    }

    private void refresh(String change, int round)
    {
        for (String view : TpchQueries.QUERIES.keySet()) {
            Outcome outcome = run.refresh(view);
            long fullMillis = run.refreshInFull(twin(view));
            run.assertExact(view);
            if (round > 0) {
                Cell cell = cells.computeIfAbsent(change, _ -> new LinkedHashMap<>()).computeIfAbsent(view, _ -> new Cell());
                cell.times.add(outcome.millis());
                cell.fullTimes.add(fullMillis);
                cell.strategies.add(outcome.strategy());
            }
        }
    }

    private static String twin(String view)
    {
        return view + "_full";
    }
}
