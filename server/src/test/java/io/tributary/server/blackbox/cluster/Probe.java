package io.tributary.server.blackbox.cluster;

import io.tributary.broker.blackbox.TestClient;
import io.tributary.broker.blackbox.TestTalk;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import io.tributary.server.blackbox.BrokerProcess;
import io.tributary.server.blackbox.Secured.Way;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.awaitility.Awaitility;

/**
 * Finds out whether a cluster works: a message that is published at each node arrives at a transient subscriber at
 * each, and at a persistent subscriber of each shard. One thread at a time.
 */
final class Probe {
    private static final ProtocolVersion VERSION = ProtocolVersion.MQTT_5;
    /** For an answer, which a broker gives as soon as it can. */
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    /** For a message, which may be lost on its way to a transient subscriber. */
    private static final Duration DELIVERY_PATIENCE = Duration.ofSeconds(3);

    private static final Duration PAUSE = Duration.ofMillis(50);
    private static final long EXPIRY_SECONDS = 600;

    private final Way way;
    private final List<String> persistentIds;
    private int round;

    /** A probe of all shards of a cluster. */
    Probe(TestCluster cluster) {
        way = cluster.way();
        persistentIds = oneOfEachShard(cluster.shards());
    }

    /**
     * Waits until it works.
     *
     * @param nodes those that take part
     * @throws org.awaitility.core.ConditionTimeoutException when it does not work in time
     */
    void await(List<BrokerProcess> nodes, Duration limit) {
        Awaitility.await("the cluster works")
                .pollInSameThread()
                .pollDelay(Duration.ZERO)
                .pollInterval(PAUSE)
                .atMost(limit)
                .ignoreExceptionsInstanceOf(IOException.class)
                .until(() -> works(nodes));
    }

    private boolean works(List<BrokerProcess> nodes) throws IOException {
        try (Attempt attempt = new Attempt(nodes, ++round)) {
            attempt.run();
            return true;
        }
    }

    /**
     * Client identifiers that the broker spreads over all shards. Should it spread them otherwise, fewer are looked at.
     */
    private static List<String> oneOfEachShard(int shards) {
        List<String> ids = new ArrayList<>();
        Set<Integer> seen = new HashSet<>();
        for (int i = 0; seen.size() < shards; i++) {
            String id = "probe-" + i;
            int hash = id.hashCode() * 0x9E3779B9;
            if (seen.add(Integer.remainderUnsigned(hash ^ (hash >>> 16), shards))) {
                ids.add(id);
            }
        }
        return ids;
    }

    /** A client of an attempt. */
    private record Client(String name, TestClient connection) {

        <T extends MqttPacket> T await(Class<T> type, Duration patience) throws IOException {
            try {
                return connection.await(type, patience);
            } catch (IOException failure) {
                throw new IOException(name + ": " + failure.getMessage(), failure);
            }
        }
    }

    /** All clients of one attempt, each with a new session. */
    private final class Attempt implements AutoCloseable {
        private final List<BrokerProcess> nodes;
        private final String topic;
        private final List<Client> subscribers = new ArrayList<>();
        private final List<Client> publishers = new ArrayList<>();

        Attempt(List<BrokerProcess> nodes, int number) {
            this.nodes = nodes;
            topic = "probe/" + number;
        }

        void run() throws IOException {
            connect();
            subscribe();
            publish();
            for (Client subscriber : subscribers) {
                receive(subscriber);
            }
            for (Client subscriber : subscribers) {
                subscriber.connection.send(new Disconnect(ReasonCode.SUCCESS, 0, null, null, List.of()));
            }
        }

        /** All at once: what one of them waits for, the others wait for too. */
        private void connect() throws IOException {
            for (int i = 0; i < persistentIds.size(); i++) {
                BrokerProcess node = nodes.get((i + round) % nodes.size());
                subscribers.add(open(node, persistentIds.get(i), EXPIRY_SECONDS));
            }
            for (int i = 0; i < nodes.size(); i++) {
                subscribers.add(open(nodes.get(i), "probe-transient-" + i, 0));
                publishers.add(open(nodes.get(i), "probe-publisher-" + i, 0));
            }
            for (Client subscriber : subscribers) {
                awaitConnack(subscriber);
            }
            for (Client publisher : publishers) {
                awaitConnack(publisher);
            }
        }

        private Client open(BrokerProcess node, String clientId, long expirySeconds) throws IOException {
            TestClient client = way.open(node.tcpPort(), VERSION);
            try {
                client.send(new Connect(
                        VERSION, true, 0, clientId, null, null, null, ConnectProperties.defaults(expirySeconds)));
                return new Client(clientId + " at port " + node.tcpPort(), client);
            } catch (IOException failure) {
                client.close();
                throw failure;
            }
        }

        private void awaitConnack(Client client) throws IOException {
            Connack connack = client.await(Connack.class, PATIENCE);
            if (connack.reason().isError()) {
                throw new IOException(client.name + " was refused: " + connack);
            }
        }

        private void subscribe() throws IOException {
            Subscription all =
                    new Subscription(topic + "/#", QoS.AT_LEAST_ONCE, false, false, RetainHandling.DO_NOT_SEND);
            for (Client subscriber : subscribers) {
                subscriber.connection.send(new Subscribe(1, List.of(all), 0, List.of()));
            }
            for (Client subscriber : subscribers) {
                Suback suback = subscriber.await(Suback.class, PATIENCE);
                if (suback.reasons().getFirst().isError()) {
                    throw new IOException(subscriber.name + " was refused: " + suback);
                }
            }
        }

        private void publish() throws IOException {
            for (int i = 0; i < publishers.size(); i++) {
                publishers
                        .get(i)
                        .connection
                        .send(TestTalk.publication(topic + "/" + i, topic, QoS.AT_LEAST_ONCE, false, 1));
            }
            for (Client publisher : publishers) {
                Puback puback = publisher.await(Puback.class, PATIENCE);
                if (puback.reason() != ReasonCode.SUCCESS) {
                    throw new IOException(publisher.name + " was refused: " + puback);
                }
            }
        }

        private void receive(Client subscriber) throws IOException {
            Set<String> missing = new HashSet<>();
            for (int i = 0; i < publishers.size(); i++) {
                missing.add(topic + "/" + i);
            }
            while (!missing.isEmpty()) {
                try {
                    missing.remove(
                            subscriber.await(Publish.class, DELIVERY_PATIENCE).topic());
                } catch (IOException failure) {
                    throw new IOException(failure.getMessage() + ", without " + missing, failure);
                }
            }
        }

        @Override
        public void close() {
            subscribers.forEach(client -> client.connection.close());
            publishers.forEach(client -> client.connection.close());
        }
    }
}
