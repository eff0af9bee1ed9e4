package io.tributary.cluster.reshard;

import io.tributary.broker.shard.ShardAppends;
import io.tributary.broker.shard.fold.SessionState;
import io.tributary.common.event.QueueEntry;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.RoutingFormat;
import io.tributary.common.event.ShardEvent.Owner;
import io.tributary.common.event.ShardEvent.SnapshotComplete;
import io.tributary.common.event.ShardEvent.SnapshotEntry;
import io.tributary.common.event.ShardEvent.SnapshotQueue;
import io.tributary.common.event.ShardEvent.SnapshotSession;
import io.tributary.common.event.Source;
import io.tributary.common.event.StoredSession;
import io.tributary.common.mqtt.Will;
import io.tributary.persistence.shard.SavePoint.ClientWill;
import io.tributary.persistence.shard.SavePoint.WillKey;
import io.tributary.persistence.shard.ShardStore;
import io.tributary.persistence.shard.ShardStore.Claimant;
import io.tributary.persistence.shard.ShardStore.Entry;
import io.tributary.persistence.shard.ShardStore.QueuePage;
import io.tributary.persistence.shard.ShardStore.Remnant;
import io.tributary.persistence.shard.ShardStore.SessionPage;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes all that old shards hold to where new shards hold it: into their store, and as a log snapshot at the beginning
 * of their logs, from which owners rebuild a store that is lost. Nothing may change the old ones meanwhile. For one
 * thread, which blocks.
 */
final class Copying {
    private static final String OWNER = "reshard";
    private static final int PAGE = 500;
    private static final int PAGE_BYTES = 256 << 10;
    private static final int RECORD_BYTES = 64 << 10;
    private static final int ENTRY_BYTES = 16;

    private final ShardStore from;
    private final ShardStore to;
    private final NewLog log;
    private final long base;
    private final NewShard[] shards;
    private final Inventory inventory = new Inventory();
    private long lost;

    /**
     * Creates one.
     *
     * @param to with nothing in it
     * @param log with nothing in it; its first offset is the base
     * @param identity the log's
     * @param count how many new shards there are
     * @param base above all offsets that anything was named by
     */
    Copying(ShardStore from, ShardStore to, NewLog log, String identity, int count, long base) {
        this.from = from;
        this.to = to;
        this.log = log;
        this.base = base;
        shards = new NewShard[count];
        for (int shard = 0; shard < count; shard++) {
            log.append(shard, new Owner(OWNER));
        }
        // A partition that was made just now may refuse a batch and take the next: Kafka, which knows nothing of the
        // producer there, does not miss the one before, and would refuse that one for ever.
        log.await();
        for (int shard = 0; shard < count; shard++) {
            var _ = Answers.of(to.claim(shard, new Claimant(base, identity, false, null)));
            shards[shard] = new NewShard(shard, count, to, base);
        }
    }

    /** What was written. */
    Inventory.Sum written() {
        return inventory.sum();
    }

    /** How many messages were not there any more, though they were still counted. */
    long lost() {
        return lost;
    }

    /** Copies an old shard. */
    void copy(int shard) {
        Map<WillKey, Will> wills = wills(shard);
        Set<String> seen = new HashSet<>(); // a page may repeat some
        @Nullable String cursor = null;
        do {
            SessionPage page = Answers.of(from.readSessions(shard, cursor));
            for (StoredSession session : page.sessions()) {
                if (seen.add(session.clientId())) {
                    copy(shard, session, wills.get(new WillKey(session.clientId(), session.epoch())));
                }
            }
            cursor = page.cursor();
        } while (cursor != null);
    }

    private Map<WillKey, Will> wills(int shard) {
        Map<WillKey, Will> wills = new HashMap<>();
        @Nullable String cursor = null;
        do {
            SessionPage page = Answers.of(from.readSessions(shard, cursor));
            for (ClientWill will : page.wills()) {
                wills.put(new WillKey(will.clientId(), will.epoch()), will.will());
            }
            cursor = page.cursor();
        } while (cursor != null);
        return wills;
    }

    private void copy(int shard, StoredSession session, @Nullable Will will) {
        int target = ShardAppends.shardOf(SessionState.memberId(session.clientId()), shards.length);
        NewShard to = shards[target];
        inventory.add(session);
        to.add(session);
        if (will != null) {
            to.add(session, will);
            inventory.add(session.clientId(), session.epoch(), will);
        }
        log.append(target, new SnapshotSession(base, base - 1, session, will));
        if (session.queuedMessages() > 0) {
            copyQueue(shard, session, will, target);
        }
    }

