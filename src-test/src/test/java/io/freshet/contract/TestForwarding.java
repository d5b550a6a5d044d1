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
package io.freshet.contract;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.reflect.TypeToken;
import com.google.inject.Injector;
import io.freshet.SqliteCatalog;
import io.freshet.plugin.FreshetConnectorFactory;
import io.freshet.spi.FreshetConnector;
import io.freshet.spi.catalog.CatalogEvents;
import io.freshet.spi.catalog.ForwardingTrinoCatalog;
import io.freshet.spi.catalog.FreshetCatalog;
import io.freshet.spi.catalog.GuardedTableFunction;
import io.freshet.spi.metadata.FreshetMetadata;
import io.freshet.spi.metadata.FreshetPageSinkProvider;
import io.freshet.spi.refresh.BackgroundSessions;
import io.freshet.spi.refresh.Dependents;
import io.freshet.spi.refresh.RefreshCommitter;
import io.freshet.spi.refresh.RefreshQueue;
import io.freshet.spi.refresh.StatementContexts;
import io.freshet.spi.refresh.ViewFreshness;
import io.freshet.spi.scan.ChangeScanMetadata;
import io.freshet.spi.scan.ChangeScanPageSourceProviderFactory;
import io.freshet.spi.scan.ChangeScanSplitManager;
import io.freshet.spi.surface.FreshetFunctionProvider;
import io.freshet.spi.surface.PreparedRowsSplitManager;
import io.freshet.spi.view.DefinitionChecks;
import io.freshet.spi.view.StoredViewCodec;
import io.freshet.spi.view.ViewLifecycle;
import io.trino.plugin.base.classloader.ClassLoaderSafeConnectorMetadata;
import io.trino.plugin.iceberg.catalog.TrinoCatalog;
import io.trino.spi.connector.Connector;
import io.trino.spi.connector.ConnectorMetadata;
import io.trino.spi.connector.ConnectorPageSinkProvider;
import io.trino.spi.connector.ConnectorPageSourceProviderFactory;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorSplitManager;
import io.trino.spi.connector.ConnectorTableMetadata;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.ConnectorViewDefinition;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.TableNotFoundException;
import io.trino.spi.function.FunctionProvider;
import io.trino.spi.function.table.ConnectorTableFunction;
import io.trino.spi.security.ConnectorIdentity;
import io.trino.testing.TestingConnectorContext;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.lang.reflect.Type;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.type.IntegerType.INTEGER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.TestInstance.Lifecycle.PER_CLASS;

/**
 * Nothing that the Iceberg connector can do is lost on the way: an SPI method that a wrapper forgets would silently fall back to
 * the default of its interface.
 */
@TestInstance(PER_CLASS)
final class TestForwarding
{
    private static final SchemaTableName PLAIN_TABLE = new SchemaTableName("s", "t");

    private FreshetConnector connector;
    private Injector injector;
    private ConnectorSession session;
    private ConnectorTransactionHandle transaction;

    @BeforeAll
    void createConnector(@TempDir Path directory)
    {
        connector = (FreshetConnector) new FreshetConnectorFactory().create(
                "lake",
                ImmutableMap.<String, String>builder()
                        .put("iceberg.catalog.type", "jdbc")
                        .put("iceberg.jdbc-catalog.driver-class", "org.sqlite.JDBC")
                        .put("iceberg.jdbc-catalog.connection-url", SqliteCatalog.create(directory.resolve("catalog.db")))
                        .put("iceberg.jdbc-catalog.catalog-name", "lake")
                        .put("iceberg.jdbc-catalog.default-warehouse-dir", "local:///warehouse")
                        .put("fs.native-local.enabled", "true")
                        .put("local.location", directory.toString())
                        .buildOrThrow(),
                new TestingConnectorContext());
        injector = connector.getInjector();
        session = injector.getInstance(BackgroundSessions.class).create(ConnectorIdentity.ofUser("user"));
    }

    @AfterAll
    void shutdown()
    {
        connector.shutdown();
    }

