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
package io.freshet.spi.change;

import io.freshet.staleness.ChangeClassifier;
import io.freshet.staleness.ChangeKind;
import io.freshet.staleness.ChangeReason;
import io.freshet.staleness.ResolvedColumn;
import io.freshet.staleness.SnapshotFact;
import io.freshet.staleness.SnapshotFact.Operation;
import io.freshet.staleness.SourceBookmark;
import io.freshet.staleness.SourceChange;
import io.freshet.staleness.SourceFacts;
import io.freshet.staleness.SourceIdentity;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.ExpireSnapshots.CleanupLevel;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.StaticTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

import static org.apache.iceberg.types.Types.NestedField.optional;
import static org.apache.iceberg.types.Types.NestedField.required;
import static org.assertj.core.api.Assertions.assertThat;

/** Tables of an in-memory catalog; the data files are named, but not there: nothing here reads one. */
final class TestSourceFactsReader
{
    private static final TableIdentifier NAME = TableIdentifier.of("s", "t");
    private static final Schema SCHEMA = new Schema(
            required(1, "Id", Types.LongType.get()),
            optional(2, "r", Types.StructType.of(optional(3, "x", Types.IntegerType.get(), "a comment"), required(4, "y", Types.DateType.get()))),
            optional(5, "m", Types.MapType.ofOptional(6, 7, Types.StringType.get(), Types.ListType.ofRequired(8, Types.DecimalType.of(9, 2)))));

    private InMemoryCatalog catalog;
    private Table table;
    private int files;

    @BeforeEach
    void setUp()
    {
        catalog = new InMemoryCatalog();
        catalog.initialize("lake", Map.of());
        catalog.createNamespace(Namespace.of("s"));
        table = catalog.createTable(NAME, SCHEMA);
    }

    @AfterEach
    void tearDown()
            throws IOException
    {
        catalog.close();
    }

    @Test
    void testTableWithoutSnapshot()
    {
        SourceFacts facts = SourceFactsReader.read(table, Optional.empty());
        assertThat(facts.currentSnapshotId()).isEmpty();
        assertThat(facts.lineage()).isEmpty();
        assertThat(facts.identity()).isEqualTo(new SourceIdentity.TableUuid(((BaseTable) table).operations().current().uuid()));
        assertThat(classify(bookmark(OptionalLong.empty())).kind()).isEqualTo(ChangeKind.UNCHANGED);
    }

    @Test
    void testColumns()
    {
        SourceFacts facts = SourceFactsReader.read(table, Optional.empty());
        assertThat(facts.columns().keySet()).containsExactlyInAnyOrder("id", "r", "r.x", "r.y", "m", "m.key", "m.value", "m.value.element");
        assertThat(facts.columns().get("id")).isEqualTo(new ResolvedColumn("id", fieldId("Id"), "long", true));
        assertThat(facts.columns().get("r.x")).isEqualTo(new ResolvedColumn("r.x", fieldId("r.x"), "int", false));
        assertThat(facts.columns().get("r").type()).isEqualTo("struct<%s:x int, %s:y date required>".formatted(fieldId("r.x"), fieldId("r.y")));
    }

    @Test
    void testHarmlessSchemaChanges()
    {
        SourceBookmark bookmark = bookmark(OptionalLong.empty(), "id", "r");
        table.updateSchema().addColumn("more", Types.StringType.get()).moveFirst("more").commit();
        table.updateSchema().updateColumnDoc("r.x", "another comment").updateColumnDoc("Id", "commented").commit();
        table.updateSchema().deleteColumn("m").commit();
        assertThat(classify(bookmark).kind()).isEqualTo(ChangeKind.UNCHANGED);
    }

