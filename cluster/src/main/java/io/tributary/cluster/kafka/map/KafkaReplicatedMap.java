package io.tributary.cluster.kafka.map;

import io.tributary.cluster.kafka.KafkaAccessException;
import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.PartitionQueue;
import io.tributary.persistence.replicated.ReplicatedMap;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A map as a compacted topic of one partition, in which the value null removes a key. Its position is the offset of the
 * record that its follower sees next.
 *
 * <p>A write completes when it is durable, this node's follower has seen it if there is one, and the visibility says
 * that every other one has. When more bytes are being written than {@link KafkaMaps} has room for, a write
 * fails at once with {@link KafkaAccessException}, without effect: writes come from clients' requests, which are
 * answered. Within that buffer writes also wait for a producer that knows no server at the moment.
 *
 * <p>When Kafka has lost records that the follower has seen, or the topic is another one than before, the map fails all
 * that waits and tells the node, which is to begin anew.
 *
 * <p>Stages complete on threads of Kafka's clients or of the visibility, or on the caller's. The follower is called on
 * one thread for all maps of the node, or on all processors where it takes keys side by side and many changes are
 * there, while that thread waits. A follower that throws is logged and goes on with the next change.
 */
public final class KafkaReplicatedMap implements ReplicatedMap {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaReplicatedMap.class);

    /** From so many changes on it pays to share them out: they take some milliseconds. */
    private static final int MANY = 500;

    private static final int PARTS = Runtime.getRuntime().availableProcessors();

    private final KafkaMaps maps;
    private final String name;
    private final TopicPartition partition;
    private final PartitionQueue queue;
    private final MapWrites writes;
    private final CatchUp catchUp;

    // Guarded by unsent: sends that Kafka's producer has not taken yet; each tells whether it has.
    private final ArrayDeque<BooleanSupplier> unsent = new ArrayDeque<>();
    /** A thread sends what is unsent, or will when there is room. */
    private boolean sending;

    private volatile @Nullable Follower follower;
    private volatile boolean closed;

    private final AtomicBoolean isLost = new AtomicBoolean();
    private final AtomicReference<@Nullable Uuid> topicId = new AtomicReference<>();
    private long position; // on the follower's thread

    KafkaReplicatedMap(KafkaMaps maps, String name, TopicPartition partition, PartitionQueue queue, MapWrites writes) {
        this.maps = maps;
        this.name = name;
        this.partition = partition;
        this.queue = queue;
        this.writes = writes;
        this.catchUp = new CatchUp(() -> maps.end(partition));
    }

    @Override
    public CompletionStage<@Nullable Void> follow(Follower newFollower) {
        follower = newFollower;
        writes.following();
        maps.consumer().follow(this);
        return catchUp.caughtUp();
    }

    @Override
    public CompletionStage<@Nullable Void> caughtUp() {
        return catchUp.caughtUp();
    }

    @Override
    public CompletionStage<@Nullable Void> put(String key, byte[] value) {
        return write(key, value);
    }

    @Override
    public CompletionStage<@Nullable Void> remove(String key) {
        return write(key, null);
    }

    /**
     * Waits until what was accepted is complete, for at most {@link KafkaConfig.Appends#closeTimeout}; what is left
     * then fails, though it may have become durable.
     */
    @Override
    public void close() {
        closed = true;
        writes.close(maps.closeTimeout());
        maps.consumer().unfollow(this);
        catchUp.close(new KafkaAccessException("the map is closed"));
        maps.closed(this);
    }

    String name() {
        return name;
    }

    TopicPartition partition() {
        return partition;
    }

    /** Where the map ended when that was last asked; for the log of a replay. */
    long knownEnd() {
        return catchUp.knownEnd();
    }

    /** Hands changes to the follower; the follower's thread. */
    void changed(List<ConsumerRecord<byte[], byte[]>> records) {
        Follower to = follower;
        if (to == null) {
            return;
        }
        to.onTime(records.getLast().timestamp());
        if (records.size() < MANY || !to.takesKeysSideBySide()) {
            handOut(records, to);
            return;
        }
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        records.stream()
                .collect(Collectors.groupingBy(record -> Math.floorMod(Arrays.hashCode(record.key()), PARTS)))
                .values()
                .parallelStream()
                .forEach(part -> handOut(part, to, loader));
    }

    /** Users' code that is asked about subscriptions finds the class loader that it has on the follower's thread. */
    private void handOut(List<ConsumerRecord<byte[], byte[]>> records, Follower to, ClassLoader loader) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            handOut(records, to);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private void handOut(List<ConsumerRecord<byte[], byte[]>> records, Follower to) {
        for (ConsumerRecord<byte[], byte[]> record : records) {
            try {
                to.onChange(new String(record.key(), StandardCharsets.UTF_8), record.value());
            } catch (RuntimeException e) {
                LOG.error("the follower of map {} failed", name, e);
            }
        }
    }

    /** All below the position has been handed out; the follower's thread. */
    void reached(long newPosition) {
        position = newPosition;
        maps.visibility().reached(name, newPosition);
        catchUp.reached(newPosition);
        writes.reached(newPosition);
    }

    /** Kafka has not got any more what was handed out last; the follower's thread. */
    void wentBack() {
        lose("lost its end, or was made anew: offset " + (position - 1) + " was read, and is not there any more");
    }

    /** The topic of this name has that identifier now; any thread. */
    void isTopic(Uuid id) {
        Uuid before = topicId.get();
        if (before == null) {
            topicId.compareAndSet(null, id);
        } else if (!before.equals(id)) {
            lose("was deleted and made anew: it is " + id + ", and was " + before);
        }
    }

    /**
     * What the follower knows is not what the topic has, and what others will read: so the node is to begin anew. What
     * waits for the follower waits in vain.
     */
    private void lose(String how) {
        if (!isLost.compareAndSet(false, true)) {
            return;
        }
        KafkaAccessException failure = new KafkaAccessException("topic " + partition.topic() + " " + how);
        LOG.error(
                "{}. This node begins anew with what the topic has; the rest is lost, also where it was acknowledged."
                        + " docs/operating.md has a row \"lost its end, or was made anew\" that says what to make again",
                failure.getMessage());
        closed = true;
        maps.consumer().unfollow(this);
        writes.failAll(failure);
        catchUp.close(failure);
        maps.lost(failure);
    }

    private CompletionStage<@Nullable Void> write(String key, byte @Nullable [] value) {
        byte[] keyBytes = key.getBytes(StandardCharsets.UTF_8);
        MapWrites.Write write = writes.begin(PartitionQueue.sizeOf(keyBytes, value));
        if (write == null) {
            return CompletableFuture.failedStage(busy());
        }
        if (closed) { // asked after it began: closing waits for those that began before
            write.fail(new KafkaAccessException("map " + name + " is closed"));
        } else {
            synchronized (unsent) {
                unsent.add(() -> queue.send(keyBytes, value, write));
            }
            sendUnsent();
        }
        return write.done();
    }

    /** Sends in the order of asking, and never with a lock held: callbacks may come meanwhile. */
    private void sendUnsent() {
        while (true) {
            BooleanSupplier first;
            synchronized (unsent) {
                first = unsent.peek();
                if (sending || first == null) {
                    return;
                }
                sending = true;
            }
            if (!first.getAsBoolean()) {
                maps.onRoom(this::sendAgain);
                return;
            }
            synchronized (unsent) {
                unsent.remove();
                sending = false;
            }
        }
    }

    private void sendAgain() {
        synchronized (unsent) {
            sending = false;
        }
        sendUnsent();
    }

    private KafkaAccessException busy() {
        return new KafkaAccessException("map " + name + ": too many writes wait for Kafka; nothing was written");
    }
}
