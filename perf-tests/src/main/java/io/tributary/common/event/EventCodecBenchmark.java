package io.tributary.common.event;

import io.tributary.common.event.ShardEvent.ClientSettled;
import io.tributary.common.event.ShardEvent.Publish;
import io.tributary.common.event.ShardEvent.Settled;
import io.tributary.perf.jmh.Messages;
import io.tributary.perf.jmh.Microbenchmark;
import java.util.List;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** The records of a shard's log: once encoded by who appends them, once decoded by the shard's owner. */
public class EventCodecBenchmark extends Microbenchmark {

    /** A message for one session, for 200 with a larger payload, and what 100 clients acknowledged. */
    @Param({"PUBLISH-1x62", "PUBLISH-1x1024", "PUBLISH-200x62", "SETTLED-100"})
    public String record = "";

    private ShardEvent event;
    private byte[] encoded;

    /** Makes the event. */
    @Setup
    public void prepare() {
        event = switch (record) {
            case "PUBLISH-1x62" -> publish(1, 62);
            case "PUBLISH-1x1024" -> publish(1, 1024);
            case "PUBLISH-200x62" -> publish(200, 62);
            case "SETTLED-100" -> settled(100);
            default -> throw new IllegalArgumentException(record);
        };
        encoded = EventCodec.encode(event, RecordFormat.NEWEST);
    }

    private static Publish publish(int recipients, int payloadBytes) {
        return new Publish(Messages.message(payloadBytes), Messages.recipients(recipients, 1_000_000), null);
    }

    /** Each has four messages in a row done with. */
    private static Settled settled(int clients) {
        List<ClientSettled> settled = IntStream.range(0, clients)
                .mapToObj(i -> new ClientSettled(
                        Messages.client(i), 1_000_000 + i, new long[] {5001, 5002, 5003, 5004}, 400, new long[0]))
                .toList();
        return new Settled(2_000_000, settled, List.of());
    }

    /** To the bytes of a record. */
    @Benchmark
    public byte[] encode() {
        return EventCodec.encode(event, RecordFormat.NEWEST);
    }

    /** From the bytes of a record. */
    @Benchmark
    public ShardEvent decode() {
        return EventCodec.decode(encoded);
    }
}
