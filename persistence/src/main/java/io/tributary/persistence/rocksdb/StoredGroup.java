package io.tributary.persistence.rocksdb;

import io.tributary.common.event.StateCodec;
import io.tributary.common.event.UnreadableRecordException;
import io.tributary.common.mqtt.Message;
import io.tributary.persistence.app.GroupRecorder;
import io.tributary.persistence.app.GroupTopics.Consumer;
import io.tributary.persistence.app.GroupTopics.Consumption;
import io.tributary.persistence.app.GroupTopics.GroupMessage;
import io.tributary.persistence.rocksdb.GroupState.Open;
import io.tributary.persistence.shard.LogRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One group: its log, if it has one, what of it is open, and the consumption that takes messages, if there is one. Its
 * consumer is called on a thread of the database that reads, one call at a time.
 */
final class StoredGroup {
    private static final Logger LOG = LoggerFactory.getLogger(StoredGroup.class);

    private static final int BATCH_RECORDS = 256;
    private static final int BATCH_BYTES = 1024 * 1024;
    private static final Duration RETRY = Duration.ofSeconds(1);

    private final RocksDbDatabase database;
    private final String name;
    private final GroupRecorder recorder;
    private final Runnable onUnused;

    // Guarded by this.
    private @Nullable Topic topic;
    private @Nullable Taking consumption;
    private boolean reading;
    private long lastId;

    /** A group's log, from its creation to its deletion. */
    static final class Topic {
        private final byte[] stateKey;
        private final Lane lane;

        // Guarded by the group.
        private final GroupState state;
        private boolean changed;

        Topic(byte[] stateKey, Lane lane, GroupState state) {
            this.stateKey = stateKey;
            this.lane = lane;
            this.state = state;
            this.changed = state.hasGivenUp();
        }

        /** Where its state is. */
        byte[] stateKey() {
            return stateKey;
        }

        Lane lane() {
            return lane;
        }
    }

    /**
     * Creates one without a log.
     *
     * @param onUnused called when a consumption has ended: it may be {@link #isUnused} then
     */
    StoredGroup(RocksDbDatabase database, String name, GroupRecorder recorder, Runnable onUnused) {
        this.database = database;
        this.name = name;
        this.recorder = recorder;
        this.onUnused = onUnused;
    }

    String name() {
        return name;
    }

    synchronized @Nullable Topic topic() {
        return topic;
    }

    /** Gives it a log. */
    synchronized void open(Topic newTopic) {
        topic = newTopic;
    }

    /** Its log is gone; what is with the consumer is nobody's any more. */
    synchronized void drop() {
        topic = null;
    }

    /** Whether there is neither a log nor a consumption. */
    synchronized boolean isUnused() {
        return topic == null && consumption == null;
    }

    /** Begins a consumption. */
    synchronized Consumption consume(Consumer consumer) {
        if (consumption != null) {
            throw new IllegalStateException("the group " + name + " has a consumption already");
        }
        consumption = new Taking(consumer);
        return consumption;
    }

    /** Ends the consumption, if there is one. */
    void closeConsumption() {
        Taking open;
        synchronized (this) {
            open = consumption;
        }
        if (open != null) {
            open.close();
        }
    }

    /** The log if its state has changed since the last time, or null. */
    synchronized @Nullable Topic takeChanged() {
        Topic current = topic;
        if (current == null || !current.changed) {
            return null;
        }
        current.changed = false;
        return current;
    }

    /** The state of the log is to be written again. */
    synchronized void noteChanged(Topic of) {
        of.changed = true;
    }

    synchronized List<Open> givenUp(Topic of, int limit) {
        return of.state.givenUp(limit);
    }

    synchronized byte[] encodeState(Topic of, List<Open> settled) {
        return of.state.encode(settled);
    }

    /** What was given up is durable elsewhere; returns the floor. */
    synchronized long buried(Topic of, List<Open> dead) {
        of.state.buried(dead);
        of.changed |= of.state.hasGivenUp();
        return of.state.floor();
    }

    /** Reads and hands out messages if some are wanted and there; any thread. */
    void proceed() {
        synchronized (this) {
            if (reading || !canTake()) {
                return;
            }
            reading = true;
        }
        if (!database.execute(this::readAndHandOut)) {
            synchronized (this) {
                reading = false;
            }
            database.after(RETRY, this::proceed);
        }
    }

    private boolean canTake() {
        return topic != null
                && consumption != null
                && consumption.wanted > 0
                && (topic.state.hasWaiting()
                        || Math.max(topic.state.next(), topic.lane.low()) < topic.lane.committed());
    }

