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
package io.freshet.differential;

import java.util.List;
import java.util.Random;

/**
 * One step of a script. What it does exactly follows from its seed and from the state that it finds, so that a script stays
 * runnable when other steps are taken out of it.
 */
record Change(Kind kind, long seed)
{
    enum Kind
    {
        INSERT(40),
        INSERT_COPIES(6),
        /** Rows of an earlier state once more. */
        RESTORE(6),
        DELETE(24),
        UPDATE(18),
        MERGE(12),
        TRUNCATE(1),
        OPTIMIZE(6),
        OPTIMIZE_MANIFESTS(2),
        ROLLBACK(2),
        EXPIRE(2),
        ADD_COLUMN(2),
        DROP_COLUMN(1),
        RENAME_COLUMN(1),
        RETYPE_COLUMN(1),
        REPLACE_TABLE(1),
        RECREATE_TABLE(1),
        PARTITIONING(3),
        FORMAT_VERSION(1),
        /** The views are refreshed and compared with a recompute. */
        REFRESH(0),
        /** A reader who accepts no staleness gets what the query gives now. */
        READ(10);

        private final int weight;

        Kind(int weight)
        {
            this.weight = weight;
        }
    }

    private static final int TOTAL_WEIGHT = List.of(Kind.values()).stream().mapToInt(kind -> kind.weight).sum();

    static Change random(Random random)
    {
        int number = random.nextInt(TOTAL_WEIGHT);
        for (Kind kind : Kind.values()) {
            number -= kind.weight;
            if (number < 0) {
                return new Change(kind, random.nextLong());
            }
        }
        throw new IllegalStateException();
    }

    @Override
    public String toString()
    {
        return "%s(%s)".formatted(kind, seed);
    }
}
