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
import io.trino.testing.DistributedQueryRunner;

import java.util.List;

/**
 * The tables of TPC-H, or a part of them, and the streams that change them. Numbers are decimals, so that results can be
 * compared to the last digit.
 */
final class TpchDatabase
{
    private static final List<String> DIMENSIONS = List.of("customer", "part", "partsupp", "supplier", "nation", "region");

    private final DistributedQueryRunner queryRunner;
    private final String generator;
    private final long largestOrderKey;

    /**
     * @param scale schema of the generator, such as {@code tiny} for 0.01 and {@code sf1}
     * @param largestOrderKey orders above it are left out; at scale 0.01 there are 60,000 keys, of which a quarter is in use
     */
    TpchDatabase(DistributedQueryRunner queryRunner, String scale, long largestOrderKey)
    {
        this.queryRunner = queryRunner;
        this.generator = "tpch_standard." + scale;
        this.largestOrderKey = largestOrderKey;
    }

    void create()
    {
        queryRunner.createCatalog("tpch_standard", "tpch", ImmutableMap.of("tpch.column-naming", "STANDARD", "tpch.double-type-mapping", "DECIMAL"));
        for (String table : DIMENSIONS) {
            execute("CREATE TABLE %s AS SELECT * FROM %s.%s".formatted(table, generator, table));
        }
        // the rest is what the first stream inserts
        execute("CREATE TABLE orders AS SELECT * FROM %s.orders WHERE o_orderkey <= %s AND o_orderkey %% 32 <> 1".formatted(generator, largestOrderKey));
        execute("CREATE TABLE lineitem AS SELECT * FROM %s.lineitem WHERE l_orderkey <= %s AND l_orderkey %% 32 <> 1".formatted(generator, largestOrderKey));
    }

    /** RF1: new orders with their lines. */
    void insertOrders(int round)
    {
        execute("INSERT INTO orders SELECT * FROM %s.orders WHERE o_orderkey <= %s AND o_orderkey %% 32 = 1 AND o_orderkey / 32 %% 10 = %s".formatted(generator, largestOrderKey, round));
        execute("INSERT INTO lineitem SELECT * FROM %s.lineitem WHERE l_orderkey <= %s AND l_orderkey %% 32 = 1 AND l_orderkey / 32 %% 10 = %s".formatted(generator, largestOrderKey, round));
    }

    /** RF2: old orders go, with their lines. */
    void deleteOrders(int round)
    {
        execute("DELETE FROM lineitem WHERE l_orderkey %% 32 = 2 AND l_orderkey / 32 %% 10 = %s".formatted(round));
        execute("DELETE FROM orders WHERE o_orderkey %% 32 = 2 AND o_orderkey / 32 %% 10 = %s".formatted(round));
    }

    /** Rows of every dimension change. */
    void updateDimensions(int round)
    {
        execute("UPDATE customer SET c_mktsegment = 'BUILDING', c_acctbal = c_acctbal + 100 WHERE c_custkey %% 50 = %s".formatted(round));
        execute("UPDATE part SET p_type = 'PROMO POLISHED BRASS', p_size = 14, p_name = 'forest green' WHERE p_partkey %% 100 = %s".formatted(round));
        execute("UPDATE partsupp SET ps_supplycost = ps_supplycost / 2, ps_availqty = ps_availqty + 1 WHERE ps_partkey %% 70 = %s".formatted(round));
        execute("UPDATE supplier SET s_nationkey = (s_nationkey + 1) %% 25 WHERE s_suppkey %% 20 = %s".formatted(round));
        execute("DELETE FROM customer WHERE c_custkey %% 200 = %s".formatted(100 + round));
        execute("INSERT INTO supplier SELECT s_suppkey + %s, s_name, s_address, s_nationkey, s_phone, s_acctbal, s_comment FROM supplier WHERE s_suppkey = %s".formatted(1000 * (round + 1), round + 1));
    }

    /** A small table that others hang on. */
    void updateNations()
    {
        execute("UPDATE nation SET n_regionkey = 2 WHERE n_name = 'FRANCE'");
    }

    private void execute(String sql)
    {
        queryRunner.execute(sql);
    }
}
