package io.tributary.broker.routing;

import static io.tributary.broker.fake.Messages.message;
import static io.tributary.broker.fake.Messages.publishedBy;
import static io.tributary.broker.fake.Messages.retained;
import static io.tributary.broker.routing.RouterFixture.publisher;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.extension.PublishInterceptor;
import io.tributary.broker.fake.Messages;
import io.tributary.broker.retained.RetainedLimits;
import io.tributary.broker.routing.RouteOutcome.Lost;
import io.tributary.broker.routing.RouteOutcome.NoSubscribers;
import io.tributary.broker.routing.RouteOutcome.Refused;
import io.tributary.broker.routing.RouteOutcome.Safe;
import io.tributary.broker.routing.RouterFixture.Append;
import io.tributary.broker.routing.RouterFixture.Delivered;
import io.tributary.broker.routing.RouterRecorder.Drop;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.broker.subscription.SubscriptionRequest;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.Source;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.topic.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a PUBLISH becomes, but for relays of QoS 2 and what shards ask for, which {@link RelayTest} has. */
class RouterTest {
    private static final Subscriber DEVICE = new Subscriber("device", true, 100);
    private static final Subscriber DASHBOARD = new Subscriber("dashboard", false, 7);

    private final RouterFixture fixture = new RouterFixture();

    @Test
    void appendsForAPersistentSessionAndIsSafeWhenThatIsDurable() {
        fixture.subscribe(DEVICE, "a", QoS.AT_LEAST_ONCE);

        List<RouteOutcome> outcomes = fixture.publish(message("a", "x", QoS.AT_LEAST_ONCE));
        assertThat(outcomes).isEmpty();
        Append append = fixture.onlyAppend();
        assertThat(append.source()).isNull();
        assertThat(append.recipients())
                .containsExactly(new Recipient("device", 100, QoS.AT_LEAST_ONCE, false, List.of(), null));
        append.callback().onAppended(17, null);

        assertThat(outcomes).containsExactly(new Safe());
        assertThat(fixture.deliveries).isEmpty();
    }

    @Test
    void isLostWhenTheAppendFails() {
        fixture.subscribe(DEVICE, "a", QoS.AT_LEAST_ONCE);
        List<RouteOutcome> outcomes = fixture.publish(message("a", "x", QoS.AT_LEAST_ONCE));

        fixture.onlyAppend().callback().onAppended(-1, new IllegalStateException("closed"));

        assertThat(outcomes).containsExactly(new Lost());
        assertThat(fixture.drops).containsExactly(Drop.FAILED);
    }

    /** A pause just before: what others have acknowledged meanwhile may be missing in what it was matched against. */
    @Test
    void isLostWhenThisNodeDoesNotKnowAllSubscriptionsBehindTheMatch() {
        fixture.subscribe(DEVICE, "a", QoS.AT_LEAST_ONCE);
        fixture.behind = true;
        assertThat(fixture.publish(message("a", "x", QoS.AT_LEAST_ONCE))).containsExactly(new Lost());
        assertThat(fixture.publish(message("b", "x", QoS.EXACTLY_ONCE), RouterFixture.publisher("p", true)))
                .containsExactly(new Lost());
        assertThat(fixture.appends).isEmpty();
        assertThat(fixture.relays).isEmpty();
        assertThat(fixture.drops).containsExactly(Drop.FAILED, Drop.FAILED);
    }

    /** What follows it must not come to a shard before it. */
    @Test
    void messageOfAnotherLogIsDeliveredAndLostWhenThisNodeDoesNotKnowAllSubscriptionsBehindTheMatch() {
        fixture.subscribe(DEVICE, "a", QoS.AT_LEAST_ONCE);
        fixture.behind = true;
        List<RouteOutcome> outcomes = new ArrayList<>();
        fixture.router().publish(message("a", "x", QoS.AT_LEAST_ONCE), new Source(1, 2, 3), outcomes::add);
        fixture.onlyAppend().callback().onAppended(17, null);
        assertThat(outcomes).containsExactly(new Lost());
    }

