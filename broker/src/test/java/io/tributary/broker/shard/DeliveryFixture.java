package io.tributary.broker.shard;

import io.tributary.broker.delivery.MessageRouting;
import io.tributary.broker.shard.fold.NoEffects;
import io.tributary.broker.shard.fold.Samples;
import io.tributary.broker.shard.fold.SessionState;
import io.tributary.broker.shard.fold.ShardState;
import io.tributary.common.event.Destinations;
import io.tributary.common.event.Principal;
import io.tributary.common.event.QueueEntry;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.event.ShardEvent.Redistribution;
import io.tributary.common.event.ShardEvent.Settled;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.thread.RoomQueue;
import io.tributary.persistence.app.AppTopics;
import io.tributary.persistence.shard.ShardLog;
import io.tributary.persistence.shard.ShardStore;
import io.tributary.persistence.shard.ShardStore.Claim;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The delivering half of an owner around a state: what a driver does with queues, without log, claim and threads. Save
 * points and the log's turns are made by hand. The epoch of the owner is 0.
 */
final class DeliveryFixture extends NoEffects implements MessageRouting {
    static final long OWNER = 0;

    final HeldStore store = new HeldStore();
    final TopicStats topicStats = new TopicStats();
    final InstantTopics topics = new InstantTopics();
    final RecordingTarget target = new RecordingTarget();
    final List<String> dropped = new ArrayList<>();
    /** Whose connections are to be closed, because nobody can tell them again what they have in flight. */
    final List<String> disowned = new ArrayList<>();

    /** Whether connections that get a session are not served: they wait for their topic. */
    boolean answersLater;

    final List<Redistribution> redistributions = new ArrayList<>();
    private final Queue<Runnable> onDurable = new ArrayDeque<>();
    boolean logsAtOnce = true;
    final TenantShares shares = new TenantShares();
    final ShardState state = new ShardState(this, new Claim(ShardStore.NOTHING_APPLIED, -1, List.of()), shares::of);
    final SessionQueues queues = new SessionQueues(0, state, store, Runnable::run);
    final DeliveryMemory memory;
    private final DeliveryMemory.Part others;
    final Deliveries deliveries;
    final LostMessages losses;
    final Backlogs backlogs;
    final QueueTrimmer trimmer;
    final Redistributor redistributor;
    long nowMillis = 1_000_000;
    /** Who is chosen when a member leaves; null while nobody else is online. */
    @Nullable
    Recipient otherMember;

    /** After how many choices of a member each one fails. */
    int choicesUntilFailure = Integer.MAX_VALUE;

    private final ShardConfig config;
    private long offset;

    DeliveryFixture(ShardConfig config) {
        this(config, ShardLog.ROOM_BYTES);
    }

    private DeliveryFixture(ShardConfig config, int roomBytes) {
        this.config = config;
        memory = new DeliveryMemory(config.deliveryBytes());
        others = memory.part();
        deliveries = new Deliveries(
                config,
                queues,
                _ -> target,
                this::reading,
                Runnable::run,
                () -> nowMillis,
                new ShardRecorder() {
                    @Override
                    public void dropped(Drop reason) {
                        dropped.add(reason.name());
                    }
                },
                roomBytes,
                memory.part(),
                _ -> false);
        losses = new LostMessages(deliveries, () -> nowMillis);
        queues.tellLosses(losses);
        backlogs = new Backlogs(config.queue(), queues, deliveries.view);
        redistributor = new Redistributor(
                queues,
                deliveries,
                this,
                Runnable::run,
                () -> nowMillis,
                OWNER,
                (record, durable) -> {
                    redistributions.add((Redistribution) record);
                    onDurable.add(durable);
                    if (logsAtOnce) {
                        makeDurable();
                    }
                },
                roomBytes);
        trimmer = new QueueTrimmer(config.queue(), queues, deliveries, backlogs, redistributor);
        fold(new ShardEvent.Owner(Samples.NODE));
    }

    /** Another shard takes so much that nothing is kept for sessions that are behind. */
    void keepNothing() {
        others.take(config.deliveryBytes() / 8 * 7);
    }

    /** Another shard takes all. */
    void takeAll() {
        others.take(config.deliveryBytes());
    }

    /** It gives that back. */
    void keepAgain() {
        others.end();
    }

    /** With windows and queues of so many messages. */
    static DeliveryFixture of(int windowMessages, int queueMessages, QueueLimits.Overflow overflow) {
        return new DeliveryFixture(config(windowMessages, new QueueLimits(queueMessages, 1 << 20, overflow)));
    }

    /** With so many bytes in a record besides a packet. */
    static DeliveryFixture withRoom(int roomBytes) {
        return new DeliveryFixture(
                config(8, new QueueLimits(100, 1 << 20, QueueLimits.Overflow.DROP_OLDEST)), roomBytes);
    }

    static ShardConfig config(int windowMessages, QueueLimits limits) {
        return ShardConfig.builder()
                .threads(1)
                .savePointMessages(10)
                .savePointSize(1024)
                .unsavedSize(5 * 1024)
                .windowMessages(windowMessages)
                .windowSize(1024)
                .build()
                .with(limits, CatchUpPace.NONE);
    }

