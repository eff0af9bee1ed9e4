package io.tributary.broker.shard.fold;

import io.tributary.broker.shard.fold.Effects.Before;
import io.tributary.broker.shard.fold.Effects.TakenOver;
import io.tributary.common.collection.NameTable;
import io.tributary.common.event.AttachRefusal;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
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
import io.tributary.common.mqtt.Will;
import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.SavePoint;
import io.tributary.persistence.shard.SavePoint.ClientWill;
import io.tributary.persistence.shard.SavePoint.SourcePosition;
import io.tributary.persistence.shard.SavePoint.WillKey;
import io.tributary.persistence.shard.ShardStore;
import io.tributary.persistence.shard.ShardStore.Claim;
import io.tributary.persistence.shard.ShardStore.Reused;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The state of one shard: the fold of its log. It does no I/O, reads no clock and has no threads of its own; the same
 * records always fold to the same state and the same effects. Confined to the thread of its driver.
 *
 * <p>A session's states, and the events that change them (any other combination changes nothing):
 *
 * <pre>
 * none      --Attach---------------------------------> attached (new session)
 * attached  --Attach---------------------------------> attached (same session, or a new one with clean start)
 * detached  --Attach---------------------------------> attached (same session, or a new one with clean start)
 * attached  --Detach of its epoch, expiry above 0----> detached
 * attached  --Detach of its epoch, expiry 0----------> none
 * detached  --SessionExpired of its epoch------------> none
 * attached  --SessionExpired of its epoch------------> attached (new session)
 * </pre>
 *
 * <p>An Attach of another {@link Principal} changes nothing while there is a session, of whichever state: neither does
 * it get the session, nor is the session's connection taken over. An Attach does not resume a session of the other
 * {@link ClientKind}: its messages wait in another place. What comes too early by the log's time, a SessionExpired or a
 * WillDue, changes nothing, nor do log snapshots. Nor does an Attach that would be one more than its tenant may have.
 *
 * <p>Messages of shared subscriptions outlive their session, for another member is to have them. So with an expiry of 0
 * the session is "detached", due at once, while it has any; a new session inherits them; and one that comes when the
 * session is over waits under a name that no client can have.
 *
 * <p>Where the log has lost its end and gone on, offsets are used twice. Connections and messages that are forwarded
 * would be named by them, and are not folded: their clients try again.
 */
public final class ShardState {
    private final Clients clients = new Clients();
    private final FoldOutput output;
    private final Function<String, Tally> tallies;
    private final FoldedSources sources;
    private final FoldedWills wills;
    private final @Nullable Reused reused;
    private long ownerEpoch;
    private long applied;
    private int leaderEpoch;
    private long snapshotMillis;

    /** Sessions by client identifier. */
    private static final class Clients extends NameTable<SessionState> {
        @Override
        protected boolean isNamed(SessionState entry, String name) {
            return entry.clientId().equals(name);
        }
    }

    /** Creates the state as a store has it; sessions and wills follow through {@link #load}. */
    public ShardState(Effects effects, Claim stored) {
        this(effects, stored, _ -> Tally.NONE);
    }

    /** The same; {@code tallies} says where the session of a client counts. */
    public ShardState(Effects effects, Claim stored, Function<String, Tally> tallies) {
        this.tallies = tallies;
        applied = stored.applied();
        leaderEpoch = stored.leaderEpoch();
        snapshotMillis = stored.snapshotMillis();
        reused = stored.reused();
        output = new FoldOutput(effects, new ShardChanges(savedUpTo()));
        sources = new FoldedSources(output, stored.sources());
        wills = new FoldedWills(output);
        ownerEpoch = stored.foldedOwner();
    }

    /** Sets the effects that are asked for what is folded from now on. */
    public void tell(Effects later) {
        output.tell(later);
    }

    /** Adds sessions and wills that the store has. All sessions have to be loaded before their clients' wills. */
    public void load(List<StoredSession> sessions, List<ClientWill> storedWills) {
        for (StoredSession stored : sessions) {
            put(new SessionState(stored));
        }
        for (ClientWill will : storedWills) {
            wills.load(will, clients.get(will.clientId()));
        }
    }

