package io.tributary.broker;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.delivery.ConnectionRegistry;
import io.tributary.broker.shard.ClientShards;
import io.tributary.common.event.AttachRefusal;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.event.ShardEvent.Attach;
import io.tributary.common.event.ShardEvent.Detach;
import io.tributary.common.event.ShardEvent.Release;
import io.tributary.persistence.shard.AppendCallback;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;

/** The connection that nobody has, and by which a session ends. */
class SessionEndingsTest {
    private static final long EPOCH = 70;

    private final ConnectionRegistry connections = new ConnectionRegistry();
    private final Shards shards = new Shards();
    private final SessionEndings endings = new SessionEndings("node#1", shards, connections, ofMinutes(5));

    @Test
    void leavesWhenTheOwnerHasAnswered() {
        CompletableFuture<?> done = end("a");
        Attach attach = shards.attaches.getFirst();
        assertThat(attach.cleanStart()).isTrue();
        assertThat(attach.takesAnyones()).isTrue();
        assertThat(attach.sessionExpirySeconds()).isZero();
        assertThat(attach.principal()).isNull();
        assertThat(attach.node()).isEqualTo("node#1");
        assertThat(done).isNotDone();

        connections.attached(attach.connection(), attached());
        assertThat(done).isCompleted();
        assertThat(shards.detaches).containsExactly(new Detach("a", EPOCH, false, 0, 0));
        assertThat(shards.waiting).isZero();
        assertThat(connections.get(attach.connection())).isNotNull(); // until it is in the log
        shards.logged.forEach(Runnable::run);
        assertThat(connections.get(attach.connection())).isNull();
    }

    @Test
    void leavesOnceWhenANewOwnerAnswersAgain() {
        CompletableFuture<?> done = end("a");
        long connection = shards.attaches.getFirst().connection();
        connections.attached(connection, attached());
        connections.attached(connection, attached());
        connections.takenOver(connection);
        assertThat(done).isCompleted();
        assertThat(shards.detaches).hasSize(1);
        assertThat(shards.waiting).isZero();
    }

    @Test
    void isNotKnownWhenAnotherConnectionIsToldBeforeTheAnswer() {
        CompletableFuture<?> done = end("a");
        long connection = shards.attaches.getFirst().connection();
        connections.onlyTheseAttached("a"::equals, _ -> false, EPOCH - 1); // by an owner that has not read so far
        assertThat(done).isNotDone();
        connections.onlyTheseAttached("a"::equals, _ -> false, EPOCH);
        assertThat(done).failsWithin(ofMinutes(1)).withThrowableThat().withCauseInstanceOf(TimeoutException.class);
        assertThat(shards.detaches).isEmpty();
        assertThat(shards.waiting).isZero();
        assertThat(connections.get(connection)).isNull();
    }

    @Test
    void staysWhenNobodyKnowsWhereItIsInTheLog() {
        shards.offset = -1;
        CompletableFuture<?> done = end("a");
        connections.onlyTheseAttached("a"::equals, _ -> false, EPOCH);
        assertThat(done).isNotDone();
        connections.attached(shards.attaches.getFirst().connection(), attached());
        assertThat(done).isCompleted();
    }

    @Test
    void isBegunOnceWhenItIsAskedForTwice() {
        CompletableFuture<?> first = end("a");
        CompletableFuture<?> second = end("a");
        assertThat(shards.attaches).hasSize(1);
        connections.attached(shards.attaches.getFirst().connection(), attached());
        assertThat(first).isCompleted();
        assertThat(second).isCompleted();
        assertThat(end("a")).isNotDone(); // it may be another session, though the first end is not logged yet
        assertThat(shards.attaches).hasSize(2);
    }

    @Test
    void failsWhenTheOwnerRefuses() {
        CompletableFuture<?> done = end("a");
        connections.refused(shards.attaches.getFirst().connection(), AttachRefusal.IS_DEVICE);
        assertThat(done)
                .failsWithin(ofMinutes(1))
                .withThrowableThat()
                .withCauseInstanceOf(RejectedExecutionException.class);
        assertThat(shards.waiting).isZero();
    }

