package io.tributary.broker.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class HandshakeSlotsTest {
    private final AtomicLong nanos = new AtomicLong();
    private final HandshakeSlots slots = new HandshakeSlots(2, nanos::get);
    private final List<String> log = new ArrayList<>();

    private final HandshakeSlots.Slot first = slot("1");
    private final HandshakeSlots.Slot second = slot("2");
    private final HandshakeSlots.Slot third = slot("3");
    private final HandshakeSlots.Slot fourth = slot("4");

    @Test
    void nextBeginsWhenOneEnds() {
        assertThat(slots.enter(first)).isTrue();
        assertThat(slots.enter(second)).isTrue();
        assertThat(slots.enter(third)).isFalse();
        assertThat(slots.enter(fourth)).isFalse();
        assertThat(log).containsExactly("begin 1", "begin 2");

        slots.leave(third); // its client has gone
        slots.leave(first);
        slots.leave(first);
        assertThat(log).containsExactly("begin 1", "begin 2", "begin 4");
    }

    @Test
    void oldestGivesWayWhenItHasTakenLongAndOthersWait() {
        slots.enter(first);
        nanos.addAndGet(HandshakeSlots.GIVES_WAY_NANOS - 1);
        slots.enter(second);
        slots.enter(third);
        assertThat(log).doesNotContain("end 1");

        nanos.incrementAndGet();
        slots.enter(fourth);
        assertThat(log).containsExactly("begin 1", "begin 2", "end 1");
    }

    private HandshakeSlots.Slot slot(String name) {
        return new HandshakeSlots.Slot(() -> log.add("begin " + name), () -> log.add("end " + name));
    }
}
