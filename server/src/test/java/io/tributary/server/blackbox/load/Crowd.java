package io.tributary.server.blackbox.load;

import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Many pairs of a publisher and a persistent subscriber with a topic of their own, each pair with a judge of its own:
 * every other pair at QoS 2, the others at QoS 1. One thread at a time.
 */
public final class Crowd implements AutoCloseable {
    private static final Duration LOOK = Duration.ofMillis(500);
    /** So many at a time connect, or are waited for. */
    private static final int AT_A_TIME = 16;
    /** Not all publish at the same moment. */
    private static final int TURNS = 50;

    private final List<Rounds> turns = new ArrayList<>();
    private final List<LoadContext> corners = new ArrayList<>();
    private final List<LoadClients> pairs = new ArrayList<>();
    private final Experience experience = new Experience();
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("crowd").factory());

    /**
     * Casts the pairs.
     *
     * @param scene where the brokers are
     * @param names told each client identifier, before the first client connects
     */
    public Crowd(LoadContext scene, int count, Consumer<String> names) {
        for (int i = 0; i < TURNS; i++) {
            turns.add(new Rounds());
        }
        for (int i = 0; i < count; i++) {
            LoadContext corner = scene.corner("crowd" + i + "-", LOOK, turns.get(i % TURNS), experience);
            LoadClients pair = new LoadClients(corner);
            QoS qos = i % 2 == 0 ? QoS.EXACTLY_ONCE : QoS.AT_LEAST_ONCE;
            pair.add(new LoadPublisher(corner, ProtocolVersion.MQTT_5, qos, true));
            pair.add(LoadSubscriber.ofAll(corner, "crowd" + i, ProtocolVersion.MQTT_5, 100, 0));
            corners.add(corner);
            pairs.add(pair);
            names.accept("crowd" + i);
            names.accept("crowd" + i + "-publisher0");
        }
    }

    /** Has all connect, and then publish one message each in this time, again and again. */
    public void begin(Duration period, Duration patience) {
        each(pair -> pair.begin(patience));
        long step = period.toNanos() / TURNS;
        for (int i = 0; i < TURNS; i++) {
            Rounds turn = turns.get(i);
            var _ = clock.scheduleAtFixedRate(() -> turn.allow(1), i * step, period.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    /** Tells all judges that something is broken, or was mended. */
    public void fault() {
        corners.forEach(corner -> corner.judge().fault());
    }

    /** Has nobody publish any more, and waits until all have what is theirs: what went against the promises. */
    public List<String> finish(Duration patience) {
        clock.shutdownNow();
        each(pair -> {
            pair.awaitQuiet(patience);
            var _ = pair.verdict();
        });
        return corners.stream()
                .flatMap(corner -> corner.judge().violations().stream().map(words -> corner.prefix() + ": " + words))
                .toList();
    }

    /** What its clients noticed. */
    public Experience experience() {
        return experience;
    }

    /** All that happened. */
    public Judge.Counts counts() {
        return corners.stream().map(corner -> corner.judge().counts()).reduce(Judge.Counts.ZERO, Judge.Counts::plus);
    }

    private void each(Consumer<LoadClients> work) {
        try (ExecutorService threads = Executors.newFixedThreadPool(AT_A_TIME)) {
            pairs.forEach(pair -> threads.execute(() -> work.accept(pair)));
        }
    }

    /** Ends all clients. */
    @Override
    public void close() {
        clock.shutdownNow();
        turns.forEach(Rounds::end);
        pairs.forEach(LoadClients::close);
    }
}
