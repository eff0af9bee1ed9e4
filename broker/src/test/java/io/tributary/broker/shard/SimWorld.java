package io.tributary.broker.shard;

import static io.tributary.broker.shard.SimFault.APPENDS_FAIL;
import static io.tributary.broker.shard.SimFault.BREAKS;
import static io.tributary.broker.shard.SimFault.CLOCKS;
import static io.tributary.broker.shard.SimFault.CLUSTER;
import static io.tributary.broker.shard.SimFault.CRASHES;
import static io.tributary.broker.shard.SimFault.CUTS;
import static io.tributary.broker.shard.SimFault.CUT_OFFS;
import static io.tributary.broker.shard.SimFault.LIMITS;
import static io.tributary.broker.shard.SimFault.PAUSES;
import static io.tributary.broker.shard.SimFault.STORE_FAILS;
import static io.tributary.broker.shard.SimFault.TAKEOVERS;
import static io.tributary.broker.shard.SimFault.TIME_TRAVEL;
import static io.tributary.broker.shard.SimFault.TOPICS_DELETED;

import io.tributary.broker.shard.QueueLimits.Overflow;
import io.tributary.broker.shard.fold.SessionState;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.EventCodec;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.Will;
import io.tributary.persistence.app.AppTopics;
import io.tributary.persistence.shard.LogRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One history: clients, the processes that serve them, the log and the store, and what goes wrong, all drawn from one
 * seed. When the actions are over everything is healed, all clients come back, and the ledger is settled.
 */
final class SimWorld {
    /** Of a session that is behind, three or four messages are kept. */
    private static final int TIGHT_DELIVERY_BYTES = 2048;

    static final String WATCHER = "watcher";
    static final String WILLS = "wills";
    private static final String GUEST = "guest";
    static final String GROUP = "$share/g/work";
    private static final String WORK = "work";
    private static final List<String> TOPICS = List.of("a", "b", WORK);
    private static final int SHARDS = 3;
    private static final int BEGINNING_MILLIS = 1000;
    /** How long a broken connection, a broken link or a dead process may go unnoticed. */
    static final int LATEST_NOTICE_MILLIS = 3000;

    /** How long a process does not reach the log at most. */
    private static final int LONGEST_CUT_MILLIS = 8000;

    private static final int LONGEST_SETTLING_MILLIS = 120_000;
    /** Longer than a history. */
    private static final List<Integer> PRIORITIES = List.of(0, 0, 0, 1, 2, 3);

    private static final int LONG_EXPIRY_MILLIS = 3_600_000;

    final SimClock clock;
    final Set<SimFault> faults;
    final SimLog log;
    final SimStore store;
    final SimTopics topics;
    final SimRouting routing;
    final ShardConfig config;
    final Drops recorder = new Drops();
    final Ledger ledger;
    private final List<SimClient> clients = new ArrayList<>();
    private final List<SimNode> nodes = new ArrayList<>();
    private final List<SimFront> fronts = new ArrayList<>();
    private final Set<String> deadFronts = new HashSet<>();
    private int incarnation;
    private boolean hadFault;

    /** Whether some messages have a priority. */
    private boolean hasPriorities;

    /** Counts what the shards drop. */
    static final class Drops implements ShardRecorder {
        int queueFull;
        long recordsLost;
        int restored;

        /** Whether the topics of expired messages are read from the store. */
        private boolean countsDeadlines;

        @Override
        public boolean countsDeadlines() {
            return countsDeadlines;
        }

        @Override
        public void recordsLost(long records) {
            recordsLost += records;
        }

        @Override
        public void restored(int shard) {
            restored++;
        }

        @Override
        public void dropped(Drop reason) {
            queueFull += reason == Drop.QUEUE_FULL ? 1 : 0;
        }
    }