    /** Folds one record. Records come in the order of their offsets; one that was folded before is skipped. */
    public void apply(long offset, long timeMillis, ShardEvent event) {
        if (offset <= applied) {
            return;
        }
        applied = offset;
        if (reused == null || !reused.has(offset)) {
            fold(offset, timeMillis, event);
        } else if (event instanceof Attach attach) {
            output.effects().unheard(attach.node(), attach.connection());
        } else if (event instanceof Relay relay) {
            tellUnheard(relay);
        } else if (!isRepeatedByTheNextOwner(event)) {
            fold(offset, timeMillis, event);
        }
    }

    /** A record that says nothing was next. */
    public void applyNothing(long offset) {
        applied = Math.max(applied, offset);
    }

    private void tellUnheard(Relay relay) {
        SessionState client = clients.get(relay.clientId());
        if (client != null && client.epoch() == relay.epoch() && client.node() != null) {
            output.effects().unheard(client.node(), client.connection());
        }
    }

    /**
     * Whether a record names an owner, messages that are forwarded, or numbers of messages as an owner knew them that
     * had not noticed the loss: the next owner appends it again where it is still so.
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
            case Detach detach -> detach(offset, timeMillis, detach);
            case Owner _ -> {
                ownerEpoch = offset;
                output.effects().owned(offset);
            }
            case Settled settled -> settled(settled);
            case TopicFound found -> topicFound(found);
            case SessionExpired expired -> sessionExpired(offset, timeMillis, expired);
            case WillDue due -> wills.published(timeMillis, due, clients.get(due.clientId()));
            case Redistribution redistribution -> redistribute(redistribution);
            case SnapshotSession _, SnapshotQueue _ -> {} // they say what is known, and may say it late
            case SnapshotComplete _ -> snapshotMillis = timeMillis;
        }
    }

    /** Takes what changed since the last save point, for the owner with the given epoch. */
    public SavePoint takeSavePoint(long epoch, long expectedApplied) {
        ShardChanges taken = output.takeChanges(new ShardChanges(savedUpTo()));
        return new SavePoint(
                epoch,
                expectedApplied,
                applied,
                leaderEpoch,
                ownerEpoch,
                snapshotMillis,
                taken.sources(),
                taken.cleared(),
                taken.sessions(clients::get),
                taken.removed(),
                taken.queued(),
                taken.willsRemoved(),
                taken.wills());
    }

    /**
     * Whether a connection with this epoch may know messages by numbers that others have now: the log has lost its end
     * since it began.
     */
    public boolean numbersMayRepeat(long epoch) {
        return reused != null && epoch <= reused.to();
    }

    /** No session begins at an offset that is used twice, but one may be stored from before. */
    private long savedUpTo() {
        return reused == null ? applied : Math.max(applied, reused.to());
    }

    /** The time of the last complete log snapshot, or {@link ShardStore#NO_SNAPSHOT}. */
    public long snapshotMillis() {
        return snapshotMillis;
    }

    /** The offset of the last record folded. */
    public long applied() {
        return applied;
    }

    /** The leader epoch of that record, or {@link LogRecord#NO_LEADER} or {@link LogRecord#NOT_READ_BACK}. */
    public int leaderEpoch() {
        return leaderEpoch;
    }

    /** The last record folded was appended under this leader. */
    public void leaderEpoch(int newLeaderEpoch) {
        leaderEpoch = newLeaderEpoch;
    }

    /** The epoch of the latest owner whose record is folded, -1 for none. */
    public long ownerEpoch() {
        return ownerEpoch;
    }

    /** The latest source applied from each shard that forwarded something. */
    public Collection<SourcePosition> sources() {
        return sources.all();
    }

    /** Goes on behind records that exist no more. */
    public void skipTo(long offset) {
        applied = offset;
        leaderEpoch = LogRecord.NO_LEADER;
    }

    /** The names of all wills, due or not. */
    public List<WillKey> allWills() {
        return wills.all(clients.entries());
    }

    /** The changes since the last save point. */
    public ShardChanges changes() {
        return output.changes();
    }

    /** The session of a client; null when there is none. */
    public @Nullable SessionState client(String clientId) {
        return clients.get(clientId);
    }

    /** All sessions, those under names that no client can have included. */
    public Collection<SessionState> clients() {
        return clients.entries();
    }

    /** Wills that are to be published and for which no {@link WillDue} was folded yet. */
    public Map<WillKey, Will> dueWills() {
        return wills.due();
    }

    /** About how much memory all wills take, due or not, in bytes. */
    public long willBytes() {
        return wills.bytes();
    }

