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
package io.freshet.engine.render;

import com.google.common.collect.ImmutableMap;
import io.freshet.engine.RelationName;
import io.freshet.engine.StateLayout;
import io.freshet.engine.algebra.Scan;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

import static com.google.common.base.Preconditions.checkState;
import static io.freshet.engine.SqlNames.literal;
import static io.freshet.engine.SqlNames.quote;
import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;

/**
 * The delta in place of each source: the rows that were added and removed between two snapshots. A row may come several times, also
 * with both signs.
 *
 * @param functionCatalog catalog of the table function {@code system.table_delta}
 * @param ranges for each source; a source that did not change stands for no rows
 * @param weighted whether rows may have been removed; then they are told apart by their weights
 */
public record DeltaSources(String functionCatalog, Map<RelationName, Range> ranges, boolean weighted)
        implements SourceText
{
    public DeltaSources
    {
        requireNonNull(functionCatalog, "functionCatalog is null");
        ranges = ImmutableMap.copyOf(ranges);
    }

    /**
     * The rows of a materialized view as its backing table holds them: a column may have another type there, which is cast back.
     *
     * @param hidden whether some of the stored rows are not the view's
     */
    public record StoredRows(boolean hidden) {}

    public sealed interface Range {}

    /** No row was added or removed. */
    public record Nothing()
            implements Range {}

    /**
     * @param from empty for "from nothing"
     * @param view how the rows are stored if the source is a materialized view
     */
    public record Between(OptionalLong from, long to, Optional<StoredRows> view)
            implements Range
    {
        public Between
        {
            requireNonNull(from, "from is null");
            requireNonNull(view, "view is null");
        }

        public Between(OptionalLong from, long to)
        {
            this(from, to, Optional.empty());
        }
    }

    @Override
    public String from(Scan scan)
    {
        return switch (range(scan)) {
            case Nothing _ -> scan.table().toSql() + " WHERE false";
            case Between between -> between.view()
                    .map(stored -> viewRows(scan, between, stored))
                    .orElseGet(() -> changes(scan, between));
        };
    }

    /**
     * The rows of a materialized view with the types that they have in the view.
     * <pre>
     * (SELECT CAST("c" AS type) AS "c", …, "__mv_weight" FROM TABLE(table_delta(…)) WHERE "__mv_visible")
     * </pre>
     */
    private String viewRows(Scan scan, Between range, StoredRows stored)
    {
        String columns = scan.sourceColumns().stream()
                .map(column -> "CAST(" + quote(column.name()) + " AS " + column.type() + ") AS " + quote(column.name()) + ", ")
                .collect(joining());
        return "(SELECT " + columns + quote(WEIGHT_COLUMN) + " FROM " + changes(scan, range)
                + (stored.hidden() ? " WHERE " + quote(StateLayout.VISIBILITY_COLUMN) : "")
                + ")";
    }

    private String changes(Scan scan, Between range)
    {
        return "TABLE(" + quote(functionCatalog) + ".\"system\".\"table_delta\"("
                + "schema_name => " + literal(scan.table().schema())
                + ", table_name => " + literal(scan.table().table())
                + ", from_snapshot_id => " + (range.from().isPresent() ? Long.toString(range.from().getAsLong()) : "NULL")
                + ", to_snapshot_id => " + range.to()
                + ", weight_column => " + literal(WEIGHT_COLUMN)
                + "))";
    }

    @Override
    public String weight(Scan scan)
    {
        return switch (range(scan)) {
            case Nothing _ -> "CAST(1 AS tinyint)";
            case Between _ -> quote(WEIGHT_COLUMN);
        };
    }

    private Range range(Scan scan)
    {
        Range range = ranges.get(scan.table());
        checkState(range != null, "no range for %s", scan.table());
        return range;
    }
}
