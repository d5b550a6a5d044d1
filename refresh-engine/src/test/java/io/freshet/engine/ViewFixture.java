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
package io.freshet.engine;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.freshet.engine.algebra.AggregateBlock;
import io.freshet.engine.algebra.Block;
import io.freshet.engine.algebra.Expand;
import io.freshet.engine.algebra.Grouped;
import io.freshet.engine.algebra.InnerJoin;
import io.freshet.engine.algebra.LeftJoin;
import io.freshet.engine.algebra.LinearBlock;
import io.freshet.engine.algebra.LinearRelation;
import io.freshet.engine.algebra.Scan;
import io.freshet.engine.algebra.Select;
import io.freshet.engine.algebra.SemiJoin;
import io.freshet.engine.algebra.UnionAll;
import io.freshet.engine.algebra.WindowBlock;
import io.freshet.engine.algebra.Windowed;
import io.trino.sql.parser.SqlParser;
import io.trino.sql.tree.AllColumns;
import io.trino.sql.tree.Expression;
import io.trino.sql.tree.Query;
import io.trino.sql.tree.QuerySpecification;
import io.trino.sql.tree.Relation;
import io.trino.sql.tree.SetOperation;
import io.trino.sql.tree.Statement;
import io.trino.sql.tree.Table;
import io.trino.sql.tree.TableSubquery;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.sql.ExpressionFormatter.formatExpression;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Views over a small catalog, with two verbs: maintainable, and not maintainable because of something at some place.
 */
final class ViewFixture
{
    static final RelationName BACKING = new RelationName("lake", "s", "__mv_v");

    private static final SqlParser PARSER = new SqlParser();

    private static final Map<RelationName, ResolvedRelation> CATALOG = ImmutableMap.<RelationName, ResolvedRelation>builder()
            .put(name("t"), ResolvedRelation.table(columns("a integer", "b integer", "c varchar", "d double")))
            .put(name("u"), ResolvedRelation.table(columns("a bigint", "x varchar")))
            .put(name("sales"), ResolvedRelation.table(columns(
                    "region varchar", "day date", "amount decimal(12,2)", "qty integer", "price double", "weight_kg real", "ok boolean",
                    "ts timestamp(6)", "tz timestamp(6) with time zone", "info row(x integer, region varchar)", "tags array(varchar)",
                    "tm time(6)", "key uuid", "raw varbinary")))
            .put(name("facts"), ResolvedRelation.table(columns("k varchar", "x integer", "p decimal(10,2)", "d double", "f boolean")))
            .put(name("more"), ResolvedRelation.table(columns("k varchar", "x integer", "p decimal(10,2)", "d double", "f boolean")))
            .put(name("strict"), ResolvedRelation.table(ImmutableList.of(new SourceColumn("k", "bigint", false), new SourceColumn("v", "bigint", true))))
            .put(name("mixed \"q.n\u00e4me\""), ResolvedRelation.table(columns("group integer", "select.x integer", "\u00fc varchar")))
            .put(name("v"), ResolvedRelation.logicalView(new ViewText(
                    "SELECT a, b FROM t WHERE a > 1", Optional.of("lake"), Optional.of("s"), ImmutableList.of("a", "b"))))
            .put(name("vv"), ResolvedRelation.logicalView(new ViewText(
                    "SELECT v.a, random() r FROM v JOIN u ON v.a = u.a", Optional.of("lake"), Optional.of("s"), ImmutableList.of("a", "r"))))
            .put(name("loop"), ResolvedRelation.logicalView(new ViewText(
                    "SELECT * FROM loop", Optional.of("lake"), Optional.of("s"), ImmutableList.of("a"))))
            .put(name("mv"), ResolvedRelation.materializedView(columns("a integer", "z timestamp(3) with time zone")))
            .put(name("t$files"), ResolvedRelation.metadataTable())
            .put(new RelationName("other", "s", "f"), ResolvedRelation.foreign(columns("a integer")))
            .buildOrThrow();

    private ViewFixture() {}

    static RelationName name(String table)
    {
        return new RelationName("lake", "s", table);
    }

    private static List<SourceColumn> columns(String... definitions)
    {
        ImmutableList.Builder<SourceColumn> columns = ImmutableList.builder();
        for (String definition : definitions) {
            int space = definition.indexOf(' ');
            columns.add(new SourceColumn(definition.substring(0, space), definition.substring(space + 1), true));
        }
        return columns.build();
    }

    static CompiledView compile(String sql, String... columnNames)
    {
        List<String> names = columnNames.length > 0 ? List.of(columnNames) : names(sql);
        ViewText text = new ViewText(sql, Optional.of("lake"), Optional.of("s"), names);
        return new ViewCompiler().compile(text, name -> CATALOG.getOrDefault(name, ResolvedRelation.missing()));
    }

