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

import com.google.common.collect.Sets;
import io.freshet.engine.StateLayout;
import io.trino.sql.parser.SqlParser;
import io.trino.sql.tree.AliasedRelation;
import io.trino.sql.tree.AllColumns;
import io.trino.sql.tree.DereferenceExpression;
import io.trino.sql.tree.Expression;
import io.trino.sql.tree.GroupBy;
import io.trino.sql.tree.GroupingElement;
import io.trino.sql.tree.GroupingSets;
import io.trino.sql.tree.Identifier;
import io.trino.sql.tree.Insert;
import io.trino.sql.tree.Join;
import io.trino.sql.tree.LongLiteral;
import io.trino.sql.tree.NullLiteral;
import io.trino.sql.tree.Query;
import io.trino.sql.tree.QuerySpecification;
import io.trino.sql.tree.Relation;
import io.trino.sql.tree.SelectItem;
import io.trino.sql.tree.SingleColumn;
import io.trino.sql.tree.Statement;
import io.trino.sql.tree.StringLiteral;
import io.trino.sql.tree.Table;
import io.trino.sql.tree.TableFunctionInvocation;
import io.trino.sql.tree.TableSubquery;
import io.trino.sql.tree.Union;
import io.trino.sql.tree.Unnest;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

import static com.google.common.base.Preconditions.checkState;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.util.Arrays.asList;
import static java.util.Collections.nCopies;

/**
 * Tables in memory, and statements on them.
 */
public final class MiniEngine
{
    private static final SqlParser PARSER = new SqlParser();

    private static final Map<String, Statement> PARSED = new ConcurrentHashMap<>();

    private final Map<String, Rows> tables = new HashMap<>();
    private final Map<String, Rows> deltas = new HashMap<>();
    private final Map<String, Rows> before = new HashMap<>();

    /** Creates or replaces a table. */
    public void put(String table, List<String> columns, List<List<Object>> rows)
    {
        tables.put(table, rows(columns, rows));
    }

    /** What {@code table_delta} gives for a table. */
    public void putDelta(String table, List<String> columns, List<List<Object>> rows)
    {
        deltas.put(table, rows(columns, rows));
    }

    /** What the table was before the change. */
    public void putBefore(String table, List<String> columns, List<List<Object>> rows)
    {
        before.put(table, rows(columns, rows));
    }

    private static Rows rows(List<String> columns, List<List<Object>> rows)
    {
        return new Rows(columns.stream().map(name -> new Rows.Column(Optional.empty(), Optional.of(name))).toList(), new ArrayList<>(rows));
    }

    public List<List<Object>> query(String sql)
    {
        return query((Query) parse(sql)).rows();
    }

    /** Runs an INSERT. It replaces the whole content if {@code overwrite}. */
    public void execute(String sql, boolean overwrite)
    {
        insert((Insert) parse(sql), overwrite);
    }

    private static Statement parse(String sql)
    {
        return PARSED.computeIfAbsent(sql, PARSER::createStatement);
    }

    private void insert(Insert insert, boolean overwrite)
    {
        Rows target = tables.get(insert.getTarget().getSuffix());
        List<String> names = insert.getColumns().orElseThrow().stream().map(Identifier::getValue).toList();
        List<List<Object>> given = query(insert.getQuery()).rows();
        if (names.contains(StateLayout.ADDRESS_COLUMN)) {
            checkState(!overwrite, "addresses in a table that is overwritten");
            change(target, names, given);
            return;
        }
        List<List<Object>> added = given.stream()
                .map(row -> arrange(target, names, row))
                .toList();
        if (overwrite) {
            target.rows().clear();
        }
        target.rows().addAll(added);
    }

    private static List<Object> arrange(Rows target, List<String> names, List<Object> values)
    {
        checkState(names.size() == values.size());
        List<Object> row = new ArrayList<>();
        for (Rows.Column column : target.columns()) {
            int index = names.indexOf(column.name().orElseThrow());
            row.add(index < 0 ? null : values.get(index));
        }
        return row;
    }

    /** Rows with addresses of rows that they replace or delete. */
    private static void change(Rows target, List<String> names, List<List<Object>> given)
    {
        int address = names.indexOf(StateLayout.ADDRESS_COLUMN);
        int change = names.indexOf(StateLayout.CHANGE_COLUMN);
        List<List<Object>> after = new ArrayList<>(target.rows());
        Set<Object> touched = new HashSet<>();
        for (List<Object> row : given) {
            Object kind = row.get(change);
            if (row.get(address) == null) {
                checkState(kind.equals(1L), "a row without address is added, not %s", kind);
                after.add(arrange(target, names, row));
                continue;
            }
            checkState(touched.add(row.get(address)), "an address is given twice");
            checkState(kind.equals(0L) || kind.equals(-1L), "a row with an address is replaced or deleted, not %s", kind);
            int index = Math.toIntExact((Long) row.get(address));
            after.set(index, kind.equals(0L) ? arrange(target, names, row) : null);
        }
        target.rows().clear();
        after.stream().filter(Objects::nonNull).forEach(target.rows()::add);
    }

