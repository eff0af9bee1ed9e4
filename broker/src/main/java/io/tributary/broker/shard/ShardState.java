package io.tributary.broker.shard;

import io.tributary.broker.shard.Effects.TakenOver;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.QueueEntry;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.event.ShardEvent.Attach;
import io.tributary.common.event.ShardEvent.ClientSettled;
import io.tributary.common.event.ShardEvent.Detach;
import io.tributary.common.event.ShardEvent.MovedMessage;
import io.tributary.common.event.ShardEvent.Owner;
import io.tributary.common.event.ShardEvent.Publish;
import io.tributary.common.event.ShardEvent.Redistribution;
import io.tributary.common.event.ShardEvent.Relay;
import io.tributary.common.event.ShardEvent.Release;
import io.tributary.common.event.ShardEvent.SessionExpired;
import io.tributary.common.event.ShardEvent.Settled;
import io.tributary.common.event.ShardEvent.SnapshotComplete;
import io.tributary.common.event.ShardEvent.SnapshotQueue;
import io.tributary.common.event.ShardEvent.SnapshotSession;
import io.tributary.common.event.ShardEvent.TopicFound;
import io.tributary.common.event.ShardEvent.TopicPosition;
import io.tributary.common.event.ShardEvent.WillDue;
import io.tributary.common.event.Source;
import io.tributary.common.event.StoredSession;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.Will;
import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.SavePoint;
import io.tributary.persistence.shard.SavePoint.ClientWill;
import io.tributary.persistence.shard.SavePoint.SourcePosition;
import io.tributary.persistence.shard.SavePoint.WillKey;
import io.tributary.persistence.shard.ShardStore;
import io.tributary.persistence.shard.ShardStore.Claim;
import io.tributary.persistence.shard.ShardStore.Reused;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The state of one shard: the fold of its log. It does no I/O, reads no clock and has no threads of its own; the same
 * records always fold to the same state and the same effects. Confined to the thread of its driver.
 *
 * <p>A session's states, and the events that change them (any other combination changes nothing):
 *
 * <pre>
 * none      --Attach--------------------------------------------> attached (new session)
 * attached  --Attach--------------------------------------------> attached (same session, or a new one with clean start)
 * attached  --Detach of its epoch, expiry above 0---------------> detached
 * attached  --Detach of its epoch, expiry 0---------------------> none
 * detached  --Attach--------------------------------------------> attached (same session, or a new one with clean start)
 * detached  --SessionExpired of its epoch-----------------------> none
 * attached  --SessionExpired of its epoch-----------------------> attached (new session)
 * </pre>
 *
 * <p>An Attach of an application changes nothing about a device's session that it would resume, nor the other way round: their
 * messages wait in different places.
 *
 * <p>Messages of shared subscriptions outlive the session that they wait in, because another member is to have them. So an
 * expiry of 0 leads to "detached", due at once, while there are any; a SessionExpired that does not know of the latest one
 * changes nothing; a new session inherits the queue of the one before, for the owner to sweep; and one that comes for a
 * session that is over begins a session of its own, detached and due at once, under a name that no client can have.
 *
 * <p>Time is the log's alone: a SessionExpired or a WillDue whose own record was appended before its time changes nothing, and
 * an Attach after a session's expiry begins a new one, whether anybody has said meanwhile that the session is over or not.
 *
 * <p>Sessions that an owner repeats change nothing, whatever they say: they cannot bring back a session that has ended since.
 *
 * <p>Where the log has lost its end and gone on, offsets are used for a second time. What would be named by one of them, a
 * connection or a message that is forwarded, is not folded: its client tries again.
 *
 * <p>A will goes with the {@code Attach} that brought it: it is pending while its connection lives and through its delay,
 * then due until a {@link WillDue} with its destinations is folded; a resumption before it is due cancels it.
 *
 * <p>A connection that another one has taken over may have had a DISCONNECT in its socket, which its Detach tells behind the
 * other's Attach. It takes the will away that is due by then; and where it ends the session, the owner, which has not answered
 * the other connection yet, says so with a SessionExpired.
 */
final class ShardState {
    /** The session expiry interval of a session that never expires, in seconds. */
    static final long NEVER_EXPIRES_SECONDS = ConnectProperties.NEVER_EXPIRES;

    private Effects effects;
    private final Map<String, ClientState> clients = new HashMap<>();
    private final Map<WillKey, Will> dueWills = new LinkedHashMap<>();
    private final Map<Integer, SourcePosition> sources = new HashMap<>();
    private ShardChanges changes;
    private final @Nullable Reused reused;
    private long ownerEpoch;
    private long applied;
    private int leaderEpoch;
    private long snapshotMillis;

