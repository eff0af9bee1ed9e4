package io.tributary.testcontainers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.slf4j.LoggerFactory;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.Container.ExecResult;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.containers.output.Slf4jLogConsumer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.images.builder.Transferable;
import org.testcontainers.lifecycle.Startables;
import org.testcontainers.utility.DockerImageName;

/**
 * Three brokers on three of Kafka and a Redis Cluster of three, each in a container, from the images that their
 * projects publish. {@code -Dtest.image.kafka}, {@code -Dtest.image.redis} and {@code -Dtest.image.tributary} name
 * others.
 */
final class ContainerCluster implements AutoCloseable {
    static final int NODES = 3;

    private static final Duration LONGEST_START = Duration.ofMinutes(3);
    private static final int SECRET_OF_GROUP = 0440;

    /** Of the addresses that are for tests alone, so that Kafka can tell clients of this machine its own. */
    private static final String ADDRESSES = "198.18.131.";

    private static final int FIRST_OF_KAFKA = 10;
    private static final int KAFKA_PORT = 9092;
    private static final int REACHED_WITHIN_MILLIS = 5_000;

    private final Network network = Network.builder()
            .createNetworkCmdModifier(command -> command.withIpam(new com.github.dockerjava.api.model.Network.Ipam()
                    .withConfig(
                            new com.github.dockerjava.api.model.Network.Ipam.Config().withSubnet(ADDRESSES + "0/24"))))
            .build();
    private final List<GenericContainer<?>> kafka;
    private final List<GenericContainer<?>> redis;
    private final List<TributaryContainer> brokers;

    ContainerCluster() {
        kafka = numbers().<GenericContainer<?>>mapToObj(this::kafka).toList();
        redis = numbers().<GenericContainer<?>>mapToObj(this::redis).toList();
        brokers = numbers().mapToObj(this::broker).toList();
    }

    /** Starts all of it, and waits until each broker is ready. */
    void start() throws IOException, InterruptedException {
        startServers();
        Startables.deepStart(brokers).join();
    }

    /** Starts Kafka and Redis alone. */
    void startServers() throws IOException, InterruptedException {
        Startables.deepStart(Stream.concat(kafka.stream(), redis.stream())).join();
        List<String> create = new ArrayList<>(List.of("redis-cli", "--cluster", "create"));
        for (GenericContainer<?> server : redis) {
            create.add(address(server) + ":6379");
        }
        create.add("--cluster-yes");
        ExecResult created = redis.getFirst().execInContainer(create.toArray(String[]::new));
        if (created.getExitCode() != 0) {
            throw new IllegalStateException("no Redis Cluster: " + created.getStdout() + created.getStderr());
        }
        Awaitility.await().atMost(LONGEST_START).until(() -> redis.stream().allMatch(ContainerCluster::isWhole));
    }

    /** Of Kafka, for whoever is on this machine. */
    String bootstrapServers() {
        return numbers()
                .mapToObj(ContainerCluster::kafkaAddress)
                .map(host -> host + ":9092")
                .collect(Collectors.joining(","));
    }

    /** Addresses of Redis' servers, for whoever is on this machine; each has port 6379. */
    List<String> redisHosts() {
        return redis.stream().map(ContainerCluster::address).toList();
    }

