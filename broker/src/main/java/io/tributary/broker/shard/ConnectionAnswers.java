package io.tributary.broker.shard;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.shard.fold.SessionState;
import io.tributary.broker.shard.fold.ShardState;
import io.tributary.broker.shard.fold.TopicProgress;
import io.tributary.common.event.ShardEvent.Detach;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;

/**
 * Tells the nodes which of their connections have a session of a live shard, once how the connection before ended is
 * known, wills of the client's connections before are forwarded and an application's topic is there. For a topic that
 * is not there nobody waits but its application. Confined to the thread of the driver.
 */
final class ConnectionAnswers {
    /**
     * How long a session whose node is dead waits for its application's topic, which tells what was sent: 5 s. Then it
     * is detached without.
     */
    private static final int TICKS_TO_WAIT = 50;

    private final ShardEnvironment environment;
    private final Tenure tenure;
    private final ShardState state;
    private final Deliveries deliveries;
    private final WillsAndExpiry wills;
    private final LivingTopics topics;
    private final Runnable endOfTurn;
    /** The sessions of dead nodes that wait for their topic; more come at the end. */
    private final Set<Detaching> detaching = new LinkedHashSet<>();

    private long ticks;

    /** A session, and the connection that it had at a node that is dead. */
    private record Detaching(SessionState client, long epoch, long untilTick) {}

    /**
     * Creates one.
     *
     * @param endOfTurn run when something was answered later than on a call
     */
    ConnectionAnswers(
            ShardEnvironment environment,
            Tenure tenure,
            ShardState state,
            Deliveries deliveries,
            WillsAndExpiry wills,
            LivingTopics topics,
            Runnable endOfTurn) {
        this.environment = environment;
        this.tenure = tenure;
        this.state = state;
        this.deliveries = deliveries;
        this.wills = wills;
        this.topics = topics;
        this.endOfTurn = endOfTurn;
    }

    /** Nodes are being told which of their connections have a session of the shard. */
    final class Telling {
        private final Map<String, OwnerTarget> nodes;
        private final long upTo = state.applied();
        private int open = 1;

        private Telling(Collection<String> names) {
            nodes = names.stream().collect(Collectors.toMap(name -> name, tenure::targetOf));
        }

        /** Tells a connection that it has its session. */
        void tell(SessionState client, String node) {
            boolean isToldLater =
                    client.topic() != null && tenure.targetOf(node).attachedLater(client.connection());
            if (isToldLater) {
                resume(client, node, () -> {});
            } else {
                open++;
                resume(client, node, this::done);
            }
        }

        /**
         * All connections were told of, or will be by themselves: those that are not have no session. A node whose link
         * has broken meanwhile is told by a telling of its own, and knows nothing of this one.
         */
        void done() {
            open--;
            if (open == 0) {
                nodes.forEach((name, target) -> {
                    if (tenure.isTargetOf(name, target)) {
                        target.allAttached(upTo);
                    }
                });
            }
        }
    }

    /** Begins to tell all nodes. */
    Telling tellAll() {
        return new Telling(environment.nodes().alive());
    }

    /** A node that could not be reached for a while can be: its connections are told everything again. */
    void reachable(String node) {
        Telling telling = new Telling(List.of(node));
        for (SessionState client : state.clients()) {
            if (node.equals(client.node())) {
                telling.tell(client, node);
            }
        }
        telling.done();
        deliveries.flush();
    }

    /** A node or an incarnation of it is gone for good, and its connections with it. */
    void gone(String node) {
        state.clients().stream().filter(client -> node.equals(client.node())).forEach(this::detachFromDead);
    }

    private void resume(SessionState client, String node, Runnable told) {
        whenReady(client, told, last -> {
            answer(client, node);
            TopicProgress topic = client.topic();
            boolean hasLostTopic = topic != null && topic.hasLost() && client.hasQueue();
            // It would take other messages for those that it has had.
            if (hasLostTopic || state.numbersMayRepeat(client.epoch())) {
                disown(client);
            } else {
                deliveries.resumed(client, last);
            }
        });
    }

