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
package io.freshet.engine.plan;

import com.google.common.collect.ImmutableList;
import io.freshet.engine.RelationName;
import io.freshet.engine.algebra.Expand;
import io.freshet.engine.algebra.Grouped;
import io.freshet.engine.algebra.InnerJoin;
import io.freshet.engine.algebra.LeftJoin;
import io.freshet.engine.algebra.LinearRelation;
import io.freshet.engine.algebra.Scan;
import io.freshet.engine.algebra.Select;
import io.freshet.engine.algebra.SemiJoin;
import io.freshet.engine.algebra.UnionAll;
import io.freshet.engine.algebra.Windowed;
import io.freshet.staleness.ChangeKind;

import java.util.List;
import java.util.Optional;

/**
 * Whether rows may go from a relation, given the changes of its sources. Law: if none may, its delta has no negative weight.
 */
public record Removals(List<SourceFacts> sources)
{
    public Removals
    {
        sources = ImmutableList.copyOf(sources);
    }

    boolean mayRemove(LinearRelation relation)
    {
        return switch (relation) {
            case Scan scan -> kind(scan.table()).filter(kind -> kind == ChangeKind.ROWS_CHANGED).isPresent();
            case Select _, Expand _, UnionAll _, InnerJoin _ -> relation.children().stream().anyMatch(this::mayRemove);
            case LeftJoin join -> mayRemove(join.left().relation()) || changes(join.right().relation());
            case SemiJoin join -> mayRemove(join.left().relation()) || changes(join.right().relation());
            // a row of a group that gains rows is another row
            case Grouped _, Windowed _ -> changes(relation);
        };
    }

    boolean changes(LinearRelation relation)
    {
        return relation.scans().anyMatch(scan -> kind(scan.table()).filter(kind -> kind == ChangeKind.APPENDED || kind == ChangeKind.ROWS_CHANGED).isPresent());
    }

    /** Whether no row goes as long as rows are only added to the sources. */
    public static boolean isMonotone(LinearRelation relation)
    {
        return switch (relation) {
            case Scan _, Select _, Expand _, UnionAll _, InnerJoin _ -> relation.children().stream().allMatch(Removals::isMonotone);
            case LeftJoin _, SemiJoin _, Grouped _, Windowed _ -> false;
        };
    }

    private Optional<ChangeKind> kind(RelationName table)
    {
        return sources.stream()
                .filter(facts -> facts.name().equals(table))
                .map(facts -> facts.change().kind())
                .findFirst();
    }
}
