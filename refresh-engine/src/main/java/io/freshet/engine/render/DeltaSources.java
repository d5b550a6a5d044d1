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
 * @param proof what is known of keys in the deltas
 * @param weighted whether rows may have been removed; then they are told apart by their weights
 */
public record DeltaSources(String functionCatalog, Map<RelationName, Range> ranges, boolean weighted, KeyProof proof)
        implements SourceText
{
    public DeltaSources
    {
        requireNonNull(functionCatalog, "functionCatalog is null");
        ranges = ImmutableMap.copyOf(ranges);
        requireNonNull(proof, "proof is null");
    }

    public sealed interface Range {}

    /**
     * No row was added or removed.
     *
     * @param snapshot the state of the source; empty if it has none
     */
    public record Nothing(OptionalLong snapshot)
            implements Range
    {
        public Nothing
        {
            requireNonNull(snapshot, "snapshot is null");
        }
    }

    /**
     * The rows of a materialized view as its backing table holds them: a column may have another type there, which is cast back.
     *
     * @param hidden whether some of the stored rows are not the view's
     */
    public record StoredRows(boolean hidden) {}

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

    /** Whether no row of the source was added or removed. */
    boolean isNothing(Scan scan)
    {
        return range(scan) instanceof Nothing;
    }

    /** The text after FROM in {@code SELECT columns, weight FROM …}. Not asked for a source without changes. */
    String from(Scan scan)
    {
        return switch (range(scan)) {
            case Nothing _ -> throw new IllegalStateException("nothing stands for " + scan.table());
            case Between(OptionalLong from, long to, Optional<StoredRows> view) -> changes(scan, from, to, view);
        };
    }

    /** The sources after the change. */
    StateText after()
    {
        return scan -> range(scan) instanceof Nothing(OptionalLong snapshot) ? unchanged(scan, snapshot) : TABLES.from(scan);
    }

    /**
     * A source that is read by its name alone. Somebody may have put a row filter or a column mask on it since the view was filled, and
     * the rows that are there already are not subject to it. {@code table_delta} refuses a source with either when it is analyzed, and
     * a named query that is not used is analyzed and not run.
     * <pre>
     * (WITH checked AS (SELECT 1 FROM TABLE(table_delta(t, snapshot, snapshot))) SELECT * FROM t)
     * </pre>
     */
    private String unchanged(Scan scan, OptionalLong snapshot)
    {
        if (snapshot.isEmpty()) {
            return TABLES.from(scan);
        }
        return "(WITH \"checked\" AS (SELECT 1 AS \"one\" FROM " + tableDelta(scan, snapshot, snapshot.getAsLong()) + ")"
                + " SELECT * FROM " + TABLES.from(scan) + ")";
    }

    /**
     * The sources before the change, with the columns that they have now. FOR VERSION AS OF would give the columns of that time; the
     * difference from nothing gives all rows.
     */
    StateText before()
    {
        return new StateText()
        {
            @Override
            public String from(Scan scan)
            {
                return switch (range(scan)) {
                    case Nothing(OptionalLong snapshot) -> unchanged(scan, snapshot);
                    case Between(OptionalLong from, _, Optional<StoredRows> view) -> from.isPresent()
                            ? changes(scan, OptionalLong.empty(), from.getAsLong(), view)
                            : TABLES.from(scan) + " WHERE false";
                };
            }

            @Override
            public boolean isEmpty(Scan scan)
            {
                return range(scan) instanceof Between(OptionalLong from, _, _) && from.isEmpty();
            }
        };
    }

    /**
     * The rows of a materialized view have the types that they have in the view.
     * <pre>
     * (SELECT CAST("c" AS type) AS "c", …, "__mv_weight" FROM TABLE(table_delta(…)) WHERE "__mv_visible")
     * </pre>
     */
    private String changes(Scan scan, OptionalLong from, long to, Optional<StoredRows> view)
    {
        if (view.isEmpty()) {
            return tableDelta(scan, from, to);
        }
        String columns = scan.sourceColumns().stream()
                .map(column -> "CAST(" + quote(column.name()) + " AS " + column.type() + ") AS " + quote(column.name()) + ", ")
                .collect(joining());
        return "(SELECT " + columns + quote(WEIGHT_COLUMN) + " FROM " + tableDelta(scan, from, to)
                + (view.get().hidden() ? " WHERE " + quote(StateLayout.VISIBILITY_COLUMN) : "")
                + ")";
    }

    private String tableDelta(Scan scan, OptionalLong from, long to)
    {
        return "TABLE(" + quote(functionCatalog) + ".\"system\".\"table_delta\"("
                + "schema_name => " + literal(scan.table().schema())
                + ", table_name => " + literal(scan.table().table())
                + ", from_snapshot_id => " + (from.isPresent() ? Long.toString(from.getAsLong()) : "NULL")
                + ", to_snapshot_id => " + to
                + ", weight_column => " + literal(WEIGHT_COLUMN)
                + "))";
    }

    private Range range(Scan scan)
    {
        Range range = ranges.get(scan.table());
        checkState(range != null, "no range for %s", scan.table());
        return range;
    }
}
