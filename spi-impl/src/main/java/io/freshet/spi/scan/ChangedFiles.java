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
import io.freshet.spi.scan.DeltaRange.Differences;
import io.freshet.spi.scan.DeltaRange.Segment;
import io.trino.spi.connector.SchemaTableName;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.Table;
import org.apache.iceberg.expressions.Expressions;

import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ExecutorService;
import java.util.stream.Stream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.util.concurrent.MoreExecutors.newDirectExecutorService;

/** The data files that a change scan looks into. */
public final class ChangedFiles
{
    private ChangedFiles() {}

    /**
     * With statistics, of a range in which rows were removed; empty for other ranges.
     *
     * @throws io.trino.spi.TrinoException NOT_SUPPORTED if the difference cannot be read
     */
    public static List<DataFile> between(Table table, SchemaTableName name, long from, long to)
    {
        if (!(DeltaRange.resolve(table, name, OptionalLong.of(from), to).reading() instanceof Differences(List<Segment> segments))) {
            return ImmutableList.of();
        }
        ExecutorService executor = newDirectExecutorService();
        return segments.stream()
                .map(segment -> StateDifference.between(table, table.snapshot(segment.from()), table.snapshot(segment.to()), Expressions.alwaysTrue(), executor))
                .flatMap(difference -> Stream.of(difference.added(), difference.removed(), difference.changed()))
                .flatMap(List::stream)
                .map(FileChange::file)
                .collect(toImmutableList());
    }
}