    static List<Object> concat(List<Object> left, List<Object> right)
    {
        List<Object> row = new ArrayList<>(left);
        row.addAll(right);
        return row;
    }

    Rows query(Query query)
    {
        Scopes.use(this);
        // named queries are put beside the tables: tests give them names of their own
        query.getWith().ifPresent(with -> with.getQueries().forEach(named -> tables.put(named.getName().getValue(), query(named.getQuery()))));
        return relation(query.getQueryBody());
    }

    private Rows relation(Relation relation)
    {
        return switch (relation) {
            case Table table -> tables.get(table.getName().getSuffix()).addressed().aliased(table.getName().getSuffix(), Optional.empty());
            case TableSubquery subquery -> query(subquery.getQuery());
            case AliasedRelation aliased when aliased.getRelation() instanceof Unnest unnest -> unnest(new Rows(List.of(), List.of(List.of())), unnest, aliased);
            case AliasedRelation aliased -> relation(aliased.getRelation()).aliased(
                    aliased.getAlias().getValue(),
                    Optional.ofNullable(aliased.getColumnNames()).map(names -> names.stream().map(Identifier::getValue).toList()));
            case TableFunctionInvocation function -> delta(function);
            case Union union -> union(union);
            case Join join -> join(join);
            case QuerySpecification query -> select(query);
            default -> throw new UnsupportedOperationException(relation.toString());
        };
    }

    /** The difference from nothing is the table as it was. */
    private Rows delta(TableFunctionInvocation function)
    {
        String table = ((StringLiteral) function.getArguments().get(1).getValue()).getValue();
        return function.getArguments().get(2).getValue() instanceof NullLiteral ? before.get(table) : deltas.get(table);
    }

    private Rows join(Join join)
    {
        Rows left = relation(join.getLeft());
        if (join.getRight() instanceof AliasedRelation aliased && aliased.getRelation() instanceof Unnest unnest) {
            return unnest(left, unnest, aliased);
        }
        return Joins.join(join, left, relation(join.getRight()));
    }

    private static Rows unnest(Rows left, Unnest unnest, AliasedRelation aliased)
    {
        List<Rows.Column> columns = new ArrayList<>(left.columns());
        columns.add(new Rows.Column(Optional.of(aliased.getAlias().getValue()), Optional.of(aliased.getColumnNames().getFirst().getValue())));
        List<List<Object>> rows = new ArrayList<>();
        for (List<Object> row : left.rows()) {
            List<?> elements = (List<?>) new Evaluator(left.columns(), row, Optional.empty()).evaluate(unnest.getExpressions().getFirst());
            elements.forEach(element -> rows.add(concat(row, asList(element))));
        }
        return new Rows(columns, rows);
    }

    private Rows union(Union union)
    {
        List<Rows> inputs = union.getRelations().stream().map(this::relation).toList();
        List<List<Object>> rows = new ArrayList<>();
        inputs.forEach(input -> rows.addAll(input.rows()));
        return new Rows(inputs.getFirst().columns(), union.isDistinct() ? distinct(rows) : rows);
    }

    private static List<List<Object>> distinct(List<List<Object>> rows)
    {
        Map<Object, List<Object>> byKey = new LinkedHashMap<>();
        rows.forEach(row -> byKey.putIfAbsent(row.stream().map(Values::key).toList(), row));
        return new ArrayList<>(byKey.values());
    }

    private Rows select(QuerySpecification query)
    {
        Rows from = relation(query.getFrom().orElseThrow());
        List<List<Object>> rows = from.rows().stream()
                .filter(row -> query.getWhere().map(where -> new Evaluator(from.columns(), row, Optional.empty()).isTrue(where)).orElse(true))
                .toList();
        boolean grouped = query.getGroupBy().isPresent() || query.getHaving().isPresent() || Aggregations.contains(query.getSelect());
        List<List<Object>> result = new ArrayList<>();
        if (grouped) {
            for (Set<Expression> absent : absentKeys(query)) {
                for (List<List<Object>> group : groups(query, from, rows, absent)) {
                    List<Object> first = group.isEmpty() ? new ArrayList<>(nCopies(from.columns().size(), null)) : without(absent, from, group.getFirst());
                    Evaluator evaluator = new Evaluator(from.columns(), first, Optional.of(group));
                    if (query.getHaving().map(evaluator::isTrue).orElse(true)) {
                        result.add(items(query, evaluator, first));
                    }
                }
            }
        }
        else {
            rows.forEach(row -> result.add(items(query, new Evaluator(from.columns(), row, Optional.empty(), rows), row)));
        }
        List<Rows.Column> columns = new ArrayList<>();
        for (SelectItem item : query.getSelect().getSelectItems()) {
            switch (item) {
                case AllColumns _ -> from.columns().forEach(column -> columns.add(new Rows.Column(Optional.empty(), column.name())));
                case SingleColumn column -> columns.add(new Rows.Column(Optional.empty(), name(column)));
                default -> throw new UnsupportedOperationException();
            }
        }
        return new Rows(columns, query.getSelect().isDistinct() ? distinct(result) : result);
    }

