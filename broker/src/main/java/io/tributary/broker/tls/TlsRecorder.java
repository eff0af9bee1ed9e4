package io.tributary.broker.tls;

import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;

/** Counts handshakes and reloads. Called on event loops, too; must be cheap. */
public interface TlsRecorder {

    /** Counts nothing. */
    TlsRecorder NONE = new TlsRecorder() {};

    /** A handshake has succeeded. */
    default void handshake(String listener) {}

    /** A handshake has failed. */
    default void handshakeFailed(String listener, HandshakeFailure reason) {}

    /** A handshake has to wait, for too many are under way. */
    default void handshakeWaits(String listener) {}

    /** The files have changed, and were taken or, being wrong, were not. */
    default void reloaded(String listener, boolean isTaken) {}

    /**
     * There are files that may change.
     *
     * @param isFailing whether they have changed and, being wrong, are not used. Called whenever meters are read
     */
    default void watched(String listener, BooleanSupplier isFailing) {}

    /** A connection was closed because the client's certificate has been revoked. */
    default void revoked(String listener) {}

    /**
     * There is a certificate that will expire.
     *
     * @param host the label of the host that it is for; {@code default} for the listener's own
     * @param seconds how long until then; negative afterwards. Called whenever meters are read
     */
    default void certificate(String listener, String host, DoubleSupplier seconds) {}
}
