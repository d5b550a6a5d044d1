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

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.freshet.engine.CompiledView;
import io.freshet.engine.plan.PlanRequest;
import io.freshet.engine.plan.RefreshPlan;
import io.freshet.spi.catalog.ViewTable;
import io.freshet.staleness.SourceBookmark;
import io.freshet.staleness.SourceChange;
import io.trino.spi.connector.SchemaTableName;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

import static java.util.Objects.requireNonNull;

/**
 * All that was found out and decided before a refresh runs.
 *
 * @param sources what changed in each followed source, and its bookmark if this refresh succeeds
 * @param pins every table of this catalog that the statement may read
 * @param expectedSnapshotId snapshot of the backing table on which the plan is made
 */
public record PlannedRefresh(
        ViewTable view,
        CompiledView compiled,
        PlanRequest request,
        RefreshPlan plan,
        List<Source> sources,
        Map<SchemaTableName, SourcePin> pins,
        OptionalLong expectedSnapshotId,
        boolean foreignSources,
        long startMillis)
{
    public PlannedRefresh
    {
        requireNonNull(view, "view is null");
        requireNonNull(compiled, "compiled is null");
        requireNonNull(request, "request is null");
        requireNonNull(plan, "plan is null");
        sources = ImmutableList.copyOf(sources);
        pins = ImmutableMap.copyOf(pins);
        requireNonNull(expectedSnapshotId, "expectedSnapshotId is null");
    }

    /** Rows in the files that were added to the sources: an upper bound of what an incremental refresh reads of them. */
    public long deltaRows()
    {
        return sources.stream().mapToLong(source -> source.change().addedRows()).sum();
    }

    /**
     * @param type as in {@link RefreshState.SourceState}
     * @param view the definition of a materialized view, as it is
     */
    public record Source(String type, Optional<ViewVersions.State> view, SourceBookmark bookmark, SourceChange change) {}
}
