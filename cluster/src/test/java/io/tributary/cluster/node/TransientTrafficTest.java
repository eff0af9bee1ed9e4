package io.tributary.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.delivery.TransientReceiver;
import io.tributary.cluster.node.NodeMessage.Receipt;
import io.tributary.cluster.node.NodeMessage.Transient;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TransientTrafficTest {
    private static final String OTHER = "other#1";

    private final ManualTimer timer = new ManualTimer();
    private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1);
    private final NarrowLink link = new NarrowLink();
    private final List<String> events = new ArrayList<>();
    private final TransientTraffic traffic = new TransientTraffic(
            new ShardTraffic(
                    List::of,
                    () -> true,
                    () -> CompletableFuture.completedStage(null),
                    _ -> 0,
                    executor,
                    RecordFormat.alone()),
            new SharedTraffic(timer, RecordFormat.alone()),
            timer,
            RecordFormat.alone(),
            new ClusterRecorder() {
                @Override
                public void onGivenUp() {
                    events.add("given up");
                }
            });

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
        TransientReceiver receiver = (message, members, matching) -> events.add(message.topic() + " " + matching);
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

    private void deliver(Message message, List<Recipient> members) {
        traffic.deliver(OTHER, message, members, true, () -> events.add("done"));
    }

    private List<Transient> sent() {
        return link.taken.stream()
                .filter(Transient.class::isInstance)
                .map(Transient.class::cast)
                .toList();
    }

    private static Message message(QoS qos) {
        return new Message("a", new byte[10], qos, false, PublishProperties.NONE, Message.NEVER, "");
    }
}
