package io.tributary.persistence.shard;

import io.tributary.cluster.redis.RedisCluster;
import io.tributary.cluster.redis.RedisConfig;
import io.tributary.cluster.redis.RedisRecorder;
import io.tributary.cluster.redis.RedisShardStore;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.localcluster.LocalRedis;
import io.tributary.perf.jmh.Messages;
import io.tributary.perf.jmh.Scratch;
import io.tributary.persistence.shard.SavePoint.SequenceKey;
import io.tributary.persistence.shard.SavePoint.SequencedEntry;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * What queued messages cost Redis, in memory and processor time: the figures of
 * docs/decisions/0005-messages-apart-from-queues.md and docs/redis-layout.md. Fills one shard with save points as an
 * owner makes them, reads all queues page by page, and removes everything, on a Redis Cluster of three servers that is
 * started for it and emptied for each line.
 *
 * <pre>
 * RedisLayoutFigures PERSISTENCE SIZES INLINE_SIZE...
 * RedisLayoutFigures none 62,1024 1g 0         all messages in the queues, then all apart
 * </pre>
 */
final class RedisLayoutFigures {
    private static final int SERVERS = 3;
    private static final int MOST_ENTRIES = 20_000;
    private static final long MOST_BYTES = 100L << 20;
    private static final int SAVE_POINT_ENTRIES = 2000;
    private static final long SAVE_POINT_BYTES = 1 << 20;
    private static final int CLIENTS = 500;
    private static final long OWNER = 1;

    private final LocalRedis servers;
    private final int payloadBytes;
    private final int recipients;
    private final int inlineBytes;
    private final PrintStream out;
    private final Random random = new Random(1);
    private long applied = -1;

    private RedisLayoutFigures(LocalRedis servers, int payloadBytes, int recipients, int inlineBytes, PrintStream out) {
        this.servers = servers;
        this.payloadBytes = payloadBytes;
        this.recipients = recipients;
        this.inlineBytes = inlineBytes;
        this.out = out;
    }

