package io.tributary.broker.shard;

import io.tributary.common.event.EventCodec;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.event.ShardEvent.SnapshotComplete;
import io.tributary.common.event.ShardEvent.SnapshotQueue;
import io.tributary.common.event.ShardEvent.SnapshotSession;
import io.tributary.persistence.shard.AppendCallback;
import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.ShardLog;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The durable logs of a simulation, and which process reads which. Appends become durable after a while, in the order
 * of their process; a crash loses a tail of what was not durable, and all callbacks.
 */
final class SimLog {
    private static final int LONGEST_BATCH = 8;
    private static final double REFUSAL = 0.005;
    private static final double FAILURE = 0.01;
    private static final int SMALL_ROOM_BYTES = 512;
    /** How long a process takes at most to read back what it was handed early. */
    private static final int READ_BACK_MILLIS = 200;

    /** How long what is in a log that is read slowly takes to its reader at most. */
    private static final int LONGEST_READING_MILLIS = 200;

    private static final int LONGEST_PREPARATION_MILLIS = 3000;
    /** More than the messages of a simulation take. */
    private static final int MESSAGE_BYTES = 512;

    private final SimClock clock;
    private final List<List<LogRecord>> records = new ArrayList<>();
    private final long[] nextOffset;
    private final int[] leaderEpoch;
    private final long[] truncatedBelow;
    private long appended;
    private final @Nullable View[] assignee;
    /** Whether records are kept behind save points, for a store that may go back in time. */
    private final boolean retaining;

    private boolean hasLostTail;
    private int roomBytes = ShardLog.ROOM_BYTES;
    private boolean slowlyRead;
    private double failures;

    SimLog(SimClock clock, int shards, boolean retaining) {
        this.clock = clock;
        this.retaining = retaining;
        nextOffset = new long[shards];
        leaderEpoch = new int[shards];
        truncatedBelow = new long[shards];
        assignee = new View[shards];
        for (int shard = 0; shard < shards; shard++) {
            records.add(new ArrayList<>());
        }
    }

    /** Has room for little in a record from now on, before the history begins. */
    void tighten() {
        roomBytes = SMALL_ROOM_BYTES;
    }

    /** Is now and then handed out late from now on, before the history begins. */
    void readSlowly() {
        slowlyRead = true;
    }

    /** Whether appends of owners fail now and then. */
    void failures(boolean wanted) {
        failures = wanted ? FAILURE : 0;
    }

    int shards() {
        return records.size();
    }

    /** All that was ever appended, whether it was truncated or not. */
    List<LogRecord> records(int shard) {
        return records.get(shard);
    }

    View view() {
        return new View();
    }

    @Nullable
    View assignee(int shard) {
        return assignee[shard];
    }

    /** Gives a shard to a process, or to none; the one that had it may learn of it late. */
    void assign(int shard, @Nullable View to) {
        View from = assignee[shard];
        assignee[shard] = to;
        if (from != null) {
            from.revoked(shard);
        }
        if (to != null) {
            to.assigned(shard);
        }
    }

    /**
     * Has a process prepare for a shard that another one has, and then gives it the shard: when it is prepared, or
     * sooner.
     */
    void handOver(int shard, View to) {
        View from = assignee[shard];
        if (from == null || from == to) {
            return;
        }
        from.leaving(shard);
        boolean[] isGiven = {false};
        Runnable give = () -> {
            if (!isGiven[0] && assignee[shard] == from && !to.dead) {
                assign(shard, to);
            }
            isGiven[0] = true;
        };
        to.expected(shard, () -> clock.after(clock.between(0, 20), give));
        clock.after(clock.between(0, LONGEST_PREPARATION_MILLIS), give);
    }

    /** How many records there are that say anything new. */
    long appended() {
        return appended;
    }

