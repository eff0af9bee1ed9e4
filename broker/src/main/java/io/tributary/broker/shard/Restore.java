package io.tributary.broker.shard;

import io.tributary.broker.shard.fold.ShardState;
import io.tributary.common.event.EventCodec;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.event.ShardEvent.SnapshotComplete;
import io.tributary.common.event.ShardEvent.SnapshotEntry;
import io.tributary.common.event.ShardEvent.SnapshotQueue;
import io.tributary.common.event.ShardEvent.SnapshotSession;
import io.tributary.common.event.StoredSession;
import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.SavePoint;
import io.tributary.persistence.shard.SavePoint.ClientWill;
import io.tributary.persistence.shard.SavePoint.SequencedEntry;
import io.tributary.persistence.shard.SavePoint.SourcePosition;
import io.tributary.persistence.shard.SavePoint.WillKey;
import io.tributary.persistence.shard.ShardLog;
import io.tributary.persistence.shard.ShardStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rebuilds the stored state of a shard whose log has deleted records that the store needs, from the snapshots in the
 * log ({@link LogSnapshots}): searches for the latest complete one, then copies that into the store, which is
 * afterwards at the snapshot's offset. The log goes on from there, and nothing is missing. Confined to the thread of
 * the driver.
 *
 * <p>While it is unfinished, the store is at an offset below {@link ShardStore#NOTHING_APPLIED}: an owner that finds
 * it so begins again.
 */
final class Restore {
    private static final Logger LOG = LoggerFactory.getLogger(Restore.class);

    /** How many sessions one save point clears: each takes several keys, of which a script has a limited number. */
    static final int MOST_CLEARED = 10_000;

    private final int shard;
    private final ShardState stored;
    private final ShardRecorder recorder;
    private final ShardConfig config;
    private final ShardLog log;
    private final ShardStore store;
    private final long ownerEpoch;
    private final Outcome outcome;

    /** The offset of the next record that is wanted. */
    private long next;

    private long begin;
    private @Nullable SnapshotComplete found;
    private boolean copying;

    // The next part of the copy.
    private long storedApplied;
    private List<String> cleared;
    private List<WillKey> willsRemoved;
    private List<SequencedEntry> queued = new ArrayList<>();
    private List<StoredSession> sessions = new ArrayList<>();
    private List<ClientWill> wills = new ArrayList<>();
    private long bytes;
    private boolean isComplete;
    private boolean saving;

    /** What its driver does. */
    interface Outcome {
        /** The store has a state from which the log can be folded on. */
        void restored();

        /** Nothing that the log has is enough: the state goes on from where the log begins. */
        void nothingFound();

        /** The log was cut again meanwhile, and another snapshot is to be searched for. */
        void cutAgain();

        /** Runs something when the store has answered, unless it failed, or the shard is lost meanwhile. */
        void whenSaved(CompletionStage<@Nullable Void> stage, Runnable then);
    }

    /**
     * Creates one that begins to search with the records that it is given.
     *
     * @param stored what the store has; all of it goes
     * @param ownerEpoch the owner, at whose own record the search ends
     */
    Restore(int shard, ShardEnvironment environment, ShardState stored, long ownerEpoch, Outcome outcome) {
        this.shard = shard;
        this.stored = stored;
        this.ownerEpoch = ownerEpoch;
        this.outcome = outcome;
        recorder = environment.recorder();
        config = environment.config();
        log = environment.log();
        store = environment.store();
        storedApplied = stored.applied();
        next = Math.max(0, storedApplied + 1);
        begin = next;
        cleared = stored.clients().stream().map(client -> client.clientId()).toList();
        willsRemoved = stored.allWills();
    }

    /** Takes records that the log handed out, as {@link ShardDriver#records} does. */
    void records(long from, List<LogRecord> records) {
        if (from > next) {
            return;
        }
        for (LogRecord record : records) {
            if (record.offset() < next) {
                continue;
            }
            if (record.offset() > next) {
                begin = record.offset();
                if (copying) {
                    outcome.cutAgain();
                    return;
                }
                found = found != null && found.asOf() + 1 < begin ? null : found;
            }
            next = record.offset() + 1;
            if (record.value().length == 0) {
                continue;
            }
            ShardEvent event = EventCodec.decode(record.value());
            if (copying) {
                copy(event);
            } else if (search(record.offset(), event)) {
                return;
            }
        }
        saveIfLarge();
    }

    /** Has the log hand out what follows. */
    void readOn() {
        if (!saving && !isComplete) {
            log.readFrom(shard, next);
        }
    }

    /** Looks at a record; whether it was the last one to look at. */
    private boolean search(long offset, ShardEvent event) {
        if (event instanceof SnapshotComplete complete && complete.asOf() + 1 >= begin) {
            found = complete;
        }
        if (offset < ownerEpoch) {
            return false;
        }
        if (found == null) {
            nothingFound();
        } else {
            copying = true;
            next = found.asOf() + 1;
            log.readFrom(shard, next);
        }
        return true;
    }

    private void copy(ShardEvent event) {
        switch (event) {
            case SnapshotSession stored when isOfSnapshot(stored.ownerEpoch(), stored.asOf()) -> copy(stored);
            case SnapshotQueue queue when isOfSnapshot(queue.ownerEpoch(), queue.asOf()) -> copy(queue);
            case SnapshotComplete complete
            when isOfSnapshot(complete.ownerEpoch(), complete.asOf()) -> isComplete = true;
            default -> {}
        }
    }

    private boolean isOfSnapshot(long snapshotOwner, long asOf) {
        return found != null && found.ownerEpoch() == snapshotOwner && found.asOf() == asOf && !isComplete;
    }

    private void copy(SnapshotSession stored) {
        sessions.add(stored.session());
        if (stored.will() != null) {
            wills.add(
                    new ClientWill(stored.session().clientId(), stored.session().epoch(), stored.will(), false));
            bytes += stored.will().message().memoryBytes();
        }
    }

    private void copy(SnapshotQueue queue) {
        for (SnapshotEntry kept : queue.entries()) {
            queued.add(new SequencedEntry(queue.clientId(), kept.sequence(), kept.entry()));
            bytes += kept.entry().memoryBytes();
        }
    }

    private void saveIfLarge() {
        boolean isLarge =
                sessions.size() + queued.size() >= config.savePointChanges() || bytes >= config.savePointBytes();
        if (!saving && (isComplete || (copying && isLarge))) {
            log.pause(shard);
            save();
        }
    }

    private void save() {
        saving = true;
        if (cleared.size() > MOST_CLEARED) {
            clearSome();
            return;
        }
        boolean isLast = isComplete;
        long applied = Math.min(storedApplied, ShardStore.NOTHING_APPLIED) - 1;
        long foldedOwner = -1;
        List<SourcePosition> sources = List.of();
        if (isLast && found != null) {
            applied = found.asOf();
            foldedOwner = found.foldedOwner();
            sources = found.sources().stream()
                    .map(one -> new SourcePosition(one.shard(), one.offset(), one.part()))
                    .toList();
        }
        SavePoint part = new SavePoint(
                ownerEpoch,
                storedApplied,
                applied,
                LogRecord.NO_LEADER,
                foldedOwner,
                ShardStore.NO_SNAPSHOT,
                sources,
                cleared,
                sessions,
                List.of(),
                queued,
                willsRemoved,
                wills);
        outcome.whenSaved(store.save(shard, part), () -> saved(part.applied(), isLast));
        storedApplied = applied;
        cleared = List.of();
        willsRemoved = List.of();
        sessions = new ArrayList<>();
        queued = new ArrayList<>();
        wills = new ArrayList<>();
        bytes = 0;
    }

    /** Nothing is put meanwhile: what was copied so far may be of clients that a later part clears. */
    private void clearSome() {
        long applied = Math.min(storedApplied, ShardStore.NOTHING_APPLIED) - 1;
        List<String> some = List.copyOf(cleared.subList(0, MOST_CLEARED));
        SavePoint part = SavePoint.clearing(ownerEpoch, storedApplied, applied, some);
        outcome.whenSaved(store.save(shard, part), this::save);
        storedApplied = applied;
        cleared = cleared.subList(MOST_CLEARED, cleared.size());
    }

    private void saved(long applied, boolean isLast) {
        saving = false;
        if (isLast) {
            restored(applied);
        } else {
            saveIfLarge();
            readOn();
        }
    }

    private void restored(long applied) {
        LOG.warn(
                "Shard {}: the store had the state up to offset {}, and the log has no records behind that any more; its"
                        + " state is rebuilt from the log as of offset {}, with nothing lost",
                shard,
                stored.applied(),
                applied);
        recorder.restored(shard);
        outcome.restored();
    }

    private void nothingFound() {
        long known = Math.max(stored.applied(), ShardStore.NOTHING_APPLIED);
        LOG.error(
                "Shard {}: the log begins at offset {}, and the store has the state up to {}: the {} records between"
                        + " were deleted before they were applied, and no log snapshot has what they said."
                        + " Sessions, messages and acknowledgements in them are lost. Keep the log longer than"
                        + " the cluster may be down, and than the store may go back in time",
                shard,
                begin,
                known,
                begin - known - 1);
        recorder.recordsLost(begin - known - 1);
        stored.skipTo(begin - 1);
        outcome.nothingFound();
    }
}
