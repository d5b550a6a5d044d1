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
package io.freshet.simulation;

import com.google.common.collect.ImmutableSet;
import io.freshet.engine.RelationName;
import io.freshet.engine.schedule.RefreshSchedule;
import io.freshet.engine.schedule.ScheduledView;
import io.freshet.spi.schedule.ViewDirectory;
import io.freshet.spi.schedule.WatchedView;
import io.freshet.staleness.ServiceLevel;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;

/** Tables as histories of commit times, and views with what they were built from. */
final class SimulatedCatalog
        implements ViewDirectory
{
    private final Map<RelationName, List<Long>> tables = new HashMap<>();
    private final Map<RelationName, View> views = new LinkedHashMap<>();
    private final SimulatedTime time;
    private boolean down;
    private long calls;

    static final class View
    {
        RelationName name;
        RefreshSchedule schedule;
        Set<RelationName> sources;
        Optional<ServiceLevel> level;
        boolean paused;
        /** The query of the view fails. */
        boolean broken;
        long createdMillis;
        OptionalLong lastRunMillis = OptionalLong.empty();
        /** How many commits of each source are in it; absent: it was never filled. */
        Optional<Map<RelationName, Integer>> bookmarks = Optional.empty();
        /** Changes with every commit to the view. */
        long version;
        long changedMillis;
        Optional<String> failure = Optional.empty();

        RelationName storedAs()
        {
            return SimulatedCatalog.storedAs(name);
        }
    }

    SimulatedCatalog(SimulatedTime time)
    {
        this.time = time;
    }

    static RelationName name(String table)
    {
        return new RelationName("lake", "s", table);
    }

    static RelationName storedAs(RelationName view)
    {
        return new RelationName(view.catalog(), view.schema(), "__mv_" + view.table());
    }

    void createTable(RelationName table)
    {
        tables.put(table, new ArrayList<>());
    }

    void commit(RelationName table, long now)
    {
        tables.get(table).add(now);
    }

    void createView(View view)
    {
        views.put(view.name, view);
        tables.put(view.storedAs(), new ArrayList<>());
    }

    void dropView(RelationName name)
    {
        views.remove(name);
        tables.remove(storedAs(name));
    }

    Map<RelationName, View> views()
    {
        return views;
    }

    void setDown(boolean down)
    {
        this.down = down;
    }

    boolean isDown()
    {
        return down;
    }

    long calls()
    {
        return calls;
    }

    Map<RelationName, Integer> pins(View view)
    {
        return view.sources.stream().collect(toImmutableMap(source -> source, source -> tables.getOrDefault(source, List.of()).size()));
    }

    /** The oldest commit, of a source or of what a source lacks itself, that is not in the view. */
    OptionalLong behindSince(View view)
    {
        if (view.bookmarks.isEmpty()) {
            return OptionalLong.of(view.createdMillis);
        }
        OptionalLong since = OptionalLong.empty();
        for (RelationName source : view.sources) {
            List<Long> commits = tables.getOrDefault(source, List.of());
            int seen = view.bookmarks.get().getOrDefault(source, 0);
            if (seen < commits.size()) {
                since = earlier(since, commits.get(seen));
            }
            OptionalLong lowerSince = lower(source).map(this::behindSince).orElseGet(OptionalLong::empty);
            if (lowerSince.isPresent()) {
                since = earlier(since, lowerSince.getAsLong());
            }
        }
        return since;
    }

    private Optional<View> lower(RelationName source)
    {
        return source.table().startsWith("__mv_") ? Optional.ofNullable(views.get(name(source.table().substring("__mv_".length())))) : Optional.empty();
    }

    private static OptionalLong earlier(OptionalLong one, long other)
    {
        return OptionalLong.of(Math.min(one.orElse(Long.MAX_VALUE), other));
    }

    /** Whether the sources have nothing that is not in it. */
    boolean isUpToDate(View view)
    {
        return view.bookmarks.equals(Optional.of(pins(view)));
    }

    void checkIsUp()
    {
        calls++;
        if (down) {
            throw new IllegalStateException("The catalog is down");
        }
    }

    WatchedView watched(View view)
    {
        return new WatchedView(
                new ScheduledView(view.name, view.storedAs(), view.schedule, ImmutableSet.copyOf(view.sources), view.paused, view.lastRunMillis),
                time.now(),
                view.level,
                view.level.isPresent() ? behindSince(view) : OptionalLong.empty(),
                view.failure);
    }

    @Override
    public List<WatchedView> list()
    {
        checkIsUp();
        return views.values().stream().map(this::watched).collect(toImmutableList());
    }

    @Override
    public Optional<WatchedView> load(RelationName view)
    {
        checkIsUp();
        return Optional.ofNullable(views.get(view)).map(this::watched);
    }

    @Override
    public Map<RelationName, OptionalLong> behindSince(Set<RelationName> names)
    {
        checkIsUp();
        return names.stream().filter(views::containsKey).collect(toImmutableMap(name -> name, name -> behindSince(views.get(name))));
    }

    @Override
    public void noteFailure(RelationName name, Optional<String> failure)
    {
        checkIsUp();
        Optional.ofNullable(views.get(name)).ifPresent(view -> view.failure = failure);
    }
}
