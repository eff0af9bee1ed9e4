package io.tributary.cluster.node;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.delivery.ConnectionRegistry;
import io.tributary.broker.delivery.Delivery;
import io.tributary.broker.delivery.Endpoint;
import io.tributary.broker.shard.InstantTopics;
import io.tributary.broker.shard.NoObserver;
import io.tributary.broker.shard.NoRouting;
import io.tributary.broker.shard.ShardAppends;
import io.tributary.broker.shard.ShardConfig;
import io.tributary.broker.shard.ShardRecorder;
import io.tributary.broker.shard.Shards;
import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaRecorder;
import io.tributary.cluster.kafka.shard.KafkaShardLog;
import io.tributary.cluster.link.ClusterSecret;
import io.tributary.cluster.link.Link;
import io.tributary.cluster.link.LinkConfig;
import io.tributary.cluster.link.LinkLayer;
import io.tributary.cluster.link.LinkReceiver;
import io.tributary.cluster.link.LinkRecorder;
import io.tributary.cluster.link.NodeId;
import io.tributary.cluster.link.NodeLinks;
import io.tributary.cluster.link.OpenLinks;
import io.tributary.cluster.redis.RedisCluster;
import io.tributary.cluster.redis.RedisConfig;
import io.tributary.cluster.redis.RedisRecorder;
import io.tributary.cluster.redis.RedisShardStore;
import io.tributary.common.event.AttachRefusal;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.ShardEvent.Attach;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The part of a broker node that has the shards: the log on Kafka, the store on Redis, links to the other nodes. Its
 * connections acknowledge everything at once, and remember what they were told.
 */
final class ShardNode implements AutoCloseable {
    static final int SHARDS = 4;
    /** Fewer messages than tests publish, so that acknowledgements must get through. */
    private static final int WINDOW = 5;

    private static final ClusterSecret SECRET = ClusterSecret.of("a secret of tests only");

    final NodeId id;
    final Set<Integer> owned = ConcurrentHashMap.newKeySet();
    final Set<String> linked = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final ConnectionRegistry connections = new ConnectionRegistry();
    private final List<ShardNode> others = new CopyOnWriteArrayList<>();
    final RecordFormat format = new RecordFormat(NextFormat.NUMBER);
    final NextFormat.Log log;
    private final RedisCluster redis;
    private final RedisShardStore store;
    private final NodeLinks links;
    private final InetSocketAddress address;
    final ShardAppends appends;
    final Shards shards;

    /** What one connection was told. */
    final class Connected implements Endpoint {
        private final String clientId;
        private final List<Delivery> delivered = new ArrayList<>();
        private final List<Attached> attached = new ArrayList<>();
        private @Nullable AttachRefusal refusal;
        private boolean isTakenOver;

        private Connected(String clientId) {
            this.clientId = clientId;
        }

        synchronized Attached attached() {
            return attached.getFirst();
        }

        synchronized boolean isAttached() {
            return !attached.isEmpty();
        }

        synchronized boolean isTakenOver() {
            return isTakenOver;
        }

        /** The texts of the messages, as often as they were sent. */
        synchronized List<String> texts() {
            return delivered.stream()
                    .map(delivery -> ((Queued) delivery.entry()).message())
                    .map(message -> new String(message.payload(), StandardCharsets.UTF_8))
                    .toList();
        }

        @Override
        public String clientId() {
            return clientId;
        }

        @Override
        public synchronized void attached(Attached answer) {
            attached.add(answer);
        }

        synchronized @Nullable AttachRefusal refusal() {
            return refusal;
        }

        @Override
        public synchronized void refused(AttachRefusal reason) {
            refusal = reason;
        }

        @Override
        public synchronized void takenOver() {
            isTakenOver = true;
        }

        @Override
        public synchronized boolean isAttachedUpTo(long offset) {
            return isAttached() && attached().epoch() <= offset;
        }

        @Override
        public synchronized void deliver(List<Delivery> deliveries) {
            long seen = delivered.isEmpty() ? 0 : delivered.getLast().sequence();
            deliveries.stream().filter(one -> one.sequence() > seen).forEach(delivered::add);
            long[] sequences = deliveries.stream().mapToLong(Delivery::sequence).toArray();
            shards.settle(clientId, attached.getFirst().epoch(), sequences);
        }
    }

