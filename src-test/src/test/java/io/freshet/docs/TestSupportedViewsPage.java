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
package io.freshet.docs;

import io.freshet.FreshetQueryRunner;
import io.freshet.ViewOracle;
import io.freshet.spi.refresh.RefreshRecord;
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.QueryRunner;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNullElse;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.TestInstance.Lifecycle.PER_CLASS;

/** What docs/supported-views.md says of each view is what happens. */
@TestInstance(PER_CLASS)
final class TestSupportedViewsPage
        extends AbstractTestQueryFramework
{
    private static final Path PAGE = Path.of("../docs/supported-views.md");
    private static final Pattern STATEMENTS = Pattern.compile("```sql\n(.*?)```", Pattern.DOTALL);
    private static final Pattern ROW = Pattern.compile("\\| `(?<sql>[^`]+)` \\| (?<added>[A-Z_]+) \\|(?: (?<removed>[A-Z_]+) \\|)?.*");
    private static final List<String> INCREMENTAL = List.of("APPEND_ONLY", "ROW_DELTA", "AGGREGATE_MERGE", "GROUP_RECOMPUTE");

    private String page;
    private ViewOracle oracle;

    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return FreshetQueryRunner.builder().build();
    }

    @BeforeAll
    void createTables()
            throws IOException
    {
        page = Files.readString(PAGE);
        oracle = new ViewOracle(getQueryRunner());
        Matcher statements = STATEMENTS.matcher(page);
        assertThat(statements.find()).isTrue();
        for (String statement : statements.group(1).split(";")) {
            if (!statement.isBlank()) {
                getQueryRunner().execute(statement);
            }
        }
        addRows();
    }

    private void addRows()
    {
        getQueryRunner().execute("INSERT INTO sales VALUES " +
                "(1, 'north', 'a', 12.50, 1.5, 3, TIMESTAMP '2026-01-05 10:00:00', TIMESTAMP '2026-01-06 10:00:00 UTC', ARRAY['x', 'y']), " +
                "(2, 'south', 'b', 200.00, 9.5, 5, TIMESTAMP '2026-02-05 10:00:00', TIMESTAMP '2026-02-06 10:00:00 UTC', ARRAY['x']), " +
                "(3, NULL, 'a', NULL, NULL, NULL, NULL, NULL, ARRAY[NULL])");
        getQueryRunner().execute("INSERT INTO returns VALUES (1, 'north', 1.00), (9, NULL, 2.00)");
    }

    private void removeRows()
    {
        getQueryRunner().execute("DELETE FROM sales WHERE id = 2");
        getQueryRunner().execute("UPDATE sales SET region = 'west' WHERE id = 1");
        getQueryRunner().execute("DELETE FROM returns WHERE id = 9");
    }

    /**
     * @param removed without a column of its own: the same
     */
    private record Example(String sql, String added, String removed) {}

    private List<Example> examples()
    {
        List<Example> examples = new ArrayList<>();
        page.lines()
                .map(ROW::matcher)
                .filter(Matcher::matches)
                .forEach(row -> examples.add(new Example(row.group("sql"), row.group("added"), requireNonNullElse(row.group("removed"), row.group("added")))));
        return examples;
    }

    @Test
    void testEveryExample()
    {
        List<Example> examples = examples();
        assertThat(examples).describedAs("the page lost its examples").hasSizeGreaterThan(40);
        for (int i = 0; i < examples.size(); i++) {
            getQueryRunner().execute("CREATE MATERIALIZED VIEW example_%s AS %s".formatted(i, examples.get(i).sql()));
        }
        addRows();
        assertOutcomes(examples, Example::added);
        removeRows();
        assertOutcomes(examples, Example::removed);
    }

    private void assertOutcomes(List<Example> examples, Function<Example, String> expected)
    {
        List<String> differences = new ArrayList<>();
        for (int i = 0; i < examples.size(); i++) {
            Example example = examples.get(i);
            String view = "example_" + i;
            getQueryRunner().execute("REFRESH MATERIALIZED VIEW " + view);
            RefreshRecord refresh = oracle.lastRefresh(view);
            String outcome = refresh.strategy().orElseThrow().equals("FULL_REFRESH") ? refresh.reason().orElseThrow() : refresh.strategy().orElseThrow();
            if (!outcome.equals(expected.apply(example))) {
                differences.add("%s: page says %s, outcome is %s (%s)".formatted(example.sql(), expected.apply(example), outcome, refresh.reasonDetail().orElse("")));
            }
            if (INCREMENTAL.contains(outcome)) {
                oracle.assertExact(view);
            }
        }
        assertThat(differences).isEmpty();
    }

    @Test
    void testStrategiesAreNamed()
    {
        assertThat(examples().stream().flatMap(example -> Stream.of(example.added(), example.removed())).distinct().collect(toImmutableList())).containsAll(INCREMENTAL);
    }
}
