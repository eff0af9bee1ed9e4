package io.tributary.persistence.rocksdb;

import io.tributary.common.event.Source;
import io.tributary.common.event.StateCodec;
import io.tributary.common.mqtt.Message;
import io.tributary.persistence.app.GroupRecorder;
import io.tributary.persistence.app.GroupTopics;
import io.tributary.persistence.limit.ByteBudget;
import io.tributary.persistence.rocksdb.StoredGroup.Topic;
import io.tributary.persistence.shard.AppendCallback;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The topics of application groups in the embedded database, whose one node takes all messages. Messages come in the order
 * of their positions, those that were released before those that were never taken.
 *
 * <p>Answers are written several times a second, and when it is closed. A process that is killed forgets those of the last
 * instants: the messages come once more. How often a message was taken is written along, so a kill may also forget the last
 * times. A message that was rejected, or released after it was taken as often as is allowed, is moved to the dead letters,
 * which are bounded: the oldest are dropped.
 */
public final class RocksDbGroupTopics implements GroupTopics {
    private static final Logger LOG = LoggerFactory.getLogger(RocksDbGroupTopics.class);

    private static final Duration WRITE_INTERVAL = Duration.ofMillis(100);
    private static final Duration TRUNCATE_INTERVAL = Duration.ofSeconds(10);
    private static final int RECORD_OVERHEAD_BYTES = 160;
    private static final byte[] NAMES = {'g'};
    private static final byte[] LAST_ID = {'G'};

    private final RocksDbDatabase database;
    private final RocksDbGroupOptions options;
    private final GroupRecorder recorder;
    private final InstantSource clock;
    private final ByteBudget budget;
    private final DeadLetters deadLetters;
    private volatile boolean closed;

    /** Those that have a log or a consumption, by name. */
    private final Map<String, StoredGroup> groups = new ConcurrentHashMap<>();

    // Confined to the writer thread.
    private final Set<Topic> touched = new LinkedHashSet<>();
    private final Set<StoredGroup> appended = new LinkedHashSet<>();
    private long stagedBytes;
    private long nowMillis;
    private int lastId;

    /**
     * A message that was given up.
     *
     * @param deliveries how often it was taken
     * @param timeMillis when it was appended to the group's topic
     */
    public record DeadLetter(String group, int deliveries, long timeMillis, Message message) {}

    /** Creates it on an open database; there is one on each. */
    public RocksDbGroupTopics(RocksDbDatabase database, RocksDbGroupOptions options, GroupRecorder recorder) {
        this.database = database;
        this.options = options;
        this.recorder = recorder;
        this.clock = InstantSource.system();
        this.budget = new ByteBudget(database.options().appendQueueBytes());
        this.deadLetters = new DeadLetters(database.columns(), options);
        recover();
        database.committer().join(new Member());
        database.every(WRITE_INTERVAL, this::writeAnswers);
        database.every(TRUNCATE_INTERVAL, this::truncateAll);
    }

    @Override
    public CompletionStage<@Nullable Void> create(String group) {
        return submit(batch -> createTopic(group, batch));
    }

    @Override
    public CompletionStage<@Nullable Void> delete(String group) {
        return submit(batch -> deleteTopic(group, batch));
    }

    @Override
    public CompletionStage<Set<String>> groups() {
        return CompletableFuture.completedFuture(groups.values().stream()
                .filter(group -> group.topic() != null)
                .map(StoredGroup::name)
                .collect(Collectors.toSet()));
    }

    @Override
    public boolean append(String group, Message message, @Nullable Source source, AppendCallback callback) {
        if (closed) {
            callback.onAppended(-1, closedFailure());
            return true;
        }
        Append append = new Append(group, StateCodec.encodeMessage(message, source), callback);
        if (!budget.tryAcquire(append.bytes())) {
            database.recorder().onRefusal();
            return false;
        }
        database.committer().submit(append);
        return true;
    }

    @Override
    public void onRoom(Runnable action) {
        budget.onRoom(action);
    }

    @Override
    public Consumption consume(String group, Consumer consumer) {
        Consumption[] consumption = new Consumption[1];
        groups.compute(group, (name, found) -> {
            StoredGroup existing = found == null ? newGroup(name) : found;
            consumption[0] = existing.consume(consumer);
            return existing;
        });
        return consumption[0];
    }

    /** The latest messages that were given up, the oldest of them first. */
    public CompletionStage<List<DeadLetter>> deadLetters(int most) {
        return database.read(() -> deadLetters.latest(most));
    }

    @Override
    public void close() {
        closed = true;
        groups.values().forEach(StoredGroup::closeConsumption);
        writeAnswers();
        truncateAll();
        database.committer().drain();
    }

    private StoredGroup newGroup(String name) {
        return new StoredGroup(database, name, recorder, () -> forgetIfUnused(name));
    }

    private void forgetIfUnused(String name) {
        groups.computeIfPresent(name, (same, group) -> group.isUnused() ? null : group);
    }

    private CompletionStage<@Nullable Void> submit(Control.Staging staging) {
        Control control = new Control(staging, new CompletableFuture<>());
        if (closed) {
            control.failed(closedFailure());
        } else {
            database.committer().submit(control);
        }
        return control.done();
    }

