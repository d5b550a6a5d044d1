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

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.freshet.FreshetQueryRunner;
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.MaterializedRow;
import io.trino.testing.QueryRunner;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.Set;
import java.util.function.Predicate;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static com.google.common.io.Resources.getResource;
import static com.google.common.io.Resources.readLines;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

/** The lists of functions by which views are judged agree with what the engine says of its functions. */
final class TestFunctionLists
        extends AbstractTestQueryFramework
{
    /**
     * The engine calls these deterministic, as they do not change within a query. From one refresh to the next they do.
     */
    private static final Set<String> CONSTANT_WITHIN_A_QUERY = ImmutableSet.of("now", "version", "current_groups");

    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return FreshetQueryRunner.builder().setWorkerCount(0).build();
    }

    @Test
    void testDeterministicFunctions()
    {
        Set<String> listed = list("deterministic-functions.txt");
        Set<String> nondeterministic = functions(row -> row.getField(3).equals("scalar") && !(boolean) row.getField(4));
        Set<String> scalar = functions(row -> row.getField(3).equals("scalar"));
        assertThat(Sets.intersection(listed, nondeterministic)).describedAs("listed, but not deterministic").isEmpty();
        assertThat(Sets.intersection(listed, CONSTANT_WITHIN_A_QUERY)).describedAs("listed, but another in each query").isEmpty();
        assertThat(Sets.difference(scalar, Sets.union(Sets.union(listed, nondeterministic), CONSTANT_WITHIN_A_QUERY))).describedAs("not listed").isEmpty();
    }

    @Test
    void testAggregateFunctions()
    {
        assertThat(list("aggregate-functions.txt")).containsAll(functions(row -> row.getField(3).equals("aggregate")));
    }

    @Test
    void testWindowFunctions()
    {
        assertThat(list("window-functions.txt")).containsAll(functions(row -> row.getField(3).equals("window")));
    }

    private Set<String> functions(Predicate<MaterializedRow> filter)
    {
        return computeActual("SHOW FUNCTIONS FROM system.builtin").getMaterializedRows().stream()
                .filter(filter)
                .map(row -> (String) row.getField(0))
                .collect(toImmutableSet());
    }

    private static Set<String> list(String name)
    {
        URL resource = getResource("io/freshet/engine/" + name);
        try {
            return readLines(resource, UTF_8).stream()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .collect(toImmutableSet());
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
