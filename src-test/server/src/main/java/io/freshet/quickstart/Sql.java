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

import io.trino.jdbc.QueryStats;
import io.trino.jdbc.TrinoStatement;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.Consumer;

import static com.google.common.base.Preconditions.checkState;
import static java.util.Objects.requireNonNull;

/**
 * Runs statements on one connection.
 */
record Sql(Connection connection)
{
    interface RowMapper<T>
    {
        T map(ResultSet row)
                throws SQLException;
    }

    Sql
    {
        requireNonNull(connection, "connection is null");
    }

    void execute(String statement)
            throws SQLException
    {
        execute(statement, _ -> {});
    }

    /**
     * Returns the number of rows that the statement wrote, 0 if it writes none.
     */
    long execute(String statement, Consumer<QueryStats> progress)
            throws SQLException
    {
        try (Statement jdbcStatement = connection.createStatement()) {
            jdbcStatement.unwrap(TrinoStatement.class).setProgressMonitor(progress);
            jdbcStatement.execute(statement);
            return Math.max(0, jdbcStatement.getLargeUpdateCount());
        }
    }

    /**
     * The only row of the result.
     */
    <T> T queryOne(String query, RowMapper<T> mapper)
            throws SQLException
    {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            checkState(rows.next(), "No row from: %s", query);
            T result = mapper.map(rows);
            checkState(!rows.next(), "More than one row from: %s", query);
            return result;
        }
    }

    long queryLong(String query)
            throws SQLException
    {
        return queryOne(query, row -> row.getLong(1));
    }

    /**
     * The plan as text.
     */
    String explain(String query)
            throws SQLException
    {
        return queryOne("EXPLAIN " + query, row -> row.getString(1));
    }
}