    @Test
    void nobodyLosesAMessageOfQos0ThatIsMatchedLate() {
        fixture.subscribe(DASHBOARD, "a", QoS.EXACTLY_ONCE);
        fixture.behind = true;
        assertThat(fixture.publish(message("a", "x", QoS.AT_MOST_ONCE))).containsExactly(new Safe());
        assertThat(fixture.deliveries).hasSize(1);
    }

    @Test
    void deliversToATransientSessionAtOnce() {
        fixture.subscribe(DASHBOARD, "a", QoS.EXACTLY_ONCE);
        Message message = message("a", "x", QoS.AT_LEAST_ONCE);

        assertThat(fixture.publish(message)).containsExactly(new Safe());

        assertThat(fixture.deliveries)
                .containsExactly(new Delivered("7", new Queued(message, QoS.AT_LEAST_ONCE, false, List.of(), null)));
        assertThat(fixture.appends).isEmpty();
    }

    @Test
    void hasNoSubscribersWhenNothingMatches() {
        fixture.subscribe(DASHBOARD, "b", QoS.AT_LEAST_ONCE);

        assertThat(fixture.publish(message("a", "x", QoS.AT_LEAST_ONCE))).containsExactly(new NoSubscribers());
        assertThat(fixture.drops).containsExactly(Drop.NO_SUBSCRIBERS);
    }

    @Test
    void appendsOnceForAllPersistentSessionsAndDeliversToTheOthers() {
        fixture.subscribe(DEVICE, "a", QoS.EXACTLY_ONCE);
        fixture.subscribe(new Subscriber("second", true, 200), "+", QoS.AT_LEAST_ONCE);
        fixture.subscribe(new Subscriber("third", true, 300), "#", QoS.AT_LEAST_ONCE);
        fixture.subscribe(DASHBOARD, "a", QoS.AT_LEAST_ONCE);

        List<RouteOutcome> outcomes = fixture.publish(message("a", "x", QoS.AT_LEAST_ONCE));

        assertThat(fixture.onlyAppend().recipients())
                .extracting(Recipient::clientId)
                .containsExactlyInAnyOrder("device", "second", "third");
        assertThat(fixture.deliveries).hasSize(1);
        assertThat(fixture.delivered).isEqualTo(4);
        assertThat(outcomes).isEmpty();
    }

    @ParameterizedTest // [MQTT-3.8.4-8]
    @CsvSource({"0,0,0", "0,1,0", "1,0,0", "1,1,1", "1,2,1", "2,0,0", "2,1,1", "2,2,2"})
    void deliversWithTheLowerQos(int published, int granted, int effective) {
        fixture.subscribe(DASHBOARD, "a", QoS.of(granted));

        fixture.publish(message("a", "x", QoS.of(published)));

        assertThat(fixture.deliveries).extracting(each -> each.message().qos()).containsExactly(QoS.of(effective));
    }

    @Test // [MQTT-3.3.4-2, MQTT-3.3.4-4]
    void deliversOneCopyForOverlappingSubscriptions() {
        fixture.subscribe(DASHBOARD, new SubscriptionRequest(filter("a/+"), QoS.AT_MOST_ONCE, false, false, 4));
        fixture.subscribe(DASHBOARD, new SubscriptionRequest(filter("a/b"), QoS.AT_LEAST_ONCE, false, false, 9));

        fixture.publish(message("a/b", "x", QoS.AT_LEAST_ONCE));

        Queued copy = fixture.onlyDelivery().message();
        assertThat(copy.qos()).isEqualTo(QoS.AT_LEAST_ONCE);
        assertThat(copy.subscriptionIds()).containsExactlyInAnyOrder(4, 9);
    }

    @Test
    void sharesOneObjectAmongReceiversThatGetTheSame() {
        for (int i = 0; i < 10; i++) {
            fixture.subscribe(new Subscriber("t" + i, false, i), "a", QoS.AT_LEAST_ONCE);
        }

        fixture.publish(message("a", "x", QoS.AT_LEAST_ONCE));

        Queued first = fixture.deliveries.getFirst().message();
        assertThat(fixture.deliveries)
                .hasSize(10)
                .allSatisfy(each -> assertThat(each.message()).isSameAs(first));
    }

