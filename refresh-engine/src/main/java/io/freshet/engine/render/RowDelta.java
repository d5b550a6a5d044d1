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

import com.google.common.collect.ImmutableList;
import io.freshet.engine.StateLayout;
import io.freshet.engine.StorageTypes;
import io.freshet.engine.StorageTypes.RowEquality;
import io.freshet.engine.algebra.LinearBlock;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import static com.google.common.base.Preconditions.checkArgument;
import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.freshet.engine.SqlNames.quote;
import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;

/**
 * The weighted delta of a linear block into its backing table, as a multiset.
 * <pre>
 * INSERT INTO backing (…, address, change)
 * SELECT columns, address, 1 or -1
 * FROM (SELECT d.columns, weight, t.address, row_number() n, count of addresses, both over (PARTITION BY d.columns)
 *       FROM backing t
 *       RIGHT JOIN (SELECT columns, sum(weight) weight FROM delta GROUP BY columns HAVING sum(weight) &lt;&gt; 0) d
 *       ON weight &lt; 0 AND same columns) m
 * CROSS JOIN as many copies as the weight, if it is positive
 * WHERE weight &gt; 0 OR n &lt;= -weight
 * </pre>
 * Law: of each row that the delta holds w times more, w copies are added, and of each that it holds w times less, exactly w are
 * deleted; if there are not so many the statement fails. Rows are the same if no query can tell them apart: NULL is NULL, NaN is NaN,
 * and the zeros of floating point are two values.
 */
public final class RowDelta
{
    /** So many elements the engine puts into one sequence. */
    private static final int SEQUENCE_LIMIT = 10_000;

    private final LinearBlock block;
    private final Target target;
    private final List<Boolean> comparable;
    private final List<TargetColumn> columns;

    /**
     * @param comparable for each column, whether it is neither NULL nor NaN in any row of the delta
     */
    public RowDelta(LinearBlock block, Target target, List<Boolean> comparable)
    {
        this.block = requireNonNull(block, "block is null");
        this.target = requireNonNull(target, "target is null");
        this.comparable = ImmutableList.copyOf(comparable);
        this.columns = target.visible();
        checkArgument(columns.size() == block.input().columns().size(), "the backing table does not fit the view");
        checkArgument(columns.stream().anyMatch(column -> equality(column) == RowEquality.HASHED), "no column to find rows by");
        checkArgument(columns.stream().noneMatch(column -> equality(column) == RowEquality.NONE), "rows cannot be told apart");
    }

    private static RowEquality equality(TargetColumn column)
    {
        return StorageTypes.rowEquality(column.storageType());
    }

    public String render(SourceText delta)
    {
        checkArgument(delta.weighted(), "rows have no weights");
        List<String> values = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            values.add("\"m\"." + quote(column(i)));
        }
        String copies = "greatest(\"m\".\"w\", 1)";
        String rows = "(" + matches(delta) + ") AS \"m\""
                + " CROSS JOIN UNNEST(sequence(0, (" + copies + " - 1) / " + SEQUENCE_LIMIT + ")) AS \"u\" (\"i\")"
                + " CROSS JOIN UNNEST(sequence(1, least(" + SEQUENCE_LIMIT + ", " + copies + " - \"u\".\"i\" * " + SEQUENCE_LIMIT + "))) AS \"v\" (\"j\")"
                + " WHERE \"m\".\"w\" > 0 OR \"m\".\"n\" <= -\"m\".\"w\"";
        String change = "CASE WHEN \"m\".\"w\" > 0 THEN 1"
                + " WHEN \"m\".\"found\" < -\"m\".\"w\" THEN " + SignedStates.fail("the stored rows do not fit the removed rows")
                + " ELSE -1 END";
        return AddressedRows.insert(target.name(), columns, values, change, rows, "m");
    }

    /** The rows of the delta, each that is to be removed with all the stored rows that are the same. */
    private String matches(SourceText delta)
    {
        List<String> values = IntStream.range(0, columns.size())
                .mapToObj(i -> "\"d\"." + quote(column(i)) + " AS " + quote(column(i)))
                .collect(toImmutableList());
        String partition = "OVER (PARTITION BY " + identity().stream().map(name -> "\"d\"." + quote(name)).collect(joining(", ")) + ")";
        String address = "\"t\"." + quote(StateLayout.ADDRESS_COLUMN);
        return "SELECT " + String.join(", ", values)
                + ", \"d\".\"w\" AS \"w\", " + AddressedRows.readFrom("t")
                + ", row_number() " + partition + " AS \"n\", count(" + address + ") " + partition + " AS \"found\""
                + " FROM " + target.name().toSql() + " AS \"t\""
                + " RIGHT JOIN (" + net(delta) + ") AS \"d\""
                + " ON \"d\".\"w\" < 0 AND " + sameRow();
    }

    /** The distinct rows of the delta in storage types, with the sums of their weights. */
    private String net(SourceText delta)
    {
        List<String> stored = new ArrayList<>();
        List<String> grouped = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            stored.add(columns.get(i).cast(quote(block.alias()) + "." + quote(block.input().columns().get(i))) + " AS " + quote(column(i)));
            grouped.add("\"g\"." + quote(column(i)) + " AS " + quote(column(i)));
        }
        for (int i = 0; i < columns.size(); i++) {
            if (isFloating(i)) {
                grouped.add(isNegativeZero("\"g\"." + quote(column(i)), columns.get(i).storageType()) + " AS " + quote(zero(i)));
            }
        }
        return "SELECT " + String.join(", ", grouped) + ", sum(\"g\".\"w\") AS \"w\""
                + " FROM (SELECT " + String.join(", ", stored) + ", " + RelationRenderer.weight(block.alias()) + " AS \"w\""
                + RelationRenderer.from(block.input(), block.alias(), delta) + ") AS \"g\""
                + GroupRenderer.groupBy(grouped.size())
                + " HAVING sum(\"g\".\"w\") <> 0";
    }

    private String sameRow()
    {
        List<String> conditions = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            TargetColumn column = columns.get(i);
            String stored = "\"t\"." + quote(column.name());
            String given = "\"d\"." + quote(column(i));
            conditions.add(switch (equality(column)) {
                case HASHED -> KeyEquality.render(stored, given, column.storageType(), comparable.get(i));
                case FILTERED -> stored + " IS NOT DISTINCT FROM " + given;
                case NONE -> throw new IllegalStateException("rows cannot be told apart by " + column.name());
            });
            if (isFloating(i)) {
                conditions.add(isNegativeZero(stored, column.storageType()) + " = \"d\"." + quote(zero(i)));
            }
        }
        return String.join(" AND ", conditions);
    }

    /** What tells the rows of the delta apart. */
    private List<String> identity()
    {
        ImmutableList.Builder<String> names = ImmutableList.builder();
        for (int i = 0; i < columns.size(); i++) {
            names.add(column(i));
            if (isFloating(i)) {
                names.add(zero(i));
            }
        }
        return names.build();
    }

    private boolean isFloating(int index)
    {
        return StorageTypes.isFloating(columns.get(index).storageType());
    }

    private static String isNegativeZero(String value, String type)
    {
        return "coalesce(" + value + " = 0 AND CAST(1 AS " + type + ") / " + value + " < 0, false)";
    }

    private static String column(int index)
    {
        return "c" + (index + 1);
    }

    private static String zero(int index)
    {
        return "z" + (index + 1);
    }
}