    SimWorld(long seed, List<Ledger.Promise> promises) {
        this(new SimClock(seed), null, promises, SimRouting::new);
        if (clock.chance(0.5)) {
            log.tighten();
        }
        if (clock.chance(0.3)) {
            log.readSlowly();
        }
        log.failures(faults.contains(APPENDS_FAIL));
        hadFault = faults.contains(APPENDS_FAIL);
        hasPriorities = clock.chance(0.4);
        recorder.countsDeadlines = clock.chance(0.3);
        drawClients();
    }

    /** A world in which only happens what a test does. */
    SimWorld(long seed, Set<SimFault> faults, List<Ledger.Promise> promises) {
        this(new SimClock(seed), faults, promises, SimRouting::new);
        addLoyalClients();
        begin();
    }

    /** A world without clients; all that happens is for the caller. */
    SimWorld(
            SimClock clock,
            @Nullable Set<SimFault> wanted,
            List<Ledger.Promise> promises,
            Function<SimClock, SimRouting> routingOf) {
        this.clock = clock;
        faults = wanted == null ? SimFault.drawnFrom(clock) : wanted;
        log = new SimLog(clock, SHARDS, faults.contains(TIME_TRAVEL));
        store = new SimStore(clock, SHARDS, faults.contains(TIME_TRAVEL));
        routing = routingOf.apply(clock);
        topics = new SimTopics(clock, routing::lives);
        config = drawConfig();
        ledger = new Ledger(this, promises);
        startFronts();
        startNodes();
    }

    /** Whether anything happened after which a message may be sent twice. */
    boolean hadFault() {
        return hadFault;
    }

    /** Whether an owner may end the client's connection of its own accord: the end of a log or a topic is gone. */
    boolean mayLoseConnectionOf(SimClient client) {
        return log.hasLostTail() || (faults.contains(TOPICS_DELETED) && client.kind.isApplication());
    }

    void fault() {
        hadFault = true;
    }

    List<SimClient> clients() {
        return clients;
    }

    SimClient client(String name) {
        return clients.stream().filter(one -> one.name.equals(name)).findFirst().orElseThrow();
    }

    /** Whether the shared subscription has a member that may end its session. */
    boolean hasGuest() {
        return clients.stream().anyMatch(one -> one.name.equals(GUEST));
    }

    List<SimFront> fronts() {
        return fronts;
    }

    SimFront anyFront() {
        return clock.oneOf(fronts);
    }

    Optional<SimFront> front(String name) {
        return fronts.stream().filter(front -> front.name().equals(name)).findFirst();
    }

    /** Whether all nodes know that a process is gone. */
    boolean isDead(String front) {
        return deadFronts.contains(front);
    }

    List<SimNode> nodes() {
        return nodes;
    }

    @Nullable
    SimNode ownerOf(int shard) {
        SimLog.View assignee = log.assignee(shard);
        return nodes.stream().filter(node -> node.log == assignee).findFirst().orElse(null);
    }

    /** Lives through the history and settles it. */
    void run() {
        begin();
        for (int actions = clock.between(20, 120); actions > 0; actions--) {
            clock.runUntil(clock.nowMillis() + (clock.chance(0.03) ? 4000 : clock.between(0, 120)));
            act();
        }
        finish();
    }

    /** Heals what is broken, waits until all is done, and judges. */
    void finish() {
        heal();
        settle();
        ledger.settled();
    }

    /** Lets time pass. */
    void pass(long millis) {
        clock.runUntil(clock.nowMillis() + millis);
    }

    /** Lets time pass until something has happened. */
    void passUntil(BooleanSupplier hasHappened) {
        long deadline = clock.nowMillis() + LONGEST_SETTLING_MILLIS;
        while (!hasHappened.getAsBoolean()) {
            if (clock.nowMillis() > deadline) {
                throw new Violation("it does not happen");
            }
            pass(1);
        }
    }

    /** Adds a client with a subscription, and connects it. */
    SimClient join(String name, String topic, QoS qos) {
        add(name, false, SessionState.NEVER_EXPIRES_SECONDS, wish(topic, qos));
        SimClient client = client(name);
        client.connect(new SimConnection.Connect(false, SessionState.NEVER_EXPIRES_SECONDS, 5, null));
        passUntil(client::isConnected);
        return client;
    }

