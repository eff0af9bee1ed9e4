package io.tributary.broker.connection;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.routing.Publisher;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.subscription.Subscriber;

/**
 * How the rest of the broker names a connection: by its client, number and session.
 *
 * @param client the client
 * @param permissions what it may do
 * @param connection the number of its connection on this node
 * @param attached the shard's answer
 * @param persistent whether the session outlives its connection
 */
record Identity(
        ClientInfo client, ClientPermissions permissions, long connection, Attached attached, boolean persistent) {

    /** What waits for a session was matched by rules that may hold no longer, and without knowing the connection. */
    Identity {
        if (persistent || attached.sessionPresent()) {
            permissions.askAboutEach();
        }
    }

    String clientId() {
        return client.clientId();
    }

    long epoch() {
        return attached.epoch();
    }

    Subscriber subscriber() {
        return persistent
                ? new Subscriber(clientId(), true, attached.session(), null, attached.kind(), client.principal())
                : Subscriber.connected(client, connection);
    }

    /**
     * The client as a publisher. A resumed session may have older messages on their way through its shard; newer
     * messages must not overtake them.
     */
    Publisher publisher() {
        return new Publisher(client, permissions.all(), persistent || attached.sessionPresent(), attached.epoch());
    }
}
