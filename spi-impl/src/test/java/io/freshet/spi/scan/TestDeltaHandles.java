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

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.airlift.json.JsonCodec;
import io.airlift.json.JsonCodecFactory;
import io.airlift.json.JsonMapperProvider;
import io.trino.plugin.base.TypeDeserializer;
import io.trino.plugin.iceberg.IcebergColumnHandle;
import io.trino.plugin.iceberg.IcebergFileFormat;
import io.trino.plugin.iceberg.IcebergSplit;
import io.trino.plugin.iceberg.IcebergTableHandle;
import io.trino.plugin.iceberg.delete.DeleteFile;
import io.trino.spi.SplitWeight;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.Type;
import io.trino.spi.type.TypeId;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.FileFormat;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

import static com.google.common.collect.Maps.uniqueIndex;
import static io.freshet.spi.scan.TestingDeltas.COLUMN_A;
import static io.freshet.spi.scan.TestingDeltas.delta;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.TinyintType.TINYINT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TestDeltaHandles
{
    private static final Map<TypeId, Type> TYPES = uniqueIndex(List.of(BIGINT, TINYINT), Type::getTypeId);
    private static final JsonCodecFactory CODECS = new JsonCodecFactory(
            new JsonMapperProvider().withJsonDeserializers(ImmutableMap.of(Type.class, new TypeDeserializer(TYPES::get))).get());

    @Test
    void testTableHandle()
    {
        assertRoundTrip(DeltaTableHandle.class, delta(OptionalLong.of(7), 8));
        assertRoundTrip(DeltaTableHandle.class, delta(OptionalLong.empty(), 8));
    }

    @Test
    void testFunctionHandle()
    {
        assertRoundTrip(DeltaFunctionHandle.class, new DeltaFunctionHandle(delta(OptionalLong.of(7), 8), ImmutableList.of(COLUMN_A, WeightColumn.create("weight"))));
    }

    @Test
    void testSplit()
    {
        IcebergSplit iceberg = new IcebergSplit(
                "file:/data.parquet",
                4,
                100,
                1000,
                10,
                IcebergFileFormat.PARQUET,
                0,
                ImmutableList.of(),
                ImmutableList.of(),
                SplitWeight.fromProportion(0.5),
                TupleDomain.all(),
                Optional.of("affinity"),
                OptionalLong.of(3),
                OptionalLong.empty(),
                Optional.empty());
        DeleteFile vector = new DeleteFile(
                FileContent.POSITION_DELETES,
                "file:/deletes.puffin",
                FileFormat.PUFFIN,
                2,
                300,
                ImmutableList.of(),
                OptionalLong.empty(),
                OptionalLong.empty(),
                5,
                OptionalLong.of(4),
                Optional.of(40),
                Optional.empty());
        assertRoundTrip(DeltaSplit.class, DeltaSplit.added(iceberg, 8));
        assertRoundTrip(DeltaSplit.class, DeltaSplit.removed(iceberg, 7));
        DeltaSplit split = DeltaSplit.changed(iceberg, 7, 8, ImmutableList.of(vector));
        DeltaSplit copy = assertRoundTrip(DeltaSplit.class, split);
        assertThat(copy.getAffinityKey()).contains("affinity");
        assertThat(copy.getSplitWeight()).isEqualTo(SplitWeight.fromProportion(0.5));
        assertThat(copy.getRetainedSizeInBytes()).isGreaterThan(iceberg.getRetainedSizeInBytes());
        assertThat(copy.isRemotelyAccessible()).isTrue();
        assertThat(copy.getAddresses()).isEmpty();
        assertThat(copy.withDeletes(copy.deletesAfter()).deletes()).containsExactly(vector);
        assertThatThrownBy(() -> new DeltaSplit(iceberg, OptionalLong.empty(), OptionalLong.empty(), ImmutableList.of())).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void testWeightIsKeptFromIceberg()
    {
        DeltaTableHandle delta = delta(OptionalLong.of(7), 8);
        assertThat(delta.table().getProjectedColumns()).contains(WeightColumn.create("weight"));
        assertThat(delta.icebergScan().getProjectedColumns()).containsExactly(COLUMN_A);
    }

    @Test
    void testNothingIsEnforced()
    {
        IcebergTableHandle table = delta(OptionalLong.of(7), 8).table();
        TupleDomain<IcebergColumnHandle> none = TupleDomain.none();
        IcebergTableHandle enforcing = new IcebergTableHandle(
                table.getSchemaName(),
                table.getTableName(),
                table.getTableType(),
                table.getSnapshotId(),
                table.getTableSchemaJson(),
                OptionalInt.empty(),
                table.getPartitionSpecJsons(),
                table.getFormatVersion(),
                TupleDomain.all(),
                none,
                OptionalLong.empty(),
                ImmutableSet.of(),
                Optional.empty(),
                table.getTableLocation(),
                ImmutableMap.of(),
                Optional.empty(),
                false,
                Optional.empty(),
                ImmutableSet.of(),
                Optional.empty());
        assertThatThrownBy(() -> new DeltaTableHandle(enforcing, OptionalLong.empty(), 8, "weight", 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new DeltaTableHandle(table, OptionalLong.empty(), 9, "weight", 0)).isInstanceOf(IllegalArgumentException.class);
        assertThat(delta(OptionalLong.of(7), 8).withUnenforcedPredicate(none).table().getUnenforcedPredicate().isNone()).isTrue();
    }

    @Test
    void testText()
    {
        assertThat(delta(OptionalLong.of(7), 8).toString()).startsWith("changes of s.t").endsWith("since snapshot 7");
        assertThat(delta(OptionalLong.empty(), 8).toString()).startsWith("all rows of s.t");
    }

    private static <T> T assertRoundTrip(Class<T> type, T value)
    {
        JsonCodec<T> codec = CODECS.jsonCodec(type);
        T copy = codec.fromJson(codec.toJson(value));
        assertThat(copy).isEqualTo(value);
        return copy;
    }
}
