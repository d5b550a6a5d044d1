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
package io.freshet.server;

import com.google.common.base.Splitter;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

import static java.util.Objects.requireNonNull;

/**
 * The SQLite file of an Iceberg JDBC catalog. The connector expects the catalog's tables to be there.
 */
public record CatalogDatabase(Path file)
{
    public CatalogDatabase
    {
        requireNonNull(file, "file is null");
    }

    /**
     * Runs the statements of the script, which must leave existing tables alone.
     */
    public void create(Path script)
            throws IOException, SQLException
    {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            for (String sql : Splitter.on(';').trimResults().omitEmptyStrings().split(Files.readString(script))) {
                statement.execute(sql);
            }
        }
    }
}