    /**
     * Deletes the beginning of a log, as far as log snapshots have what it said; whether there was anything to
     * delete.
     */
    boolean cut(int shard) {
        List<Long> snapshots = records.get(shard).stream()
                .filter(record -> record.value().length > 0)
                .map(record -> EventCodec.decode(record.value()))
                .filter(SnapshotComplete.class::isInstance)
                .map(event -> ((SnapshotComplete) event).asOf())
                .filter(asOf -> asOf >= truncatedBelow[shard])
                .toList();
        if (snapshots.isEmpty()) {
            return false;
        }
        long most = clock.oneOf(snapshots) + 1;
        truncatedBelow[shard] = Math.max(truncatedBelow[shard], most - clock.between(0, 3));
        return true;
    }

    /** Whether a shard has ever lost its last records. */
    boolean hasLostTail() {
        return hasLostTail;
    }

    /** The log loses its last records, though it had acknowledged them; those who read behind its end are told. */
    List<LogRecord> loseTail(int shard, int count) {
        hasLostTail = true;
        List<LogRecord> all = records.get(shard);
        List<LogRecord> tail = all.subList(Math.max(0, all.size() - count), all.size());
        List<LogRecord> lost = List.copyOf(tail);
        tail.clear();
        nextOffset[shard] -= lost.size();
        leaderEpoch[shard]++;
        View reader = assignee[shard];
        if (reader != null) {
            reader.feed(shard);
        }
        return lost;
    }

    /** Where the log has another record than a reader knows that has come to a position, or -1. */
    private long divergence(int shard, long position, int epochBefore) {
        long end = nextOffset[shard];
        if (epochBefore != LogRecord.NO_LEADER) {
            for (LogRecord record : records.get(shard)) {
                if (record.leaderEpoch() > epochBefore) {
                    end = record.offset();
                    break;
                }
            }
        }
        return end < position ? end : -1;
    }

    private void add(int shard, byte[] value, @Nullable Runnable told, long offset) {
        appended += isNews(value) ? 1 : 0;
        records.get(shard).add(new LogRecord(offset, leaderEpoch[shard], clock.nowMillis(), value));
        nextOffset[shard] = offset + 1;
        if (told != null) {
            told.run();
        }
        View reader = assignee[shard];
        if (reader != null) {
            reader.feed(shard);
        }
    }

    private static boolean isNews(byte[] value) {
        if (value.length == 0) {
            return false;
        }
        ShardEvent event = EventCodec.decode(value);
        return !(event instanceof SnapshotSession
                || event instanceof SnapshotQueue
                || event instanceof SnapshotComplete);
    }

    /** The log as one process sees it. */
    final class View implements ShardLog {
        private final SimThread thread = new SimThread(clock, 2);
        private final List<Queue<Pending>> pending = new ArrayList<>();
        private final List<SimReading> readings = new ArrayList<>();
        private final List<Runnable> waitingForRoom = new ArrayList<>();
        private @Nullable Reader reader;
        private boolean full;
        private boolean dead;
        private long unreachableUntil;

        @SuppressWarnings("ArrayRecordComponent") // handed on, never compared
        private record Pending(byte[] value, long least, AppendCallback callback) {}

        private View() {
            for (int shard = 0; shard < shards(); shard++) {
                pending.add(new ArrayDeque<>());
                readings.add(new SimReading());
            }
        }

        /** Nothing that is appended becomes durable for a while, and nothing is read. */
        void cutOff(long millis) {
            unreachableUntil = clock.nowMillis() + millis;
        }

        /** Has something done with the log in a while, when it can be reached. */
        private void after(int millis, Runnable action) {
            clock.after(Math.max(millis, unreachableUntil - clock.nowMillis()), () -> {
                if (clock.nowMillis() < unreachableUntil) {
                    after(millis, action);
                } else if (!dead) {
                    action.run();
                }
            });
        }

        @Override
        public int shardCount() {
            return shards();
        }

        @Override
        public int roomBytes() {
            return roomBytes;
        }

