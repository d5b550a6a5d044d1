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

import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.connector.SourcePage;

import java.util.function.ObjLongConsumer;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

/** A page of the delegate with the weight put in among its channels; loads nothing that is not asked for. */
final class WeightedSourcePage
        implements SourcePage
{
    static final int WEIGHT_CHANNEL = -1;

    private final SourcePage delegate;
    private final int[] channels;
    private Block weights;

    /**
     * @param channels for each channel of this page the delegate's, or {@link #WEIGHT_CHANNEL}
     * @param weights of each position
     */
    WeightedSourcePage(SourcePage delegate, int[] channels, Block weights)
    {
        this.delegate = requireNonNull(delegate, "delegate is null");
        this.channels = requireNonNull(channels, "channels is null");
        this.weights = requireNonNull(weights, "weights is null");
        checkArgument(weights.getPositionCount() == delegate.getPositionCount(), "there is not one weight for each position");
    }

    @Override
    public int getPositionCount()
    {
        return delegate.getPositionCount();
    }

    @Override
    public long getSizeInBytes()
    {
        return delegate.getSizeInBytes();
    }

    @Override
    public long getRetainedSizeInBytes()
    {
        return delegate.getRetainedSizeInBytes();
    }

    @Override
    public void retainedBytesForEachPart(ObjLongConsumer<Object> consumer)
    {
        delegate.retainedBytesForEachPart(consumer);
    }

    @Override
    public int getChannelCount()
    {
        return channels.length;
    }

    @Override
    public Block getBlock(int channel)
    {
        int source = channels[channel];
        return source == WEIGHT_CHANNEL ? weights : delegate.getBlock(source);
    }

    @Override
    public Page getPage()
    {
        Block[] blocks = new Block[channels.length];
        for (int channel = 0; channel < blocks.length; channel++) {
            blocks[channel] = getBlock(channel);
        }
        return new Page(getPositionCount(), blocks);
    }

    @Override
    public void selectPositions(int[] positions, int offset, int size)
    {
        delegate.selectPositions(positions, offset, size);
        weights = weights.getPositions(positions, offset, size);
    }
}
