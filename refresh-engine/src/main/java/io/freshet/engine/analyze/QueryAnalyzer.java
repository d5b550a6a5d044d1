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
import io.freshet.engine.RefusalCode;
import io.freshet.engine.ViewText;
import io.freshet.engine.algebra.LinearRelation;
import io.freshet.engine.algebra.UnionAll;
import io.trino.sql.tree.Except;
import io.trino.sql.tree.FunctionCall;
import io.trino.sql.tree.Intersect;
import io.trino.sql.tree.Node;
import io.trino.sql.tree.OrderBy;
import io.trino.sql.tree.Query;
import io.trino.sql.tree.QuerySpecification;
import io.trino.sql.tree.Relation;
import io.trino.sql.tree.SetOperation;
import io.trino.sql.tree.Table;
import io.trino.sql.tree.TableSubquery;
import io.trino.sql.tree.Union;
import io.trino.sql.tree.Values;
import io.trino.sql.tree.With;
import io.trino.sql.tree.WithQuery;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import static io.freshet.engine.algebra.Expressions.reference;
import static io.freshet.engine.analyze.RefusedException.refused;
import static java.util.Objects.requireNonNull;

/**
 * Query expressions: WITH, set operations, ORDER BY, LIMIT.
 */
final class QueryAnalyzer
{
    /** Beyond this the rendered statement would exceed what the engine plans. */
    private static final int MAX_SCANS = 64;

    private final Aliases aliases;
    private final RelationAnalyzer relations;
    private int scans;

    QueryAnalyzer(ViewText view, Catalog catalog, Aliases aliases)
    {
        this.aliases = requireNonNull(aliases, "aliases is null");
        this.relations = new RelationAnalyzer(view, catalog, aliases, this);
    }

    FromItem analyze(Query query, NameScope scope)
    {
        if (!query.getFunctions().isEmpty() || !query.getSessionProperties().isEmpty()) {
            throw refused(RefusalCode.UNSUPPORTED_SYNTAX, query, "inline function or session property", "is not maintained");
        }
        NameScope inner = query.getWith().map(with -> define(with, scope)).orElse(scope);
        refuseLimit(query.getLimit(), query.getOffset().map(Node.class::cast));
        FromItem item = analyzeBody(query.getQueryBody(), inner);
        query.getOrderBy().ifPresent(orderBy -> checkOrderBy(orderBy, item));
        return item;
    }

    private static NameScope define(With with, NameScope scope)
    {
        if (with.isRecursive()) {
            throw refused(RefusalCode.RECURSIVE_QUERY, with, "WITH RECURSIVE", "is not maintained");
        }
        NameScope inner = scope;
        for (WithQuery query : with.getQueries()) {
            inner = inner.with(query);
        }
        return inner;
    }

    static void refuseLimit(Optional<Node> limit, Optional<Node> offset)
    {
        limit.or(() -> offset).ifPresent(node -> {
            throw refused(RefusalCode.LIMIT, node, "LIMIT", "or OFFSET needs the rows that it leaves out");
        });
    }

    /** Without LIMIT an order is a presentation of the result, unless it makes an aggregation of a query that is none. */
    static void checkOrderBy(OrderBy orderBy, FromItem item)
    {
        if (item.origin() instanceof FromItem.Rows && containsAggregate(orderBy)) {
            throw refused(RefusalCode.ORDER_BY, orderBy, "ORDER BY", "aggregates, and the query does not");
        }
    }

    static boolean containsAggregate(Node node)
    {
        return node instanceof FunctionCall call && Functions.isAggregate(call)
                || node.getChildren().stream().anyMatch(QueryAnalyzer::containsAggregate);
    }

    FromItem analyzeBody(Relation body, NameScope scope)
    {
        return switch (body) {
            case QuerySpecification specification -> new SelectAnalyzer(relations, aliases).analyze(specification, scope);
            case TableSubquery subquery -> analyze(subquery.getQuery(), scope);
            case Table table -> relations.analyze(table, scope);
            case Union union -> analyzeUnion(union, scope);
            case Intersect _, Except _ -> throw refused(RefusalCode.SET_OPERATION, body, "INTERSECT or EXCEPT", "is not maintained");
            case Values _ -> throw refused(RefusalCode.VALUES, body, "VALUES", "is not maintained");
            default -> throw refused(RefusalCode.UNSUPPORTED_RELATION, body, "relation", "is not maintained");
        };
    }

    private FromItem analyzeUnion(Union union, NameScope scope)
    {
        List<FromItem> branches = new ArrayList<>();
        collectBranches(union, union.isDistinct(), scope, branches);
        List<Field> first = branches.getFirst().fields();
        ImmutableList.Builder<LinearRelation> inputs = ImmutableList.builder();
        for (FromItem branch : branches) {
            if (branch.fields().size() != first.size()) {
                throw refused(RefusalCode.UNSUPPORTED_SYNTAX, union, "union", "of different column counts is not maintained");
            }
            FromItem rows = Nesting.asRows(branch, aliases);
            inputs.add(SelectAnalyzer.project((FromItem.Rows) rows.origin(), rows.fields()));
        }
        LinearRelation all = new UnionAll(inputs.build());
        String alias = aliases.nextRelation();
        ImmutableList.Builder<Field> fields = ImmutableList.builder();
        for (int i = 0; i < first.size(); i++) {
            int index = i;
            boolean timeOfDay = branches.stream().anyMatch(branch -> branch.fields().get(index).timeOfDay());
            fields.add(new Field(Optional.empty(), first.get(i).name(), reference(alias, all.columns().get(i)), timeOfDay));
        }
        FromItem item = new FromItem(new FromItem.Rows(all, alias), fields.build());
        return union.isDistinct() ? SelectAnalyzer.distinct(item, aliases) : item;
    }

    /** Below a distinct union it does not matter whether a union is distinct. */
    private void collectBranches(Union union, boolean distinct, NameScope scope, List<FromItem> branches)
    {
        if (union.getCorresponding().isPresent()) {
            throw refused(RefusalCode.SET_OPERATION, union, "CORRESPONDING", "is not maintained");
        }
        for (Relation relation : union.getRelations()) {
            if (relation instanceof Union inner && (distinct || !inner.isDistinct())) {
                collectBranches(inner, distinct, scope, branches);
                continue;
            }
            if (relation instanceof SetOperation inner && !(inner instanceof Union)) {
                throw refused(RefusalCode.SET_OPERATION, inner, "INTERSECT or EXCEPT", "is not maintained");
            }
            if (relation instanceof Union inner) {
                throw refused(RefusalCode.SET_OPERATION, inner, "UNION", "below UNION ALL is not maintained");
            }
            branches.add(analyzeBody(relation, scope));
        }
    }

    void countScan(Table table)
    {
        scans++;
        if (scans > MAX_SCANS) {
            throw refused(RefusalCode.PROGRAM_TOO_LARGE, table, "table", "is one of more than " + MAX_SCANS + " mentions");
        }
    }
}
