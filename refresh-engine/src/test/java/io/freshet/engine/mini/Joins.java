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
package io.freshet.engine.mini;

import com.google.common.collect.ImmutableList;
import io.trino.sql.tree.ComparisonPredicate;
import io.trino.sql.tree.Identifier;
import io.trino.sql.tree.Join;
import io.trino.sql.tree.JoinOn;
import io.trino.sql.tree.JoinUsing;
import io.trino.sql.tree.NodeLocation;
import io.trino.sql.tree.Predicated;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import static com.google.common.base.Preconditions.checkState;
import static io.freshet.engine.mini.MiniEngine.concat;
import static java.util.Collections.nCopies;

/**
 * Joins of all types, by nested loops.
 */
final class Joins
{
    private Joins() {}

    static Rows join(Join join, Rows left, Rows right)
    {
        List<Rows.Column> columns = ImmutableList.<Rows.Column>builder().addAll(left.columns()).addAll(right.columns()).build();
        boolean keepsLeft = join.getType() == Join.Type.LEFT || join.getType() == Join.Type.FULL;
        boolean keepsRight = join.getType() == Join.Type.RIGHT || join.getType() == Join.Type.FULL;
        List<List<Object>> rows = new ArrayList<>();
        boolean[] matched = new boolean[right.rows().size()];
        for (List<Object> row : left.rows()) {
            boolean found = false;
            for (int i = 0; i < right.rows().size(); i++) {
                List<Object> both = concat(row, right.rows().get(i));
                if (matches(join, left, right, columns, both)) {
                    rows.add(both);
                    matched[i] = true;
                    found = true;
                }
            }
            if (!found && keepsLeft) {
                rows.add(concat(row, nCopies(right.columns().size(), null)));
            }
        }
        for (int i = 0; i < matched.length; i++) {
            if (!matched[i] && keepsRight) {
                rows.add(concat(nCopies(left.columns().size(), null), right.rows().get(i)));
            }
        }
        if (join.getCriteria().orElse(null) instanceof JoinUsing using) {
            return merged(using, left, right, new Rows(columns, rows));
        }
        return new Rows(columns, rows);
    }

    private static boolean matches(Join join, Rows left, Rows right, List<Rows.Column> columns, List<Object> both)
    {
        if (join.getCriteria().isEmpty()) {
            return true;
        }
        return switch (join.getCriteria().get()) {
            case JoinOn on -> new Evaluator(columns, both, Optional.empty()).isTrue(on.getExpression());
            case JoinUsing using -> using.getColumns().stream().allMatch(column -> {
                List<Rows.Column> pair = List.of(named("l"), named("r"));
                List<Object> values = new ArrayList<>();
                values.add(both.get(index(left.columns(), column)));
                values.add(both.get(left.columns().size() + index(right.columns(), column)));
                return new Evaluator(pair, values, Optional.empty()).isTrue(new Predicated(
                        new NodeLocation(1, 1),
                        new Identifier("l"),
                        new ComparisonPredicate(new NodeLocation(1, 1), ComparisonPredicate.Operator.EQUAL, new Identifier("r"))));
            });
            default -> throw new UnsupportedOperationException();
        };
    }

    private static Rows.Column named(String name)
    {
        return new Rows.Column(Optional.empty(), Optional.of(name));
    }

    private static int index(List<Rows.Column> columns, Identifier name)
    {
        int[] found = IntStream.range(0, columns.size())
                .filter(i -> columns.get(i).name().filter(name.getValue()::equals).isPresent())
                .toArray();
        checkState(found.length == 1, "column %s", name);
        return found[0];
    }

    /** The columns of the clause first, each once. */
    private static Rows merged(JoinUsing using, Rows left, Rows right, Rows joined)
    {
        List<Rows.Column> columns = new ArrayList<>();
        List<int[]> origins = new ArrayList<>();
        for (Identifier column : using.getColumns()) {
            columns.add(named(column.getValue()));
            origins.add(new int[] {index(left.columns(), column), left.columns().size() + index(right.columns(), column)});
        }
        for (int i = 0; i < joined.columns().size(); i++) {
            int index = i;
            if (origins.stream().noneMatch(origin -> origin.length == 2 && (origin[0] == index || origin[1] == index))) {
                columns.add(joined.columns().get(i));
                origins.add(new int[] {i});
            }
        }
        return new Rows(columns, joined.rows().stream()
                .map(row -> row(row, origins))
                .toList());
    }

    private static List<Object> row(List<Object> row, List<int[]> origins)
    {
        List<Object> values = new ArrayList<>();
        for (int[] origin : origins) {
            Object value = null;
            for (int i = 0; i < origin.length && value == null; i++) {
                value = row.get(origin[i]);
            }
            values.add(value);
        }
        return values;
    }
}
