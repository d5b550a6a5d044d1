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
package io.freshet.engine.mini;

import io.trino.sql.tree.Query;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * The rows of the queries around the one that is being evaluated, innermost first. Belongs to a thread, as evaluation does.
 */
final class Scopes
{
    private static final ThreadLocal<Scopes> CURRENT = ThreadLocal.withInitial(Scopes::new);

    private record Scope(List<Rows.Column> columns, List<Object> row) {}

    private final Deque<Scope> scopes = new ArrayDeque<>();
    private MiniEngine engine;

    private Scopes() {}

    static void use(MiniEngine engine)
    {
        CURRENT.get().engine = engine;
    }

    /** The result of a subquery that may refer to that row. */
    static List<List<Object>> subquery(Query query, List<Rows.Column> columns, List<Object> row)
    {
        Scopes current = CURRENT.get();
        current.scopes.push(new Scope(columns, row));
        try {
            return current.engine.query(query).rows();
        }
        finally {
            current.scopes.pop();
        }
    }

    /** A column of the nearest query around that has it. */
    static Object column(List<String> parts)
    {
        for (Scope scope : CURRENT.get().scopes) {
            int index = Evaluator.find(scope.columns(), parts);
            if (index >= 0) {
                return scope.row().get(index);
            }
        }
        throw new IllegalStateException("no column matches " + parts);
    }
}
