package io.tributary.broker.shard;

import static io.tributary.broker.shard.fold.Samples.NODE;
import static io.tributary.broker.shard.fold.Samples.attach;
import static io.tributary.broker.shard.fold.Samples.detach;
import static io.tributary.broker.shard.fold.Samples.publish;
import static io.tributary.broker.shard.fold.Samples.recipient;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.shard.fold.Samples;
import io.tributary.common.event.Destinations;
import io.tributary.common.event.Principal;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.event.ShardEvent.Relay;
import io.tributary.common.event.ShardEvent.SnapshotComplete;
import io.tributary.common.event.ShardEvent.SnapshotEntry;
import io.tributary.common.event.ShardEvent.SnapshotQueue;
import io.tributary.common.event.ShardEvent.SnapshotSession;
import io.tributary.common.event.ShardEvent.WillDue;
import io.tributary.common.event.Source;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.Will;
import io.tributary.persistence.shard.SavePoint.SourcePosition;
import io.tributary.persistence.shard.ShardStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What an owner logs again, and what becomes of a store that the log alone has to rebuild. */
class LogSnapshotsTest {
    private static final Duration RETENTION = Duration.ofSeconds(64);
    private static final Will LATE_WILL = new Will(Samples.message("will"), 30, -1);

    private final HeldLog log = new HeldLog(1);
    private final RecordingNodes nodes = new RecordingNodes();
    private HeldStore store = new HeldStore();
    private long nowMillis = 1_000_000;
    private long recordsLost;
    private final List<Long> snapshotDelays = new ArrayList<>();
    private int restored;
    private long cutBelow;
    private Destinations willsAreFor = Destinations.NONE;
    private ShardDriver driver = newDriver();

    // What is repeated.

    @Test
    void sessionsAreLoggedAgainWithTheirQueuesAndWills() {
        goLive();
        fold(attach("a", 7, Samples.FOREVER, LATE_WILL));
        fold(publish("m", recipient("a", 1)), publish("n", recipient("a", 1)));
        ticks(20);
        assertThat(repeated()).hasSize(3);
        SnapshotSession stored = (SnapshotSession) repeated().getFirst();
        assertThat(stored.asOf()).isEqualTo(3);
        assertThat(stored.session().lastSequence()).isEqualTo(2);
        assertThat(stored.will()).isEqualTo(LATE_WILL);
        assertThat(repeated().get(1))
                .isEqualTo(new SnapshotQueue(
                        0,
                        3,
                        "a",
                        List.of(new SnapshotEntry(1, Samples.queued("m")), new SnapshotEntry(2, Samples.queued("n")))));
        assertThat(repeated().getLast()).isEqualTo(new SnapshotComplete(0, 3, 0, List.of()));
    }

    @Test
    void sessionsAreLoggedFourTimesInTheRetentionThoughNothingElseHappens() {
        goLive();
        ticks(640 + 20);
        assertThat(repeated()).hasSize(5).allMatch(SnapshotComplete.class::isInstance);
    }

    @Test
    void sessionsAreLoggedAgainWhenTheClockOfTheServersWasAheadForAWhile() {
        goLive();
        nowMillis += 86_400_000;
        ticks(20);
        assertThat(repeated()).hasSize(1);
        nowMillis -= 86_400_000;
        fold(attach("a", 7));
        ticks(160 + 10);
        assertThat(repeated()).hasSize(3);
    }

    @Test
    void newOwnerDoesNotBeginWhatTheOneBeforeHasDone() {
        goLive();
        fold(attach("a", 7));
        ticks(20);
        assertThat(repeated()).hasSize(2);
        driver = newDriver();
        goLive();
        ticks(100);
        assertThat(repeated()).hasSize(2);
        ticks(60);
        assertThat(repeated()).hasSize(4);
    }

    @Test
    void newOwnerEndsWhatTheOneBeforeHasOnlyBegun() {
        goLive();
        for (int i = 0; i < 25; i++) {
            fold(attach("client-" + i, i));
        }
        ticks(12);
        assertThat(repeated()).hasSize(10);
        driver = newDriver();
        goLive();
        ticks(20);
        assertThat(repeated()).hasSize(36).last().isInstanceOf(SnapshotComplete.class);
    }

    @Test
    void aFewSessionsAreLoggedAtATime() {
        goLive();
        for (int i = 0; i < 25; i++) {
            fold(attach("client-" + i, i));
        }
        ticks(11); // to the beginning of the first snapshot
        assertThat(repeated()).isEmpty();
        ticks(1);
        assertThat(repeated()).hasSize(10);
        ticks(1);
        assertThat(repeated()).hasSize(20);
        ticks(2);
        assertThat(repeated()).hasSize(26).last().isInstanceOf(SnapshotComplete.class);
    }

    @Test
    void whatCameAfterTheSnapshotBeganIsNotInIt() {
        goLive();
        fold(attach("a", 7), publish("m", recipient("a", 1)));
        ticks(11);
        fold(publish("late", recipient("a", 1)), attach("b", 8));
        ticks(10);
        assertThat(repeated().get(1))
                .isEqualTo(new SnapshotQueue(0, 2, "a", List.of(new SnapshotEntry(1, Samples.queued("m")))));
        assertThat(repeated()).hasSize(3);
    }

