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
package io.freshet.engine.schedule;

import com.google.common.hash.Hashing;
import io.freshet.engine.RelationName;

import static java.nio.charset.StandardCharsets.UTF_8;

/** Spreads what would begin at the same moment. The same view is always moved by the same part of the range. */
final class Jitter
{
    private Jitter() {}

    /** At least 0 and less than the range, unless that is 0. */
    static long millis(RelationName view, long rangeMillis)
    {
        if (rangeMillis <= 0) {
            return 0;
        }
        long hash = Hashing.murmur3_128().hashString(view.toSql(), UTF_8).asLong();
        return Math.floorMod(hash, rangeMillis);
    }
}
