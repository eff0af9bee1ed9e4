package io.tributary.broker.shard.fold;

import static io.tributary.broker.shard.fold.Samples.queued;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.fake.Allocated;
import io.tributary.broker.fake.Messages;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.QueueEntry;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.QueueEntry.Released;
import io.tributary.common.event.Source;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import io.tributary.persistence.shard.SavePoint.ClientWill;
import io.tributary.persistence.shard.SavePoint.SequenceKey;
import io.tributary.persistence.shard.SavePoint.SequencedEntry;
import io.tributary.persistence.shard.SavePoint.SourcePosition;
import io.tributary.persistence.shard.SavePoint.WillKey;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ShardChangesTest {
    private final ShardChanges changes = new ShardChanges(0);
    private final SessionState client = new SessionState("a", 0, ClientKind.DEVICE);

    @Test
    void entryLeavesNoTraceWhenRemovedAgain() {
        changes.add(client, 5, queued("m"));
        changes.remove(client, 5);
        assertThat(changes.queued()).isEmpty();
        assertThat(changes.removed()).isEmpty();
        assertThat(changes.queuedCount()).isZero();
        assertThat(changes.queuedBytes()).isZero();
        assertThat(changes.sessions(Map.of("a", client)::get)).hasSize(1);
    }

    @Test
    void firstAddedStaysWhenRemovedAgain() {
        assertThat(changes.firstAdded("a")).isEqualTo(Long.MAX_VALUE);
        changes.add(client, 5, queued("m"));
        changes.add(client, 6, queued("m"));
        changes.remove(client, 5);
        assertThat(changes.firstAdded("a")).isEqualTo(5);
    }

    @Test
    void entryOfTheStoreIsRemovedByName() {
        changes.remove(client, 5);
        assertThat(changes.removed()).containsExactly(new SequenceKey("a", 5));
        QueueEntry stored = queued("m");
        assertThat(changes.later("a", 5, stored)).isNull();
        assertThat(changes.later("a", 6, stored)).isSameAs(stored);
        assertThat(changes.later("b", 5, stored)).isSameAs(stored);
    }

    @Test
    void onlyPubrelIsSavedWhenReceived() {
        changes.add(client, 5, queued("m"));
        changes.release(client, 5);
        assertThat(changes.queued()).containsExactly(new SequencedEntry("a", 5, new Released()));
        assertThat(changes.queuedCount()).isEqualTo(1);
        assertThat(changes.queuedBytes()).isZero();
    }

    @Test
    void entryOfTheStoreIsRemovedWhenReceivedAndSettled() {
        changes.release(client, 5);
        changes.remove(client, 5);
        assertThat(changes.queued()).isEmpty();
        assertThat(changes.removed()).containsExactly(new SequenceKey("a", 5));
    }

    @Test
    void everythingOfASessionIsForgottenWhenItEnds() {
        changes.add(client, 5, queued("m"));
        changes.remove(client, 3);
        changes.clear(client);
        assertThat(changes.cleared()).containsExactly("a");
        assertThat(changes.sessionCount()).isZero();
        assertThat(changes.queued()).isEmpty();
        assertThat(changes.removed()).isEmpty();
        assertThat(changes.sessions(Map.of("a", client)::get)).isEmpty();
        assertThat(changes.queuedBytes()).isZero();
        assertThat(changes.firstAdded("a")).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void nextSessionIsSavedWhenOneEnded() {
        changes.clear(client);
        SessionState next = new SessionState("a", 9, ClientKind.DEVICE);
        changes.add(next, 1, queued("m"));
        assertThat(changes.isCleared("a")).isTrue();
        assertThat(changes.sessionCount()).isEqualTo(1);
        assertThat(changes.queued()).hasSize(1);
        assertThat(changes.sessions(Map.of("a", next)::get)).hasSize(1);
    }

    @Test
    void bytesAreCounted() {
        changes.add(client, 1, queued("m"));
        changes.add(client, 2, queued("m"));
        assertThat(changes.queuedCount()).isEqualTo(2);
        assertThat(changes.queuedBytes()).isEqualTo(2L * queued("m").message().sizeBytes());
    }

    @Test
    void latestSourceOfAShardIsSaved() {
        changes.source(new Source(2, 5, 0));
        changes.source(new Source(2, 6, 1));
        changes.source(new Source(1, 9, 0));
        assertThat(changes.sources())
                .containsExactlyInAnyOrder(new SourcePosition(2, 6, 1), new SourcePosition(1, 9, 0));
    }

    @Test
    void latestOfAWillIsSaved() {
        changes.putWill(new ClientWill("a", 1, Samples.WILL, false));
        changes.putWill(new ClientWill("a", 1, Samples.WILL, true));
        changes.putWill(new ClientWill("a", 2, Samples.WILL, false));
        changes.removeWill("a", 2);
        changes.removeWill("a", 0);
        assertThat(changes.wills()).containsExactly(new ClientWill("a", 1, Samples.WILL, true));
        assertThat(changes.willsRemoved()).containsExactly(new WillKey("a", 0));
    }

    @Test
    void sessionLeavesNoTraceWhenItBeganAndEndedSinceTheLastSavePoint() {
        SessionState visitor = new SessionState("b", 1, ClientKind.DEVICE);
        changes.touch(visitor);
        changes.putWill(new ClientWill("b", 1, Samples.WILL, false));
        changes.add(visitor, 1, queued("m"));
        assertThat(changes.weight()).isPositive();
        changes.removeWill("b", 1);
        changes.clear(visitor);
        assertThat(changes.cleared()).isEmpty();
        assertThat(changes.willsRemoved()).isEmpty();
        assertThat(changes.weight()).isZero();
    }

    @Test
    void storedSessionIsClearedWhenAnotherOneOfTheClientEndedSince() {
        changes.clear(client);
        SessionState next = new SessionState("a", 9, ClientKind.DEVICE);
        changes.touch(next);
        changes.clear(next);
        assertThat(changes.cleared()).containsExactly("a");
    }

    @Test
    void storedQueueIsClearedWhenItsHeirEnds() {
        client.enqueue(queued("m"));
        SessionState heir = new SessionState("a", 9, ClientKind.DEVICE);
        heir.inherit(client);
        changes.touch(heir);
        changes.clear(heir);
        assertThat(changes.cleared()).containsExactly("a");
    }

    @Test
    void everythingThatWaitsHasAWeight() {
        long before = changes.weight();
        for (Runnable change : List.<Runnable>of(
                () -> changes.touch(client),
                () -> changes.add(client, 5, queued("m")),
                () -> changes.remove(client, 3),
                () -> changes.putWill(new ClientWill("a", 1, Samples.WILL, false)),
                () -> changes.removeWill("a", 0),
                () -> changes.clear(new SessionState("b", 0, ClientKind.DEVICE)))) {
            change.run();
            assertThat(changes.weight()).isGreaterThan(before);
            before = changes.weight();
        }
        changes.add(client, 6, queued("m".repeat(1000)));
        assertThat(changes.weight()).isGreaterThan(before + 1000);
    }

    @Test
    void userPropertiesWeighWhatTheyTakeInTheHeapAndAreSavedAsTheyAre() {
        changes.touch(client);
        long before = changes.weight();
        Message costly = Messages.withUserProperties(100, Samples.message("m"));
        changes.add(client, 1, new Queued(costly, QoS.AT_LEAST_ONCE, false, List.of(), null));
        assertThat(changes.weight()).isGreaterThan(before + 12_000);
        assertThat(changes.queuedBytes()).isEqualTo(costly.sizeBytes());
        changes.remove(client, 1);
        assertThat(changes.weight()).isLessThan(before + 1_000);
        assertThat(changes.queuedBytes()).isZero();
    }

    @Test
    void packetIdentifiersThatAreNotReleasedTakeLittleAndHaveAWeight() {
        changes.touch(client);
        long before = changes.weight();

        long bytes = Allocated.bytesBy(() -> {
            for (int packetId = 1; packetId <= 10_000; packetId++) {
                client.accept(packetId);
            }
        });
        changes.touch(client);

        assertThat(bytes).isLessThan(200_000);
        assertThat(changes.weight()).isEqualTo(before + 40_000);
        client.release(client.epoch(), 1);
        changes.touch(client);
        assertThat(changes.weight()).isEqualTo(before + 39_996);
        changes.clear(client);
        changes.touch(new SessionState("a", 9, ClientKind.DEVICE));
        assertThat(changes.weight()).isEqualTo(before);
    }
}
