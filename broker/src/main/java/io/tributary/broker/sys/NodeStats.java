package io.tributary.broker.sys;

import io.tributary.broker.sys.SysStats.Clients;
import io.tributary.broker.sys.SysStats.Flow;
import io.tributary.broker.sys.SysStats.StoredStats;
import io.tributary.broker.sys.SysStats.Subscribed;
import io.tributary.broker.sys.SysStats.Traffic;
import io.tributary.common.event.ByteReader;
import io.tributary.common.event.ByteWriter;
import io.tributary.common.event.UnreadableRecordException;
import java.util.Arrays;
import java.util.stream.LongStream;

/**
 * A node's figures of itself, for its own clients and for the other nodes of its cluster.
 *
 * @param version the program and its version
 * @param uptimeSeconds how long it has been working
 * @param stats what it counts and keeps
 * @param rules a digest of the rules of its configuration, as authorizers have it; 0 also where an earlier version says
 *     nothing
 * @param announced what it says of its operation
 */
public record NodeStats(String version, long uptimeSeconds, SysStats stats, long rules, Announced announced) {
    private static final int FORMAT = 1;
    private static final int MAX_VERSION_CHARS = 64;
    private static final int SIZE_HINT = 160;

    /** Of a node that says nothing of its operation. */
    public NodeStats(String version, long uptimeSeconds, SysStats stats, long rules) {
        this(version, uptimeSeconds, stats, rules, Announced.NOTHING);
    }

    /**
     * As the nodes of a cluster tell it each other, in less than 500 bytes: a format byte, the version, and all numbers
     * in an order that stays. A later version puts further ones behind them: a reader ignores those that it does not
     * know, and takes those that are not there for 0, so that nodes of two versions understand each other.
     */
    public byte[] encode() {
        ByteWriter writer = new ByteWriter(SIZE_HINT);
        writer.writeByte(FORMAT);
        writer.writeString(version.length() <= MAX_VERSION_CHARS ? version : version.substring(0, MAX_VERSION_CHARS));
        long[] counted = numbers();
        if (announced.equals(Announced.NOTHING)) {
            writer.writeNumbers(counted);
        } else {
            writer.writeNumbers(
                    LongStream.concat(Arrays.stream(counted), said()).toArray());
        }
        return writer.toBytes();
    }

    private LongStream said() {
        return LongStream.of(
                announced.draining() ? 1 : 0,
                announced.order(),
                announced.rate(),
                announced.tolerance(),
                announced.seconds());
    }

    private long[] numbers() {
        Clients clients = stats.clients();
        Traffic traffic = stats.traffic();
        StoredStats kept = stats.kept();
        return new long[] {
            uptimeSeconds,
            clients.connected(),
            clients.disconnected(),
            clients.maximum(),
            traffic.connections(),
            traffic.packets().received(),
            traffic.packets().sent(),
            traffic.publishes().received(),
            traffic.publishes().sent(),
            traffic.publishesDropped(),
            traffic.bytes().received(),
            traffic.bytes().sent(),
            kept.queuedMessages(),
            kept.persistent().plain(),
            kept.persistent().shared(),
            kept.transients().plain(),
            kept.transients().shared(),
            kept.retainedMessages(),
            clients.applications(),
            traffic.publishesUnmatched(),
            rules
        };
    }

    /**
     * Decodes what {@link #encode} wrote, in this version or another one.
     *
     * @throws UnreadableRecordException when the bytes are something else
     */
    public static NodeStats decode(byte[] bytes) {
        ByteReader reader = new ByteReader(bytes);
        reader.expectFormat(FORMAT);
        String version = reader.readString();
        Numbers numbers = new Numbers(reader.readNumbers());
        long uptimeSeconds = numbers.next();
        long connected = numbers.next();
        long disconnected = numbers.next();
        long maximum = numbers.next();
        long connections = numbers.next();
        Flow packets = numbers.nextFlow();
        Flow publishes = numbers.nextFlow();
        long publishesDropped = numbers.next();
        Flow onTheWire = numbers.nextFlow();
        StoredStats kept =
                new StoredStats(numbers.next(), numbers.nextSubscribed(), numbers.nextSubscribed(), numbers.next());
        Clients clients = new Clients(connected, disconnected, maximum, numbers.next());
        Traffic traffic = new Traffic(connections, packets, publishes, publishesDropped, numbers.next(), onTheWire);
        long rules = numbers.next();
        Announced announced = new Announced(
                numbers.next() > 0, numbers.next(), numbers.nextInt(), numbers.nextInt(), numbers.nextInt());
        return new NodeStats(version, uptimeSeconds, new SysStats(clients, traffic, kept), rules, announced);
    }

    /** Numbers one after the other, then zeros. */
    private static final class Numbers {
        private final long[] numbers;
        private int next;

        Numbers(long[] numbers) {
            this.numbers = numbers;
        }

        long next() {
            return next < numbers.length ? numbers[next++] : 0;
        }

        int nextInt() {
            return (int) Math.min(next(), Integer.MAX_VALUE);
        }

        Flow nextFlow() {
            return new Flow(next(), next());
        }

        Subscribed nextSubscribed() {
            return new Subscribed(next(), next());
        }
    }
}
