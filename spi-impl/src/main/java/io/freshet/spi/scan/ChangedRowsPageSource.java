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

import com.google.common.io.Closer;
import io.trino.spi.block.Block;
import io.trino.spi.block.ByteArrayBlock;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.metrics.Metrics;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

import static com.google.common.base.Preconditions.checkState;
import static io.trino.spi.type.BigintType.BIGINT;
import static java.util.Objects.requireNonNull;

/**
 * The rows of a file that are live in one state and not in the other. All three sources give rows in the order of their
 * position in the file, so that they are merged by position, a page of each at a time. The states' sources are never pruned: a
 * position that they do not give is that of a deleted row.
 */
final class ChangedRowsPageSource
        implements ConnectorPageSource
{
    private final ConnectorPageSource rows;
    private final LivePositions before;
    private final LivePositions after;
    private final int positionChannel;
    private final int[] channels;

    /**
     * @param rows rows whether deleted or not, and their positions; may leave out rows that nobody wants
     * @param before positions of the rows that are live in the earlier state
     * @param after positions of the rows that are live in the later state
     * @param channels for each channel of this source that of the rows, or {@link WeightedSourcePage#WEIGHT_CHANNEL}
     */
    ChangedRowsPageSource(ConnectorPageSource rows, ConnectorPageSource before, ConnectorPageSource after, int positionChannel, int[] channels)
    {
        this.rows = requireNonNull(rows, "rows is null");
        this.before = new LivePositions(before);
        this.after = new LivePositions(after);
        this.positionChannel = positionChannel;
        this.channels = requireNonNull(channels, "channels is null");
    }

    @Override
    public SourcePage getNextSourcePage()
    {
        SourcePage page = rows.getNextSourcePage();
        if (page == null) {
            return null;
        }
        Block positions = page.getBlock(positionChannel);
        int[] changed = new int[page.getPositionCount()];
        byte[] weights = new byte[page.getPositionCount()];
        int count = 0;
        for (int index = 0; index < changed.length; index++) {
            long position = BIGINT.getLong(positions, index);
            boolean was = before.contains(position);
            boolean is = after.contains(position);
            if (was != is) {
                changed[count] = index;
                weights[count] = (byte) (is ? 1 : -1);
                count++;
            }
        }
        if (count == 0) {
            return null;
        }
        page.selectPositions(changed, 0, count);
        return new WeightedSourcePage(page, channels, new ByteArrayBlock(count, Optional.empty(), Arrays.copyOf(weights, count)));
    }

    @Override
    public boolean isFinished()
    {
        return rows.isFinished();
    }

    @Override
    public CompletableFuture<?> isBlocked()
    {
        return rows.isBlocked();
    }

    @Override
    public long getCompletedBytes()
    {
        return sources().stream().mapToLong(ConnectorPageSource::getCompletedBytes).sum();
    }

    @Override
    public OptionalLong getCompletedPositions()
    {
        return rows.getCompletedPositions();
    }

    @Override
    public long getReadTimeNanos()
    {
        return sources().stream().mapToLong(ConnectorPageSource::getReadTimeNanos).sum();
    }

    @Override
    public long getMemoryUsage()
    {
        return sources().stream().mapToLong(ConnectorPageSource::getMemoryUsage).sum();
    }

    @Override
    public Metrics getMetrics()
    {
        return sources().stream().map(ConnectorPageSource::getMetrics).reduce(Metrics.EMPTY, Metrics::mergeWith);
    }

    @Override
    public void close()
            throws IOException
    {
        try (Closer closer = Closer.create()) {
            sources().forEach(closer::register);
        }
    }

    private List<ConnectorPageSource> sources()
    {
        return List.of(rows, before.source, after.source);
    }

    private static final class LivePositions
    {
        private final ConnectorPageSource source;
        private Block page;
        private int next;
        private long last = -1;
        private long asked = -1;

        LivePositions(ConnectorPageSource source)
        {
            this.source = requireNonNull(source, "source is null");
        }

        /** @param position greater than when last asked */
        boolean contains(long position)
        {
            checkState(position > asked, "position %s comes after position %s", position, asked);
            asked = position;
            while (last < position && advance()) {
                // goes on
            }
            return last == position;
        }

        private boolean advance()
        {
            while (page == null || next == page.getPositionCount()) {
                if (source.isFinished()) {
                    return false;
                }
                SourcePage nextPage = source.getNextSourcePage();
                if (nextPage == null) {
                    source.isBlocked().join();
                    continue;
                }
                page = nextPage.getBlock(0);
                next = 0;
            }
            long position = BIGINT.getLong(page, next);
            checkState(position > last, "position %s comes after position %s", position, last);
            last = position;
            next++;
            return true;
        }
    }
}