    /** Creates the state as a store has it; sessions and wills follow through {@link #load}. */
    ShardState(Effects effects, Claim stored) {
        this.effects = effects;
        applied = stored.applied();
        leaderEpoch = stored.leaderEpoch();
        snapshotMillis = stored.snapshotMillis();
        reused = stored.reused();
        changes = new ShardChanges(savedUpTo());
        ownerEpoch = stored.foldedOwner();
        stored.sources().forEach(source -> sources.put(source.shard(), source));
    }

    /** Sets the effects that are asked for what is folded from now on. */
    void tell(Effects later) {
        effects = later;
    }

    /** Adds sessions and wills that the store has. All sessions have to be loaded before their clients' wills. */
    void load(List<StoredSession> sessions, List<ClientWill> wills) {
        for (StoredSession stored : sessions) {
            clients.put(stored.clientId(), new ClientState(stored));
        }
        for (ClientWill will : wills) {
            ClientState client = clients.get(will.clientId());
            if (will.due()) {
                dueWills.put(new WillKey(will.clientId(), will.epoch()), will.will());
            } else if (client != null && client.epoch == will.epoch()) {
                client.will = will.will();
            }
        }
    }

    /** Folds one record. Records come in the order of their offsets; one that was folded before is skipped. */
    void apply(long offset, long timeMillis, ShardEvent event) {
        if (offset <= applied) {
            return;
        }
        applied = offset;
        if (reused == null || !reused.has(offset)) {
            fold(offset, timeMillis, event);
        } else if (event instanceof Attach attach) {
            effects.unheard(attach.node(), attach.connection());
        } else if (event instanceof Relay relay) {
            tellUnheard(relay);
        } else if (!isRepeatedByTheNextOwner(event)) {
            fold(offset, timeMillis, event);
        }
    }

    /** A record that says nothing was next. */
    void applyNothing(long offset) {
        applied = Math.max(applied, offset);
    }

    private void tellUnheard(Relay relay) {
        ClientState client = clients.get(relay.clientId());
        if (client != null && client.epoch == relay.epoch() && client.node != null) {
            effects.unheard(client.node, client.connection);
        }
    }

    /**
     * Whether a record names an owner, messages that are forwarded, or numbers of messages as an owner knew them that had not
     * noticed the loss: the next owner appends it again where it is still so.
     */
    private static boolean isRepeatedByTheNextOwner(ShardEvent event) {
        return event instanceof Owner
                || event instanceof Settled
                || event instanceof WillDue
                || event instanceof Redistribution
                || event instanceof SessionExpired;
    }

    private void fold(long offset, long timeMillis, ShardEvent event) {
        switch (event) {
            case Publish publish -> publish(offset, timeMillis, publish);
            case Relay relay -> relay(relay);
            case Release release -> release(release);
            case Attach attach -> attach(offset, timeMillis, attach);
            case Detach detach -> detach(timeMillis, detach);
            case Owner _ -> {
                ownerEpoch = offset;
                effects.owned(offset);
            }
            case Settled settled -> settled(settled);
            case TopicFound found -> topicFound(found);
            case SessionExpired expired -> sessionExpired(offset, timeMillis, expired);
            case WillDue due -> willDue(timeMillis, due);
            case Redistribution redistribution -> redistribute(redistribution);
            case SnapshotSession _, SnapshotQueue _ -> {} // they say what is known, and may say it late
            case SnapshotComplete _ -> snapshotMillis = timeMillis;
        }
    }

    /** Takes what changed since the last save point, for the owner with the given epoch. */
    SavePoint takeSavePoint(long epoch, long expectedApplied) {
        ShardChanges taken = takeChanges();
        return new SavePoint(
                epoch,
                expectedApplied,
                applied,
                leaderEpoch,
                ownerEpoch,
                snapshotMillis,
                taken.sources(),
                taken.cleared(),
                taken.sessions(clients),
                taken.removed(),
                taken.queued(),
                taken.willsRemoved(),
                taken.wills());
    }

    private ShardChanges takeChanges() {
        ShardChanges taken = changes;
        changes = new ShardChanges(savedUpTo());
        return taken;
    }

    /** No session begins at an offset that is used twice, but one may be stored from before. */
    private long savedUpTo() {
        return reused == null ? applied : Math.max(applied, reused.to());
    }

    /** The time of the last complete log snapshot, or {@link ShardStore#NO_SNAPSHOT}. */
    long snapshotMillis() {
        return snapshotMillis;
    }

    /** The offset of the last record folded. */
    long applied() {
        return applied;
    }

