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
package io.freshet.bench;

import com.google.common.collect.ImmutableMap;
import io.freshet.plugin.FreshetPlugin;
import io.trino.Session;
import io.trino.plugin.iceberg.IcebergPlugin;
import io.trino.plugin.tpch.TpchPlugin;
import io.trino.testing.DistributedQueryRunner;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import static io.airlift.json.JsonCodec.jsonCodec;
import static io.trino.testing.TestingSession.testSessionBuilder;
import static java.lang.Math.max;
import static java.util.Locale.ENGLISH;

/**
 * Measures refreshes against stock Trino and against the floor, interleaved in one process, and prints the medians of the
 * ratios of each round as JSON. Nothing is measured that was not proved right: a point whose view differs from its query fails.
 * <p>
 * In each round rows are added to the source, then each contender takes them in:
 * <ul>
 * <li>ours: REFRESH, strategy as chosen
 * <li>full: REFRESH of the same view with refresh_mode FULL
 * <li>stock: REFRESH of a stock materialized view over the same table
 * <li>floor: INSERT of the view's query over a table that holds only the added rows; no refresh through SQL can be faster
 * </ul>
 * Options: {@code --commits 1,10} (in how many commits the rows are changed), {@code --upkeep N} (reading V3 after N refreshes),
 * {@code --scale S} (TPC-H scale factor, 0.1), {@code --copies N} (each row so many times, 1), {@code --rounds N} (3),
 * {@code --fractions 0.001,0.01} (of the source that is added), {@code --views V1,V2,V3,V4}, {@code --output FILE}.
 */
public final class Bench
{
    private static final Map<String, String> VIEWS = ImmutableMap.of(
            "V1", "SELECT orderkey, partkey, extendedprice * (1 - discount) AS revenue FROM %s WHERE quantity > 45",
            "V2", "SELECT returnflag, linestatus, sum(quantity) AS sum_qty, sum(extendedprice) AS sum_price, avg(discount) AS avg_disc, count(*) AS n FROM %s GROUP BY returnflag, linestatus",
            "V3", "SELECT partkey, sum(quantity) AS qty, sum(extendedprice) AS price, count(*) AS n, max(shipdate) AS last FROM %s GROUP BY partkey",
            "V4", "SELECT orderkey, sum(quantity) AS qty, sum(extendedprice) AS price, count(*) AS n FROM %s GROUP BY orderkey",
            "V5", "SELECT o.orderpriority, l.linestatus, sum(l.quantity) AS qty, sum(l.extendedprice) AS price, count(*) AS n FROM %s l JOIN lake.s.orders o ON l.orderkey = o.orderkey GROUP BY o.orderpriority, l.linestatus",
            "V7", "SELECT l.orderkey, o.orderdate, sum(l.extendedprice * (1 - l.discount)) AS revenue, count(*) AS n FROM %s l JOIN lake.s.orders o ON l.orderkey = o.orderkey JOIN lake.s.customer c ON o.custkey = c.custkey WHERE c.mktsegment = 'BUILDING' GROUP BY l.orderkey, o.orderdate");

    private final DistributedQueryRunner queryRunner;
    private final Map<String, String> options;
    private final List<Map<String, Object>> points = new ArrayList<>();
    private int deltas;
    private long lastKey;

    private Bench(DistributedQueryRunner queryRunner, Map<String, String> options)
    {
        this.queryRunner = queryRunner;
        this.options = options;
    }

    public static void main(String[] args)
            throws Exception
    {
        Map<String, String> options = new LinkedHashMap<>(ImmutableMap.of("scale", "0.1", "copies", "1", "rounds", "3", "fractions", "0.0001,0.001,0.01,0.1",
                "views", "V1,V2,V3,V4", "changes", "INSERT", "commits", "1", "contenders", "ours,floor,stock,full"));
        for (int i = 0; i + 1 < args.length; i += 2) {
            options.put(args[i].substring(2), args[i + 1]);
        }
        try (DistributedQueryRunner queryRunner = start()) {
            new Bench(queryRunner, options).run();
        }
        System.exit(0);
    }

