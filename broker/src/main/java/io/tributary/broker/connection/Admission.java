package io.tributary.broker.connection;

import io.tributary.broker.security.ClientInfo;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.Will;
import org.jspecify.annotations.Nullable;

/**
 * A CONNECT that is accepted as far as it goes without the session.
 *
 * @param connect what the client asked for
 * @param client who it is
 * @param assignedId whether the broker assigned the client identifier
 * @param sessionExpirySeconds the session expiry interval that holds
 * @param keepAliveSeconds the keep alive that holds
 * @param will the will, with the client as its publisher, or null
 * @param authenticationData what ends an enhanced authentication, or null
 */
@SuppressWarnings("ArrayRecordComponent") // handed on, never compared
record Admission(
        Connect connect,
        ClientInfo client,
        boolean assignedId,
        long sessionExpirySeconds,
        int keepAliveSeconds,
        @Nullable Will will,
        byte @Nullable [] authenticationData) {

    Admission withAuthenticationData(byte @Nullable [] data) {
        return new Admission(connect, client, assignedId, sessionExpirySeconds, keepAliveSeconds, will, data);
    }
}
