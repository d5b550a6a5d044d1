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

import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;

import static java.util.Arrays.stream;
import static java.util.Objects.requireNonNull;

/**
 * What the user asked for on the command line.
 *
 * @param home the folder with {@code bin/server}
 * @param scale TPC-H scale factor; 1 means 1.5 million orders
 * @param exit end after the demonstration instead of keeping the server up
 */
record QuickstartOptions(Path home, BigDecimal scale, int port, Path dataDirectory, boolean exit)
{
    static final String USAGE =
            """
            Usage: bin/quickstart [OPTION...]

            Starts a Trino server with Freshet, loads TPC-H data, and shows materialized views that are refreshed
            incrementally. Keeps the server up until Ctrl-C.

              --scale S        TPC-H scale factor, default 1: 1.5 million orders, 6 million line items
              --port N         port of the server, default 8080
              --data-dir DIR   where the data is kept, default var/quickstart; emptied first
              --exit           end after the demonstration: exit status 0 if every check held, 1 if not
            """;

    QuickstartOptions
    {
        requireNonNull(home, "home is null");
        requireNonNull(scale, "scale is null");
        requireNonNull(dataDirectory, "dataDirectory is null");
    }

    /**
     * @throws IllegalArgumentException with a message for the user
     */
    static QuickstartOptions parse(Path home, List<String> arguments)
    {
        BigDecimal scale = BigDecimal.ONE;
        int port = 8080;
        Path dataDirectory = home.resolve("var/quickstart");
        boolean exit = false;
        Iterator<String> remaining = arguments.stream()
                .flatMap(argument -> stream(argument.startsWith("--") ? argument.split("=", 2) : new String[] {argument}))
                .iterator();
        while (remaining.hasNext()) {
            String option = remaining.next();
            switch (option) {
                case "--scale" -> scale = scale(value(option, remaining));
                case "--port" -> port = port(value(option, remaining));
                case "--data-dir" -> dataDirectory = Path.of(value(option, remaining)).toAbsolutePath();
                case "--exit" -> exit = true;
                default -> throw new IllegalArgumentException("Unknown option " + option);
            }
        }
        return new QuickstartOptions(home, scale, port, dataDirectory, exit);
    }

    /**
     * The schema of the tpch connector that holds data of this scale.
     */
    String tpchSchema()
    {
        return "tpch.\"sf%s\"".formatted(scale.stripTrailingZeros().toPlainString());
    }

    private static String value(String option, Iterator<String> remaining)
    {
        if (!remaining.hasNext()) {
            throw new IllegalArgumentException(option + " needs a value");
        }
        return remaining.next();
    }

    private static BigDecimal scale(String value)
    {
        try {
            BigDecimal scale = new BigDecimal(value);
            if (scale.signum() > 0) {
                return scale;
            }
        }
        catch (NumberFormatException _) {
            // said below
        }
        throw new IllegalArgumentException("--scale must be a number above 0, such as 0.1, 1 or 10: " + value);
    }

    private static int port(String value)
    {
        try {
            int port = Integer.parseInt(value);
            if (port > 0 && port < 65536) {
                return port;
            }
        }
        catch (NumberFormatException _) {
            // said below
        }
        throw new IllegalArgumentException("--port must be a number from 1 to 65535: " + value);
    }
}
