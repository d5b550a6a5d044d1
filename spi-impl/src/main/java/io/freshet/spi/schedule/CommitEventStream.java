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

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.launchdarkly.eventsource.ConnectStrategy;
import com.launchdarkly.eventsource.ErrorStrategy;
import com.launchdarkly.eventsource.EventSource;
import com.launchdarkly.eventsource.FaultEvent;
import com.launchdarkly.eventsource.HttpConnectStrategy;
import com.launchdarkly.eventsource.MessageEvent;
import com.launchdarkly.eventsource.RetryDelayStrategy;
import com.launchdarkly.eventsource.StartedEvent;
import com.launchdarkly.eventsource.StreamEvent;
import com.launchdarkly.logging.LDLogger;
import io.airlift.json.ObjectMapperProvider;
import io.airlift.log.Logger;
import io.trino.spi.connector.SchemaTableName;
import org.weakref.jmx.Managed;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import static java.util.Locale.ENGLISH;
import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

/**
 * Hears of commits by Server-Sent Events. Connects again by itself, with the id of the last event and longer and longer waits. What
 * is not understood is left out.
 */
public final class CommitEventStream
{
    private static final Logger log = Logger.get(CommitEventStream.class);
    private static final String COMMIT = "commit";
    /** After so long without a word, not even a comment, the connection is taken for dead and made anew. */
    private static final long SILENCE_SECONDS = 300;

    private final URI uri;
    private final Consumer<SchemaTableName> onCommit;
    private final Consumer<Boolean> onConnection;
    private final EventSource source;
    private final ObjectMapper mapper = new ObjectMapperProvider().get();
    private final Thread thread;
    private final AtomicLong received = new AtomicLong();
    private final AtomicLong ignored = new AtomicLong();
    private volatile boolean connected;
    private volatile boolean failureReported;
    private volatile boolean nonsenseReported;
    private volatile boolean stopped;

    /** @param authorization value of the header; empty: none is sent */
    public record Settings(URI uri, Optional<String> authorization, Optional<File> trustStore, Optional<String> trustStorePassword, long firstRetryMillis)
    {
        public Settings
        {
            requireNonNull(uri, "uri is null");
            requireNonNull(authorization, "authorization is null");
            requireNonNull(trustStore, "trustStore is null");
            requireNonNull(trustStorePassword, "trustStorePassword is null");
        }
    }

    /**
     * @param onCommit is told of each commit to a table
     * @param onConnection is told when the stream begins and ends to tell of commits
     */
    public CommitEventStream(Settings settings, Consumer<SchemaTableName> onCommit, Consumer<Boolean> onConnection)
    {
        uri = settings.uri();
        this.onCommit = requireNonNull(onCommit, "onCommit is null");
        this.onConnection = requireNonNull(onConnection, "onConnection is null");
        source = new EventSource.Builder(connectStrategy(settings))
                .errorStrategy(ErrorStrategy.alwaysContinue())
                .retryDelay(settings.firstRetryMillis(), MILLISECONDS)
                .retryDelayStrategy(RetryDelayStrategy.defaultStrategy().maxDelay(30, SECONDS))
                .logger(LDLogger.none())
                .build();
        thread = new Thread(this::read, "freshet-events");
        thread.setDaemon(true);
        thread.setContextClassLoader(getClass().getClassLoader());
    }

    private static HttpConnectStrategy connectStrategy(Settings settings)
    {
        HttpConnectStrategy strategy = ConnectStrategy.http(settings.uri())
                .connectTimeout(10, SECONDS)
                .readTimeout(SILENCE_SECONDS, SECONDS);
        if (settings.authorization().isPresent()) {
            strategy = strategy.header("Authorization", settings.authorization().get());
        }
        if (settings.trustStore().isPresent()) {
            X509TrustManager trust = trustManager(settings.trustStore().get(), settings.trustStorePassword());
            SSLContext context;
            try {
                context = SSLContext.getInstance("TLS");
                context.init(null, new TrustManager[] {trust}, null);
            }
            catch (GeneralSecurityException e) {
                throw new IllegalStateException("No TLS", e);
            }
            strategy = strategy.clientBuilderActions(client -> client.sslSocketFactory(context.getSocketFactory(), trust));
        }
        return strategy;
    }

