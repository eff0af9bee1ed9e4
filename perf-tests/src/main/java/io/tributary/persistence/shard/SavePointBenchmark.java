package io.tributary.persistence.shard;

import io.tributary.cluster.redis.RedisCluster;
import io.tributary.cluster.redis.RedisConfig;
import io.tributary.cluster.redis.RedisRecorder;
import io.tributary.cluster.redis.RedisShardStore;
import io.tributary.common.event.Principal;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.SentUpTo;
import io.tributary.common.event.StoredSession;
import io.tributary.common.mqtt.QoS;
import io.tributary.localcluster.LocalRedis;
import io.tributary.perf.jmh.Messages;
import io.tributary.perf.jmh.Microbenchmark;
import io.tributary.perf.jmh.Scratch;
import io.tributary.persistence.rocksdb.RocksDbDatabase;
import io.tributary.persistence.rocksdb.RocksDbOptions;
import io.tributary.persistence.rocksdb.RocksDbShardStore;
import io.tributary.persistence.rocksdb.StorageRecorder;
import io.tributary.persistence.shard.SavePoint.SequenceKey;
import io.tributary.persistence.shard.SavePoint.SequencedEntry;
import java.util.ArrayList;
import java.util.List;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A save point of one shard, from the call to its completion, in each of the stores. One at a time, as the owner of a
 * shard writes them; the owners of several shards would share commits and connections.
 */
public class SavePointBenchmark extends Microbenchmark {
    private static final int SHARD = 0;
    private static final int PAYLOAD_BYTES = 62;

    /** The store: embedded, or a Redis Cluster of three servers that is started for it. */
    @Param({"rocksdb", "redis"})
    public String store = "";

    /**
     * How many offline sessions have a message that comes and one that goes, with their sessions; 0 moves the offset
     * alone.
     */
    @Param({"0", "10", "250"})
    public int messages;

    private Scratch scratch;
    private List<AutoCloseable> opened;
    private ShardStore states;
    private Queued entry;
    private long owner;
    private long applied;

    /** Opens a new store and claims the shard. */
    @Setup
    public void open() {
        scratch = new Scratch();
        opened = new ArrayList<>();
        states = store.equals("redis") ? redis() : rocksDb();
        opened.add(states);
        entry = new Queued(Messages.message(PAYLOAD_BYTES), QoS.AT_LEAST_ONCE, false, List.of(), null);
        owner = 0;
        applied = states.claim(SHARD, new ShardStore.Claimant(owner))
                .toCompletableFuture()
                .join()
                .applied();
    }

    private ShardStore rocksDb() {
        RocksDbDatabase database =
                RocksDbDatabase.open(scratch.directory(), RocksDbOptions.defaults(1), StorageRecorder.NONE);
        opened.add(database);
        return new RocksDbShardStore(database);
    }

    private ShardStore redis() {
        LocalRedis servers = LocalRedis.in(scratch.directory()).start();
        opened.add(servers);
        List<RedisConfig.Node> nodes = servers.ports().stream()
                .map(port -> new RedisConfig.Node("127.0.0.1", port))
                .toList();
        RedisCluster cluster = RedisCluster.connect(RedisConfig.of(nodes));
        opened.add(cluster);
        return new RedisShardStore(cluster, 1, RecordFormat.alone(), RedisRecorder.NONE);
    }

    /** Closes all in the reverse order, and deletes it. */
    @TearDown
    public void close() throws Exception {
        for (AutoCloseable next : opened.reversed()) {
            next.close();
        }
        scratch.close();
    }

    /** A save point: what the one before it added goes, as much comes. */
    @Benchmark
    public void save() {
        long next = applied + 1;
        List<StoredSession> sessions = new ArrayList<>(messages);
        List<SequencedEntry> queued = new ArrayList<>(messages);
        List<SequenceKey> removed = new ArrayList<>(messages);
        for (int i = 0; i < messages; i++) {
            String client = Messages.client(i);
            sessions.add(session(client, next));
            queued.add(new SequencedEntry(client, next, entry));
            removed.add(new SequenceKey(client, applied));
        }
        SavePoint point = new SavePoint(
                owner, applied, next, -1, owner, -1, List.of(), List.of(), sessions, removed, queued, List.of(),
                List.of());
        states.save(SHARD, point).toCompletableFuture().join();
        applied = next;
    }

    private static StoredSession session(String client, long sequence) {
        return new StoredSession(
                client,
                1,
                1,
                null,
                0,
                3600,
                100,
                0,
                Long.MAX_VALUE,
                sequence,
                SentUpTo.NOTHING,
                1,
                100,
                0,
                0,
                0,
                null,
                new int[0],
                0,
                Principal.ofUser(client));
    }
}
