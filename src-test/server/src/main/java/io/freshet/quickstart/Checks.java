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

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

import static java.util.Objects.requireNonNull;

/**
 * Tells of each check whether it held, and keeps those that did not.
 */
final class Checks
{
    private final PrintStream out;
    private final List<String> failures = new ArrayList<>();

    Checks(PrintStream out)
    {
        this.out = requireNonNull(out, "out is null");
    }

    void require(boolean holds, String format, Object... arguments)
    {
        String message = format.formatted(arguments);
        out.printf("  %-6s %s%n", holds ? "ok" : "FAILED", message);
        if (!holds) {
            failures.add(message);
        }
    }

    /**
     * Returns whether every check held.
     */
    boolean summarize()
    {
        if (failures.isEmpty()) {
            out.println("Every check held.");
            return true;
        }
        out.println("Some checks FAILED:");
        failures.forEach(failure -> out.println("  " + failure));
        return false;
    }
}