    private TopicReading reading(SessionState client) {
        return new TopicReading(
                client,
                Objects.requireNonNull(client.topic()),
                topicStats.of(client),
                topics,
                Runnable::run,
                config.catchUp(),
                () -> nowMillis,
                () -> nowMillis,
                ShardRecorder.NONE,
                _ -> {});
    }

    /** The topic of an application. */
    static AppTopics.AppTopic topicOf(SessionState client) {
        return AppTopics.AppTopic.of(client.clientId(), client.kind());
    }

    SessionState client(String clientId) {
        return Objects.requireNonNull(state.client(clientId));
    }

    /** Folds events as one turn; returns the offset of the last one. */
    long fold(ShardEvent... events) {
        for (ShardEvent event : events) {
            state.apply(offset++, nowMillis, event);
            if (event instanceof Settled settled) {
                deliveries.logged(settled);
            } else if (event instanceof Redistribution moved) {
                deliveries.logged(moved);
            }
        }
        deliveries.flush();
        return offset - 1;
    }

    /** Queues a message each for a client. */
    void publish(String clientId, String... texts) {
        for (String text : texts) {
            fold(Samples.publish(
                    text, Samples.recipient(clientId, client(clientId).session())));
        }
    }

    /** Queues a message of each of these priorities for a client. */
    void publishOf(String clientId, int... priorities) {
        publishOf(clientId, QoS.AT_LEAST_ONCE, priorities);
    }

    /** The same at a quality of service. */
    void publishOf(String clientId, QoS qos, int... priorities) {
        for (int priority : priorities) {
            Recipient to = new Recipient(clientId, client(clientId).session(), qos, false, List.of(), null);
            fold(new ShardEvent.Publish(Samples.message("x").withPriority(priority), List.of(to), null));
        }
    }

    /** Has the client acknowledge messages to the end. */
    void settle(String clientId, long... sequences) {
        settle(client(clientId).epoch(), clientId, sequences);
    }

    /** A connection's node tells what the client has acknowledged there. */
    void settle(long epoch, String clientId, long... sequences) {
        deliveries.settle(clientId, epoch, sequences);
        redistributor.settled(epoch, sequences);
        deliveries.flush();
    }

    /** The node of a connection that is gone has told all of its acknowledgements. */
    void allSettled(String clientId, long epoch) {
        deliveries.allSettled(clientId, epoch);
        redistributor.allSettled(epoch);
        deliveries.flush();
    }

    /** Has the client acknowledge messages with PUBREC. */
    void receive(String clientId, long... sequences) {
        deliveries.received(clientId, client(clientId).epoch(), sequences);
        deliveries.flush();
    }

    /** Logs what was settled, and folds it. */
    void log() {
        deliveries.takeSettled(OWNER).forEach(this::fold);
    }

    /** What was handed over until now is in the log. */
    void makeDurable() {
        while (!onDurable.isEmpty()) {
            onDurable.remove().run();
        }
    }

    /** Moves everything to the store. */
    void save() {
        beginSave();
        store.answerAll();
        queues.saved();
    }

    /** Everything is on its way to the store. */
    void beginSave() {
        queues.saving();
        store.save(0, state.takeSavePoint(OWNER, store.content.applied));
    }

    @Override
    public void attached(SessionState client, @Nullable Before before) {
        redistributor.returned(client);
        if (answersLater) {
            return;
        }
        deliveries.attached(
                client,
                client.topic() == null
                        ? client.lastSequence()
                        : client.topic().base()
                                + topics.records(topicOf(client)).size());
    }

    @Override
    public void detached(SessionState client) {
        deliveries.detached(client, () -> {
            if (client.isPersistent()) {
                redistributor.left(client);
            }
        });
    }

    @Override
    public void inherited(SessionState successor, SessionState before) {
        Inheritance left = deliveries.inheritanceOf(before);
        sessionEnded(before);
        redistributor.inherited(successor, before, left);
    }

    @Override
    public void sessionEnded(SessionState client) {
        deliveries.ended(client);
        redistributor.returned(client);
    }

    @Override
    public void queued(SessionState client, long sequence, QueueEntry.Queued entry) {
        backlogs.queued(client, entry.message().sizeBytes());
        if (trimmer.admit(client, sequence, entry)) {
            deliveries.queued(client, sequence, entry);
            if (entry.group() != null && !client.isAttached()) {
                redistributor.queued(client, entry.group());
            }
        }
    }

    @Override
    public void topicFound(SessionState client) {
        if (!deliveries.topicFound(client)) {
            disowned.add(client.clientId());
        }
    }

    @Override
    public void receivedLogged(SessionState client, long[] sequences) {
        deliveries.receivedLogged(client, sequences);
    }

    @Override
    public Destinations match(Message message, @Nullable Principal principal, Runnable stored) {
        return Destinations.NONE;
    }

    @Override
    public @Nullable RoomQueue congestion() {
        return null;
    }

    @Override
    public Destinations matchAgain(Message message) {
        return Destinations.NONE;
    }

    @Override
    public Destinations matchGroup(Message message, Recipient leaving, boolean mayWait) {
        if (choicesUntilFailure-- <= 0) {
            throw new AssertionError("an authorizer's");
        }
        return otherMember == null ? Destinations.NONE : Samples.recipients(otherMember);
    }

    @Override
    public boolean hasOnlineMember(String group) {
        return otherMember != null;
    }

    @Override
    public void deliverTransient(Message message, Destinations destinations, Runnable taken) {}
}
