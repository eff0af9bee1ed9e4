package io.tributary.broker.subscription;

import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.UnreadableRecordException;
import io.tributary.persistence.replicated.ReplicatedMap;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What other nodes tell in the map of routes, as the index shows it. Any thread: changes take a lock, and match when
 * the call returns.
 *
 * <p>What a dead node has told is void, and its keys are kept until they are gone from the map: the node that is the
 * first of all has them removed.
 */
final class RemoteRoutes implements ReplicatedMap.Follower {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteRoutes.class);
    private static final int MOST_A_SWEEP = 1_000;

    private final ReplicatedMap map;
    private final String self;
    private final SubscriptionIndex index;
    private final RecordFormat format;

    // Guarded by this.
    private final Map<String, NodeRoutes> nodes = new HashMap<>();
    private CompletableFuture<?> removal = CompletableFuture.completedFuture(null);

    private RemoteRoutes(ReplicatedMap map, String self, SubscriptionIndex index, RecordFormat format) {
        this.format = format; // is told of records that this version is too old to read
        this.map = map;
        this.self = self;
        this.index = index;
    }

    /** What nodes other than that of these routes tell, not shown yet; null where there are no other nodes. */
    static @Nullable RemoteRoutes beside(Routes routes, SubscriptionIndex index) {
        ReplicatedMap map = routes.map();
        return map == null ? null : new RemoteRoutes(map, routes.node(), index, routes.format());
    }

    /** Begins to show them; completes when all is read that was told before the call. */
    CompletionStage<@Nullable Void> start() {
        return map.follow(this);
    }

    @Override
    public void onChange(String key, byte @Nullable [] value) {
        String node = RouteCodec.nodeOf(key);
        if (node.equals(self)) {
            return;
        }
        synchronized (this) {
            if (value != null) {
                nodes.computeIfAbsent(node, _ -> new NodeRoutes()).put(key, value);
            } else {
                nodes.computeIfPresent(node, (_, told) -> told.remove(key) ? null : told);
            }
        }
    }

    /** Makes all void that a node has told. */
    synchronized void gone(String node) {
        NodeRoutes told = nodes.get(node);
        if (told != null) {
            told.makeVoid();
        }
    }

    /**
     * Makes routes of dead nodes void, and has them removed from the map, a limited number of records with each call.
     *
     * @param isDead whether a node, {@code name#number}, is known to be dead for good
     * @param isFirst whether this node has to remove dead nodes' records from the map
     */
    void sweep(Predicate<String> isDead, boolean isFirst) {
        int most = isFirst ? MOST_A_SWEEP : 0;
        List<String> keys = new ArrayList<>();
        CompletableFuture<?> done = new CompletableFuture<>();
        synchronized (this) {
            for (Map.Entry<String, NodeRoutes> each : nodes.entrySet()) {
                NodeRoutes told = each.getValue();
                if (told.isVoid || isDead.test(each.getKey())) {
                    told.makeVoid();
                    told.addKeys(keys, most);
                }
            }
            if (!removal.isDone() || keys.isEmpty()) {
                return; // the same records would be removed twice
            }
            removal = done;
        }
        CompletableFuture<?>[] removed =
                keys.stream().map(key -> map.remove(key).toCompletableFuture()).toArray(CompletableFuture<?>[]::new);
        CompletableFuture<?> _ = CompletableFuture.allOf(removed).whenComplete((_, failure) -> {
            if (failure != null) {
                LOG.debug("routes of dead nodes are not removed yet", failure);
            }
            done.complete(null);
        });
    }

    /** One action for each node, which has what its members may have of shared subscriptions decided again. */
    synchronized Stream<Runnable> looks() {
        return List.copyOf(nodes.values()).stream().map(told -> () -> look(told));
    }

    private synchronized void look(NodeRoutes told) {
        told.shown.values().stream()
                .filter(record -> record instanceof RouteRecord.Member)
                .forEach(this::show);
    }

    private void show(RouteRecord record) {
        switch (record) {
            case RouteRecord.Route route -> index.putRoute(route.filter(), route.node());
            case RouteRecord.Member member -> index.putMember(member.filter(), member.receiver());
            case RouteRecord.Presence presence ->
                index.online(presence.subscriber(), presence.node(), presence.isStuck());
        }
    }

    private void hide(RouteRecord record) {
        switch (record) {
            case RouteRecord.Route route -> index.removeRoute(route.filter(), route.node());
            case RouteRecord.Member member ->
                index.removeMember(member.filter(), member.receiver().subscriber());
            case RouteRecord.Presence presence -> index.offline(presence.subscriber(), presence.node());
        }
    }

    /** All routes of one node. */
    private final class NodeRoutes {
        private final Map<String, RouteRecord> shown = new HashMap<>();
        /** Keys of records that are in the map and not shown: they are void, or cannot be read. */
        private final Set<String> hidden = new HashSet<>();

        private boolean isVoid;

        void put(String key, byte[] value) {
            discover(key);
            RouteRecord record = isVoid ? null : read(key, value);
            if (record == null) {
                cover(key);
                hidden.add(key);
            } else if (!record.equals(shown.put(key, record))) {
                show(record);
            }
        }

        /** Tells whether nothing is left. */
        boolean remove(String key) {
            discover(key);
            cover(key);
            return shown.isEmpty() && hidden.isEmpty();
        }

        private void cover(String key) {
            RouteRecord record = shown.remove(key);
            if (record != null) {
                hide(record);
            }
        }

        private void discover(String key) {
            if (hidden.remove(key)) {
                format.replaced(named(key));
            }
        }

        void makeVoid() {
            isVoid = true;
            hidden.forEach(key -> format.replaced(named(key)));
            hidden.addAll(shown.keySet());
            shown.values().forEach(RemoteRoutes.this::hide);
            shown.clear();
        }

        void addKeys(List<String> keys, int most) {
            Iterator<String> rest = hidden.iterator();
            while (keys.size() < most && rest.hasNext()) {
                keys.add(rest.next());
            }
        }

        /**
         * No live node writes what another one cannot read: either this one is dead, or it is what a dead one has left.
         */
        private @Nullable RouteRecord read(String key, byte[] value) {
            try {
                return RouteCodec.decode(key, value);
            } catch (UnreadableRecordException e) {
                LOG.error("a route cannot be read and does not match", e);
                if (e.isNewer()) {
                    format.tooNew(named(key));
                }
                return null;
            }
        }

        private static String named(String key) {
            return "route " + key.replace('\0', ' ');
        }
    }
}
