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
package io.freshet.spi.refresh;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Iterables;
import io.freshet.spi.scan.ChangedFiles;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.SchemaTableName;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.IncrementalAppendScan;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types.NestedField;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

import static java.util.Locale.ENGLISH;

/**
 * What the statistics of the files behind a delta promise. Absent statistics promise nothing.
 *
 * @param columnsWithoutNull names in lower case
 * @param columnsWithoutNan names in lower case
 */
record DeltaStatistics(Set<String> columnsWithoutNull, Set<String> columnsWithoutNan)
{
    static final DeltaStatistics UNKNOWN = new DeltaStatistics(ImmutableSet.of(), ImmutableSet.of());

    DeltaStatistics
    {
        columnsWithoutNull = ImmutableSet.copyOf(columnsWithoutNull);
        columnsWithoutNan = ImmutableSet.copyOf(columnsWithoutNan);
    }

    /** The rows appended to the table after {@code from}, up to {@code to}. */
    static DeltaStatistics ofAppends(Table table, OptionalLong from, long to)
    {
        IncrementalAppendScan scan = table.newIncrementalAppendScan().toSnapshot(to).includeColumnStats();
        if (from.isPresent()) {
            scan = scan.fromSnapshotExclusive(from.getAsLong());
        }
        try (CloseableIterable<FileScanTask> tasks = scan.planFiles()) {
            return ofFiles(table, Iterables.transform(tasks, FileScanTask::file));
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The rows that were added, removed or replaced between two snapshots. */
    static DeltaStatistics ofChanges(Table table, SchemaTableName name, long from, long to)
    {
        List<DataFile> files;
        try {
            files = ChangedFiles.between(table, name, from, to);
        }
        catch (TrinoException e) {
            // the statement will say so
            return UNKNOWN;
        }
        return files.isEmpty() ? UNKNOWN : ofFiles(table, files);
    }

    private static DeltaStatistics ofFiles(Table table, Iterable<DataFile> files)
    {
        Set<NestedField> withoutNull = new HashSet<>();
        Set<NestedField> withoutNan = new HashSet<>();
        for (NestedField field : table.schema().columns()) {
            withoutNull.add(field);
            if (field.type().typeId() == Type.TypeID.FLOAT || field.type().typeId() == Type.TypeID.DOUBLE) {
                withoutNan.add(field);
            }
        }
        for (DataFile file : files) {
            withoutNull.removeIf(field -> !field.isRequired() && !isZero(file.nullValueCounts(), field));
            withoutNan.removeIf(field -> !isZero(file.nanValueCounts(), field));
        }
        return new DeltaStatistics(names(withoutNull), names(withoutNan));
    }

    private static boolean isZero(Map<Integer, Long> counts, NestedField field)
    {
        return counts != null && Long.valueOf(0).equals(counts.get(field.fieldId()));
    }

    private static Set<String> names(Set<NestedField> fields)
    {
        return fields.stream()
                .map(field -> field.name().toLowerCase(ENGLISH))
                .collect(ImmutableSet.toImmutableSet());
    }
}