    @Test // [MQTT-3.8.3-3]
    void leavesThePublisherOutWhenItsSubscriptionIsNoLocal() {
        Subscriber self = new Subscriber("publisher", false, 1);
        fixture.subscribe(self, new SubscriptionRequest(filter("a"), QoS.AT_LEAST_ONCE, true, false, 0));

        assertThat(fixture.publish(message("a", "x", QoS.AT_LEAST_ONCE))).containsExactly(new NoSubscribers());
        fixture.publish(publishedBy("other", message("a", "x", QoS.AT_LEAST_ONCE)), publisher("other", false));

        assertThat(fixture.deliveries).hasSize(1);
    }

    @ParameterizedTest // [MQTT-3.3.1-12, MQTT-3.3.1-13]
    @CsvSource({"true,true,true", "true,false,false", "false,true,false", "false,false,false"})
    void passesRetainOnOnlyWhenAskedFor(boolean published, boolean asPublished, boolean expected) {
        fixture.subscribe(DASHBOARD, new SubscriptionRequest(filter("a"), QoS.AT_LEAST_ONCE, false, asPublished, 0));

        fixture.publish(message("a", "x", QoS.AT_LEAST_ONCE).withRetain(published));

        assertThat(fixture.onlyDelivery().message().retain()).isEqualTo(expected);
    }

    @Test
    void handsQos0ToTheConnectionOfAPersistentSession() {
        fixture.subscribe(DEVICE, "a", QoS.EXACTLY_ONCE);
        fixture.connect("device");

        assertThat(fixture.publish(message("a", "x", QoS.AT_MOST_ONCE))).containsExactly(new Safe());

        assertThat(fixture.onlyDelivery().to()).isEqualTo("device");
        assertThat(fixture.appends).isEmpty();
    }

    @Test
    void dropsQos0ForASessionThatIsOffline() {
        fixture.subscribe(DEVICE, "a", QoS.AT_MOST_ONCE);

        assertThat(fixture.publish(message("a", "x", QoS.EXACTLY_ONCE))).containsExactly(new Safe());

        assertThat(fixture.deliveries).isEmpty();
        assertThat(fixture.drops).containsExactly(Drop.OFFLINE);
    }

    @Test // [MQTT-4.8.2-4]
    void givesEachGroupACopyOfItsOwn() {
        fixture.subscribe(DEVICE, "$share/g/a", QoS.AT_LEAST_ONCE);
        fixture.subscribe(DEVICE, "$share/h/+", QoS.AT_LEAST_ONCE);
        fixture.subscribe(DEVICE, "a", QoS.AT_LEAST_ONCE);

        fixture.publish(message("a", "x", QoS.AT_LEAST_ONCE));

        assertThat(fixture.onlyAppend().recipients())
                .extracting(Recipient::group)
                .containsExactlyInAnyOrder(null, "$share/g/a", "$share/h/+");
    }

    @Test
    void givesAGroupsMessageToOneMember() {
        for (int i = 0; i < 3; i++) {
            fixture.subscribe(new Subscriber("t" + i, false, i), "$share/g/a", QoS.AT_LEAST_ONCE);
        }
        for (int i = 0; i < 6; i++) {
            fixture.publish(message("a", "x", QoS.AT_LEAST_ONCE));
        }

        assertThat(fixture.deliveries)
                .extracting(Delivered::to)
                .containsExactlyInAnyOrder("0", "1", "2", "0", "1", "2");
        assertThat(fixture.deliveries)
                .extracting(each -> each.message().group())
                .containsOnly("$share/g/a");
    }

    @Test
    void refusesWhatTheAuthorizerRefuses() {
        fixture.subscribe(DASHBOARD, "a", QoS.AT_LEAST_ONCE);
        fixture.mayPublish = (client, topic) -> false;

        assertThat(fixture.publish(retained("a", "x")))
                .singleElement()
                .isInstanceOfSatisfying(
                        Refused.class, refused -> assertThat(refused.reason()).isEqualTo(ReasonCode.NOT_AUTHORIZED));
        assertThat(fixture.deliveries).isEmpty();
        assertThat(fixture.retained.count()).isZero();
    }

