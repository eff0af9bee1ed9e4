package io.tributary.broker.security.store;

import io.tributary.common.event.ByteReader;
import io.tributary.common.event.ByteWriter;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.UnreadableRecordException;
import io.tributary.persistence.replicated.ReplicatedMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This node's copy of a table, which follows the replicated map. Besides the entries the map has the record of the
 * writer: the epoch of whoever writes from there on. In the order of the map, an entry of an older epoch behind that
 * record changes nothing, on any node: a writer that was paused and replaced writes in vain. Such entries are in the
 * place of newer ones, for a map keeps the last one of each key; the writer {@link #takeOverwritten writes the newer
 * ones again}.
 *
 * <p>An entry that cannot be read opens nothing: a user or token is as good as deleted, of others the entry before
 * stays. {@link #problems} has it until it is replaced. Any thread; the map's one thread changes it.
 */
final class TableCopy implements ReplicatedMap.Follower {
    private static final Logger LOG = LoggerFactory.getLogger(TableCopy.class);
    private static final String ENTRY = "entry/";

    /** Behind all entries, also where a map is read in the order of its keys. */
    private static final String WRITER = "writer";

    private static final int WRITER_BYTES = 11;

    private final SecurityTable table;
    private final ReplicatedMap map;
    private final RecordFormat format;
    private final Observer observer;
    /** The entries as they are in the map: as objects they would take twice the memory. */
    private final ConcurrentSkipListMap<String, byte[]> entries = new ConcurrentSkipListMap<>();

    private final Set<String> removed = ConcurrentHashMap.newKeySet();
    private final AtomicLong objects = new AtomicLong();
    private final Set<String> overwritten = ConcurrentHashMap.newKeySet();
    private final Set<String> unreadable = ConcurrentHashMap.newKeySet();
    private volatile long writerEpoch = -1;

    /** Told of each change, in their order, on the map's thread. */
    @FunctionalInterface
    interface Observer {
        /**
         * An object was put or removed.
         *
         * @param before what was there
         * @param now what is there
         */
        void changed(SecurityTable table, String id, @Nullable SecurityObject before, @Nullable SecurityObject now);
    }

    TableCopy(SecurityTable table, ReplicatedMap map, RecordFormat format, Observer observer) {
        this.table = table;
        this.map = map;
        this.format = format;
        this.observer = observer;
    }

    /** Reads the map, and follows it from then on. */
    CompletionStage<@Nullable Void> follow() {
        return map.follow(this);
    }

    /** The object with the id, or null. */
    @Nullable
    StoredEntry get(String id) {
        StoredEntry entry = last(id);
        return entry == null || entry.body() == null ? null : entry;
    }

    /** How many objects there are. */
    long size() {
        return objects.get();
    }

    /** All entries behind an id, in the order of ids, those of removed objects too. */
    Stream<Map.Entry<String, StoredEntry>> after(String id) {
        return entries.tailMap(id, false).entrySet().stream()
                .map(entry -> Map.entry(entry.getKey(), decoded(entry.getValue())));
    }

    /** The ids of objects that were removed and are still remembered. */
    List<String> removed() {
        return List.copyOf(removed);
    }

    /** The epoch of the newest writer, -1 when there was none. */
    long writerEpoch() {
        return writerEpoch;
    }

    /** What cannot be read, a sentence each. */
    List<String> problems() {
        return unreadable.stream()
                .map(id -> named(id) + " cannot be read and does not count" + instead(id) + "; write it again")
                .toList();
    }

    private String instead(String id) {
        if (entries.containsKey(id)) {
            return " (the one before holds until this node restarts)";
        }
        return table == SecurityTable.BANS ? " (it bans nobody)" : "";
    }

    /** Whether there is an entry that cannot be read, and none before it that could be. */
    boolean lacksSome() {
        return unreadable.stream().anyMatch(id -> !entries.containsKey(id));
    }

    /** The ids whose entries in the map are older than those here; they count as written again. */
    List<String> takeOverwritten() {
        List<String> taken = List.copyOf(overwritten);
        taken.forEach(overwritten::remove);
        return taken;
    }

    /** Whether a writer's change holds: its entry has come back, and counts. */
    boolean has(String id, Stamp stamp) {
        StoredEntry entry = last(id);
        return entry != null && entry.stamp().equals(stamp);
    }

    /** Says from which epoch on entries count; completes when every live node knows. */
    CompletionStage<@Nullable Void> claim(long epoch) {
        ByteWriter writer = new ByteWriter(WRITER_BYTES);
        writer.writeByte(format.toWrite());
        writer.writeNumber(epoch);
        return map.put(WRITER, writer.toBytes());
    }

    /** Writes an entry; completes when every live node has it. {@link #has} says whether it counts. */
    CompletionStage<@Nullable Void> put(String id, StoredEntry entry) {
        return map.put(ENTRY + id, entry.encode(format.toWrite()));
    }

    /** Forgets that there was an object. */
    CompletionStage<@Nullable Void> purge(String id) {
        return map.remove(ENTRY + id);
    }

    /** The last entry with an id, or that it was removed; null when nothing is known. */
    @Nullable
    StoredEntry last(String id) {
        byte[] bytes = entries.get(id);
        return bytes == null ? null : decoded(bytes);
    }

    @Override
    public void onChange(String key, byte @Nullable [] value) {
        if (key.equals(WRITER)) {
            writer(value);
        } else if (key.startsWith(ENTRY)) {
            String id = key.substring(ENTRY.length());
            if (value == null) {
                purged(id);
            } else {
                entry(id, value);
            }
        } else {
            LOG.error("map {} has a record that is not ours: {}", table.mapName(), key);
        }
    }

    private void writer(byte @Nullable [] value) {
        if (value == null) {
            return;
        }
        ByteReader reader = new ByteReader(value);
        try {
            reader.expectFormat(format.newest());
            writerEpoch = Math.max(writerEpoch, reader.readNumber());
        } catch (UnreadableRecordException e) {
            LOG.error("the record of the writer of map {} cannot be read", table.mapName(), e);
        }
    }

    private void purged(String id) {
        StoredEntry now = last(id);
        if (now != null && now.body() != null) {
            overwritten.add(id); // by a writer that was replaced
            return;
        }
        entries.remove(id);
        removed.remove(id);
        readable(id);
    }

    private void entry(String id, byte[] value) {
        StoredEntry before = last(id);
        StoredEntry now;
        SecurityObject object;
        try {
            now = StoredEntry.decode(value, format.newest());
            if (isOlder(now, before)) {
                LOG.warn("{} was written late by a node that had been replaced; that does not count", named(id));
                overwritten.add(id);
                return;
            }
            object = now.body() == null ? null : SecurityCodec.decode(table, now.body());
            if (object != null && !object.id().equals(id)) {
                throw new UnreadableRecordException("the record is that of " + object.id());
            }
        } catch (UnreadableRecordException e) {
            unreadable(id, e);
            return;
        }
        entries.put(id, value);
        if (object == null) {
            removed.add(id);
        } else {
            removed.remove(id);
        }
        readable(id);
        tell(id, objectOf(before), object);
    }

    /** One that was read before. */
    private StoredEntry decoded(byte[] bytes) {
        return StoredEntry.decode(bytes, format.newest());
    }

    private boolean isOlder(StoredEntry now, @Nullable StoredEntry before) {
        return now.stamp().epoch() < writerEpoch
                || (before != null && now.stamp().compareTo(before.stamp()) < 0);
    }

    private void unreadable(String id, UnreadableRecordException why) {
        LOG.error("{} cannot be read, and does not count", named(id), why);
        unreadable.add(id);
        tellOfRules(id);
        if (why.isNewer()) {
            format.tooNew(named(id));
        }
        if (table == SecurityTable.USERS || table == SecurityTable.TOKENS) {
            StoredEntry before = last(id);
            entries.remove(id);
            removed.remove(id);
            tell(id, objectOf(before), null);
        }
    }

    private void readable(String id) {
        if (unreadable.remove(id)) {
            tellOfRules(id);
            format.replaced(named(id));
        }
    }

    /** Tells the observer, too, when a rule set cannot be read any more, or again: whether all can be counts. */
    private void tellOfRules(String id) {
        if (table == SecurityTable.RULES) {
            observer.changed(table, id, null, null);
        }
    }

    private void tell(String id, @Nullable SecurityObject before, @Nullable SecurityObject now) {
        objects.addAndGet((now == null ? 0 : 1) - (before == null ? 0 : 1));
        if (before != null || now != null) {
            observer.changed(table, id, before, now);
        }
    }

    private @Nullable SecurityObject objectOf(@Nullable StoredEntry entry) {
        return entry == null || entry.body() == null ? null : SecurityCodec.decode(table, entry.body());
    }

    private String named(String id) {
        return "the entry " + id + " of map " + table.mapName();
    }
}
