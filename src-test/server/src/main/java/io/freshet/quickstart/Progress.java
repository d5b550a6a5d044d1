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

import com.google.common.base.Stopwatch;
import io.trino.jdbc.QueryStats;
import io.trino.jdbc.StageStats;

import java.io.PrintStream;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Consumer;

import static java.util.Objects.requireNonNull;

/**
 * Shows what is going on: on a terminal one line that is rewritten, elsewhere a line every few seconds.
 */
final class Progress
{
    private static final String ERASE_LINE = "\r\033[K";

    private final PrintStream out;
    private final boolean terminal;

    Progress(PrintStream out, boolean terminal)
    {
        this.out = requireNonNull(out, "out is null");
        this.terminal = terminal;
    }

    /**
     * Runs the statement, shows how far it is, and leaves a line with the rows it wrote and the time it took.
     */
    void run(Sql sql, String title, String statement)
            throws SQLException
    {
        Stopwatch elapsed = Stopwatch.createStarted();
        long rows = sql.execute(statement, new Ticker(title));
        String written = rows == 0 ? "" : "%,d rows".formatted(rows);
        say("%-34s %23s %8.1f s".formatted(title, written, elapsed.elapsed().toMillis() / 1000.0));
    }

    /**
     * Runs the statement, shows how far it is, and leaves no line.
     */
    void runSilently(Sql sql, String title, String statement)
            throws SQLException
    {
        if (terminal) {
            out.print(ERASE_LINE + "  " + title);
            out.flush();
        }
        sql.execute(statement, new Ticker(title));
        if (terminal) {
            out.print(ERASE_LINE);
        }
    }

    void say(String line)
    {
        out.println((terminal ? ERASE_LINE : "") + "  " + line);
    }

    /**
     * Rows that came from tables: what later stages read is the same rows once more.
     */
    private static long rowsRead(StageStats stage)
    {
        if (stage.getSubStages().isEmpty()) {
            return stage.getProcessedRows();
        }
        return stage.getSubStages().stream().mapToLong(Progress::rowsRead).sum();
    }

    private final class Ticker
            implements Consumer<QueryStats>
    {
        private final Duration interval = terminal ? Duration.ofMillis(200) : Duration.ofSeconds(5);
        private final Stopwatch sinceLast = Stopwatch.createStarted();
        private final String title;

        private Ticker(String title)
        {
            this.title = requireNonNull(title, "title is null");
        }

        @Override
        public void accept(QueryStats stats)
        {
            if (sinceLast.elapsed().compareTo(interval) < 0) {
                return;
            }
            sinceLast.reset().start();
            String line = "  %-34s %13s rows read %8.1f s  %s".formatted(
                    title,
                    "%,d".formatted(stats.getRootStage().map(Progress::rowsRead).orElse(0L)),
                    stats.getElapsedTimeMillis() / 1000.0,
                    stats.getProgressPercentage().stream().mapToObj("%.0f %%"::formatted).findFirst().orElse(""));
            if (terminal) {
                out.print(ERASE_LINE + line);
                out.flush();
            }
            else {
                out.println(line);
            }
        }
    }
}
