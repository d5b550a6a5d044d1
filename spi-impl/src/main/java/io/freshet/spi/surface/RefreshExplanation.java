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
package io.freshet.spi.surface;

import com.google.common.collect.ImmutableList;
import io.freshet.engine.RefreshMode;
import io.freshet.engine.RelationKind;
import io.freshet.engine.SourceMention;
import io.freshet.engine.plan.CostEstimate;
import io.freshet.engine.plan.PlanReason;
import io.freshet.engine.plan.RefreshPlan;
import io.freshet.engine.plan.SourceFacts;
import io.freshet.spi.refresh.PlannedRefresh;
import io.freshet.spi.refresh.RefreshProperties;
import io.freshet.spi.surface.PreparedRows.ColumnType;
import io.freshet.staleness.ChangeReason;
import io.freshet.staleness.SourceChange;
import io.trino.spi.function.table.Descriptor;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.freshet.spi.surface.PreparedRows.ColumnType.BIGINT_COLUMN;
import static io.freshet.spi.surface.PreparedRows.ColumnType.VARCHAR_COLUMN;
import static java.util.Objects.requireNonNull;

/**
 * A planned refresh as rows of {@code explain_refresh}, in this order:
 * <ul>
 * <li>{@code mode}: in which mode it is planned
 * <li>{@code strategy}: how the view would be refreshed; {@code REFUSED}: not at all, with the error as detail
 * <li>{@code apply}: how the rows would get into the backing table
 * <li>{@code reason}: the code of why it is this strategy, with the words; {@code position}: the place in the view's query
 * <li>{@code source}, for each: what happened to it since the last refresh, between which snapshots
 * <li>{@code estimate}, for each alternative: estimated bytes read and written
 * <li>{@code statement}: the SQL
 * </ul>
 * What does not apply has no row.
 */
final class RefreshExplanation
{
    static final Descriptor DESCRIPTOR = new Descriptor(Stream.of(Column.values())
            .map(column -> new Descriptor.Field(column.columnName, Optional.of(column.type.type())))
            .collect(toImmutableList()));

    private enum Column
    {
        ITEM("item", VARCHAR_COLUMN),
        NAME("name", VARCHAR_COLUMN),
        VALUE("value", VARCHAR_COLUMN),
        DETAIL("detail", VARCHAR_COLUMN),
        FROM_SNAPSHOT_ID("from_snapshot_id", BIGINT_COLUMN),
        TO_SNAPSHOT_ID("to_snapshot_id", BIGINT_COLUMN),
        ADDED_ROWS("added_rows", BIGINT_COLUMN),
        BYTES("bytes", BIGINT_COLUMN);

        private final String columnName;
        private final ColumnType type;

        Column(String columnName, ColumnType type)
        {
            this.columnName = columnName;
            this.type = type;
        }
    }

    private final String catalogName;
    private final PlannedRefresh planned;
    private final ImmutableList.Builder<List<Optional<String>>> rows = ImmutableList.builder();

    RefreshExplanation(String catalogName, PlannedRefresh planned)
    {
        this.catalogName = requireNonNull(catalogName, "catalogName is null");
        this.planned = requireNonNull(planned, "planned is null");
    }

    PreparedRows rows()
    {
        addMode();
        switch (planned.plan()) {
            case RefreshPlan.Refused(PlanReason reason) -> {
                add("strategy", "REFUSED", Optional.of("Materialized view %s.%s cannot be refreshed incrementally".formatted(catalogName, planned.view().view())));
                addReason(reason);
                addSources();
            }
            case RefreshPlan.Planned plan -> {
                add("strategy", plan.strategy().name(), Optional.empty());
                add("apply", plan.applyMethod().name(), Optional.of(describeApply(plan)));
                addReason(plan.reason());
                addSources();
                plan.estimates().forEach(estimate -> addEstimate(plan, estimate));
                plan.sql().ifPresent(sql -> add("statement", sql, Optional.empty()));
            }
        }
        return new PreparedRows(
                Stream.of(Column.values()).map(column -> column.type).collect(toImmutableList()),
                rows.build());
    }

    private void addMode()
    {
        RefreshMode mode = planned.request().mode();
        RefreshMode declared = RefreshProperties.refreshMode(planned.view().definition().properties());
        add("mode", mode.name(), mode == declared ? Optional.empty() : Optional.of("The view itself declares " + declared));
    }

