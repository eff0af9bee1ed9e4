package io.tributary.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.delivery.TransientReceiver;
import io.tributary.cluster.node.NodeMessage.HoldPublisher;
import io.tributary.cluster.node.NodeMessage.PublishersWait;
import io.tributary.cluster.node.NodeMessage.Receipt;
import io.tributary.cluster.node.NodeMessage.RoomAgain;
import io.tributary.cluster.node.NodeMessage.Transient;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.UserProperty;
import io.tributary.common.thread.RoomQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class TransientTrafficTest {
    private static final String OTHER = "other#1";

    private final ManualTimer timer = new ManualTimer();
    private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1);
    private final NarrowLink link = new NarrowLink();
    private final List<String> events = new ArrayList<>();
    /** What the publisher was told to wait for. */
    private final List<RoomQueue> waits = new ArrayList<>();

    private final TransientTraffic traffic = traffic(false, RecordFormat.alone());

    private TransientTraffic traffic(boolean publishersWait, RecordFormat format) {
        return new TransientTraffic(
                new ShardTraffic(
                        List::of,
                        () -> true,
                        () -> CompletableFuture.completedStage(null),
                        _ -> 0,
                        executor,
                        RecordFormat.alone()),
                new SharedTraffic(timer, RecordFormat.alone()),
                timer,
                format,
                publishersWait,
                new ClusterRecorder() {
                    @Override
                    public void onGivenUp() {
                        events.add("given up");
                    }
                });
    }

    @AfterEach
    void stop() {
        executor.shutdownNow();
    }

    @Test
    void senderIsToldWhenMessageIsTaken() {
        traffic.onUp(link);
        deliver(message(QoS.AT_LEAST_ONCE), List.of());
        assertThat(events).isEmpty();

        traffic.take(link, new Receipt(new long[] {sent().getFirst().id()}));
        traffic.take(link, new Receipt(new long[] {sent().getFirst().id()}));

        assertThat(events).containsExactly("done");
    }

    @Test
    void messageOfQos0WaitsForNobody() {
        traffic.onUp(link);
        deliver(message(QoS.AT_MOST_ONCE), List.of());
        assertThat(events).containsExactly("done");
        assertThat(sent()).extracting(Transient::id).containsExactly(0L);
    }

    @Test
    void silentNodeHoldsNobodyUp() {
        traffic.onUp(link);
        deliver(message(QoS.AT_LEAST_ONCE), List.of());
        timer.pass(Duration.ofMillis(900));
        assertThat(events).isEmpty();
        timer.pass(Duration.ofMillis(400));
        assertThat(events).containsExactly("given up", "done");
    }

    @Test
    void brokenLinkHoldsNobodyUp() {
        traffic.onUp(link);
        deliver(message(QoS.AT_LEAST_ONCE), List.of());
        traffic.onDown(link);
        deliver(message(QoS.AT_LEAST_ONCE), List.of());
        assertThat(events).containsExactly("given up", "done", "given up", "done");
    }

    @Test
    void fullLinkHoldsNobodyUp() {
        traffic.onUp(link);
        link.refuses = _ -> true;
        deliver(message(QoS.AT_LEAST_ONCE), List.of());
        deliver(message(QoS.AT_MOST_ONCE), List.of());
        assertThat(events).containsExactly("given up", "done", "given up", "done");
    }

    @Test
    void manyMembersAreNamedInParts() {
        traffic.onUp(link);
        List<Recipient> members = IntStream.range(0, 450)
                .mapToObj(i -> new Recipient("c" + i, i, QoS.AT_LEAST_ONCE, false, List.of(), "$share/g/a"))
                .toList();
        deliver(message(QoS.AT_LEAST_ONCE), members);

        assertThat(sent()).extracting(Transient::matchHere).containsExactly(true, false, false);
        assertThat(sent().stream().flatMap(part -> part.members().stream())).containsExactlyElementsOf(members);
        traffic.take(
                link,
                new Receipt(sent().stream().limit(2).mapToLong(Transient::id).toArray()));
        assertThat(events).isEmpty();
        traffic.take(link, new Receipt(new long[] {sent().getLast().id()}));
        assertThat(events).containsExactly("done");
    }

    @Test
    void whatOneReadBroughtIsAnsweredInOne() {
        TransientReceiver receiver = (message, members, matching, _) -> events.add(message.topic() + " " + matching);
        traffic.onUp(link);
        traffic.take(link, new Transient(5, message(QoS.AT_LEAST_ONCE), List.of(), true), receiver);
        traffic.take(link, new Transient(0, message(QoS.AT_MOST_ONCE), List.of(), false), receiver);
        traffic.take(link, new Transient(6, message(QoS.AT_LEAST_ONCE), List.of(), true), receiver);
        assertThat(link.taken).isEmpty();
        traffic.answer(link);
        traffic.answer(link);

        assertThat(events).containsExactly("a true", "a false", "a true");
        assertThat(link.taken).hasSize(1);
        assertThat(((Receipt) link.taken.getFirst()).ids()).containsExactly(5, 6);
    }

    @Test
    void publisherWaitsForClientOfTheOtherNode() {
        traffic.onUp(link);
        deliver(message(QoS.AT_LEAST_ONCE), List.of());
        traffic.take(link, new HoldPublisher(sent().getFirst().id(), 1));
        traffic.take(link, new HoldPublisher(sent().getFirst().id() + 1, 1));
        assertThat(waits).hasSize(1);

        waits.getFirst().await(() -> events.add("room"));
        traffic.take(link, new RoomAgain(2));
        assertThat(events).isEmpty();
        traffic.take(link, new RoomAgain(1));
        traffic.take(link, new RoomAgain(1));
        assertThat(events).containsExactly("room");

        waits.getFirst().await(() -> events.add("there is room"));
        assertThat(events).containsExactly("room", "there is room");
    }

    @Test
    void clientsWithoutRoomAreWaitedForOneByOne() {
        traffic.onUp(link);
        deliver(message(QoS.AT_LEAST_ONCE), List.of());
        long id = sent().getFirst().id();
        List.of(1, 2, 1).forEach(room -> traffic.take(link, new HoldPublisher(id, room)));
        assertThat(waits).hasSize(3);
        assertThat(waits.get(2)).isSameAs(waits.get(0)).isNotSameAs(waits.get(1));
    }

    @Test
    void messagesOfQos0AreAnsweredWhenPublishersAreToWait() {
        traffic.onUp(link);
        traffic.onPublishersWait(link);
        deliver(message(QoS.AT_MOST_ONCE), List.of());
        assertThat(events).as("waits for nobody").containsExactly("done");

        traffic.take(link, new HoldPublisher(sent().getFirst().id(), 1));
        assertThat(waits).hasSize(1);
        traffic.take(link, new Receipt(new long[] {sent().getFirst().id()}));
        traffic.take(link, new HoldPublisher(sent().getFirst().id(), 1));
        assertThat(waits).as("no more, once it is answered").hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(
            value = QoS.class,
            names = {"AT_MOST_ONCE", "AT_LEAST_ONCE"})
    void publisherWaitsWhenMuchIsOnItsWay(QoS qos) {
        traffic.onUp(link);
        traffic.onPublishersWait(link);
        int parts = 16;
        for (int i = 0; i < parts; i++) {
            deliver(message(qos, LinkHolds.MOST_BYTES / parts - 200), List.of());
        }
        assertThat(waits).isEmpty();
        deliver(message(qos, LinkHolds.MOST_BYTES / parts), List.of());
        assertThat(waits).hasSize(1);

        List<String> room = new ArrayList<>();
        waits.getFirst().await(() -> room.add("room"));
        long first = sent().getFirst().id();
        traffic.take(
                link, new Receipt(LongStream.range(first, first + parts / 2 - 1).toArray()));
        assertThat(room).isEmpty();
        traffic.take(link, new Receipt(new long[] {first + parts / 2 - 1}));
        assertThat(room).hasSize(1);
    }

    @Test
    void publisherWaitsWhenUserPropertiesOnTheirWayTakeMuchOfTheHeap() {
        traffic.onUp(link);
        traffic.onPublishersWait(link);
        PublishProperties costly =
                new PublishProperties(null, null, null, null, Collections.nCopies(100, new UserProperty("a", "b")));
        for (int i = 0; i < 100 && waits.isEmpty(); i++) {
            deliver(new Message("a", new byte[1], QoS.AT_MOST_ONCE, false, costly, Message.NEVER, ""), List.of());
        }
        assertThat(waits).hasSize(1);
    }

    @Test
    void publisherWaitsWhenManyMessagesAreOnTheirWay() {
        traffic.onUp(link);
        traffic.onPublishersWait(link);
        for (int i = 0; i < LinkHolds.MOST_MESSAGES; i++) {
            deliver(message(QoS.AT_MOST_ONCE), List.of());
        }
        assertThat(waits).isEmpty();
        deliver(message(QoS.AT_MOST_ONCE), List.of());
        assertThat(waits).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void publisherDoesNotWaitForSilentNodeNorBrokenLink(boolean broken) {
        traffic.onUp(link);
        traffic.onPublishersWait(link);
        deliver(message(QoS.AT_MOST_ONCE, LinkHolds.MOST_BYTES), List.of());
        deliver(message(QoS.AT_MOST_ONCE, LinkHolds.MOST_BYTES), List.of());
        List<String> room = new ArrayList<>();
        waits.getFirst().await(() -> room.add("room"));
        if (broken) {
            traffic.onDown(link);
        } else {
            timer.pass(Duration.ofMillis(1_300));
        }
        assertThat(room).hasSize(1);
        assertThat(events).containsExactly("done", "done", "given up", "given up");
    }

    @Test
    void otherNodeIsToldThatPublishersAreToWait() {
        link.refuses = _ -> true;
        TransientTraffic holding = traffic(true, RecordFormat.alone());
        holding.onUp(link);
        assertThat(link.taken).isEmpty();
        link.refuses = _ -> false;
        timer.pass(Duration.ofSeconds(1));
        assertThat(link.taken).containsExactly(new PublishersWait());
    }

    @Test
    void nobodyWaitsOverBrokenLink() {
        traffic.onUp(link);
        deliver(message(QoS.AT_LEAST_ONCE), List.of());
        traffic.take(link, new HoldPublisher(sent().getFirst().id(), 1));
        waits.getFirst().await(() -> events.add("room"));
        traffic.onDown(link);
        assertThat(events).containsExactly("room", "given up", "done");
    }

    @Test
    void otherNodeIsToldOfClientsWithoutRoom() {
        traffic.onUp(link);
        List<Runnable> whenRoom = new ArrayList<>();
        RoomQueue room = new RoomQueue(whenRoom::add);
        takeForClientWithout(room, 5);
        takeForClientWithout(room, 6);
        assertThat(link.taken).containsExactly(new HoldPublisher(5, 1), new HoldPublisher(6, 1));
        assertThat(whenRoom).as("asked once").hasSize(1);

        whenRoom.removeFirst().run();
        assertThat(link.taken).last().isEqualTo(new RoomAgain(1));
        takeForClientWithout(room, 7);
        assertThat(link.taken).last().isEqualTo(new HoldPublisher(7, 2));
    }

    @Test
    void roomThatTheLinkDidNotTakeIsSaidAgain() {
        traffic.onUp(link);
        List<Runnable> whenRoom = new ArrayList<>();
        takeForClientWithout(new RoomQueue(whenRoom::add), 5);
        link.refuses = _ -> true;
        whenRoom.removeFirst().run();
        assertThat(link.taken).containsExactly(new HoldPublisher(5, 1));
        link.refuses = _ -> false;
        timer.pass(Duration.ofMillis(300));
        assertThat(link.taken).containsExactly(new HoldPublisher(5, 1), new RoomAgain(1));
    }

    @Test
    void holdThatTheLinkDidNotTakeHoldsNobody() {
        traffic.onUp(link);
        List<Runnable> whenRoom = new ArrayList<>();
        RoomQueue room = new RoomQueue(whenRoom::add);
        link.refuses = _ -> true;
        takeForClientWithout(room, 5);
        assertThat(whenRoom).isEmpty();
        link.refuses = _ -> false;
        takeForClientWithout(room, 6);
        assertThat(link.taken).containsExactly(new HoldPublisher(6, 2));
        assertThat(whenRoom).hasSize(1);
    }

    @Test
    void nobodyIsToldBeforeAllNodesReadThat() {
        RecordFormat format = new RecordFormat(RecordFormat.NEWEST);
        TransientTraffic holding = traffic(true, format);
        holding.onUp(link);
        Transient message = new Transient(5, message(QoS.AT_LEAST_ONCE), List.of(), true);
        RoomQueue room = new RoomQueue(_ -> {});
        holding.take(
                link,
                message,
                (_, _, _, publisher) -> Objects.requireNonNull(publisher).accept(room));
        timer.pass(Duration.ofSeconds(1));
        assertThat(link.taken).isEmpty();

        format.raise(RecordFormat.PUBLISHER_HOLDS);
        timer.pass(Duration.ofSeconds(1));
        holding.take(
                link,
                message,
                (_, _, _, publisher) -> Objects.requireNonNull(publisher).accept(room));
        assertThat(link.taken).containsExactly(new PublishersWait(), new HoldPublisher(5, 1));
    }

    private void takeForClientWithout(RoomQueue room, long id) {
        traffic.take(
                link,
                new Transient(id, message(QoS.AT_MOST_ONCE), List.of(), true),
                (_, _, _, publisher) -> Objects.requireNonNull(publisher).accept(room));
    }

    private void deliver(Message message, List<Recipient> members) {
        traffic.deliver(OTHER, message, members, true, () -> events.add("done"), waits::add);
    }

    private List<Transient> sent() {
        return link.taken.stream()
                .filter(Transient.class::isInstance)
                .map(Transient.class::cast)
                .toList();
    }

    private static Message message(QoS qos) {
        return message(qos, 10);
    }

    private static Message message(QoS qos, long bytes) {
        return new Message("a", new byte[(int) bytes], qos, false, PublishProperties.NONE, Message.NEVER, "");
    }
}
