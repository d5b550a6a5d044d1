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
import io.freshet.engine.algebra.WindowBlock;
import io.trino.sql.tree.Expression;
import io.trino.sql.tree.FunctionCall;
import io.trino.sql.tree.WindowSpecification;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import static com.google.common.base.Preconditions.checkArgument;
import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.freshet.engine.SqlNames.quote;
import static io.freshet.engine.algebra.Expressions.reference;
import static io.trino.sql.ExpressionFormatter.formatExpression;
import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;

/**
 * The statements that refresh a block of window functions.
 */
public final class WindowStatements
{
    private static final String KEY_PREFIX = StateLayout.HIDDEN_PREFIX + "k";
    private static final String STORED = StateLayout.HIDDEN_PREFIX + "stored";
    private static final String ADDRESS = "address";

    private final WindowBlock block;
    private final StateLayout layout;
    private final Target target;
    private final List<TargetColumn> columns;

    public WindowStatements(WindowBlock block, StateLayout layout, Target target)
    {
        this.block = requireNonNull(block, "block is null");
        this.layout = requireNonNull(layout, "layout is null");
        this.target = requireNonNull(target, "target is null");
        this.columns = target.written(layout);
        checkArgument(target.visibleColumns() == block.outputs().size(), "the backing table does not fit the view");
    }

    /**
     * Everything anew from the sources.
     * <pre>
     * INSERT INTO backing SELECT outputs, keys FROM (SELECT columns, keys, windows FROM sources) r WHERE filter
     * </pre>
     */
    public String full()
    {
        return Target.insertInto(target.name(), columns)
                + "SELECT " + String.join(", ", values(false))
                + " FROM " + evaluated(block)
                + block.filter().map(RelationRenderer::where).orElse("");
    }

    /**
     * The rows whose keys occur in the delta, with whatever sign: the stored ones are deleted, and those are added that the sources
     * give.
     * <pre>
     * INSERT INTO backing (…, address, change)
     * SELECT outputs, keys, address, -1 if stored, 1 otherwise
     * FROM (SELECT columns, keys, address, stored, windows partitioned by stored too
     *       FROM (SELECT columns, keys, NULL address, false stored FROM sources
     *             UNION ALL SELECT NULLs, keys, address, true FROM backing) r
     *       JOIN (SELECT keys FROM delta GROUP BY keys) b ON same key) r
     * WHERE stored OR filter
     * </pre>
     *
     * @param comparableKeys for each key, whether it is neither NULL nor NaN in any row of the delta
     */
    public String recompute(SourceText delta, List<Boolean> comparableKeys)
    {
        String alias = quote(block.inputAlias());
        String touched = block.aliasPrefix() + "b";
        String stored = alias + "." + quote(STORED);
        List<String> inner = new ArrayList<>();
        columnNames().forEach(name -> inner.add(alias + "." + quote(name) + " AS " + quote(name)));
        inner.add(alias + "." + quote(ADDRESS) + " AS " + quote(ADDRESS));
        inner.add(stored + " AS " + quote(STORED));
        for (int i = 0; i < block.windows().size(); i++) {
            inner.add(formatExpression(partitionedByOrigin(block.windows().get(i))) + " AS " + quote(WindowBlock.windowColumn(i)));
        }
        String rows = "(SELECT " + String.join(", ", inner)
                + " FROM (" + sourceRows(delta) + " UNION ALL " + storedRows() + ") AS " + alias
                + " JOIN (" + touchedKeys(delta) + ") AS " + quote(touched)
                + " ON " + sameKey(touched, comparableKeys) + ") AS " + alias;
        String condition = block.filter()
                .map(filter -> " WHERE CASE WHEN " + stored + " THEN true ELSE " + formatExpression(filter) + " END")
                .orElse("");
        return AddressedRows.insert(target.name(), columns, values(true), "if(" + stored + ", -1, 1)", rows, block.inputAlias()) + condition;
    }

    /** A query of no rows with the keys and the outputs. */
    static String probe(WindowBlock block)
    {
        List<String> values = new ArrayList<>();
        for (int i = 0; i < block.keys().size(); i++) {
            values.add(quote(block.inputAlias()) + "." + quote(KEY_PREFIX + (i + 1)));
        }
        block.outputs().forEach(output -> values.add(formatExpression(output.expression())));
        return "SELECT " + String.join(", ", values) + " FROM " + evaluated(block) + " LIMIT 0";
    }

