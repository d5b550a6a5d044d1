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
package io.freshet;

import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.QueryRunner;
import org.junit.jupiter.api.Test;

final class TestSmoke
        extends AbstractTestQueryFramework
{
    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return FreshetQueryRunner.builder().build();
    }

    @Test
    void testAggregate()
    {
        assertUpdate("CREATE TABLE t (k varchar, v bigint)");
        assertUpdate("INSERT INTO t VALUES ('a', 1), ('b', 2), (NULL, 3)", 3);
        assertUpdate("CREATE MATERIALIZED VIEW mv AS SELECT k, sum(v) s, count(*) c, avg(v) a, min(v) mn FROM t GROUP BY k");
        assertQuery("SELECT * FROM mv", "VALUES ('a', 1, 1, 1.0, 1), ('b', 2, 1, 2.0, 2), (NULL, 3, 1, 3.0, 3)");
        assertUpdate("INSERT INTO t VALUES ('a', 10), ('c', 20), (NULL, 30)", 3);
        System.out.println(computeActual("EXPLAIN SELECT * FROM mv").getOnlyValue());
        assertUpdate("REFRESH MATERIALIZED VIEW mv");
        assertQuery("SELECT * FROM mv", "VALUES ('a', 11, 2, 5.5, 1), ('b', 2, 1, 2.0, 2), ('c', 20, 1, 20.0, 20), (NULL, 33, 2, 16.5, 3)");
        System.out.println(computeActual("SHOW CREATE MATERIALIZED VIEW mv").getOnlyValue());
        assertUpdate("REFRESH MATERIALIZED VIEW mv");
        System.out.println(computeActual("SHOW TABLES").getMaterializedRows());
        System.out.println(computeActual("SELECT snapshot_id, operation, summary FROM \"mv$snapshots\"").getMaterializedRows());
        assertQueryFails("SELECT * FROM \"__mv_mv\"", ".*belongs to materialized view.*");
        assertUpdate("DROP MATERIALIZED VIEW mv");
        System.out.println(computeActual("SHOW TABLES").getMaterializedRows());
    }
}
