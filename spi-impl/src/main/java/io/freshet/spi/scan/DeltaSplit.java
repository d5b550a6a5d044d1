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

import com.fasterxml.jackson.annotation.JsonProperty;
import com.google.common.collect.ImmutableList;
import io.trino.plugin.iceberg.IcebergSplit;
import io.trino.plugin.iceberg.delete.DeleteFile;
import io.trino.spi.HostAddress;
import io.trino.spi.SplitWeight;
import io.trino.spi.connector.ConnectorSplit;
import io.trino.spi.predicate.TupleDomain;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import static com.google.common.base.Preconditions.checkArgument;
import static io.airlift.slice.SizeOf.estimatedSizeOf;
import static io.airlift.slice.SizeOf.instanceSize;
import static java.util.Objects.requireNonNull;

/**
 * A range of a data file of one state of the table or of two.
 *
 * @param split the range, with the deletes of {@code before} or, if that is absent, of {@code after}
 * @param before id of the earlier state if the file is in it
 * @param after id of the later state if the file is in it
 * @param deletesAfter the deletes of {@code after} if the file is in both
 */
public record DeltaSplit(
        @JsonProperty("split") IcebergSplit split,
        @JsonProperty("before") OptionalLong before,
        @JsonProperty("after") OptionalLong after,
        @JsonProperty("deletesAfter") List<DeleteFile> deletesAfter)
        implements ConnectorSplit
{
    private static final int INSTANCE_SIZE = instanceSize(DeltaSplit.class);

    public DeltaSplit
    {
        requireNonNull(split, "split is null");
        requireNonNull(before, "before is null");
        requireNonNull(after, "after is null");
        deletesAfter = ImmutableList.copyOf(deletesAfter);
        checkArgument(before.isPresent() || after.isPresent(), "a file of no state");
    }

    /** All rows that are live. */
    static DeltaSplit added(IcebergSplit split, long after)
    {
        return new DeltaSplit(split, OptionalLong.empty(), OptionalLong.of(after), ImmutableList.of());
    }

    /** All rows that were live, as removed. */
    static DeltaSplit removed(IcebergSplit split, long before)
    {
        return new DeltaSplit(split, OptionalLong.of(before), OptionalLong.empty(), ImmutableList.of());
    }

    /** The rows that were live and are not any more, as removed, and those that are and were not. */
    static DeltaSplit changed(IcebergSplit split, long before, long after, List<DeleteFile> deletesAfter)
    {
        return new DeltaSplit(split, OptionalLong.of(before), OptionalLong.of(after), deletesAfter);
    }

    /** The whole range, whatever its values, under other deletes. */
    IcebergSplit withDeletes(List<DeleteFile> deletes)
    {
        return new IcebergSplit(
                split.path(),
                split.start(),
                split.length(),
                split.fileSize(),
                split.fileRecordCount(),
                split.fileFormat(),
                split.specId(),
                split.partitionValues(),
                deletes,
                split.splitWeight(),
                TupleDomain.all(),
                split.affinityKey(),
                split.dataSequenceNumber(),
                split.fileFirstRowId(),
                split.parquetFileDecryptionData());
    }

    @Override
    public boolean isRemotelyAccessible()
    {
        return split.isRemotelyAccessible();
    }

    @Override
    public List<HostAddress> getAddresses()
    {
        return split.getAddresses();
    }

    @Override
    public Optional<String> getAffinityKey()
    {
        return split.getAffinityKey();
    }

    @Override
    public SplitWeight getSplitWeight()
    {
        return split.getSplitWeight();
    }

    @Override
    public long getRetainedSizeInBytes()
    {
        return INSTANCE_SIZE
                + split.getRetainedSizeInBytes()
                + estimatedSizeOf(deletesAfter, DeleteFile::retainedSizeInBytes);
    }
}
