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
import io.freshet.engine.algebra.AggregateBlock;
import io.freshet.engine.algebra.AggregateCall;
import io.freshet.engine.algebra.AggregateFunction;
import io.freshet.engine.algebra.Expand;
import io.freshet.engine.algebra.OutputColumn;
import io.freshet.engine.analyze.SelectAnalyzer.Item;
import io.trino.sql.tree.AutoGroupBy;
import io.trino.sql.tree.Expression;
import io.trino.sql.tree.GroupBy;
import io.trino.sql.tree.GroupingElement;
import io.trino.sql.tree.GroupingSets;
import io.trino.sql.tree.LongLiteral;
import io.trino.sql.tree.QuerySpecification;
import io.trino.sql.tree.SimpleGroupBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.freshet.engine.algebra.Expressions.keyReference;
import static io.freshet.engine.analyze.ExpressionResolver.resolve;
import static io.freshet.engine.analyze.RefusedException.refused;
import static java.util.Objects.requireNonNull;

/**
 * GROUP BY, HAVING and aggregates over rows. Ordinals are resolved against the select list as the user wrote it.
 */
final class GroupAnalyzer
{
    private final FromItem.Rows rows;
    private final List<Field> fields;
    private final Aliases aliases;

    GroupAnalyzer(FromItem.Rows rows, List<Field> fields, Aliases aliases)
    {
        this.rows = requireNonNull(rows, "rows is null");
        this.fields = ImmutableList.copyOf(fields);
        this.aliases = requireNonNull(aliases, "aliases is null");
    }

    FromItem analyze(QuerySpecification query, Optional<Expression> where, List<Item> items)
    {
        GroupingSetList sets = query.getGroupBy().map(groupBy -> sets(groupBy, items)).orElse(GroupingSetList.GLOBAL);
        List<Expression> keys = sets.keys();
        String groupAlias = aliases.prefix() + "g";
        List<AggregateCall> aggregates = new ArrayList<>();
        Grouping grouping = new Grouping(sets, rows.alias(), groupAlias, aggregates);

        List<Item> grouped = items.stream()
                .map(item -> new Item(item.name(), item.source(), grouping.rewrite(item.resolved(), item.source()), item.timeOfDay()))
                .collect(toImmutableList());
        Optional<Expression> having = query.getHaving()
                .map(condition -> grouping.rewrite(resolve(condition, fields), condition));

        if (keys.isEmpty()) {
            aggregates.forEach(FunctionCalls::refuseWithoutGroups);
        }
        else if (!sets.emptySets().isEmpty()) {
            aggregates.forEach(GroupAnalyzer::refuseInTotal);
        }
        List<OutputColumn> outputs = SelectAnalyzer.outputs(grouped);
        AggregateBlock block = new AggregateBlock(
                sets.isSingle() ? rows.relation() : new Expand(rows.relation(), aliases.nextRelation(), sets.sets().size()),
                rows.alias(),
                where,
                sets.maintainedKeys(rows.alias()),
                keys.isEmpty(),
                sets.emptySets(),
                aggregates,
                outputs,
                having,
                aliases.prefix());
        return SelectAnalyzer.groupFields(block, grouped);
    }

    private static void refuseInTotal(AggregateCall aggregate)
    {
        if (aggregate.function() == AggregateFunction.WHOLE_GROUP) {
            throw refused(RefusalCode.GROUPING_SETS, aggregate.call(), aggregate.call().getName().toString(), "in a total over all groups needs all rows");
        }
    }

    static FromItem distinct(FromItem.Rows rows, List<Field> fields, Aliases aliases)
    {
        List<Expression> keys = fields.stream()
                .map(Field::meaning)
                .distinct()
                .collect(toImmutableList());
        String groupAlias = aliases.prefix() + "g";
        List<Item> items = fields.stream()
                .map(field -> new Item(
                        field.name(),
                        field.meaning(),
                        keyReference(groupAlias, keys.indexOf(field.meaning())),
                        field.timeOfDay()))
                .collect(toImmutableList());
        AggregateBlock block = new AggregateBlock(
                rows.relation(),
                rows.alias(),
                Optional.empty(),
                keys,
                false,
                ImmutableList.of(),
                ImmutableList.of(),
                SelectAnalyzer.outputs(items),
                Optional.empty(),
                aliases.prefix());
        return SelectAnalyzer.groupFields(block, items);
    }

    private GroupingSetList sets(GroupBy groupBy, List<Item> items)
    {
        GroupingSetList sets = GroupingSetList.GLOBAL;
        for (GroupingElement element : groupBy.getGroupingElements()) {
            sets = switch (element) {
                case SimpleGroupBy simple -> sets.with(simple.getExpressions().stream()
                        .map(expression -> key(expression, items))
                        .collect(toImmutableList()));
                case AutoGroupBy _ -> sets.with(items.stream()
                        .filter(item -> !QueryAnalyzer.containsAggregate(item.source()))
                        .map(Item::resolved)
                        .collect(toImmutableList()));
                case GroupingSets grouping -> sets.times(alternatives(grouping), grouping);
                default -> throw refused(RefusalCode.UNSUPPORTED_SYNTAX, element, "grouping", "is not maintained");
            };
        }
        return groupBy.isDistinct() ? sets.distinct() : sets;
    }

    private List<List<Expression>> alternatives(GroupingSets grouping)
    {
        List<List<Expression>> sets = grouping.getSets().stream()
                .map(set -> set.stream().map(expression -> resolve(expression, fields)).collect(toImmutableList()))
                .collect(toImmutableList());
        return switch (grouping.getType()) {
            case EXPLICIT -> sets;
            case ROLLUP -> GroupingSetList.rollup(sets);
            case CUBE -> GroupingSetList.cube(sets, grouping);
        };
    }

    private Expression key(Expression expression, List<Item> items)
    {
        if (expression instanceof LongLiteral ordinal) {
            long position = ordinal.getParsedValue();
            if (position < 1 || position > items.size()) {
                throw refused(RefusalCode.UNSUPPORTED_SYNTAX, expression, "GROUP BY position", "is not in the select list");
            }
            return items.get((int) position - 1).resolved();
        }
        return resolve(expression, fields);
    }
}
