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
package io.freshet.spi;

import io.trino.spi.ErrorCode;
import io.trino.spi.ErrorCodeSupplier;
import io.trino.spi.ErrorType;

import static io.trino.spi.ErrorType.EXTERNAL;
import static io.trino.spi.ErrorType.INSUFFICIENT_RESOURCES;
import static io.trino.spi.ErrorType.USER_ERROR;

/**
 * Errors that users meet. The type is part of the contract: with {@code retry-policy=QUERY} the engine repeats a failed
 * REFRESH unless it is a {@code USER_ERROR}, so everything that a repetition cannot mend is one.
 */
public enum FreshetErrorCode
        implements ErrorCodeSupplier
{
    /** DML or DDL on a backing table, or an attempt to read it by name. */
    MATERIALIZED_VIEW_NOT_WRITABLE(1, USER_ERROR),
    /** Mode INCREMENTAL was asked for, and the view or the change of its sources does not allow it. */
    MATERIALIZED_VIEW_NOT_INCREMENTAL(2, USER_ERROR),
    /** A source changed its columns so that the definition does not compile any more. */
    MATERIALIZED_VIEW_SCHEMA_CHANGED(3, USER_ERROR),
    /** Other objects depend on the one to be dropped or altered. */
    MATERIALIZED_VIEW_HAS_DEPENDENTS(4, USER_ERROR),
    /** The stored content differs from a recompute. */
    MATERIALIZED_VIEW_DIVERGED(5, EXTERNAL),
    /** Another refresh committed in between; nothing was written. */
    REFRESH_CONFLICT(6, USER_ERROR),
    /** The statement of the refresh failed; its own message is passed on. */
    REFRESH_FAILED(7, USER_ERROR),
    /** The statement of the refresh waited too long for its turn in the resource group. */
    REFRESH_QUEUED_TOO_LONG(8, INSUFFICIENT_RESOURCES),
    /** The refresh was cancelled. */
    REFRESH_CANCELLED(9, USER_ERROR),
    /** The coordinator does not let the connector run statements on it. */
    REFRESH_NOT_PERMITTED(10, USER_ERROR),
    /** It cannot be known yet whether the commit of a refresh happened; the next refresh finds out. */
    REFRESH_OUTCOME_UNKNOWN(11, EXTERNAL),
    /** The stored definition was written by a later version, or is damaged. */
    MATERIALIZED_VIEW_INVALID_DEFINITION(12, EXTERNAL),
    /** There is nothing that the stored content could be compared with. */
    MATERIALIZED_VIEW_NOT_VERIFIABLE(13, USER_ERROR);

    // "mv" in hexadecimal ASCII, so as not to meet the codes of other connectors
    private static final int BASE = 0x6D76_0000;

    private final ErrorCode errorCode;

    FreshetErrorCode(int code, ErrorType type)
    {
        errorCode = new ErrorCode(BASE + code, name(), type);
    }

    @Override
    public ErrorCode toErrorCode()
    {
        return errorCode;
    }
}
