package io.tributary.broker.blackbox;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.Broker;
import io.tributary.broker.BrokerConfig;
import io.tributary.broker.BrokerExtensions;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.broker.security.Authorizer;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.ClientRules;
import io.tributary.broker.security.ClientRules.ClientId;
import io.tributary.broker.security.ClientRules.Rule;
import io.tributary.broker.security.TextPattern;
import io.tributary.common.event.ClientKind;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.MqttPacket.Pingreq;
import io.tributary.common.mqtt.MqttPacket.Pingresp;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import io.tributary.common.mqtt.UserProperty;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What applications get that share a subscription, from a broker that runs alone. */
class SharedApplicationsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration SOON = Duration.ofMillis(5);
    private static final Duration NOTHING_MORE = Duration.ofMillis(300);
    private static final long LONG = 3600;
    private static final String FILTER = "$share/workers/plant/#";

    @TempDir
    private Path data;

    private final List<TestClient> clients = new ArrayList<>();
    private Broker broker;

    @BeforeEach
    void start() {
        broker = Broker.start(config(), extensions(), BrokerMetrics.unregistered());
    }

    private BrokerConfig config() {
        ClientRules rules = new ClientRules(
                List.of(new Rule(List.of(new ClientId(TextPattern.of("app-*"))), ClientKind.APPLICATION)));
        return BrokerConfig.builder(data)
                .listener(ListenerConfig.tcp("tcp", 0))
                .applications(applications -> applications.rules(rules))
                .build();
    }

    private static BrokerExtensions extensions() {
        return BrokerExtensions.builder().authorizer(new EvenTopics()).build();
    }

    /** Lets clients whose name ends in "even" have messages on every second topic only. */
    private static final class EvenTopics implements Authorizer {
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
            return !client.clientId().endsWith("even") || (topic.charAt(topic.length() - 1) - '0') % 2 == 0;
        }
    }

    @AfterEach
    void stop() {
        clients.forEach(TestClient::close);
        broker.close();
    }

    @Test
    void eachMessageGoesToOneOfTheMembers() throws IOException {
        List<TestClient> members = List.of(share("app-1"), share("app-2"), share("app-3"));
        publish(connect("device"), 0, 300);

        List<Integer> all = new ArrayList<>();
        int[] each = new int[members.size()];
        while (all.size() < 300) {
            for (int i = 0; i < each.length; i++) {
                while (members.get(i).poll(SOON) instanceof Publish got) {
                    members.get(i).send(new Puback(got.packetId(), ReasonCode.SUCCESS, null, List.of()));
                    all.add(number(got));
                    each[i]++;
                }
            }
        }
        assertThat(all).hasSize(300).doesNotHaveDuplicates();
        assertThat(Arrays.stream(each)).as("all have their part").allMatch(got -> got >= 50);
        assertThat(members).allMatch(SharedApplicationsTest::isSilent);
    }

    @Test
    void qos2IsGrantedAsQos1() throws IOException {
        TestClient member = connect("app-1");
        assertThat(subscribe(member, FILTER, QoS.EXACTLY_ONCE)).isEqualTo(ReasonCode.GRANTED_QOS_1);
    }

    @Test
    void whatAMemberLeavesGoesToAnotherMarkedAsADuplicate() throws IOException {
        TestClient first = share("app-1");
        publish(connect("device"), 0, 10);
        for (int i = 0; i < 10; i++) {
            first.await(Publish.class, PATIENCE);
        }
        TestClient second = share("app-2");
        first.close();

        Set<Integer> got = new TreeSet<>();
        for (int i = 0; i < 10; i++) {
            Publish again = second.await(Publish.class, PATIENCE);
            assertThat(again.dup()).isTrue();
            got.add(number(again));
            second.send(new Puback(again.packetId(), ReasonCode.SUCCESS, null, List.of()));
        }
        assertThat(got).containsExactlyElementsOf(numbers(0, 10));
    }

    @Test
    void everythingWaitsWhileNoMemberIsThereAndAcrossARestart() throws IOException {
        TestClient member = share("app-1");
        TestClient device = connect("device");
        publish(device, 0, 5);
        for (int i = 0; i < 5; i++) {
            assertThat(acknowledge(member)).isEqualTo(i);
        }
        member.send(new Pingreq());
        member.await(Pingresp.class, PATIENCE);
        member.close();
        publish(device, 5, 2000);
        broker.close();
        start();

        TestClient back = connect("app-1");
        for (int i = 5; i < 2000; i++) {
            assertThat(acknowledge(back)).isEqualTo(i);
        }
        assertThat(isSilent(back)).isTrue();
    }

    @Test
    void aSlowMemberDoesNotHoldUpTheOthers() throws IOException {
        TestClient slow = share("app-slow");
        TestClient quick = share("app-quick");
        int messages = 5000;
        publish(connect("device"), 0, messages);
        // The slow one reads nothing, and acknowledges nothing: it has its share of the window, no more.
        Set<Integer> got = new TreeSet<>();
        acknowledge(quick, got, messages - 500);
        slow.close();
        acknowledge(quick, got, messages);
        assertThat(got).containsExactlyElementsOf(numbers(0, messages));
    }

    @Test
    void ownSubscriptionsAndSharedOnesArriveSideBySide() throws IOException {
        TestClient both = share("app-1");
        assertThat(subscribe(both, "plant/#", QoS.EXACTLY_ONCE)).isEqualTo(ReasonCode.GRANTED_QOS_2);
        publish(connect("device"), 0, 500);
        List<Integer> got = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            got.add(acknowledge(both));
        }
        assertThat(got.stream().collect(Collectors.groupingBy(each -> each, Collectors.counting())))
                .hasSize(500)
                .allSatisfy((_, copies) -> assertThat(copies).isEqualTo(2));
    }

    @Test
    void devicesAndApplicationsShareWhatIsPublished() throws IOException {
        TestClient application = share("app-1");
        TestClient device = connect("worker");
        subscribe(device, FILTER, QoS.AT_LEAST_ONCE);
        publish(connect("device"), 0, 100);
        Set<Integer> got = new TreeSet<>();
        for (int i = 0; i < 50; i++) {
            got.add(acknowledge(application));
            got.add(acknowledge(device));
        }
        assertThat(got).containsExactlyElementsOf(numbers(0, 100));
    }

    @Test
    void qos0GoesToAMemberThatIsOnline() throws IOException {
        TestClient member = share("app-1");
        TestClient device = connect("device");
        device.send(publication(7, QoS.AT_MOST_ONCE, 0));
        Publish got = member.await(Publish.class, PATIENCE);
        assertThat(number(got)).isEqualTo(7);
        assertThat(got.qos()).isEqualTo(QoS.AT_MOST_ONCE);
    }

    @Test
    void memberThatEndsItsSessionIsOneNoMore() throws IOException {
        TestClient stays = share("app-1");
        TestClient leaves = share("app-2");
        leaves.send(new Disconnect(ReasonCode.SUCCESS, 0, null, null, List.of()));
        leaves.awaitClose();
        publish(connect("device"), 0, 20);
        Set<Integer> got = new TreeSet<>();
        for (int i = 0; i < 20; i++) {
            got.add(acknowledge(stays));
        }
        assertThat(got).containsExactlyElementsOf(numbers(0, 20));
    }

    /** As long as it leaves room in the window. */
    @Test
    void whatOnlyAMemberMayHaveThatIsAwayWaitsForIt() throws IOException {
        TestClient all = share("app-all");
        TestClient even = share("app-even"); // see start()
        all.close();
        publish(connect("device"), 0, 200);
        Set<Integer> got = new TreeSet<>();
        acknowledge(even, got, 100);
        assertThat(got).allMatch(number -> number % 2 == 0);
        TestClient back = connect("app-all");
        acknowledge(back, got, 200);
        assertThat(got).containsExactlyElementsOf(numbers(0, 200));
    }

    @Test
    void aMemberThatHangsLeavesRoomForOneThatComesLaterAlsoWithLargeMessages() throws IOException {
        TestClient hung = share("app-hung");
        TestClient device = connect("device");
        int messages = 300;
        for (int i = 0; i < messages; i++) {
            device.send(publication(i, QoS.AT_LEAST_ONCE, i % 1000 + 1, 16_000));
            device.await(Puback.class, PATIENCE);
        }
        TestClient later = connect("app-later");
        later.send(new Subscribe(
                1,
                List.of(new Subscription(FILTER, QoS.AT_LEAST_ONCE, false, false, RetainHandling.SEND)),
                0,
                List.of()));
        Set<Integer> got = new TreeSet<>();
        acknowledge(later, got, 200);
        hung.close();
        acknowledge(later, got, messages);
        assertThat(got).containsExactlyElementsOf(numbers(0, messages));
    }

    @Test
    void whatMembersLeaveTooOftenIsPublishedAsADeadLetter() throws IOException {
        restart(2);
        TestClient undertaker = connect("app-undertaker");
        assertThat(subscribe(undertaker, "$dead-letter/#", QoS.AT_LEAST_ONCE)).isEqualTo(ReasonCode.GRANTED_QOS_1);
        share("app-1").close();
        share("app-2").close();
        publish(connect("device"), 7, 8);
        leave("app-1", 7);
        leave("app-2", 7);

        Publish letter = undertaker.await(Publish.class, PATIENCE);
        assertThat(letter.topic()).isEqualTo("$dead-letter/workers/plant/1");
        assertThat(number(letter)).isEqualTo(7);
        assertThat(letter.properties().userProperties())
                .containsExactly(
                        new UserProperty("dead-letter-subscription", FILTER),
                        new UserProperty("dead-letter-deliveries", "2"));
        publish(connect("device"), 8, 9);
        assertThat(acknowledge(connect("app-1")))
                .as("the dead letter does not come")
                .isEqualTo(8);
    }

    @Test
    void deadLetterThatNobodyKeepsStaysWithTheMembers() throws IOException {
        restart(2);
        TestClient forgetful = connect("app-forgetful");
        assertThat(subscribe(forgetful, "$dead-letter/#", QoS.AT_MOST_ONCE)).isEqualTo(ReasonCode.SUCCESS);
        forgetful.close();
        TestClient watching = transientClient();
        assertThat(subscribe(watching, "$dead-letter/#", QoS.AT_LEAST_ONCE)).isEqualTo(ReasonCode.GRANTED_QOS_1);
        share("app-1").close();
        publish(connect("device"), 7, 8);
        for (int i = 0; i < 3; i++) {
            leave("app-1", 7);
        }
        assertThat(acknowledge(connect("app-1"))).isEqualTo(7);
        assertThat(isSilent(watching)).isTrue();
    }

    /** Starts the broker anew, with a limit to how often a message is sent to members. */
    private void restart(int maxDeliveries) {
        broker.close();
        broker = Broker.start(
                config().toBuilder()
                        .applications(applications -> applications.maxDeliveries(maxDeliveries))
                        .build(),
                extensions(),
                BrokerMetrics.unregistered());
    }

    /** Takes a message as a member and goes without a word. */
    private void leave(String name, int number) throws IOException {
        TestClient member = connect(name);
        Publish got = member.await(Publish.class, PATIENCE);
        assertThat(number(got)).isEqualTo(number);
        member.close();
    }

    private TestClient share(String name) throws IOException {
        TestClient client = connect(name);
        assertThat(subscribe(client, FILTER, QoS.AT_LEAST_ONCE)).isEqualTo(ReasonCode.GRANTED_QOS_1);
        return client;
    }

    private TestClient connect(String name) throws IOException {
        int port = broker.listeners().getFirst().address().getPort();
        TestClient client = TestClient.connect(port, ProtocolVersion.MQTT_5, name, LONG);
        clients.add(client);
        return client;
    }

    private TestClient transientClient() throws IOException {
        int port = broker.listeners().getFirst().address().getPort();
        TestClient client = TestClient.connect(port, ProtocolVersion.MQTT_5, "watching", 0);
        clients.add(client);
        return client;
    }

    private static ReasonCode subscribe(TestClient client, String filter, QoS qos) throws IOException {
        client.send(new Subscribe(
                1, List.of(new Subscription(filter, qos, false, false, RetainHandling.SEND)), 0, List.of()));
        return client.await(Suback.class, PATIENCE).reasons().getFirst();
    }

    /** Publishes numbers with QoS 1 and waits until they are acknowledged. */
    private static void publish(TestClient device, int from, int to) throws IOException {
        for (int i = from; i < to; i++) {
            device.send(publication(i, QoS.AT_LEAST_ONCE, i % 1000 + 1));
            if (i % 500 == 499 || i == to - 1) {
                for (int j = Math.max(from, i / 500 * 500); j <= i; j++) {
                    assertThat(device.await(Puback.class, PATIENCE).reason().isError())
                            .isFalse();
                }
            }
        }
    }

    private static Publish publication(int number, QoS qos, int packetId) {
        return publication(number, qos, packetId, 0);
    }

    private static Publish publication(int number, QoS qos, int packetId, int padding) {
        return TestTalk.publication("plant/" + number % 6, number + " ".repeat(padding), qos, false, packetId);
    }

    private static int acknowledge(TestClient member) throws IOException {
        MqttPacket next = member.await(MqttPacket.class, PATIENCE);
        if (next instanceof Suback) { // it may come behind the first messages
            next = member.await(Publish.class, PATIENCE);
        }
        Publish got = (Publish) next;
        member.send(new Puback(got.packetId(), ReasonCode.SUCCESS, null, List.of()));
        return number(got);
    }

    /** Takes and acknowledges messages until so many different ones have come. */
    private static void acknowledge(TestClient member, Set<Integer> got, int wanted) throws IOException {
        while (got.size() < wanted) {
            got.add(acknowledge(member));
        }
    }

    private static int number(Publish publish) {
        return Integer.parseInt(new String(publish.payload(), UTF_8).strip());
    }

    private static List<Integer> numbers(int from, int to) {
        return IntStream.range(from, to).boxed().toList();
    }

    private static boolean isSilent(TestClient client) {
        try {
            return client.poll(NOTHING_MORE) == null;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
