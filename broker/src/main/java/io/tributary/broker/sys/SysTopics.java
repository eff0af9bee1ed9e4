package io.tributary.broker.sys;

import io.tributary.broker.retained.RetainedMessages;
import io.tributary.broker.routing.Router;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes figures about this node, under the names that Mosquitto made customary, and about its cluster on the
 * {@code $SYS} topics. Each is published when it changed, and shows as a retained message, which is not stored.
 */
public final class SysTopics implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SysTopics.class);

    private final SysConfig config;
    private final Supplier<ClusterStats> stats;
    private final Consumer<Message> sink;
    private final LongSupplier nanoTime;
    private @Nullable ScheduledFuture<?> timer;

    // Confined to the timer's thread.
    private final Map<String, String> published = new HashMap<>();
    private final Map<String, LoadAverage> loads = new HashMap<>();
    private long lastUpdateNanos;

    /**
     * Creates them; nothing is published before {@link #start}.
     *
     * @param stats asked in each round, on the timer's thread
     */
    public SysTopics(SysConfig config, Supplier<ClusterStats> stats, RetainedMessages retained, Router router) {
        this(config, stats, message -> publish(message, retained, router), System::nanoTime);
    }

    SysTopics(SysConfig config, Supplier<ClusterStats> stats, Consumer<Message> sink, LongSupplier nanoTime) {
        this.config = config;
        this.stats = stats;
        this.sink = sink;
        this.nanoTime = nanoTime;
        lastUpdateNanos = nanoTime.getAsLong();
    }

    /** Publishes the first round at once and another at each interval, unless the topics are switched off. */
    public synchronized void start(ScheduledExecutorService executor) {
        if (!config.interval().isZero()) {
            lastUpdateNanos = nanoTime.getAsLong();
            timer = executor.scheduleAtFixedRate(
                    this::updateOrLog, 0, config.interval().toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    /** Publishes no more. */
    @Override
    public synchronized void close() {
        if (timer != null) {
            timer.cancel(false);
        }
    }

    /**
     * One round: publishes values that changed since the previous round, and removes topics that have no value any
     * more.
     */
    void update() {
        long now = nanoTime.getAsLong();
        double seconds = (now - lastUpdateNanos) / 1e9;
        lastUpdateNanos = now;
        ClusterStats current = stats.get();
        Map<String, String> values = SysValues.of(current);
        putLoads(values, current.here().stats().stats().traffic(), seconds);
        values.forEach(this::publishIfChanged);
        removeAllBut(values.keySet());
    }

    private void putLoads(Map<String, String> values, SysStats.Traffic traffic, double seconds) {
        if (seconds <= 0) {
            return; // the first round
        }
        putLoad(values, "connections", traffic.connections(), seconds);
        putLoads(values, "messages", traffic.packets(), seconds);
        putLoads(values, "publish", traffic.publishes(), seconds);
        putLoad(values, "publish/dropped", traffic.publishesDropped(), seconds);
        putLoads(values, "bytes", traffic.bytes(), seconds);
    }

    private void putLoads(Map<String, String> values, String what, SysStats.Flow flow, double seconds) {
        putLoad(values, what + "/received", flow.received(), seconds);
        putLoad(values, what + "/sent", flow.sent(), seconds);
    }

    private void putLoad(Map<String, String> values, String what, long count, double seconds) {
        String topic = SysValues.BROKER + "load/" + what;
        LoadAverage load = loads.computeIfAbsent(topic, absent -> new LoadAverage());
        load.update(count, seconds);
        for (int i = 0; i < LoadAverage.NAMES.length; i++) {
            values.put(topic + "/" + LoadAverage.NAMES[i], load.text(i));
        }
    }

    private void publishIfChanged(String topic, String value) {
        if (!value.equals(published.put(topic, value))) {
            sink.accept(message(topic, value));
        }
    }

    /** An empty payload removes the retained message, and tells those that have the other ones. */
    private void removeAllBut(Set<String> topics) {
        published.keySet().removeIf(topic -> {
            boolean over = !topics.contains(topic);
            if (over) {
                sink.accept(message(topic, ""));
            }
            return over;
        });
    }

    private static Message message(String topic, String value) {
        return new Message(
                topic,
                value.getBytes(StandardCharsets.UTF_8),
                QoS.AT_MOST_ONCE,
                true,
                PublishProperties.NONE,
                Message.NEVER,
                "");
    }

    private void updateOrLog() {
        try {
            update();
        } catch (RuntimeException | Error e) {
            LOG.warn("$SYS topics were not updated", e); // the timer would stop silently
        }
    }

    /** Live subscribers get it without RETAIN; those of other nodes get what these say of themselves. */
    private static void publish(Message message, RetainedMessages retained, Router router) {
        retained.putVolatile(message);
        router.deliverHere(message.withRetain(false));
    }
}
