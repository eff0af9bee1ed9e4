package io.tributary.broker.shard;

import io.tributary.broker.shard.fold.Effects;
import io.tributary.broker.shard.fold.SessionState;
import io.tributary.broker.shard.fold.ShardState;
import io.tributary.common.event.AttachRefusal;
import io.tributary.common.event.Destinations;
import io.tributary.common.event.QueueEntry;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.event.ShardEvent.Attach;
import io.tributary.common.event.ShardEvent.Detach;
import io.tributary.common.event.ShardEvent.Redistribution;
import io.tributary.common.event.ShardEvent.Settled;
import io.tributary.common.event.ShardEvent.WillDue;
import io.tributary.common.event.StoredSession;
import io.tributary.common.event.TenantNames;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.Will;
import io.tributary.persistence.app.AppTopics.AppTopic;
import io.tributary.persistence.shard.AppendCallback;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A live shard: carries out what the fold asks for, hands messages to connections and takes their acknowledgements,
 * while wills, expiry and save points run by the log's time. There is one from when the own {@code Owner} record is
 * folded until the shard is lost or claimed again. Confined to the thread of the driver, unless a method says
 * otherwise.
 */
final class ShardService implements Effects {
    private final int shard;
    private final ShardEnvironment environment;
    private final Tenure tenure;
    private final Loaded loaded;
    private final ShardState state;
    private final Deliveries deliveries;
    private final Backlogs backlogs;
    private final QueueTrimmer trimmer;
    private final Redistributor redistributor;
    private final WillsAndExpiry wills;
    private final RefusedWills refusedWills;
    private final ConnectionAnswers answers;
    private final LogSnapshots snapshots;
    private final ApplicationTopics topics;
    private final ExpirySweep sweep;

    /** From {@link #begin} on. */
    private AfterTakeover afterTakeover = AfterTakeover.DONE;

    private long handedAtOnce;
    /** How far the log was folded when that was looked at last, and since when. */
    private long foldedThen;

    private long foldedThenMillis;

    /**
     * Creates one, which {@link #begin} has serve.
     *
     * @param endOfTurn run when something has changed other than on a call
     */
    ShardService(
            int shard,
            ShardEnvironment environment,
            Tenure tenure,
            Loaded loaded,
            ShardExecutor thread,
            Runnable endOfTurn) {
        this.shard = shard;
        this.environment = environment;
        this.tenure = tenure;
        this.loaded = loaded;
        state = loaded.state();
        SessionQueues queues = loaded.queues();
        int roomBytes = environment.log().roomBytes();
        QueueLimits limits = environment.config().queue();
        topics = new ApplicationTopics(shard, environment, tenure, state, thread, this::readUpTo);
        deliveries = new Deliveries(
                environment.config(),
                queues,
                tenure::targetOf,
                topics::reading,
                thread,
                environment.timeMillis(),
                environment.recorder(),
                roomBytes,
                environment.memory().part(),
                state::numbersMayRepeat);
        LostMessages losses = new LostMessages(deliveries, environment.timeMillis());
        queues.tellLosses(losses);
        backlogs = new Backlogs(limits, queues, deliveries.view);
        redistributor = new Redistributor(
                queues,
                deliveries,
                environment.routing(),
                thread,
                environment.clockMillis(),
                tenure.epoch(),
                tenure,
                roomBytes);
        trimmer = new QueueTrimmer(limits, queues, deliveries, backlogs, redistributor);
        wills = new WillsAndExpiry(environment, tenure, loaded, redistributor, thread);
        refusedWills = new RefusedWills(environment.appender(), tenure, wills);
        answers = new ConnectionAnswers(environment, tenure, state, deliveries, wills, topics.living(), endOfTurn);
        sweep = new ExpirySweep(
                state,
                queues,
                deliveries.view,
                losses,
                environment.recorder(),
                environment.config().expirySweepOf(environment.log().shardCount()));
        snapshots = new LogSnapshots(
                environment,
                state,
                queues,
                loaded.time(),
                tenure,
                tenure.epoch(),
                millis -> environment.recorder().snapshotDelay(shard, millis));
    }

