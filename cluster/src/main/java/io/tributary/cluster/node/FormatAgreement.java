package io.tributary.cluster.node;

import io.tributary.common.event.ByteReader;
import io.tributary.common.event.ByteWriter;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.UnreadableRecordException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which format the cluster writes, as this process sees it: the newest that all read that are not over. A process on
 * {@link Formats#HOLD hold} announces that it reads no newer format than was written when it joined, and so looks to
 * all others like one of the version before, until the node table says that the upgrade is finished. Any thread, but
 * for {@link #finished(byte[])}.
 *
 * <p>Decided in docs/decisions/0014-formats.md.
 */
final class FormatAgreement {
    /** The key in the node table of what was finished last; no node can be called so. */
    static final String KEY = "#formats";

    private static final Logger LOG = LoggerFactory.getLogger(FormatAgreement.class);
    private static final int FORMAT = 1;
    private static final int VALUE_BYTES = 3;

    private final RecordFormat format;
    private final KnownNodes known;
    private final Formats formats;
    /** What was written when this process joined; 0 before. */
    private volatile int before;

    private volatile int finished;

    FormatAgreement(RecordFormat format, KnownNodes known, Formats formats) {
        this.format = format;
        this.known = known;
        this.formats = formats;
    }

    /** This process is about to join: what is in the table by now was there before. */
    void join() {
        boolean isFirstEver = known.count() == 0;
        before = Math.max(before, isFirstEver ? format.newest() : Math.min(known.newestWritten(), format.newest()));
    }

    /** It has joined: so was what came into the table ahead of its own record. */
    void joined() {
        join();
        if (isHeld()) {
            LOG.info(
                    "formats are on hold: the cluster writes format {}, and this version reads {}, too; the version"
                            + " before can be started again until the upgrade is finished",
                    announced(),
                    format.newest());
        }
    }

    /** The newest format that others may write as far as this process is concerned; never falls once it has joined. */
    int announced() {
        return formats == Formats.HOLD
                ? Math.min(format.newest(), Math.max(Math.max(before, finished), format.toWrite()))
                : format.newest();
    }

    /** Whether this process keeps the cluster from a format that it reads itself. */
    boolean isHeld() {
        return announced() < format.newest();
    }

    /**
     * The format in which this process would write now. It does so once a record of its own has come back that says so,
     * and all read it still: a process that joins afterwards has seen that record, and does not go on if it is too old.
     */
    int agreed() {
        return Math.max(format.toWrite(), known.oldestFormat(announced()));
    }

    /** A record of this process has come back that says what it would write. */
    void came(NodeRecord own) {
        if (own.written() <= known.oldestFormat(format.newest())) {
            format.raise(own.written());
        }
    }

    /** Whether the cluster has written, or is to write, what this version does not read. */
    boolean isTooNew() {
        return newestAnywhere() > format.newest();
    }

    NodeTooOldException tooOld() {
        return new NodeTooOldException(newestAnywhere(), format.newest());
    }

    /** The newest format that the cluster has written, or is to write. */
    int newestAnywhere() {
        return Math.max(known.newestWritten(), finished);
    }

    /** What ends the hold at all nodes, for the node table under {@link #KEY}. */
    byte[] finish() {
        ByteWriter writer = new ByteWriter(VALUE_BYTES);
        writer.writeByte(FORMAT);
        writer.writeNumber(format.newest());
        return writer.toBytes();
    }

    /**
     * The node table has a new value under {@link #KEY}; on the map's thread.
     *
     * @throws UnreadableRecordException when it is none
     */
    void finished(byte @Nullable [] value) {
        if (value == null) {
            return;
        }
        ByteReader reader = new ByteReader(value);
        reader.expectFormat(FORMAT);
        boolean wasHeld = before > 0 && isHeld();
        finished = Math.max(finished, reader.readInt());
        if (wasHeld && !isHeld()) {
            LOG.info("the upgrade is finished: the cluster writes format {} from now on", announced());
        }
    }
}
