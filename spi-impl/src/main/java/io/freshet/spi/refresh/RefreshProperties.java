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

import com.google.common.collect.ImmutableList;
import com.google.inject.Inject;
import io.freshet.engine.RefreshMode;
import io.freshet.spi.FreshetConfig;
import io.freshet.spi.FreshetConfig.BuildMode;
import io.trino.plugin.base.session.SessionPropertiesProvider;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.session.PropertyMetadata;
import io.trino.spi.type.ArrayType;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.StandardErrorCode.INVALID_MATERIALIZED_VIEW_PROPERTY;
import static io.trino.spi.StandardErrorCode.INVALID_SESSION_PROPERTY;
import static io.trino.spi.session.PropertyMetadata.booleanProperty;
import static io.trino.spi.session.PropertyMetadata.stringProperty;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.util.Locale.ENGLISH;
import static java.util.stream.Collectors.joining;

/**
 * Properties of materialized views and of sessions that concern refreshing.
 * <ul>
 * <li>{@code refresh_mode} (view, session): {@code AUTO} picks what is cheapest, {@code INCREMENTAL} fails with the reason where
 *     the view cannot be refreshed incrementally, {@code FULL} always computes the whole view. The session's wins.
 * <li>{@code allow_breaking_dependents} (session): whether a source may be dropped, renamed or altered away from the views that read it.
 * <li>{@code build} (view): {@code IMMEDIATE} fills the view as it is created, {@code DEFERRED} leaves that to the first refresh.
 * </ul>
 */
public final class RefreshProperties
        implements SessionPropertiesProvider
{
    public static final String REFRESH_MODE = "refresh_mode";
    public static final String BUILD = "build";
    public static final String STATIC_SOURCES = "static_sources";
    public static final String ALLOW_BREAKING_DEPENDENTS = "allow_breaking_dependents";
    /** Properties of views that are not properties of tables. */
    public static final Set<String> VIEW_PROPERTIES = Set.of(REFRESH_MODE, BUILD, STATIC_SOURCES);

    private final List<PropertyMetadata<?>> viewProperties;
    private final List<PropertyMetadata<?>> sessionProperties;

    @Inject
    public RefreshProperties(FreshetConfig config)
    {
        viewProperties = ImmutableList.of(
                stringProperty(
                        REFRESH_MODE,
                        "How the view is refreshed: AUTO, INCREMENTAL or FULL",
                        RefreshMode.AUTO.name(),
                        value -> parse(RefreshMode.class, REFRESH_MODE, value, INVALID_MATERIALIZED_VIEW_PROPERTY),
                        false),
                stringProperty(
                        BUILD,
                        "When the view is filled for the first time: IMMEDIATE, as it is created, or DEFERRED, by the first refresh",
                        config.getDefaultBuild().name(),
                        value -> parse(BuildMode.class, BUILD, value, INVALID_MATERIALIZED_VIEW_PROPERTY),
                        false),
                new PropertyMetadata<>(
                        STATIC_SOURCES,
                        "Tables of other catalogs that count as unchanged, except in a full refresh",
                        new ArrayType(VARCHAR),
                        List.class,
                        ImmutableList.of(),
                        false,
                        value -> (List<?>) value,
                        value -> value));
        sessionProperties = ImmutableList.of(
                stringProperty(
                        REFRESH_MODE,
                        "How REFRESH MATERIALIZED VIEW refreshes: AUTO, INCREMENTAL or FULL; by default as the view declares",
                        null,
                        value -> {
                            if (value != null) {
                                parse(RefreshMode.class, REFRESH_MODE, value, INVALID_SESSION_PROPERTY);
                            }
                        },
                        false),
                booleanProperty(
                        ALLOW_BREAKING_DEPENDENTS,
                        "Whether sources of materialized views may be dropped, renamed or altered away from them",
                        config.isAllowBreakingDependents(),
                        false));
    }

    public List<PropertyMetadata<?>> getViewProperties()
    {
        return viewProperties;
    }

    @Override
    public List<PropertyMetadata<?>> getSessionProperties()
    {
        return sessionProperties;
    }

    public static Optional<RefreshMode> sessionRefreshMode(ConnectorSession session)
    {
        return Optional.ofNullable(session.getProperty(REFRESH_MODE, String.class))
                .map(value -> parse(RefreshMode.class, REFRESH_MODE, value, INVALID_SESSION_PROPERTY));
    }

    public static boolean allowsBreakingDependents(ConnectorSession session)
    {
        return session.getProperty(ALLOW_BREAKING_DEPENDENTS, Boolean.class);
    }

    public static RefreshMode refreshMode(Map<String, Object> viewProperties)
    {
        return parse(RefreshMode.class, REFRESH_MODE, (String) viewProperties.getOrDefault(REFRESH_MODE, RefreshMode.AUTO.name()), INVALID_MATERIALIZED_VIEW_PROPERTY);
    }

    public static BuildMode buildMode(Map<String, Object> viewProperties)
    {
        return parse(BuildMode.class, BUILD, (String) viewProperties.getOrDefault(BUILD, BuildMode.IMMEDIATE.name()), INVALID_MATERIALIZED_VIEW_PROPERTY);
    }

    public static List<String> staticSources(Map<String, Object> viewProperties)
    {
        return ((List<?>) viewProperties.getOrDefault(STATIC_SOURCES, ImmutableList.of())).stream()
                .map(String.class::cast)
                .collect(toImmutableList());
    }

    public static <E extends Enum<E>> E parse(Class<E> type, String property, String value, io.trino.spi.ErrorCodeSupplier error)
    {
        return Arrays.stream(type.getEnumConstants())
                .filter(constant -> constant.name().equals(value.toUpperCase(ENGLISH)))
                .findFirst()
                .orElseThrow(() -> new TrinoException(error, "Invalid value for %s: '%s'. Valid values are %s".formatted(
                        property,
                        value,
                        Arrays.stream(type.getEnumConstants()).map(Enum::name).collect(joining(", ")))));
    }
}
