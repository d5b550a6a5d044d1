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
import io.freshet.engine.RelationName;
import io.freshet.engine.algebra.Expand;
import io.freshet.engine.algebra.Grouped;
import io.freshet.engine.algebra.InnerJoin;
import io.freshet.engine.algebra.LeftJoin;
import io.freshet.engine.algebra.LinearRelation;
import io.freshet.engine.algebra.Scan;
import io.freshet.engine.algebra.Select;
import io.freshet.engine.algebra.SemiJoin;
import io.freshet.engine.algebra.UnionAll;
import io.freshet.engine.algebra.Windowed;
import io.trino.sql.parser.SqlParser;
import io.trino.sql.tree.Query;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import static com.google.common.base.Preconditions.checkArgument;
import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.freshet.engine.SqlNames.quote;
import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;

/**
 * Compares the rows of a view with those that its query gives, as multisets, in one query.
 * <pre>
 * WITH compared AS (SELECT c1, …, sum(side) surplus FROM (view with side 1 UNION ALL query with side -1) GROUP BY c1, … HAVING sum(side) &lt;&gt; 0)
 * SELECT superfluous, missing FROM compared
 * </pre>
 * Grouping takes NULL for equal to NULL and NaN for NaN. Rows that are equal bit by bit are gone after that. Where there are columns with
 * tolerance, the rest is paired: among rows that agree in all other columns the first stored one with the first recomputed one in the
 * order of those columns, and so on. A pair whose values are close is no difference.
 * <p>
 * The result is one row of two numbers: stored rows that are too many, and rows that are missing. A row with a wrong value counts in both.
 */
public final class ComparisonStatement
{
    /** The longest array that the engine makes of a sequence. */
    private static final int MOST_REPETITIONS = 10_000;
    private static final int SAMPLE_BUCKETS = 1_000_000;

    private ComparisonStatement() {}

    /** How equal two values have to be. */
    public enum Comparison
    {
        EXACT,
        /** Double: a billionth of the greater value apart, or a billionth. */
        DOUBLE_TOLERANCE,
        /** Real: a millionth of the greater value apart, or a billionth. */
        REAL_TOLERANCE,
    }

    /** A column of the view, in the order of the query's columns. */
    public record Column(String name, Comparison comparison)
    {
        public Column
        {
            requireNonNull(name, "name is null");
            requireNonNull(comparison, "comparison is null");
        }
    }

    /**
     * A part of the rows, the same on both sides: it is chosen by the values of some columns.
     *
     * @param columns positions of columns that are compared exactly, and whose equal values have equal text
     * @param salt chooses other rows
     * @param percent above 0, up to 100
     */
    public record Sample(List<Integer> columns, String salt, double percent)
    {
        public Sample
        {
            columns = ImmutableList.copyOf(columns);
            requireNonNull(salt, "salt is null");
            checkArgument(!columns.isEmpty(), "columns is empty");
            checkArgument(percent > 0 && percent <= 100, "percent must be above 0, and not above 100");
        }
    }

