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
package io.freshet.engine.algebra;

import com.google.common.collect.ImmutableList;

import java.util.List;
import java.util.stream.Stream;

import static com.google.common.collect.ImmutableList.toImmutableList;

/**
 * A relation whose delta can be told from the states of its sources before and after, and from their deltas. Most are linear in
 * each mention of a source: {@code op(A + B) = op(A) + op(B)}, so that the delta is had by putting the delta of the source in its place.
 */
public sealed interface LinearRelation
        permits Expand, Grouped, InnerJoin, LeftJoin, Scan, Select, SemiJoin, UnionAll, Windowed
{
    /** Names of the output columns, in order, unique without regard to case. */
    List<String> columns();

    /** The relations that this one reads, each as often as it is mentioned. */
    default List<LinearRelation> children()
    {
        return switch (this) {
            case Scan _ -> ImmutableList.of();
            case Select select -> ImmutableList.of(select.input());
            case Expand expand -> ImmutableList.of(expand.input());
            case UnionAll union -> union.inputs();
            case InnerJoin join -> join.inputs().stream().map(JoinInput::relation).collect(toImmutableList());
            case LeftJoin join -> ImmutableList.of(join.left().relation(), join.right().relation());
            case SemiJoin join -> ImmutableList.of(join.left().relation(), join.right().relation());
            case Grouped(var block) -> ImmutableList.of(block.input());
            case Windowed(var block) -> ImmutableList.of(block.input());
        };
    }

    /** The mentions of tables that this relation consists of. */
    default Stream<Scan> scans()
    {
        return this instanceof Scan scan ? Stream.of(scan) : children().stream().flatMap(LinearRelation::scans);
    }
}
