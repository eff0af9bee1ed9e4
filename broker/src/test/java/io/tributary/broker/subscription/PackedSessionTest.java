package io.tributary.broker.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.topic.TopicFilter;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PackedSessionTest {
    private static final SubscriptionRequest PLAIN = request("a/b", QoS.AT_LEAST_ONCE, false, false, 0);
    private static final SubscriptionRequest ALL = request("a/ü/😀", QoS.EXACTLY_ONCE, true, true, 268_435_455);
    private static final SubscriptionRequest LONG = request("x".repeat(65_536), QoS.AT_MOST_ONCE, false, true, 1);
    private static final SubscriptionRequest SHARED = request("$share/g/s", QoS.AT_LEAST_ONCE, false, false, 0);

    private static SubscriptionRequest request(String filter, QoS qos, boolean noLocal, boolean retain, int id) {
        return new SubscriptionRequest(TopicFilter.parseStored(filter), qos, noLocal, retain, id);
    }

    private static PackedSession pack(String clientId, SessionSubscriptions subscriptions) {
        return new PackedSession(clientId, SubscriptionsCodec.encode(clientId, subscriptions, RecordFormat.NEWEST));
    }

    private static SessionSubscriptions with(SubscriptionRequest... requests) {
        Map<TopicFilter, SubscriptionRequest> byFilter =
                Stream.of(requests).collect(Collectors.toMap(SubscriptionRequest::filter, Function.identity()));
        return new SessionSubscriptions(
                Long.MAX_VALUE - 1, 77, 5, ClientKind.SMALL_APPLICATION, new Principal("r", "n"), byFilter);
    }

    @ParameterizedTest
    @ValueSource(strings = {"device-1", "", "ü", "device-😀", "\0acme/d"})
    void unpacksWhatWasPacked(String clientId) {
        SessionSubscriptions subscriptions = with(PLAIN, ALL, LONG, SHARED);
        PackedSession packed = pack(clientId, subscriptions);

        assertThat(packed.subscriptions()).isEqualTo(subscriptions);
        assertThat(packed.clientId()).isEqualTo(clientId);
        assertThat(packed.isOf(clientId)).isTrue();
        assertThat(packed.isOf(clientId + "x")).isFalse();
        assertThat(packed.isOf("device-2")).isFalse();
        assertThat(packed.identity()).isEqualTo(Long.MAX_VALUE - 1);
        assertThat(packed.kind()).isEqualTo(ClientKind.SMALL_APPLICATION);
        assertThat(packed.isEmpty()).isFalse();
        assertThat(packed.isOver()).isFalse();
    }

    @Test
    void saysWhatNoSubscriptionsAre() {
        assertThat(pack("c", SessionSubscriptions.none(1)).isEmpty()).isTrue();
        assertThat(pack("c", SessionSubscriptions.none(1)).isOver()).isFalse();
        assertThat(pack("c", SessionSubscriptions.over(1)).isOver()).isTrue();
    }

    /** The receiver is the one that the request says. */
    @Test
    void standsForEachOfItsSubscriptions() {
        PackedSession packed = pack("c", with(PLAIN, ALL, LONG, SHARED));
        Subscriber subscriber = new Subscriber("c", true, Long.MAX_VALUE - 1);
        for (SubscriptionRequest request : List.of(PLAIN, ALL, LONG)) {
            String topic = request.filter().filter();
            assertThat(packed.areOf(topic)).isTrue();
            assertThat(packed.receivers(topic)).isEqualTo(Map.of(subscriber, Receiver.of(subscriber, request)));
        }
        Receiver receiver = Objects.requireNonNull(packed.receivers("a/b").get(subscriber));
        assertThat(receiver.subscriber().kind()).isEqualTo(ClientKind.SMALL_APPLICATION);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "a/b/", "A/b", "a/u", "s", "$share/g/s", "a/ü", ""})
    void hasNoOtherTopics(String topic) {
        assertThat(pack("c", with(PLAIN, ALL, LONG, SHARED)).areOf(topic)).isFalse();
    }

    @Test
    void standsForFewOnly() {
        assertThat(pack("c", with(requests(8))).isSmall()).isTrue();
        assertThat(pack("c", with(requests(9))).isSmall()).isFalse();
    }

    private static SubscriptionRequest[] requests(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> Requests.request("t/" + i))
                .toArray(SubscriptionRequest[]::new);
    }
}
