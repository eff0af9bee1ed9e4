package io.tributary.persistence.rocksdb;

import io.tributary.common.event.Recipient;
import io.tributary.common.event.Source;
import io.tributary.common.mqtt.Message;
import io.tributary.persistence.app.AppTopics;
import io.tributary.persistence.shard.AppendCallback;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The topics of application clients in the embedded database, where a topic costs next to nothing: each client has one,
 * whether it would share it or not. Positions are dense and begin at 0. Callbacks are called on the database's writer
 * thread, in the order of commits.
 */
public final class RocksDbAppTopics implements AppTopics {
    private static final Logger LOG = LoggerFactory.getLogger(RocksDbAppTopics.class);

    private static final Duration TRUNCATE_INTERVAL = Duration.ofSeconds(10);
    private static final int RECORD_OVERHEAD_BYTES = 160;
    private static final byte[] NAMES = {'t'};
    private static final byte[] LAST_ID = {'T'};

    private final RocksDbDatabase database;
    private final SequenceAppends appends;
    private volatile boolean closed;

    /** Changed by the writer thread alone. */
    private final Map<AppTopic, TopicReads> topics = new ConcurrentHashMap<>();

    /** The sequences whose files are to be looked at, and below which record all is deleted there. */
    private final Map<RecordSequence, Long> deletedBelow = new ConcurrentHashMap<>();

    /** Confined to the writer thread. */
    private int lastId;

    /**
     * Creates it on an open database.
     *
     * @param clock the time of the records
     */
    public RocksDbAppTopics(RocksDbDatabase database, InstantSource clock) {
        this.database = database;
        this.appends = new SequenceAppends(database, clock, RECORD_OVERHEAD_BYTES);
        recover();
        database.committer().join(appends);
        database.every(TRUNCATE_INTERVAL, () -> {
            dropFiles();
            truncateAll();
        });
    }

    @Override
    public CompletionStage<Found> create(AppTopic topic) {
        return submit(batch -> {
            TopicReads created = createTopic(topic, batch);
            return created::found;
        });
    }

    @Override
    public CompletionStage<Boolean> delete(AppTopic topic) {
        return submit(batch -> {
            TopicReads deleted = deleteTopic(topic, batch);
            return () -> {
                if (deleted != null) {
                    noteDeleted(deleted.sequence(), Long.MAX_VALUE);
                }
                return true;
            };
        });
    }

    @Override
    public CompletionStage<Set<AppTopic>> deletable() {
        return submit(batch -> () -> Set.copyOf(topics.keySet()));
    }

    @Override
    public boolean append(
            AppTopic topic, Message message, Recipient recipient, @Nullable Source source, AppendCallback callback) {
        if (closed) {
            callback.onAppended(-1, closedFailure());
            return true;
        }
        byte[] value = StoredAppRecord.encode(message, recipient, source);
        return appends.append(() -> topics.get(topic), value, callback); // none, when its session is over
    }

    @Override
    public void onRoom(Runnable action) {
        appends.onRoom(action);
    }

    @Override
    public CompletableFuture<Page> read(AppTopic topic, @Nullable String id, long from, int maxRecords, int maxBytes) {
        TopicReads reads = topics.get(topic);
        if (reads == null || (id != null && !id.equals(reads.id()))) {
            return CompletableFuture.failedFuture(noTopic(topic));
        }
        CompletableFuture<Page> page = reads.read(from, maxRecords, maxBytes);
        if (closed) {
            reads.fail(closedFailure());
        } else if (topics.get(topic) != reads) {
            reads.fail(noTopic(topic)); // deleted meanwhile
        }
        return page;
    }

    @Override
    public void release(AppTopic topic) {
        TopicReads reads = topics.get(topic);
        if (reads != null) {
            reads.fail(new StorageException("nobody reads " + topic + " here any more"));
        }
    }

    @Override
    public CompletionStage<@Nullable Found> find(AppTopic topic) {
        TopicReads reads = topics.get(topic);
        return CompletableFuture.completedFuture(reads == null ? null : reads.found());
    }

    @Override
    public void acknowledged(AppTopic topic, @Nullable String id, long position) {
        TopicReads reads = topics.get(topic);
        if (reads != null
                && (id == null || id.equals(reads.id()))
                && reads.sequence().noteUnwanted(position)) {
            database.committer().submit(truncation(List.of(reads.sequence())));
        }
    }

    @Override
    public void close() {
        closed = true;
        truncateAll();
        topics.values().forEach(reads -> reads.fail(closedFailure()));
        database.committer().drain();
    }

    private <T extends @Nullable Object> CompletionStage<T> submit(Staging<T> staging) {
        Control<T> control = new Control<>(staging);
        if (closed) {
            control.failed(closedFailure());
        } else {
            database.committer().submit(control);
        }
        return control.done;
    }

