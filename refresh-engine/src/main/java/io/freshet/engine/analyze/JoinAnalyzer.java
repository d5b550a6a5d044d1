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
import com.google.common.collect.ImmutableMap;
import io.freshet.engine.RefusalCode;
import io.freshet.engine.algebra.Conditions;
import io.freshet.engine.algebra.InnerJoin;
import io.freshet.engine.algebra.JoinInput;
import io.freshet.engine.algebra.LeftJoin;
import io.freshet.engine.algebra.LinearRelation;
import io.freshet.engine.algebra.OutputColumn;
import io.freshet.engine.algebra.Select;
import io.freshet.engine.algebra.SemiJoin;
import io.freshet.engine.algebra.UnionAll;
import io.trino.sql.tree.CoalesceExpression;
import io.trino.sql.tree.DereferenceExpression;
import io.trino.sql.tree.Expression;
import io.trino.sql.tree.Identifier;
import io.trino.sql.tree.Join;
import io.trino.sql.tree.JoinOn;
import io.trino.sql.tree.JoinUsing;
import io.trino.sql.tree.NodeLocation;
import io.trino.sql.tree.NullLiteral;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.freshet.engine.algebra.Expressions.reference;
import static io.freshet.engine.algebra.Expressions.substitute;
import static io.freshet.engine.analyze.RefusedException.refused;
import static java.util.Locale.ENGLISH;
import static java.util.Objects.requireNonNull;

/**
 * Joins in a FROM clause. Inner joins of inner joins become one, whose inputs can be joined in any order.
 */
final class JoinAnalyzer
{
    private static final NodeLocation NOWHERE = new NodeLocation(1, 1);

    private final Aliases aliases;

    JoinAnalyzer(Aliases aliases)
    {
        this.aliases = requireNonNull(aliases, "aliases is null");
    }

    /** A relation as inputs of an inner join that is to be made of it. The columns are what the inputs' columns are in their terms. */
    private record Parts(List<JoinInput> inputs, List<Expression> conditions, Map<String, Expression> columns)
    {
        static Parts of(LinearRelation relation, String alias)
        {
            return switch (relation) {
                case InnerJoin join -> new Parts(join.inputs(), join.conditions(), columns(join.outputs()));
                case Select select -> {
                    Parts inner = of(select.input(), select.alias());
                    if (inner.inputs().size() == 1) {
                        yield whole(relation, alias);
                    }
                    ImmutableList.Builder<Expression> conditions = ImmutableList.<Expression>builder().addAll(inner.conditions());
                    select.where().ifPresent(where -> Conditions.conjuncts(where).forEach(
                            condition -> conditions.add(substitute(condition, select.alias(), inner.columns()))));
                    ImmutableMap.Builder<String, Expression> columns = ImmutableMap.builder();
                    select.outputs().forEach(output -> columns.put(output.name(), substitute(output.expression(), select.alias(), inner.columns())));
                    yield new Parts(inner.inputs(), conditions.build(), columns.buildOrThrow());
                }
                default -> whole(relation, alias);
            };
        }

        private static Parts whole(LinearRelation relation, String alias)
        {
            ImmutableMap.Builder<String, Expression> columns = ImmutableMap.builder();
            relation.columns().forEach(column -> columns.put(column, reference(alias, column)));
            return new Parts(ImmutableList.of(new JoinInput(relation, alias)), ImmutableList.of(), columns.buildOrThrow());
        }

        private static Map<String, Expression> columns(List<OutputColumn> outputs)
        {
            ImmutableMap.Builder<String, Expression> columns = ImmutableMap.builder();
            outputs.forEach(output -> columns.put(output.name(), output.expression()));
            return columns.buildOrThrow();
        }
    }

    FromItem analyze(Join join, FromItem left, FromItem right)
    {
        FromItem leftRows = Nesting.asRows(left, aliases);
        FromItem rightRows = Nesting.asRows(right, aliases);
        return switch (join.getType()) {
            case CROSS, IMPLICIT, INNER -> innerJoin(join, leftRows, rightRows);
            case LEFT, RIGHT, FULL -> outerJoin(join, leftRows, rightRows);
        };
    }

