package io.tributary.broker.canary;

import io.netty.util.concurrent.ScheduledFuture;
import io.tributary.broker.canary.CanaryRecorder.Kind;
import io.tributary.broker.canary.CanaryRecorder.To;
import io.tributary.broker.connection.AccessControl;
import io.tributary.broker.connection.Backend;
import io.tributary.broker.connection.ClientConnections;
import io.tributary.broker.connection.ClientRecorder;
import io.tributary.broker.connection.ConnectionServices;
import io.tributary.broker.connection.Extensions;
import io.tributary.broker.delivery.ConnectionRegistry;
import io.tributary.broker.loop.LoopMailbox;
import io.tributary.broker.security.Authenticator;
import io.tributary.broker.security.Authenticator.Accepted;
import io.tributary.broker.security.Authorizer;
import io.tributary.broker.security.BanList;
import io.tributary.broker.security.ClientRules;
import io.tributary.broker.security.SessionTakeover;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.ReasonCode;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The canary of a node: a transient and a persistent session of its own, each of which publishes, round by round, a
 * message to the session of the same kind at this node and at some of the other nodes. A message names where it came
 * from (Response Topic); another node's canary sends it back there, and this node takes the time from one to the other.
 * So no two clocks are compared. One round is under way at a time: it is over when all has come back, or after the
 * timeout, when what is missing counts as lost.
 *
 * <p>A node without a canary (of an older version, or where it is off, or is only starting) has no subscription for the
 * message, as the PUBACK says: nothing is expected of it.
 *
 * <p>Its sessions and topics are those of {@link Principal#BROKER}, which no client can name and no count has. They are
 * confined to one event loop.
 */
public final class Canary {
    private static final Logger LOG = LoggerFactory.getLogger(Canary.class);

    /** How many other nodes are asked in a round; all of them have their turn. */
    private static final int MOST_OTHERS = 2;

    /** From one round to the next as long as the node waits for them. */
    private static final long FIRST_ROUNDS_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** The longest pause after a round that was not good, as long as the node waits for them. */
    private static final long FIRST_ROUNDS_LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** For how many timeouts what one other node does, or does not, keeps this one from being ready. */
    private static final int PATIENCE_TIMEOUTS = 6;

    /** For how many timeouts silence of all that were asked does: they may have too much to do, and need this one. */
    private static final int LONG_PATIENCE_TIMEOUTS = 60;

    private static final String TOPICS = "canary/";

    private final CanaryConfig config;
    private final String name;
    private final Surroundings surroundings;
    private final CanaryGate gate;
    private final CanaryRecorder recorder;
    private final ConnectionServices services;
    private final ClientConnections connections;
    private final LoopMailbox loop;

    // Confined to the event loop.
    private final Map<Kind, CanaryClient> clients = new EnumMap<>(Kind.class);
    private final Map<Long, Probe> probes = new HashMap<>();
    private Round round = new Round(Set.of());
    private long lastProbe = ThreadLocalRandom.current().nextLong() >>> 1;
    private long firstNanos;
    private int turn;
    private @Nullable ScheduledFuture<?> timer;
    private boolean wasGood = true;
    private @Nullable CompletableFuture<Void> closing;

    /**
     * What the canary asks of its node; any thread.
     *
     * @param others the names of the other nodes that serve clients
     * @param isPossible whether records may be written that name the canary's sessions
     */
    public record Surroundings(Supplier<List<String>> others, BooleanSupplier isPossible) {}

    /** A message that is to come back; to another node, or to this one where that is null. */
    private record Probe(Kind kind, @Nullable String other, long sentNanos) {
        To to() {
            return other == null ? To.SELF : To.OTHERS;
        }

        @Override
        public String toString() {
            return (other == null ? "this node" : other) + " through the " + word(kind) + " session";
        }
    }

    /** What has become of a round so far: the other nodes that it asked, and which have a canary. */
    private static final class Round {
        private final long begunNanos = System.nanoTime();
        private final Set<Kind> unsent = new HashSet<>();
        private final Set<String> others;
        private final Set<String> answering = new HashSet<>();
        private final Set<String> absent = new HashSet<>();
        private final List<Probe> lost = new ArrayList<>();

        private Round(Set<String> others) {
            this.others = others;
        }
    }

    /**
     * Creates one that does nothing yet.
     *
     * @param name of this node, as other nodes' canaries know it
     * @param node the name of this node, to which shards' owners send their answers
     * @param backend the parts of the node that connections call, with a router that counts nothing
     * @param registry where deliveries find connections
     * @param clock the time by which messages expire
     */
    public Canary(
            CanaryConfig config,
            String name,
            String node,
            Backend backend,
            ConnectionRegistry registry,
            LoopMailbox loop,
            InstantSource clock,
            Surroundings surroundings,
            CanaryGate gate,
            CanaryRecorder recorder) {
        this.config = config;
        this.name = name;
        this.surroundings = surroundings;
        this.gate = gate;
        this.recorder = recorder;
        this.loop = loop;
        connections = new ClientConnections(registry);
        services = new ConnectionServices(node, backend, access(), Extensions.NONE, ClientRecorder.NONE, clock);
    }

    private static AccessControl access() {
        Accepted broker = new Accepted(ClientKind.DEVICE, Principal.BROKER);
        return new AccessControl(
                (_, _) -> Authenticator.answer(broker),
                Map.of(),
                Authorizer.allowAll(),
                ClientRules.NONE,
                SessionTakeover.PRINCIPAL,
                BanList.NONE);
    }

    /** Begins the rounds; any thread. Once the event loop ends, nothing more happens. */
    public void start() {
        loop.post(() -> {
            firstNanos = System.nanoTime();
            begin();
        });
    }

    /**
     * Ends the rounds and the sessions, which leaves nothing behind; any thread.
     *
     * @return completes when the sessions are over; not when they cannot be ended
     */
    public CompletionStage<Void> close() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        loop.post(() -> {
            closing = done;
            stopTimer();
            probes.clear();
            List.copyOf(clients.values()).forEach(CanaryClient::end);
            completeWhenClosed();
        });
        return done;
    }

    private void begin() {
        if (closing != null) {
            return;
        }
        if (!surroundings.isPossible().getAsBoolean()) {
            awaitFormat();
            return;
        }
        round = new Round(others());
        schedule(config.timeout().toNanos(), this::timeout);
        round.unsent.addAll(List.of(Kind.values()));
        for (Kind kind : Kind.values()) {
            CanaryClient client = clients.computeIfAbsent(kind, this::connect);
            if (client.isSubscribed()) {
                send(client);
            }
        }
    }

    /** A node that has just joined learns in a moment that all others read the newest format, unless one does not. */
    private void awaitFormat() {
        gate.bad("a node is there that knows no canary, by the format of its records");
        if (isOver(PATIENCE_TIMEOUTS) && gate.open()) {
            LOG.warn("the canary's rounds are waited for no longer: records are written in a format without its names");
        }
        schedule(gate.isOpen() ? config.interval().toNanos() : FIRST_ROUNDS_PAUSE_NANOS, this::begin);
    }

    private boolean isOver(int timeouts) {
        return System.nanoTime() - firstNanos > timeouts * config.timeout().toNanos();
    }

    private CanaryClient connect(Kind kind) {
        CanaryClient client =
                new CanaryClient(kind, clientId(kind), topic(kind, name), services, connections, loop, new Sessions());
        loop.post(client::open); // when it can be found
        return client;
    }

    private static String clientId(Kind kind, String node) {
        return TOPICS + word(kind) + "/" + node;
    }

    private String clientId(Kind kind) {
        return clientId(kind, name);
    }

    /** One level for the node, whose name may have any character but {@code #}. */
    private static String topic(Kind kind, String node) {
        String level = node.replace("%", "%25").replace("/", "%2F").replace("+", "%2B");
        return TOPICS + word(kind) + "/" + level;
    }

    /** The others that have their turn. */
    private Set<String> others() {
        List<String> all = surroundings.others().get().stream().sorted().toList();
        Set<String> next = new HashSet<>();
        for (int i = 0; i < Math.min(MOST_OTHERS, all.size()); i++) {
            next.add(all.get(Math.floorMod(turn++, all.size())));
        }
        return next;
    }

    private void send(CanaryClient client) {
        round.unsent.remove(client.kind());
        send(client, null);
        round.others.forEach(other -> send(client, other));
        endWhenComplete();
    }

    private void send(CanaryClient client, @Nullable String other) {
        long number = ++lastProbe;
        Probe probe = new Probe(client.kind(), other, System.nanoTime());
        probes.put(number, probe);
        PublishProperties properties = new PublishProperties(
                null,
                null,
                topic(client.kind(), name),
                ByteBuffer.allocate(Long.BYTES).putLong(number).array(),
                List.of());
        String to = topic(client.kind(), other == null ? name : other);
        if (!client.publish(to, properties, expirySeconds(), reason -> acknowledged(number, reason))) {
            lose(number);
        }
    }

    private long expirySeconds() {
        return Math.max(1, config.timeout().toSeconds());
    }

    private void acknowledged(long number, ReasonCode reason) {
        Probe probe = probes.get(number);
        if (probe == null) {
            return;
        }
        if (reason == ReasonCode.NO_MATCHING_SUBSCRIBERS && probe.other() != null) {
            probes.remove(number); // it has no canary
            if (probe.kind() == Kind.TRANSIENT) {
                round.absent.add(probe.other()); // a persistent session that it has is of the process before
            }
        } else if (reason != ReasonCode.SUCCESS) {
            lose(number);
        }
        endWhenComplete();
    }

    private void came(CanaryClient client, PublishProperties properties) {
        String from = properties.responseTopic();
        byte[] number = properties.correlationData();
        if (from == null || number == null || number.length != Long.BYTES) {
            return;
        }
        if (!from.equals(topic(client.kind(), name))) {
            boolean _ = client.publish(from, properties, expirySeconds(), _ -> {});
            return;
        }
        Probe probe = probes.remove(ByteBuffer.wrap(number).getLong());
        if (probe != null) {
            recorder.cameBack(probe.kind(), probe.to(), System.nanoTime() - probe.sentNanos());
            if (probe.other() != null) {
                round.answering.add(probe.other());
            }
            endWhenComplete();
        }
    }

    private void lose(long number) {
        Probe probe = probes.remove(number);
        if (probe != null) {
            round.lost.add(probe);
            recorder.lost(probe.kind(), probe.to());
        }
    }

    private void timeout() {
        List.of(Kind.values()).forEach(this::loseAll);
        endWhenComplete();
    }

    /** Nothing more of this round comes through sessions of that kind. */
    private void loseAll(Kind kind) {
        List.copyOf(probes.entrySet()).stream()
                .filter(probe -> probe.getValue().kind() == kind)
                .forEach(probe -> lose(probe.getKey()));
        if (round.unsent.remove(kind)) { // there was no session to send it from
            round.lost.add(new Probe(kind, null, round.begunNanos));
            recorder.lost(kind, To.SELF);
        }
    }

    private boolean isUnderWay() {
        return !probes.isEmpty() || !round.unsent.isEmpty();
    }

    private void endWhenComplete() {
        if (closing == null && !isUnderWay()) {
            stopTimer();
            end(round);
        }
    }

    private void end(Round over) {
        String words = over.lost.stream()
                .map(Probe::toString)
                .distinct()
                .sorted()
                .collect(Collectors.joining(", ", "nothing came back from ", ""));
        boolean isGood = isGood(over);
        if (isGood && gate.good()) {
            LOG.info(
                    "the canary's first rounds were good, after {} ms{}",
                    TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - firstNanos),
                    over.lost.isEmpty() ? "" : ", though " + words);
        } else if (!isGood) {
            gate.bad(words);
        }
        if (!over.lost.isEmpty() && wasGood) {
            LOG.warn("canary: {}", words);
        } else if (over.lost.isEmpty() && !wasGood) {
            LOG.info("canary: all comes back again");
        }
        wasGood = over.lost.isEmpty();
        schedule(pauseNanos(over, isGood), this::begin);
    }

    private long pauseNanos(Round over, boolean isGood) {
        if (isGood && !gate.isOpen()) {
            return FIRST_ROUNDS_PAUSE_NANOS;
        }
        long nanos = Math.max(0, over.begunNanos + config.interval().toNanos() - System.nanoTime());
        return gate.isOpen() ? nanos : Math.min(nanos, FIRST_ROUNDS_LONGEST_PAUSE_NANOS);
    }

    /**
     * Whether a round speaks for this node. What another node does not answer may be that node's fault: after a while
     * it is held against this one no more, and after a longer while not even where none of several answers.
     */
    private boolean isGood(Round over) {
        Set<String> silent = over.lost.stream()
                .map(Probe::other)
                .filter(other -> other != null)
                .collect(Collectors.toCollection(HashSet::new));
        silent.removeAll(over.absent);
        boolean isSelfGood = over.lost.stream().noneMatch(probe -> probe.other() == null);
        Set<String> asked = new HashSet<>(over.answering);
        asked.addAll(silent);
        boolean isExcused = isOver(LONG_PATIENCE_TIMEOUTS)
                || (isOver(PATIENCE_TIMEOUTS) && (silent.size() < asked.size() || asked.size() == 1));
        return isSelfGood && (silent.isEmpty() || isExcused);
    }

    private void schedule(long nanos, Runnable action) {
        stopTimer();
        timer = loop.loop().schedule(() -> loop.run(() -> attempt(action)), nanos, TimeUnit.NANOSECONDS);
    }

    /** A defect must not end the rounds without a word. */
    private void attempt(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException e) {
            LOG.error("a defect of the broker: the canary's round failed", e);
            schedule(FIRST_ROUNDS_LONGEST_PAUSE_NANOS, this::begin);
        }
    }

    private void stopTimer() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }

    private void completeWhenClosed() {
        if (closing != null && clients.isEmpty()) {
            closing.complete(null);
        }
    }

    private static String word(Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    /** What the clients tell. */
    private final class Sessions implements CanaryClient.Owner {
        @Override
        public void subscribed(CanaryClient client) {
            if (closing == null && round.unsent.contains(client.kind())) {
                send(client);
            }
        }

        @Override
        public void came(CanaryClient client, PublishProperties properties) {
            Canary.this.came(client, properties);
        }

        /** The next round connects again. */
        @Override
        public void closed(CanaryClient client) {
            if (clients.remove(client.kind(), client) && closing == null && isUnderWay()) {
                loseAll(client.kind());
                endWhenComplete();
            }
            completeWhenClosed();
        }
    }
}