    /** The shard of a client. */
    int shardOf(SimClient client) {
        return InstantTopics.appender(log.view()).shardOf(client.name);
    }

    /** Whether every shard is served. */
    boolean isLive() {
        for (int shard = 0; shard < SHARDS; shard++) {
            SimNode owner = ownerOf(shard);
            if (owner == null || !owner.driver(shard).isLive()) {
                return false;
            }
        }
        return true;
    }

    /** Gives a shard to a node that has not got it. */
    void moveToOther(int shard) {
        hadFault = true;
        SimNode owner = ownerOf(shard);
        nodes.stream().filter(node -> node != owner).findFirst().ifPresent(node -> log.assign(shard, node.log));
    }

    /** Five times the number from a bound on: the parts of a queue that are handed ahead are of long ones. */
    private static int sometimesLong(int number, int bound) {
        return number < bound ? number : 5 * number;
    }

    private ShardConfig drawConfig() {
        boolean tight = clock.chance(0.5);
        QueueLimits limits = faults.contains(LIMITS)
                ? new QueueLimits(
                        sometimesLong(clock.between(3, 10), 9), 1 << 20, clock.oneOf(List.of(Overflow.values())))
                : QueueLimits.defaults();
        return ShardConfig.builder()
                .threads(1)
                .savePointInterval(Duration.ofMillis(clock.between(10, 800)))
                .savePointMessages(tight ? clock.between(1, 3) : 500)
                .savePointSize(256 << 10)
                .windowMessages(sometimesLong(clock.between(1, 12), 11))
                .windowSize(clock.chance(0.2) ? 1024 : 1 << 20)
                .unsavedSize(tight ? clock.between(1, 20) * 1024L : 64 << 20)
                .deliverySize(tight ? TIGHT_DELIVERY_BYTES : 64 << 20)
                .retention(faults.contains(CUTS) ? Duration.ofSeconds(clock.between(10, 60)) : Duration.ZERO)
                .build()
                .with(limits, CatchUpPace.NONE);
    }

    private void addLoyalClients() {
        long forever = SessionState.NEVER_EXPIRES_SECONDS;
        add(WATCHER, true, forever, kind(), wish(WILLS, QoS.EXACTLY_ONCE), wish("a", QoS.EXACTLY_ONCE));
        for (String member : List.of("member-1", "member-2")) {
            add(
                    member,
                    true,
                    forever,
                    new SimRouting.Subscription(member, 0, WORK, QoS.EXACTLY_ONCE, GROUP, ClientKind.DEVICE));
        }
    }

    private void drawClients() {
        long forever = SessionState.NEVER_EXPIRES_SECONDS;
        addLoyalClients();
        if (clock.chance(0.5)) { // a member that may end its session
            long expiry = clock.oneOf(List.of(1L, 2L, 30L, forever));
            add(
                    GUEST,
                    false,
                    expiry,
                    new SimRouting.Subscription(GUEST, 0, WORK, QoS.EXACTLY_ONCE, GROUP, ClientKind.DEVICE));
        }
        for (int i = 1; i <= clock.between(1, 3); i++) {
            long expiry = clock.oneOf(List.of(2L, 30L, forever));
            add("device-" + i, false, expiry, kind(), wish("a", qos()), wish("b", qos()));
        }
        add("visitor", false, 0);
    }

    private void add(String name, boolean loyal, long expiry, SimRouting.Subscription... wishes) {
        add(name, loyal, expiry, ClientKind.DEVICE, wishes);
    }

    private void add(String name, boolean loyal, long expiry, ClientKind kind, SimRouting.Subscription... wishes) {
        clients.add(new SimClient(this, name, loyal, expiry, kind, List.of(wishes)));
    }

    private ClientKind kind() {
        return clock.oneOf(
                List.of(ClientKind.DEVICE, ClientKind.DEVICE, ClientKind.APPLICATION, ClientKind.SMALL_APPLICATION));
    }

