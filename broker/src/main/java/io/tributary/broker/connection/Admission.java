package io.tributary.broker.connection;

import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.tenant.TenantConnection;
import io.tributary.common.event.Exhausted;
import io.tributary.common.event.ShardEvent.Attach;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.Will;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A CONNECT that passed every check that needs no session; the session is asked for next.
 *
 * @param connect what the client asked for
 * @param client the client that sent it
 * @param permissions what it may do
 * @param assignedId whether the broker assigned the client identifier
 * @param sessionExpirySeconds the session expiry interval that holds
 * @param keepAliveSeconds the keep alive that holds
 * @param will the will, with the client as its publisher, or null
 * @param end when the authentication is over, null for never
 * @param authenticationData the last data of an enhanced authentication, sent in CONNACK, or null
 */
@SuppressWarnings("ArrayRecordComponent") // handed on, never compared
record Admission(
        Connect connect,
        ClientInfo client,
        ClientPermissions permissions,
        boolean assignedId,
        long sessionExpirySeconds,
        int keepAliveSeconds,
        @Nullable Will will,
        @Nullable Instant end,
        byte @Nullable [] authenticationData) {

    /**
     * What the shard is asked for.
     *
     * @param quota what the connection has of its tenant's limits, null without a tenant
     */
    Attach attach(ConnectionContext context, long connection, @Nullable TenantConnection quota) {
        return new Attach(
                client.idInside(),
                context.services().node(),
                connection,
                connect.cleanStart(),
                sessionExpirySeconds,
                OutboundFlow.window(connect.properties(), context.limits()),
                Objects.requireNonNull(client.kind()),
                will,
                client.principal(),
                context.takesAnyones(),
                quota == null
                        ? Exhausted.NOTHING
                        : quota.exhausted(context.backend().shards()::sessions));
    }

    Admission withAuthenticationData(byte @Nullable [] data) {
        return new Admission(
                connect, client, permissions, assignedId, sessionExpirySeconds, keepAliveSeconds, will, end, data);
    }
}
