package io.tributary.cluster.kafka.app;

import io.tributary.persistence.app.AppTopics.Page;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * How far the clients of a node have read of their partitions, and which of them are to be told that theirs has lost
 * its end, and got other records since: each client that was further, until it reads from where it is intact, also
 * though its connection has ended meanwhile. Safe for all threads.
 */
final class LostEnds {
    private static final long NOTHING_LOST = Long.MAX_VALUE;

    private final Map<Client, Position> positions = new ConcurrentHashMap<>();

    /** A client of a partition. */
    private record Client(TopicPartition partition, String id) {}

    /**
     * How far a client has read.
     *
     * @param topic which topic that was; null when that is not known
     * @param next the position behind what it was given
     * @param intact the partition has lost all from this position on, which the client may not have reached yet: what
     *     it is given next may have been read before
     */
    private record Position(@Nullable String topic, long next, long intact) {
        boolean isLost() {
            return next > intact;
        }

        boolean isLostTo(AppRead read) {
            return read.from() > intact && read.from() <= next && !read.isOfAnother(topic);
        }

        Position reached(long newNext) {
            return new Position(topic, Math.max(next, newNext), intact);
        }

        Position lost(long newIntact) {
            return new Position(topic, next, Math.min(intact, newIntact));
        }
    }

    /** Tells a read that begins where the partition is another one by now; false when it does not. */
    boolean tell(TopicPartition partition, AppRead read) {
        Position position = positions.compute(
                new Client(partition, read.clientId()),
                (_, known) -> known != null && known.isLostTo(read)
                        ? known
                        : new Position(read.topic(), read.from(), NOTHING_LOST));
        if (position.intact == NOTHING_LOST) {
            return false;
        }
        read.complete(new Page(List.of(), position.intact, position.intact));
        return true;
    }

    /** A client has been given what is before a position. */
    void reached(TopicPartition partition, String clientId, long next) {
        positions.computeIfPresent(new Client(partition, clientId), (_, known) -> known.reached(next));
    }

    /** The partition has lost all from a position on. */
    void lost(TopicPartition partition, long intact) {
        positions.replaceAll((client, known) -> client.partition.equals(partition) ? known.lost(intact) : known);
    }

    /** No connection of this node reads the client's messages any more. */
    void release(TopicPartition partition, String clientId) {
        positions.computeIfPresent(new Client(partition, clientId), (_, known) -> known.isLost() ? known : null);
    }

    /** The client's session is over. */
    void forget(TopicPartition partition, String clientId) {
        positions.remove(new Client(partition, clientId));
    }
}
