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

import io.freshet.spi.schedule.CommitEventStream;
import io.trino.spi.connector.SchemaTableName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The client of commit events against a real HTTP server. */
final class TestCommitEventStream
{
    private static final String PASSWORD = "changeit";

    private final List<SchemaTableName> commits = new CopyOnWriteArrayList<>();
    private final List<Boolean> connections = new CopyOnWriteArrayList<>();

    private CommitEventStream start(URI uri, Optional<String> authorization, Optional<File> trustStore)
    {
        CommitEventStream stream = new CommitEventStream(
                new CommitEventStream.Settings(uri, authorization, trustStore, trustStore.map(_ -> PASSWORD), 50),
                commits::add,
                connections::add);
        stream.start();
        return stream;
    }

    @Test
    void testEvents()
            throws IOException
    {
        try (CommitEventServer server = new CommitEventServer(Optional.of("Bearer token"), Optional.empty())) {
            CommitEventStream stream = start(server.uri(), Optional.of("Bearer token"), Optional.empty());
            await(() -> stream.isConnected() && server.clientCount() == 1);
            server.publish("s", "orders", 7);
            server.publish("message", "{\"namespace\": [\"A\", \"b\"], \"table\": \"Lines\", \"more\": {\"x\": 1}}");
            server.publish("heartbeat", "{\"namespace\": \"s\", \"table\": \"not_a_commit\"}");
            server.publish("commit", "nonsense");
            server.publish("commit", "{\"namespace\": \"s\"}");
            server.publish("commit", "{\"namespace\": [1], \"table\": \"t\"}");
            server.publish("commit", "[]");
            server.publish("commit", "{\"namespace\": \"s\",\n\"table\": \"over two lines\"}");
            await(() -> commits.size() == 3);
            assertThat(commits).containsExactly(new SchemaTableName("s", "orders"), new SchemaTableName("a.b", "lines"), new SchemaTableName("s", "over two lines"));
            assertThat(stream.getIgnoredEvents()).isEqualTo(5);
            assertThat(connections).containsExactly(true);

            // what is told while the client is away is told when it is back
            server.setDown(true);
            server.publish("s", "missed", 8);
            await(() -> !stream.isConnected());
            server.setDown(false);
            await(() -> commits.size() == 4);
            assertThat(commits.getLast()).isEqualTo(new SchemaTableName("s", "missed"));
            assertThat(server.lastEventIds()).endsWith("8");
            assertThat(connections).startsWith(true, false).endsWith(true);
            stream.stop();
        }
    }

    @Test
    void testRefusedAndAbsentServer()
            throws IOException
    {
        try (CommitEventServer server = new CommitEventServer(Optional.of("Bearer token"), Optional.empty())) {
            CommitEventStream stream = start(server.uri(), Optional.of("Bearer wrong"), Optional.empty());
            await(() -> connections.size() >= 2);
            assertThat(connections).doesNotContain(true);
            assertThat(stream.isConnected()).isFalse();
            stream.stop();
        }
        CommitEventStream stream = start(URI.create("http://127.0.0.1:1/events"), Optional.empty(), Optional.empty());
        await(() -> connections.size() >= 4);
        assertThat(connections).doesNotContain(true);
        stream.stop();
    }

    @Test
    void testTls(@TempDir Path directory)
            throws IOException, InterruptedException, GeneralSecurityException
    {
        File keys = directory.resolve("keys.p12").toFile();
        Process keytool = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair", "-alias", "events", "-keyalg", "EC", "-dname", "CN=localhost", "-ext", "SAN=dns:localhost,ip:127.0.0.1", "-validity", "2",
                "-keystore", keys.toString(), "-storetype", "PKCS12", "-storepass", PASSWORD)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("keytool.log").toFile())
                .start();
        assertThat(keytool.waitFor()).isEqualTo(0);
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(KeyStore.getInstance(keys, PASSWORD.toCharArray()), PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(factory.getKeyManagers(), null, null);
        File trust = directory.resolve("trust.p12").toFile();
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("events", KeyStore.getInstance(keys, PASSWORD.toCharArray()).getCertificate("events"));
        try (java.io.OutputStream output = new java.io.FileOutputStream(trust)) {
            trusted.store(output, PASSWORD.toCharArray());
        }

        try (CommitEventServer server = new CommitEventServer(Optional.empty(), Optional.of(context))) {
            CommitEventStream untrusting = start(server.uri(), Optional.empty(), Optional.empty());
            await(() -> connections.contains(false));
            assertThat(connections).doesNotContain(true);
            untrusting.stop();

            CommitEventStream stream = start(server.uri(), Optional.empty(), Optional.of(trust));
            await(() -> stream.isConnected() && server.clientCount() == 1);
            server.publish("s", "orders", 7);
            await(() -> commits.size() == 1);
            stream.stop();
        }
        assertThatThrownBy(() -> start(URI.create("https://localhost/events"), Optional.empty(), Optional.of(directory.resolve("keytool.log").toFile())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("freshet.events.sse-truststore-path");
    }

    private static void await(BooleanSupplier condition)
    {
        long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).describedAs("waited too long").isLessThan(deadline);
            try {
                Thread.sleep(10);
            }
            catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
