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

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static java.util.Locale.ENGLISH;

/** Spans of time as users write them: {@code 15 minutes}, {@code 15m}, {@code 1 hour}. */
public final class TimeSpans
{
    public static final Duration SHORTEST = Duration.ofSeconds(1);
    public static final Duration LONGEST = Duration.ofDays(3650);

    private static final Pattern SPAN = Pattern.compile("(\\d+)\\s*([A-Za-z]+)");

    private TimeSpans() {}

    /** @throws IllegalArgumentException with what is wrong, for people */
    public static Duration parse(String text)
    {
        Matcher matcher = SPAN.matcher(text.strip());
        if (!matcher.matches()) {
            throw new IllegalArgumentException("'%s' is not a span of time such as 15 minutes".formatted(text));
        }
        long unitSeconds = switch (matcher.group(2).toLowerCase(ENGLISH)) {
            case "s", "second", "seconds" -> 1;
            case "m", "minute", "minutes" -> 60;
            case "h", "hour", "hours" -> 60 * 60;
            case "d", "day", "days" -> 24 * 60 * 60;
            case "w", "week", "weeks" -> 7 * 24 * 60 * 60;
            default -> throw new IllegalArgumentException("'%s' is not a unit of time: use seconds, minutes, hours, days or weeks".formatted(matcher.group(2)));
        };
        Duration span;
        try {
            span = Duration.ofSeconds(Math.multiplyExact(Long.parseLong(matcher.group(1)), unitSeconds));
        }
        catch (ArithmeticException | NumberFormatException e) {
            throw new IllegalArgumentException("'%s' is too long".formatted(text), e);
        }
        if (span.compareTo(SHORTEST) < 0 || span.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("'%s' is not between 1 second and 3650 days".formatted(text));
        }
        return span;
    }
}
