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

import io.airlift.slice.Slice;
import io.trino.spi.connector.ConnectorAccessControl;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.function.table.Argument;
import io.trino.spi.function.table.ArgumentSpecification;
import io.trino.spi.function.table.ConnectorTableFunction;
import io.trino.spi.function.table.ReturnTypeSpecification;
import io.trino.spi.function.table.ScalarArgument;
import io.trino.spi.function.table.TableFunctionAnalysis;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import static io.freshet.spi.catalog.BackingTables.isBackingName;
import static io.freshet.spi.catalog.BackingTables.notWritable;
import static java.util.Objects.requireNonNull;

/**
 * Refuses backing tables as argument. The catalog does so too, except in a statement that also uses the view.
 */
public final class GuardedTableFunction
        implements ConnectorTableFunction
{
    private static final String SCHEMA_ARGUMENT = "SCHEMA_NAME";
    private static final String TABLE_ARGUMENT = "TABLE_NAME";

    private final ConnectorTableFunction delegate;
    private final String catalogName;

    public GuardedTableFunction(ConnectorTableFunction delegate, String catalogName)
    {
        this.delegate = requireNonNull(delegate, "delegate is null");
        this.catalogName = requireNonNull(catalogName, "catalogName is null");
    }

    @Override
    public String getSchema()
    {
        return delegate.getSchema();
    }

    @Override
    public String getName()
    {
        return delegate.getName();
    }

    @Override
    public String getDescription()
    {
        return delegate.getDescription();
    }

    @Override
    public List<ArgumentSpecification> getArguments()
    {
        return delegate.getArguments();
    }

    @Override
    public ReturnTypeSpecification getReturnTypeSpecification()
    {
        return delegate.getReturnTypeSpecification();
    }

    @Override
    public TableFunctionAnalysis analyze(ConnectorSession session, ConnectorTransactionHandle transaction, Map<String, Argument> arguments, ConnectorAccessControl accessControl)
    {
        Optional<String> table = text(arguments.get(TABLE_ARGUMENT));
        if (table.isPresent() && isBackingName(table.get())) {
            throw notWritable(catalogName, new SchemaTableName(text(arguments.get(SCHEMA_ARGUMENT)).orElse(""), table.get()));
        }
        return delegate.analyze(session, transaction, arguments, accessControl);
    }

    private static Optional<String> text(Argument argument)
    {
        return argument instanceof ScalarArgument scalar && scalar.getValue() instanceof Slice value ? Optional.of(value.toStringUtf8()) : Optional.empty();
    }
}