    /** The leader epoch of that record, or {@link LogRecord#NO_LEADER}. */
    int leaderEpoch() {
        return leaderEpoch;
    }

    /** The last record folded was appended under this leader. */
    void leaderEpoch(int newLeaderEpoch) {
        leaderEpoch = newLeaderEpoch;
    }

    /** The epoch of the latest owner whose record is folded, -1 for none. */
    long ownerEpoch() {
        return ownerEpoch;
    }

    /** The latest source applied from each shard that forwarded something. */
    Collection<SourcePosition> sources() {
        return sources.values();
    }

    /** Goes on behind records that nobody has any more. */
    void skipTo(long offset) {
        applied = offset;
        leaderEpoch = LogRecord.NO_LEADER;
    }

    /** The names of all wills, due or not. */
    List<WillKey> allWills() {
        List<WillKey> keys = new ArrayList<>(dueWills.keySet());
        for (ClientState client : clients.values()) {
            if (client.will != null) {
                keys.add(new WillKey(client.clientId, client.epoch));
            }
        }
        return keys;
    }

    /** What changed since the last save point. */
    ShardChanges changes() {
        return changes;
    }

    @Nullable
    ClientState client(String clientId) {
        return clients.get(clientId);
    }

    Collection<ClientState> clients() {
        return clients.values();
    }

    /** Wills that are to be published and for which no {@link WillDue} was folded yet. */
    Map<WillKey, Will> dueWills() {
        return dueWills;
    }

    private void publish(long offset, long timeMillis, Publish publish) {
        Source source = publish.source();
        if (source != null && !takeSource(source)) {
            return;
        }
        for (Recipient recipient : publish.recipients()) {
            ClientState client = clients.get(recipient.clientId());
            if (client != null && client.session == recipient.session()) {
                enqueue(client, publish.message(), recipient);
            } else if (recipient.group() != null) {
                strand(offset, timeMillis, publish.message(), recipient);
            }
        }
    }

    /** Keeps a message for another member, for the session that it was meant for is over. */
    private void strand(long offset, long timeMillis, Message message, Recipient recipient) {
        String name = ClientState.strandedName(recipient.clientId(), recipient.session());
        ClientState stranded =
                clients.computeIfAbsent(name, _ -> new ClientState(name, recipient.session(), ClientKind.DEVICE));
        if (stranded.queuedMessages == 0) {
            stranded.epoch = offset;
            stranded.detachedAtMillis = timeMillis;
        }
        enqueue(stranded, message, recipient);
        effects.detached(stranded);
    }

    private boolean takeSource(Source source) {
        SourcePosition latest = sources.get(source.shard());
        if (latest != null && !source.isAfter(latest.offset(), latest.part())) {
            return false;
        }
        sources.put(source.shard(), new SourcePosition(source.shard(), source.offset(), source.part()));
        changes.source(source);
        return true;
    }

    private void enqueue(ClientState client, Message message, Recipient recipient) {
        long sequence = ++client.lastSequence;
        client.queuedMessages++;
        if (recipient.group() != null) {
            client.groupUpTo = sequence;
        }
        QueueEntry.Queued entry = new QueueEntry.Queued(
                message, recipient.qos(), recipient.retain(), recipient.subscriptionIds(), recipient.group());
        client.queuedBytes += entry.sizeBytes();
        changes.add(client, sequence, entry);
        effects.queued(client, sequence, entry);
    }

    private void relay(Relay relay) {
        ClientState client = clients.get(relay.clientId());
        if (client == null || client.epoch != relay.epoch()) {
            return;
        }
        if (reused != null
                && relay.epoch() <= reused.to()) { // the PUBREL of another message under its number may be lost
            tellUnheard(relay);
            return;
        }
        if (client.inboundPacketIds.add(relay.packetId())) { // else a repetition [MQTT-4.3.3-10]
            changes.touch(client);
            effects.forward(relay.message(), relay.destinations());
        }
        effects.relayed(client, relay.packetId());
    }

    private void release(Release release) {
        ClientState client = clients.get(release.clientId());
        if (client != null && client.epoch == release.epoch() && client.inboundPacketIds.remove(release.packetId())) {
            changes.touch(client);
        }
    }

