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
package io.freshet.spi.scan;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.trino.plugin.iceberg.IcebergColumnHandle;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorMetadata;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.Constraint;
import io.trino.spi.connector.ConstraintApplicationResult;
import io.trino.spi.expression.Constant;
import io.trino.spi.function.table.ConnectorTableFunctionHandle;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.statistics.Estimate;
import org.junit.jupiter.api.Test;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static io.freshet.spi.scan.TestingDeltas.COLUMN_A;
import static io.freshet.spi.scan.TestingDeltas.delta;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.TinyintType.TINYINT;
import static org.assertj.core.api.Assertions.assertThat;

final class TestChangeScanMetadata
{
    /** Statements name what they write to or alter, and a function has no name: the engine cannot get here with its handle. */
    private static final Set<String> NEVER_WITH_A_FUNCTION = ImmutableSet.of(
            "addColumn",
            "addField",
            "beginInsert",
            "beginMerge",
            "beginStatisticsCollection",
            "beginTableExecute",
            "createBranch",
            "dropBranch",
            "dropColumn",
            "dropDefaultValue",
            "dropField",
            "dropNotNullConstraint",
            "dropTable",
            "executeDelete",
            "executeUpdate",
            "fastForwardBranch",
            "finishStatisticsCollection",
            "getColumnHandlesForTableExecute",
            "getInsertLayout",
            "getInsertWriterScalingOptions",
            "getMergeRowIdColumnHandle",
            "getRowChangeParadigm",
            "getStatisticsCollectionMetadata",
            "getTableHandleForExecute",
            "getUpdateLayout",
            "renameColumn",
            "renameField",
            "renameTable",
            "setColumnComment",
            "setColumnType",
            "setDefaultValue",
            "setFieldType",
            "setTableComment",
            "setTableProperties",
            "truncateTable",
            // Its sources stop beginRefreshMaterializedView
            "finishRefreshMaterializedView");

    private static final ConnectorMetadata METADATA = new ChangeScanMetadata(new ConnectorMetadata() {}, TestChangeScanMetadata.class.getClassLoader());

    @Test
    void testEveryMethodThatMaySeeAHandleIsAnswered()
    {
        Set<String> seeingHandles = Arrays.stream(ConnectorMetadata.class.getMethods())
                .filter(method -> !Modifier.isStatic(method.getModifiers()))
                .filter(method -> Arrays.stream(method.getGenericParameterTypes()).anyMatch(TestChangeScanMetadata::mentionsHandle))
                .map(TestChangeScanMetadata::signature)
                .collect(toImmutableSet());
        Set<String> answered = Arrays.stream(ChangeScanMetadata.class.getDeclaredMethods())
                .map(TestChangeScanMetadata::signature)
                .collect(toImmutableSet());
        assertThat(seeingHandles).isNotEmpty();
        assertThat(seeingHandles.stream()
                .filter(signature -> !answered.contains(signature))
                .map(signature -> signature.substring(0, signature.indexOf('('))))
                .containsExactlyInAnyOrderElementsOf(NEVER_WITH_A_FUNCTION);
    }

    @Test
    void testFilterIsNeverEnforced()
    {
        DeltaTableHandle delta = delta(OptionalLong.of(7), 8);
        ColumnHandle weight = WeightColumn.create("weight");
        TupleDomain<ColumnHandle> filter = TupleDomain.withColumnDomains(ImmutableMap.of(
                COLUMN_A, Domain.singleValue(BIGINT, 5L),
                weight, Domain.singleValue(TINYINT, 1L)));
        ConstraintApplicationResult<ConnectorTableHandle> result = METADATA.applyFilter(null, delta, new Constraint(filter)).orElseThrow();
        assertThat(result.getRemainingFilter()).isEqualTo(filter);
        assertThat(result.getRemainingExpression()).contains(Constant.TRUE);
        DeltaTableHandle filtered = (DeltaTableHandle) result.getHandle();
        assertThat(filtered.table().getUnenforcedPredicate()).isEqualTo(TupleDomain.withColumnDomains(Map.<IcebergColumnHandle, Domain>of(COLUMN_A, Domain.singleValue(BIGINT, 5L))));
        assertThat(filtered.table().getEnforcedPredicate().isAll()).isTrue();
        // Asked again: nothing new
        assertThat(METADATA.applyFilter(null, filtered, new Constraint(filter))).isEmpty();
        assertThat(METADATA.applyFilter(null, delta, new Constraint(TupleDomain.withColumnDomains(Map.of(weight, Domain.singleValue(TINYINT, 1L)))))).isEmpty();
    }

    @Test
    void testOtherPushDownsAreRefused()
    {
        DeltaTableHandle delta = delta(OptionalLong.of(7), 8);
        assertThat(METADATA.applyLimit(null, delta, 1)).isEmpty();
        assertThat(METADATA.applyTopN(null, delta, 1, List.of(), Map.of())).isEmpty();
        assertThat(METADATA.applyAggregation(null, delta, List.of(), Map.of(), List.of(List.of()))).isEmpty();
        assertThat(METADATA.applyPartitioning(null, delta, Optional.empty(), List.of())).isEmpty();
        assertThat(METADATA.applyTableScanRedirect(null, delta)).isEmpty();
        assertThat(METADATA.getTableProperties(null, delta).getPredicate().isAll()).isTrue();
        assertThat(METADATA.getTableProperties(null, delta).getTablePartitioning()).isEmpty();
        assertThat(METADATA.getTableStatistics(null, delta).getRowCount()).isEqualTo(Estimate.of(42));
        METADATA.validateScan(null, delta);
    }

    @Test
    void testFunctionBecomesScan()
    {
        DeltaTableHandle delta = delta(OptionalLong.of(7), 8);
        DeltaFunctionHandle function = new DeltaFunctionHandle(delta, List.of(COLUMN_A, WeightColumn.create("weight")));
        assertThat(METADATA.applyTableFunction(null, function).orElseThrow().getTableHandle()).isEqualTo(delta);
        assertThat(METADATA.applyTableFunction(null, function).orElseThrow().getColumnHandles()).isEqualTo(function.columns());
        assertThat(METADATA.applyTableFunction(null, new ConnectorTableFunctionHandle() {})).isEmpty();
    }

    private static boolean mentionsHandle(Type type)
    {
        return type == ConnectorTableHandle.class
                || type == ConnectorTableFunctionHandle.class
                || (type instanceof ParameterizedType parameterized && Arrays.stream(parameterized.getActualTypeArguments()).anyMatch(TestChangeScanMetadata::mentionsHandle));
    }

    private static String signature(Method method)
    {
        return method.getName() + Arrays.toString(method.getParameterTypes()).replace('[', '(').replace(']', ')');
    }
}
