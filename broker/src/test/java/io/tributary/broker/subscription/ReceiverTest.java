package io.tributary.broker.subscription;

import static io.tributary.broker.subscription.Requests.noLocal;
import static io.tributary.broker.subscription.Requests.request;
import static io.tributary.broker.subscription.Requests.withId;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.security.Decision;
import io.tributary.broker.security.Permissions;
import io.tributary.broker.security.SubscriptionDecision;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.topic.TopicFilter;
import org.junit.jupiter.api.Test;

class ReceiverTest {
    private static final Subscriber CLIENT = new Subscriber("c", true, 7);

    @Test // [MQTT-3.3.4-2, MQTT-3.3.4-4]
    void mergesToTheHighestQosAndAllIdentifiers() {
        Receiver merged = Receiver.of(CLIENT, withId("a", QoS.AT_MOST_ONCE, 3))
                .merge(Receiver.of(CLIENT, withId("+", QoS.EXACTLY_ONCE, 9)))
                .merge(Receiver.of(CLIENT, request("#")))
                .merge(Receiver.of(CLIENT, withId("a/#", QoS.AT_LEAST_ONCE, 3)));

        assertThat(merged.grant().qos()).isEqualTo(QoS.EXACTLY_ONCE);
        assertThat(merged.grant().subscriptionIds()).containsExactly(3, 9, 3);
        assertThat(merged.grantFor("c")).isEqualTo(merged.grant());
    }

    @Test
    void mergesSoManyIdentifiersAsARecordHasRoomFor() {
        Receiver merged = Receiver.of(CLIENT, withId("a", QoS.AT_MOST_ONCE, 1));
        for (int id = 2; id <= 5_000; id++) {
            merged = merged.merge(Receiver.of(CLIENT, withId("a/" + id, QoS.AT_MOST_ONCE, id)));
        }
        assertThat(merged.grant().subscriptionIds()).hasSize(4_096).startsWith(1, 2, 3);
    }

    @Test
    void passesRetainOnWhenOneSubscriptionAsksForIt() {
        SubscriptionRequest asPublished =
                new SubscriptionRequest(TopicFilter.parse("+"), QoS.AT_MOST_ONCE, false, true, 0);

        Receiver merged = Receiver.of(CLIENT, request("a")).merge(Receiver.of(CLIENT, asPublished));

        assertThat(merged.grant().retainAsPublished()).isTrue();
    }

    @Test
    void isAskedAboutNothingWhenOneSubscriptionMayBringAll() {
        Permissions asked = new Denying();
        Receiver whole = Receiver.of(CLIENT, withId("a", QoS.AT_MOST_ONCE, 1));
        Receiver cut = Receiver.of(CLIENT, withId("#", QoS.EXACTLY_ONCE, 2)).asking(asked);

        assertThat(cut.mayReceive("a")).isFalse();
        assertThat(cut.merge(cut).mayReceive("a")).isFalse();
        assertThat(cut.merge(whole).mayReceive("a")).isTrue();
        assertThat(whole.merge(cut).mayReceive("a")).isTrue();
    }

    @Test
    void subscriptionDoesNotCountWhenItMayBringNothing() {
        Receiver whole = Receiver.of(CLIENT, withId("a", QoS.AT_MOST_ONCE, 1));
        Receiver none = Receiver.of(CLIENT, withId("#", QoS.EXACTLY_ONCE, 2)).asking(Permissions.nothing());

        assertThat(none.mayReceive("a")).isFalse();
        assertThat(whole.merge(none)).isEqualTo(whole);
        assertThat(none.merge(whole)).isEqualTo(whole);
        assertThat(none.merge(none).mayReceive("a")).isFalse();
    }

    private static final class Denying implements Permissions {
        @Override
        public Decision mayPublish(String topic, QoS qos, boolean retain) {
            throw new UnsupportedOperationException();
        }

        @Override
        public SubscriptionDecision maySubscribe(String topicFilter, QoS qos) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Decision mayReceive(String topic) {
            return new Decision(false, "a test");
        }

        @Override
        public Permissions reading(String topicFilter) {
            return this;
        }
    }

    @Test // [MQTT-3.8.3-3]
    void leavesOwnMessagesOutWhenNoLocal() {
        Receiver receiver = Receiver.of(CLIENT, noLocal("a"));

        assertThat(receiver.grantFor("c")).isNull();
        assertThat(receiver.grantFor("other")).isEqualTo(receiver.grant());
    }

    @Test
    void getsOwnMessagesByTheSubscriptionThatIsNotNoLocal() {
        Receiver local = Receiver.of(CLIENT, withId("a", QoS.AT_MOST_ONCE, 5));
        Receiver merged = Receiver.of(CLIENT, noLocal("+")).merge(local).merge(Receiver.of(CLIENT, noLocal("#")));

        assertThat(merged.grantFor("c")).isEqualTo(local.grant());
        assertThat(merged.grantFor("x")).isEqualTo(merged.grant()).isNotEqualTo(local.grant());
    }
}