    private void createTopic(String name, WriteBatch batch) throws RocksDBException {
        StoredGroup existing = groups.get(name);
        if (existing != null && existing.topic() != null) {
            return;
        }
        lastId++;
        byte[] id = ByteBuffer.allocate(Integer.BYTES).putInt(lastId).array();
        batch.put(database.columns().handle(Column.META), LAST_ID, id);
        batch.put(database.columns().handle(Column.META), nameKey(name), id);
        open(name, new Topic(stateKey(id), lane(id), new GroupState(options.deliveryLimit())));
    }

    private void open(String name, Topic topic) {
        groups.compute(name, (same, found) -> {
            StoredGroup group = found == null ? newGroup(name) : found;
            group.open(topic);
            return group;
        });
    }

    private void deleteTopic(String name, WriteBatch batch) throws RocksDBException {
        StoredGroup group = groups.get(name);
        Topic topic = group == null ? null : group.topic();
        if (group == null || topic == null) {
            return;
        }
        group.drop();
        forgetIfUnused(name);
        touched.remove(topic);
        appended.remove(group);
        topic.lane().delete(batch);
        batch.delete(database.columns().handle(Column.META), nameKey(name));
        batch.delete(database.columns().handle(Column.META), topic.stateKey());
        database.after(TRUNCATE_INTERVAL, () -> dropFiles(topic.lane()));
    }

    private void writeAnswers() {
        for (StoredGroup group : groups.values()) {
            Topic topic = group.takeChanged();
            if (topic != null) {
                database.committer()
                        .submit(new AnswerWrite(
                                database.columns(), deadLetters, group, topic, recorder, this::truncate));
            }
        }
    }

    private void truncate(Lane lane) {
        database.committer().submit(new Truncation(List.of(lane), this::dropFiles));
    }

    private void truncateAll() {
        List<Lane> lanes = groups.values().stream()
                .map(StoredGroup::topic)
                .filter(topic -> topic != null && topic.lane().hasUnwanted())
                .map(Topic::lane)
                .toList();
        if (!lanes.isEmpty()) {
            database.committer().submit(new Truncation(lanes, this::dropFiles));
        }
    }

    /** Logs are large: whole files go at once, not when they happen to be compacted. */
    private void dropFiles(Lane lane) {
        if (!database.execute(lane::dropFiles)) {
            LOG.debug("files are left to be compacted");
        }
    }

    private void recover() {
        byte @Nullable [] last = database.columns().get(Column.META, LAST_ID);
        lastId = last == null ? 0 : ByteBuffer.wrap(last).getInt();
        try (Scan scan = database.columns().scan(Column.META, NAMES, Keys.endOf(NAMES))) {
            for (boolean valid = scan.first(); valid; valid = scan.next()) {
                byte[] key = scan.key();
                String name = new String(key, NAMES.length, key.length - NAMES.length, StandardCharsets.UTF_8);
                byte[] id = scan.value();
                open(name, new Topic(stateKey(id), lane(id), state(id)));
            }
        }
    }

    private GroupState state(byte[] id) {
        byte @Nullable [] stored = database.columns().get(Column.META, stateKey(id));
        return stored == null
                ? new GroupState(options.deliveryLimit())
                : GroupState.decode(stored, options.deliveryLimit());
    }

    /** Its keys begin with a letter; those of applications' topics with a number that never grows as large. */
    private Lane lane(byte[] id) {
        return new Lane(database.columns(), Column.APPS, Keys.withBytes(NAMES, id));
    }

    private static byte[] nameKey(String name) {
        return Keys.withBytes(NAMES, name.getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] stateKey(byte[] id) {
        return Keys.withBytes(new byte[] {'s'}, id);
    }

    private static StorageException closedFailure() {
        return new StorageException("the topics are closed");
    }

    /** One message on its way into a group's log. */
    private final class Append implements Write {
        private final String name;
        private final byte[] value;
        private final AppendCallback callback;
        private long offset = -1;

        private Append(String name, byte[] value, AppendCallback callback) {
            this.name = name;
            this.value = value;
            this.callback = callback;
        }

        @Override
        public int bytes() {
            return value.length + RECORD_OVERHEAD_BYTES;
        }

        @Override
        public void stage(WriteBatch batch) {
            stagedBytes += bytes();
            StoredGroup group = groups.get(name);
            Topic topic = group == null ? null : group.topic();
            if (group == null || topic == null) {
                return;
            }
            if (touched.isEmpty()) {
                nowMillis = clock.millis();
            }
            touched.add(topic);
            appended.add(group);
            offset = topic.lane().add(value, nowMillis);
        }

        @Override
        public void committed() {
            callback.onAppended(offset, null);
        }

        @Override
        public void failed(RuntimeException reason) {
            budget.release(bytes());
            callback.onAppended(-1, reason);
        }
    }

    /** What the writes of a group commit have in common: the blocks they become, and the consumers that wait for them. */
    private final class Member implements GroupMember {
        @Override
        public void beforeCommit(WriteBatch batch) throws RocksDBException {
            for (Topic topic : touched) {
                topic.lane().putStaged(batch);
            }
            deadLetters.stage(batch);
        }

        @Override
        public void afterCommit() {
            for (Topic topic : touched) {
                topic.lane().takeCommitted();
            }
            deadLetters.committed();
            appended.forEach(StoredGroup::proceed);
            touched.clear();
            appended.clear();
            long bytes = stagedBytes;
            stagedBytes = 0;
            budget.release(bytes);
        }
    }
}