    private long readUpTo(SessionState client) {
        return deliveries.view.readUpTo(client);
    }

    /** All of the log up to the own record is folded: serves the connections, and publishes what is due. */
    void begin() {
        long nowMillis = environment.clockMillis().getAsLong();
        folded();
        backlogs.standsStill(nowMillis);
        wills.begin();
        ConnectionAnswers.Telling telling = answers.tellAll();
        for (SessionState client : state.clients()) {
            load(client, telling);
        }
        telling.done();
        wills.publishDue();
        Iterator<Runnable> timers = state.clients().stream()
                .<Runnable>map(client -> () -> wills.loadedBefore(client))
                .iterator();
        Iterator<Runnable> subscriptions = environment.observer().shardLive(shard, state.applied(), this::sessionOf);
        afterTakeover = new AfterTakeover(
                List.of(timers, subscriptions), state.clients().size());
    }

    private void load(SessionState client, ConnectionAnswers.Telling telling) {
        String node = client.node();
        if (client.isAttached() || loaded.time().recordMillis() - client.detachedAtMillis() < Backlogs.ABSENCE_MILLIS) {
            backlogs.loaded(client);
        }
        if (client.leftUpTo() > 0 && client.queuedMessages() > 0) {
            redistributor.loadedHeir(client);
        }
        if (node == null) {
            wills.loaded(client);
            redistributor.loaded(client);
        } else if (environment.isDead(node)) {
            answers.detachFromDead(client);
        } else {
            telling.tell(client, node);
        }
    }

    /** Ends, for the shard is lost or claimed again. */
    void stop() {
        deliveries.stop();
        topics.stop();
        environment.recorder().snapshotDelay(shard, 0);
    }

    /**
     * Logs what clients have acknowledged, for the shard goes to another owner.
     *
     * @param logged run once it is in the log, or cannot be any more; any thread
     */
    void logLast(Runnable logged) {
        List<ShardEvent.Settled> last = deliveries.takeSettled(tenure.epoch());
        if (last.isEmpty()) {
            logged.run();
            return;
        }
        AppendCallback all = LogAppender.countingDown(last.size(), (_, _) -> logged.run());
        last.forEach(settled -> environment.appender().append(shard, settled, all));
    }

    /** What is wrong with a topic while it is being mended, in words; null for nothing. Any thread. */
    @Nullable
    String problem() {
        return topics.problem();
    }

    /** The epoch of the owner that this is; any thread. */
    long ownerEpoch() {
        return tenure.epoch();
    }

    /** Whether a connection could be handed more if it had acknowledged more; any thread. */
    boolean isWaitingForRoom() {
        return deliveries.isWaitingForRoom();
    }

    /** Sends what the connections have room for. */
    void flush() {
        deliveries.flush();
    }

    /** A record was folded, and what the fold asked for is done. */
    void folded(ShardEvent event, long timeMillis) {
        snapshots.folded(timeMillis, event);
        switch (event) {
            case Settled settled
            when settled.ownerEpoch() == tenure.epoch() -> {
                deliveries.logged(settled);
                loaded.savePoints().settledFolded();
                settled.positions().forEach(topics::acknowledged);
            }
            case Redistribution moved when moved.ownerEpoch() == tenure.epoch() -> deliveries.logged(moved);
            default -> {}
        }
    }

    /** All records that the log handed out are folded. */
    void folded() {
        LogTime time = loaded.time();
        backlogs.folded(time.recordMillis(), environment.timeMillis().getAsLong() - time.recordMillis());
    }

