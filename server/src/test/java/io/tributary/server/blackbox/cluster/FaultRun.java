package io.tributary.server.blackbox.cluster;

import static org.awaitility.Awaitility.await;

import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.server.blackbox.BrokerProcess;
import io.tributary.server.blackbox.cluster.Fault.InflictedFault;
import io.tributary.server.blackbox.load.ClientWithWill;
import io.tributary.server.blackbox.load.Judge;
import io.tributary.server.blackbox.load.Judge.Counts;
import io.tributary.server.blackbox.load.LoadClients;
import io.tributary.server.blackbox.load.LoadContext;
import io.tributary.server.blackbox.load.LoadPublisher;
import io.tributary.server.blackbox.load.LoadSubscriber;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Clients at all nodes of a cluster, and one fault after the other below them. Publishers publish at a steady rate
 * whatever happens; each client goes to any node that it may think is up. One thread at a time.
 */
final class FaultRun implements AutoCloseable {
    /** How long a client waits for an answer before it goes elsewhere. */
    private static final Duration CLIENT_PATIENCE = Duration.ofSeconds(4);

    /** For a cluster to work again, and for all that is owed then: far more than it takes. */
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private static final Duration FLAP = Duration.ofMillis(700);

    /** Acknowledged messages between one fault and the next. */
    private static final int TRAFFIC = 300;

    /** Who the clients are. */
    enum Casting {
        /** A few of every kind. */
        ALL_KINDS,
        /** A thousand devices that publish, three applications that get everything, and five that share it. */
        FAN_IN,
        /**
         * Subscribers at all nodes but the last that take and acknowledge what comes: a bounded queue loses nothing of
         * theirs.
         */
        STEADY
    }

    private static final int FAN_IN_PUBLISHERS = 1000;
    private static final int SLEEPERS = 4;
    private static final int MOST_IN_FLIGHT = 65_535;
    private static final int OFTEN = 2;
    private static final int SELDOM = 4;

    /** Longer than a subscriber is ever sent away, and shorter than a clock is set off. */
    private static final Duration LONGEST_ABSENCE = Duration.ofMinutes(40);

    private final TestCluster cluster;
    private final Random random;
    private final FaultContext context;
    private final LoadContext scene;
    private final Judge judge;
    private final LoadClients cast;
    private final Probe probe;
    private final FaultReport report = new FaultReport();
    private final List<LoadSubscriber> flapping = new ArrayList<>();

    /** Those that may be away during a fault: one fault in so many. */
    private final Map<LoadSubscriber, Integer> restless = new LinkedHashMap<>();

