package io.tributary.server.blackbox.foreign;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.server.blackbox.BrokerProcess;
import io.tributary.server.blackbox.foreign.ForeignClient.Setup;
import io.tributary.server.blackbox.foreign.ForeignClient.Transport;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What clients of others do with the broker, whatever the version of MQTT. */
@ParameterizedClass(name = "{0} over {1}")
@MethodSource("librariesAndTransports")
class ForeignClientsTest extends ForeignClientSuite {
    private static final int SESSION_TAKEN_OVER = 0x8E;
    private static final int LARGE_BYTES =
            2 * 1024 * 1024 - 1024; // with its topic just below the default limit of a packet

    ForeignClientsTest(Library library, Transport transport, BrokerProcess broker) {
        super(library, transport, broker);
    }

    static Stream<Arguments> librariesAndTransports() {
        return overEachTransport(library -> true);
    }

    @Test
    void deliversAtEveryQosInOrderWhenPublishedToSubscriber() throws Exception {
        ForeignClient subscriber = connected("subscriber");
        ForeignClient publisher = connected("publisher");
        assertThat(subscriber.subscribe(name + "/+", 2)).isEqualTo(2);
        for (int qos = 0; qos <= 2; qos++) {
            for (int i = 0; i < 5; i++) {
                assertThat(publisher.publish(Note.of(name + "/q" + qos, "m" + i, qos)))
                        .isZero();
            }
        }
        List<String> received = new ArrayList<>();
        for (int i = 0; i < 15; i++) {
            Note note = subscriber.receive();
            received.add(note.topic() + " " + note.text() + " " + note.qos());
        }
        for (int qos = 0; qos <= 2; qos++) {
            String topic = name + "/q" + qos;
            int level = qos;
            assertThat(received.stream().filter(line -> line.startsWith(topic)))
                    .containsExactlyElementsOf(Stream.of(0, 1, 2, 3, 4)
                            .map(i -> topic + " m" + i + " " + level)
                            .toList());
        }
        assertThat(subscriber.inbox()).isEmpty();
    }

    @Test
    void lowersQosWhenSubscribedWithLess() throws Exception {
        ForeignClient client = connected("client");
        assertThat(client.subscribe(name + "/0", 0)).isZero();
        assertThat(client.subscribe(name + "/1", 1)).isEqualTo(1);
        client.publish(Note.of(name + "/0", "zero", 2));
        assertThat(client.receive().qos()).isZero();
        client.publish(Note.of(name + "/1", "one", 2));
        assertThat(client.receive().qos()).isEqualTo(1);
    }

    @Test
    void sendsRetainedMessageWhenSubscribedLater() throws Exception {
        ForeignClient publisher = connected("publisher");
        publisher.publish(Note.of(name + "/kept", "kept", 1).retained());
        publisher.publish(Note.of(name + "/cleared", "soon gone", 1).retained());
        publisher.publish(Note.of(name + "/cleared", "", 1).retained());
        ForeignClient subscriber = connected("subscriber");
        subscriber.subscribe(name + "/#", 1);
        Note kept = subscriber.receive();
        assertThat(kept.text()).isEqualTo("kept");
        assertThat(kept.retain()).isTrue();
        publisher.publish(Note.of(name + "/live", "live", 1));
        assertThat(subscriber.receive().text()).isEqualTo("live");
        publisher.publish(Note.of(name + "/kept", "", 1).retained());
    }

    @Test
    void publishesWillWhenConnectionBreaks() throws Exception {
        ForeignClient watcher = connected("watcher");
        watcher.subscribe(name + "/will", 1);
        Cable cable = cable();
        ForeignClient mortal = open(new Setup(
                name + "mortal", cable.port(), transport, true, 0, 60, 0, Note.of(name + "/will", "gone", 1)));
        mortal.connect();
        cable.cut();
        assertThat(watcher.receive().text()).isEqualTo("gone");
    }

    @Test
    void publishesNoWillWhenClientDisconnects() throws Exception {
        ForeignClient watcher = connected("watcher");
        watcher.subscribe(name + "/will", 1);
        ForeignClient polite = open(setup("polite", true, 0, Note.of(name + "/will", "gone", 1)));
        polite.connect();
        polite.disconnect();
        watcher.publish(Note.of(name + "/will", "marker", 1));
        assertThat(watcher.receive().text()).isEqualTo("marker");
    }

