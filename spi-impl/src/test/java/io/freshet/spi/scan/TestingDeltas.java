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
import io.trino.plugin.iceberg.ColumnIdentity;
import io.trino.plugin.iceberg.IcebergColumnHandle;
import io.trino.plugin.iceberg.IcebergTableHandle;
import io.trino.plugin.iceberg.TableType;
import io.trino.spi.predicate.TupleDomain;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.PartitionSpecParser;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.types.Types;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

import static io.trino.plugin.iceberg.ColumnIdentity.TypeCategory.PRIMITIVE;
import static io.trino.spi.type.BigintType.BIGINT;

/** Table {@code s.t} with the single column a. */
final class TestingDeltas
{
    static final IcebergColumnHandle COLUMN_A = IcebergColumnHandle.optional(new ColumnIdentity(1, "a", PRIMITIVE, ImmutableList.of()))
            .columnType(BIGINT)
            .build();

    private TestingDeltas() {}

    static DeltaTableHandle delta(OptionalLong from, long to)
    {
        IcebergTableHandle table = new IcebergTableHandle(
                "s",
                "t",
                TableType.DATA,
                OptionalLong.of(to),
                SchemaParser.toJson(new Schema(Types.NestedField.optional(1, "a", Types.LongType.get()))),
                OptionalInt.of(0),
                ImmutableMap.of(0, PartitionSpecParser.toJson(PartitionSpec.unpartitioned())),
                3,
                TupleDomain.all(),
                TupleDomain.all(),
                OptionalLong.empty(),
                ImmutableSet.of(COLUMN_A, WeightColumn.create("weight")),
                Optional.empty(),
                "file:/t",
                ImmutableMap.of(),
                Optional.empty(),
                false,
                Optional.empty(),
                ImmutableSet.of(),
                Optional.empty());
        return new DeltaTableHandle(table, from, to, "weight", 42);
    }
}
