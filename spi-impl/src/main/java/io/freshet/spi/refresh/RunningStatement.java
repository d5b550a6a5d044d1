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

import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Supplier;

import static java.util.Objects.requireNonNull;

/**
 * A statement on this cluster that has been sent.
 *
 * @param cancel to be called at any time, also after its end
 * @param progress how far it is; empty until the server has said so for the first time
 */
public record RunningStatement(Runnable cancel, Supplier<Optional<Progress>> progress)
{
    public RunningStatement
    {
        requireNonNull(cancel, "cancel is null");
        requireNonNull(progress, "progress is null");
    }

    /**
     * @param percent 0 to 100, of the work that the server knows of; empty if it does not know
     * @param rows read from all sources
     * @param bytes read from storage
     */
    public record Progress(String queryId, OptionalDouble percent, long rows, long bytes)
    {
        public Progress
        {
            requireNonNull(queryId, "queryId is null");
            requireNonNull(percent, "percent is null");
        }
    }
}