    @Test
    void queuesForPersistentSessionWhenOffline() throws Exception {
        ForeignClient first = open(setup("device", false, LONG_EXPIRY_SECONDS, null));
        first.connect();
        first.subscribe(name + "/#", 2);
        first.disconnect();
        ForeignClient publisher = connected("publisher");
        for (int i = 0; i < 10; i++) {
            publisher.publish(Note.of(name + "/a", "m" + i, 1 + i % 2));
        }
        ForeignClient second = open(setup("device", false, LONG_EXPIRY_SECONDS, null));
        boolean sessionPresent = second.connect();
        if (library.knowsSessionPresent()) {
            assertThat(sessionPresent).isTrue();
        }
        List<Note> received = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            received.add(second.receive());
        }
        // In order at each QoS; some libraries hand a QoS 2 message over only when it is released.
        assertThat(received.stream().filter(note -> note.qos() == 1).map(Note::text))
                .containsExactly("m0", "m2", "m4", "m6", "m8");
        assertThat(received.stream().filter(note -> note.qos() == 2).map(Note::text))
                .containsExactly("m1", "m3", "m5", "m7", "m9");
        second.disconnect();
        forgetSession("device");
    }

    @Test
    void keepsSessionWhenConnectionBreaks() throws Exception {
        Cable cable = cable();
        ForeignClient first =
                open(new Setup(name + "device", cable.port(), transport, false, LONG_EXPIRY_SECONDS, 60, 0, null));
        first.connect();
        first.subscribe(name + "/#", 1);
        cable.cut();
        first.awaitEnd();
        connected("publisher").publish(Note.of(name + "/a", "while away", 1));
        ForeignClient second = open(setup("device", false, LONG_EXPIRY_SECONDS, null));
        second.connect();
        assertThat(second.receive().text()).isEqualTo("while away");
        second.disconnect();
        forgetSession("device");
    }

    @Test
    void forgetsSessionWhenClean() throws Exception {
        ForeignClient first = connected("device");
        first.subscribe(name + "/#", 1);
        first.disconnect();
        ForeignClient second = open(setup("device", false, LONG_EXPIRY_SECONDS, null));
        assertThat(second.connect()).isFalse();
        second.publish(Note.of(name + "/a", "nobody gets it", 1));
        second.subscribe(name + "/#", 1);
        second.publish(Note.of(name + "/a", "marker", 1));
        assertThat(second.receive().text()).isEqualTo("marker");
        second.disconnect();
        forgetSession("device");
    }

    @Test
    void deliversLargePayloadWhenNearLimit() throws Exception {
        ForeignClient client = connected("client");
        client.subscribe(name + "/large", 1);
        byte[] payload = new byte[LARGE_BYTES];
        for (int i = 0; i < payload.length; i++) {
            payload[i] = (byte) (i * 31);
        }
        client.publish(new Note(name + "/large", payload, 1, false, Note.Properties.NONE));
        assertThat(client.receive().payload()).isEqualTo(payload);
    }

    @Test
    void deliversNothingMoreWhenUnsubscribed() throws Exception {
        ForeignClient client = connected("client");
        client.subscribe(name + "/a", 1);
        client.subscribe(name + "/b", 1);
        assertThat(client.unsubscribe(name + "/a")).isZero();
        client.publish(Note.of(name + "/a", "unwanted", 1));
        client.publish(Note.of(name + "/b", "marker", 1));
        assertThat(client.receive().text()).isEqualTo("marker");
    }

    @Test
    void endsFirstConnectionWhenSecondTakesOver() throws Exception {
        ForeignClient first = connected("twice");
        ForeignClient second = connected("twice");
        int reason = first.awaitEnd();
        if (library.speaksMqtt5()) {
            assertThat(reason).isEqualTo(SESSION_TAKEN_OVER);
        }
        second.subscribe(name + "/a", 1);
        second.publish(Note.of(name + "/a", "alive", 1));
        assertThat(second.receive().text()).isEqualTo("alive");
    }
}
