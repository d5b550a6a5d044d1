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
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.FixedPageSource;
import io.trino.spi.connector.SourcePage;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.LongStream;

import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.TinyintType.TINYINT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TestChangedRowsPageSource
{
    @Test
    void testRowsOfOneStateOnly()
            throws IOException
    {
        assertThat(read(positions(0, 1, 2, 3, 4), positions(0, 1, 3), positions(1, 2, 3))).containsExactly("0 -1", "2 1");
        assertThat(read(positions(0, 1, 2), positions(0, 1, 2), positions(0, 1, 2))).isEmpty();
        assertThat(read(positions(0, 1, 2), positions(0, 1, 2), positions())).containsExactly("0 -1", "1 -1", "2 -1");
        assertThat(read(positions(0, 1, 2), positions(), positions(2))).containsExactly("2 1");
        assertThat(read(positions(), positions(0), positions())).isEmpty();
    }

    @Test
    void testRowsLeftOutAreNotTakenForDeleted()
            throws IOException
    {
        assertThat(read(positions(100, 101, 205), positions(99, 100, 101, 150, 205), positions(99, 101, 150, 205, 206))).containsExactly("100 -1");
    }

    @Test
    void testOrderIsChecked()
    {
        assertThatThrownBy(() -> read(positions(1, 0), positions(0), positions())).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> read(positions(0, 5), positions(1, 0), positions())).isInstanceOf(IllegalStateException.class);
    }

    /** Whatever the pages. */
    @Test
    void testAgainstSets()
            throws IOException
    {
        Random random = new Random(1);
        for (int round = 0; round < 200; round++) {
            List<Long> rows = someOf(random, 60);
            List<Long> before = someOf(random, 60);
            List<Long> after = someOf(random, 60);
            List<String> expected = rows.stream()
                    .filter(row -> before.contains(row) != after.contains(row))
                    .map(row -> row + (after.contains(row) ? " 1" : " -1"))
                    .toList();
            assertThat(read(pages(random, rows), pages(random, before), pages(random, after))).isEqualTo(expected);
        }
    }

    private static List<Long> someOf(Random random, int limit)
    {
        return LongStream.range(0, limit).filter(_ -> random.nextBoolean()).boxed().toList();
    }

    private static List<Page> pages(Random random, List<Long> positions)
    {
        List<Page> pages = new ArrayList<>();
        int start = 0;
        while (start < positions.size()) {
            int end = Math.min(positions.size(), start + 1 + random.nextInt(10));
            pages.addAll(positions(positions.subList(start, end).stream().mapToLong(Long::longValue).toArray()));
            start = end;
        }
        return pages;
    }

    private static List<Page> positions(long... positions)
    {
        return List.of(new Page(new LongArrayBlock(positions.length, Optional.empty(), positions)));
    }

    private static List<String> read(List<Page> rows, List<Page> before, List<Page> after)
            throws IOException
    {
        // The column asked for is the position itself, and comes after the weight
        List<String> result = new ArrayList<>();
        try (ConnectorPageSource source = new ChangedRowsPageSource(new FixedPageSource(rows), new FixedPageSource(before), new FixedPageSource(after), 0, new int[] {WeightedSourcePage.WEIGHT_CHANNEL, 0})) {
            while (!source.isFinished()) {
                SourcePage page = source.getNextSourcePage();
                if (page != null) {
                    Block weights = page.getBlock(0);
                    Block positions = page.getBlock(1);
                    for (int index = 0; index < page.getPositionCount(); index++) {
                        result.add(BIGINT.getLong(positions, index) + " " + TINYINT.getByte(weights, index));
                    }
                }
            }
        }
        return result;
    }
}
