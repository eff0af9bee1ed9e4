package io.tributary.broker.connection;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.routing.Publisher;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.broker.tenant.TenantConnection;
import org.jspecify.annotations.Nullable;

/**
 * How the rest of the broker names a connection: by its client, number and session.
 *
 * @param clientId {@link ClientInfo#idInside} of the client
 * @param permissions what it may do
 * @param connection the number of its connection on this node
 * @param attached the shard's answer
 * @param persistent whether the session outlives its connection
 * @param quota what the connection has of its tenant's limits, null without a tenant
 */
record Identity(
        String clientId,
        ClientPermissions permissions,
        long connection,
        Attached attached,
        boolean persistent,
        @Nullable TenantConnection quota) {

    /** What waits for a session was matched by rules that may hold no longer, and without knowing the connection. */
    Identity {
        if (persistent || attached.sessionPresent()) {
            permissions.askAboutEach();
        }
    }

    @Nullable
    String tenant() {
        return client().tenant();
    }

    /** The client as it is known at the moment, for it may have authenticated again; any thread. */
    ClientInfo client() {
        return permissions.client();
    }

    long epoch() {
        return attached.epoch();
    }

    Subscriber subscriber() {
        return persistent
                ? new Subscriber(clientId, true, attached.session(), null, attached.kind(), client().principal())
                : Subscriber.connected(client(), connection);
    }

    /**
     * The client as a publisher. A resumed session may have older messages on their way through its shard; newer
     * messages must not overtake them.
     */
    Publisher publisher() {
        return new Publisher(
                clientId, client(), permissions.all(), persistent || attached.sessionPresent(), attached.epoch());
    }
}
