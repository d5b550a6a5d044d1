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
package io.freshet.engine.analyze;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.freshet.engine.LogicalViewMention;
import io.freshet.engine.Refusal;
import io.freshet.engine.RefusalCode;
import io.freshet.engine.RelationKind;
import io.freshet.engine.RelationName;
import io.freshet.engine.ResolvedRelation;
import io.freshet.engine.SourceColumn;
import io.freshet.engine.SourceMention;
import io.freshet.engine.ViewText;
import io.freshet.engine.Volatility;
import io.trino.sql.parser.ParsingException;
import io.trino.sql.parser.SqlParser;
import io.trino.sql.tree.Node;
import io.trino.sql.tree.Query;
import io.trino.sql.tree.Statement;
import io.trino.sql.tree.Table;
import io.trino.sql.tree.With;
import io.trino.sql.tree.WithQuery;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static io.freshet.engine.analyze.RefusedException.refusal;
import static io.trino.sql.SqlFormatter.formatSql;
import static java.util.Locale.ENGLISH;
import static java.util.Objects.requireNonNull;

/**
 * Finds every relation that a query mentions, in any place, through logical views, and whatever in it is volatile. Unlike the
 * analysis for maintenance it understands every query.
 */
final class MentionCollector
{
    private record Key(RelationName name, Optional<String> version) {}

    private final Catalog catalog;
    private final SqlParser parser;
    private final ViewText view;
    private final Map<Key, SourceMention> mentions;
    private final Map<RelationName, LogicalViewMention> logicalViews;
    private final Set<RelationName> path;
    private Volatility volatility = new Volatility.Stable();

    MentionCollector(ViewText view, Catalog catalog, SqlParser parser)
    {
        this(view, catalog, parser, new LinkedHashMap<>(), new LinkedHashMap<>(), ImmutableSet.of());
    }

    private MentionCollector(
            ViewText view,
            Catalog catalog,
            SqlParser parser,
            Map<Key, SourceMention> mentions,
            Map<RelationName, LogicalViewMention> logicalViews,
            Set<RelationName> path)
    {
        this.view = requireNonNull(view, "view is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.parser = requireNonNull(parser, "parser is null");
        this.mentions = mentions;
        this.logicalViews = logicalViews;
        this.path = path;
    }

    List<SourceMention> sources()
    {
        return ImmutableList.copyOf(mentions.values());
    }

    List<LogicalViewMention> logicalViews()
    {
        return ImmutableList.copyOf(logicalViews.values());
    }

    Volatility volatility()
    {
        return volatility;
    }

    void collect(Query query)
    {
        volatility = VolatilityCheck.check(query);
        ReadColumns columns = ReadColumns.of(query);
        walk(query, ImmutableSet.of(), columns);
    }

    private void walk(Node node, Set<String> namedQueries, ReadColumns columns)
    {
        switch (node) {
            case Query query -> {
                Set<String> inner = namedQueries;
                if (query.getWith().isPresent()) {
                    inner = walkWith(query.getWith().get(), namedQueries, columns);
                }
                for (Node child : query.getChildren()) {
                    if (!(child instanceof With)) {
                        walk(child, inner, columns);
                    }
                }
            }
            case Table table -> {
                String name = table.getName().getSuffix();
                boolean named = table.getName().getPrefix().isEmpty() && table.getQueryPeriod().isEmpty() && namedQueries.contains(name);
                if (!named) {
                    mention(table, columns);
                }
                table.getChildren().forEach(child -> walk(child, namedQueries, columns));
            }
            default -> node.getChildren().forEach(child -> walk(child, namedQueries, columns));
        }
    }

    private Set<String> walkWith(With with, Set<String> namedQueries, ReadColumns columns)
    {
        Set<String> names = namedQueries;
        for (WithQuery query : with.getQueries()) {
            Set<String> extended = ImmutableSet.<String>builder()
                    .addAll(names)
                    .add(query.getName().getValue().toLowerCase(ENGLISH))
                    .build();
            walk(query.getQuery(), with.isRecursive() ? extended : names, columns);
            names = extended;
        }
        return names;
    }

    private void mention(Table table, ReadColumns columns)
    {
        Optional<RelationName> name = Catalog.fullName(table.getName(), view);
        if (name.isEmpty()) {
            if (volatility instanceof Volatility.Stable) {
                volatility = new Volatility.Volatile(refusal(RefusalCode.AMBIGUOUS_NAME, table, "table " + table.getName(), "has no catalog or schema"));
            }
            return;
        }
        ResolvedRelation resolved = catalog.resolve(name.get());
        if (resolved.kind() == RelationKind.VIEW) {
            descend(name.get(), resolved.view().orElseThrow());
            return;
        }
        Optional<String> version = table.getQueryPeriod().map(period -> formatSql(period).trim())
                .or(() -> table.getBranch().map(branch -> "@ " + branch.getValue()));
        boolean all = columns.all() || resolved.columns().isEmpty();
        Set<String> read = all ? ImmutableSet.of() : resolved.columns().stream()
                .map(SourceColumn::name)
                .map(column -> column.toLowerCase(ENGLISH))
                .filter(columns.names()::contains)
                .collect(toImmutableSet());
        Set<String> absent = all ? ImmutableSet.of() : ImmutableSet.copyOf(Sets.difference(columns.names(), read));
        SourceMention mention = new SourceMention(name.get(), resolved.kind(), version, 1, read, absent, all);
        mentions.merge(new Key(name.get(), version), mention, MentionCollector::merge);
    }

    private static SourceMention merge(SourceMention first, SourceMention second)
    {
        boolean all = first.allColumns() || second.allColumns();
        Set<String> columns = all ? ImmutableSet.of() : ImmutableSet.<String>builder().addAll(first.columns()).addAll(second.columns()).build();
        Set<String> absent = all ? ImmutableSet.of() : ImmutableSet.copyOf(Sets.difference(Sets.union(first.absentColumns(), second.absentColumns()), columns));
        return new SourceMention(first.name(), first.kind(), first.version(), first.count() + second.count(), columns, absent, all);
    }

    private void descend(RelationName name, ViewText text)
    {
        if (path.contains(name)) {
            // Trino refuses views that contain themselves; a catalog may hold one all the same
            adopt(new Volatility.Volatile(new Refusal(RefusalCode.UNSUPPORTED_SYNTAX, "logical view " + name + " contains itself", 0, 0)));
            return;
        }
        logicalViews.put(name, new LogicalViewMention(name, text));
        Set<RelationName> innerPath = ImmutableSet.<RelationName>builder().addAll(path).add(name).build();
        MentionCollector inner = new MentionCollector(text, catalog, parser, mentions, logicalViews, innerPath);
        Statement statement;
        try {
            statement = parser.createStatement(text.sql());
        }
        catch (ParsingException e) {
            adopt(new Volatility.Volatile(new Refusal(RefusalCode.UNPARSABLE, "logical view " + name + " cannot be parsed", 0, 0)));
            return;
        }
        if (statement instanceof Query query) {
            inner.collect(new StarExpander(text, catalog).expand(query));
            switch (inner.volatility()) {
                case Volatility.Stable _ -> {}
                case Volatility.Volatile(Refusal cause) ->
                    adopt(new Volatility.Volatile(new Refusal(cause.code(), "in logical view " + name + ", " + cause.detail(), 0, 0)));
            }
        }
    }

    private void adopt(Volatility found)
    {
        if (volatility instanceof Volatility.Stable) {
            volatility = found;
        }
    }
}
