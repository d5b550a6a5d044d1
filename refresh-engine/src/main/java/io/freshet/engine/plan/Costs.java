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
import io.freshet.engine.Strategy;
import io.freshet.staleness.ChangeKind;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Estimated bytes that each way of refreshing reads and writes.
 *
 * @param deltaRows upper bound of the rows of all deltas
 * @param deltaBytes bytes of the files that hold them
 * @param sourceBytes bytes of all sources; empty if one is not known
 * @param backingRows rows of the backing table; empty if not known
 * @param backingBytes bytes of the backing table; empty if not known
 */
record Costs(long deltaRows, long deltaBytes, OptionalLong sourceBytes, OptionalLong backingRows, OptionalLong backingBytes)
{
    /** Up to so many rows a view is written anew rather than merged into: one file, no delete files. */
    static final long SMALL_VIEW_ROWS = 100_000;
    /** Share of groups touched from which on a view is written anew. */
    static final double REWRITE_SHARE = 0.1;
    /** Share of the sources' bytes that a delta must exceed before a full refresh is considered. */
    static final double FULL_SHARE = 0.5;
    /** Below this the fixed costs of a refresh decide, and a full one saves nothing. */
    static final long FULL_BYTES = 16 << 20;

    static Costs of(PlanRequest request)
    {
        long rows = 0;
        long bytes = 0;
        OptionalLong sources = OptionalLong.of(0);
        for (SourceFacts facts : request.sources()) {
            if (facts.change().kind() == ChangeKind.APPENDED || facts.change().kind() == ChangeKind.ROWS_CHANGED) {
                rows += facts.change().addedRows();
                bytes += facts.change().addedBytes();
            }
            sources = sources.isPresent() && facts.bytes().isPresent()
                    ? OptionalLong.of(sources.getAsLong() + facts.bytes().getAsLong())
                    : OptionalLong.empty();
        }
        return new Costs(rows, bytes, sources, request.backing().rows(), request.backing().bytes());
    }

    boolean prefersRewrite()
    {
        if (backingRows.isEmpty()) {
            return false;
        }
        long groups = backingRows.getAsLong();
        return groups <= SMALL_VIEW_ROWS || touchedGroups() >= REWRITE_SHARE * groups;
    }

    /** Expected number of distinct groups that so many rows fall into, if every group is equally likely. */
    double touchedGroups()
    {
        double groups = backingRows.orElse(0);
        return groups == 0 ? deltaRows : groups * -Math.expm1(-deltaRows / groups);
    }

    /** Why a full refresh is cheaper than the given way; empty if it is not, or if that cannot be told. */
    Optional<PlanReason> prefersFull(ApplyMethod method)
    {
        if (sourceBytes.isEmpty() || deltaBytes < FULL_BYTES || deltaBytes <= FULL_SHARE * sourceBytes.getAsLong()) {
            return Optional.empty();
        }
        Optional<CostEstimate> full = full();
        Optional<CostEstimate> incremental = incremental(method);
        if (full.isEmpty() || incremental.isEmpty() || incremental.get().bytes() <= full.get().bytes()) {
            return Optional.empty();
        }
        return Optional.of(PlanReason.of(
                PlanReasonCode.COST,
                "reading the sources anew (%s bytes) is cheaper than the changes (%s bytes)".formatted(full.get().bytes(), incremental.get().bytes())));
    }

    List<CostEstimate> estimates(ApplyMethod method)
    {
        ImmutableList.Builder<CostEstimate> estimates = ImmutableList.builder();
        incremental(method).ifPresent(estimates::add);
        full().ifPresent(estimates::add);
        return estimates.build();
    }

    Optional<CostEstimate> full()
    {
        if (sourceBytes.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new CostEstimate(Strategy.FULL_REFRESH, ApplyMethod.OVERWRITE, sourceBytes.getAsLong() + backingBytes.orElse(0)));
    }

    private Optional<CostEstimate> incremental(ApplyMethod method)
    {
        return switch (method) {
            case NONE, OVERWRITE -> Optional.empty();
            case APPEND -> Optional.of(new CostEstimate(Strategy.APPEND_ONLY, method, 2 * deltaBytes));
            case MERGE -> Optional.of(new CostEstimate(Strategy.AGGREGATE_MERGE, method, deltaBytes + 2 * touchedBytes()));
            case REWRITE -> backingBytes.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new CostEstimate(Strategy.AGGREGATE_MERGE, method, deltaBytes + 2 * backingBytes.getAsLong()));
        };
    }

    private long touchedBytes()
    {
        double groups = backingRows.orElse(0);
        return groups == 0 ? 0 : (long) (backingBytes.orElse(0) * (touchedGroups() / groups));
    }
}
