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
import com.google.inject.Provider;
import io.freshet.engine.RefreshMode;
import io.freshet.spi.catalog.FreshetCatalog;
import io.freshet.spi.catalog.FreshetCatalogFactory;
import io.freshet.spi.catalog.ViewTable;
import io.freshet.spi.refresh.BackgroundSession;
import io.freshet.spi.refresh.BackgroundSessions;
import io.freshet.spi.refresh.CancelSwitch;
import io.freshet.spi.refresh.RefreshQueue;
import io.freshet.spi.refresh.RefreshRecord.RefreshTrigger;
import io.freshet.spi.refresh.RefreshService.Request;
import io.freshet.spi.refresh.Verification;
import io.freshet.spi.refresh.Verification.Outcome;
import io.trino.spi.TrinoException;
import io.trino.spi.catalog.CatalogName;
import io.trino.spi.classloader.ThreadContextClassLoader;
import io.trino.spi.connector.ConnectorAccessControl;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.procedure.Procedure;

import java.util.Optional;

import static io.freshet.spi.FreshetErrorCode.MATERIALIZED_VIEW_DIVERGED;
import static io.freshet.spi.surface.ViewArguments.SCHEMA_NAME;
import static io.freshet.spi.surface.ViewArguments.VIEW_NAME;
import static io.trino.spi.StandardErrorCode.INVALID_PROCEDURE_ARGUMENT;
import static io.trino.spi.type.BooleanType.BOOLEAN;
import static io.trino.spi.type.DoubleType.DOUBLE;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.util.Objects.requireNonNull;

/**
 * {@code CALL lake.system.verify_materialized_view(schema_name, view_name, repair => false, sample_percent => 100)}: compares the
 * stored rows of a view with those that its query gives on the snapshots of the sources that they were made from. Fails with
 * MATERIALIZED_VIEW_DIVERGED if they differ, unless they are to be repaired: then the view is refreshed in full.
 * <p>
 * Privileges are those of {@code REFRESH MATERIALIZED VIEW}.
 */
public final class VerifyMaterializedViewProcedure
        implements Provider<Procedure>
{
    static final String NAME = "verify_materialized_view";

    private static final String REPAIR = "REPAIR";
    private static final String SAMPLE_PERCENT = "SAMPLE_PERCENT";

    private final String catalogName;
    private final FreshetCatalogFactory catalogFactory;
    private final BackgroundSessions sessions;
    private final Verification verification;
    private final RefreshQueue refreshQueue;

    @Inject
    public VerifyMaterializedViewProcedure(CatalogName catalogName, FreshetCatalogFactory catalogFactory, BackgroundSessions sessions, Verification verification, RefreshQueue refreshQueue)
    {
        this.catalogName = catalogName.toString();
        this.catalogFactory = requireNonNull(catalogFactory, "catalogFactory is null");
        this.sessions = requireNonNull(sessions, "sessions is null");
        this.verification = requireNonNull(verification, "verification is null");
        this.refreshQueue = requireNonNull(refreshQueue, "refreshQueue is null");
    }

    @Override
    public Procedure get()
    {
        return new Procedure(
                "system",
                NAME,
                ImmutableList.of(
                        new Procedure.Argument(SCHEMA_NAME, VARCHAR),
                        new Procedure.Argument(VIEW_NAME, VARCHAR),
                        new Procedure.Argument(REPAIR, BOOLEAN, false, false),
                        new Procedure.Argument(SAMPLE_PERCENT, DOUBLE, false, 100.0)),
                ProcedureMethods.method(this, "verify"));
    }

    /** Called by the engine. */
    public void verify(ConnectorAccessControl accessControl, ConnectorSession session, String schemaName, String viewName, Boolean repair, Double samplePercent)
    {
        SchemaTableName name = ViewArguments.viewName(schemaName, viewName, INVALID_PROCEDURE_ARGUMENT);
        if (repair == null) {
            throw new TrinoException(INVALID_PROCEDURE_ARGUMENT, "Argument repair must have a value");
        }
        if (samplePercent == null || !(samplePercent > 0 && samplePercent <= 100)) {
            throw new TrinoException(INVALID_PROCEDURE_ARGUMENT, "Argument sample_percent must be above 0, and not above 100");
        }
        accessControl.checkCanRefreshMaterializedView(null, name);
        try (ThreadContextClassLoader _ = new ThreadContextClassLoader(getClass().getClassLoader())) {
            Outcome outcome = verify(session, name, samplePercent);
            if (outcome.wrongRows() == 0) {
                return;
            }
            if (!repair) {
                throw diverged(name, outcome, samplePercent);
            }
            ProcedureRefreshes.await(catalogName, name, refreshQueue.submit(
                    session.getQueryId(),
                    new Request(name, Optional.of(RefreshMode.FULL), RefreshTrigger.MANUAL, session.getIdentity(), Optional.of(outcome.cause()))));
        }
    }

    private Outcome verify(ConnectorSession session, SchemaTableName name, double samplePercent)
    {
        BackgroundSession background = sessions.create(session.getIdentity());
        FreshetCatalog catalog = catalogFactory.create(session.getIdentity());
        ViewTable view = ViewArguments.requireView(background, catalog, catalogName, name);
        CancelSwitch cancel = refreshQueue.onStatementEnd(session.getQueryId(), () -> {});
        try {
            return verification.verify(background, catalog, view, samplePercent, statement -> cancel.onCancel(statement.cancel()));
        }
        finally {
            refreshQueue.release(session.getQueryId());
        }
    }

    private TrinoException diverged(SchemaTableName name, Outcome outcome, double samplePercent)
    {
        return new TrinoException(MATERIALIZED_VIEW_DIVERGED, "Materialized view '%s.%s' has %s%s%s. Repair it with CALL %s.system.verify_materialized_view(schema_name => '%s', view_name => '%s', repair => true)".formatted(
                catalogName,
                name,
                outcome.cause().detail(),
                samplePercent == 100 ? "" : ", in a sample of %s %% of them".formatted(samplePercent),
                outcome.doubt().map(" (they may be right as well: %s)"::formatted).orElse(""),
                catalogName,
                name.getSchemaName().replace("'", "''"),
                name.getTableName().replace("'", "''")));
    }
}
