package io.tributary.broker.subscription;

import static io.tributary.broker.subscription.Requests.noLocal;
import static io.tributary.broker.subscription.Requests.request;
import static io.tributary.broker.subscription.Requests.withId;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.tributary.broker.security.Authorizer;
import io.tributary.broker.security.Decision;
import io.tributary.broker.security.Permissions;
import io.tributary.broker.security.SubscriptionDecision;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.topic.TopicFilter;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReceiverTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final Subscriber CLIENT = new Subscriber("c", true, 7);

    @Test // [MQTT-3.3.4-2, MQTT-3.3.4-4]
    void mergesToTheHighestQosAndAllIdentifiers() {
        Receiver merged = merge(
                Receiver.of(CLIENT, withId("a", QoS.AT_MOST_ONCE, 3)),
                Receiver.of(CLIENT, withId("+", QoS.EXACTLY_ONCE, 9)),
                Receiver.of(CLIENT, request("#")),
                Receiver.of(CLIENT, withId("a/#", QoS.AT_LEAST_ONCE, 3)));

        assertThat(merged.grant().qos()).isEqualTo(QoS.EXACTLY_ONCE);
        assertThat(merged.grant().subscriptionIds()).containsExactly(3, 9, 3);
        assertThat(merged.grantFor("c")).isEqualTo(merged.grant());
    }

    @Test
    void mergesSoManyIdentifiersAsARecordHasRoomFor() {
        List<Receiver> all = IntStream.rangeClosed(1, 5_000)
                .mapToObj(id -> Receiver.of(CLIENT, withId("a/" + id, QoS.AT_MOST_ONCE, id)))
                .toList();
        Receiver merged = Receiver.merge(all);
        assertThat(merged.grant().subscriptionIds()).hasSize(4_096).startsWith(1, 2, 3);
    }

    @Test
    void passesRetainOnWhenOneSubscriptionAsksForIt() {
        SubscriptionRequest asPublished =
                new SubscriptionRequest(TopicFilter.parse("+"), QoS.AT_MOST_ONCE, false, true, 0);

        Receiver merged = merge(Receiver.of(CLIENT, request("a")), Receiver.of(CLIENT, asPublished));

        assertThat(merged.grant().retainAsPublished()).isTrue();
    }

    @Test
    void isAskedAboutNothingWhenOneSubscriptionMayBringAll() {
        Permissions asked = new Denying();
        Receiver whole = Receiver.of(CLIENT, withId("a", QoS.AT_MOST_ONCE, 1));
        Receiver cut = Receiver.of(CLIENT, withId("#", QoS.EXACTLY_ONCE, 2)).asking(asked);

        assertThat(cut.mayReceive("a")).isFalse();
        assertThat(merge(cut, cut).mayReceive("a")).isFalse();
        assertThat(merge(cut, whole).mayReceive("a")).isTrue();
        assertThat(merge(whole, cut).mayReceive("a")).isTrue();
    }

    @Test
    void subscriptionDoesNotCountWhenItMayBringNothing() {
        Receiver whole = Receiver.of(CLIENT, withId("a", QoS.AT_MOST_ONCE, 1));
        Receiver none = Receiver.of(CLIENT, withId("#", QoS.EXACTLY_ONCE, 2)).asking(Permissions.nothing());

        assertThat(none.mayReceive("a")).isFalse();
        assertThat(merge(whole, none)).isEqualTo(whole);
        assertThat(merge(none, whole)).isEqualTo(whole);
        assertThat(merge(none, none).mayReceive("a")).isFalse();
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
        Receiver merged = merge(Receiver.of(CLIENT, noLocal("+")), local, Receiver.of(CLIENT, noLocal("#")));

        assertThat(merged.grantFor("c")).isEqualTo(local.grant());
        assertThat(merged.grantFor("x")).isEqualTo(merged.grant()).isNotEqualTo(local.grant());
    }

    /** Each of 1,024 filters matches the topic. */
    @Test
    void overlappingSubscriptionsCostInProportionToTheirNumber() {
        Map<TopicFilter, SubscriptionRequest> requests = new HashMap<>();
        for (int i = 0; i < 1 << 10; i++) {
            String bits = Integer.toBinaryString((1 << 10) + i).substring(1);
            String filter = bits.replace("1", "/+").replace("0", "/0").substring(1);
            SubscriptionRequest request = withId(filter, QoS.AT_MOST_ONCE, i + 1);
            requests.put(request.filter(), request);
        }
        SharedGroups groups = new SharedGroups(SharedChoice.DEFAULT, _ -> 0, Routes.NONE);
        SubscriptionIndex index = new SubscriptionIndex(
                groups, groups, 0, Authorizer.allowAll(), new SubscriptionBudget(1, System::nanoTime));
        index.update(CLIENT, Map.of(), requests);
        String topic = "0/0/0/0/0/0/0/0/0/0";
        assertThat(index.match(topic).receivers().getFirst().grant().subscriptionIds())
                .hasSize(1 << 10);

        long before = THREADS.getCurrentThreadAllocatedBytes();
        index.match(topic);
        assertThat(THREADS.getCurrentThreadAllocatedBytes() - before).isLessThan(1_000_000);
    }

    private static Receiver merge(Receiver... all) {
        return Receiver.merge(List.of(all));
    }
}