    ShardNode(String name, KafkaConfig kafka, RedisConfig redisConfig) {
        id = new NodeId(name, 1);
        ShardTraffic traffic = new ShardTraffic(
                () -> others.stream().map(node -> node.id.toString()).toList(),
                () -> true,
                () -> CompletableFuture.completedStage(null),
                clientId -> ShardAppends.shardOf(clientId, SHARDS),
                timer,
                format);
        KafkaShardLog inKafka = new KafkaShardLog(
                kafka, name, SHARDS, Duration.ZERO, InstantSource.system(), KafkaRecorder.NONE, failure -> {});
        InstantAssigner.of(kafka.shardsTopic(), SHARDS).add(id, inKafka);
        log = new NextFormat.Log(inKafka);
        redis = RedisCluster.connect(redisConfig);
        store = new RedisShardStore(redis, SHARDS, RecordFormat.alone(), RedisRecorder.NONE);
        ShardConfig config = ShardConfig.builder()
                .threads(2)
                .savePointInterval(Duration.ofMillis(200))
                .savePointMessages(500)
                .savePointSize(256 << 10)
                .unsavedSize(1280 << 10)
                .windowMessages(WINDOW)
                .build();
        InstantTopics topics = new InstantTopics();
        appends = new ShardAppends(config, log, topics, InstantSource.system(), format);
        shards = new Shards(
                config,
                log,
                store,
                topics,
                InstantSource.system(),
                appends,
                new Shards.Node(
                        id.toString(),
                        _ -> false,
                        connections,
                        new NoRouting(),
                        new NoObserver(),
                        traffic,
                        () -> true,
                        new Owned()));
        links = new NodeLinks(
                id,
                LinkConfig.defaults("cluster", SECRET, "127.0.0.1", 0),
                LinkLayer.PLAIN,
                new OpenLinks(),
                new Receiver(new ShardArrivals(traffic, shards, connections, format)),
                new LinkRecorder() {});
        shards.start();
        address = links.listen();
        shards.own();
    }

    /** Connects nodes with each other. */
    static void connect(ShardNode... nodes) {
        for (ShardNode node : nodes) {
            node.others.clear();
            Arrays.stream(nodes).filter(other -> other != node).forEach(node.others::add);
            node.link();
        }
    }

    /** Has the links that there should be. */
    void link() {
        Map<NodeId, InetSocketAddress> peers = new ConcurrentHashMap<>();
        others.forEach(other -> peers.put(other.id, other.address));
        links.peers(peers);
    }

    /** Cuts all links. */
    void cut() {
        links.peers(Map.of());
    }

    /** Attaches a client to a new connection; the number is the test's. */
    Connected attach(String clientId, long number) {
        return attach(clientId, number, Principal.ofUser(clientId));
    }

    /** The same in the name of a principal. */
    Connected attach(String clientId, long number, Principal who) {
        Connected connected = new Connected(clientId);
        connections.add(number, connected);
        shards.attach(
                new Attach(clientId, id.toString(), number, false, 3600, 10, ClientKind.DEVICE, null, who, false),
                _ -> {});
        return connected;
    }

    @Override
    public void close() {
        links.close(Duration.ofSeconds(1))
                .toCompletableFuture()
                .orTimeout(20, TimeUnit.SECONDS)
                .join();
        log.takePart(false);
        log.close();
        shards.close();
        store.close();
        redis.close();
        timer.shutdownNow();
    }

    private final class Receiver implements LinkReceiver {
        private final ShardArrivals arrivals;

        private Receiver(ShardArrivals arrivals) {
            this.arrivals = arrivals;
        }

        @Override
        public void onUp(Link link) {
            arrivals.onUp(link);
            linked.add(link.peer().name());
        }

        @Override
        public void onFrame(Link link, byte[] frame) {
            for (NodeMessage message : NodeMessageCodec.decode(NextFormat.read(frame))) {
                if (message instanceof NodeMessage.OwnerMessage fromOwner) {
                    arrivals.take(link, fromOwner);
                } else if (message instanceof NodeMessage.ToOwner toOwner) {
                    arrivals.take(link, toOwner);
                }
            }
        }

        @Override
        public void onDown(Link link) {
            linked.remove(link.peer().name());
            arrivals.onDown(link);
        }
    }

    private final class Owned implements ShardRecorder {
        @Override
        public void live(int shard, int sessions) {
            owned.add(shard);
        }
    }
}
