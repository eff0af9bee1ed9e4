package io.tributary.broker.shard;

import io.tributary.broker.shard.fold.SessionState;
import io.tributary.broker.shard.fold.ShardState;
import io.tributary.common.event.QueueEntry;
import io.tributary.persistence.shard.ShardStore;
import io.tributary.persistence.shard.ShardStore.ExpiredPage;
import io.tributary.persistence.shard.ShardStore.Remnant;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Takes messages that have expired out of the queues of sessions that are away, so that they do not take the place of
 * others, nor memory of the store, until the client comes back. One round through all such queues follows the other, at
 * most one a minute and a few queues at a time; a node looks at no more messages a second than
 * {@link ShardConfig#expirySweep}, of which each shard has its part. Confined to the thread of the driver.
 *
 * <p>Decided in docs/decisions/0003-owner-decides-drops.md.
 */
final class ExpirySweep {
    private static final int PAGE = 500;
    /** What a call costs besides, in messages looked at. */
    private static final int CALL = 20;

    private static final int MOST_UNDER_WAY = 8;
    private static final int TICKS_A_SECOND = 10;
    private static final long ROUND_MILLIS = 60_000;

    private final ShardState state;
    private final SessionQueues queues;
    private final QueueView view;
    private final LostMessages losses;
    private final ShardRecorder recorder;
    private final double messagesATick;

    private final Queue<Position> toLookAt = new ArrayDeque<>();
    private double allowance;
    private int underWay;
    private long nextRoundMillis;

    /** How far a round is with a queue. */
    private record Position(SessionState client, long epoch, long next) {}

    /** @param messagesASecond how many messages to look at; 0 for none */
    ExpirySweep(
            ShardState state,
            SessionQueues queues,
            QueueView view,
            LostMessages losses,
            ShardRecorder recorder,
            double messagesASecond) {
        this.state = state;
        this.queues = queues;
        this.view = view;
        this.losses = losses;
        this.recorder = recorder;
        messagesATick = messagesASecond / TICKS_A_SECOND;
    }

    /**
     * Goes on; ten times a second.
     *
     * @param clockMillis a monotonic clock
     * @param timeMillis the time by which messages expire
     */
    void tick(long clockMillis, long timeMillis) {
        if (messagesATick == 0) {
            return;
        }
        allowance = Math.min(allowance + messagesATick, Math.max(messagesATick, 1));
        if (toLookAt.isEmpty() && underWay == 0 && clockMillis >= nextRoundMillis) {
            nextRoundMillis = clockMillis + ROUND_MILLIS;
            state.clients().forEach(this::beginWith);
        }
        while (allowance > 0 && underWay < MOST_UNDER_WAY && !toLookAt.isEmpty()) {
            lookAt(toLookAt.remove(), timeMillis);
        }
    }

    private void beginWith(SessionState client) {
        if (!client.isAttached() && client.queuedMessages() > 0) {
            toLookAt.add(new Position(client, client.epoch(), 0));
        }
    }

    private void lookAt(Position at, long timeMillis) {
        SessionState client = at.client;
        if (!isAway(at) || view.isLeaving(client)) {
            return;
        }
        int most = (int) Math.min(PAGE, client.queuedMessages());
        allowance -= most + CALL;
        recorder.lookedForExpired(most);
        underWay++;
        long from = Math.max(at.next, view.firstUnseen(client, 0));
        queues.readExpired(client, from, timeMillis, most, page -> onPage(at, page));
    }

    /** Whether the client has had no connection since the round came to its queue: none can have been sent anything. */
    private boolean isAway(Position at) {
        return !queues.isOver(at.client) && !at.client.isAttached() && at.client.epoch() == at.epoch;
    }

    private void onPage(Position at, @Nullable ExpiredPage page) {
        underWay--;
        if (page != null && isAway(at)) {
            List<Remnant> expired = page.expired().stream()
                    .filter(one -> one.sequence() >= view.firstUnseen(at.client, one.priority()))
                    .toList();
            if (!expired.isEmpty() && recorder.countsDeadlines()) {
                readTopics(at, expired, expired.getFirst().sequence());
            } else if (!expired.isEmpty()) {
                losses.lost(at.client, expired);
            }
            if (page.more()) {
                toLookAt.add(new Position(at.client, at.epoch, page.upTo() + 1));
            }
        }
    }

    /**
     * The store tells what has expired without the topics, by which missed deadlines are counted: the messages are
     * read. What is not among these any more has left the queue meanwhile, or is found without a message.
     */
    private void readTopics(Position at, List<Remnant> expired, long from) {
        underWay++;
        queues.read(at.client, from, PAGE, page -> {
            underWay--;
            if (page == null || !isAway(at)) {
                return;
            }
            Map<Long, String> topics = new HashMap<>();
            page.entries().forEach(entry -> addTopic(topics, entry));
            List<Remnant> there = expired.stream()
                    .filter(one -> topics.containsKey(one.sequence()))
                    .toList();
            losses.lost(at.client, there, topics);
            if (page.next() <= expired.getLast().sequence()) {
                readTopics(at, expired, page.next());
            }
        });
    }

    private static void addTopic(Map<Long, String> topics, ShardStore.Entry entry) {
        if (entry.entry() instanceof QueueEntry.Queued queued) {
            topics.put(entry.sequence(), queued.message().topic());
        }
    }
}
