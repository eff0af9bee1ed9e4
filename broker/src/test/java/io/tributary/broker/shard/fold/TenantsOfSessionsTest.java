package io.tributary.broker.shard.fold;

import static io.tributary.broker.shard.fold.Samples.FOREVER;
import static io.tributary.broker.shard.fold.Samples.detach;
import static io.tributary.broker.shard.fold.Samples.member;
import static io.tributary.broker.shard.fold.Samples.message;
import static io.tributary.broker.shard.fold.Samples.publish;
import static io.tributary.broker.shard.fold.Samples.recipient;
import static io.tributary.broker.shard.fold.Samples.settled;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Exhausted;
import io.tributary.common.event.Principal;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.event.ShardEvent.Attach;
import io.tributary.common.event.ShardEvent.Owner;
import io.tributary.common.event.ShardEvent.SessionExpired;
import io.tributary.common.event.ShardEvent.Settled;
import io.tributary.common.event.StoredSession;
import io.tributary.common.mqtt.QoS;
import io.tributary.persistence.shard.ShardStore;
import io.tributary.persistence.shard.ShardStore.Claim;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a tenant's sessions hold is counted, and what would be one more than it may have is refused. */
class TenantsOfSessionsTest {
    private static final Exhausted NO_CONNECTIONS = new Exhausted(true, false);
    private static final Exhausted NO_SESSIONS = new Exhausted(false, true);
    private static final long SIZE = message("m").sizeBytes();

    private final RecordingEffects effects = new RecordingEffects();
    private final Counted counted = new Counted();
    private ShardState state =
            new ShardState(effects, new Claim(ShardStore.NOTHING_APPLIED, -1, List.of()), _ -> counted);
    private long offset;
    private long nowMillis = 1_000_000;

    @Test
    void sessionCountsFromItsFirstAttachToItsEnd() {
        fold(attach("a", 1, false, 60, Exhausted.NOTHING));
        assertThat(counted.toString()).isEqualTo("1 sessions, 1 persistent, 0 bytes");
        fold(attach("b", 2, true, 0, Exhausted.NOTHING));
        assertThat(counted.toString()).isEqualTo("2 sessions, 1 persistent, 0 bytes");
        fold(detach("b", 1, false, 0), detach("a", 0, false, 60));
        assertThat(counted.toString()).isEqualTo("1 sessions, 1 persistent, 0 bytes");
        nowMillis += 60_000;
        fold(new SessionExpired(0, "a", 0, 0));
        assertThat(counted.toString()).isEqualTo("0 sessions, 0 persistent, 0 bytes");
    }

    @Test
    void sessionCountsOnceWhenItIsTakenOverOrBegunAnew() {
        fold(attach("a", 1, false, 60, Exhausted.NOTHING), attach("a", 2, false, 60, Exhausted.NOTHING));
        assertThat(counted.toString()).isEqualTo("1 sessions, 1 persistent, 0 bytes");
        fold(publish("m", recipient("a", 0)), attach("a", 3, true, 60, Exhausted.NOTHING));
        assertThat(counted.toString()).isEqualTo("1 sessions, 1 persistent, 0 bytes");
        fold(attach("a", 4, true, 0, Exhausted.NOTHING));
        assertThat(counted.toString()).isEqualTo("1 sessions, 0 persistent, 0 bytes");
    }

    @Test
    void sessionThatDisconnectAndConnectChangeCountsAsWhatItIs() {
        fold(attach("a", 1, false, 60, Exhausted.NOTHING), attach("a", 2, false, 0, Exhausted.NOTHING));
        assertThat(counted.toString()).isEqualTo("1 sessions, 0 persistent, 0 bytes");
        fold(attach("a", 3, false, 60, Exhausted.NOTHING));
        assertThat(counted.toString()).isEqualTo("1 sessions, 1 persistent, 0 bytes");
        fold(detach("a", 2, false, 0));
        assertThat(counted.toString()).isEqualTo("0 sessions, 0 persistent, 0 bytes");
    }

    @Test
    void queuedBytesCountUntilTheyAreSettled() {
        fold(attach("a", 1, false, 60, Exhausted.NOTHING), new Owner("n"));
        fold(publish("m", recipient("a", 0)), publish("m", recipient("a", 0)));
        assertThat(counted.bytes).isEqualTo(2 * SIZE);
        fold(new Settled(1, List.of(settled("a", 0, "m", 1)), List.of()));
        assertThat(counted.bytes).isEqualTo(SIZE);
        fold(detach("a", 0, false, 0));
        assertThat(counted.toString()).isEqualTo("0 sessions, 0 persistent, 0 bytes");
    }

