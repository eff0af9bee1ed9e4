package io.tributary.broker.shard;

import io.tributary.broker.delivery.MemberReply;
import io.tributary.broker.delivery.NodeInbox;
import io.tributary.broker.shard.SimHosts.Host;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.Recipient;
import io.tributary.common.mqtt.Message;
import io.tributary.common.thread.RoomQueue;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The ways of a host to members at other processes, as {@code broker.cluster.SharedTraffic} has them: what is said over
 * one keeps its order; when one breaks, the host is told that members may have been sent what was under way.
 */
final class SimPeers implements NodeInbox {
    private final SimGroups world;
    private final SimHosts from;
    private final Map<String, Way> ways = new HashMap<>();
    private long lastId;
    private boolean dead;

    /** A link to another process, as long as it is up. */
    private final class Way {
        final SimThread there = new SimThread(world.clock, 10);
        final SimThread back = new SimThread(world.clock, 10);
        final Map<Long, MemberReply> waiting = new LinkedHashMap<>();

        void down() {
            there.die();
            back.die();
            List.copyOf(waiting.values()).forEach(reply -> reply.returned(true));
            waiting.clear();
        }
    }

    SimPeers(SimGroups world, SimHosts from) {
        this.world = world;
        this.from = from;
    }

    @Override
    public void deliver(
            String node,
            Message message,
            List<Recipient> members,
            boolean matching,
            Runnable taken,
            @Nullable Consumer<RoomQueue> publisher) {
        taken.run();
    }

    @Override
    public boolean deliverQos0(String clientId, long session, Queued message) {
        return false;
    }

    @Override
    public void deliverShared(
            String node, String clientId, long session, Queued message, boolean dup, MemberReply reply) {
        SimHosts to = world.hosts(node);
        if (to == null || world.isCut(from.front.name(), node)) {
            reply.returned(false);
            return;
        }
        Way way = ways.computeIfAbsent(node, _ -> new Way());
        long id = ++lastId;
        Host host = from.host();
        way.waiting.put(id, world.ledger.counting(host, message.message(), reply));
        Answer answer = new Answer(host, way, id);
        way.there.execute(() -> to.front.registry().deliverShared(clientId, session, message, dup, answer));
    }

    /** The link to a process breaks. */
    void cut(String node) {
        Way way = ways.remove(node);
        if (way != null && !dead) {
            way.down();
        }
    }

    void die() {
        dead = true;
        ways.values().forEach(way -> {
            way.there.die();
            way.back.die();
        });
    }

    /** Takes a member's reply back to the host. */
    static final class Answer implements MemberReply {
        private final Host host;
        private final Way way;
        private final long id;

        private Answer(Host host, Way way, long id) {
            this.host = host;
            this.way = way;
            this.id = id;
        }

        Host host() {
            return host;
        }

        @Override
        public void done() {
            tell(MemberReply::done);
        }

        @Override
        public void returned(boolean maybeSent) {
            tell(reply -> reply.returned(maybeSent));
        }

        private void tell(Consumer<MemberReply> what) {
            way.back.execute(() -> {
                MemberReply reply = way.waiting.remove(id);
                if (reply != null) {
                    what.accept(reply);
                }
            });
        }
    }
}
