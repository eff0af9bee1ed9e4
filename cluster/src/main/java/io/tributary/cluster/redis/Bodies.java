package io.tributary.cluster.redis;

import static io.tributary.cluster.redis.StateBytes.decimal;

import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.StateCodec;
import io.tributary.common.event.StoredSession;
import io.tributary.common.mqtt.Message;
import io.tributary.persistence.shard.SavePoint;
import io.tributary.persistence.shard.SavePoint.SequencedEntry;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a save point that lie apart, each once for all queues that it is in: those whose copies would take as
 * much as {@link RedisConfig#inlineBytes} together. Recipients of one record have one {@link Message} between them.
 *
 * <p>Redis lets a body go by itself when its message has expired, but only if no connection can have been handed it:
 * what is in flight does not expire.
 */
final class Bodies {
    /**
     * How much later than its message a body goes: nodes do not have quite the same time, and a replica that becomes
     * the primary goes by a clock of its own.
     */
    static final long SLACK_MILLIS = 300_000;

    private final IdentityHashMap<Message, Body> byMessage = new IdentityHashMap<>();
    private final Map<String, Body> byId = new LinkedHashMap<>();
    private final Map<String, StoredSession> sessions;
    private final int format;
    private final long nowMillis;

    /** A message that lies apart, and how many references to it the save point adds. */
    private static final class Body {
        final byte[] id;
        final byte[] bytes;
        int references;
        /** After how long Redis is to let it go; 0: never. */
        long staysMillis;

        Body(byte[] id, byte[] bytes, long staysMillis) {
            this.id = id;
            this.bytes = bytes;
            this.staysMillis = staysMillis;
        }
    }

    /** @param nowMillis the time by which messages expire */
    Bodies(SavePoint savePoint, int inlineBytes, int format, long nowMillis) {
        this.format = format;
        this.nowMillis = nowMillis;
        IdentityHashMap<Message, Long> copied = new IdentityHashMap<>();
        for (SequencedEntry queued : savePoint.queued()) {
            if (queued.entry() instanceof Queued entry) {
                copied.merge(entry.message(), (long) entry.message().sizeBytes(), Long::sum);
            }
        }
        copied.values().removeIf(bytes -> bytes < inlineBytes);
        sessions = copied.isEmpty() ? Map.of() : byClient(savePoint.sessions());
        for (SequencedEntry queued : savePoint.queued()) {
            if (queued.entry() instanceof Queued entry && copied.containsKey(entry.message())) {
                add(queued, entry.message());
            }
        }
    }

    private static Map<String, StoredSession> byClient(List<StoredSession> sessions) {
        Map<String, StoredSession> byClient = new HashMap<>();
        sessions.forEach(stored -> byClient.put(stored.clientId(), stored));
        return byClient;
    }

    private void add(SequencedEntry queued, Message message) {
        Body body = byMessage.computeIfAbsent(message, this::body);
        body.references++;
        if (mayBeInFlight(queued, message)) {
            body.staysMillis = 0;
        }
    }

    /** Messages that are equal have one body, also when they came in records of their own. */
    private Body body(Message message) {
        byte[] bytes = StateCodec.encodeMessage(message, null, format);
        byte[] id = BodyId.of(bytes);
        long stays = staysMillis(message.expiresAtMillis());
        return byId.computeIfAbsent(StateBytes.text(id), _ -> new Body(id, bytes, stays));
    }

    /** A time that is left, not one by the clock: that of a server of Redis may be another. */
    private long staysMillis(long expiresAtMillis) {
        return expiresAtMillis >= StateBytes.MAX_NUMBER - SLACK_MILLIS
                ? 0
                : Math.max(1, expiresAtMillis - nowMillis + SLACK_MILLIS);
    }

    private boolean mayBeInFlight(SequencedEntry queued, Message message) {
        StoredSession stored = sessions.get(queued.clientId());
        return stored == null
                || stored.node() != null
                || stored.resendUpTo().has(queued.sequence(), message.priority());
    }

    /** What a message is called that lies apart; null for others. */
    byte @Nullable [] idOf(Message message) {
        Body body = byMessage.get(message);
        return body == null ? null : body.id;
    }

    /** How many there are. */
    int count() {
        return byId.size();
    }

    /** Adds four arguments for each. */
    void addTo(List<byte[]> arguments) {
        for (Body body : byId.values()) {
            arguments.add(body.id);
            arguments.add(decimal(body.references));
            arguments.add(decimal(body.staysMillis));
            arguments.add(body.bytes);
        }
    }
}