    @Test
    void asksForTheConnectionsClientWhateverTheMessageSays() {
        List<String> asked = new ArrayList<>();
        fixture.mayPublish = (client, topic) -> asked.add(client);

        fixture.publish(publishedBy("", message("a", "x", QoS.AT_LEAST_ONCE)), publisher("real", false));

        assertThat(asked).containsExactly("real");
    }

    @Test
    void refusesWhenTheAuthorizerFails() {
        fixture.mayPublish = (client, topic) -> {
            throw new IllegalStateException("directory is down");
        };

        assertThat(fixture.publish(message("a", "x", QoS.AT_LEAST_ONCE)))
                .singleElement()
                .isInstanceOf(Refused.class);
    }

    @Test
    void leavesOutReceiversThatMayNotReceive() {
        fixture.subscribe(DEVICE, "a", QoS.AT_LEAST_ONCE);
        fixture.subscribe(DASHBOARD, "a", QoS.AT_LEAST_ONCE);
        fixture.mayReceive = (client, topic) -> client.equals("dashboard");

        assertThat(fixture.publish(message("a", "x", QoS.AT_LEAST_ONCE))).containsExactly(new Safe());

        assertThat(fixture.appends).isEmpty();
        assertThat(fixture.deliveries).hasSize(1);
        assertThat(fixture.drops).containsExactly(Drop.RECEIVE_NOT_AUTHORIZED);
    }

    @Test
    void deliversToNobodyWhenTheAuthorizerFailsForReceivers() {
        fixture.subscribe(DASHBOARD, "a", QoS.AT_LEAST_ONCE);
        fixture.subscribe(DASHBOARD, "$share/g/a", QoS.AT_LEAST_ONCE);
        fixture.mayReceive = (client, topic) -> {
            throw new IllegalStateException("directory is down");
        };

        assertThat(fixture.publish(message("a", "x", QoS.AT_LEAST_ONCE))).containsExactly(new NoSubscribers());
        assertThat(fixture.deliveries).isEmpty();
    }

    @Test
    void groupGoesOnToAMemberThatMayReceive() {
        fixture.subscribe(new Subscriber("not", false, 1), "$share/g/a", QoS.AT_LEAST_ONCE);
        fixture.subscribe(new Subscriber("may", false, 2), "$share/g/a", QoS.AT_LEAST_ONCE);
        fixture.mayReceive = (client, topic) -> client.equals("may");

        for (int i = 0; i < 4; i++) {
            fixture.publish(message("a", "x", QoS.AT_LEAST_ONCE));
        }

        assertThat(fixture.deliveries).extracting(Delivered::to).containsExactly("2", "2", "2", "2");
    }

    @Test
    void routesWhatInterceptorsMakeOfAMessage() {
        fixture.interceptors.add((client, message) ->
                new PublishInterceptor.Proceed(message("changed", Messages.text(message) + "1", message.qos())));
        fixture.interceptors.add((client, message) ->
                new PublishInterceptor.Proceed(message(message.topic(), Messages.text(message) + "2", message.qos())));
        fixture.subscribe(DASHBOARD, "#", QoS.AT_LEAST_ONCE);

        fixture.publish(message("a", "x", QoS.AT_LEAST_ONCE));

        Message delivered = fixture.onlyDelivery().message().message();
        assertThat(delivered.topic()).isEqualTo("changed");
        assertThat(Messages.text(delivered)).isEqualTo("x12");
    }

    /** Whoever publishes it, in whatever way it comes. */
    @Test
    void eachMessageThatComesInGetsItsPriority() {
        fixture.priorities = new PriorityConfig(null, List.of(PriorityRule.of("alarms", "alarms/#", 2)));
        fixture.subscribe(DEVICE, "#", QoS.AT_LEAST_ONCE);
        Message alarm = message("alarms/1", "x", QoS.AT_LEAST_ONCE);

        fixture.publish(alarm);
        fixture.router().publish(alarm, _ -> {});
        fixture.router().publish(publishedBy("ingest", alarm), new Source(-1, 5, 0), _ -> {});
        fixture.router().publishKept(alarm, _ -> {});
        fixture.publish(message("other", "x", QoS.AT_LEAST_ONCE));

        assertThat(fixture.appends).map(append -> append.message().priority()).containsExactly(2, 2, 2, 2, 0);
        assertThat(fixture.router().interceptWill(ClientInfo.named("c", null), alarm))
                .isEqualTo(new PublishInterceptor.Proceed(alarm.withPriority(2)));
    }