    private FromItem innerJoin(Join join, FromItem left, FromItem right)
    {
        FromItem.Rows leftRows = (FromItem.Rows) left.origin();
        FromItem.Rows rightRows = (FromItem.Rows) right.origin();
        Parts leftParts = Parts.of(leftRows.relation(), leftRows.alias());
        Parts rightParts = Parts.of(rightRows.relation(), rightRows.alias());
        List<Field> leftFields = fields(left.fields(), leftRows.alias(), leftParts);
        List<Field> rightFields = fields(right.fields(), rightRows.alias(), rightParts);
        Combined combined = combine(join, leftFields, rightFields);
        InnerJoin relation = new InnerJoin(
                ImmutableList.<JoinInput>builder().addAll(leftParts.inputs()).addAll(rightParts.inputs()).build(),
                ImmutableList.<Expression>builder()
                        .addAll(leftParts.conditions())
                        .addAll(rightParts.conditions())
                        .addAll(combined.conditions())
                        .build(),
                outputs(combined.fields()));
        return Nesting.relation(relation, combined.fields(), aliases.nextRelation());
    }

    /**
     * <pre>
     * L FULL JOIN R  ->  (L LEFT JOIN R) UNION ALL (NULLs, R) of the rows of R that match none of L
     * </pre>
     */
    private FromItem outerJoin(Join join, FromItem left, FromItem right)
    {
        JoinInput leftInput = input(left);
        JoinInput rightInput = input(right);
        Combined combined = combine(join, left.fields(), right.fields());
        List<OutputColumn> outputs = outputs(combined.fields());
        boolean swapped = join.getType() == Join.Type.RIGHT;
        LeftJoin kept = new LeftJoin(swapped ? rightInput : leftInput, swapped ? leftInput : rightInput, combined.conditions(), outputs);
        if (kept.match().keys().isEmpty()) {
            throw refused(RefusalCode.NON_EQUI_OUTER_JOIN, join.getRight(), "outer join", "has no condition that equates its sides");
        }
        if (join.getType() != Join.Type.FULL) {
            return Nesting.relation(kept, combined.fields(), aliases.nextRelation());
        }
        SemiJoin lone = new SemiJoin(rightInput, leftInput, combined.conditions(), true);
        ImmutableMap.Builder<String, Expression> nulls = ImmutableMap.builder();
        leftInput.relation().columns().forEach(column -> nulls.put(column, new NullLiteral(NOWHERE)));
        List<OutputColumn> padded = outputs.stream()
                .map(output -> new OutputColumn(output.name(), substitute(output.expression(), leftInput.alias(), nulls.buildOrThrow())))
                .collect(toImmutableList());
        UnionAll both = new UnionAll(ImmutableList.of(kept, new Select(lone, rightInput.alias(), Optional.empty(), padded)));
        return Nesting.relation(both, combined.fields(), aliases.nextRelation());
    }

    /**
     * @param conditions refer to the item and to the input by their aliases
     */
    FromItem joinedWith(FromItem item, JoinInput input, List<Expression> conditions)
    {
        FromItem.Rows rows = (FromItem.Rows) item.origin();
        Parts parts = Parts.of(rows.relation(), rows.alias());
        List<Field> fields = fields(item.fields(), rows.alias(), parts);
        InnerJoin relation = new InnerJoin(
                ImmutableList.<JoinInput>builder().addAll(parts.inputs()).add(input).build(),
                ImmutableList.<Expression>builder()
                        .addAll(parts.conditions())
                        .addAll(conditions.stream().map(condition -> substitute(condition, rows.alias(), parts.columns())).collect(toImmutableList()))
                        .build(),
                outputs(fields));
        return Nesting.relation(relation, fields, aliases.nextRelation());
    }

