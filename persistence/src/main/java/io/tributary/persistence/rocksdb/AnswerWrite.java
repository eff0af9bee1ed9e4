package io.tributary.persistence.rocksdb;

import io.tributary.persistence.app.GroupRecorder;
import io.tributary.persistence.rocksdb.GroupState.Open;
import io.tributary.persistence.rocksdb.StoredGroup.Topic;
import io.tributary.persistence.shard.LogRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes which messages of a group are open, and moves what was given up to the dead letters in the same commit. */
final class AnswerWrite implements Write {
    private static final Logger LOG = LoggerFactory.getLogger(AnswerWrite.class);

    private static final int MOST_DEAD_LETTERS = 100;

    private final ColumnStore columns;
    private final DeadLetters deadLetters;
    private final StoredGroup group;
    private final Topic topic;
    private final GroupRecorder recorder;
    private final Consumer<Lane> onUnwanted;

    // Confined to the writer thread.
    private List<Open> dead = List.of();

    /**
     * Creates it.
     *
     * @param topic the log that the group has now
     * @param onUnwanted told of the group's log when it is time to truncate it
     */
    AnswerWrite(
            ColumnStore columns,
            DeadLetters deadLetters,
            StoredGroup group,
            Topic topic,
            GroupRecorder recorder,
            Consumer<Lane> onUnwanted) {
        this.columns = columns;
        this.deadLetters = deadLetters;
        this.group = group;
        this.topic = topic;
        this.recorder = recorder;
        this.onUnwanted = onUnwanted;
    }

    @Override
    public int bytes() {
        return 0;
    }

    @Override
    public void stage(WriteBatch batch) throws RocksDBException {
        if (group.topic() != topic) {
            return; // deleted
        }
        dead = group.givenUp(topic, MOST_DEAD_LETTERS);
        List<LogRecord> entries = read(dead);
        batch.put(columns.handle(Column.META), topic.stateKey(), group.encodeState(topic, dead));
        for (int i = 0; i < entries.size(); i++) {
            deadLetters.add(group.name(), dead.get(i).deliveries(), entries.get(i));
        }
    }

    @Override
    public void committed() {
        if (!dead.isEmpty()) {
            LOG.warn("{} messages of {} were given up and are among the dead letters", dead.size(), group.name());
            recorder.onDeadLetters(dead.size());
        }
        if (topic.lane().noteUnwanted(group.buried(topic, dead))) {
            onUnwanted.accept(topic.lane());
        }
    }

    @Override
    public void failed(RuntimeException reason) {
        LOG.error("what was answered of {} is not written yet", group.name(), reason);
        recorder.onError();
        group.noteChanged(topic);
    }

    private List<LogRecord> read(List<Open> positions) {
        List<LogRecord> entries = new ArrayList<>();
        for (Open each : positions) {
            topic.lane().read(each.position(), entry -> {
                entries.add(entry);
                return false;
            });
        }
        if (entries.size() != positions.size()) {
            throw new StorageException("messages that were given up are missing");
        }
        return entries;
    }
}
