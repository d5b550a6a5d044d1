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

import com.fasterxml.jackson.annotation.JsonProperty;
import com.google.common.hash.Hashing;
import dev.failsafe.Failsafe;
import dev.failsafe.RetryPolicy;
import io.airlift.json.JsonCodec;
import io.airlift.log.Logger;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import static io.airlift.json.JsonCodec.jsonCodec;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

/**
 * Posts alerts to an address, each as one JSON object. A receiver that is down, or answers with 429 or an error of its own, is tried
 * again for some minutes; any other answer counts as received or refused.
 */
public final class AlertWebhook
{
    public static final String SIGNATURE_HEADER = "X-Freshet-Signature";

    private static final Logger log = Logger.get(AlertWebhook.class);
    private static final JsonCodec<Body> CODEC = jsonCodec(Body.class);
    private static final int MAX_WAITING = 1_000;

    private final URI uri;
    private final Optional<String> secret;
    private final ScheduledExecutorService executor;
    private final RetryPolicy<Integer> retries;
    private final HttpClient client;
    private final AtomicInteger waiting = new AtomicInteger();

    /** @param secret present: the body is signed with it */
    public AlertWebhook(URI uri, Optional<String> secret, Duration firstDelay, ScheduledExecutorService executor)
    {
        this.uri = requireNonNull(uri, "uri is null");
        this.secret = requireNonNull(secret, "secret is null");
        this.executor = requireNonNull(executor, "executor is null");
        retries = RetryPolicy.<Integer>builder()
                .handle(IOException.class)
                .handleResultIf(status -> status == 429 || status >= 500)
                .withBackoff(firstDelay, firstDelay.multipliedBy(60))
                .withJitter(0.1)
                .withMaxRetries(8)
                .build();
        client = HttpClient.newBuilder()
                .connectTimeout(Duration.ofSeconds(10))
                .build();
    }

    /** What is posted. Times in ISO 8601, the lag in seconds. */
    public record Body(
            @JsonProperty("id") String id,
            @JsonProperty("catalog") String catalog,
            @JsonProperty("schema") String schema,
            @JsonProperty("view") String view,
            @JsonProperty("raised_at") String raisedAt,
            @JsonProperty("from_state") String fromState,
            @JsonProperty("to_state") String toState,
            @JsonProperty("recovery") boolean recovery,
            @JsonProperty("lag_seconds") long lagSeconds,
            @JsonProperty("detail") String detail) {}

    /**
     * Returns at once.
     *
     * @param onEnd is told, once, whether it was received
     */
    public void post(Alert alert, Consumer<Boolean> onEnd)
    {
        if (waiting.incrementAndGet() > MAX_WAITING) {
            waiting.decrementAndGet();
            log.warn("Too many alerts wait for %s: one is not posted: %s", uri, alert.detail());
            onEnd.accept(false);
            return;
        }
        HttpRequest request = request(alert);
        Failsafe.with(retries).with(executor)
                .getAsync(() -> client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode())
                .whenComplete((status, failure) -> {
                    waiting.decrementAndGet();
                    boolean received = failure == null && status >= 200 && status < 300;
                    if (!received) {
                        log.warn("An alert could not be posted to %s (%s): %s", uri, failure == null ? "status " + status : failure, alert.detail());
                    }
                    onEnd.accept(received);
                });
    }

    private HttpRequest request(Alert alert)
    {
        byte[] body = CODEC.toJsonBytes(new Body(
                alert.id(),
                alert.view().catalog(),
                alert.view().schema(),
                alert.view().table(),
                Instant.ofEpochMilli(alert.raisedMillis()).toString(),
                alert.from().name(),
                alert.to().name(),
                alert.recovery(),
                alert.lagMillis() / 1000,
                alert.detail()));
        HttpRequest.Builder request = HttpRequest.newBuilder(uri)
                .timeout(Duration.ofSeconds(30))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofByteArray(body));
        secret.ifPresent(key -> request.header(SIGNATURE_HEADER, signature(key, body)));
        return request.build();
    }

    /** HMAC-SHA256 of the body, in hexadecimal digits. */
    public static String signature(String secret, byte[] body)
    {
        return "sha256=" + Hashing.hmacSha256(secret.getBytes(UTF_8)).hashBytes(body);
    }
}
