package io.tributary.server.blackbox.cluster;

import io.tributary.broker.blackbox.TestClient;
import io.tributary.cluster.link.NodeId;
import io.tributary.cluster.node.Assignment;
import io.tributary.localcluster.LocalKafka;
import io.tributary.localcluster.LocalRedis;
import io.tributary.server.blackbox.BrokerProcess;
import io.tributary.server.blackbox.Installation;
import io.tributary.server.blackbox.Secured;
import io.tributary.server.blackbox.Secured.Way;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * Broker nodes {@code n1}, {@code n2}, ... on Kafka and Redis Cluster, each a process of its own on ports of its own,
 * which a test can stop, kill, pause and start again. All end with this JVM. With
 * {@link io.tributary.broker.blackbox.BrokerExtension} a failure shows the ends of the nodes' logs.
 *
 * <p>One thread at a time, except for {@link #upNodes}.
 */
public final class TestCluster implements AutoCloseable {
    /** The topic of the shards' logs, and the group of its readers. */
    static final String SHARDS = "tributary.shards";

    private static final Pattern OWNED = Pattern.compile("\"ownedShards\":(\\d+)");
    private static final Duration HTTP_PATIENCE = Duration.ofSeconds(5);

    /** What the names of the topics of applications begin with. */
    static final String APPLICATION_TOPICS = "tributary.app.";

    private final LocalKafka kafka;
    private final LocalRedis redis;
    private final Map<String, BrokerProcess> nodes = new LinkedHashMap<>();
    private final Map<String, NodeWays> ways = new LinkedHashMap<>();
    private final Map<String, WallClock> clocks = new LinkedHashMap<>();
    private final Set<String> down = ConcurrentHashMap.newKeySet();
    private final int shards;
    private final Way way;
    private final Path tokenFile;

    private TestCluster(LocalKafka kafka, LocalRedis redis, int shards, Way way, Path tokenFile) {
        this.way = way;
        this.tokenFile = tokenFile;
        this.kafka = kafka;
        this.redis = redis;
        this.shards = shards;
    }

    /**
     * A cluster that keeps its data in this folder: three nodes, one Kafka broker, no replicas, unless more is said.
     */
    public static Builder in(Path folder) {
        return new Builder(folder);
    }

    /** How clients open connections to its nodes. */
    Way way() {
        return way;
    }

    /** The file with the token that opens the API of each node. */
    public Path tokenFile() {
        return tokenFile;
    }

    public LocalKafka kafka() {
        return kafka;
    }

    /** An administrator of its Kafka, for the caller to close. */
    Admin kafkaAdmin() {
        return Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, kafka.bootstrapServers()));
    }

    public LocalRedis redis() {
        return redis;
    }

    /** How many shards it has. */
    public int shards() {
        return shards;
    }

    /** The names of all nodes, in order. */
    public List<String> names() {
        return List.copyOf(nodes.keySet());
    }

    /** One node, whether it runs or not. */
    public BrokerProcess node(String name) {
        BrokerProcess node = nodes.get(name);
        if (node == null) {
            throw new IllegalArgumentException("there are " + nodes.keySet() + ", not " + name);
        }
        return node;
    }

    /** Whether nodes have ways of their own, see {@link Builder#waysOfTheirOwn}. */
    boolean hasWays() {
        return !ways.isEmpty();
    }

    /** The ways of a node of a cluster that {@link #hasWays}. */
    NodeWays ways(String name) {
        NodeWays ofNode = ways.get(name);
        if (ofNode == null) {
            throw new IllegalStateException(name + " has no ways of its own");
        }
        return ofNode;
    }

    /** Whether the nodes have clocks that can be set off. */
    boolean hasClocks() {
        return !clocks.isEmpty();
    }

    /** The wall clock of a node, where {@link #hasClocks}. */
    WallClock clock(String name) {
        return Objects.requireNonNull(clocks.get(name), name);
    }

    /** All nodes, in order. */
    public Collection<BrokerProcess> nodes() {
        return nodes.values();
    }

    /** The nodes that were not killed or stopped, paused ones included: where a client may try. Any thread. */
    public List<BrokerProcess> upNodes() {
        return without(down);
    }

    /** All nodes but these. */
    public List<BrokerProcess> without(Collection<String> names) {
        return nodes.entrySet().stream()
                .filter(node -> !names.contains(node.getKey()))
                .map(Map.Entry::getValue)
                .toList();
    }

    /** Ends a node with SIGKILL. */
    public void kill(String name) {
        down.add(name);
        node(name).kill();
    }

    /** Ends a node in order, with SIGTERM, and waits until it is gone. */
    public void stop(String name) {
        down.add(name);
        int exit = node(name).stop();
        if (exit != 0) {
            throw new AssertionError(name + " ended with " + exit);
        }
    }

    /** Starts a node again, and waits until it is ready. */
    public void start(String name) {
        node(name).start();
        down.remove(name);
    }

    /**
     * Waits until each of the nodes, of which all run, has its part of the shards for good: a node that started first
     * has all of them for a while, and one that takes a shard over repeats what the log says since the last save point.
     */
    void awaitShardsSpread(Duration limit) {
        Awaitility.await("each node has its shards").atMost(limit).until(this::areShardsSpread);
    }

    /** The same, and that it stays so for a while: a node that is about to begin anew does so meanwhile. */
    void awaitShardsStaySpread(Duration time, Duration limit) {
        Awaitility.await("each node keeps its shards")
                .during(time)
                .atMost(limit)
                .until(this::areShardsSpread);
    }

    private boolean areShardsSpread() {
        int share = shards / nodes.size();
        return nodes.keySet().stream().allMatch(name -> ownedShards(name) >= share);
    }

    /** Waits until so many nodes take part in owning shards. */
    void awaitOwners(int count, Duration limit) {
        Awaitility.await(count + " nodes own the shards").atMost(limit).until(() -> {
            List<Integer> owned = nodes.keySet().stream()
                    .map(this::ownedShards)
                    .filter(shards -> shards > 0)
                    .toList();
            return owned.size() == count
                    && owned.stream().mapToInt(Integer::intValue).sum() == shards;
        });
    }

    /** How many shards a node says that it serves; 0 where it says nothing. */
    int ownedShards(String name) {
        BrokerProcess node = nodes.get(name);
        if (node == null || !node.isAlive()) {
            return 0;
        }
        URI health = URI.create("http://127.0.0.1:" + node.httpPort() + "/actuator/health/readiness");
        try (HttpClient http = HttpClient.newHttpClient()) {
            HttpRequest request =
                    HttpRequest.newBuilder(health).timeout(HTTP_PATIENCE).build();
            Matcher owned = OWNED.matcher(
                    http.send(request, HttpResponse.BodyHandlers.ofString()).body());
            return owned.find() ? Integer.parseInt(owned.group(1)) : 0;
        } catch (IOException e) {
            return 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 0;
        }
    }

    /** The node that is to own a shard, as the node table says. */
    String ownerOf(int shard) {
        byte[] newest = {};
        try (KafkaRecords records = new KafkaRecords(kafka.bootstrapServers())) {
            for (ConsumerRecord<byte[], byte[]> record : records.records("tributary.nodes")) {
                if (new String(record.key(), StandardCharsets.UTF_8).equals(Assignment.KEY)) {
                    newest = record.value();
                }
            }
        }
        NodeId owner =
                newest.length == 0 ? null : Assignment.decode(newest).owners().get(shard);
        return owner == null ? "nobody" : owner.name();
    }

    /** Waits until Redis has all that the logs of the shards say; while nothing is logged. */
    void awaitSaved(Duration limit) {
        try (Admin admin = kafkaAdmin()) {
            Awaitility.await("all is saved")
                    .atMost(limit)
                    .until(() -> logEnds(admin).equals(savedEnds()));
        }
    }

    /** The offsets behind the last records of all shards that have any, in ascending order. */
    private List<Long> logEnds(Admin admin) throws ExecutionException, InterruptedException {
        Map<TopicPartition, OffsetSpec> latest = IntStream.range(0, shards)
                .boxed()
                .collect(Collectors.toMap(shard -> new TopicPartition(SHARDS, shard), _ -> OffsetSpec.latest()));
        return admin.listOffsets(latest).all().get().values().stream()
                .map(ListOffsetsResultInfo::offset)
                .filter(end -> end > 0)
                .sorted()
                .toList();
    }

    /** The same, as Redis knows them. */
    private List<Long> savedEnds() {
        List<Long> ends = new ArrayList<>();
        for (int i = 1; i <= redis.size(); i++) {
            if (redis.call(i, "ROLE").startsWith("master")) {
                for (String shard :
                        redis.call(i, "KEYS", "tributary:*:shard").lines().toList()) {
                    String applied = redis.call(i, "HGET", shard, "applied").strip();
                    if (!applied.isEmpty()) {
                        ends.add(Long.parseLong(applied) + 1);
                    }
                }
            }
        }
        Collections.sort(ends);
        return ends;
    }

    /** Adds a partition to the topic of the shards; tells how many it has then. */
    int addPartition() {
        return askKafka(admin -> {
            int count = describe(admin, SHARDS).partitions().size() + 1;
            admin.createPartitions(Map.of(SHARDS, NewPartitions.increaseTo(count)))
                    .all()
                    .get();
            return count;
        });
    }

    /** The topics of applications, alone or together, that there were messages for; in order. */
    List<String> applicationTopics() {
        return askKafka(admin -> {
            Map<TopicPartition, OffsetSpec> latest = admin.listTopics().names().get().stream()
                    .filter(topic -> topic.startsWith(APPLICATION_TOPICS))
                    .collect(Collectors.toMap(topic -> new TopicPartition(topic, 0), _ -> OffsetSpec.latest()));
            return admin.listOffsets(latest).all().get().entrySet().stream()
                    .filter(end -> end.getValue().offset() > 0)
                    .map(end -> end.getKey().topic())
                    .sorted()
                    .toList();
        });
    }

    /** Deletes a topic and waits until it is gone, or there is another one of its name. */
    void deleteTopic(String topic) {
        Uuid _ = askKafka(admin -> {
            Uuid id = describe(admin, topic).topicId();
            admin.deleteTopics(List.of(topic)).all().get();
            Awaitility.await(topic + " goes")
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> admin.listTopics().listings().get().stream()
                            .noneMatch(listing -> listing.topicId().equals(id)));
            return id;
        });
    }

    /** Has an empty topic of one partition, with the same settings, in the place of one. */
    void makeAnew(String topic) {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        Map<String, String> settings =
                askKafka(admin -> admin.describeConfigs(List.of(resource)).all().get().values().stream()
                        .flatMap(config -> config.entries().stream())
                        .filter(entry -> entry.source() == ConfigEntry.ConfigSource.DYNAMIC_TOPIC_CONFIG)
                        .collect(Collectors.toMap(ConfigEntry::name, ConfigEntry::value)));
        deleteTopic(topic);
        Void _ = askKafka(admin -> admin.createTopics(
                        List.of(new NewTopic(topic, 1, (short) kafka.size()).configs(settings)))
                .all()
                .get());
    }

    /** What is asked of an administrator of Kafka. */
    private interface Question<T> {
        T ask(Admin admin) throws ExecutionException, InterruptedException;
    }

    private <T> T askKafka(Question<T> question) {
        try (Admin admin = kafkaAdmin()) {
            return question.ask(admin);
        } catch (ExecutionException | InterruptedException e) {
            throw new IllegalStateException("Kafka does not do what it is asked to", e);
        }
    }

    private static TopicDescription describe(Admin admin, String topic)
            throws ExecutionException, InterruptedException {
        return admin.describeTopics(List.of(topic))
                .topicNameValues()
                .values()
                .iterator()
                .next()
                .get();
    }

    /** Writes what the threads of each node that runs do to a file beside its log, for whoever looks into a failure. */
    public void dumpThreads() {
        upNodes().forEach(BrokerProcess::dumpThreads);
    }

    /** Ends all, nodes first, with SIGKILL: tests throw their data away. */
    @Override
    public void close() {
        nodes.values().forEach(BrokerProcess::close);
        ways.values().forEach(NodeWays::close);
        redis.close();
        kafka.close();
    }

    /** Starts all nodes, of which none runs, at the same time. */
    private void startNodes() {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            CompletableFuture.allOf(nodes.values().stream()
                            .map(node -> CompletableFuture.runAsync(node::start, threads))
                            .toArray(CompletableFuture<?>[]::new))
                    .join();
        }
    }

    /** What is to be decided before the cluster starts. */
    public static final class Builder {
        private static final List<String> SMALL = List.of("-Xmx256m", "-XX:MaxDirectMemorySize=256m");

        private final Path folder;
        private final List<String> settings = new ArrayList<>();
        private final List<NewTopic> topics = new ArrayList<>();
        private List<String> jvmOptions = SMALL;
        private int nodes = 3;
        private int kafkaBrokers = 1;
        private int redisReplicas;
        private int shards = 12;
        private boolean waysOfTheirOwn;
        private boolean clocks;
        private @Nullable Installation installation;
        private boolean canary;
        private Way way = TestClient::open;

        private Builder(Path folder) {
            this.folder = folder;
        }

        /** How many broker nodes there are. */
        public Builder nodes(int count) {
            nodes = count;
            return this;
        }

        /** One Kafka broker or three. */
        public Builder kafkaBrokers(int count) {
            kafkaBrokers = count;
            return this;
        }

        /** How many replicas each of the three Redis primaries has. */
        public Builder redisReplicas(int count) {
            redisReplicas = count;
            return this;
        }

        /** How many shards the cluster has; twelve, unless said. */
        public Builder shards(int count) {
            shards = count;
            return this;
        }

        /** Each node reaches Kafka, Redis and the other nodes by {@link NodeWays} of its own. */
        public Builder waysOfTheirOwn() {
            waysOfTheirOwn = true;
            return this;
        }

        /** Nodes have a canary, as usual: else nothing is logged but what a test does. */
        public Builder canary() {
            canary = true;
            return this;
        }

        /** A topic of Kafka that is there before the nodes start. */
        public Builder topic(String name, int partitions) {
            topics.add(new NewTopic(name, partitions, (short) -1));
            return this;
        }

        /** The options of each node's JVM; 256 MiB of heap and of direct memory each, unless said. */
        public Builder jvmOptions(List<String> options) {
            jvmOptions = List.copyOf(options);
            return this;
        }

        /** A setting of all nodes, as on the command line: {@code --tributary.key=value}. */
        public Builder setting(String setting) {
            settings.add(setting);
            return this;
        }

        /** Its nodes run from this installation, until they are given another one. */
        Builder installation(Installation first) {
            installation = first;
            return this;
        }

        /** Clients need TLS and a password at each node. */
        Builder secured(Secured secured) {
            settings.addAll(secured.settings());
            way = secured.way();
            return this;
        }

        /**
         * Gives each node a wall clock that can be set off, where there is a C compiler; it says so where there is
         * none.
         */
        Builder clocks() {
            clocks = true;
            return this;
        }

        /** Starts all parts and waits until they are ready; leaves none running if that fails. */
        public TestCluster start() {
            TestCluster cluster = startServers();
            try {
                createTopics(cluster);
                prepareNodes(cluster);
                cluster.startNodes();
                return cluster;
            } catch (RuntimeException failure) {
                cluster.close();
                throw failure;
            }
        }

        /** Kafka and Redis at the same time, for Redis mostly waits. */
        private TestCluster startServers() {
            CompletableFuture<LocalKafka> kafka = CompletableFuture.supplyAsync(
                    () -> LocalKafka.in(folder).brokers(kafkaBrokers).start(), Thread::startVirtualThread);
            CompletableFuture<LocalRedis> redis = CompletableFuture.supplyAsync(
                    () -> LocalRedis.in(folder)
                            .replicas(redisReplicas)
                            .appendOnly(true)
                            .start(),
                    Thread::startVirtualThread);
            try {
                return new TestCluster(kafka.join(), redis.join(), shards, way, tokenFile());
            } catch (RuntimeException failure) {
                closeOnceStarted(kafka, LocalKafka::close);
                closeOnceStarted(redis, LocalRedis::close);
                throw failure;
            }
        }

        private static <T> void closeOnceStarted(CompletableFuture<T> servers, Consumer<T> close) {
            try {
                close.accept(servers.join());
            } catch (CompletionException failed) {
                // none of them runs
            }
        }

        private void createTopics(TestCluster cluster) {
            if (topics.isEmpty()) {
                return;
            }
            try (Admin admin = cluster.kafkaAdmin()) {
                admin.createTopics(topics).all().get();
            } catch (ExecutionException failure) {
                throw new IllegalStateException(failure);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(interrupted);
            }
        }

        private void prepareNodes(TestCluster cluster) {
            List<String> shared = new ArrayList<>(List.of(
                    "--tributary.mode=cluster",
                    "--tributary.cluster.shards=" + shards,
                    "--tributary.cluster.kafka.replication-factor=" + kafkaBrokers,
                    "--tributary.cluster.link.host=127.0.0.1",
                    "--tributary.cluster.link.secret-file=" + secret("link.secret")));
            if (!canary) {
                shared.add("--tributary.canary.interval=0");
            }
            shared.addAll(settings);
            Optional<Path> clockLibrary = clocks ? WallClock.library(folder) : Optional.empty();
            for (int i = 1; i <= nodes; i++) {
                String name = "n" + i;
                List<String> own = new ArrayList<>(shared);
                own.add("--tributary.node-name=" + name);
                if (waysOfTheirOwn) {
                    NodeWays ways = new NodeWays(cluster.kafka.ports(), cluster.redis.ports());
                    cluster.ways.put(name, ways);
                    own.addAll(ways.settings());
                } else {
                    own.add("--tributary.cluster.kafka.bootstrap-servers=" + cluster.kafka.bootstrapServers());
                    own.add("--tributary.cluster.redis.nodes=" + cluster.redis.addresses());
                    own.add("--tributary.cluster.link.port=0");
                }
                BrokerProcess node = BrokerProcess.prepare(folder.resolve(name), jvmOptions, own);
                if (installation != null) {
                    node.runFrom(installation);
                }
                cluster.nodes.put(name, node);
                clockLibrary.ifPresent(library -> {
                    WallClock clock = WallClock.of(library, folder.resolve(name + ".clock"));
                    cluster.clocks.put(name, clock);
                    node.environment(clock.environment());
                });
            }
        }

        /** The file of the settings, or one that is made. */
        private Path tokenFile() {
            String setting = "--tributary.security.admin-token-file=";
            return settings.stream()
                    .filter(each -> each.startsWith(setting))
                    .findFirst()
                    .map(each -> Path.of(each.substring(setting.length())))
                    .orElseGet(() -> {
                        Path made = secret("admin.token");
                        settings.add(setting + made);
                        return made;
                    });
        }

        /** A new file with a secret. */
        private Path secret(String name) {
            Path file = folder.resolve(name);
            try {
                Files.createFile(
                        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
                return Files.writeString(file, UUID.randomUUID().toString());
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
    }
}
