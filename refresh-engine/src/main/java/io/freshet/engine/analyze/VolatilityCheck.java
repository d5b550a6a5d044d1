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

import io.freshet.engine.Refusal;
import io.freshet.engine.RefusalCode;
import io.freshet.engine.Volatility;
import io.trino.sql.tree.CurrentCatalog;
import io.trino.sql.tree.CurrentDate;
import io.trino.sql.tree.CurrentPath;
import io.trino.sql.tree.CurrentSchema;
import io.trino.sql.tree.CurrentTime;
import io.trino.sql.tree.CurrentTimestamp;
import io.trino.sql.tree.CurrentUser;
import io.trino.sql.tree.FunctionCall;
import io.trino.sql.tree.LocalTime;
import io.trino.sql.tree.LocalTimestamp;
import io.trino.sql.tree.MethodCall;
import io.trino.sql.tree.Node;
import io.trino.sql.tree.Query;
import io.trino.sql.tree.SampledRelation;
import io.trino.sql.tree.StaticMethodCall;
import io.trino.sql.tree.TableFunctionInvocation;

import java.util.Optional;

import static io.freshet.engine.analyze.RefusedException.refusal;

/**
 * Finds what makes the result of a query depend on more than rows. The first place in the query's text order is reported.
 */
final class VolatilityCheck
{
    private VolatilityCheck() {}

    static Volatility check(Query query)
    {
        return find(query)
                .<Volatility>map(Volatility.Volatile::new)
                .orElseGet(Volatility.Stable::new);
    }

    private static Optional<Refusal> find(Node node)
    {
        Optional<Refusal> own = own(node);
        if (own.isPresent()) {
            return own;
        }
        for (Node child : node.getChildren()) {
            Optional<Refusal> found = find(child);
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    private static Optional<Refusal> own(Node node)
    {
        return switch (node) {
            case FunctionCall call -> Functions.volatility(call.getName())
                    .map(code -> refusal(code, call, call.getName().toString(), FunctionCalls.explain(code)));
            case CurrentDate _, CurrentTime _, CurrentTimestamp _, LocalTime _, LocalTimestamp _ ->
                Optional.of(refusal(RefusalCode.TIME_DEPENDENT_FUNCTION, node, node.toString(), FunctionCalls.explain(RefusalCode.TIME_DEPENDENT_FUNCTION)));
            case CurrentUser _, CurrentCatalog _, CurrentSchema _, CurrentPath _ ->
                Optional.of(refusal(RefusalCode.SESSION_DEPENDENT_FUNCTION, node, node.toString(), FunctionCalls.explain(RefusalCode.SESSION_DEPENDENT_FUNCTION)));
            case MethodCall _, StaticMethodCall _ ->
                Optional.of(refusal(RefusalCode.UNKNOWN_FUNCTION, node, "method call", FunctionCalls.explain(RefusalCode.UNKNOWN_FUNCTION)));
            case SampledRelation _ ->
                Optional.of(refusal(RefusalCode.NONDETERMINISTIC_FUNCTION, node, "TABLESAMPLE", "gives other rows at each call"));
            case TableFunctionInvocation function ->
                Optional.of(refusal(RefusalCode.TABLE_FUNCTION, function, "table function " + function.getName(), "is not known to be deterministic"));
            case Query query when !query.getFunctions().isEmpty() ->
                Optional.of(refusal(RefusalCode.UNKNOWN_FUNCTION, query.getFunctions().getFirst(), "inline function", "is not known to be deterministic"));
            default -> Optional.empty();
        };
    }
}
