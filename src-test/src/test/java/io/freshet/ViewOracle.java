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
package io.freshet;

import com.google.common.collect.ImmutableMap;
import com.google.inject.Injector;
import io.freshet.spi.FreshetConnector;
import io.freshet.spi.catalog.FreshetCatalog;
import io.freshet.spi.catalog.FreshetCatalogFactory;
import io.freshet.spi.catalog.ViewTable;
import io.freshet.spi.refresh.BackgroundSession;
import io.freshet.spi.refresh.BackgroundSessions;
import io.freshet.spi.refresh.BackingContent;
import io.freshet.spi.refresh.RefreshHistory;
import io.freshet.spi.refresh.RefreshJob;
import io.freshet.spi.refresh.RefreshPlanning;
import io.freshet.spi.refresh.RefreshRecord;
import io.freshet.spi.refresh.RefreshState;
import io.freshet.spi.refresh.SourcePin;
import io.freshet.spi.refresh.StatementContexts;
import io.freshet.staleness.SourceBookmark;
import io.trino.Session;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.security.ConnectorIdentity;
import io.trino.spi.security.Identity;
import io.trino.spi.type.TimeZoneKey;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.MaterializedResult;
import io.trino.testing.QueryRunner;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import static io.freshet.FreshetQueryRunner.CATALOG;
import static io.freshet.spi.catalog.BackingTables.backingTableOf;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Recompute is the oracle: after a refresh, the rows of a view are those that its own SQL gives on the snapshots that the refresh
 * recorded, as a multiset, types included. The view is read while its backing table is really scanned, as a stale view is
 * answered from its definition and then looks right whatever is stored.
 */
public final class ViewOracle
{
    private final DistributedQueryRunner queryRunner;
    private final Injector injector;

    public ViewOracle(QueryRunner queryRunner)
    {
        this.queryRunner = (DistributedQueryRunner) queryRunner;
        injector = ((FreshetConnector) this.queryRunner.getCoordinator().getConnector(CATALOG)).getInjector();
    }

    /** Compares the stored rows of the view with a recompute on the recorded snapshots. */
    public void assertExact(SchemaTableName viewName)
    {
        MaterializedResult stored = storedRows(viewName);
        MaterializedResult recomputed = recompute(viewName);
        assertThat(stored.getTypes()).describedAs("types of %s", viewName).isEqualTo(recomputed.getTypes());
        RowBags.assertSameBag("rows of " + viewName, stored, recomputed);
    }

    public void assertExact(String viewName)
    {
        assertExact(new SchemaTableName(FreshetQueryRunner.SCHEMA, viewName));
    }

    /** The rows of the view, proved to come from its backing table. */
    public MaterializedResult storedRows(SchemaTableName viewName)
    {
        String query = "SELECT * FROM " + quoted(viewName);
        String plan = (String) queryRunner.execute("EXPLAIN " + query).getOnlyValue();
        assertThat(plan).describedAs("plan of %s", query).contains("%s:%s$data".formatted(CATALOG, backingTableOf(viewName)));
        return queryRunner.execute(query);
    }

    /** What the SQL of the view gives on the snapshots that its last refresh recorded. */
    public MaterializedResult recompute(SchemaTableName viewName)
    {
        ViewTable view = view(viewName);
        RefreshState state = state(view);
        Map<SchemaTableName, SourcePin> pins = new HashMap<>(sourcesNow(view));
        state.bookmarks().forEach(bookmark -> pins.put(pin(bookmark).table(), pin(bookmark)));
        StatementContexts contexts = injector.getInstance(StatementContexts.class);
        String user = queryRunner.getDefaultSession().getUser();
        String token = contexts.register(RefreshJob.readOnly(user, viewName, backingTableOf(viewName), pins));
        try {
            Session session = Session.builder(queryRunner.getDefaultSession())
                    .setIdentity(Identity.forUser(user).withExtraCredentials(ImmutableMap.of(StatementContexts.TOKEN_CREDENTIAL, token)).build())
                    .setTimeZoneKey(TimeZoneKey.getTimeZoneKey(view.definition().sessionContext().timeZone()))
                    .setLocale(Locale.forLanguageTag(view.definition().sessionContext().locale()))
                    .setCatalog(view.definition().catalog())
                    .setSchema(view.definition().schema())
                    .build();
            return queryRunner.execute(session, view.definition().expandedSql());
        }
        finally {
            contexts.revoke(token);
        }
    }

    /** The last refresh of the view. */
    public RefreshRecord lastRefresh(String viewName)
    {
        return lastRefresh(new SchemaTableName(FreshetQueryRunner.SCHEMA, viewName));
    }

    public RefreshRecord lastRefresh(SchemaTableName viewName)
    {
        return history(viewName).getLast();
    }

    public List<RefreshRecord> history(String viewName)
    {
        return history(new SchemaTableName(FreshetQueryRunner.SCHEMA, viewName));
    }

    private List<RefreshRecord> history(SchemaTableName viewName)
    {
        return new ArrayList<>(injector.getInstance(RefreshHistory.class).of(view(viewName).backingTable()));
    }

    /** Also of tables that are read at a fixed version only, which have no bookmark. */
    private Map<SchemaTableName, SourcePin> sourcesNow(ViewTable view)
    {
        ConnectorIdentity identity = ConnectorIdentity.ofUser(queryRunner.getDefaultSession().getUser());
        BackgroundSession session = injector.getInstance(BackgroundSessions.class).create(identity);
        FreshetCatalog catalog = injector.getInstance(FreshetCatalogFactory.class).create(identity);
        RefreshPlanning planning = injector.getInstance(RefreshPlanning.class);
        return planning.pins(session, catalog, planning.compile(session, catalog, view.definition()));
    }

    private static SourcePin pin(SourceBookmark bookmark)
    {
        return new SourcePin(new SchemaTableName(bookmark.schema(), bookmark.table()), bookmark.identity(), bookmark.snapshotId());
    }

    private RefreshState state(ViewTable view)
    {
        return injector.getInstance(BackingContent.class).read(view.backingTable(), view.definition().versionId())
                .state()
                .orElseThrow(() -> new AssertionError("No bookmarks in " + view.view()));
    }

    public ViewTable view(SchemaTableName viewName)
    {
        ConnectorIdentity identity = ConnectorIdentity.ofUser(queryRunner.getDefaultSession().getUser());
        BackgroundSession session = injector.getInstance(BackgroundSessions.class).create(identity);
        FreshetCatalog catalog = injector.getInstance(FreshetCatalogFactory.class).create(identity);
        return catalog.findView(session, viewName).orElseThrow(() -> new AssertionError("No view " + viewName));
    }

    private static String quoted(SchemaTableName name)
    {
        return "%s.\"%s\".\"%s\"".formatted(CATALOG, name.getSchemaName(), name.getTableName().replace("\"", "\"\""));
    }
}
