package io.tributary.broker.shard;

import static io.tributary.broker.shard.SimFault.BREAKS;
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

import io.tributary.broker.group.GroupServices;
import io.tributary.broker.routing.Publisher;
import io.tributary.broker.routing.RouteOutcome;
import io.tributary.broker.security.Authorizer;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.subscription.SharedChoice;
import io.tributary.broker.subscription.SharedStrategy;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.broker.subscription.SubscriptionRequest;
import io.tributary.common.event.Destinations;
import io.tributary.common.event.GroupIdentifier;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.StoredSession;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.topic.TopicFilter;
import io.tributary.persistence.shard.LogRecord;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One history of a group of applications: its members, the hosts, the shards and maps behind them, and what goes wrong,
 * all drawn from one seed. When the actions are over everything is healed, and all must be delivered; then all members
 * leave, and the group must end.
 */
final class SimGroups {
    static final String GROUP = "$share/g/work";
    static final String CLIENT = GroupIdentifier.of(GROUP);
    /** How long a host that leaves waits for its members. */
    static final long PATIENCE_MILLIS = 5000;

    private static final List<String> PUBLISHERS = List.of("p1", "p2", "p3");
    private static final int SETTLING_MILLIS = 240_000;
    /** Longer than a process that has lost a session remembers that. */
    private static final int STABLE_MILLIS = 7000;

    final SimClock clock;
    final Set<SimFault> faults;
    final SimMap subscriptions;
    final SimMap routes;
    final SharedChoice choice;
    final GroupServices.Limits limits;
    final SimWorld shards;
    final GroupLedger ledger;
    private final List<SimHosts> all = new ArrayList<>();
    private final List<SimMember> members;
    private final Set<Set<String>> cuts = new HashSet<>();
    private final List<Subscriber> ended = new ArrayList<>();
    private long lastNumber;

    SimGroups(long seed, List<GroupLedger.Promise> promises) {
        clock = new SimClock(seed);
        faults = drawFaults();
        subscriptions = new SimMap(clock);
        routes = new SimMap(clock);
        choice = new SharedChoice(clock.oneOf(List.of(SharedStrategy.values())), clock.chance(0.5));
        ledger = new GroupLedger(this, promises);
        shards = new SimWorld(clock, faults, List.of(new MemoryIsReturned()), _ -> new Routing());
        limits = new GroupServices.Limits(
                shards.config.windowMessages(), shards.config.windowBytes(), clock.oneOf(List.of(0, 1, 2, 4)), 100);
        members = Stream.of("m1", "m2", "m3", "m4")
                .limit(clock.between(1, 4))
                .map(name -> new SimMember(this, name))
                .toList();
        follow();
        everySecond();
    }

    private Set<SimFault> drawFaults() {
        Set<SimFault> drawn = SimFault.drawnFrom(clock);
        drawn.removeAll(EnumSet.of(CUTS, LIMITS, TOPICS_DELETED, CUT_OFFS));
        if (clock.chance(0.6)) {
            drawn.add(CLUSTER);
        }
        return drawn;
    }

    /** The processes that live. */
    List<SimHosts> all() {
        return all;
    }

    SimHosts first() {
        return all.getFirst();
    }

    @Nullable
    SimHosts hosts(String name) {
        return all.stream()
                .filter(hosts -> hosts.front.name().equals(name))
                .findFirst()
                .orElse(null);
    }

    /** A number that nothing else has, larger than those before. */
    long nextNumber() {
        return ++lastNumber;
    }

    boolean isCut(String one, String other) {
        return cuts.contains(Set.of(one, other));
    }

    /** All that was ever logged in the shard of the group. */
    List<LogRecord> records() {
        return shards.log.records(first().front.shardOf(CLIENT));
    }

    /** The session of the group as its log says; null when there is none. */
    @Nullable
    StoredSession storedSession() {
        return FoldIsDeterministic.fold(records(), Long.MAX_VALUE).sessions.get(CLIENT);
    }

    /** A member's session is over, as its shard's owner says again until it is known. */
    void endSession(Subscriber session) {
        ended.add(session);
    }

    /** Lives through the history and settles it. */
    void run() {
        keepDeadLetters();
        for (int actions = clock.between(20, 150); actions > 0; actions--) {
            long pause = clock.chance(0.02) ? clock.between(20_000, 70_000) : clock.between(0, 120);
            pass(clock.chance(0.04) ? 4000 : pause);
            if (ledger.endsMillis() > clock.nowMillis() && clock.chance(0.1)) {
                comeWhenItEnds();
            }
            act();
        }
        settle();
        end();
    }

    private void pass(long millis) {
        clock.runUntil(clock.nowMillis() + millis);
    }

    private void everySecond() {
        clock.after(1000, this::everySecond);
        ledger.second();
        if (!all.isEmpty()) {
            ended.removeIf(session -> !first().subscriptions.lives(session.clientId(), session.identity()));
            ended.forEach(first().subscriptions::end);
        }
    }