    private static Optional<String> name(SingleColumn column)
    {
        if (column.getAlias().isPresent()) {
            return column.getAlias().map(Identifier::getValue);
        }
        return switch (column.getExpression()) {
            case Identifier identifier -> Optional.of(identifier.getValue());
            case DereferenceExpression dereference -> dereference.getField().map(Identifier::getValue);
            default -> Optional.empty();
        };
    }

    private static List<Object> items(QuerySpecification query, Evaluator evaluator, List<Object> row)
    {
        List<Object> values = new ArrayList<>();
        for (SelectItem item : query.getSelect().getSelectItems()) {
            switch (item) {
                case AllColumns _ -> values.addAll(row);
                case SingleColumn column -> values.add(evaluator.evaluate(column.getExpression()));
                default -> throw new UnsupportedOperationException();
            }
        }
        return values;
    }

    /** For each grouping set, the keys that are not in it. The keys of grouping sets are columns. */
    private static List<Set<Expression>> absentKeys(QuerySpecification query)
    {
        List<Set<Expression>> sets = List.of(Set.of());
        for (GroupingElement element : query.getGroupBy().map(GroupBy::getGroupingElements).orElse(List.of())) {
            if (element instanceof GroupingSets grouping) {
                List<Set<Expression>> before = sets;
                sets = alternatives(grouping).stream()
                        .map(present -> Sets.difference(Set.copyOf(grouping.getExpressions()), Set.copyOf(present)))
                        .flatMap(absent -> before.stream().map(others -> (Set<Expression>) Sets.union(others, absent).immutableCopy()))
                        .toList();
            }
        }
        return sets;
    }

    private static List<List<Expression>> alternatives(GroupingSets grouping)
    {
        List<List<Expression>> parts = grouping.getSets();
        return switch (grouping.getType()) {
            case EXPLICIT -> parts;
            case ROLLUP -> IntStream.rangeClosed(0, parts.size()).mapToObj(size -> flat(parts.subList(0, size))).toList();
            case CUBE -> Sets.powerSet(IntStream.range(0, parts.size()).boxed().collect(toImmutableSet())).stream()
                    .map(chosen -> flat(chosen.stream().map(parts::get).toList()))
                    .toList();
        };
    }

    private static List<Expression> flat(List<List<Expression>> parts)
    {
        return parts.stream().flatMap(List::stream).toList();
    }

    private static List<Object> without(Set<Expression> absent, Rows from, List<Object> row)
    {
        List<Object> values = new ArrayList<>(row);
        for (int i = 0; i < values.size(); i++) {
            Rows.Column column = from.columns().get(i);
            if (absent.stream().anyMatch(key -> column.name().filter(((Identifier) key).getValue()::equals).isPresent())) {
                values.set(i, null);
            }
        }
        return values;
    }

    private static List<List<List<Object>>> groups(QuerySpecification query, Rows from, List<List<Object>> rows, Set<Expression> absent)
    {
        List<Expression> keys = new ArrayList<>();
        query.getGroupBy().ifPresent(groupBy -> groupBy.getGroupingElements().forEach(element -> element.getExpressions().forEach(expression -> keys.add(
                expression instanceof LongLiteral ordinal
                        ? ((SingleColumn) query.getSelect().getSelectItems().get((int) ordinal.getParsedValue() - 1)).getExpression()
                        : expression))));
        keys.removeAll(absent);
        if (keys.isEmpty()) {
            return List.of(rows);
        }
        Map<Object, List<List<Object>>> groups = new LinkedHashMap<>();
        for (List<Object> row : rows) {
            Evaluator evaluator = new Evaluator(from.columns(), row, Optional.empty());
            List<Object> key = keys.stream().map(expression -> Values.key(evaluator.evaluate(expression))).toList();
            groups.computeIfAbsent(key, _ -> new ArrayList<>()).add(row);
        }
        return new ArrayList<>(groups.values());
    }

    /** A bag of rows in a form that tells apart whatever can be told apart, also the zeros of floating point. */
    public static Map<List<Object>, Long> exactBag(List<List<Object>> rows)
    {
        Map<List<Object>, Long> bag = new HashMap<>();
        rows.forEach(row -> bag.merge(new ArrayList<>(row), 1L, Long::sum));
        return bag;
    }

    /** A bag of rows in a form that is equal exactly for equal bags. */
    public static Map<List<Object>, Long> bag(List<List<Object>> rows)
    {
        Map<List<Object>, Long> bag = new HashMap<>();
        rows.forEach(row -> bag.merge(row.stream().map(Values::key).toList(), 1L, Long::sum));
        return bag;
    }
}