    /** Some names, as many as the query has columns; of a star, those of the first table. */
    private static List<String> names(String sql)
    {
        Statement statement;
        try {
            statement = PARSER.createStatement(sql);
        }
        catch (RuntimeException e) {
            return ImmutableList.of("c1");
        }
        int count = statement instanceof Query query ? count(query.getQueryBody()) : 1;
        return IntStream.rangeClosed(1, count)
                .mapToObj(index -> "c" + index)
                .collect(toImmutableList());
    }

    private static int count(Relation body)
    {
        return switch (body) {
            case QuerySpecification query -> query.getSelect().getSelectItems().stream()
                    .mapToInt(item -> item instanceof AllColumns ? 4 : 1)
                    .sum();
            case SetOperation operation -> count(operation.getRelations().getFirst());
            case TableSubquery subquery -> count(subquery.getQuery().getQueryBody());
            case Table _ -> 4;
            default -> 1;
        };
    }

    static Block maintainable(String sql, String... columnNames)
    {
        CompiledView view = compile(sql, columnNames);
        if (view.maintenance() instanceof Maintenance.NotMaintained(Refusal refusal)) {
            throw new AssertionError(sql + "\nis refused: " + refusal.message());
        }
        assertThat(view.volatility()).isInstanceOf(Volatility.Stable.class);
        parses(view.typeProbeSql().orElseThrow());
        parses(view.expandedSql());
        Block block = ((Maintenance.Maintained) view.maintenance()).block();
        expressions(block).forEach(expression -> assertThat(PARSER.createExpression(formatExpression(expression)))
                .as("text of %s means the same", expression)
                .isEqualTo(expression));
        return block;
    }

    private static List<Expression> expressions(Block block)
    {
        ImmutableList.Builder<Expression> expressions = ImmutableList.builder();
        collect(block.input(), expressions);
        switch (block) {
            case LinearBlock _ -> {}
            case WindowBlock windows -> {
                windows.where().ifPresent(expressions::add);
                expressions.addAll(windows.keys());
                expressions.addAll(windows.windows());
                windows.outputs().forEach(output -> expressions.add(output.expression()));
                windows.filter().ifPresent(expressions::add);
            }
            case AggregateBlock aggregate -> {
                aggregate.where().ifPresent(expressions::add);
                expressions.addAll(aggregate.keys());
                aggregate.aggregates().forEach(call -> {
                    call.argument().ifPresent(expressions::add);
                    call.filter().ifPresent(expressions::add);
                });
                aggregate.outputs().forEach(output -> expressions.add(output.expression()));
                aggregate.having().ifPresent(expressions::add);
            }
        }
        return expressions.build();
    }

    private static void collect(LinearRelation relation, ImmutableList.Builder<Expression> expressions)
    {
        switch (relation) {
            case Scan _ -> {}
            case Select select -> {
                select.outputs().forEach(output -> expressions.add(output.expression()));
                select.where().ifPresent(expressions::add);
                collect(select.input(), expressions);
            }
            case Expand expand -> collect(expand.input(), expressions);
            case InnerJoin join -> {
                join.outputs().forEach(output -> expressions.add(output.expression()));
                expressions.addAll(join.conditions());
                join.inputs().forEach(input -> collect(input.relation(), expressions));
            }
            case LeftJoin join -> {
                join.outputs().forEach(output -> expressions.add(output.expression()));
                expressions.addAll(join.conditions());
                collect(join.left().relation(), expressions);
                collect(join.right().relation(), expressions);
            }
            case SemiJoin join -> {
                expressions.addAll(join.conditions());
                collect(join.left().relation(), expressions);
                collect(join.right().relation(), expressions);
            }
            case Grouped(AggregateBlock block) -> expressions.addAll(expressions(block));
            case Windowed(WindowBlock block) -> expressions.addAll(expressions(block));
            case UnionAll union -> union.inputs().forEach(input -> collect(input, expressions));
        }
    }

    static NotMaintainable notMaintainable(String sql)
    {
        return new NotMaintainable(sql, compile(sql));
    }

    static void parses(String sql)
    {
        assertThat(PARSER.createStatement(sql)).as(sql).isNotNull();
    }

    static final class NotMaintainable
    {
        private final String sql;
        private final CompiledView view;

        private NotMaintainable(String sql, CompiledView view)
        {
            this.sql = sql;
            this.view = view;
        }

        NotMaintainable because(RefusalCode code, int line, int column)
        {
            assertThat(view.maintenance()).as(sql).isInstanceOf(Maintenance.NotMaintained.class);
            Refusal refusal = ((Maintenance.NotMaintained) view.maintenance()).refusal();
            assertThat(refusal.code()).as("%s: %s", sql, refusal).isEqualTo(code);
            assertThat(refusal.line() + ":" + refusal.column()).as("%s: %s", sql, refusal).isEqualTo(line + ":" + column);
            assertThat(refusal.detail()).as(sql).contains(line + ":" + column);
            assertThat(refusal.message()).endsWith("(" + code + ")");
            assertThat(view.typeProbes()).isEmpty();
            return this;
        }

        NotMaintainable saying(String detail)
        {
            assertThat(((Maintenance.NotMaintained) view.maintenance()).refusal().detail()).isEqualTo(detail);
            return this;
        }
    }
}
