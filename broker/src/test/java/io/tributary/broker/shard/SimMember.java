package io.tributary.broker.shard;

import io.tributary.broker.delivery.Endpoint;
import io.tributary.broker.delivery.MemberReply;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.broker.subscription.SubscriptionRequest;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.topic.TopicFilter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * An application that is a member of the group, or was, with the broker's side of its connections. Its own session has
 * no messages of its own and is in no shard.
 */
final class SimMember {
    private static final TopicFilter FILTER = TopicFilter.parse(SimGroups.GROUP);

    final String name;
    private final SimGroups world;
    private final Queue<Runnable> owed = new ArrayDeque<>();
    private @Nullable Connection connection;
    private long session;
    private boolean isLazy;
    /** Whether it wants to be a member, and whether the broker has said that it is so. */
    private boolean wants;

    private boolean isAnswered = true;

    SimMember(SimGroups world, String name) {
        this.world = world;
        this.name = name;
    }

    boolean isConnected() {
        return connection != null;
    }

    boolean wants() {
        return wants;
    }

    /** Whether it is connected, and the broker has done what it asked for. */
    boolean isSettled() {
        return connection != null && isAnswered;
    }

    /** Connects, if need be beside a connection that it does not use any more. */
    void connect(SimHosts to) {
        Connection before = connection;
        if (before != null) {
            gone();
            world.clock.after(world.clock.between(0, 300), before::end);
        }
        session = session == 0 ? world.nextNumber() : session;
        Connection next = new Connection(to, new Subscriber(name, true, session, null, ClientKind.APPLICATION, null));
        connection = next;
        to.front.execute(next::begin);
        if (!isAnswered) {
            ask();
        }
    }

    void subscribe() {
        wants = true;
        ask();
    }

    void unsubscribe() {
        wants = false;
        world.ledger.left(name);
        ask();
    }

    /** Asks again for what it was not answered. */
    void ask() {
        isAnswered = false;
        Connection to = connection;
        boolean wanted = wants;
        if (to != null) {
            to.toBroker.execute(() -> to.change(wanted));
        }
    }

    /** Its connection breaks, which the broker notices later. */
    void breakConnection() {
        Connection from = connection;
        if (from != null) {
            gone();
            world.clock.after(world.clock.between(0, SimWorld.LATEST_NOTICE_MILLIS), from::end);
        }
    }

    void disconnect() {
        Connection from = connection;
        if (from != null) {
            gone();
            from.toBroker.execute(from::end);
        }
    }

    /** Disconnects for good: the next session is another. */
    void endSession() {
        world.ledger.left(name);
        wants = false;
        isAnswered = true;
        disconnect();
        if (session != 0) {
            world.endSession(new Subscriber(name, true, session, null, ClientKind.APPLICATION, null));
            session = 0;
        }
    }

    /** Leaves its acknowledgements undone for a while, or does them. */
    void lazy(boolean newLazy) {
        isLazy = newLazy;
        while (!isLazy && !owed.isEmpty()) {
            owed.remove().run();
        }
    }

    /** The process at the other end of its connection is dead. */
    void lost(SimHosts hosts) {
        if (connection != null && connection.at == hosts) {
            gone();
        }
    }

    private void gone() {
        if (connection != null) {
            connection.toClient.die();
        }
        connection = null;
        owed.clear();
    }

    private void answered(Connection from, boolean wanted) {
        if (from == connection && wanted == wants && !isAnswered) {
            isAnswered = true;
            if (wants) {
                world.ledger.joined(name);
            }
        }
    }

    private void got(Connection from, Shared message) {
        if (from != connection) {
            return;
        }
        Runnable puback = () -> from.toBroker.execute(() -> from.puback(message));
        if (isLazy) {
            owed.add(puback);
        } else {
            puback.run();
        }
    }

    /** A message of the group that a connection has taken. */
    private record Shared(Queued queued, MemberReply reply) {}

    /** The broker's side of a connection: what {@code broker.connection} does for a group. */
    final class Connection implements Endpoint {
        final SimHosts at;
        private final Subscriber subscriber;
        private final long epoch = world.nextNumber();
        private final int receiveMaximum = world.clock.between(1, 8);
        private final SimThread toClient = new SimThread(world.clock, 5);
        private final SimThread toBroker = new SimThread(world.clock, 5);
        private final List<Shared> inFlight = new ArrayList<>();
        private final Queue<Shared> parked = new ArrayDeque<>();
        private boolean isOpen;
        private boolean isOver;

        private Connection(SimHosts at, Subscriber subscriber) {
            this.at = at;
            this.subscriber = subscriber;
        }

        /** Whether the broker takes the client for connected. */
        boolean isOpen() {
            return isOpen && !at.isDead();
        }

        private void begin() {
            if (!isOver) {
                isOpen = true;
                at.front.registry().addPersistent(this);
                at.subscriptions.online(subscriber);
            }
        }

        private void change(boolean wanted) {
            at.front.execute(() -> {
                if (!isOpen) {
                    return;
                }
                if (wanted) {
                    SubscriptionRequest request = new SubscriptionRequest(FILTER, QoS.AT_LEAST_ONCE, false, false, 0);
                    at.subscriptions
                            .subscribe(subscriber, epoch, List.of(request))
                            .thenCompose(_ -> at.groups.share(FILTER))
                            .whenComplete((_, failure) -> answer(true, failure));
                } else {
                    at.subscriptions
                            .unsubscribe(subscriber, epoch, List.of(FILTER))
                            .whenComplete((_, failure) -> answer(false, failure));
                }
            });
        }

        private void answer(boolean wanted, @Nullable Throwable failure) {
            if (failure == null) {
                at.front.execute(() -> toClient.execute(() -> answered(this, wanted)));
            }
        }

        @Override
        public String clientId() {
            return name;
        }

        @Override
        public boolean has(long identity) {
            return subscriber.identity() == identity;
        }

        @Override
        public void share(Queued message, boolean dup, MemberReply reply) {
            SimHosts.Host host = at.hostOf(reply);
            MemberReply counted =
                    reply instanceof SimPeers.Answer ? reply : world.ledger.counting(host, message.message(), reply);
            world.ledger.handed(this, host, message.message());
            at.front.execute(() -> take(new Shared(message, counted)));
        }

        private void take(Shared message) {
            if (!isOpen) {
                world.ledger.givenBack(this, message.queued.message());
                message.reply.returned(false);
                return;
            }
            parked.add(message);
            pump();
        }

        private void pump() {
            while (inFlight.size() < receiveMaximum && !parked.isEmpty()) {
                Shared next = parked.remove();
                inFlight.add(next);
                toClient.execute(() -> got(this, next));
            }
        }

        private void puback(Shared message) {
            at.front.execute(() -> {
                if (isOpen && inFlight.remove(message)) {
                    world.ledger.done(this, message.queued.message());
                    message.reply.done();
                    pump();
                }
            });
        }

        /** The client is gone, as the broker notices at last. */
        private void end() {
            at.front.execute(() -> {
                toClient.die();
                toBroker.die();
                isOver = true;
                if (isOpen) {
                    isOpen = false;
                    at.front.registry().removePersistent(this);
                    inFlight.forEach(each -> giveBack(each, true));
                    parked.forEach(each -> giveBack(each, false));
                    at.subscriptions.offline(subscriber);
                }
            });
        }

        private void giveBack(Shared message, boolean maybeSent) {
            world.ledger.givenBack(this, message.queued.message());
            message.reply.returned(maybeSent);
        }
    }
}
