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
package io.freshet.engine.analyze;

import io.freshet.engine.RefusalCode;
import io.freshet.engine.algebra.AggregateFunction;
import io.trino.sql.tree.QualifiedName;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

final class TestFunctions
{
    @Test
    void testLists()
    {
        assertThat(Functions.knownNames())
                .contains("lower", "date_trunc", "transform", "greatest", "json_extract", "array_agg", "approx_distinct", "row_number")
                .doesNotContain("now", "random", "rand", "uuid", "shuffle", "current_date", "current_groups", "version")
                .allMatch(name -> name.matches("[a-z][a-z0-9_]*"));
    }

    @Test
    void testVolatility()
    {
        assertThat(Functions.volatility(QualifiedName.of("LOWER"))).isEmpty();
        assertThat(Functions.volatility(QualifiedName.of("Now"))).hasValue(RefusalCode.TIME_DEPENDENT_FUNCTION);
        assertThat(Functions.volatility(QualifiedName.of("rand"))).hasValue(RefusalCode.NONDETERMINISTIC_FUNCTION);
        assertThat(Functions.volatility(QualifiedName.of("current_groups"))).hasValue(RefusalCode.SESSION_DEPENDENT_FUNCTION);
        assertThat(Functions.volatility(QualifiedName.of("nobody_knows"))).hasValue(RefusalCode.UNKNOWN_FUNCTION);
        assertThat(Functions.volatility(QualifiedName.of("system", "builtin", "lower"))).hasValue(RefusalCode.UNKNOWN_FUNCTION);
    }

    @Test
    void testMergeableAggregatesAreKnown()
    {
        List<String> names = List.of("count", "count_if", "sum", "avg", "min", "max", "bool_and", "every", "bool_or");
        assertThat(Functions.knownNames()).containsAll(names);
        assertThat(names).allMatch(name -> Functions.mergeable(name).isPresent());
        assertThat(Functions.mergeable("every")).hasValue(AggregateFunction.BOOL_AND);
        assertThat(Functions.mergeable("array_agg")).isEmpty();
    }
}
