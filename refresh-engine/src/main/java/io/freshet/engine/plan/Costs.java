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
import io.freshet.engine.ApplyMethod;
import io.freshet.engine.Maintenance;
import io.freshet.engine.Strategy;
import io.freshet.engine.algebra.AggregateBlock;
import io.freshet.engine.algebra.Block;
import io.freshet.engine.algebra.LinearBlock;
import io.freshet.engine.algebra.LinearRelation;
import io.freshet.engine.algebra.WindowBlock;
import io.freshet.staleness.ChangeKind;

import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

import static com.google.common.math.LongMath.saturatedAdd;
import static java.util.Comparator.comparingLong;

/**
 * Estimated time of each way of refreshing: a fixed part, and parts for each row and byte. The factors are fits to measurements with
 * 2 cores and local files (lineitem of TPC-H, 6 million rows in 148 MB, views of 4 to 1.5 million groups). On other machines they are
 * wrong by a common factor, which the choice does not depend on. Touched groups are estimated as if every group was equally likely.
 *
 * @param deltaRows upper bound of the rows of all deltas, added and removed
 * @param deltaBytes bytes of the files that are read for them
 * @param comparedBytes those of them in files that are read in two states, to tell which rows are in one of them only
 * @param source rows and bytes of all sources; empty if those of one are not known
 * @param others rows and bytes of the tables that the deltas are joined with, each as often as it is read
 * @param joined whether the view is over a join, or over queries below it
 * @param kind what the view consists of
 * @param backingRows rows of the backing table; empty if not known
 * @param backingBytes bytes of the backing table; empty if not known
 */
record Costs(long deltaRows, long deltaBytes, long comparedBytes, Optional<Size> source, Size others, boolean joined, Kind kind, OptionalLong backingRows, OptionalLong backingBytes)
{
    /** Sources up to this size are read in a fraction of a second, so a full refresh saves nothing that could be noticed. */
    static final long SMALL_SOURCE_BYTES = 4 << 20;

    private static final double FULL_MILLIS = 300;
    private static final double APPEND_MILLIS = 200;
    private static final double REWRITE_MILLIS = 330;
    /** Commits of data and delete files, and what later readers pay for the delete files. */
    private static final double ADDRESSED_MILLIS = 400;

    private static final double SCANNED_ROW = 35e-6;
    private static final double SCANNED_BYTE = 1e-6;
    /** What it costs to compare the states of a file, beside reading it. */
    private static final double COMPARISON = 0.5;
    private static final double AGGREGATED_ROW = 90e-6;
    /** From so many groups on aggregation costs all of {@link #AGGREGATED_ROW}. */
    private static final double MANY_GROUPS = 100_000;
    private static final double WRITTEN_GROUP = 300e-6;
    private static final double WRITTEN_ROW = 1e-3;
    private static final double MERGED_ROW = 150e-6;
    /** A stored row that is read, merged and written anew. */
    private static final double REWRITTEN_GROUP = 1e-3;
    /** A stored row that is looked at, for whether it is touched. */
    private static final double PROBED_STORED_ROW = 100e-6;
    /** A row of a source that is looked at, for whether its group is touched. */
    private static final double PROBED_SOURCE_ROW = 30e-6;
    /** Of a table that a delta is joined with little more is read than the columns that it is joined by. */
    private static final double PROBED_SOURCE_BYTE = 0.3e-6;
    /** A row of a source that goes through a join of whole tables; a guess. */
    private static final double JOINED_ROW = 60e-6;
    /** A stored row that is replaced or deleted at its address. */
    private static final double REPLACED_ROW = 5e-3;
    /** Rows whose number is not known are taken to be of so many bytes. */
    private static final long TYPICAL_ROW_BYTES = 25;

    /** A row of a source that goes through a window function; a guess. */
    private static final double WINDOWED_ROW = 300e-6;
    /** So many rows are taken to be in a partition of a window function. */
    private static final double PARTITION_ROWS = 10;

    enum Kind
    {
        ROWS,
        GROUPS,
        WINDOWS,
    }

    record Size(long rows, long bytes)
    {
        static final Size NOTHING = new Size(0, 0);

        static Size of(SourceFacts facts)
        {
            return new Size(facts.rows().orElse(facts.bytes().orElse(0) / TYPICAL_ROW_BYTES), facts.bytes().orElse(0));
        }

        Size plus(Size other)
        {
            return new Size(saturatedAdd(rows, other.rows), saturatedAdd(bytes, other.bytes));
        }

        private double probe()
        {
            return rows * PROBED_SOURCE_ROW + bytes * PROBED_SOURCE_BYTE;
        }

        private double scan()
        {
            return rows * SCANNED_ROW + bytes * SCANNED_BYTE;
        }
    }

