package io.tributary.broker.shard.fold;

import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Destinations;
import io.tributary.common.event.Principal;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.ShardEvent.Attach;
import io.tributary.common.event.ShardEvent.ClientSettled;
import io.tributary.common.event.ShardEvent.Detach;
import io.tributary.common.event.ShardEvent.Publish;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.Will;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Short ways to write the events and messages of the tests of shards. */
public final class Samples {
    public static final String NODE = "here";
    public static final long FOREVER = SessionState.NEVER_EXPIRES_SECONDS;
    public static final Will WILL = new Will(message("will"), 0, -1);
    public static final Will DELAYED_WILL = new Will(message("will"), 10, -1);

    private Samples() {}

    /** A message whose payload is the text. */
    public static Message message(String text) {
        return new Message(
                "topic",
                text.getBytes(StandardCharsets.UTF_8),
                QoS.AT_LEAST_ONCE,
                false,
                PublishProperties.NONE,
                Message.NEVER,
                "publisher");
    }

    public static String text(Message message) {
        return new String(message.payload(), StandardCharsets.UTF_8);
    }

    public static Recipient recipient(String clientId, long session) {
        return new Recipient(clientId, session, QoS.AT_LEAST_ONCE, false, List.of(), null);
    }

    /** A member of a shared subscription. */
    public static Recipient member(String clientId, long session, QoS qos) {
        return new Recipient(clientId, session, qos, false, List.of(), "$share/group/topic");
    }

    public static Publish publish(String text, Recipient... recipients) {
        return new Publish(message(text), List.of(recipients), null);
    }

    public static Queued queued(String text) {
        return new Queued(message(text), QoS.AT_LEAST_ONCE, false, List.of(), null);
    }

    public static Destinations recipients(Recipient... recipients) {
        return new Destinations(List.of(recipients), List.of());
    }

    /** A persistent session's first or next connection. */
    public static Attach attach(String clientId, long connection) {
        return attach(clientId, connection, FOREVER, null);
    }

    public static Attach attach(String clientId, long connection, long expirySeconds, @Nullable Will will) {
        return new Attach(
                clientId,
                NODE,
                connection,
                false,
                expirySeconds,
                10,
                ClientKind.DEVICE,
                will,
                Principal.ANONYMOUS,
                false);
    }

    public static Attach cleanStart(String clientId, long connection) {
        return new Attach(
                clientId, NODE, connection, true, FOREVER, 10, ClientKind.DEVICE, null, Principal.ANONYMOUS, false);
    }

    public static Detach detach(String clientId, long epoch, long sentUpTo) {
        return new Detach(clientId, epoch, true, FOREVER, sentUpTo);
    }

    public static Detach detach(String clientId, long epoch, boolean publishWill, long expirySeconds) {
        return new Detach(clientId, epoch, publishWill, expirySeconds, 0);
    }

    public static ClientSettled settled(String clientId, long session, String text, long... sequences) {
        return new ClientSettled(
                clientId, session, sequences, (long) message(text).sizeBytes() * sequences.length, new long[0]);
    }

    public static ClientSettled received(String clientId, long session, String text, long... sequences) {
        return new ClientSettled(
                clientId, session, new long[0], (long) message(text).sizeBytes() * sequences.length, sequences);
    }

    /** A device's session of which nothing is folded. */
    public static SessionState session(String clientId, long session) {
        return new SessionState(clientId, session, ClientKind.DEVICE);
    }

    /** A device's session without a will that lost its connection at time 0. */
    public static SessionState offline(String clientId, long expirySeconds) {
        SessionState client = session(clientId, 0);
        client.detach(0, new Detach(clientId, 0, true, expirySeconds, 0));
        return client;
    }

    /** The same with a will. */
    public static SessionState offline(String clientId, long expirySeconds, long willDelaySeconds) {
        SessionState client = offline(clientId, expirySeconds);
        client.delayWill(willDelaySeconds);
        return client;
    }
}
