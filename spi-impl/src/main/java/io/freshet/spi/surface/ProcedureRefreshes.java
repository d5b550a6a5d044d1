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
package io.freshet.spi.surface;

import io.freshet.spi.refresh.RefreshRecord;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.SchemaTableName;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

import static com.google.common.base.Throwables.throwIfUnchecked;
import static io.freshet.spi.FreshetErrorCode.REFRESH_CANCELLED;
import static io.freshet.spi.FreshetErrorCode.REFRESH_FAILED;

/** Refreshes that procedures wait for. */
final class ProcedureRefreshes
{
    private ProcedureRefreshes() {}

    /** Fails as the refresh does. */
    static void await(String catalogName, SchemaTableName name, CompletableFuture<RefreshRecord> refresh)
    {
        try {
            refresh.get();
        }
        catch (InterruptedException e) {
            refresh.cancel(false);
            Thread.currentThread().interrupt();
            throw cancelled(catalogName, name, e);
        }
        catch (CancellationException e) {
            throw cancelled(catalogName, name, e);
        }
        catch (ExecutionException e) {
            throwIfUnchecked(e.getCause());
            throw new TrinoException(REFRESH_FAILED, "Refresh of materialized view '%s.%s' failed: %s".formatted(catalogName, name, e.getCause().getMessage()), e.getCause());
        }
    }

    private static TrinoException cancelled(String catalogName, SchemaTableName name, Exception cause)
    {
        return new TrinoException(REFRESH_CANCELLED, "Refresh of materialized view '%s.%s' was cancelled".formatted(catalogName, name), cause);
    }
}
