package io.tributary.cluster.redis;

import static io.tributary.cluster.redis.StateBytes.decimal;

import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.StateCodec;
import io.tributary.common.event.StoredSession;
import io.tributary.persistence.shard.SavePoint;
import io.tributary.persistence.shard.SavePoint.ClientWill;
import io.tributary.persistence.shard.SavePoint.SequenceKey;
import io.tributary.persistence.shard.SavePoint.SequencedEntry;
import io.tributary.persistence.shard.SavePoint.SourcePosition;
import io.tributary.persistence.shard.SavePoint.WillKey;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A save point as the keys and arguments of {@code save.lua}, which says what they mean. */
final class SaveCall {
    /** Redis takes no command with more than 1,048,576 parts; so many keys and arguments leave room for its head. */
    static final int MAX_PARTS = 1_000_000;

    private final int format;
    private final Bodies bodies;
    private final List<byte[]> keys = new ArrayList<>();
    private final List<byte[]> arguments = new ArrayList<>();

    /**
     * Creates one.
     *
     * @param inlineBytes messages whose copies take less together lie in the queues
     * @param nowMillis the time by which messages expire
     * @throws IllegalArgumentException if the save point has more parts than Redis takes, or numbers that it cannot
     *     count
     */
    SaveCall(ShardKeys shard, SavePoint savePoint, int inlineBytes, int format, long nowMillis) {
        this.format = format;
        bodies = new Bodies(savePoint, inlineBytes, format, nowMillis);
        keys.add(shard.position());
        keys.add(shard.sessions());
        keys.add(shard.wills());
        keys.add(shard.references());
        keys.add(shard.gone());
        addPosition(savePoint);
        addSessionsAndWills(savePoint);
        bodies.addTo(arguments);
        changesByClient(savePoint).forEach((clientId, change) -> {
            keys.add(shard.queue(clientId));
            change.addTo(arguments, bodies, format);
        });
        if (keys.size() + arguments.size() > MAX_PARTS) {
            throw new IllegalArgumentException("a save point of " + (keys.size() + arguments.size())
                    + " keys and arguments; Redis takes " + MAX_PARTS);
        }
    }

    byte[][] keys() {
        return keys.toArray(byte[][]::new);
    }

    byte[][] arguments() {
        return arguments.toArray(byte[][]::new);
    }

    private void addPosition(SavePoint savePoint) {
        arguments.add(decimal(savePoint.ownerEpoch()));
        arguments.add(decimal(savePoint.expectedApplied()));
        arguments.add(decimal(savePoint.applied()));
        arguments.add(decimal(savePoint.cleared().size()));
        arguments.add(decimal(savePoint.willsRemoved().size()));
        arguments.add(decimal(2L * (4 + savePoint.sources().size())));
        arguments.add(decimal(2L * savePoint.sessions().size()));
        arguments.add(decimal(2L * savePoint.wills().size()));
        arguments.add(decimal(4L * bodies.count()));
    }

    private void addSessionsAndWills(SavePoint savePoint) {
        for (String clientId : savePoint.cleared()) {
            arguments.add(ShardKeys.utf8(clientId));
        }
        for (WillKey will : savePoint.willsRemoved()) {
            arguments.add(StateBytes.willField(will.clientId(), will.epoch()));
        }
        arguments.add(ShardKeys.utf8(Position.LAYOUT));
        arguments.add(decimal(Position.FORMAT));
        arguments.add(ShardKeys.utf8(Position.FOLDED_OWNER));
        arguments.add(decimal(savePoint.foldedOwner()));
        arguments.add(ShardKeys.utf8(Position.LEADER_EPOCH));
        arguments.add(decimal(savePoint.leaderEpoch()));
        arguments.add(ShardKeys.utf8(Position.SNAPSHOT_AT));
        arguments.add(decimal(savePoint.snapshotMillis()));
        for (SourcePosition source : savePoint.sources()) {
            arguments.add(StateBytes.sourceField(source));
            arguments.add(StateBytes.sourceValue(source));
        }
        for (StoredSession stored : savePoint.sessions()) {
            arguments.add(ShardKeys.utf8(stored.clientId()));
            arguments.add(StateCodec.encodeSession(stored, format));
        }
        for (ClientWill will : savePoint.wills()) {
            arguments.add(StateBytes.willField(will.clientId(), will.epoch()));
            arguments.add(StateCodec.encodeWill(will.will(), will.due(), format));
        }
    }

    private static Map<String, QueueChange> changesByClient(SavePoint savePoint) {
        Map<String, QueueChange> changes = new LinkedHashMap<>();
        for (String clientId : savePoint.cleared()) {
            changeOf(changes, clientId).cleared = true;
        }
        for (SequenceKey removed : savePoint.removed()) {
            changeOf(changes, removed.clientId()).removed.add(removed.sequence());
        }
        for (SequencedEntry queued : savePoint.queued()) {
            changeOf(changes, queued.clientId()).queued.add(queued);
        }
        return changes;
    }

    private static QueueChange changeOf(Map<String, QueueChange> changes, String clientId) {
        return changes.computeIfAbsent(clientId, _ -> new QueueChange());
    }

    /** The changes of one client's queue. */
    private static final class QueueChange {
        private boolean cleared;
        private final List<Long> removed = new ArrayList<>();
        private final List<SequencedEntry> queued = new ArrayList<>();

        void addTo(List<byte[]> arguments, Bodies bodies, int format) {
            List<byte[]> ranges = ranges();
            queued.sort(Comparator.comparingLong(SequencedEntry::sequence));
            List<byte[]> entries = new ArrayList<>(2 * queued.size());
            int references = 0;
            for (SequencedEntry each : queued) {
                byte[] bodyId = each.entry() instanceof Queued message ? bodies.idOf(message.message()) : null;
                references += bodyId == null ? 0 : 1;
                entries.add(decimal(each.sequence()));
                entries.add(StateBytes.member(each.sequence(), each.entry(), bodyId, format));
            }
            arguments.add(decimal(cleared ? 1 : 0));
            arguments.add(decimal(ranges.size() / 2));
            arguments.add(decimal(queued.size()));
            arguments.add(decimal(references));
            arguments.addAll(ranges);
            arguments.addAll(entries);
        }

        /** First and last of each run of neighbours: clients acknowledge more or less in order. */
        private List<byte[]> ranges() {
            Collections.sort(removed);
            List<byte[]> ranges = new ArrayList<>();
            for (int first = 0, next; first < removed.size(); first = next) {
                next = first + 1;
                while (next < removed.size() && removed.get(next) <= removed.get(next - 1) + 1) {
                    next++;
                }
                ranges.add(decimal(removed.get(first)));
                ranges.add(decimal(removed.get(next - 1)));
            }
            return ranges;
        }
    }
}
