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
package io.freshet.engine.analyze;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.freshet.engine.RefusalCode;
import io.freshet.engine.algebra.Expand;
import io.trino.sql.parser.SqlParser;
import io.trino.sql.tree.Expression;
import io.trino.sql.tree.GroupingOperation;
import io.trino.sql.tree.LongLiteral;
import io.trino.sql.tree.Node;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.freshet.engine.algebra.Expressions.keyReference;
import static io.freshet.engine.algebra.Expressions.reference;
import static io.freshet.engine.algebra.Expressions.referencedColumn;
import static io.freshet.engine.analyze.RefusedException.refused;
import static io.trino.sql.ExpressionFormatter.formatExpression;
import static java.util.stream.Collectors.joining;

/**
 * The grouping sets of a GROUP BY clause, each a list of keys; mostly one. Several are maintained as one grouping: each row counts
 * once for each set, keys that are not in the set are NULL, and the number of the set is the last key.
 */
record GroupingSetList(List<List<Expression>> sets)
{
    /** GROUP BY (). */
    static final GroupingSetList GLOBAL = new GroupingSetList(ImmutableList.of(ImmutableList.of()));

    /** Beyond this a view is not maintained. */
    private static final int MAX_SETS = 64;

    private static final SqlParser PARSER = new SqlParser();

    GroupingSetList
    {
        sets = ImmutableList.copyOf(sets);
    }

    boolean isSingle()
    {
        return sets.size() == 1;
    }

    /** The distinct keys of all sets. */
    List<Expression> keys()
    {
        return sets.stream()
                .flatMap(List::stream)
                .distinct()
                .collect(toImmutableList());
    }

    /** The numbers of the sets without keys, if there are several sets. */
    List<Integer> emptySets()
    {
        if (isSingle()) {
            return ImmutableList.of();
        }
        return IntStream.range(0, sets.size())
                .filter(i -> sets.get(i).isEmpty())
                .boxed()
                .collect(toImmutableList());
    }

    /** The keys over rows of that alias, of which there is one for each set; then the number of the set if there are several. */
    List<Expression> maintainedKeys(String alias)
    {
        if (isSingle()) {
            return keys();
        }
        Expression index = reference(alias, Expand.INDEX_COLUMN);
        return ImmutableList.<Expression>builder()
                .addAll(keys().stream().map(key -> inItsSets(key, index)).collect(toImmutableList()))
                .add(index)
                .build();
    }

    private Expression inItsSets(Expression key, Expression index)
    {
        List<Integer> own = IntStream.range(0, sets.size())
                .filter(i -> sets.get(i).contains(key))
                .boxed()
                .collect(toImmutableList());
        if (own.size() == sets.size()) {
            return key;
        }
        return PARSER.createExpression("if(%s IN (%s), %s)".formatted(
                formatExpression(index),
                own.stream().map(Object::toString).collect(joining(", ")),
                formatExpression(key)));
    }

    /** For each set a bit of each column, that of the last one the lowest: 1 if the column is not in the set. */
    Expression grouping(GroupingOperation node, String inputAlias, String groupAlias)
    {
        List<Integer> columns = node.getGroupingColumns().stream()
                .map(column -> position(column, inputAlias)
                        .orElseThrow(() -> refused(RefusalCode.GROUPING_SETS, node, "grouping", "of a column that is no group key")))
                .collect(toImmutableList());
        if (columns.size() > Integer.SIZE - 1) {
            throw refused(RefusalCode.GROUPING_SETS, node, "grouping", "of more than 31 columns is not maintained");
        }
        List<Expression> keys = keys();
        List<Integer> values = sets.stream()
                .map(set -> columns.stream()
                        .map(column -> set.contains(keys.get(column)) ? 0 : 1)
                        .reduce(0, (bits, bit) -> 2 * bits + bit))
                .collect(toImmutableList());
        if (isSingle()) {
            return new LongLiteral(node.getLocation().orElseThrow(), values.getFirst().toString());
        }
        return PARSER.createExpression("CASE " + formatExpression(keyReference(groupAlias, keys.size()))
                + IntStream.range(0, values.size())
                        .mapToObj(i -> " WHEN " + i + " THEN " + values.get(i))
                        .collect(joining())
                + " END");
    }

    private Optional<Integer> position(Expression column, String inputAlias)
    {
        Optional<String> name = referencedColumn(column, inputAlias);
        List<Expression> keys = keys();
        return IntStream.range(0, keys.size())
                .filter(i -> name.isPresent() && referencedColumn(keys.get(i), inputAlias).equals(name))
                .boxed()
                .findFirst();
    }

    /** Keys that are in all sets. */
    GroupingSetList with(List<Expression> keys)
    {
        return new GroupingSetList(sets.stream()
                .map(set -> union(set, keys))
                .collect(toImmutableList()));
    }

    /** Every set with every alternative. */
    GroupingSetList times(List<List<Expression>> alternatives, Node node)
    {
        if ((long) sets.size() * alternatives.size() > MAX_SETS) {
            throw tooMany(node);
        }
        return new GroupingSetList(sets.stream()
                .flatMap(set -> alternatives.stream().map(alternative -> union(set, alternative)))
                .collect(toImmutableList()));
    }

    GroupingSetList distinct()
    {
        Set<Set<Expression>> known = new HashSet<>();
        return new GroupingSetList(sets.stream()
                .filter(set -> known.add(ImmutableSet.copyOf(set)))
                .collect(toImmutableList()));
    }

    /** All prefixes. */
    static List<List<Expression>> rollup(List<List<Expression>> parts)
    {
        return IntStream.rangeClosed(0, parts.size())
                .map(i -> parts.size() - i)
                .mapToObj(size -> flat(parts.subList(0, size)))
                .collect(toImmutableList());
    }

    /** All subsets. */
    static List<List<Expression>> cube(List<List<Expression>> parts, Node node)
    {
        if (parts.size() >= Integer.SIZE - 1 || 1 << parts.size() > MAX_SETS) {
            throw tooMany(node);
        }
        return IntStream.range(0, 1 << parts.size())
                .mapToObj(chosen -> flat(IntStream.range(0, parts.size())
                        .filter(i -> (chosen & (1 << i)) == 0)
                        .mapToObj(parts::get)
                        .collect(toImmutableList())))
                .collect(toImmutableList());
    }

    private static RefusedException tooMany(Node node)
    {
        return refused(RefusalCode.PROGRAM_TOO_LARGE, node, "GROUP BY", "has more than " + MAX_SETS + " grouping sets");
    }

    private static List<Expression> flat(List<List<Expression>> parts)
    {
        return parts.stream()
                .flatMap(List::stream)
                .distinct()
                .collect(toImmutableList());
    }

    private static List<Expression> union(List<Expression> left, List<Expression> right)
    {
        return flat(ImmutableList.of(left, right));
    }
}