    @Test
    void retainedMessageKeepsItsPriority() {
        fixture.priorities = new PriorityConfig(null, List.of(PriorityRule.of("alarms", "alarms/#", 2)));

        fixture.publish(retained("alarms/1", "x"));

        assertThat(fixture.retained.match(TopicFilter.parse("#"), null, 10))
                .map(Message::priority)
                .containsExactly(2);
    }

    @Test
    void interceptorSeesThePriorityAndMayChangeIt() {
        fixture.priorities = new PriorityConfig(null, List.of(PriorityRule.of("alarms", "alarms/#", 2)));
        fixture.interceptors.add(
                (client, message) -> new PublishInterceptor.Proceed(message.withPriority(message.priority() - 1)));
        fixture.subscribe(DASHBOARD, "#", QoS.AT_LEAST_ONCE);

        fixture.publish(message("alarms/1", "x", QoS.AT_LEAST_ONCE));

        assertThat(fixture.onlyDelivery().message().message().priority()).isEqualTo(1);
    }

    @Test
    void interceptorDecidesOnAWillWithItsPriority() {
        fixture.priorities = new PriorityConfig(null, List.of(PriorityRule.of("alarms", "alarms/#", 2)));
        fixture.interceptors.add((client, message) -> new PublishInterceptor.Proceed(message.withPriority(3)));
        Message will = message("alarms/1", "x", QoS.AT_LEAST_ONCE);
        assertThat(fixture.router().interceptWill(ClientInfo.named("c", null), will))
                .isEqualTo(new PublishInterceptor.Proceed(will.withPriority(3)));
        assertThat(fixture.drops).isEmpty();
    }

    @Test
    void willThatAnInterceptorDropsIsCounted() {
        fixture.interceptors.add((client, message) -> new PublishInterceptor.Drop());
        Message will = message("alarms/1", "x", QoS.AT_LEAST_ONCE);
        assertThat(fixture.router().interceptWill(ClientInfo.named("c", null), will))
                .isEqualTo(new PublishInterceptor.Drop());
        assertThat(fixture.drops).containsExactly(Drop.INTERCEPTED);
    }

    @Test
    void droppedMessagesLookAsIfNobodySubscribed() {
        fixture.interceptors.add((client, message) -> new PublishInterceptor.Drop());
        fixture.subscribe(DASHBOARD, "#", QoS.AT_LEAST_ONCE);

        assertThat(fixture.publish(retained("a", "x"))).containsExactly(new NoSubscribers());
        assertThat(fixture.deliveries).isEmpty();
        assertThat(fixture.retained.count()).isZero();
        assertThat(fixture.drops).containsExactly(Drop.INTERCEPTED);
    }

    @Test
    void refusesWhatAnInterceptorRefuses() {
        fixture.interceptors.add(
                (client, message) -> new PublishInterceptor.Refuse(ReasonCode.PAYLOAD_FORMAT_INVALID, "not JSON"));

        assertThat(fixture.publish(message("a", "x", QoS.AT_LEAST_ONCE)))
                .containsExactly(new Refused(ReasonCode.PAYLOAD_FORMAT_INVALID, "not JSON"));
    }