    private static SimRouting.Subscription wish(String topic, QoS qos) {
        return new SimRouting.Subscription("", 0, topic, qos, null, ClientKind.DEVICE);
    }

    private QoS qos() {
        return clock.chance(0.5) ? QoS.AT_LEAST_ONCE : QoS.EXACTLY_ONCE;
    }

    /** Those who are to see everything are there from the start, if need be after several attempts. */
    private void begin() {
        List<SimClient> loyal =
                clients.stream().filter(client -> client.isLoyal).toList();
        long deadline = clock.nowMillis() + LONGEST_SETTLING_MILLIS;
        do {
            if (clock.nowMillis() > deadline) {
                throw new Violation("the history does not begin");
            }
            loyal.stream()
                    .filter(client -> !client.isConnecting())
                    .forEach(client -> client.connect(client.wish(false, null)));
            pass(BEGINNING_MILLIS);
        } while (!loyal.stream().allMatch(SimClient::isConnected));
    }

    SimProcessClock processClock() {
        return new SimProcessClock(clock, faults.contains(CLOCKS));
    }

    // What happens.

    private void act() {
        int dice = clock.below(100);
        SimClient client = clock.oneOf(clients);
        if (clock.chance(0.04)) {
            anyFront().intrude(client, clock.chance(0.5), clock.oneOf(List.of(0L, 30L)));
        }
        if (!client.isConnecting()) {
            connect(client);
        } else if (faults.contains(CUT_OFFS) && !client.isConnected() && clock.chance(0.3)) {
            hadFault = true;
            client.breakConnection(); // it has waited long enough for an answer
        } else if (dice < 68) {
            publish(client);
        } else if (dice < 70) {
            publishMuch(client);
        } else if (dice < 80) {
            client.lazy(clock.chance(0.5));
        } else if (dice < 84) {
            disconnect(client);
        } else if (dice < 88 && faults.contains(BREAKS)) {
            hadFault = true;
            client.breakConnection();
        } else if (dice < 91 && faults.contains(TAKEOVERS)) {
            hadFault = true;
            publish(client); // is under way when the next connection comes
            connect(client);
        } else {
            fail();
        }
    }

    private void publishMuch(SimClient client) {
        for (int burst = clock.between(5, 25); burst > 0; burst--) {
            publish(client);
        }
    }

    private void publish(SimClient client) {
        long expiresAt = Message.NEVER;
        if (clock.chance(0.2)) {
            expiresAt = clock.nowMillis() + (clock.chance(0.5) ? clock.between(50, 3000) : LONG_EXPIRY_MILLIS);
        }
        client.publish(ledger.message(clock.oneOf(TOPICS), qos(), expiresAt, client.name, drawPriority()));
    }

    private int drawPriority() {
        return hasPriorities ? clock.oneOf(PRIORITIES) : 0;
    }

    private void connect(SimClient client) {
        if (clock.chance(0.3)) {
            return; // stays away for now
        }
        boolean clean = !client.isLoyal && clock.chance(0.15);
        SimConnection.Connect wish = client.wish(clean, drawWill(client));
        boolean comesForTheLastTime = !client.isLoyal && clock.chance(0.05);
        client.connect(
                comesForTheLastTime
                        ? new SimConnection.Connect(wish.cleanStart(), 0, wish.receiveMaximum(), wish.will())
                        : wish);
    }

    private @Nullable Will drawWill(SimClient client) {
        if (client.name.equals(WATCHER) || clock.chance(0.5)) {
            return null;
        }
        long delay = clock.oneOf(List.of(0L, 1L, 20L));
        return new Will(ledger.message(WILLS, QoS.EXACTLY_ONCE, Message.NEVER, client.name, drawPriority()), delay, -1);
    }

