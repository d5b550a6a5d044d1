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

import io.freshet.FreshetQueryRunner;
import io.freshet.RowBags;
import io.freshet.ViewOracle;
import io.trino.Session;
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.QueryRunner;
import org.intellij.lang.annotations.Language;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;

import static io.freshet.FreshetQueryRunner.CATALOG;
import static io.freshet.FreshetQueryRunner.SCHEMA;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.TestInstance.Lifecycle.PER_CLASS;
import static org.junit.jupiter.api.parallel.ExecutionMode.SAME_THREAD;

/**
 * Faults of materialized views that were reported in public for this or another system. A test bears the name of its case, and so do
 * its tables and views; tests of one class share a server.
 */
@TestInstance(PER_CLASS)
@Execution(SAME_THREAD)
abstract class AbstractCases
        extends AbstractTestQueryFramework
{
    private ViewOracle oracle;
    private SourceTables sources;

    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return builder().build();
    }

    static FreshetQueryRunner.Builder builder()
    {
        return FreshetQueryRunner.builder()
                .setWorkerCount(0)
                // a file that is taken away is to be missed, also if it was read before
                .addCatalogProperty("iceberg.metadata-cache.enabled", "false")
                // expiry of snapshots at once
                .addCatalogProperty("iceberg.expire-snapshots.min-retention", "0s")
                .addCatalogProperty("iceberg.remove-orphan-files.min-retention", "0s");
    }

    @BeforeAll
    final void createTools()
    {
        oracle = new ViewOracle(getQueryRunner());
        sources = new SourceTables(getDistributedQueryRunner());
    }

    final ViewOracle oracle()
    {
        return oracle;
    }

    final SourceTables sources()
    {
        return sources;
    }

    /** A new view over the given query, filled by its creation, and its twin. */
    final CaseView view(String name, @Language("SQL") String query)
    {
        return view(name, "", query);
    }

    /**
     * @param clauses what stands between the name and AS
     */
    final CaseView view(String name, String clauses, @Language("SQL") String query)
    {
        CaseView view = new CaseView(getDistributedQueryRunner(), oracle, name);
        view.create(clauses, query);
        return view;
    }

    final void execute(@Language("SQL") String sql)
    {
        getQueryRunner().execute(sql);
    }

    final void executeAll(String... statements)
    {
        for (String statement : statements) {
            getQueryRunner().execute(statement);
        }
    }

    final Session withMode(String mode)
    {
        return Session.builder(getSession()).setCatalogSessionProperty(CATALOG, "refresh_mode", mode).build();
    }

    final void assertRows(@Language("SQL") String query, @Language("SQL") String expected)
    {
        RowBags.assertSameBag(query, computeActual(query), computeActual(expected));
    }

    final void assertNoRows(@Language("SQL") String query)
    {
        assertThat(computeActual(query).getMaterializedRows()).describedAs(query).isEmpty();
    }

    /** The id of the table's current snapshot. */
    final long snapshotOf(String table)
    {
        return (long) computeScalar("SELECT snapshot_id FROM \"%s$refs\" WHERE name = 'main'".formatted(table));
    }

    /** What the engine says of the view in {@code system.metadata.materialized_views}. */
    final String freshness(String view)
    {
        return freshness(getDistributedQueryRunner(), view);
    }

    static String freshness(DistributedQueryRunner queryRunner, String view)
    {
        return (String) queryRunner.execute("SELECT freshness FROM system.metadata.materialized_views WHERE catalog_name = '%s' AND schema_name = '%s' AND name = '%s'".formatted(CATALOG, SCHEMA, view)).getOnlyValue();
    }
}