    /** A connection has its session, by a record that was folded just now. */
    void attached(SessionState client, String node) {
        whenReady(client, () -> {}, last -> {
            answer(client, node);
            deliveries.attached(client, last);
            if (environment.isDead(node)) {
                detachIfDead(client, node);
            }
        });
    }

    /**
     * Goes on with the highest sequence number that a session's queue may have, once it may be answered, unless the
     * connection has lost the session meanwhile.
     *
     * @param after run in any case, unless the shard was lost or claimed again meanwhile
     */
    private void whenReady(SessionState client, Runnable after, LongConsumer then) {
        long epoch = client.epoch();
        wills.whenSettled(client, () -> {
            if (tenure.isOver()) {
                return; // another claim tells the nodes
            }
            if (!has(client, epoch)) {
                after.run();
            } else if (client.topic() == null) {
                then.accept(client.lastSequence());
                after.run();
            } else {
                whenTopicIsThere(client, after, last -> {
                    then.accept(last);
                    endOfTurn.run();
                });
            }
        });
    }

    /** Whether a connection has the session still. */
    private boolean has(SessionState client, long epoch) {
        return client.isAttached() && client.epoch() == epoch && state.client(client.clientId()) == client;
    }

    /**
     * Goes on with the highest sequence number of an application's topic once it is there, unless the connection has
     * lost the session meanwhile. A client must not subscribe before, for its messages would have nowhere to go.
     *
     * @param after run in either case, unless the shard was lost or claimed again meanwhile
     */
    private void whenTopicIsThere(SessionState client, Runnable after, LongConsumer then) {
        long epoch = client.epoch();
        topics.ensure(client, last -> {
            if (tenure.isOver()) {
                return; // another claim tells the nodes
            }
            if (has(client, epoch)) {
                then.accept(last);
            }
            after.run();
        });
    }

    private void answer(SessionState client, String node) {
        Attached answer = new Attached(
                client.session(),
                client.epoch(),
                client.isResumed(),
                client.kind(),
                client.inboundPacketIds(),
                state.applied());
        tenure.targetOf(node).attached(client.connection(), answer);
    }

    /** Nobody else can tell that the connections of a dead node are gone. */
    void detachFromDead(SessionState client) {
        if (client.topic() == null) {
            detachFromDead(client, -1);
        } else {
            Detaching waiting = new Detaching(client, client.epoch(), ticks + TICKS_TO_WAIT);
            detaching.add(waiting);
            whenTopicIsThere(client, () -> detaching.remove(waiting), last -> {
                if (detaching.contains(waiting)) {
                    detachFromDead(client, last);
                }
            });
        }
    }

    /** Ten times a second: goes on without what a topic does not tell in time. */
    void tick() {
        ticks++;
        List<Detaching> late =
                detaching.stream().takeWhile(each -> each.untilTick <= ticks).toList();
        for (Detaching each : late) {
            detaching.remove(each);
            if (has(each.client, each.epoch)) {
                detachFromDead(each.client, -1);
            }
        }
    }

    /**
     * A connection that was answered has in flight what nobody can tell it again: it is closed, and the client takes up
     * the session. Only its node says that it has ended, for it may not hear of this before its link is mended; it is
     * told once more then, by {@link #reachable}.
     */
    void disown(SessionState client) {
        String node = client.node();
        if (node != null) {
            tenure.targetOf(node).takenOver(client.connection());
        }
    }

    private void detachFromDead(SessionState client, long sentUpTo) {
        tenure.append(new Detach(client.clientId(), client.epoch(), true, client.sessionExpirySeconds(), sentUpTo));
    }

    /**
     * Either the node died while its record was on the way, and nobody says so again; or it is so new that it is not
     * known.
     */
    private void detachIfDead(SessionState client, String node) {
        long epoch = client.epoch();
        tenure.onAnswer(environment.nodes().caughtUp(), _ -> {
            boolean isStillThere = node.equals(client.node()) && client.epoch() == epoch;
            if (isStillThere && environment.isDead(node)) {
                detachFromDead(client);
            }
        });
    }
}