    private void disconnect(SimClient client) {
        hadFault |= !client.isIdle(); // it leaves without an acknowledgement
        boolean ends = !client.isLoyal && clock.chance(0.2);
        client.disconnect(clock.chance(0.3), ends ? 0 : client.expirySeconds);
        if (faults.contains(CLUSTER) && clock.chance(0.3)) { // just when its messages are handed over
            clock.after(clock.between(0, ends ? 300 : 60), this::move);
        }
    }

    private void fail() {
        int dice = clock.below(100);
        if (faults.contains(CUT_OFFS) && clock.chance(0.4)) {
            cutOff();
        } else if (faults.contains(TOPICS_DELETED) && clock.chance(0.2)) {
            deleteTopic();
        } else if (dice < 20 && faults.contains(CRASHES)) {
            crash();
        } else if (dice < 30 && faults.contains(CRASHES) && faults.contains(CLUSTER)) {
            crashOne(clock.oneOf(nodes));
        } else if (dice < 35 && faults.contains(CRASHES) && faults.contains(CLUSTER)) {
            crashFront(clock.oneOf(fronts));
        } else if (dice < 47 && faults.contains(CLUSTER) && faults.contains(BREAKS)) {
            breakLink(clock.oneOf(nodes), clock.oneOf(fronts));
        } else if (dice < 60 && faults.contains(CLUSTER)) {
            move();
        } else if (dice < 75 && faults.contains(PAUSES)) {
            pause(clock.oneOf(nodes));
        } else if (dice < 90 && faults.contains(STORE_FAILS)) {
            hadFault = true;
            store.failures(clock.chance(0.5) ? 0 : clock.oneOf(List.of(0.1, 1.0)));
        } else if (faults.contains(TIME_TRAVEL)) {
            goBackInTime();
        }
    }

    /**
     * A process reaches everything but the log. What it wrote meanwhile gets there among what clients publish, who use
     * the same packet identifiers again soon.
     */
    private void cutOff() {
        hadFault = true;
        int millis = clock.between(100, LONGEST_CUT_MILLIS);
        for (int times = 3; times > 0; times--) {
            clock.after(millis + clock.between(0, 50), () -> clients.forEach(this::publishMuch));
        }
        clock.after(millis + LATEST_NOTICE_MILLIS, () -> clients.forEach(this::publishMuch));
        if (clock.chance(0.7)) {
            clock.oneOf(fronts).cutOff(millis);
        } else {
            clock.oneOf(nodes).log.cutOff(millis);
        }
    }

    void move() {
        hadFault = true;
        int shard = clock.below(SHARDS);
        SimLog.View to = clock.oneOf(nodes).log;
        if (clock.chance(0.5)) {
            log.handOver(shard, to);
        } else {
            log.assign(shard, to);
        }
    }

    /** Somebody deletes the topic of an application, and with it what is in there. */
    private void deleteTopic() {
        hadFault = true;
        for (AppTopics.AppRecord gone : topics.deleteOne()) {
            ledger.of(gone.message()).lostFor.add(gone.recipient().clientId());
        }
    }

    void goBackInTime() {
        hadFault = true;
        int shard = clock.below(SHARDS);
        boolean isCut = faults.contains(CUTS) && log.cut(shard);
        if (isCut && clock.chance(0.5)) {
            store.empty(shard);
        } else {
            store.goBackInTime(shard);
        }
    }

    /** The log of a shard loses so many of its last records, and what they said may be lost. */
    void loseTail(int shard, int count) {
        hadFault = true;
        for (LogRecord record : log.loseTail(shard, count)) {
            if (record.value().length > 0) {
                switch (EventCodec.decode(record.value())) {
                    case ShardEvent.Publish publish -> ledger.of(publish.message()).mayBeLost = true;
                    case ShardEvent.Relay relay -> ledger.of(relay.message()).mayBeLost = true;
                    case ShardEvent.WillDue due -> ledger.of(due.message()).mayBeLost = true;
                    default -> {}
                }
            }
        }
    }