    private void attach(long offset, long timeMillis, Attach attach) {
        ClientState existing = clients.get(attach.clientId());
        boolean resumed = existing != null
                && existing.isPersistent()
                && !attach.cleanStart()
                && timeMillis < existing.expiresAtMillis(); // [MQTT-3.1.2-23]
        if (existing != null && isOfTheOtherKind(existing, attach, resumed)) {
            effects.refused(attach, existing);
            return;
        }
        boolean isTaken = existing != null && existing.node != null;
        if (existing != null && existing.node != null && !isSameConnection(existing, attach)) {
            effects.takenOver(
                    new TakenOver(existing.clientId, existing.epoch, existing.node, existing.connection),
                    attach.node());
        }
        if (existing != null) {
            leaveWill(existing, resumed);
        }
        ClientState client =
                existing != null && resumed ? existing : new ClientState(attach.clientId(), offset, attach.kind());
        boolean inherits = existing != null && !resumed && existing.groupUpTo > 0;
        if (existing != null && inherits) {
            client.inherit(existing);
        } else if (existing != null && !resumed) {
            end(existing);
        }
        if (isTaken) {
            client.resendUpTo = resumed ? client.highestSequence() : client.lastSequence;
        }
        clients.put(client.clientId, client);
        connect(client, offset, attach);
        if (existing != null && inherits) {
            effects.inherited(client, existing);
        }
        effects.attached(client);
    }

    private static boolean isSameConnection(ClientState client, Attach attach) {
        return attach.node().equals(client.node) && attach.connection() == client.connection;
    }

    /**
     * Whether a session cannot go on with the connection, for its messages wait elsewhere. One whose messages of shared
     * subscriptions are still to go to other members cannot make room for an application's either.
     */
    private static boolean isOfTheOtherKind(ClientState existing, Attach attach, boolean resumed) {
        return existing.kind().isApplication() != attach.kind().isApplication() && (resumed || existing.groupUpTo > 0);
    }

    /** What a new connection means for the will of the one before [MQTT-3.1.2-8, MQTT-3.1.3-9]. */
    private void leaveWill(ClientState existing, boolean resumed) {
        Will will = existing.will;
        if (will == null) {
            return;
        }
        if (resumed && (!existing.isAttached() || will.delaySeconds() > 0)) {
            dropWill(existing);
        } else {
            makeWillDue(existing, will);
        }
    }

    private void connect(ClientState client, long offset, Attach attach) {
        client.epoch = offset;
        client.node = attach.node();
        client.connection = attach.connection();
        client.sessionExpirySeconds = attach.sessionExpirySeconds();
        client.receiveMaximum = attach.receiveMaximum();
        client.willDueAtMillis = Long.MAX_VALUE;
        client.handedUpTo = Long.MAX_VALUE;
        client.will = attach.will();
        if (attach.will() != null) {
            changes.putWill(new ClientWill(client.clientId, offset, attach.will(), false));
        }
        changes.touch(client);
    }

    private void detach(long timeMillis, Detach detach) {
        ClientState client = clients.get(detach.clientId());
        if (client == null || client.epoch != detach.epoch() || !client.isAttached()) {
            endedLate(detach);
            return;
        }
        client.node = null;
        client.detachedAtMillis = timeMillis;
        client.sessionExpirySeconds = detach.sessionExpirySeconds();
        client.resendUpTo =
                detach.sentUpTo() < 0 ? client.highestSequence() : Math.max(client.resendUpTo, detach.sentUpTo());
        changes.touch(client);
        if (client.will != null) {
            beginWillDelay(client, client.will, detach.publishWill());
        }
        if (client.isPersistent() || client.groupUpTo > 0) {
            effects.detached(client);
        } else {
            end(client);
        }
    }

    /** Its session is another connection's, or over; what counts is that the client wanted no will [MQTT-3.14.4-3]. */
    private void endedLate(Detach detach) {
        WillKey will = new WillKey(detach.clientId(), detach.epoch());
        if (!detach.publishWill() && dueWills.remove(will) != null) {
            changes.removeWill(detach.clientId(), detach.epoch());
            effects.willDropped(detach.clientId(), detach.epoch());
        }
        effects.endedLate(detach);
    }

    private void beginWillDelay(ClientState client, Will will, boolean publish) {
        if (!publish) { // [MQTT-3.14.4-3]
            dropWill(client);
        } else if (will.delaySeconds() == 0 || !client.isPersistent()) {
            makeWillDue(client, will);
        } else {
            client.willDueAtMillis = client.detachedAtMillis + will.delaySeconds() * 1000;
        }
    }

    private void dropWill(ClientState client) {
        changes.removeWill(client.clientId, client.epoch);
        client.will = null;
        client.willDueAtMillis = Long.MAX_VALUE;
    }

    private void makeWillDue(ClientState client, Will will) {
        dueWills.put(new WillKey(client.clientId, client.epoch), will);
        changes.putWill(new ClientWill(client.clientId, client.epoch, will, true));
        client.will = null;
        client.willDueAtMillis = Long.MAX_VALUE;
        effects.willDue(client.clientId, client.epoch, will);
    }

