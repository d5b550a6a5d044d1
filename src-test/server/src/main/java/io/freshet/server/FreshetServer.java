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

import io.trino.server.Server;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.sql.SQLException;

import static com.google.common.base.Preconditions.checkArgument;
import static com.google.common.base.Preconditions.checkState;

/**
 * A Trino server on an embedded catalog. Configuration comes from the file and the system properties that Trino
 * reads; the script {@code bin/server} sets them.
 */
public final class FreshetServer
        extends Server
{
    private static final String TRINO_VERSION = "483";

    private FreshetServer() {}

    /**
     * @param args the catalog's SQLite file, the script with its tables, and the address to announce
     */
    public static void main(String[] args)
            throws IOException, SQLException
    {
        checkArgument(args.length == 3, "Three arguments expected: database file, script, address");
        checkState(System.getProperty("config") != null, "The system property config must name the configuration file");

        new CatalogDatabase(Path.of(args[0])).create(Path.of(args[1]));

        // the server sends standard output to its log from here on
        PrintStream out = System.out;
        new FreshetServer().start(TRINO_VERSION);
        out.printf("SERVER STARTED %s%n", args[2]);
        out.flush();
    }
}