    /** All processes are killed and started again. */
    void crash() {
        hadFault = true;
        nodes.forEach(SimNode::die);
        nodes.clear();
        fronts.forEach(front -> {
            front.die();
            deadFronts.add(front.name());
        });
        fronts.clear();
        startFronts();
        startNodes();
    }

    private void startFronts() {
        for (int count = faults.contains(CLUSTER) ? 2 : 1; count > 0; count--) {
            startFront();
        }
    }

    private void startFront() {
        fronts.add(new SimFront(this, "node/" + incarnation++));
    }

    void crashFront(SimFront front) {
        hadFault = true;
        front.die();
        fronts.remove(front);
        startFront();
        clock.after(clock.between(0, LATEST_NOTICE_MILLIS), () -> {
            deadFronts.add(front.name());
            nodes.forEach(node -> node.gone(front.name()));
        });
    }

    void breakLink(SimNode node, SimFront front) {
        hadFault = true;
        node.cut(front);
        clock.after(clock.between(0, LATEST_NOTICE_MILLIS), () -> node.mend(front));
    }

    void crashOne(SimNode node) {
        hadFault = true;
        node.die();
        nodes.remove(node);
        nodes.add(new SimNode(this));
        for (int shard = 0; shard < SHARDS; shard++) {
            if (log.assignee(shard) == null) {
                log.assign(shard, clock.oneOf(nodes).log);
            }
        }
    }

    void pause(SimNode node) {
        hadFault = true;
        node.thread.pause();
        clock.after(clock.between(10, 4000), node.thread::goOn);
    }

    private void startNodes() {
        for (int count = faults.contains(CLUSTER) ? 2 : 1; count > 0; count--) {
            nodes.add(new SimNode(this));
        }
        for (int shard = 0; shard < SHARDS; shard++) {
            log.assign(shard, clock.oneOf(nodes).log);
        }
        if (faults.contains(TIME_TRAVEL) && incarnation > 2 && clock.chance(0.5)) { // while the shards are being loaded
            clock.after(clock.between(0, 60), this::goBackInTime);
        }
    }

    // The end.

    void heal() {
        store.failures(0);
        log.failures(false);
        nodes.forEach(node -> node.thread.goOn());
        nodes.forEach(node -> fronts.forEach(node::mend));
        clients.forEach(client -> client.isAway = !client.isLoyal && !client.isConnecting() && clock.chance(0.5));
    }

    /** Waits until what broke before has been noticed, and nothing is logged any more. */
    private void settle() {
        long noticedAt = clock.nowMillis() + (faults.contains(CUT_OFFS) ? LONGEST_CUT_MILLIS : LATEST_NOTICE_MILLIS);
        long deadline = clock.nowMillis() + LONGEST_SETTLING_MILLIS;
        boolean isNoticed;
        long seen;
        do {
            isNoticed = clock.nowMillis() >= noticedAt;
            seen = log.appended();
            for (int i = 0; i < 6; i++) {
                callBack();
                clock.runUntil(clock.nowMillis() + 500);
            }
            if (clock.nowMillis() > deadline) {
                throw new Violation("the history does not settle: " + unsettled());
            }
        } while (!isNoticed || log.appended() != seen || !unsettled().isEmpty());
    }

    private void callBack() {
        for (SimClient client : clients) {
            client.lazy(false);
            if (!client.isConnecting() && !client.isAway) {
                client.connect(client.wish(false, null));
            }
        }
    }

    List<String> unsettled() {
        List<String> names = new ArrayList<>();
        clients.stream()
                .filter(client -> !client.isAway && (!client.isConnected() || !client.isIdle()))
                .forEach(client -> names.add(client.name));
        for (int shard = 0; shard < SHARDS; shard++) {
            SimNode owner = ownerOf(shard);
            if (owner == null || !owner.driver(shard).isLive()) {
                names.add("shard " + shard);
            }
        }
        if (!fronts.stream().allMatch(SimFront::isLogged) || !nodes.stream().allMatch(SimNode::isLogged)) {
            names.add("appends");
        }
        return names;
    }
}
