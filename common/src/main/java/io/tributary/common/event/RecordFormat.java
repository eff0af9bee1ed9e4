package io.tributary.common.event;

import io.tributary.common.mqtt.Printable;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Which formats of records this process reads, and in which one it writes. It is one number for all codecs, the first
 * byte of each record. In a cluster it begins with the oldest, and grows to what every live node reads; a reader that
 * finds a record of a newer format than this process reads says so here, for such a process must not act on records
 * that it cannot read. Any thread; never blocks.
 *
 * <p>Decided in docs/decisions/0014-formats.md.
 */
public final class RecordFormat {
    /** The newest format that this version reads. */
    public static final int NEWEST = 4;

    /** The first format in which messages have priorities; no message has one before it is written. */
    public static final int PRIORITIES = 4;

    /** The first format in which nodes have each other's publishers wait; none says so before it is written. */
    public static final int PUBLISHER_HOLDS = 4;

    /** The first format in which an owner tells a connection's node how far it has folded. */
    public static final int FOLDED_UP_TO = 4;

    /** The first format in which an owner names connections that it answers later. */
    public static final int ATTACHED_LATER = 4;

    /** The first format in which an owner says that it has no room for a will. */
    public static final int WILLS_REFUSED = 4;

    private final int newest;
    private volatile int written;
    private final Set<String> tooNew = ConcurrentHashMap.newKeySet();

    /** Of a node of a cluster that reads all formats up to this one, and writes the oldest for now. */
    public RecordFormat(int newest) {
        this(newest, 1);
    }

    private RecordFormat(int newest, int written) {
        this.newest = newest;
        this.written = written;
    }

    /** The formats of a process that is alone: no other process reads its records. */
    public static RecordFormat alone() {
        return new RecordFormat(NEWEST, NEWEST);
    }

    /** The newest format that this process reads; it reads all from 1 up to it. */
    public int newest() {
        return newest;
    }

    /** The format in which a record is to be written now. */
    public int toWrite() {
        return written;
    }

    /**
     * Every live node reads this format, and no older one will join; does nothing when a newer one is written already.
     */
    public synchronized void raise(int format) {
        if (format > newest) {
            throw new IllegalArgumentException("format " + format + ": this process reads 1 to " + newest);
        }
        written = Math.max(written, format);
    }

    /**
     * A map has a record of a newer format, so what this process knows of the map is incomplete until
     * {@link #replaced}.
     *
     * @param record the map and the key
     */
    public void tooNew(String record) {
        tooNew.add(record);
    }

    /** A record has another value, or is gone. */
    public void replaced(String record) {
        if (!tooNew.isEmpty()) {
            tooNew.remove(record);
        }
    }

    /** Whether a map has a record that this process is too old to read. */
    public boolean isTooOld() {
        return !tooNew.isEmpty();
    }

    /**
     * One of the records that this process is too old to read, as {@link #tooNew} named it, but for what is not {@link
     * Printable}; null when there is none.
     */
    public @Nullable String unreadRecord() {
        return tooNew.stream().findAny().map(Printable::of).orElse(null);
    }
}