        @Override
        public boolean append(int shard, byte[] value, AppendCallback callback) {
            if (dead) {
                return true;
            }
            if (value.length > MESSAGE_BYTES + roomBytes) {
                throw new Violation("a record of " + value.length + " bytes: " + EventCodec.decode(value));
            }
            if (failures > 0 && isOwners(value) && clock.chance(failures)) {
                thread.execute(() -> callback.onAppended(-1, new IllegalStateException("refused")));
                return true;
            }
            full |= clock.chance(REFUSAL);
            if (full) {
                return false;
            }
            Queue<Pending> queue = pending.get(shard);
            queue.add(new Pending(value, readings.get(shard).position, callback));
            if (queue.size() == 1) {
                makeDurableSoon(shard);
            }
            return true;
        }

        /** Whether an owner says something of its own: when something that it forwards fails, so does all behind it. */
        private boolean isOwners(byte[] value) {
            return reader != null && !(EventCodec.decode(value) instanceof ShardEvent.Publish);
        }

        private void makeDurableSoon(int shard) {
            after(clock.between(0, clock.chance(0.05) ? 200 : 8), () -> makeDurable(shard));
        }

        private void makeDurable(int shard) {
            Queue<Pending> queue = pending.get(shard);
            for (int left = clock.between(1, 4); left > 0 && !queue.isEmpty(); left--) {
                Pending next = queue.remove();
                long offset = nextOffset[shard];
                add(shard, next.value, () -> thread.execute(() -> next.callback.onAppended(offset, null)), offset);
                handOutEarly(shard, offset, next.least);
            }
            if (!queue.isEmpty()) {
                makeDurableSoon(shard);
            }
        }

        @Override
        public void onRoom(Runnable action) {
            waitingForRoom.add(action);
            clock.after(clock.between(0, 20), () -> {
                if (!dead) {
                    full = false;
                    List<Runnable> actions = List.copyOf(waitingForRoom);
                    waitingForRoom.clear();
                    actions.forEach(Runnable::run);
                }
            });
        }

        @Override
        public void start(Reader newReader) {
            reader = newReader;
        }

        @Override
        public void readFrom(int shard, long offset) {
            readFrom(shard, offset, LogRecord.NO_LEADER);
        }

        @Override
        public void readFrom(int shard, long offset, int leaderEpochBefore) {
            SimReading reading = readings.get(shard);
            reading.wanted = true;
            reading.from(offset, Math.max(leaderEpochBefore, LogRecord.NO_LEADER));
            feed(shard);
        }

        @Override
        public void allowEarly(int shard) {
            readings.get(shard).early = true;
        }

        @Override
        public int leaderEpoch(int shard, long offset) {
            SimReading reading = readings.get(shard);
            boolean isToCome = reading.wanted && reading.unread.stream().anyMatch(record -> record.offset() == offset);
            return isToCome ? LogRecord.NOT_READ_BACK : reading.readBack.getOrDefault(offset, LogRecord.NO_LEADER);
        }

        @Override
        public void pause(int shard) {
            readings.get(shard).wanted = false;
        }

        @Override
        public void truncate(int shard, long offset) {
            if (!retaining) {
                truncatedBelow[shard] = Math.max(truncatedBelow[shard], offset);
            }
        }

        @Override
        public void close() {}

        /** Dies: what is not durable is lost, but for some that the log has already and nobody was told of. */
        void die() {
            dead = true;
            thread.die();
            for (int shard = 0; shard < shards(); shard++) {
                for (int left = clock.between(0, pending.get(shard).size()); left > 0; left--) {
                    add(shard, pending.get(shard).remove().value, null, nextOffset[shard]);
                }
                if (assignee[shard] == this) {
                    assignee[shard] = null;
                }
            }
        }

        /** Whether nothing waits to become durable. */
        boolean isIdle() {
            return pending.stream().allMatch(Queue::isEmpty);
        }

        private void expected(int shard, Runnable ready) {
            thread.execute(() -> reader().onExpected(shard, ready));
        }

