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
package io.freshet.engine.plan;

import io.trino.sql.parser.SqlParser;
import io.trino.sql.tree.AliasedRelation;
import io.trino.sql.tree.FunctionCall;
import io.trino.sql.tree.GroupBy;
import io.trino.sql.tree.Join;
import io.trino.sql.tree.Node;
import io.trino.sql.tree.QuerySpecification;
import io.trino.sql.tree.SubqueryExpression;
import io.trino.sql.tree.Table;
import io.trino.sql.tree.TableFunctionInvocation;
import io.trino.sql.tree.Unnest;

import java.util.Optional;

/**
 * How large a statement is for the engine, which runs a scan for each mention of a table, and refuses statements of more than 150 stages.
 *
 * @param scans mentions of tables and of their deltas
 * @param stages upper bound of the stages that the engine plans
 */
record ProgramSize(int scans, int stages)
{
    private static final int MAX_SCANS = 80;
    private static final int MAX_STAGES = 100;
    /** A shorter text does not hold so many scans. */
    private static final int SHORT_TEXT = 5_000;

    static Optional<PlanReason> excess(String sql)
    {
        if (sql.length() < SHORT_TEXT) {
            return Optional.empty();
        }
        ProgramSize size = of(sql);
        if (size.scans() <= MAX_SCANS && size.stages() <= MAX_STAGES) {
            return Optional.empty();
        }
        return Optional.of(PlanReason.of(
                PlanReasonCode.PROGRAM_TOO_LARGE,
                "the delta takes a statement of %s scans and about %s stages".formatted(size.scans(), size.stages())));
    }

    static ProgramSize of(String sql)
    {
        int[] counts = new int[2];
        count(new SqlParser().createStatement(sql), counts);
        // that of the result, and that which writes
        return new ProgramSize(counts[0], counts[1] + 2);
    }

    private static void count(Node node, int[] counts)
    {
        switch (node) {
            case Table _, TableFunctionInvocation _ -> {
                counts[0]++;
                counts[1]++;
            }
            case Join join when !isUnnest(join) -> counts[1]++;
            case GroupBy _, SubqueryExpression _ -> counts[1]++;
            case QuerySpecification query when query.getSelect().isDistinct() -> counts[1]++;
            case FunctionCall call when call.getWindow().isPresent() -> counts[1]++;
            default -> {}
        }
        if (!(node instanceof TableFunctionInvocation)) {
            node.getChildren().forEach(child -> count(child, counts));
        }
    }

    private static boolean isUnnest(Join join)
    {
        return join.getRight() instanceof Unnest || join.getRight() instanceof AliasedRelation aliased && aliased.getRelation() instanceof Unnest;
    }
}