    /** Messages for other members stay behind a session that is over, and go with those. */
    @Test
    void inheritedQueueCountsOnce() {
        fold(attach("a", 1, false, 60, Exhausted.NOTHING), publish("m", member("a", 0, QoS.AT_LEAST_ONCE)));
        long size = counted.bytes;
        assertThat(size).isGreaterThan(SIZE);
        fold(attach("a", 2, true, 60, Exhausted.NOTHING));
        assertThat(counted.toString()).isEqualTo("1 sessions, 1 persistent, " + size + " bytes");
        fold(publish("m", member("gone", 77, QoS.AT_LEAST_ONCE)));
        assertThat(counted.toString()).isEqualTo("2 sessions, 1 persistent, " + 2 * size + " bytes");
    }

    @Test
    void loadedSessionsCount() {
        fold(attach("a", 1, false, 60, Exhausted.NOTHING), publish("m", recipient("a", 0)));
        StoredSession stored = session("a").toStored();
        counted.clear();
        state = new ShardState(effects, new Claim(1, -1, List.of()), _ -> counted);
        state.load(List.of(stored), List.of());
        state.load(List.of(stored), List.of()); // as when a page is read twice
        assertThat(counted.toString()).isEqualTo("1 sessions, 1 persistent, " + SIZE + " bytes");
    }

    @Test
    void connectionIsRefusedUnlessItTakesThePlaceOfAnother() {
        fold(attach("a", 1, true, 0, Exhausted.NOTHING), attach("b", 2, false, 60, Exhausted.NOTHING));
        fold(detach("b", 1, false, 60));
        effects.take();
        fold(attach("c", 3, true, 0, NO_CONNECTIONS), attach("b", 4, false, 60, NO_CONNECTIONS));
        assertThat(effects.take())
                .containsExactly("refused c/3, TENANT_CONNECTIONS", "refused b/4, TENANT_CONNECTIONS");
        assertThat(session("b").isAttached()).isFalse();
        fold(attach("a", 5, true, 0, NO_CONNECTIONS));
        assertThat(session("a").connection()).isEqualTo(5);
    }

    @Test
    void persistentSessionIsRefusedUnlessItTakesThePlaceOfAnother() {
        fold(attach("a", 1, false, 60, Exhausted.NOTHING), detach("a", 0, false, 60));
        effects.take();
        fold(attach("b", 2, false, 60, NO_SESSIONS));
        assertThat(effects.take()).containsExactly("refused b/2, TENANT_SESSIONS");
        fold(attach("b", 3, true, 0, NO_SESSIONS));
        assertThat(session("b").connection()).isEqualTo(3);
        effects.take();
        fold(attach("b", 4, false, 60, NO_SESSIONS)); // would end a transient one, and be one more
        assertThat(effects.take()).containsExactly("refused b/4, TENANT_SESSIONS");
        assertThat(session("b").connection()).isEqualTo(3);
        fold(attach("a", 5, false, 60, NO_SESSIONS));
        assertThat(session("a").connection()).isEqualTo(5);
        fold(attach("a", 6, true, 60, NO_SESSIONS));
        assertThat(session("a").connection()).isEqualTo(6);
        assertThat(counted.persistent).isEqualTo(1);
    }

    private SessionState session(String clientId) {
        SessionState client = state.client(clientId);
        assertThat(client).as(clientId).isNotNull();
        return client;
    }

    private void fold(ShardEvent... events) {
        for (ShardEvent event : events) {
            state.apply(offset++, nowMillis, event);
        }
    }

    private static Attach attach(
            String clientId, long connection, boolean cleanStart, long expirySeconds, Exhausted exhausted) {
        assertThat(expirySeconds).isLessThan(FOREVER);
        return new Attach(
                clientId,
                Samples.NODE,
                connection,
                cleanStart,
                expirySeconds,
                10,
                ClientKind.DEVICE,
                null,
                Principal.ANONYMOUS,
                false,
                exhausted);
    }

    private static final class Counted implements Tally {
        private int sessions;
        private int persistent;
        private long bytes;

        @Override
        public void add(int moreSessions, int morePersistent, long moreBytes) {
            sessions += moreSessions;
            persistent += morePersistent;
            bytes += moreBytes;
        }

        void clear() {
            sessions = 0;
            persistent = 0;
            bytes = 0;
        }

        @Override
        public String toString() {
            return sessions + " sessions, " + persistent + " persistent, " + bytes + " bytes";
        }
    }
}