    public static String sql(RelationName view, String viewSql, List<Column> columns, Optional<Sample> sample)
    {
        Query query = (Query) new SqlParser().createStatement(viewSql);
        List<String> all = new ArrayList<>();
        List<String> exact = new ArrayList<>();
        List<Tolerant> tolerant = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            String name = quote("c" + (i + 1));
            all.add(name);
            switch (columns.get(i).comparison()) {
                case EXACT -> exact.add(name);
                case DOUBLE_TOLERANCE -> tolerant.add(new Tolerant(name, i + 1, "1e-9"));
                case REAL_TOLERANCE -> tolerant.add(new Tolerant(name, i + 1, "1e-6"));
            }
        }
        String names = String.join(", ", all);
        String compared = "WITH compared AS (SELECT %s, sum(side) AS surplus FROM (SELECT %s, 1 FROM %s UNION ALL SELECT %s, -1 FROM (%s) AS v (%s)) AS r (%s, side)%s GROUP BY %s HAVING sum(side) <> 0) ".formatted(
                names,
                columns.stream().map(column -> quote(column.name())).collect(joining(", ")),
                "%s.%s.%s".formatted(quote(view.catalog()), quote(view.schema()), quote(view.table())),
                names,
                PlainStatements.inner(query, viewSql),
                names,
                names,
                sample.map(ComparisonStatement::condition).orElse(""),
                names);
        return PlainStatements.hoisted(query, compared + (tolerant.isEmpty() ? exactResult() : tolerantResult(exact, tolerant)));
    }

    private static String condition(Sample sample)
    {
        String text = sample.columns().stream()
                .map(column -> "coalesce(CAST(c%s AS varchar), 'NULL') || ','".formatted(column + 1))
                .collect(joining(" || "));
        return " WHERE abs(mod(from_big_endian_64(xxhash64(to_utf8('%s' || %s))), %s)) < %s".formatted(
                sample.salt().replace("'", "''"),
                text,
                SAMPLE_BUCKETS,
                Math.max(1, Math.round(sample.percent() / 100 * SAMPLE_BUCKETS)));
    }

    private static String exactResult()
    {
        return "SELECT coalesce(sum(greatest(surplus, 0)), 0), coalesce(sum(greatest(-surplus, 0)), 0) FROM compared";
    }

    private static String tolerantResult(List<String> exact, List<Tolerant> tolerant)
    {
        String partition = exact.stream().map(column -> ", " + column).collect(joining());
        String columns = tolerant.stream().map(Tolerant::name).collect(joining(", "));
        // rows beyond the longest sequence all weigh on its last element
        String rows = "SELECT sign(surplus) AS side%s, %s, if(repetition = %s, abs(surplus) - %s, 1) AS weight, row_number() OVER (PARTITION BY sign(surplus)%s ORDER BY %s) AS place FROM compared CROSS JOIN UNNEST(sequence(1, least(abs(surplus), %s))) AS u (repetition)".formatted(
                partition,
                columns,
                MOST_REPETITIONS,
                MOST_REPETITIONS - 1,
                partition,
                columns,
                MOST_REPETITIONS);
        String pairs = "SELECT coalesce(sum(weight) FILTER (WHERE side = 1), 0) AS stored, coalesce(sum(weight) FILTER (WHERE side = -1), 0) AS wanted, %s FROM (%s) GROUP BY place%s".formatted(
                tolerant.stream().map(Tolerant::values).collect(joining(", ")),
                rows,
                partition);
        String close = tolerant.stream().map(Tolerant::isClose).collect(joining(" AND "));
        return "SELECT coalesce(sum(if(%1$s, greatest(stored - wanted, 0), stored)), 0), coalesce(sum(if(%1$s, greatest(wanted - stored, 0), wanted)), 0) FROM (%2$s)".formatted(close, pairs);
    }

    private record Tolerant(String name, int position, String relative)
    {
        /** A group has one row of each side at most. */
        private String values()
        {
            return "max(%1$s) FILTER (WHERE side = 1) AS s%2$s, max(%1$s) FILTER (WHERE side = -1) AS w%2$s".formatted(name, position);
        }

        private String isClose()
        {
            String stored = "s" + position;
            String wanted = "w" + position;
            return "(%1$s IS NOT DISTINCT FROM %2$s OR coalesce(is_finite(%1$s) AND is_finite(%2$s) AND abs(CAST(%1$s AS double) - CAST(%2$s AS double)) <= greatest(1e-9, %3$s * greatest(abs(CAST(%1$s AS double)), abs(CAST(%2$s AS double)))), false))"
                    .formatted(stored, wanted, relative);
        }
    }

    /** Whether every value of the relation comes from one row of each source: then it is the same however it is computed. */
    public static boolean copiesValues(LinearRelation relation)
    {
        return switch (relation) {
            case Grouped _, Windowed _ -> false;
            case Scan _, Select _, Expand _, UnionAll _, InnerJoin _, LeftJoin _, SemiJoin _ ->
                relation.children().stream().allMatch(ComparisonStatement::copiesValues);
        };
    }

    /** The columns by which rows can be sampled, of those wanted: whose equal values have equal text. */
    public static List<Integer> sampleable(List<Integer> wanted, List<String> types)
    {
        return wanted.stream()
                .filter(column -> hasOneText(types.get(column)))
                .collect(toImmutableList());
    }

    private static boolean hasOneText(String type)
    {
        String base = type.replaceFirst("\\(.*", "");
        return switch (base) {
            case "boolean", "tinyint", "smallint", "integer", "bigint", "decimal", "varchar", "date", "uuid" -> true;
            case "timestamp" -> !type.endsWith("with time zone");
            default -> false;
        };
    }
}