        private void leaving(int shard) {
            thread.execute(() -> reader().onLeaving(shard));
        }

        private void assigned(int shard) {
            thread.execute(() -> reader().onAssigned(shard));
        }

        private void revoked(int shard) {
            readings.get(shard).wanted = false;
            thread.execute(() -> reader().onRevoked(shard, () -> {}));
        }

        private Reader reader() {
            if (reader == null) {
                throw new IllegalStateException("not started");
            }
            return reader;
        }

        private void feed(int shard) {
            SimReading reading = readings.get(shard);
            if (reading.wanted && !reading.feeding && !dead) {
                reading.feeding = true;
                after(
                        clock.between(0, slowlyRead && clock.chance(0.5) ? LONGEST_READING_MILLIS : 4),
                        () -> handOut(shard, reading));
            }
        }

        private void handOut(int shard, SimReading reading) {
            reading.feeding = false;
            if (!reading.wanted || assignee[shard] != this) {
                return;
            }
            long from = reading.position;
            if (wentBack(shard, reading)) {
                return;
            }
            reading.readBack(records.get(shard));
            List<LogRecord> batch = batch(shard, Math.max(from, truncatedBelow[shard]));
            if (!batch.isEmpty()) {
                reading.position = batch.getLast().offset() + 1;
                reading.leaderEpoch = batch.getLast().leaderEpoch();
                thread.execute(() -> {
                    if (assignee[shard] == this) {
                        reader().onRecords(shard, from, batch);
                    }
                });
                feed(shard);
            }
        }

        /** A record of this process, if it comes next, and the process takes such. */
        private void handOutEarly(int shard, long offset, long least) {
            SimReading reading = readings.get(shard);
            if (offset < least || offset <= reading.highest) { // the log has lost its end, as reading will show
                reading.early = false;
            }
            reading.highest = offset;
            if (!reading.early || !reading.wanted || reading.position != offset || assignee[shard] != this) {
                return;
            }
            if (clock.chance(0.3)) {
                return; // it is read, as if somebody else had appended it
            }
            LogRecord last = records.get(shard).getLast();
            LogRecord record = new LogRecord(offset, LogRecord.NOT_READ_BACK, last.timeMillis(), last.value());
            reading.position = offset + 1;
            reading.unread.add(record);
            if (reading.unread.size() == 1) {
                readBackSoon(shard, reading);
            }
            thread.execute(() -> {
                if (assignee[shard] == this) {
                    reader().onRecords(shard, offset, List.of(record));
                }
            });
        }

        private void readBackSoon(int shard, SimReading reading) {
            after(clock.between(0, READ_BACK_MILLIS), () -> {
                if (reading.wanted && assignee[shard] == this && !wentBack(shard, reading)) {
                    reading.readBack(records.get(shard));
                    feed(shard);
                }
            });
        }

        /** Looks whether the log has lost what was read or handed out, and tells; then nothing is to be read now. */
        private boolean wentBack(int shard, SimReading reading) {
            long readUpTo = reading.position - reading.unread.size();
            long at = divergence(shard, readUpTo, reading.leaderEpoch);
            long wentBackTo = at >= 0 ? at : reading.lostEarly(records.get(shard));
            if (wentBackTo < 0) {
                return false;
            }
            if (at < 0 && wentBackTo >= nextOffset[shard] && clock.chance(0.7)) {
                readBackSoon(shard, reading); // no other record is in its place, which is noticed late
                return true;
            }
            reading.wanted = false;
            thread.execute(() -> {
                if (assignee[shard] == this) {
                    reader().onWentBack(shard, wentBackTo);
                }
            });
            return true;
        }

        private List<LogRecord> batch(int shard, long from) {
            List<LogRecord> all = records.get(shard);
            int first = all.size();
            while (first > 0 && all.get(first - 1).offset() >= from) {
                first--;
            }
            return List.copyOf(all.subList(first, Math.min(all.size(), first + clock.between(1, LONGEST_BATCH))));
        }
    }
}
