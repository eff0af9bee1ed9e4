package io.tributary.server.blackbox.foreign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.server.blackbox.BrokerExtension;
import io.tributary.server.blackbox.BrokerProcess;
import io.tributary.server.blackbox.foreign.ForeignClient.Setup;
import io.tributary.server.blackbox.foreign.ForeignClient.Transport;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What takes its time, for clients of all libraries at once. */
@ExtendWith(BrokerExtension.class)
class ForeignTimersTest {
    private static final int LONG_EXPIRY_SECONDS = 3_600;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable closeable : open.reversed()) {
            closeable.close();
        }
    }

    @Tag("long")
    @Test
    void staysConnectedByPingsWhenIdle(BrokerProcess broker) throws Exception {
        Map<ForeignClient, Cable> clients = new LinkedHashMap<>();
        for (Library library : Library.values()) {
            for (Transport transport : Transport.values()) {
                Cable cable = new Cable(ForeignClientSuite.port(broker, transport));
                open.add(cable);
                ForeignClient client = library.create(
                        new Setup("idle-" + library + "-" + transport, cable.port(), transport, true, 0, 1, 0, null));
                open.add(client);
                client.connect();
                clients.put(client, cable);
            }
        }
        Map<Cable, Integer> answers = new LinkedHashMap<>();
        clients.values().forEach(cable -> answers.put(cable, cable.answers()));
        await().atMost(PATIENCE)
                .until(() -> answers.entrySet().stream()
                        .allMatch(entry -> entry.getKey().answers() >= entry.getValue() + 2));
        assertThat(clients.keySet()).allMatch(ForeignClient::isConnected);
    }

    @Test
    void dropsMessageWhenExpiredInQueue(BrokerProcess broker) throws Exception {
        List<Library> libraries =
                List.of(Library.HIVEMQ_MQTT_5, Library.PAHO_MQTT_5, Library.MQTT_JS_5, Library.PAHO_PYTHON_5);
        Note.Properties oneSecond = new Note.Properties(Map.of(), null, null, null, 1L);
        for (Library library : libraries) {
            ForeignClient device = device(library, broker, LONG_EXPIRY_SECONDS);
            device.subscribe("expiry/" + library, 1);
            device.disconnect();
            ForeignClient publisher = library.create(
                    new Setup("hasty-" + library, broker.tcpPort(), Transport.TCP, true, 0, 60, 0, null));
            open.add(publisher);
            publisher.connect();
            publisher.publish(Note.of("expiry/" + library, "short-lived", 1).with(oneSecond));
            publisher.publish(Note.of("expiry/" + library, "long-lived", 1));
        }
        Instant expired = Instant.now().plusSeconds(1);
        await().until(() -> Instant.now().isAfter(expired));
        for (Library library : libraries) {
            assertThat(device(library, broker, 0).receive().text())
                    .as(library.name())
                    .isEqualTo("long-lived");
        }
    }

    private ForeignClient device(Library library, BrokerProcess broker, int expirySeconds) throws Exception {
        ForeignClient client = library.create(
                new Setup("device-" + library, broker.tcpPort(), Transport.TCP, false, expirySeconds, 60, 0, null));
        open.add(client);
        client.connect();
        return client;
    }
}