    /** Sends what there is room for, and logs what clients have acknowledged where it is time for that. */
    void endOfTurn() {
        deliveries.flush();
        SavePoints savePoints = loaded.savePoints();
        ToBeLogged waiting = deliveries.toBeLogged;
        boolean forSavePoint = savePoints.wantsSettled(!waiting.isEmpty());
        boolean isLate = !waiting.isEmpty() && savePoints.isSettledLate(waiting.messages());
        if (forSavePoint || isLate || waiting.isUrgent()) {
            for (Settled settled : deliveries.takeSettled(tenure.epoch())) {
                savePoints.settledAppended(forSavePoint);
                tenure.append(settled);
            }
        }
    }

    /** Does what time asks for; ten times a second. */
    void tick(long nowMillis) {
        afterTakeover = afterTakeover.tick();
        if (environment.nodes().isCurrent()) {
            wills.tickCurrent();
            topics.tickCurrent(nowMillis);
        }
        deliveries.tick();
        noticeStandstill(nowMillis);
        backlogs.tick(nowMillis);
        wills.tick();
        loaded.wills().tick();
        answers.tick();
        redistributor.retry();
        if (afterTakeover == AfterTakeover.DONE) { // else it would look at all sessions, too, and is in no hurry
            sweep.tick(nowMillis, environment.timeMillis().getAsLong());
        }
        snapshots.tick(loaded.forwarder()::isDoneUpTo);
        topics.tick(loaded.time().nowMillis());
    }

    private void noticeStandstill(long nowMillis) {
        if (state.applied() != foldedThen || !loaded.savePoints().waitsForLog()) {
            foldedThen = state.applied();
            foldedThenMillis = nowMillis;
        } else if (nowMillis - foldedThenMillis >= Backlogs.STANDSTILL_MILLIS) {
            backlogs.standsStill(nowMillis);
        }
    }

    // What nodes ask for.

    /** Tells the observer that a session is over, if it is. */
    void verify(String clientId, long session) {
        if (session <= state.applied() && sessionOf(clientId) != session) {
            environment.observer().sessionEnded(clientId, session);
        }
    }

    /** Runs the action if a session is there, and has no connection. */
    void ifAway(String clientId, long session, Runnable action) {
        SessionState client = state.client(clientId);
        if (client != null && client.session() == session && !client.isAttached()) {
            action.run();
        }
    }

    /** A client's session, if there is one. */
    Optional<StoredSession> look(String clientId) {
        return Optional.ofNullable(state.client(clientId)).map(SessionState::toStored);
    }

    private long sessionOf(String clientId) {
        SessionState client = state.client(clientId);
        return client == null ? -1 : client.session();
    }

    /** A client has a topic: it is deleted if it is of no use any more. */
    void topicFound(AppTopic topic) {
        topics.found(topic);
    }

    /** Takes acknowledgements from a connection. */
    void settle(String clientId, long epoch, long[] sequences) {
        deliveries.settle(clientId, epoch, sequences);
        redistributor.settled(epoch, sequences);
    }

    /** The node of a connection has told all of its acknowledgements that it knew of when it was asked. */
    void allSettled(String clientId, long epoch) {
        deliveries.allSettled(clientId, epoch);
        redistributor.allSettled(epoch);
    }

    /** Takes PUBRECs from a connection. */
    void received(String clientId, long epoch, long[] sequences) {
        deliveries.received(clientId, epoch, sequences);
    }

    /** Passes a message of QoS 0 on to the node that has a session's connection; without one, nobody gets it. */
    void qos0(String clientId, long session, QueueEntry.Queued message) {
        SessionState client = state.client(clientId);
        if (client != null && client.session() == session && client.node() != null) {
            tenure.targetOf(client.node()).qos0(clientId, session, message);
        }
    }

    /** A node that could not be reached for a while can be: its connections are told everything again. */
    void reachable(String node) {
        answers.reachable(node);
    }

    /** A node or an incarnation of it is gone for good, and its connections with it. */
    void gone(String node) {
        answers.gone(node);
    }

