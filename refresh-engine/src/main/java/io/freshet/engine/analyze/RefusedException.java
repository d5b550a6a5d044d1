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
import io.trino.sql.tree.Node;
import io.trino.sql.tree.NodeLocation;

import java.util.Optional;

import static java.util.Objects.requireNonNull;

/**
 * Ends the descent into a query when something is found that is not maintained. It never leaves this package: {@link ViewAnalyzer}
 * turns it into a value.
 */
final class RefusedException
        extends RuntimeException
{
    private final transient Refusal refusal;

    RefusedException(Refusal refusal)
    {
        super(refusal.message(), null, false, false);
        this.refusal = requireNonNull(refusal, "refusal is null");
    }

    /** A refusal {@code <what> at <line>:<column> <why>}. */
    static RefusedException refused(RefusalCode code, Node node, String what, String why)
    {
        return new RefusedException(refusal(code, node, what, why));
    }

    static Refusal refusal(RefusalCode code, Node node, String what, String why)
    {
        Optional<NodeLocation> location = locate(node);
        String place = location.map(found -> " at " + found).orElse("");
        return new Refusal(
                code,
                what + place + " " + why,
                location.map(NodeLocation::getLineNumber).orElse(0),
                location.map(NodeLocation::getColumnNumber).orElse(0));
    }

    private static Optional<NodeLocation> locate(Node node)
    {
        if (node.getLocation().isPresent()) {
            return node.getLocation();
        }
        for (Node child : node.getChildren()) {
            Optional<NodeLocation> location = locate(child);
            if (location.isPresent()) {
                return location;
            }
        }
        return Optional.empty();
    }

    Refusal refusal()
    {
        return refusal;
    }
}