    /** Whether this machine has a way to the containers' own addresses. */
    boolean isReachable() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(kafkaAddress(1), KAFKA_PORT), REACHED_WITHIN_MILLIS);
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    /** Deletes everything in Redis. */
    void clearRedis() {
        redis.forEach(server -> said(server, "flushall"));
    }

    private static boolean isWhole(GenericContainer<?> server) {
        return said(server, "cluster", "info").contains("cluster_state:ok");
    }

    private static String said(GenericContainer<?> server, String... command) {
        try {
            ExecResult result = server.execInContainer(
                    Stream.concat(Stream.of("redis-cli"), Stream.of(command)).toArray(String[]::new));
            if (result.getExitCode() != 0) {
                throw new IllegalStateException("redis-cli: " + result.getStdout() + result.getStderr());
            }
            return result.getStdout();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    TributaryContainer broker(String name) {
        return brokers.stream()
                .filter(broker -> broker.getNetworkAliases().contains(name))
                .findFirst()
                .orElseThrow();
    }

    /** As a machine that is gone: no orderly stop. */
    static void kill(GenericContainer<?> container) {
        DockerClientFactory.instance()
                .client()
                .killContainerCmd(container.getContainerId())
                .exec();
    }

    GenericContainer<?> lastOfKafka() {
        return kafka.getLast();
    }

    @Override
    public void close() {
        Stream.of(brokers, redis, kafka).flatMap(List::stream).forEach(GenericContainer::close);
        network.close();
    }

    private static IntStream numbers() {
        return IntStream.rangeClosed(1, NODES);
    }

    private static String each(String pattern) {
        return numbers().mapToObj(pattern::formatted).collect(Collectors.joining(","));
    }

    private static String address(GenericContainer<?> container) {
        return Objects.requireNonNull(container.getContainerInfo().getNetworkSettings().getNetworks().values().stream()
                .findFirst()
                .orElseThrow()
                .getIpAddress());
    }

    private static String kafkaAddress(int number) {
        return ADDRESSES + (FIRST_OF_KAFKA + number);
    }

    private static DockerImageName image(String program, String published) {
        return DockerImageName.parse(System.getProperty("test.image." + program, published));
    }

    private GenericContainer<?> kafka(int number) {
        return new GenericContainer<>(image("kafka", "apache/kafka:4.4.0"))
                .withNetwork(network)
                .withNetworkAliases("kafka-" + number)
                .withCreateContainerCmdModifier(command -> command.withIpv4Address(kafkaAddress(number)))
                .withEnv("CLUSTER_ID", "4L6g3nShT-eMCtK--X86sw")
                .withEnv("KAFKA_NODE_ID", Integer.toString(number))
                .withEnv("KAFKA_PROCESS_ROLES", "broker,controller")
                .withEnv("KAFKA_CONTROLLER_LISTENER_NAMES", "CONTROLLER")
                .withEnv("KAFKA_LISTENER_SECURITY_PROTOCOL_MAP", "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT")
                .withEnv("KAFKA_CONTROLLER_QUORUM_VOTERS", each("%1$d@kafka-%1$d:9093"))
                .withEnv("KAFKA_LISTENERS", "PLAINTEXT://:9092,CONTROLLER://:9093")
                .withEnv("KAFKA_ADVERTISED_LISTENERS", "PLAINTEXT://" + kafkaAddress(number) + ":9092")
                .withEnv("KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR", "3")
                .withEnv("KAFKA_AUTO_CREATE_TOPICS_ENABLE", "false")
                .withEnv("KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS", "1000")
                .withExposedPorts(KAFKA_PORT)
                .waitingFor(Wait.forListeningPort().withStartupTimeout(LONGEST_START));
    }

    private GenericContainer<?> redis(int number) {
        return new GenericContainer<>(image("redis", "redis:7"))
                .withNetwork(network)
                .withNetworkAliases("redis-" + number)
                .withCommand(
                        "redis-server",
                        "--cluster-enabled",
                        "yes",
                        "--appendonly",
                        "yes",
                        "--maxmemory-policy",
                        "noeviction",
                        "--protected-mode",
                        "no")
                .waitingFor(
                        Wait.forLogMessage(".*Ready to accept connections.*", 1).withStartupTimeout(LONGEST_START));
    }

    private TributaryContainer broker(int number) {
        String name = "broker-" + number;
        DockerImageName image = image("tributary", "tributary").asCompatibleSubstituteFor(TributaryContainer.IMAGE);
        return new TributaryContainer(image)
                .withLogConsumer(new Slf4jLogConsumer(LoggerFactory.getLogger(name)))
                .withNetwork(network)
                .withNetworkAliases(name)
                .withCopyToContainer(
                        Transferable.of("secret of a test".repeat(4).getBytes(StandardCharsets.UTF_8), SECRET_OF_GROUP),
                        "/etc/tributary/link")
                .withSetting("tributary.mode", "cluster")
                .withSetting("tributary.node-name", name)
                .withSetting("tributary.cluster.kafka.bootstrap-servers", each("kafka-%d:9092"))
                .withSetting("tributary.cluster.redis.nodes", each("redis-%d:6379"))
                .withSetting("tributary.cluster.link.host", "0.0.0.0")
                .withSetting("tributary.cluster.link.advertised-host", name)
                .withSetting("tributary.cluster.link.secret-file", "/etc/tributary/link")
                .withStartupTimeout(LONGEST_START);
    }
}