    private void copyQueue(int shard, StoredSession session, @Nullable Will will, int target) {
        long next = 0;
        long gone = 0;
        long goneBytes = 0;
        QueuePage page;
        do {
            page = Answers.of(from.readQueue(shard, session.clientId(), next, PAGE, PAGE_BYTES));
            for (Entry entry : page.entries()) {
                shards[target].add(session, entry.sequence(), entry.entry());
                inventory.add(session.clientId(), entry.sequence(), entry.entry());
            }
            logQueue(target, session, page.entries());
            for (Remnant remnant : page.remnants()) {
                gone++;
                goneBytes += remnant.sizeBytes();
            }
            next = page.upTo() + 1;
        } while (page.more());
        if (gone > 0) {
            StoredSession left = without(session, gone, goneBytes);
            inventory.replace(session, left);
            shards[target].add(left);
            log.append(target, new SnapshotSession(base, base - 1, left, will));
            lost += gone;
        }
    }

    /** The session when these messages have left its queue. */
    private static StoredSession without(StoredSession one, long messages, long bytes) {
        long left = Math.max(0, one.queuedMessages() - messages);
        return new StoredSession(
                one.clientId(),
                one.session(),
                one.epoch(),
                one.node(),
                one.connection(),
                one.sessionExpirySeconds(),
                one.receiveMaximum(),
                one.detachedAtMillis(),
                one.willDueAtMillis(),
                one.lastSequence(),
                one.resendUpTo(),
                left,
                Math.max(0, one.queuedBytes() - bytes),
                left == 0 ? 0 : one.groupUpTo(),
                left == 0 ? 0 : one.priorityUpTo(),
                one.leftUpTo(),
                one.topic(),
                one.inboundPacketIds(),
                one.acceptedEpoch(),
                one.principal());
    }

    /** In records of some size, as each owner does it. */
    private void logQueue(int target, StoredSession session, List<Entry> entries) {
        List<SnapshotEntry> part = new ArrayList<>();
        long bytes = 0;
        for (Entry entry : entries) {
            long size = ENTRY_BYTES + largestSizeOf(entry.entry());
            if (bytes + size > RECORD_BYTES && !part.isEmpty()) {
                log.append(target, new SnapshotQueue(base, base - 1, session.clientId(), part));
                part = new ArrayList<>();
                bytes = 0;
            }
            part.add(new SnapshotEntry(entry.sequence(), entry.entry()));
            bytes += size;
        }
        if (!part.isEmpty()) {
            log.append(target, new SnapshotQueue(base, base - 1, session.clientId(), part));
        }
    }

    private static long largestSizeOf(QueueEntry entry) {
        return entry instanceof Queued queued ? RoutingFormat.largestSizeOf(queued) : 0;
    }

    /**
     * Ends it, when all old shards are copied.
     *
     * @param ingested the latest record of each partition of back-ends that all old shards have
     */
    void finish(Collection<Source> ingested, InstantSource clock) {
        for (int shard = 0; shard < shards.length; shard++) {
            log.append(shard, new SnapshotComplete(base, base - 1, base, List.copyOf(ingested)));
        }
        log.await();
        for (int shard = 0; shard < shards.length; shard++) {
            shards[shard].finish(log.last(shard), clock.millis(), ingested);
        }
    }

    /** What the new store holds. */
    Inventory.Sum stored() {
        Inventory found = new Inventory();
        for (int shard = 0; shard < shards.length; shard++) {
            addShard(found, shard);
        }
        return found.sum();
    }

    private void addShard(Inventory found, int shard) {
        Set<String> seen = new HashSet<>();
        Set<WillKey> seenWills = new HashSet<>();
        @Nullable String cursor = null;
        do {
            SessionPage page = Answers.of(to.readSessions(shard, cursor));
            for (StoredSession session : page.sessions()) {
                if (seen.add(session.clientId())) {
                    found.add(session);
                    addQueue(found, shard, session);
                }
            }
            for (ClientWill will : page.wills()) {
                if (seenWills.add(new WillKey(will.clientId(), will.epoch()))) {
                    found.add(will.clientId(), will.epoch(), will.will());
                }
            }
            cursor = page.cursor();
        } while (cursor != null);
    }

    private void addQueue(Inventory found, int shard, StoredSession session) {
        long next = 0;
        QueuePage page;
        if (session.queuedMessages() == 0) {
            return;
        }
        do {
            page = Answers.of(to.readQueue(shard, session.clientId(), next, PAGE, PAGE_BYTES));
            page.entries().forEach(entry -> found.add(session.clientId(), entry.sequence(), entry.entry()));
            page.remnants().forEach(remnant -> found.add(session.clientId(), remnant));
            next = page.upTo() + 1;
        } while (page.more());
    }
}
