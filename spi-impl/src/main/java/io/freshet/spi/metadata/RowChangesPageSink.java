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
package io.freshet.spi.metadata;

import io.airlift.slice.Slice;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.ByteArrayBlock;
import io.trino.spi.block.RunLengthEncodedBlock;
import io.trino.spi.connector.ConnectorMergeSink;
import io.trino.spi.connector.ConnectorPageSink;

import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import static com.google.common.base.Preconditions.checkState;
import static io.trino.spi.connector.ConnectorMergeSink.DELETE_OPERATION_NUMBER;
import static io.trino.spi.connector.ConnectorMergeSink.INSERT_OPERATION_NUMBER;
import static io.trino.spi.connector.ConnectorMergeSink.UPDATE_DELETE_OPERATION_NUMBER;
import static io.trino.spi.connector.ConnectorMergeSink.UPDATE_INSERT_OPERATION_NUMBER;
import static io.trino.spi.type.IntegerType.INTEGER;
import static io.trino.spi.type.TinyintType.TINYINT;
import static io.trino.spi.type.TypeUtils.writeNativeValue;
import static java.util.Objects.requireNonNull;

/** Gives inserted rows with addresses to the sink of a MERGE. */
final class RowChangesPageSink
        implements ConnectorPageSink
{
    private static final byte INSERT = 1;
    private static final byte REPLACE = 0;
    private static final byte DELETE = -1;

    private static final Block CASE_NUMBER = writeNativeValue(INTEGER, 0L);

    private final ConnectorMergeSink delegate;
    private final int addressChannel;
    private final int changeChannel;

    RowChangesPageSink(ConnectorMergeSink delegate, int addressChannel, int changeChannel)
    {
        this.delegate = requireNonNull(delegate, "delegate is null");
        this.addressChannel = addressChannel;
        this.changeChannel = changeChannel;
    }

    @Override
    public CompletableFuture<?> appendPage(Page page)
    {
        delegate.storeMergedRows(toMergePage(page));
        return NOT_BLOCKED;
    }

    /** The data columns, then operation, case number and address; a replaced row stands there as a deletion and an insertion. */
    private Page toMergePage(Page page)
    {
        Block addresses = page.getBlock(addressChannel);
        Block changes = page.getBlock(changeChannel);
        int[] positions = new int[2 * page.getPositionCount()];
        byte[] operations = new byte[positions.length];
        int count = 0;
        for (int position = 0; position < page.getPositionCount(); position++) {
            checkState(!changes.isNull(position), "A row without a change");
            byte change = TINYINT.getByte(changes, position);
            checkState(addresses.isNull(position) == (change == INSERT), "A row to be inserted has an address, or one to be changed has none");
            switch (change) {
                case INSERT -> {
                    positions[count] = position;
                    operations[count++] = INSERT_OPERATION_NUMBER;
                }
                case DELETE -> {
                    positions[count] = position;
                    operations[count++] = DELETE_OPERATION_NUMBER;
                }
                case REPLACE -> {
                    positions[count] = position;
                    operations[count++] = UPDATE_DELETE_OPERATION_NUMBER;
                    positions[count] = position;
                    operations[count++] = UPDATE_INSERT_OPERATION_NUMBER;
                }
                default -> throw new IllegalStateException("Not a change: " + change);
            }
        }
        int[] dataChannels = IntStream.range(0, page.getChannelCount())
                .filter(channel -> channel != addressChannel && channel != changeChannel)
                .toArray();
        Page rows = page.getPositions(positions, 0, count);
        return rows.getColumns(dataChannels)
                .appendColumn(new ByteArrayBlock(count, Optional.empty(), operations))
                .appendColumn(RunLengthEncodedBlock.create(CASE_NUMBER, count))
                .appendColumn(rows.getBlock(addressChannel));
    }

    @Override
    public long getCompletedBytes()
    {
        return delegate.getCompletedBytes();
    }

    @Override
    public CompletableFuture<Collection<Slice>> finish()
    {
        return delegate.finish();
    }

    @Override
    public void abort()
    {
        delegate.abort();
    }
}
