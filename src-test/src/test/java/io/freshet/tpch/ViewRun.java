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

import io.freshet.ViewOracle;
import io.freshet.spi.refresh.RefreshRecord;
import io.trino.Session;
import io.trino.spi.connector.SchemaTableName;
import io.trino.testing.DistributedQueryRunner;

import java.util.LinkedHashMap;
import java.util.Map;

import static io.freshet.FreshetQueryRunner.CATALOG;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Views over one database, refreshed together after each change, incrementally where that is possible.
 */
final class ViewRun
{
    private static final String NOT_INCREMENTAL = "cannot be refreshed incrementally";

    private final DistributedQueryRunner queryRunner;
    private final ViewOracle oracle;
    private final String schema;
    private final Map<String, String> queries;

    ViewRun(DistributedQueryRunner queryRunner, String schema, Map<String, String> queries)
    {
        this.schema = schema;
        this.queryRunner = queryRunner;
        this.oracle = new ViewOracle(queryRunner);
        this.queries = queries;
    }

    /** @param millis time of the statement, as its client sees it */
    record Outcome(String strategy, long millis)
    {
        @Override
        public String toString()
        {
            return strategy;
        }
    }

    void create()
    {
        queries.forEach((name, query) -> {
            queryRunner.execute(session("AUTO"), "CREATE MATERIALIZED VIEW %s AS %s".formatted(name, query));
            // a view of no rows proves little
            assertThat((long) queryRunner.execute(session("AUTO"), "SELECT count(*) FROM " + name).getOnlyValue()).describedAs("rows of " + name).isPositive();
        });
    }

    /** Refreshes all views, and compares each with a recompute. */
    Map<String, Outcome> refresh()
    {
        Map<String, Outcome> outcomes = new LinkedHashMap<>();
        for (String view : queries.keySet()) {
            outcomes.put(view, refresh(view));
            assertExact(view);
        }
        return outcomes;
    }

    Outcome refresh(String view)
    {
        long start = System.nanoTime();
        try {
            refresh(view, "INCREMENTAL");
        }
        catch (RuntimeException e) {
            if (e.getMessage() == null || !e.getMessage().contains(NOT_INCREMENTAL)) {
                throw e;
            }
            start = System.nanoTime();
            refresh(view, "AUTO");
        }
        long millis = (System.nanoTime() - start) / 1_000_000;
        RefreshRecord last = oracle.lastRefresh(new SchemaTableName(schema, view));
        String strategy = last.strategy().orElseThrow();
        String reason = strategy.equals("FULL_REFRESH") ? " " + last.reason().orElseThrow() : "";
        return new Outcome(strategy + reason, millis);
    }

    void assertExact(String view)
    {
        oracle.assertExact(new SchemaTableName(schema, view));
    }

    long refreshInFull(String view)
    {
        long start = System.nanoTime();
        refresh(view, "FULL");
        return (System.nanoTime() - start) / 1_000_000;
    }

    private void refresh(String view, String mode)
    {
        queryRunner.execute(session(mode), "REFRESH MATERIALIZED VIEW " + view);
    }

    private Session session(String mode)
    {
        return Session.builder(queryRunner.getDefaultSession())
                .setSchema(schema)
                .setCatalogSessionProperty(CATALOG, "refresh_mode", mode)
                .build();
    }
}
