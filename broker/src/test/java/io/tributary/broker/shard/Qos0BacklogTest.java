package io.tributary.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class Qos0BacklogTest {
    private final Qos0Backlog backlog = new Qos0Backlog();

    @Test
    void takesALimitedNumberAndMoreWhenOneIsDone() {
        List<Runnable> waiting = enter(20_000, 0);
        assertThat(waiting).hasSize(10_000);
        waiting.getFirst().run();
        assertThat(backlog.enter(message(0))).isNotNull();
        assertThat(backlog.enter(message(0))).isNull();
    }

    @Test
    void takesLimitedBytesAndMoreWhenTheseAreDone() {
        List<Runnable> waiting = enter(100, 1 << 20);
        assertThat(waiting).hasSizeBetween(14, 16);
        waiting.forEach(Runnable::run);
        assertThat(enter(100, 1 << 20)).hasSameSizeAs(waiting);
    }

    @Test
    void countsAMessageForManyReceiversOnceUntilItWaitsForNone() {
        Message shared = message(9 << 20);
        List<Runnable> waiting = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            Runnable leave = backlog.enter(shared);
            assertThat(leave).isNotNull();
            waiting.add(leave);
        }
        assertThat(enter(1, 8 << 20)).isEmpty();
        waiting.removeLast();
        waiting.forEach(Runnable::run);
        assertThat(enter(1, 8 << 20)).isEmpty();
    }

    @Test
    void countsAMessageAgainThatComesAgain() {
        Message shared = message(9 << 20);
        for (int i = 0; i < 3; i++) {
            Runnable leave = backlog.enter(shared);
            assertThat(leave).isNotNull();
            assertThat(enter(1, 8 << 20)).isEmpty();
            leave.run();
        }
    }

    private List<Runnable> enter(int count, int bytes) {
        List<Runnable> taken = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Runnable leave = backlog.enter(message(bytes));
            if (leave != null) {
                taken.add(leave);
            }
        }
        return taken;
    }

    private static Message message(int bytes) {
        return Message.of("t", new byte[bytes], QoS.AT_MOST_ONCE);
    }
}
