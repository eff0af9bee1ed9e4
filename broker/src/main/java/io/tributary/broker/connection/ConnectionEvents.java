package io.tributary.broker.connection;

import io.tributary.broker.extension.ClientListener;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.store.TenantLimits.Limit;
import io.tributary.broker.tenant.TenantConnection;
import io.tributary.common.event.AttachRefusal;
import io.tributary.common.event.TenantNames;
import io.tributary.common.mqtt.ReasonCode;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the recorder and the listeners that clients come and go; an exception of a listener is logged, no more. */
record ConnectionEvents(ConnectionServices services) {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionEvents.class);

    void connected(ClientInfo client, boolean sessionPresent) {
        LOG.debug("{} {} connected from {}", kind(client), nameOf(client), client.remoteAddress());
        services.recorder().connected(Objects.requireNonNull(client.kind()), sessionPresent);
        tell(listener -> listener.onConnected(client, sessionPresent));
    }

    void disconnected(ClientInfo client, ReasonCode reason) {
        LOG.debug("{} {} disconnected: {}", kind(client), nameOf(client), reason);
        services.recorder().disconnected(Objects.requireNonNull(client.kind()), reason);
        tell(listener -> listener.onDisconnected(client, reason));
    }

    /** A client did not get its session, and is refused for that. */
    void noSession(AttachRefusal reason, @Nullable TenantConnection tenant) {
        if (reason == AttachRefusal.IS_SOMEBODY_ELSES) {
            services.recorder().takeoverRefused();
        } else if (tenant != null && reason == AttachRefusal.TENANT_CONNECTIONS) {
            tenant.refused(Limit.CONNECTIONS);
        } else if (tenant != null && reason == AttachRefusal.TENANT_SESSIONS) {
            tenant.refused(Limit.SESSIONS);
        }
    }

    private static String kind(ClientInfo client) {
        return client.isApplication() ? "application" : "device";
    }

    private static String nameOf(ClientInfo client) {
        return TenantNames.display(client.idInside());
    }

    private void tell(Consumer<ClientListener> event) {
        for (ClientListener listener : services.extensions().listeners()) {
            try {
                event.accept(listener);
            } catch (RuntimeException | Error failure) {
                LOG.warn("a session listener failed", failure);
            }
        }
    }
}
