package io.tributary.persistence.rocksdb;

import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.ShardLog.Reader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands the records of one shard to the reader, on the writer thread.
 *
 * <pre>
 * state       means                                        left by
 * idle        nobody wants records                         readFrom: reading, or live when there is nothing to read
 * reading     a page is being read from the database       the page was handed out: reading or live; pause: idle
 * live        the reader has all that is durable, and      pause: idle; readFrom: reading or live
 *             gets each commit handed over in memory
 * </pre>
 *
 * All transitions are made by the writer thread, which knows exactly what is durable: there is neither a gap nor a
 * repeat between reading and live. Other threads only leave the latest {@link Request}, which is looked at before each
 * hand-out.
 */
final class ShardFeed implements SequenceAppends.Destination {
    private static final Logger LOG = LoggerFactory.getLogger(ShardFeed.class);

    private static final int PAGE_RECORDS = 20_000;
    private static final long PAGE_BYTES = 1024 * 1024;
    private static final Duration RETRY = Duration.ofSeconds(1);

    private final RocksDbDatabase database;
    private final int shard;
    private final RecordSequence sequence;

    /** Left by any thread. */
    private volatile Request wanted = new Request(Request.NOTHING);

    // Confined to the writer thread.
    private Request current = wanted;
    private boolean live;
    private long position;
    private long handedFrom;
    private @Nullable Reader reader;

    ShardFeed(RocksDbDatabase database, int shard, RecordSequence sequence) {
        this.database = database;
        this.shard = shard;
        this.sequence = sequence;
    }

    @Override
    public RecordSequence sequence() {
        return sequence;
    }

    /** Any thread. */
    void readFrom(long offset) {
        wanted = new Request(offset);
        database.committer().submit(new Task(this::lookAtRequest));
    }

    /** Any thread. */
    void pause() {
        wanted = new Request(Request.NOTHING);
    }

    /** Writer thread. */
    void assign(Reader newReader) {
        reader = newReader;
        newReader.onAssigned(shard);
    }

    /** Hands them out to a reader that has all before them. */
    @Override
    public void onCommitted(List<LogRecord> records) {
        if (live && current == wanted) {
            handOut(records);
        }
    }

    private void lookAtRequest() {
        assert database.committer().isWriterThread();
        if (current == wanted) {
            return;
        }
        current = wanted;
        live = false;
        if (current.offset != Request.NOTHING && reader != null) {
            position = current.offset;
            handedFrom = current.offset;
            readOn();
        }
    }

    private void readOn() {
        position = Math.max(position, sequence.low());
        live = position >= sequence.committed();
        if (!live) {
            fetch(current, position);
        }
    }

    private void fetch(Request request, long from) {
        boolean accepted = database.execute(() -> {
            List<LogRecord> page = readPage(from);
            database.committer().submit(new Task(() -> onPage(request, page)));
        });
        if (!accepted) {
            retryLater(request);
        }
    }

    /** Some records from the offset on, or null when they cannot be read. */
    private @Nullable List<LogRecord> readPage(long from) {
        try {
            return page(from);
        } catch (RuntimeException e) {
            LOG.error("the log of shard {} cannot be read", shard, e);
            database.recorder().onError();
            return null;
        }
    }

    private List<LogRecord> page(long from) {
        List<LogRecord> page = new ArrayList<>();
        long[] bytes = new long[1];
        sequence.read(from, entry -> {
            page.add(entry);
            bytes[0] += entry.value().length;
            return page.size() < PAGE_RECORDS && bytes[0] < PAGE_BYTES;
        });
        return page;
    }

    private void onPage(Request request, @Nullable List<LogRecord> page) {
        if (request != wanted) {
            lookAtRequest();
            return;
        }
        if (page == null) {
            retryLater(request);
            return;
        }
        handOut(page);
        if (request == wanted) {
            readOn();
        }
    }

    private void retryLater(Request request) {
        database.after(RETRY, () -> database.committer().submit(new Task(() -> retry(request))));
    }

    private void retry(Request request) {
        if (request == current) {
            readOn();
        }
    }

    private void handOut(List<LogRecord> records) {
        Reader to = reader;
        if (to == null || records.isEmpty() || records.getLast().offset() < position) {
            return;
        }
        int known = (int) Math.max(0, position - records.getFirst().offset());
        long from = handedFrom;
        position = records.getLast().offset() + 1;
        handedFrom = position;
        try {
            to.onRecords(shard, from, known == 0 ? records : records.subList(known, records.size()));
        } catch (RuntimeException e) {
            LOG.error("the reader of shard {} failed", shard, e);
        }
    }

    /** What a call of readFrom or pause asked for; the latest one counts. Compared by identity. */
    private static final class Request {
        private static final long NOTHING = -1;

        private final long offset;

        private Request(long offset) {
            this.offset = offset;
        }
    }
}
