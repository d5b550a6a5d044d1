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
import com.google.common.collect.Sets;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.ManifestContent;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.expressions.Expression;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.function.Function;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static io.freshet.spi.scan.FileKey.sequenceNumber;

/**
 * The data files by which two states of a table differ, and those that are in both under other deletes. A file that is listed
 * several times counts as often.
 *
 * <p>Manifests that are in both states hold neither additions nor removals. They are opened only where a changed delete, or the
 * deletes of a changed file, may be listed. That a delete reaches only files of its own partition, except for equality deletes
 * of an unpartitioned spec, is a rule of the Iceberg specification.
 */
record StateDifference(List<FileChange> added, List<FileChange> removed, List<FileChange> changed)
{
    StateDifference
    {
        added = ImmutableList.copyOf(added);
        removed = ImmutableList.copyOf(removed);
        changed = ImmutableList.copyOf(changed);
    }

    static StateDifference between(Table table, Snapshot before, Snapshot after, Expression filter, ExecutorService executor)
    {
        return new Planning(table, new Manifests(table, filter, executor), before, after).plan();
    }

    private static final class Planning
    {
        private final Table table;
        private final Map<Integer, PartitionSpec> specs;
        private final Manifests manifests;
        private final ManifestLists data;
        private final ManifestLists deletes;

        Planning(Table table, Manifests manifests, Snapshot before, Snapshot after)
        {
            this.table = table;
            this.specs = table.specs();
            this.manifests = manifests;
            List<ManifestFile> manifestsBefore = before.allManifests(table.io());
            List<ManifestFile> manifestsAfter = after.allManifests(table.io());
            data = ManifestLists.of(manifestsBefore, manifestsAfter, ManifestContent.DATA);
            deletes = ManifestLists.of(manifestsBefore, manifestsAfter, ManifestContent.DELETES);
        }

        StateDifference plan()
        {
            Comparison<DeleteFile> deleteFiles = Comparison.of(
                    manifests.readDeletes(deletes.onlyBefore(), _ -> true),
                    manifests.readDeletes(deletes.onlyAfter(), _ -> true),
                    FileKey.DeleteKey::of);
            Comparison<DataFile> dataFiles = Comparison.of(
                    manifests.readData(data.onlyBefore(), _ -> true),
                    manifests.readData(data.onlyAfter(), _ -> true),
                    FileKey::of);
            List<DataFile> reached = reachedFiles(deleteFiles, dataFiles.inBoth());

            List<DataFile> touched = concat(dataFiles.onlyBefore(), dataFiles.onlyAfter(), reached);
            List<DeleteFile> unchanged = concat(deleteFiles.inBoth(), unchangedDeletes(touched));
            DeleteIndex before = index(concat(unchanged, deleteFiles.onlyBefore()));
            DeleteIndex after = index(concat(unchanged, deleteFiles.onlyAfter()));
            return new StateDifference(
                    dataFiles.onlyAfter().stream().map(file -> new FileChange(file, ImmutableList.of(), after.of(file))).collect(toImmutableList()),
                    dataFiles.onlyBefore().stream().map(file -> new FileChange(file, before.of(file), ImmutableList.of())).collect(toImmutableList()),
                    reached.stream()
                            .map(file -> new FileChange(file, before.of(file), after.of(file)))
                            .filter(change -> !keys(change.before()).equals(keys(change.after())))
                            .collect(toImmutableList()));
        }

        /** Files of both states to which a delete applies that is in one of them only. */
        private List<DataFile> reachedFiles(Comparison<DeleteFile> deleteFiles, List<DataFile> listedAnew)
        {
            List<DeleteFile> changedDeletes = concat(deleteFiles.onlyBefore(), deleteFiles.onlyAfter());
            if (changedDeletes.isEmpty()) {
                return ImmutableList.of();
            }
            DeleteIndex indexBefore = index(deleteFiles.onlyBefore());
            DeleteIndex indexAfter = index(deleteFiles.onlyAfter());

            PartitionReach partitions = new PartitionReach(specs, Math::max);
            long newestGlobal = Long.MIN_VALUE;
            for (DeleteFile delete : changedDeletes) {
                if (DeleteIndex.isGlobal(delete, specs)) {
                    newestGlobal = Math.max(newestGlobal, sequenceNumber(delete));
                }
                else {
                    partitions.add(delete.specId(), delete.partition(), sequenceNumber(delete));
                }
            }
            long newest = newestGlobal;
            List<ManifestFile> opened = data.inBoth().stream()
                    .filter(manifest -> manifest.minSequenceNumber() < newest
                            || partitions.mayReach(manifest, deleteAge -> manifest.minSequenceNumber() <= deleteAge))
                    .collect(toImmutableList());
            List<DataFile> files = concat(listedAnew, manifests.readData(opened, file -> isReached(file, indexBefore, indexAfter)));
            return files.stream()
                    .filter(file -> isReached(file, indexBefore, indexAfter))
                    .collect(toImmutableList());
        }

