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

import java.util.HashMap;
import java.util.Map;

import static io.freshet.spi.catalog.BackingTables.DEFINITION_PROPERTY;
import static io.trino.spi.StandardErrorCode.TRANSACTION_CONFLICT;

/**
 * Compare-and-set of the definition: the new one is stored only if the old one is still there. The rows are untouched, and
 * a refresh that commits in between does no harm, as it does not touch the definition.
 */
final class DefinitionUpdate
{
    private static final int ATTEMPTS = 5;

    private DefinitionUpdate() {}

    static void commit(BaseTable table, String expected, String replacement, Map<String, String> otherProperties)
    {
        TableOperations operations = table.operations();
        for (int attempt = 1; ; attempt++) {
            TableMetadata base = operations.refresh();
            if (!expected.equals(base.properties().get(DEFINITION_PROPERTY))) {
                throw new TrinoException(TRANSACTION_CONFLICT, "The definition of the materialized view was changed at the same time. Try again");
            }
            Map<String, String> properties = new HashMap<>(base.properties());
            properties.put(DEFINITION_PROPERTY, replacement);
            properties.putAll(otherProperties);
            try {
                operations.commit(base, base.replaceProperties(properties));
                return;
            }
            catch (org.apache.iceberg.exceptions.CommitFailedException e) {
                if (attempt == ATTEMPTS) {
                    throw new TrinoException(TRANSACTION_CONFLICT, "The materialized view was changed at the same time. Try again", e);
                }
            }
        }
    }
}
