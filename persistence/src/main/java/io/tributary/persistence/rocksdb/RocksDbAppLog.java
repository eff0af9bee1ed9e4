package io.tributary.persistence.rocksdb;

import io.tributary.common.event.Source;
import io.tributary.common.event.StateCodec;
import io.tributary.common.mqtt.Message;
import io.tributary.persistence.app.AppLog;
import io.tributary.persistence.limit.ByteBudget;
import io.tributary.persistence.shard.LogRecord;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The topics of application clients in the embedded database. Positions of a topic are dense and begin at 0. Appending to
 * a topic that does not exist fails, as does appending while too much waits for its commit; reading one gives nothing.
 */
public final class RocksDbAppLog implements AppLog {
    private static final Logger LOG = LoggerFactory.getLogger(RocksDbAppLog.class);

    private static final Duration TRUNCATE_INTERVAL = Duration.ofSeconds(10);
    private static final int RECORD_OVERHEAD_BYTES = 160;
    private static final byte[] NAMES = {'t'};
    private static final byte[] LAST_ID = {'T'};

    private final RocksDbDatabase database;
    private final InstantSource clock;
    private final ByteBudget budget;
    private volatile boolean closed;

    /** By name; changed by the writer thread alone. */
    private final Map<String, Lane> topics = new ConcurrentHashMap<>();

    // Confined to the writer thread.
    private final Set<Lane> touched = new LinkedHashSet<>();
    private long stagedBytes;
    private long nowMillis;
    private int lastId;

    /** Creates it on an open database. */
    public RocksDbAppLog(RocksDbDatabase database) {
        this(database, InstantSource.system());
    }

    /** Creates it with a clock of one's own. */
    RocksDbAppLog(RocksDbDatabase database, InstantSource clock) {
        this.database = database;
        this.clock = clock;
        this.budget = new ByteBudget(database.options().appendQueueBytes());
        recover();
        database.committer().join(new Member());
        database.every(TRUNCATE_INTERVAL, this::truncateAll);
    }

    @Override
    public CompletionStage<@Nullable Void> create(String topic) {
        return submit(batch -> createTopic(topic, batch));
    }

    @Override
    public CompletionStage<@Nullable Void> delete(String topic) {
        return submit(batch -> deleteTopic(topic, batch));
    }

    @Override
    public CompletionStage<Long> append(String topic, Message message, @Nullable Source source) {
        Append append = new Append(topic, StateCodec.encodeMessage(message, source));
        if (closed) {
            append.position.completeExceptionally(closedFailure());
        } else if (!budget.tryAcquire(append.bytes())) {
            database.recorder().onRefusal();
            append.position.completeExceptionally(new StorageException("too much waits for the store"));
        } else {
            database.committer().submit(append);
        }
        return append.position;
    }

    @Override
    public CompletionStage<List<AppRecord>> read(String topic, long fromPosition, int maxRecords, int maxBytes) {
        Lane lane = topics.get(topic);
        if (lane == null) {
            return CompletableFuture.completedFuture(List.of());
        }
        return database.read(() -> readRecords(lane, fromPosition, maxRecords, maxBytes));
    }

    @Override
    public CompletionStage<Long> endPosition(String topic) {
        Lane lane = topics.get(topic);
        return CompletableFuture.completedFuture(lane == null ? 0 : lane.committed());
    }

