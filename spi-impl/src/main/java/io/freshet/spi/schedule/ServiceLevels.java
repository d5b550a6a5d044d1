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
package io.freshet.spi.schedule;

import com.google.inject.Inject;
import io.freshet.staleness.ServiceLevel;
import io.freshet.staleness.SloTier;
import io.freshet.staleness.TimeSpans;
import io.trino.spi.TrinoException;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

import static io.freshet.spi.schedule.ScheduleProperties.MAX_LAG;
import static io.freshet.spi.schedule.ScheduleProperties.SLO_TIER;
import static io.freshet.spi.schedule.ScheduleProperties.TARGET_LAG;
import static io.trino.spi.StandardErrorCode.INVALID_MATERIALIZED_VIEW_PROPERTY;
import static java.util.Locale.ENGLISH;

/** The service levels that views declare, with the tiers of the configuration. */
public final class ServiceLevels
{
    private final Map<String, SloTier> tiers;
    private final Optional<String> defaultTier;

    @Inject
    public ServiceLevels(StalenessConfig config)
    {
        tiers = config.tiers();
        defaultTier = config.getDefaultTier();
    }

    /** The tier that counts for a view; also one that the configuration does not have any more. */
    public Optional<String> tier(Map<String, Object> viewProperties)
    {
        return Optional.ofNullable((String) viewProperties.get(SLO_TIER)).map(name -> name.toLowerCase(ENGLISH)).or(() -> defaultTier);
    }

    /** Empty if the view declares none, or one that does not hold together since the configuration was changed. */
    public Optional<ServiceLevel> level(Map<String, Object> viewProperties)
    {
        try {
            return check(viewProperties);
        }
        catch (TrinoException e) {
            return Optional.empty();
        }
    }

    /**
     * The level that the properties of a view declare together.
     *
     * @throws TrinoException that names the property at fault
     */
    public Optional<ServiceLevel> check(Map<String, Object> viewProperties)
    {
        Optional<SloTier> tier = tier(viewProperties).map(this::requireTier);
        Optional<Duration> target = span(viewProperties, TARGET_LAG);
        Optional<Duration> max = span(viewProperties, MAX_LAG);
        try {
            return ServiceLevel.of(tier.map(SloTier::level), target, max);
        }
        catch (IllegalArgumentException e) {
            throw invalid(target.isPresent() ? TARGET_LAG : MAX_LAG, "%s. Example: target_lag = '5 minutes', max_lag = '15 minutes'".formatted(e.getMessage()), e);
        }
    }

    SloTier requireTier(String name)
    {
        SloTier tier = tiers.get(name.toLowerCase(ENGLISH));
        if (tier == null) {
            throw invalid(SLO_TIER, "there is no tier '%s'. Tiers of freshet.slo.tiers: %s".formatted(name, String.join(", ", tiers.keySet())), null);
        }
        return tier;
    }

    private static Optional<Duration> span(Map<String, Object> viewProperties, String property)
    {
        return Optional.ofNullable((String) viewProperties.get(property)).map(text -> parseSpan(property, text));
    }

    static Duration parseSpan(String property, String text)
    {
        try {
            return TimeSpans.parse(text);
        }
        catch (IllegalArgumentException e) {
            throw invalid(property, e.getMessage() + ". Example: '15 minutes'", e);
        }
    }

    private static TrinoException invalid(String property, String message, Exception cause)
    {
        return new TrinoException(INVALID_MATERIALIZED_VIEW_PROPERTY, "Invalid value for %s: %s".formatted(property, message), cause);
    }
}
