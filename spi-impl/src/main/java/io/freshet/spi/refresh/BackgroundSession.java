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

import com.google.common.collect.ImmutableMap;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.security.ConnectorIdentity;
import io.trino.spi.session.PropertyMetadata;
import io.trino.spi.type.TimeZoneKey;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

import static io.trino.spi.StandardErrorCode.INVALID_SESSION_PROPERTY;
import static io.trino.spi.type.TimeZoneKey.UTC_KEY;
import static java.util.Objects.requireNonNull;

/**
 * The connector's own session, for looking at the catalog outside of any statement. Session properties have their defaults.
 * It may see backing tables.
 */
public final class BackgroundSession
        implements ConnectorSession
{
    private final String id;
    private final ConnectorIdentity identity;
    private final Map<String, PropertyMetadata<?>> properties;
    private final Instant start = Instant.now();

    public BackgroundSession(String id, ConnectorIdentity identity, List<PropertyMetadata<?>> properties)
    {
        this.id = requireNonNull(id, "id is null");
        this.identity = requireNonNull(identity, "identity is null");
        ImmutableMap.Builder<String, PropertyMetadata<?>> builder = ImmutableMap.builder();
        properties.forEach(property -> builder.put(property.getName(), property));
        this.properties = builder.buildOrThrow();
    }

    @Override
    public String getQueryId()
    {
        return id;
    }

    @Override
    public Optional<String> getSource()
    {
        return Optional.of("freshet");
    }

    @Override
    public ConnectorIdentity getIdentity()
    {
        return identity;
    }

    @Override
    public TimeZoneKey getTimeZoneKey()
    {
        return UTC_KEY;
    }

    @Override
    public Locale getLocale()
    {
        return Locale.ROOT;
    }

    @Override
    public Optional<String> getTraceToken()
    {
        return Optional.empty();
    }

    @Override
    public Instant getStart()
    {
        return start;
    }

    @Override
    public <T> T getProperty(String name, Class<T> type)
    {
        PropertyMetadata<?> property = properties.get(name);
        if (property == null) {
            throw new TrinoException(INVALID_SESSION_PROPERTY, "Unknown session property " + name);
        }
        return type.cast(property.getDefaultValue());
    }
}
