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
package io.freshet.cases;

import io.freshet.RowBags;
import io.freshet.ViewOracle;
import io.freshet.spi.refresh.RefreshRecord;
import io.trino.Session;
import io.trino.spi.connector.SchemaTableName;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.MaterializedResult;
import org.intellij.lang.annotations.Language;

import static io.freshet.FreshetQueryRunner.CATALOG;
import static io.freshet.FreshetQueryRunner.SCHEMA;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * A view and its twin, which has the same definition and is always refreshed in full. After each refresh both hold exactly what
 * their SQL gives on the snapshots that they recorded, and the same as each other.
 */
final class CaseView
{
    private final DistributedQueryRunner queryRunner;
    private final ViewOracle oracle;
    private final String name;
    private final String twin;
    private boolean deterministic = true;

    CaseView(DistributedQueryRunner queryRunner, ViewOracle oracle, String name)
    {
        this.queryRunner = requireNonNull(queryRunner, "queryRunner is null");
        this.oracle = requireNonNull(oracle, "oracle is null");
        this.name = requireNonNull(name, "name is null");
        this.twin = name + "_full";
    }

    void create(String clauses, String query)
    {
        for (String view : new String[] {name, twin}) {
            queryRunner.execute("CREATE MATERIALIZED VIEW %s %s AS %s".formatted(view, clauses, query));
        }
    }

    /** For views that give other rows at each call. */
    CaseView notDeterministic()
    {
        deterministic = false;
        return this;
    }

    /** A refresh that must not be a full one. */
    CaseView refresh(String strategy)
    {
        refresh("INCREMENTAL", strategy, null);
        return this;
    }

    /** A refresh of which the mode is left to the view. */
    CaseView refresh(String strategy, String reason)
    {
        refresh("AUTO", strategy, reason);
        return this;
    }

    CaseView refreshInFull(String reason)
    {
        return refresh("FULL_REFRESH", reason);
    }

    CaseView refreshNothing()
    {
        long before = backingSnapshot();
        refresh("INCREMENTAL", "NO_OP", null);
        assertThat(backingSnapshot()).describedAs("backing snapshot after a refresh of nothing").isEqualTo(before);
        return this;
    }

    private void refresh(String mode, String strategy, String reason)
    {
        queryRunner.execute(withMode(mode), "REFRESH MATERIALIZED VIEW " + name);
        RefreshRecord record = oracle.lastRefresh(name);
        String description = "refresh of %s: %s, %s %s".formatted(name, record.strategy(), record.reason(), record.reasonDetail());
        assertThat(record.strategy()).describedAs(description).hasValue(strategy);
        if (reason != null) {
            assertThat(record.reason()).describedAs(description).hasValue(reason);
        }
        queryRunner.execute(withMode("FULL"), "REFRESH MATERIALIZED VIEW " + twin);
        assertExact();
    }

    private void assertExact()
    {
        if (!deterministic) {
            return;
        }
        oracle.assertExact(name);
        oracle.assertExact(twin);
        RowBags.assertSameBag("rows of %s and its twin".formatted(name), stored(name), stored(twin));
    }

    /** The refresh fails, and what is stored stays as it is. */
    CaseView refreshFails(String message)
    {
        long before = backingSnapshot();
        for (String mode : new String[] {"AUTO", "FULL"}) {
            assertThatThrownBy(() -> queryRunner.execute(withMode(mode), "REFRESH MATERIALIZED VIEW " + name))
                    .describedAs("refresh of %s in mode %s", name, mode)
                    .hasMessageMatching("(?s).*" + message + ".*");
        }
        assertThat(backingSnapshot()).describedAs("backing snapshot after a failed refresh").isEqualTo(before);
        return this;
    }

    /** Both views hold these rows. */
    CaseView rows(@Language("SQL") String values)
    {
        MaterializedResult expected = queryRunner.execute("VALUES " + values);
        RowBags.assertSameBag("rows of " + name, stored(name), expected);
        RowBags.assertSameBag("rows of " + twin, stored(twin), expected);
        return this;
    }

    CaseView noRows()
    {
        assertThat(stored(name).getMaterializedRows()).describedAs("rows of " + name).isEmpty();
        assertThat(stored(twin).getMaterializedRows()).describedAs("rows of " + twin).isEmpty();
        return this;
    }

    CaseView fresh()
    {
        assertThat(AbstractCases.freshness(queryRunner, name)).describedAs("freshness of " + name).isEqualTo("FRESH");
        return this;
    }

    CaseView stale()
    {
        assertThat(AbstractCases.freshness(queryRunner, name)).describedAs("freshness of " + name).isEqualTo("STALE");
        return this;
    }

    /** Stale, or nobody can say. */
    CaseView notFresh()
    {
        assertThat(AbstractCases.freshness(queryRunner, name)).describedAs("freshness of " + name).isIn("STALE", "UNKNOWN");
        return this;
    }

    String name()
    {
        return name;
    }

    String twin()
    {
        return twin;
    }

    long backingSnapshot()
    {
        return oracle.view(new SchemaTableName(SCHEMA, name)).backingTable().currentSnapshot().snapshotId();
    }

    private MaterializedResult stored(String view)
    {
        return oracle.storedRows(new SchemaTableName(SCHEMA, view));
    }

    private Session withMode(String mode)
    {
        return Session.builder(queryRunner.getDefaultSession()).setCatalogSessionProperty(CATALOG, "refresh_mode", mode).build();
    }
}
