package io.tributary.localcluster;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The settings of a local Kafka broker: as strict about data as in production, quick to notice a failure, small.
 *
 * @param id the broker's {@code node.id}, from 1
 * @param ports of all brokers, for clients
 * @param controllerPorts of all brokers, for the quorum
 * @param access who may use them
 */
record KafkaSettings(int id, List<Integer> ports, List<Integer> controllerPorts, Path data, KafkaAccess access) {
    KafkaSettings {
        ports = List.copyOf(ports);
        controllerPorts = List.copyOf(controllerPorts);
    }

    /** All of them, as a properties file has them. */
    Map<String, String> all() {
        Map<String, String> settings = new TreeMap<>();
        settings.putAll(places());
        settings.putAll(safety());
        settings.putAll(FAIL_OVER);
        settings.putAll(SIZE);
        settings.putAll(SOCKETS);
        settings.putAll(access.settings());
        return settings;
    }

    private Map<String, String> places() {
        String client = "127.0.0.1:" + ports.get(id - 1);
        String controller = "127.0.0.1:" + controllerPorts.get(id - 1);
        return Map.of(
                "process.roles",
                "broker,controller",
                "node.id",
                Integer.toString(id),
                "listeners",
                "CLIENT://" + client + ",CONTROLLER://" + controller,
                "advertised.listeners",
                "CLIENT://" + client,
                "inter.broker.listener.name",
                "CLIENT",
                "controller.listener.names",
                "CONTROLLER",
                "listener.security.protocol.map",
                "CLIENT:" + access.protocol() + ",CONTROLLER:PLAINTEXT",
                "controller.quorum.voters",
                voters(),
                "log.dirs",
                data.toString());
    }

    private String voters() {
        return IntStream.range(0, controllerPorts.size())
                .mapToObj(i -> (i + 1) + "@127.0.0.1:" + controllerPorts.get(i))
                .collect(Collectors.joining(","));
    }

    /** Every topic on three brokers, written when two have it. */
    private Map<String, String> safety() {
        String replicas = Integer.toString(Math.min(3, ports.size()));
        String inSync = Integer.toString(Math.min(2, ports.size()));
        return Map.of(
                "auto.create.topics.enable", "false",
                "unclean.leader.election.enable", "false",
                "default.replication.factor", replicas,
                "min.insync.replicas", inSync,
                "offsets.topic.replication.factor", replicas,
                "transaction.state.log.replication.factor", replicas,
                "transaction.state.log.min.isr", inSync,
                "share.coordinator.state.topic.replication.factor", replicas,
                "share.coordinator.state.topic.min.isr", inSync);
    }

    /** A broker or a member of a group that is gone is missed after seconds; groups may ask for less. */
    private static final Map<String, String> FAIL_OVER = Map.ofEntries(
            Map.entry("broker.heartbeat.interval.ms", "500"),
            Map.entry("broker.session.timeout.ms", "3000"),
            Map.entry("replica.lag.time.max.ms", "3000"),
            Map.entry("group.initial.rebalance.delay.ms", "0"),
            Map.entry("group.min.session.timeout.ms", "1000"),
            Map.entry("group.consumer.min.heartbeat.interval.ms", "100"),
            Map.entry("group.consumer.heartbeat.interval.ms", "500"),
            Map.entry("group.consumer.min.session.timeout.ms", "1000"),
            Map.entry("group.consumer.session.timeout.ms", "5000"),
            Map.entry("group.share.min.heartbeat.interval.ms", "100"),
            Map.entry("group.share.heartbeat.interval.ms", "500"),
            Map.entry("group.share.min.session.timeout.ms", "1000"),
            Map.entry("group.share.session.timeout.ms", "5000"),
            Map.entry("group.share.min.record.lock.duration.ms", "1000"));

    /**
     * Kafka's own sizes are about a segment of the loopback interface: what is behind one waits for TCP's timers, 200
     * ms.
     */
    private static final Map<String, String> SOCKETS =
            Map.of("socket.send.buffer.bytes", "-1", "socket.receive.buffer.bytes", "-1");

    /** Few partitions, threads and buffers: several brokers share a machine with what they serve. */
    private static final Map<String, String> SIZE = Map.ofEntries(
            Map.entry("offsets.topic.num.partitions", "3"),
            Map.entry("transaction.state.log.num.partitions", "3"),
            Map.entry("share.coordinator.state.topic.num.partitions", "3"),
            Map.entry("log.segment.bytes", Integer.toString(64 << 20)),
            // Enough for an entry each 4 KiB of such a segment; the default maps 20 MiB for each segment.
            Map.entry("log.index.size.max.bytes", Integer.toString(256 << 10)),
            // Of the heap.
            Map.entry("log.cleaner.dedupe.buffer.size", Integer.toString(8 << 20)),
            Map.entry("background.threads", "2"),
            Map.entry("group.coordinator.threads", "1"),
            Map.entry("num.io.threads", "4"),
            Map.entry("num.network.threads", "2"));
}
