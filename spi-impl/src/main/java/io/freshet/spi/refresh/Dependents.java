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
import com.google.inject.Inject;
import io.airlift.log.Logger;
import io.freshet.engine.CompiledView;
import io.freshet.engine.LogicalViewMention;
import io.freshet.engine.RelationName;
import io.freshet.engine.SourceMention;
import io.freshet.spi.catalog.BackingTables;
import io.freshet.spi.catalog.FreshetCatalog;
import io.freshet.spi.catalog.FreshetCatalogFactory;
import io.freshet.spi.catalog.ViewTable;
import io.freshet.spi.refresh.RefreshState.SourceState;
import io.trino.spi.TrinoException;
import io.trino.spi.catalog.CatalogName;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.SchemaTableName;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.freshet.spi.FreshetErrorCode.MATERIALIZED_VIEW_HAS_DEPENDENTS;
import static io.freshet.spi.catalog.BackingTables.isBackingName;
import static io.freshet.spi.catalog.BackingTables.viewOf;
import static io.freshet.spi.refresh.RefreshProperties.allowsBreakingDependents;
import static java.util.Locale.ENGLISH;
import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.SECONDS;
import static java.util.stream.Collectors.joining;

/**
 * Refuses changes of sources that would break materialized views, with the names of these.
 * <p>
 * Best effort, since other engines do not ask: what there is to rely on is that a broken view shows as such. So which views come into
 * question is remembered for a while, and views that were created elsewhere meanwhile are missed. Whoever comes into question is looked
 * at anew, so nobody is refused for the sake of a view that is gone.
 */
public final class Dependents
{
    private static final Logger log = Logger.get(Dependents.class);

    private static final long REMEMBERED_NANOS = SECONDS.toNanos(60);
    private static final int MOST_NAMES = 20;

    private final String catalogName;
    private final FreshetCatalogFactory catalogFactory;
    private final BackgroundSessions sessions;
    private final RefreshPlanning planning;
    private final BackingContent backingContent;
    private Optional<Candidates> candidates = Optional.empty();

    @Inject
    public Dependents(CatalogName catalogName, FreshetCatalogFactory catalogFactory, BackgroundSessions sessions, RefreshPlanning planning, BackingContent backingContent)
    {
        this.catalogName = catalogName.toString();
        this.catalogFactory = requireNonNull(catalogFactory, "catalogFactory is null");
        this.sessions = requireNonNull(sessions, "sessions is null");
        this.planning = requireNonNull(planning, "planning is null");
        this.backingContent = requireNonNull(backingContent, "backingContent is null");
    }

    private record Candidates(long readNanos, List<Candidate> views) {}

    /**
     * @param text of the definition, in lower case
     * @param sources what its content was made from; empty if it has none
     */
    private record Candidate(SchemaTableName view, String text, Optional<Set<SchemaTableName>> sources)
    {
        /** Without content it may read anything through logical views. */
        private boolean mayRead(SchemaTableName relation)
        {
            return sources.isEmpty() || text.contains(inText(relation.getTableName())) || sources.get().contains(relation);
        }

        private boolean mayReadSchema(String schema)
        {
            return sources.isEmpty() || text.contains(inText(schema)) || sources.get().stream().anyMatch(source -> source.getSchemaName().equals(schema));
        }

        private static String inText(String identifier)
        {
            return identifier.replace("\"", "\"\"").toLowerCase(ENGLISH);
        }
    }

    /** Views were created, dropped or renamed here. */
    public synchronized void viewsChanged()
    {
        candidates = Optional.empty();
    }

    /**
     * @param change what is about to happen, such as {@code cannot be dropped}
     * @throws TrinoException MATERIALIZED_VIEW_HAS_DEPENDENTS if materialized views read the table or view
     */
    public void check(ConnectorSession session, SchemaTableName relation, String change)
    {
        check(session, "'%s.%s' %s".formatted(catalogName, relation, change), candidate -> candidate.mayRead(relation), view -> reads(view, relation, _ -> true));
    }

    /** The same for one column of a table. */
    public void checkColumn(ConnectorSession session, SchemaTableName table, String column, String change)
    {
        String name = column.toLowerCase(ENGLISH);
        check(
                session,
                "Column '%s' of '%s.%s' %s".formatted(column, catalogName, table, change),
                candidate -> candidate.mayRead(table),
                view -> reads(view, table, mention -> mention.allColumns() || mention.columns().contains(name)));
    }