    private void readAndHandOut() {
        boolean failed = false;
        try {
            handOut();
        } catch (StorageException | UnreadableRecordException e) {
            LOG.error("the messages of {} cannot be read; trying again", name, e);
            recorder.onError();
            failed = true;
        } finally {
            synchronized (this) {
                reading = false;
            }
        }
        if (failed) {
            database.after(RETRY, this::proceed);
        } else {
            proceed();
        }
    }

    private void handOut() {
        Topic from;
        Taking to;
        List<Long> waiting;
        long next;
        int limit;
        synchronized (this) {
            if (topic == null || consumption == null) {
                return;
            }
            from = topic;
            to = consumption;
            limit = (int) Math.min(to.wanted, BATCH_RECORDS);
            waiting = from.state.waiting(limit);
            next = from.state.next();
        }
        Batch batch = new Batch(from.lane, limit);
        waiting.forEach(batch::readOne);
        batch.readOn(next);
        List<GroupMessage> messages = take(from, to, batch, batch.decoded());
        if (!messages.isEmpty()) {
            recorder.onMessages(messages.size());
            to.tell(messages);
        }
    }

    /** Notes that the consumer has what was read, unless the consumption or the log ended meanwhile. */
    private synchronized List<GroupMessage> take(Topic from, Taking to, Batch batch, List<Message> decoded) {
        if (topic != from || consumption != to) {
            return List.of();
        }
        batch.missing.forEach(from.state::lost);
        List<GroupMessage> messages = new ArrayList<>();
        for (int i = 0; i < decoded.size(); i++) {
            LogRecord entry = batch.records.get(i);
            lastId++;
            int deliveries = from.state.take(lastId, entry.offset());
            messages.add(new GroupMessage(lastId, deliveries, entry.timeMillis(), decoded.get(i)));
        }
        to.wanted -= messages.size();
        return messages;
    }

    /** What is read at once. Confined to the reading thread. */
    private static final class Batch {
        private final Lane lane;
        private final int limit;
        private final List<LogRecord> records = new ArrayList<>();
        private final List<Long> missing = new ArrayList<>();
        private long bytes;

        private Batch(Lane lane, int limit) {
            this.lane = lane;
            this.limit = limit;
        }

        private void readOne(long position) {
            if (isFull()) {
                return;
            }
            int before = records.size();
            lane.read(position, entry -> {
                if (entry.offset() == position) {
                    add(entry);
                }
                return false;
            });
            if (records.size() == before) {
                missing.add(position);
            }
        }

        private void readOn(long from) {
            if (!isFull()) {
                lane.read(from, entry -> {
                    add(entry);
                    return !isFull();
                });
            }
        }

        private List<Message> decoded() {
            return records.stream()
                    .map(entry -> StateCodec.decodeMessage(entry.value()).message())
                    .toList();
        }

        private void add(LogRecord entry) {
            bytes += entry.value().length;
            records.add(entry);
        }

        private boolean isFull() {
            return records.size() >= limit || bytes >= BATCH_BYTES;
        }
    }

    /** Takes messages of the group, for as long as it is the group's consumption. */
    private final class Taking implements Consumption {
        private final Consumer consumer;

        /** Guarded by the group. */
        private long wanted;

        private Taking(Consumer consumer) {
            this.consumer = consumer;
        }

        @Override
        public void request(int messages) {
            synchronized (StoredGroup.this) {
                wanted += messages;
            }
            proceed();
        }

        @Override
        public void accept(GroupMessage message) {
            answered(message);
        }

        @Override
        public void release(GroupMessage message) {
            boolean again = false;
            synchronized (StoredGroup.this) {
                Open open = answered(message);
                if (open != null && topic != null) {
                    again = topic.state.putBack(open);
                    recorder.onReleased(1);
                }
            }
            if (again) {
                proceed();
            }
        }

        @Override
        public void reject(GroupMessage message) {
            synchronized (StoredGroup.this) {
                Open open = answered(message);
                if (open != null && topic != null) {
                    topic.state.giveUp(open);
                }
            }
        }

        @Override
        public void close() {
            int released;
            synchronized (StoredGroup.this) {
                if (consumption != this) {
                    return;
                }
                consumption = null;
                released = topic == null ? 0 : topic.state.putBackAll();
                if (topic != null) {
                    topic.changed |= released > 0;
                }
            }
            recorder.onReleased(released);
            onUnused.run();
        }

        private void tell(List<GroupMessage> messages) {
            try {
                consumer.onMessages(messages);
            } catch (RuntimeException e) {
                LOG.error("the consumer of {} failed", name, e);
            }
        }

        /** What the consumer had, or null when it is not the consumer's any more. */
        private @Nullable Open answered(GroupMessage message) {
            synchronized (StoredGroup.this) {
                if (consumption != this || topic == null) {
                    return null;
                }
                Open open = topic.state.answered(message.id());
                topic.changed |= open != null;
                return open;
            }
        }
    }
}
