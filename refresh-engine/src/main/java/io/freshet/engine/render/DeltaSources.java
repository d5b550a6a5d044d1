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
import io.freshet.engine.algebra.Scan;

import java.util.Map;
import java.util.OptionalLong;

import static com.google.common.base.Preconditions.checkState;
import static io.freshet.engine.SqlNames.literal;
import static io.freshet.engine.SqlNames.quote;
import static java.util.Objects.requireNonNull;

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

    public sealed interface Range {}

    /** No row was added or removed. */
    public record Nothing()
            implements Range {}

    /**
     * @param from empty for "from nothing"
     */
    public record Between(OptionalLong from, long to)
            implements Range
    {
        public Between
        {
            requireNonNull(from, "from is null");
        }
    }

    @Override
    public String from(Scan scan)
    {
        return switch (range(scan)) {
            case Nothing _ -> scan.table().toSql() + " WHERE false";
            case Between(OptionalLong from, long to) -> "TABLE(" + quote(functionCatalog) + ".\"system\".\"table_delta\"("
                    + "schema_name => " + literal(scan.table().schema())
                    + ", table_name => " + literal(scan.table().table())
                    + ", from_snapshot_id => " + (from.isPresent() ? Long.toString(from.getAsLong()) : "NULL")
                    + ", to_snapshot_id => " + to
                    + ", weight_column => " + literal(WEIGHT_COLUMN)
                    + "))";
        };
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
