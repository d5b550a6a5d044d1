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

import com.fasterxml.jackson.annotation.JsonProperty;
import com.google.common.collect.ImmutableList;
import io.freshet.staleness.ResolvedColumn;
import io.freshet.staleness.SourceBookmark;
import io.freshet.staleness.SourceIdentity;
import io.freshet.staleness.SourceIdentity.LocationAndFirstSnapshot;
import io.freshet.staleness.SourceIdentity.TableUuid;
import io.freshet.staleness.SourceIdentity.Unidentified;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

/**
 * What the content of a view was built from. Written as JSON under {@link #SUMMARY_KEY} into the summary of the snapshot that
 * holds the content. The names of fields follow the materialized-view proposal of Apache Iceberg (pull request 11041); ours are
 * under {@code freshet}.
 *
 * @param viewVersionId version of the definition under which the content was built
 * @param refreshStartMillis when the sources were looked at, in milliseconds since the epoch
 */
public record RefreshState(
        @JsonProperty("view-version-id") String viewVersionId,
        @JsonProperty("source-states") List<SourceState> sources,
        @JsonProperty("refresh-start-timestamp-ms") long refreshStartMillis,
        @JsonProperty("freshet") Details details)
{
    public static final String SUMMARY_KEY = "refresh-state";

    public RefreshState
    {
        requireNonNull(viewVersionId, "viewVersionId is null");
        sources = ImmutableList.copyOf(sources);
        requireNonNull(details, "details is null");
    }

    /**
     * @param refreshId identifies the refresh that wrote this, to settle whether its commit happened
     * @param holdsState whether the hidden columns hold the states that the layout describes
     * @param volatileDefinition whether the content depends on time or chance
     * @param foreignSources whether the content depends on tables whose changes cannot be seen
     * @param logicalViews the logical views that were read, as they were
     * @param materializedViews the definitions of the materialized views that were read, as they were
     */
    public record Details(
            @JsonProperty("refresh-id") String refreshId,
            @JsonProperty("holds-state") boolean holdsState,
            @JsonProperty("volatile") boolean volatileDefinition,
            @JsonProperty("foreign") boolean foreignSources,
            @JsonProperty("logical-views") List<LogicalViews.State> logicalViews,
            @JsonProperty("materialized-views") List<ViewVersions.State> materializedViews)
    {
        public Details
        {
            requireNonNull(refreshId, "refreshId is null");
            logicalViews = logicalViews == null ? ImmutableList.of() : ImmutableList.copyOf(logicalViews);
            materializedViews = materializedViews == null ? ImmutableList.of() : ImmutableList.copyOf(materializedViews);
        }
    }

    /**
     * @param type {@code table}, or {@code materialized-view}: then the bookmark is of its backing table
     * @param snapshotId absent: the table had no snapshot
     */
    public record SourceState(
            @JsonProperty("type") String type,
            @JsonProperty("catalog") String catalog,
            @JsonProperty("namespace") String namespace,
            @JsonProperty("name") String name,
            @JsonProperty("uuid") Optional<String> uuid,
            @JsonProperty("snapshot-id") Optional<Long> snapshotId,
            @JsonProperty("ref") Optional<String> ref,
            @JsonProperty("freshet") SourceDetails details)
    {
        public static final String TABLE = "table";
        public static final String MATERIALIZED_VIEW = "materialized-view";
    }

    /** For tables without uuid, and for what the proposal does not have. */
    public record SourceDetails(
            @JsonProperty("location") Optional<String> location,
            @JsonProperty("first-snapshot-id") Optional<Long> firstSnapshotId,
            @JsonProperty("columns") List<ResolvedColumn> columns,
            @JsonProperty("absent-columns") Set<String> absentColumns,
            @JsonProperty("all-columns") boolean allColumns) {}

    public static SourceState sourceState(String type, SourceBookmark bookmark)
    {
        Optional<String> uuid = Optional.empty();
        Optional<String> location = Optional.empty();
        Optional<Long> firstSnapshotId = Optional.empty();
        switch (bookmark.identity()) {
            case TableUuid value -> uuid = Optional.of(value.uuid());
            case LocationAndFirstSnapshot value -> {
                location = Optional.of(value.location());
                firstSnapshotId = Optional.of(value.firstSnapshotId());
            }
            case Unidentified _ -> {}
        }
        return new SourceState(
                type,
                bookmark.catalog(),
                bookmark.schema(),
                bookmark.table(),
                uuid,
                bookmark.snapshotId().isPresent() ? Optional.of(bookmark.snapshotId().getAsLong()) : Optional.empty(),
                bookmark.ref(),
                new SourceDetails(location, firstSnapshotId, bookmark.columns(), bookmark.absentColumns(), bookmark.allColumns()));
    }

    public List<SourceBookmark> bookmarks()
    {
        return sources.stream()
                .map(RefreshState::bookmark)
                .collect(toImmutableList());
    }

    private static SourceBookmark bookmark(SourceState state)
    {
        SourceIdentity identity = state.uuid().<SourceIdentity>map(TableUuid::new)
                .or(() -> state.details().location().flatMap(location -> state.details().firstSnapshotId().map(first -> new LocationAndFirstSnapshot(location, first))))
                .orElseGet(Unidentified::new);
        return new SourceBookmark(
                state.catalog(),
                state.namespace(),
                state.name(),
                identity,
                state.snapshotId().map(OptionalLong::of).orElseGet(OptionalLong::empty),
                state.ref(),
                state.details().columns(),
                state.details().absentColumns(),
                state.details().allColumns());
    }
}
