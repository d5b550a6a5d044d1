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

import com.google.common.collect.ArrayListMultimap;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ListMultimap;
import io.freshet.quickstart.TextTable.Column;

import java.io.PrintStream;
import java.sql.SQLException;
import java.util.List;
import java.util.OptionalLong;

import static io.freshet.quickstart.TextTable.Align.LEFT;
import static io.freshet.quickstart.TextTable.Align.RIGHT;
import static java.util.Comparator.comparingLong;

/**
 * Incremental and full refreshes of the same views after like changes.
 */
final class Comparison
{
    private final ListMultimap<DemoView, RefreshRecord> incremental = ArrayListMultimap.create();
    private final ListMultimap<DemoView, RefreshRecord> full = ArrayListMultimap.create();

    void add(List<RefreshRecord> full, List<RefreshRecord> incremental)
    {
        full.forEach(refresh -> this.full.put(refresh.view(), refresh));
        incremental.forEach(refresh -> this.incremental.put(refresh.view(), refresh));
    }

    List<RefreshRecord> incremental(DemoView view)
    {
        return incremental.get(view);
    }

    List<RefreshRecord> full(DemoView view)
    {
        return full.get(view);
    }

    /**
     * Of several refreshes the one of median duration is shown.
     */
    void print(Sql sql, PrintStream out)
            throws SQLException
    {
        TextTable table = new TextTable(ImmutableList.of(
                new Column("view", LEFT),
                new Column("refresh", LEFT),
                new Column("strategy", LEFT),
                new Column("reason", LEFT),
                new Column("rows read", RIGHT),
                new Column("rows written", RIGHT),
                new Column("bytes read", RIGHT),
                new Column("time", RIGHT),
                new Column("speed-up", RIGHT)));
        for (DemoView view : DemoView.ALL) {
            RefreshRecord fast = median(incremental.get(view));
            RefreshRecord slow = median(full.get(view));
            double speedUp = (double) slow.durationMillis() / Math.max(1, fast.durationMillis());
            table.add(row(view.name(), "incremental", fast, fast.deltaRows(), "%.1f x".formatted(speedUp)));
            table.add(row("", "full", slow, OptionalLong.of(sql.queryLong("SELECT count(*) FROM " + view.source())), ""));
        }
        table.print(out);
    }

    private static RefreshRecord median(List<RefreshRecord> refreshes)
    {
        return refreshes.stream()
                .sorted(comparingLong(RefreshRecord::durationMillis))
                .toList()
                .get(refreshes.size() / 2);
    }

    private static List<String> row(String view, String kind, RefreshRecord refresh, OptionalLong rowsRead, String speedUp)
    {
        return ImmutableList.of(
                view,
                kind,
                refresh.strategy(),
                refresh.reason().filter(reason -> !reason.equals("NONE")).orElse(""),
                number(rowsRead),
                number(refresh.rowsInserted()),
                refresh.bytesRead().isPresent() ? "%,.2f MB".formatted(refresh.bytesRead().getAsLong() / 1e6) : "",
                "%,d ms".formatted(refresh.durationMillis()),
                speedUp);
    }

    private static String number(OptionalLong value)
    {
        return value.isPresent() ? "%,d".formatted(value.getAsLong()) : "";
    }
}