    @Test
    void testEveryMethodIsOverridden()
            throws ReflectiveOperationException
    {
        assertEveryMethodIsOverridden(Connector.class, FreshetConnector.class);
        assertEveryMethodIsOverridden(ConnectorMetadata.class, ClassLoaderSafeConnectorMetadata.class);
        assertEveryMethodIsOverridden(TrinoCatalog.class, ForwardingTrinoCatalog.class);
        assertEveryMethodIsOverridden(ConnectorPageSinkProvider.class, FreshetPageSinkProvider.class);
        assertEveryMethodIsOverridden(ConnectorSplitManager.class, ChangeScanSplitManager.class);
        assertEveryMethodIsOverridden(ConnectorSplitManager.class, PreparedRowsSplitManager.class);
        assertEveryMethodIsOverridden(ConnectorPageSourceProviderFactory.class, ChangeScanPageSourceProviderFactory.class);
        assertEveryMethodIsOverridden(FunctionProvider.class, FreshetFunctionProvider.class);
        assertEveryMethodIsOverridden(ConnectorTableFunction.class, GuardedTableFunction.class);
    }

    private static void assertEveryMethodIsOverridden(Class<?> type, Class<?> wrapper)
            throws ReflectiveOperationException
    {
        assertThat(wrapper).isAssignableTo(type);
        SoftAssertions softly = new SoftAssertions();
        for (Method method : methods(type)) {
            softly.assertThat(wrapper.getMethod(method.getName(), method.getParameterTypes()).getDeclaringClass().isInterface())
                    .describedAs("%s inherits %s", wrapper, method)
                    .isFalse();
        }
        softly.assertAll();
    }

    @Test
    void testConnector()
    {
        // Views have properties beside those of stock ones, which the injector knows
        assertForwarded(Connector.class, delegate -> new FreshetConnector(delegate, injector), Set.of("getMaterializedViewProperties"), false);
    }

    @Test
    void testMetadata()
    {
        FreshetCatalog catalog = catalog(recording(TrinoCatalog.class, new HashSet<>()));
        assertForwarded(
                ConnectorMetadata.class,
                delegate -> new FreshetMetadata(
                        new ChangeScanMetadata(delegate, getClass().getClassLoader()),
                        getClass().getClassLoader(),
                        "lake",
                        catalog,
                        injector.getInstance(StatementContexts.class),
                        injector.getInstance(ViewLifecycle.class),
                        injector.getInstance(DefinitionChecks.class),
                        injector.getInstance(RefreshQueue.class),
                        injector.getInstance(ViewFreshness.class),
                        injector.getInstance(RefreshCommitter.class),
                        new CatalogEvents(),
                        injector.getInstance(Dependents.class),
                        true),
                // Every new view is Freshet's; the engine asks for a refresh only where the connector takes it on itself
                Set.of("createMaterializedView", "refreshMaterializedView"),
                true);
    }

    @Test
    void testCatalog()
    {
        assertForwarded(TrinoCatalog.class, this::catalog, Set.of("createMaterializedView"), true);
    }

    @Test
    void testPageSinkProvider()
    {
        assertForwarded(ConnectorPageSinkProvider.class, FreshetPageSinkProvider::new, Set.of(), true);
    }

    @Test
    void testTableFunction()
    {
        assertForwarded(ConnectorTableFunction.class, delegate -> new GuardedTableFunction(delegate, "lake"), Set.of(), true);
    }

    private FreshetCatalog catalog(TrinoCatalog delegate)
    {
        return new FreshetCatalog(delegate, "lake", injector.getInstance(StatementContexts.class), injector.getInstance(StoredViewCodec.class), new CatalogEvents());
    }

    private interface Wrapper<T>
    {
        T wrap(T delegate);
    }