    static Costs of(PlanRequest request)
    {
        long deltaRows = 0;
        long deltaBytes = 0;
        long comparedBytes = 0;
        long sourceRows = 0;
        long sourceBytes = 0;
        boolean known = true;
        Optional<LinearRelation> input = input(request.view().maintenance());
        JoinedReads reads = new JoinedReads(request.sources(), new Removals(request.sources()));
        boolean joined = input.filter(JoinedReads::isJoined).isPresent();
        for (SourceFacts facts : request.sources()) {
            if (facts.change().kind() == ChangeKind.APPENDED || facts.change().kind() == ChangeKind.ROWS_CHANGED) {
                double rows = saturatedAdd(facts.change().addedRows(), facts.change().removedRows());
                deltaRows = saturatedAdd(deltaRows, (long) (joined ? rows * reads.fanOut(facts) : rows));
                deltaBytes = saturatedAdd(deltaBytes, scanBytes(facts));
                comparedBytes = saturatedAdd(comparedBytes, comparedBytes(facts));
            }
            known &= facts.bytes().isPresent();
            sourceBytes += facts.bytes().orElse(0);
            sourceRows += Size.of(facts).rows();
        }
        return new Costs(
                deltaRows,
                deltaBytes,
                comparedBytes,
                known ? Optional.of(new Size(sourceRows, sourceBytes)) : Optional.empty(),
                input.map(reads::ofDelta).orElse(Size.NOTHING),
                joined,
                kind(request.view().maintenance()),
                request.backing().rows(),
                request.backing().bytes());
    }

    private static Optional<LinearRelation> input(Maintenance maintenance)
    {
        return switch (maintenance) {
            case Maintenance.Maintained(Block block) -> Optional.of(block.input());
            case Maintenance.NotMaintained _ -> Optional.empty();
        };
    }

    /** If there is no bound, all files at both ends. */
    private static long scanBytes(SourceFacts facts)
    {
        if (facts.change().scanBytes() == Long.MAX_VALUE && facts.bytes().isPresent()) {
            return 2 * facts.bytes().getAsLong();
        }
        return facts.change().scanBytes();
    }

    /** If there is no bound, files are counted at both ends already. */
    private static long comparedBytes(SourceFacts facts)
    {
        boolean bounded = facts.change().scanBytes() != Long.MAX_VALUE;
        return facts.change().kind() == ChangeKind.ROWS_CHANGED && bounded ? facts.change().scanBytes() : 0;
    }

    private static Kind kind(Maintenance maintenance)
    {
        return switch (maintenance) {
            case Maintenance.Maintained(LinearBlock _) -> Kind.ROWS;
            case Maintenance.Maintained(AggregateBlock _) -> Kind.GROUPS;
            case Maintenance.Maintained(WindowBlock _) -> Kind.WINDOWS;
            // the most that a full refresh writes
            case Maintenance.NotMaintained _ -> Kind.ROWS;
        };
    }

    /** The cheapest of some ways, the first of equal ones. If one cannot be estimated the first is taken. */
    ApplyMethod cheapest(Strategy strategy, ApplyMethod... methods)
    {
        ImmutableList.Builder<CostEstimate> estimates = ImmutableList.builder();
        for (ApplyMethod method : methods) {
            Optional<CostEstimate> estimate = estimate(strategy, method);
            if (estimate.isEmpty()) {
                return methods[0];
            }
            estimates.add(estimate.get());
        }
        return estimates.build().stream()
                .min(comparingLong(CostEstimate::millis))
                .map(CostEstimate::applyMethod)
                .orElseThrow();
    }

    /** Why a full refresh is cheaper than the given way; empty if it is not, or if that cannot be told. */
    Optional<PlanReason> prefersFull(Strategy strategy, ApplyMethod method)
    {
        Optional<CostEstimate> full = full();
        Optional<CostEstimate> incremental = estimate(strategy, method);
        boolean small = source.isEmpty() || source.get().bytes() < SMALL_SOURCE_BYTES;
        if (small || full.isEmpty() || incremental.isEmpty() || incremental.get().millis() <= full.get().millis()) {
            return Optional.empty();
        }
        return Optional.of(PlanReason.of(
                PlanReasonCode.COST,
                "computing anew (about %s ms) is estimated to be cheaper than %s (about %s ms)".formatted(full.get().millis(), strategy, incremental.get().millis())));
    }

    /** The given way and its alternatives, as far as they can be estimated. */
    List<CostEstimate> estimates(Strategy strategy, ApplyMethod... methods)
    {
        ImmutableList.Builder<CostEstimate> estimates = ImmutableList.builder();
        for (ApplyMethod method : methods) {
            estimate(strategy, method).ifPresent(estimates::add);
        }
        full().ifPresent(estimates::add);
        return estimates.build();
    }

