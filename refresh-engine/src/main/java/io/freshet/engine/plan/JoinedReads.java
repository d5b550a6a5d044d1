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

import io.freshet.engine.algebra.Expand;
import io.freshet.engine.algebra.Grouped;
import io.freshet.engine.algebra.InnerJoin;
import io.freshet.engine.algebra.JoinInput;
import io.freshet.engine.algebra.LeftJoin;
import io.freshet.engine.algebra.LinearRelation;
import io.freshet.engine.algebra.Scan;
import io.freshet.engine.algebra.Select;
import io.freshet.engine.algebra.SemiJoin;
import io.freshet.engine.algebra.UnionAll;
import io.freshet.engine.algebra.Windowed;
import io.freshet.engine.plan.Costs.Size;

import java.util.List;
import java.util.stream.Stream;

import static java.util.Objects.requireNonNull;

/**
 * What the delta of a relation reads of its sources beside their deltas: whole tables, as nothing says in advance how many of their
 * files the few keys of a delta leave out. Mirrors the terms that are rendered.
 */
record JoinedReads(List<SourceFacts> sources, Removals changes)
{
    JoinedReads
    {
        requireNonNull(changes, "changes is null");
    }

    Size ofDelta(LinearRelation relation)
    {
        if (!changes.changes(relation)) {
            return Size.NOTHING;
        }
        return switch (relation) {
            case Scan _ -> Size.NOTHING;
            case Select select -> ofDelta(select.input());
            case Expand expand -> ofDelta(expand.input());
            case UnionAll union -> sum(union.inputs().stream().map(this::ofDelta));
            case InnerJoin join -> sum(join.inputs().stream()
                    .filter(input -> changes.changes(input.relation()))
                    .map(changed -> sum(Stream.concat(
                            Stream.of(ofDelta(changed.relation())),
                            join.inputs().stream().filter(input -> input != changed).map(JoinInput::relation).map(this::ofState)))));
            case LeftJoin join -> ofMatches(join.left().relation(), join.right().relation());
            case SemiJoin join -> ofMatches(join.left().relation(), join.right().relation());
            case Grouped(var block) -> ofGroups(block.input());
            case Windowed(var block) -> ofGroups(block.input());
        };
    }

    private Size ofMatches(LinearRelation left, LinearRelation right)
    {
        Size once = ofDelta(left).plus(ofState(right));
        if (!changes.changes(right)) {
            return once;
        }
        Size touched = ofDelta(right).plus(ofState(left));
        return once.plus(touched).plus(touched).plus(ofState(right));
    }

    private Size ofGroups(LinearRelation input)
    {
        Size once = ofDelta(input).plus(ofState(input));
        return once.plus(once);
    }

    private Size ofState(LinearRelation relation)
    {
        return sum(relation.scans().map(this::size));
    }

    private Size size(Scan scan)
    {
        return sources.stream()
                .filter(facts -> facts.name().equals(scan.table()))
                .findFirst()
                .map(Size::of)
                .orElse(Size.NOTHING);
    }

    /** How many rows of the join one changed row makes at most, if every row of the largest table finds a match in each other one. */
    double fanOut(SourceFacts changed)
    {
        long largest = sources.stream().mapToLong(facts -> Size.of(facts).rows()).max().orElse(0);
        return Math.max(1, largest / (double) Math.max(1, Size.of(changed).rows()));
    }

    static boolean isJoined(LinearRelation relation)
    {
        return relation.scans().count() > 1 && !isUnion(relation);
    }

    private static boolean isUnion(LinearRelation relation)
    {
        return switch (relation) {
            case Scan _, Select _, Expand _, UnionAll _ -> relation.children().stream().allMatch(JoinedReads::isUnion);
            case InnerJoin _, LeftJoin _, SemiJoin _, Grouped _, Windowed _ -> false;
        };
    }

    private static Size sum(Stream<Size> sizes)
    {
        return sizes.reduce(Size.NOTHING, Size::plus);
    }
}
