package io.tributary.localcluster;

import io.tributary.cli.UsageException;
import java.util.List;
import java.util.Set;

/**
 * What a local cluster consists of and which ports it has. Each kind of port is a block of its own behind the base
 * port, at the same distance whatever the numbers, so that node 2's ports are easy to tell.
 *
 * @param nodes broker nodes, 0 to 9
 * @param kafkaBrokers 1, 3 or 5
 * @param redisPrimaries 3 to 15; with their replicas 15 servers at most
 * @param redisReplicas replicas of each primary, 0 to 4
 * @param basePort the MQTT port of the first node
 */
record ClusterLayout(int nodes, int kafkaBrokers, int redisPrimaries, int redisReplicas, int basePort) {
    /** Three broker nodes, one Kafka broker, three Redis primaries, no replicas. */
    static final ClusterLayout DEFAULT = new ClusterLayout(3, 1, 3, 0, 18_830);

    /** Between a node's ports, which are in this order: MQTT, WebSocket, management, link to other nodes. */
    static final int BLOCK = 10;

    /** All ports are below the base port and this. */
    static final int SPAN = 90;

    private static final int FEWEST_PRIMARIES = 3;
    private static final int MOST_REDIS = 15;

    ClusterLayout {
        redisPrimaries = redisPrimaries == 0 ? FEWEST_PRIMARIES : redisPrimaries; // of a file that does not say
        check(nodes >= 0 && nodes <= 9, "--nodes: 0 to 9, not " + nodes);
        check(Set.of(1, 3, 5).contains(kafkaBrokers), "--kafka-brokers: 1, 3 or 5, not " + kafkaBrokers);
        check(
                redisPrimaries >= FEWEST_PRIMARIES && redisPrimaries <= MOST_REDIS,
                "--redis-primaries: 3 to " + MOST_REDIS + ", not " + redisPrimaries);
        check(redisReplicas >= 0 && redisReplicas <= 4, "--redis-replicas: 0 to 4, not " + redisReplicas);
        check(
                redisPrimaries * (1 + redisReplicas) <= MOST_REDIS,
                "--redis-primaries and --redis-replicas: " + MOST_REDIS + " servers at most, not "
                        + redisPrimaries * (1 + redisReplicas));
        check(basePort > 0 && basePort + SPAN <= 65_536, "--base-port: 1 to " + (65_536 - SPAN) + ", not " + basePort);
    }

    private static void check(boolean allowed, String message) {
        if (!allowed) {
            throw new UsageException(message);
        }
    }

    /** The MQTT port of node {@code i}, from 1. */
    int mqttPort(int i) {
        return basePort + i - 1;
    }

    /** The port of node {@code i} for MQTT over WebSocket. */
    int webSocketPort(int i) {
        return mqttPort(i) + BLOCK;
    }

    /** The port of node {@code i} for health, metrics and administration. */
    int managementPort(int i) {
        return mqttPort(i) + 2 * BLOCK;
    }

    /** The port of node {@code i} for other nodes. */
    int linkPort(int i) {
        return mqttPort(i) + 3 * BLOCK;
    }

    /** The port of node {@code i} at which HAProxy asks for its load. */
    int agentPort(int i) {
        return mqttPort(i) + 8 * BLOCK;
    }

    /** The first of Kafka's ports: as many for clients as there are brokers, and as many for the quorum. */
    int kafkaPort() {
        return basePort + 4 * BLOCK;
    }

    /** The first of Redis's ports: as many for clients as there are servers, and as many for their bus. */
    int redisPort() {
        return basePort + 5 * BLOCK;
    }

    /** Of a number of nodes' ports of one kind. */
    List<Integer> mqttPorts() {
        return Ports.range(basePort, nodes);
    }

    /** Whether the data of a cluster of that layout can be gone on with; the number of nodes may change. */
    boolean fits(ClusterLayout other) {
        return kafkaBrokers == other.kafkaBrokers
                && redisPrimaries == other.redisPrimaries
                && redisReplicas == other.redisReplicas
                && basePort == other.basePort;
    }
}
