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
package io.freshet.schedule;

import com.google.common.collect.ImmutableMap;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.airlift.json.JsonCodec;

import javax.net.ssl.SSLContext;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import static io.airlift.concurrent.Threads.daemonThreadsNamed;
import static io.airlift.json.JsonCodec.mapJsonCodec;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static java.util.concurrent.Executors.newCachedThreadPool;

/**
 * Reference source of commit events: an HTTP server that tells of commits by Server-Sent Events in the format of
 * docs/scheduling.md. Each event has an id; a client that comes back with the header {@code Last-Event-ID} is sent what it missed, as
 * far as it is remembered. A comment is sent now and then, so that both sides notice a broken connection.
 */
public final class CommitEventServer
        implements Closeable
{
    private static final int REMEMBERED = 1_000;
    private static final long HEARTBEAT_SECONDS = 15;
    private static final JsonCodec<Map<String, Object>> CODEC = mapJsonCodec(String.class, Object.class);
    /** Ends a connection. */
    private static final Event END = new Event(-1, "", "");

    private final Optional<String> authorization;
    private final HttpServer server;
    private final ExecutorService executor = newCachedThreadPool(daemonThreadsNamed("commit-events-%s"));
    private final Deque<Event> remembered = new ArrayDeque<>();
    private final List<LinkedBlockingQueue<Event>> clients = new ArrayList<>();
    private final List<String> lastEventIds = new CopyOnWriteArrayList<>();
    private final boolean secure;
    private long lastId;
    private boolean down;

    private record Event(long id, String name, String data)
    {
        private byte[] bytes()
        {
            StringBuilder text = new StringBuilder("id: ").append(id).append("\nevent: ").append(name).append('\n');
            data.lines().forEach(line -> text.append("data: ").append(line).append('\n'));
            return text.append('\n').toString().getBytes(UTF_8);
        }
    }

    /**
     * @param authorization value that the header Authorization has to have
     * @param tls present: HTTPS
     */
    public CommitEventServer(Optional<String> authorization, Optional<SSLContext> tls)
            throws IOException
    {
        this.authorization = requireNonNull(authorization, "authorization is null");
        secure = tls.isPresent();
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        if (secure) {
            HttpsServer https = HttpsServer.create(address, 0);
            https.setHttpsConfigurator(new HttpsConfigurator(tls.get()));
            server = https;
        }
        else {
            server = HttpServer.create(address, 0);
        }
        server.createContext("/events", this::serve);
        server.setExecutor(executor);
        server.start();
    }

    public URI uri()
    {
        return URI.create("%s://localhost:%s/events".formatted(secure ? "https" : "http", server.getAddress().getPort()));
    }

    /** Tells of a commit. */
    public void publish(String namespace, String table, long snapshotId)
    {
        publish("commit", CODEC.toJson(ImmutableMap.of("namespace", namespace, "table", table, "snapshot-id", snapshotId)));
    }

    public synchronized void publish(String name, String data)
    {
        lastId++;
        Event event = new Event(lastId, name, data);
        remembered.addLast(event);
        if (remembered.size() > REMEMBERED) {
            remembered.removeFirst();
        }
        clients.forEach(client -> client.add(event));
    }

    /** Ends all connections. */
    public synchronized void disconnect()
    {
        clients.forEach(client -> client.add(END));
        clients.clear();
    }

    /** While it is down it refuses connections. */
    public synchronized void setDown(boolean down)
    {
        this.down = down;
        if (down) {
            disconnect();
        }
    }

    public synchronized int clientCount()
    {
        return clients.size();
    }

    /** Of each connection so far; empty text: it had none. */
    public List<String> lastEventIds()
    {
        return lastEventIds;
    }

    private void serve(HttpExchange exchange)
            throws IOException
    {
        try (exchange) {
            if (!authorization.equals(Optional.ofNullable(exchange.getRequestHeaders().getFirst("Authorization"))) && authorization.isPresent()) {
                exchange.sendResponseHeaders(401, -1);
                return;
            }
            String lastEventId = Optional.ofNullable(exchange.getRequestHeaders().getFirst("Last-Event-ID")).orElse("");
            LinkedBlockingQueue<Event> events = new LinkedBlockingQueue<>();
            synchronized (this) {
                if (down) {
                    exchange.sendResponseHeaders(503, -1);
                    return;
                }
                lastEventIds.add(lastEventId);
                long seen = lastEventId.isEmpty() ? lastId : Long.parseLong(lastEventId);
                remembered.stream().filter(event -> event.id() > seen).forEach(events::add);
                clients.add(events);
            }
            try {
                send(exchange, events);
            }
            catch (InterruptedException | IOException e) {
                // the client is gone, or the server is closed
            }
            finally {
                synchronized (this) {
                    clients.remove(events);
                }
            }
        }
    }

    private static void send(HttpExchange exchange, LinkedBlockingQueue<Event> events)
            throws IOException, InterruptedException
    {
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
        exchange.getResponseHeaders().set("Cache-Control", "no-store");
        exchange.sendResponseHeaders(200, 0);
        OutputStream output = exchange.getResponseBody();
        output.write(": welcome\n\n".getBytes(UTF_8));
        output.flush();
        while (true) {
            Event event = events.poll(HEARTBEAT_SECONDS, TimeUnit.SECONDS);
            if (event == END) {
                return;
            }
            output.write(event == null ? ":\n\n".getBytes(UTF_8) : event.bytes());
            output.flush();
        }
    }

    @Override
    public void close()
    {
        disconnect();
        server.stop(0);
        executor.shutdownNow();
    }
}