    /** Those that are away during each fault, and back after it. */
    private final List<LoadSubscriber> sleepers = new ArrayList<>();

    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("fault-run").factory());

    /** Whether publishers may go on, and the flapping subscriber flaps. */
    private volatile boolean flowing;

    /**
     * Casts the clients; {@link #begin} has them connect.
     *
     * @param casting who they are
     * @param random decides which parts are harmed
     * @param pause for how long a node stands still
     * @param outage for how long Redis does
     * @param messagesPerSecond of each publisher
     */
    FaultRun(
            TestCluster cluster,
            Casting casting,
            Random random,
            Duration pause,
            Duration outage,
            int messagesPerSecond) {
        this.cluster = cluster;
        this.random = random;
        scene = LoadContext.of(this::anyPort, cluster.way(), CLIENT_PATIENCE);
        judge = scene.judge();
        context = new FaultContext(cluster, random, pause, outage, new Flow());
        cast = new LoadClients(scene);
        probe = new Probe(cluster);
        switch (casting) {
            case ALL_KINDS -> assembleAllKinds();
            case FAN_IN -> assembleFanIn();
            case STEADY -> assembleSteady();
        }
        long periodMicros = TimeUnit.SECONDS.toMicros(1) / messagesPerSecond;
        var _ = clock.scheduleAtFixedRate(this::drip, 0, periodMicros, TimeUnit.MICROSECONDS);
        var _ = clock.scheduleAtFixedRate(this::flap, 0, FLAP.toMillis(), TimeUnit.MILLISECONDS);
    }

    private LoadSubscriber add(LoadSubscriber subscriber) {
        cast.add(subscriber);
        return subscriber;
    }

    /** Adds one that is away during one fault in so many. */
    private void addRestless(LoadSubscriber subscriber, int odds) {
        restless.put(add(subscriber), odds);
    }

    private LoadSubscriber ofAll(String name, ProtocolVersion version) {
        return LoadSubscriber.ofAll(scene, name, version, MOST_IN_FLIGHT, 0);
    }

    private void assembleFanIn() {
        flapping.add(add(ofAll("app-flapping", ProtocolVersion.MQTT_5)));
        addRestless(LoadSubscriber.ofAll(scene, "app-sometimes", ProtocolVersion.MQTT_3_1_1, MOST_IN_FLIGHT, 3), OFTEN);
        cast.add(ofAll("app-always", ProtocolVersion.MQTT_5));
        judge.addGroup("app-group", QoS.AT_LEAST_ONCE);
        addRestless(LoadSubscriber.member(scene, "app-group", "app-member1"), SELDOM);
        addRestless(LoadSubscriber.member(scene, "app-group", "app-member2"), SELDOM);
        for (int i = 3; i <= 5; i++) {
            cast.add(LoadSubscriber.member(scene, "app-group", "app-member" + i));
        }
        for (int i = 0; i < FAN_IN_PUBLISHERS; i++) {
            ProtocolVersion version = i % 2 == 0 ? ProtocolVersion.MQTT_5 : ProtocolVersion.MQTT_3_1_1;
            cast.add(new LoadPublisher(scene, version, QoS.AT_LEAST_ONCE, i % 3 == 0));
        }
    }

    private void assembleSteady() {
        LoadContext kept =
                scene.at(() -> port(cluster.without(Set.of(cluster.names().getLast()))));
        for (int i = 1; i <= 3; i++) {
            ProtocolVersion version = i % 2 == 0 ? ProtocolVersion.MQTT_3_1_1 : ProtocolVersion.MQTT_5;
            cast.add(LoadSubscriber.ofAll(kept, "steady" + i, version, MOST_IN_FLIGHT, 0));
        }
        cast.add(new LoadPublisher(scene, ProtocolVersion.MQTT_5, QoS.AT_LEAST_ONCE, true));
        cast.add(new LoadPublisher(scene, ProtocolVersion.MQTT_3_1_1, QoS.AT_LEAST_ONCE, false));
        cast.add(new LoadPublisher(scene, ProtocolVersion.MQTT_5, QoS.EXACTLY_ONCE, true));
    }

    private void assembleAllKinds() {
        cast.add(ofAll("online5", ProtocolVersion.MQTT_5));
        cast.add(ofAll("online3", ProtocolVersion.MQTT_3_1_1));
        cast.add(LoadSubscriber.ofAll(scene, "slow", ProtocolVersion.MQTT_5, 20, 10));
        flapping.add(add(ofAll("flapping", ProtocolVersion.MQTT_5)));
        addRestless(LoadSubscriber.ofAll(scene, "sometimes", ProtocolVersion.MQTT_3_1_1, MOST_IN_FLIGHT, 3), OFTEN);
        for (int i = 1; i <= SLEEPERS; i++) {
            sleepers.add(add(LoadSubscriber.sleeper(scene, "sleeper" + i, LONGEST_ABSENCE)));
        }
        judge.addGroup("group", QoS.EXACTLY_ONCE);
        addRestless(LoadSubscriber.member(scene, "group", "member1"), SELDOM);
        cast.add(LoadSubscriber.member(scene, "group", "member2"));
        cast.add(LoadSubscriber.member(scene, "group", "member3"));
        addRestless(ofAll("app-all", ProtocolVersion.MQTT_5), OFTEN);
        judge.addGroup("app-group", QoS.AT_LEAST_ONCE);
        addRestless(LoadSubscriber.member(scene, "app-group", "app-member1"), SELDOM);
        cast.add(LoadSubscriber.member(scene, "app-group", "app-member2"));
        cast.add(LoadSubscriber.member(scene, "app-group", "app-member3"));
        cast.add(LoadSubscriber.ofWills(scene, "mourner1"));
        cast.add(LoadSubscriber.ofWills(scene, "mourner2"));
        cast.add(new LoadPublisher(scene, ProtocolVersion.MQTT_5, QoS.AT_LEAST_ONCE, true));
        cast.add(new LoadPublisher(scene, ProtocolVersion.MQTT_3_1_1, QoS.AT_LEAST_ONCE, true));
        cast.add(new LoadPublisher(scene, ProtocolVersion.MQTT_3_1_1, QoS.AT_LEAST_ONCE, false));
        cast.add(new LoadPublisher(scene, ProtocolVersion.MQTT_5, QoS.EXACTLY_ONCE, true));
        cast.add(new LoadPublisher(scene, ProtocolVersion.MQTT_5, QoS.EXACTLY_ONCE, true));
        cast.add(new LoadPublisher(scene, ProtocolVersion.MQTT_3_1_1, QoS.EXACTLY_ONCE, true));
        for (QoS qos : List.of(QoS.AT_LEAST_ONCE, QoS.EXACTLY_ONCE)) {
            for (boolean persistent : List.of(true, false)) {
                for (boolean patient : List.of(true, false)) {
                    cast.add(new ClientWithWill(scene, qos, persistent, patient));
                }
            }
        }
    }

    /** Has the clients connect, and publish. */
    void begin() {
        probe.await(List.copyOf(cluster.nodes()), PATIENCE);
        cast.begin(PATIENCE);
        flowing = true;
    }

    /**
     * Breaks something, heals it, and waits until the cluster works. {@link #text} has a line more then.
     */
    void play(Fault fault) {
        play(fault.toString(), () -> fault.strike(context));
    }

    /** The same with what is no {@link Fault}. */
    void play(String fault, Supplier<InflictedFault> strike) {
        restless.forEach((subscriber, odds) -> subscriber.setAway(random.nextInt(odds) == 0));
        sleepers.forEach(sleeper -> sleeper.setAway(true));
        cast.leaveAndReturn(PATIENCE);
        cast.awaitAway(PATIENCE);
        awaitTraffic();
        Counts before = judge.counts();
        judge.fault();
        long startNanos = System.nanoTime();
        InflictedFault wound = strike.get();
        Duration others = null;
        if (wound.goesOn()) {
            probe.await(cluster.without(wound.lostNodes()), PATIENCE);
            others = since(startNanos);
        }
        wound.cure().run();
        probe.await(List.copyOf(cluster.nodes()), PATIENCE);
        Duration whole = since(startNanos);
        judge.fault();
        sleepers.forEach(sleeper -> sleeper.setAway(false));
        awaitTraffic();
        if (random.nextInt(3) == 0) {
            flowing = false;
            cast.awaitQuiet(PATIENCE);
            flowing = true;
        }
        report.add(fault, wound.what(), others, whole, judge.counts().minus(before));
    }

    /**
     * All come back, and each publisher publishes one message more: what a QoS 2 message came twice for came before it.
     */
    void finish() {
        flowing = false;
        cast.subscribers().forEach(subscriber -> subscriber.setAway(false));
        cast.awaitQuiet(PATIENCE);
        scene.rounds().allow(1);
        cast.awaitQuiet(PATIENCE);
        cast.verdict();
    }

    /** What went against the promises so far. */
    List<String> violations() {
        return judge.violations();
    }

    /** All that was measured, and the verdict. */
    String text() {
        Counts counts = judge.counts();
        return report.text()
                + "%n%d published, %d acknowledged, %d received, %d resent; at QoS 1 %d duplicates, %d of them without DUP%n"
                        .formatted(
                                counts.published(),
                                counts.acknowledged(),
                                counts.received(),
                                counts.resent(),
                                counts.duplicates(),
                                counts.unmarked())
                + (violations().isEmpty()
                        ? "no acknowledged message lost, none twice at QoS 2, order kept; each of %d broken connections had its will, once%n"
                                .formatted(scene.wills().deaths())
                        : "VIOLATIONS:\n" + String.join("\n", violations()) + "\n");
    }

    private void awaitTraffic() {
        long enough = judge.counts().acknowledged() + TRAFFIC;
        await("messages are acknowledged")
                .atMost(PATIENCE)
                .until(() -> !violations().isEmpty() || judge.counts().acknowledged() >= enough);
    }

    /** What faults may do to the traffic. */
    private final class Flow implements FaultContext.Traffic {
        @Override
        public void await() {
            awaitTraffic();
        }

        @Override
        public void calm() {
            restless.keySet().forEach(subscriber -> subscriber.setAway(false));
            flowing = false;
            cast.awaitQuiet(PATIENCE);
        }

        @Override
        public void goOn() {
            flowing = true;
        }

        @Override
        public void probe() {
            probe.await(List.copyOf(cluster.nodes()), PATIENCE);
        }
    }

    private int anyPort() {
        return port(cluster.upNodes());
    }

    private static int port(List<BrokerProcess> nodes) {
        return nodes.get(ThreadLocalRandom.current().nextInt(nodes.size())).tcpPort();
    }

    private void drip() {
        if (flowing) {
            scene.rounds().allow(1);
        }
    }

    private void flap() {
        if (flowing) {
            flapping.forEach(subscriber -> subscriber.setAway(!subscriber.isAway()));
        }
    }

    private static Duration since(long nanos) {
        return Duration.ofNanos(System.nanoTime() - nanos);
    }

    /** Ends all clients; the cluster stays. */
    @Override
    public void close() {
        clock.shutdownNow();
        cast.close();
    }
}