    /** Somebody subscribes to dead letters, or nobody does and members get them again. */
    private void keepDeadLetters() {
        if (clock.chance(0.5)) {
            Subscriber keeper = new Subscriber("keeper", true, 0);
            SubscriptionRequest request =
                    new SubscriptionRequest(TopicFilter.parse("$dead-letter/#"), QoS.AT_LEAST_ONCE, false, false, 0);
            first().subscriptions.subscribe(keeper, 0, List.of(request));
            pass(1000);
        }
    }

    // What happens.

    private void act() {
        int dice = clock.below(100);
        SimMember member = clock.oneOf(members);
        if (dice < 45) {
            for (int burst = clock.chance(0.1) ? clock.between(5, 25) : 1; burst > 0; burst--) {
                publish(clock.oneOf(all));
            }
        } else if (dice < 60) {
            comeOrGo(member);
        } else if (dice < 72) {
            member.lazy(clock.chance(0.5));
        } else if (dice < 78) {
            member.disconnect();
        } else if (dice < 83 && faults.contains(BREAKS)) {
            member.breakConnection();
        } else if (dice < 88 && faults.contains(TAKEOVERS)) {
            member.connect(clock.oneOf(all));
        } else {
            fail();
        }
    }

    private void comeOrGo(SimMember member) {
        if (!member.isConnected()) {
            member.connect(clock.oneOf(all));
        }
        if (!member.wants()) {
            member.subscribe();
            if (clock.chance(0.2)) { // for a moment only
                clock.after(clock.between(0, 500), member::unsubscribe);
            }
        } else if (clock.chance(0.3)) {
            member.unsubscribe();
        } else if (clock.chance(0.1)) {
            member.endSession();
        }
    }

    /** A member comes, perhaps for a moment only, just when the host finds that nobody has been there long enough. */
    private void comeWhenItEnds() {
        pass(ledger.endsMillis() - clock.nowMillis() - clock.between(0, 50));
        SimMember member = clock.oneOf(members);
        if (!member.isConnected()) {
            member.connect(clock.oneOf(all));
        }
        pass(clock.between(0, 1200));
        member.subscribe();
        for (int i = clock.between(0, 10); i > 0; i--) {
            clock.after(clock.between(0, 100), () -> publish(clock.oneOf(all)));
        }
        if (clock.chance(0.5)) {
            clock.after(clock.between(0, 100), member::unsubscribe);
        }
        pass(150);
    }

    private void publish(SimHosts at) {
        String name = clock.oneOf(PUBLISHERS);
        Message message = shards.ledger.message("work", QoS.AT_LEAST_ONCE, Message.NEVER, name);
        ClientInfo client = new ClientInfo(name, null, ProtocolVersion.MQTT_5, "127.0.0.1:1", "tcp");
        Publisher publisher =
                new Publisher(client.clientId(), client, Authorizer.allowAll().bind(client), false, 1);
        at.front.execute(() -> {
            ledger.published(message);
            at.router.publish(publisher, message, 0, outcome -> {
                if (outcome instanceof RouteOutcome.Safe || outcome instanceof RouteOutcome.NoSubscribers) {
                    ledger.acknowledged(message);
                }
            });
        });
    }

    private void fail() {
        int dice = clock.below(100);
        SimHosts hosts = clock.oneOf(all);
        if (dice < 8 && faults.contains(CRASHES)) {
            shards.crash();
            follow();
        } else if (dice < 20 && faults.contains(CRASHES) && faults.contains(CLUSTER)) {
            crash(hosts.front);
        } else if (dice < 28 && faults.contains(CRASHES) && faults.contains(CLUSTER)) {
            shards.crashOne(clock.oneOf(shards.nodes()));
        } else if (dice < 38 && faults.contains(CLUSTER) && !hosts.isLeaving()) {
            hosts.leave();
        } else if (dice < 48 && faults.contains(BREAKS) && faults.contains(CLUSTER)) {
            shards.breakLink(clock.oneOf(shards.nodes()), hosts.front);
        } else if (dice < 58 && faults.contains(BREAKS) && faults.contains(CLUSTER)) {
            cut(hosts.front.name(), clock.oneOf(all).front.name());
        } else if (dice < 66 && faults.contains(CLUSTER)) {
            shards.move();
        } else if (dice < 72 && faults.contains(PAUSES)) {
            shards.pause(clock.oneOf(shards.nodes()));
        } else if (dice < 80 && faults.contains(PAUSES)) {
            pause(hosts.thread);
        } else if (dice < 88 && faults.contains(PAUSES)) {
            pause(clock.oneOf(hosts.maps()).reading);
        } else if (dice < 94 && faults.contains(STORE_FAILS)) {
            shards.store.failures(clock.chance(0.5) ? 0 : clock.oneOf(List.of(0.1, 1.0)));
        } else if (faults.contains(TIME_TRAVEL)) {
            shards.goBackInTime();
        }
    }

