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

import io.trino.Session;
import io.trino.testing.QueryRunner;

/**
 * Store sales and returns with their dimensions, in the manner of TPC-DS, of a few thousand rows. Some foreign keys are NULL.
 */
final class StarDatabase
{
    private static final int SALES = 3_000;

    private final QueryRunner queryRunner;
    private final Session session;

    StarDatabase(QueryRunner queryRunner, String schema)
    {
        this.queryRunner = queryRunner;
        this.session = Session.builder(queryRunner.getDefaultSession()).setSchema(schema).build();
    }

    void create()
    {
        execute("""
                CREATE TABLE date_dim AS SELECT n AS d_date_sk, date_add('day', n, DATE '2000-01-01') AS d_date, year(date_add('day', n, DATE '2000-01-01')) AS d_year,
                    month(date_add('day', n, DATE '2000-01-01')) AS d_moy, quarter(date_add('day', n, DATE '2000-01-01')) AS d_qoy,
                    day_of_week(date_add('day', n, DATE '2000-01-01')) AS d_dow
                FROM UNNEST(sequence(1, 730)) AS t (n)
                """);
        execute("CREATE TABLE time_dim AS SELECT n AS t_time_sk, n / 4 AS t_hour, n % 4 * 15 AS t_minute FROM UNNEST(sequence(0, 95)) AS t (n)");
        execute("""
                CREATE TABLE item AS SELECT n AS i_item_sk, 'item' || CAST(n AS varchar) AS i_item_id, n % 7 AS i_brand_id, 'brand' || CAST(n % 7 AS varchar) AS i_brand,
                    'class' || CAST(n % 5 AS varchar) AS i_class, element_at(ARRAY['Books', 'Music', 'Sports', 'Shoes'], CAST(n % 4 AS integer) + 1) AS i_category,
                    n % 9 AS i_manufact_id, n % 6 AS i_manager_id, CAST(n AS decimal(7, 2)) / 4 AS i_current_price
                FROM UNNEST(sequence(1, 60)) AS t (n)
                """);
        execute("CREATE TABLE store AS SELECT n AS s_store_sk, 'store' || CAST(n AS varchar) AS s_store_name, element_at(ARRAY['TN', 'CA', 'TX'], CAST(n % 3 AS integer) + 1) AS s_state, "
                + "'city' || CAST(n % 4 AS varchar) AS s_city, 200 + n AS s_number_employees FROM UNNEST(sequence(1, 10)) AS t (n)");
        execute("CREATE TABLE customer AS SELECT n AS c_customer_sk, 'first' || CAST(n % 20 AS varchar) AS c_first_name, 'last' || CAST(n % 30 AS varchar) AS c_last_name, "
                + "nullif(n % 80, 0) AS c_current_addr_sk, n % 12 + 1 AS c_birth_month FROM UNNEST(sequence(1, 150)) AS t (n)");
        execute("CREATE TABLE customer_address AS SELECT n AS ca_address_sk, element_at(ARRAY['TN', 'CA', 'TX', 'GA'], CAST(n % 4 AS integer) + 1) AS ca_state, "
                + "'city' || CAST(n % 9 AS varchar) AS ca_city FROM UNNEST(sequence(1, 80)) AS t (n)");
        execute("CREATE TABLE customer_demographics AS SELECT n AS cd_demo_sk, if(n % 2 = 0, 'M', 'F') AS cd_gender, element_at(ARRAY['S', 'M', 'D'], CAST(n % 3 AS integer) + 1) AS cd_marital_status, "
                + "if(n % 4 < 2, 'College', 'Primary') AS cd_education_status FROM UNNEST(sequence(1, 24)) AS t (n)");
        execute("CREATE TABLE household_demographics AS SELECT n AS hd_demo_sk, n % 6 AS hd_dep_count, n % 4 AS hd_vehicle_count, if(n % 3 = 0, '>10000', 'unknown') AS hd_buy_potential "
                + "FROM UNNEST(sequence(1, 18)) AS t (n)");
        execute("CREATE TABLE promotion AS SELECT n AS p_promo_sk, if(n % 2 = 0, 'N', 'Y') AS p_channel_email, if(n % 3 = 0, 'N', 'Y') AS p_channel_event FROM UNNEST(sequence(1, 6)) AS t (n)");
        execute("CREATE TABLE store_sales AS " + sales(1, SALES));
        execute("CREATE TABLE store_returns AS " + returns(1, SALES));
    }

