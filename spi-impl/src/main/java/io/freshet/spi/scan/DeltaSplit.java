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
import io.trino.plugin.iceberg.IcebergSplit;
import io.trino.spi.HostAddress;
import io.trino.spi.SplitWeight;
import io.trino.spi.connector.ConnectorSplit;

import java.util.List;
import java.util.Optional;

import static io.airlift.slice.SizeOf.instanceSize;
import static java.util.Objects.requireNonNull;

/**
 * Rows of one file that all have the same weight.
 */
public record DeltaSplit(
        @JsonProperty("split") IcebergSplit split,
        @JsonProperty("weight") byte weight)
        implements ConnectorSplit
{
    private static final int INSTANCE_SIZE = instanceSize(DeltaSplit.class);

    public DeltaSplit
    {
        requireNonNull(split, "split is null");
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
        return INSTANCE_SIZE + split.getRetainedSizeInBytes();
    }
}
