package io.tributary.cluster.node;

import io.tributary.cluster.kafka.shard.KafkaShardLog;
import io.tributary.cluster.link.NodeId;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Shares out the shards of a log among the nodes of a test, without a node table. */
final class InstantAssigner {
    private static final Map<String, InstantAssigner> ALL = new ConcurrentHashMap<>();

    private final Map<NodeId, KafkaShardLog> takers = new TreeMap<>(Comparator.comparing(NodeId::name));
    private Assignment assignment;

    private InstantAssigner(int shards) {
        assignment = Assignment.none(shards);
    }

    /** The one of a topic. */
    static InstantAssigner of(String topic, int shards) {
        return ALL.computeIfAbsent(topic, _ -> new InstantAssigner(shards));
    }

    /** The log of a node takes shards as soon as it is started. */
    void add(NodeId node, KafkaShardLog log) {
        log.onTakePart(wanted -> takePart(node, log, wanted));
    }

    private synchronized void takePart(NodeId node, KafkaShardLog log, boolean wanted) {
        Map<NodeId, KafkaShardLog> before = Map.copyOf(takers);
        if (wanted) {
            takers.put(node, log);
        } else {
            takers.remove(node);
        }
        Assignment next = takers.isEmpty()
                ? assignment
                : assignment.next(takers.keySet(), takers.keySet(), List.of(), Integer.MAX_VALUE);
        AtomicInteger holding = new AtomicInteger(before.size() + 1);
        Runnable released = () -> {
            if (holding.decrementAndGet() == 0) {
                begin(next);
            }
        };
        before.forEach((taker, of) -> {
            Set<Integer> kept = takers.containsKey(taker) ? next.shardsOf(taker) : Set.of();
            of.assign(intersection(assignment.shardsOf(taker), kept), released);
        });
        assignment = next;
        released.run();
    }

    /** All have let go of what others have now. */
    private synchronized void begin(Assignment next) {
        if (next.equals(assignment)) {
            takers.forEach((taker, of) -> of.assign(next.shardsOf(taker), () -> {}));
        }
    }

    private static Set<Integer> intersection(Set<Integer> one, Set<Integer> other) {
        Set<Integer> both = new TreeSet<>(one);
        both.retainAll(other);
        return both;
    }
}
