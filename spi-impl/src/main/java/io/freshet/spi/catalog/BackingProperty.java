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
package io.freshet.spi.catalog;

import io.trino.spi.TrinoException;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.exceptions.CommitFailedException;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

import static io.trino.spi.StandardErrorCode.TRANSACTION_CONFLICT;

/**
 * One property of a backing table that is on its own: what others do to other properties, to the definition or to the rows at
 * the same time is neither lost nor in the way.
 */
final class BackingProperty
{
    private static final int ATTEMPTS = 10;

    private BackingProperty() {}

    /**
     * Compare-and-set.
     *
     * @param expected value; empty: there is none
     * @param replacement value; empty: the property is removed
     * @return false if the property has neither value: somebody else changed it
     */
    static boolean update(BaseTable table, String key, Optional<String> expected, Optional<String> replacement)
    {
        TableOperations operations = table.operations();
        for (int attempt = 1; ; attempt++) {
            TableMetadata base = operations.refresh();
            Optional<String> current = Optional.ofNullable(base.properties().get(key));
            if (current.equals(replacement)) {
                return true;
            }
            if (!current.equals(expected)) {
                return false;
            }
            Map<String, String> properties = new HashMap<>(base.properties());
            properties.remove(key);
            replacement.ifPresent(value -> properties.put(key, value));
            try {
                operations.commit(base, base.replaceProperties(properties));
                return true;
            }
            catch (CommitFailedException e) {
                if (attempt == ATTEMPTS) {
                    throw new TrinoException(TRANSACTION_CONFLICT, "The materialized view was changed at the same time. Try again", e);
                }
            }
        }
    }
}