    // What the fold asks for.

    @Override
    public void owned(long epoch) {
        boolean _ = tenure.isOwn(epoch);
    }

    /** On the same node a connection that has followed another has waited for it itself. */
    @Override
    public void takenOver(TakenOver connection, String by) {
        refusedWills.takenOver(connection.clientId(), connection.epoch());
        String node = connection.node();
        boolean mayHaveSaidMore = tenure.targetOf(node).takenOver(connection.connection()) && !node.equals(by);
        if (mayHaveSaidMore && !environment.isDead(node)) {
            wills.awaitLastWords(connection.clientId(), connection.epoch());
        }
    }

    @Override
    public void endedLate(Detach detach) {
        refusedWills.heard(detach);
        wills.heard(detach);
    }

    @Override
    public void attached(SessionState client, @Nullable Before before) {
        redistributor.returned(client);
        String node = client.node();
        boolean takesPlace = !refusedWills.isLatest(client.clientId());
        boolean isAdmitted = client.will() == null || loaded.admitWill(takesPlace);
        // An owner that has slept may have lost the shard: the next one has accepted what it would refuse.
        if (node != null
                && !isAdmitted
                && refusedWills.canBe()
                && environment.nodes().isCurrent()) {
            refusedWills.refuse(client, node, before);
            return;
        }
        refusedWills.over(client.clientId());
        wills.attached(client);
        if (node != null) {
            answers.attached(client, node);
        }
    }

    @Override
    public void refused(Attach attach, AttachRefusal reason) {
        tenure.targetOf(attach.node()).refused(attach.connection(), reason);
    }

    @Override
    public void unheard(String node, long connection) {
        tenure.targetOf(node).takenOver(connection);
    }

    @Override
    public void detached(SessionState client) {
        refusedWills.over(client.clientId());
        deliveries.detached(client, () -> {
            if (client.isPersistent()) {
                redistributor.left(client);
            }
        });
        wills.detached(client);
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
        refusedWills.over(client.clientId());
        wills.ended(client);
        topics.ended(client);
        environment.observer().sessionEnded(client.clientId(), client.session());
    }

    @Override
    public void queued(SessionState client, long sequence, QueueEntry.Queued entry) {
        backlogs.queued(client, entry.sizeBytes());
        if (trimmer.admit(client, sequence, entry)) {
            if (deliveries.queued(client, sequence, entry)
                    && !TenantNames.isBrokers(client.clientId())
                    && handedAtOnce++ % ShardRecorder.SAMPLE == 0) {
                long nowMillis = environment.timeMillis().getAsLong();
                environment
                        .recorder()
                        .handedOn(Math.max(0, nowMillis - loaded.time().recordMillis()));
            }
            if (entry.group() != null && !client.isAttached()) {
                redistributor.queued(client, entry.group());
            }
        }
    }

    @Override
    public void topicFound(SessionState client) {
        topics.living().found(client);
        if (!deliveries.topicFound(client)) {
            answers.disown(client);
        }
    }

    @Override
    public void receivedLogged(SessionState client, long[] sequences) {
        deliveries.receivedLogged(client, sequences);
    }

    @Override
    public void relayed(SessionState publisher, int packetId) {
        if (publisher.node() != null) {
            tenure.targetOf(publisher.node()).relayed(publisher.epoch(), packetId);
        }
    }

    @Override
    public void forward(Message message, Destinations destinations) {
        loaded.forward(message, destinations);
    }

    @Override
    public void forwardWill(WillDue due, boolean wasDue) {
        if (!wasDue) {
            loaded.wills().begin(due.clientId());
        }
        loaded.forwardWill(due);
    }

    @Override
    public void willDue(String clientId, long epoch, Will will) {
        wills.due(clientId, epoch, will);
    }

    @Override
    public void willDropped(String clientId, long epoch) {
        wills.dropped(clientId);
    }
}