    /** Whose a will is, due or not; null where that is not known. */
    public @Nullable Principal principalOfWill(String clientId, long epoch) {
        Principal due = wills.principalOfDue(new WillKey(clientId, epoch));
        SessionState client = clients.get(clientId);
        return due == null && client != null && client.epoch() == epoch ? client.principal() : due;
    }

    private void publish(long offset, long timeMillis, Publish publish) {
        Source source = publish.source();
        if (source != null && !sources.take(source)) {
            return;
        }
        for (Recipient recipient : publish.recipients()) {
            SessionState client = clients.get(recipient.clientId());
            if (client != null && client.session() == recipient.session()) {
                enqueue(client, publish.message(), recipient);
            } else if (recipient.group() != null) {
                strand(offset, timeMillis, publish.message(), recipient);
            }
        }
    }

    /** Keeps a message for another member, for the session that it was meant for is over. */
    private void strand(long offset, long timeMillis, Message message, Recipient recipient) {
        String name = SessionState.strandedName(recipient.clientId(), recipient.session());
        SessionState known = clients.get(name);
        SessionState stranded =
                known == null ? put(new SessionState(name, recipient.session(), ClientKind.DEVICE)) : known;
        if (stranded.queuedMessages() == 0) {
            stranded.beginDetached(offset, timeMillis);
        }
        enqueue(stranded, message, recipient);
        output.effects().detached(stranded);
    }

    private SessionState put(SessionState client) {
        SessionState before = clients.put(client.clientId(), client);
        if (before != null) {
            before.end();
        }
        client.begin(tallies.apply(client.clientId()));
        return client;
    }

    private void enqueue(SessionState client, Message message, Recipient recipient) {
        QueueEntry.Queued entry = new QueueEntry.Queued(
                message, recipient.qos(), recipient.retain(), recipient.subscriptionIds(), recipient.group());
        long sequence = client.enqueue(entry);
        output.changes().add(client, sequence, entry);
        output.effects().queued(client, sequence, entry);
    }

    private void relay(Relay relay) {
        SessionState client = clients.get(relay.clientId());
        if (client == null || client.epoch() != relay.epoch()) {
            return;
        }
        if (numbersMayRepeat(relay.epoch())) {
            tellUnheard(relay); // the PUBREL of another message under its number may be lost
            return;
        }
        if (client.accept(relay.packetId())) { // else a repetition [MQTT-4.3.3-10]
            output.changes().touch(client);
            output.effects().forward(relay.message(), relay.destinations());
        }
        output.effects().relayed(client, relay.packetId());
    }

    private void release(Release release) {
        SessionState client = clients.get(release.clientId());
        if (client != null && client.release(release.epoch(), release.packetId())) {
            output.changes().touch(client);
        }
    }

    private void attach(long offset, long timeMillis, Attach attach) {
        SessionState existing = clients.get(attach.clientId());
        boolean resumed = existing != null
                && existing.isPersistent()
                && !attach.cleanStart()
                && timeMillis < existing.expiresAtMillis(); // [MQTT-3.1.2-23]
        AttachRefusal refusal = SessionAdmission.refusalOf(attach, existing, resumed, timeMillis);
        if (refusal != null) {
            output.effects().refused(attach, refusal);
            return;
        }
        boolean isTaken = existing != null && existing.node() != null;
        if (existing != null && existing.node() != null && !existing.hasConnection(attach)) {
            TakenOver taken =
                    new TakenOver(existing.clientId(), existing.epoch(), existing.node(), existing.connection());
            output.effects().takenOver(taken, attach.node());
        }
        Before before = existing == null ? null : replaced(existing, resumed, timeMillis);
        SessionState client =
                existing != null && resumed ? existing : new SessionState(attach.clientId(), offset, attach.kind());
        boolean inherits = existing != null && !resumed && existing.groupUpTo() > 0;
        if (existing != null && inherits) {
            client.inherit(existing);
        } else if (existing != null && !resumed) {
            end(existing);
        }
        if (isTaken && (resumed || inherits)) {
            client.mayHaveBeenSentAll();
        }
        if (!resumed) {
            put(client);
        }
        client.connect(offset, attach);
        wills.attached(client);
        output.changes().touch(client);
        if (existing != null && inherits) {
            output.effects().inherited(client, existing);
        }
        output.effects().attached(client, before);
    }

