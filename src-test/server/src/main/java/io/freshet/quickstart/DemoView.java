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

import java.util.List;

import static java.util.Objects.requireNonNull;

/**
 * A materialized view of the demonstration.
 *
 * @param about what kind of query it is, for the reader
 * @param source the table that the query reads
 * @param query the defining query, over tables of the session's schema
 */
record DemoView(String name, String about, String source, String query)
{
    static final List<DemoView> ALL = ImmutableList.of(
            new DemoView(
                    "pricing_summary",
                    "few groups over all line items, as TPC-H query 1",
                    "lineitem",
                    """
                    SELECT
                        returnflag,
                        linestatus,
                        sum(quantity) AS sum_quantity,
                        sum(extendedprice) AS sum_base_price,
                        sum(extendedprice * (1 - discount)) AS sum_discounted_price,
                        avg(quantity) AS average_quantity,
                        count(*) AS items
                    FROM lineitem
                    WHERE shipdate <= DATE '1998-09-02'
                    GROUP BY returnflag, linestatus
                    """),
            new DemoView(
                    "part_sales",
                    "a group for each part: many groups",
                    "lineitem",
                    """
                    SELECT
                        partkey,
                        sum(quantity) AS quantity,
                        sum(extendedprice) AS revenue,
                        max(shipdate) AS last_shipped,
                        count(*) AS items
                    FROM lineitem
                    GROUP BY partkey
                    """),
            new DemoView(
                    "large_orders",
                    "filter and expressions, no groups",
                    "orders",
                    """
                    SELECT
                        orderkey,
                        custkey,
                        year(orderdate) AS order_year,
                        totalprice
                    FROM orders
                    WHERE totalprice > 200000
                    """));

    DemoView
    {
        requireNonNull(name, "name is null");
        requireNonNull(about, "about is null");
        requireNonNull(source, "source is null");
        requireNonNull(query, "query is null");
    }

    String backingTable()
    {
        return "__mv_" + name;
    }
}
