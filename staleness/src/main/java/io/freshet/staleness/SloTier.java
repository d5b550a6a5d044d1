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

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

import static java.util.Objects.requireNonNull;

/** A service level that many views share, by name. */
public record SloTier(String name, ServiceLevel level)
{
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]*");

    public SloTier
    {
        requireNonNull(name, "name is null");
        requireNonNull(level, "level is null");
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("'%s' is not a name for a tier: use lower case letters, digits and underscores".formatted(name));
        }
    }

    /**
     * Tiers from text: {@code name:target:maximum}, optionally {@code :criticalFactor:expiredFactor}, separated by commas.
     * Example: {@code gold:5m:15m, silver:1h:4h:1.5:3}.
     *
     * @throws IllegalArgumentException with what is wrong, for people
     */
    public static Map<String, SloTier> parseAll(String text)
    {
        Map<String, SloTier> tiers = new TreeMap<>();
        for (String part : Splitter.on(',').trimResults().omitEmptyStrings().split(text)) {
            SloTier tier = parse(part);
            if (tiers.put(tier.name(), tier) != null) {
                throw new IllegalArgumentException("tier '%s' is there twice".formatted(tier.name()));
            }
        }
        return ImmutableMap.copyOf(tiers);
    }

    private static SloTier parse(String text)
    {
        List<String> parts = Splitter.on(':').trimResults().splitToList(text);
        if (parts.size() != 3 && parts.size() != 5) {
            throw new IllegalArgumentException("'%s' is not a tier such as gold:5m:15m or gold:5m:15m:2:4".formatted(text));
        }
        Duration target = TimeSpans.parse(parts.get(1));
        Duration max = TimeSpans.parse(parts.get(2));
        String name = parts.get(0).toLowerCase(Locale.ENGLISH);
        try {
            return new SloTier(name, parts.size() == 3 ? new ServiceLevel(target, max) : new ServiceLevel(target, max, factor(parts.get(3)), factor(parts.get(4))));
        }
        catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("'%s' is not a tier: %s".formatted(text, e.getMessage()), e);
        }
    }

    private static double factor(String text)
    {
        try {
            return Double.parseDouble(text);
        }
        catch (NumberFormatException e) {
            throw new IllegalArgumentException("'%s' is not a number".formatted(text), e);
        }
    }
}
