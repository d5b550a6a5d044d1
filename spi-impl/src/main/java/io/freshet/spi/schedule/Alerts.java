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
import com.google.inject.Inject;
import io.airlift.log.Logger;
import io.freshet.engine.RelationName;
import org.weakref.jmx.Managed;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

/** The alerts of this coordinator since it started: logged, counted, kept for the system table, posted. */
public final class Alerts
        implements Consumer<Alert>
{
    private static final Logger log = Logger.get(Alerts.class);
    private static final int KEPT = 10_000;

    private final Optional<AlertWebhook> webhook;
    /** Oldest first. Guarded by this, as is what became of them. */
    private final Deque<Alert> alerts = new ArrayDeque<>();
    private final Map<String, Boolean> delivered = new HashMap<>();
    private final AtomicLong raised = new AtomicLong();
    private final AtomicLong recovered = new AtomicLong();
    private final AtomicLong undelivered = new AtomicLong();

    @Inject
    public Alerts(Optional<AlertWebhook> webhook)
    {
        this.webhook = requireNonNull(webhook, "webhook is null");
    }

    /** @param delivered whether it was posted; empty: not yet, or it need not be */
    public record Kept(Alert alert, Optional<Boolean> delivered) {}

    @Override
    public void accept(Alert alert)
    {
        synchronized (this) {
            alerts.addLast(alert);
            if (alerts.size() > KEPT) {
                delivered.remove(alerts.removeFirst().id());
            }
        }
        if (alert.recovery()) {
            recovered.incrementAndGet();
            log.info("%s", alert.detail());
        }
        else {
            raised.incrementAndGet();
            log.warn("%s", alert.detail());
        }
        webhook.ifPresent(receiver -> receiver.post(alert, success -> noteDelivery(alert, success)));
    }

    private void noteDelivery(Alert alert, boolean success)
    {
        if (!success) {
            undelivered.incrementAndGet();
        }
        synchronized (this) {
            if (alerts.contains(alert)) {
                delivered.put(alert.id(), success);
            }
        }
    }

    /** Oldest first. */
    public synchronized List<Kept> of(RelationName view)
    {
        return alerts.stream()
                .filter(alert -> alert.view().equals(view))
                .map(alert -> new Kept(alert, Optional.ofNullable(delivered.get(alert.id()))))
                .collect(toImmutableList());
    }

    public synchronized List<Alert> all()
    {
        return ImmutableList.copyOf(alerts);
    }

    @Managed
    public long getRaised()
    {
        return raised.get();
    }

    @Managed
    public long getRecovered()
    {
        return recovered.get();
    }

    @Managed
    public long getUndelivered()
    {
        return undelivered.get();
    }
}