    private static String sales(int first, int last)
    {
        return """
                SELECT nullif(n * 7919 %% 731, 0) AS ss_sold_date_sk, n * 31 %% 96 AS ss_sold_time_sk, n * 17 %% 60 + 1 AS ss_item_sk, nullif(n * 13 %% 151, 0) AS ss_customer_sk,
                    n * 7 %% 24 + 1 AS ss_cdemo_sk, n * 5 %% 18 + 1 AS ss_hdemo_sk, nullif(n * 11 %% 81, 0) AS ss_addr_sk, nullif(n * 3 %% 11, 0) AS ss_store_sk, nullif(n %% 7, 0) AS ss_promo_sk,
                    n / 3 AS ss_ticket_number, n %% 10 + 1 AS ss_quantity, CAST(n %% 97 AS decimal(7, 2)) / 2 AS ss_sales_price, CAST(n %% 89 AS decimal(7, 2)) AS ss_ext_sales_price,
                    CAST(n %% 41 - 20 AS decimal(7, 2)) AS ss_net_profit, CAST(n %% 5 AS decimal(7, 2)) AS ss_coupon_amt, CAST(n %% 100 AS decimal(7, 2)) AS ss_list_price
                FROM UNNEST(sequence(%s, %s)) AS t (n)
                """.formatted(first, last);
    }

    private static String returns(int first, int last)
    {
        return """
                SELECT nullif(n * 7919 %% 731 + 5, 6) AS sr_returned_date_sk, n * 17 %% 60 + 1 AS sr_item_sk, nullif(n * 13 %% 151, 0) AS sr_customer_sk, nullif(n * 3 %% 11, 0) AS sr_store_sk,
                    n / 3 AS sr_ticket_number, n %% 3 + 1 AS sr_return_quantity, CAST(n %% 50 AS decimal(7, 2)) AS sr_return_amt
                FROM UNNEST(sequence(%s, %s)) AS t (n)
                WHERE n %% 9 = 0
                """.formatted(first, last);
    }

    void insertSales(int round)
    {
        execute("INSERT INTO store_sales " + sales(SALES + round * 100, SALES + round * 100 + 60));
        execute("INSERT INTO store_returns " + returns(SALES + round * 100, SALES + round * 100 + 60));
    }

    void deleteSales(int round)
    {
        execute("DELETE FROM store_returns WHERE sr_ticket_number % 40 = " + round);
        execute("DELETE FROM store_sales WHERE ss_ticket_number % 40 = " + round);
    }

    void updateDimensions(int round)
    {
        execute("UPDATE item SET i_category = 'Books', i_brand_id = 3, i_brand = 'brand3' WHERE i_item_sk %% 20 = %s".formatted(round));
        execute("UPDATE store SET s_state = 'TN', s_city = 'city1' WHERE s_store_sk = " + round);
        execute("UPDATE customer_address SET ca_state = 'GA', ca_city = 'city2' WHERE ca_address_sk %% 30 = %s".formatted(round));
        execute("UPDATE customer SET c_current_addr_sk = %1$s WHERE c_customer_sk %% 50 = %1$s".formatted(round));
        execute("DELETE FROM promotion WHERE p_promo_sk = " + round);
        execute("INSERT INTO customer_demographics SELECT cd_demo_sk, cd_gender, 'W', cd_education_status FROM customer_demographics WHERE cd_demo_sk = " + round);
    }

    private void execute(String sql)
    {
        queryRunner.execute(session, sql);
    }
}
