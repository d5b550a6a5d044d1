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

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * A refresh as the table {@code system.materialized_view_refreshes} tells it.
 */
record RefreshRecord(
        DemoView view,
        String strategy,
        Optional<String> reason,
        OptionalLong deltaRows,
        OptionalLong rowsInserted,
        OptionalLong bytesRead,
        long durationMillis)
{
    private static final Set<String> INCREMENTAL = Set.of("APPEND_ONLY", "AGGREGATE_MERGE", "GROUP_RECOMPUTE", "ROW_DELTA");

    static RefreshRecord latest(Sql sql, DemoView view)
            throws SQLException
    {
        return sql.queryOne(
                """
                SELECT strategy, reason, delta_rows, rows_inserted, bytes_read, duration_ms
                FROM lake.system.materialized_view_refreshes
                WHERE schema_name = '%s' AND view_name = '%s' AND status = 'SUCCEEDED'
                ORDER BY finished_at DESC
                LIMIT 1
                """.formatted(Demo.SCHEMA, view.name()),
                row -> new RefreshRecord(
                        view,
                        row.getString("strategy"),
                        Optional.ofNullable(row.getString("reason")),
                        optionalLong(row, "delta_rows"),
                        optionalLong(row, "rows_inserted"),
                        optionalLong(row, "bytes_read"),
                        row.getLong("duration_ms")));
    }

    boolean isIncremental()
    {
        return INCREMENTAL.contains(strategy);
    }

    boolean isFull()
    {
        return strategy.equals("FULL_REFRESH");
    }

    private static OptionalLong optionalLong(ResultSet row, String column)
            throws SQLException
    {
        long value = row.getLong(column);
        return row.wasNull() ? OptionalLong.empty() : OptionalLong.of(value);
    }
}