    private static DistributedQueryRunner start()
            throws Exception
    {
        DistributedQueryRunner queryRunner = DistributedQueryRunner.builder(testSessionBuilder().setCatalog("lake").setSchema("s").build())
                .setWorkerCount(0)
                .build();
        queryRunner.installPlugin(new TpchPlugin());
        queryRunner.createCatalog("tpch", "tpch", ImmutableMap.of("tpch.column-naming", "SIMPLIFIED"));
        queryRunner.installPlugin(new IcebergPlugin());
        queryRunner.installPlugin(new FreshetPlugin());
        Path files = Files.createDirectories(queryRunner.getCoordinator().getBaseDataDir().resolve("lake"));
        Map<String, String> properties = ImmutableMap.of(
                "iceberg.catalog.type", "TESTING_FILE_METASTORE",
                "hive.metastore.catalog.dir", "local:///metastore",
                "fs.native-local.enabled", "true",
                "local.location", files.toString());
        queryRunner.createCatalog("lake", "freshet", properties);
        queryRunner.createCatalog("stock", "iceberg", properties);
        queryRunner.execute("CREATE SCHEMA lake.s");
        return queryRunner;
    }

    private void run()
    {
        load();
        warmUp();
        for (String view : options.get("views").split(",")) {
            for (String change : options.get("changes").split(",")) {
                for (String fraction : options.get("fractions").split(",")) {
                    for (String commits : options.get("commits").split(",")) {
                        measure(view, Change.valueOf(change), Double.parseDouble(fraction), Integer.parseInt(commits));
                    }
                }
            }
        }
        measureNoOp();
        if (options.containsKey("upkeep")) {
            measureUpkeep("V3", Integer.parseInt(options.get("upkeep")));
        }
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("options", options);
        report.put("processors", Runtime.getRuntime().availableProcessors());
        report.put("maxMemoryBytes", Runtime.getRuntime().maxMemory());
        report.put("java", Runtime.version().toString());
        report.put("points", points);
        String json = jsonCodec(Object.class).toJson(report);
        System.out.println(json);
        if (options.containsKey("output")) {
            try {
                Files.writeString(Path.of(options.get("output")), json);
            }
            catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private void load()
    {
        progress("loading lineitem, scale %s, %s copies", options.get("scale"), options.get("copies"));
        // decimals, so that results can be compared to the last digit
        String source = ("(SELECT orderkey, partkey, CAST(quantity AS decimal(12, 2)) AS quantity, CAST(extendedprice AS decimal(12, 2)) AS extendedprice, " +
                "CAST(discount AS decimal(12, 2)) AS discount, shipdate, returnflag, linestatus FROM tpch.\"sf%s\".lineitem)").formatted(options.get("scale"));
        execute("CREATE TABLE lake.s.lineitem AS SELECT * FROM " + source);
        long keys = (long) queryRunner.execute("SELECT max(orderkey) FROM lake.s.lineitem").getOnlyValue();
        for (int copy = 1; copy < Integer.parseInt(options.get("copies")); copy++) {
            execute("INSERT INTO lake.s.lineitem SELECT orderkey + %s, partkey + %s, quantity, extendedprice, discount, shipdate, returnflag, linestatus FROM lake.s.lineitem WHERE orderkey <= %s"
                    .formatted(copy * keys, copy * max(1, keys / 30), keys));
        }
        if (options.get("views").contains("V5") || options.get("views").contains("V7")) {
            execute("CREATE TABLE lake.s.orders AS SELECT orderkey, custkey, orderdate, orderpriority FROM tpch.\"sf%s\".orders".formatted(options.get("scale")));
            execute("CREATE TABLE lake.s.customer AS SELECT custkey, mktsegment FROM tpch.\"sf%s\".customer".formatted(options.get("scale")));
        }
        lastKey = keys * Integer.parseInt(options.get("copies"));
        VIEWS.forEach((name, query) -> {
            if (!options.get("views").contains(name)) {
                return;
            }
            progress("creating views %s", name);
            execute("CREATE MATERIALIZED VIEW lake.s.%s AS %s".formatted(name, query.formatted("lake.s.lineitem")));
            if (hasContender("full")) {
                execute("CREATE MATERIALIZED VIEW lake.s.%s_full WITH (refresh_mode = 'FULL') AS %s".formatted(name, query.formatted("lake.s.lineitem")));
            }
            if (hasContender("stock")) {
                execute("CREATE MATERIALIZED VIEW stock.s.%s_stock AS %s".formatted(name, query.formatted("stock.s.lineitem")));
                execute("REFRESH MATERIALIZED VIEW stock.s.%s_stock".formatted(name));
            }
            execute("CREATE TABLE stock.s.%s_floor AS %s WITH NO DATA".formatted(name, query.formatted("stock.s.lineitem")));
        });
    }

    private void warmUp()
    {
        progress("warming up");
        for (int i = 0; i < Integer.parseInt(options.getOrDefault("warmup", "8")); i++) {
            for (String view : options.get("views").split(",")) {
                round(view, Change.INSERT, 0.0005, 1);
            }
        }
    }

    private void measure(String view, Change change, double fraction, int commits)
    {
        List<Map<String, Double>> rounds = new ArrayList<>();
        for (int round = 0; round < Integer.parseInt(options.get("rounds")); round++) {
            rounds.add(round(view, change, fraction, commits));
        }
        prove(view);
        Map<String, Object> point = new LinkedHashMap<>();
        point.put("view", view);
        point.put("change", change.name());
        point.put("fraction", fraction);
        point.put("commits", commits);
        point.put("strategy", queryRunner.execute("SELECT strategy || ' ' || reason FROM lake.system.materialized_view_refreshes WHERE schema_name = 's' AND view_name = lower('%s') ORDER BY started_at DESC LIMIT 1".formatted(view)).getOnlyValue());
        for (String contender : contenders()) {
            point.put(contender + "Millis", median(rounds.stream().map(times -> times.get(contender)).toList()));
        }
        for (String contender : contenders().subList(1, contenders().size())) {
            point.put("oursTo" + contender.substring(0, 1).toUpperCase(ENGLISH) + contender.substring(1), median(rounds.stream().map(times -> times.get("ours") / times.get(contender)).toList()));
        }
        points.add(point);
        progress("%s", point);
    }

    private void measureNoOp()
    {
        String view = options.get("views").split(",")[0];
        execute("REFRESH MATERIALIZED VIEW lake.s." + view);
        List<Double> times = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            times.add(execute("REFRESH MATERIALIZED VIEW lake.s." + view));
        }
        points.add(ImmutableMap.of("view", view, "fraction", 0.0, "oursMillis", median(times)));
    }

    /** Every contender takes in the rows that are changed now. */
    private Map<String, Double> round(String view, Change change, double fraction, int commits)
    {
        String query = VIEWS.get(view);
        Map<String, String> refreshes = ImmutableMap.of(
                "ours", "REFRESH MATERIALIZED VIEW lake.s." + view,
                "stock", "REFRESH MATERIALIZED VIEW stock.s.%s_stock".formatted(view),
                "full", "REFRESH MATERIALIZED VIEW lake.s.%s_full".formatted(view));
        // what was changed for other views is not to be measured with this one
        refreshes.forEach((contender, refresh) -> {
            if (hasContender(contender)) {
                execute(refresh);
            }
        });
        String changed = "delta_" + deltas++;
        long snapshotBefore = currentSnapshot();
        execute("CREATE TABLE stock.s.%s AS SELECT * FROM lake.s.lineitem WHERE %s".formatted(changed, touched(change, fraction)));
        for (int commit = 0; commit < commits; commit++) {
            execute(change.statement.formatted(changed, touched(change, fraction) + " AND orderkey % " + commits + " = " + commit));
        }
        String floor = change == Change.INSERT ? "stock.s." + changed : "(SELECT * FROM stock.s.lineitem FOR VERSION AS OF %s WHERE %s)".formatted(snapshotBefore, touched(change, fraction));
        // who comes first after the rows were written pays for that: each in turn
        List<String> order = new ArrayList<>(contenders());
        Collections.rotate(order, deltas);
        Map<String, Double> times = new LinkedHashMap<>();
        for (String contender : order) {
            times.put(contender, execute(contender.equals("floor") ? "INSERT INTO stock.s.%s_floor %s".formatted(view, query.formatted(floor)) : refreshes.get(contender)));
        }
        execute("DROP TABLE stock.s." + changed);
        return times;
    }

    /** What happens to the rows that are touched: the name of a table that holds them is given to the statement, and a condition. */
    private enum Change
    {
        INSERT("INSERT INTO lake.s.lineitem SELECT * FROM stock.s.%1$s WHERE %2$s"),
        DELETE("DELETE FROM lake.s.lineitem WHERE %2$s"),
        UPDATE("UPDATE lake.s.lineitem SET quantity = quantity + 1, extendedprice = extendedprice + 1 WHERE %2$s"),
        DELETE_CLUSTERED("DELETE FROM lake.s.lineitem WHERE %2$s"),
        UPDATE_CLUSTERED("UPDATE lake.s.lineitem SET quantity = quantity + 1, extendedprice = extendedprice + 1 WHERE %2$s");

        private final String statement;

        Change(String statement)
        {
            this.statement = statement;
        }

        private boolean isClustered()
        {
            return this == DELETE_CLUSTERED || this == UPDATE_CLUSTERED;
        }
    }

    private String touched(Change change, double fraction)
    {
        if (change.isClustered()) {
            long width = (long) (fraction * lastKey);
            long start = deltas * 7919L * 1000 % (lastKey - width);
            return "orderkey BETWEEN %s AND %s".formatted(start, start + width);
        }
        return "bitwise_and(from_big_endian_64(xxhash64(to_big_endian_64(orderkey + %s))), 1048575) < %s".formatted(deltas * 7919L, (long) (fraction * 1048576));
    }

    private long currentSnapshot()
    {
        return (long) queryRunner.execute("SELECT snapshot_id FROM stock.s.\"lineitem$refs\" WHERE name = 'main'").getOnlyValue();
    }

    /** How a view is to read after many refreshes, against a copy of it that is written at once. */
    private void measureUpkeep(String view, int refreshes)
    {
        progress("%s refreshes of %s", refreshes, view);
        List<Double> refreshTimes = new ArrayList<>();
        for (int i = 0; i < refreshes; i++) {
            deltas++;
            execute("UPDATE lake.s.lineitem SET quantity = quantity + 1 WHERE " + touched(Change.UPDATE_CLUSTERED, 0.0005));
            refreshTimes.add(execute("REFRESH MATERIALIZED VIEW lake.s." + view));
        }
        prove(view);
        execute("CREATE TABLE lake.s.copy AS SELECT * FROM lake.s." + view);
        List<Double> ours = new ArrayList<>();
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < 21; i++) {
            double copy = execute("SELECT sum(qty), sum(price), sum(n) FROM lake.s.copy");
            double stored = execute("SELECT sum(qty), sum(price), sum(n) FROM lake.s.%s".formatted(view));
            ours.add(stored);
            ratios.add(stored / copy);
        }
        points.add(ImmutableMap.of("view", view, "refreshes", refreshes, "refreshMillis", median(refreshTimes), "readMillis", median(ours), "readToCopy", median(ratios)));
    }

    private List<String> contenders()
    {
        return List.of(options.get("contenders").split(","));
    }

    private boolean hasContender(String contender)
    {
        return contenders().contains(contender);
    }

    private void prove(String view)
    {
        String query = VIEWS.get(view).formatted("lake.s.lineitem");
        for (String difference : List.of("SELECT * FROM lake.s.%1$s EXCEPT ALL %2$s", "%2$s EXCEPT ALL SELECT * FROM lake.s.%1$s")) {
            Session session = queryRunner.getDefaultSession();
            long rows = (long) queryRunner.execute(session, "SELECT count(*) FROM (%s)".formatted(difference.formatted(view, query))).getOnlyValue();
            if (rows != 0) {
                throw new IllegalStateException("View %s differs from its query in %s rows".formatted(view, rows));
            }
        }
    }

    private double execute(String sql)
    {
        long start = System.nanoTime();
        queryRunner.execute(sql);
        return (System.nanoTime() - start) / 1e6;
    }

    private static double median(List<Double> values)
    {
        List<Double> sorted = values.stream().sorted().toList();
        return sorted.get(sorted.size() / 2);
    }

    private static void progress(String format, Object... arguments)
    {
        System.err.println(String.format(ENGLISH, format, arguments));
    }
}