    private static X509TrustManager trustManager(File trustStore, Optional<String> password)
    {
        try {
            KeyStore keys = KeyStore.getInstance(trustStore, password.map(String::toCharArray).orElse(null));
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(keys);
            for (TrustManager manager : factory.getTrustManagers()) {
                if (manager instanceof X509TrustManager x509) {
                    return x509;
                }
            }
            throw new IllegalArgumentException("freshet.events.sse-truststore-path: '%s' has no certificates".formatted(trustStore));
        }
        catch (IOException | GeneralSecurityException e) {
            throw new IllegalArgumentException("freshet.events.sse-truststore-path: '%s' cannot be read as a trust store: %s. Example: etc/events.p12".formatted(trustStore, e.getMessage()), e);
        }
    }

    public void start()
    {
        thread.start();
    }

    public void stop()
    {
        stopped = true;
        source.close();
    }

    private void read()
    {
        while (!stopped) {
            try {
                for (StreamEvent event : source.anyEvents()) {
                    handle(event);
                    if (stopped) {
                        return;
                    }
                }
            }
            catch (RuntimeException e) {
                log.warn(e, "An event of %s could not be handled", uri);
            }
        }
    }

    private void handle(StreamEvent event)
    {
        switch (event) {
            case StartedEvent _ -> connected();
            case FaultEvent fault -> disconnected(fault.getCause());
            case MessageEvent message -> handle(message);
            default -> {}
        }
    }

    private void connected()
    {
        if (failureReported) {
            log.info("Commits are told by %s again", uri);
        }
        else {
            log.info("Commits are told by %s", uri);
        }
        failureReported = false;
        nonsenseReported = false;
        connected = true;
        onConnection.accept(true);
    }

    private void disconnected(Exception cause)
    {
        if (stopped) {
            return;
        }
        if (!failureReported) {
            log.warn("Commits are not told by %s: %s. Views that wait for commits look for them meanwhile", uri, cause);
            failureReported = true;
        }
        connected = false;
        onConnection.accept(false);
    }

    private void handle(MessageEvent message)
    {
        if (!message.getEventName().equals(COMMIT) && !message.getEventName().equals(MessageEvent.DEFAULT_EVENT_NAME)) {
            ignored.incrementAndGet();
            return;
        }
        Optional<SchemaTableName> table = table(message.getData());
        if (table.isEmpty()) {
            ignored.incrementAndGet();
            if (!nonsenseReported) {
                log.warn("%s sends events that are not understood, which are ignored. The first was: %.200s", uri, message.getData());
                nonsenseReported = true;
            }
            return;
        }
        received.incrementAndGet();
        onCommit.accept(table.get());
    }

    /** Empty if it is not understood. */
    private Optional<SchemaTableName> table(String data)
    {
        JsonNode event;
        try {
            event = mapper.readTree(data);
        }
        catch (JsonProcessingException e) {
            return Optional.empty();
        }
        if (event == null || !event.path("table").isTextual() || event.path("table").asText().isEmpty()) {
            return Optional.empty();
        }
        return namespace(event.path("namespace")).map(namespace -> new SchemaTableName(namespace.toLowerCase(ENGLISH), event.path("table").asText().toLowerCase(ENGLISH)));
    }

    private static Optional<String> namespace(JsonNode namespace)
    {
        if (namespace.isTextual()) {
            return Optional.of(namespace.asText()).filter(text -> !text.isEmpty());
        }
        List<String> levels = new ArrayList<>();
        for (JsonNode level : namespace) {
            if (!level.isTextual()) {
                return Optional.empty();
            }
            levels.add(level.asText());
        }
        return levels.isEmpty() || !namespace.isArray() ? Optional.empty() : Optional.of(String.join(".", levels));
    }

    @Managed
    public boolean isConnected()
    {
        return connected;
    }

    @Managed
    public long getReceivedEvents()
    {
        return received.get();
    }

    @Managed
    public long getIgnoredEvents()
    {
        return ignored.get();
    }
}