    @Test
    void refusesWhatAnInterceptorMakesLargerThanAnyPacket() {
        fixture.interceptors.add(
                (client, message) -> new PublishInterceptor.Proceed(message("a", "x".repeat(200_000), message.qos())));
        fixture.subscribe(DASHBOARD, "#", QoS.AT_LEAST_ONCE);

        assertThat(fixture.publish(message("a", "x", QoS.AT_LEAST_ONCE)))
                .containsExactly(new Refused(
                        ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR, "an interceptor made the message too large"));
        assertThat(fixture.deliveries).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a/+/b", "#", "\0acme/a"})
    void refusesTopicsThatInterceptorsMakeInvalid(String topic) {
        fixture.subscribe(DASHBOARD, "#", QoS.AT_LEAST_ONCE);
        fixture.interceptors.add(
                (client, message) -> new PublishInterceptor.Proceed(message.withNames(topic, message.publisher())));

        assertThat(fixture.publish(retained("a", "x")))
                .containsExactly(
                        new Refused(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR, "an interceptor made the topic invalid"));
        assertThat(fixture.deliveries).isEmpty();
        assertThat(fixture.retained.count()).isZero();
    }

    @Test
    void refusesWhatTheApplicationMakesLargerThanAnyPacket() {
        List<RouteOutcome> outcomes = new ArrayList<>();
        fixture.router().publish(message("a", "x".repeat(200_000), QoS.AT_LEAST_ONCE), outcomes::add);
        assertThat(outcomes)
                .containsExactly(
                        new Refused(ReasonCode.PACKET_TOO_LARGE, "it is larger than the largest packet of a client"));
    }

    @Test
    void refusesWhenAnInterceptorFails() {
        fixture.interceptors.add((client, message) -> {
            throw new IllegalStateException("bug");
        });

        assertThat(fixture.publish(message("a", "x", QoS.AT_LEAST_ONCE)))
                .singleElement()
                .isInstanceOfSatisfying(
                        Refused.class,
                        refused -> assertThat(refused.reason()).isEqualTo(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR));
    }

    @Test
    @SuppressWarnings("NullAway") // the platform's mistakes
    void refusesWhenAnInterceptorGivesNoAnswerThatItMayGive() {
        List<PublishInterceptor> wrong = List.of(
                (client, message) -> null,
                (client, message) -> new PublishInterceptor.Proceed(null),
                (client, message) -> new PublishInterceptor.Refuse(null, "no reason"),
                (client, message) -> new PublishInterceptor.Refuse(ReasonCode.SUCCESS, "no error"));
        fixture.interceptors.add((client, message) ->
                wrong.get(Integer.parseInt(message.topic())).onPublish(client, message));

        for (int i = 0; i < wrong.size(); i++) {
            assertThat(fixture.publish(message(String.valueOf(i), "x", QoS.AT_LEAST_ONCE)))
                    .singleElement()
                    .isInstanceOfSatisfying(
                            Refused.class,
                            refused ->
                                    assertThat(refused.reason()).isEqualTo(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR));
        }
    }

    @ParameterizedTest
    @CsvSource({"AT_MOST_ONCE", "AT_LEAST_ONCE"})
    void storesARetainedMessageBeforeItIsMatched(QoS qos) {
        fixture.subscribe(DASHBOARD, "a", QoS.AT_LEAST_ONCE);
        fixture.retainedMap.hold();

        List<RouteOutcome> outcomes = fixture.publish(message("a", "x", qos).withRetain(true));
        assertThat(fixture.deliveries).isEmpty();
        fixture.retainedMap.release();

        assertThat(fixture.deliveries).hasSize(1);
        assertThat(outcomes).containsExactly(new Safe());
        assertThat(fixture.retained.count()).isEqualTo(1);
    }

    @Test
    void matchesSubscribersThatCameWhileARetainedMessageWasStored() {
        fixture.retainedMap.hold();
        List<RouteOutcome> outcomes = fixture.publish(retained("a", "x"));
        fixture.subscribe(DASHBOARD, "a", QoS.AT_LEAST_ONCE);

        fixture.retainedMap.release();

        assertThat(outcomes).containsExactly(new Safe());
        assertThat(fixture.deliveries).hasSize(1);
    }

    @Test // P2
    void keepsAPublishersOrderBehindARetainedMessage() {
        fixture.subscribe(DASHBOARD, "a", QoS.AT_LEAST_ONCE);
        fixture.retainedMap.hold();
        fixture.publish(retained("a", "1"));
        fixture.publish(message("a", "2", QoS.AT_LEAST_ONCE));
        fixture.publish(publishedBy("other", message("a", "3", QoS.AT_LEAST_ONCE)), publisher("other", false));
        fixture.publish(retained("a", "4"));
        fixture.publish(message("a", "5", QoS.AT_MOST_ONCE));

        fixture.retainedMap.release();

        assertThat(fixture.deliveries)
                .extracting(each -> Messages.text(each.message().message()))
                .containsExactly("3", "1", "2", "4", "5");
    }

    @Test
    void tellsWhenAllIsMatchedThatAPublisherHasPublished() {
        List<String> order = new ArrayList<>();
        fixture.retainedMap.hold();
        fixture.router().publish(publisher("p", false), publishedBy("p", retained("a", "1")), 0, _ -> order.add("1"));
        fixture.router()
                .publish(
                        publisher("p", false),
                        publishedBy("p", message("a", "2", QoS.AT_LEAST_ONCE)),
                        0,
                        _ -> order.add("2"));
        assertThat(fixture.router().isMatched("p")).isFalse();
        assertThat(fixture.router().isMatched("other")).isTrue();

        fixture.router().onMatched("p", () -> order.add("matched"));
        fixture.retainedMap.release();

        assertThat(order).containsExactly("1", "2", "matched");
        assertThat(fixture.router().isMatched("p")).isTrue();
    }

    @Test
    void dropsQos0WhenTooManyWaitBehindARetainedMessage() {
        fixture.subscribe(DASHBOARD, "a", QoS.AT_LEAST_ONCE);
        fixture.retainedMap.hold();
        fixture.publish(retained("a", "1"));
        for (int i = 0; i < 1_500; i++) {
            fixture.publish(message("a", "flood", QoS.AT_MOST_ONCE).withRetain(i % 2 == 0));
        }
        fixture.publish(message("a", "last", QoS.AT_LEAST_ONCE));
        assertThat(fixture.drops).hasSize(501).containsOnly(Drop.BACKLOG);

        fixture.retainedMap.release();

        assertThat(fixture.deliveries).hasSize(1_001);
        assertThat(Messages.text(fixture.deliveries.getLast().message().message()))
                .isEqualTo("last");
    }

    /** Else nothing bounds how many writes are under way. */
    @Test
    void doesNotStoreQos0ThatItDropsBehindARetainedMessage() {
        fixture.retainedMap.hold();
        for (int i = 0; i < 1_500; i++) {
            fixture.publish(message("a/" + i, "flood", QoS.AT_MOST_ONCE).withRetain(true));
        }
        assertThat(fixture.drops).hasSize(500).containsOnly(Drop.BACKLOG);
        assertThat(fixture.retainedMap.written()).hasSize(1_000);

        fixture.retainedMap.release();
        assertThat(fixture.retained.count()).isEqualTo(1_000);
    }

    @ParameterizedTest
    @EnumSource(QoS.class)
    void hasPublishersWaitWhenMuchWaitsBehindRetainedMessages(QoS qos) {
        fixture.retainedMap.hold();
        fixture.publish(retained("a", "1"));
        for (int i = 0; i < 8; i++) {
            assertThat(fixture.router().congestion()).isNull();
            fixture.publish(message("a", "x".repeat(1 << 20), qos));
        }
        List<String> room = new ArrayList<>();
        Objects.requireNonNull(fixture.router().congestion()).await(() -> room.add("room"));
        assertThat(room).isEmpty();

        fixture.retainedMap.release();
        assertThat(room).hasSize(1);
        assertThat(fixture.router().congestion()).isNull();
    }

    /** The store of retained messages refuses what is too much, and any number of wills may be due at once. */
    @Test
    void hasWillsAndPublishersWaitWhileMuchOfWillsWaitsToBeStored() {
        fixture.retainedMap.hold();
        List<String> stored = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            assertThat(fixture.router().congestion()).isNull();
            fixture.router().match(retained("a/" + i, "x".repeat(1 << 20)), null, () -> stored.add("stored"));
        }
        assertThat(fixture.router().congestion()).isNotNull();
        assertThat(stored).isEmpty();

        fixture.retainedMap.release();
        assertThat(fixture.router().congestion()).isNull();
        assertThat(stored).hasSize(8);
    }

