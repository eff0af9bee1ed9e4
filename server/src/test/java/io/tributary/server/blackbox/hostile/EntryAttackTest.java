package io.tributary.server.blackbox.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.broker.blackbox.Scratch;
import io.tributary.broker.blackbox.TestClient;
import io.tributary.common.mqtt.MqttPacket.Pingreq;
import io.tributary.common.mqtt.MqttPacket.Pingresp;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.server.blackbox.BrokerExtension;
import io.tributary.server.blackbox.BrokerProcess;
import io.tributary.server.blackbox.BrokerStats;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Ten thousand sockets that begin a CONNECT, send 16 KiB of it and no more. Together that is 160 MB, of which a broker
 * keeps the 64 MB that it has for strangers, while a thousand clients go on and others connect.
 */
@ExtendWith(BrokerExtension.class)
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class EntryAttackTest {
    private static final int ATTACKERS = Integer.getInteger("attack.sockets", 10_000);
    private static final int CLIENTS = 1_000;
    private static final int NEWCOMERS = 100;
    private static final int SENT = 16 * 1024;
    private static final long LIMIT = 64L << 20;
    private static final String MEMORY = "tributary_connections_unauthenticated_memory_bytes";
    private static final String REFUSED = "tributary_connections_refused_total";

    private static BrokerProcess broker;

    @BeforeAll
    static void start() {
        broker = BrokerProcess.start(
                Scratch.folder("entry-attack"),
                List.of("-Xmx512m"),
                List.of("--tributary.limits.connect.timeout=5m")); // else the timeout ends the attack, and not the
        // memory
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @Test
    void clientsGoOnAndOthersConnectWhileStrangersHoldMemory() throws IOException {
        List<TestClient> clients = new ArrayList<>();
        List<SocketChannel> attackers = new ArrayList<>();
        try (BrokerStats stats = new BrokerStats(broker)) {
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(TestClient.connect(broker.tcpPort(), ProtocolVersion.MQTT_5, "client-" + i, 0));
            }
            byte[] begin = Wire.packet(0x10, 60_000, new byte[SENT]);
            long most = 0;
            int asked = 0;
            for (int i = 0; i < ATTACKERS; i++) {
                attackers.add(attack(begin));
                if (i % (ATTACKERS / NEWCOMERS) == 0) {
                    for (int j = 0; j < CLIENTS / NEWCOMERS; j++) {
                        ping(clients.get(asked++ % CLIENTS));
                    }
                    TestClient.connect(broker.tcpPort(), ProtocolVersion.MQTT_5, "newcomer-" + i, 0)
                            .close();
                    most = Math.max(most, stats.read(MEMORY, ""));
                }
            }
            for (TestClient client : clients) {
                ping(client);
            }
            most = Math.max(most, stats.read(MEMORY, ""));
            assertThat(most).isLessThanOrEqualTo(LIMIT).isGreaterThan(LIMIT / 2);
            long kept = LIMIT / SENT;
            assertThat(stats.read(REFUSED, "reason=\"memory\"")).isGreaterThanOrEqualTo(ATTACKERS - kept - 1);
            await().until(() -> stats.read("tributary_connections", "") == CLIENTS);
        } finally {
            for (SocketChannel attacker : attackers) {
                attacker.close();
            }
            clients.forEach(TestClient::close);
        }
    }

    private static void ping(TestClient client) throws IOException {
        client.send(new Pingreq());
        client.expect(Pingresp.class);
    }

    private static SocketChannel attack(byte[] begin) throws IOException {
        SocketChannel socket = SocketChannel.open();
        socket.setOption(StandardSocketOptions.SO_RCVBUF, 4_096);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), broker.tcpPort()));
        ByteBuffer bytes = ByteBuffer.wrap(begin, 0, SENT);
        while (bytes.hasRemaining()) {
            socket.write(bytes);
        }
        return socket;
    }
}
