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

import org.apache.iceberg.ContentFile;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Table;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.InclusiveMetricsEvaluator;
import org.apache.iceberg.expressions.ManifestEvaluator;
import org.apache.iceberg.expressions.Projections;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.util.Tasks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.function.Predicate;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

/**
 * Reads the live files of manifests, as far as they may hold rows that match a filter. Leaving files out is always right,
 * since whoever reads a change scan filters again.
 */
final class Manifests
{
    private final FileIO io;
    private final Map<Integer, PartitionSpec> specs;
    private final Map<Integer, Expression> partitionFilters = new ConcurrentHashMap<>();
    private final InclusiveMetricsEvaluator statistics;
    private final Expression filter;
    private final ExecutorService executor;

    Manifests(Table table, Expression filter, ExecutorService executor)
    {
        this.io = table.io();
        this.specs = table.specs();
        this.filter = requireNonNull(filter, "filter is null");
        this.statistics = new InclusiveMetricsEvaluator(table.schema(), filter);
        this.executor = requireNonNull(executor, "executor is null");
    }

    List<DataFile> readData(Collection<ManifestFile> manifests, Predicate<DataFile> wanted)
    {
        return read(manifests, manifest -> ManifestFiles.read(manifest, io, specs), file -> statistics.eval(file) && wanted.test(file));
    }

    /**
     * Column statistics of deletes are not looked at: a row may be deleted by values that a filter refuses, or that nobody
     * cared to write.
     */
    List<DeleteFile> readDeletes(Collection<ManifestFile> manifests, Predicate<DeleteFile> wanted)
    {
        return read(manifests, manifest -> ManifestFiles.readDeleteManifest(manifest, io, specs), wanted);
    }

    private <F extends ContentFile<F>> List<F> read(Collection<ManifestFile> manifests, Opener<F> opener, Predicate<F> wanted)
    {
        List<ManifestFile> matching = manifests.stream()
                .filter(manifest -> manifest.hasAddedFiles() || manifest.hasExistingFiles())
                .filter(manifest -> ManifestEvaluator.forPartitionFilter(partitionFilter(manifest), specs.get(manifest.partitionSpecId()), true).eval(manifest))
                .collect(toImmutableList());
        List<List<F>> filesByManifest = new ArrayList<>();
        matching.forEach(_ -> filesByManifest.add(new ArrayList<>()));
        Tasks.range(matching.size())
                .stopOnFailure()
                .throwFailureWhenFinished()
                .executeWith(matching.size() > 1 ? executor : null)
                .run(index -> {
                    ManifestFile manifest = matching.get(index);
                    try (ManifestReader<F> reader = opener.open(manifest).filterPartitions(partitionFilter(manifest))) {
                        for (F file : reader) {
                            if (wanted.test(file)) {
                                filesByManifest.get(index).add(file);
                            }
                        }
                    }
                    catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
        return filesByManifest.stream()
                .flatMap(List::stream)
                .collect(toImmutableList());
    }

    private Expression partitionFilter(ManifestFile manifest)
    {
        return partitionFilters.computeIfAbsent(manifest.partitionSpecId(), id -> Projections.inclusive(specs.get(id)).project(filter));
    }

    private interface Opener<F extends ContentFile<F>>
    {
        ManifestReader<F> open(ManifestFile manifest);
    }
}