    /**
     * Calls each method for a plain table, and expects the same call to arrive.
     *
     * @param own methods that a wrapper answers by itself
     * @param fresh whether each method needs a new wrapper
     */
    private <T> void assertForwarded(Class<T> type, Wrapper<T> wrapper, Set<String> own, boolean fresh)
    {
        Set<Method> calls = new HashSet<>();
        T delegate = recording(type, calls);
        T shared = wrapper.wrap(delegate);
        SoftAssertions softly = new SoftAssertions();
        for (Method method : methods(type)) {
            if (own.contains(method.getName())) {
                continue;
            }
            T target = fresh ? wrapper.wrap(delegate) : shared;
            if (target instanceof Connector begun) {
                // before it has metadata
                transaction = begun.beginTransaction(null, true, true);
            }
            calls.clear();
            if (!fresh && ImmutableSet.of("getSplitManager", "getPageSourceProviderFactory", "getPageSinkProvider", "getTableFunctions").contains(method.getName())) {
                // wrapped once, by the constructor
                wrapper.wrap(delegate);
            }
            try {
                method.invoke(target, Arrays.stream(method.getGenericParameterTypes()).map(this::sample).toArray());
            }
            catch (InvocationTargetException e) {
                if (!(e.getCause() instanceof TableNotFoundException)) {
                    softly.fail("%s failed".formatted(method), e.getCause());
                    continue;
                }
            }
            catch (IllegalAccessException e) {
                throw new LinkageError(method.toString(), e);
            }
            softly.assertThat(calls).describedAs("calls that arrive for %s", method).contains(method);
        }
        softly.assertAll();
    }

    private static List<Method> methods(Class<?> type)
    {
        return Stream.of(type.getMethods())
                .filter(method -> !Modifier.isStatic(method.getModifiers()))
                .collect(toImmutableList());
    }

    private static <T> T recording(Class<T> type, Set<Method> calls)
    {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
            if (method.getDeclaringClass() == Object.class) {
                return switch (method.getName()) {
                    case "equals" -> proxy == arguments[0];
                    case "hashCode" -> System.identityHashCode(proxy);
                    default -> type.getSimpleName();
                };
            }
            calls.add(method);
            if (method.getName().equals("loadTable")) {
                throw new TableNotFoundException((SchemaTableName) arguments[1]);
            }
            return nothing(method.getReturnType());
        }));
    }

    private static Object nothing(Class<?> type)
    {
        if (type == Optional.class) {
            return Optional.empty();
        }
        if (type == OptionalLong.class) {
            return OptionalLong.empty();
        }
        if (type == boolean.class) {
            return false;
        }
        if (type == List.class) {
            return List.of();
        }
        if (type == Set.class) {
            return Set.of();
        }
        if (type == Map.class) {
            return Map.of();
        }
        if (type == Iterator.class) {
            return List.of().iterator();
        }
        if (type == CompletableFuture.class) {
            return CompletableFuture.completedFuture(null);
        }
        return type.isInterface() && !type.isSealed() ? recording(type, new HashSet<>()) : null;
    }

    /** Something that a wrapper can look at and pass on. */
    private Object sample(Type genericType)
    {
        Class<?> type = TypeToken.of(genericType).getRawType();
        if (type == ConnectorTransactionHandle.class) {
            return transaction;
        }
        if (genericType.equals(new TypeToken<List<SchemaTableName>>() {}.getType())) {
            return List.of(PLAIN_TABLE);
        }
        if (type == ConnectorSession.class) {
            return session;
        }
        if (type == SchemaTableName.class) {
            return PLAIN_TABLE;
        }
        if (type == ConnectorTableMetadata.class) {
            return new ConnectorTableMetadata(PLAIN_TABLE, List.of());
        }
        if (type == ConnectorViewDefinition.class) {
            return new ConnectorViewDefinition(
                    "SELECT 1 x",
                    Optional.empty(),
                    Optional.empty(),
                    List.of(new ConnectorViewDefinition.ViewColumn("x", INTEGER.getTypeId(), Optional.empty())),
                    Optional.empty(),
                    Optional.empty(),
                    true,
                    List.of());
        }
        if (type == String.class) {
            return "text";
        }
        if (type == int.class) {
            return 1;
        }
        if (type == long.class) {
            return 1L;
        }
        if (type == double.class) {
            return 1.0;
        }
        return nothing(type);
    }
}