    private @Nullable Before replaced(SessionState existing, boolean resumed, long timeMillis) {
        Will dropped = wills.replaced(existing, resumed, timeMillis);
        return resumed ? new Before(existing.epoch(), existing.sessionExpirySeconds(), dropped) : null;
    }

    private void detach(long offset, long timeMillis, Detach detach) {
        SessionState client = clients.get(detach.clientId());
        if (client == null || client.epoch() != detach.epoch() || !client.isAttached()) {
            wills.endedLate(offset, detach, client);
            output.effects().endedLate(detach);
            return;
        }
        client.detach(timeMillis, detach);
        output.changes().touch(client);
        wills.detached(client, detach.publishWill());
        if (detach.willBefore() != null) {
            wills.restored(client, detach.willBefore());
        }
        if (client.isPersistent() || client.groupUpTo() > 0) {
            output.effects().detached(client);
        } else {
            end(client);
        }
    }

    private void end(SessionState client) {
        wills.ended(client);
        clients.remove(client.clientId());
        client.end();
        output.changes().clear(client);
        output.effects().sessionEnded(client);
    }

    private void sessionExpired(long offset, long timeMillis, SessionExpired expired) {
        SessionState client = clients.get(expired.clientId());
        if (client == null || client.epoch() != expired.epoch()) {
            return;
        }
        if (client.node() != null) {
            if (expired.ownerEpoch() == ownerEpoch) { // a later owner may have answered the connection
                beginAnew(offset, timeMillis, client, client.node());
            }
            return;
        }
        long redistributedUpTo = expired.ownerEpoch() == ownerEpoch ? expired.redistributedUpTo() : 0;
        if (client.groupUpTo() > redistributedUpTo || timeMillis < client.expiresAtMillis()) {
            output.effects().detached(client);
        } else {
            end(client);
        }
    }

    /** The session that a connection resumed was over: it has a new one, with a will that goes on. */
    private void beginAnew(long offset, long timeMillis, SessionState client, String node) {
        Will will = client.will();
        if (will != null) {
            wills.drop(client);
        }
        Attach again = new Attach(
                client.clientId(),
                node,
                client.connection(),
                true,
                client.sessionExpirySeconds(),
                client.receiveMaximum(),
                client.kind(),
                will,
                client.principal(),
                false);
        attach(offset, timeMillis, again);
    }

    private void settled(Settled settled) {
        if (settled.ownerEpoch() != ownerEpoch) {
            return;
        }
        for (ClientSettled one : settled.clients()) {
            SessionState client = clients.get(one.clientId());
            if (client != null && client.session() == one.session()) {
                settle(client, one);
            }
        }
        for (TopicPosition position : settled.positions()) {
            SessionState client = clients.get(position.clientId());
            if (client != null && client.session() == position.session() && client.topic() != null) {
                client.advance(position);
                output.changes().touch(client);
            }
        }
    }

    private void topicFound(TopicFound found) {
        SessionState client = clients.get(found.clientId());
        boolean isCurrent = found.ownerEpoch() == ownerEpoch && client != null && client.session() == found.session();
        if (client != null && isCurrent && client.topic() != null) {
            client.topic().found(found.topic(), found.base(), found.first());
            client.wasSentAtMost(found.first() - 1);
            output.changes().touch(client);
            output.effects().topicFound(client);
        }
    }

    private void settle(SessionState client, ClientSettled settled) {
        if (client.topic() == null) {
            removeFromQueue(client, settled);
        } else {
            client.topic().release(settled.received());
            client.topic().settle(settled.settled());
            output.changes().touch(client);
        }
        if (settled.received().length > 0) {
            output.effects().receivedLogged(client, settled.received());
        }
    }

    private void removeFromQueue(SessionState client, ClientSettled settled) {
        for (long sequence : settled.received()) {
            output.changes().release(client, sequence);
        }
        for (long sequence : settled.settled()) {
            output.changes().remove(client, sequence);
        }
        client.dequeue(settled.settled().length, settled.settledBytes()); // bytes of the received ones, too
    }

    private void redistribute(Redistribution redistribution) {
        SessionState client = clients.get(redistribution.clientId());
        if (redistribution.ownerEpoch() != ownerEpoch
                || client == null
                || client.session() != redistribution.session()) {
            return;
        }
        for (MovedMessage moved : redistribution.moved()) {
            output.changes().remove(client, moved.sequence());
            client.dequeue(1, moved.bytes());
            output.effects().forward(moved.message(), moved.destinations());
        }
    }
}