    @Test
    void hasPublishersWaitWhenUserPropertiesBehindRetainedMessagesTakeMuchOfTheHeap() {
        fixture.retainedMap.hold();
        fixture.publish(retained("a", "1"));
        for (int i = 0; i < 1_000; i++) {
            fixture.publish(Messages.withUserProperties(100, message("a", "x", QoS.AT_LEAST_ONCE)));
        }
        assertThat(fixture.router().congestion()).isNotNull();
    }

    @Test
    void refusesARetainedMessageThatThereIsNoRoomFor() {
        RouterFixture full = new RouterFixture(new RetainedLimits(0, 0));
        full.subscribe(DASHBOARD, "a", QoS.AT_LEAST_ONCE);

        assertThat(full.publish(retained("a", "x")))
                .singleElement()
                .isInstanceOfSatisfying(
                        Refused.class, refused -> assertThat(refused.reason()).isEqualTo(ReasonCode.QUOTA_EXCEEDED));
        assertThat(full.deliveries).isEmpty();
        assertThat(full.drops).containsExactly(Drop.RETAINED_LIMIT);
    }

    @ParameterizedTest
    @CsvSource({
        "MQTT_3_1_1, AT_MOST_ONCE",
        "MQTT_3_1_1, AT_LEAST_ONCE",
        "MQTT_3_1_1, EXACTLY_ONCE",
        "MQTT_5, AT_MOST_ONCE"
    })
    void deliversARetainedMessageThatThereIsNoRoomForWhenThePublisherCannotBeTold(ProtocolVersion version, QoS qos) {
        RouterFixture full = new RouterFixture(new RetainedLimits(0, 0));
        full.subscribe(DASHBOARD, "a", QoS.AT_LEAST_ONCE);
        full.subscribe(DEVICE, "a", QoS.AT_LEAST_ONCE);
        full.connect(DEVICE.clientId());

        List<RouteOutcome> outcomes =
                full.publish(message("a", "x", qos).withRetain(true), publisher("p", false, version));

        if (qos.isAcknowledged()) {
            full.onlyAppend().callback().onAppended(1, null);
        }
        assertThat(outcomes).containsExactly(new Safe());
        assertThat(full.deliveries).hasSize(qos.isAcknowledged() ? 1 : 2);
        assertThat(full.retained.count()).isZero();
        assertThat(full.drops).containsExactly(Drop.RETAINED_LIMIT);
    }