    private static JoinInput input(FromItem item)
    {
        FromItem.Rows rows = (FromItem.Rows) item.origin();
        return new JoinInput(rows.relation(), rows.alias());
    }

    private static List<Field> fields(List<Field> fields, String alias, Parts parts)
    {
        return fields.stream()
                .map(field -> field.withMeaning(substitute(field.meaning(), alias, parts.columns())))
                .collect(toImmutableList());
    }

    /** What the ON or USING clause says. The fields mean expressions over the inputs. */
    private record Combined(List<Field> fields, List<Expression> conditions) {}

    private static Combined combine(Join join, List<Field> left, List<Field> right)
    {
        List<Field> all = ImmutableList.<Field>builder().addAll(left).addAll(right).build();
        if (join.getCriteria().isEmpty()) {
            return new Combined(all, ImmutableList.of());
        }
        return switch (join.getCriteria().get()) {
            case JoinOn on -> new Combined(all, Conditions.conjuncts(ExpressionResolver.resolve(on.getExpression(), all)));
            case JoinUsing using -> using(using, left, right);
            // NATURAL, which the engine does not know either
            default -> throw refused(RefusalCode.JOIN, join, "join", "of this kind is not maintained");
        };
    }

    /** As in Trino: the columns of the clause come first and belong to neither side. */
    private static Combined using(JoinUsing using, List<Field> left, List<Field> right)
    {
        List<Field> otherLeft = new ArrayList<>(left);
        List<Field> otherRight = new ArrayList<>(right);
        ImmutableList.Builder<Field> fields = ImmutableList.builder();
        ImmutableList.Builder<Expression> conditions = ImmutableList.builder();
        for (Identifier column : using.getColumns()) {
            Field leftField = only(column, left);
            Field rightField = only(column, right);
            otherLeft.remove(leftField);
            otherRight.remove(rightField);
            fields.add(new Field(
                    Optional.empty(),
                    Optional.of(column.getValue()),
                    new CoalesceExpression(NOWHERE, ImmutableList.of(leftField.meaning(), rightField.meaning())),
                    leftField.timeOfDay() || rightField.timeOfDay()));
            conditions.add(Conditions.equal(leftField.meaning(), rightField.meaning()));
        }
        return new Combined(fields.addAll(otherLeft).addAll(otherRight).build(), conditions.build());
    }

    private static Field only(Identifier column, List<Field> fields)
    {
        List<Field> matches = fields.stream()
                .filter(field -> field.isNamed(ImmutableList.of(column)))
                .collect(toImmutableList());
        if (matches.size() != 1) {
            throw refused(RefusalCode.AMBIGUOUS_NAME, column, "column " + column, "is not one of each side");
        }
        return matches.getFirst();
    }

    /** The names do not depend on other columns, so that a column that a table gains later does not change them. */
    private static List<OutputColumn> outputs(List<Field> fields)
    {
        Set<String> taken = new HashSet<>();
        ImmutableList.Builder<OutputColumn> outputs = ImmutableList.builder();
        int expressions = 0;
        for (Field field : fields) {
            String name = field.meaning() instanceof DereferenceExpression column && column.getBase() instanceof Identifier alias && column.getField().isPresent()
                    ? alias.getValue() + "_" + column.getField().get().getValue().toLowerCase(ENGLISH)
                    : "e" + ++expressions;
            while (!taken.add(name)) {
                name += "_";
            }
            outputs.add(new OutputColumn(name, field.meaning()));
        }
        return outputs.build();
    }

    /** A condition on the rows of an inner join is one of its own. */
    static FromItem.Rows filtered(FromItem.Rows rows, InnerJoin join, Expression where)
    {
        Map<String, Expression> columns = Parts.columns(join.outputs());
        List<Expression> conditions = Conditions.conjuncts(where).stream()
                .map(condition -> substitute(condition, rows.alias(), columns))
                .collect(toImmutableList());
        return new FromItem.Rows(join.withConditions(conditions), rows.alias());
    }
}
