package io.tributary.broker.shard;

import io.tributary.broker.shard.fold.SessionState;
import io.tributary.broker.shard.fold.ShardState;
import java.lang.reflect.Field;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;

/**
 * When nothing is under way, no owner of a shard remembers anything but sessions, their connections and their timers.
 */
final class MemoryIsReturned implements Ledger.Promise {
    /** What grows with sessions, shards and nodes only, or is gone with the next save point or the store's answer. */
    private static final Set<String> KEPT = Set.of(
            "clients",
            "sources",
            "sessions",
            "nextPart",
            "timers",
            "byClient",
            "backlogs",
            "inboundPacketIds",
            "toFlush",
            "changes",
            "readings",
            "targets");

    private static final Set<String> PARTS = Set.of(
            "Loaded",
            "ShardService",
            "ShardState",
            "FoldedWills",
            "ShardTimers",
            "Deliveries",
            "SessionDelivery",
            "Outgoing",
            "Forwarder",
            "SavePoints",
            "SessionQueues",
            "QueueTrimmer",
            "Redistributor",
            "WaitingMembers",
            "WillsAndExpiry",
            "LastWords",
            "WillsFirst",
            "Backlogs",
            "LivingTopics");

    @Override
    public void settled(SimWorld world) {
        for (int shard = 0; shard < world.log.shards(); shard++) {
            SimNode owner = world.ownerOf(shard);
            if (owner == null || !owner.driver(shard).isLive()) {
                throw new Violation("nobody serves shard " + shard);
            }
            check(owner.driver(shard));
        }
        world.fronts().forEach(front -> checkRelays(front.relays()));
    }

    private static void checkRelays(Relays relays) {
        if (!relays.isEmpty()) {
            throw new Violation("relays are open");
        }
    }

    private static void check(ShardDriver driver) {
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<Object> toVisit = new ArrayDeque<>();
        toVisit.add(driver);
        try {
            while (!toVisit.isEmpty()) {
                Object next = toVisit.remove();
                if (seen.add(next)) {
                    visit(next, toVisit);
                }
            }
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
        checkDeliveries(seen);
    }

    /** A delivery is there only while it is needed, and its session is there as long. */
    private static void checkDeliveries(Set<Object> parts) {
        Set<SessionState> known = Collections.newSetFromMap(new IdentityHashMap<>());
        parts.stream()
                .filter(ShardState.class::isInstance)
                .forEach(state -> known.addAll(((ShardState) state).clients()));
        for (Object part : parts) {
            if (part instanceof SessionDelivery delivery && (delivery.isIdle() || !known.contains(delivery.client))) {
                throw new Violation("the delivery of " + delivery.client.clientId() + " is still there");
            }
        }
    }

    private static void visit(Object object, Deque<Object> toVisit) throws IllegalAccessException {
        for (Field field : object.getClass().getDeclaredFields()) {
            field.setAccessible(true);
            Object value = field.get(object);
            int size =
                    value instanceof Collection<?> all ? all.size() : value instanceof Map<?, ?> map ? map.size() : 0;
            if ((size > 0 && !KEPT.contains(field.getName())) || value instanceof Unlogged) {
                throw new Violation(object.getClass().getSimpleName() + "." + field.getName() + " still has " + value);
            }
            if (value instanceof Map<?, ?> map && field.getName().equals("sessions")) {
                toVisit.addAll(map.values());
            } else if (value != null && PARTS.contains(value.getClass().getSimpleName())) {
                toVisit.add(value);
            }
        }
    }
}
