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

import com.google.common.collect.ImmutableMap;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestWriter;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Schema;
import org.apache.iceberg.StaticTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static com.google.common.util.concurrent.MoreExecutors.newDirectExecutorService;
import static org.apache.iceberg.expressions.Expressions.alwaysTrue;
import static org.apache.iceberg.types.Types.NestedField.optional;
import static org.assertj.core.api.Assertions.assertThat;

/** Plans over manifests whose data files do not exist. */
final class TestStateDifference
{
    private static final TableIdentifier NAME = TableIdentifier.of("s", "t");
    private static final Schema SCHEMA = new Schema(optional(1, "p", Types.IntegerType.get()), optional(2, "k", Types.IntegerType.get()));
    private static final PartitionSpec BY_P = PartitionSpec.builderFor(SCHEMA).identity("p").build();

    private final Set<String> opened = ConcurrentHashMap.newKeySet();
    private final ExecutorService executor = newDirectExecutorService();
    private InMemoryCatalog catalog;
    private Table table;
    private int files;

    @BeforeEach
    void setUp()
    {
        catalog = new InMemoryCatalog();
        catalog.initialize("lake", Map.of());
        catalog.createNamespace(Namespace.of("s"));
        create(2, BY_P);
    }

    @AfterEach
    void tearDown()
            throws IOException
    {
        catalog.close();
    }

    @Test
    void testUnchangedManifestsAreNotOpened()
    {
        DataFile third = null;
        for (int part = 0; part < 20; part++) {
            DataFile file = append(part);
            third = part == 3 ? file : third;
        }
        long before = current();
        DataFile added = append(7);
        DataFile another = append(8);
        StateDifference difference = since(before);
        assertLocations(difference.added(), added, another);
        assertThat(difference.removed()).isEmpty();
        assertThat(difference.changed()).isEmpty();
        assertThat(manifestsOpened()).hasSize(2);

        // The manifest of the deletes and that of the file they reach
        long beforeDelete = current();
        DeleteFile delete = positions(third);
        table.newRowDelta().addDeletes(delete).commit();
        difference = since(beforeDelete);
        assertLocations(difference.changed(), third);
        assertThat(difference.changed().getFirst().before()).isEmpty();
        assertThat(locations(difference.changed().getFirst().after())).containsExactly(delete.location());
        assertThat(difference.added()).isEmpty();
        assertThat(manifestsOpened()).hasSize(2);

        // Deletes of other partitions are of no concern for a file that is added
        long beforeAppend = current();
        append(4);
        assertThat(since(beforeAppend).added()).hasSize(1);
        assertThat(manifestsOpened()).hasSize(1);
        // nor older ones of its own
        long beforeThird = current();
        append(3);
        assertThat(since(beforeThird).added().getFirst().after()).isEmpty();
        assertThat(manifestsOpened()).hasSize(1);
    }

    /** 10,000 data files in 1,000 manifests: what is opened follows the change alone. */
    @Test
    void testManyFiles()
            throws IOException
    {
        // a commit of deletes would gather small manifests into new ones, and these have to be opened
        table.updateProperties().set(TableProperties.MANIFEST_MERGE_ENABLED, "false").commit();
        DataFile inTheMiddle = null;
        AppendFiles append = table.newFastAppend();
        for (int part = 0; part < 1_000; part++) {
            ManifestWriter<DataFile> writer = ManifestFiles.write(2, BY_P, table.io().newOutputFile("memory:/manifest-%s.avro".formatted(part)), null);
            try (writer) {
                for (int i = 0; i < 10; i++) {
                    DataFile file = file(part);
                    writer.add(file);
                    inTheMiddle = part == 500 ? file : inTheMiddle;
                }
            }
            append.appendManifest(writer.toManifestFile());
        }
        append.commit();
        long before = current();
        assertThat(table.currentSnapshot().allManifests(table.io())).hasSize(1_000);

        DataFile added = append(500);
        table.newRowDelta().addDeletes(positions(inTheMiddle)).commit();
        StateDifference difference = since(before);
        assertLocations(difference.added(), added);
        assertLocations(difference.changed(), inTheMiddle);
        assertThat(manifestsOpened()).hasSize(3);

        // manifests that are merged have other names and hold the same files
        long beforeRewrite = current();
        table.rewriteManifests().clusterBy(_ -> "one").rewriteIf(_ -> true).commit();
        assertThat(table.currentSnapshot().allManifests(table.io())).hasSizeLessThan(10);
        difference = since(beforeRewrite);
        assertThat(difference.added()).isEmpty();
        assertThat(difference.removed()).isEmpty();
        assertThat(difference.changed()).isEmpty();
    }

