package io.tributary.broker.connection;

import io.tributary.common.event.ClientKind;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import org.jspecify.annotations.Nullable;

/**
 * Counts events of clients' connections, such as a client that was accepted or a message that was dropped. Called on
 * event loops, and {@link #dropped} on any thread; must be cheap.
 */
public interface ClientRecorder {

    /** Counts nothing. */
    ClientRecorder NONE = new ClientRecorder() {};

    /** A client was accepted. */
    default void connected(ClientKind kind, boolean sessionPresent) {}

    /** A CONNECT was refused. */
    default void refused(ReasonCode reason) {}

    /** A client that was accepted did not get the session of its identifier, which is another principal's. */
    default void takeoverRefused() {}

    /** The connection of an accepted client ended. */
    default void disconnected(ClientKind kind, ReasonCode reason) {}

    /** A subscription was refused since the node has no room for more. */
    default void subscriptionRefused() {}

    /** A message for a client, or of one, was dropped. */
    default void dropped(DropReason reason) {}

    /** A message on this topic expired before it was sent. */
    default void deadlineMissed(String topic) {}

    /**
     * A message was dropped which its client may not receive.
     *
     * @param ruleSet the name of the rule set that says so; null where none does
     */
    default void notAuthorized(@Nullable String ruleSet) {
        dropped(DropReason.NOT_AUTHORIZED);
    }

    /** The number of unacknowledged messages towards clients changed. */
    default void inFlightChanged(int difference) {}

    /** Of how many PUBLISH packets one is told of to {@link #acknowledged}, chosen at random. */
    int SAMPLE = 16;

    /** A PUBLISH was answered with PUBACK or PUBREC, so long after it was read. */
    default void acknowledged(QoS qos, long nanos) {}

    /** A client sent nothing for one and a half times its keep alive. */
    default void keepAliveTimeout() {}

    /** A connection stopped being read because of the given limit. */
    default void readingPaused(PauseReason reason) {}
}