        private static boolean isReached(DataFile file, DeleteIndex before, DeleteIndex after)
        {
            return !before.of(file).isEmpty() || !after.of(file).isEmpty();
        }

        /** The deletes of manifests that are in both states, as far as they may apply to one of the files. */
        private List<DeleteFile> unchangedDeletes(List<DataFile> files)
        {
            if (files.isEmpty() || deletes.inBoth().isEmpty()) {
                return ImmutableList.of();
            }
            PartitionReach partitions = new PartitionReach(specs, Math::min);
            long oldest = Long.MAX_VALUE;
            for (DataFile file : files) {
                partitions.add(file.specId(), file.partition(), sequenceNumber(file));
                oldest = Math.min(oldest, sequenceNumber(file));
            }
            long oldestFile = oldest;
            List<ManifestFile> opened = deletes.inBoth().stream()
                    .filter(manifest -> specs.get(manifest.partitionSpecId()).isUnpartitioned() && manifest.sequenceNumber() > oldestFile
                            || partitions.mayReach(manifest, fileAge -> manifest.sequenceNumber() >= fileAge))
                    .collect(toImmutableList());
            return manifests.readDeletes(opened, delete -> DeleteIndex.isGlobal(delete, specs) || partitions.contains(delete.specId(), delete.partition()));
        }

        private DeleteIndex index(List<DeleteFile> deleteFiles)
        {
            return new DeleteIndex(table.schema(), specs, deleteFiles);
        }
    }

    private static Set<FileKey.DeleteKey> keys(List<DeleteFile> deletes)
    {
        return deletes.stream().map(FileKey.DeleteKey::of).collect(toImmutableSet());
    }

    @SafeVarargs
    private static <T> List<T> concat(List<T>... lists)
    {
        return List.of(lists).stream().flatMap(List::stream).collect(toImmutableList());
    }

    private record ManifestLists(List<ManifestFile> onlyBefore, List<ManifestFile> onlyAfter, List<ManifestFile> inBoth)
    {
        static ManifestLists of(List<ManifestFile> before, List<ManifestFile> after, ManifestContent content)
        {
            Map<String, ManifestFile> byPathBefore = byPath(before, content);
            Map<String, ManifestFile> byPathAfter = byPath(after, content);
            return new ManifestLists(
                    pick(byPathBefore, Sets.difference(byPathBefore.keySet(), byPathAfter.keySet())),
                    pick(byPathAfter, Sets.difference(byPathAfter.keySet(), byPathBefore.keySet())),
                    pick(byPathAfter, Sets.intersection(byPathAfter.keySet(), byPathBefore.keySet())));
        }

        private static Map<String, ManifestFile> byPath(List<ManifestFile> manifests, ManifestContent content)
        {
            Map<String, ManifestFile> byPath = new LinkedHashMap<>();
            manifests.stream()
                    .filter(manifest -> manifest.content() == content)
                    .forEach(manifest -> byPath.put(manifest.path(), manifest));
            return byPath;
        }

        private static List<ManifestFile> pick(Map<String, ManifestFile> manifests, Set<String> paths)
        {
            return paths.stream().map(manifests::get).collect(toImmutableList());
        }
    }

    /** Two multisets of files, compared by what makes them the same. */
    private record Comparison<F>(List<F> onlyBefore, List<F> onlyAfter, List<F> inBoth)
    {
        static <F> Comparison<F> of(Collection<F> before, Collection<F> after, Function<F, ?> key)
        {
            Map<Object, List<F>> unmatched = new LinkedHashMap<>();
            before.forEach(file -> unmatched.computeIfAbsent(key.apply(file), _ -> new ArrayList<>()).add(file));
            ImmutableList.Builder<F> onlyAfter = ImmutableList.builder();
            ImmutableList.Builder<F> inBoth = ImmutableList.builder();
            for (F file : after) {
                List<F> same = unmatched.get(key.apply(file));
                if (same == null || same.isEmpty()) {
                    onlyAfter.add(file);
                }
                else {
                    same.removeLast();
                    inBoth.add(file);
                }
            }
            return new Comparison<>(unmatched.values().stream().flatMap(List::stream).collect(toImmutableList()), onlyAfter.build(), inBoth.build());
        }
    }
}
