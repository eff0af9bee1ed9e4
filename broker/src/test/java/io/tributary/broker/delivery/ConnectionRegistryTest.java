package io.tributary.broker.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.thread.RoomQueue;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ConnectionRegistryTest {
    private static final Queued MESSAGE = new Queued(
            new Message("t", new byte[0], QoS.AT_MOST_ONCE, false, PublishProperties.NONE, Message.NEVER, "p"),
            QoS.AT_MOST_ONCE,
            false,
            List.of(),
            null);

    private final ConnectionRegistry connections = new ConnectionRegistry();
    private final List<String> told = new ArrayList<>();

    @Test
    void tellsWhatStandsUnderTheNumberLast() {
        connections.add(7, new Named("ended", 3));
        connections.add(7, new Named("a", 3));

        connections.takenOver(7);
        connections.takenOver(8);

        assertThat(told).containsExactly("a is taken over");
    }

    @Test
    void takesOverThoseThatTheirOwnerDoesNotName() {
        connections.add(9, new Named("c", 3));
        connections.add(7, new Named("a", 3));
        connections.add(8, new Named("b", 3));
        connections.add(10, new Named("late", 5));
        connections.add(11, new Named("of another shard", 3));

        connections.onlyTheseAttached(client -> client.length() < 5, number -> number == 8, 4);

        assertThat(told).containsExactly("a is taken over", "c is taken over");
    }

    @Test
    void keepsTheNewerConnectionOfAClientWhenAnOlderOneGoes() {
        connections.add(7, new Named("a", 3));
        connections.addPersistent(new Named("a", 3));

        connections.remove(7);

        assertThat(connections.deliverQos0("a", 3, MESSAGE)).isTrue();
        assertThat(connections.get(7)).isNull();
    }

    /** Their event loops hear of a takeover in any order. */
    @Test
    void keepsTheNewerConnectionOfAClientWhenAnOlderOneComesLater() {
        Named older = new Named("a", 3);
        connections.addPersistent(new Named("a", 5));

        connections.addPersistent(older);
        connections.removePersistent(older);

        assertThat(connections.deliverQos0("a", 5, MESSAGE)).isTrue();
    }

    @Test
    void findsTheNewerConnectionOfAClientWhenItComesLater() {
        connections.addPersistent(new Named("a", 3));

        connections.addPersistent(new Named("a", 5));

        assertThat(connections.deliverQos0("a", 5, MESSAGE)).isTrue();
    }

    @Test
    void deliversNothingToAnotherSessionOfTheClient() {
        connections.addPersistent(new Named("a", 3));

        assertThat(connections.deliverQos0("a", 2, MESSAGE)).isFalse();
        assertThat(connections.deliverQos0("b", 3, MESSAGE)).isFalse();
        connections.deliverShared("a", 2, MESSAGE, false, new Reply());

        assertThat(told).containsExactly("returned");
    }

    @Test
    void deliversToAMemberByNumberAndClient() {
        connections.add(7, new Named("a", 3));

        connections.deliverToMember("b", 7, MESSAGE, null);
        connections.deliverToMember("a", 7, MESSAGE, null);

        assertThat(told).containsExactly("a is offered t");
    }

    @Test
    void returnsWhatAnEndpointHasNoUseFor() {
        connections.addPersistent(new Named("a", 3));

        connections.deliverShared("a", 3, MESSAGE, false, new Reply());

        assertThat(told).containsExactly("returned");
    }

    /** A connection of a client, whose session is the Attach at an offset. */
    private final class Named implements Endpoint {
        private final String clientId;
        private final long offset;

        private Named(String clientId, long offset) {
            this.clientId = clientId;
            this.offset = offset;
        }

        @Override
        public String clientId() {
            return clientId;
        }

        @Override
        public boolean isAttachedUpTo(long upTo) {
            return offset <= upTo;
        }

        @Override
        public long epoch() {
            return offset;
        }

        @Override
        public boolean has(long session) {
            return offset == session;
        }

        @Override
        public void takenOver() {
            told.add(clientId + " is taken over");
        }

        @Override
        public @Nullable RoomQueue offer(Queued message) {
            told.add(clientId + " is offered " + message.message().topic());
            return null;
        }
    }

    private final class Reply implements MemberReply {
        @Override
        public void done() {
            told.add("done");
        }

        @Override
        public void returned(boolean maybeSent) {
            told.add("returned");
        }
    }
}
