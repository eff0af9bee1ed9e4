package io.tributary.common.event;

import java.util.List;

/**
 * How far an application has come with the topic in which its messages wait. Sequence number n is position n-1 of the topic.
 *
 * @param queue which kind of topic it is
 * @param upTo all messages up to this sequence number are done with, or are not this session's
 * @param settled sequence numbers above that which are done with, ascending
 * @param released sequence numbers of QoS 2 messages between PUBREC and PUBCOMP, ascending
 * @param sources the latest source up to {@code upTo} from each shard that handed something on: the reader skips what is not
 *     after these
 */
@SuppressWarnings("ArrayRecordComponent") // never modified; replaced as a whole
public record TopicState(QueueKind queue, long upTo, long[] settled, long[] released, List<Source> sources) {
    public TopicState {
        sources = List.copyOf(sources);
    }
}
