package io.tributary.broker.extension;

import io.tributary.broker.security.ClientInfo;
import io.tributary.common.mqtt.ReasonCode;

/**
 * Told when clients come and go. Called on the client's event loop: it must not block; what it throws is logged and
 * changes nothing.
 */
public interface ClientListener {

    /** A client was accepted. */
    default void onConnected(ClientInfo client, boolean sessionPresent) {}

    /**
     * A client's connection ended.
     *
     * @param reason the reason code of the DISCONNECT that either side sent, or what comes nearest
     */
    default void onDisconnected(ClientInfo client, ReasonCode reason) {}
}
