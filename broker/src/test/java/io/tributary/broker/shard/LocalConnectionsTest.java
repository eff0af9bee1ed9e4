package io.tributary.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.delivery.ConnectionRegistry;
import io.tributary.broker.delivery.Delivery;
import io.tributary.broker.delivery.Endpoint;
import io.tributary.broker.shard.fold.Samples;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.thread.RoomQueue;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LocalConnectionsTest {
    private static final int SHARDS = 3;

    private final List<String> told = new ArrayList<>();
    private final List<String> answered = new ArrayList<>();
    private final Relays relays = new Relays(SHARDS);
    private final ConnectionRegistry registry = new ConnectionRegistry();
    private final LocalConnections connections =
            new LocalConnections(registry, relays, clientId -> clientId.length() % SHARDS, SHARDS);

    @BeforeEach
    void connect() {
        Recording seven = new Recording("a", 7, 3);
        registry.add(7, seven);
        registry.addPersistent(seven);
        registry.add(8, new Recording("b", 8, 4));
        registry.add(9, new Recording("bb", 9, 4));
        registry.add(10, new Recording("c", 10, 41));
    }

    @Test
    void nobodyListensToAnOldOwnerWhenANewerOneHasSpoken() {
        OwnerTarget old = connections.from(1, 5);
        OwnerTarget newer = connections.from(1, 9);
        old.takenOver(7);
        newer.deliver(7, List.of());
        relays.expect(1, 3, 6, this::answered);
        old.attached(8, new Attached(3, 3, true, ClientKind.DEVICE, new int[] {6}, 50));
        old.deliver(8, List.of());
        old.receivedLogged(8, new long[] {1});
        old.relayed(3, 6);
        old.takenOver(8);
        old.allAttached(100);
        newer.receivedLogged(7, new long[] {1});
        assertThat(told).containsExactly("taken over 7", "delivered 7", "received 7");
        assertThat(answered).isEmpty();
    }

    @Test
    void ownersOfDifferentShardsDoNotDisturbEachOther() {
        connections.from(1, 9).takenOver(7);
        connections.from(2, 5).takenOver(8);
        assertThat(told).containsExactly("taken over 7", "taken over 8");
    }

    @Test
    void connectionsThatAreNotNamedHaveNoSession() {
        OwnerTarget owner = connections.from(1, 5);
        owner.attached(7, new Attached(3, 3, false, ClientKind.DEVICE, new int[0], 50));
        owner.allAttached(40);
        owner.allAttached(50);
        assertThat(told).containsExactly("attached 7", "taken over 8");
    }

    @Test
    void connectionThatIsAnsweredLaterIsLeftAlone() {
        OwnerTarget owner = connections.from(1, 5);
        assertThat(owner.attachedLater(7)).isTrue();
        owner.allAttached(40);
        assertThat(told).containsExactly("taken over 8");
    }

    @Test
    void relayIsAnsweredOnce() {
        relays.expect(1, 3, 6, this::answered);
        OwnerTarget owner = connections.from(1, 5);
        owner.relayed(3, 5);
        owner.relayed(4, 6);
        assertThat(answered).isEmpty();
        owner.relayed(3, 6);
        owner.relayed(3, 6);
        assertThat(answered).containsExactly("safe");
        assertThat(relays.isEmpty()).isTrue();
    }

    @Test
    void relaysAreAnsweredWhenTheOwnerNamesWhatItHas() {
        relays.expect(1, 3, 6, this::answered);
        relays.expect(1, 3, 7, this::answered);
        relays.appended(1, 3, 6, 50);
        connections.from(1, 5).attached(1, new Attached(3, 3, true, ClientKind.DEVICE, new int[] {2, 6}, 50));
        assertThat(answered).containsExactly("safe");
        assertThat(relays.isEmpty()).isFalse();
    }

    /** An owner that replays names the packet identifier of a message that was released after that. */
    @Test
    void relayIsNotAnsweredByWhatTheOwnerHadBeforeIt() {
        relays.expect(1, 3, 6, this::answered);
        OwnerTarget owner = connections.from(1, 5);
        owner.attached(1, new Attached(3, 3, true, ClientKind.DEVICE, new int[] {6}, 50));
        assertThat(answered).as("it is not in the log yet").isEmpty();
        relays.appended(1, 3, 6, 51);
        assertThat(answered).isEmpty();
        owner.attached(1, new Attached(3, 3, true, ClientKind.DEVICE, new int[] {6}, 51));
        assertThat(answered).containsExactly("safe");
    }

    /** The log's answer may come after the owner's. */
    @Test
    void relayIsAnsweredWhenItTurnsOutThatTheOwnerHasFoldedIt() {
        relays.expect(1, 3, 6, this::answered);
        connections.from(1, 5).attached(1, new Attached(3, 3, true, ClientKind.DEVICE, new int[] {6}, 50));
        relays.appended(1, 3, 6, 50);
        assertThat(answered).containsExactly("safe");
    }

    /** Kafka does not always know the offset of what it was sent twice. */
    @Test
    void relayOfUnknownOffsetIsAnsweredByTheOwnerAlone() {
        relays.expect(1, 3, 6, this::answered);
        relays.appended(1, 3, 6, -1);
        assertThat(answered).isEmpty();
        connections.from(1, 5).attached(1, new Attached(3, 3, true, ClientKind.DEVICE, new int[] {6}, 50));
        assertThat(answered).containsExactly("safe");
    }

    @Test
    void relayIsAnsweredWhenItIsNotInTheLog() {
        relays.expect(1, 3, 6, this::answered);
        relays.failed(1, 3, 6, new IllegalStateException("closed"));
        assertThat(answered).containsExactly("closed");
    }

    @Test
    void nothingIsKeptOfAConnectionThatHasEnded() {
        relays.expect(1, 3, 6, this::answered);
        relays.ended(1, 3);
        connections.from(1, 5).relayed(3, 6);
        assertThat(answered).isEmpty();
        assertThat(relays.isEmpty()).isTrue();
    }

    private void answered(long offset, @Nullable Throwable failure) {
        answered.add(failure == null ? "safe" : String.valueOf(failure.getMessage()));
    }

    @Test
    void qos0OfAnOldOwnerIsNotDelivered() {
        connections.from(0, 5).qos0("a", 1, Samples.queued("m"));
        connections.from(0, 4).qos0("a", 2, Samples.queued("m"));
        assertThat(told).containsExactly("qos 0 a");
    }

    /** Writes down what a connection is told. */
    private final class Recording implements Endpoint {
        private final String clientId;
        private final long number;
        private final long epoch;

        Recording(String clientId, long number, long epoch) {
            this.clientId = clientId;
            this.number = number;
            this.epoch = epoch;
        }

        @Override
        public String clientId() {
            return clientId;
        }

        @Override
        public boolean has(long session) {
            return true;
        }

        @Override
        public @Nullable RoomQueue offer(Queued message) {
            told.add("qos 0 " + clientId);
            return null;
        }

        @Override
        public void attached(Attached attached) {
            told.add("attached " + number);
        }

        @Override
        public void takenOver() {
            told.add("taken over " + number);
        }

        @Override
        public boolean isAttachedUpTo(long offset) {
            return epoch <= offset;
        }

        @Override
        public void deliver(List<Delivery> deliveries) {
            told.add("delivered " + number);
        }

        @Override
        public void receivedLogged(long[] sequences) {
            told.add("received " + number);
        }
    }
}
