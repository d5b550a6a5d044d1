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
package io.freshet.engine;

import com.google.common.collect.ImmutableList;
import io.freshet.engine.algebra.AggregateBlock;
import io.freshet.engine.algebra.LinearBlock;
import io.freshet.engine.algebra.WindowBlock;
import io.freshet.engine.render.Fingerprint;
import io.freshet.engine.render.TypeProbe;

import java.util.List;
import java.util.Optional;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

/**
 * All that the text of a view says, given what its names stand for.
 *
 * @param sources every relation that the query mentions, in any place, through logical views; named queries are not among them
 * @param logicalViews the logical views on the way
 * @param expandedSql the text with stars replaced by columns where that is certain. Gives the same result as the text as long as
 *         no source gains a column; unqualified names in it still need the view's default catalog and schema
 * @param volatility whether the result depends on more than the rows of the sources
 * @param maintenance whether the view is maintained from changes
 */
public record CompiledView(
        ViewText text,
        List<SourceMention> sources,
        List<LogicalViewMention> logicalViews,
        String expandedSql,
        Volatility volatility,
        Maintenance maintenance)
{
    public CompiledView
    {
        requireNonNull(text, "text is null");
        sources = ImmutableList.copyOf(sources);
        logicalViews = ImmutableList.copyOf(logicalViews);
        requireNonNull(expandedSql, "expandedSql is null");
        requireNonNull(volatility, "volatility is null");
        requireNonNull(maintenance, "maintenance is null");
    }

    /** The expressions whose types decide about the layout; empty if the view is not maintained. */
    public List<String> typeProbes()
    {
        return switch (maintenance) {
            case Maintenance.Maintained(var block) -> TypeProbe.expressions(block);
            case Maintenance.NotMaintained _ -> ImmutableList.of();
        };
    }

    /**
     * A query of no rows whose columns have the types of {@link #typeProbes}, in order. Empty if the view is not maintained.
     */
    public Optional<String> typeProbeSql()
    {
        return switch (maintenance) {
            case Maintenance.Maintained(var block) -> Optional.of(TypeProbe.sql(block));
            case Maintenance.NotMaintained _ -> Optional.empty();
        };
    }

    /** Identifies what is maintained: equal exactly if a {@link StateLayout} made for the one fits the other. Empty if not maintained. */
    public Optional<String> fingerprint()
    {
        return switch (maintenance) {
            case Maintenance.Maintained(var block) -> Optional.of(Fingerprint.of(block));
            case Maintenance.NotMaintained _ -> Optional.empty();
        };
    }

    /**
     * Where keys and states are kept.
     *
     * @param types SQL types of {@link #typeProbes}, in order, as the engine shows them
     */
    public LayoutOutcome layout(List<String> types)
    {
        return switch (maintenance) {
            case Maintenance.NotMaintained(Refusal refusal) -> new LayoutOutcome.NotLaid(refusal);
            case Maintenance.Maintained(LinearBlock block) -> new LayoutOutcome.Laid(new StateLayout(
                    StateLayout.CURRENT_VERSION,
                    Fingerprint.of(block),
                    ImmutableList.of(),
                    ImmutableList.of(),
                    ImmutableList.of(),
                    Optional.empty()));
            case Maintenance.Maintained(WindowBlock block) -> {
                checkArgument(types.size() == block.keys().size() + block.outputs().size(), "there are other types than probes");
                yield WindowLayout.of(block, text.columnNames(), types.subList(0, block.keys().size()));
            }
            case Maintenance.Maintained(AggregateBlock block) -> {
                int keys = block.keys().size();
                int arguments = TypeProbe.arguments(block).size();
                checkArgument(types.size() == keys + arguments + block.outputs().size(), "there are other types than probes");
                yield new LayoutBuilder(
                        block,
                        text.columnNames(),
                        types.subList(0, keys),
                        types.subList(keys, keys + arguments),
                        types.subList(keys + arguments, types.size())).build();
            }
        };
    }

    /**
     * How each part of the view is kept up, the view as a whole last.
     *
     * @param types SQL types of {@link #typeProbes}, in order, as the engine shows them
     */
    public List<OperatorExplanation> explain(List<String> types)
    {
        return new ViewExplainer(this, types).explain();
    }
}