    private void pause(SimThread thread) {
        thread.pause();
        clock.after(clock.between(10, 4000), thread::goOn);
    }

    /** A process dies, and another one comes. */
    void crash(SimFront front) {
        shards.crashFront(front);
        follow();
    }

    private void cut(String one, String other) {
        if (!one.equals(other) && cuts.add(Set.of(one, other))) {
            ledger.cut(one, other);
            all.forEach(hosts -> hosts.peers().cut(hosts.front.name().equals(one) ? other : one));
            clock.after(clock.between(0, SimWorld.LATEST_NOTICE_MILLIS), () -> cuts.remove(Set.of(one, other)));
        }
    }

    /** The processes are other ones now. */
    private void follow() {
        for (SimHosts hosts : List.copyOf(all)) {
            if (!shards.fronts().contains(hosts.front)) {
                all.remove(hosts);
                hosts.die();
                members.forEach(member -> member.lost(hosts));
                String name = hosts.front.name();
                clock.after(
                        clock.between(0, SimWorld.LATEST_NOTICE_MILLIS),
                        () -> all.forEach(other -> other.peers().cut(name)));
            }
        }
        for (SimFront front : shards.fronts()) {
            if (hosts(front.name()) == null) {
                all.add(new SimHosts(this, front));
            }
        }
        all.sort((one, other) -> one.front.name().compareTo(other.front.name()));
    }

    // The end.

    private void heal() {
        shards.heal();
        cuts.clear();
        all.forEach(SimHosts::heal);
    }

    /** Waits until everything is delivered. */
    private void settle() {
        pass(1000); // who came for a moment only has gone
        if (members.stream().noneMatch(SimMember::wants)) {
            members.getFirst().subscribe();
        }
        waitUntil(() -> ledger.missing().isEmpty() && members.stream().allMatch(SimMember::isSettled));
        ledger.settled();
    }

    /** All members leave, and the group ends. */
    private void end() {
        for (SimMember member : members) {
            if (clock.chance(0.5)) {
                member.unsubscribe();
            } else {
                member.endSession();
            }
        }
        if (faults.contains(CRASHES) && clock.chance(0.3)) { // and there is no host that could see it
            pass(clock.between(0, 1000));
            shards.crash();
            follow();
        }
        waitUntil(() ->
                members.stream().allMatch(SimMember::isSettled) && all.stream().allMatch(this::isOver));
        ledger.ended();
        shards.ledger.settled();
    }

    private boolean isOver(SimHosts hosts) {
        return !hosts.hasHost() && hosts.subscriptions.sessionOf(GROUP) == null;
    }

    /** Waits until something is so for a while, and nothing is under way; no longer than for all that may take. */
    private void waitUntil(BooleanSupplier isSo) {
        long deadline = clock.nowMillis() + SETTLING_MILLIS;
        long sinceMillis = clock.nowMillis();
        while (clock.nowMillis() - sinceMillis < STABLE_MILLIS && clock.nowMillis() < deadline) {
            heal();
            callBack();
            long logged = shards.log.appended();
            pass(500);
            boolean isQuiet = shards.unsettled().isEmpty()
                    && shards.log.appended() == logged
                    && all.stream().noneMatch(SimHosts::isLeaving)
                    && all.stream().flatMap(hosts -> hosts.maps().stream()).allMatch(SimMap.View::isIdle);
            sinceMillis = isQuiet && isSo.getAsBoolean() ? sinceMillis : clock.nowMillis();
        }
    }

    private void callBack() {
        for (SimMember member : members) {
            member.lazy(false);
            if (!member.isConnected()) {
                member.connect(clock.oneOf(all));
            }
        }
    }

    /** What owners of shards ask: the subscriptions are those of the first process. */
    private final class Routing extends SimRouting {
        private Routing() {
            super(clock);
        }

        @Override
        void ended(String clientId, long session) {
            if (GroupIdentifier.isGroup(clientId)) {
                first().subscriptions.end(new Subscriber(clientId, true, session));
            }
        }

        @Override
        Iterator<Runnable> shardLive(int shard, long upTo, ToLongFunction<String> sessionOf) {
            return first().subscriptions
                    .persistentClients(shard)
                    .<Runnable>map(known -> () -> {
                        boolean isGroup = GroupIdentifier.isGroup(known.clientId()) && known.identity() <= upTo;
                        if (isGroup && sessionOf.applyAsLong(known.clientId()) != known.identity()) {
                            first().subscriptions.end(known);
                        }
                    })
                    .iterator();
        }

        @Override
        boolean lives(Recipient recipient) {
            return first().subscriptions.lives(recipient.clientId(), recipient.session());
        }

        @Override
        public Destinations matchGroup(Message message, Recipient leaving, boolean mayWait) {
            return first().router.matchGroup(message, leaving, mayWait);
        }

        @Override
        public boolean hasOnlineMember(String group) {
            return first().router.hasOnlineMember(group);
        }
    }
}
