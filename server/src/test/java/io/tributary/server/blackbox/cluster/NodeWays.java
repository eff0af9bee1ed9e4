package io.tributary.server.blackbox.cluster;

import io.tributary.cluster.link.CuttableProxy;
import io.tributary.localcluster.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The ways of one node to Kafka and to Redis, and those of other nodes' links to it, which a test can cut: no byte gets
 * through then, and nothing is closed. Of two nodes the one with the smaller name makes the link, so the links of
 * {@code n2} that go this way are those with {@code n1}, and those of {@code n3} are all that it has in a cluster of
 * three.
 */
final class NodeWays implements AutoCloseable {
    private final List<CuttableProxy> kafka;
    private final List<CuttableProxy> redis;
    private final int linkPort = Ports.free();
    private final CuttableProxy links;

    /**
     * Ways that are open.
     *
     * @param kafkaPorts where Kafka's brokers take clients
     * @param redisPorts where all servers of Redis take clients
     */
    NodeWays(List<Integer> kafkaPorts, List<Integer> redisPorts) {
        kafka = to(kafkaPorts);
        redis = to(redisPorts);
        links = to(linkPort);
    }

    private static List<CuttableProxy> to(List<Integer> ports) {
        Map<Integer, CuttableProxy> proxies =
                ports.stream().collect(Collectors.toMap(Function.identity(), NodeWays::to));
        Map<Integer, Integer> names = proxies.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, proxy -> portOf(proxy.getValue())));
        proxies.values().forEach(proxy -> proxy.rename(names));
        return List.copyOf(proxies.values());
    }

    private static CuttableProxy to(int port) {
        try {
            return new CuttableProxy(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int portOf(CuttableProxy proxy) {
        return proxy.address().getPort();
    }

    /** The settings of a node that goes these ways. */
    List<String> settings() {
        return List.of(
                "--tributary.cluster.kafka.bootstrap-servers=" + addresses(kafka),
                "--tributary.cluster.redis.nodes=" + addresses(redis),
                "--tributary.cluster.link.port=" + linkPort,
                "--tributary.cluster.link.advertised-port=" + portOf(links));
    }

    private static String addresses(List<CuttableProxy> proxies) {
        return proxies.stream().map(proxy -> "127.0.0.1:" + portOf(proxy)).collect(Collectors.joining(","));
    }

    void cutKafka() {
        kafka.forEach(CuttableProxy::stall);
    }

    void cutRedis() {
        redis.forEach(CuttableProxy::stall);
    }

    void cutLinks() {
        links.stall();
    }

    /** Opens all again. */
    void heal() {
        kafka.forEach(CuttableProxy::flow);
        redis.forEach(CuttableProxy::flow);
        links.flow();
    }

    @Override
    public void close() {
        List<CuttableProxy> all = new ArrayList<>(kafka);
        all.addAll(redis);
        all.add(links);
        for (CuttableProxy proxy : all) {
            try {
                proxy.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
