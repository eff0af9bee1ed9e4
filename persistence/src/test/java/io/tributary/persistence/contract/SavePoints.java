package io.tributary.persistence.contract;

import io.tributary.common.event.Principal;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.SentUpTo;
import io.tributary.common.event.StoredSession;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.Will;
import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.SavePoint;
import io.tributary.persistence.shard.SavePoint.ClientWill;
import io.tributary.persistence.shard.SavePoint.SequenceKey;
import io.tributary.persistence.shard.SavePoint.SequencedEntry;
import io.tributary.persistence.shard.SavePoint.SourcePosition;
import io.tributary.persistence.shard.SavePoint.WillKey;
import io.tributary.persistence.shard.ShardStore;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Builds save points and what they consist of. */
public final class SavePoints {
    private static final int NUMBER_WIDTH = 8;

    private final long ownerEpoch;
    private final long expectedApplied;
    private final long applied;
    private long foldedOwner;
    private long snapshotMillis = ShardStore.NO_SNAPSHOT;
    private List<SourcePosition> sources = List.of();
    private List<String> cleared = List.of();
    private List<StoredSession> sessions = List.of();
    private List<SequenceKey> removed = List.of();
    private List<SequencedEntry> queued = List.of();
    private List<WillKey> willsRemoved = List.of();
    private List<ClientWill> wills = List.of();

    private SavePoints(long ownerEpoch, long expectedApplied, long applied) {
        this.ownerEpoch = ownerEpoch;
        this.expectedApplied = expectedApplied;
        this.applied = applied;
        this.foldedOwner = ownerEpoch;
    }

    /** Begins a save point that changes nothing but the offset. */
    public static SavePoints emptySave(long ownerEpoch, long expectedApplied, long applied) {
        return new SavePoints(ownerEpoch, expectedApplied, applied);
    }

    /** A stored session of the client that differs by the number. */
    public static StoredSession session(String clientId, long number) {
        return new StoredSession(
                clientId,
                number,
                number + 1,
                "node",
                3,
                60,
                20,
                0,
                Long.MAX_VALUE,
                number,
                SentUpTo.NOTHING,
                0,
                0,
                0,
                0,
                0,
                null,
                new int[] {7},
                1,
                Principal.ofUser("user"));
    }

    /** A queue entry that differs by the number, all of one size. */
    public static Queued queued(long number) {
        return new Queued(message(number), QoS.AT_LEAST_ONCE, false, List.of(), null);
    }

    /** The same of a priority. */
    public static Queued queued(long number, int priority) {
        return new Queued(message(number).withPriority(priority), QoS.AT_LEAST_ONCE, false, List.of(), null);
    }

    /** A will that is not due. */
    public static ClientWill will(String clientId, long epoch) {
        return new ClientWill(clientId, epoch, new Will(message(epoch), 5, -1), false);
    }

    /** A message that differs by the number, all of one size. */
    public static Message message(long number) {
        byte[] payload = ("%0" + NUMBER_WIDTH + "d").formatted(number).getBytes(StandardCharsets.UTF_8);
        return new Message(
                "a/topic", payload, QoS.AT_LEAST_ONCE, false, PublishProperties.NONE, Message.NEVER, "publisher");
    }

    /** Sets the latest owner whose record is folded, when it is not the one that saves. */
    public SavePoints foldedOwner(long owner) {
        foldedOwner = owner;
        return this;
    }

    /** Sets the time of the last log snapshot. */
    public SavePoints snapshotMillis(long millis) {
        snapshotMillis = millis;
        return this;
    }

    /** Sets the latest sources. */
    public SavePoints sources(List<SourcePosition> positions) {
        sources = positions;
        return this;
    }

    /** Sets the clients that are cleared. */
    public SavePoints cleared(List<String> clients) {
        cleared = clients;
        return this;
    }

    /** Sets the sessions. */
    public SavePoints sessions(List<StoredSession> changed) {
        sessions = changed;
        return this;
    }

    /** Sets the queue entries that go. */
    public SavePoints removed(List<SequenceKey> keys) {
        removed = keys;
        return this;
    }

    /** Sets the queue entries that come. */
    public SavePoints queued(List<SequencedEntry> entries) {
        queued = entries;
        return this;
    }

    /** Sets the wills that go. */
    public SavePoints willsRemoved(List<WillKey> keys) {
        willsRemoved = keys;
        return this;
    }

    /** Sets the wills that come. */
    public SavePoints wills(List<ClientWill> set) {
        wills = set;
        return this;
    }

    /** The save point. */
    public SavePoint build() {
        return new SavePoint(
                ownerEpoch,
                expectedApplied,
                applied,
                LogRecord.NO_LEADER,
                foldedOwner,
                snapshotMillis,
                sources,
                cleared,
                sessions,
                removed,
                queued,
                willsRemoved,
                wills);
    }
}
