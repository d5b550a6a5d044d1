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

import com.google.common.collect.ImmutableSet;
import io.freshet.engine.CompiledView;
import io.freshet.engine.Maintenance;
import io.freshet.engine.Refusal;
import io.freshet.engine.RefusalCode;
import io.freshet.engine.RelationName;
import io.freshet.engine.RelationResolver;
import io.freshet.engine.SourceMention;
import io.freshet.engine.ViewText;
import io.freshet.engine.Volatility;
import io.freshet.engine.algebra.Block;
import io.freshet.engine.algebra.LinearBlock;
import io.freshet.engine.algebra.LinearRelation;
import io.trino.sql.parser.ParsingException;
import io.trino.sql.parser.SqlParser;
import io.trino.sql.tree.Query;
import io.trino.sql.tree.Statement;

import java.util.List;
import java.util.Set;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.freshet.engine.analyze.RefusedException.refused;
import static java.util.Locale.ENGLISH;
import static java.util.Objects.requireNonNull;

/**
 * All passes over the text of a view, in order.
 */
public final class ViewAnalyzer
{
    private static final Set<RefusalCode> VOLATILE = ImmutableSet.of(
            RefusalCode.NONDETERMINISTIC_FUNCTION,
            RefusalCode.TIME_DEPENDENT_FUNCTION,
            RefusalCode.SESSION_DEPENDENT_FUNCTION,
            RefusalCode.UNKNOWN_FUNCTION);

    private final SqlParser parser = new SqlParser();
    private final ViewText view;
    private final Catalog catalog;

    public ViewAnalyzer(ViewText view, RelationResolver resolver)
    {
        this.view = requireNonNull(view, "view is null");
        this.catalog = new Catalog(resolver);
    }

    public CompiledView analyze()
    {
        Statement statement;
        try {
            statement = parser.createStatement(view.sql());
        }
        catch (ParsingException e) {
            return unparsable(new Refusal(
                    RefusalCode.UNPARSABLE,
                    "query cannot be parsed: " + e.getErrorMessage(),
                    e.getLineNumber(),
                    e.getColumnNumber()));
        }
        if (!(statement instanceof Query query)) {
            return unparsable(new Refusal(RefusalCode.UNPARSABLE, "text is not a query", 1, 1));
        }
        Query expanded = new StarExpander(view, catalog).expand(query);
        MentionCollector mentions = new MentionCollector(view, catalog, parser);
        mentions.collect(expanded);
        Maintenance maintenance = maintenance(query, mentions.volatility());
        return new CompiledView(
                view,
                exactColumns(mentions.sources(), maintenance),
                mentions.logicalViews(),
                StarExpander.format(expanded, parser).orElse(view.sql()),
                volatility(mentions.volatility(), maintenance),
                maintenance);
    }

    /** The analysis of names finds volatile expressions that the text alone does not show, such as the cast of a time of day. */
    private static Volatility volatility(Volatility found, Maintenance maintenance)
    {
        return switch (maintenance) {
            case Maintenance.NotMaintained(Refusal refusal) when found instanceof Volatility.Stable && VOLATILE.contains(refusal.code()) ->
                new Volatility.Volatile(refusal);
            case Maintenance.NotMaintained _, Maintenance.Maintained _ -> found;
        };
    }

    private CompiledView unparsable(Refusal refusal)
    {
        return new CompiledView(
                view,
                List.of(),
                List.of(),
                view.sql(),
                new Volatility.Volatile(refusal),
                new Maintenance.NotMaintained(refusal));
    }

    private Maintenance maintenance(Query query, Volatility volatility)
    {
        Aliases aliases = Aliases.avoiding(query);
        try {
            FromItem item = new QueryAnalyzer(view, catalog, aliases).analyze(query, NameScope.EMPTY);
            if (item.fields().size() != view.columnNames().size()) {
                throw refused(RefusalCode.AMBIGUOUS_NAME, query, "query", "has other columns than the view");
            }
            // something may be volatile in a place that does not matter for the rows, such as ORDER BY; the view counts as volatile even so
            return switch (volatility) {
                case Volatility.Stable _ -> new Maintenance.Maintained(PruneColumns.prune(block(item, aliases)));
                case Volatility.Volatile(Refusal cause) -> new Maintenance.NotMaintained(cause);
            };
        }
        catch (RefusedException e) {
            return new Maintenance.NotMaintained(e.refusal());
        }
    }

    private static Block block(FromItem item, Aliases aliases)
    {
        return switch (item.origin()) {
            case FromItem.Rows rows -> {
                LinearRelation relation = SelectAnalyzer.project(rows, item.fields());
                yield new LinearBlock(relation, aliases.nextRelation());
            }
            case FromItem.Groups groups -> groups.block();
            case FromItem.Windows windows -> windows.block();
        };
    }

    /**
     * A maintained view says exactly which columns it reads. If it reads one table, each of its names can mean columns of that table
     * only, which has it.
     */
    private static List<SourceMention> exactColumns(List<SourceMention> mentions, Maintenance maintenance)
    {
        return switch (maintenance) {
            case Maintenance.NotMaintained _ -> mentions;
            case Maintenance.Maintained(Block block) -> mentions.stream()
                    .map(mention -> new SourceMention(
                            mention.name(),
                            mention.kind(),
                            mention.version(),
                            mention.count(),
                            readColumns(block.input(), mention.name()),
                            mentions.size() == 1 ? ImmutableSet.of() : mention.absentColumns(),
                            false))
                    .collect(toImmutableList());
        };
    }

    private static Set<String> readColumns(LinearRelation relation, RelationName table)
    {
        return relation.scans()
                .filter(scan -> scan.table().equals(table))
                .flatMap(scan -> scan.sourceColumns().stream())
                .map(column -> column.name().toLowerCase(ENGLISH))
                .sorted()
                .collect(ImmutableSet.toImmutableSet());
    }
}
