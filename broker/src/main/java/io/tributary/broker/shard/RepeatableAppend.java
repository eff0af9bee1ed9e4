package io.tributary.broker.shard;

import io.tributary.common.event.Recipient;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.event.Source;
import io.tributary.common.mqtt.Message;
import io.tributary.persistence.shard.AppendCallback;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * How a message is appended that may be appended again after a crash, and matched anew then: a shard that has skipped a
 * repetition must have all that the repetition brings, though other sessions may subscribe meanwhile.
 *
 * <p>A shard whose recipients fit into one record gets the last part of the source, whose repetition adds nothing, and so does
 * the topic of an application, for which there is one record. The recipients of another one are spread over a fixed number of
 * parts by client: what a crash left out is in parts that did not come. Devices that a shared subscription chose are named
 * without a source, for the repetition may choose another one, whose shard may have seen later sources: they may get the
 * message again, but are never skipped.
 */
final class RepeatableAppend {
    private static final int SPREAD_BITS = 4;
    /** How many records the recipients of one client's part may take. */
    private static final int STRIDE = 1 << 20;

    private static final int LAST_PART = Integer.MAX_VALUE;

    private final Source source;
    private final List<Recipient> members = new ArrayList<>();
    private final List<Recipient> whole = new ArrayList<>();
    private final TreeMap<Integer, List<Recipient>> spread = new TreeMap<>();

    private RepeatableAppend(Source source) {
        this.source = source;
    }

    static RepeatableAppend of(List<Recipient> recipients, Source source, ToIntFunction<String> shardOf) {
        RepeatableAppend append = new RepeatableAppend(source);
        Map<Integer, List<Recipient>> byShard = new TreeMap<>();
        for (Recipient recipient : recipients) {
            if (recipient.queue().isApplication()) {
                append.whole.add(recipient);
            } else if (recipient.group() != null) {
                append.members.add(recipient);
            } else {
                byShard.computeIfAbsent(shardOf.applyAsInt(recipient.clientId()), _ -> new ArrayList<>())
                        .add(recipient);
            }
        }
        byShard.values().forEach(append::place);
        return append;
    }

    private void place(List<Recipient> ofShard) {
        if (ofShard.size() <= ShardEvent.MAX_RECIPIENTS) {
            whole.addAll(ofShard);
            return;
        }
        ofShard.sort(Comparator.comparing(Recipient::clientId));
        for (Recipient recipient : ofShard) {
            spread.computeIfAbsent(partOf(recipient.clientId()), _ -> new ArrayList<>())
                    .add(recipient);
        }
    }

    /** Other bits of the hash than those that choose the shard. */
    private static int partOf(String clientId) {
        return (clientId.hashCode() * 0x85EBCA6B) >>> (Integer.SIZE - SPREAD_BITS);
    }

    void publish(LogAppender appender, Message message, AppendCallback callback) {
        int calls = spread.size() + (whole.isEmpty() ? 0 : 1) + (members.isEmpty() ? 0 : 1);
        AppendCallback all = LogAppender.countingDown(calls, callback);
        spread.forEach((part, recipients) -> appender.publish(message, recipients, parts(part), all));
        if (!whole.isEmpty()) {
            appender.publish(message, whole, _ -> part(LAST_PART), all);
        }
        if (!members.isEmpty()) {
            appender.publish(message, members, _ -> null, all);
        }
    }

    /** The sources of the records of one part, by shard. */
    private Function<Object, @Nullable Source> parts(int part) {
        Map<Object, Integer> next = new HashMap<>();
        return shard -> part(part * STRIDE + next.merge(shard, 1, Integer::sum) - 1);
    }

    private Source part(int part) {
        return new Source(source.shard(), source.offset(), part);
    }
}
