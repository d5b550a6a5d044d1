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

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.inject.Inject;
import io.freshet.engine.schedule.RefreshSchedule;
import io.trino.spi.TrinoException;
import io.trino.spi.session.PropertyMetadata;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import static io.trino.spi.StandardErrorCode.INVALID_MATERIALIZED_VIEW_PROPERTY;
import static io.trino.spi.session.PropertyMetadata.stringProperty;

/** Properties of materialized views that say when they are refreshed and how fresh they have to be. */
public final class ScheduleProperties
{
    public static final String REFRESH = "refresh";
    public static final String SLO_TIER = "slo_tier";
    public static final String TARGET_LAG = "target_lag";
    public static final String MAX_LAG = "max_lag";

    /** None of them is a property of a table. */
    public static final Set<String> VIEW_PROPERTIES = ImmutableSet.of(REFRESH, SLO_TIER, TARGET_LAG, MAX_LAG);

    public static final String ON_DEMAND = "ON_DEMAND";

    private final List<PropertyMetadata<?>> viewProperties;

    @Inject
    public ScheduleProperties(ServiceLevels serviceLevels)
    {
        viewProperties = ImmutableList.of(
                stringProperty(
                        REFRESH,
                        "What starts refreshes: ON_DEMAND, ON_COMMIT, EVERY <interval> or CRON <expression>",
                        ON_DEMAND,
                        ScheduleProperties::parse,
                        false),
                stringProperty(
                        SLO_TIER,
                        "Service level, one of the tiers of the configuration",
                        null,
                        ifPresent(serviceLevels::requireTier),
                        false),
                stringProperty(
                        TARGET_LAG,
                        "How late the rows should be at most; instead of that of the tier",
                        null,
                        ifPresent(value -> ServiceLevels.parseSpan(TARGET_LAG, value)),
                        false),
                stringProperty(
                        MAX_LAG,
                        "How late the rows may be at most; instead of that of the tier",
                        null,
                        ifPresent(value -> ServiceLevels.parseSpan(MAX_LAG, value)),
                        false));
    }

    private static Consumer<String> ifPresent(Consumer<String> check)
    {
        return value -> {
            if (value != null) {
                check.accept(value);
            }
        };
    }

    public List<PropertyMetadata<?>> getViewProperties()
    {
        return viewProperties;
    }

    /** As declared. */
    public static String refresh(Map<String, Object> viewProperties)
    {
        return (String) viewProperties.getOrDefault(REFRESH, ON_DEMAND);
    }

    public static RefreshSchedule schedule(Map<String, Object> viewProperties)
    {
        return parse(refresh(viewProperties));
    }

    private static RefreshSchedule parse(String text)
    {
        try {
            return RefreshSchedule.parse(text);
        }
        catch (IllegalArgumentException e) {
            throw new TrinoException(INVALID_MATERIALIZED_VIEW_PROPERTY, "Invalid value for %s: %s. %s".formatted(REFRESH, e.getMessage(), RefreshSchedule.EXAMPLES), e);
        }
    }
}
