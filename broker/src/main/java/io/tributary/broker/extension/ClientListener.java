package io.tributary.broker.extension;

import io.tributary.broker.security.ClientInfo;
import io.tributary.common.mqtt.ReasonCode;

/**
 * Told when clients come and go. Called on the client's event loop: it must not block; what it throws is logged and
 * changes nothing. Thread-safe: event loops call it at the same time.
 *
 * <p>Each connection is told of once when it is accepted and once when it ends, in this order and with the same {@link
 * ClientInfo}, whatever the client has authenticated as meanwhile. Two connections of one client have no order: that
 * one has taken the session over may be told before the other has ended, or has been accepted.
 */
public interface ClientListener {

    /** A client was accepted. */
    default void onConnected(ClientInfo client, boolean sessionPresent) {}

    /**
     * A client's connection ended.
     *
     * @param client the same object as at {@link #onConnected}
     * @param reason the reason code of the DISCONNECT that either side sent, or what comes nearest
     */
    default void onDisconnected(ClientInfo client, ReasonCode reason) {}
}
