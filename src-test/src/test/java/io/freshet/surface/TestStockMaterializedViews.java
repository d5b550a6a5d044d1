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
package io.freshet.surface;

import com.google.common.collect.ImmutableMap;
import io.freshet.FreshetQueryRunner;
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.QueryRunner;
import org.junit.jupiter.api.Test;

/** Materialized views of the Iceberg connector are not Freshet's, and the surface says so. */
final class TestStockMaterializedViews
        extends AbstractTestQueryFramework
{
    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        DistributedQueryRunner queryRunner = FreshetQueryRunner.builder().withFileMetastore().build();
        queryRunner.createCatalog("raw", "iceberg", ImmutableMap.of(
                "fs.native-local.enabled", "true",
                "local.location", queryRunner.getCoordinator().getBaseDataDir().resolve("lake").resolve("files").toString(),
                "iceberg.catalog.type", "TESTING_FILE_METASTORE",
                "hive.metastore.catalog.dir", "local:///metastore"));
        return queryRunner;
    }

    @Test
    void testStockView()
    {
        assertUpdate("CREATE TABLE t (v bigint)");
        assertUpdate("CREATE MATERIALIZED VIEW raw.s.stock AS SELECT v FROM t");
        assertUpdate("CREATE MATERIALIZED VIEW ours AS SELECT v FROM t");
        assertQuery("SELECT view_name, state FROM system.materialized_views", "VALUES ('ours', 'NORMAL')");
        assertQueryFails("CALL system.refresh_materialized_view('s', 'stock')", "'lake.s.stock' is a materialized view of the Iceberg connector. .*");
        assertQueryFails("SELECT * FROM TABLE(system.explain_refresh('s', 'stock'))", "'lake.s.stock' is a materialized view of the Iceberg connector. .*");
        assertUpdate("DROP MATERIALIZED VIEW ours");
        assertUpdate("DROP MATERIALIZED VIEW raw.s.stock");
    }
}
