package io.tributary.broker.sys;

import io.tributary.broker.retained.RetainedMessages;
import io.tributary.broker.routing.Router;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.topic.TopicName;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
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
 * Publishes figures about this node on the {@code $SYS} topics, under the names that Mosquitto made customary. Each is
 * published when it changed, and shows as a retained message, which is not stored.
 */
public final class SysTopics implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(SysTopics.class);
    private static final String BROKER = TopicName.SYS_PREFIX + "broker/";

    private final SysConfig config;
    private final Supplier<SysFigures> figures;
    private final Consumer<Message> sink;
    private final LongSupplier nanoTime;
    private final long startedNanos;
    private @Nullable ScheduledFuture<?> timer;

    // Confined to the timer's thread.
    private final Map<String, String> published = new HashMap<>();
    private final Map<String, LoadAverage> loads = new HashMap<>();
    private long lastUpdateNanos;

    /**
     * Creates them; nothing is published before {@link #start}.
     *
     * @param figures asked in each round, on the timer's thread
     */
    public SysTopics(SysConfig config, Supplier<SysFigures> figures, RetainedMessages retained, Router router) {
        this(config, figures, message -> publish(message, retained, router), System::nanoTime);
    }

    SysTopics(SysConfig config, Supplier<SysFigures> figures, Consumer<Message> sink, LongSupplier nanoTime) {
        this.config = config;
        this.figures = figures;
        this.sink = sink;
        this.nanoTime = nanoTime;
        startedNanos = nanoTime.getAsLong();
        lastUpdateNanos = startedNanos;
    }

    /** Publishes the first round at once and another at each interval, unless the topics are switched off. */
    public synchronized void start(ScheduledExecutorService executor) {
        if (!config.interval().isZero()) {
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

    /** One round: publishes what changed since the one before. */
    void update() {
        long now = nanoTime.getAsLong();
        double seconds = (now - lastUpdateNanos) / 1e9;
        lastUpdateNanos = now;
        SysFigures current = figures.get();
        Map<String, String> values = new LinkedHashMap<>();
        values.put("version", config.version());
        values.put("uptime", TimeUnit.NANOSECONDS.toSeconds(now - startedNanos) + " seconds");
        putClients(values, current.clients());
        putTraffic(values, current.traffic());
        putKept(values, current.kept());
        putLoads(values, current.traffic(), seconds);
        values.forEach(this::publishIfChanged);
    }

    private static void putClients(Map<String, String> values, SysFigures.Clients clients) {
        put(values, "clients/connected", clients.connected());
        put(values, "clients/disconnected", clients.disconnected());
        put(values, "clients/total", clients.connected() + clients.disconnected());
        put(values, "clients/maximum", clients.maximum());
        put(values, "clients/applications", clients.applications());
    }

    private static void putTraffic(Map<String, String> values, SysFigures.Traffic traffic) {
        put(values, "messages/received", traffic.packets().received());
        put(values, "messages/sent", traffic.packets().sent());
        put(values, "messages/dropped", traffic.publishesDropped());
        put(values, "publish/messages/received", traffic.publishes().received());
        put(values, "publish/messages/sent", traffic.publishes().sent());
        put(values, "publish/messages/dropped", traffic.publishesDropped());
        put(values, "bytes/received", traffic.bytes().received());
        put(values, "bytes/sent", traffic.bytes().sent());
    }

    private static void putKept(Map<String, String> values, SysFigures.Kept kept) {
        put(values, "messages/stored", kept.queuedMessages());
        put(values, "store/messages/count", kept.queuedMessages());
        put(values, "subscriptions/count", kept.subscriptions());
        put(values, "shared_subscriptions/count", kept.sharedSubscriptions());
        put(values, "retained messages/count", kept.retainedMessages());
    }

    private void putLoads(Map<String, String> values, SysFigures.Traffic traffic, double seconds) {
        if (seconds <= 0) {
            return; // the first round
        }
        putLoad(values, "load/connections", traffic.connections(), seconds);
        putLoad(values, "load/messages/received", traffic.packets().received(), seconds);
        putLoad(values, "load/messages/sent", traffic.packets().sent(), seconds);
        putLoad(values, "load/publish/received", traffic.publishes().received(), seconds);
        putLoad(values, "load/publish/sent", traffic.publishes().sent(), seconds);
        putLoad(values, "load/publish/dropped", traffic.publishesDropped(), seconds);
        putLoad(values, "load/bytes/received", traffic.bytes().received(), seconds);
        putLoad(values, "load/bytes/sent", traffic.bytes().sent(), seconds);
    }

    private void putLoad(Map<String, String> values, String topic, long count, double seconds) {
        LoadAverage load = loads.computeIfAbsent(topic, absent -> new LoadAverage());
        load.update(count, seconds);
        for (int i = 0; i < LoadAverage.NAMES.length; i++) {
            values.put(topic + "/" + LoadAverage.NAMES[i], load.text(i));
        }
    }

    private static void put(Map<String, String> values, String topic, long value) {
        values.put(topic, Long.toString(value));
    }

    private void publishIfChanged(String topic, String value) {
        if (!value.equals(published.put(topic, value))) {
            sink.accept(new Message(
                    BROKER + topic,
                    value.getBytes(StandardCharsets.UTF_8),
                    QoS.AT_MOST_ONCE,
                    true,
                    PublishProperties.NONE,
                    Message.NEVER,
                    ""));
        }
    }

    private void updateOrLog() {
        try {
            update();
        } catch (RuntimeException e) {
            log.warn("$SYS topics were not updated", e); // the timer would stop silently
        }
    }

    /** Live subscribers get it without RETAIN; those of other nodes get what these say of themselves. */
    private static void publish(Message message, RetainedMessages retained, Router router) {
        retained.putVolatile(message);
        router.deliverHere(message.withRetain(false));
    }
}
