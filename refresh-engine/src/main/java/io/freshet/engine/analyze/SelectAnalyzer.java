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
import io.freshet.engine.RefusalCode;
import io.freshet.engine.StateLayout;
import io.freshet.engine.algebra.AggregateBlock;
import io.freshet.engine.algebra.LinearRelation;
import io.freshet.engine.algebra.OutputColumn;
import io.freshet.engine.algebra.Select;
import io.freshet.engine.algebra.WindowBlock;
import io.trino.sql.tree.AllColumns;
import io.trino.sql.tree.BooleanLiteral;
import io.trino.sql.tree.DereferenceExpression;
import io.trino.sql.tree.Expression;
import io.trino.sql.tree.Identifier;
import io.trino.sql.tree.IfExpression;
import io.trino.sql.tree.Node;
import io.trino.sql.tree.NodeLocation;
import io.trino.sql.tree.QualifiedName;
import io.trino.sql.tree.QuerySpecification;
import io.trino.sql.tree.SelectItem;
import io.trino.sql.tree.SingleColumn;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.freshet.engine.algebra.Expressions.keyReference;
import static io.freshet.engine.algebra.Expressions.reference;
import static io.freshet.engine.analyze.ExpressionResolver.resolve;
import static io.freshet.engine.analyze.ExpressionResolver.resolveWithWindows;
import static io.freshet.engine.analyze.RefusedException.refused;
import static java.util.Locale.ENGLISH;
import static java.util.Objects.requireNonNull;

/**
 * SELECT … FROM … WHERE … GROUP BY … HAVING.
 */
final class SelectAnalyzer
{
    private final RelationAnalyzer relations;
    private final Aliases aliases;

    SelectAnalyzer(RelationAnalyzer relations, Aliases aliases)
    {
        this.relations = requireNonNull(relations, "relations is null");
        this.aliases = requireNonNull(aliases, "aliases is null");
    }

    /** An item of the select list: as written (for its name and for messages) and resolved. */
    record Item(Optional<String> name, Node source, Expression resolved, boolean timeOfDay) {}

    FromItem analyze(QuerySpecification query, NameScope scope)
    {
        QueryAnalyzer.refuseLimit(query.getLimit(), query.getOffset().map(Node.class::cast));
        if (!query.getWindows().isEmpty()) {
            throw refused(RefusalCode.WINDOW_FUNCTION, query.getWindows().getFirst(), "named window", "is not maintained");
        }
        FromItem source = relations.analyze(
                query.getFrom().orElseThrow(() -> refused(RefusalCode.NO_SOURCE, query, "query", "reads no table")),
                scope);
        boolean windows = WindowAnalyzer.containsWindow(query.getSelect());
        boolean aggregation = query.getGroupBy().isPresent()
                || query.getHaving().isPresent()
                || QueryAnalyzer.containsAggregate(query.getSelect());
        boolean distinct = query.getSelect().isDistinct();

        boolean nested = aggregation || windows || distinct && source.origin() instanceof FromItem.Windows;
        SubqueryAnalyzer subqueries = new SubqueryAnalyzer(relations, aliases);
        SubqueryAnalyzer.Filtered filtered = subqueries.filter(nested ? Nesting.asRows(source, aliases) : source, query.getWhere(), scope);
        FromItem from = filtered.item();
        Optional<Expression> where = filtered.where();
        boolean maintainedWindows = windows && !aggregation;
        List<Item> items = selectList(query, from.fields(), maintainedWindows);

        FromItem result = switch (from.origin()) {
            case FromItem.Rows rows when maintainedWindows -> distinctIf(distinct, new WindowAnalyzer(rows, aliases).analyze(where, items));
            case FromItem.Rows rows -> aggregation
                    ? new GroupAnalyzer(rows, from.fields(), aliases).analyze(query, where, items)
                    : rows(rows, where, items, distinct);
            case FromItem.Groups groups -> groups(groups.block(), where, items);
            case FromItem.Windows overWindows -> {
                WindowBlock block = overWindows.block();
                yield windowFields(block.withOutputs(outputs(items), both(block.filter(), where)), items);
            }
        };
        if (distinct && result.origin() instanceof FromItem.Groups groups && !isDistinct(groups.block())) {
            return distinct(Nesting.asRows(result, aliases), aliases);
        }
        query.getOrderBy().ifPresent(orderBy -> QueryAnalyzer.checkOrderBy(orderBy, result));
        return result;
    }

