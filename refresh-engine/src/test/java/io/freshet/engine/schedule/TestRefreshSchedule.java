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

import io.freshet.engine.schedule.RefreshSchedule.AtTimes;
import io.freshet.engine.schedule.RefreshSchedule.Every;
import io.freshet.engine.schedule.RefreshSchedule.OnCommit;
import io.freshet.engine.schedule.RefreshSchedule.OnDemand;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TestRefreshSchedule
{
    @Test
    void testParse()
    {
        assertThat(RefreshSchedule.parse("ON_DEMAND")).isEqualTo(new OnDemand());
        assertThat(RefreshSchedule.parse(" on_commit ")).isEqualTo(new OnCommit());
        assertThat(RefreshSchedule.parse("EVERY 15 minutes")).isEqualTo(new Every(Duration.ofMinutes(15), Optional.empty()));
        assertThat(RefreshSchedule.parse("every 1 second")).isEqualTo(new Every(Duration.ofSeconds(1), Optional.empty()));
        assertThat(RefreshSchedule.parse("EVERY 2 WEEKS")).isEqualTo(new Every(Duration.ofDays(14), Optional.empty()));
        Instant start = Instant.parse("2026-12-01T00:00:00Z");
        assertThat(RefreshSchedule.parse("EVERY 1 hour STARTS '2026-12-01 00:00:00 UTC'")).isEqualTo(new Every(Duration.ofHours(1), Optional.of(start)));
        assertThat(RefreshSchedule.parse("EVERY 1 hour STARTS 2026-12-01T00:00:00Z")).isEqualTo(new Every(Duration.ofHours(1), Optional.of(start)));
        assertThat(RefreshSchedule.parse("EVERY 1 hour STARTS '2026-12-01 01:00 Europe/Berlin'")).isEqualTo(new Every(Duration.ofHours(1), Optional.of(start)));
        assertThat(RefreshSchedule.parse("EVERY 1 hour STARTS '2026-12-01 00:00'")).isEqualTo(new Every(Duration.ofHours(1), Optional.of(start)));
        assertThat(RefreshSchedule.parse("CRON 0 */2 * * *")).isEqualTo(new AtTimes("0 */2 * * *", ZoneOffset.UTC));
        assertThat(RefreshSchedule.parse("cron 30 3 * * MON-FRI time zone America/New_York")).isEqualTo(new AtTimes("30 3 * * MON-FRI", ZoneId.of("America/New_York")));
    }

    @Test
    void testWrongDeclarations()
    {
        assertWrong("", "is not one of ON_DEMAND, ON_COMMIT, EVERY and CRON");
        assertWrong("HOURLY", "'HOURLY' is not one of");
        assertWrong("EVERY", "is not one of");
        assertWrong("EVERY hour", "'hour' is not a span of time such as 15 minutes");
        assertWrong("EVERY 0 seconds", "'0 seconds' is not between 1 second and 3650 days");
        assertWrong("EVERY -5 minutes", "'-5 minutes' is not a span of time");
        assertWrong("EVERY 1.5 hours", "'1.5 hours' is not a span of time");
        assertWrong("EVERY 5 fortnights", "'fortnights' is not a unit of time");
        assertWrong("EVERY 99999999999999999999 days", "too long");
        assertWrong("EVERY 9999 days", "not between");
        assertWrong("EVERY 1 hour STARTS 'tomorrow'", "'tomorrow' is not a time such as");
        assertWrong("EVERY 1 hour STARTS '2026-02-30 00:00:00'", "'2026-02-30 00:00:00' is not a time");
        assertWrong("EVERY 1 hour STARTS '2026-12-01 00:00:00 Mars/Base'", "'Mars/Base' is not a time zone");
        assertWrong("CRON 0 25 * * *", "'0 25 * * *' is not a cron expression of five fields");
        assertWrong("CRON 0 0 0 * * ?", "is not a cron expression");
        assertWrong("CRON whenever", "'whenever' is not a cron expression");
        assertWrong("CRON 0 0 * * * TIME ZONE Nowhere", "'Nowhere' is not a time zone");
        assertWrong("CRON 0 0 31 2 *", "names no moment");
    }

    private static void assertWrong(String text, String message)
    {
        assertThatThrownBy(() -> RefreshSchedule.parse(text)).describedAs(text).isInstanceOf(IllegalArgumentException.class).hasMessageContaining(message);
    }

    @Test
    void testNextRun()
    {
        assertThat(RefreshSchedule.parse("ON_DEMAND").nextRun(5)).isEmpty();
        assertThat(RefreshSchedule.parse("ON_COMMIT").nextRun(5)).isEmpty();
        assertThat(RefreshSchedule.parse("EVERY 1 minute").nextRun(5)).hasValue(60_005);
        assertNext("EVERY 1 hour STARTS '2026-12-01 00:10:00'", "2026-11-30T17:00:00Z", "2026-12-01T00:10:00Z");
        assertNext("EVERY 1 hour STARTS '2026-12-01 00:10:00'", "2026-12-01T00:10:00Z", "2026-12-01T01:10:00Z");
        assertNext("EVERY 1 hour STARTS '2026-12-01 00:10:00'", "2026-12-05T11:09:59.999Z", "2026-12-05T11:10:00Z");
        assertNext("CRON 0 */2 * * *", "2026-12-01T00:00:00Z", "2026-12-01T02:00:00Z");
        assertNext("CRON 30 3 * * MON", "2026-12-01T00:00:00Z", "2026-12-07T03:30:00Z");
        assertNext("CRON 0 3 * * * TIME ZONE Europe/Berlin", "2026-07-01T00:00:00Z", "2026-07-01T01:00:00Z");
        assertNext("CRON 0 3 * * * TIME ZONE Europe/Berlin", "2026-12-01T00:00:00Z", "2026-12-01T02:00:00Z");
        assertNext("CRON 0 0 29 2 *", "2026-12-01T00:00:00Z", "2028-02-29T00:00:00Z");
    }

    /** Where a clock is put forward or back, a moment is neither lost for long nor met twice. */
    @Test
    void testClockChanges()
    {
        // 02:30 does not exist on that day
        RefreshSchedule schedule = RefreshSchedule.parse("CRON 30 2 * * * TIME ZONE Europe/Berlin");
        long before = Instant.parse("2026-03-28T12:00:00Z").toEpochMilli();
        assertThat(schedule.nextRun(before).orElseThrow()).isLessThanOrEqualTo(before + Duration.ofHours(37).toMillis());
        // 02:30 is there twice
        long run = schedule.nextRun(Instant.parse("2026-10-24T12:00:00Z").toEpochMilli()).orElseThrow();
        assertThat(Instant.ofEpochMilli(run)).isBetween(Instant.parse("2026-10-25T00:30:00Z"), Instant.parse("2026-10-25T01:30:00Z"));
    }

    @Test
    void testNextRunIsLaterAndNothingLiesBetween()
    {
        Random random = new Random(3);
        for (String text : new String[] {"EVERY 7 minutes STARTS '2020-01-01 00:00:13'", "CRON */5 * * * *", "CRON 0 3 * * * TIME ZONE America/New_York"}) {
            RefreshSchedule schedule = RefreshSchedule.parse(text);
            for (int i = 0; i < 2_000; i++) {
                long after = random.nextLong(1_500_000_000_000L, 1_900_000_000_000L);
                long next = schedule.nextRun(after).orElseThrow();
                assertThat(next).isGreaterThan(after);
                assertThat(schedule.nextRun(random.nextLong(after, next))).hasValue(next);
            }
        }
    }

    private static void assertNext(String schedule, String after, String expected)
    {
        assertThat(Instant.ofEpochMilli(RefreshSchedule.parse(schedule).nextRun(Instant.parse(after).toEpochMilli()).orElseThrow())).isEqualTo(Instant.parse(expected));
    }

    @Test
    void testBackoff()
    {
        Backoff backoff = new Backoff(Duration.ofSeconds(5), Duration.ofSeconds(60));
        assertThat(backoff.delayMillis(1, 0)).isEqualTo(5_000);
        assertThat(backoff.delayMillis(2, 0)).isEqualTo(10_000);
        assertThat(backoff.delayMillis(5, 0)).isEqualTo(60_000);
        assertThat(backoff.delayMillis(5, -7)).isEqualTo(60_000);
        assertThat(backoff.delayMillis(Integer.MAX_VALUE, 0)).isEqualTo(60_000);
        assertThat(backoff.delayMillis(5, 100_000)).isEqualTo(80_000);
        assertThat(backoff.delayMillis(500, 100_000)).isEqualTo(100_000);
    }
}