    @Test
    void sessionsAreLoggedAgainThoughThereIsAlwaysAMessageOnItsWay() {
        goLive();
        fold(attach("a", 7));
        for (int packetId = 1; packetId <= 20; packetId++) {
            fold(relay(packetId));
            ticks(1);
        }
        assertThat(repeated()).hasSize(2).last().isInstanceOf(SnapshotComplete.class);
        assertThat(snapshotDelays).contains(100L).endsWith(0L);
    }

    @Test
    void snapshotEndsWhenTheMessagesBeforeItAreSafe() {
        goLive();
        fold(attach("a", 7), relay(1), detach("a", 1, false, 0));
        tickWithoutLog(20);
        assertThat(log.pending()).hasOnlyElementsOfType(ShardEvent.Publish.class);
        assertThat(snapshotDelays.getLast()).isPositive();
        ticks(2);
        assertThat(repeated()).hasOnlyElementsOfType(SnapshotComplete.class);
    }

    @Test
    void sessionsAreLoggedAgainThoughAWillIsDueAtEachMoment() {
        goLive();
        for (int i = 0; i < 20; i++) {
            long epoch = log.events(0).size();
            fold(attach("a", i, Samples.FOREVER, Samples.WILL), detach("a", epoch, true, Samples.FOREVER));
            assertThat(log.pending()).isNotEmpty().hasOnlyElementsOfType(WillDue.class);
            ticks(1);
        }
        assertThat(repeated()).hasSize(2).last().isInstanceOf(SnapshotComplete.class);
        assertThat(snapshotDelays).contains(100L).endsWith(0L);
    }

    /** Folded again from the snapshot on, the record that publishes the will says nothing. */
    @Test
    void snapshotEndsWhenTheWillsThatWereDueThenAreForwarded() {
        goLive();
        willsAreFor = Samples.recipients(recipient("b", 1));
        fold(attach("a", 7, Samples.FOREVER, Samples.WILL), detach("a", 1, true, 0));
        tickWithoutLog(20);
        assertThat(log.pending()).hasOnlyElementsOfType(WillDue.class);
        long from = log.events(0).size();
        log.makeDurable(nowMillis);
        tickWithoutLog(20);
        assertThat(log.pending()).isEmpty();
        driver.records(from, log.from(0, from));
        tickWithoutLog(20);
        assertThat(log.pending()).hasOnlyElementsOfType(ShardEvent.Publish.class);
        ticks(2);
        assertThat(repeated()).containsExactly(new SnapshotComplete(0, 2, 0, List.of()));
    }

    @Test
    void nothingIsRepeatedWhenTheLogIsCutBehindSavePoints() {
        driver = newDriver(Duration.ZERO);
        goLive();
        ticks(700);
        assertThat(repeated()).isEmpty();
    }

    // What is rebuilt.

    @Test
    void emptyStoreIsRebuiltWhenTheLogHasLostItsBeginning() {
        goLive();
        fold(new ShardEvent.Publish(Samples.message("x"), List.of(), new Source(5, 70, 1)));
        fold(attach("a", 7), publish("m", recipient("a", 2)));
        ticks(20);
        fold(publish("n", recipient("a", 2)), attach("b", 8));
        loseStore(4);
        goLive();
        store.answerAll();
        assertThat(nodes.target.take()).contains("7: attached 2/2", "8: attached 8/8", "7: 1 2");
        assertThat(restored).isEqualTo(1);
        assertThat(recordsLost).isZero();
        ticks(11);
        assertThat(store.content.sessions).containsOnlyKeys("a", "b");
        assertThat(store.content.sources).containsEntry(5, new SourcePosition(5, 70, 1));
        assertThat(store.content.queues.get("a")).containsOnlyKeys(1L, 2L);
    }

    @Test
    void whatAnInterruptedRebuildLeftGoes() {
        goLive();
        fold(attach("a", 7));
        ticks(20);
        loseStore(2);
        store.content.applied = -3;
        store.content.sessions.put("stranger", Samples.session("stranger", 0).toStored());
        goLive();
        ticks(11);
        assertThat(restored).isEqualTo(1);
        assertThat(store.content.sessions).containsOnlyKeys("a");
    }

    /** More than one script takes. */
    @Test
    void sessionsThatAnOldStoreHasGoInParts() {
        goLive();
        fold(attach("a", 7));
        ticks(20);
        loseStore(2);
        int old = 2 * Restore.MOST_CLEARED + 1;
        for (int i = 0; i < old; i++) {
            String client = "stranger-" + i;
            store.content.sessions.put(client, Samples.session(client, 0).toStored());
        }
        store.content.applied = 0;
        goLive();
        ticks(11);
        assertThat(restored).isEqualTo(1);
        assertThat(store.content.sessions).containsOnlyKeys("a");
        assertThat(store.mostCleared).isEqualTo(Restore.MOST_CLEARED);
    }

