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
import com.google.inject.Inject;
import io.freshet.engine.RelationName;
import io.freshet.spi.schedule.Alerts;
import io.freshet.spi.surface.MaterializedViewAlertsTable.Row;
import io.trino.spi.catalog.CatalogName;

import java.util.List;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.BooleanType.BOOLEAN;
import static io.trino.spi.type.TimestampWithTimeZoneType.TIMESTAMP_TZ_MILLIS;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.util.Objects.requireNonNull;

/** {@code system.materialized_view_alerts}: the alerts of views that the caller may see, since the coordinator started. */
public final class MaterializedViewAlertsTable
        extends ViewSystemTable<Row>
{
    private final String catalogName;
    private final Alerts alerts;

    record Row(ViewFacts view, Alerts.Kept kept) {}

    @Inject
    public MaterializedViewAlertsTable(CatalogName catalogName, ViewListing listing, Alerts alerts)
    {
        super("materialized_view_alerts", listing, columns());
        this.catalogName = catalogName.toString();
        this.alerts = requireNonNull(alerts, "alerts is null");
    }

    @Override
    List<Row> rows(ViewFacts view)
    {
        return alerts.of(new RelationName(catalogName, view.name().getSchemaName(), view.name().getTableName())).stream()
                .map(kept -> new Row(view, kept))
                .collect(toImmutableList());
    }

    private static List<SystemColumn<Row>> columns()
    {
        return ImmutableList.<SystemColumn<Row>>builder()
                .add(new SystemColumn<>(SCHEMA_NAME, VARCHAR, "Schema of the view", row -> row.view().name().getSchemaName()))
                .add(new SystemColumn<>(VIEW_NAME, VARCHAR, "Name of the view", row -> row.view().name().getTableName()))
                .add(new SystemColumn<>("raised_at", TIMESTAMP_TZ_MILLIS, "When it was raised", row -> timestamp(Optional.of(row.kept().alert().raisedMillis()))))
                .add(new SystemColumn<>("from_state", VARCHAR, "Staleness before", row -> row.kept().alert().from().name()))
                .add(new SystemColumn<>("to_state", VARCHAR, "Staleness then", row -> row.kept().alert().to().name()))
                .add(new SystemColumn<>("lag", BIGINT, "Lag then, in seconds", row -> row.kept().alert().lagMillis() / 1000))
                .add(new SystemColumn<>("delivered", BOOLEAN, "Whether the webhook received it; NULL if there is none or it is still tried", row -> row.kept().delivered().orElse(null)))
                .add(new SystemColumn<>("suppressed_until", TIMESTAMP_TZ_MILLIS, "Until then the same is not raised again for the view", row -> timestamp(Optional.of(row.kept().alert().suppressedUntilMillis()))))
                .add(new SystemColumn<>("detail", VARCHAR, "The alert in words", row -> row.kept().alert().detail()))
                .add(new SystemColumn<>("recovery", BOOLEAN, "Whether the view is in time again", row -> row.kept().alert().recovery()))
                .build();
    }
}