    @Test
    void testSchemaChangesOfColumnsRead()
    {
        SourceBookmark struct = bookmark(OptionalLong.empty(), "r");
        SourceBookmark nested = bookmark(OptionalLong.empty(), "r.x");
        table.updateSchema().addColumn("r", "z", Types.StringType.get()).commit();
        assertThat(classify(struct).reason()).isEqualTo(ChangeReason.SOURCE_SCHEMA_CHANGED);
        assertThat(classify(nested).kind()).isEqualTo(ChangeKind.UNCHANGED);
        table.updateSchema().updateColumn("r.x", Types.LongType.get()).commit();
        assertThat(classify(nested).reason()).isEqualTo(ChangeReason.SOURCE_SCHEMA_CHANGED);

        SourceBookmark renamed = bookmark(OptionalLong.empty(), "id");
        table.updateSchema().renameColumn("Id", "old").commit();
        assertThat(classify(renamed).reason()).isEqualTo(ChangeReason.SOURCE_SCHEMA_CHANGED);
        table.updateSchema().addColumn("id", Types.LongType.get()).commit();
        assertThat(classify(renamed).reason()).isEqualTo(ChangeReason.SOURCE_SCHEMA_CHANGED);
    }

    @Test
    void testFacts()
    {
        DataFile first = append(10);
        long bookmarked = current();
        append(20);
        DataFile third = append(30);
        table.newRewrite().deleteFile(first).deleteFile(third).addFile(file(40)).commit();
        List<SnapshotFact> lineage = SourceFactsReader.read(table, Optional.of(bookmark(OptionalLong.of(bookmarked)))).lineage();
        assertThat(lineage.stream().map(SnapshotFact::operation)).containsExactly(Operation.REPLACE, Operation.APPEND, Operation.APPEND, Operation.APPEND);
        assertThat(lineage.stream().map(SnapshotFact::addedRows)).containsExactly(40L, 30L, 20L, 10L);
        assertThat(lineage.getFirst().removedRows()).isEqualTo(40);
        assertThat(lineage.getFirst().removedDataFiles()).isEqualTo(2);
        assertThat(lineage.get(1).addedBytes()).isEqualTo(3000);
        assertThat(lineage.getLast().id()).isEqualTo(bookmarked);

        SourceChange change = classify(bookmark(OptionalLong.of(bookmarked)));
        assertThat(change.kind()).isEqualTo(ChangeKind.APPENDED);
        assertThat(change.addedRows()).isEqualTo(50);
        assertThat(change.addedBytes()).isEqualTo(5000);
        assertThat(change.firstUnappliedCommitMillis()).hasValue(lineage.get(2).timestampMillis());
    }

    @Test
    void testCommitsThatChangeRows()
    {
        DataFile first = append(10);
        SourceBookmark bookmark = bookmark(OptionalLong.of(current()));
        table.newRowDelta()
                .addDeletes(FileMetadata.deleteFileBuilder(PartitionSpec.unpartitioned())
                        .ofEqualityDeletes(fieldId("Id"))
                        .withPath("file:/deletes.parquet")
                        .withFileSizeInBytes(10)
                        .withRecordCount(1)
                        .build())
                .commit();
        assertThat(classify(bookmark).reason()).isEqualTo(ChangeReason.SOURCE_ROWS_CHANGED);
        assertThat(SourceFactsReader.read(table, Optional.of(bookmark)).lineage().getFirst().addedDeleteFiles()).isEqualTo(1);

        SourceBookmark afterDelete = bookmark(OptionalLong.of(current()));
        table.newRowDelta().addRows(file(1)).commit();
        assertThat(classify(afterDelete).kind()).isEqualTo(ChangeKind.APPENDED);
        table.newOverwrite().deleteFile(first).addFile(file(10)).commit();
        assertThat(classify(afterDelete).reason()).isEqualTo(ChangeReason.SOURCE_ROWS_CHANGED);

        SourceBookmark beforeTruncate = bookmark(OptionalLong.of(current()));
        table.newDelete().deleteFromRowFilter(Expressions.alwaysTrue()).commit();
        assertThat(classify(beforeTruncate).reason()).isEqualTo(ChangeReason.SOURCE_ROWS_CHANGED);
    }