    @Test
    void lossIsCountedWhenTheSnapshotHasNoEnd() {
        goLive();
        fold(attach("a", 7));
        log.add(0, new SnapshotSession(0, 1, Samples.session("a", 1).toStored(), null), nowMillis);
        loseStore(2);
        goLive();
        assertThat(restored).isZero();
        assertThat(recordsLost).isEqualTo(2);
        assertThat(driver.isLive()).isTrue();
    }

    @Test
    void lossIsCountedWhenTheLogHasLostWhatFollowsTheSnapshot() {
        goLive();
        fold(attach("a", 7));
        ticks(11);
        fold(attach("b", 8));
        ticks(10);
        loseStore(3); // the offset of the snapshot is 1, and record 2 is gone
        goLive();
        assertThat(restored).isZero();
        assertThat(recordsLost).isEqualTo(3);
    }

    @Test
    void anotherSnapshotIsSearchedForWhenTheLogLosesMoreMeanwhile() {
        goLive();
        fold(attach("a", 7));
        ticks(20);
        loseStore(2);
        driver.assigned();
        log.makeDurable();
        store.answerAll();
        driver.records(0, log.from(0, 2)); // the search is over
        driver.records(2, log.from(0, 4)); // record 3 has gone meanwhile
        assertThat(driver.isLive()).isFalse();
        assertThat(store.content.applied).isEqualTo(ShardStore.NOTHING_APPLIED);
        nowMillis += 1000;
        driver.tick();
        assertThat(log.pending()).hasSize(1);
    }

    @Test
    void ownerThatIsTooSlowForTheLogClaimsTheShardAgain() {
        goLive();
        fold(attach("a", 7));
        log.add(0, detach("a", 1, 0), nowMillis);
        log.add(0, attach("a", 8), nowMillis);
        driver.records(2, log.from(0, 3));
        assertThat(driver.isLive()).isFalse();
    }

    /** A message of the client's, to another session. */
    private static ShardEvent relay(int packetId) {
        return new Relay("a", 1, packetId, Samples.message("m"), Samples.recipients(recipient("b", 1)));
    }

    private List<ShardEvent> repeated() {
        return log.events(0).stream()
                .filter(event -> event instanceof SnapshotSession
                        || event instanceof SnapshotQueue
                        || event instanceof SnapshotComplete)
                .toList();
    }

    /** There is a new owner, with an empty store and a log that begins later. */
    private void loseStore(long begin) {
        cutBelow = begin;
        store = new HeldStore();
        driver = newDriver();
        nodes.target.take();
    }

    private void goLive() {
        log.calls.clear();
        driver.assigned();
        log.makeDurable(nowMillis);
        for (int left = 20; left > 0 && !driver.isLive(); left--) {
            store.answerAll();
            read();
        }
        assertThat(driver.isLive()).isTrue();
    }

    /** Hands out what the driver asked for last, as far as the log has it. */
    private void read() {
        long from = log.calls.stream()
                .filter(call -> call.startsWith("read from "))
                .mapToLong(call -> Long.parseLong(call.substring("read from ".length())))
                .reduce((_, last) -> last)
                .orElseThrow();
        driver.records(from, log.from(0, Math.max(from, cutBelow)));
    }

    private void fold(ShardEvent... events) {
        long from = log.events(0).size();
        for (ShardEvent event : events) {
            log.add(0, event, nowMillis);
        }
        driver.records(from, log.from(0, from));
    }

    private void ticks(int count) {
        for (int i = 0; i < count; i++) {
            nowMillis += 100;
            driver.tick();
            store.answerAll();
            long from = log.events(0).size();
            log.makeDurable(nowMillis);
            driver.records(from, log.from(0, from));
        }
    }

    private void tickWithoutLog(int count) {
        for (int i = 0; i < count; i++) {
            nowMillis += 100;
            driver.tick();
        }
    }

    private ShardDriver newDriver() {
        return newDriver(RETENTION);
    }

    private ShardDriver newDriver(Duration retention) {
        ShardEnvironment environment = new ShardEnvironment(
                DeliveryFixture.config(9, QueueLimits.defaults()).toBuilder()
                        .retention(retention)
                        .build(),
                NODE,
                _ -> false,
                log,
                store,
                new InstantTopics(),
                InstantTopics.appender(log),
                nodes,
                new NoRouting() {
                    @Override
                    public Destinations match(Message message, @Nullable Principal principal, Runnable stored) {
                        stored.run();
                        return willsAreFor;
                    }
                },
                new NoObserver(),
                new DeliveryMemory(1 << 20),
                new DeliveryMemory(1 << 20),
                () -> nowMillis,
                () -> nowMillis,
                new ShardRecorder() {
                    @Override
                    public void recordsLost(long records) {
                        recordsLost += records;
                    }

                    @Override
                    public void restored(int shard) {
                        restored++;
                    }

                    @Override
                    public void snapshotDelay(int shard, long millis) {
                        snapshotDelays.add(millis);
                    }
                },
                _ -> {});
        return new ShardDriver(0, environment, Runnable::run);
    }
}