    private FromItem distinctIf(boolean distinct, FromItem item)
    {
        return distinct ? distinct(Nesting.asRows(item, aliases), aliases) : item;
    }

    /** DISTINCT adds nothing if every key is selected; then no two groups have equal rows. */
    private static boolean isDistinct(AggregateBlock block)
    {
        return IntStream.range(0, block.keys().size())
                .mapToObj(i -> keyReference(block.groupAlias(), i))
                .allMatch(key -> block.outputs().stream().anyMatch(output -> output.expression().equals(key)));
    }

    private static List<Item> selectList(QuerySpecification query, List<Field> fields, boolean windows)
    {
        ImmutableList.Builder<Item> items = ImmutableList.builder();
        for (SelectItem item : query.getSelect().getSelectItems()) {
            switch (item) {
                case SingleColumn column -> items.add(new Item(
                        column.getAlias().map(Identifier::getValue).or(() -> derivedName(column.getExpression())),
                        column.getExpression(),
                        windows ? resolveWithWindows(column.getExpression(), fields) : resolve(column.getExpression(), fields),
                        TimesOfDay.mayBeTimeOfDay(column.getExpression(), fields)));
                case AllColumns all -> items.addAll(expand(all, fields));
                default -> throw refused(RefusalCode.UNSUPPORTED_SYNTAX, item, "select item", "is not maintained");
            }
        }
        return items.build();
    }

    private static Optional<String> derivedName(Expression expression)
    {
        return switch (expression) {
            case Identifier identifier -> Optional.of(identifier.getValue());
            case DereferenceExpression dereference -> DereferenceExpression.getQualifiedName(dereference) == null
                    ? Optional.empty()
                    : dereference.getField().map(Identifier::getValue);
            default -> Optional.empty();
        };
    }

    private static List<Item> expand(AllColumns all, List<Field> fields)
    {
        List<Field> matches = fields;
        if (all.getTarget().isPresent()) {
            QualifiedName name = relationName(all.getTarget().get())
                    .orElseThrow(() -> refused(RefusalCode.UNSUPPORTED_SYNTAX, all, "star", "over an expression is not maintained"));
            matches = fields.stream()
                    .filter(field -> field.isOf(name))
                    .collect(toImmutableList());
        }
        List<Identifier> names = all.getAliases();
        if (matches.isEmpty() || (!names.isEmpty() && names.size() != matches.size())) {
            throw refused(RefusalCode.AMBIGUOUS_NAME, all, "star", "cannot be expanded with certainty");
        }
        ImmutableList.Builder<Item> items = ImmutableList.builder();
        for (int i = 0; i < matches.size(); i++) {
            Field field = matches.get(i);
            Optional<String> name = names.isEmpty() ? field.name() : Optional.of(names.get(i).getCanonicalValue());
            items.add(new Item(name, all, field.meaning(), field.timeOfDay()));
        }
        return items.build();
    }

    static Optional<QualifiedName> relationName(Expression target)
    {
        return switch (target) {
            case Identifier identifier -> Optional.of(QualifiedName.of(ImmutableList.of(identifier)));
            case DereferenceExpression dereference -> Optional.ofNullable(DereferenceExpression.getQualifiedName(dereference));
            default -> Optional.empty();
        };
    }

