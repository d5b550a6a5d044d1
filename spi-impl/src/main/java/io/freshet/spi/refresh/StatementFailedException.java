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
package io.freshet.spi.refresh;

import io.trino.spi.ErrorCodeSupplier;
import io.trino.spi.TrinoException;

/** The server refused or failed the statement of a refresh. */
public final class StatementFailedException
        extends TrinoException
{
    private final int statementErrorCode;

    StatementFailedException(ErrorCodeSupplier code, String message, int statementErrorCode, Throwable cause)
    {
        super(code, message, cause);
        this.statementErrorCode = statementErrorCode;
    }

    /** Code of the error that the statement failed with. */
    public int statementErrorCode()
    {
        return statementErrorCode;
    }
}