    @Test
    void testRemovedFileUnderItsDeletes()
    {
        DataFile file = append(1);
        DataFile other = append(1);
        DeleteFile delete = positions(file);
        table.newRowDelta().addDeletes(delete).commit();
        long before = current();
        table.newDelete().deleteFile(file).commit();
        StateDifference difference = since(before);
        assertLocations(difference.removed(), file);
        assertThat(locations(difference.removed().getFirst().before())).containsExactly(delete.location());
        assertThat(difference.changed()).isEmpty();
        assertThat(difference.added()).isEmpty();
        // And back
        difference = between(current(), before, alwaysTrue());
        assertLocations(difference.added(), file);
        assertThat(locations(difference.added().getFirst().after())).containsExactly(delete.location());

        long beforeAll = current();
        table.newDelete().deleteFromRowFilter(alwaysTrue()).commit();
        assertLocations(since(beforeAll).removed(), other);
    }

    @Test
    void testSameFileRemovedAndAddedAgain()
    {
        DataFile file = append(1);
        long before = current();
        table.newDelete().deleteFile(file).commit();
        table.newFastAppend().appendFile(file).commit();
        // Younger than before: not the same as to the deletes that apply
        StateDifference difference = since(before);
        assertLocations(difference.added(), file);
        assertLocations(difference.removed(), file);
    }

    @Test
    void testFileListedTwice()
    {
        DataFile file = file(1);
        table.newFastAppend().appendFile(file).commit();
        long once = current();
        table.newFastAppend().appendFile(file).commit();
        assertLocations(since(once).added(), file);
        table.newRowDelta().addDeletes(positions(file)).commit();
        StateDifference difference = since(once);
        // Younger than the other by a commit
        assertLocations(difference.added(), file);
        assertThat(difference.added().getFirst().after()).hasSize(1);
        assertLocations(difference.changed(), file);
    }

    @Test
    void testRewrittenManifests()
    {
        DataFile one = append(1);
        append(2);
        table.newRowDelta().addDeletes(positions(one)).commit();
        long before = current();
        table.rewriteManifests().clusterBy(_ -> "all").commit();
        assertThat(since(before)).isEqualTo(new StateDifference(List.of(), List.of(), List.of()));
        // A file whose entry is new and whose deletes are
        DeleteFile more = positions(one);
        table.newRowDelta().addDeletes(more).commit();
        StateDifference difference = since(before);
        assertLocations(difference.changed(), one);
        assertThat(difference.changed().getFirst().before()).hasSize(1);
        assertThat(difference.changed().getFirst().after()).hasSize(2);
        assertThat(difference.added()).isEmpty();
        assertThat(difference.removed()).isEmpty();
    }

    @Test
    void testDeletesOfAPartition()
    {
        DataFile one = append(1);
        append(2);
        long before = current();
        // Positions of several files, known by their partition only
        DeleteFile delete = FileMetadata.deleteFileBuilder(BY_P).ofPositionDeletes().withPath(path("deletes")).withFileSizeInBytes(10).withRecordCount(1).withPartition(one.partition()).build();
        RowDelta together = table.newRowDelta().addDeletes(delete);
        DataFile ofTheSameCommit = file(1);
        together.addRows(ofTheSameCommit).commit();
        append(1);
        StateDifference difference = since(before);
        assertLocations(difference.changed(), one);
        // Position deletes reach files of their own commit
        assertThat(difference.added().stream().filter(change -> change.file().location().equals(ofTheSameCommit.location())).toList().getFirst().after()).hasSize(1);
        assertThat(difference.added().stream().mapToInt(change -> change.after().size()).sum()).isEqualTo(1);
    }

    @Test
    void testEqualityDeletes()
    {
        DataFile one = append(1);
        append(2);
        long before = current();
        DeleteFile first = equality(BY_P, one, null);
        DataFile ofTheSameCommit = file(1);
        table.newRowDelta().addDeletes(first).addRows(ofTheSameCommit).commit();
        StateDifference difference = since(before);
        assertLocations(difference.changed(), one);
        assertLocations(difference.added(), ofTheSameCommit);
        assertThat(difference.added().getFirst().after()).isEmpty();

        long middle = current();
        DeleteFile second = equality(BY_P, one, null);
        table.newRowDelta().addDeletes(second).commit();
        difference = since(middle);
        assertLocations(difference.changed(), one, ofTheSameCommit);
        FileChange older = difference.changed().stream().filter(change -> change.file().location().equals(one.location())).findFirst().orElseThrow();
        assertThat(locations(older.before())).containsExactly(first.location());
        assertThat(locations(older.after())).containsExactlyInAnyOrder(first.location(), second.location());
    }