    /** The input with keys and windows. */
    private static String evaluated(WindowBlock block)
    {
        String alias = quote(block.inputAlias());
        List<String> values = new ArrayList<>();
        block.input().columns().forEach(name -> values.add(alias + "." + quote(name) + " AS " + quote(name)));
        for (int i = 0; i < block.keys().size(); i++) {
            values.add(formatExpression(block.keys().get(i)) + " AS " + quote(KEY_PREFIX + (i + 1)));
        }
        for (int i = 0; i < block.windows().size(); i++) {
            values.add(formatExpression(block.windows().get(i)) + " AS " + quote(WindowBlock.windowColumn(i)));
        }
        return "(SELECT " + String.join(", ", values)
                + RelationRenderer.from(block.input(), block.inputAlias(), SourceText.TABLES)
                + block.where().map(RelationRenderer::where).orElse("") + ") AS " + alias;
    }

    /** Columns of the input, then keys. */
    private List<String> columnNames()
    {
        return ImmutableList.<String>builder()
                .addAll(block.input().columns())
                .addAll(IntStream.rangeClosed(1, block.keys().size()).mapToObj(i -> KEY_PREFIX + i).collect(toImmutableList()))
                .build();
    }

    private String touchedKeys(SourceText delta)
    {
        return "SELECT " + String.join(", ", GroupRenderer.keyColumns(layout))
                + RelationRenderer.from(block.input(), block.inputAlias(), delta)
                + block.where().map(RelationRenderer::where).orElse("")
                + GroupRenderer.groupBy(layout.keys().size());
    }

    private String sourceRows(SourceText delta)
    {
        String alias = quote(block.inputAlias());
        List<String> values = new ArrayList<>();
        block.input().columns().forEach(name -> values.add(alias + "." + quote(name) + " AS " + quote(name)));
        for (int i = 0; i < block.keys().size(); i++) {
            values.add(formatExpression(block.keys().get(i)) + " AS " + quote(KEY_PREFIX + (i + 1)));
        }
        return "SELECT " + String.join(", ", values) + ", NULL AS " + quote(ADDRESS) + ", false AS " + quote(STORED)
                + " FROM " + RelationRenderer.aliased(RelationRenderer.touchedRows(block.input(), block.inputAlias(), block.where(), block.keys(), delta), block.inputAlias())
                + block.where().map(RelationRenderer::where).orElse("");
    }

    private String storedRows()
    {
        String alias = block.aliasPrefix() + "t";
        List<String> values = new ArrayList<>();
        block.input().columns().forEach(_ -> values.add("NULL"));
        layout.keys().forEach(key -> values.add(GroupRenderer.read(quote(alias) + "." + quote(key.column()), key.storageType(), key.type())));
        return "SELECT " + String.join(", ", values) + ", " + AddressedRows.readFrom(alias) + ", true"
                + " FROM " + target.name().toSql() + " AS " + quote(alias);
    }

    /** Stored rows are in no partition of rows of the sources. */
    private FunctionCall partitionedByOrigin(FunctionCall call)
    {
        WindowSpecification window = (WindowSpecification) call.getWindow().orElseThrow();
        List<Expression> partition = ImmutableList.<Expression>builder()
                .addAll(window.getPartitionBy())
                .add(reference(block.inputAlias(), STORED))
                .build();
        return new FunctionCall(
                call.getLocation().orElseThrow(),
                call.getName(),
                Optional.of(new WindowSpecification(window.getExistingWindowName(), partition, window.getOrderBy(), window.getFrame())),
                call.getFilter(),
                call.getOrderBy(),
                call.isDistinct(),
                call.getNullTreatment(),
                call.getProcessingMode(),
                call.getArguments());
    }

    private String sameKey(String touched, List<Boolean> comparableKeys)
    {
        return IntStream.range(0, layout.keys().size())
                .mapToObj(i -> KeyEquality.render(
                        quote(block.inputAlias()) + "." + quote(KEY_PREFIX + (i + 1)),
                        quote(touched) + "." + quote(GroupRenderer.key(i)),
                        layout.keys().get(i).type(),
                        comparableKeys.get(i)))
                .collect(joining(" AND "));
    }

    /** Nothing is computed for rows that are deleted, as that may fail. */
    private List<String> values(boolean mayBeStored)
    {
        String alias = quote(block.inputAlias());
        ImmutableList.Builder<String> values = ImmutableList.builder();
        for (int i = 0; i < columns.size(); i++) {
            TargetColumn column = columns.get(i);
            if (i < target.visibleColumns()) {
                String value = formatExpression(block.outputs().get(i).expression());
                values.add(column.cast(mayBeStored ? "CASE WHEN NOT " + alias + "." + quote(STORED) + " THEN " + value + " END" : value));
            }
            else {
                values.add(column.cast(alias + "." + quote(KEY_PREFIX + (keyOf(column) + 1))));
            }
        }
        return values.build();
    }

    private int keyOf(TargetColumn column)
    {
        return IntStream.range(0, layout.keys().size())
                .filter(i -> layout.keys().get(i).column().equals(column.name()))
                .findFirst()
                .orElseThrow();
    }
}
