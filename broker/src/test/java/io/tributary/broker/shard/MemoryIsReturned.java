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
import java.util.function.Consumer;

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
            "RefusedWills",
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
            check(owner.driver(shard), KEPT, PARTS);
        }
        world.fronts().forEach(front -> checkRelays(front.relays()));
    }

    private static void checkRelays(Relays relays) {
        if (!relays.isEmpty()) {
            throw new Violation("relays are open");
        }
    }

    /**
     * Looks into an object and those of its parts that have one of the given class names.
     *
     * @param kept the names of the fields that may have something; parts in there are looked into
     */
    static void check(Object root, Set<String> kept, Set<String> parts) {
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<Object> toVisit = new ArrayDeque<>();
        toVisit.add(root);
        try {
            while (!toVisit.isEmpty()) {
                Object next = toVisit.remove();
                if (seen.add(next)) {
                    visit(next, kept, part -> {
                        if (parts.contains(part.getClass().getSimpleName())) {
                            toVisit.add(part);
                        }
                    });
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

    private static void visit(Object object, Set<String> kept, Consumer<Object> found) throws IllegalAccessException {
        for (Field field : object.getClass().getDeclaredFields()) {
            field.setAccessible(true);
            Object value = field.get(object);
            int size =
                    value instanceof Collection<?> all ? all.size() : value instanceof Map<?, ?> map ? map.size() : 0;
            if ((size > 0 && !kept.contains(field.getName())) || value instanceof Unlogged) {
                throw new Violation(object.getClass().getSimpleName() + "." + field.getName() + " still has " + value);
            }
            switch (value) {
                case null -> {}
                case Map<?, ?> map -> map.values().forEach(found);
                case Collection<?> all -> all.forEach(found);
                default -> found.accept(value);
            }
        }
    }
}
