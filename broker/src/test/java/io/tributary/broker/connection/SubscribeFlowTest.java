package io.tributary.broker.connection;

import static io.tributary.broker.connection.ConnectionFixture.text;
import static io.tributary.broker.connection.ConnectionFixture.texts;
import static io.tributary.broker.connection.ConnectionFixture.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.extension.SubscribeInterceptor;
import io.tributary.broker.security.Authorizer;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.Decision;
import io.tributary.broker.security.Permissions;
import io.tributary.broker.security.SubscriptionDecision;
import io.tributary.broker.security.SubscriptionDecision.Extent;
import io.tributary.broker.subscription.SubscriptionRequest;
import io.tributary.broker.subscription.SubscriptionRequest.Outcome;
import io.tributary.broker.subscription.Withdrawal;
import io.tributary.broker.subscription.Withdrawal.Change;
import io.tributary.common.event.ClientKind;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.MqttPacket.Unsuback;
import io.tributary.common.mqtt.MqttPacket.Unsubscribe;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import io.tributary.common.topic.TopicFilter;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SubscribeFlowTest {
    private final ConnectionFixture fixture = new ConnectionFixture();

    @Test // [MQTT-3.8.4-2, MQTT-3.8.4-5, MQTT-3.8.4-6]
    void grantsEachFilterInOrder() {
        fixture.connect(Connects.v5());

        fixture.send(subscribe(8, plain("a", QoS.AT_MOST_ONCE), plain("b", QoS.EXACTLY_ONCE)));

        assertThat(fixture.sink.takeOnly(Suback.class))
                .isEqualTo(new Suback(8, List.of(ReasonCode.SUCCESS, ReasonCode.GRANTED_QOS_2), null, List.of()));
        assertThat(fixture.backend.subscribed)
                .containsExactly(
                        new SubscriptionRequest(TopicFilter.parse("a"), QoS.AT_MOST_ONCE, false, false, 3),
                        new SubscriptionRequest(TopicFilter.parse("b"), QoS.EXACTLY_ONCE, false, false, 3));
    }

    @Test
    void takesNoPacketsUntilSubscriptionIsMade() {
        fixture.connect(Connects.v5());
        CompletableFuture<List<Outcome>> pending = new CompletableFuture<>();
        fixture.backend.pendingSubscribe = pending;
        fixture.send(subscribe(8, plain("a", QoS.AT_MOST_ONCE)));
        assertThat(fixture.connection().mayRead()).isFalse();
        assertThat(fixture.sink.take()).isEmpty();

        pending.complete(List.of(Outcome.CREATED));
        fixture.turn();

        assertThat(fixture.connection().mayRead()).isTrue();
        fixture.sink.takeOnly(Suback.class);
    }

    @Test
    void withdrawsOnlyOnceSubscriptionIsMadeThatIsUnderWay() {
        fixture.connect(Connects.v5());
        fixture.backend.lifecycle.clear();
        fixture.backend.pendingSubscribe = new CompletableFuture<>();
        fixture.send(subscribe(8, plain("a", QoS.AT_MOST_ONCE)));
        fixture.connection().review();
        fixture.turn();
        assertThat(fixture.backend.lifecycle).isEmpty();

        fixture.backend.pendingWithdraw = new CompletableFuture<>();
        fixture.backend.pendingSubscribe.complete(List.of(Outcome.CREATED));
        fixture.turn();
        assertThat(fixture.backend.lifecycle).containsExactly("withdraw");
        assertThat(fixture.connection().mayRead()).isFalse();
        fixture.sink.takeOnly(Suback.class);

        fixture.backend.pendingWithdraw.complete(List.of(new Withdrawal(Change.REMOVED, TopicFilter.parse("a"))));
        fixture.turn();
        assertThat(fixture.connection().mayRead()).isTrue();
        assertThat(fixture.sink.take()).isEmpty();
    }

    @Test
    void makesSubscriptionThatWasHeldOnlyOnceItHasWithdrawn() {
        fixture.connect(Connects.v5());
        fixture.backend.unmatched = true;
        fixture.send(subscribe(8, plain("a", QoS.AT_MOST_ONCE)));
        fixture.backend.pendingWithdraw = new CompletableFuture<>();
        fixture.connection().review();
        fixture.turn();
        fixture.backend.match();
        fixture.turn();
        assertThat(fixture.backend.subscribed).isEmpty();

        fixture.backend.pendingWithdraw.complete(List.of());
        fixture.turn();
        assertThat(fixture.backend.subscribed).hasSize(1);
        assertThat(fixture.connection().mayRead()).isTrue();
    }

    @Test
    void withdrawsFromPersistentSessionOnlyOnceRevocationsAreHeldNoLonger() {
        fixture.connect(Connects.v5().durable());
        fixture.backend.lifecycle.clear();
        fixture.revocations.hold(true);
        fixture.connection().review();
        fixture.turn();
        assertThat(fixture.backend.lifecycle).isEmpty();
        assertThat(fixture.connection().mayRead()).isTrue();

        fixture.revocations.hold(false);
        fixture.connection().review();
        fixture.turn();
        assertThat(fixture.backend.lifecycle).containsExactly("withdraw");
    }

    /** What a transient session has, its own node has granted. */
    @Test
    void withdrawsFromTransientSessionThoughRevocationsAreHeld() {
        fixture.connect(Connects.v5());
        fixture.backend.lifecycle.clear();
        fixture.revocations.hold(true);
        fixture.connection().review();
        fixture.turn();
        assertThat(fixture.backend.lifecycle).containsExactly("withdraw");
    }

    @Test
    void withdrawsNothingWhenConnectionEndsMeanwhile() {
        fixture.connect(Connects.v5());
        fixture.backend.lifecycle.clear();
        fixture.backend.pendingSubscribe = new CompletableFuture<>();
        fixture.send(subscribe(8, plain("a", QoS.AT_MOST_ONCE)));
        fixture.connection().review();
        fixture.turn();
        fixture.connection().connectionLost();
        fixture.backend.pendingSubscribe.complete(List.of(Outcome.CREATED));
        fixture.turn();
        assertThat(fixture.backend.lifecycle).doesNotContain("withdraw");
    }

    @Test
    void makesSubscriptionOnlyOnceWhatWasPublishedBeforeIsMatched() {
        fixture.connect(Connects.v5());
        fixture.backend.unmatched = true;

        fixture.send(subscribe(8, plain("a", QoS.AT_MOST_ONCE)));

        assertThat(fixture.backend.subscribed).isEmpty();
        assertThat(fixture.connection().mayRead()).isFalse();
        fixture.backend.match();
        fixture.turn();
        assertThat(fixture.backend.subscribed).hasSize(1);
        assertThat(fixture.connection().mayRead()).isTrue();
        fixture.sink.takeOnly(Suback.class);
    }

    @Test
    void makesNoSubscriptionWhenConnectionEndsBeforeWhatWasPublishedIsMatched() {
        fixture.connect(Connects.v5());
        fixture.backend.unmatched = true;
        fixture.send(subscribe(8, plain("a", QoS.AT_MOST_ONCE)));

        fixture.connection().connectionLost();
        fixture.backend.match();
        fixture.turn();

        assertThat(fixture.backend.subscribed).isEmpty();
    }

    @Test
    void refusesFilterWhenItIsNotAuthorised() {
        fixture.authorizer = new OnlyQos0();
        fixture.connect(Connects.v5());

        fixture.send(subscribe(8, plain("$share/g/a", QoS.AT_LEAST_ONCE), plain("b", QoS.AT_MOST_ONCE)));

        assertThat(fixture.sink.takeOnly(Suback.class).reasons())
                .containsExactly(ReasonCode.NOT_AUTHORIZED, ReasonCode.SUCCESS);
        assertThat(fixture.backend.subscribed).hasSize(1);
    }

    @Test
    void refusesFilterWithFailureCodeWhenClientSpeaksMqtt3() {
        fixture.authorizer = new OnlyQos0();
        fixture.connect(Connects.v3());

        fixture.send(subscribe(8, plain("a", QoS.AT_LEAST_ONCE)));

        assertThat(fixture.sink.takeOnly(Suback.class).reasons()).containsExactly(ReasonCode.UNSPECIFIED_ERROR);
    }

    @Test // [MQTT-3.8.4-1]
    void refusesOnlyFilterThatIsTooDeep() {
        fixture.connect(Connects.v5());

        fixture.send(subscribe(8, plain("a" + "/a".repeat(128), QoS.AT_LEAST_ONCE), plain("b", QoS.AT_LEAST_ONCE)));

        assertThat(fixture.sink.takeOnly(Suback.class).reasons())
                .containsExactly(ReasonCode.TOPIC_FILTER_INVALID, ReasonCode.GRANTED_QOS_1);
        assertThat(fixture.backend.subscribed).hasSize(1);
    }

    @Test
    void makesSubscriptionAsInterceptorChangedIt() {
        fixture.interceptor = (client, asked) -> new SubscribeInterceptor.Proceed(plain("other", QoS.AT_MOST_ONCE));
        fixture.connect(Connects.v5());

        fixture.send(subscribe(8, plain("a", QoS.AT_LEAST_ONCE)));

        assertThat(fixture.backend.subscribed.getFirst().filter()).isEqualTo(TopicFilter.parse("other"));
        assertThat(fixture.sink.takeOnly(Suback.class).reasons()).containsExactly(ReasonCode.SUCCESS);
    }

    @Test
    void removesSubscriptionByTheFilterThatInterceptorsMadeOfIt() {
        fixture.interceptor = SubscribeInterceptor.chain(List.of(new Below("a"), new Below("b")));
        fixture.connect(Connects.v5());

        fixture.send(subscribe(8, plain("x", QoS.AT_MOST_ONCE)));
        fixture.send(new Unsubscribe(9, List.of("x"), List.of()));

        assertThat(fixture.backend.subscribed.getFirst().filter()).isEqualTo(TopicFilter.parse("b/a/x"));
        assertThat(fixture.backend.unsubscribed).containsExactly(TopicFilter.parse("b/a/x"));
    }

    @Test
    void removesSubscriptionByTheFilterOfTheClientWhenInterceptorMakesNoneOfIt() {
        fixture.interceptor = new Below("#");
        fixture.connect(Connects.v5());

        fixture.send(new Unsubscribe(9, List.of("x"), List.of()));

        assertThat(fixture.backend.unsubscribed).containsExactly(TopicFilter.parse("x"));
        assertThat(fixture.sink.take(Unsuback.class)).hasSize(1);
    }

    private record Below(String level) implements SubscribeInterceptor {
        @Override
        public SubscribeInterceptor.Decision onSubscribe(ClientInfo client, Subscription asked) {
            return new SubscribeInterceptor.Proceed(plain(level + "/" + asked.filter(), asked.maximumQos()));
        }

        @Override
        public String onUnsubscribe(ClientInfo client, String filter) {
            return level + "/" + filter;
        }
    }

    @Test
    void refusesFilterWhenInterceptorSaysSo() {
        fixture.interceptor = (client, asked) -> new SubscribeInterceptor.Refuse(ReasonCode.QUOTA_EXCEEDED);
        fixture.connect(Connects.v5());

        fixture.send(subscribe(8, plain("a", QoS.AT_LEAST_ONCE)));

        assertThat(fixture.sink.takeOnly(Suback.class).reasons()).containsExactly(ReasonCode.QUOTA_EXCEEDED);
    }

    @Test
    void refusesFilterWhenInterceptorThrows() {
        fixture.interceptor = (client, asked) -> {
            throw new IllegalStateException("a bug");
        };
        fixture.connect(Connects.v5());

        fixture.send(subscribe(8, plain("a", QoS.AT_LEAST_ONCE)));

        assertThat(fixture.sink.takeOnly(Suback.class).reasons())
                .containsExactly(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR);
    }

    /** As one that throws, and the connection goes on. */
    @Test
    @SuppressWarnings("NullAway") // the platform's mistakes
    void refusesFilterWhenInterceptorGivesNoAnswerThatItMayGive() {
        List<SubscribeInterceptor> wrong = List.of(
                (client, asked) -> null,
                (client, asked) -> new SubscribeInterceptor.Proceed(null),
                (client, asked) -> new SubscribeInterceptor.Proceed(plain("a/#/b", QoS.AT_MOST_ONCE)),
                (client, asked) -> new SubscribeInterceptor.Refuse(null),
                (client, asked) -> new SubscribeInterceptor.Refuse(ReasonCode.SUCCESS));
        fixture.interceptor =
                (client, asked) -> wrong.get(Integer.parseInt(asked.filter())).onSubscribe(client, asked);
        fixture.connect(Connects.v5());

        for (int i = 0; i < wrong.size(); i++) {
            fixture.send(subscribe(8, plain(String.valueOf(i), QoS.AT_MOST_ONCE)));

            assertThat(fixture.sink.takeOnly(Suback.class).reasons())
                    .containsExactly(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR);
        }
        assertThat(fixture.backend.subscribed).isEmpty();
    }

    @Test
    void tellsWhenQuotaOfSubscriptionsIsExceeded() {
        fixture.backend.subscribeOutcome = Outcome.QUOTA_EXCEEDED;
        fixture.connect(Connects.v5());

        fixture.send(subscribe(8, plain("a", QoS.AT_LEAST_ONCE)));

        assertThat(fixture.sink.takeOnly(Suback.class).reasons()).containsExactly(ReasonCode.QUOTA_EXCEEDED);
    }

    @Test
    void tellsAndCountsThatTheNodeHasNoRoomForASubscription() {
        fixture.backend.subscribeOutcome = Outcome.NODE_QUOTA_EXCEEDED;
        fixture.connect(Connects.v5());

        fixture.send(subscribe(8, plain("a", QoS.AT_LEAST_ONCE), plain("b", QoS.AT_LEAST_ONCE)));

        assertThat(fixture.sink.takeOnly(Suback.class).reasons())
                .containsExactly(ReasonCode.QUOTA_EXCEEDED, ReasonCode.QUOTA_EXCEEDED);
        assertThat(fixture.recorder.subscriptionsRefused).isEqualTo(2);
    }

    @Test
    void refusesAllWhenSubscriptionsCannotBeMade() {
        fixture.backend.pendingSubscribe = CompletableFuture.failedFuture(new IllegalStateException("down"));
        fixture.connect(Connects.v5());

        fixture.send(subscribe(8, plain("a", QoS.AT_LEAST_ONCE)));

        assertThat(fixture.sink.takeOnly(Suback.class).reasons()).containsExactly(ReasonCode.UNSPECIFIED_ERROR);
        assertIsReadInASecond();
    }

    @Test
    void refusesOnlyTheSharedSubscriptionThatNobodyHandsOut() {
        retain("a/1");
        connectApplicationThatCannotShare("$share/g/b");

        fixture.send(subscribe(
                8,
                plain("a/#", QoS.AT_LEAST_ONCE),
                plain("$share/g/b", QoS.AT_LEAST_ONCE),
                plain("c", QoS.AT_MOST_ONCE)));

        assertThat(fixture.sink.takeOnly(Suback.class).reasons())
                .containsExactly(ReasonCode.GRANTED_QOS_1, ReasonCode.UNSPECIFIED_ERROR, ReasonCode.SUCCESS);
        assertThat(fixture.backend.unsubscribed).containsExactly(TopicFilter.parse("$share/g/b"));
        assertThat(fixture.backend.appended).hasSize(1); // what is retained under a/#
        assertIsReadInASecond();
    }

    /** Its group goes on: this node may be about to stop. */
    @Test
    void leavesTheSharedSubscriptionThereThatNobodyHandsOutAgain() {
        fixture.backend.subscribeOutcome = Outcome.REPLACED;
        connectApplicationThatCannotShare("$share/g/b");

        fixture.send(subscribe(8, plain("$share/g/b", QoS.AT_LEAST_ONCE)));

        assertThat(fixture.sink.takeOnly(Suback.class).reasons()).containsExactly(ReasonCode.UNSPECIFIED_ERROR);
        assertThat(fixture.backend.unsubscribed).isEmpty();
    }

    private void connectApplicationThatCannotShare(String filter) {
        fixture.backend.attached = new Attached(100, 101, false, ClientKind.APPLICATION, new int[0], 50);
        fixture.backend.unshared = TopicFilter.parse(filter);
        fixture.connect(Connects.v5().durable());
    }

    /** Else it would ask again and again while nothing can be written. */
    private void assertIsReadInASecond() {
        fixture.pass(Duration.ofMillis(999));
        assertThat(fixture.connection().mayRead()).isFalse();
        fixture.pass(Duration.ofMillis(1));
        assertThat(fixture.connection().mayRead()).isTrue();
    }

    @Test
    void takesChangeOnlyOnceItsClientIsWithinItsRate() {
        fixture.connect(Connects.v5().durable());
        fixture.backend.subscribeWaitNanos = Duration.ofMillis(250).toNanos();
        fixture.send(subscribe(8, plain("a", QoS.AT_MOST_ONCE)));
        assertThat(fixture.connection().mayRead()).isFalse();
        assertThat(fixture.connection().isHeldByBroker()).isFalse();

        fixture.pass(Duration.ofMillis(250)); // the rate is used up again
        assertThat(fixture.backend.subscribed).isEmpty();
        fixture.backend.subscribeWaitNanos = 0;
        fixture.backend.pendingSubscribe = new CompletableFuture<>();
        fixture.pass(Duration.ofMillis(250));
        assertThat(fixture.backend.subscribed).hasSize(1);
        assertThat(fixture.connection().mayRead()).isFalse();
        fixture.backend.pendingSubscribe.complete(List.of(Outcome.CREATED));
        fixture.turn();
        fixture.sink.takeOnly(Suback.class);
        assertThat(fixture.connection().mayRead()).isTrue();

        fixture.backend.subscribeWaitNanos = 1;
        fixture.send(new Unsubscribe(9, List.of("a"), List.of()));
        assertThat(fixture.backend.unsubscribed).isEmpty();
        fixture.backend.subscribeWaitNanos = 0;
        fixture.pass(Duration.ofMillis(1));
        fixture.sink.takeOnly(Unsuback.class);
        assertThat(fixture.connection().mayRead()).isTrue();
    }

    @Test
    void nothingIsLeftOfAChangeThatWaitsWhenItsClientIsGone() {
        fixture.connect(Connects.v5().durable());
        fixture.backend.subscribeWaitNanos = Duration.ofHours(1).toNanos();
        fixture.send(subscribe(8, plain("a", QoS.AT_MOST_ONCE)));

        fixture.connection().connectionLost();
        fixture.turn();

        assertThat(fixture.loop.runScheduledPendingTasks()).isEqualTo(-1);
    }

    /** It could undo what other nodes have acknowledged meanwhile. */
    @Test
    void changeThatHasWaitedForItsRateWaitsUntilTheNodeIsCurrent() {
        fixture.connect(Connects.v5().durable());
        fixture.backend.subscribeWaitNanos = 1;
        fixture.send(subscribe(8, plain("a", QoS.AT_MOST_ONCE)));
        fixture.backend.behind = true;
        fixture.backend.subscribeWaitNanos = 0;
        fixture.pass(Duration.ofMillis(1));
        assertThat(fixture.backend.subscribed).isEmpty();
        assertThat(fixture.connection().mayRead()).isFalse();

        fixture.backend.catchUp();
        fixture.turn();
        fixture.sink.takeOnly(Suback.class);
        assertThat(fixture.connection().mayRead()).isTrue();
    }

    @Test
    void changeThatWaitsForItsRateIsNotMadeWhenItsConnectionEnds() {
        fixture.connect(Connects.v5().durable());
        fixture.backend.subscribeWaitNanos = 1;
        fixture.send(subscribe(8, plain("a", QoS.AT_MOST_ONCE)));
        fixture.connection().connectionLost();
        fixture.backend.subscribeWaitNanos = 0;
        fixture.pass(Duration.ofMillis(1));
        assertThat(fixture.backend.subscribed).isEmpty();
    }

    @Test
    void otherSocketsHaveTheirTurnBetweenChangesThatTakeLong() {
        sendTogetherWhereEachTakesAMillisecond(
                subscribe(8, plain("a", QoS.AT_MOST_ONCE)),
                subscribe(9, plain("b", QoS.AT_MOST_ONCE)),
                new Unsubscribe(10, List.of("a"), List.of()));
        assertThat(fixture.backend.subscribed).hasSize(1);
        fixture.turn();
        assertThat(fixture.backend.subscribed).hasSize(2);
        assertThat(fixture.backend.unsubscribed).isEmpty();
        fixture.pass(Duration.ofMillis(1));
        assertThat(fixture.backend.unsubscribed).hasSize(1);
        assertThat(fixture.sink.take()).hasExactlyElementsOfTypes(Suback.class, Suback.class, Unsuback.class);
        assertThat(fixture.connection().mayRead()).isTrue();
    }

    /** Nobody would remove it. */
    @Test
    void changeThatWaitsForOtherSocketsIsNotMadeWhenItsConnectionEnds() {
        sendTogetherWhereEachTakesAMillisecond(
                subscribe(8, plain("a", QoS.AT_MOST_ONCE)), subscribe(9, plain("b", QoS.AT_MOST_ONCE)));
        fixture.connection().connectionLost();
        fixture.turn();
        assertThat(fixture.backend.subscribed).hasSize(1);
    }

    private void sendTogetherWhereEachTakesAMillisecond(MqttPacket... packets) {
        fixture.interceptor = (client, subscription) -> {
            fixture.loop.advanceTimeBy(1, TimeUnit.MILLISECONDS);
            return new SubscribeInterceptor.Proceed(subscription);
        };
        fixture.connect(Connects.v5());
        Deque<MqttPacket> read = new ArrayDeque<>(List.of(packets));
        fixture.sink.onResume = () -> {
            if (!read.isEmpty()) {
                fixture.connection().handle(read.poll());
            }
        };
        fixture.connection().handle(read.poll());
    }

    @Test // [MQTT-3.10.4-4, MQTT-3.11.3-2]
    void tellsForEachFilterWhetherItExisted() {
        fixture.connect(Connects.v5());

        fixture.send(new Unsubscribe(9, List.of("a", "never", "$share/g/b"), List.of()));

        assertThat(fixture.sink.takeOnly(Unsuback.class))
                .isEqualTo(new Unsuback(
                        9,
                        List.of(ReasonCode.SUCCESS, ReasonCode.NO_SUBSCRIPTION_EXISTED, ReasonCode.SUCCESS),
                        null,
                        List.of()));
        assertThat(fixture.backend.unsubscribed.getLast().shareName()).isEqualTo("g");
    }

    @Test
    void takesNoPacketsUntilSubscriptionIsRemoved() {
        fixture.connect(Connects.v5());
        CompletableFuture<List<Boolean>> pending = new CompletableFuture<>();
        fixture.backend.pendingUnsubscribe = pending;
        fixture.send(new Unsubscribe(9, List.of("a"), List.of()));
        assertThat(fixture.connection().mayRead()).isFalse();

        pending.completeExceptionally(new IllegalStateException("down"));
        fixture.turn();

        assertThat(fixture.sink.takeOnly(Unsuback.class).reasons()).containsExactly(ReasonCode.UNSPECIFIED_ERROR);
        assertIsReadInASecond();
    }

    @Test // [MQTT-3.3.1-8, MQTT-3.3.1-9]
    void sendsRetainedMessagesAfterSuback() {
        retain("a/1", "a/2", "b");
        fixture.connect(Connects.v5());

        fixture.send(subscribe(8, plain("a/+", QoS.AT_LEAST_ONCE)));

        List<MqttPacket> written = fixture.sink.take();
        assertThat(written).hasExactlyElementsOfTypes(Suback.class, Publish.class, Publish.class);
        Publish first = (Publish) written.get(1);
        assertThat(text(first)).isEqualTo("a/1");
        assertThat(first.retain()).isTrue();
        assertThat(first.qos()).isEqualTo(QoS.AT_LEAST_ONCE); // [MQTT-3.8.4-8]
        assertThat(first.subscriptionIds()).containsExactly(3);
    }

    /**
     * The others did not wait for this node any more when it was stored; it was matched before they knew the
     * subscription.
     */
    @Test
    void sendsWhatWasRetainedWhileThisNodeWasBehindTheOthers() {
        fixture.connect(Connects.v5());
        CompletableFuture<List<Outcome>> pending = new CompletableFuture<>();
        fixture.backend.pendingSubscribe = pending;
        fixture.send(subscribe(8, plain("a/+", QoS.AT_LEAST_ONCE)));
        fixture.backend.behind = true;
        pending.complete(List.of(Outcome.CREATED));
        fixture.turn();
        fixture.sink.takeOnly(Suback.class);

        retain("a/1");
        fixture.backend.catchUp();
        fixture.turn();

        assertThat(text(fixture.sink.takeOnly(Publish.class))).isEqualTo("a/1");
    }

    @Test // [MQTT-3.3.1-10]
    void sendsNoRetainedMessagesWhenOnlyNewSubscriptionsGetThem() {
        retain("a");
        fixture.backend.subscribeOutcome = Outcome.REPLACED;
        fixture.connect(Connects.v5());

        fixture.send(subscribe(8, retaining("a", RetainHandling.SEND_IF_NEW)));
        fixture.sink.takeOnly(Suback.class);
        fixture.backend.subscribeOutcome = Outcome.CREATED;
        fixture.send(subscribe(9, retaining("a", RetainHandling.SEND_IF_NEW)));

        assertThat(fixture.sink.take()).hasSize(2);
    }

    @Test // [MQTT-3.8.4-4]
    void sendsRetainedMessagesAgainWhenSubscriptionIsReplaced() {
        retain("a");
        fixture.backend.subscribeOutcome = Outcome.REPLACED;
        fixture.connect(Connects.v5());

        fixture.send(subscribe(8, retaining("a", RetainHandling.SEND)));

        assertThat(fixture.sink.take()).hasSize(2);
    }

    @Test // [MQTT-3.3.1-11]
    void sendsNoRetainedMessagesWhenClientWantsNone() {
        retain("a");
        fixture.connect(Connects.v5());

        fixture.send(subscribe(8, retaining("a", RetainHandling.DO_NOT_SEND)));

        fixture.sink.takeOnly(Suback.class);
    }

    @Test
    void sendsNoRetainedMessagesWhenSubscriptionIsShared() {
        retain("a");
        fixture.connect(Connects.v5());

        fixture.send(subscribe(8, plain("$share/g/a", QoS.AT_LEAST_ONCE)));

        fixture.sink.takeOnly(Suback.class);
    }

    @Test // [MQTT-3.8.3-3]
    void leavesOwnRetainedMessagesOutWhenNoLocalIsSet() {
        store(new Message("a", utf8("own"), QoS.AT_MOST_ONCE, true, PublishProperties.NONE, Message.NEVER, "c"));
        fixture.connect(Connects.v5());

        fixture.send(subscribe(8, new Subscription("a", QoS.AT_MOST_ONCE, true, false, RetainHandling.SEND)));

        fixture.sink.takeOnly(Suback.class);
    }

    @Test
    void sendsRetainedMessagesOnlyAsFastAsClientTakesThem() {
        retain("a/1", "a/2", "a/3");
        fixture.connect(Connects.v5().receiveMaximum(1));

        fixture.send(subscribe(8, plain("a/+", QoS.AT_LEAST_ONCE)));
        assertThat(fixture.sink.take()).hasSize(2);
        fixture.send(new Puback(1, ReasonCode.SUCCESS, null, List.of()));

        assertThat(texts(fixture.sink.take(Publish.class))).containsExactly("a/2");
    }

    @Test
    void leavesRetainedMessagesOutThatWereReplacedWhileClientWasSlow() {
        retain("a/1", "a/2", "a/3");
        fixture.connect(Connects.v5().receiveMaximum(1));
        fixture.send(subscribe(8, plain("a/+", QoS.AT_LEAST_ONCE)));
        fixture.sink.take();

        store("a/2", "another");
        fixture.send(new Puback(1, ReasonCode.SUCCESS, null, List.of()));

        assertThat(texts(fixture.sink.take(Publish.class))).containsExactly("a/3");
    }

    @Test // [MQTT-3.10.4-2]
    void sendsNoMoreRetainedMessagesOfASubscriptionThatIsRemoved() {
        for (int i = 0; i < 130; i++) {
            retain("a/%03d".formatted(i));
        }
        retain("b/1");
        fixture.connect(Connects.v5().receiveMaximum(60));
        fixture.send(subscribe(8, plain("a/+", QoS.AT_LEAST_ONCE), plain("b/+", QoS.AT_MOST_ONCE)));
        assertThat(fixture.sink.take()).hasSize(1 + 60); // in the middle of the second page

        fixture.send(new Unsubscribe(9, List.of("a/+"), List.of()));
        fixture.send(new Puback(1, ReasonCode.SUCCESS, null, List.of()));

        List<MqttPacket> written = fixture.sink.take();
        assertThat(written).hasExactlyElementsOfTypes(Unsuback.class, Publish.class);
        assertThat(text((Publish) written.get(1))).isEqualTo("b/1");
    }

    @Test
    void goesOnWithRetainedMessagesOfOtherSubscriptionsWhenOneIsRemoved() {
        retain("a/1", "a/2", "b/1", "c/1");
        fixture.connect(Connects.v5().receiveMaximum(1));
        QoS qos = QoS.AT_LEAST_ONCE;
        fixture.send(subscribe(8, plain("a/+", qos), plain("b/+", qos), plain("c/+", qos)));
        fixture.sink.take();

        fixture.send(new Unsubscribe(9, List.of("b/+"), List.of()));
        for (int id = 1; id <= 3; id++) {
            fixture.send(new Puback(id, ReasonCode.SUCCESS, null, List.of()));
        }

        List<MqttPacket> written = fixture.sink.take();
        assertThat(written).hasExactlyElementsOfTypes(Unsuback.class, Publish.class, Publish.class);
        assertThat(text((Publish) written.get(1))).isEqualTo("a/2");
        assertThat(text((Publish) written.get(2))).isEqualTo("c/1");
    }

    @Test
    void goesOnWithRetainedMessagesWhenSubscriptionCannotBeRemoved() {
        retain("a/1", "a/2");
        fixture.connect(Connects.v5().receiveMaximum(1));
        fixture.send(subscribe(8, plain("a/+", QoS.AT_LEAST_ONCE)));
        fixture.sink.take();

        fixture.backend.pendingUnsubscribe = CompletableFuture.failedFuture(new IllegalStateException("down"));
        fixture.send(new Unsubscribe(9, List.of("a/+"), List.of()));
        fixture.send(new Puback(1, ReasonCode.SUCCESS, null, List.of()));

        assertThat(fixture.sink.take()).hasExactlyElementsOfTypes(Unsuback.class, Publish.class);
    }

    @Test
    void sendsNoMoreRetainedMessagesOfASubscriptionThatRulesRemove() {
        retain("a/1", "a/2");
        fixture.connect(Connects.v5().receiveMaximum(1));
        fixture.send(subscribe(8, plain("a/+", QoS.AT_LEAST_ONCE)));
        fixture.sink.take();

        fixture.backend.withdrawn = List.of(new Withdrawal(Change.REMOVED, TopicFilter.parse("a/+")));
        fixture.connection().review();
        fixture.turn();
        fixture.send(new Puback(1, ReasonCode.SUCCESS, null, List.of()));

        assertThat(fixture.sink.take()).isEmpty();
    }

    @Test // [MQTT-3.8.4-3]
    void sendsTheRestOfRetainedMessagesAsTheSubscriptionSaysThatReplacesAnother() {
        retain("a/1", "a/2", "b/1");
        store(new Message("a/3", utf8("own"), QoS.AT_LEAST_ONCE, true, PublishProperties.NONE, Message.NEVER, "c"));
        fixture.connect(Connects.v5().receiveMaximum(1));
        fixture.send(subscribe(8, plain("a/+", QoS.AT_LEAST_ONCE), plain("b/+", QoS.AT_MOST_ONCE)));
        assertThat(texts(publishes())).containsExactly("a/1");

        fixture.backend.subscribeOutcome = Outcome.REPLACED;
        Subscription other = new Subscription("a/+", QoS.AT_MOST_ONCE, true, false, RetainHandling.DO_NOT_SEND);
        fixture.send(new Subscribe(9, List.of(other), 4, List.of()));

        List<Publish> rest = publishes();
        assertThat(texts(rest)).containsExactly("a/2", "b/1");
        assertThat(rest.getFirst().qos()).isEqualTo(QoS.AT_MOST_ONCE);
        assertThat(rest.getFirst().subscriptionIds()).containsExactly(4);
    }

    @Test
    void sendsRetainedMessagesOnceMoreWhenSubscriptionIsReplacedThatStillBringsThem() {
        retain("a/1", "a/2");
        fixture.connect(Connects.v5().receiveMaximum(1));
        fixture.send(subscribe(8, plain("a/+", QoS.AT_LEAST_ONCE)));
        assertThat(texts(publishes())).containsExactly("a/1");

        fixture.backend.subscribeOutcome = Outcome.REPLACED;
        fixture.send(subscribe(9, plain("a/+", QoS.AT_MOST_ONCE)));
        fixture.send(new Puback(1, ReasonCode.SUCCESS, null, List.of()));

        assertThat(texts(publishes())).containsExactly("a/1", "a/2");
    }

    @Test
    void sendsTheRestOfRetainedMessagesWithTheQosThatRulesLeave() {
        retain("a/1", "a/2");
        fixture.authorizer = new LeavesQos0();
        fixture.connect(Connects.v5().receiveMaximum(1));
        fixture.send(subscribe(8, plain("a/+", QoS.AT_LEAST_ONCE)));
        assertThat(texts(publishes())).containsExactly("a/1");

        fixture.backend.withdrawn = List.of(new Withdrawal(Change.LOWERED, TopicFilter.parse("a/+")));
        fixture.connection().review();
        fixture.turn();

        Publish rest = fixture.sink.takeOnly(Publish.class);
        assertThat(text(rest)).isEqualTo("a/2");
        assertThat(rest.qos()).isEqualTo(QoS.AT_MOST_ONCE);
    }

    @Test
    void takesSubscriptionsWhileManyWaitForTheirRetainedMessages() {
        retain("a/1", "a/2");
        fixture.connect(Connects.v5().receiveMaximum(1));
        Subscription[] many = IntStream.range(0, 998)
                .mapToObj(i -> plain("+/+/" + i, QoS.AT_LEAST_ONCE))
                .toArray(Subscription[]::new);
        fixture.send(subscribe(8, plain("a/+", QoS.AT_LEAST_ONCE)));
        fixture.send(subscribe(9, many));
        fixture.sink.take();

        for (int i = 998; i < 1_002; i++) {
            fixture.send(subscribe(i, plain("+/+/" + i, QoS.AT_LEAST_ONCE)));
            assertThat(fixture.sink.takeOnly(Suback.class).reasons()).containsExactly(ReasonCode.GRANTED_QOS_1);
        }
    }

    @Test
    void sendsAllPagesOfRetainedMessages() {
        for (int i = 0; i < 130; i++) {
            retain("a/%03d".formatted(i));
        }
        fixture.connect(Connects.v5());

        fixture.send(subscribe(8, plain("a/+", QoS.AT_MOST_ONCE), plain("a/129", QoS.AT_MOST_ONCE)));

        List<MqttPacket> written = fixture.sink.take();
        assertThat(written).hasSize(132);
        assertThat(text((Publish) written.get(130))).isEqualTo("a/129");
        assertThat(text((Publish) written.get(131))).isEqualTo("a/129");
    }

    @Test
    void sendsRetainedMessagesThroughLogWhenSessionIsPersistent() {
        retain("a/1", "a/2");
        fixture.connect(Connects.v5().durable());

        fixture.send(subscribe(8, plain("a/+", QoS.AT_LEAST_ONCE)));

        fixture.sink.takeOnly(Suback.class);
        assertThat(fixture.backend.appended).hasSize(2);
        var recipient = fixture.backend.appended.getFirst().recipients().getFirst();
        assertThat(recipient.clientId()).isEqualTo("c");
        assertThat(recipient.session()).isEqualTo(100);
        assertThat(recipient.retain()).isTrue();
        assertThat(recipient.subscriptionIds()).containsExactly(3);
    }

    @Test
    void waitsForLogWhenManyRetainedMessagesGoThroughIt() {
        for (int i = 0; i < 120; i++) {
            retain("a/%03d".formatted(i));
        }
        fixture.connect(Connects.v5().durable());
        fixture.send(subscribe(8, plain("a/+", QoS.AT_LEAST_ONCE)));
        assertThat(fixture.backend.appended).hasSize(50);

        List.copyOf(fixture.backend.appended)
                .forEach(appended -> appended.callback().onAppended(1, null));
        fixture.turn();

        assertThat(fixture.backend.appended).hasSize(100);
    }

    @Test
    void countsRetainedMessageThatLogDoesNotTake() {
        retain("a/1");
        fixture.connect(Connects.v5().durable());
        fixture.send(subscribe(8, plain("a/+", QoS.AT_LEAST_ONCE)));

        fixture.backend.appended.getFirst().callback().onAppended(-1, new IOException("closed"));
        fixture.turn();

        assertThat(fixture.recorder.dropped).containsExactly(DropReason.FAILED);
    }

    /** Where the shard lags, the log says so before it returns: the page must not be read again and again for that. */
    @Test
    void countsRetainedMessagesOnceThatLogRefusesAtOnce() {
        retain("a/1", "a/2");
        fixture.backend.appendFailure = new IOException("lags");
        fixture.connect(Connects.v5().durable());
        fixture.send(subscribe(8, plain("a/+", QoS.AT_LEAST_ONCE)));
        fixture.turn();

        assertThat(fixture.recorder.dropped).containsExactly(DropReason.FAILED, DropReason.FAILED);
        assertThat(fixture.connection().mayRead()).isTrue();
    }

    @Test
    void sendsRetainedMessagesOfQos0DirectlyWhenSessionIsPersistent() {
        retain("a/1");
        fixture.connect(Connects.v5().durable());

        fixture.send(subscribe(8, plain("a/+", QoS.AT_MOST_ONCE)));

        assertThat(fixture.sink.take()).hasSize(2);
        assertThat(fixture.backend.appended).isEmpty();
    }

    private List<Publish> publishes() {
        return fixture.sink.take().stream()
                .filter(Publish.class::isInstance)
                .map(Publish.class::cast)
                .toList();
    }

    private void retain(String... topics) {
        for (String topic : topics) {
            store(topic, topic);
        }
    }

    private void store(String topic, String payload) {
        store(new Message(topic, utf8(payload), QoS.EXACTLY_ONCE, true, PublishProperties.NONE, Message.NEVER, "p"));
    }

    private void store(Message message) {
        fixture.backend.retained.store(message).toCompletableFuture().join();
    }

    private static Subscribe subscribe(int packetId, Subscription... subscriptions) {
        return new Subscribe(packetId, Arrays.asList(subscriptions), 3, List.of());
    }

    private static Subscription plain(String filter, QoS qos) {
        return new Subscription(filter, qos, false, false, RetainHandling.SEND);
    }

    private static Subscription retaining(String filter, RetainHandling handling) {
        return new Subscription(filter, QoS.AT_MOST_ONCE, false, false, handling);
    }

    /** Allows everything, and leaves QoS 0 of what is there. */
    private static final class LeavesQos0 implements Authorizer, Permissions {
        private static final Decision YES = new Decision(true, "");

        @Override
        public boolean mayPublish(ClientInfo client, String topic, QoS qos, boolean retain) {
            return true;
        }

        @Override
        public boolean maySubscribe(ClientInfo client, String topicFilter, QoS qos) {
            return true;
        }

        @Override
        public boolean mayReceive(ClientInfo client, String topic) {
            return true;
        }

        @Override
        public Permissions bind(ClientInfo client) {
            return this;
        }

        @Override
        public Decision mayPublish(String topic, QoS qos, boolean retain) {
            return YES;
        }

        @Override
        public SubscriptionDecision maySubscribe(String topicFilter, QoS qos) {
            return new SubscriptionDecision(Extent.WHOLE, qos, "");
        }

        @Override
        public Decision mayReceive(String topic) {
            return YES;
        }

        @Override
        public Permissions reading(String topicFilter) {
            return this;
        }

        @Override
        public SubscriptionDecision standing(String topicFilter, QoS qos) {
            return new SubscriptionDecision(Extent.WHOLE, QoS.AT_MOST_ONCE, "");
        }
    }

    private static final class OnlyQos0 implements Authorizer {
        @Override
        public boolean mayPublish(ClientInfo client, String topic, QoS qos, boolean retain) {
            return true;
        }

        @Override
        public boolean maySubscribe(ClientInfo client, String topicFilter, QoS qos) {
            return qos == QoS.AT_MOST_ONCE && !topicFilter.startsWith("$share");
        }

        @Override
        public boolean mayReceive(ClientInfo client, String topic) {
            return true;
        }
    }
}
