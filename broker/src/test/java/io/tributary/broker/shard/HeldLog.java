package io.tributary.broker.shard;

import io.tributary.common.event.EventCodec;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.ShardEvent;
import io.tributary.persistence.shard.AppendCallback;
import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.ShardLog;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** A log whose appends become durable when the test says so, and which takes as many as the test allows. */
final class HeldLog implements ShardLog {
    final List<String> calls = new ArrayList<>();
    private final int shards;
    private final Queue<Pending> pending = new ArrayDeque<>();
    private final List<List<LogRecord>> records = new ArrayList<>();
    private final List<Runnable> waiting = new ArrayList<>();
    private int room = Integer.MAX_VALUE;
    private int largestRecord = Integer.MAX_VALUE;
    private int toBreak;
    /** The leader epoch of every record that came early. */
    int leaderEpoch = LogRecord.NOT_READ_BACK;

    private @Nullable Reader reader;

    private record Pending(int shard, ShardEvent event, AppendCallback callback) {}

    HeldLog(int shards) {
        this.shards = shards;
        for (int shard = 0; shard < shards; shard++) {
            records.add(new ArrayList<>());
        }
    }

    /** Takes so many appends from now on, and those who wait hear of it. */
    void room(int appends) {
        room = appends;
        List<Runnable> actions = List.copyOf(waiting);
        waiting.clear();
        actions.forEach(Runnable::run);
    }

    /** The next so many appends fail with an error. */
    void breakFor(int appends) {
        toBreak = appends;
    }

    /** Refuses larger records from now on, each alone. */
    void largestRecord(int bytes) {
        largestRecord = bytes;
    }

    /** Appends that are not durable yet. */
    List<ShardEvent> pending() {
        return pending.stream().map(Pending::event).toList();
    }

    /** Makes all appends durable and tells so. */
    void makeDurable() {
        makeDurable(0);
    }

    /** The same, at a time. */
    void makeDurable(long timeMillis) {
        while (!pending.isEmpty()) {
            Pending next = pending.remove();
            next.callback.onAppended(add(next.shard, next.event, timeMillis), null);
        }
    }

    /** Lets the oldest append fail. */
    void fail() {
        pending.remove().callback.onAppended(-1, new IllegalStateException("closed"));
    }

    /** Makes the oldest append durable without saying where: it was sent twice, and the log had it already. */
    void makeDurableSomewhere() {
        Pending next = pending.remove();
        long _ = add(next.shard, next.event, 0);
        next.callback.onAppended(-1, null);
    }

    /** Puts a record into the log; returns its offset. */
    long add(int shard, ShardEvent event, long timeMillis) {
        List<LogRecord> log = records.get(shard);
        log.add(new LogRecord(log.size(), timeMillis, EventCodec.encode(event, RecordFormat.NEWEST)));
        return log.getLast().offset();
    }

    List<LogRecord> from(int shard, long offset) {
        List<LogRecord> log = records.get(shard);
        return List.copyOf(log.subList((int) offset, log.size()));
    }

    /** The events of a shard's log. */
    List<ShardEvent> events(int shard) {
        return records.get(shard).stream()
                .map(record -> EventCodec.decode(record.value()))
                .toList();
    }

    @Override
    public int shardCount() {
        return shards;
    }

    @Override
    public boolean append(int shard, byte[] value, AppendCallback callback) {
        if (toBreak > 0) {
            toBreak--;
            throw new AssertionError("the log's");
        }
        if (room == 0) {
            return false;
        }
        room--;
        if (value.length > largestRecord) {
            calls.add("refuse " + value.length + " bytes of "
                    + EventCodec.decode(value).getClass().getSimpleName());
            callback.onAppended(-1, new IllegalStateException("a record of " + value.length + " bytes"));
            return true;
        }
        pending.add(new Pending(shard, EventCodec.decode(value), callback));
        return true;
    }

    @Override
    public void onRoom(Runnable action) {
        waiting.add(action);
    }

    @Override
    public void start(Reader newReader) {
        reader = newReader;
    }

    @Nullable
    Reader reader() {
        return reader;
    }

    @Override
    public void readFrom(int shard, long offset) {
        calls.add("read from " + offset);
    }

    @Override
    public int leaderEpoch(int shard, long offset) {
        return leaderEpoch;
    }

    @Override
    public void pause(int shard) {
        calls.add("pause");
    }

    @Override
    public void truncate(int shard, long offset) {
        calls.add("truncate " + offset);
    }

    @Override
    public void close() {}
}
