package io.tributary.server.blackbox.foreign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.server.blackbox.BrokerProcess;
import io.tributary.server.blackbox.foreign.ForeignClient.Setup;
import io.tributary.server.blackbox.foreign.ForeignClient.Transport;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What clients of others do with the broker that only MQTT 5 has. */
@ParameterizedClass(name = "{0} over {1}")
@MethodSource("librariesAndTransports")
class ForeignMqtt5ClientsTest extends ForeignClientSuite {
    private static final int NOT_AUTHORIZED = 0x87;
    private static final int NO_SUBSCRIPTION_EXISTED = 0x11;

    ForeignMqtt5ClientsTest(Library library, Transport transport, BrokerProcess broker) {
        super(library, transport, broker);
    }

    static Stream<Arguments> librariesAndTransports() {
        return overEachTransport(Library::speaksMqtt5);
    }

    @Test
    void sharesMessagesWhenGroupHasTwoMembers() throws Exception {
        ForeignClient one = connected("one");
        ForeignClient two = connected("two");
        one.subscribe("$share/group/" + name + "/#", 1);
        two.subscribe("$share/group/" + name + "/#", 1);
        ForeignClient publisher = connected("publisher");
        for (int i = 0; i < 20; i++) {
            publisher.publish(Note.of(name + "/a", "m" + i, 1));
        }
        await().until(() -> one.inbox().size() + two.inbox().size() >= 20);
        assertThat(Stream.concat(one.inbox().stream(), two.inbox().stream()).map(Note::text))
                .doesNotHaveDuplicates()
                .hasSize(20);
        assertThat(one.inbox()).isNotEmpty();
        assertThat(two.inbox()).isNotEmpty();
    }

    @Test
    void passesPropertiesOnWhenPublishedWithThem() throws Exception {
        ForeignClient client = connected("client");
        client.subscribe(name + "/a", 1);
        Map<String, String> user = new LinkedHashMap<>();
        user.put("zeta", "1");
        user.put("alpha", "2");
        Note.Properties properties = new Note.Properties(user, "text/plain", name + "/answer", "correlation 1", 100L);
        client.publish(Note.of(name + "/a", "rich", 1).with(properties));
        Note.Properties received = client.receive().properties();
        assertThat(received.user()).containsExactlyEntriesOf(user);
        assertThat(received.contentType()).isEqualTo("text/plain");
        assertThat(received.responseTopic()).isEqualTo(name + "/answer");
        assertThat(received.correlation()).isEqualTo("correlation 1");
        assertThat(received.expirySeconds()).isBetween(1L, 100L);
    }

    @Test
    void answersComeBackWhenRequested() throws Exception {
        ForeignClient requester = connected("requester");
        ForeignClient responder = connected("responder");
        requester.subscribe(name + "/answers", 1);
        responder.subscribe(name + "/requests", 1);
        Note.Properties question = new Note.Properties(Map.of(), null, name + "/answers", "q42", null);
        requester.publish(Note.of(name + "/requests", "six by seven", 1).with(question));
        Note.Properties asked = responder.receive().properties();
        assertThat(asked.responseTopic()).isNotNull();
        Note.Properties answer = new Note.Properties(Map.of(), null, null, asked.correlation(), null);
        responder.publish(
                Note.of(String.valueOf(asked.responseTopic()), "42", 1).with(answer));
        Note answered = requester.receive();
        assertThat(answered.text()).isEqualTo("42");
        assertThat(answered.properties().correlation()).isEqualTo("q42");
    }

    @Test
    void deliversUnderRightTopicWhenAliasesAreUsed() throws Exception {
        ForeignClient client = open(new Setup(name + "aliases", port(), transport, true, 0, 60, 5, null));
        client.connect();
        client.subscribe(name + "/#", 1);
        for (int i = 0; i < 12; i++) {
            client.publish(Note.of(name + "/topic" + i % 3, "m" + i, 1));
        }
        for (int i = 0; i < 12; i++) {
            Note note = client.receive();
            assertThat(note.text()).isEqualTo("m" + i);
            assertThat(note.topic()).isEqualTo(name + "/topic" + i % 3);
        }
    }

    @Test
    void saysWhyWhenRefusing() throws Exception {
        ForeignClient client = connected("client");
        assertThat(client.publish(Note.of("$SYS/" + name, "forged", 1))).isEqualTo(NOT_AUTHORIZED);
        if (library.understandsRefusedPubrec()) {
            assertThat(client.publish(Note.of("$SYS/" + name, "forged", 2))).isEqualTo(NOT_AUTHORIZED);
        }
        assertThat(client.unsubscribe(name + "/never")).isEqualTo(NO_SUBSCRIPTION_EXISTED);
        assertThat(client.isConnected()).isTrue();
    }
}