    @Test
    void testGlobalEqualityDeletes()
    {
        create(2, PartitionSpec.unpartitioned());
        DataFile old = append(0);
        table.updateSpec().addField("p").commit();
        DataFile one = append(1);
        DataFile two = append(2);
        long before = current();
        table.newRowDelta().addDeletes(equality(table.specs().get(0), null, null)).commit();
        append(3);
        StateDifference difference = since(before);
        assertLocations(difference.changed(), old, one, two);
        assertThat(difference.added()).hasSize(1);
        assertThat(difference.added().getFirst().after()).isEmpty();
    }

    @Test
    void testEqualityDeletesOutOfRange()
    {
        DataFile low = append(1, keys(1, 10, 0));
        DataFile high = append(1, keys(11, 20, 0));
        DataFile withNulls = append(1, keys(11, 20, 1));
        DataFile unknown = append(1);
        long before = current();
        table.newRowDelta().addDeletes(equality(BY_P, low, keys(10, 10, 0))).commit();
        assertLocations(since(before).changed(), low, unknown);
        long next = current();
        table.newRowDelta().addDeletes(equality(BY_P, low, keys(30, 40, 1))).commit();
        assertLocations(since(next).changed(), withNulls, unknown);
        assertThat(locations(since(next).changed())).doesNotContain(high.location());
    }

    @Test
    void testVectors()
    {
        create(3, BY_P);
        DataFile one = append(1);
        DataFile two = append(1);
        // Both in one Puffin file
        DeleteFile vectorOfOne = vector("shared", one, 4);
        DeleteFile vectorOfTwo = vector("shared", two, 44);
        table.newRowDelta().addDeletes(vectorOfOne).addDeletes(vectorOfTwo).commit();
        long before = current();
        DeleteFile more = vector("another", two, 4);
        table.newRowDelta().validateFromSnapshot(before).removeDeletes(vectorOfTwo).addDeletes(more).commit();
        StateDifference difference = since(before);
        assertLocations(difference.changed(), two);
        assertThat(difference.changed().getFirst().before().getFirst().contentOffset()).isEqualTo(44);
        assertThat(locations(difference.changed().getFirst().after())).containsExactly(more.location());
    }

    @Test
    void testVectorReplacesPositionDeletes()
    {
        DataFile one = append(1);
        DeleteFile old = positions(one);
        table.newRowDelta().addDeletes(old).commit();
        table.updateProperties().set(TableProperties.FORMAT_VERSION, "3").commit();
        long before = current();
        DeleteFile vector = vector("vector", one, 4);
        table.newRowDelta().addDeletes(vector).commit();
        StateDifference difference = since(before);
        assertThat(locations(difference.changed().getFirst().before())).containsExactly(old.location());
        assertThat(locations(difference.changed().getFirst().after())).containsExactly(vector.location());
        assertThat(difference.added()).isEmpty();
    }

    @Test
    void testFilter()
    {
        DataFile one = append(1, keys(1, 10, 0));
        DataFile two = append(2, keys(1, 10, 0));
        DataFile high = append(2, keys(20, 30, 0));
        long before = current();
        table.newRowDelta()
                .addDeletes(positions(one))
                .addDeletes(positions(two))
                .addDeletes(positions(high))
                .commit();
        DataFile added = append(2, keys(1, 10, 0));
        append(1, keys(1, 10, 0));
        StateDifference difference = between(before, current(), Expressions.equal("p", 2));
        assertLocations(difference.changed(), two, high);
        assertLocations(difference.added(), added);
        difference = between(before, current(), Expressions.and(Expressions.equal("p", 2), Expressions.lessThan("k", 15)));
        assertLocations(difference.changed(), two);
        opened.clear();
        difference = between(before, current(), Expressions.equal("p", 99));
        assertThat(difference.changed()).isEmpty();
        assertThat(manifestsOpened()).isEmpty();
    }

    private void create(int formatVersion, PartitionSpec spec)
    {
        if (table != null) {
            catalog.dropTable(NAME);
        }
        table = catalog.createTable(NAME, SCHEMA, spec, Map.of(TableProperties.FORMAT_VERSION, String.valueOf(formatVersion)));
    }

