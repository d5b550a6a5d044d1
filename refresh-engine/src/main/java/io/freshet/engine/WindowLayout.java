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

import com.google.common.collect.ImmutableList;
import io.freshet.engine.algebra.WindowBlock;
import io.freshet.engine.render.Fingerprint;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import static io.trino.sql.ExpressionFormatter.formatExpression;

/**
 * Where the keys of window functions are kept, by which touched rows are found.
 */
final class WindowLayout
{
    private WindowLayout() {}

    static LayoutOutcome of(WindowBlock block, List<String> columnNames, List<String> keyTypes)
    {
        ImmutableList.Builder<StateLayout.Key> keys = ImmutableList.builder();
        int hidden = 0;
        for (int i = 0; i < block.keys().size(); i++) {
            String type = keyTypes.get(i);
            if (!StorageTypes.isFaithful(type) || StorageTypes.isStructural(type)) {
                return new LayoutOutcome.NotLaid(new Refusal(
                        RefusalCode.UNSUPPORTED_KEY_TYPE,
                        "partition key " + (i + 1) + " is of type " + type + ", by which rows cannot be looked up",
                        0,
                        0));
            }
            Optional<Integer> output = output(block, i);
            if (output.isEmpty()) {
                hidden++;
            }
            keys.add(new StateLayout.Key(
                    output.isPresent() ? columnNames.get(output.get()) : StateLayout.HIDDEN_PREFIX + "k" + hidden,
                    output.isEmpty(),
                    formatExpression(block.keys().get(i)),
                    type,
                    StorageTypes.storageType(type)));
        }
        return new LayoutOutcome.Laid(new StateLayout(
                StateLayout.CURRENT_VERSION,
                Fingerprint.of(block),
                keys.build(),
                ImmutableList.of(),
                ImmutableList.of(),
                Optional.empty()));
    }

    private static Optional<Integer> output(WindowBlock block, int key)
    {
        return IntStream.range(0, block.outputs().size())
                .filter(i -> block.outputs().get(i).expression().equals(block.keys().get(key)))
                .boxed()
                .findFirst();
    }
}