    @Override
    public CompletionStage<@Nullable Void> truncate(String topic, long position) {
        Lane lane = topics.get(topic);
        if (lane != null && lane.noteUnwanted(position)) {
            database.committer().submit(new Truncation(List.of(lane), this::dropFiles));
        }
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void close() {
        closed = true;
        truncateAll();
        database.committer().drain();
    }

    private CompletionStage<@Nullable Void> submit(Staging staging) {
        Control control = new Control(staging, new CompletableFuture<>());
        if (closed) {
            control.failed(closedFailure());
        } else {
            database.committer().submit(control);
        }
        return control.done;
    }

    private void createTopic(String topic, WriteBatch batch) throws RocksDBException {
        if (topics.containsKey(topic)) {
            return;
        }
        lastId++;
        byte[] id = ByteBuffer.allocate(Integer.BYTES).putInt(lastId).array();
        batch.put(database.columns().handle(Column.META), LAST_ID, id);
        batch.put(database.columns().handle(Column.META), nameKey(topic), id);
        topics.put(topic, new Lane(database.columns(), Column.APPS, id));
    }

    private void deleteTopic(String topic, WriteBatch batch) throws RocksDBException {
        Lane lane = topics.remove(topic);
        if (lane != null) {
            touched.remove(lane);
            lane.delete(batch);
            database.after(TRUNCATE_INTERVAL, () -> dropFiles(lane));
            batch.delete(database.columns().handle(Column.META), nameKey(topic));
        }
    }

    private List<AppRecord> readRecords(Lane lane, long fromPosition, int maxRecords, int maxBytes) {
        List<AppRecord> records = new ArrayList<>();
        long[] bytes = new long[1];
        lane.read(Math.max(0, fromPosition), entry -> {
            AppRecord decoded = decode(entry);
            records.add(decoded);
            bytes[0] += decoded.message().sizeBytes();
            return records.size() < maxRecords && bytes[0] < maxBytes;
        });
        return records;
    }

    private static AppRecord decode(LogRecord entry) {
        StateCodec.SourcedMessage sourced = StateCodec.decodeMessage(entry.value());
        return new AppRecord(entry.offset(), entry.timeMillis(), sourced.message(), sourced.source());
    }

    /** Topics are large: whole files go at once, not when they happen to be compacted. */
    private void dropFiles(Lane lane) {
        if (!database.execute(lane::dropFiles)) {
            LOG.debug("files are left to be compacted");
        }
    }

    private void truncateAll() {
        List<Lane> lanes = topics.values().stream().filter(Lane::hasUnwanted).toList();
        if (!lanes.isEmpty()) {
            database.committer().submit(new Truncation(lanes, this::dropFiles));
        }
    }

    private void recover() {
        byte @Nullable [] last = database.columns().get(Column.META, LAST_ID);
        lastId = last == null ? 0 : ByteBuffer.wrap(last).getInt();
        try (Scan scan = database.columns().scan(Column.META, NAMES, Keys.endOf(NAMES))) {
            for (boolean valid = scan.first(); valid; valid = scan.next()) {
                byte[] key = scan.key();
                String topic = new String(key, NAMES.length, key.length - NAMES.length, StandardCharsets.UTF_8);
                topics.put(topic, new Lane(database.columns(), Column.APPS, scan.value()));
            }
        }
    }

    private static byte[] nameKey(String topic) {
        return Keys.withBytes(NAMES, topic.getBytes(StandardCharsets.UTF_8));
    }

    private static StorageException closedFailure() {
        return new StorageException("the log is closed");
    }

    /** What a {@link Control} does. */
    private interface Staging {
        void stage(WriteBatch batch) throws RocksDBException;
    }

    /** A change of the topics themselves. */
    private record Control(Staging staging, CompletableFuture<@Nullable Void> done) implements Write {
        @Override
        public int bytes() {
            return 0;
        }

        @Override
        public void stage(WriteBatch batch) throws RocksDBException {
            staging.stage(batch);
        }

        @Override
        public void committed() {
            done.complete(null);
        }

        @Override
        public void failed(RuntimeException reason) {
            done.completeExceptionally(reason);
        }
    }

    /** One record on its way into a topic. */
    private final class Append implements Write {
        private final String topic;
        private final byte[] value;
        private final CompletableFuture<Long> position = new CompletableFuture<>();
        private long staged;

        private Append(String topic, byte[] value) {
            this.topic = topic;
            this.value = value;
        }

        @Override
        public int bytes() {
            return value.length + RECORD_OVERHEAD_BYTES;
        }

        @Override
        public void stage(WriteBatch batch) {
            Lane lane = topics.get(topic);
            if (lane == null) {
                throw new StorageException("there is no topic " + topic);
            }
            if (touched.isEmpty()) {
                nowMillis = clock.millis();
            }
            touched.add(lane);
            staged = lane.add(value, nowMillis);
            stagedBytes += bytes();
        }

        @Override
        public void committed() {
            position.complete(staged);
        }

        @Override
        public void failed(RuntimeException reason) {
            budget.release(bytes());
            position.completeExceptionally(reason);
        }
    }

    /** What the appends of a group have in common: the blocks they become. */
    private final class Member implements GroupMember {
        @Override
        public void beforeCommit(WriteBatch batch) throws RocksDBException {
            for (Lane lane : touched) {
                lane.putStaged(batch);
            }
        }

        @Override
        public void afterCommit() {
            for (Lane lane : touched) {
                lane.takeCommitted();
            }
            touched.clear();
            long bytes = stagedBytes;
            stagedBytes = 0;
            budget.release(bytes);
        }
    }
}