    private StateDifference since(long before)
    {
        return between(before, current(), alwaysTrue());
    }

    private StateDifference between(long before, long after, Expression filter)
    {
        opened.clear();
        Table read = new BaseTable(new StaticTableOperations(((BaseTable) table).operations().current(), new RecordingFileIo(table.io(), opened)), "t");
        return StateDifference.between(read, read.snapshot(before), read.snapshot(after), filter, executor);
    }

    private Set<String> manifestsOpened()
    {
        return opened.stream()
                .filter(path -> !path.contains("/snap-"))
                .collect(toImmutableSet());
    }

    private DataFile append(int part)
    {
        return append(part, null);
    }

    private DataFile append(int part, Metrics metrics)
    {
        DataFile file = file(part, metrics);
        table.newFastAppend().appendFile(file).commit();
        return file;
    }

    private DataFile file(int part)
    {
        return file(part, null);
    }

    private DataFile file(int part, Metrics metrics)
    {
        DataFiles.Builder builder = DataFiles.builder(table.spec())
                .withPath(path("data"))
                .withFileSizeInBytes(1000)
                .withRecordCount(100);
        if (table.spec().isPartitioned()) {
            builder.withPartitionPath("p=" + part);
        }
        if (metrics != null) {
            builder.withMetrics(metrics);
        }
        return builder.build();
    }

    private DeleteFile positions(DataFile file)
    {
        return FileMetadata.deleteFileBuilder(BY_P)
                .ofPositionDeletes()
                .withPath(path("positions"))
                .withFileSizeInBytes(10)
                .withRecordCount(1)
                .withReferencedDataFile(file.location())
                .withPartition(file.partition())
                .build();
    }

    private DeleteFile vector(String puffin, DataFile file, long offset)
    {
        return FileMetadata.deleteFileBuilder(BY_P)
                .ofPositionDeletes()
                .withFormat(FileFormat.PUFFIN)
                .withPath("memory:/%s.puffin".formatted(puffin))
                .withFileSizeInBytes(100)
                .withRecordCount(1)
                .withReferencedDataFile(file.location())
                .withContentOffset(offset)
                .withContentSizeInBytes(40)
                .withPartition(file.partition())
                .build();
    }

    private DeleteFile equality(PartitionSpec spec, DataFile partitionOf, Metrics metrics)
    {
        FileMetadata.Builder builder = FileMetadata.deleteFileBuilder(spec)
                .ofEqualityDeletes(2)
                .withPath(path("equality"))
                .withFileSizeInBytes(10)
                .withRecordCount(1);
        if (partitionOf != null) {
            builder.withPartition(partitionOf.partition());
        }
        if (metrics != null) {
            builder.withMetrics(metrics);
        }
        return builder.build();
    }

    private static Metrics keys(int from, int to, long nulls)
    {
        return new Metrics(
                100L,
                null,
                ImmutableMap.of(2, 100L),
                ImmutableMap.of(2, nulls),
                null,
                ImmutableMap.of(2, Conversions.toByteBuffer(Types.IntegerType.get(), from)),
                ImmutableMap.of(2, Conversions.toByteBuffer(Types.IntegerType.get(), to)));
    }

    private String path(String kind)
    {
        files++;
        return "memory:/%s-%s.parquet".formatted(kind, files);
    }

    private long current()
    {
        return table.currentSnapshot().snapshotId();
    }

    private static void assertLocations(List<FileChange> changes, DataFile... expected)
    {
        assertThat(locations(changes)).containsExactlyInAnyOrderElementsOf(List.of(expected).stream().map(DataFile::location).toList());
    }

    private static List<String> locations(List<?> files)
    {
        return files.stream()
                .map(file -> switch (file) {
                    case FileChange change -> change.file().location();
                    case ContentFile<?> content -> content.location();
                    default -> throw new IllegalArgumentException("Not a file: " + file);
                })
                .collect(toImmutableList());
    }

    private record RecordingFileIo(FileIO delegate, Set<String> opened)
            implements FileIO
    {
        @Override
        public InputFile newInputFile(String path)
        {
            opened.add(path);
            return delegate.newInputFile(path);
        }

        @Override
        public OutputFile newOutputFile(String path)
        {
            throw new UnsupportedOperationException();
        }

        @Override
        public void deleteFile(String path)
        {
            throw new UnsupportedOperationException();
        }
    }
}
