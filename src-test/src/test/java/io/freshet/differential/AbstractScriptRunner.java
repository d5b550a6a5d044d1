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
package io.freshet.differential;

import com.google.common.collect.Lists;
import com.google.common.collect.Multiset;
import com.google.common.collect.TreeMultiset;
import io.freshet.RowBags;
import io.freshet.ViewOracle;
import io.trino.Session;
import io.trino.testing.MaterializedResult;
import io.trino.testing.QueryRunner;
import org.intellij.lang.annotations.Language;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Pattern;

import static io.freshet.FreshetQueryRunner.CATALOG;
import static io.freshet.differential.RandomValues.pick;

/**
 * Runs one script on tables of its own, and notes the statements.
 */
abstract class AbstractScriptRunner
{
    /** The definition does not fit its sources any more, and the refresh says so. */
    private static final Pattern SCHEMA_CHANGED = Pattern.compile("the columns of its sources have changed|cannot be resolved|cannot be coerced|is stale|invalid state", Pattern.CASE_INSENSITIVE);

    private final QueryRunner queryRunner;
    private final ViewOracle oracle;
    private final Script script;
    private final String name;
    private final Map<String, String> views = new LinkedHashMap<>();
    private final List<String> statements = new ArrayList<>();
    private final Multiset<String> outcomes = TreeMultiset.create();

    /** @param name prefix of the names of tables and views, used by no other runner of the server */
    AbstractScriptRunner(QueryRunner queryRunner, ViewOracle oracle, Script script, String name)
    {
        this.queryRunner = queryRunner;
        this.oracle = oracle;
        this.script = script;
        this.name = name;
    }

    abstract List<String> tables();

    abstract void createTables();

    /** @param views those that were created before, from the first on, and their queries */
    abstract String query(Random random, Map<String, String> views);

    /** The statement of a change, if there is any to make. */
    abstract Optional<String> sql(Change.Kind kind, Random random);

    /** What was executed, as a script for the command line. */
    List<String> statements()
    {
        return statements;
    }

    /** How often each strategy and reason came up. */
    Multiset<String> outcomes()
    {
        return outcomes;
    }

    final Script script()
    {
        return script;
    }

    final QueryRunner queryRunner()
    {
        return queryRunner;
    }

    /** The first difference, if any. */
    Optional<String> run()
    {
        try {
            createTables();
            for (int i = 0; i < script.viewSeeds().size(); i++) {
                Optional<String> failure = createView(i, script.viewSeeds().get(i));
                if (failure.isPresent()) {
                    return failure;
                }
            }
            for (Change change : script.changes()) {
                Optional<String> failure = apply(change);
                if (failure.isPresent()) {
                    return failure;
                }
            }
            return Optional.empty();
        }
        finally {
            Lists.reverse(List.copyOf(views.keySet())).forEach(view -> attempt("DROP MATERIALIZED VIEW IF EXISTS " + view));
            tables().forEach(table -> attempt("DROP TABLE IF EXISTS " + table));
        }
    }

    private Optional<String> createView(int index, long seed)
    {
        Random random = new Random(seed);
        String view = name + "_v" + index;
        String query = query(random, views);
        String properties = pick(random, List.of("", "", "", "WITH (build = 'DEFERRED') ", "WITH (format_version = 2) ", "WITH (format = 'ORC') "));
        Optional<RuntimeException> failure = attempt("CREATE MATERIALIZED VIEW %s GRACE PERIOD INTERVAL '0' SECOND %sAS %s".formatted(view, properties, query));
        if (failure.isEmpty()) {
            views.put(view, query);
            return Optional.empty();
        }
        // a query that fails, or a type that Iceberg does not have
        return attempt(query).isPresent() || failure.get().getMessage().contains("Type not supported") ? Optional.empty() : Optional.of("creation of %s failed: %s".formatted(view, failure.get().getMessage()));
    }

    private Optional<String> apply(Change change)
    {
        Random random = new Random(change.seed());
        return switch (change.kind()) {
            case REFRESH -> views.keySet().stream()
                    .flatMap(view -> refresh(random, view).stream())
                    .findFirst();
            case READ -> views.isEmpty() ? Optional.empty() : read(pick(random, List.copyOf(views.keySet())));
            default -> {
                sql(change.kind(), random)
                        .flatMap(this::attempt)
                        .ifPresent(_ -> outcomes.add("failed " + change.kind()));
                yield Optional.empty();
            }
        };
    }

    private Optional<String> refresh(Random random, String view)
    {
        String mode = pick(random, List.of("AUTO", "AUTO", "AUTO", "AUTO", "AUTO", "AUTO", "INCREMENTAL", "INCREMENTAL", "INCREMENTAL", "FULL"));
        Session session = Session.builder(queryRunner.getDefaultSession()).setCatalogSessionProperty(CATALOG, "refresh_mode", mode).build();
        statements.add("SET SESSION lake.refresh_mode = '%s'".formatted(mode));
        Optional<RuntimeException> failure = attempt(session, "REFRESH MATERIALIZED VIEW " + view);
        if (failure.isPresent()) {
            String message = failure.get().getMessage();
            boolean refused = mode.equals("INCREMENTAL") && message.contains("cannot be refreshed incrementally");
            if (refused || SCHEMA_CHANGED.matcher(message).find() || attempt(views.get(view)).isPresent()) {
                outcomes.add(refused ? "refused" : "failed as its query does");
                return Optional.empty();
            }
            return Optional.of("refresh of %s failed, its query does not: %s".formatted(view, message));
        }
        String strategy = oracle.lastRefresh(view).strategy().orElse("");
        String outcome = strategy + " " + oracle.lastRefresh(view).reason().orElse("");
        outcomes.add(outcome);
        statements.add("-- " + outcome);
        try {
            oracle.assertExact(view);
        }
        catch (AssertionError e) {
            return Optional.of("after a refresh of %s by %s: %s".formatted(view, strategy, e.getMessage()));
        }
        return Optional.empty();
    }

    private Optional<String> read(String view)
    {
        MaterializedResult expected;
        try {
            expected = queryRunner.execute(views.get(view));
        }
        catch (RuntimeException e) {
            return Optional.empty();
        }
        try {
            RowBags.assertSameBag("rows of " + view, queryRunner.execute("SELECT * FROM " + view), expected);
            return Optional.empty();
        }
        catch (AssertionError e) {
            return Optional.of("a reader of %s gets other rows than its query gives now: %s".formatted(view, e.getMessage()));
        }
        catch (RuntimeException e) {
            return SCHEMA_CHANGED.matcher(e.getMessage()).find() ? Optional.empty() : Optional.of("a reader of %s gets an error, its query gives none: %s".formatted(view, e.getMessage()));
        }
    }

    final Optional<RuntimeException> attempt(@Language("SQL") String sql)
    {
        return attempt(queryRunner.getDefaultSession(), sql);
    }

    private Optional<RuntimeException> attempt(Session session, @Language("SQL") String sql)
    {
        statements.add(sql);
        try {
            queryRunner.execute(session, sql);
            return Optional.empty();
        }
        catch (RuntimeException e) {
            statements.add("-- failed: " + String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
            return Optional.of(e);
        }
    }

    final void execute(@Language("SQL") String sql)
    {
        statements.add(sql);
        queryRunner.execute(sql);
    }
}
