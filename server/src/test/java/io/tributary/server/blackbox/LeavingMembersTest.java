package io.tributary.server.blackbox;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.blackbox.TestClient;
import io.tributary.broker.blackbox.TestTalk;
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
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a member of a shared subscription leaves behind reaches the others, however it leaves. */
@ExtendWith(BrokerExtension.class)
class LeavingMembersTest {
    private static final long LONG = 3_600;
    private static final int MESSAGES = 250;

    private final BrokerProcess broker;
    private final String name;

    LeavingMembersTest(BrokerProcess broker, TestInfo test) {
        this.broker = broker;
        name = "leaving/" + test.getDisplayName().replaceAll("[^A-Za-z]", "");
    }

    /** How the session of the member that has the messages ends. */
    enum Ending {
        GOODBYE(LONG) {
            @Override
            void end(LeavingMembersTest test, TestClient member) throws IOException {
                member.send(new Disconnect(ReasonCode.SUCCESS, 0, null, null, List.of()));
            }
        },
        CLEAN_START(LONG) {
            @Override
            void end(LeavingMembersTest test, TestClient member) throws IOException {
                try (TestClient next = TestClient.open(test.broker.tcpPort(), ProtocolVersion.MQTT_5)) {
                    assertThat(next.connect(test.connect("leaves", true, LONG)).sessionPresent())
                            .isFalse();
                }
            }
        },
        EXPIRY(1) {
            @Override
            void end(LeavingMembersTest test, TestClient member) {
                member.close();
            }
        };

        private final long expirySeconds;

        Ending(long expirySeconds) {
            this.expirySeconds = expirySeconds;
        }

        abstract void end(LeavingMembersTest test, TestClient member) throws IOException;
    }

    @ParameterizedTest
    @EnumSource
    void messagesGoToAnotherMemberWhenTheSessionEnds(Ending ending) throws IOException {
        try (TestClient leaves = join("leaves", ending.expirySeconds);
                TestClient publisher = TestClient.connect(broker.tcpPort(), ProtocolVersion.MQTT_5, name + "/pub", 0)) {
            publish(publisher);
            leaves.expect(Publish.class); // one is in flight, and the others wait for it
            try (TestClient stays = join("stays", LONG)) {
                ending.end(this, leaves);
                assertThat(receive(stays)).isEqualTo(all());
            }
        }
    }

    @Test
    void messagesThatCameWhileAllWereOfflineGoToTheMemberThatComesFirst() throws IOException {
        join("leaves", LONG).close();
        try (TestClient publisher = TestClient.connect(broker.tcpPort(), ProtocolVersion.MQTT_5, name + "/pub", 0)) {
            publish(publisher);
        }
        try (TestClient comes = join("comes", LONG)) {
            assertThat(receive(comes)).isEqualTo(all());
        }
    }

    private TestClient join(String member, long expirySeconds) throws IOException {
        TestClient client = TestClient.open(broker.tcpPort(), ProtocolVersion.MQTT_5);
        client.connect(connect(member, false, expirySeconds));
        Subscription subscription =
                new Subscription("$share/group/" + name, QoS.AT_LEAST_ONCE, false, false, RetainHandling.DO_NOT_SEND);
        client.send(new Subscribe(1, List.of(subscription), 0, List.of()));
        client.expect(Suback.class);
        return client;
    }

    private Connect connect(String member, boolean cleanStart, long expirySeconds) {
        ConnectProperties all = ConnectProperties.defaults(expirySeconds);
        ConnectProperties oneAtATime = new ConnectProperties(
                all.sessionExpirySeconds(),
                1,
                all.maximumPacketSize(),
                all.topicAliasMaximum(),
                all.requestResponseInformation(),
                all.requestProblemInformation(),
                all.authenticationMethod(),
                all.authenticationData(),
                all.userProperties());
        return new Connect(ProtocolVersion.MQTT_5, cleanStart, 0, name + "/" + member, null, null, null, oneAtATime);
    }

    private void publish(TestClient publisher) throws IOException {
        for (int i = 1; i <= MESSAGES; i++) {
            publisher.send(TestTalk.publication(name, String.valueOf(i), QoS.AT_LEAST_ONCE, false, i));
            assertThat(publisher.expect(Puback.class).reason()).isEqualTo(ReasonCode.SUCCESS);
        }
    }

    private static List<Integer> all() {
        return IntStream.rangeClosed(1, MESSAGES).boxed().toList();
    }

    private static List<Integer> receive(TestClient member) throws IOException {
        List<Integer> received = new ArrayList<>();
        while (received.size() < MESSAGES) {
            Publish publish = member.expect(Publish.class);
            received.add(Integer.valueOf(new String(publish.payload(), UTF_8)));
            member.send(new Puback(publish.packetId(), ReasonCode.SUCCESS, null, List.of()));
        }
        return received;
    }
}
