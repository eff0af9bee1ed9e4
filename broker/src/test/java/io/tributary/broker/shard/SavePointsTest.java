package io.tributary.broker.shard;

import static io.tributary.broker.shard.fold.Samples.NODE;
import static io.tributary.broker.shard.fold.Samples.attach;
import static io.tributary.broker.shard.fold.Samples.detach;
import static io.tributary.broker.shard.fold.Samples.publish;
import static io.tributary.broker.shard.fold.Samples.recipient;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.shard.fold.NoEffects;
import io.tributary.broker.shard.fold.Samples;
import io.tributary.broker.shard.fold.ShardState;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.event.ShardEvent.Settled;
import io.tributary.persistence.shard.FencedException;
import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.ShardStore;
import io.tributary.persistence.shard.ShardStore.Claim;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SavePointsTest {
    private static final long OWNER = 0;
    /** The configuration of {@link DeliveryFixture#config}: a second, 10 messages, 1024 bytes. */
    private static final int MANY = 10;

    private static final int TOO_MANY = 50;

    private final HeldLog log = new HeldLog(1);
    private final HeldStore store = new HeldStore();
    private final LogAppender appender = InstantTopics.appender(log);
    private final ShardState state =
            new ShardState(new NoEffects(), new Claim(ShardStore.NOTHING_APPLIED, -1, List.of()));
    private final SessionQueues queues = new SessionQueues(0, state, store, Runnable::run);
    private long nowMillis;
    private final Forwarder forwarder = new Forwarder(0, appender, new NoRouting(), () -> true, Runnable::run, _ -> {});
    private final SavePoints savePoints = new SavePoints(0, environment(), state, queues, forwarder, Runnable::run);
    private long offset;

    @BeforeEach
    void beginSession() {
        fold(new ShardEvent.Owner(NODE), attach("a", 7));
    }

    @Test
    void nothingIsSavedBeforeItsTime() {
        proceed();
        assertThat(store.waiting()).isZero();
    }

    @Test
    void changesAreSavedWhenTheIntervalIsOver() {
        nowMillis += 1000;
        proceed();
        store.answerAll();
        assertThat(store.content.applied).isEqualTo(1);
        assertThat(store.content.sessions).containsOnlyKeys("a");
        assertThat(log.calls).containsExactly("truncate 2");
    }

    @Test
    void changesAreSavedWhenThereAreMany() {
        queue(MANY - 1);
        proceed();
        assertThat(store.waiting()).isZero();
        queue(1);
        proceed();
        assertThat(store.waiting()).isEqualTo(1);
    }

    @Test
    void changesAreSavedWhenTheyAreLarge() {
        fold(publish("x".repeat(1024), recipient("a", 1)));
        proceed();
        assertThat(store.waiting()).isEqualTo(1);
    }

    @Test
    void nothingIsSavedWhenNothingWasFolded() {
        nowMillis += 1000;
        proceed();
        store.answerAll();
        nowMillis += 1000;
        proceed();
        assertThat(store.waiting()).isZero();
    }

    @Test
    void savePointWaitsForItsLeaderWhenItsLastRecordCameEarly() {
        state.leaderEpoch(LogRecord.NOT_READ_BACK);
        nowMillis += 1000;
        proceed();
        assertThat(store.waiting()).isZero();
        log.leaderEpoch = 5;
        proceed();
        store.answerAll();
        assertThat(store.content.leaderEpoch).isEqualTo(5);
    }

    @Test
    void lastSavePointDoesNotWaitForItsLeader() {
        state.leaderEpoch(LogRecord.NOT_READ_BACK);
        savePoints.saveLast(OWNER);
        store.answerAll();
        assertThat(store.content.applied).isEqualTo(1);
        assertThat(store.content.leaderEpoch).isEqualTo(LogRecord.NO_LEADER);
    }

    @Test
    void oneSavePointIsStoredAtATime() {
        nowMillis += 1000;
        proceed();
        queue(MANY);
        proceed();
        assertThat(store.waiting()).isEqualTo(1);
        store.answerAll();
        proceed();
        assertThat(store.waiting()).isEqualTo(1);
    }

    @Test
    void nothingIsStoredWhenItIsHeld() {
        savePoints.hold(nowMillis + 5000);
        nowMillis += 4999;
        queue(MANY);
        assertThat(savePoints.wantsSettled(true)).isFalse();
        proceed();
        assertThat(store.waiting()).isZero();
        assertThat(savePoints.isHeld()).isTrue();
        nowMillis++;
        assertThat(savePoints.isHeld()).isFalse();
        assertThat(savePoints.wantsSettled(true)).isTrue();
        proceed();
        assertThat(store.waiting()).isEqualTo(1);
    }

    /** They would come again if this node died now. */
    @Test
    void acknowledgementsAreLoggedWhenItIsHeld() {
        queue(1);
        savePoints.hold(nowMillis + 5000);
        assertThat(savePoints.isSettledLate(1)).isFalse();
        nowMillis += 1000;
        assertThat(savePoints.isSettledLate(1)).isTrue();
    }

    @Test
    void whatWasTakenIsStoredLaterWhenItIsHeld() {
        nowMillis += 1000;
        proceed();
        queue(MANY);
        savePoints.hold(nowMillis + 5000);
        store.answerAll();
        proceed();
        assertThat(store.content.applied).isEqualTo(1);
        assertThat(store.waiting()).isZero();
    }

    @Test
    void memoryIsFreedWhenItIsHeldAndMuchWaits() {
        savePoints.hold(nowMillis + 5000);
        queue(TOO_MANY);
        proceed();
        assertThat(store.waiting()).isEqualTo(1);
    }

    @Test
    void savePointWaitsForWhatIsSettled() {
        nowMillis += 1000;
        assertThat(savePoints.wantsSettled(false)).isTrue();
        savePoints.settledAppended(true);
        assertThat(savePoints.wantsSettled(false)).isFalse();
        proceed();
        assertThat(store.waiting()).isZero();
        savePoints.settledFolded();
        proceed();
        assertThat(store.waiting()).isEqualTo(1);
    }

    @Test
    void savePointWaitsForItsOwnSettledWhenOthersAreUnderWay() {
        savePoints.settledAppended(false);
        nowMillis += 1000;
        savePoints.settledAppended(true);
        savePoints.settledFolded();
        proceed();
        assertThat(store.waiting()).isZero();
        savePoints.settledFolded();
        proceed();
        assertThat(store.waiting()).isEqualTo(1);
    }

    @Test
    void settledIsWantedWhenNothingElseHappened() {
        nowMillis += 1000;
        proceed();
        store.answerAll();
        assertThat(savePoints.wantsSettled(true)).isFalse();
        nowMillis += 1000;
        assertThat(savePoints.wantsSettled(false)).isFalse();
        assertThat(savePoints.wantsSettled(true)).isTrue();
    }

    @Test
    void savePointWaitsForWhatWasHandedOn() {
        forwarder.forward(1, Samples.message("m"), Samples.recipients(recipient("b", 0)));
        nowMillis += 1000;
        proceed();
        assertThat(store.waiting()).isZero();
        log.makeDurable();
        proceed();
        assertThat(store.waiting()).isEqualTo(1);
    }

    @Test
    void savePointIsStoredAgainWhenTheStoreFailed() {
        nowMillis += 1000;
        proceed();
        store.fail();
        assertThat(proceed()).isTrue();
        assertThat(store.waiting()).isZero();
        nowMillis += 1000;
        proceed();
        store.answerAll();
        assertThat(store.content.applied).isEqualTo(1);
    }

    @Test
    void ownerIsToldWhenTheStoreRefusesIt() {
        nowMillis += 1000;
        proceed();
        store.fail(new FencedException("another owner"));
        assertThat(proceed()).isFalse();
    }

    @Test
    void ownerIsToldWhenAPageShowsTheStoreElsewhere() {
        nowMillis += 1000;
        proceed();
        store.answerAll();
        store.content.applied = 0;
        queues.read(Objects.requireNonNull(state.client("a")), 0, 1, _ -> {});
        store.answerAll();
        assertThat(proceed()).isFalse();
    }

    @Test
    void logIsReadOnWhenASavePointMadeRoom() {
        proceedBehind();
        int[] caughtUp = {0};
        savePoints.onCaughtUp(() -> caughtUp[0]++);
        store.answerAll();
        assertThat(caughtUp[0]).isZero();
        proceed();
        assertThat(caughtUp[0]).isEqualTo(1);
        assertThat(savePoints.isBehind()).isFalse();
    }

    @Test
    void logIsReadOnWhenARecordMadeRoom() {
        proceedBehind();
        int[] caughtUp = {0};
        savePoints.onCaughtUp(() -> caughtUp[0]++);
        long[] many = LongStream.rangeClosed(TOO_MANY / 2, TOO_MANY).toArray();
        fold(new Settled(OWNER, List.of(Samples.settled("a", 1, "m", many)), List.of()));
        proceed();
        assertThat(caughtUp[0]).isEqualTo(1);
    }

    @Test
    void savePointDoesNotWaitForSettledWhenItIsBehind() {
        savePoints.settledAppended(true);
        queue(TOO_MANY);
        assertThat(savePoints.wantsSettled(true)).isFalse();
        proceed();
        assertThat(store.waiting()).isEqualTo(1);
    }

    /** The log is read no further until there is room, and what is settled is to be in it by then. */
    @Test
    void settledIsLoggedWhenTheStoreIsBehind() {
        assertThat(savePoints.isSettledLate(0)).isFalse();
        proceedBehind();
        assertThat(savePoints.wantsSettled(true)).isFalse();
        assertThat(savePoints.isSettledLate(0)).isTrue();
        savePoints.settledAppended(false);
        assertThat(savePoints.isSettledLate(0)).isFalse();
        savePoints.settledFolded();
        assertThat(savePoints.isSettledLate(0)).isTrue();
    }

    @Test
    void settledIsLoggedEachIntervalWhenTheStoreIsAway() {
        nowMillis += 1000;
        proceed();
        store.fail();
        assertThat(savePoints.isSettledLate(0)).isFalse();
        nowMillis += 1000;
        assertThat(savePoints.isSettledLate(0)).isTrue();
        savePoints.settledAppended(false);
        savePoints.settledFolded();
        assertThat(savePoints.isSettledLate(0)).isFalse();
        nowMillis += 1000;
        assertThat(savePoints.isSettledLate(0)).isTrue();
    }

    @Test
    void settledIsLoggedWhenMuchWaitsForAStoreThatIsAway() {
        nowMillis += 1000;
        proceed();
        queue(TOO_MANY / 4 + 1);
        assertThat(savePoints.isSettledLate(0)).isTrue();
        savePoints.settledAppended(false);
        assertThat(savePoints.isSettledLate(0)).isFalse();
    }

    /** Such as a thousand clients a second that come and go for as long as the store is away. */
    @Test
    void sessionsThatComeAndGoDoNotWaitForTheStore() {
        nowMillis += 1000;
        proceed();
        for (int i = 0; i < 200_000; i++) {
            fold(visit("visitor-" + i));
            fold(detach("visitor-" + i, offset - 1, true, 0));
        }
        assertThat(savePoints.isBehind()).isFalse();
        assertThat(state.changes().weight()).isLessThan(1024);
    }

    @Test
    void shardIsBehindWhenManySessionsWaitForTheStore() {
        for (int i = 0; i < 1000 && !savePoints.isBehind(); i++) {
            fold(attach("b" + i, 8 + i));
        }
        assertThat(savePoints.isBehind()).isTrue();
    }

    @Test
    void whatIsLeftOfManyMayWait() {
        queueManyAndSettle(MANY / 8 + 1);
        proceed();
        assertThat(store.waiting()).isZero();
        assertThat(savePoints.wantsSettled(true)).isFalse();
        nowMillis += 1000;
        proceed();
        assertThat(store.waiting()).isEqualTo(1);
    }

    @Test
    void mostOfManyDoNotWait() {
        queueManyAndSettle(MANY / 8);
        proceed();
        assertThat(store.waiting()).isEqualTo(1);
    }

    @Test
    void mostOfTheBytesDoNotWait() {
        fold(publish("x".repeat(896), recipient("a", 1)));
        queueMany();
        settle(2, MANY + 1);
        proceed();
        assertThat(store.waiting()).isEqualTo(1);
    }

    @Test
    void manySessionsDoNotWait() {
        for (int i = 0; i < MANY / 2 - 1; i++) {
            fold(attach("b" + i, 8 + i));
        }
        queueManyAndSettle(MANY);
        proceed();
        assertThat(store.waiting()).isEqualTo(1);
    }

    @Test
    void whatIsLeftOfManyDoesNotWaitLongerThanTheInterval() {
        queueMany();
        nowMillis += 1000;
        settle(1, MANY);
        proceed();
        assertThat(store.waiting()).isEqualTo(1);
    }

    @Test
    void whatIsLeftOfManyIsCountedAgain() {
        queueManyAndSettle(MANY / 2 + 1);
        proceed();
        queue(MANY / 2 + 1);
        assertThat(savePoints.wantsSettled(true)).isTrue();
        proceed();
        assertThat(store.waiting()).isEqualTo(1);
    }

    @Test
    void someTimesManyDoNotWait() {
        for (int sent = 0; sent < 3 * MANY; sent += MANY) {
            queueMany();
            settle(sent + 1, sent + MANY);
            proceed();
        }
        assertThat(store.waiting()).isZero();
        queueMany();
        settle(3 * MANY + 1, 4 * MANY);
        proceed();
        assertThat(store.waiting()).isEqualTo(1);
        store.answerAll();
        queueMany();
        settle(4 * MANY + 1, 5 * MANY);
        proceed();
        assertThat(store.waiting()).isZero();
    }

    private void queueManyAndSettle(long last) {
        queueMany();
        settle(1, last);
    }

    /** Has queued so much that a save point is called for. */
    private void queueMany() {
        queue(MANY);
        assertThat(savePoints.wantsSettled(true)).isTrue();
        savePoints.settledAppended(true);
    }

    /** Has these sequence numbers settled by the record that the save point waits for, which is the next one. */
    private void settle(long first, long last) {
        long[] settled = LongStream.rangeClosed(first, last).toArray();
        fold(new Settled(OWNER, List.of(Samples.settled("a", 1, "m", settled)), List.of()));
        savePoints.settledFolded();
    }

    /** Has one save point on its way and as much waiting as there may be. */
    private void proceedBehind() {
        queue(MANY);
        proceed();
        queue(TOO_MANY);
        proceed();
        assertThat(savePoints.isBehind()).isTrue();
        assertThat(store.waiting()).isEqualTo(1);
    }

    private static ShardEvent visit(String clientId) {
        return new ShardEvent.Attach(
                clientId, NODE, 9, true, 0, 10, ClientKind.DEVICE, null, Principal.ANONYMOUS, false);
    }

    private boolean proceed() {
        return savePoints.proceed(OWNER);
    }

    private void queue(int messages) {
        for (int i = 0; i < messages; i++) {
            fold(publish("m", recipient("a", 1)));
        }
    }

    private void fold(ShardEvent... events) {
        for (ShardEvent event : events) {
            state.apply(offset++, nowMillis, event);
        }
    }

    private ShardEnvironment environment() {
        return new ShardEnvironment(
                DeliveryFixture.config(9, QueueLimits.defaults()),
                NODE,
                _ -> false,
                log,
                store,
                new InstantTopics(),
                appender,
                new RecordingNodes(),
                new NoRouting(),
                new NoObserver(),
                new DeliveryMemory(1 << 20),
                new DeliveryMemory(1 << 20),
                () -> nowMillis,
                () -> nowMillis,
                ShardRecorder.NONE,
                _ -> {});
    }
}