    private static String describeApply(RefreshPlan.Planned plan)
    {
        return switch (plan.applyMethod()) {
            case NONE -> "Nothing is written";
            case APPEND -> "New rows are inserted";
            case MERGE -> "Changed rows are merged into the stored ones";
            case REWRITE -> "All rows are written anew, from the stored ones and the changes";
            case OVERWRITE -> "All rows are computed and written anew";
        };
    }

    private void addReason(PlanReason reason)
    {
        add("reason", reason.code(), Optional.of(reason.detail()).filter(detail -> !detail.isEmpty()));
        if (reason.line() > 0) {
            add("position", "%s:%s".formatted(reason.line(), reason.column()), Optional.of("Line and column in the query of the view"));
        }
    }

    private void addSources()
    {
        for (SourceMention mention : planned.compiled().sources()) {
            Optional<SourceFacts> facts = planned.request().sources().stream()
                    .filter(candidate -> candidate.name().equals(mention.name()))
                    .findFirst();
            if (mention.version().isPresent()) {
                boolean fixed = mention.version().get().startsWith("FOR ");
                addSource(mention, fixed ? "FIXED" : "UNKNOWN", fixed ? "Read " + mention.version().get() + ", which does not change" : "Changes of branches are not followed: " + mention.version().get());
            }
            else if (mention.kind() == RelationKind.STATIC) {
                addSource(mention, "UNCHANGED", "The view declares it static");
            }
            else if (facts.isPresent()) {
                addChange(mention, facts.get());
            }
            else {
                addSource(mention, "UNKNOWN", whyUnknown(mention.kind()));
            }
        }
    }

    private static String whyUnknown(RelationKind kind)
    {
        return switch (kind) {
            case FOREIGN -> "Changes of tables outside of this catalog are not seen";
            case METADATA_TABLE -> "Changes of metadata tables are not seen";
            case MISSING -> "It does not exist";
            case TABLE, MATERIALIZED_VIEW, VIEW, STATIC -> "It could not be loaded";
        };
    }

    private void addSource(SourceMention mention, String value, String detail)
    {
        add("source", Optional.of(mention.name().toString()), value, Optional.of(detail), OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty());
    }

    private void addChange(SourceMention mention, SourceFacts facts)
    {
        SourceChange change = facts.change();
        ImmutableList.Builder<String> detail = ImmutableList.builder();
        if (change.reason() != ChangeReason.NONE) {
            detail.add(change.reason().name());
        }
        if (facts.rows().isPresent() && facts.bytes().isPresent()) {
            detail.add("whole table: %s rows, %s bytes".formatted(facts.rows().getAsLong(), facts.bytes().getAsLong()));
        }
        boolean sizeKnown = switch (change.kind()) {
            case UNCHANGED, REORGANIZED, APPENDED, ROWS_CHANGED -> true;
            case HISTORY_LOST -> false;
        };
        add(
                "source",
                Optional.of(mention.name().toString()),
                change.kind().name(),
                Optional.of(String.join("; ", detail.build())).filter(text -> !text.isEmpty()),
                change.from(),
                change.to(),
                sizeKnown ? OptionalLong.of(change.addedRows()) : OptionalLong.empty(),
                sizeKnown ? OptionalLong.of(change.addedBytes()) : OptionalLong.empty());
    }

    private void addEstimate(RefreshPlan.Planned plan, CostEstimate estimate)
    {
        boolean chosen = estimate.strategy() == plan.strategy() && estimate.applyMethod() == plan.applyMethod();
        add(
                "estimate",
                Optional.of(estimate.strategy().name()),
                estimate.applyMethod().name(),
                chosen ? Optional.of("chosen") : Optional.empty(),
                OptionalLong.empty(),
                OptionalLong.empty(),
                OptionalLong.empty(),
                OptionalLong.of(estimate.bytes()));
    }

    private void add(String item, String value, Optional<String> detail)
    {
        add(item, Optional.empty(), value, detail, OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty());
    }

    private void add(String item, Optional<String> name, String value, Optional<String> detail, OptionalLong from, OptionalLong to, OptionalLong addedRows, OptionalLong bytes)
    {
        rows.add(ImmutableList.of(Optional.of(item), name, Optional.of(value), detail, text(from), text(to), text(addedRows), text(bytes)));
    }

    private static Optional<String> text(OptionalLong value)
    {
        return value.isPresent() ? Optional.of(Long.toString(value.getAsLong())) : Optional.empty();
    }
}
