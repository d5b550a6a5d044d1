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
package io.freshet.spi.surface;

import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableList;
import com.google.inject.Inject;
import io.airlift.log.Logger;
import io.freshet.engine.CompiledView;
import io.freshet.spi.catalog.FreshetCatalog;
import io.freshet.spi.catalog.ViewTable;
import io.freshet.spi.refresh.BackgroundSession;
import io.freshet.spi.refresh.BackingContent;
import io.freshet.spi.refresh.RefreshPlanning;
import io.freshet.spi.refresh.RefreshRecord;
import io.freshet.spi.refresh.RunningRefreshes.RunningRefresh;
import io.freshet.spi.refresh.ViewFreshness;
import io.trino.spi.connector.ConnectorAccessControl;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.security.AccessDeniedException;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

import static java.util.Objects.requireNonNull;

/**
 * One view in one query of a system table. Everything is found when it is asked for, once; asking never fails.
 */
final class ViewFacts
{
    private static final Logger log = Logger.get(ViewFacts.class);

    /** How facts are found. */
    record Readers(RefreshPlanning planning, BackingContent backingContent, RefreshLog refreshLog, ViewFreshness freshness)
    {
        @Inject
        Readers
        {
            requireNonNull(planning, "planning is null");
            requireNonNull(backingContent, "backingContent is null");
            requireNonNull(refreshLog, "refreshLog is null");
            requireNonNull(freshness, "freshness is null");
        }
    }

    /** @param nowMillis the time of the query, in milliseconds since the epoch */
    record Context(BackgroundSession session, FreshetCatalog catalog, ConnectorAccessControl accessControl, long nowMillis) {}

    private final SchemaTableName name;
    private final Optional<ViewTable> view;
    private final long nowMillis;
    private final Supplier<Boolean> detailsVisible;
    private final Supplier<Optional<CompiledView>> compiled;
    private final Supplier<ViewAssessment> assessment;
    private final Supplier<List<RefreshRecord>> refreshes;
    private final Supplier<List<RunningRefresh>> running;
    private final Supplier<List<SourceDependency>> dependencies;
    private final Supplier<Optional<OptionalLong>> behindSince;

    private ViewFacts(
            Context context,
            SchemaTableName name,
            Optional<ViewTable> view,
            Supplier<Optional<CompiledView>> compiled,
            Supplier<ViewAssessment> assessment,
            Supplier<List<RefreshRecord>> refreshes,
            Supplier<List<RunningRefresh>> running,
            Supplier<List<SourceDependency>> dependencies,
            Supplier<Optional<OptionalLong>> behindSince)
    {
        this.name = requireNonNull(name, "name is null");
        this.view = requireNonNull(view, "view is null");
        nowMillis = context.nowMillis();
        detailsVisible = Suppliers.memoize(() -> mayShowCreate(context, name));
        this.compiled = Suppliers.memoize(compiled::get);
        this.assessment = Suppliers.memoize(assessment::get);
        this.refreshes = Suppliers.memoize(refreshes::get);
        this.running = Suppliers.memoize(running::get);
        this.dependencies = Suppliers.memoize(dependencies::get);
        this.behindSince = Suppliers.memoize(behindSince::get);
    }

    static ViewFacts of(Readers readers, Context context, ViewTable view, boolean shadowed)
    {
        Supplier<CompiledView> compiled = Suppliers.memoize(() -> readers.planning().compile(context.session(), context.catalog(), view.definition()));
        return new ViewFacts(
                context,
                view.view(),
                Optional.of(view),
                () -> compile(view.view(), compiled),
                () -> shadowed
                        ? ViewAssessment.unusable(ViewState.SHADOWED, "A table of the same name hides the view. Rename or drop the table")
                        : assess(readers, context, view, compiled),
                () -> readers.refreshLog().of(view.backingTable()),
                () -> readers.refreshLog().running(view.backingTable()),
                () -> dependencies(readers, context, view, compiled),
                () -> behindSince(readers, context, view));
    }

    /** A view of which no more is known than that it is there and why it cannot be read. */
    static ViewFacts damaged(Context context, SchemaTableName name, RuntimeException cause)
    {
        return new ViewFacts(
                context,
                name,
                Optional.empty(),
                Optional::empty,
                () -> ViewAssessment.unusable(ViewState.BROKEN, message(cause)),
                ImmutableList::of,
                ImmutableList::of,
                ImmutableList::of,
                Optional::empty);
    }

    private static Optional<CompiledView> compile(SchemaTableName name, Supplier<CompiledView> compiled)
    {
        try {
            return Optional.of(compiled.get());
        }
        catch (RuntimeException e) {
            log.debug(e, "Materialized view %s cannot be compiled", name);
            return Optional.empty();
        }
    }

    private static ViewAssessment assess(Readers readers, Context context, ViewTable view, Supplier<CompiledView> compiled)
    {
        try {
            return ViewAssessment.of(context.session(), context.catalog(), readers.backingContent(), view, compiled.get());
        }
        catch (RuntimeException e) {
            log.debug(e, "The state of materialized view %s cannot be found out", view.view());
            return ViewAssessment.unusable(ViewState.BROKEN, message(e));
        }
    }

    private static List<SourceDependency> dependencies(Readers readers, Context context, ViewTable view, Supplier<CompiledView> compiled)
    {
        try {
            return SourceDependency.of(context.session(), context.catalog(), readers.backingContent(), view, compile(view.view(), compiled));
        }
        catch (RuntimeException e) {
            log.debug(e, "The sources of materialized view %s cannot be found out", view.view());
            return ImmutableList.of();
        }
    }

    private static Optional<OptionalLong> behindSince(Readers readers, Context context, ViewTable view)
    {
        try {
            return Optional.of(readers.freshness().behindSince(context.session(), context.catalog(), view));
        }
        catch (RuntimeException e) {
            log.debug(e, "How late materialized view %s is cannot be found out", view.view());
            return Optional.empty();
        }
    }

    private static boolean mayShowCreate(Context context, SchemaTableName name)
    {
        try {
            context.accessControl().checkCanShowCreateTable(null, name);
            return true;
        }
        catch (AccessDeniedException e) {
            return false;
        }
    }

    private static String message(RuntimeException e)
    {
        return Optional.ofNullable(e.getMessage()).orElseGet(e::toString);
    }

    SchemaTableName name()
    {
        return name;
    }

    /** Empty if the view is damaged. */
    Optional<ViewTable> view()
    {
        return view;
    }

    long nowMillis()
    {
        return nowMillis;
    }

    /** Whether the caller may know what the view is made from: who may see the definition may also see what names its sources. */
    boolean detailsVisible()
    {
        return detailsVisible.get();
    }

    /** Empty if the definition cannot be compiled now. */
    Optional<CompiledView> compiled()
    {
        return compiled.get();
    }

    ViewAssessment assessment()
    {
        return assessment.get();
    }

    /** Commit time of the oldest commit that the view lacks, if it lacks any; empty if that cannot be found out. */
    Optional<OptionalLong> behindSince()
    {
        return behindSince.get();
    }

    /** Those that have ended, oldest first. */
    List<RefreshRecord> refreshes()
    {
        return refreshes.get();
    }

    /** Those that go on. */
    List<RunningRefresh> running()
    {
        return running.get();
    }

    /** Empty also if they cannot be found out. */
    List<SourceDependency> dependencies()
    {
        return dependencies.get();
    }
}
