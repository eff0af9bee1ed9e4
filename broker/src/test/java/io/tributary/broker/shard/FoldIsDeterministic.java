package io.tributary.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.shard.fold.NoEffects;
import io.tributary.broker.shard.fold.ShardState;
import io.tributary.common.event.EventCodec;
import io.tributary.common.event.QueueEntry;
import io.tributary.common.event.StoredSession;
import io.tributary.common.event.TopicState;
import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.ShardStore;
import io.tributary.persistence.shard.ShardStore.Claim;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The store holds what folding the log from its beginning gives, whoever saved it in how many steps; what a stored
 * session counts is what its queue has, and nothing is left in a queue whose client has acknowledged everything.
 */
final class FoldIsDeterministic implements Ledger.Promise {

    @Override
    public void settled(SimWorld world) {
        for (int shard = 0; shard < world.log.shards(); shard++) {
            SimStore.Shard stored = world.store.shard(shard);
            SimStore.Shard all = fold(world.log.records(shard), Long.MAX_VALUE);
            if (stored.applied >= ShardStore.NOTHING_APPLIED) { // else it went back into the midst of being rebuilt
                compare(foldOn(stored, world.log.records(shard)), all);
            }
            // One that was rebuilt may lack what went while the log repeated its queues.
            if (!world.faults.contains(SimFault.CUTS)) {
                compare(stored, fold(world.log.records(shard), stored.applied));
            }
            checkCounts(all);
            all.queues.keySet().removeIf(clientId -> world.client(clientId).isAway);
            assertThat(all.queues).as("what is left in queues").isEmpty();
        }
    }

    /** The state of a shard as its log says, folded from its beginning up to an offset. */
    static SimStore.Shard fold(List<LogRecord> records, long upTo) {
        SimStore.Shard folded = new SimStore.Shard();
        ShardState state = new ShardState(new NoEffects(), new Claim(ShardStore.NOTHING_APPLIED, -1, List.of()));
        for (LogRecord record : records) {
            if (record.offset() <= upTo) {
                state.apply(record.offset(), record.timeMillis(), EventCodec.decode(record.value()));
            }
            if (record.offset() <= upTo && record.offset() % 7 == 0) {
                folded.apply(state.takeSavePoint(0, folded.applied));
                checkCounts(folded);
            }
        }
        folded.apply(state.takeSavePoint(0, folded.applied));
        return folded;
    }

    /** The state that an owner has who finds the store as it is, and folds the rest of the log. */
    private static SimStore.Shard foldOn(SimStore.Shard stored, List<LogRecord> records) {
        ShardState state = new ShardState(
                new NoEffects(),
                new Claim(
                        stored.applied,
                        stored.leaderEpoch,
                        stored.foldedOwner,
                        stored.snapshotMillis,
                        List.copyOf(stored.sources.values()),
                        null));
        state.load(List.copyOf(stored.sessions.values()), List.copyOf(stored.wills.values()));
        records.forEach(record -> state.apply(record.offset(), record.timeMillis(), EventCodec.decode(record.value())));
        SimStore.Shard folded = stored.copy();
        folded.apply(state.takeSavePoint(0, stored.applied));
        return folded;
    }

    private static void compare(SimStore.Shard stored, SimStore.Shard folded) {
        assertThat(stored.applied).isEqualTo(folded.applied);
        assertThat(stored.foldedOwner).isEqualTo(folded.foldedOwner);
        assertThat(stored.snapshotMillis).isEqualTo(folded.snapshotMillis);
        assertThat(stored.sources).isEqualTo(folded.sources);
        assertThat(stored.queues).isEqualTo(folded.queues);
        assertThat(stored.wills).isEqualTo(folded.wills);
        assertThat(texts(stored.sessions)).isEqualTo(texts(folded.sessions));
    }

    /** Sessions have arrays, which compare by identity. */
    private static Map<String, String> texts(Map<String, StoredSession> sessions) {
        Map<String, String> texts = new TreeMap<>();
        sessions.forEach((clientId, stored) -> texts.put(
                clientId,
                List.of(
                                stored.session(),
                                stored.epoch(),
                                String.valueOf(stored.node()),
                                stored.connection(),
                                stored.sessionExpirySeconds(),
                                stored.detachedAtMillis(),
                                stored.willDueAtMillis(),
                                stored.lastSequence(),
                                stored.resendUpTo(),
                                stored.queuedMessages(),
                                stored.queuedBytes(),
                                stored.groupUpTo(),
                                stored.priorityUpTo(),
                                stored.leftUpTo(),
                                text(stored.topic()),
                                java.util.Arrays.toString(stored.inboundPacketIds()),
                                stored.acceptedEpoch())
                        .toString()));
        return texts;
    }

    private static String text(@Nullable TopicState topic) {
        return topic == null
                ? "device"
                : topic.kind() + " " + topic.id() + topic.base() + topic.first() + topic.upTo()
                        + java.util.Arrays.toString(topic.settled()) + java.util.Arrays.toString(topic.released())
                        + topic.sources();
    }

    private static void checkCounts(SimStore.Shard shard) {
        for (StoredSession stored : shard.sessions.values()) {
            Map<Long, QueueEntry> queue = shard.queues.getOrDefault(stored.clientId(), new TreeMap<>());
            long bytes = 0;
            for (QueueEntry entry : queue.values()) {
                bytes += entry.sizeBytes();
            }
            if (stored.queuedMessages() != queue.size() || stored.queuedBytes() != bytes) {
                throw new Violation(stored.clientId() + " counts " + stored.queuedMessages() + " messages of "
                        + stored.queuedBytes() + " bytes, and has " + queue.size() + " of " + bytes);
            }
        }
    }
}