    /** The same for all that is in a schema; views within the schema do not count. */
    public void checkSchema(ConnectorSession session, String schema, String change)
    {
        check(
                session,
                "Schema '%s.%s' %s".formatted(catalogName, schema, change),
                candidate -> !candidate.view().getSchemaName().equals(schema) && candidate.mayReadSchema(schema),
                view -> relations(view).anyMatch(name -> name.catalog().equals(catalogName) && name.schema().equals(schema)));
    }

    private void check(ConnectorSession session, String subject, Predicate<Candidate> candidate, Predicate<CompiledView> reads)
    {
        if (session instanceof BackgroundSession || allowsBreakingDependents(session)) {
            return;
        }
        BackgroundSession background = sessions.create(session.getIdentity());
        List<String> dependents = candidates(background).stream()
                .filter(candidate)
                .filter(view -> compile(background, view.view()).filter(reads).isPresent())
                .map(view -> catalogName + "." + view.view())
                .sorted()
                .collect(toImmutableList());
        if (dependents.isEmpty()) {
            return;
        }
        String names = dependents.stream().limit(MOST_NAMES).collect(joining(", "));
        String more = dependents.size() > MOST_NAMES ? " and %s more".formatted(dependents.size() - MOST_NAMES) : "";
        throw new TrinoException(MATERIALIZED_VIEW_HAS_DEPENDENTS, "%s, since materialized views read it: %s%s. Drop them first, or SET SESSION %s.allow_breaking_dependents = true".formatted(
                subject,
                names,
                more,
                catalogName));
    }

    private boolean reads(CompiledView view, SchemaTableName relation, Predicate<SourceMention> how)
    {
        return view.sources().stream().anyMatch(mention -> isNameOf(mention.name(), relation) && how.test(mention))
                || view.logicalViews().stream().anyMatch(mention -> isNameOf(mention.name(), relation));
    }

    private static Stream<RelationName> relations(CompiledView view)
    {
        return Stream.concat(
                view.sources().stream().map(SourceMention::name),
                view.logicalViews().stream().map(LogicalViewMention::name));
    }

    /** Or of one of its metadata tables. */
    private boolean isNameOf(RelationName name, SchemaTableName relation)
    {
        return name.catalog().equals(catalogName)
                && name.schema().equals(relation.getSchemaName())
                && (name.table().equals(relation.getTableName()) || name.table().startsWith(relation.getTableName() + "$"));
    }

    private Optional<CompiledView> compile(BackgroundSession session, SchemaTableName name)
    {
        try {
            FreshetCatalog catalog = catalogFactory.create(session.getIdentity());
            return catalog.findView(session, name)
                    .map(view -> planning.compile(session, catalog, view.definition()));
        }
        catch (RuntimeException e) {
            log.debug(e, "What materialized view %s reads cannot be found out", name);
            return Optional.empty();
        }
    }

    private synchronized List<Candidate> candidates(BackgroundSession session)
    {
        if (candidates.isEmpty() || System.nanoTime() - candidates.get().readNanos() > REMEMBERED_NANOS) {
            FreshetCatalog catalog = catalogFactory.create(session.getIdentity());
            List<Candidate> views = catalog.listStoredTables(session, Optional.empty()).stream()
                    .filter(table -> isBackingName(table.getTableName()) && table.getTableName().length() > BackingTables.PREFIX.length())
                    .flatMap(table -> candidate(session, catalog, viewOf(table)).stream())
                    .collect(toImmutableList());
            candidates = Optional.of(new Candidates(System.nanoTime(), views));
        }
        return candidates.get().views();
    }

    private Optional<Candidate> candidate(BackgroundSession session, FreshetCatalog catalog, SchemaTableName name)
    {
        try {
            return catalog.findView(session, name).map(view -> new Candidate(name, view.definition().expandedSql().toLowerCase(ENGLISH), sources(view)));
        }
        catch (RuntimeException e) {
            log.debug(e, "Materialized view %s cannot be loaded", name);
            return Optional.empty();
        }
    }

    private Optional<Set<SchemaTableName>> sources(ViewTable view)
    {
        return backingContent.read(view.backingTable(), view.definition().versionId()).state()
                .map(state -> {
                    ImmutableSet.Builder<SchemaTableName> names = ImmutableSet.builder();
                    state.sources().forEach(source -> names.add(name(source)));
                    state.details().logicalViews().forEach(logical -> names.add(new SchemaTableName(logical.namespace(), logical.name())));
                    return names.build();
                });
    }

    private static SchemaTableName name(SourceState source)
    {
        SchemaTableName name = new SchemaTableName(source.namespace(), source.name());
        return source.type().equals(SourceState.MATERIALIZED_VIEW) ? viewOf(name) : name;
    }
}
