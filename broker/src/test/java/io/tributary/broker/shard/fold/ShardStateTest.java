package io.tributary.broker.shard.fold;

import static io.tributary.broker.shard.fold.Samples.DELAYED_WILL;
import static io.tributary.broker.shard.fold.Samples.FOREVER;
import static io.tributary.broker.shard.fold.Samples.NODE;
import static io.tributary.broker.shard.fold.Samples.WILL;
import static io.tributary.broker.shard.fold.Samples.attach;
import static io.tributary.broker.shard.fold.Samples.cleanStart;
import static io.tributary.broker.shard.fold.Samples.detach;
import static io.tributary.broker.shard.fold.Samples.member;
import static io.tributary.broker.shard.fold.Samples.message;
import static io.tributary.broker.shard.fold.Samples.publish;
import static io.tributary.broker.shard.fold.Samples.received;
import static io.tributary.broker.shard.fold.Samples.recipient;
import static io.tributary.broker.shard.fold.Samples.recipients;
import static io.tributary.broker.shard.fold.Samples.settled;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Destinations;
import io.tributary.common.event.Principal;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.SentUpTo;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.event.ShardEvent.Attach;
import io.tributary.common.event.ShardEvent.Detach;
import io.tributary.common.event.ShardEvent.MovedMessage;
import io.tributary.common.event.ShardEvent.Owner;
import io.tributary.common.event.ShardEvent.Publish;
import io.tributary.common.event.ShardEvent.Redistribution;
import io.tributary.common.event.ShardEvent.Relay;
import io.tributary.common.event.ShardEvent.Release;
import io.tributary.common.event.ShardEvent.SessionExpired;
import io.tributary.common.event.ShardEvent.Settled;
import io.tributary.common.event.ShardEvent.WillDue;
import io.tributary.common.event.Source;
import io.tributary.common.event.StoredSession;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.Will;
import io.tributary.persistence.shard.SavePoint;
import io.tributary.persistence.shard.SavePoint.ClientWill;
import io.tributary.persistence.shard.SavePoint.SourcePosition;
import io.tributary.persistence.shard.SavePoint.WillKey;
import io.tributary.persistence.shard.ShardStore;
import io.tributary.persistence.shard.ShardStore.Claim;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class ShardStateTest {
    private static final long NOW = 1_000_000;
    private static final int SIZE = message("m").sizeBytes();

    private final RecordingEffects effects = new RecordingEffects();
    private ShardState state = new ShardState(effects, new Claim(ShardStore.NOTHING_APPLIED, -1, List.of()));
    private long offset;

    // Attach.

    @Test
    void logSnapshotsChangeNothing() {
        NoEffects effects = new NoEffects();
        ShardState state = new ShardState(effects, new Claim(-1, -1, List.of()));
        state.apply(0, 0, Samples.attach("a", 1, 0, null));
        state.apply(1, 0, Samples.detach("a", 0, false, 0));
        state.takeSavePoint(0, -1);
        state.apply(
                2,
                0,
                new ShardEvent.SnapshotSession(
                        0, 0, new SessionState("a", 0, ClientKind.DEVICE).toStored(), Samples.WILL));
        state.apply(
                3,
                0,
                new ShardEvent.SnapshotQueue(0, 0, "a", List.of(new ShardEvent.SnapshotEntry(1, Samples.queued("m")))));
        state.apply(4, 0, new ShardEvent.SnapshotComplete(0, 0, 0, List.of(new Source(1, 2, 3))));
        assertThat(state.client("a")).isNull();
        SavePoint savePoint = state.takeSavePoint(0, 1);
        assertThat(savePoint.sessions()).isEmpty();
        assertThat(savePoint.queued()).isEmpty();
        assertThat(savePoint.wills()).isEmpty();
        assertThat(savePoint.sources()).isEmpty();
    }

    @Test
    void sessionBeginsWhenThereIsNone() {
        fold(attach("a", 7));
        assertThat(effects.take()).containsExactly("attached a");
        assertThat(client("a").session()).isEqualTo(0);
        assertThat(client("a").epoch()).isEqualTo(0);
        assertThat(client("a").node()).isEqualTo(NODE);
        assertThat(client("a").connection()).isEqualTo(7);
        assertThat(client("a").isResumed()).isFalse();
    }

    @Test
    void connectionOfTheOtherKindChangesNothing() {
        fold(
                new Attach(
                        "erp", NODE, 7, false, FOREVER, 10, ClientKind.APPLICATION, null, Principal.ANONYMOUS, false),
                attach("erp", 8));
        assertThat(effects.take()).containsExactly("attached erp", "refused erp/8, IS_APPLICATION");
        assertThat(client("erp").connection()).isEqualTo(7);
        fold(cleanStart("erp", 9));
        assertThat(client("erp").kind()).isEqualTo(ClientKind.DEVICE);
    }

    @Test
    void sessionGoesOnWhenTakenOver() {
        fold(attach("a", 7), publish("m", recipient("a", 0)));
        effects.take();
        fold(attach("a", 8));
        assertThat(effects.take()).containsExactly("attached a from here/7");
        assertThat(client("a").session()).isEqualTo(0);
        assertThat(client("a").epoch()).isEqualTo(2);
        assertThat(client("a").queuedMessages()).isEqualTo(1);
        assertThat(client("a").isResumed()).isTrue();
    }

    @Test
    void everythingQueuedMayHaveBeenSentWhenTakenOver() {
        fold(attach("a", 7), publish("m", recipient("a", 0)), attach("a", 8));
        assertThat(client("a").resendUpTo()).isEqualTo(SentUpTo.all(1));
    }

    @Test
    void newSessionReplacesTheOldOneWhenStartedClean() {
        fold(attach("a", 7), publish("m", recipient("a", 0)));
        effects.take();
        fold(cleanStart("a", 8));
        assertThat(effects.take()).containsExactly("ended a/0", "attached a from here/7");
        assertThat(client("a").session()).isEqualTo(2);
        assertThat(client("a").queuedMessages()).isZero();
        assertThat(client("a").resendUpTo()).isEqualTo(SentUpTo.NOTHING);
    }

    @Test
    void newSessionReplacesATransientOneWhenTakenOver() {
        fold(attach("a", 7, 0, null), attach("a", 8));
        assertThat(effects.take()).containsExactly("attached a", "ended a/0", "attached a from here/7");
        assertThat(client("a").session()).isEqualTo(1);
    }

    /** Its DISCONNECT was in the socket while another node logged the next connection [MQTT-3.14.4-3]. */
    @Test
    void dueWillIsDroppedWhenItsConnectionTurnsOutToHaveWantedNone() {
        fold(attach("a", 7, FOREVER, WILL), attach("a", 8));
        effects.take();
        state.takeSavePoint(0, -1);
        fold(detach("a", 0, false, FOREVER));
        assertThat(effects.take()).containsExactly("no will of a/0");
        assertThat(state.dueWills()).isEmpty();
        assertThat(state.takeSavePoint(0, 1).willsRemoved()).containsExactly(new WillKey("a", 0));
        fold(new WillDue("a", 0, message("will"), Destinations.NONE));
        assertThat(effects.take()).isEmpty();
    }

    @Test
    void dueWillStaysWhenItsConnectionEndsLateWithoutDisconnect() {
        fold(attach("a", 7, FOREVER, WILL), attach("a", 8));
        effects.take();
        fold(detach("a", 0, true, FOREVER));
        assertThat(effects.take()).isEmpty();
        assertThat(state.dueWills()).hasSize(1);
    }

    @Test
    void connectionHasANewSessionWhenTheOneThatItResumedWasOver() {
        fold(new Owner("o"), attach("a", 7), publish("m", recipient("a", 1)), attach("a", 8, FOREVER, WILL));
        effects.take();
        fold(new SessionExpired(0, "a", 3, 0));
        assertThat(effects.take()).containsExactly("ended a/1", "attached a");
        assertThat(client("a").isResumed()).isFalse();
        assertThat(client("a").epoch()).isEqualTo(4);
        assertThat(client("a").connection()).isEqualTo(8);
        assertThat(client("a").queuedMessages()).isZero();
        assertThat(state.dueWills()).isEmpty();
        fold(detach("a", 4, true, FOREVER));
        assertThat(effects.take()).contains("will of a/4");
    }

    @Test
    void connectionKeepsItsSessionWhenAnEarlierOwnerSaysThatItWasOver() {
        fold(new Owner("o"), attach("a", 7), attach("a", 8), new Owner("p"));
        fold(new SessionExpired(0, "a", 2, 0));
        assertThat(client("a").session()).isEqualTo(1);
    }

    @Test
    void sessionGoesOnWhenResumed() {
        fold(attach("a", 7), detach("a", 0, 0));
        effects.take();
        fold(attach("a", 8));
        assertThat(effects.take()).containsExactly("attached a");
        assertThat(client("a").session()).isEqualTo(0);
    }

    @Test
    void sessionKeepsItsQueueWhenResumedForTheLastTime() {
        fold(attach("a", 7), publish("m", recipient("a", 0)), attach("a", 8, 0, null));
        assertThat(client("a").session()).isEqualTo(0);
        assertThat(client("a").hasQueue()).isTrue();
        assertThat(client("a").isPersistent()).isFalse();
    }

    // Detach, expiry.

    @Test
    void sessionGoesOnWithoutConnectionWhenDetached() {
        fold(attach("a", 7), detach("a", 0, true, 60));
        assertThat(effects.take()).containsExactly("attached a", "detached a");
        assertThat(client("a").isAttached()).isFalse();
        assertThat(client("a").expiresAtMillis()).isEqualTo(NOW + 60_000);
    }

    @Test
    void sessionNeverExpiresWhenItsIntervalIsTheLargest() {
        fold(attach("a", 7), detach("a", 0, true, FOREVER));
        assertThat(client("a").expiresAtMillis()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void sessionEndsWhenDetachedWithoutExpiryInterval() {
        fold(attach("a", 7), detach("a", 0, true, 0));
        assertThat(effects.take()).containsExactly("attached a", "ended a/0");
        assertThat(state.client("a")).isNull();
    }

    @Test
    void detachIsIgnoredWhenOfAnOlderConnection() {
        fold(attach("a", 7), attach("a", 8));
        effects.take();
        fold(detach("a", 0, 0));
        assertThat(effects.take()).isEmpty();
        assertThat(client("a").isAttached()).isTrue();
    }

    @Test
    void detachIsIgnoredWhenRepeatedOrWithoutSession() {
        fold(attach("a", 7), detach("a", 0, 0));
        effects.take();
        fold(detach("a", 0, false, 0), detach("b", 0, 0));
        assertThat(effects.take()).isEmpty();
        assertThat(client("a").sessionExpirySeconds()).isEqualTo(FOREVER);
    }

    @Test
    void onlyWhatWasSentMayHaveBeenSeenWhenDetached() {
        fold(attach("a", 7), publish("1", recipient("a", 0)), publish("2", recipient("a", 0)), detach("a", 0, 1));
        assertThat(client("a").resendUpTo()).isEqualTo(SentUpTo.all(1));
    }

    @Test
    void whatWasSentBeforeStaysSentWhenDetachedEarlierNextTime() {
        fold(attach("a", 7), publish("1", recipient("a", 0)), detach("a", 0, 1), attach("a", 8), detach("a", 3, 0));
        assertThat(client("a").resendUpTo()).isEqualTo(SentUpTo.all(1));
    }

    @Test
    void everythingMayHaveBeenSeenWhenTheNodeIsGone() {
        fold(attach("a", 7), publish("1", recipient("a", 0)), publish("2", recipient("a", 0)), detach("a", 0, -1));
        assertThat(client("a").resendUpTo()).isEqualTo(SentUpTo.all(2));
    }

    @Test
    void sessionEndsWhenExpired() {
        fold(attach("a", 7), detach("a", 0, true, 60));
        effects.take();
        foldAt(NOW + 60_000, new SessionExpired(-1, "a", 0, 0));
        assertThat(effects.take()).containsExactly("ended a/0");
        assertThat(state.client("a")).isNull();
    }

    @Test
    void expiryIsIgnoredAndItsTimerSetAgainWhenItIsTooEarly() {
        fold(attach("a", 7), detach("a", 0, true, 60));
        effects.take();
        foldAt(NOW + 59_999, new SessionExpired(-1, "a", 0, 0));
        assertThat(effects.take()).containsExactly("detached a");
        assertThat(state.client("a")).isNotNull();
    }

    @Test
    void connectionBeginsANewSessionWhenTheOneBeforeExpiredUnseen() {
        fold(attach("a", 7, 60, DELAYED_WILL), detach("a", 0, true, 5));
        foldAt(NOW + 4_999, attach("a", 8, 60, DELAYED_WILL), detach("a", 2, true, 5));
        assertThat(client("a").session()).isZero();
        effects.take();
        foldAt(NOW + 9_999, attach("a", 9));
        assertThat(effects.take()).containsExactly("will of a/2", "ended a/0", "attached a");
        assertThat(client("a").session()).isEqualTo(4);
    }

    @Test
    void newSessionInheritsTheQueueWhenTheOneBeforeExpiredUnseen() {
        fold(attach("a", 7), publish("1", shared("a", 0)), detach("a", 0, true, 5));
        effects.take();
        foldAt(NOW + 5_000, attach("a", 8));
        assertThat(client("a").session()).isEqualTo(3);
        assertThat(client("a").queuedMessages()).isEqualTo(1);
    }

    @Test
    void expiryIsIgnoredWhenResumedMeanwhile() {
        fold(attach("a", 7), detach("a", 0, true, 60), attach("a", 8));
        effects.take();
        fold(new SessionExpired(-1, "a", 0, 0), new SessionExpired(-1, "b", 2, 0));
        assertThat(effects.take()).isEmpty();
        assertThat(state.client("a")).isNotNull();
    }

    // Messages of shared subscriptions outlive their member's session.

    @Test
    void sessionEndsLaterWhenItHasMessagesThatOthersAreToHave() {
        fold(attach("a", 7), publish("1", shared("a", 0)));
        effects.take();
        fold(detach("a", 0, true, 0));
        assertThat(effects.take()).containsExactly("detached a");
        assertThat(client("a").expiresAtMillis()).isEqualTo(client("a").detachedAtMillis());
    }

    @Test
    void sessionDoesNotEndWhenOneMoreMessageHasCome() {
        fold(attach("a", 7), publish("1", shared("a", 0)), detach("a", 0, true, 60), publish("2", shared("a", 0)));
        effects.take();
        foldAt(NOW + 60_000, new SessionExpired(-1, "a", 0, 1));
        assertThat(effects.take()).containsExactly("detached a");
        foldAt(NOW + 60_000, new SessionExpired(-1, "a", 0, 2));
        assertThat(effects.take()).containsExactly("ended a/0");
    }

    @Test
    void sessionDoesNotEndWhenItsMessagesWereHandedOverByAnOldOwner() {
        fold(attach("a", 7), publish("1", shared("a", 0)), detach("a", 0, true, 0), new Owner("next"));
        effects.take();
        fold(new SessionExpired(-1, "a", 0, 1));
        assertThat(effects.take()).containsExactly("detached a");
        fold(new SessionExpired(3, "a", 0, 1));
        assertThat(effects.take()).containsExactly("ended a/0");
    }

    @Test
    void newSessionInheritsTheQueueWhenOthersAreToHaveIt() {
        fold(attach("a", 7), publish("1", shared("a", 0)), publish("2", recipient("a", 0)));
        effects.take();
        fold(cleanStart("a", 8));
        assertThat(effects.take()).containsExactly("inherited a/3 from 0", "attached a from here/7");
        assertThat(client("a").leftUpTo()).isEqualTo(2);
        assertThat(client("a").lastSequence()).isEqualTo(2);
        assertThat(client("a").queuedMessages()).isEqualTo(2);
        assertThat(client("a").isResumed()).isFalse();
    }

    @Test
    void newSessionBeginsEmptyWhenNobodyElseIsToHaveTheQueue() {
        fold(attach("a", 7), publish("1", shared("a", 0)), publish("2", recipient("a", 0)));
        fold(
                new Settled(-1, List.of(settled("a", 0, "1", 1), settled("a", 0, "2", 2)), List.of()),
                publish("3", recipient("a", 0)));
        effects.take();
        fold(cleanStart("a", 8));
        assertThat(effects.take()).containsExactly("ended a/0", "attached a from here/7");
        assertThat(client("a").queuedMessages()).isZero();
        assertThat(client("a").lastSequence()).isZero();
    }

    @Test
    void messageForASessionThatIsOverIsKeptForAnotherMember() {
        fold(attach("a", 7), detach("a", 0, true, 0), publish("1", shared("a", 0), recipient("a", 0)));
        effects.take();
        fold(publish("2", shared("a", 0)));
        assertThat(effects.take()).containsExactly("queued a\0" + "0 2", "detached a\0" + "0");
        SessionState stranded = client("a\0" + "0");
        assertThat(stranded.memberId()).isEqualTo("a");
        assertThat(stranded.queuedMessages()).isEqualTo(2);
        assertThat(stranded.expiresAtMillis()).isEqualTo(stranded.detachedAtMillis());
        fold(new SessionExpired(-1, "a\0" + "0", stranded.epoch(), 2));
        assertThat(state.client("a\0" + "0")).isNull();
    }

    private static Recipient shared(String clientId, long session) {
        return member(clientId, session, QoS.AT_LEAST_ONCE);
    }

    // Publish.

    @Test
    void messageIsQueuedForEachRecipient() {
        fold(attach("a", 7), attach("b", 8));
        effects.take();
        fold(publish("m", recipient("a", 0), recipient("b", 1)), publish("m", recipient("a", 0)));
        assertThat(effects.take()).containsExactly("queued a 1", "queued b 1", "queued a 2");
        assertThat(client("a").lastSequence()).isEqualTo(2);
        assertThat(client("a").queuedMessages()).isEqualTo(2);
        assertThat(client("a").queuedBytes()).isEqualTo(2L * SIZE);
    }

    @Test
    void nameOfASharedSubscriptionCounts() {
        Recipient member = new Recipient("a", 0, QoS.AT_LEAST_ONCE, false, List.of(7), "$share/" + "x".repeat(993));
        fold(attach("a", 7), publish("m", member));
        assertThat(client("a").queuedBytes()).isEqualTo(SIZE + 1000 + 4);
    }

    @Test
    void messageIsIgnoredWhenItsSessionIsOver() {
        fold(attach("a", 7), cleanStart("a", 8));
        effects.take();
        fold(publish("m", recipient("a", 0), recipient("b", 0)));
        assertThat(effects.take()).isEmpty();
        assertThat(client("a").lastSequence()).isZero();
    }

    @Test
    void messageIsIgnoredWhenItsSourceWasSeen() {
        fold(attach("a", 7));
        effects.take();
        fold(from(2, 50, 1), from(2, 50, 1), from(2, 50, 0), from(2, 49, 9), from(1, 3, 0), from(2, 50, 2));
        assertThat(effects.take()).containsExactly("queued a 1", "queued a 2", "queued a 3");
    }

    @Test
    void sourcesAreRememberedWhenLoaded() {
        state = new ShardState(effects, new Claim(4, 2, List.of(new SourcePosition(2, 50, 1))));
        offset = 5;
        fold(attach("a", 7));
        effects.take();
        fold(from(5, 2, 50, 1), from(5, 2, 51, 0));
        assertThat(effects.take()).containsExactly("queued a 1");
    }

    @Test
    void recordIsSkippedWhenFoldedBefore() {
        fold(attach("a", 7));
        effects.take();
        state.apply(0, NOW, attach("a", 8));
        assertThat(effects.take()).isEmpty();
        assertThat(client("a").connection()).isEqualTo(7);
    }

    // Relay and Release.

    @Test
    void relayIsHandedOn() {
        fold(attach("a", 7));
        effects.take();
        fold(relay(0, 5));
        assertThat(effects.take()).containsExactly("forward m", "relayed 5");
        assertThat(client("a").inboundPacketIds()).containsExactly(5);
    }

    @Test
    void relayIsAcceptedButNotHandedOnAgainWhenRepeated() {
        fold(attach("a", 7), relay(0, 5));
        effects.take();
        fold(relay(0, 5));
        assertThat(effects.take()).containsExactly("relayed 5");
    }

    @Test
    void relayIsRefusedWhenItsConnectionLostTheSession() {
        fold(attach("a", 7), attach("a", 8));
        effects.take();
        fold(relay(0, 5), new Relay("b", 0, 6, message("m"), Destinations.NONE));
        assertThat(effects.take()).isEmpty();
        assertThat(client("a").inboundPacketIds()).isEmpty();
    }

    @Test
    void relayIsAcceptedWhenItsConnectionEndedSince() {
        fold(attach("a", 7), detach("a", 0, 0));
        effects.take();
        fold(relay(0, 5));
        assertThat(effects.take()).containsExactly("forward m", "relayed 5");
    }

    @Test
    void packetIdentifierIsFreeWhenReleased() {
        fold(attach("a", 7), relay(0, 5), new Release("a", 0, 5));
        effects.take();
        fold(relay(0, 5));
        assertThat(effects.take()).containsExactly("forward m", "relayed 5");
    }

    /** A node logs a CONNECT late, whose client has long been at another node and knows nothing of the takeover. */
    @Test
    void releaseCountsWhenOnlyConnectionsCameSinceThatPublishedNothing() {
        fold(attach("a", 7), relay(0, 5), relay(0, 6), attach("a", 8), attach("a", 9), new Release("a", 0, 5));
        assertThat(client("a").inboundPacketIds()).containsExactly(6);
        SessionState stored = new SessionState(client("a").toStored());
        assertThat(stored.release(0, 6)).as("also by the next owner").isTrue();
    }

    /** It waited at a node that was cut off, and the client has released and used the identifier again elsewhere. */
    @Test
    void releaseIsIgnoredWhenALaterConnectionHasPublishedSince() {
        fold(attach("a", 7), relay(0, 5), attach("a", 8), new Release("a", 2, 5), relay(2, 5), new Release("a", 0, 5));
        assertThat(client("a").inboundPacketIds()).containsExactly(5);
        fold(attach("a", 9), new Release("a", 0, 5), new Release("b", 0, 5));
        assertThat(client("a").inboundPacketIds()).containsExactly(5);
        assertThat(new SessionState(client("a").toStored()).release(0, 5))
                .as("by the next owner")
                .isFalse();
    }

    /** All identifiers were free in between: the connection that used them before decides nothing any more. */
    @Test
    void releaseCountsByTheConnectionThatPublishedSinceAllWasReleased() {
        fold(attach("a", 7), relay(0, 5), attach("a", 8), relay(2, 6), new Release("a", 2, 5), new Release("a", 2, 6));
        assertThat(client("a").inboundPacketIds()).isEmpty();
        fold(relay(2, 5), attach("a", 9), attach("a", 10), new Release("a", 0, 5));
        assertThat(client("a").inboundPacketIds()).containsExactly(5);
        fold(new Release("a", 7, 5));
        assertThat(client("a").inboundPacketIds()).as("by one in between").isEmpty();
    }

    // Settled, Owner.

    @Test
    void entriesLeaveTheQueueWhenSettled() {
        fold(new Owner(NODE), attach("a", 7), publish("m", recipient("a", 1)), publish("m", recipient("a", 1)));
        effects.take();
        fold(new Settled(0, List.of(settled("a", 1, "m", 1)), List.of()));
        assertThat(effects.take()).isEmpty();
        assertThat(client("a").queuedMessages()).isEqualTo(1);
        assertThat(client("a").queuedBytes()).isEqualTo(SIZE);
    }

    @Test
    void onlyPubrelIsOwedWhenReceived() {
        fold(new Owner(NODE), attach("a", 7), publish("m", recipient("a", 1)));
        effects.take();
        fold(new Settled(0, List.of(received("a", 1, "m", 1)), List.of()));
        assertThat(effects.take()).containsExactly("received a [1]");
        assertThat(client("a").queuedMessages()).isEqualTo(1);
        assertThat(client("a").queuedBytes()).isZero();
    }

    @Test
    void settledIsIgnoredWhenOfAnotherOwnerOrSession() {
        fold(new Owner(NODE), attach("a", 7), publish("m", recipient("a", 1)), new Owner(NODE));
        fold(new Settled(0, List.of(settled("a", 1, "m", 1)), List.of()));
        fold(new Settled(3, List.of(settled("a", 9, "m", 1), settled("b", 1, "m", 1)), List.of()));
        assertThat(client("a").queuedMessages()).isEqualTo(1);
    }

    @Test
    void settledCountsWhenItsOwnerIsBeforeTheSavePoint() {
        fold(new Owner(NODE), attach("a", 7), publish("m", recipient("a", 1)));
        SavePoint savePoint = state.takeSavePoint(0, ShardStore.NOTHING_APPLIED);
        reload(savePoint);
        fold(new Settled(0, List.of(settled("a", 1, "m", 1)), List.of()));
        assertThat(client("a").queuedMessages()).isZero();
    }

    @Test
    void ownerIsTold() {
        fold(new Owner(NODE));
        assertThat(effects.take()).containsExactly("owned 0");
    }

    // Wills.

    @Test
    void willIsDueWhenTheConnectionEnds() {
        fold(attach("a", 7, FOREVER, WILL), detach("a", 0, true, FOREVER));
        assertThat(effects.take()).containsExactly("attached a", "will of a/0", "detached a");
        assertThat(state.dueWills()).hasSize(1);
    }

    @Test
    void willsAreCountedFromAttachUntilTheyAreGone() {
        assertThat(state.willBytes()).isZero();
        fold(attach("a", 7, FOREVER, WILL));
        long one = state.willBytes();
        assertThat(one).isPositive();
        fold(attach("b", 8, FOREVER, DELAYED_WILL), detach("b", 1, 0));
        assertThat(state.willBytes()).isEqualTo(2 * one);
        fold(detach("a", 0, 0));
        assertThat(state.willBytes()).isEqualTo(2 * one);

        ShardState next = new ShardState(effects, new Claim(3, -1, List.of()));
        SavePoint stored = state.takeSavePoint(0, -1);
        next.load(stored.sessions(), stored.wills());
        assertThat(next.willBytes()).isEqualTo(2 * one);

        fold(new WillDue("a", 0, message("will"), Destinations.NONE));
        assertThat(state.willBytes()).isEqualTo(one);
        fold(attach("b", 9, FOREVER, WILL));
        assertThat(state.willBytes()).isEqualTo(one);
        fold(detach("b", 5, false, FOREVER));
        assertThat(state.willBytes()).isZero();
    }

    /** Redis may give an entry of a hash twice. */
    @Test
    void willIsCountedOnceWhenTheStoreGivesItTwice() {
        fold(attach("a", 7, FOREVER, DELAYED_WILL), attach("b", 8, FOREVER, WILL), detach("b", 1, 0));
        SavePoint stored = state.takeSavePoint(0, -1);
        ShardState next = new ShardState(effects, new Claim(2, -1, List.of()));
        next.load(stored.sessions(), stored.wills());
        next.load(List.of(), stored.wills());
        assertThat(next.willBytes()).isEqualTo(state.willBytes());
        next.apply(3, 0, detach("a", 0, false, FOREVER));
        next.apply(4, 0, new WillDue("b", 1, message("will"), Destinations.NONE));
        assertThat(next.willBytes()).isZero();
    }

    @Test
    void sessionHasItsWillAgainWhenAConnectionIsRefused() {
        fold(attach("a", 7, FOREVER, DELAYED_WILL), detach("a", 0, true, FOREVER));
        long before = state.willBytes();
        fold(attach("a", 8, FOREVER, new Will(message("much more"), 0, -1)));
        fold(new Detach("a", 2, false, FOREVER, SentUpTo.NOTHING, DELAYED_WILL));
        assertThat(state.dueWills()).isEmpty();
        assertThat(state.willBytes()).isEqualTo(before);
        SavePoint stored = state.takeSavePoint(0, -1);
        assertThat(stored.wills()).containsExactly(new ClientWill("a", 2, DELAYED_WILL, false));
    }

    @Test
    void willIsCancelledWhenTheClientSaysGoodbye() {
        fold(attach("a", 7, FOREVER, WILL), detach("a", 0, false, FOREVER));
        assertThat(effects.take()).containsExactly("attached a", "detached a");
        assertThat(state.dueWills()).isEmpty();
        assertThat(client("a").will()).isNull();
    }

    @Test
    void willWaitsWhenDelayed() {
        fold(attach("a", 7, FOREVER, DELAYED_WILL), detach("a", 0, true, FOREVER));
        assertThat(effects.take()).containsExactly("attached a", "detached a");
        assertThat(client("a").willDueAtMillis()).isEqualTo(NOW + 10_000);
    }

    @Test
    void delayedWillIsDueWhenTheSessionEnds() {
        fold(attach("a", 7, 60, DELAYED_WILL), detach("a", 0, true, 5));
        effects.take();
        foldAt(NOW + 5_000, new SessionExpired(-1, "a", 0, 0));
        assertThat(effects.take()).containsExactly("will of a/0", "ended a/0");
    }

    @Test
    void delayedWillIsDueWhenTheSessionEndsWithTheConnection() {
        fold(attach("a", 7, 60, DELAYED_WILL), detach("a", 0, true, 0));
        assertThat(effects.take()).containsExactly("attached a", "will of a/0", "ended a/0");
    }

    @Test
    void delayedWillIsCancelledWhenResumed() {
        fold(attach("a", 7, FOREVER, DELAYED_WILL), detach("a", 0, true, FOREVER), attach("a", 8));
        assertThat(effects.take()).doesNotContain("will of a/0");
        fold(new WillDue("a", 0, message("will"), Destinations.NONE));
        assertThat(effects.take()).isEmpty();
    }

    @Test
    void delayedWillIsDueWhenResumedTooLate() {
        fold(attach("a", 7, FOREVER, DELAYED_WILL), detach("a", 0, true, FOREVER));
        foldAt(NOW + 10_000, attach("a", 8));
        assertThat(effects.take()).contains("will of a/0", "attached a");
        fold(
                new WillDue("a", 0, message("will"), Destinations.NONE),
                new WillDue("a", 0, message("will"), Destinations.NONE));
        assertThat(effects.take()).containsExactly("forward will");
    }

    @Test
    void willIsDueWhenTakenOver() {
        fold(attach("a", 7, FOREVER, WILL), attach("a", 8));
        assertThat(effects.take()).contains("will of a/0");
    }

    @Test
    void delayedWillIsCancelledWhenTakenOver() {
        fold(attach("a", 7, FOREVER, DELAYED_WILL), attach("a", 8));
        assertThat(effects.take()).doesNotContain("will of a/0");
    }

    @Test
    void delayedWillIsDueWhenTakenOverWithACleanStart() {
        fold(attach("a", 7, FOREVER, DELAYED_WILL), cleanStart("a", 8));
        assertThat(effects.take()).contains("will of a/0", "ended a/0");
    }

    @Test
    void willIsHandedOnOnceWhenDue() {
        fold(attach("a", 7, FOREVER, WILL), detach("a", 0, true, FOREVER));
        effects.take();
        WillDue due = new WillDue("a", 0, message("will"), recipients(recipient("w", 0)));
        fold(due, due);
        assertThat(effects.take()).containsExactly("forward will");
        assertThat(state.dueWills()).isEmpty();
    }

    @Test
    void delayedWillIsHandedOnOnceWhenItsTimeCame() {
        fold(attach("a", 7, FOREVER, DELAYED_WILL), detach("a", 0, true, FOREVER));
        effects.take();
        WillDue due = new WillDue("a", 0, message("will"), recipients(recipient("w", 0)));
        foldAt(NOW + 9_999, due);
        assertThat(effects.take()).containsExactly("detached a");
        foldAt(NOW + 10_000, due, due);
        assertThat(effects.take()).containsExactly("forward will, its delay is over");
        assertThat(client("a").willDueAtMillis()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void willIsHandedOnWhenItsClientCameBackAfterItWasDue() {
        fold(attach("a", 7, FOREVER, WILL), detach("a", 0, true, FOREVER), attach("a", 8));
        effects.take();
        fold(new WillDue("a", 0, message("will"), Destinations.NONE));
        assertThat(effects.take()).containsExactly("forward will");
    }

    @Test
    void willIsNotDueWhenItsConnectionLives() {
        fold(attach("a", 7, FOREVER, WILL));
        effects.take();
        fold(new WillDue("a", 0, message("will"), Destinations.NONE));
        assertThat(effects.take()).isEmpty();
    }

    @Test
    void willsBelongToTheirConnectionsWhenLoaded() {
        fold(attach("a", 7, FOREVER, DELAYED_WILL));
        StoredSession stored = client("a").toStored();
        state = new ShardState(effects, new Claim(5, -1, List.of()));
        state.load(List.of(stored), List.of());
        state.load(
                List.of(),
                List.of(
                        new ClientWill("a", 0, DELAYED_WILL, false),
                        new ClientWill("a", 9, WILL, false),
                        new ClientWill("b", 1, WILL, true)));
        assertThat(client("a").will()).isEqualTo(DELAYED_WILL);
        assertThat(state.dueWills()).containsOnlyKeys(new SavePoint.WillKey("b", 1));
    }

    // Redistribution.

    @Test
    void messagesMoveWhenHandedOver() {
        fold(new Owner(NODE), attach("a", 7), publish("m", recipient("a", 1)), publish("n", recipient("a", 1)));
        effects.take();
        fold(redistribution(0, 1, 1));
        assertThat(effects.take()).containsExactly("forward m");
        assertThat(client("a").queuedMessages()).isEqualTo(1);
        assertThat(client("a").queuedBytes()).isEqualTo(SIZE);
    }

    @Test
    void redistributionIsIgnoredWhenOfAnotherOwnerOrSession() {
        fold(new Owner(NODE), attach("a", 7), publish("m", recipient("a", 1)), new Owner(NODE));
        effects.take();
        fold(redistribution(0, 1, 1), redistribution(3, 9, 1));
        assertThat(effects.take()).isEmpty();
        assertThat(client("a").queuedMessages()).isEqualTo(1);
    }

    // Save points.

    @Test
    void savePointHasWhatChangedSinceTheLastOne() {
        fold(new Owner(NODE), attach("a", 7), publish("m", recipient("a", 1)));
        SavePoint first = state.takeSavePoint(0, -1);
        assertThat(first.applied()).isEqualTo(2);
        assertThat(first.foldedOwner()).isEqualTo(0);
        assertThat(first.sessions()).hasSize(1);
        assertThat(first.queued()).hasSize(1);
        SavePoint second = state.takeSavePoint(0, 2);
        assertThat(second.sessions()).isEmpty();
        assertThat(second.queued()).isEmpty();
    }

    @Test
    void sessionIsTheSameWhenLoaded() {
        fold(attach("a", 7, 60, null), publish("m", recipient("a", 0)), relay(0, 5), detach("a", 0, true, 30));
        StoredSession stored = client("a").toStored();
        assertThat(new SessionState(stored).toStored())
                .usingRecursiveComparison()
                .isEqualTo(stored);
    }

    private void fold(ShardEvent... events) {
        foldAt(NOW, events);
    }

    private void foldAt(long timeMillis, ShardEvent... events) {
        for (ShardEvent event : events) {
            state.apply(offset++, timeMillis, event);
        }
    }

    private void reload(SavePoint savePoint) {
        effects.take();
        state = new ShardState(effects, new Claim(savePoint.applied(), savePoint.foldedOwner(), savePoint.sources()));
        state.load(savePoint.sessions(), savePoint.wills());
    }

    private SessionState client(String clientId) {
        return Objects.requireNonNull(state.client(clientId));
    }

    private static Publish from(int shard, long sourceOffset, int part) {
        return from(0, shard, sourceOffset, part);
    }

    private static Publish from(long session, int shard, long sourceOffset, int part) {
        return new Publish(message("m"), List.of(recipient("a", session)), new Source(shard, sourceOffset, part));
    }

    private static Relay relay(long epoch, int packetId) {
        return new Relay("a", epoch, packetId, message("m"), recipients(recipient("b", 0)));
    }

    private static Redistribution redistribution(long ownerEpoch, long session, long sequence) {
        MovedMessage moved = new MovedMessage(sequence, SIZE, message("m"), recipients(recipient("b", 0)));
        return new Redistribution(ownerEpoch, "a", session, List.of(moved));
    }
}
