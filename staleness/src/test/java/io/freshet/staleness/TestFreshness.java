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
package io.freshet.staleness;

import io.freshet.staleness.Freshness.Fresh;
import io.freshet.staleness.Freshness.Lost;
import io.freshet.staleness.Freshness.Stale;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

import static io.freshet.staleness.ChangeReason.NONE;
import static io.freshet.staleness.ChangeReason.NOT_BUILT;
import static io.freshet.staleness.ChangeReason.SOURCE_MISSING;
import static io.freshet.staleness.ChangeReason.SOURCE_ROLLED_BACK;
import static io.freshet.staleness.ChangeReason.SOURCE_ROWS_CHANGED;
import static io.freshet.staleness.ChangeReason.SOURCE_SCHEMA_CHANGED;
import static io.freshet.staleness.ChangeReason.SOURCE_SNAPSHOT_EXPIRED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TestFreshness
{
    private static final long REFRESH_START = 500;

    private static final SourceChange UNCHANGED = change(ChangeKind.UNCHANGED, NONE, OptionalLong.empty());
    private static final SourceChange REORGANIZED = change(ChangeKind.REORGANIZED, NONE, OptionalLong.empty());
    private static final SourceChange APPENDED = change(ChangeKind.APPENDED, NONE, OptionalLong.of(700));
    private static final SourceChange ROWS_CHANGED = change(ChangeKind.ROWS_CHANGED, SOURCE_ROWS_CHANGED, OptionalLong.of(600));
    private static final SourceChange EXPIRED = lost(SOURCE_SNAPSHOT_EXPIRED);
    private static final SourceChange MISSING = lost(SOURCE_MISSING);
    private static final SourceChange ROLLED_BACK = change(ChangeKind.ROWS_CHANGED, SOURCE_ROLLED_BACK, OptionalLong.empty());
    private static final SourceChange SCHEMA_CHANGED = lost(SOURCE_SCHEMA_CHANGED);

    @Test
    void testFresh()
    {
        assertThat(of()).isEqualTo(new Fresh());
        assertThat(of(UNCHANGED, REORGANIZED)).isEqualTo(new Fresh());
    }

    @Test
    void testStale()
    {
        assertThat(of(APPENDED)).isEqualTo(new Stale(700));
        assertThat(of(APPENDED, UNCHANGED, ROWS_CHANGED)).isEqualTo(new Stale(600));
        assertThat(of(change(ChangeKind.APPENDED, NONE, OptionalLong.empty()))).isEqualTo(new Stale(REFRESH_START));
        // A commit on a branch that was merged after the refresh is older than the refresh
        assertThat(of(change(ChangeKind.APPENDED, NONE, OptionalLong.of(100)))).isEqualTo(new Stale(100));
    }

    @Test
    void testUntracked()
    {
        assertThat(Freshness.of(List.of(UNCHANGED), true, false, REFRESH_START)).isEqualTo(new Stale(REFRESH_START));
        assertThat(Freshness.of(List.of(APPENDED), false, true, REFRESH_START)).isEqualTo(new Stale(REFRESH_START));
        assertThat(Freshness.of(List.of(), true, true, REFRESH_START)).isEqualTo(new Stale(REFRESH_START));
        assertThat(Freshness.of(List.of(ROLLED_BACK), true, true, REFRESH_START)).isEqualTo(new Lost(SOURCE_ROLLED_BACK));
    }

    @Test
    void testLost()
    {
        assertThat(of(APPENDED, ROLLED_BACK, SCHEMA_CHANGED)).isEqualTo(new Lost(SOURCE_ROLLED_BACK));
        // Whatever its commits were
        assertThat(of(change(ChangeKind.ROWS_CHANGED, SOURCE_ROLLED_BACK, OptionalLong.of(700)))).isEqualTo(new Lost(SOURCE_ROLLED_BACK));
        assertThat(of(lost(SOURCE_ROLLED_BACK))).isEqualTo(new Lost(SOURCE_ROLLED_BACK));
        // Commits in between have expired: right as of the refresh
        assertThat(of(change(ChangeKind.ROWS_CHANGED, SOURCE_ROWS_CHANGED, OptionalLong.empty()))).isEqualTo(new Stale(REFRESH_START));
        assertThat(of(lost(NOT_BUILT))).isEqualTo(new Lost(NOT_BUILT));
        assertThat(of(EXPIRED)).isEqualTo(new Stale(REFRESH_START));
        assertThat(of(APPENDED, MISSING)).isEqualTo(new Stale(REFRESH_START));
        assertThat(of(EXPIRED, SCHEMA_CHANGED)).isEqualTo(new Lost(SOURCE_SCHEMA_CHANGED));
        assertThatThrownBy(() -> of(lost(NONE))).isInstanceOf(IllegalArgumentException.class);
    }

    /** Adding a source never makes a view fresher, and the order of sources does not matter but for the reason of a loss. */
    @Test
    void testMonotonous()
    {
        List<SourceChange> all = List.of(UNCHANGED, REORGANIZED, APPENDED, ROWS_CHANGED, EXPIRED, MISSING, ROLLED_BACK, SCHEMA_CHANGED);
        for (int set = 0; set < 1 << all.size(); set++) {
            List<SourceChange> changes = new ArrayList<>();
            for (int index = 0; index < all.size(); index++) {
                if ((set >> index & 1) != 0) {
                    changes.add(all.get(index));
                }
            }
            Freshness freshness = Freshness.of(changes, false, false, REFRESH_START);
            assertThat(rank(Freshness.of(changes.reversed(), false, false, REFRESH_START))).isEqualTo(rank(freshness));
            for (SourceChange another : all) {
                List<SourceChange> more = new ArrayList<>(changes);
                more.add(another);
                assertThat(rank(Freshness.of(more, false, false, REFRESH_START))).isLessThanOrEqualTo(rank(freshness));
            }
        }
    }

    /** Every reason there is has a verdict. */
    @Test
    void testEveryReason()
    {
        for (ChangeReason reason : ChangeReason.values()) {
            if (!Set.of(NONE, SOURCE_ROWS_CHANGED).contains(reason)) {
                assertThat(of(lost(reason))).isNotEqualTo(new Fresh());
            }
        }
    }

    private static long rank(Freshness freshness)
    {
        return switch (freshness) {
            case Fresh() -> Long.MAX_VALUE;
            case Stale(long lastFreshMillis) -> lastFreshMillis;
            case Lost _ -> Long.MIN_VALUE;
        };
    }

    private static Freshness of(SourceChange... changes)
    {
        return Freshness.of(List.of(changes), false, false, REFRESH_START);
    }

    private static SourceChange lost(ChangeReason reason)
    {
        return change(ChangeKind.HISTORY_LOST, reason, OptionalLong.empty());
    }

    private static SourceChange change(ChangeKind kind, ChangeReason reason, OptionalLong firstUnapplied)
    {
        return new SourceChange(kind, reason, OptionalLong.of(1), OptionalLong.of(2), 0, 0, firstUnapplied);
    }
}