    @Test
    void testExtentOfDeletes()
    {
        DataFile first = append(10);
        append(30);
        SourceBookmark bookmark = bookmark(OptionalLong.of(current()));
        table.newRowDelta().addDeletes(positionDelete(first, 3)).commit();
        SnapshotFact positions = SourceFactsReader.read(table, Optional.of(bookmark)).lineage().getFirst();
        assertThat(positions.rowDeletes()).isEqualTo(new SnapshotFact.RowDeletes(3, 3, false));
        assertThat(positions.totals().rows()).hasValue(40);
        assertThat(positions.totals().dataFiles()).hasValue(2);
        assertThat(classify(bookmark).removedRows()).isEqualTo(3);

        table.updateProperties().set(TableProperties.FORMAT_VERSION, "3").commit();
        DeleteFile vector = vector(first, 4);
        table.newRowDelta().addDeletes(vector).commit();
        SourceBookmark afterVector = bookmark(OptionalLong.of(current()));
        // The rows of the vector that is replaced were deleted before
        table.newRowDelta().validateFromSnapshot(current()).removeDeletes(vector).addDeletes(vector(first, 6)).commit();
        SnapshotFact replaced = SourceFactsReader.read(table, Optional.of(afterVector)).lineage().getFirst();
        assertThat(replaced.rowDeletes()).isEqualTo(new SnapshotFact.RowDeletes(2, 1, false));
        assertThat(classify(afterVector).removedRows()).isEqualTo(2);

        SourceBookmark beforeRemoval = bookmark(OptionalLong.of(current()));
        table.newDelete().deleteFile(first).commit();
        SourceChange removal = classify(beforeRemoval);
        assertThat(removal.removedRows()).isEqualTo(10);
        assertThat(removal.scanBytes()).isGreaterThanOrEqualTo(1000);
        assertThat(removal.addedRows()).isZero();
    }

    @Test
    void testLinesOfHistory()
    {
        append(1);
        long first = current();
        append(2);
        long second = current();
        table.manageSnapshots().rollbackTo(first).commit();
        assertThat(classify(bookmark(OptionalLong.of(second))).reason()).isEqualTo(ChangeReason.SOURCE_ROLLED_BACK);
        append(3);
        assertThat(classify(bookmark(OptionalLong.of(second))).reason()).isEqualTo(ChangeReason.SOURCE_ROLLED_BACK);
        assertThat(classify(bookmark(OptionalLong.of(first))).kind()).isEqualTo(ChangeKind.APPENDED);
        // MV-023: what was staged elsewhere and then taken over
        table.manageSnapshots().cherrypick(second).commit();
        assertThat(classify(bookmark(OptionalLong.of(first))).addedRows()).isEqualTo(5);

        table.expireSnapshots().expireSnapshotId(first).cleanupLevel(CleanupLevel.NONE).commit();
        assertThat(classify(bookmark(OptionalLong.of(first))).reason()).isEqualTo(ChangeReason.SOURCE_SNAPSHOT_EXPIRED);
    }

    @Test
    void testReplaced()
    {
        append(1);
        SourceBookmark bookmark = bookmark(OptionalLong.of(current()));
        catalog.buildTable(NAME, SCHEMA).createOrReplaceTransaction().commitTransaction();
        table.refresh();
        assertThat(classify(bookmark).reason()).isEqualTo(ChangeReason.SOURCE_REPLACED);
        append(2);
        assertThat(classify(bookmark).reason()).isEqualTo(ChangeReason.SOURCE_REPLACED);

        catalog.dropTable(NAME);
        table = catalog.createTable(NAME, SCHEMA);
        assertThat(classify(bookmark).reason()).isEqualTo(ChangeReason.SOURCE_RECREATED);
    }