    @Test
    void relaysARetainedMessageThatThereIsNoRoomForWhenThePublisherCannotBeTold() {
        RouterFixture full = new RouterFixture(new RetainedLimits(0, 0));
        full.subscribe(DEVICE, "a", QoS.EXACTLY_ONCE);

        full.publish(
                message("a", "x", QoS.EXACTLY_ONCE).withRetain(true), publisher("p", true, ProtocolVersion.MQTT_3_1_1));

        assertThat(full.onlyRelay().relay().destinations().recipients()).hasSize(1);
        assertThat(full.drops).containsExactly(Drop.RETAINED_LIMIT);
    }

    @Test
    void isLostWhenARetainedMessageCannotBeStored() {
        fixture.subscribe(DASHBOARD, "a", QoS.AT_LEAST_ONCE);
        fixture.retainedMap.failWith(new IllegalStateException("disk is gone"));

        assertThat(fixture.publish(retained("a", "x"))).containsExactly(new Lost());
        assertThat(fixture.deliveries).isEmpty();
    }

    @Test
    void routesMessagesOfTheBrokerWithoutAsking() {
        fixture.subscribe(DASHBOARD, "$SYS/#", QoS.AT_LEAST_ONCE);
        fixture.mayPublish = (client, topic) -> false;
        fixture.interceptors.add((client, message) -> new PublishInterceptor.Drop());
        List<RouteOutcome> outcomes = new ArrayList<>();

        fixture.router().publish(publishedBy("", message("$SYS/x", "1", QoS.AT_MOST_ONCE)), outcomes::add);

        assertThat(outcomes).containsExactly(new Safe());
        assertThat(fixture.deliveries).hasSize(1);
    }

    @Test
    void countsWhatComesInAndGoesOut() {
        fixture.subscribe(DASHBOARD, "a", QoS.AT_LEAST_ONCE);
        fixture.publish(message("a", "x", QoS.AT_LEAST_ONCE));
        fixture.publish(message("b", "x", QoS.AT_LEAST_ONCE));

        assertThat(fixture.received).isEqualTo(2);
        assertThat(fixture.delivered).isEqualTo(1);
    }

    private static TopicFilter filter(String text) {
        return TopicFilter.parse(text);
    }
}
