package io.tributary.broker.connection;

import static io.tributary.broker.connection.ConnectionFixture.queued;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.connection.OutboundLimits.Overflow;
import io.tributary.broker.fake.Messages;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OutboundQueueTest {
    private static final long MANY = 1_000_000;

    private final CountingRecorder recorder = new CountingRecorder();

    @Test
    void givesOldestOfHighestPriorityFirst() {
        OutboundQueue queue = queue(10, MANY, Overflow.DROP_NEWEST);
        add(queue, "a0", "b2", "c0", "d2", "e1");
        assertThat(queue.poll()).isEqualTo(message("b2"));
        add(queue, "f3");
        assertThat(drain(queue)).containsExactly("f3", "d2", "e1", "a0", "c0");
        assertThat(queue.isEmpty()).isTrue();
        assertThat(recorder.dropped).isEmpty();
    }

    @Test
    void dropsOldestOfLowestPriority() {
        OutboundQueue queue = queue(3, MANY, Overflow.DROP_OLDEST);
        add(queue, "a0", "b1", "c0", "d2", "e1", "f1");
        assertThat(drain(queue)).containsExactly("d2", "e1", "f1");
        assertThat(recorder.dropped).containsOnly(DropReason.QUEUE_FULL).hasSize(3);
    }

    @Test
    void dropsOldestButNotForOneOfALowerPriority() {
        OutboundQueue queue = queue(2, MANY, Overflow.DROP_OLDEST);
        add(queue, "a1", "b1", "c0", "d1");
        assertThat(drain(queue)).containsExactly("b1", "d1");
        assertThat(recorder.dropped).hasSize(2);
    }

    @Test
    void dropsNewestOfLowestPriorityForOneOfAHigherPriority() {
        OutboundQueue queue = queue(4, MANY, Overflow.DROP_NEWEST);
        add(queue, "a0", "b1", "c0", "d2", "e1", "f1", "g1", "h3");
        assertThat(drain(queue)).containsExactly("h3", "d2", "b1", "e1");
        assertThat(recorder.dropped).containsOnly(DropReason.QUEUE_FULL).hasSize(4);
    }

    @Test
    void dropsNewMessageOfTheLowestPriorityThatWaits() {
        for (Overflow overflow : List.of(Overflow.DROP_NEWEST, Overflow.HOLD_PUBLISHERS)) {
            OutboundQueue queue = queue(2, MANY, overflow);
            add(queue, "a1", "b2", "c1", "d0");
            assertThat(drain(queue)).containsExactly("b2", "a1");
        }
        assertThat(recorder.dropped).hasSize(4);
    }

    @Test
    void dropsAsManyAsTheNewMessageNeedsBytes() {
        long each = OutboundQueue.size(message("a0"));
        for (Overflow overflow : List.of(Overflow.DROP_OLDEST, Overflow.DROP_NEWEST)) {
            OutboundQueue queue = queue(10, 4 * each, overflow);
            add(queue, "a0", "b0", "c0", "d0");
            queue.add(queued("L".repeat((int) each) + 1, QoS.AT_MOST_ONCE, 1));
            assertThat(drain(queue)).hasSize(3).contains(overflow == Overflow.DROP_OLDEST ? "d0" : "a0");
        }
        assertThat(recorder.dropped).hasSize(4);
    }

    @Test
    void dropsOnlyTheNewMessageWhenTheOthersThatMayGoAreNotEnough() {
        for (Overflow overflow : Overflow.values()) {
            OutboundQueue queue = queue(10, 3_000, overflow);
            queue.add(queued("x".repeat(2_000), QoS.AT_MOST_ONCE, 2));
            add(queue, "a0", "b0");
            queue.add(queued("y".repeat(1_000), QoS.AT_MOST_ONCE, 1));
            assertThat(drain(queue)).hasSize(3).endsWith("a0", "b0");
            assertThat(recorder.dropped).hasSize(1);
            recorder.dropped.clear();
        }
    }

    @Test
    void userPropertiesTakeRoomAsTheyDoInTheHeap() {
        OutboundQueue queue = queue(1_000, 100_000, Overflow.DROP_NEWEST);
        for (int i = 0; i < 1_000; i++) {
            queue.add(queued(Messages.withUserProperties(100, message("m0").message())));
        }
        assertThat(drain(queue)).hasSizeBetween(1, 8);
    }

    @Test
    void takesOneMessageWhateverItsSize() {
        OutboundQueue queue = queue(10, 10, Overflow.DROP_OLDEST);
        queue.add(queued("x".repeat(100), QoS.AT_MOST_ONCE));
        queue.add(queued("y".repeat(100), QoS.AT_MOST_ONCE));
        assertThat(recorder.dropped).hasSize(1);
        assertThat(queue.poll()).isNotNull();
        assertThat(queue.poll()).isNull();
    }

    @Test
    void isUsedAgainAfterManyMessagesWaited() {
        OutboundQueue queue = queue(10_000, MANY, Overflow.DROP_NEWEST);
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 1_000; i++) {
                add(queue, "a0", "b1");
            }
            List<String> all = drain(queue);
            assertThat(all.subList(0, 1_000)).containsOnly("b1");
            assertThat(all.subList(1_000, 2_000)).containsOnly("a0");
        }
        assertThat(recorder.dropped).isEmpty();
    }

    /** Compares with a list that is searched from one end to the other. */
    @Test
    void doesAsAPlainListDoes() {
        Random random = new Random(7);
        for (Overflow overflow : Overflow.values()) {
            OutboundQueue queue = queue(6, 1_000, overflow);
            List<Queued> list = new ArrayList<>();
            for (int i = 0; i < 20_000; i++) {
                if (random.nextInt(3) == 0) {
                    assertThat(queue.poll()).isSameAs(takeFirst(list));
                } else {
                    String payload = i + "x".repeat(random.nextInt(20) == 0 ? 1_200 : random.nextInt(300));
                    Queued message = queued(payload, QoS.AT_MOST_ONCE, random.nextInt(4));
                    queue.add(message);
                    add(list, message, overflow);
                }
                assertThat(queue.isEmpty()).isEqualTo(list.isEmpty());
            }
        }
    }

    private static @Nullable Queued takeFirst(List<Queued> list) {
        Queued first = list.stream()
                .max(Comparator.comparingInt(OutboundQueueTest::priority))
                .map(most -> first(list, priority(most)))
                .orElse(null);
        list.remove(first);
        return first;
    }

    private static Queued first(List<Queued> list, int priority) {
        return list.stream()
                .filter(each -> priority(each) == priority)
                .findFirst()
                .orElseThrow();
    }

    private static void add(List<Queued> list, Queued message, Overflow overflow) {
        List<Queued> staying = list.stream()
                .filter(each -> overflow == Overflow.DROP_OLDEST
                        ? priority(each) > priority(message)
                        : priority(each) >= priority(message))
                .toList();
        if (!staying.isEmpty() && isFull(staying, message)) {
            return;
        }
        while (!list.isEmpty() && isFull(list, message)) {
            int least =
                    list.stream().mapToInt(OutboundQueueTest::priority).min().orElseThrow();
            ArrayDeque<Queued> lowest = new ArrayDeque<>(
                    list.stream().filter(each -> priority(each) == least).toList());
            if (overflow == Overflow.DROP_OLDEST && priority(message) >= least) {
                list.remove(lowest.getFirst());
            } else if (overflow != Overflow.DROP_OLDEST && priority(message) > least) {
                list.remove(lowest.getLast());
            } else {
                return;
            }
        }
        list.add(message);
    }

    private static boolean isFull(List<Queued> list, Queued message) {
        return list.size() >= 6
                || list.stream().mapToLong(OutboundQueue::size).sum() + OutboundQueue.size(message) > 1_000;
    }

    private static int priority(Queued message) {
        return message.message().priority();
    }

    private OutboundQueue queue(int messages, long bytes, Overflow overflow) {
        return new OutboundQueue(new OutboundLimits(1, 0, messages, bytes, overflow), recorder, null);
    }

    private static void add(OutboundQueue queue, String... payloads) {
        for (String payload : payloads) {
            queue.add(message(payload));
        }
    }

    /** The payload ends in the priority. */
    private static Queued message(String payload) {
        return queued(payload, QoS.AT_MOST_ONCE, payload.charAt(payload.length() - 1) - '0');
    }

    private static List<String> drain(OutboundQueue queue) {
        List<String> all = new ArrayList<>();
        for (Queued each = queue.poll(); each != null; each = queue.poll()) {
            all.add(text(each));
        }
        return all;
    }

    private static String text(Queued queued) {
        Message message = queued.message();
        return new String(message.payload(), StandardCharsets.UTF_8);
    }
}