    @Test
    void testRef()
    {
        append(1);
        long first = current();
        table.manageSnapshots().createBranch("b").commit();
        SourceBookmark onBranch = new SourceBookmark("lake", "s", "t", SourceFactsReader.identity(table), OptionalLong.of(first), Optional.of("b"), List.of());
        append(2);
        assertThat(classify(onBranch).kind()).isEqualTo(ChangeKind.UNCHANGED);
        table.newFastAppend().appendFile(file(3)).toBranch("b").commit();
        assertThat(classify(onBranch).addedRows()).isEqualTo(3);
        assertThat(classify(bookmark(OptionalLong.of(first))).addedRows()).isEqualTo(2);
        table.manageSnapshots().removeBranch("b").commit();
        assertThat(classify(onBranch).reason()).isEqualTo(ChangeReason.SOURCE_MISSING);
    }

    @Test
    void testIdentityWithoutUuid()
    {
        catalog.dropTable(NAME);
        table = catalog.createTable(NAME, SCHEMA, PartitionSpec.unpartitioned(), Map.of(TableProperties.FORMAT_VERSION, "1"));
        append(1);
        long first = current();
        append(2);
        TableMetadata metadata = ((BaseTable) table).operations().current();
        String json = TableMetadataParser.toJson(metadata)
                .replace("\"table-uuid\":\"%s\",".formatted(metadata.uuid()), "");
        TableMetadata withoutUuid = TableMetadataParser.fromJson(json);
        assertThat(withoutUuid.uuid()).isNull();
        Table old = new BaseTable(new StaticTableOperations(withoutUuid, table.io()), "old");
        assertThat(SourceFactsReader.identity(old)).isEqualTo(new SourceIdentity.LocationAndFirstSnapshot(table.location(), first));
    }

    private DeleteFile positionDelete(DataFile file, long rows)
    {
        files++;
        return FileMetadata.deleteFileBuilder(PartitionSpec.unpartitioned())
                .ofPositionDeletes()
                .withPath("file:/positions-%s.parquet".formatted(files))
                .withFileSizeInBytes(10)
                .withRecordCount(rows)
                .withReferencedDataFile(file.location())
                .build();
    }

    private DeleteFile vector(DataFile file, long rows)
    {
        files++;
        return FileMetadata.deleteFileBuilder(PartitionSpec.unpartitioned())
                .ofPositionDeletes()
                .withFormat(FileFormat.PUFFIN)
                .withPath("file:/vector-%s.puffin".formatted(files))
                .withFileSizeInBytes(10)
                .withRecordCount(rows)
                .withReferencedDataFile(file.location())
                .withContentOffset(4)
                .withContentSizeInBytes(6)
                .build();
    }

    private DataFile append(int rows)
    {
        DataFile file = file(rows);
        table.newAppend().appendFile(file).commit();
        return file;
    }

    private DataFile file(int rows)
    {
        files++;
        return DataFiles.builder(PartitionSpec.unpartitioned())
                .withPath("file:/data-%s.parquet".formatted(files))
                .withFileSizeInBytes(rows * 100L)
                .withRecordCount(rows)
                .build();
    }

    private long current()
    {
        return table.currentSnapshot().snapshotId();
    }

    private int fieldId(String name)
    {
        return table.schema().findField(name).fieldId();
    }

    private SourceBookmark bookmark(OptionalLong snapshot, String... columns)
    {
        Map<String, ResolvedColumn> resolved = SourceFactsReader.read(table, Optional.empty()).columns();
        return new SourceBookmark("lake", "s", "t", SourceFactsReader.identity(table), snapshot, Optional.empty(), List.of(columns).stream().map(resolved::get).toList());
    }

    private SourceChange classify(SourceBookmark bookmark)
    {
        return ChangeClassifier.classify(bookmark, SourceFactsReader.read(table, Optional.of(bookmark)));
    }
}
