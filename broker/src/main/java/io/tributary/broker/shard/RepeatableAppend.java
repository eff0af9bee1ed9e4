package io.tributary.broker.shard;

import io.tributary.common.event.Recipient;
import io.tributary.common.event.Source;
import io.tributary.common.mqtt.Message;
import io.tributary.persistence.shard.AppendCallback;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How a message is appended that may be appended again after a crash, and matched anew then: a shard that has skipped a
 * repetition must have all that the repetition brings, though other sessions may subscribe meanwhile.
 *
 * <p>A shard whose recipients fit into one record gets the last part of the source, whose repetition adds nothing, and
 * so does the topic of an application, for which there is one record. The recipients of another one are ordered by the
 * hashes of their clients and cut in a fixed number of places, and between them as records need it; the part is the
 * hash up to which a record goes. So what a crash left out is in parts that did not come. Devices that a shared
 * subscription chose are named without a source, for the repetition may choose another one, whose shard may have seen
 * later sources: they may get the message again, but are never skipped.
 */
final class RepeatableAppend {
    private static final int HASH_BITS = 30;
    private static final int BUCKET_BITS = HASH_BITS - 4;
    private static final int LAST_PART = Integer.MAX_VALUE;

    private static final Comparator<Recipient> BY_HASH = Comparator.<Recipient>comparingInt(
                    recipient -> hashOf(recipient.clientId()))
            .thenComparing(Recipient::clientId);

    private final Source source;
    private final LogAppender appender;
    private final List<Recipient> members = new ArrayList<>();
    private final List<Recipient> whole = new ArrayList<>();
    private final List<Part> parts = new ArrayList<>();

    /** One record of a shard that gets several. */
    private record Part(int part, List<Recipient> recipients) {}

    private RepeatableAppend(Source source, LogAppender appender) {
        this.source = source;
        this.appender = appender;
    }

    static RepeatableAppend of(List<Recipient> recipients, Source source, LogAppender appender) {
        RepeatableAppend append = new RepeatableAppend(source, appender);
        Map<Integer, List<Recipient>> byShard = new TreeMap<>();
        for (Recipient recipient : recipients) {
            if (recipient.kind().isApplication()) {
                append.whole.add(recipient);
            } else if (recipient.group() != null) {
                append.members.add(recipient);
            } else {
                byShard.computeIfAbsent(appender.shardOf(recipient.clientId()), _ -> new ArrayList<>())
                        .add(recipient);
            }
        }
        byShard.values().forEach(append::place);
        return append;
    }

    private void place(List<Recipient> ofShard) {
        if (appender.records(ofShard).size() == 1) {
            whole.addAll(ofShard);
            return;
        }
        ofShard.sort(BY_HASH);
        int latest = -1;
        int from = 0;
        for (int to = 1; to <= ofShard.size(); to++) {
            if (to == ofShard.size() || bucketOf(ofShard.get(to)) != bucketOf(ofShard.get(from))) {
                latest = placeBucket(ofShard.subList(from, to), latest);
                from = to;
            }
        }
    }

    /** Tells the last part that was given; those of one shard ascend also where hashes are the same. */
    private int placeBucket(List<Recipient> bucket, int before) {
        int latest = before;
        List<List<Recipient>> records = appender.records(bucket);
        for (List<Recipient> record : records.subList(0, records.size() - 1)) {
            latest = Math.max(latest + 1, hashOf(record.getLast().clientId()));
            parts.add(new Part(latest, record));
        }
        int end = ((bucketOf(bucket.getFirst()) + 1) << BUCKET_BITS) - 1;
        latest = Math.max(latest + 1, end);
        parts.add(new Part(latest, records.getLast()));
        return latest;
    }

    private static int bucketOf(Recipient recipient) {
        return hashOf(recipient.clientId()) >>> BUCKET_BITS;
    }

    /** Other bits of the hash than those that choose the shard. */
    private static int hashOf(String clientId) {
        return (clientId.hashCode() * 0x85EBCA6B) >>> (Integer.SIZE - HASH_BITS);
    }

    /** Appends all; the callback is called once. At least one recipient is needed. */
    void publish(Message message, AppendCallback callback) {
        int calls = parts.size() + (whole.isEmpty() ? 0 : 1) + (members.isEmpty() ? 0 : 1);
        AppendCallback all = LogAppender.countingDown(calls, callback);
        for (Part part : parts) {
            appender.publish(message, part.recipients(), _ -> source(part.part()), all);
        }
        if (!whole.isEmpty()) {
            appender.publish(message, whole, _ -> source(LAST_PART), all);
        }
        if (!members.isEmpty()) {
            appender.publish(message, members, _ -> null, all);
        }
    }

    private Source source(int part) {
        return new Source(source.shard(), source.offset(), part);
    }
}
