package io.tributary.broker.shard;

import static io.tributary.broker.shard.fold.Samples.FOREVER;
import static io.tributary.broker.shard.fold.Samples.NODE;
import static io.tributary.broker.shard.fold.Samples.WILL;
import static io.tributary.broker.shard.fold.Samples.attach;
import static io.tributary.broker.shard.fold.Samples.cleanStart;
import static io.tributary.broker.shard.fold.Samples.detach;
import static io.tributary.broker.shard.fold.Samples.message;
import static io.tributary.broker.shard.fold.Samples.offline;
import static io.tributary.broker.shard.fold.Samples.publish;
import static io.tributary.broker.shard.fold.Samples.recipient;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.shard.ShardRecorder.Drop;
import io.tributary.broker.shard.fold.Samples;
import io.tributary.broker.shard.fold.TopicProgress;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Destinations;
import io.tributary.common.event.Principal;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.event.ShardEvent.Attach;
import io.tributary.common.event.ShardEvent.ClientSettled;
import io.tributary.common.event.ShardEvent.Detach;
import io.tributary.common.event.ShardEvent.Owner;
import io.tributary.common.event.ShardEvent.Publish;
import io.tributary.common.event.ShardEvent.Relay;
import io.tributary.common.event.ShardEvent.SessionExpired;
import io.tributary.common.event.ShardEvent.Settled;
import io.tributary.common.event.ShardEvent.WillDue;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.Will;
import io.tributary.common.thread.RoomQueue;
import io.tributary.persistence.app.AppTopics.AppRecord;
import io.tributary.persistence.app.AppTopics.AppTopic;
import io.tributary.persistence.shard.FencedException;
import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.SavePoint.ClientWill;
import io.tributary.persistence.shard.ShardStore.Reused;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShardDriverTest {
    private static final Recipient APP = new Recipient(
            "app", AppRecord.ANY_SESSION, QoS.AT_LEAST_ONCE, false, List.of(), null, ClientKind.APPLICATION);

    private final HeldLog log = new HeldLog(1);
    private final HeldStore store = new HeldStore();
    private final InstantTopics topics = new InstantTopics();
    private final RecordingNodes nodes = new RecordingNodes();
    private final RecordingTarget target = nodes.target;
    private final List<String> told = new ArrayList<>();
    private final Set<String> dead = Set.of("dead");
    /** To be run when the retained message that a will is was stored. */
    private final List<Runnable> willsStored = new ArrayList<>();

    private boolean isStoringSlowly;
    /** There is room for as many retained messages that are not stored yet. */
    private int mostStoring = Integer.MAX_VALUE;

    private @Nullable Error routingFailure;
    private int timesAsked;
    /** The monotonic clock of a node has nothing to do with the log's time. */
    private static final long CLOCK_ORIGIN = 86_400_000;
    /** There is memory for one such will, not for two. */
    private static final Will TOO_LARGE = delayed("x".repeat(2500));

    private long nowMillis = 1_000_000;
    private long recordsLost;
    private final List<Long> handedOn = new ArrayList<>();
    private final List<Drop> drops = new ArrayList<>();
    private final DeliveryMemory willMemory = new DeliveryMemory(4096);
    private final Turns turns = new Turns();
    private ShardDriver driver = new ShardDriver(0, environment(RecordFormat.alone()), turns);

    /** Has each turn end at once, unless it is left open. */
    private static final class Turns implements ShardExecutor {
        private final List<Runnable> ends = new ArrayList<>();
        private boolean isLeftOpen;

        @Override
        public void execute(Runnable task) {
            task.run();
        }

        @Override
        public void atEndOfTurn(Runnable action) {
            if (isLeftOpen) {
                ends.add(action);
            } else {
                action.run();
            }
        }

        void end() {
            isLeftOpen = false;
            ends.forEach(Runnable::run);
            ends.clear();
        }
    }

    // Taking a shard over.

    @Test
    void shardIsLiveWhenItsOwnRecordIsFolded() {
        log.add(0, attach("a", 7), nowMillis);
        driver.assigned();
        log.makeDurable();
        store.answerAll();
        assertThat(log.calls).containsExactly("read from 0");
        driver.records(0, log.from(0, 0).subList(0, 1));
        assertThat(driver.isLive()).isFalse();
        driver.records(1, log.from(0, 1));
        assertThat(driver.isLive()).isTrue();
        assertThat(told).containsExactly("live 0");
    }

    @Test
    void shardIsReadFromWhereTheStoreStands() {
        addOthers(9);
        store.content.applied = 5;
        driver.assigned();
        log.makeDurable();
        store.answerAll();
        assertThat(log.calls).containsExactly("read from 6");
    }

    @Test
    void storeIsNotReadAgainWhenTheShardWasExpected() {
        addOthers(6);
        store.content.applied = 5;
        driver.expected(() -> told.add("ready"));
        store.answerAll();
        assertThat(told).containsExactly("ready");
        driver.assigned();
        log.makeDurable();
        store.answerAll();
        assertThat(store.sessionReads).isEqualTo(1);
        assertThat(log.calls).containsExactly("read from 6");
    }

    @Test
    void storeIsReadAgainWhenItMovedOrTheShardCameLate() {
        addOthers(6);
        store.content.applied = 4;
        driver.expected(() -> {});
        store.answerAll();
        store.content.applied = 5;
        driver.assigned();
        log.makeDurable();
        store.answerAll();
        assertThat(store.sessionReads).isEqualTo(2);
        assertThat(log.calls).containsExactly("read from 6");
        driver.revoked(() -> {});
        driver.expected(() -> {});
        store.answerAll();
        pass(10_000);
        driver.assigned();
        log.makeDurable();
        store.answerAll();
        assertThat(store.sessionReads).isEqualTo(4);
    }

    @Test
    void otherNodeIsNotKeptWaitingWhenTheShardIsClaimedBeforeItIsRead() {
        driver.expected(() -> told.add("ready"));
        driver.assigned();
        assertThat(told).containsExactly("ready");
        driver.expected(() -> told.add("not idle"));
        assertThat(told).containsExactly("ready", "not idle");
        driver.revoked(() -> {});
        driver.expected(() -> told.add("revoked"));
        driver.revoked(() -> {});
        assertThat(told).containsExactly("ready", "not idle", "revoked");
    }

    @Test
    void storeStaysAsItIsWhenAnotherNodeReadsIt() {
        goLive();
        fold(attach("a", 7));
        driver.leaving();
        pass(2_999);
        assertThat(store.waiting()).isZero();
        driver.revoked(() -> {});
        assertThat(store.waiting()).as("no last save point").isZero();
    }

    /** What was folded of the lost records is nowhere else. */
    @Test
    void stateIsStoredWhenTheLogLosesItsEndWhileAnotherNodeReads() {
        goLive();
        fold(attach("a", 7));
        driver.leaving();
        log.room(0);
        driver.wentBack(1);
        assertThat(store.waiting()).isPositive();
    }

    @Test
    void savePointsGoOnWhenTheShardStaysHere() {
        goLive();
        fold(attach("a", 7));
        driver.leaving();
        pass(3_000);
        assertThat(store.waiting()).isPositive();
    }

    @Test
    void shardIsClaimedAgainWhenTheStoreFails() {
        driver.assigned();
        log.makeDurable();
        store.fail();
        pass(999);
        assertThat(log.pending()).isEmpty();
        pass(1);
        assertThat(log.pending()).hasSize(1);
        log.makeDurable();
        store.answerAll();
        read();
        assertThat(driver.isLive()).isTrue();
    }

    @Test
    void shardIsClaimedAgainWhenTheStoreMovedWhileItWasRead() {
        for (int i = 0; i < 6; i++) {
            log.add(0, attach("a", 7), nowMillis);
        }
        store.content.applied = 5;
        driver.assigned();
        log.makeDurable();
        store.arrive();
        store.answer();
        store.arrive();
        store.answer();
        store.content.applied = 4;
        store.answerAll();
        assertThat(log.calls).isEmpty();
        pass(1000);
        assertThat(log.pending()).hasSize(1);
    }

    @Test
    void answersAreIgnoredWhenTheShardIsRevokedMeanwhile() {
        driver.assigned();
        log.makeDurable();
        driver.revoked(() -> {});
        store.answerAll();
        assertThat(log.calls).isEmpty();
        pass(10_000);
        assertThat(log.pending()).isEmpty();
    }

    /** Its sessions are counted by the new owner: never twice in the sums of a cluster. */
    @Test
    void nothingIsCountedWhenTheShardIsRevoked() {
        goLive();
        log.add(0, attach("a", 7), nowMillis);
        read();
        pass(10_000);
        assertThat(driver.stats()).isNotEqualTo(ShardStats.NONE);
        driver.revoked(() -> {});
        assertThat(driver.stats()).isEqualTo(ShardStats.NONE);
    }

    @Test
    void recordsAreIgnoredWhenTheyLeaveAGap() {
        goLive();
        log.add(0, attach("a", 7), nowMillis);
        log.add(0, attach("b", 8), nowMillis);
        driver.records(2, log.from(0, 2));
        assertThat(target.take()).isEmpty();
        driver.records(1, log.from(0, 1));
        assertThat(target.take()).containsExactly("7: attached 1/1", "8: attached 2/2");
    }

    @Test
    void lossIsCountedAndTheRestFoldedWhenTheLogBeginsBehindWhatTheStoreHas() {
        addOthers(9);
        log.add(0, attach("a", 7), nowMillis);
        store.content.applied = 5;
        driver.assigned();
        log.makeDurable();
        store.answerAll();
        driver.records(6, log.from(0, 8)); // 6 and 7 are deleted
        assertThat(recordsLost).isEqualTo(2);
        assertThat(log.calls).containsExactly("read from 6", "read from 8");
        driver.records(8, log.from(0, 8));
        assertThat(driver.isLive()).isTrue();
        assertThat(target.take()).containsExactly("7: attached 9/9");
        fold(attach("b", 8));
        assertThat(recordsLost).isEqualTo(2);
    }

    @Test
    void shardIsClaimedAgainLaterWhenANewerOwnerIsFolded() {
        goLive();
        fold(new Owner("other"));
        assertThat(driver.isLive()).isFalse();
        pass(999);
        assertThat(log.pending()).isEmpty();
        pass(1);
        claim();
        assertThat(driver.isLive()).isTrue();
    }

    @Test
    void shardIsLeftAloneWhenRevokedAfterANewerOwnerIsFolded() {
        goLive();
        fold(new Owner("other"));
        driver.revoked(() -> {});
        pass(5000);
        assertThat(log.pending()).isEmpty();
    }

    @Test
    void shardIsClaimedAgainWhenTheStoreRefusesASavePoint() {
        goLive();
        pass(1000);
        store.fail(new FencedException("elsewhere"));
        pass(100);
        assertThat(driver.isLive()).isFalse();
        pass(1000);
        claim();
        assertThat(driver.isLive()).isTrue();
    }

    @Test
    void shardIsClaimedAgainWhenARecordCannotBeFolded() {
        goLive();
        byte[] unreadable = {99};
        driver.records(1, List.of(new LogRecord(1, nowMillis, unreadable)));
        assertThat(driver.isLive()).isFalse();
        pass(1000);
        assertThat(log.pending()).hasSize(1);
    }

    /** Who gets a message on this thread may fail in any way; what is behind it in the batch is folded all the same. */
    @Test
    void recordIsForwardedAgainWhenThatFailsWithAnError() {
        goLive();
        fold(attach("a", 7));
        routingFailure = new AssertionError("a subscriber's");
        Relay relay = new Relay("a", 1, 5, message("m"), Samples.recipients(recipient("b", 1)));
        fold(relay, attach("b", 8));
        assertThat(driver.isLive()).isFalse();
        assertThat(log.pending()).noneMatch(Publish.class::isInstance);
        routingFailure = null;
        pass(1000);
        claim();
        assertThat(log.pending()).filteredOn(Publish.class::isInstance).hasSize(1);
        assertThat(target.take()).anyMatch(answer -> answer.startsWith("8: attached"));
    }

    @Test
    void shardIsClaimedAgainWhenItsOwnerRecordIsNotAppended() {
        driver.assigned();
        log.fail();
        pass(1000);
        claim();
        assertThat(driver.isLive()).isTrue();
    }

    @Test
    void shardIsClaimedAgainWhenTheOffsetOfItsOwnerRecordIsNotKnown() {
        driver.assigned();
        log.makeDurableSomewhere();
        assertThat(store.waiting()).as("claims").isZero();
        pass(1000);
        claim();
        assertThat(driver.isLive()).isTrue();
    }

    @Test
    void shardIsClaimedAgainWhenAcknowledgementsAreNotAppended() {
        goLive();
        fold(attach("a", 7), publish("m", recipient("a", 1)));
        driver.serve(service -> service.settle("a", 1, new long[] {1}));
        pass(1000);
        claimAgainAfterAFailure();
    }

    @Test
    void shardIsClaimedAgainWhenTheEndOfASessionIsNotAppended() {
        goLive();
        fold(attach("a", 7), detach("a", 1, true, 60));
        pass(60_000);
        claimAgainAfterAFailure();
    }

    @Test
    void shardIsClaimedAgainWhenAWillIsNotAppended() {
        goLive();
        fold(attach("a", 7, FOREVER, WILL), detach("a", 1, true, FOREVER));
        claimAgainAfterAFailure();
    }

    @Test
    void shardIsClaimedAgainWhenADeadNodesClientIsNotDetached() {
        goLive();
        fold(attach("a", 7));
        driver.gone(NODE);
        claimAgainAfterAFailure();
    }

    @Test
    void shardIsClaimedAgainWhenAMessageIsNotHandedOn() {
        goLive();
        fold(attach("a", 7), new Relay("a", 1, 5, message("m"), Samples.recipients(recipient("a", 1))));
        claimAgainAfterAFailure();
        assertThat(log.pending()).hasSize(1); // forwarded once more
        log.makeDurable();
        pass(1000);
        store.answerAll();
        pass(1000);
        store.answerAll();
        assertThat(store.content.applied).isGreaterThan(2);
    }

    @Test
    void shardIsLeftAloneWhenAnAppendFailsAfterItWasRevoked() {
        goLive();
        fold(attach("a", 7), publish("m", recipient("a", 1)));
        driver.serve(service -> service.settle("a", 1, new long[] {1}));
        driver.revoked(() -> {});
        log.fail();
        pass(5000);
        assertThat(log.pending()).isEmpty();
    }

    private void claimAgainAfterAFailure() {
        log.fail();
        assertThat(driver.isLive()).isFalse();
        pass(1000);
        claim();
        assertThat(driver.isLive()).isTrue();
    }

    // Connections.

    @Test
    void connectionsAreToldWhenTheyHaveTheirSessions() {
        goLive();
        fold(attach("a", 7));
        fold(attach("a", 8));
        assertThat(target.take()).containsExactly("7: attached 1/1", "7: taken over", "8: attached 1/2 present");
    }

    @Test
    void connectionsOfOtherNodesAreNotTold() {
        goLive();
        fold(elsewhere("a", "other"));
        fold(attach("a", 8));
        assertThat(target.take()).containsExactly("8: attached 1/2 present");
        assertThat(nodes.elsewhere.take()).hasSize(2).last().asString().endsWith("taken over");
    }

    @Test
    void tellsHowLongSomeMessagesTookFromTheLogToTheirConnection() {
        goLive();
        fold(attach("a", 7));
        for (int i = 1; i <= ShardRecorder.SAMPLE + 1; i++) {
            log.add(0, publish("m", recipient("a", 1)), nowMillis);
            nowMillis += 3;
            read();
            long[] settled = {i};
            driver.serve(service -> service.settle("a", 1, settled));
        }
        assertThat(handedOn).containsExactly(3L, 3L);
    }

    @Test
    void connectionIsToldWhenItAttachedBeforeTheShardWasLive() {
        log.add(0, attach("a", 7), nowMillis);
        log.add(0, attach("a", 8), nowMillis);
        log.add(0, publish("m", recipient("a", 0)), nowMillis);
        goLive();
        assertThat(target.take()).containsExactly("7: taken over", "8: attached 0/1 present", "8: 1");
    }

    @Test
    void sessionsOfDeadNodesAreDetached() {
        log.add(0, elsewhere("a", "dead"), nowMillis);
        log.add(0, elsewhere("b", "other"), nowMillis);
        goLive();
        assertThat(log.pending()).containsExactly(new Detach("a", 0, true, FOREVER, -1));
    }

    @Test
    void acknowledgementsAreLoggedWithTheNextSavePoint() {
        goLive();
        fold(attach("a", 7));
        fold(publish("m", recipient("a", 1)));
        driver.serve(service -> service.settle("a", 1, new long[] {1}));
        assertThat(log.pending()).isEmpty();
        pass(1000);
        assertThat(log.pending()).singleElement().isInstanceOf(Settled.class);
    }

    /** A save point of ten messages is on its way, and fifty wait for the next one: the log is read no further. */
    @Test
    void acknowledgementsAreLoggedAtOnceWhenSavePointsAreLate() {
        goLive();
        fold(attach("a", 7));
        for (int i = 0; i < 60; i++) {
            fold(publish("m", recipient("a", 1)));
        }
        assertThat(log.pending()).isEmpty();
        driver.serve(service -> service.settle("a", 1, new long[] {1}));
        assertThat(log.pending()).singleElement().isInstanceOf(Settled.class);
        driver.serve(service -> service.settle("a", 1, new long[] {2}));
        assertThat(log.pending()).hasSize(1);
    }

    @Test
    void pubrecIsLoggedAtOnce() {
        goLive();
        fold(attach("a", 7));
        fold(publish("m", recipient("a", 1)));
        target.take();
        driver.serve(service -> service.received("a", 1, new long[] {1}));
        log.makeDurable();
        assertThat(target.take()).isEmpty();
        read();
        assertThat(target.take()).containsExactly("7: received [1]");
    }

    @Test
    void pubrecsOfATurnAreLoggedInOneRecord() {
        goLive();
        fold(attach("a", 7), attach("b", 8));
        fold(publish("m", recipient("a", 1), recipient("b", 2)), publish("n", recipient("a", 1)));
        turns.isLeftOpen = true;
        driver.serve(service -> service.received("a", 1, new long[] {1}));
        driver.serve(service -> service.received("b", 2, new long[] {1}));
        driver.serve(service -> service.received("a", 1, new long[] {2}));
        assertThat(log.pending()).isEmpty();
        turns.end();
        assertThat(log.pending())
                .singleElement()
                .isInstanceOfSatisfying(
                        Settled.class,
                        settled -> assertThat(settled.clients())
                                .extracting(ClientSettled::clientId)
                                .containsExactly("a", "b"));
        driver.serve(service -> service.received("b", 2, new long[] {1}));
        assertThat(log.pending()).as("the next turn's, too").hasSize(2);
    }

    @Test
    void pubrecsAreLoggedOnceWhenTheShardIsRevokedBeforeTheTurnEnds() {
        goLive();
        fold(attach("a", 7));
        fold(publish("m", recipient("a", 1)));
        turns.isLeftOpen = true;
        driver.serve(service -> service.received("a", 1, new long[] {1}));
        driver.revoked(() -> {});
        assertThat(log.pending()).singleElement().isInstanceOf(Settled.class);
        turns.end();
        assertThat(log.pending()).hasSize(1);
    }

    @Test
    void acknowledgementsAreIgnoredWhenNotLive() {
        driver.serve(service -> service.settle("a", 1, new long[] {1}));
        driver.serve(service -> service.received("a", 1, new long[] {1}));
        driver.readOn();
        assertThat(log.pending()).isEmpty();
        assertThat(log.calls).isEmpty();
    }

    // Letting go.

    @Test
    void nextOwnerFindsWhatIsKnownWhenTheShardIsRevoked() {
        goLive();
        fold(attach("a", 7), publish("m", recipient("a", 1)), publish("n", recipient("a", 1)));
        driver.serve(service -> service.settle("a", 1, new long[] {1}));
        driver.revoked(() -> {});
        assertThat(log.pending()).singleElement().isInstanceOf(Settled.class);
        store.answerAll();
        assertThat(store.content.applied).isEqualTo(3);
        assertThat(store.content.queues.get("a")).containsOnlyKeys(1L, 2L);
        assertThat(log.calls).doesNotContain("truncate 4");
    }

    @Test
    void nothingIsSavedWhenAShardIsRevokedThatIsNotLive() {
        driver.assigned();
        log.makeDurable();
        driver.revoked(() -> {});
        driver.revoked(() -> {});
        store.answerAll();
        assertThat(store.content.applied).isEqualTo(-1);
    }

    // QoS 0.

    @Test
    void qos0GoesToTheNodeOfTheConnection() {
        goLive();
        fold(attach("a", 7));
        target.take();
        driver.ask(service -> service.qos0("a", 1, Samples.queued("m")));
        driver.ask(service -> service.qos0("a", 0, Samples.queued("of an earlier session")));
        driver.ask(service -> service.qos0("b", 1, Samples.queued("of nobody")));
        assertThat(target.take()).containsExactly("qos 0 a/1");
        fold(detach("a", 1, 0));
        driver.ask(service -> service.qos0("a", 1, Samples.queued("of one who is away")));
        assertThat(target.take()).isEmpty();
    }

    @Test
    void qos0IsDroppedWhileTheShardIsNotLive() {
        driver.ask(service -> service.qos0("a", 1, Samples.queued("m")));
        assertThat(target.take()).isEmpty();
    }

    // Relays.

    @Test
    void relayIsAnsweredWhenFolded() {
        goLive();
        fold(attach("a", 7));
        target.take();
        fold(relay(1));
        assertThat(target.take()).containsExactly("relayed 1/5");
    }

    @Test
    void relayIsNotAnsweredWhenItsConnectionLostTheSession() {
        goLive();
        fold(attach("a", 7), attach("a", 8));
        target.take();
        fold(relay(1));
        assertThat(target.take()).isEmpty();
    }

    @Test
    void connectionsAreToldOnceMoreWhenTheirNodeCanBeReachedAgain() {
        goLive();
        fold(attach("a", 7), attach("b", 8), publish("1", recipient("a", 1)));
        target.take();
        nodes.asked.clear();
        driver.reachable("elsewhere");
        assertThat(target.take()).isEmpty();
        nodes.asked.clear();
        driver.reachable(NODE);
        assertThat(target.take()).containsExactlyInAnyOrder("7: attached 1/1", "7: 1", "8: attached 2/2");
        assertThat(nodes.asked).containsExactly(NODE);
    }

    @Test
    void sessionsOfANodeAreDetachedWhenItIsGone() {
        goLive();
        fold(attach("a", 7));
        driver.gone("elsewhere");
        assertThat(log.pending()).isEmpty();
        driver.gone(NODE);
        assertThat(log.pending()).containsExactly(new Detach("a", 1, true, Samples.FOREVER, -1));
    }

    @Test
    void nobodyIsToldWhileTheShardIsNotLive() {
        log.add(0, attach("a", 7), nowMillis);
        driver.assigned();
        driver.reachable(NODE);
        driver.gone(NODE);
        assertThat(target.take()).isEmpty();
    }

    @Test
    void tellsThatASessionIsOverWhenAskedWhetherItIs() {
        goLive();
        fold(attach("a", 7));
        told.clear();
        driver.ask(service -> service.verify("a", 1));
        assertThat(told).isEmpty();
        driver.ask(service -> service.verify("a", 0));
        driver.ask(service -> service.verify("b", 1));
        driver.ask(service -> service.verify("b", 2)); // of which nothing is known here yet
        assertThat(told).containsExactly("ended a/0", "ended b/1");
    }

    @Test
    void tellsNothingOfSessionsBeforeTheShardIsLive() {
        driver.assigned();
        driver.ask(service -> service.verify("b", 5));
        assertThat(told).isEmpty();
    }

    // The store is away.

    /** For as long as it is away: what was acknowledged is logged, and waits for the store no longer. */
    @Test
    void clientThatAcknowledgesNoticesNothingWhenTheStoreIsAway() {
        goLive();
        fold(attach("a", 7));
        pass(1000);
        store.fail();
        target.take();
        log.calls.clear();
        long sequence = 0;
        for (int round = 0; round < 1000; round++) {
            fold(publish("m", recipient("a", 1)), publish("m", recipient("a", 1)));
            assertThat(target.take()).containsExactly("7: " + (sequence + 1) + " " + (sequence + 2));
            long[] settled = {++sequence, ++sequence};
            driver.serve(service -> service.settle("a", 1, settled));
            log.makeDurable(nowMillis);
            read();
            pass(100);
            while (store.waiting() > 0) {
                store.fail();
            }
        }
        assertThat(log.calls).doesNotContain("pause");
    }

    /** A batch of the log's may hold more than there is room for; no record of it is left out. */
    @Test
    void logIsReadAgainFromWhereThereWasNoMoreRoom() {
        goLive();
        fold(attach("a", 7));
        for (int i = 0; i < 200; i++) {
            log.add(0, publish("m", recipient("a", 1)), nowMillis);
        }
        log.calls.clear();
        read();
        assertThat(log.calls).hasSize(1).allMatch(call -> call.startsWith("read from "));
        int from = Integer.parseInt(log.calls.getFirst().substring("read from ".length()));
        assertThat(from).isBetween(10, 100);
        log.calls.clear();
        driver.records(from, log.from(0, from));
        assertThat(log.calls).containsExactly("pause");
        log.calls.clear();
        store.answerAll();
        pass(100);
        assertThat(log.calls).anyMatch(call -> call.startsWith("read from "));
    }

    // Time.

    @Test
    void sessionExpiresWhenItsTimeIsOver() {
        goLive();
        fold(attach("a", 7), detach("a", 1, true, 60));
        pass(59_999);
        assertThat(expiries()).isEmpty();
        pass(1);
        assertThat(expiries()).containsExactly(new SessionExpired(0, "a", 1, 0));
        pass(1000);
        assertThat(expiries()).hasSize(1);
    }

    @Test
    void sessionDoesNotExpireWhenResumed() {
        goLive();
        fold(attach("a", 7), detach("a", 1, true, 60), attach("a", 8));
        pass(100_000);
        assertThat(expiries()).isEmpty();
    }

    @Test
    void timersAreSetWhenLoaded() {
        log.add(0, attach("a", 7), nowMillis);
        log.add(0, detach("a", 0, true, 60), nowMillis);
        goLive();
        pass(60_000);
        assertThat(expiries()).containsExactly(new SessionExpired(2, "a", 0, 0));
    }

    /** To set the timers of many sessions at once would hold up other shards. */
    @Test
    void nothingIsLateWhenManySessionsAreLoaded() {
        int sessions = 5_000;
        for (int i = 0; i < sessions; i++) {
            long expirySeconds = i % 10 == 0 ? 1_010 : 4_600; // ten seconds from now, and an hour
            store.content.sessions.put("c" + i, offline("c" + i, expirySeconds).toStored());
        }
        goLive();
        pass(10_000);
        assertThat(expiries()).hasSize(sessions / 10);
        for (int tick = 0; tick < 200; tick++) {
            pass(100);
        }
        pass(3_600_000);
        for (int tick = 0; tick < sessions / 1_000; tick++) {
            pass(100);
        }
        assertThat(expiries()).hasSize(sessions);
    }

    @Test
    void willIsPublishedWithItsExpiryWhenItsDelayIsOver() {
        goLive();
        fold(attach("a", 7, FOREVER, new Will(message("will"), 10, 5)), detach("a", 1, true, FOREVER));
        pass(9_999);
        assertThat(wills()).isEmpty();
        pass(1);
        assertThat(wills())
                .containsExactly(new WillDue("a", 1, message("will").withExpiry(nowMillis + 5_000), Destinations.NONE));
        pass(1000);
        assertThat(wills()).hasSize(1);
    }

    @Test
    void willsAndEndsOfOthersAreDueWhenOneFails() {
        goLive();
        for (String client : List.of("a", "b")) {
            long epoch = log.from(0, 0).size();
            fold(attach(client, 7, FOREVER, new Will(message("will"), 10, -1)), detach(client, epoch, true, FOREVER));
        }
        routingFailure = new AssertionError("an authorizer's");
        pass(10_000);
        assertThat(wills()).isEmpty();
        routingFailure = null;
        pass(999);
        assertThat(wills()).isEmpty();
        pass(1);
        assertThat(wills()).hasSize(2);
    }

    @Test
    void willThatFailsAgainAndAgainIsPublishedToNobodyAndCounted() {
        goLive();
        fold(attach("a", 7, FOREVER, WILL), attach("b", 8, FOREVER, delayed("will")));
        routingFailure = new AssertionError("an authorizer's");
        fold(detach("a", 1, true, FOREVER), detach("b", 2, true, 20));
        for (int second = 1; second < 10; second++) {
            assertThat(wills()).isEmpty();
            pass(1000);
        }
        assertThat(wills()).containsExactly(new WillDue("a", 1, message("will"), Destinations.NONE));
        for (int second = 10; second < 19; second++) {
            pass(1000);
            assertThat(wills()).hasSize(1);
        }
        pass(1000);
        assertThat(wills()).last().isEqualTo(new WillDue("b", 2, message("will"), Destinations.NONE));
        assertThat(drops).containsExactly(Drop.WILL_FAILED, Drop.WILL_FAILED);
        routingFailure = null;
        log.makeDurable(nowMillis);
        read();
        pass(1000);
        assertThat(expiries()).containsExactly(new SessionExpired(0, "b", 2, 0));
    }

    @Test
    void nextWillOfAClientHasTriesOfItsOwn() {
        goLive();
        fold(attach("a", 7, FOREVER, delayed("will")), detach("a", 1, true, FOREVER));
        routingFailure = new AssertionError("an authorizer's");
        pass(10_000);
        for (int second = 1; second < 9; second++) {
            pass(1000);
        }
        fold(attach("a", 8, FOREVER, new Will(message("next"), 1, -1)), detach("a", 3, true, FOREVER));
        pass(1000);
        assertThat(wills()).isEmpty();
        assertThat(drops).isEmpty();
    }

    @Test
    void someOfManyWillsThatFailedAreTriedAgainInEachTurn() {
        for (int i = 0; i < 1500; i++) {
            store.content.wills.put("c" + i, new ClientWill("c" + i, i, WILL, true));
        }
        routingFailure = new AssertionError("an authorizer's");
        goLive();
        timesAsked = 0;
        pass(1000);
        assertThat(timesAsked).isEqualTo(1000);
        pass(100);
        assertThat(timesAsked).isEqualTo(1500);
    }

    @Test
    void willThatCannotBeLoggedAgainAndAgainIsPublishedToNobodyAndCounted() {
        goLive();
        fold(attach("a", 7, FOREVER, WILL));
        log.breakFor(10);
        fold(detach("a", 1, true, FOREVER));
        for (int second = 1; second < 10; second++) {
            assertThat(wills()).isEmpty();
            pass(1000);
        }
        assertThat(wills()).containsExactly(new WillDue("a", 1, message("will"), Destinations.NONE));
        assertThat(drops).containsExactly(Drop.WILL_FAILED);
        pass(1000);
        assertThat(wills()).hasSize(1);
    }

    @Test
    void connectionDoesNotWaitForAWillThatFailedBefore() {
        goLive();
        fold(attach("a", 7, FOREVER, delayed("will")), detach("a", 1, true, FOREVER));
        routingFailure = new AssertionError("an authorizer's");
        pass(10_000);
        routingFailure = null;
        pass(1000);
        assertThat(wills()).hasSize(1);
        log.makeDurable(nowMillis);
        read();
        target.take();
        fold(attach("a", 8));
        assertThat(target.take()).hasSize(1).first().asString().startsWith("8: attached 1/");
    }

    @Test
    void delayedWillIsPublishedLaterWhenThisNodeDoesNotKnowWhatTheOthersDo() {
        goLive();
        fold(attach("a", 7, FOREVER, new Will(message("will"), 10, -1)), detach("a", 1, true, FOREVER));
        nodes.currentFor = 1; // until the timers were asked
        pass(10_000);
        assertThat(wills()).isEmpty();
        nodes.currentFor = Integer.MAX_VALUE;
        pass(100);
        assertThat(wills()).hasSize(1);
    }

    @Test
    void willsThatAreDueTogetherWaitWhileTheLogHasNoRoom() {
        goLive();
        for (int i = 1; i <= 4; i++) {
            fold(attach("c" + i, i, FOREVER, delayed("will")));
        }
        for (int i = 1; i <= 4; i++) {
            fold(detach("c" + i, i, true, FOREVER));
        }
        log.room(1);
        pass(10_000);
        log.room(1); // for the one that found none
        assertThat(wills()).hasSize(2);
        pass(100);
        log.room(Integer.MAX_VALUE);
        assertThat(wills()).hasSize(3);
        log.makeDurable(nowMillis);
        read();
        pass(100);
        assertThat(wills()).hasSize(1);
    }

    @Test
    void dueWillWaitsWhileTheLogHasNoRoom() {
        goLive();
        fold(attach("a", 7, FOREVER, WILL), attach("b", 8, FOREVER, WILL), attach("c", 9, FOREVER, WILL));
        log.room(0);
        fold(detach("a", 1, true, FOREVER), detach("b", 2, true, FOREVER), detach("c", 3, true, FOREVER));
        pass(100);
        log.room(Integer.MAX_VALUE);
        assertThat(wills()).hasSize(1);
        pass(100);
        assertThat(wills()).hasSize(3);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 10})
    void willsThatAreDueTogetherWaitWhileManyWaitToBeRetained(int delaySeconds) {
        goLive();
        isStoringSlowly = true;
        mostStoring = 2;
        for (int i = 1; i <= 5; i++) {
            Message will = message("will").withRetain(true);
            fold(attach("c" + i, i, FOREVER, new Will(will, delaySeconds, -1)));
        }
        for (int i = 1; i <= 5; i++) {
            fold(detach("c" + i, i, true, FOREVER));
        }
        pass(10_000);
        assertThat(wills()).hasSize(2);
        pass(100);
        assertThat(wills()).hasSize(2);
        willsStored.clear();
        pass(100);
        assertThat(wills()).hasSize(4);
        willsStored.clear();
        pass(100);
        assertThat(wills()).hasSize(5);
    }

    @Test
    void clientIsRefusedWhenThereIsNoMemoryForItsWill() {
        goLive();
        fold(attach("a", 7, FOREVER, delayed("x".repeat(2500))), detach("a", 1, true, FOREVER));
        target.take();
        fold(attach("b", 8, FOREVER, delayed("x".repeat(2500))));
        assertThat(target.take()).isEmpty();
        assertThat(detaches()).containsExactly(new Detach("b", 3, false, 0, 0));

        log.makeDurable(nowMillis);
        assertThat(target.take()).containsExactly("8: refused, is NO_ROOM_FOR_WILL");
        read();
        assertThat(told).contains("ended b/3");
        assertThat(willMemory.used()).isBetween(2500L, 3500L);
        target.take();
        fold(attach("b", 9), attach("c", 10, FOREVER, delayed("small")), attach("a", 11, FOREVER, delayed("m")));
        assertThat(target.take()).containsExactly("9: attached 5/5", "10: attached 6/6", "11: attached 1/7 present");
    }

    /** Its node forgets who is refused: the session would be left with a connection whose end nobody tells. */
    @Test
    void clientIsNotRefusedForItsWillByAnOwnerThatCannotLogIt() {
        goLive();
        fold(attach("a", 7, FOREVER, delayed("x".repeat(5000))));
        log.fail();
        assertThat(target.take()).isEmpty();
        pass(1000);
        claim();
        assertThat(target.take()).containsExactly("7: attached 1/1");
    }

    /** It wakes up and reads a CONNECT, and with it that another owner has the shard, which has accepted the client. */
    @Test
    void clientIsNotRefusedForItsWillByAnOwnerThatHasLostTheShard() {
        goLiveWithOthersWills();
        nodes.currentFor = 0;
        fold(attach("a", 8, FOREVER, TOO_LARGE), new Owner("other"));
        assertThat(driver.isLive()).isFalse();
        assertThat(detaches()).isEmpty();
    }

    @Test
    void sessionIsKeptWhenItsClientIsRefusedForItsWill() {
        goLive();
        fold(attach("a", 7), detach("a", 1, true, 60), attach("a", 8, 0, delayed("x".repeat(5000))));
        assertThat(detaches()).containsExactly(new Detach("a", 3, false, 60, 0));
        log.makeDurable(nowMillis);
        read();
        target.take();
        fold(attach("a", 9));
        assertThat(target.take()).containsExactly("9: attached 1/5 present");
    }

    /** Its nodes have no word for it, and its records no place for the will from before. */
    @Test
    void noWillIsRefusedWhileAnOlderFormatIsWritten() {
        driver = new ShardDriver(0, environment(new RecordFormat(RecordFormat.NEWEST)), turns);
        goLiveWithOthersWills();
        fold(attach("a", 7, FOREVER, TOO_LARGE));
        assertThat(target.take()).containsExactly("7: attached 2/2");
    }

    @Test
    void willThatWasAcceptedIsPublishedWhenItsClientIsRefusedForAnother() {
        goLive();
        fold(
                attach("a", 7, FOREVER, delayed("accepted")),
                detach("a", 1, true, FOREVER),
                attach("a", 8, FOREVER, delayed("x".repeat(5000))));
        log.makeDurable(nowMillis);
        read();
        pass(9_900);
        assertThat(wills()).isEmpty();
        pass(200);
        assertThat(wills())
                .extracting(will -> new String(((WillDue) will).message().payload(), UTF_8))
                .containsExactly("accepted");
        log.makeDurable(nowMillis);
        read();
        pass(20_000);
        assertThat(wills()).isEmpty();
    }

    /** The second one comes before the log says that the first is gone. */
    @Test
    void willThatWasAcceptedIsPublishedWhenItsClientIsRefusedTwiceInARow() {
        goLiveWithOthersWills();
        fold(
                attach("a", 7, FOREVER, delayed("accepted")),
                detach("a", 2, true, FOREVER),
                attach("a", 8, FOREVER, TOO_LARGE),
                attach("a", 9, FOREVER, TOO_LARGE));
        log.makeDurable(nowMillis);
        read();
        assertThat(target.take()).contains("8: refused, is NO_ROOM_FOR_WILL", "9: refused, is NO_ROOM_FOR_WILL");
        pass(9_900);
        assertThat(wills()).isEmpty();
        pass(200);
        assertThat(textsOfWills()).containsExactly("accepted");
    }

    @Test
    void nothingIsLeftOfAClientWithoutASessionThatIsRefusedTwiceInARow() {
        goLiveWithOthersWills();
        fold(attach("a", 8, FOREVER, TOO_LARGE), attach("a", 9, FOREVER, TOO_LARGE));
        assertThat(detaches()).containsExactly(new Detach("a", 2, false, 0, 0), new Detach("a", 3, false, 0, 0));
        log.makeDurable(nowMillis);
        read();
        assertThat(told).contains("ended a/2");
        assertThat(willMemory.used()).isBetween(2500L, 3500L);
    }

    @Test
    void willThatWasAcceptedIsDueWhenItsClientBeginsANewSessionAfterARefusal() {
        goLiveWithOthersWills();
        fold(
                attach("a", 7, FOREVER, delayed("accepted")),
                detach("a", 2, true, FOREVER),
                attach("a", 8, FOREVER, new Will(TOO_LARGE.message(), 0, -1)),
                cleanStart("a", 9));
        log.makeDurable(nowMillis);
        read();
        pass(100);
        assertThat(textsOfWills()).containsExactly("accepted");
        log.makeDurable(nowMillis);
        read();
        pass(20_000);
        assertThat(wills()).isEmpty();
    }

    @Test
    void willThatADisconnectAtAnotherNodeTakesBackDoesNotComeBackWhenItsClientIsRefused() {
        goLiveWithOthersWills();
        fold(attach("a", 7, FOREVER, delayed("accepted")));
        target.answers = true;
        fold(elsewhere("a", "other", TOO_LARGE));
        assertThat(detaches()).isEmpty();
        fold(detach("a", 2, false, FOREVER));
        assertThat(detaches()).containsExactly(new Detach("a", 3, false, FOREVER, 0));
        log.makeDurable(nowMillis);
        read();
        assertThat(nodes.elsewhere.take()).containsExactly("7: refused, is NO_ROOM_FOR_WILL");
        pass(20_000);
        assertThat(wills()).isEmpty();
    }

    @Test
    void willComesBackWhenTheNodeOfTheConnectionBeforeARefusedOneDoesNotAnswer() {
        goLiveWithOthersWills();
        fold(attach("a", 7, FOREVER, delayed("accepted")));
        target.answers = true;
        fold(elsewhere("a", "other", TOO_LARGE));
        pass(100);
        pass(100);
        log.makeDurable(nowMillis);
        read();
        assertThat(nodes.elsewhere.take()).containsExactly("7: refused, is NO_ROOM_FOR_WILL");
        pass(10_000);
        assertThat(textsOfWills()).containsExactly("accepted");
    }

    @Test
    void connectionBehindARefusedOneThatWaitsHasTheSessionAndBothAreAnswered() {
        goLiveWithOthersWills();
        fold(attach("a", 7, FOREVER, delayed("accepted")));
        target.answers = true;
        fold(elsewhere("a", "other", TOO_LARGE), attach("a", 8));
        assertThat(detaches()).hasSize(1);
        log.makeDurable(nowMillis);
        read();
        pass(100);
        pass(100);
        assertThat(nodes.elsewhere.take()).contains("7: refused, is NO_ROOM_FOR_WILL");
        assertThat(target.take()).contains("8: attached 2/4 present");
        pass(20_000);
        assertThat(wills()).isEmpty();
    }

    @Test
    void willMayTakeThePlaceOfAnotherWhenThereIsNoMemoryForMore() {
        log.add(0, attach("a", 7, FOREVER, delayed("x".repeat(5000))), nowMillis); // of a node with more memory
        log.add(0, detach("a", 0, true, FOREVER), nowMillis);
        goLive();
        fold(attach("a", 8, FOREVER, delayed("y".repeat(5000))));
        assertThat(target.take()).contains("8: attached 0/3 present");
        driver.revoked(() -> {});
        assertThat(willMemory.used()).isZero();
    }

    private List<String> textsOfWills() {
        return wills().stream()
                .map(will -> new String(((WillDue) will).message().payload(), UTF_8))
                .toList();
    }

    private static Will delayed(String text) {
        return new Will(message(text), 10, -1);
    }

    @Test
    void willIsMatchedAgainWhenThisNodeWasPausedMeanwhile() {
        goLive();
        nodes.currentFor = 1; // until it is matched
        fold(attach("a", 7, FOREVER, WILL), detach("a", 1, true, FOREVER));
        assertThat(wills()).isEmpty();
        nodes.currentFor = Integer.MAX_VALUE;
        pass(100);
        assertThat(wills()).hasSize(1);
    }

    @Test
    void nothingIsTriedAgainBeforeItsTimeWhenTheLogSaysThatItWasTooEarly() {
        goLive();
        fold(attach("a", 7), detach("a", 1, true, 60));
        nowMillis += 86_400_000; // the servers' clock is ahead for a while
        fold(attach("b", 7));
        pass(100);
        assertThat(expiries()).hasSize(1);
        nowMillis -= 86_400_000;
        log.makeDurable(nowMillis);
        read();
        pass(59_000);
        assertThat(driver.isLive()).isTrue();
        assertThat(told).doesNotContain("ended a/1");
        assertThat(expiries()).isEmpty();
        pass(1_000);
        assertThat(expiries()).hasSize(1);
        log.makeDurable(nowMillis);
        read();
        assertThat(told).contains("ended a/1");
    }

    // A client that is at another node before its DISCONNECT is read.

    @Test
    void nothingIsAnsweredOrPublishedUntilTheNodeOfTheConnectionBeforeHasSaidHowThatEnded() {
        goLive();
        fold(attach("a", 7, FOREVER, WILL));
        target.take();
        target.answers = true;
        fold(elsewhere("a", "other"));
        assertThat(target.take()).containsExactly("7: taken over");
        assertThat(nodes.elsewhere.take()).isEmpty();
        assertThat(wills()).isEmpty();
        fold(detach("a", 1, false, FOREVER));
        assertThat(nodes.elsewhere.take()).containsExactly("7: attached 1/2 present");
        pass(10_000);
        assertThat(wills()).isEmpty();
    }

    @Test
    void willIsPublishedBeforeTheAnswerWhenTheConnectionBeforeEndedWithoutDisconnect() {
        goLive();
        fold(attach("a", 7, FOREVER, WILL));
        target.answers = true;
        fold(elsewhere("a", "other"), detach("a", 1, true, FOREVER));
        assertThat(wills()).hasSize(1);
        assertThat(nodes.elsewhere.take()).isEmpty();
        log.makeDurable();
        read();
        assertThat(nodes.elsewhere.take()).containsExactly("7: attached 1/2 present");
    }

    @Test
    void connectionGetsANewSessionWhenTheOneBeforeHasEndedTheSession() {
        goLive();
        fold(attach("a", 7));
        target.answers = true;
        fold(elsewhere("a", "other"), detach("a", 1, false, 0));
        assertThat(nodes.elsewhere.take()).isEmpty();
        assertThat(log.pending()).containsExactly(new SessionExpired(0, "a", 2, 0));
        log.makeDurable();
        read();
        assertThat(nodes.elsewhere.take()).containsExactly("7: attached 4/4");
        assertThat(told).contains("ended a/1");
    }

    /**
     * The session that the connection before had ended with the clean start, and what is said of it is not said of the
     * next.
     */
    @Test
    void sessionThatHasBegunSinceIsNotEndedByAConnectionOfTheOneBefore() {
        goLive();
        fold(attach("a", 7));
        target.answers = true;
        fold(new Attach("a", "other", 7, true, FOREVER, 10, ClientKind.DEVICE, null, Principal.ANONYMOUS, false));
        assertThat(nodes.elsewhere.take()).containsExactly("7: attached 2/2");
        fold(new Attach("a", "other", 8, false, FOREVER, 10, ClientKind.DEVICE, null, Principal.ANONYMOUS, false));
        fold(detach("a", 1, false, 0));
        assertThat(expiries()).isEmpty();
        assertThat(nodes.elsewhere.take()).containsExactly("7: taken over", "8: attached 2/3 present");
        pass(10_000);
        assertThat(expiries()).isEmpty();
    }

    @Test
    void eachOfSeveralConnectionsThatTookEachOtherOverIsHeard() {
        goLive();
        target.answers = true;
        nodes.elsewhere.answers = true;
        fold(attach("a", 7, FOREVER, WILL));
        fold(elsewhere("a", "other"), attach("a", 8));
        target.take();
        assertThat(wills()).isEmpty();
        fold(detach("a", 1, true, FOREVER));
        assertThat(wills()).containsExactly(new WillDue("a", 1, message("will"), Destinations.NONE));
        log.makeDurable();
        read();
        assertThat(target.take()).isEmpty();
        fold(detach("a", 2, true, FOREVER));
        assertThat(target.take()).containsExactly("8: attached 1/3 present");
    }

    @Test
    void connectionThatComesBeforeTheLogSaysThatTheSessionIsOverGetsANewOne() {
        goLive();
        fold(attach("a", 7));
        target.answers = true;
        fold(elsewhere("a", "other"), detach("a", 1, false, 0));
        fold(new Attach("a", "other", 8, false, FOREVER, 10, ClientKind.DEVICE, null, Principal.ANONYMOUS, false));
        log.makeDurable();
        read();
        assertThat(nodes.elsewhere.take()).containsExactly("7: taken over", "8: attached 6/6");
        assertThat(told).contains("ended a/1");
    }

    @Test
    void nobodyWaitsForANodeThatDoesNotAnswer() {
        goLive();
        fold(attach("a", 7, FOREVER, WILL));
        target.answers = true;
        fold(elsewhere("a", "other"));
        pass(100);
        assertThat(wills()).isEmpty();
        pass(100);
        assertThat(wills()).hasSize(1);
        log.makeDurable();
        read();
        assertThat(nodes.elsewhere.take()).containsExactly("7: attached 1/2 present");
    }

    @Test
    void willsOfOthersArePublishedWhenOneFailsThatNobodyWaitsForAnyLonger() {
        goLive();
        fold(attach("a", 7, FOREVER, WILL), attach("b", 8, FOREVER, WILL));
        target.answers = true;
        fold(elsewhere("a", "other"), elsewhere("b", "other"));
        pass(100);
        routingFailure = new AssertionError("an authorizer's");
        pass(100);
        assertThat(wills()).isEmpty();
        routingFailure = null;
        pass(1000);
        assertThat(wills()).hasSize(2);
    }

    @Test
    void nothingIsWaitedForWhenTheConnectionBeforeIsOnTheSameNodeOrItsNodeCannotBeTold() {
        goLive();
        target.answers = true;
        fold(attach("a", 7), attach("a", 8));
        assertThat(target.take()).containsExactly("7: attached 1/1", "7: taken over", "8: attached 1/2 present");
        target.answers = false;
        fold(elsewhere("a", "other"));
        assertThat(nodes.elsewhere.take()).containsExactly("7: attached 1/3 present");
    }

    @Test
    void willIsPublishedWhenTheOwnerBeforeDidNot() {
        log.add(0, attach("a", 7, FOREVER, WILL), nowMillis);
        log.add(0, detach("a", 0, true, FOREVER), nowMillis);
        goLive();
        assertThat(wills()).containsExactly(new WillDue("a", 0, message("will"), Destinations.NONE));
    }

    /** A node that heard so much would let go connections that the claim after has not told it of yet. */
    @Test
    void nodeIsNotToldByAClaimThatIsOverThatItKnowsAllItsSessions() {
        goLiveWhileAWillIsStored();
        fold(new Owner("other"));
        willsStored.forEach(Runnable::run);
        assertThat(target.take()).doesNotContain("8: attached 0/1 present");
        assertThat(target.allAttachedUpTo).isEmpty();
        pass(1000);
        claim();
        assertThat(target.take()).contains("8: attached 0/1 present");
        assertThat(target.allAttachedUpTo).hasSize(1);
    }

    /** The way of before would have the node close connections that only the newer one has told of. */
    @Test
    void nodeIsToldByItsNewestWayAloneThatItKnowsAllItsSessions() {
        goLiveWhileAWillIsStored();
        read();
        nodes.current = new RecordingTarget();
        driver.reachable(NODE);
        willsStored.forEach(Runnable::run);
        assertThat(target.allAttachedUpTo).isEmpty();
        assertThat(nodes.current.take()).contains("8: attached 0/1 present");
        assertThat(nodes.current.allAttachedUpTo).hasSize(1);
    }

    /** The other sessions of the shard have nothing to do with a topic that Kafka does not give. */
    @Test
    void nodeIsToldThatItKnowsAllItsSessionsThoughTheTopicOfAnApplicationIsNotThere() {
        topics.fallSilent();
        log.add(0, application("app", NODE, 7), nowMillis);
        log.add(0, attach("a", 8), nowMillis);
        goLive();
        assertThat(target.take()).containsExactlyInAnyOrder("7: attached later", "8: attached 1/1");
        assertThat(target.allAttachedUpTo).hasSize(1);
        topics.speak();
        claim(); // which topic it is, is logged
        assertThat(target.take()).containsExactly("7: attached 0/0");
        assertThat(target.allAttachedUpTo).hasSize(1);
    }

    /** Kafka's controller may be away while all partitions can be read and written. */
    @Test
    void applicationWhoseTopicIsKnownIsAnsweredWhileNoTopicsAreCreated() {
        log.add(0, application("app", NODE, 7), nowMillis);
        goLive();
        claim(); // which topic it is, is logged
        target.take();
        topics.areNotCreated = true;
        fold(application("app", NODE, 8));
        fold(application("new", NODE, 9));
        assertThat(target.take())
                .anyMatch(line -> line.startsWith("8: attached 0/"))
                .noneMatch(line -> line.startsWith("9: attached"));
        topics.speak();
        claim();
        assertThat(target.take()).containsExactly("9: attached 4/4");
    }

    @Test
    void applicationWhoseTopicWasDeletedIsAnsweredWhenTheTopicIsMadeAnew() {
        log.add(0, application("app", NODE, 7), nowMillis);
        goLive();
        claim(); // which topic it is, is logged
        target.take();
        topics.delete(new AppTopic("app", false));
        topics.areNotCreated = true;
        fold(application("app", NODE, 8));
        assertThat(target.take()).noneMatch(line -> line.startsWith("8: attached 0"));
        topics.speak();
        claim(); // which topic it is now
        assertThat(topics.exists(new AppTopic("app", false))).isTrue();
        assertThat(target.take()).anyMatch(line -> line.startsWith("8: attached 0"));
    }

    /** It ends where it did, or later: only its reader can tell. */
    @Test
    void applicationGetsWhatCameBehindTheLostEndOfItsTopic() {
        AppTopic topic = new AppTopic("app", false);
        log.add(0, application("app", NODE, 7), nowMillis);
        goLive();
        claim(); // which topic it is, is logged
        for (String text : List.of("a", "b", "c")) {
            topics.append(topic, message(text), APP, null, (_, _) -> {});
        }
        pass(100);
        assertThat(target.take()).endsWith("7: 1 2 3");
        driver.serve(service -> service.settle("app", 0, new long[] {1, 2, 3})); // which is not logged yet
        topics.loseEnd(topic, 1, List.of(message("d"), message("e"), message("f")));
        pass(100);
        claim(); // from where on it is another one, is logged
        pass(100);
        long first = 3 + TopicProgress.LEAP + 1;
        assertThat(target.take()).endsWith("7: " + first + " " + (first + 1) + " " + (first + 2) + " " + (first + 3));
    }

    /** Those from before the log lost its end know messages by numbers that others have now, whoever owns the shard. */
    @Test
    void onlyConnectionsFromBeforeTheLogLostItsEndAreClosed() {
        log.add(0, attach("a", 7), nowMillis);
        log.add(0, attach("lost", 9), nowMillis);
        log.add(0, attach("b", 8), nowMillis);
        store.content.reused = new Reused(1, 1);
        goLive();
        assertThat(target.take())
                .contains("7: attached 0/0", "7: taken over", "8: attached 2/2")
                .doesNotContain("8: taken over");
        pass(1_000);
        store.answerAll();
        assertThat(store.content.applied).as("beyond what was lost").isGreaterThan(1);
        driver.revoked(() -> {});
        driver.assigned();
        claim();
        assertThat(target.take())
                .contains("7: attached 0/0", "7: taken over", "8: attached 2/2")
                .doesNotContain("8: taken over");
        driver.reachable(NODE);
        assertThat(target.take()).contains("7: taken over").doesNotContain("8: taken over");
    }

    /** The client may stay connected for as long as the link is down: its session must not expire meanwhile. */
    @Test
    void connectionThatHasALostTopicInFlightIsClosedByItsNodeHoweverOftenTheLinkBreaks() {
        AppTopic topic = new AppTopic("app", false);
        log.add(0, application("app", NODE, 7), nowMillis);
        goLive();
        claim(); // which topic it is, is logged
        topics.append(topic, message("a"), APP, null, (_, _) -> {});
        pass(100);
        assertThat(target.take()).endsWith("7: 1");
        topics.delete(topic);
        for (int links = 0; links < 2; links++) {
            driver.reachable(NODE);
            claim(); // which topic it is now
            assertThat(target.take()).contains("7: attached 0/0", "7: taken over");
        }
        assertThat(detaches()).isEmpty();
        driver.gone(NODE);
        pass(100);
        assertThat(detaches()).hasSize(1);
    }

    @Test
    void applicationOfADeadNodeIsDetachedInTimeThoughItsTopicIsNotThere() {
        topics.fallSilent();
        log.add(0, application("app", "dead", 7), nowMillis);
        goLive();
        for (int tick = 1; tick < 50; tick++) {
            pass(100);
        }
        assertThat(detaches()).isEmpty();
        pass(100);
        assertThat(detaches()).containsExactly(new Detach("app", 0, true, FOREVER, null));
        topics.speak();
        assertThat(detaches()).hasSize(1);
    }

    @Test
    void applicationOfADeadNodeIsDetachedWithWhatItsTopicHas() {
        log.add(0, application("app", "dead", 7), nowMillis);
        goLive();
        claim(); // which topic it is, is logged
        assertThat(detaches()).containsExactly(new Detach("app", 0, true, FOREVER, 0));
        pass(10_000);
        assertThat(detaches()).hasSize(1);
    }

    /** What was not deleted at once might be another owner's by the time at which it is. */
    @Test
    void topicThatWasNotDeletedIsLookedAtAgainBeforeThatIsTriedAgain() {
        AppTopic topic = new AppTopic("app", false);
        goLive();
        fold(application("app", NODE, 7));
        claim();
        fold(detach("app", driver.liveEpoch() + 1, true, 0));
        topics.areKept = true;
        pass(60_000);
        topics.areKept = false;
        pass(59_000);
        assertThat(topics.exists(topic)).as("tried once").isTrue();
        fold(application("app", NODE, 8));
        pass(1_000);
        assertThat(topics.exists(topic)).as("it is used again").isTrue();
    }

    @Test
    void topicThatWasNotDeletedIsDeletedAMinuteLater() {
        AppTopic topic = new AppTopic("app", false);
        goLive();
        fold(application("app", NODE, 7));
        claim();
        fold(detach("app", driver.liveEpoch() + 1, true, 0));
        topics.areKept = true;
        pass(60_000);
        topics.areKept = false;
        pass(60_000);
        assertThat(topics.exists(topic)).isFalse();
    }

    private List<ShardEvent> detaches() {
        return log.pending().stream().filter(Detach.class::isInstance).toList();
    }

    private List<ShardEvent> expiries() {
        return log.pending().stream().filter(SessionExpired.class::isInstance).toList();
    }

    private List<ShardEvent> wills() {
        return log.pending().stream().filter(WillDue.class::isInstance).toList();
    }

    /** Connection 8 of client a has no answer before {@link #willsStored} are run. */
    private void goLiveWhileAWillIsStored() {
        isStoringSlowly = true;
        log.add(0, attach("a", 7, FOREVER, WILL), nowMillis);
        log.add(0, attach("a", 8), nowMillis);
        goLive();
        log.makeDurable(nowMillis);
    }

    /** Puts records of another owner into the log. */
    private void addOthers(int count) {
        for (int i = 0; i < count; i++) {
            log.add(0, new Owner("other"), nowMillis);
        }
    }

    private void goLive() {
        driver.assigned();
        claim();
    }

    /** The shard has a client with a will, and little memory for another's. */
    private void goLiveWithOthersWills() {
        goLive();
        fold(attach("other", 6, FOREVER, TOO_LARGE));
        pass(1000);
        store.answerAll();
        target.take();
    }

    private void claim() {
        log.makeDurable(nowMillis);
        store.answerAll();
        read();
    }

    private void read() {
        driver.records(0, log.from(0, 0));
    }

    /** Puts records into the log and has them read. */
    private void fold(ShardEvent... events) {
        for (ShardEvent event : events) {
            log.add(0, event, nowMillis);
        }
        read();
    }

    private void pass(long millis) {
        nowMillis += millis;
        driver.tick();
    }

    private void failIfAsked() {
        if (routingFailure != null) {
            throw routingFailure;
        }
    }

    private static Relay relay(long epoch) {
        return new Relay("a", epoch, 5, message("m"), Destinations.NONE);
    }

    private static Attach elsewhere(String clientId, String node) {
        return elsewhere(clientId, node, null);
    }

    private static Attach elsewhere(String clientId, String node, @Nullable Will will) {
        return new Attach(clientId, node, 7, false, FOREVER, 10, ClientKind.DEVICE, will, Principal.ANONYMOUS, false);
    }

    private static Attach application(String clientId, String node, long connection) {
        return new Attach(
                clientId,
                node,
                connection,
                false,
                FOREVER,
                10,
                ClientKind.APPLICATION,
                null,
                Principal.ANONYMOUS,
                false);
    }

    private ShardEnvironment environment(RecordFormat format) {
        return new ShardEnvironment(
                DeliveryFixture.config(9, QueueLimits.defaults()),
                NODE,
                dead::contains,
                log,
                store,
                topics,
                InstantTopics.appender(log, format),
                nodes,
                new NoRouting() {
                    @Override
                    public Destinations match(Message message, @Nullable Principal principal, Runnable stored) {
                        timesAsked++;
                        failIfAsked();
                        if (isStoringSlowly) {
                            willsStored.add(stored);
                        } else {
                            stored.run();
                        }
                        return Destinations.NONE;
                    }

                    @Override
                    public @Nullable RoomQueue congestion() {
                        return willsStored.size() < mostStoring ? null : new RoomQueue(_ -> {});
                    }

                    @Override
                    public void deliverTransient(Message message, Destinations destinations, Runnable taken) {
                        failIfAsked();
                        taken.run();
                    }
                },
                new NoObserver() {
                    @Override
                    public Iterator<Runnable> shardLive(int shard, long upTo, ToLongFunction<String> sessionOf) {
                        told.add("live " + shard);
                        return Collections.emptyIterator();
                    }

                    @Override
                    public void sessionEnded(String clientId, long session) {
                        told.add("ended " + clientId + "/" + session);
                    }
                },
                new DeliveryMemory(1 << 20),
                willMemory,
                () -> nowMillis + CLOCK_ORIGIN,
                () -> nowMillis,
                new ShardRecorder() {
                    @Override
                    public void recordsLost(long records) {
                        recordsLost += records;
                    }

                    @Override
                    public void dropped(Drop reason) {
                        drops.add(reason);
                    }

                    @Override
                    public void handedOn(long millis) {
                        handedOn.add(millis);
                    }
                },
                _ -> {});
    }
}