    private FromItem rows(FromItem.Rows rows, Optional<Expression> where, List<Item> items, boolean distinct)
    {
        List<OutputColumn> outputs = outputs(items);
        Select select = new Select(rows.relation(), rows.alias(), where, outputs);
        String alias = aliases.nextRelation();
        ImmutableList.Builder<Field> fields = ImmutableList.builder();
        for (int i = 0; i < items.size(); i++) {
            Item item = items.get(i);
            fields.add(new Field(Optional.empty(), item.name(), reference(alias, outputs.get(i).name()), item.timeOfDay()));
        }
        FromItem result = new FromItem(new FromItem.Rows(select, alias), fields.build());
        return distinct ? distinct(result, aliases) : result;
    }

    /** Rows without duplicates are groups by all columns. */
    static FromItem distinct(FromItem item, Aliases aliases)
    {
        return switch (item.origin()) {
            case FromItem.Rows rows -> GroupAnalyzer.distinct(rows, item.fields(), aliases);
            case FromItem.Groups _ -> item;
            case FromItem.Windows _ -> distinct(Nesting.asRows(item, aliases), aliases);
        };
    }

    private static FromItem groups(AggregateBlock block, Optional<Expression> where, List<Item> items)
    {
        return groupFields(block.withOutputs(outputs(items), both(block.having(), where)), items);
    }

    /** What the inner query drops is not seen by the outer condition, which may fail on it. */
    private static Optional<Expression> both(Optional<Expression> inner, Optional<Expression> outer)
    {
        if (inner.isPresent() && outer.isPresent()) {
            return Optional.of(new IfExpression(new NodeLocation(1, 1), inner.get(), outer.get(), falseLiteral()));
        }
        return inner.or(() -> outer);
    }

    private static Expression falseLiteral()
    {
        return new BooleanLiteral(new NodeLocation(1, 1), "false");
    }

    static FromItem groupFields(AggregateBlock block, List<Item> items)
    {
        ImmutableList.Builder<Field> fields = ImmutableList.builder();
        for (int i = 0; i < items.size(); i++) {
            fields.add(new Field(Optional.empty(), items.get(i).name(), block.outputs().get(i).expression(), items.get(i).timeOfDay()));
        }
        return new FromItem(new FromItem.Groups(block), fields.build());
    }

    static FromItem windowFields(WindowBlock block, List<Item> items)
    {
        ImmutableList.Builder<Field> fields = ImmutableList.builder();
        for (int i = 0; i < items.size(); i++) {
            fields.add(new Field(Optional.empty(), items.get(i).name(), block.outputs().get(i).expression(), items.get(i).timeOfDay()));
        }
        return new FromItem(new FromItem.Windows(block), fields.build());
    }

    static List<OutputColumn> outputs(List<Item> items)
    {
        Set<String> taken = new HashSet<>();
        ImmutableList.Builder<OutputColumn> outputs = ImmutableList.builder();
        for (int i = 0; i < items.size(); i++) {
            String name = items.get(i).name().map(value -> value.toLowerCase(ENGLISH)).orElse("_col" + i);
            if (name.startsWith(StateLayout.HIDDEN_PREFIX)) {
                // the names of columns that a refresh adds beside these
                name = "_" + name;
            }
            while (!taken.add(name)) {
                name += "_" + i;
            }
            outputs.add(new OutputColumn(name, items.get(i).resolved()));
        }
        return outputs.build();
    }

    /** The fields as a relation of their own; the relation itself if the fields are just its columns. */
    static LinearRelation project(FromItem.Rows rows, List<Field> fields)
    {
        List<Expression> columns = rows.relation().columns().stream()
                .map(column -> reference(rows.alias(), column))
                .collect(toImmutableList());
        List<Expression> meanings = fields.stream()
                .map(Field::meaning)
                .collect(toImmutableList());
        if (columns.equals(meanings) && rows.relation() instanceof Select) {
            return rows.relation();
        }
        return new Select(rows.relation(), rows.alias(), Optional.empty(), outputs(fields.stream()
                .map(field -> new Item(field.name(), field.meaning(), field.meaning(), field.timeOfDay()))
                .collect(toImmutableList())));
    }
}
