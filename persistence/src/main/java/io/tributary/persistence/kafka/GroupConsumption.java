package io.tributary.persistence.kafka;

import io.tributary.common.mqtt.Message;
import io.tributary.persistence.app.GroupRecorder;
import io.tributary.persistence.app.GroupTopics.Consumer;
import io.tributary.persistence.app.GroupTopics.Consumption;
import io.tributary.persistence.app.GroupTopics.GroupMessage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a node takes of one group: by one {@link ShareTaker}, and by more when messages are wanted while all takers have
 * some that members are slow with. The consumer is called on the takers' threads, by one at a time.
 *
 * <p>What was acquired beyond the request waits here, at most a batch for each taker.
 */
final class GroupConsumption implements Consumption {
    private static final Logger LOG = LoggerFactory.getLogger(GroupConsumption.class);

    private static final int BATCH_RECORDS = 256;

    private final KafkaConfig config;
    private final KafkaGroupConfig groups;
    private final String clientId;
    private final String topic;
    private final Consumer consumer;
    private final GroupRecorder recorder;
    private final BiConsumer<HeldMessage, Runnable> burial;
    private final Runnable onClosed;

    /** Held while the consumer is called. */
    private final Object handing = new Object();

    // Guarded by this.
    private final ArrayDeque<HeldMessage> waiting = new ArrayDeque<>();
    private final Map<Long, HeldMessage> handedOut = new HashMap<>();
    private final List<ShareTaker> takers = new ArrayList<>();
    private long wanted;
    private long lastId;
    private int lastTaker;
    private boolean closed;

    /**
     * Begins to take messages.
     *
     * @param burial brings a message to the dead letters, and runs the action when it is there
     * @param onClosed run once, when it is closed
     */
    GroupConsumption(
            KafkaConfig config,
            KafkaGroupConfig groups,
            String clientId,
            String topic,
            Consumer consumer,
            GroupRecorder recorder,
            BiConsumer<HeldMessage, Runnable> burial,
            Runnable onClosed) {
        this.config = config;
        this.groups = groups;
        this.clientId = clientId;
        this.topic = topic;
        this.consumer = consumer;
        this.recorder = recorder;
        this.burial = burial;
        this.onClosed = onClosed;
        startTaker();
    }

    @Override
    public void request(int messages) {
        List<ShareTaker> all;
        synchronized (this) {
            wanted += messages;
            all = List.copyOf(takers);
        }
        all.forEach(ShareTaker::nudge);
    }

    @Override
    public void accept(GroupMessage message) {
        HeldMessage held = answered(message);
        if (held != null) {
            held.taker().answer(held, AcknowledgeType.ACCEPT);
        }
    }

    @Override
    public void release(GroupMessage message) {
        HeldMessage held = answered(message);
        if (held == null) {
            return;
        }
        recorder.onReleased(1);
        if (held.deliveries() >= groups.deliveryLimit()) {
            bury(held);
        } else {
            held.taker().answer(held, AcknowledgeType.RELEASE);
        }
    }

    @Override
    public void reject(GroupMessage message) {
        HeldMessage held = answered(message);
        if (held != null) {
            bury(held);
        }
    }

    @Override
    public void close() {
        List<ShareTaker> all;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            all = List.copyOf(takers);
        }
        all.forEach(ShareTaker::close);
        onClosed.run();
    }

    /** Waits until all is released, in bounded time. */
    void awaitEnd() throws InterruptedException {
        List<ShareTaker> all;
        synchronized (this) {
            all = List.copyOf(takers);
        }
        for (ShareTaker each : all) {
            each.awaitEnd();
        }
    }

    /** Whether all is released. */
    synchronized boolean hasEnded() {
        return closed && takers.isEmpty();
    }

    /** Whether more is wanted than is there. A taker's thread. */
    synchronized boolean wantsMore() {
        return !closed && wanted > waiting.size();
    }

    /** Whether the taker is to go on: the first one is, others as long as they have something to do. A taker's thread. */
    synchronized boolean needs(ShareTaker taker) {
        return !closed && (taker.isBusy() || takers.getFirst() == taker || wanted > waiting.size());
    }

    /** A taker has acquired messages. Its thread. */
    void offer(List<HeldMessage> messages) {
        List<HeldMessage> hopeless = new ArrayList<>();
        synchronized (this) {
            for (HeldMessage each : messages) {
                if (each.message() == null || each.deliveries() > groups.deliveryLimit()) {
                    hopeless.add(each);
                } else {
                    waiting.add(each);
                }
            }
        }
        hopeless.forEach(this::bury);
    }

    /** Gives the consumer what it wants and what is there. A taker's thread. */
    void handOut() {
        synchronized (handing) {
            for (List<GroupMessage> next = next(); !next.isEmpty(); next = next()) {
                recorder.onMessages(next.size());
                try {
                    consumer.onMessages(next);
                } catch (RuntimeException e) {
                    LOG.error("the consumer of {} failed", topic, e);
                }
            }
        }
    }

    /** A taker could take more only if something were answered: lets another one do so, if there may be one. */
    synchronized void slow() {
        boolean starving = !closed && wanted > 0 && waiting.isEmpty();
        if (starving
                && takers.size() < groups.consumersPerGroup()
                && takers.stream().allMatch(ShareTaker::isBusy)) {
            LOG.debug("members are slow with messages of {}: another consumer is started", topic);
            startTaker();
        }
    }

    /** Whether the consumer has had the message, and not answered it. */
    synchronized boolean wasHandedOut(HeldMessage message) {
        return handedOut.containsValue(message);
    }

    /** The message is the servers' again. */
    synchronized void lost(HeldMessage message) {
        handedOut.values().remove(message);
        waiting.remove(message);
    }

    /** Something went wrong that is tried again. */
    void failed() {
        recorder.onError();
    }

    /** A taker has released all it had. */
    synchronized void ended(ShareTaker taker) {
        takers.remove(taker);
    }

    private synchronized void startTaker() {
        lastTaker++;
        ShareTaker taker =
                new ShareTaker(config, clientId + "-" + topic + "-" + lastTaker, topic, groups.pollRecords(), this);
        takers.add(taker);
        taker.start();
    }

    private synchronized List<GroupMessage> next() {
        List<GroupMessage> messages = new ArrayList<>();
        while (!closed && wanted > 0 && !waiting.isEmpty() && messages.size() < BATCH_RECORDS) {
            HeldMessage held = waiting.remove();
            Message message = held.message();
            if (message != null) {
                wanted--;
                lastId++;
                handedOut.put(lastId, held);
                messages.add(new GroupMessage(
                        lastId, held.deliveries(), held.record().timestamp(), message));
            }
        }
        return messages;
    }

    private synchronized @Nullable HeldMessage answered(GroupMessage message) {
        return closed ? null : handedOut.remove(message.id());
    }

    private void bury(HeldMessage message) {
        burial.accept(message, () -> message.taker().answer(message, AcknowledgeType.REJECT));
    }
}
