package io.tributary.broker.connection;

import static io.tributary.broker.connection.ConnectionFixture.message;
import static io.tributary.broker.connection.ConnectionFixture.queued;
import static io.tributary.broker.connection.ConnectionFixture.shared;
import static io.tributary.broker.connection.ConnectionFixture.text;
import static io.tributary.broker.connection.ConnectionFixture.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.tributary.broker.connection.OutboundLimits.Overflow;
import io.tributary.common.event.Destinations;
import io.tributary.common.event.NodeShare;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.Recipient;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Pubcomp;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Pubrec;
import io.tributary.common.mqtt.MqttPacket.Pubrel;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.UserProperty;
import io.tributary.persistence.limit.ByteBudget;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class OutboundFlowTransientTest {
    private final ConnectionFixture fixture = new ConnectionFixture();

    @Test
    void numbersMessagesAsTheyAreSent() {
        fixture.connect(Connects.v5());

        fixture.deliver(queued("a", QoS.AT_LEAST_ONCE));
        fixture.deliver(queued("b", QoS.AT_MOST_ONCE));
        fixture.deliver(queued("c", QoS.EXACTLY_ONCE));

        assertThat(fixture.sink.take(Publish.class))
                .extracting(Publish::packetId)
                .containsExactly(1, 0, 2);
    }

    @Test
    void tellsNoOwnerWhenClientAcknowledges() {
        fixture.connect(Connects.v5());
        fixture.deliver(queued("a", QoS.AT_LEAST_ONCE));

        fixture.send(puback(1));

        assertThat(fixture.backend.settled).isEmpty();
        assertThat(fixture.recorder.inFlight).isZero();
    }

    @Test // [MQTT-4.3.3-4]
    void sendsPubrelAtOnceWhenPubrecComes() {
        fixture.connect(Connects.v5());
        fixture.deliver(queued("a", QoS.EXACTLY_ONCE));
        fixture.sink.take();

        fixture.send(new Pubrec(1, ReasonCode.SUCCESS, null, List.of()));
        fixture.sink.takeOnly(Pubrel.class);
        fixture.send(new Pubcomp(1, ReasonCode.SUCCESS, null, List.of()));

        assertThat(fixture.backend.received).isEmpty();
        assertThat(fixture.recorder.inFlight).isZero();
    }

    @Test
    void usesPacketIdentifierAgainOnlyWhenItIsFree() {
        fixture.connect(Connects.v5());
        fixture.deliver(queued("stuck", QoS.AT_LEAST_ONCE));
        fixture.sink.take();
        for (int id = 2; id <= 65_535; id++) {
            fixture.deliver(queued("x", QoS.AT_LEAST_ONCE));
            fixture.send(puback(id));
        }
        fixture.sink.take();

        fixture.deliver(queued("next", QoS.AT_LEAST_ONCE));
        assertThat(fixture.sink.take()).isEmpty();
        fixture.send(puback(1));

        assertThat(fixture.sink.takeOnly(Publish.class).packetId()).isEqualTo(1);
    }

    @Test // [MQTT-3.3.4-9]
    void queuesWhatExceedsReceiveMaximum() {
        fixture.connect(Connects.v5().receiveMaximum(1));
        fixture.deliver(queued("a", QoS.AT_LEAST_ONCE));
        fixture.deliver(queued("b", QoS.AT_LEAST_ONCE));
        assertThat(texts(fixture.sink.take(Publish.class))).containsExactly("a");

        fixture.send(puback(1));

        assertThat(texts(fixture.sink.take(Publish.class))).containsExactly("b");
    }

    @Test // [MQTT-3.3.4-9]
    void sendsQos0WhenReceiveMaximumIsUsedUp() {
        fixture.connect(Connects.v5().receiveMaximum(1));
        fixture.deliver(queued("a", QoS.AT_LEAST_ONCE));
        fixture.sink.take();

        fixture.deliver(queued("b", QoS.AT_MOST_ONCE));

        assertThat(text(fixture.sink.takeOnly(Publish.class))).isEqualTo("b");
    }

    /** The socket takes messages again, and the connection was not told yet. */
    @Test
    void messageThatFindsTheSocketFreeAgainIsSentBehindThoseThatWait() {
        fixture.connect(Connects.v5());
        for (QoS qos : QoS.values()) {
            fixture.sink.writable = false;
            fixture.deliver(queued("a", qos));
            fixture.deliver(queued("b", qos));
            fixture.sink.writable = true;

            fixture.deliver(queued("c", qos));
            fixture.deliver(queued("d", qos));

            assertThat(texts(fixture.sink.take(Publish.class))).containsExactly("a", "b", "c", "d");
        }
    }

    @Test
    void messageOfQos0ThatFindsTheSocketFreeAgainIsSentBehindFollowedOnesThatWait() {
        fixture.connect(Connects.v5());
        fixture.sink.writable = false;
        fixture.deliver(queued("a", QoS.AT_LEAST_ONCE));
        fixture.sink.writable = true;

        fixture.deliver(queued("b", QoS.AT_MOST_ONCE));

        assertThat(texts(fixture.sink.take(Publish.class))).containsExactly("a", "b");
    }

    @Test
    void messageOfAHigherPriorityThatFindsTheSocketFreeAgainIsSentFirst() {
        fixture.connect(Connects.v5());
        for (QoS qos : QoS.values()) {
            fixture.sink.writable = false;
            fixture.deliver(queued("a", qos, 0));
            fixture.sink.writable = true;

            fixture.deliver(queued("b", qos, 2));
            fixture.deliver(queued("c", qos, 1));

            assertThat(texts(fixture.sink.take(Publish.class))).containsExactly("b", "a", "c");
        }
    }

    @Test
    void numbersGoOnWhenMessagesWaitedBetween() {
        fixture.connect(Connects.v5().receiveMaximum(2));
        for (String each : List.of("a", "b", "c", "d")) {
            fixture.deliver(queued(each, QoS.AT_LEAST_ONCE));
        }
        for (int id = 1; id <= 4; id++) {
            fixture.send(puback(id));
        }
        fixture.deliver(queued("e", QoS.AT_LEAST_ONCE));

        assertThat(fixture.sink.take(Publish.class))
                .extracting(Publish::packetId)
                .containsExactly(1, 2, 3, 4, 5);
    }

    @Test
    void dropsNewestWhenQueueIsFull() {
        outbound(new OutboundLimits(1, 0, 2, 1_000, Overflow.DROP_NEWEST));
        fixture.connect(Connects.v5());
        fill(QoS.AT_LEAST_ONCE);

        assertThat(drain()).containsExactly("m0", "m1", "m2");
        assertThat(fixture.recorder.dropped).containsOnly(DropReason.QUEUE_FULL).hasSize(2);
    }

    @Test
    void dropsOldestWhenQueueIsFullAndSoConfigured() {
        outbound(new OutboundLimits(1, 0, 2, 1_000, Overflow.DROP_OLDEST));
        fixture.connect(Connects.v5());
        fill(QoS.AT_LEAST_ONCE);

        assertThat(drain()).containsExactly("m0", "m3", "m4");
        assertThat(fixture.recorder.dropped).containsOnly(DropReason.QUEUE_FULL).hasSize(2);
    }

    @Test
    void dropsQos0WhenSlowReaderHasFullQueue() {
        outbound(new OutboundLimits(1, 0, 2, 1_000, Overflow.DROP_NEWEST));
        fixture.connect(Connects.v5());
        fixture.sink.writable = false;
        fill(QoS.AT_MOST_ONCE);
        fixture.sink.writable = true;

        fixture.connection().onWritable();

        assertThat(texts(fixture.sink.take(Publish.class))).containsExactly("m0", "m1");
        assertThat(fixture.recorder.dropped).hasSize(3);
    }

    @Test
    void dropsMessagesThatLoopDoesNotTakeWhenTheirBytesPileUp() {
        outbound(new OutboundLimits(10, 0, 100, 1_000, Overflow.DROP_NEWEST));
        fixture.connect(Connects.v5());

        for (int i = 0; i < 100; i++) {
            fixture.backend.connections.deliverTransient(fixture.connectionNumber(), queued("x", QoS.AT_MOST_ONCE));
        }
        fixture.turn();

        int sent = fixture.sink.take(Publish.class).size();
        assertThat(sent).isBetween(2, 20);
        assertThat(fixture.recorder.dropped).hasSize(100 - sent);
        fixture.deliver(queued("room again", QoS.AT_MOST_ONCE));
        fixture.sink.takeOnly(Publish.class);
    }

    @Test
    void takesOneMessageWhateverItsSizeWhenLoopHasNoOther() {
        outbound(new OutboundLimits(10, 0, 100, 10, Overflow.DROP_NEWEST));
        fixture.connect(Connects.v5());

        for (int i = 0; i < 2; i++) {
            fixture.backend.connections.deliverTransient(
                    fixture.connectionNumber(), queued("x".repeat(1_000), QoS.AT_MOST_ONCE));
        }
        fixture.turn();

        fixture.sink.takeOnly(Publish.class);
        assertThat(fixture.recorder.dropped).containsExactly(DropReason.QUEUE_FULL);
    }

    @Test // [MQTT-3.3.2-17, MQTT-3.3.2-18]
    void passesPropertiesOnUnaltered() {
        PublishProperties properties = new PublishProperties(
                null,
                "type",
                "answer",
                new byte[] {1},
                List.of(new UserProperty("z", "1"), new UserProperty("a", "2")));
        Message message =
                new Message("topic", new byte[0], QoS.AT_MOST_ONCE, true, properties, Message.NEVER, "publisher");
        fixture.connect(Connects.v5());

        fixture.deliver(new Queued(message, QoS.AT_MOST_ONCE, true, List.of(5, 9), null));

        Publish packet = fixture.sink.takeOnly(Publish.class);
        assertThat(packet.properties()).isEqualTo(properties);
        assertThat(packet.retain()).isTrue();
        assertThat(packet.subscriptionIds()).containsExactly(5, 9); // [MQTT-3.3.4-3, MQTT-3.3.4-4]
    }

    @Test // [MQTT-3.1.2-26]
    void usesTopicAliasWhenClientAllowsIt() {
        fixture.connect(Connects.v5().aliasMaximum(5));

        fixture.deliver(queued(message("a/long/topic", "1", QoS.AT_MOST_ONCE)));
        fixture.deliver(queued(message("a/long/topic", "2", QoS.AT_MOST_ONCE)));

        assertThat(fixture.sink.take(Publish.class))
                .extracting(Publish::topic, Publish::topicAlias)
                .containsExactly(tuple("a/long/topic", 1), tuple("", 1));
    }

    @Test // [MQTT-3.1.2-27]
    void usesNoTopicAliasWhenClientAllowsNone() {
        fixture.connect(Connects.v5());

        fixture.deliver(queued(message("a/long/topic", "1", QoS.AT_MOST_ONCE)));

        assertThat(fixture.sink.takeOnly(Publish.class).topicAlias()).isZero();
    }

    @Test // [MQTT-3.1.2-24]
    void leavesTopicAliasOutWhenPacketFitsOnlyWithoutIt() {
        fixture.connect(Connects.v5().aliasMaximum(5).maximumPacketSize(100));
        String largest = "L".repeat(100 - 2 - 2 - "topic".length() - 1);

        fixture.deliver(queued(largest, QoS.AT_MOST_ONCE));
        fixture.deliver(queued("small", QoS.AT_MOST_ONCE));

        assertThat(fixture.sink.take(Publish.class))
                .extracting(Publish::topic, Publish::topicAlias)
                .containsExactly(tuple("topic", 0), tuple("topic", 1));
    }

    @Test
    void handsMessagesOfSharedSubscriptionsOnWhenItLeaves() {
        Recipient other = new Recipient("other", 3, QoS.AT_LEAST_ONCE, false, List.of(), "$share/g/topic");
        fixture.backend.otherMember = new Destinations(List.of(other), List.of());
        fixture.connect(Connects.v5().receiveMaximum(2));
        fixture.deliver(shared("begun", QoS.AT_LEAST_ONCE));
        fixture.deliver(shared("kept", QoS.EXACTLY_ONCE));
        fixture.deliver(shared("waiting", QoS.EXACTLY_ONCE));
        fixture.deliver(queued("own", QoS.AT_LEAST_ONCE));

        fixture.connection().connectionLost();
        fixture.turn();

        assertThat(fixture.backend.lifecycle)
                .containsExactly(
                        "online c transient", "end c", "matchGroup c $share/g/topic", "matchGroup c $share/g/topic");
        assertThat(fixture.backend.appended)
                .extracting(appended -> new String(appended.message().payload(), StandardCharsets.UTF_8))
                .containsExactly("begun", "waiting");
    }

    @Test
    void countsMessagesThatCannotBeHandedOn() {
        Recipient other = new Recipient("other", 3, QoS.AT_LEAST_ONCE, false, List.of(), "$share/g/topic");
        fixture.backend.otherMember = new Destinations(List.of(other), List.of());
        fixture.connect(Connects.v5());
        fixture.deliver(shared("lost", QoS.AT_LEAST_ONCE));
        fixture.deliver(shared("logged", QoS.AT_LEAST_ONCE));

        fixture.connection().connectionLost();
        fixture.turn();
        fixture.backend.appended.get(0).callback().onAppended(-1, new IllegalStateException("the log is closed"));
        fixture.backend.appended.get(1).callback().onAppended(7, null);

        assertThat(fixture.recorder.dropped).containsExactly(DropReason.FAILED);
    }

    @Test
    void handsMessageOnWhenItComesAfterTheSessionHasEnded() {
        Recipient other = new Recipient("other", 3, QoS.AT_LEAST_ONCE, false, List.of(), "$share/g/topic");
        fixture.backend.otherMember = new Destinations(List.of(other), List.of());
        fixture.connect(Connects.v5());
        fixture.connection().offer(shared("late", QoS.AT_LEAST_ONCE));
        fixture.connection().offer(queued("own", QoS.AT_LEAST_ONCE));

        fixture.connection().connectionLost();
        fixture.turn();

        assertThat(fixture.backend.appended)
                .extracting(appended -> new String(appended.message().payload(), StandardCharsets.UTF_8))
                .containsExactly("late");
    }

    @Test
    void handsMessagesOnToTransientMemberWhenThatIsTheOther() {
        Recipient other = new Recipient("other", 3, QoS.AT_LEAST_ONCE, false, List.of(), "$share/g/topic");
        fixture.backend.otherMember =
                new Destinations(List.of(), List.of(new NodeShare("node", List.of(other), false)));
        fixture.connect(Connects.v5());
        fixture.deliver(shared("begun", QoS.AT_LEAST_ONCE));

        fixture.connection().connectionLost();
        fixture.turn();

        assertThat(fixture.backend.redistributed).containsExactly(fixture.backend.otherMember);
    }

    /** Another client has the same event loop. */
    @Test
    void otherClientsHaveTheirTurnsWhileManyMessagesAreHandedOn() {
        fixture.backend.onMatch = () -> fixture.loop.advanceTimeBy(10, TimeUnit.MICROSECONDS);
        leaves(10_000);
        List<Integer> handedOn = new ArrayList<>();
        fixture.mailbox.post(() -> handedOn.add(fixture.backend.appended.size()));
        fixture.turn();
        assertThat(handedOn.getFirst()).isBetween(100, 9_999);

        awaitHandedOn(10_000);
        assertThat(fixture.recorder.dropped).isEmpty();
        assertHasReleased();
    }

    @Test
    void handsMessagesOnWhenTheLogsHaveRoomAgain() {
        leaves(150);
        fixture.backend.congested = true;
        fixture.turn();
        assertThat(fixture.backend.appended).isEmpty();
        assertThat(fixture.backend.waitingForRoom()).isEqualTo(1);

        fixture.backend.makeRoom();
        awaitHandedOn(150);
    }

    @Test
    void messageThatCannotBeHandedOnHoldsUpNoOthers() {
        leaves(150);
        fixture.backend.matchFailure = new IllegalStateException("an authorizer failed");
        fixture.turn();
        awaitHandedOn(149);
        assertHasReleased();
    }

    @Test
    void countsMessagesThatAreLeftBehindWithoutRoomToWait() {
        fixture.backend.parts.leftBehind().block();
        leaves(3);
        fixture.turn();
        assertThat(fixture.backend.appended).isEmpty();
        assertThat(fixture.recorder.dropped)
                .containsExactly(DropReason.QUEUE_FULL, DropReason.QUEUE_FULL, DropReason.QUEUE_FULL);
    }

    /** A member with so many messages, m0 and on, ends its connection; there is another member. */
    private void leaves(int messages) {
        Recipient other = new Recipient("other", 3, QoS.AT_LEAST_ONCE, false, List.of(), "$share/g/topic");
        fixture.backend.otherMember = new Destinations(List.of(other), List.of());
        outbound(new OutboundLimits(10, 0, messages, 1 << 30, Overflow.DROP_NEWEST));
        fixture.connect(Connects.v5());
        for (int i = 0; i < messages; i++) {
            fixture.backend.connections.deliverTransient(
                    fixture.connectionNumber(), shared("m" + i, QoS.AT_LEAST_ONCE));
        }
        fixture.turn();
        fixture.connection().connectionLost();
    }

    /** The last so many of them, each once and in their order. */
    private void awaitHandedOn(int messages) {
        for (int i = 0; i < 1_000 && fixture.backend.appended.size() < messages; i++) {
            fixture.pass(Duration.ofSeconds(1));
        }
        int first = fixture.backend.matchFailed;
        assertThat(fixture.backend.appended)
                .extracting(appended -> new String(appended.message().payload(), StandardCharsets.UTF_8))
                .containsExactlyElementsOf(IntStream.range(first, first + messages)
                        .mapToObj(i -> "m" + i)
                        .toList());
    }

    private void assertHasReleased() {
        ByteBudget budget = fixture.backend.parts.leftBehind();
        AtomicBoolean hasRoom = new AtomicBoolean();
        budget.acquire(TransientRedistributor.MOST_BYTES / 2);
        budget.onRoom(() -> hasRoom.set(true));
        assertThat(hasRoom).as("nothing else is in use").isTrue();
    }

    @Test // [MQTT-4.8.2-6]
    void handsNothingOnWhenMemberRefusedMessage() {
        fixture.connect(Connects.v5());
        fixture.deliver(shared("no", QoS.AT_LEAST_ONCE));
        fixture.send(new Puback(1, ReasonCode.UNSPECIFIED_ERROR, null, List.of()));

        fixture.connection().connectionLost();
        fixture.turn();

        assertThat(fixture.backend.lifecycle).containsExactly("online c transient", "end c");
    }

    @Test
    void writesPlainPacketsWhenClientSpeaksMqtt3() {
        fixture.connect(Connects.v3());

        fixture.deliver(
                new Queued(message("topic", "x", QoS.AT_LEAST_ONCE), QoS.AT_LEAST_ONCE, true, List.of(7), null));

        Publish packet = fixture.sink.takeOnly(Publish.class);
        assertThat(packet.retain()).isTrue();
        assertThat(packet.subscriptionIds()).isEmpty();
    }

    private void fill(QoS qos) {
        for (int i = 0; i < 5; i++) {
            fixture.deliver(queued("m" + i, qos));
        }
    }

    private List<String> drain() {
        for (int id = 1; id <= 5; id++) {
            fixture.send(puback(id));
        }
        return texts(fixture.sink.take(Publish.class));
    }

    private void outbound(OutboundLimits outbound) {
        fixture.limits = new ClientLimits(
                ClientLimits.DEFAULT.packets(), ConnectLimits.DEFAULT, InboundLimits.DEFAULT, outbound);
    }

    private static Puback puback(int packetId) {
        return new Puback(packetId, ReasonCode.SUCCESS, null, List.of());
    }
}