    @Test
    void leavesAlsoWhenNobodyWaitsAnyMore() {
        SessionEndings impatient = new SessionEndings("node#1", shards, connections, ofMillis(1));
        CompletableFuture<?> done = impatient.end("a").toCompletableFuture();
        assertThat(done).failsWithin(ofMinutes(1)).withThrowableThat().withCauseInstanceOf(TimeoutException.class);
        connections.attached(shards.attaches.getFirst().connection(), attached());
        assertThat(shards.detaches).hasSize(1);
        assertThat(shards.waiting).isZero();
    }

    @Test
    void areBounded() {
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (int i = 0; i < SessionEndings.MOST_AT_ONCE; i++) {
            all.add(end("client-" + i));
        }
        assertThat(end("one-more")).isCompletedExceptionally();
        assertThat(shards.attaches).hasSize(SessionEndings.MOST_AT_ONCE);
        shards.attaches.forEach(each -> connections.attached(each.connection(), attached()));
        shards.logged.forEach(Runnable::run);
        assertThat(all).allMatch(CompletableFuture::isDone);
        assertThat(end("one-more")).isNotDone();
    }

    /** A shard that stands still keeps nobody from ending the sessions of others. */
    @Test
    void thoseThatNobodyWaitsForAnyMoreLeaveRoom() {
        SessionEndings impatient = new SessionEndings("node#1", shards, connections, ofMillis(1));
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (int i = 0; i < SessionEndings.MOST_AT_ONCE; i++) {
            all.add(impatient.end("client-" + i).toCompletableFuture());
        }
        all.forEach(each -> assertThat(each).failsWithin(ofMinutes(1)));
        await().until(() -> impatient.problem("one-more") == null);
        CompletionStage<?> _ = impatient.end("one-more");
        assertThat(shards.attaches.getLast().clientId()).isEqualTo("one-more");
    }

    @Test
    void nothingIsAskedOfAShardWithoutAnOwner() {
        shards.hasOwner = false;
        assertThat(end("a")).isCompletedExceptionally();
        shards.hasOwner = true;
        shards.isWritable = false;
        assertThat(end("a")).isCompletedExceptionally();
        assertThat(shards.attaches).isEmpty();
    }

    private CompletableFuture<?> end(String clientId) {
        return endings.end(clientId).toCompletableFuture();
    }

    private static Attached attached() {
        return new Attached(EPOCH, EPOCH, false, ClientKind.DEVICE, new int[0], EPOCH);
    }

    private static final class Shards implements ClientShards {
        final List<Attach> attaches = new ArrayList<>();
        final List<Detach> detaches = new ArrayList<>();
        final List<Runnable> logged = new ArrayList<>();
        boolean hasOwner = true;
        boolean isWritable = true;
        long offset = EPOCH;
        int waiting;

        @Override
        public boolean mayAttach(String clientId) {
            return hasOwner;
        }

        @Override
        public boolean isWritable() {
            return isWritable;
        }

        @Override
        public void attach(Attach attach, LongConsumer appended) {
            attaches.add(attach);
            waiting++;
            if (offset >= 0) { // as Shards does it
                appended.accept(offset);
            }
        }

        @Override
        public void attachAnswered(String clientId) {
            waiting--;
        }

        @Override
        public void detach(ShardEvent.Detach detach, Runnable whenLogged) {
            detaches.add(detach);
            logged.add(whenLogged);
        }

        @Override
        public void release(Release release, AppendCallback callback) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void settle(String clientId, long epoch, long[] sequences) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void received(String clientId, long epoch, long[] sequences) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean owns(String clientId) {
            return hasOwner;
        }

        @Override
        public long sessions(String tenant) {
            return 0;
        }

        @Override
        public boolean isCongested() {
            return false;
        }

        @Override
        public void onRoom(Runnable action) {
            action.run();
        }
    }
}
