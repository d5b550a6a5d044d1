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
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFile.PartitionFieldSummary;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.types.Comparators;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.iceberg.util.Pair;
import org.apache.iceberg.util.PartitionMap;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.LongBinaryOperator;
import java.util.function.LongPredicate;

import static java.util.Objects.requireNonNull;

/** Partitions, each with a sequence number, and which manifests may hold files of one of them. */
final class PartitionReach
{
    private final Map<Integer, PartitionSpec> specs;
    private final PartitionMap<Long> partitions;
    private final LongBinaryOperator combine;
    private List<Map.Entry<Pair<Integer, StructLike>, Long>> all;

    /** @param combine gives the sequence number of a partition that was added more than once */
    PartitionReach(Map<Integer, PartitionSpec> specs, LongBinaryOperator combine)
    {
        this.specs = requireNonNull(specs, "specs is null");
        this.partitions = PartitionMap.create(specs);
        this.combine = requireNonNull(combine, "combine is null");
    }

    void add(int specId, StructLike partition, long sequenceNumber)
    {
        all = null;
        Long known = partitions.get(specId, partition);
        partitions.put(specId, partition, known == null ? sequenceNumber : combine.applyAsLong(known, sequenceNumber));
    }

    boolean contains(int specId, StructLike partition)
    {
        return partitions.containsKey(specId, partition);
    }

    boolean mayReach(ManifestFile manifest, LongPredicate sequenceNumber)
    {
        if (all == null) {
            all = ImmutableList.copyOf(partitions.entrySet());
        }
        for (Map.Entry<Pair<Integer, StructLike>, Long> entry : all) {
            int specId = entry.getKey().first();
            if (specId == manifest.partitionSpecId() && sequenceNumber.test(entry.getValue()) && mayHold(manifest, specs.get(specId), entry.getKey().second())) {
                return true;
            }
        }
        return false;
    }

    private static boolean mayHold(ManifestFile manifest, PartitionSpec spec, StructLike partition)
    {
        List<PartitionFieldSummary> summaries = manifest.partitions();
        List<NestedField> fields = spec.partitionType().fields();
        if (summaries == null || summaries.size() != fields.size()) {
            return true;
        }
        for (int index = 0; index < fields.size(); index++) {
            if (!mayHold(summaries.get(index), fields.get(index).type(), partition.get(index, Object.class))) {
                return false;
            }
        }
        return true;
    }

    private static boolean mayHold(PartitionFieldSummary summary, Type type, Object value)
    {
        return switch (value) {
            case null -> summary.containsNull();
            // Bounds leave out NaN
            case Float number when number.isNaN() -> true;
            case Double number when number.isNaN() -> true;
            default -> {
                if (summary.lowerBound() == null || summary.upperBound() == null) {
                    // All values are null
                    yield false;
                }
                Comparator<Object> comparator = Comparators.forType(type.asPrimitiveType());
                yield comparator.compare(Conversions.fromByteBuffer(type, summary.lowerBound()), value) <= 0
                        && comparator.compare(value, Conversions.fromByteBuffer(type, summary.upperBound())) <= 0;
            }
        };
    }
}
