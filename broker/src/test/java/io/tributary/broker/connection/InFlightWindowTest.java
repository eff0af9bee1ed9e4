package io.tributary.broker.connection;

import static io.tributary.broker.connection.ConnectionFixture.message;
import static io.tributary.broker.connection.ConnectionFixture.queued;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.connection.InFlightWindow.Entry;
import io.tributary.broker.delivery.MemberReply;
import io.tributary.broker.fake.Messages;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class InFlightWindowTest {
    private static final long FIRST = 200_000;

    private final ConnectionFixture fixture = new ConnectionFixture();
    private final InFlightWindow window = new InFlightWindow(1_000, 1_000_000, fixture.context());

    @Test
    void admitsWhatIsBehindTheFirstByLessThanThereAreIdentifiers() {
        add(FIRST);
        assertThat(window.admits(FIRST + PacketIds.COUNT - 1)).isTrue();
        assertThat(window.admits(FIRST + PacketIds.COUNT)).isFalse();
        assertThat(window.admits(FIRST + PacketIds.COUNT + 1)).isFalse();
    }

    @Test
    void admitsWhatIsBeforeTheLastByLessThanThereAreIdentifiers() {
        add(FIRST);
        assertThat(window.admits(FIRST - 1)).isTrue();
        assertThat(window.admits(FIRST - PacketIds.COUNT + 1)).isTrue();
        assertThat(window.admits(FIRST - PacketIds.COUNT)).isFalse();
        add(FIRST + 100);
        assertThat(window.admits(FIRST - PacketIds.COUNT + 100)).isFalse();
        assertThat(window.admits(FIRST - PacketIds.COUNT + 101)).isTrue();
        window.remove(Objects.requireNonNull(window.find(FIRST + 100)));
        assertThat(window.admits(FIRST - PacketIds.COUNT + 100)).isTrue();
    }

    @Test
    void admitsNothingWhenItIsFull() {
        InFlightWindow small = new InFlightWindow(2, 1_000_000, fixture.context());
        small.add(FIRST, queued("m", QoS.AT_LEAST_ONCE));
        assertThat(small.admits(FIRST - 1)).isTrue();
        small.add(FIRST - 1, queued("m", QoS.AT_LEAST_ONCE));
        assertThat(small.admits(FIRST - 2)).isFalse();
        assertThat(small.admits(FIRST + 1)).isFalse();
    }

    @Test
    void keepsMessagesForOtherMembersAsLongAsTheHeapHasRoom() {
        InFlightWindow small = new InFlightWindow(1_000, 100_000, fixture.context());
        int kept = 0;
        while (small.hasRoom()) {
            Message message = Messages.withUserProperties(100, message("topic", "m", QoS.AT_LEAST_ONCE));
            small.add(FIRST + kept++, new Queued(message, QoS.AT_LEAST_ONCE, false, List.of(), "$share/g/topic"));
        }
        assertThat(kept).isBetween(1, 9);
    }

    @Test
    void doesNotAdmitWhatHasAnIdentifierThatIsLent() {
        int packetId = window.lend(FIRST, new NoReply());
        long before = PacketIds.sequenceFrom(FIRST - PacketIds.COUNT, packetId);
        assertThat(window.admits(before)).isFalse();
        window.takeBack(packetId);
        assertThat(window.admits(before)).isTrue();
    }

    @Test
    void lendsWhatIsFreeUntilItIsFull() {
        InFlightWindow wide = new InFlightWindow(PacketIds.COUNT, 1_000_000, fixture.context());
        Set<Integer> lent = new HashSet<>();
        while (wide.hasRoom()) {
            assertThat(lent.add(wide.lend(FIRST, new NoReply()))).isTrue();
        }
        assertThat(lent).hasSize(PacketIds.COUNT - 1);
    }

    @Test
    void findsMessagesByIdentifierWhateverTheirOrder() {
        Random random = new Random(11);
        Map<Integer, Long> inFlight = new HashMap<>();
        for (int i = 0; i < 50_000; i++) {
            long sequence = FIRST + i + random.nextInt(PacketIds.COUNT / 2);
            int packetId = PacketIds.of(sequence);
            if (window.admits(sequence) && window.find(sequence) == null) {
                assertThat(inFlight.put(packetId, sequence)).isNull();
                add(sequence);
            }
            int anyId = random.nextInt(PacketIds.COUNT) + 1;
            assertIs(anyId, inFlight.get(anyId));
            if (inFlight.size() > 900 || random.nextInt(4) == 0) {
                int gone = inFlight.keySet().iterator().next();
                assertIs(gone, inFlight.remove(gone));
                window.remove(Objects.requireNonNull(window.get(gone)));
            }
        }
    }

    private void assertIs(int packetId, @Nullable Long sequence) {
        Entry found = window.get(packetId);
        assertThat(found == null ? null : (Long) found.sequence()).isEqualTo(sequence);
    }

    private void add(long sequence) {
        window.add(sequence, queued("m", QoS.AT_LEAST_ONCE));
    }

    private static final class NoReply implements MemberReply {
        @Override
        public void done() {}

        @Override
        public void returned(boolean maybeSent) {}
    }
}
