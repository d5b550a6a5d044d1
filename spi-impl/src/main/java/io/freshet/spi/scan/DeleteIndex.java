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
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.util.ContentFileUtil;
import org.apache.iceberg.util.PartitionMap;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static io.freshet.spi.scan.FileKey.sequenceNumber;

/**
 * Which of a set of deletes apply to a data file, by the rules of the Iceberg specification (scan planning): position deletes
 * and deletion vectors to files that are not younger, equality deletes to files that are older; those of an unpartitioned spec
 * to files of every partition. A deletion vector replaces position deletes.
 */
final class DeleteIndex
{
    private final EqualityRanges equalityRanges;
    private final List<DeleteFile> globalEqualities = new ArrayList<>();
    private final PartitionMap<List<DeleteFile>> equalities;
    private final PartitionMap<List<DeleteFile>> positions;
    private final Map<String, List<DeleteFile>> positionsByFile = new HashMap<>();
    private final Map<String, DeleteFile> vectorsByFile = new HashMap<>();

    DeleteIndex(Schema schema, Map<Integer, PartitionSpec> specs, Collection<DeleteFile> deletes)
    {
        equalityRanges = new EqualityRanges(schema);
        equalities = PartitionMap.create(specs);
        positions = PartitionMap.create(specs);
        for (DeleteFile delete : deletes) {
            if (isGlobal(delete, specs)) {
                globalEqualities.add(delete);
                continue;
            }
            Optional<String> dataFile = Optional.ofNullable(ContentFileUtil.referencedDataFileLocation(delete));
            switch (delete.content()) {
                case EQUALITY_DELETES -> equalities.computeIfAbsent(delete.specId(), delete.partition(), ArrayList::new).add(delete);
                case POSITION_DELETES -> {
                    if (ContentFileUtil.isDV(delete)) {
                        addVector(dataFile.orElseThrow(), delete);
                    }
                    else if (dataFile.isPresent()) {
                        positionsByFile.computeIfAbsent(dataFile.get(), _ -> new ArrayList<>()).add(delete);
                    }
                    else {
                        positions.computeIfAbsent(delete.specId(), delete.partition(), ArrayList::new).add(delete);
                    }
                }
                case DATA, DATA_MANIFEST, DELETE_MANIFEST -> throw new IllegalArgumentException("Not deletes: " + delete);
            }
        }
    }

    /** Whether the deletes apply to files of every partition. */
    static boolean isGlobal(DeleteFile delete, Map<Integer, PartitionSpec> specs)
    {
        return switch (delete.content()) {
            case EQUALITY_DELETES -> specs.get(delete.specId()).isUnpartitioned();
            case POSITION_DELETES, DATA, DATA_MANIFEST, DELETE_MANIFEST -> false;
        };
    }

    List<DeleteFile> of(DataFile file)
    {
        long age = sequenceNumber(file);
        ImmutableList.Builder<DeleteFile> applying = ImmutableList.builder();
        addEqualities(globalEqualities, file, age, applying);
        addEqualities(equalities.get(file.specId(), file.partition()), file, age, applying);
        DeleteFile vector = vectorsByFile.get(file.location());
        if (vector != null) {
            ValidationException.check(sequenceNumber(vector) >= age, "Deletion vector of %s is older than the file", file.location());
            return applying.add(vector).build();
        }
        addPositions(positions.get(file.specId(), file.partition()), age, applying);
        addPositions(positionsByFile.get(file.location()), age, applying);
        return applying.build();
    }

    private void addVector(String dataFile, DeleteFile vector)
    {
        ValidationException.check(vectorsByFile.put(dataFile, vector) == null, "File %s has more than one deletion vector", dataFile);
    }

    private void addEqualities(List<DeleteFile> deletes, DataFile file, long age, ImmutableList.Builder<DeleteFile> applying)
    {
        if (deletes != null) {
            deletes.stream()
                    .filter(delete -> sequenceNumber(delete) > age && equalityRanges.overlap(delete, file))
                    .forEach(applying::add);
        }
    }

    private static void addPositions(List<DeleteFile> deletes, long age, ImmutableList.Builder<DeleteFile> applying)
    {
        if (deletes != null) {
            deletes.stream()
                    .filter(delete -> sequenceNumber(delete) >= age)
                    .forEach(applying::add);
        }
    }
}
