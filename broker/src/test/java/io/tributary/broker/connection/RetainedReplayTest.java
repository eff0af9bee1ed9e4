package io.tributary.broker.connection;

import static io.tributary.broker.connection.ConnectionFixture.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.MqttPacket.Unsubscribe;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How much of the retained messages is on its way at a time; what is sent at all is in {@link SubscribeFlowTest}. */
class RetainedReplayTest {
    private final ConnectionFixture fixture = new ConnectionFixture();
    /** How many messages have arrived in the log. */
    private int durable;

    @Test
    void waitsWhileLogsHaveNoRoom() {
        retain("a/1", "a/2", "a/3");
        fixture.connect(Connects.v5().durable());
        fixture.backend.congested = true;
        subscribe("a/+", QoS.AT_LEAST_ONCE);
        fixture.turn();
        assertThat(fixture.backend.appended).isEmpty();
        assertThat(fixture.backend.waitingForRoom()).isOne();

        fixture.backend.makeRoom();
        fixture.turn();
        assertThat(topics()).containsExactly("a/1", "a/2", "a/3");
        assertThat(fixture.backend.waitingForRoom()).isZero();
    }

    @Test
    void goesOnWhereItWasWhenLogsHaveRoomAgain() {
        for (int i = 0; i < 60; i++) {
            retain("a/%02d".formatted(i));
        }
        fixture.connect(Connects.v5().durable());
        subscribe("a/+", QoS.AT_LEAST_ONCE);
        assertThat(topics()).hasSize(50);
        fixture.backend.congested = true;
        makeDurable();
        assertThat(topics()).hasSize(50);

        fixture.backend.makeRoom();
        fixture.turn();
        assertThat(topics()).hasSize(60).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void waitsForLogWhenFewLargeMessagesGoThroughIt() {
        for (int i = 1; i <= 5; i++) {
            store("a/" + i, "x".repeat((int) RetainedReplay.PAGE_BYTES * 2 / 3));
        }
        fixture.connect(Connects.v5().durable());
        subscribe("a/+", QoS.AT_LEAST_ONCE);
        fixture.turn();
        assertThat(topics()).containsExactly("a/1", "a/2");
        makeDurable();
        assertThat(topics()).containsExactly("a/1", "a/2", "a/3", "a/4");
        makeDurable();
        assertThat(topics()).containsExactly("a/1", "a/2", "a/3", "a/4", "a/5");
    }

    @Test
    void sendsWhatDoesNotGoThroughLogsWhileTheyHaveNoRoom() {
        retain("a/1", "a/2");
        fixture.connect(Connects.v5().durable());
        fixture.backend.congested = true;
        subscribe("a/+", QoS.AT_MOST_ONCE);
        assertThat(fixture.sink.take()).hasExactlyElementsOfTypes(Suback.class, Publish.class, Publish.class);
    }

    @Test
    void sendsNothingOfASubscriptionThatIsRemovedWhileLogsHaveNoRoom() {
        retain("a/1", "b/1");
        fixture.connect(Connects.v5().durable());
        fixture.backend.congested = true;
        subscribe("a/+", QoS.AT_LEAST_ONCE);
        subscribe("b/+", QoS.AT_LEAST_ONCE);
        fixture.send(new Unsubscribe(9, List.of("a/+"), List.of()));

        fixture.backend.makeRoom();
        fixture.turn();
        assertThat(topics()).containsExactly("b/1");
    }

    @Test
    void waitsForRoomNoLongerThanItsConnection() {
        retain("a/1");
        fixture.connect(Connects.v5().durable());
        fixture.backend.congested = true;
        subscribe("a/+", QoS.AT_LEAST_ONCE);
        assertThat(fixture.backend.waitingForRoom()).isOne();

        fixture.connection().connectionLost();
        assertThat(fixture.backend.waitingForRoom()).isZero();
    }

    /** All that is on its way into the log arrives there. */
    private void makeDurable() {
        List<FakeBackend.Appended> underWay =
                List.copyOf(fixture.backend.appended).subList(durable, fixture.backend.appended.size());
        durable += underWay.size();
        underWay.forEach(one -> one.callback().onAppended(1, null));
        fixture.turn();
    }

    private List<String> topics() {
        return fixture.backend.appended.stream()
                .map(one -> one.message().topic())
                .toList();
    }

    private void subscribe(String filter, QoS qos) {
        Subscription subscription = new Subscription(filter, qos, false, false, RetainHandling.SEND);
        fixture.send(new Subscribe(8, List.of(subscription), 0, List.of()));
    }

    private void retain(String... topics) {
        for (String topic : topics) {
            store(topic, topic);
        }
    }

    private void store(String topic, String payload) {
        Message message =
                new Message(topic, utf8(payload), QoS.EXACTLY_ONCE, true, PublishProperties.NONE, Message.NEVER, "p");
        fixture.backend.retained.store(message).toCompletableFuture().join();
    }
}
