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

import com.cronutils.model.Cron;
import com.cronutils.model.CronType;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;
import io.freshet.staleness.TimeSpans;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static java.util.Locale.ENGLISH;
import static java.util.Objects.requireNonNull;

/**
 * What starts the refreshes of a view, as its property {@code refresh} declares it. The accepted texts, in any case:
 * <ul>
 * <li>{@code ON_DEMAND}
 * <li>{@code ON_COMMIT}
 * <li>{@code EVERY 15 minutes}, optionally with {@code STARTS '2026-12-01 00:00:00 UTC'}; units from seconds to weeks
 * <li>{@code CRON 0 0/2 * * *} (five fields), optionally with {@code TIME ZONE Europe/Berlin}; UTC otherwise
 * </ul>
 */
public sealed interface RefreshSchedule
{
    String EXAMPLES = "Examples: 'ON_DEMAND', 'ON_COMMIT', 'EVERY 15 minutes', 'EVERY 1 hour STARTS ''2026-12-01 00:00:00 UTC''', 'CRON 0 */2 * * * TIME ZONE Europe/Berlin'";

    record OnDemand()
            implements RefreshSchedule {}

    record OnCommit()
            implements RefreshSchedule {}

    /** @param starts absent: an interval after the run before; present: at these moments, {@code starts} and whole intervals after it */
    record Every(Duration interval, Optional<Instant> starts)
            implements RefreshSchedule
    {
        public Every
        {
            requireNonNull(interval, "interval is null");
            requireNonNull(starts, "starts is null");
        }
    }

    /** @param expression five fields: minute, hour, day of month, month, day of week */
    record AtTimes(String expression, ZoneId zone)
            implements RefreshSchedule
    {
        public AtTimes
        {
            requireNonNull(expression, "expression is null");
            requireNonNull(zone, "zone is null");
        }
    }

    /**
     * The first run by the clock after a moment; empty if the clock starts none. Milliseconds since the epoch.
     *
     * <p>Law: greater than {@code afterMillis}, and the same for all moments from one run up to, not including, the next, except for
     * intervals without a start, which count from the moment given.
     */
    default OptionalLong nextRun(long afterMillis)
    {
        return switch (this) {
            case OnDemand(), OnCommit() -> OptionalLong.empty();
            case Every(Duration interval, Optional<Instant> starts) -> {
                if (starts.isEmpty()) {
                    yield OptionalLong.of(afterMillis + interval.toMillis());
                }
                long first = starts.get().toEpochMilli();
                if (afterMillis < first) {
                    yield OptionalLong.of(first);
                }
                yield OptionalLong.of(first + ((afterMillis - first) / interval.toMillis() + 1) * interval.toMillis());
            }
            case AtTimes(String expression, ZoneId zone) -> ExecutionTime.forCron(Parsing.cron(expression))
                    .nextExecution(Instant.ofEpochMilli(afterMillis).atZone(zone))
                    .map(time -> OptionalLong.of(time.toInstant().toEpochMilli()))
                    .orElseGet(OptionalLong::empty);
        };
    }

    /** @throws IllegalArgumentException with what is wrong, for people; examples are not in the message */
    static RefreshSchedule parse(String text)
    {
        return Parsing.parse(text);
    }

    /** Only for the methods above. */
    final class Parsing
    {
        private static final Pattern EVERY = Pattern.compile("EVERY\\s+(\\S.*?)(?:\\s+STARTS\\s+(?:'([^']*)'|(\\S.*)))?", Pattern.CASE_INSENSITIVE);
        private static final Pattern CRON = Pattern.compile("CRON\\s+(.*?)(?:\\s+TIME\\s+ZONE\\s+'?([^'\\s]+)'?)?", Pattern.CASE_INSENSITIVE);
        private static final Pattern ZONED_TIME = Pattern.compile("(\\d{4}-\\d{2}-\\d{2}[ T]\\d{2}:\\d{2}(?::\\d{2})?)\\s*(\\S*)");
        private static final DateTimeFormatter LOCAL_TIME = new DateTimeFormatterBuilder()
                .appendPattern("uuuu-MM-dd HH:mm[:ss]")
                .toFormatter(ENGLISH)
                .withResolverStyle(java.time.format.ResolverStyle.STRICT);
        private static final CronParser CRON_PARSER = new CronParser(CronDefinitionBuilder.instanceDefinitionFor(CronType.UNIX));

        private Parsing() {}

        private static RefreshSchedule parse(String text)
        {
            String trimmed = text.strip();
            switch (trimmed.toUpperCase(ENGLISH)) {
                case "ON_DEMAND" -> {
                    return new OnDemand();
                }
                case "ON_COMMIT" -> {
                    return new OnCommit();
                }
                default -> {}
            }
            Matcher every = EVERY.matcher(trimmed);
            if (every.matches()) {
                Optional<Instant> starts = Optional.ofNullable(every.group(2)).or(() -> Optional.ofNullable(every.group(3))).map(Parsing::instant);
                return new Every(TimeSpans.parse(every.group(1)), starts);
            }
            Matcher cron = CRON.matcher(trimmed);
            if (cron.matches()) {
                String expression = cron.group(1).strip();
                cron(expression);
                AtTimes times = new AtTimes(expression, cron.group(2) == null ? ZoneOffset.UTC : zone(cron.group(2)));
                if (times.nextRun(0).isEmpty()) {
                    throw new IllegalArgumentException("Cron expression '%s' names no moment".formatted(expression));
                }
                return times;
            }
            throw new IllegalArgumentException("'%s' is not one of ON_DEMAND, ON_COMMIT, EVERY and CRON".formatted(text));
        }

        private static Instant instant(String text)
        {
            Matcher matcher = ZONED_TIME.matcher(text.strip());
            if (!matcher.matches()) {
                throw new IllegalArgumentException("'%s' is not a time such as 2026-12-01 00:00:00 UTC".formatted(text));
            }
            ZoneId zone = matcher.group(2).isEmpty() ? ZoneOffset.UTC : zone(matcher.group(2));
            try {
                return LocalDateTime.parse(matcher.group(1).replace('T', ' '), LOCAL_TIME).atZone(zone).toInstant();
            }
            catch (DateTimeException e) {
                throw new IllegalArgumentException("'%s' is not a time such as 2026-12-01 00:00:00 UTC".formatted(text), e);
            }
        }

        private static ZoneId zone(String text)
        {
            try {
                return ZoneId.of(text);
            }
            catch (DateTimeException e) {
                throw new IllegalArgumentException("'%s' is not a time zone such as UTC or Europe/Berlin".formatted(text), e);
            }
        }

        private static Cron cron(String expression)
        {
            try {
                return CRON_PARSER.parse(expression).validate();
            }
            catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("'%s' is not a cron expression of five fields, minute to day of week: %s".formatted(expression, e.getMessage()), e);
            }
        }
    }
}
