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

import java.util.Map;

/**
 * Views in the manner of TPC-DS: one fact table with many dimensions, and two of them with each other. The numbers are those of the
 * queries that they were made after.
 */
final class StarQueries
{
    static final Map<String, String> QUERIES = ImmutableMap.<String, String>builder()
            .put("s03", """
                    SELECT d_year, i_brand_id AS brand_id, i_brand AS brand, sum(ss_ext_sales_price) AS sum_agg
                    FROM date_dim, store_sales, item
                    WHERE d_date_sk = ss_sold_date_sk AND ss_item_sk = i_item_sk AND i_manufact_id = 2 AND d_moy = 11
                    GROUP BY d_year, i_brand, i_brand_id
                    """)
            .put("s07", """
                    SELECT i_item_id, avg(ss_quantity) AS agg1, avg(ss_list_price) AS agg2, avg(ss_coupon_amt) AS agg3, avg(ss_sales_price) AS agg4
                    FROM store_sales, customer_demographics, date_dim, item, promotion
                    WHERE ss_sold_date_sk = d_date_sk AND ss_item_sk = i_item_sk AND ss_cdemo_sk = cd_demo_sk AND ss_promo_sk = p_promo_sk
                        AND cd_gender = 'M' AND cd_education_status = 'College' AND (p_channel_email = 'N' OR p_channel_event = 'N') AND d_year = 2000
                    GROUP BY i_item_id
                    """)
            .put("s13", """
                    SELECT avg(ss_quantity) AS q, avg(ss_ext_sales_price) AS p, sum(ss_net_profit) AS s
                    FROM store_sales, store, customer_demographics, household_demographics, customer_address, date_dim
                    WHERE s_store_sk = ss_store_sk AND ss_sold_date_sk = d_date_sk AND d_year = 2001 AND ss_hdemo_sk = hd_demo_sk AND cd_demo_sk = ss_cdemo_sk AND ss_addr_sk = ca_address_sk
                        AND ((cd_marital_status = 'M' AND cd_education_status = 'College' AND hd_dep_count = 3) OR (cd_marital_status = 'S' AND hd_dep_count = 1))
                        AND (ca_state = 'TX' OR ss_net_profit > 0)
                    """)
            .put("s19", """
                    SELECT i_brand_id AS brand_id, i_brand AS brand, i_manufact_id, sum(ss_ext_sales_price) AS ext_price
                    FROM date_dim, store_sales, item, customer, customer_address, store
                    WHERE d_date_sk = ss_sold_date_sk AND ss_item_sk = i_item_sk AND i_manager_id = 3 AND d_moy = 11 AND ss_customer_sk = c_customer_sk
                        AND c_current_addr_sk = ca_address_sk AND ca_city <> s_city AND ss_store_sk = s_store_sk
                    GROUP BY i_brand, i_brand_id, i_manufact_id
                    """)
            .put("s25", """
                    SELECT i_item_id, s_store_name, sum(ss_net_profit) AS profit, sum(sr_return_amt) AS returned
                    FROM store_sales, store_returns, date_dim d1, date_dim d2, store, item
                    WHERE d1.d_date_sk = ss_sold_date_sk AND i_item_sk = ss_item_sk AND s_store_sk = ss_store_sk AND ss_customer_sk = sr_customer_sk AND ss_item_sk = sr_item_sk
                        AND ss_ticket_number = sr_ticket_number AND sr_returned_date_sk = d2.d_date_sk AND d1.d_year = 2000
                    GROUP BY i_item_id, s_store_name
                    """)
            .put("s27", """
                    SELECT i_item_id, s_state, avg(ss_quantity) AS agg1, avg(ss_list_price) AS agg2
                    FROM store_sales, customer_demographics, date_dim, store, item
                    WHERE ss_sold_date_sk = d_date_sk AND ss_item_sk = i_item_sk AND ss_store_sk = s_store_sk AND ss_cdemo_sk = cd_demo_sk
                        AND cd_gender = 'F' AND cd_marital_status = 'S' AND d_year = 2000 AND s_state IN ('TN', 'CA')
                    GROUP BY i_item_id, s_state
                    """)
            .put("s34", """
                    SELECT c_last_name, c_first_name, ss_ticket_number, cnt
                    FROM (
                        SELECT ss_ticket_number, ss_customer_sk, count(*) AS cnt
                        FROM store_sales, date_dim, store, household_demographics
                        WHERE ss_sold_date_sk = d_date_sk AND ss_store_sk = s_store_sk AND ss_hdemo_sk = hd_demo_sk AND hd_buy_potential = '>10000'
                            AND hd_vehicle_count > 0 AND d_year IN (2000, 2001)
                        GROUP BY ss_ticket_number, ss_customer_sk) dn, customer
                    WHERE ss_customer_sk = c_customer_sk AND cnt BETWEEN 1 AND 5
                    """)
            .put("s42", """
                    SELECT d_year, i_category, sum(ss_ext_sales_price) AS total
                    FROM date_dim, store_sales, item
                    WHERE d_date_sk = ss_sold_date_sk AND ss_item_sk = i_item_sk AND i_manager_id = 1 AND d_moy = 11 AND d_year = 2000
                    GROUP BY d_year, i_category
                    """)
            .put("s43", """
                    SELECT s_store_name, sum(CASE WHEN d_dow = 7 THEN ss_sales_price END) AS sun_sales, sum(CASE WHEN d_dow = 1 THEN ss_sales_price END) AS mon_sales
                    FROM date_dim, store_sales, store
                    WHERE d_date_sk = ss_sold_date_sk AND s_store_sk = ss_store_sk AND d_year = 2000
                    GROUP BY s_store_name
                    """)
            .put("s46", """
                    SELECT c_last_name, c_first_name, ca_city, bought_city, ss_ticket_number, amt, profit
                    FROM (
                        SELECT ss_ticket_number, ss_customer_sk, ca_city AS bought_city, sum(ss_coupon_amt) AS amt, sum(ss_net_profit) AS profit
                        FROM store_sales, date_dim, store, household_demographics, customer_address
                        WHERE ss_sold_date_sk = d_date_sk AND ss_store_sk = s_store_sk AND ss_hdemo_sk = hd_demo_sk AND ss_addr_sk = ca_address_sk
                            AND (hd_dep_count = 4 OR hd_vehicle_count = 3) AND d_dow IN (6, 7)
                        GROUP BY ss_ticket_number, ss_customer_sk, ss_addr_sk, ca_city) dn, customer, customer_address current_addr
                    WHERE ss_customer_sk = c_customer_sk AND c_current_addr_sk = current_addr.ca_address_sk AND current_addr.ca_city <> bought_city
                    """)
            .put("s48", """
                    SELECT sum(ss_quantity) AS quantity
                    FROM store_sales, store, customer_demographics, customer_address, date_dim
                    WHERE s_store_sk = ss_store_sk AND ss_sold_date_sk = d_date_sk AND d_year = 2000 AND cd_demo_sk = ss_cdemo_sk AND ss_addr_sk = ca_address_sk
                        AND (cd_marital_status = 'M' OR ss_sales_price > 20) AND (ca_state IN ('CA', 'TX') OR ss_net_profit > 10)
                    """)
            .put("s52", """
                    SELECT d_year, i_brand_id AS brand_id, i_brand AS brand, sum(ss_ext_sales_price) AS ext_price
                    FROM date_dim, store_sales, item
                    WHERE d_date_sk = ss_sold_date_sk AND ss_item_sk = i_item_sk AND i_manager_id = 1 AND d_moy = 12
                    GROUP BY d_year, i_brand, i_brand_id
                    """)
            .put("s55", """
                    SELECT i_brand_id AS brand_id, i_brand AS brand, sum(ss_ext_sales_price) AS ext_price
                    FROM date_dim JOIN store_sales ON d_date_sk = ss_sold_date_sk JOIN item ON ss_item_sk = i_item_sk
                    WHERE i_manager_id = 2 AND d_qoy = 4
                    GROUP BY i_brand, i_brand_id
                    """)
            .put("s61", """
                    SELECT promotions, total, CAST(promotions AS decimal(15, 4)) / CAST(total AS decimal(15, 4)) * 100 AS share
                    FROM (
                        SELECT sum(ss_ext_sales_price) AS promotions
                        FROM store_sales, promotion, item
                        WHERE ss_promo_sk = p_promo_sk AND ss_item_sk = i_item_sk AND i_category = 'Books' AND p_channel_email = 'Y') p,
                        (SELECT sum(ss_ext_sales_price) AS total FROM store_sales, item WHERE ss_item_sk = i_item_sk AND i_category = 'Books') a
                    """)
            .put("s65", """
                    SELECT s_store_name, i_item_id, revenue, i_current_price
                    FROM store, item,
                        (SELECT ss_store_sk AS store_sk, avg(revenue) AS ave
                            FROM (SELECT ss_store_sk, ss_item_sk, sum(ss_sales_price) AS revenue FROM store_sales GROUP BY ss_store_sk, ss_item_sk) sa
                            GROUP BY ss_store_sk) sb,
                        (SELECT ss_store_sk, ss_item_sk, sum(ss_sales_price) AS revenue FROM store_sales GROUP BY ss_store_sk, ss_item_sk) sc
                    WHERE sb.store_sk = sc.ss_store_sk AND sc.revenue <= 0.8 * sb.ave AND s_store_sk = sc.ss_store_sk AND i_item_sk = sc.ss_item_sk
                    """)
            .put("s68", """
                    SELECT c_customer_sk, count(*) AS tickets, sum(ss_ext_sales_price) AS spent, max(d_date) AS last_visit
                    FROM customer LEFT JOIN store_sales ON ss_customer_sk = c_customer_sk LEFT JOIN date_dim ON ss_sold_date_sk = d_date_sk
                    GROUP BY c_customer_sk
                    """)
            .put("s69", """
                    SELECT cd_gender, cd_marital_status, count(*) AS customers
                    FROM customer c, customer_address ca, customer_demographics
                    WHERE c_current_addr_sk = ca_address_sk AND ca_state IN ('TN', 'GA') AND cd_demo_sk = c_birth_month
                        AND EXISTS (SELECT * FROM store_sales, date_dim WHERE c.c_customer_sk = ss_customer_sk AND ss_sold_date_sk = d_date_sk AND d_year = 2000)
                        AND NOT EXISTS (SELECT * FROM store_returns WHERE c.c_customer_sk = sr_customer_sk AND sr_return_amt > 40)
                    GROUP BY cd_gender, cd_marital_status
                    """)
            .put("s78", """
                    SELECT ss_item_sk, ss_customer_sk, ss_quantity, ss_sales_price
                    FROM store_sales LEFT JOIN store_returns ON sr_ticket_number = ss_ticket_number AND ss_item_sk = sr_item_sk JOIN date_dim ON ss_sold_date_sk = d_date_sk
                    WHERE sr_ticket_number IS NULL AND d_moy < 3
                    """)
            .put("s79", """
                    SELECT c_last_name, c_first_name, s_city, profit, ss_ticket_number
                    FROM (
                        SELECT ss_ticket_number, ss_customer_sk, s_city, sum(ss_net_profit) AS profit
                        FROM store_sales, store WHERE ss_store_sk = s_store_sk AND s_number_employees BETWEEN 200 AND 205
                        GROUP BY ss_ticket_number, ss_customer_sk, s_city) ms LEFT JOIN customer ON ss_customer_sk = c_customer_sk
                    """)
            .put("s93", """
                    SELECT ss_customer_sk, sum(act_sales) AS sumsales
                    FROM (
                        SELECT ss_item_sk, ss_ticket_number, ss_customer_sk,
                            CASE WHEN sr_return_quantity IS NOT NULL THEN (ss_quantity - sr_return_quantity) * ss_sales_price ELSE ss_quantity * ss_sales_price END AS act_sales
                        FROM store_sales LEFT JOIN store_returns ON sr_item_sk = ss_item_sk AND sr_ticket_number = ss_ticket_number) t
                    GROUP BY ss_customer_sk
                    """)
            .put("s96", """
                    SELECT count(*) AS n
                    FROM store_sales, household_demographics, time_dim, store
                    WHERE ss_sold_time_sk = t_time_sk AND ss_hdemo_sk = hd_demo_sk AND ss_store_sk = s_store_sk AND t_hour = 8 AND t_minute >= 30 AND hd_dep_count < 5
                    """)
            .put("s98", """
                    SELECT i_item_id, i_class, i_category, sum(ss_ext_sales_price) AS itemrevenue,
                        sum(ss_ext_sales_price) * 100 / sum(sum(ss_ext_sales_price)) OVER (PARTITION BY i_class) AS revenueratio
                    FROM store_sales, item, date_dim
                    WHERE ss_item_sk = i_item_sk AND i_category IN ('Sports', 'Books') AND ss_sold_date_sk = d_date_sk AND d_year = 2000
                    GROUP BY i_item_id, i_class, i_category
                    """)
            .buildOrThrow();

    private StarQueries() {}
}
