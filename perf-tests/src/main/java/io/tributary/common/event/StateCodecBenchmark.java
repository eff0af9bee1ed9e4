package io.tributary.common.event;

import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.mqtt.QoS;
import io.tributary.perf.jmh.Messages;
import io.tributary.perf.jmh.Microbenchmark;
import java.util.List;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** What a save point writes, and what a new owner or a returning client reads. */
public class StateCodecBenchmark extends Microbenchmark {

    /** The payload's size of the message in the queue. */
    @Param({"62", "1024"})
    public int payloadBytes;

    private StoredSession stored;
    private Queued entry;
    private byte[] encodedSession;
    private byte[] encodedEntry;

    /** Makes a session and a message that waits for it. */
    @Setup
    public void prepare() {
        stored = new StoredSession(
                Messages.client(1),
                1_000_000,
                2_000_000,
                "node-1",
                3000,
                3600,
                100,
                0,
                Long.MAX_VALUE,
                50_000,
                SentUpTo.all(49_990),
                10,
                1200,
                0,
                0,
                0,
                null,
                new int[0],
                0,
                Principal.ofUser(Messages.client(1)));
        entry = new Queued(Messages.message(payloadBytes), QoS.AT_LEAST_ONCE, false, List.of(), null);
        encodedSession = StateCodec.encodeSession(stored, RecordFormat.NEWEST);
        encodedEntry = StateCodec.encodeQueueEntry(entry, RecordFormat.NEWEST);
    }

    /** A stored session to bytes. */
    @Benchmark
    public byte[] encodeSession() {
        return StateCodec.encodeSession(stored, RecordFormat.NEWEST);
    }

    /** A stored session from bytes. */
    @Benchmark
    public StoredSession decodeSession() {
        return StateCodec.decodeSession(encodedSession);
    }

    /** A message in a queue to bytes. */
    @Benchmark
    public byte[] encodeQueueEntry() {
        return StateCodec.encodeQueueEntry(entry, RecordFormat.NEWEST);
    }

    /** A message in a queue from bytes. */
    @Benchmark
    public QueueEntry decodeQueueEntry() {
        return StateCodec.decodeQueueEntry(encodedEntry);
    }
}
