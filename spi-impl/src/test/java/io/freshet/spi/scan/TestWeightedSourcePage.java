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
import io.trino.spi.block.ByteArrayBlock;
import io.trino.spi.block.RunLengthEncodedBlock;
import io.trino.spi.connector.SourcePage;
import org.junit.jupiter.api.Test;

import java.util.Optional;

import static io.trino.spi.type.TinyintType.TINYINT;
import static io.trino.spi.type.TypeUtils.writeNativeValue;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TestWeightedSourcePage
{
    private static final Block ONE = writeNativeValue(TINYINT, -1L);

    @Test
    void testWeightAmongColumns()
    {
        SourcePage page = new WeightedSourcePage(SourcePage.create(new Page(bytes(1, 2, 3), bytes(4, 5, 6))), new int[] {0, -1, 1}, RunLengthEncodedBlock.create(ONE, 3));
        assertThat(page.getChannelCount()).isEqualTo(3);
        assertThat(page.getPositionCount()).isEqualTo(3);
        assertThat(TINYINT.getByte(page.getBlock(0), 1)).isEqualTo((byte) 2);
        assertThat(page.getBlock(1)).isInstanceOf(RunLengthEncodedBlock.class);
        assertThat(TINYINT.getByte(page.getBlock(1), 2)).isEqualTo((byte) -1);
        assertThat(TINYINT.getByte(page.getBlock(2), 0)).isEqualTo((byte) 4);
        assertThat(page.getPage().getChannelCount()).isEqualTo(3);

        page.selectPositions(new int[] {9, 0, 2, 9}, 1, 2);
        assertThat(page.getPositionCount()).isEqualTo(2);
        assertThat(page.getBlock(1).getPositionCount()).isEqualTo(2);
        assertThat(TINYINT.getByte(page.getBlock(2), 1)).isEqualTo((byte) 6);
        assertThat(page.getPage().getBlock(1).getPositionCount()).isEqualTo(2);
    }

    @Test
    void testWeightOfEachRow()
    {
        SourcePage page = new WeightedSourcePage(SourcePage.create(new Page(bytes(1, 2, 3))), new int[] {-1, 0}, bytes(-1, 1, -1));
        assertThat(TINYINT.getByte(page.getBlock(0), 1)).isEqualTo((byte) 1);
        page.selectPositions(new int[] {1, 2}, 0, 2);
        assertThat(TINYINT.getByte(page.getBlock(0), 0)).isEqualTo((byte) 1);
        assertThat(TINYINT.getByte(page.getBlock(0), 1)).isEqualTo((byte) -1);
        assertThat(TINYINT.getByte(page.getBlock(1), 0)).isEqualTo((byte) 2);
        assertThatThrownBy(() -> new WeightedSourcePage(SourcePage.create(5), new int[] {-1}, bytes(1))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void testWeightAlone()
    {
        SourcePage page = new WeightedSourcePage(SourcePage.create(5), new int[] {-1}, RunLengthEncodedBlock.create(ONE, 5));
        assertThat(page.getPage().getBlock(0).getPositionCount()).isEqualTo(5);
        assertThat(page.getColumns(new int[] {0, 0}).getChannelCount()).isEqualTo(2);
    }

    @Test
    void testEmptyPage()
    {
        SourcePage page = new WeightedSourcePage(SourcePage.create(0), new int[] {-1}, RunLengthEncodedBlock.create(ONE, 0));
        assertThat(page.getBlock(0).getPositionCount()).isZero();
    }

    private static Block bytes(int... values)
    {
        return new ByteArrayBlock(values.length, Optional.empty(), toBytes(values));
    }

    private static byte[] toBytes(int[] values)
    {
        byte[] bytes = new byte[values.length];
        for (int index = 0; index < values.length; index++) {
            bytes[index] = (byte) values[index];
        }
        return bytes;
    }
}