    private TopicReads createTopic(AppTopic topic, WriteBatch batch) throws RocksDBException {
        TopicReads existing = topics.get(topic);
        if (existing != null) {
            return existing;
        }
        lastId++;
        byte[] id = ByteBuffer.allocate(Integer.BYTES).putInt(lastId).array();
        batch.put(database.columns().handle(Column.META), LAST_ID, id);
        batch.put(database.columns().handle(Column.META), nameKey(topic), id);
        return open(topic, id);
    }

    private @Nullable TopicReads deleteTopic(AppTopic topic, WriteBatch batch) throws RocksDBException {
        TopicReads reads = topics.remove(topic);
        if (reads != null) {
            appends.forget(reads);
            reads.sequence().delete(batch);
            batch.delete(database.columns().handle(Column.META), nameKey(topic));
            reads.fail(noTopic(topic));
        }
        return reads;
    }

    private TopicReads open(AppTopic topic, byte[] id) {
        TopicReads reads = new TopicReads(
                database,
                new RecordSequence(database.columns(), Column.APPS, id),
                HexFormat.of().formatHex(id));
        topics.put(topic, reads);
        return reads;
    }

    private Truncation truncation(List<RecordSequence> sequences) {
        return new Truncation(sequences, sequence -> noteDeleted(sequence, sequence.low()));
    }

    private void noteDeleted(RecordSequence sequence, long below) {
        deletedBelow.merge(sequence, below, Math::max);
    }

    /**
     * Topics are large: whole files go, before they happen to be compacted. They go for good, and the marks of what is
     * deleted might not outlive a power cut: one sync for all topics comes first. Timer thread.
     */
    void dropFiles() {
        Map<RecordSequence, Long> sequences = Map.copyOf(deletedBelow);
        if (sequences.isEmpty()) {
            return;
        }
        sequences.forEach(deletedBelow::remove);
        try {
            database.sync();
        } catch (RocksDBException e) {
            LOG.warn("files of applications' topics are left to be compacted", e);
            return;
        }
        if (!database.execute(() -> sequences.forEach(RocksDbAppTopics::dropFiles))) {
            LOG.debug("files are left to be compacted");
        }
    }

    private static void dropFiles(RecordSequence sequence, long below) {
        try {
            sequence.dropFiles(below);
        } catch (StorageException e) {
            LOG.warn("files of an application's topic are left to be compacted", e);
        }
    }

    void truncateAll() {
        List<RecordSequence> sequences = topics.values().stream()
                .map(TopicReads::sequence)
                .filter(RecordSequence::hasUnwanted)
                .toList();
        if (!sequences.isEmpty()) {
            database.committer().submit(truncation(sequences));
        }
    }

    private void recover() {
        byte @Nullable [] last = database.columns().get(Column.META, LAST_ID);
        lastId = last == null ? 0 : ByteBuffer.wrap(last).getInt();
        try (Scan scan = database.columns().scan(Column.META, NAMES, Keys.endOf(NAMES))) {
            for (boolean valid = scan.first(); valid; valid = scan.next()) {
                open(topicOf(scan.key()), scan.value());
            }
        }
    }

    private static byte[] nameKey(AppTopic topic) {
        byte[] clientId = topic.clientId().getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(NAMES.length + 1 + clientId.length)
                .put(NAMES)
                .put((byte) (topic.shared() ? 1 : 0))
                .put(clientId)
                .array();
    }

    private static AppTopic topicOf(byte[] nameKey) {
        int begin = NAMES.length + 1;
        String clientId = new String(nameKey, begin, nameKey.length - begin, StandardCharsets.UTF_8);
        return new AppTopic(clientId, nameKey[NAMES.length] == 1);
    }

    private static StorageException noTopic(AppTopic topic) {
        return new StorageException("there is no " + topic);
    }

    private static StorageException closedFailure() {
        return new StorageException("the topics are closed");
    }

    /** What a {@link Control} does, on the writer thread. */
    private interface Staging<T extends @Nullable Object> {
        /** Adds the changes; gives what is to be asked for the answer once they are durable. */
        Supplier<T> stage(WriteBatch batch) throws RocksDBException;
    }

    /** A change of the topics themselves, or a question about them. */
    private static final class Control<T extends @Nullable Object> implements Write {
        private final Staging<T> staging;
        private final CompletableFuture<T> done = new CompletableFuture<>();
        private @Nullable Supplier<T> answer;

        private Control(Staging<T> staging) {
            this.staging = staging;
        }

        @Override
        public int bytes() {
            return 0;
        }

        @Override
        public void stage(WriteBatch batch) throws RocksDBException {
            answer = staging.stage(batch);
        }

        @Override
        public void committed() {
            if (answer != null) {
                done.complete(answer.get());
            }
        }

        @Override
        public void failed(RuntimeException reason) {
            done.completeExceptionally(reason);
        }
    }
}