    Optional<CostEstimate> full()
    {
        return source.map(size -> {
            double written = switch (kind) {
                case ROWS -> backingRows.orElse(size.rows()) * WRITTEN_ROW;
                case GROUPS -> backingRows.orElse(0) * WRITTEN_GROUP + size.rows() * AGGREGATED_ROW * Math.min(1, backingRows.orElse(0) / MANY_GROUPS);
                case WINDOWS -> backingRows.orElse(size.rows()) * WRITTEN_ROW + size.rows() * WINDOWED_ROW;
            };
            return estimate(Strategy.FULL_REFRESH, ApplyMethod.OVERWRITE, size.bytes() + backingBytes.orElse(0), FULL_MILLIS + size.scan() + (joined ? size.rows() * JOINED_ROW : 0) + written);
        });
    }

    private Optional<CostEstimate> estimate(Strategy strategy, ApplyMethod method)
    {
        // files are read in which few rows were removed
        double delta = new Size(Math.max(deltaRows, deltaBytes / TYPICAL_ROW_BYTES), deltaBytes).scan()
                + new Size(comparedBytes / TYPICAL_ROW_BYTES, comparedBytes).scan() * COMPARISON
                + others.probe();
        double stored = backingRows.orElse(0);
        return switch (strategy) {
            case NO_OP, FULL_REFRESH -> Optional.empty();
            case APPEND_ONLY -> Optional.of(estimate(strategy, method, 2.0 * deltaBytes + others.bytes(), APPEND_MILLIS + delta + changedRows() * WRITTEN_ROW));
            case AGGREGATE_MERGE -> method == ApplyMethod.MERGE
                    ? Optional.of(estimate(
                            strategy,
                            method,
                            (double) deltaBytes + others.bytes() + 2 * bytes(touchedGroups()),
                            ADDRESSED_MILLIS + delta + deltaRows * MERGED_ROW + stored * PROBED_STORED_ROW + touchedGroups() * REPLACED_ROW))
                    : rewrite(delta);
            case GROUP_RECOMPUTE -> source.map(size -> estimate(
                    strategy,
                    method,
                    (double) size.bytes() + deltaBytes + others.bytes() + 2 * bytes(touchedGroups()),
                    ADDRESSED_MILLIS + delta + deltaRows * MERGED_ROW + (joined ? size.probe() : size.scan() + size.rows() * PROBED_SOURCE_ROW)
                            + stored * PROBED_STORED_ROW + touchedGroups() * REPLACED_ROW));
            case ROW_DELTA -> Optional.of(estimate(
                    strategy,
                    method,
                    (double) deltaBytes + others.bytes() + backingBytes.orElse(0) + bytes(changedRows()),
                    ADDRESSED_MILLIS + delta + deltaRows * MERGED_ROW + stored * PROBED_STORED_ROW + changedRows() * REPLACED_ROW));
        };
    }

    private Optional<CostEstimate> rewrite(double delta)
    {
        if (backingRows.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(estimate(
                Strategy.AGGREGATE_MERGE,
                ApplyMethod.REWRITE,
                deltaBytes + others.bytes() + 2.0 * backingBytes.orElse(0),
                REWRITE_MILLIS + delta + deltaRows * MERGED_ROW + backingRows.getAsLong() * REWRITTEN_GROUP));
    }

    private static CostEstimate estimate(Strategy strategy, ApplyMethod method, double bytes, double millis)
    {
        return new CostEstimate(strategy, method, Math.round(bytes), Math.round(millis));
    }

    /** Expected number of stored rows that the rows of the delta touch: distinct groups, or rows of partitions. */
    double touchedGroups()
    {
        double groups = backingRows.orElse(0);
        if (kind == Kind.WINDOWS) {
            return groups == 0 ? deltaRows : Math.min(groups, PARTITION_ROWS * deltaRows);
        }
        return groups == 0 ? deltaRows : groups * -Math.expm1(-deltaRows / groups);
    }

    /** Expected number of rows of the view that the delta makes, if it passes filters as the rows before did. */
    private double changedRows()
    {
        OptionalDouble share = source.isPresent() && backingRows.isPresent() && source.get().rows() > 0
                ? OptionalDouble.of(Math.min(1, backingRows.getAsLong() / (double) source.get().rows()))
                : OptionalDouble.empty();
        return deltaRows * share.orElse(1);
    }

    private double bytes(double storedRows)
    {
        double stored = backingRows.orElse(0);
        return stored == 0 ? 0 : backingBytes.orElse(0) * Math.min(1, storedRows / stored);
    }
}
