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
package io.freshet.spi.refresh;

import com.google.inject.Inject;
import io.freshet.engine.CompiledView;
import io.freshet.engine.LayoutOutcome;
import io.freshet.engine.Maintenance;
import io.freshet.engine.RefusalCode;
import io.freshet.engine.StateLayout;
import io.freshet.engine.Volatility;
import io.freshet.spi.refresh.StatementRunner.OutputColumn;
import io.freshet.spi.view.StoredView;
import io.freshet.staleness.ChangeKind;
import io.trino.spi.TrinoException;
import io.trino.spi.catalog.CatalogName;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.type.BigintType;
import io.trino.spi.type.DecimalType;
import io.trino.spi.type.IntegerType;
import io.trino.spi.type.SmallintType;
import io.trino.spi.type.TinyintType;
import io.trino.spi.type.Type;
import io.trino.spi.type.TypeId;
import io.trino.spi.type.TypeManager;
import io.trino.spi.type.VarcharType;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static io.freshet.spi.FreshetErrorCode.MATERIALIZED_VIEW_SCHEMA_CHANGED;
import static io.trino.spi.StandardErrorCode.AMBIGUOUS_NAME;
import static io.trino.spi.StandardErrorCode.COLUMN_NOT_FOUND;
import static io.trino.spi.StandardErrorCode.FUNCTION_NOT_FOUND;
import static io.trino.spi.StandardErrorCode.INVALID_COLUMN_REFERENCE;
import static io.trino.spi.StandardErrorCode.INVALID_VIEW;
import static io.trino.spi.StandardErrorCode.TYPE_MISMATCH;
import static java.util.Objects.requireNonNull;

/**
 * Whether the query of a view still gives the columns that the view was created with. The statement of a full refresh casts each
 * column, by its place, to the type that it is stored in; after a change of the sources' schemas that would store other values
 * than the query gives, or another column's.
 */
public final class DefinitionCheck
{
    /** Errors of the analysis of a query that was right when the view was created. */
    private static final Set<Integer> NOT_COMPILING = Stream.of(COLUMN_NOT_FOUND, TYPE_MISMATCH, FUNCTION_NOT_FOUND, AMBIGUOUS_NAME, INVALID_COLUMN_REFERENCE, INVALID_VIEW)
            .map(error -> error.toErrorCode().getCode())
            .collect(toImmutableSet());

    private final String catalogName;
    private final TypeManager typeManager;
    private final RefreshExecution execution;

    @Inject
    public DefinitionCheck(CatalogName catalogName, TypeManager typeManager, RefreshExecution execution)
    {
        this.catalogName = catalogName.toString();
        this.typeManager = requireNonNull(typeManager, "typeManager is null");
        this.execution = requireNonNull(execution, "execution is null");
    }

    /**
     * To be asked before a full refresh. Costs nothing if the columns of all sources are known to be what they were.
     *
     * @return whether the states that the view keeps fit the types of its sources
     * @throws TrinoException MATERIALIZED_VIEW_SCHEMA_CHANGED if the columns of the query do not fit those of the view
     */
    public boolean check(PlannedRefresh planned)
    {
        if (!mayHaveChanged(planned)) {
            return true;
        }
        SchemaTableName view = planned.view().view();
        StoredView definition = planned.view().definition();
        CompiledView compiled = planned.compiled();
        checkColumns(view, definition, columns(planned));

        Optional<StateLayout> layout = planned.request().layout();
        if (layout.isEmpty() || compiled.typeProbeSql().isEmpty()) {
            return true;
        }
        List<String> types = execution.columnTypes(view, definition, planned.pins(), compiled.typeProbeSql().get());
        return switch (compiled.layout(types)) {
            case LayoutOutcome.Laid(StateLayout laid) -> laid.equals(layout.get());
            case LayoutOutcome.NotLaid _ -> false;
        };
    }

    private List<OutputColumn> columns(PlannedRefresh planned)
    {
        SchemaTableName view = planned.view().view();
        try {
            return execution.columns(view, planned.view().definition(), planned.pins(), planned.compiled().expandedSql());
        }
        catch (StatementFailedException e) {
            if (NOT_COMPILING.contains(e.statementErrorCode())) {
                throw new TrinoException(
                        MATERIALIZED_VIEW_SCHEMA_CHANGED,
                        "Materialized view '%s.%s' cannot be refreshed, since its sources have changed: %s. Change them back, or create the view anew".formatted(catalogName, view, e.getMessage()),
                        e);
            }
            throw e;
        }
    }

    /** Bookmarks hold the columns of tables only, and only as long as there are bookmarks. */
    private static boolean mayHaveChanged(PlannedRefresh planned)
    {
        return planned.request().contentFault().isPresent()
                || planned.foreignSources()
                || !planned.compiled().logicalViews().isEmpty()
                || callsUnknownFunction(planned.compiled())
                || planned.sources().stream().anyMatch(source -> source.change().kind() == ChangeKind.HISTORY_LOST);
    }

    private static boolean callsUnknownFunction(CompiledView compiled)
    {
        return compiled.volatility() instanceof Volatility.Volatile(var cause) && cause.code() == RefusalCode.UNKNOWN_FUNCTION
                || compiled.maintenance() instanceof Maintenance.NotMaintained(var refusal) && refusal.code() == RefusalCode.UNKNOWN_FUNCTION;
    }

    private void checkColumns(SchemaTableName view, StoredView definition, List<OutputColumn> columns)
    {
        if (columns.size() != definition.columns().size()) {
            throw changed(view, "gives %s columns instead of %s".formatted(columns.size(), definition.columns().size()));
        }
        for (int i = 0; i < columns.size(); i++) {
            StoredView.Column declared = definition.columns().get(i);
            OutputColumn column = columns.get(i);
            if (!column.name().equalsIgnoreCase(declared.name())) {
                throw changed(view, "gives column '%s' where it gave '%s'".formatted(column.name(), declared.name()));
            }
            Type declaredType = typeManager.getType(TypeId.of(declared.type()));
            if (!canHold(declaredType, typeManager.fromSqlType(column.type()))) {
                throw changed(view, "gives column '%s' of type %s instead of %s".formatted(declared.name(), column.type(), declaredType.getDisplayName()));
            }
        }
    }

    private TrinoException changed(SchemaTableName view, String change)
    {
        return new TrinoException(
                MATERIALIZED_VIEW_SCHEMA_CHANGED,
                "Materialized view '%s.%s' cannot be refreshed, since the columns of its sources have changed: its query %s. Create it anew with CREATE OR REPLACE MATERIALIZED VIEW".formatted(catalogName, view, change));
    }

    /** Whether every value of one type is the same value in the other. */
    private static boolean canHold(Type declared, Type type)
    {
        if (declared.equals(type)) {
            return true;
        }
        if (declared instanceof DecimalType wide && type instanceof DecimalType narrow) {
            return wide.getScale() >= narrow.getScale() && wide.getPrecision() - wide.getScale() >= narrow.getPrecision() - narrow.getScale();
        }
        if (declared instanceof VarcharType wide && type instanceof VarcharType narrow) {
            return wide.isUnbounded() || !narrow.isUnbounded() && wide.getBoundedLength() >= narrow.getBoundedLength();
        }
        return integerBytes(type) > 0 && integerBytes(type) <= integerBytes(declared);
    }

    private static int integerBytes(Type type)
    {
        return switch (type) {
            case TinyintType _ -> 1;
            case SmallintType _ -> 2;
            case IntegerType _ -> 4;
            case BigintType _ -> 8;
            default -> 0;
        };
    }
}