    /** Prints a line for each size, number of recipients and inline size. */
    public static void main(String[] arguments) {
        PrintStream out = System.out;
        out.println("| payload | recipients | in the queue below | memory a message and recipient, B | filling, us |"
                + " reading, us | removing, us | log, B | copied by snapshot, MB |");
        out.println("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
        try (Scratch scratch = new Scratch();
                LocalRedis servers = start(scratch, arguments[0])) {
            for (String size : arguments[1].split(",", -1)) {
                for (int recipients : new int[] {1, 100}) {
                    for (String inline : Arrays.asList(arguments).subList(2, arguments.length)) {
                        int inlineBytes =
                                inline.equals("1g") ? RedisConfig.MOST_INLINE_BYTES : Integer.parseInt(inline);
                        new RedisLayoutFigures(servers, Integer.parseInt(size), recipients, inlineBytes, out).run();
                    }
                }
            }
        }
    }

    private static LocalRedis start(Scratch scratch, String persistence) {
        LocalRedis.Builder servers = LocalRedis.in(scratch.directory()).appendOnly(persistence.equals("aof"));
        return (persistence.equals("rdb") ? servers.save("5 1") : servers).start();
    }

    private void run() {
        for (int i = 1; i <= SERVERS; i++) {
            servers.call(i, "FLUSHALL", "SYNC");
        }
        try (RedisCluster cluster = RedisCluster.connect(RedisConfig.of(servers.ports().stream()
                                .map(port -> new RedisConfig.Node("127.0.0.1", port))
                                .toList())
                        .withInlineBytes(inlineBytes)
                        .withCommandTimeout(Duration.ofMinutes(1)));
                ShardStore store = new RedisShardStore(cluster, 1, RecordFormat.alone(), RedisRecorder.NONE)) {
            measure(store);
        }
    }

    private void measure(ShardStore store) {
        join(store.claim(0, new ShardStore.Claimant(OWNER)));
        List<List<SequencedEntry>> records = records();
        int entries = records.size() * recipients;
        double memory = sum("memory", "used_memory");
        double logBefore = sum("persistence", "aof_current_size");
        double begun = cpuMicros();
        savePoints(records).forEach(part -> join(store.save(0, savePoint(part, List.of()))));
        double filled = cpuMicros();
        double taken = sum("memory", "used_memory") - memory;
        double log = sum("persistence", "aof_current_size") - logBefore;
        double copied = sum("persistence", "rdb_last_cow_size");
        double beforeReading = cpuMicros();
        int read = read(store, records);
        if (read != entries) {
            throw new IllegalStateException(read + " of " + entries + " messages were read");
        }
        double readUntil = cpuMicros();
        savePoints(records).forEach(part -> join(store.save(0, savePoint(List.of(), keys(part)))));
        double removed = cpuMicros();
        out.printf(
                Locale.ROOT,
                "| %d | %d | %d | %.0f | %.2f | %.2f | %.2f | %.0f | %.0f |%n",
                payloadBytes,
                recipients,
                inlineBytes,
                taken / entries,
                (filled - begun) / entries,
                (readUntil - beforeReading) / entries,
                (removed - readUntil) / entries,
                log / entries,
                copied / (1 << 20));
    }

    /** Of each record the queue entries of its recipients; sessions get a message each in turn. */
    private List<List<SequencedEntry>> records() {
        long entryBytes = payloadBytes + 100L;
        int count = (int) Math.max(2, Math.min(MOST_ENTRIES, MOST_BYTES / entryBytes) / recipients);
        int clients = Math.max(recipients, Math.min(CLIENTS, count));
        List<List<SequencedEntry>> records = new ArrayList<>(count);
        int next = 0;
        for (int i = 0; i < count; i++) {
            Queued entry = new Queued(message(), QoS.AT_LEAST_ONCE, false, List.of(), null);
            List<SequencedEntry> record = new ArrayList<>(recipients);
            for (int j = 0; j < recipients; j++, next++) {
                record.add(new SequencedEntry(Messages.client(next % clients), 1 + next / clients, entry));
            }
            records.add(record);
        }
        return records;
    }

    private Message message() {
        byte[] payload = new byte[payloadBytes];
        random.nextBytes(payload);
        Message sample = Messages.message(0);
        return new Message(
                sample.topic(),
                payload,
                QoS.AT_LEAST_ONCE,
                false,
                PublishProperties.NONE,
                Message.NEVER,
                sample.publisher());
    }

    /** Cut where an owner would cut them: no record is in two. */
    private static List<List<SequencedEntry>> savePoints(List<List<SequencedEntry>> records) {
        List<List<SequencedEntry>> parts = new ArrayList<>();
        List<SequencedEntry> part = new ArrayList<>();
        long bytes = 0;
        for (List<SequencedEntry> record : records) {
            part.addAll(record);
            bytes += record.stream().mapToLong(one -> one.entry().sizeBytes()).sum();
            if (part.size() >= SAVE_POINT_ENTRIES || bytes >= SAVE_POINT_BYTES) {
                parts.add(part);
                part = new ArrayList<>();
                bytes = 0;
            }
        }
        parts.add(part);
        return parts;
    }

    private static List<SequenceKey> keys(List<SequencedEntry> entries) {
        return entries.stream()
                .map(one -> new SequenceKey(one.clientId(), one.sequence()))
                .toList();
    }

    private SavePoint savePoint(List<SequencedEntry> queued, List<SequenceKey> removed) {
        long expected = applied++;
        return new SavePoint(
                OWNER, expected, applied, -1, OWNER, -1, List.of(), List.of(), List.of(), removed, queued, List.of(),
                List.of());
    }

    private static int read(ShardStore store, List<List<SequencedEntry>> records) {
        int read = 0;
        List<String> clients = records.stream()
                .flatMap(List::stream)
                .map(SequencedEntry::clientId)
                .distinct()
                .toList();
        for (String client : clients) {
            ShardStore.QueuePage page;
            long from = 1;
            do {
                page = join(store.readQueue(0, client, from, 500, 256 << 10));
                read += page.entries().size();
                from = page.upTo() + 1;
            } while (page.more());
        }
        return read;
    }

    /** Of the servers and of what they start to write snapshots. */
    private double cpuMicros() {
        return 1e6
                * (sum("cpu", "used_cpu_user")
                        + sum("cpu", "used_cpu_sys")
                        + sum("cpu", "used_cpu_user_children")
                        + sum("cpu", "used_cpu_sys_children"));
    }

    private double sum(String section, String field) {
        double sum = 0;
        for (int i = 1; i <= SERVERS; i++) {
            sum += servers.call(i, "INFO", section)
                    .lines()
                    .filter(line -> line.startsWith(field + ":"))
                    .mapToDouble(line -> Double.parseDouble(line.substring(field.length() + 1)))
                    .sum();
        }
        return sum;
    }

    private static <T extends @Nullable Object> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }
}
