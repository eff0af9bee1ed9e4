package io.tributary.common.event;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How far an application has come with the topic in which its messages wait. Sequence number n is position {@code n - 1
 * - base} of the topic. A topic that was made anew begins at position 0 again, and sequence numbers go on: the base
 * grows.
 *
 * @param kind which kind of topic it is
 * @param id which topic it is: one that was made anew has another id; null when none is known yet
 * @param base what makes positions of this topic sequence numbers
 * @param first the lowest sequence number that is a message of this topic; those below were another's, which is gone,
 *     or are done with
 * @param upTo all messages up to this sequence number are done with, or are not this session's
 * @param settled sequence numbers above that which are done with, ascending
 * @param released sequence numbers of QoS 2 messages between PUBREC and PUBCOMP, ascending
 * @param sources the latest source up to {@code upTo} from each shard that forwarded something: the reader skips what
 *     is not after these
 */
@SuppressWarnings("ArrayRecordComponent") // never modified; replaced as a whole
public record TopicState(
        ClientKind kind,
        @Nullable String id,
        long base,
        long first,
        long upTo,
        long[] settled,
        long[] released,
        List<Source> sources) {
    public TopicState {
        sources = List.copyOf(sources);
    }
}