    /** Ends a session; a will that waits for its delay is due now [MQTT-3.1.2-8]. */
    private void end(ClientState client) {
        if (client.will != null) {
            makeWillDue(client, client.will);
        }
        clients.remove(client.clientId);
        changes.clear(client);
        effects.sessionEnded(client);
    }

    private void sessionExpired(long offset, long timeMillis, SessionExpired expired) {
        ClientState client = clients.get(expired.clientId());
        if (client == null || client.epoch != expired.epoch()) {
            return;
        }
        if (client.node != null) {
            if (expired.ownerEpoch() == ownerEpoch) { // a later owner may have answered the connection
                beginAnew(offset, timeMillis, client, client.node);
            }
            return;
        }
        long redistributedUpTo = expired.ownerEpoch() == ownerEpoch ? expired.redistributedUpTo() : 0;
        if (client.groupUpTo > redistributedUpTo || timeMillis < client.expiresAtMillis()) {
            effects.detached(client);
        } else {
            end(client);
        }
    }

    /** The session that a connection resumed was over: it has a new one, with a will that goes on. */
    private void beginAnew(long offset, long timeMillis, ClientState client, String node) {
        Will will = client.will;
        if (will != null) {
            dropWill(client);
        }
        Attach again = new Attach(
                client.clientId,
                node,
                client.connection,
                true,
                client.sessionExpirySeconds,
                client.receiveMaximum,
                client.kind(),
                will);
        attach(offset, timeMillis, again);
    }

    private void willDue(long timeMillis, WillDue due) {
        boolean wasDue = dueWills.remove(new WillKey(due.clientId(), due.epoch())) != null;
        ClientState client = clients.get(due.clientId());
        boolean delayIsOver =
                client != null && client.epoch == due.epoch() && !client.isAttached() && client.will != null;
        if (client != null && delayIsOver && timeMillis < client.willDueAtMillis) {
            effects.detached(client);
            return;
        }
        if (client != null && delayIsOver) {
            client.will = null;
            client.willDueAtMillis = Long.MAX_VALUE;
            changes.touch(client);
        }
        if (wasDue || delayIsOver) {
            changes.removeWill(due.clientId(), due.epoch());
            effects.forwardWill(due, wasDue);
        }
    }

    private void settled(Settled settled) {
        if (settled.ownerEpoch() != ownerEpoch) {
            return;
        }
        for (ClientSettled one : settled.clients()) {
            ClientState client = clients.get(one.clientId());
            if (client != null && client.session == one.session()) {
                settle(client, one);
            }
        }
        for (TopicPosition position : settled.positions()) {
            ClientState client = clients.get(position.clientId());
            if (client != null && client.session == position.session() && client.topic != null) {
                client.topic.advance(position.upTo(), position.sources());
                if (client.isAttached() && client.epoch == position.epoch()) { // else more may have been sent since
                    client.resendUpTo = Math.min(client.resendUpTo, position.resendUpTo());
                }
                changes.touch(client);
            }
        }
    }

    private void topicFound(TopicFound found) {
        ClientState client = clients.get(found.clientId());
        boolean isCurrent = found.ownerEpoch() == ownerEpoch && client != null && client.session == found.session();
        if (client != null && isCurrent && client.topic != null) {
            client.topic.found(found.topic(), found.base(), found.first());
            client.resendUpTo = Math.min(client.resendUpTo, found.first() - 1);
            changes.touch(client);
            effects.topicFound(client);
        }
    }

    private void settle(ClientState client, ClientSettled settled) {
        if (client.topic == null) {
            removeFromQueue(client, settled);
        } else {
            client.topic.release(settled.received());
            client.topic.settle(settled.settled());
            changes.touch(client);
        }
        if (settled.received().length > 0) {
            effects.received(client, settled.received());
        }
    }

    private void removeFromQueue(ClientState client, ClientSettled settled) {
        for (long sequence : settled.received()) {
            changes.release(client, sequence);
        }
        for (long sequence : settled.settled()) {
            changes.remove(client, sequence);
        }
        client.removedFromQueue(settled.settled().length, settled.settledBytes()); // bytes of the received ones, too
    }

    private void redistribute(Redistribution redistribution) {
        ClientState client = clients.get(redistribution.clientId());
        if (redistribution.ownerEpoch() != ownerEpoch || client == null || client.session != redistribution.session()) {
            return;
        }
        for (MovedMessage moved : redistribution.moved()) {
            changes.remove(client, moved.sequence());
            client.removedFromQueue(1, moved.bytes());
            effects.forward(moved.message(), moved.destinations());
        }
    }
}
