package io.tributary.broker.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.network.HandshakeSlots.Slot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class HandshakeSlotsTest {
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int MANY = 1_000;

    private final AtomicLong nanos = new AtomicLong();
    private final HandshakeSlots slots = new HandshakeSlots(2, nanos::get);
    private final List<String> log = new ArrayList<>();
    private final List<Slot> begun = new ArrayList<>();

    private final Slot first = slot("1");
    private final Slot second = slot("2");
    private final Slot third = slot("3");
    private final Slot fourth = slot("4");

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
    void silentOneGivesItsSlotAtOnceWhenOthersWait() {
        enter(first, second);
        slots.answered(first);
        pass(slots, HandshakeSlots.LONGEST_SILENCE_NANOS);
        assertThat(log).as("nobody waits").containsExactly("begin 1", "begin 2");

        enter(third);
        slots.look();
        assertThat(log).as("before its connection is closed").containsExactly("begin 1", "begin 2", "end 1", "begin 3");
        slots.leave(first);
        enter(fourth);
        assertThat(log).doesNotContain("begin 4");
    }

    @Test
    void silenceMayBeShorterTheMoreWait() {
        enter(first, second);
        slots.answered(first);
        slots.answered(second);
        enter(third, fourth); // as many as have slots, so it is half of the longest
        pass(slots, HandshakeSlots.LONGEST_SILENCE_NANOS / 2 - 1);
        assertThat(log).doesNotContain("end 1");
        pass(slots, 1);
        assertThat(log).contains("end 1", "begin 3").doesNotContain("end 2"); // for one waits now

        slots.answered(third);
        for (int i = 0; i < 100; i++) {
            enter(slot("further"));
        }
        pass(slots, HandshakeSlots.LEAST_SILENCE_NANOS - 1);
        assertThat(log).contains("end 2").doesNotContain("end 3");
        pass(slots, 1);
        assertThat(log).contains("end 3");
    }

    @Test
    void nobodyGivesWayWhileMostWaitForTheBroker() {
        HandshakeSlots four = new HandshakeSlots(4, nanos::get);
        List<Slot> under = List.of(first, second, third, fourth);
        under.forEach(four::enter);
        four.enter(slot("5"));
        four.answered(first);
        pass(four, HandshakeSlots.LONGEST_SILENCE_NANOS);
        assertThat(log).doesNotContain("end 1");

        four.answered(second);
        four.look();
        assertThat(log).contains("end 1", "begin 5").doesNotContain("end 2");
    }

    @Test
    void pauseOfTheProcessIsNobodysSilence() {
        enter(first, second, third);
        slots.answered(first);
        pass(slots, HandshakeSlots.LEAST_SILENCE_NANOS);
        slots.answered(second);
        nanos.addAndGet(60 * HandshakeSlots.LONGEST_SILENCE_NANOS);
        slots.look();
        assertThat(log).doesNotContain("end 1", "end 2");

        pass(slots, HandshakeSlots.LONGEST_SILENCE_NANOS - HandshakeSlots.LEAST_SILENCE_NANOS);
        assertThat(log).contains("end 1").doesNotContain("end 2");
    }

    @Test
    void addressesTakeTurns() {
        enter(first, second);
        Slot others = slot("b", "b1");
        enter(slot("a", "a1"), slot("a", "a2"), slot("a", "a3"), others, slot("b", "b2"));
        log.clear();
        slots.leave(first);
        enter(slot("c", "c1"));
        slots.leave(others); // its client has gone
        slots.leave(second);
        assertThat(log).containsExactly("begin a1", "begin b2");
        log.clear();
        slots.leave(slot("c", "never entered"));
        List.copyOf(begun).forEach(slots::leave);
        assertThat(log).containsExactly("begin a2", "begin c1");
    }

    /**
     * Each second two addresses begin a thousand handshakes and leave them there, and ten clients come from
     * elsewhere.
     */
    @Test
    void silentOnesOfTwoAddressesKeepNobodyOut() {
        Crowd crowd = new Crowd();
        for (int milli = 0; milli < 20 * MANY; milli++) {
            crowd.comesSilent("192.0.2." + milli % 2);
            if (milli % 100 == 50) {
                crowd.comesGood("198.51.100." + milli);
            }
            crowd.goOn();
        }
        assertThat(crowd.waits).hasSizeGreaterThan(190).allMatch(wait -> wait <= 600 * MILLI);
    }

    @Test
    void burstOfOneAddressKeepsNobodyOut() {
        Crowd crowd = new Crowd();
        for (int i = 0; i < 5 * MANY; i++) {
            crowd.comesSilent("192.0.2.1");
        }
        for (int milli = 0; milli < 4 * MANY; milli++) {
            if (milli % 100 == 0) {
                crowd.comesGood("198.51.100." + milli);
            }
            crowd.goOn();
        }
        assertThat(crowd.waits).hasSizeGreaterThan(38).allMatch(wait -> wait <= 600 * MILLI);
    }

    /** As from a network of IPv6 that is larger than what counts as an address: there are no turns then. */
    @Test
    void silentOnesOfManyAddressesKeepNobodyOutForLong() {
        Crowd crowd = new Crowd();
        for (int milli = 0; milli < 20 * MANY; milli++) {
            crowd.comesSilent("192.0.2." + milli);
            if (milli % 100 == 50) {
                crowd.comesGood("198.51.100." + milli);
            }
            crowd.goOn();
        }
        assertThat(crowd.waits).hasSizeGreaterThan(180).allMatch(wait -> wait <= 2 * MANY * MILLI);
    }

    /** So much time, with a look at the end and in the usual rhythm before. */
    private void pass(HandshakeSlots at, long passing) {
        for (long left = passing; left > 0; left -= HandshakeSlots.LOOK_NANOS) {
            nanos.addAndGet(Math.min(left, HandshakeSlots.LOOK_NANOS));
            at.look();
        }
    }

    private void enter(Slot... newcomers) {
        for (Slot newcomer : newcomers) {
            slots.enter(newcomer);
        }
    }

    private Slot slot(String name) {
        return slot(name, name);
    }

    private Slot slot(String address, String name) {
        Slot[] made = new Slot[1];
        made[0] = new Slot(
                address,
                () -> {
                    begun.add(made[0]);
                    log.add("begin " + name);
                },
                () -> log.add("end " + name));
        return made[0];
    }

    /** Clients of a thousand slots; a good one's handshake takes 100 ms, and nobody waits for more than ten seconds. */
    private static final class Crowd {
        private final AtomicLong nanos = new AtomicLong();
        private final HandshakeSlots slots = new HandshakeSlots(MANY, nanos::get);
        private final Map<Slot, Long> came = new LinkedHashMap<>();
        private final Map<Slot, Long> done = new LinkedHashMap<>();
        private final List<Long> waits = new ArrayList<>();

        void comesSilent(String address) {
            comes(address, slot -> {});
        }

        void comesGood(String address) {
            long at = nanos.get();
            comes(address, slot -> {
                waits.add(nanos.get() - at);
                done.put(slot, nanos.get() + 100 * MILLI);
            });
        }

        private void comes(String address, Consumer<Slot> begins) {
            Slot[] made = new Slot[1];
            made[0] = new Slot(
                    address,
                    () -> {
                        slots.answered(made[0]);
                        begins.accept(made[0]);
                    },
                    () -> came.remove(made[0]));
            came.put(made[0], nanos.get());
            slots.enter(made[0]);
        }

        /** For a millisecond. */
        void goOn() {
            nanos.addAndGet(MILLI);
            leave(came, nanos.get() - 10 * MANY * MILLI);
            leave(done, nanos.get());
            if (nanos.get() % (100 * MILLI) == 0) {
                slots.look();
            }
        }

        private void leave(Map<Slot, Long> some, long until) {
            while (!some.isEmpty() && some.values().iterator().next() <= until) {
                Slot slot = some.keySet().iterator().next();
                some.remove(slot);
                slots.leave(slot);
            }
        }
    }
}
