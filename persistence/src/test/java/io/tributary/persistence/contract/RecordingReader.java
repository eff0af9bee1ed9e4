package io.tributary.persistence.contract;

import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.ShardLog;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Keeps all that it is given. */
public class RecordingReader implements ShardLog.Reader {
    private final Set<Integer> assigned = ConcurrentHashMap.newKeySet();
    private final Map<Integer, Long> wentBack = new ConcurrentHashMap<>();
    private final Map<Integer, List<List<LogRecord>>> batches = new ConcurrentHashMap<>();

    @Override
    public void onAssigned(int shard) {
        assigned.add(shard);
    }

    @Override
    public void onRevoked(int shard, Runnable released) {
        assigned.remove(shard);
    }

    @Override
    public void onRecords(int shard, long from, List<LogRecord> records) {
        batches.computeIfAbsent(shard, key -> new CopyOnWriteArrayList<>()).add(List.copyOf(records));
    }

    @Override
    public void onWentBack(int shard, long at) {
        wentBack.put(shard, at);
    }

    /** From where on the log of a shard has other records than it had, or -1. */
    public long wentBackTo(int shard) {
        return wentBack.getOrDefault(shard, -1L);
    }

    /** The shards that are assigned. */
    public Set<Integer> assigned() {
        return assigned;
    }

    /** The batches of a shard. */
    public List<List<LogRecord>> batches(int shard) {
        return batches.getOrDefault(shard, List.of());
    }

    /** The records of a shard. */
    public List<LogRecord> records(int shard) {
        return batches(shard).stream().flatMap(List::stream).toList();
    }

    /** How many records of a shard have come. */
    public int count(int shard) {
        return batches(shard).stream().mapToInt(List::size).sum();
    }

    /** The records of a shard as text. */
    public List<String> texts(int shard) {
        return records(shard).stream()
                .map(entry -> new String(entry.value(), StandardCharsets.UTF_8))
                .toList();
    }
}
