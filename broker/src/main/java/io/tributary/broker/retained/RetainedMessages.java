package io.tributary.broker.retained;

import io.tributary.broker.retained.RetainedTopic.Answer;
import io.tributary.broker.tenant.TenantRecorder;
import io.tributary.broker.tenant.TenantUse;
import io.tributary.broker.tenant.Tenants;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.StateCodec;
import io.tributary.common.event.TenantNames;
import io.tributary.common.event.UnreadableRecordException;
import io.tributary.common.mqtt.Message;
import io.tributary.common.time.LineAMinute;
import io.tributary.common.topic.TopicFilter;
import io.tributary.persistence.replicated.ReplicatedMap;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The retained messages of all topics, in memory and in a replicated map. Any thread; never blocks.
 *
 * <p>A message shows here as soon as it is given to {@link #store}, and on all nodes when the stage completes. A flood
 * on one topic is bounded: while a write is under way only the newest message after it is kept, and all that it
 * replaced are done when it is. Messages and bytes are limited over all topics ({@link RetainedLimits}),
 * and over those of a tenant.
 */
public final class RetainedMessages {
    private static final Logger LOG = LoggerFactory.getLogger(RetainedMessages.class);
    private static final CompletionStage<Boolean> DONE = CompletableFuture.completedStage(true);
    private static final CompletionStage<Boolean> NO_ROOM = CompletableFuture.completedStage(false);

    /** How many topics one call looks at: a fraction of a millisecond to a few. */
    private static final int TOPICS_A_PAGE = 2_000;

    private static final int TOPICS_A_SWEEP = 10_000;

    private final ReplicatedMap map;
    private final InstantSource clock;
    private final RecordFormat format;
    private final RetainedBudgets budgets;
    private final LineAMinute unstored = new LineAMinute(System::nanoTime);
    private final ConcurrentNavigableMap<String, RetainedTopic> topics = new ConcurrentSkipListMap<>();
    private volatile @Nullable UnreadableRecordException unreadable;
    private String sweptUpTo = ""; // guarded by this
    private volatile boolean isRemoving;

    /**
     * Creates them; there are none before {@link #start}.
     *
     * @param map keeps the messages by topic; has no other follower
     * @param format in which records are written; is told of those that this version is too old to read
     */
    public RetainedMessages(ReplicatedMap map, RetainedLimits limits, InstantSource clock, RecordFormat format) {
        this(map, limits, clock, format, new Tenants(TenantRecorder.NONE));
    }

    /**
     * The same.
     *
     * @param tenants have limits of their own
     */
    public RetainedMessages(
            ReplicatedMap map, RetainedLimits limits, InstantSource clock, RecordFormat format, Tenants tenants) {
        this.map = map;
        this.format = format;
        this.clock = clock;
        this.budgets = new RetainedBudgets(limits, tenants);
    }

    /** Loads the stored messages. The stage fails when one of them cannot be read. */
    public CompletionStage<@Nullable Void> start() {
        return map.follow(this::onChange).thenCompose(loaded -> {
            UnreadableRecordException failure = unreadable;
            return failure == null ? CompletableFuture.completedStage(null) : CompletableFuture.failedStage(failure);
        });
    }

    /**
     * Keeps a message as its topic's retained one, or removes that when the payload is empty [MQTT-3.3.1-5,
     * MQTT-3.3.1-6]. The stage completes with true when it, or a newer one in its place, is durable; with false when a
     * limit refuses it; exceptionally when the map does.
     */
    public CompletionStage<Boolean> store(Message message) {
        Message wanted = message.payload().length == 0 ? null : message;
        Answer answer;
        RetainedTopic topic;
        do {
            topic = topic(message.topic());
            answer = topic.put(wanted);
            discardIfRetired(topic);
        } while (answer == Answer.Without.RETIRED);
        return carryOut(topic, answer);
    }

    /**
     * Shows a message as its topic's retained one until the node stops, or until a message with an empty payload takes
     * it away. It is not stored, and neither limits nor counts include it. Used for the broker's {@code $SYS} topics.
     */
    public void putVolatile(Message message) {
        Message shown = message.payload().length == 0 ? null : message;
        boolean taken;
        do {
            RetainedTopic topic = topic(message.topic());
            taken = topic.showVolatile(shown);
            discardIfRetired(topic);
        } while (!taken);
    }

    /**
     * The retained messages that match, a page at a time, in the order of their topics; expired ones are left out.
     * Looks for as long as it takes to find one: {@link #page} does not.
     *
     * @param afterTopic the last topic of the page before, or null for the first
     * @param max the most messages of a page; an empty page is the end
     */
    public List<Message> match(TopicFilter filter, @Nullable String afterTopic, int max) {
        Page page = page(filter, afterTopic, max);
        while (page.messages().isEmpty() && page.next() != null) {
            page = page(filter, page.next(), max);
        }
        return page.messages();
    }

    /**
     * The retained messages that match, a page at a time, in the order of their topics; expired ones are left out. A
     * page takes a bounded time and may be empty although it is not the last.
     *
     * @param after the previous page's {@code next}, or null for the first page
     * @param max the most messages of a page
     */
    public Page page(TopicFilter filter, @Nullable String after, int max) {
        return page(filter, after, max, Long.MAX_VALUE);
    }

    /**
     * The same, and a page also ends when its messages take so many bytes of memory, or more: a page that is kept for
     * long keeps messages that others have replaced.
     */
    public Page page(TopicFilter filter, @Nullable String after, int max, long maxBytes) {
        FilterScan scan = new FilterScan(filter);
        List<Message> found = new ArrayList<>();
        long bytes = 0;
        long now = clock.millis();
        Map.Entry<String, RetainedTopic> entry =
                after == null ? topics.ceilingEntry(scan.first()) : topics.higherEntry(after);
        for (int looked = 0; entry != null; looked++) {
            String topic = entry.getKey();
            String next = scan.next(topic);
            if (topic.equals(next)) {
                bytes += addTo(found, entry.getValue().message(), now);
                if (!filter.hasWildcard()) {
                    break;
                }
            } else if (next == null) {
                break;
            }
            if (found.size() >= max || bytes >= maxBytes || looked >= TOPICS_A_PAGE) {
                return new Page(found, topic);
            }
            entry = topic.equals(next) ? topics.higherEntry(topic) : topics.ceilingEntry(next);
        }
        return new Page(found, null);
    }

    /** Whether the message is still its topic's retained one: neither another took its place, nor was it removed. */
    public boolean isCurrent(Message message) {
        return message.equals(current(message.topic()));
    }

    /** The retained message of a topic, or null; it may have expired. */
    public @Nullable Message current(String name) {
        RetainedTopic topic = topics.get(name);
        return topic == null ? null : topic.message();
    }

    /**
     * Removes expired messages, looking at a bounded number of topics; the next call goes on from there, and begins
     * again at the end. To be called now and then. Each goes when this node has seen all that the map has now: a
     * removal would take another node's newer message with it.
     *
     * @return how many it found
     */
    public synchronized int expire(long nowMillis) {
        if (isRemoving) {
            return 0;
        }
        List<RetainedTopic> expired = nextExpired(nowMillis);
        if (!expired.isEmpty()) {
            isRemoving = true;
            CompletionStage<?> _ = map.caughtUp().whenComplete((_, failure) -> {
                isRemoving = false;
                if (failure == null) {
                    expired.forEach(topic -> carryOut(topic, topic.removeIfExpiredAt(nowMillis)));
                }
            });
        }
        return expired.size();
    }

    private List<RetainedTopic> nextExpired(long nowMillis) {
        List<RetainedTopic> expired = new ArrayList<>();
        int looked = 0;
        for (RetainedTopic topic : topics.tailMap(sweptUpTo, false).values()) {
            sweptUpTo = topic.name();
            Message message = topic.message();
            if (message != null && message.isExpiredAt(nowMillis)) {
                expired.add(topic);
            }
            if (++looked == TOPICS_A_SWEEP) {
                return expired;
            }
        }
        sweptUpTo = "";
        return expired;
    }

    /** How many retained messages there are, without those of {@link #putVolatile}. */
    public long count() {
        return budgets.whole().messages();
    }

    /** How many bytes they take, as the limit counts them. */
    public long bytes() {
        return budgets.whole().bytes();
    }

    /** What each tenant retains that retains something. */
    public Map<String, TenantUse> byTenant() {
        return budgets.byTenant();
    }

    private CompletionStage<Boolean> carryOut(RetainedTopic topic, Answer answer) {
        return switch (answer) {
            case Answer.Without without -> without == Answer.Without.REFUSED ? NO_ROOM : DONE;
            case Answer.Queued(CompletionStage<Boolean> done) -> done;
            case Answer.Start(RetainedTopic.Write write, CompletionStage<Boolean> done) -> {
                start(topic, write);
                yield done;
            }
        };
    }

    private void start(RetainedTopic topic, RetainedTopic.Write write) {
        Message message = write.message;
        CompletionStage<@Nullable Void> stage = message == null
                ? map.remove(topic.name())
                : map.put(topic.name(), StateCodec.encodeMessage(message, null, format.toWrite()));
        stage.whenComplete((nothing, failure) -> finish(topic, write, failure));
    }

    private void finish(RetainedTopic topic, RetainedTopic.Write write, @Nullable Throwable failure) {
        RetainedTopic.Write following = topic.written();
        discardIfRetired(topic);
        if (failure == null) {
            write.succeed();
        } else {
            sayUnstored(topic, failure);
            write.fail(failure);
        }
        if (following != null) {
            start(topic, following);
        }
    }

    private void sayUnstored(RetainedTopic topic, Throwable failure) {
        String others = unstored.happened();
        if (others != null) {
            LOG.error(
                    "the retained message of {} is not stored: {}{}",
                    TenantNames.display(topic.name()),
                    failure.toString(),
                    others);
        }
    }

    private void onChange(String topic, byte @Nullable [] value) {
        try {
            show(topic, value == null ? null : StateCodec.decodeMessage(value).message());
            format.replaced(named(topic));
        } catch (UnreadableRecordException e) {
            LOG.error("the retained message of {} cannot be read", TenantNames.display(topic), e);
            unreadable = e;
            if (e.isNewer()) {
                format.tooNew(named(topic));
            }
        }
    }

    private static String named(String topic) {
        return "retained message of " + topic;
    }

    private void show(String name, @Nullable Message message) {
        RetainedTopic topic;
        do {
            topic = topic(name);
        } while (!followed(topic, message));
    }

    private boolean followed(RetainedTopic topic, @Nullable Message message) {
        boolean taken = topic.followed(message);
        discardIfRetired(topic);
        return taken;
    }

    private RetainedTopic topic(String name) {
        RetainedTopic known = topics.get(name);
        if (known != null) {
            return known;
        }
        RetainedTopic made = new RetainedTopic(name, budgets.hold(name));
        RetainedTopic other = topics.putIfAbsent(name, made);
        if (other == null) {
            return made;
        }
        budgets.release(name);
        return other;
    }

    private void discardIfRetired(RetainedTopic topic) {
        if (topic.isRetired() && topics.remove(topic.name(), topic)) {
            budgets.release(topic.name());
        }
    }

    /** Gives how many bytes were added. */
    private static long addTo(List<Message> found, @Nullable Message message, long nowMillis) {
        if (message == null || message.isExpiredAt(nowMillis)) {
            return 0;
        }
        found.add(message);
        return message.memoryBytes();
    }

    /**
     * Some of the retained messages that match a filter.
     *
     * @param next the argument for the next page, or null when this was the last
     */
    public record Page(List<Message> messages, @Nullable String next) {}
}
